//! Commands of the Teams tab.

use super::lists::TeamsList;
use crate::app::command::{Command, CommandSpec, Words, unknown};
use crate::tabs::teams::state::{DIMENSIONS, dimension_of};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "teams",
    aliases: &[],
    usage: "[{}]",
    doc: "Whose the dollars are, by team or another tag; resources without tags; budgets, unit costs, quotas.",
    words: Words::Each(|_| words()),
    build: |words, _, _| {
        let word = match words {
            [] => TeamsList::Teams.spec().word,
            [word] => word,
            [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
        };
        let list = TeamsList::ALL.into_iter().find(|list| list.spec().word == word);
        let by = dimension_of(word);
        if list.is_none() && by.is_none() {
            return Err(unknown("list", word, self::words().iter().map(String::as_str)));
        }
        Ok(Command::own(move |app| {
            match (list, by) {
                (Some(list), _) => app.go_to_teams(list),
                (None, Some(by)) => app.go_to_teams_by(by),
                (None, None) => {}
            }
            Vec::new()
        }))
    },
}];

/// The lists by name, then what dollars are allocated by.
fn words() -> Vec<String> {
    let lists = TeamsList::ALL.into_iter().map(|list| list.spec().word);
    lists.chain(DIMENSIONS).map(str::to_owned).collect()
}
