//! The costliest findings, of all kinds that cost, in one list by USD/h.
//!
//! No dollar is in two of them: GPUs count here only on instances whose waste does not hold them, volumes of
//! stopped instances count with the instance, and of a bucket, volume or snapshot counts what its findings
//! can save together.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::Overview;
use super::gpus::{WASTEFUL, is_counted};
use crate::domain::storage::{FindingKind, StorageFinding, Subject};
use crate::domain::text::clean;
use crate::domain::{GpuState, HOURS_PER_MONTH};
use crate::fleet::savings::{CommitmentRow, PathKind, PathRow, ResourceRow};
use crate::fleet::{GpuFleet, GpuRow, Row, Savings, StorageFleet};
use crate::tabs::gpus::picture::RollUp;
use crate::tabs::idle::picture::Field;
use crate::tabs::savings::picture::is_idle;
use crate::view::{TableField, ViewContext, format};

/// Findings that the Overview lists where no other number is asked for.
pub const FINDINGS: usize = 5;

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingOf {
    /// An idle or partly idle instance, by id.
    Instance(Arc<str>),
    /// GPUs that burn for nothing on an instance in use, by its id.
    Gpus(Arc<str>),
    /// GPUs that burn for nothing on a host without a known instance, by its name.
    HostGpus(Arc<str>),
    /// A resource that idles and is no instance, by id.
    Resource(Arc<str>),
    /// A commitment that nothing uses in part, by id.
    Commitment(Arc<str>),
    /// A path of the network of which a part need not be: a NAT gateway by id, a bucket by name.
    Network(Arc<str>, PathKind),
    /// A bucket, volume or snapshot.
    Storage(Subject),
}

impl FindingOf {
    /// Name of the kind in JSON and CSV.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Instance(_) => "instance",
            Self::Gpus(_) | Self::HostGpus(_) => "gpus",
            Self::Resource(_) => "resource",
            Self::Commitment(_) => "commitment",
            Self::Network(..) => "network",
            Self::Storage(_) => "storage",
        }
    }

    /// Id of what it is about; clean text.
    pub fn id(&self) -> String {
        match self {
            Self::Instance(id)
            | Self::Gpus(id)
            | Self::HostGpus(id)
            | Self::Resource(id)
            | Self::Commitment(id)
            | Self::Network(id, _) => id.to_string(),
            Self::Storage(Subject::Bucket(id) | Subject::Volume(id) | Subject::Snapshot(id)) => {
                clean(id).into_owned()
            }
            Self::Storage(Subject::Prefix(bucket, prefix)) => {
                format!("{}/{}", clean(bucket), clean(prefix))
            }
        }
    }

    /// Id of the instance that it is about, if it is about one.
    pub fn instance(&self) -> Option<&Arc<str>> {
        match self {
            Self::Instance(id) | Self::Gpus(id) => Some(id),
            _ => None,
        }
    }
}

/// What wastes money, in the list of findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is about, and where it is opened.
    pub of: FindingOf,
    /// Name; the id where it has none.
    pub name: Arc<str>,
    /// What is so, in a few words: the verdict and the type, the kind of resource.
    pub what: String,
    /// Team from the tags; `None` without the tag.
    pub team: Option<Arc<str>>,
    /// Since when, with true where it may be longer; `None` where nothing tells.
    pub since: Option<(Timestamp, bool)>,
    /// Waste, USD/h: at list or Spot price, of commitments what is paid for the unused part.
    pub usd_per_hour: f64,
    /// Dollars since then; `None` = not known.
    pub wasted_usd: Option<f64>,
    /// True when `wasted_usd` is a lower bound.
    pub wasted_at_least: bool,
}

