//! The table itself, and the order of what is found.

use std::collections::BTreeSet;

use super::super::table::TABLE;
use super::{SHRINK, TERMINATE, passes, verbs};
use crate::act::plan::fixture::{error, passing};
use crate::act::plan::{Guard, Severity, Verb};

#[test]
fn every_guard_has_its_row_in_the_order_of_all() {
    let rows: Vec<Guard> = TABLE.iter().map(|r| r.guard).collect();
    let all: Vec<Guard> = Guard::ALL.iter().map(|g| g.0).collect();
    assert_eq!(rows, all);
    let words: BTreeSet<&str> = verbs().iter().map(Verb::word).collect();
    for row in TABLE {
        assert!(!row.verbs.is_empty());
        assert!(row.verbs.iter().all(|w| words.contains(w)), "{:?}", row.guard);
    }
}

#[test]
fn what_ends_work_is_asked_everything_that_fits_it() {
    let asked = |verb: &Verb| TABLE.iter().filter(|r| r.verbs.contains(&verb.word())).count();
    // A stop needs no launch recipe; a termination does not ask whether it can be stopped.
    assert_eq!(asked(&Verb::Stop), Guard::ALL.len() - 1);
    assert_eq!(asked(&TERMINATE), Guard::ALL.len() - 1);
}

#[test]
fn the_good_row_passes_every_verb() {
    for verb in verbs() {
        let row = passes(&verb, |_| {});
        let expected =
            if matches!(verb, Verb::Terminate { .. }) { Severity::Warn } else { Severity::Note };
        // A termination deletes the root volume, and says so.
        let worst = row.findings.iter().map(|f| f.severity).max().unwrap_or(Severity::Note);
        assert_eq!(worst, expected, "{verb:?}");
        assert_eq!(&*row.az, "us-east-1a");
        assert!(!row.production);
    }
}

#[test]
fn the_worst_comes_first_and_the_order_of_the_guards_stays() {
    let mut fixture = passing(SHRINK);
    fixture.tags(&[("aws:cloudformation:stack-name", "s"), ("burntop:exempt", "true")]);
    fixture.inspection.stop_protection = Ok(true);
    fixture.permitted = error("ec2:TerminateInstances");
    let row = fixture.check();
    let seen: Vec<(Severity, Guard)> = row.findings.iter().map(|f| (f.severity, f.guard)).collect();
    assert_eq!(
        seen,
        [
            (Severity::Block, Guard::Exempt),
            (Severity::Block, Guard::StopProtection),
            (Severity::Block, Guard::Permission),
            (Severity::Warn, Guard::Owner),
            (Severity::Warn, Guard::Volumes),
            (Severity::Note, Guard::Saving),
            (Severity::Note, Guard::Undo),
            (Severity::Note, Guard::Recheck),
        ]
    );
    assert_eq!(row.reason().unwrap().guard, Guard::Exempt);
}

#[test]
fn the_documentation_explains_every_guard() {
    let docs = include_str!("../../../../../docs/acting.md");
    for (_, name, _) in Guard::ALL {
        let rows = docs.lines().filter(|l| l.starts_with(&format!("| `{name}` |"))).count();
        assert_eq!(rows, 1, "docs/acting.md has {rows} rows for {name}");
    }
}
