//! What can be typed after `:`, one table of it, and its completion.

mod table;

use jiff::{SignedDuration, Timestamp};

use super::appearance::ThemeName;
use super::effect::Regions;
use crate::report::Format;
use crate::tabs::Tab;
use crate::tabs::gpus::picture::GpuGrouping;
use crate::tabs::savings::state::SavingsLook;
use crate::tabs::storage::state::StorageLook;
use crate::tabs::whatif::state::{DemandFrom, PlanChart};
use crate::view::FieldTable;
use table::Arg;
pub use table::{COMMANDS, CommandSpec};

/// A command, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Go to a tab.
    Tab(Tab),
    /// Go to the GPUs.
    Gpus,
    /// Go to a list of storage.
    Storage(StorageLook),
    /// Open the guide to instance types.
    Guide,
    /// Go to a list of what could be saved.
    Savings(SavingsLook),
    /// Go to the What-if tab, at a chart.
    WhatIf(Option<PlanChart>),
    /// Read a demand to plan for.
    Demand(DemandFrom),
    /// Go on with a kept scenario.
    Load(String),
    /// Give the scenario another name.
    Rename(String),
    /// Write a note to the scenario.
    Note(String),
    /// Go to the heat map.
    Heat,
    /// Group the GPUs.
    Group(GpuGrouping),
    /// Set the filter; empty text removes it.
    Filter(String),
    /// Sort by a field of the table on screen, by its name, `None` = the fleet's own order; `true` = largest first, `None` = the
    /// field's own direction.
    Sort(Option<&'static str>, Option<bool>),
    /// Show these columns of the table on screen, by their names; none = open the chooser.
    Columns(Vec<&'static str>),
    /// Read these regions.
    Region(Regions),
    /// Change the theme.
    Theme(ThemeName),
    /// Judge by a preset.
    Preset(String),
    /// Export what is on screen.
    Export(Format, Option<String>),
    /// Use a saved view.
    View(String),
    /// Save the view under a name.
    Save(String),
    /// Open the event log.
    Log,
    /// Open the own-cost page.
    Cost,
    /// Open the help.
    Help,
    /// Read again.
    Refresh,
    /// Freeze or go on.
    Freeze,
    /// Mouse on or off.
    Mouse(bool),
    /// Open the action sheet at the checks of a verb.
    Act(Wish),
    /// End.
    Quit,
}

/// What a command wants done to the chosen instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Stop them.
    Stop,
    /// Terminate them.
    Terminate {
        /// Auto Scaling groups are to want fewer instances.
        decrement: bool,
    },
    /// Start them.
    Start,
    /// Mark them.
    Mark {
        /// Until when.
        until: Until,
        /// Why; `None` for what the verdict says.
        reason: Option<String>,
    },
    /// Take the mark away.
    Unmark,
}

/// A moment, given as it is or as a time from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After this time.
    In(SignedDuration),
    /// At this moment.
    At(Timestamp),
}

/// The names that exist at this moment.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Presets.
    pub presets: &'a [String],
    /// Saved views.
    pub views: &'a [String],
    /// Regions seen.
    pub regions: &'a [String],
    /// Scenarios that are kept.
    pub scenarios: &'a [String],
    /// Fields of the list that is meant.
    pub fields: &'static dyn FieldTable,
}

/// "unknown X `y`", with the nearest name where one is near.
fn unknown<'a>(what: &str, name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = names
        .into_iter()
        .map(|n| (strsim::damerau_levenshtein(n, name), n))
        .filter(|(distance, _)| *distance <= 2)
        .min();
    match near {
        Some((_, near)) => format!("unknown {what} `{name}`, did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`"),
    }
}

/// The command of a name or alias.
fn spec_of(name: &str) -> Option<&'static CommandSpec> {
    COMMANDS.iter().find(|c| c.name == name || c.aliases.contains(&name))
}

/// Understands a command line (without the colon).
pub fn parse(line: &str, known: &Known<'_>) -> Result<Command, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let spec =
        spec_of(name).ok_or_else(|| unknown("command", name, COMMANDS.iter().map(|c| c.name)))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    (spec.build)(&words, rest, known)
}

