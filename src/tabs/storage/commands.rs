//! Commands of the Storage tab.

use super::state::StorageLook;
use crate::app::command::{Command, CommandSpec, Words, unknown};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "storage",
    aliases: &["s3"],
    usage: "[buckets|explore|findings|ebs|runs|copies]",
    doc: "Buckets, prefix by prefix, findings, volumes and snapshots, runs, copies.",
    words: Words::Each(|_| StorageLook::ALL.map(|look| look.name().to_owned()).to_vec()),
    build: |words, _, _| {
        let look = match words {
            [] => StorageLook::Buckets,
            [name] => StorageLook::from_name(name)
                .ok_or_else(|| unknown("list", name, StorageLook::ALL.map(StorageLook::name)))?,
            [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
        };
        Ok(Command::own(move |app| {
            app.go_to_storage(look);
            Vec::new()
        }))
    },
}];
