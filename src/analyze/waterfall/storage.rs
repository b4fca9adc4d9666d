//! Storage: a spend of its own, that nothing before it changes.

use std::collections::HashMap;
use std::sync::Arc;

use super::bill::Bill;
use super::{Done, counted};
use crate::analyze::savings::SavingsInput;
use crate::domain::storage::StorageFinding;
use crate::domain::{HOURS_PER_MONTH, SourceId};

/// Takes what the findings save, one about the same bytes only: what each bucket, volume and
/// snapshot can save is worked out with the rows.
pub(super) fn take(bill: &mut Bill<'_>, input: &SavingsInput<'_>) -> Done {
    let mut done = Done::default();
    let Some(storage) = input.storage else {
        done.notes.push("Storage was not read.".to_owned());
        // All of it is one thing of which nothing is known.
        done.unknown = 1;
        return done;
    };
    if !storage.readings.iter().any(|r| r.source == SourceId::S3) {
        done.notes.push("Of storage volumes and snapshots alone were read, no buckets.".to_owned());
    }
    let rows = (storage.buckets.iter().map(|r| (r.savings, &r.findings)))
        .chain(storage.volumes.iter().map(|r| (r.savings, &r.findings)))
        .chain(storage.snapshots.iter().map(|r| (r.savings, &r.findings)));
    let mut saves = 0.0;
    for (savings, findings) in rows {
        add_naive(findings, &mut done);
        let Some(usd) = savings.filter(|usd| *usd > 0.0) else { continue };
        saves += usd;
        done.items += 1;
        if let Some(main) = findings.iter().max_by(|a, b| by_money(a, b)) {
            done.levels.add(main.effort, main.risk, usd);
        }
    }
    if done.unknown > 0 {
        let what = counted(done.unknown, "finding has", "findings have");
        done.notes.push(format!("{what} no price and are not in it."));
    }
    bill.storage = (bill.storage - saves / HOURS_PER_MONTH).max(0.0);
    done
}

fn add_naive(findings: &[Arc<StorageFinding>], done: &mut Done) {
    for finding in findings {
        match finding.usd_per_month {
            Some(usd) => done.gross_alone += usd.max(0.0) / HOURS_PER_MONTH,
            None => done.unknown += 1,
        }
    }
}

fn by_money(a: &StorageFinding, b: &StorageFinding) -> std::cmp::Ordering {
    a.usd_per_month.unwrap_or(0.0).total_cmp(&b.usd_per_month.unwrap_or(0.0))
}

/// What storage lists of the volumes of instances, USD/h by instance id.
#[derive(Debug, Default)]
pub(super) struct Listed<'a>(HashMap<&'a str, f64>);

impl<'a> Listed<'a> {
    pub fn of(input: &SavingsInput<'a>) -> Self {
        let mut by_holder: HashMap<&str, f64> = HashMap::new();
        for volume in input.storage.iter().flat_map(|s| &s.volumes) {
            let usd = volume.usd_per_month.unwrap_or(0.0) / HOURS_PER_MONTH;
            for holder in &volume.holders {
                *by_holder.entry(&*holder.id).or_default() += usd;
            }
        }
        Self(by_holder)
    }

    /// Of an instance, USD/h.
    pub fn of_instance(&self, id: &str) -> f64 {
        self.0.get(id).copied().unwrap_or(0.0)
    }
}