impl Overview {
    /// Adds findings of these kinds in the place of the ones it has; the costliest stay.
    pub(super) fn add_findings(
        &mut self,
        kinds: &[&str],
        found: impl IntoIterator<Item = Finding>,
    ) {
        self.findings.retain(|finding| !kinds.contains(&finding.of.word()));
        self.findings.extend(found.into_iter().filter(|f| f.usd_per_hour > 0.0));
        let key = |f: &Finding| (f.of.word(), f.of.id());
        self.findings.sort_by(|a, b| {
            b.usd_per_hour.total_cmp(&a.usd_per_hour).then_with(|| key(a).cmp(&key(b)))
        });
        self.findings.truncate(self.most_findings);
    }
}

/// Idle and partly idle instances.
pub(super) fn of_instances<'a>(
    rows: &'a [&'a Row],
    ctx: &'a ViewContext,
) -> impl Iterator<Item = Finding> + 'a {
    let wasteful = rows
        .iter()
        .filter_map(|row| Some((*row, row.waste_usd_per_hour().filter(|waste| *waste > 0.0)?)));
    wasteful.map(|(row, usd_per_hour)| {
        let instance = &row.instance;
        let verdict = row.verdict.as_deref();
        Finding {
            of: FindingOf::Instance(instance.id.clone()),
            name: if instance.name.is_empty() { &instance.id } else { &instance.name }.clone(),
            what: format!("{} {}", Field::Verdict.cell(row, ctx), instance.instance_type),
            team: row.team.clone(),
            since: verdict.and_then(|v| Some((v.idle_since?, v.idle_since_at_least))),
            usd_per_hour,
            wasted_usd: row.wasted_usd,
            wasted_at_least: row.wasted_at_least(),
        }
    })
}

/// GPUs that burn for nothing where no instance's waste holds them, by host and state.
pub(super) fn of_gpus(gpus: &GpuFleet) -> Vec<Finding> {
    let mut hosts: BTreeMap<(&str, GpuState), Vec<&GpuRow>> = BTreeMap::new();
    for row in gpus.rows.iter().map(|row| &**row) {
        if WASTEFUL.contains(&row.verdict.state) && !is_counted(row) {
            let host = row.node.instance.as_ref().map_or(&row.node.name, |i| &i.instance.id);
            hosts.entry((&**host, row.verdict.state)).or_default().push(row);
        }
    }
    let found = hosts.into_iter().filter_map(|((host, _), rows)| {
        let first = *rows.first()?;
        let instance = first.node.instance.as_deref();
        let (name, kind) = match instance {
            Some(row) if row.instance.name.is_empty() => {
                (&row.instance.id, &row.instance.instance_type)
            }
            Some(row) => (&row.instance.name, &row.instance.instance_type),
            None => (&first.node.name, &first.model),
        };
        let since = rows
            .iter()
            .filter_map(|r| Some((r.verdict.idle_since?, r.verdict.idle_since_at_least)));
        let wasted = rows.iter().filter_map(|r| r.wasted_usd).reduce(|a, b| a + b);
        let sums = RollUp::of(rows.iter().copied());
        let said: Vec<&str> = sums.labels().map(|(label, _)| label.plain()).collect();
        Some(Finding {
            of: match instance {
                Some(_) => FindingOf::Gpus(host.into()),
                None => FindingOf::HostGpus(host.into()),
            },
            name: name.clone(),
            what: format!("{} {} {kind}", sums.words(), said.join(" or ")),
            team: first.team.clone(),
            since: since.min(),
            usd_per_hour: rows.iter().filter_map(|r| r.waste_usd_per_hour).sum(),
            wasted_usd: wasted,
            wasted_at_least: rows.iter().any(|r| r.wasted_at_least()),
        })
    });
    found.collect()
}

/// Resources that idle, commitments of which a part is unused, and paths of which a part need not be.
pub(super) fn of_savings(savings: &Savings) -> impl Iterator<Item = Finding> + '_ {
    // What some of the commitments leave unused says nothing while others are not known.
    let known = savings.waterfall.net_unknown.is_none() && !savings.waterfall.early;
    let resources = savings.resources.iter().filter(|row| is_idle(row)).filter_map(|r| resource(r));
    let held = savings.commitments.iter().filter(move |row| known && row.is_in_force);
    let paths = savings.paths.iter().filter(|row| row.is_finding()).filter_map(|row| path(row));
    resources.chain(held.filter_map(|row| commitment(row))).chain(paths)
}

