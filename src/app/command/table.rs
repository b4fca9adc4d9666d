//! The table of commands and how each reads its words.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Command, Until, Wish, unknown};
use crate::act::plan::{SHORTEST_GRACE, parse_span};
use crate::app::appearance::ThemeName;
use crate::app::sheet::GRACE;
use crate::app::{App, Level, Notice, Screen, Tab};
use crate::domain::Regions;
use crate::report::Format;
use crate::view::FieldSpec;
use crate::view::format::span_long;

/// Completion of the words after a command's name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Words {
    /// No completion.
    None,
    /// The last word, after a blank or comma, is one of these.
    Each(fn(&App) -> Vec<String>),
    /// The first word is one of these.
    First(fn(&App) -> Vec<String>),
    /// The whole rest is one of these, since names may contain blanks.
    Rest(fn(&App) -> Vec<String>),
}

/// The words of a list.
macro_rules! words {
    ($words:expr) => {
        |_| $words.into_iter().map(str::to_owned).collect()
    };
}

/// One row of the table of commands.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Name of the command.
    pub name: &'static str,
    /// Further names.
    pub aliases: &'static [&'static str],
    /// Arguments after the name, for the help; `{}` is replaced by all words of the completion.
    pub usage: &'static str,
    /// One sentence for the help.
    pub doc: &'static str,
    /// Completion of the arguments.
    pub(crate) words: Words,
    /// Makes the command from its words and the whole rest. Fails with a message for the prompt.
    pub(crate) build: fn(&[&str], &str, &App) -> Result<Command, String>,
}

impl CommandSpec {
    /// A command of one name that takes no words.
    pub(crate) const fn plain(
        name: &'static str,
        doc: &'static str,
        build: fn(&[&str], &str, &App) -> Result<Command, String>,
    ) -> Self {
        Self { name, aliases: &[], usage: "", doc, words: Words::None, build }
    }
}

/// A command that takes no words.
macro_rules! simple {
    ($command:expr) => {
        |words, _, _| match words {
            [] => Ok($command),
            [extra, ..] => Err(format!("`{extra}` is one word too many")),
        }
    };
}

pub(crate) use simple;

