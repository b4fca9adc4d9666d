//! Commands of the lists of what could be saved.

use super::state::SavingsLook;
use crate::app::command::{Command, CommandSpec, simple};

/// Goes to a list.
fn list(look: SavingsLook) -> Command {
    Command::own(move |app| {
        app.go_to_savings(look);
        Vec::new()
    })
}

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        aliases: &["reservations"],
        ..CommandSpec::plain(
            "commitments",
            "Reserved Instances, Savings Plans and reserved capacity, and what of them is unused.",
            simple!(list(SavingsLook::Commitments)),
        )
    },
    CommandSpec {
        aliases: &["proposals"],
        ..CommandSpec::plain(
            "rightsize",
            "Instances that could be smaller, net of commitments.",
            simple!(list(SavingsLook::Proposals)),
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
        simple!(list(SavingsLook::Spot)),
    ),
    CommandSpec::plain(
        "resources",
        "What else idles: notebooks, endpoints, apps, addresses, gateways, balancers.",
        simple!(list(SavingsLook::Resources)),
    ),
];
