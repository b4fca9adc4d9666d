//! The table of commands and how each reads its words.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Command, Known, Until, Wish, unknown};
use crate::act::plan::{SHORTEST_GRACE, in_words, parse_span};
use crate::app::Tab;
use crate::app::appearance::ThemeName;
use crate::app::effect::Regions;
use crate::app::sheet::GRACE;
use crate::report::Format;
use crate::tabs::gpus::picture::GpuGrouping;
use crate::tabs::savings::state::SavingsLook;
use crate::tabs::storage::state::StorageLook;
use crate::tabs::whatif::state::{DemandFrom, PlanChart};
use crate::view::FieldSpec;

/// What an argument can be, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arg {
    None,
    Field,
    Grouping,
    StorageList,
    PlanChart,
    Demand,
    Scenario,
    Region,
    Theme,
    Preset,
    Format,
    View,
    Switch,
    Until,
    Decrement,
    Free,
}

/// One row of the table of commands.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What follows the name.
    pub usage: &'static str,
    /// A sentence for the help screen.
    pub doc: &'static str,
    pub(super) arg: Arg,
    pub(super) build: fn(&[&str], &str, &Known<'_>) -> Result<Command, String>,
}

macro_rules! simple {
    ($command:expr) => {
        |words, _, _| match words {
            [] => Ok($command),
            [extra, ..] => Err(format!("`{extra}` is one word too many")),
        }
    };
}

