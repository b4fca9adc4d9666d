//! A run of the audit log as a row of the list.

use std::sync::Arc;

use jiff::Timestamp;

use crate::view::format;

/// Most names that the list writes out; the others are counted.
const NAMES: usize = 3;

/// What the newest part of the audit log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionsPicture {
    /// Runs, newest first.
    pub rows: Arc<[Arc<ActionRow>]>,
    /// Lines of the log that were changed, cannot be read or are missing; what they said is in no row.
    pub damaged: usize,
    /// Bytes of older lines that were not read.
    pub left_out: u64,
    /// Path of the log.
    pub file: String,
}

/// Numbers of instances, volumes and buckets of a run, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActionCounts {
    /// All of them.
    pub rows: usize,
    /// Seen in the state that was wanted.
    pub done: usize,
    /// Not touched: a guard said no.
    pub refused: usize,
    /// Called for, and nothing changed.
    pub failed: usize,
    /// Called for, and not seen to have happened.
    pub unknown: usize,
    /// With an intent and without an outcome yet.
    pub open: usize,
}

impl ActionCounts {
    /// The results in a few words: `2 done, 1 refused`; `nothing` where there are none.
    pub fn words(&self) -> String {
        let all = [
            (self.done, "done"),
            (self.refused, "refused"),
            (self.failed, "failed"),
            (self.unknown, "unknown"),
            (self.open, "open"),
        ];
        let some = all.iter().filter(|(count, _)| *count > 0);
        let some: Vec<String> =
            some.map(|(n, word)| format!("{} {word}", format::grouped(*n as f64, 0))).collect();
        if some.is_empty() { "nothing".to_owned() } else { some.join(", ") }
    }
}

/// A run: what was done, when, by whom, with what result, and the way back. All text is clean.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRow {
    /// Id of the run.
    pub id: Arc<str>,
    /// When its first line was written.
    pub at: Timestamp,
    /// Name of the action; empty where no intent was written.
    pub what: String,
    /// Numbers by result.
    pub counts: ActionCounts,
    /// ARNs of the callers, with commas; empty where no intent was written.
    pub by: String,
    /// User and host that it was started from; empty where not known.
    pub from: String,
    /// What carried it out: `live`, `dry-run`, `demo`; empty where not known.
    pub executor: String,
    /// On whose word it ran; empty where not known.
    pub authority: String,
    /// Justification, as typed; empty without one.
    pub why: String,
    /// First digits of the hash of its plan; empty where not known.
    pub plan: String,
    /// What was acted on.
    pub targets: Vec<ActionTarget>,
    /// Commands that take back what was or may have been done, in order; empty where there is nothing.
    pub back: Vec<String>,
    /// Numbers of its lines in the audit log.
    pub lines: Vec<u64>,
}

/// An instance, a volume or a bucket of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionTarget {
    /// Its id.
    pub id: Arc<str>,
    /// Its name; empty where it has none, or none is known.
    pub name: String,
    /// Account and region.
    pub scope: String,
    /// Result in a word; `open` without an outcome.
    pub result: &'static str,
    /// What was seen, or why nothing was done; empty without an outcome.
    pub text: String,
    /// Volumes that were or may have been deleted with it, and where their data are, a text each.
    pub lost: Vec<String>,
}

impl ActionTarget {
    /// Its name, else its id.
    fn word(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }
}

impl ActionRow {
    /// Names of what was acted on: three at most, the others counted.
    pub fn which(&self) -> String {
        let words: Vec<&str> = self.targets.iter().take(NAMES).map(ActionTarget::word).collect();
        let more = self.targets.len().saturating_sub(NAMES);
        let names = words.join(", ");
        match more {
            0 => names,
            more => format!("{names} and {} more", format::grouped(more as f64, 0)),
        }
    }

    /// The callers without the account and the kind of their ARNs: `oncall/mia`.
    pub fn who(&self) -> String {
        let short = |arn: &str| {
            let name = arn.rsplit(':').next().unwrap_or(arn);
            let kinds = ["assumed-role/", "user/", "federated-user/"];
            kinds.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name).to_owned()
        };
        let mut all: Vec<String> = self.by.split(", ").map(short).collect();
        all.dedup();
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(by: &str, names: &[&str]) -> ActionRow {
        let target = |name: &&str| ActionTarget {
            id: "i-1".into(),
            name: (*name).to_owned(),
            scope: String::new(),
            result: "done",
            text: String::new(),
            lost: Vec::new(),
        };
        ActionRow {
            id: "r".into(),
            at: Timestamp::UNIX_EPOCH,
            what: "stop".into(),
            counts: ActionCounts::default(),
            by: by.into(),
            from: String::new(),
            executor: String::new(),
            authority: String::new(),
            why: String::new(),
            plan: String::new(),
            targets: names.iter().map(target).collect(),
            back: Vec::new(),
            lines: Vec::new(),
        }
    }

    #[test]
    fn results_are_counted_in_words_and_none_is_said_to_be_none() {
        let counts = ActionCounts { rows: 4, done: 2, open: 1, refused: 1, ..Default::default() };
        assert_eq!(counts.words(), "2 done, 1 refused, 1 open");
        assert_eq!(ActionCounts::default().words(), "nothing");
    }

    #[test]
    fn callers_are_named_without_their_accounts() {
        let role = "arn:aws:sts::123456789012:assumed-role/oncall/mia";
        assert_eq!(row(role, &[]).who(), "oncall/mia");
        let two = "arn:aws:iam::123456789012:user/x, arn:aws:iam::210987654321:user/x";
        assert_eq!(row(two, &[]).who(), "x");
        assert_eq!(row("", &[]).who(), "");
    }

    #[test]
    fn three_are_named_and_the_others_counted() {
        assert_eq!(row("", &["a", ""]).which(), "a, i-1");
        assert_eq!(row("", &["a", "b", "c", "d", "e"]).which(), "a, b, c and 2 more");
    }
}
