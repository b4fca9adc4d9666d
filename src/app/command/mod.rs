//! What can be typed after `:`, one table of it, and its completion.

mod table;

use jiff::{SignedDuration, Timestamp};

use super::appearance::ThemeName;
use super::deed::Deed;
use super::keymap::Action;
use super::{App, Effect};
use crate::domain::Regions;
use crate::domain::suggest::nearest;
use crate::report::Format;
use crate::tabs::Tab;
pub use table::{CommandSpec, commands};
pub(crate) use table::{Words, simple};

/// A parsed command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Go to a tab.
    Tab(Tab),
    /// Runs a command of a tab.
    Own(Deed),
    /// Set the filter; empty text removes it.
    Filter(String),
    /// Sort the list on screen by the field of this name (`None` = the rows' own order); `true` = largest
    /// first, `None` = the field's own direction.
    Sort(Option<&'static str>, Option<bool>),
    /// Show these columns of the list on screen, by name; none = open the chooser.
    Columns(Vec<&'static str>),
    /// Read these regions.
    Region(Regions),
    /// Change the theme.
    Theme(ThemeName),
    /// Switch to a preset.
    Preset(String),
    /// Export the screen in a format, to a path or the default file.
    Export(Format, Option<String>),
    /// Use the saved view of this name.
    View(String),
    /// Save the view under this name.
    Save(String),
    /// Open the event log.
    Log,
    /// Open the own-cost page.
    Cost,
    /// Open the help.
    Help,
    /// Read the sources again.
    Refresh,
    /// Freeze or unfreeze the picture.
    Freeze,
    /// Switch mouse reporting on or off.
    Mouse(bool),
    /// Open the action sheet with the checks of a verb.
    Act(Wish),
    /// End the program.
    Quit,
}

/// An action that a command requests for the chosen instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Stop them.
    Stop,
    /// Terminate them.
    Terminate {
        /// True = reduce the desired capacity of Auto Scaling groups as well.
        decrement: bool,
    },
    /// Start them.
    Start,
    /// Mark them for later.
    Mark {
        /// End of the grace period.
        until: Until,
        /// Reason; `None` = that of the verdict.
        reason: Option<String>,
    },
    /// Remove the mark.
    Unmark,
}

/// A point in time, absolute or from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// This long from now.
    In(SignedDuration),
    /// This time.
    At(Timestamp),
}

impl Command {
    /// A command of a tab that always succeeds.
    pub(crate) fn own(act: impl Fn(&mut App) -> Vec<Effect> + Send + Sync + 'static) -> Self {
        Self::may_fail(move |app| Ok(act(app)))
    }

    /// A command of a tab that may fail with a reason.
    pub(crate) fn may_fail(
        act: impl Fn(&mut App) -> Result<Vec<Effect>, String> + Send + Sync + 'static,
    ) -> Self {
        Self::Own(Deed::of(move |app, _| act(app)))
    }
}

/// The message "unknown `what` `name`", with the nearest name where one is similar.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> String {
    match nearest(name, names) {
        Some(near) => format!("unknown {what} `{name}`, did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`"),
    }
}

/// The command of a name or alias.
fn spec_of(name: &str) -> Option<&'static CommandSpec> {
    commands().find(|c| c.name == name || c.aliases.contains(&name))
}

/// Names of no commands, typed by who wants something taken back.
const TAKE_BACK: [&str; 3] = ["undo", "revert", "restart"];

/// That there is no command of this name, and what leads on.
fn no_command(name: &str, app: &App) -> String {
    let key = |action: Action| app.keymap().keys(action).first();
    if TAKE_BACK.contains(&name) {
        let further = key(Action::Actions).map(|key| format!("; {key} has the ways back"));
        return format!("unknown command `{name}`{}", further.unwrap_or_default());
    }
    let text = unknown("command", name, commands().map(|c| c.name));
    match key(Action::Complete) {
        Some(key) if !text.ends_with('?') => format!("{text}; {key} on an empty line lists them"),
        _ => text,
    }
}

/// Parses a command line without its colon. Fails with a message for the prompt.
pub(crate) fn parse(line: &str, app: &App) -> Result<Command, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let spec = spec_of(name).ok_or_else(|| no_command(name, app))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    (spec.build)(&words, rest, app)
}

