//! Uploads that were begun and never completed: their parts are billed and no list of objects shows
//! them.

use super::{BucketCase, known};
use crate::domain::storage::{Effort, FindingKind, FindingReason, Risk, StorageFinding, Tier};

pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let facts = case.row.facts.as_ref()?;
    let uploads = known(facts.uploads.as_ref()?)?;
    if uploads.older_than_7_days == 0 {
        return None;
    }
    let aborts = |days: &i64| *days <= 7;
    let aborted = case.lifecycle().flatten().is_some_and(|l| {
        let whole = |r: &&crate::domain::storage::LifecycleRule| {
            r.enabled && r.filter.prefix.as_deref().unwrap_or_default().is_empty()
        };
        l.rules.iter().filter(whole).any(|r| r.abort_uploads_days.as_ref().is_some_and(aborts))
    });
    if aborted {
        return None;
    }
    // The parts are billed by the class the upload named; most name none, which is Standard.
    let usd = uploads.bytes.and_then(|bytes| case.usd_of([(Tier::Standard, bytes)]));
    let reason = FindingReason::IncompleteUploads {
        uploads: uploads.older_than_7_days,
        bytes: uploads.bytes,
        is_partial: uploads.partial,
    };
    Some(
        case.finding(FindingKind::IncompleteUploads, Effort::Low, Risk::Low)
            .bytes(uploads.bytes)
            .usd(usd)
            .because(reason),
    )
}
