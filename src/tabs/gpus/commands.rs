//! Commands of the GPUs tab.

use super::picture::GpuGrouping;
use super::state::GpuLook;
use crate::app::command::{Command, CommandSpec, Words, simple, unknown};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec::plain(
        "gpus",
        "Every GPU, what it does and what it costs.",
        simple!(Command::own(|app| {
            app.go_to_gpus(GpuLook::Table);
            Vec::new()
        })),
    ),
    CommandSpec::plain(
        "heat",
        "The GPUs as a heat map, a cell per GPU.",
        simple!(Command::own(|app| {
            app.go_to_gpus(GpuLook::Heat);
            Vec::new()
        })),
    ),
    CommandSpec {
        name: "group",
        aliases: &[],
        usage: "node|team|owner|job|model|state|flat",
        doc: "Group the GPUs.",
        words: Words::Each(|_| GpuGrouping::ALL.map(|by| by.name().to_owned()).to_vec()),
        build: |words, _, _| match words {
            [name] => {
                let names = GpuGrouping::ALL.map(GpuGrouping::name);
                let by =
                    GpuGrouping::from_name(name).ok_or_else(|| unknown("group", name, names))?;
                Ok(Command::own(move |app| {
                    app.go_to_gpus(GpuLook::Table);
                    app.group_gpus(by);
                    Vec::new()
                }))
            }
            _ => Err("group by what? node, team, owner, job, model, state or flat".into()),
        },
    },
];