/// What the command of a line does, one sentence: that of its name, else the only one that begins so. `None` for any
/// other line.
pub fn doc_of(line: &str) -> Option<&'static str> {
    let name = line.split_whitespace().next()?;
    let begins = |c: &&CommandSpec| {
        c.name.starts_with(name) || c.aliases.iter().any(|alias| alias.starts_with(name))
    };
    let mut all = commands().filter(begins);
    let only = all.next().filter(|_| all.next().is_none());
    spec_of(name).or(only).map(|spec| spec.doc)
}

/// Whole lines that complete `line`, in the order of the tables; further names where no name begins so.
pub(crate) fn complete(line: &str, app: &App) -> Vec<String> {
    let line = line.trim_start();
    let Some((name, rest)) = line.split_once(char::is_whitespace) else {
        let with_words = |name: &str, c: &CommandSpec| {
            if c.usage.is_empty() { name.to_owned() } else { format!("{name} ") }
        };
        let names = commands().filter(|c| c.name.starts_with(line));
        let names: Vec<String> = names.map(|c| with_words(c.name, c)).collect();
        if !names.is_empty() {
            return names;
        }
        let aliases = commands().flat_map(|c| c.aliases.iter().map(move |alias| (*alias, c)));
        let aliases = aliases.filter(|(alias, _)| alias.starts_with(line));
        return aliases.map(|(alias, c)| with_words(alias, c)).collect();
    };
    let last_word = rest.rfind([' ', ',']).map_or(0, |i| i + 1);
    let (cut, candidates) = match spec_of(name).map(|spec| spec.words) {
        None | Some(Words::None) => return Vec::new(),
        Some(Words::First(_)) if last_word > 0 => return Vec::new(),
        Some(Words::Each(of) | Words::First(of)) => (last_word, of(app)),
        Some(Words::Rest(of)) => (0, of(app)),
    };
    let (head, last) = rest.split_at(cut);
    let fitting = candidates.into_iter().filter(|c| c.starts_with(last));
    fitting.map(|c| format!("{name} {head}{c}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::init;
    use crate::app::{DemandFrom, Msg, PlanChart, SavedView};
    use crate::tabs::gpus::picture::GpuGrouping;
    use crate::tabs::whatif::state::fixture::app as planned;
    use crate::whatif::Slot;

    fn app() -> App {
        let mut app = App::new(init(None, (80, 24)));
        app.presets = ["cautious", "mean-cpu"].map(|p| (p.to_owned(), String::new())).to_vec();
        app.views = vec![SavedView { name: "my view".into(), ..SavedView::default() }];
        app.extent.regions = ["eu-west-1", "us-east-1"].map(str::to_owned).to_vec();
        app.update(Msg::Scenarios(["base", "p5 early"].map(str::to_owned).to_vec()));
        app
    }

    fn understood(line: &str) -> Result<Command, String> {
        parse(line, &app())
    }

    /// The cockpit after a command, and what it wants done.
    fn after(line: &str) -> (App, Vec<Effect>) {
        let mut app = app();
        let Ok(Command::Own(deed)) = parse(line, &app) else { panic!("{line}") };
        let effects = deed.apply(&mut app, "").unwrap();
        (app, effects)
    }

    #[test]
    fn commands_are_understood() {
        assert_eq!(understood("q"), Ok(Command::Quit));
        assert_eq!(understood(" idle "), Ok(Command::Tab(Tab::Idle)));
        assert_eq!(
            understood("filter gpu<5 and $>10"),
            Ok(Command::Filter("gpu<5 and $>10".into()))
        );
        assert_eq!(understood("theme mono"), Ok(Command::Theme(ThemeName::Mono)));
        assert_eq!(understood("region all"), Ok(Command::Region(Regions::Enabled)));
        assert_eq!(
            understood("region eu-west-1 us-east-1"),
            Ok(Command::Region(Regions::named(["eu-west-1", "us-east-1"])))
        );
        assert_eq!(
            understood("export csv my file.csv"),
            Ok(Command::Export(Format::Csv, Some("my file.csv".into())))
        );
        assert_eq!(understood("export json"), Ok(Command::Export(Format::Json, None)));
        assert_eq!(understood("sort worst"), Ok(Command::Sort(None, None)));
        assert_eq!(understood("view my view"), Ok(Command::View("my view".into())));
        assert_eq!(understood("mouse off"), Ok(Command::Mouse(false)));
        let waste = "waste_usd_per_hour";
        assert_eq!(understood("sort waste asc"), Ok(Command::Sort(Some(waste), Some(false))));
        assert_eq!(understood("columns waste,waste"), Ok(Command::Columns(vec![waste])));
    }

    #[test]
    fn commands_of_tabs_do_what_they_say() {
        assert_eq!(after("group team").0.gpu_tab().grouping(), GpuGrouping::Team);
        let trend = after("trend").0;
        assert!(trend.savings_tab().look().is_none());
        assert!(trend.notice().unwrap().text.contains("`burntop trend`"));
        let whatif = after("whatif").0;
        assert!(whatif.page().is_none() && whatif.tab() == Tab::WhatIf);
        let mut planned = planned((120, 40));
        let fan = parse("whatif fan", &planned).unwrap();
        planned.run(fan);
        assert_eq!((planned.tab(), planned.whatif().chart()), (Tab::WhatIf, PlanChart::Fan));
        assert_eq!(after("demand history").1, [Effect::ReadDemand(DemandFrom::History)]);
        let file = DemandFrom::File("my fleet.csv".into());
        assert_eq!(after("demand my fleet.csv").1, [Effect::ReadDemand(file)]);
        let load = Effect::LoadScenario { name: "p5 early".into(), slot: Slot::A };
        assert_eq!(after("load p5 early").1, [load]);
        let note = parse("note ask Mia", &planned).unwrap();
        planned.run(note);
        assert_eq!(planned.whatif().scenario().unwrap().note, "ask Mia");
    }

    #[test]
    fn errors_say_what_was_meant() {
        let texts: Vec<_> = [
            "",
            "idel",
            "idle now",
            "theme monoo",
            "theme",
            "preset mean-cup",
            "sort",
            "sort wast3",
            "export",
            "export xls",
            "region",
            "region EU",
            "view",
            "view other",
            "save",
            "mouse",
            "group",
            "group taem",
            "whatif fna",
            "demand",
            "load bsae",
            "rename",
        ]
        .map(|line| format!("{line:16} {}", understood(line).unwrap_err()))
        .to_vec();
        insta::assert_snapshot!(texts.join("\n"));
    }

    #[test]
    fn an_unknown_command_says_what_leads_on() {
        let said = |line: &str| understood(line).unwrap_err();
        assert_eq!(said("undo"), "unknown command `undo`; H has the ways back");
        assert_eq!(said("restart i-1"), "unknown command `restart`; H has the ways back");
        assert_eq!(said("xyzxyz"), "unknown command `xyzxyz`; tab on an empty line lists them");
        assert_eq!(said("idel"), "unknown command `idel`, did you mean `idle`?");
    }

    #[test]
    fn completion_completes_the_last_word() {
        let app = app();
        let complete = |line: &str| complete(line, &app);
        assert_eq!(complete("th"), ["theme "]);
        assert_eq!(complete("theme "), ["theme dark", "theme light", "theme ansi16", "theme mono"]);
        assert_eq!(complete("preset m"), ["preset mean-cpu"]);
        assert_eq!(complete("region us-east-1 e"), ["region us-east-1 eu-west-1"]);
        assert_eq!(complete("view my"), ["view my view"]);
        assert_eq!(complete("load p5"), ["load p5 early"]);
        assert_eq!(
            complete("whatif c"),
            ["whatif curve", "whatif cost", "whatif calendar", "whatif compare"]
        );
        assert_eq!(complete("export c"), ["export csv"]);
        assert_eq!(complete("export csv x"), Vec::<String>::new());
        assert_eq!(complete("nothing x"), Vec::<String>::new());
        // Further names complete as well, and each says what it would do.
        assert_eq!(complete("aud"), ["audit"]);
        assert_eq!(complete("inst"), ["instances"]);
        assert_eq!(doc_of("inst"), Some("Every instance with its verdict."));
        assert_eq!(doc_of("audit"), doc_of("actions"));
        assert_eq!(doc_of("theme dark"), Some("Change the colours."));
        assert_eq!(doc_of("re"), None, "refresh, region, rename");
        assert!(complete("").len() == commands().count());
    }

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names: Vec<&str> =
            commands().flat_map(|c| c.aliases.iter().chain([&c.name])).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