/// Whole lines that complete `line`, in the order of their tables.
pub fn complete(line: &str, known: &Known<'_>) -> Vec<String> {
    let line = line.trim_start();
    let Some((name, rest)) = line.split_once(char::is_whitespace) else {
        return COMMANDS
            .iter()
            .filter(|c| c.name.starts_with(line))
            .map(|c| if c.arg == Arg::None { c.name.to_owned() } else { format!("{} ", c.name) })
            .collect();
    };
    let Some(spec) = spec_of(name) else { return Vec::new() };
    // Only the last word is completed; lists of fields are separated by commas.
    let cut = match spec.arg {
        Arg::View | Arg::Scenario => 0,
        _ => rest.rfind([' ', ',']).map_or(0, |i| i + 1),
    };
    let (head, last) = rest.split_at(cut);
    let candidates: Vec<&str> = match spec.arg {
        Arg::Field => {
            let worst = (spec.name == "sort").then_some("worst");
            worst.into_iter().chain(known.fields.fields().iter().map(|f| f.name)).collect()
        }
        Arg::Grouping => GpuGrouping::ALL.map(GpuGrouping::name).to_vec(),
        Arg::StorageList => StorageLook::ALL.map(StorageLook::name).to_vec(),
        Arg::Region => {
            let regions = known.regions.iter().map(String::as_str);
            std::iter::once("all").chain(regions).collect()
        }
        Arg::Theme => ThemeName::ALL.map(ThemeName::name).to_vec(),
        Arg::Preset => known.presets.iter().map(String::as_str).collect(),
        Arg::Format if cut == 0 => Format::names().to_vec(),
        Arg::Demand if cut == 0 => vec!["history"],
        Arg::Until if cut == 0 => vec!["1d", "4d", "7d", "14d"],
        Arg::None | Arg::Free | Arg::Format | Arg::Until | Arg::Demand => Vec::new(),
        Arg::View => known.views.iter().map(String::as_str).collect(),
        Arg::PlanChart => PlanChart::ALL.map(PlanChart::name).to_vec(),
        Arg::Scenario => known.scenarios.iter().map(String::as_str).collect(),
        Arg::Switch => vec!["on", "off"],
        Arg::Decrement => vec!["decrement"],
    };
    candidates
        .into_iter()
        .filter(|c| c.starts_with(last))
        .map(|c| format!("{name} {head}{c}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::TableField;

    fn with<T>(f: impl FnOnce(&Known<'_>) -> T) -> T {
        let own = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        f(&Known {
            presets: &own(&["cautious", "mean-cpu"]),
            views: &own(&["my view"]),
            regions: &own(&["eu-west-1", "us-east-1"]),
            scenarios: &own(&["base", "p5 early"]),
            fields: crate::tabs::idle::picture::Field::table(),
        })
    }

    fn understood(line: &str) -> Result<Command, String> {
        with(|known| parse(line, known))
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
        assert_eq!(understood("region all"), Ok(Command::Region(Regions::All)));
        assert_eq!(
            understood("region eu-west-1 us-east-1"),
            Ok(Command::Region(Regions::These(vec!["eu-west-1".into(), "us-east-1".into()])))
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
        assert_eq!(understood("group team"), Ok(Command::Group(GpuGrouping::Team)));
        assert_eq!(understood("whatif"), Ok(Command::WhatIf(None)));
        assert_eq!(understood("whatif fan"), Ok(Command::WhatIf(Some(PlanChart::Fan))));
        assert_eq!(understood("demand history"), Ok(Command::Demand(DemandFrom::History)));
        let file = DemandFrom::File("my fleet.csv".into());
        assert_eq!(understood("demand my fleet.csv"), Ok(Command::Demand(file)));
        assert_eq!(understood("load p5 early"), Ok(Command::Load("p5 early".into())));
        assert_eq!(understood("note ask Mia"), Ok(Command::Note("ask Mia".into())));
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
    fn completion_completes_the_last_word() {
        let complete = |line: &str| with(|known| complete(line, known));
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
        assert!(complete("").len() == COMMANDS.len());
    }

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names: Vec<&str> =
            COMMANDS.iter().flat_map(|c| c.aliases.iter().chain([&c.name])).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