/// A path with a price for what could be avoided. An idle gateway is a resource above.
fn path(row: &PathRow) -> Option<Finding> {
    Some(Finding {
        of: FindingOf::Network(row.id.clone(), row.kind),
        name: row.name.clone(),
        what: match row.kind {
            PathKind::Nat => "up to: NAT gateway without an S3 endpoint",
            PathKind::Endpoint => "up to: interfaces where a gateway endpoint is free",
            PathKind::FarBucket => "up to: bucket far from the GPUs",
            PathKind::Logs => "up to: logs that are kept for ever",
            PathKind::Stream => "metrics sent out of CloudWatch",
            PathKind::Sent => "network out of the fleet",
        }
        .to_owned(),
        team: row.team.clone(),
        since: None,
        usd_per_hour: row.avoidable_usd? / HOURS_PER_MONTH,
        wasted_usd: None,
        wasted_at_least: false,
    })
}

fn resource(row: &ResourceRow) -> Option<Finding> {
    let resource = &row.resource;
    let verdict = row.verdict.as_deref()?;
    let at_least = verdict.idle_since_at_least;
    Some(Finding {
        of: FindingOf::Resource(resource.id.clone()),
        name: if resource.name.is_empty() { &resource.id } else { &resource.name }.clone(),
        what: format!("idle {}", resource.kind.label()),
        team: row.team.clone(),
        since: verdict.idle_since.map(|since| (since, at_least)),
        usd_per_hour: row.waste_usd_per_hour?,
        wasted_usd: row.wasted_usd,
        wasted_at_least: at_least && row.wasted_usd.is_some_and(|usd| usd > 0.0),
    })
}

fn commitment(row: &CommitmentRow) -> Option<Finding> {
    let held = &row.commitment;
    let unused = row.utilisation_now.map(|used| format::share(1.0 - used, 0));
    let unused = unused.map_or_else(String::new, |share| format!("{share} "));
    Some(Finding {
        of: FindingOf::Commitment(held.id.clone()),
        name: row.covers.clone(),
        what: format!("{unused}unused {}", held.kind().label()),
        team: None,
        since: None,
        usd_per_hour: row.unused_usd_per_hour?,
        wasted_usd: None,
        wasted_at_least: false,
    })
}

/// Buckets, volumes and snapshots with what their findings can save together.
pub(super) fn of_storage(storage: &StorageFleet) -> impl Iterator<Item = Finding> + '_ {
    let buckets = storage.buckets.iter().filter_map(|row| {
        let name = clean(&row.name).into_owned().into();
        stored(
            Subject::Bucket(row.name.clone()),
            name,
            row.team.as_ref(),
            row.savings,
            &row.findings,
        )
    });
    let volumes = storage.volumes.iter().filter_map(|row| {
        let id = &row.volume.id;
        // Of what is found of it besides its stopped instance the largest counts.
        let others: Vec<Arc<StorageFinding>> =
            row.findings.iter().filter(|f| f.kind != OF_STOPPED).cloned().collect();
        let most = others.iter().filter_map(|f| f.usd_per_month).max_by(f64::total_cmp);
        let saves = if others.len() == row.findings.len() { row.savings } else { most };
        stored(Subject::Volume(id.clone()), id.clone(), row.team.as_ref(), saves, &others)
    });
    let snapshots = storage.snapshots.iter().filter_map(|row| {
        let id = &row.snapshot.id;
        stored(
            Subject::Snapshot(id.clone()),
            id.clone(),
            row.team.as_ref(),
            row.savings,
            &row.findings,
        )
    });
    buckets.chain(volumes).chain(snapshots)
}

