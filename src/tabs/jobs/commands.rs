//! Commands of the Jobs tab.

use super::lists::JobsList;
use super::picture::sum_keys;
use crate::app::command::{Command, CommandSpec, Words, unknown};

/// Words that name a list, then those that name a key of sums.
fn words() -> impl Iterator<Item = &'static str> {
    JobsList::ALL.into_iter().map(|list| list.spec().word).chain(sum_keys().map(|(word, _)| word))
}

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "jobs",
    aliases: &[],
    usage: "[{}]",
    doc: "What runs cost: attempts, nodes, repeats, replays, zombies, scaling, or sums by a key.",
    words: Words::Each(|_| words().map(str::to_owned).collect()),
    build: |given, _, _| {
        let word = match given {
            [] => JobsList::Attempts.spec().word,
            [word] => word,
            [_, extra, ..] => return Err(format!("`{extra}` is one word too many")),
        };
        if let Some((_, key)) = sum_keys().find(|(name, _)| *name == word) {
            return Ok(Command::own(move |app| {
                app.add_jobs_up_by(key);
                Vec::new()
            }));
        }
        let list = JobsList::ALL.into_iter().find(|list| list.spec().word == word);
        let list = list.ok_or_else(|| unknown("list", word, words()))?;
        Ok(Command::own(move |app| {
            app.go_to_jobs(list);
            Vec::new()
        }))
    },
}];
