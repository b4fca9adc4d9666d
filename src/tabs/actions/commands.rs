//! The command of the list of actions.

use crate::app::command::{Command, CommandSpec, simple};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    aliases: &["audit"],
    ..CommandSpec::plain(
        "actions",
        "What burntop did, from the audit log, and the way back.",
        simple!(Command::own(|app| {
            app.go_to_actions();
            Vec::new()
        })),
    )
}];
