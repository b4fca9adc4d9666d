//! Storage: a spend of its own, that nothing before it changes.

use std::collections::HashMap;
use std::sync::Arc;

use super::Done;
use super::bill::Bill;
use crate::analyze::savings::SavingsInput;
use crate::domain::storage::{FindingKind, StorageFinding};
use crate::domain::{HOURS_PER_MONTH, ResourceKind, SourceId, VerdictKind};
use crate::fleet::savings::{BillPart, ResourceRow, StepNote};
use crate::fleet::storage::{VolumeRow, VolumeUse};

/// The parts of storage that were not read.
pub(super) fn unread(input: &SavingsInput<'_>) -> Vec<BillPart> {
    let sources = [(SourceId::S3, BillPart::Buckets), (SourceId::Ebs, BillPart::Volumes)];
    let is_read = |source| input.storage.is_some_and(|s| s.was_read(source).is_some());
    sources.into_iter().filter(|(source, _)| !is_read(*source)).map(|(_, part)| part).collect()
}

/// Takes what the findings save, one about the same bytes only: what each bucket, volume and
/// snapshot can save is worked out with the rows. A volume of a stopped instance goes only where the
/// instance itself is judged idle: not one that was stopped for the night, nor an exempt one.
pub(super) fn take(
    bill: &mut Bill<'_>,
    input: &SavingsInput<'_>,
    resources: &[Arc<ResourceRow>],
) -> Done {
    let mut done = Done::default();
    let unread = unread(input);
    done.notes.extend(match unread[..] {
        [] => None,
        [BillPart::Buckets] => Some(StepNote::WithoutBuckets),
        [BillPart::Volumes] => Some(StepNote::WithoutVolumes),
        _ => Some(StepNote::WithoutStorage),
    });
    let Some(storage) = input.storage else {
        // All of it is one thing of which nothing is known.
        done.unknown = 1;
        return done;
    };
    let mut saves = 0.0;
    for row in &storage.buckets {
        saves += add(row.savings, row.findings.iter(), &mut done);
    }
    let stopped = Stopped::of(resources);
    let (mut kept, mut untold) = (0, 0);
    for row in &storage.volumes {
        let goes = stopped.goes(row);
        kept += u32::from(goes == Some(false));
        untold += u32::from(goes.is_none());
        saves += if goes == Some(true) {
            add(row.savings, row.findings.iter(), &mut done)
        } else {
            // What else is found of it, such as gp2, holds all the same.
            let others = row.findings.iter().filter(|f| !is_of_stopped(f));
            let most = others.clone().filter_map(|f| f.usd_per_month).max_by(f64::total_cmp);
            let costs = row.usd_per_month.unwrap_or(f64::INFINITY);
            add(most.map(|usd| usd.min(costs)), others, &mut done)
        };
    }
    for row in &storage.snapshots {
        saves += add(row.savings, row.findings.iter(), &mut done);
    }
    if done.unknown > 0 {
        done.notes.push(StepNote::UnpricedFindings(done.unknown));
    }
    if kept > 0 {
        done.notes.push(StepNote::VolumesOfNotIdle(kept));
    }
    if untold > 0 {
        done.notes.push(StepNote::VolumesOfUnknown(untold));
        done.unknown += untold;
    }
    // What was not read may save something.
    done.unknown += unread.len() as u32;
    bill.storage = (bill.storage - saves / HOURS_PER_MONTH).max(0.0);
    done
}

/// Adds one row; what it saves, USD per month.
fn add<'a>(
    savings: Option<f64>,
    findings: impl Iterator<Item = &'a Arc<StorageFinding>> + Clone,
    done: &mut Done,
) -> f64 {
    for finding in findings.clone() {
        match finding.usd_per_month {
            Some(usd) => done.gross_alone += usd.max(0.0) / HOURS_PER_MONTH,
            None => done.unknown += 1,
        }
    }
    let Some(usd) = savings.filter(|usd| *usd > 0.0) else { return 0.0 };
    done.items += 1;
    if let Some(main) = findings.max_by(|a, b| by_money(a, b)) {
        done.levels.add(main.effort, main.risk, usd);
    }
    usd
}

fn is_of_stopped(finding: &StorageFinding) -> bool {
    finding.kind == FindingKind::StoppedInstanceVolume
}

/// The verdicts on stopped instances, by id.
struct Stopped<'a>(HashMap<&'a str, VerdictKind>);

impl<'a> Stopped<'a> {
    fn of(resources: &'a [Arc<ResourceRow>]) -> Self {
        let stopped = resources.iter().filter(|r| r.resource.kind == ResourceKind::StoppedInstance);
        Self(stopped.filter_map(|r| Some((&*r.resource.id, r.verdict.as_ref()?.kind))).collect())
    }

    /// Whether what is found of a volume holds as a whole; `None` where nobody knows whether the
    /// instances that have it are idle. Storage may have left the finding out for the same reasons:
    /// the volume is counted among what stays all the same.
    fn goes(&self, volume: &VolumeRow) -> Option<bool> {
        let is_found = volume.findings.iter().any(|f| is_of_stopped(f));
        if volume.used != VolumeUse::Stopped && !is_found {
            return Some(true);
        }
        // A volume of several is counted with one of them; the others may have no row.
        let mut kinds =
            volume.holders.iter().filter_map(|h| self.0.get(&*h.id)).copied().peekable();
        kinds.peek()?;
        let mut goes = Some(true);
        for kind in kinds {
            match kind {
                VerdictKind::Idle => {}
                VerdictKind::Unknown => goes = goes.filter(|goes| !goes),
                _ => goes = Some(false),
            }
        }
        goes
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

    /// Volumes and snapshots of an instance, USD/h.
    pub fn of_instance(&self, id: &str) -> f64 {
        self.0.get(id).copied().unwrap_or(0.0)
    }
}
