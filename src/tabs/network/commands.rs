//! Commands of the Network tab.

use super::lists::NetworkList;
use crate::app::command::{Command, CommandSpec, Words, unknown};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "network",
    aliases: &[],
    usage: "[{}]",
    doc: "Where bytes went, by the bill: their paths, or what would avoid a part of them; or by what is read of the account.",
    words: Words::Each(|_| NetworkList::ALL.map(|list| list.spec().word.to_owned()).to_vec()),
    build: |words, _, _| {
        let word = match words {
            [] => NetworkList::Paths.spec().word,
            [word] => word,
            [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
        };
        let all = NetworkList::ALL;
        let list = all.into_iter().find(|list| list.spec().word == word);
        let list = list.ok_or_else(|| unknown("list", word, all.map(|list| list.spec().word)))?;
        Ok(Command::own(move |app| {
            app.go_to_network(list);
            Vec::new()
        }))
    },
}];
