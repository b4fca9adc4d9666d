//! What stopping saves in the demo, gross and net: they differ exactly where it was planted.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::SavingsSettings;
use super::super::{Outcome, once};
use super::{MOMENTS, by_name, parts};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{CommitmentKind, CommitmentState, Commits, Hour, SourceId};
use crate::fleet::Row;

async fn read(now: Timestamp, cache: &Cache) -> Outcome {
    let mut parts = parts(Arc::new(move || now), Preset::Cautious, cache, false);
    parts.settings.savings =
        SavingsSettings { commitments: true, market: true, ..Default::default() };
    once(parts).await
}

fn cache(now: Timestamp) -> Cache {
    Cache::open(OpenOptions::in_memory(), now).0
}

/// Net over gross; `None` while either is not known.
fn ratio(rows: &HashMap<String, Arc<Row>>, name: &str) -> Option<f64> {
    let row = &rows[name];
    Some(row.net_usd_per_hour()? / row.usd_per_hour()?)
}

#[tokio::test]
async fn gross_and_net_of_the_planted_boxes_differ_exactly_where_planted() {
    // 45% off where the plan is best, 28% off everywhere else: a dollar set free there pays for
    // 1 / 0.72 dollars of other usage.
    let moved = 0.55 / 0.72;
    let planted = [
        ("baseline-protected", 0.0),
        ("do-not-stop", 0.0),
        ("eval-\u{FFFD}[31mnightly", 0.0),
        ("reserved-idle", 0.0),
        ("sp-covered", moved),
        ("train-7b-old", 1.0),
        ("standby-expired", 1.0),
        ("serve-spare", 1.0),
        ("last-target", 1.0),
        ("marked-expired", 1.0),
        ("marked-waiting", 1.0),
        ("resumed-run", 1.0),
        ("slice-dev", 1.0),
    ];
    for moment in MOMENTS {
        let now: Timestamp = moment.parse().unwrap();
        let outcome = read(now, &cache(now)).await;
        let rows = by_name(&outcome);
        for (name, expected) in planted {
            let got = ratio(&rows, name);
            let net = &rows[name].net;
            assert!(
                got.is_some_and(|r| (r - expected).abs() < 1e-6),
                "{name} at {moment}: {got:?} and not {expected}: {net:?}"
            );
        }
        assert_eq!(ratio(&rows, "h200-waiting"), None, "no price, no net");
    }
}

#[tokio::test]
async fn the_planted_commitments_are_there_with_a_week_of_hours_and_prices() {
    let now: Timestamp = MOMENTS[1].parse().unwrap();
    let outcome = read(now, &cache(now)).await;
    let facts = &outcome.savings;
    let holdings = facts.holdings.as_ref().unwrap();
    assert_eq!(holdings.unread, []);
    let count = |kind, state| {
        holdings.items.iter().filter(|c| c.kind() == kind && c.state == state).count()
    };
    use CommitmentKind::{
        CapacityBlock, CapacityReservation, ComputePlan, Ec2InstancePlan, ReservedInstances,
        SageMakerPlan,
    };
    assert_eq!(count(ReservedInstances, CommitmentState::Active), 4);
    assert_eq!(count(ReservedInstances, CommitmentState::Ended), 1);
    assert_eq!(count(ComputePlan, CommitmentState::Active), 1);
    assert_eq!(count(ComputePlan, CommitmentState::Pending), 1);
    assert_eq!(count(Ec2InstancePlan, CommitmentState::Active), 3);
    assert_eq!(count(SageMakerPlan, CommitmentState::Active), 1);
    assert_eq!(count(CapacityReservation, CommitmentState::Active), 2);
    assert!(count(CapacityBlock, CommitmentState::Active) >= 2);
    for item in &holdings.items {
        if let Commits::Plan(plan) = &item.commits
            && matches!(item.kind(), ComputePlan | Ec2InstancePlan)
        {
            assert!(plan.rates_known, "{item:?}");
        }
    }
    let hours: std::collections::BTreeSet<Hour> = facts.hours.iter().map(|h| h.hour).collect();
    assert_eq!(hours.len(), 168);
    assert_eq!(hours.last(), Some(&Hour(Hour::containing(now).0 - 1)));
    assert!(facts.spot.iter().all(|h| h.points.iter().map(|p| p.1 > 0.0).eq([true; 169])));
    // The last price of the week is the one that Spot boxes are billed at.
    let spot =
        outcome.fleet.rows.iter().find(|r| r.instance.name.starts_with("spot-left")).unwrap();
    let history = facts
        .spot
        .iter()
        .find(|h| h.az == spot.instance.az && h.instance_type == spot.instance.instance_type);
    assert_eq!(history.unwrap().points.last().unwrap().1, spot.usd_per_hour().unwrap());
    for row in &outcome.fleet.rows {
        let zones = &facts.offerings[&row.instance.scope];
        let zone = zones.iter().find(|z| z.az == row.instance.az).unwrap();
        assert!(zone.types.contains(&row.instance.instance_type), "{}", row.instance.name);
    }
    let readings = &outcome.fleet.readings;
    for source in [SourceId::Commitments, SourceId::SpotHistory, SourceId::Offerings] {
        assert!(readings.iter().any(|r| r.source == source), "{source:?}");
    }
}