/// All commands, in the order of the help screen.
pub const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "overview",
        aliases: &[],
        usage: "",
        doc: "What the fleet burns and wastes.",
        arg: Arg::None,
        build: simple!(Command::Tab(Tab::Overview)),
    },
    CommandSpec {
        name: "gpus",
        aliases: &[],
        usage: "",
        doc: "Every GPU, what it does and what it costs.",
        arg: Arg::None,
        build: simple!(Command::Gpus),
    },
    CommandSpec {
        name: "storage",
        aliases: &["s3"],
        usage: "[buckets|explore|findings|ebs|runs|copies]",
        doc: "Buckets, prefix by prefix, findings, volumes and snapshots, runs, copies.",
        arg: Arg::StorageList,
        build: |words, _, _| match words {
            [] => Ok(Command::Storage(StorageLook::Buckets)),
            [name] => StorageLook::from_name(name)
                .map(Command::Storage)
                .ok_or_else(|| unknown("list", name, StorageLook::ALL.map(StorageLook::name))),
            [_, extra, ..] => Err(format!("`{extra}` is one word too many")),
        },
    },
    CommandSpec {
        name: "commitments",
        aliases: &["reservations"],
        usage: "",
        doc: "Reserved Instances, Savings Plans and reserved capacity, and what of them is unused.",
        arg: Arg::None,
        build: simple!(Command::Savings(SavingsLook::Commitments)),
    },
    CommandSpec {
        name: "rightsize",
        aliases: &["proposals"],
        usage: "",
        doc: "Instances that could be smaller, net of commitments.",
        arg: Arg::None,
        build: simple!(Command::Savings(SavingsLook::Proposals)),
    },
    CommandSpec {
        name: "guide",
        aliases: &[],
        usage: "",
        doc: "Which instance a model needs, by its size, context, latency and budget.",
        arg: Arg::None,
        build: simple!(Command::Guide),
    },
    CommandSpec {
        name: "spot",
        aliases: &[],
        usage: "",
        doc: "What could run on Spot, and what that is worth.",
        arg: Arg::None,
        build: simple!(Command::Savings(SavingsLook::Spot)),
    },
    CommandSpec {
        name: "resources",
        aliases: &[],
        usage: "",
        doc: "What else idles: notebooks, endpoints, apps, addresses, gateways, balancers.",
        arg: Arg::None,
        build: simple!(Command::Savings(SavingsLook::Resources)),
    },
    CommandSpec {
        name: "whatif",
        aliases: &["plan"],
        usage: "[curve|fan|cost|payback|tornado|lists|calendar|compare]",
        doc: "What to buy, over many futures; without a demand, how to give one.",
        arg: Arg::PlanChart,
        build: |words, _, _| match words {
            [] => Ok(Command::WhatIf(None)),
            [name] => PlanChart::from_name(name)
                .map(|chart| Command::WhatIf(Some(chart)))
                .ok_or_else(|| unknown("chart", name, PlanChart::ALL.map(PlanChart::name))),
            [_, extra, ..] => Err(format!("`{extra}` is one word too many")),
        },
    },
    CommandSpec {
        name: "demand",
        aliases: &[],
        usage: "FILE|history",
        doc: "Plan for the demand in a CSV file, or for what burntop saw running.",
        arg: Arg::Demand,
        build: |_, rest, _| match rest {
            "" => Err("which demand? a CSV file, or `history`".into()),
            "history" => Ok(Command::Demand(DemandFrom::History)),
            path => Ok(Command::Demand(DemandFrom::File(path.to_owned()))),
        },
    },
    CommandSpec {
        name: "load",
        aliases: &[],
        usage: "NAME",
        doc: "Go on with a kept scenario.",
        arg: Arg::Scenario,
        build: |_, rest, known| match rest {
            "" => Err("which scenario? `w` on the What-if tab keeps one".into()),
            name if known.scenarios.iter().any(|s| s == name) => Ok(Command::Load(name.to_owned())),
            name => Err(unknown("scenario", name, known.scenarios.iter().map(String::as_str))),
        },
    },
    CommandSpec {
        name: "rename",
        aliases: &[],
        usage: "NAME",
        doc: "Give the scenario on screen another name.",
        arg: Arg::Free,
        build: |_, rest, _| match rest {
            "" => Err("which name?".into()),
            name => Ok(Command::Rename(name.to_owned())),
        },
    },
    CommandSpec {
        name: "note",
        aliases: &[],
        usage: "TEXT",
        doc: "Write a note to the scenario on screen.",
        arg: Arg::Free,
        build: |_, rest, _| Ok(Command::Note(rest.to_owned())),
    },
    CommandSpec {
        name: "heat",
        aliases: &[],
        usage: "",
        doc: "The GPUs as a heat map, a cell per GPU.",
        arg: Arg::None,
        build: simple!(Command::Heat),
    },
    CommandSpec {
        name: "group",
        aliases: &[],
        usage: "node|team|owner|model|state|flat",
        doc: "Group the GPUs.",
        arg: Arg::Grouping,
        build: |words, _, _| match words {
            [name] => GpuGrouping::from_name(name)
                .map(Command::Group)
                .ok_or_else(|| unknown("group", name, GpuGrouping::ALL.map(GpuGrouping::name))),
            _ => Err("group by what? node, team, owner, model, state or flat".into()),
        },
    },
    CommandSpec {
        name: "idle",
        aliases: &[],
        usage: "",
        doc: "Every instance with its verdict.",
        arg: Arg::None,
        build: simple!(Command::Tab(Tab::Idle)),
    },
    CommandSpec {
        name: "filter",
        aliases: &["f"],
        usage: "[EXPRESSION]",
        doc: "Filter the table; without an expression, all rows.",
        arg: Arg::Free,
        build: |_, rest, _| Ok(Command::Filter(rest.to_owned())),
    },
    CommandSpec {
        name: "sort",
        aliases: &[],
        usage: "FIELD|worst [asc|desc]",
        doc: "Sort the table; `worst` is the order it starts with.",
        arg: Arg::Field,
        build: sort,
    },
    CommandSpec {
        name: "columns",
        aliases: &["cols"],
        usage: "[FIELD,FIELD…]",
        doc: "Show these columns, or choose them in a list.",
        arg: Arg::Field,
        build: columns,
    },
    CommandSpec {
        name: "region",
        aliases: &["regions"],
        usage: "all|CODE…",
        doc: "Read these regions; `all` = every enabled one.",
        arg: Arg::Region,
        build: region,
    },
    CommandSpec {
        name: "theme",
        aliases: &[],
        usage: "dark|light|ansi16|mono",
        doc: "Change the colours.",
        arg: Arg::Theme,
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
        arg: Arg::Preset,
        build: |words, _, known| match words {
            [name] if known.presets.iter().any(|p| p == name) => {
                Ok(Command::Preset((*name).to_owned()))
            }
            [name] => Err(unknown("preset", name, known.presets.iter().map(String::as_str))),
            _ => Err("which preset?".into()),
        },
    },
    CommandSpec {
        name: "export",
        aliases: &[],
        usage: "csv|json|md|table [FILE]",
        doc: "Write what is on screen to a file.",
        arg: Arg::Format,
        build: export,
    },
    CommandSpec {
        name: "view",
        aliases: &[],
        usage: "NAME",
        doc: "Use a saved view.",
        arg: Arg::View,
        build: |_, rest, known| match rest {
            "" => Err("which view? `w` saves one".into()),
            name if known.views.iter().any(|v| v == name) => Ok(Command::View(name.to_owned())),
            name => Err(unknown("view", name, known.views.iter().map(String::as_str))),
        },
    },
    CommandSpec {
        name: "save",
        aliases: &["w"],
        usage: "NAME",
        doc: "Save filter, sort and columns as a view; on the What-if tab, the scenario.",
        arg: Arg::View,
        build: |_, rest, _| match rest {
            "" => Err("under which name?".into()),
            name => Ok(Command::Save(name.to_owned())),
        },
    },
    CommandSpec {
        name: "stop",
        aliases: &[],
        usage: "",
        doc: "Check whether the marked instances may be stopped, then ask.",
        arg: Arg::None,
        build: simple!(Command::Act(Wish::Stop)),
    },
    CommandSpec {
        name: "mark",
        aliases: &[],
        usage: "[DATE|4d] [REASON]",
        doc: "Tag them `burntop:expires`, for a stop later; without a date, in 4 days.",
        arg: Arg::Until,
        build: mark,
    },
    CommandSpec {
        name: "terminate",
        aliases: &[],
        usage: "[decrement]",
        doc: "Check whether they may be terminated, then ask; `decrement` makes their Auto Scaling \
              groups smaller.",
        arg: Arg::Decrement,
        build: |words, _, _| match words {
            [] => Ok(Command::Act(Wish::Terminate { decrement: false })),
            ["decrement"] => Ok(Command::Act(Wish::Terminate { decrement: true })),
            [extra, ..] => Err(format!("`{extra}`: `terminate` or `terminate decrement`")),
        },
    },
    CommandSpec {
        name: "start",
        aliases: &[],
        usage: "",
        doc: "Check whether they may be started again, then ask.",
        arg: Arg::None,
        build: simple!(Command::Act(Wish::Start)),
    },
    CommandSpec {
        name: "unmark",
        aliases: &[],
        usage: "",
        doc: "Take the tag `burntop:expires` away again.",
        arg: Arg::None,
        build: simple!(Command::Act(Wish::Unmark)),
    },
    CommandSpec {
        name: "log",
        aliases: &[],
        usage: "",
        doc: "What failed, and what to do about it.",
        arg: Arg::None,
        build: simple!(Command::Log),
    },
    CommandSpec {
        name: "cost",
        aliases: &[],
        usage: "",
        doc: "What burntop's own calls cost today.",
        arg: Arg::None,
        build: simple!(Command::Cost),
    },
    CommandSpec {
        name: "refresh",
        aliases: &[],
        usage: "",
        doc: "Read again.",
        arg: Arg::None,
        build: simple!(Command::Refresh),
    },
    CommandSpec {
        name: "freeze",
        aliases: &[],
        usage: "",
        doc: "Freeze the picture, or go on.",
        arg: Arg::None,
        build: simple!(Command::Freeze),
    },
    CommandSpec {
        name: "mouse",
        aliases: &[],
        usage: "on|off",
        doc: "Mouse reporting.",
        arg: Arg::Switch,
        build: |words, _, _| match words {
            ["on"] => Ok(Command::Mouse(true)),
            ["off"] => Ok(Command::Mouse(false)),
            _ => Err("on or off?".into()),
        },
    },
    CommandSpec {
        name: "help",
        aliases: &["h"],
        usage: "",
        doc: "Keys, commands and the filter language.",
        arg: Arg::None,
        build: simple!(Command::Help),
    },
    CommandSpec {
        name: "quit",
        aliases: &["q"],
        usage: "",
        doc: "Quit.",
        arg: Arg::None,
        build: simple!(Command::Quit),
    },
];

