//! Two configurations, rule by rule.

use super::print;
use crate::domain::storage::{Lifecycle, LifecycleRule};
use crate::domain::text::clean;

/// Difference of a rule between two configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Unchanged.
    Kept,
    /// Only in the new configuration.
    Added,
    /// Only in the old configuration.
    Removed,
    /// In both by its id, with different content.
    Replaced,
}

/// A rule of either configuration, with its difference.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleChange {
    /// Kind of difference.
    pub change: Change,
    /// Id of the rule, clean text; `#3` for the third rule where it has none.
    pub id: String,
    /// The rule in the old configuration; `None` where it is added.
    pub before: Option<LifecycleRule>,
    /// The rule in the new configuration; `None` where it is removed.
    pub after: Option<LifecycleRule>,
}

/// Kind of a line in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Heading with the rule's id and its difference.
    Head,
    /// Unchanged text.
    Same,
    /// Added text.
    Added,
    /// Removed text.
    Removed,
}

impl LineKind {
    /// Sign in the first column: `@`, space, `+` or `-`.
    pub fn sign(self) -> char {
        match self {
            Self::Head => '@',
            Self::Same => ' ',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// Kind of line.
    pub kind: LineKind,
    /// Text without the sign; clean.
    pub text: String,
}

/// Rule by rule, in the order of `after`, what goes at the end. Rules are told apart by their id,
/// those without one by their content.
pub(super) fn rules(before: &Lifecycle, after: &Lifecycle) -> Vec<RuleChange> {
    let mut left: Vec<Option<&LifecycleRule>> = before.rules.iter().map(Some).collect();
    let mut out = Vec::new();
    for (i, rule) in after.rules.iter().enumerate() {
        let same = left.iter().position(|o| o.is_some_and(|o| o == rule));
        let partner = same.or_else(|| {
            let is_named = |o: &LifecycleRule| !rule.id.is_empty() && o.id == rule.id;
            left.iter().position(|o| o.is_some_and(is_named))
        });
        let old = partner.and_then(|at| left[at].take());
        let change = match (old, same) {
            (None, _) => Change::Added,
            (Some(_), Some(_)) => Change::Kept,
            (Some(_), None) => Change::Replaced,
        };
        out.push(RuleChange {
            change,
            id: name(rule, i),
            before: old.cloned(),
            after: Some(rule.clone()),
        });
    }
    for (i, rule) in left.iter().enumerate() {
        if let Some(rule) = rule {
            out.push(RuleChange {
                change: Change::Removed,
                id: name(rule, i),
                before: Some((*rule).clone()),
                after: None,
            });
        }
    }
    out
}

/// The diff of two configurations as lines. Unchanged rules take one line each; the others show their JSON.
pub fn lines(before: &Lifecycle, after: &Lifecycle) -> Vec<DiffLine> {
    let line = |kind, text: String| DiffLine { kind, text };
    let mut out = Vec::new();
    if before.minimum_size != after.minimum_size {
        let word = |l: &Lifecycle| l.minimum_size.map_or("not set", |m| m.api());
        out.push(line(LineKind::Head, "minimum size of objects that move".to_owned()));
        out.push(line(LineKind::Removed, word(before).to_owned()));
        out.push(line(LineKind::Added, word(after).to_owned()));
    }
    for change in rules(before, after) {
        let word = match change.change {
            Change::Kept => "stays",
            Change::Added => "new",
            Change::Removed => "goes",
            Change::Replaced => "changes",
        };
        out.push(line(LineKind::Head, format!("{} {word}", change.id)));
        let old = change.before.as_ref().map(json_lines).unwrap_or_default();
        let new = change.after.as_ref().map(json_lines).unwrap_or_default();
        match (change.change, &change.after) {
            (Change::Kept, Some(rule)) => out.push(line(LineKind::Same, print::summary(rule))),
            _ => out.extend(compare(&old, &new)),
        }
    }
    out
}

fn name(rule: &LifecycleRule, index: usize) -> String {
    if rule.id.is_empty() { format!("#{}", index + 1) } else { clean(&rule.id).into_owned() }
}

fn json_lines(rule: &LifecycleRule) -> Vec<String> {
    let text = format!("{:#}", print::rule_json(rule));
    text.lines().map(|l| clean(l).into_owned()).collect()
}

/// The shortest edit of one rule into another, by the longest common subsequence of their lines; a
/// rule has some dozen of them. Very long ones (thousands of transitions) are shown whole.
fn compare(old: &[String], new: &[String]) -> Vec<DiffLine> {
    const MOST: usize = 400;
    let line = |kind, text: &String| DiffLine { kind, text: text.clone() };
    if old.len() > MOST || new.len() > MOST || old.is_empty() || new.is_empty() {
        let gone = old.iter().map(|t| line(LineKind::Removed, t));
        return gone.chain(new.iter().map(|t| line(LineKind::Added, t))).collect();
    }
    let (n, m) = (old.len(), new.len());
    let mut longest = vec![vec![0u16; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[i][j] = if old[i] == new[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < n || j < m {
        if i < n && j < m && old[i] == new[j] {
            out.push(line(LineKind::Same, &old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j >= m || (i < n && longest[i + 1][j] >= longest[i][j + 1]) {
            out.push(line(LineKind::Removed, &old[i]));
            i += 1;
        } else {
            out.push(line(LineKind::Added, &new[j]));
            j += 1;
        }
    }
    out
}
