//! Commands of the lists of what could be saved.

use super::lists::SavingsList;
use crate::app::command::{Command, CommandSpec, simple};

/// Goes to a list.
fn list(list: SavingsList) -> Command {
    Command::own(move |app| {
        app.go_to_savings(list);
        Vec::new()
    })
}

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        aliases: &["reservations"],
        ..CommandSpec::plain(
            "commitments",
            "Reserved Instances, Savings Plans and reserved capacity, and what of them is unused.",
            simple!(list(SavingsList::Commitments)),
        )
    },
    CommandSpec {
        aliases: &["proposals"],
        ..CommandSpec::plain(
            "rightsize",
            "Instances that could be smaller, net of commitments.",
            simple!(list(SavingsList::Proposals)),
        )
    },
    CommandSpec::plain(
        "guide",
        "Which instance a model needs, by its size, context, latency and budget.",
        simple!(Command::own(|app| {
            app.open_guide();
            Vec::new()
        })),
    ),
    CommandSpec::plain(
        "spot",
        "What could run on Spot, and what that is worth.",
        simple!(list(SavingsList::Spot)),
    ),
    CommandSpec::plain(
        "resources",
        "What else idles: notebooks, endpoints, apps, addresses, gateways, balancers.",
        simple!(list(SavingsList::Resources)),
    ),
    CommandSpec::plain(
        "models",
        "What batching, quantisation and the like could save on models: potential.",
        simple!(list(SavingsList::Models)),
    ),
];
