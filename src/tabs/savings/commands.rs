//! Commands of the lists of what could be saved.

use super::lists::SavingsList;
use crate::app::command::{Command, CommandSpec, Words, simple};

/// Goes to a list.
fn list(list: SavingsList) -> Command {
    Command::own(move |app| {
        app.go_to_savings(list);
        Vec::new()
    })
}

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "commitments",
        aliases: &["reservations"],
        usage: "",
        doc: "Reserved Instances, Savings Plans and reserved capacity, and what of them is unused.",
        words: Words::None,
        build: simple!(list(SavingsList::Commitments)),
    },
    CommandSpec {
        name: "rightsize",
        aliases: &["proposals"],
        usage: "",
        doc: "Instances that could be smaller, net of commitments.",
        words: Words::None,
        build: simple!(list(SavingsList::Proposals)),
    },
    CommandSpec {
        name: "guide",
        aliases: &[],
        usage: "",
        doc: "Which instance a model needs, by its size, context, latency and budget.",
        words: Words::None,
        build: simple!(Command::own(|app| {
            app.open_guide();
            Vec::new()
        })),
    },
    CommandSpec {
        name: "spot",
        aliases: &[],
        usage: "",
        doc: "What could run on Spot, and what that is worth.",
        words: Words::None,
        build: simple!(list(SavingsList::Spot)),
    },
    CommandSpec {
        name: "resources",
        aliases: &[],
        usage: "",
        doc: "What else idles: notebooks, endpoints, apps, addresses, gateways, balancers.",
        words: Words::None,
        build: simple!(list(SavingsList::Resources)),
    },
];