/// The commands that belong to no tab, in the order of the help screen.
const SHARED: &[CommandSpec] = &[
    CommandSpec::plain(
        "overview",
        "What the fleet burns and wastes.",
        simple!(Command::Tab(Tab::Overview)),
    ),
    CommandSpec {
        aliases: &["past", "history"],
        ..CommandSpec::plain(
            "trend",
            "What changed since yesterday, on the overview; `burntop trend` prints burn by day, week and month.",
            simple!(Command::own(|app| {
                app.go_to_savings(None);
                let text = "burn by day, week or month: `burntop trend`; here stands what changed since yesterday";
                app.say(Notice::new(Level::Info, text));
                Vec::new()
            })),
        )
    },
    CommandSpec {
        aliases: &["instances"],
        ..CommandSpec::plain(
            "idle",
            "Every instance with its verdict.",
            simple!(Command::Tab(Tab::Idle)),
        )
    },
    CommandSpec {
        name: "filter",
        aliases: &["f"],
        usage: "[EXPRESSION]",
        doc: "Filter the table; without an expression, all rows.",
        words: Words::None,
        build: |_, rest, _| Ok(Command::Filter(rest.to_owned())),
    },
    CommandSpec {
        name: "sort",
        aliases: &[],
        usage: "FIELD|worst [asc|desc]",
        doc: "Sort the table; `worst` is the order it starts with.",
        words: Words::Each(|app| {
            let fields = fields(app).into_iter();
            std::iter::once("worst".to_owned()).chain(fields).collect()
        }),
        build: sort,
    },
    CommandSpec {
        name: "columns",
        aliases: &["cols"],
        usage: "[FIELD,FIELD…]",
        doc: "Show these columns, or choose them in a list.",
        words: Words::Each(fields),
        build: columns,
    },
    CommandSpec {
        name: "region",
        aliases: &["regions"],
        usage: "all|CODE…",
        doc: "Read these regions; `all` = every enabled one.",
        words: Words::Each(|app| {
            let regions = app.extent.regions.iter().cloned();
            std::iter::once("all".to_owned()).chain(regions).collect()
        }),
        build: region,
    },
    CommandSpec {
        name: "theme",
        aliases: &[],
        usage: "dark|light|ansi16|mono",
        doc: "Change the colours.",
        words: Words::Each(words!(ThemeName::ALL.map(ThemeName::name))),
        build: |words, _, _| match words {
            [name] => ThemeName::from_name(name)
                .map(Command::Theme)
                .ok_or_else(|| unknown("theme", name, ThemeName::ALL.map(ThemeName::name))),
            _ => Err("which theme? dark, light, ansi16 or mono".into()),
        },
    },
    CommandSpec {
        name: "preset",
        aliases: &[],
        usage: "NAME",
        doc: "Judge by this preset.",
        words: Words::Each(presets),
        build: |words, _, app| match words {
            [name] if app.presets.iter().any(|p| p.0 == *name) => {
                Ok(Command::Preset((*name).to_owned()))
            }
            [name] => Err(unknown("preset", name, app.presets.iter().map(|p| p.0.as_str()))),
            _ => Err("which preset?".into()),
        },
    },
    CommandSpec {
        name: "export",
        aliases: &[],
        usage: "csv|json|md|table [FILE]",
        doc: "Write what is on screen to a file.",
        words: Words::First(words!(Format::names())),
        build: export,
    },
    CommandSpec {
        name: "view",
        aliases: &[],
        usage: "NAME",
        doc: "Use a saved view.",
        words: Words::Rest(views),
        build: |_, rest, app| match rest {
            "" => Err("which view? `w` saves one".into()),
            name if app.views.iter().any(|v| v.name == name) => Ok(Command::View(name.to_owned())),
            name => Err(unknown("view", name, app.views.iter().map(|v| v.name.as_str()))),
        },
    },
    CommandSpec {
        name: "save",
        aliases: &["w"],
        usage: "NAME",
        doc: "Save filter, sort and columns as a view; on the What-if tab, the scenario.",
        words: Words::Rest(views),
        build: |_, rest, _| match rest {
            "" => Err("under which name?".into()),
            name => Ok(Command::Save(name.to_owned())),
        },
    },
    CommandSpec::plain(
        "stop",
        "Check whether the marked instances may be stopped, then ask.",
        simple!(Command::Act(Wish::Stop)),
    ),
    CommandSpec {
        name: "mark",
        aliases: &[],
        usage: "[DATE|4d] [REASON]",
        doc: "Tag them `burntop:expires`, for a stop later; without a date, in 4 days.",
        words: Words::First(words!(["1d", "4d", "7d", "14d"])),
        build: mark,
    },
    CommandSpec {
        name: "terminate",
        aliases: &[],
        usage: "[decrement]",
        doc: "Check whether they may be terminated, then ask; `decrement` makes their Auto Scaling \
              groups smaller.",
        words: Words::Each(words!(["decrement"])),
        build: |words, _, _| match words {
            [] => Ok(Command::Act(Wish::Terminate { decrement: false })),
            ["decrement"] => Ok(Command::Act(Wish::Terminate { decrement: true })),
            [extra, ..] => Err(format!("`{extra}`: `terminate` or `terminate decrement`")),
        },
    },
    CommandSpec::plain(
        "start",
        "Check whether they may be started again, then ask.",
        simple!(Command::Act(Wish::Start)),
    ),
    CommandSpec::plain(
        "unmark",
        "Take the tag `burntop:expires` away again.",
        simple!(Command::Act(Wish::Unmark)),
    ),
    CommandSpec::plain("log", "What failed, and what to do about it.", simple!(Command::Log)),
    CommandSpec::plain("cost", "What burntop's own calls cost today.", simple!(Command::Cost)),
    CommandSpec::plain("refresh", "Read again.", simple!(Command::Refresh)),
    CommandSpec::plain("freeze", "Freeze the picture, or go on.", simple!(Command::Freeze)),
    CommandSpec {
        name: "mouse",
        aliases: &[],
        usage: "on|off",
        doc: "Mouse reporting.",
        words: Words::Each(words!(["on", "off"])),
        build: |words, _, _| match words {
            ["on"] => Ok(Command::Mouse(true)),
            ["off"] => Ok(Command::Mouse(false)),
            _ => Err("on or off?".into()),
        },
    },
    CommandSpec::plain(
        "config",
        "Where the configuration lies, which `burntop config path` prints.",
        simple!(Command::own(|app| {
            let text =
                "`burntop config path` prints where it lies, `burntop config init` writes one";
            app.say(Notice::new(Level::Info, text));
            Vec::new()
        })),
    ),
    CommandSpec {
        aliases: &["h"],
        ..CommandSpec::plain(
            "help",
            "Keys, commands and the filter language.",
            simple!(Command::Help),
        )
    },
    CommandSpec { aliases: &["q"], ..CommandSpec::plain("quit", "Quit.", simple!(Command::Quit)) },
];

