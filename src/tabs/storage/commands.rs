//! Commands of the Storage tab.

use super::lists::StorageList;
use crate::app::command::{Command, CommandSpec, Words, unknown};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "storage",
    aliases: &["s3"],
    usage: "[{}]",
    doc: "Buckets, prefix by prefix, findings, volumes and snapshots, runs, copies.",
    words: Words::Each(|_| StorageList::ALL.map(|list| list.name().to_owned()).to_vec()),
    build: |words, _, _| {
        let mut all = StorageList::ALL.into_iter();
        let list = match words {
            [] => StorageList::Buckets,
            [name] => all
                .find(|list| list.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| unknown("list", name, StorageList::ALL.map(StorageList::name)))?,
            [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
        };
        Ok(Command::own(move |app| {
            app.go_to_storage(list);
            Vec::new()
        }))
    },
}];