fn mark(words: &[&str], rest: &str, _: &Known<'_>) -> Result<Command, String> {
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
            let (span, least) = (in_words(span), in_words(SHORTEST_GRACE));
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

fn field(name: &str, known: &Known<'_>) -> Result<&'static str, String> {
    let names = || known.fields.fields().iter().flat_map(FieldSpec::names);
    known.fields.find(name).map(|f| f.name).ok_or_else(|| unknown("field", name, names()))
}

fn sort(words: &[&str], _: &str, known: &Known<'_>) -> Result<Command, String> {
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
    Ok(Command::Sort(Some(field(name, known)?), direction))
}

fn columns(_: &[&str], rest: &str, known: &Known<'_>) -> Result<Command, String> {
    let mut fields: Vec<&'static str> = Vec::new();
    for name in rest.split([',', ' ']).filter(|n| !n.is_empty()) {
        let field = field(name, known)?;
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    Ok(Command::Columns(fields))
}

fn region(words: &[&str], _: &str, _: &Known<'_>) -> Result<Command, String> {
    match words {
        [] => Err("all, or which regions?".into()),
        ["all"] => Ok(Command::Region(Regions::All)),
        codes => {
            // A region code is lower-case letters, digits and dashes; whether it exists is for
            // AWS to say.
            let plausible = |c: &str| {
                c.contains('-')
                    && c.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            };
            match codes.iter().find(|c| !plausible(c)) {
                Some(code) => Err(format!("`{code}` is no region code")),
                None => Ok(Command::Region(Regions::These(
                    codes.iter().map(|c| (*c).to_owned()).collect(),
                ))),
            }
        }
    }
}

fn export(words: &[&str], rest: &str, _: &Known<'_>) -> Result<Command, String> {
    let Some(name) = words.first() else {
        return Err("which format? csv, json, md or table".into());
    };
    let format = Format::from_name(name).ok_or_else(|| unknown("format", name, Format::names()))?;
    let path = rest.strip_prefix(name).map(str::trim).filter(|p| !p.is_empty());
    Ok(Command::Export(format, path.map(str::to_owned)))
}