/// All commands in the order of the help: those of the screens, then the general ones.
pub fn commands() -> impl Iterator<Item = &'static CommandSpec> {
    crate::tabs::screens().flat_map(Screen::commands).chain(SHARED)
}

fn presets(app: &App) -> Vec<String> {
    app.presets.iter().map(|(name, _)| name.clone()).collect()
}

fn views(app: &App) -> Vec<String> {
    app.views.iter().map(|view| view.name.clone()).collect()
}

/// Names of the fields of the list that is meant.
fn fields(app: &App) -> Vec<String> {
    app.list().table().fields().iter().map(|field| field.name.to_owned()).collect()
}

fn mark(words: &[&str], rest: &str, _: &App) -> Result<Command, String> {
    let Some(first) = words.first() else {
        return Ok(Command::Act(Wish::Mark { until: Until::In(GRACE), reason: None }));
    };
    let until = until(first)?;
    let reason = rest.strip_prefix(first).map(str::trim).filter(|r| !r.is_empty());
    let reason = reason.map(|r| crate::domain::text::clean(r).into_owned());
    Ok(Command::Act(Wish::Mark { until, reason }))
}

/// `4d`, `36h`, `2w`, a date (its first moment, UTC) or a moment in RFC 3339.
fn until(word: &str) -> Result<Until, String> {
    match parse_span(word) {
        Some(span) if span >= SHORTEST_GRACE => return Ok(Until::In(span)),
        Some(span) => {
            let (span, least) = (span_long(span), span_long(SHORTEST_GRACE));
            return Err(format!("`{word}` are {span}: {least} at least"));
        }
        None => {}
    }
    let moment = word.parse::<Timestamp>().ok().or_else(|| {
        let date: Date = word.parse().ok()?;
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
    });
    moment.map(Until::At).ok_or_else(|| {
        format!("`{word}` is no date: write 4d, 36h, 2w (at most 366d) or 2026-12-24")
    })
}

fn field(name: &str, app: &App) -> Result<&'static str, String> {
    let table = app.list().table();
    let names = || table.fields().iter().flat_map(FieldSpec::names);
    table.find(name).map(|f| f.name).ok_or_else(|| unknown("field", name, names()))
}

fn sort(words: &[&str], _: &str, app: &App) -> Result<Command, String> {
    let (name, direction) = match words {
        [name] => (*name, None),
        [name, "asc"] => (*name, Some(false)),
        [name, "desc"] => (*name, Some(true)),
        _ => return Err("sort by which field? For example `sort waste` or `sort age asc`".into()),
    };
    if name == "worst" {
        return match direction {
            None => Ok(Command::Sort(None, None)),
            Some(_) => Err("`worst` has one direction".into()),
        };
    }
    Ok(Command::Sort(Some(field(name, app)?), direction))
}

fn columns(_: &[&str], rest: &str, app: &App) -> Result<Command, String> {
    let mut fields: Vec<&'static str> = Vec::new();
    for name in rest.split([',', ' ']).filter(|n| !n.is_empty()) {
        let field = field(name, app)?;
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    Ok(Command::Columns(fields))
}

fn region(words: &[&str], _: &str, _: &App) -> Result<Command, String> {
    match words {
        [] => Err("all, or which regions?".into()),
        ["all"] => Ok(Command::Region(Regions::Enabled)),
        codes => {
            // A region code is lower-case letters, digits and dashes; whether it exists is for
            // AWS to say.
            let plausible = |c: &str| {
                c.contains('-')
                    && c.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            };
            match codes.iter().find(|c| !plausible(c)) {
                Some(code) => Err(format!("`{code}` is no region code")),
                None => Ok(Command::Region(Regions::named(codes.iter().copied()))),
            }
        }
    }
}

fn export(words: &[&str], rest: &str, _: &App) -> Result<Command, String> {
    let Some(name) = words.first() else {
        return Err("which format? csv, json, md or table".into());
    };
    let format = Format::from_name(name).ok_or_else(|| unknown("format", name, Format::names()))?;
    let path = rest.strip_prefix(name).map(str::trim).filter(|p| !p.is_empty());
    Ok(Command::Export(format, path.map(str::to_owned)))
}
