//! What machines and other resources did in a month, as far as it was seen: which share of their cost worked, and which
//! was wasted.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Measured, MeasuredShare};
use crate::domain::bill::{Month, resource_id};
use crate::domain::{Verdict, VerdictKind};
use crate::fleet::Row;
use crate::fleet::savings::ResourceRow;

/// Shares of running instances and of other billed resources, of their time in `period` up to `now`. A stretch that idles is
/// waste from its begin on; one in use is work for the hours that the verdict looks back at, as far as they are covered: of
/// instances `evidence_hours`, of other resources those that CloudWatch told. Hours before them are unknown, and so is what
/// has no verdict that tells waste.
pub fn measured(
    instances: &[Arc<Row>],
    resources: &[Arc<ResourceRow>],
    period: Month,
    now: Timestamp,
    evidence_hours: f64,
) -> Measured {
    let of_instance = |row: &Arc<Row>| {
        let verdict = row.verdict.as_deref()?;
        let hours = evidence_hours * f64::from(verdict.coverage);
        let share = share(verdict, row.instance.launched_at, hours, period, now)?;
        Some((row.instance.id.clone(), share))
    };
    let of_resource = |row: &Arc<ResourceRow>| {
        let (verdict, resource) = (row.verdict.as_deref()?, &row.resource);
        let since = resource.created_at.unwrap_or(Timestamp::MIN);
        let hours = verdict.signals.iter().map(|signal| signal.got).max().unwrap_or(0);
        let share = share(verdict, since, f64::from(hours), period, now)?;
        resource.is_billed.then(|| (resource_id(&resource.id).into(), share))
    };
    let of_instances = instances.iter().filter_map(of_instance);
    of_instances.chain(resources.iter().filter_map(of_resource)).collect()
}

/// Shares of what is billed since `since`, and was seen in the last `hours` before `now`.
fn share(
    verdict: &Verdict,
    since: Timestamp,
    hours: f64,
    period: Month,
    now: Timestamp,
) -> Option<MeasuredShare> {
    let waste = verdict.waste_share().filter(|_| verdict.kind != VerdictKind::Exempt)?;
    let until = now.min(period.end());
    let from = since.max(period.begin());
    let hours_since = |at: Timestamp| until.duration_since(at).as_secs_f64() / 3600.0;
    let all = hours_since(from);
    if all <= 0.0 {
        return None;
    }
    let seen = match verdict.idle_since {
        Some(since) => hours_since(since.max(from)).max(0.0),
        None => all.min(hours),
    };
    let seen = (seen / all).clamp(0.0, 1.0);
    Some(MeasuredShare { productive: (1.0 - waste) * seen, wasted: waste * seen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reason::{ResourceAdvice, ResourceFix};
    use crate::domain::{Instance, Resource, ResourceKind, Signal, Verdict, sample};
    use crate::view::fixture::evidence;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn share(kind: VerdictKind, idle_since: Option<&str>, launched_at: &str) -> Option<(f64, f64)> {
        let instance = Instance { launched_at: at(launched_at), ..sample::instance() };
        let verdict = Verdict {
            idle_since: idle_since.map(at),
            coverage: 1.0,
            devices: 8,
            idle_gpus: Some(2),
            ..sample::verdict(kind)
        };
        let row = Row { verdict: Some(Arc::new(verdict)), ..Row::new(instance) };
        let period = "2026-01".parse().unwrap();
        let id = row.instance.id.clone();
        let found = measured(&[Arc::new(row)], &[], period, at("2026-01-11T00:00:00Z"), 120.0);
        found.get(&id).map(|share| (share.productive, share.wasted))
    }

    #[test]
    fn a_stretch_counts_within_the_month_and_what_was_not_seen_is_unknown() {
        use VerdictKind::{Busy, Exempt, Idle, Partial, Unknown};
        let old = "2025-06-01T00:00:00Z";
        assert_eq!(share(Idle, Some("2026-01-09T00:00:00Z"), old), Some((0.0, 0.2)));
        assert_eq!(share(Idle, Some("2025-11-09T00:00:00Z"), old), Some((0.0, 1.0)));
        assert_eq!(share(Partial, Some("2026-01-06T00:00:00Z"), old), Some((0.375, 0.125)));
        assert_eq!(share(Busy, None, old), Some((0.5, 0.0)));
        assert_eq!(share(Busy, None, "2026-01-09T00:00:00Z"), Some((1.0, 0.0)));
        assert_eq!(share(Unknown, None, old), None);
        assert_eq!(share(Exempt, None, old), None);
    }

    #[test]
    fn other_resources_count_by_the_hours_that_were_told_of_them() {
        let told = |kind, idle_since: Option<&str>, is_billed| {
            let verdict = Verdict {
                idle_since: idle_since.map(at),
                signals: vec![evidence("bytes", Signal::CpuMax, None, 60)],
                ..sample::verdict(kind)
            };
            let nat = "arn:aws:ec2:us-east-1:1:natgateway/nat-1";
            let resource = Resource {
                is_billed,
                created_at: Some(at("2025-06-01T00:00:00Z")),
                ..sample::resource(ResourceKind::NatGateway, nat)
            };
            let row = Arc::new(ResourceRow {
                resource: Arc::new(resource),
                verdict: Some(Arc::new(verdict)),
                pattern: None,
                team: None,
                waste_usd_per_hour: None,
                wasted_usd: None,
                fix: ResourceFix { advice: ResourceAdvice::Fixture("delete"), usd_per_month: None },
            });
            let period = "2026-01".parse().unwrap();
            let found = measured(&[], &[row], period, at("2026-01-11T00:00:00Z"), 120.0);
            found.get("nat-1").map(|share| (share.productive, share.wasted))
        };
        assert_eq!(told(VerdictKind::Busy, None, true), Some((0.25, 0.0)));
        assert_eq!(told(VerdictKind::Idle, Some("2026-01-06T00:00:00Z"), true), Some((0.0, 0.5)));
        assert_eq!(told(VerdictKind::Unknown, None, true), None);
        assert_eq!(told(VerdictKind::Busy, None, false), None, "what is not billed costs nothing");
    }
}
