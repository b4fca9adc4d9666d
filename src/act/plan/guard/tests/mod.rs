//! Every guard: what passes, what warns, what blocks.

mod facts;
mod money;
mod property;
mod rows;
mod table;
mod trust;

use crate::act::plan::fixture::{GuardFixture, passing};
use crate::act::plan::{CheckedRow, Guard, Severity, Verb};

pub(super) const TERMINATE: Verb = Verb::Terminate { decrement: false };
pub(super) const SHRINK: Verb = Verb::Terminate { decrement: true };

pub(super) fn mark() -> Verb {
    let expires = "2026-07-05T00:00:00Z".parse().unwrap();
    Verb::Mark { expires, reason: "idle".into() }
}

pub(super) fn verbs() -> [Verb; 7] {
    [Verb::Stop, TERMINATE, SHRINK, Verb::Start, mark(), Verb::Remind, Verb::Unmark]
}

/// Something done to a good fixture, with its name.
pub(super) type Spoil<T> = (&'static str, fn(&mut T));

/// What a guard says of a fixture that `spoil` changed.
pub(super) fn says(
    verb: &Verb,
    guard: Guard,
    spoil: impl FnOnce(&mut GuardFixture),
) -> Vec<(Severity, String)> {
    let mut fixture = passing(verb.clone());
    spoil(&mut fixture);
    of(&fixture.check(), guard)
}

pub(super) fn of(row: &CheckedRow, guard: Guard) -> Vec<(Severity, String)> {
    let of_guard = row.findings.iter().filter(|f| f.guard == guard);
    of_guard.map(|f| (f.severity, f.text.clone())).collect()
}

/// The guards that block, without repeats.
pub(super) fn blocking(row: &CheckedRow) -> Vec<Guard> {
    let mut out: Vec<Guard> =
        row.findings.iter().filter(|f| f.severity == Severity::Block).map(|f| f.guard).collect();
    out.dedup();
    out
}

/// Asserts that a change makes exactly this guard block, and no other.
pub(super) fn blocks(verb: &Verb, guard: Guard, spoil: impl FnOnce(&mut GuardFixture)) -> String {
    let mut fixture = passing(verb.clone());
    spoil(&mut fixture);
    let row = fixture.check();
    assert_eq!(blocking(&row), [guard], "{verb:?}: {:#?}", row.findings);
    row.reason().unwrap().text.clone()
}

/// Asserts that a change makes no guard block.
pub(super) fn passes(verb: &Verb, spoil: impl FnOnce(&mut GuardFixture)) -> CheckedRow {
    let mut fixture = passing(verb.clone());
    spoil(&mut fixture);
    let row = fixture.check();
    assert!(!row.is_blocked(), "{verb:?}: {:#?}", row.findings);
    row
}