/// Found of the volumes of a stopped instance, which is an idle resource itself.
const OF_STOPPED: FindingKind = FindingKind::StoppedInstanceVolume;

fn stored(
    subject: Subject,
    name: Arc<str>,
    team: Option<&Arc<str>>,
    saves: Option<f64>,
    findings: &[Arc<StorageFinding>],
) -> Option<Finding> {
    let usd = |f: &&Arc<StorageFinding>| f.usd_per_month.unwrap_or(0.0);
    let main = findings.iter().max_by(|a, b| usd(a).total_cmp(&usd(b)))?;
    let more =
        match findings.iter().filter(|f| f.usd_per_month.is_some_and(|usd| usd > 0.0)).count() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
    Some(Finding {
        of: FindingOf::Storage(subject),
        name,
        what: format!("{}{more}", main.kind.word().replace('_', " ")),
        team: team.cloned(),
        since: None,
        usd_per_hour: saves? / HOURS_PER_MONTH,
        wasted_usd: None,
        wasted_at_least: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::gpus::picture::fixture as gpu_fixture;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::savings::picture::fixture::savings;
    use crate::tabs::storage::picture::fixture as storage_fixture;
    use crate::view::fixture::{ctx, fleet};

    /// Every finding of every kind, unsorted and not cut.
    fn all() -> Vec<Finding> {
        let (fleet, ctx) = (fleet(), ctx());
        let rows: Vec<&Row> = fleet.rows.iter().map(|row| &**row).collect();
        let mut all: Vec<Finding> = of_instances(&rows, &ctx).collect();
        all.extend(of_gpus(&gpu_fixture::gpus()));
        all.extend(of_savings(&savings()));
        all.extend(of_storage(&storage_fixture::fleet()));
        all
    }

    #[test]
    fn one_list_of_all_kinds_has_the_costliest_first() {
        let o = overview(&fleet(), &ctx())
            .with_gpus(&fleet(), &gpu_fixture::gpus())
            .with_storage(&storage_fixture::fleet())
            .with_savings(&savings());
        let mut want = all();
        for kind in ["instance", "gpus", "resource", "commitment", "storage"] {
            assert!(want.iter().any(|f| f.of.word() == kind), "the fixtures have no {kind}");
        }
        want.sort_by(|a, b| b.usd_per_hour.total_cmp(&a.usd_per_hour));
        let usd = |found: &[Finding]| -> Vec<u64> {
            found.iter().map(|f| f.usd_per_hour.to_bits()).collect()
        };
        assert_eq!(usd(&o.findings), usd(&want[..FINDINGS]));
        // In whatever order the pictures come in.
        let other = overview(&fleet(), &ctx())
            .with_savings(&savings())
            .with_storage(&storage_fixture::fleet())
            .with_gpus(&fleet(), &gpu_fixture::gpus());
        assert_eq!(other.findings, o.findings);
    }

    #[test]
    fn what_is_unused_is_no_finding_while_commitments_are_not_known() {
        use crate::domain::NetUnknown;
        let of =
            |savings: &Savings| of_savings(savings).filter(|f| f.of.word() == "commitment").count();
        let mut savings = savings();
        assert!(of(&savings) > 0);
        savings.waterfall.net_unknown = Some(NetUnknown::NotRead);
        assert_eq!(of(&savings), 0);
    }

    #[test]
    fn gpus_of_a_host_are_one_finding_with_their_sum() {
        let gpus = gpu_fixture::gpus();
        let found = of_gpus(&gpus);
        let sums = overview(&fleet(), &ctx()).with_gpus(&fleet(), &gpus).gpu_findings;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(
            found.iter().map(|f| f.usd_per_hour).sum(),
            sums.iter().map(|f| f.usd_per_hour).sum()
        ));
        assert!(found.iter().any(|f| matches!(f.of, FindingOf::HostGpus(_))));
    }
}
