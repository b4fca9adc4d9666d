//! Commands of the What-if tab.

use super::state::{ALL_FAMILIES, DemandFrom, PlanChart};
use crate::app::App;
use crate::app::command::{Command, CommandSpec, Words, simple, unknown};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "whatif",
        aliases: &["plan"],
        usage: "[curve|fan|cost|payback|tornado|lists|calendar|compare]",
        doc: "What to buy, over many futures; without a demand, how to give one.",
        words: Words::Each(|_| PlanChart::ALL.map(|chart| chart.name().to_owned()).to_vec()),
        build: |words, _, _| {
            let chart =
                match words {
                    [] => None,
                    [name] => Some(PlanChart::from_name(name).ok_or_else(|| {
                        unknown("chart", name, PlanChart::ALL.map(PlanChart::name))
                    })?),
                    [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
                };
            Ok(Command::own(move |app| app.go_to_whatif(chart)))
        },
    },
    CommandSpec {
        name: "only",
        aliases: &[],
        usage: "FAMILY|all",
        doc: "Plan for one family alone, by a part of its name; `all` plans for all again.",
        words: Words::First(families),
        build: |_, rest, app| match rest {
            "" => Err("which family? a part of its name, or `all`".into()),
            part => {
                app.check_only(part)?;
                let part = part.to_owned();
                Ok(Command::may_fail(move |app| app.plan_only(&part)))
            }
        },
    },
    CommandSpec {
        name: "demand",
        aliases: &[],
        usage: "FILE|history",
        doc: "Plan for the demand in a CSV file, or for what burntop saw running.",
        words: Words::First(|_| vec!["history".to_owned()]),
        build: |_, rest, _| {
            let from = match rest {
                "" => return Err("which demand? a CSV file, or `history`".into()),
                "history" => DemandFrom::History,
                path => DemandFrom::File(path.to_owned()),
            };
            Ok(Command::own(move |app| app.read_demand(from.clone())))
        },
    },
    CommandSpec {
        name: "load",
        aliases: &[],
        usage: "NAME",
        doc: "Open a saved scenario in place of the one on screen.",
        words: Words::Rest(saved),
        build: |_, rest, app| match rest {
            "" => Err("which scenario? `w` on the What-if tab keeps one".into()),
            name if app.tabs.whatif.saved().iter().any(|s| s == name) => {
                let name = name.to_owned();
                Ok(Command::own(move |app| app.load_scenario(name.clone())))
            }
            name => {
                let names = app.tabs.whatif.saved().iter().map(String::as_str);
                Err(unknown("scenario", name, names))
            }
        },
    },
    CommandSpec {
        name: "rename",
        aliases: &[],
        usage: "NAME",
        doc: "Give the scenario on screen another name.",
        words: Words::None,
        build: |_, rest, _| match rest {
            "" => Err("which name?".into()),
            name => {
                let name = name.to_owned();
                Ok(Command::may_fail(move |app| app.rename_scenario(&name)))
            }
        },
    },
    CommandSpec {
        name: "note",
        aliases: &[],
        usage: "TEXT",
        doc: "Write a note to the scenario on screen.",
        words: Words::None,
        build: |_, rest, _| {
            let text = rest.to_owned();
            Ok(Command::own(move |app| {
                app.note_scenario(&text);
                Vec::new()
            }))
        },
    },
    CommandSpec::plain(
        "use-calculator",
        "Put the calculator that was filled last into the scenario on the What-if tab.",
        simple!(Command::may_fail(App::use_calculator)),
    ),
    CommandSpec::plain(
        "memo",
        "Write the plan on screen down for whoever decides.",
        simple!(Command::own(|app| {
            let effects = app.go_to_whatif(None);
            app.open_export();
            effects
        })),
    ),
];

/// Names of the scenarios that are kept.
fn saved(app: &App) -> Vec<String> {
    app.tabs.whatif.saved().to_vec()
}

/// Names of the families of the scenario on screen, and what stands for all of them.
fn families(app: &App) -> Vec<String> {
    let scenario = app.tabs.whatif.scenario();
    let names = scenario.into_iter().flat_map(|of| of.families.iter().map(|f| f.name.clone()));
    names.chain([ALL_FAMILIES.to_owned()]).collect()
}
