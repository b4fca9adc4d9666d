//! The step of the network: by the bill or by live paths, without what other steps have.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::network_spend;
use super::fixture::World;
use crate::domain::bill::{NetworkSaving, NetworkSpend, Usd};
use crate::domain::{HOURS_PER_MONTH, ResourceKind, VerdictKind};
use crate::fleet::savings::{
    BillKind, Effort, PathAdvice, PathKind, PathRow, Risk, Step, StepKind, StepNote, Waterfall,
};
use crate::tabs::network::picture::fixture::live;
use crate::tabs::network::state::fixture::month;

fn step(found: &Waterfall) -> Option<&Step> {
    found.steps.iter().find(|step| step.kind == StepKind::Network)
}

fn cents(usd_per_hour: f64) -> f64 {
    (usd_per_hour * HOURS_PER_MONTH * 100.0).round()
}

#[test]
fn bytes_and_requests_count_and_hours_of_gateways_do_not() {
    let spend = network_spend(&month("2026-10", 1.0));
    // Bytes: a gateway 45, between regions 100, zones 6, internet 18, an endpoint 6; requests 0.40. Hours: 66.96.
    assert_eq!(spend.usd.to_string(), "175.4");
    assert_eq!((spend.days, spend.paths), (30, 6));
    let fixes: Vec<_> = spend.fixes.iter().map(|fix| fix.usd.to_string()).collect();
    assert_eq!(fixes, ["45", "100", "6"], "the idle gateway is a resource");
    assert_eq!(spend.unknown, 1, "compression");
    assert!((spend.per_hour(spend.usd) - 175.4 / 720.0).abs() < 1e-12);
}

#[test]
fn the_step_stands_between_idle_and_spot_and_the_waterfall_closes() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.resource("nat-0d4e5f60", ResourceKind::NatGateway, 0.048, true);
    let without = w.waterfall();
    assert_eq!(step(&without), None, "no bill, no step");
    w.network = Some(network_spend(&month("2026-10", 1.0)));
    let found = w.waterfall();
    let kinds: Vec<StepKind> = found.steps.iter().map(|step| step.kind).collect();
    let all = StepKind::ALL.into_iter().filter(|kind| *kind != StepKind::FailedRuns);
    assert_eq!(kinds, all.collect::<Vec<_>>(), "no jobs are read");
    assert!(StepKind::Idle < StepKind::Network && StepKind::Network < StepKind::Spot);
    let network = step(&found).unwrap();
    assert_eq!(cents(network.saves()), cents(151.0 / 720.0));
    assert_eq!((network.items, network.unknown), (3, 1));
    assert_eq!((network.effort, network.risk), (Effort::High, Risk::Medium), "of most dollars");
    let period = "2026-10".parse().unwrap();
    assert_eq!(network.notes, [StepNote::NetworkOfBill { period, bounds: 2 }]);
    // All other steps save what they did, the idle gateway among them, and only once.
    let others = |found: &Waterfall| -> Vec<f64> {
        let all = found.steps.iter().filter(|step| step.kind != StepKind::Network);
        all.map(|step| cents(step.saves())).collect()
    };
    assert_eq!(others(&found), others(&without));
    assert_eq!(cents(found.before - without.before), cents(175.4 / 720.0));
    let parts: f64 = found.bill.iter().map(|row| row.usd_per_hour).sum();
    assert_eq!(cents(parts), cents(found.before));
    let row = found.bill.iter().find(|row| row.kind == BillKind::Network).unwrap();
    assert_eq!((cents(row.usd_per_hour), row.count), (cents(175.4 / 720.0), 6));
    let saved: f64 = found.steps.iter().map(Step::saves).sum();
    assert_eq!(cents(found.before - saved), cents(found.after()));
}

#[test]
fn without_a_bill_the_step_rests_on_live_paths_and_never_on_both() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i", "1", "p4d.24xlarge", VerdictKind::Busy);
    let without = w.waterfall();
    w.paths = live();
    let found = w.waterfall();
    // Bytes of gateways cost 328.50, which an endpoint avoids up to all of, and 45, of which nothing is claimed; another
    // gateway and a bucket have a fix and no price. Hours are resources.
    let network = step(&found).unwrap();
    assert_eq!(cents(network.saves()), 32_850.0);
    assert_eq!((network.items, network.unknown), (1, 2));
    assert_eq!((network.effort, network.risk), (Effort::Low, Risk::Low));
    assert_eq!(network.notes, [StepNote::NetworkLive { bounds: 1 }]);
    assert_eq!(cents(found.before - without.before), 37_350.0);
    let row = found.bill.iter().find(|row| row.kind == BillKind::Network).unwrap();
    assert_eq!((cents(row.usd_per_hour), row.count), (37_350.0, 2));
    let saved: f64 = found.steps.iter().map(Step::saves).sum();
    assert_eq!(cents(found.before - saved), cents(found.after()));
    // A bill that is kept is what counts, also one that does not tell of the network.
    w.has_bill = true;
    assert_eq!(step(&w.waterfall()), None);
    w.network = Some(network_spend(&month("2026-10", 1.0)));
    let billed = w.waterfall();
    assert_eq!(cents(billed.before - without.before), cents(175.4 / 720.0));
    let period = "2026-10".parse().unwrap();
    assert_eq!(step(&billed).unwrap().notes, [StepNote::NetworkOfBill { period, bounds: 2 }]);
}

#[test]
fn live_paths_save_no_more_than_their_bytes_cost_and_what_is_sent_is_in_no_sum() {
    let mut w = World::new(&[]);
    // An endpoint: 7.30 for bytes and 14.60 for hours, all of which a gateway endpoint may avoid.
    let free =
        PathAdvice::FreeGateway { service: "s3".into(), vpc: "vpc-1".into(), tables: Vec::new() };
    let of = |kind, advice, bytes_usd: Option<f64>, hours_usd: f64, at_most_usd| PathRow {
        kind,
        bytes_usd,
        usd: bytes_usd.map(|usd| usd + hours_usd),
        at_most_usd,
        avoidable_usd: bytes_usd.map(|usd| usd + hours_usd),
        advice,
        ..(*live()[0]).clone()
    };
    let sent = PathAdvice::Anywhere { told: 3, running: 9 };
    w.paths = vec![
        Arc::new(of(PathKind::Endpoint, free, Some(7.3), 14.6, None)),
        Arc::new(of(PathKind::Nat, PathAdvice::Idle, Some(0.0), 32.85, None)),
        Arc::new(of(PathKind::Sent, sent.clone(), None, 0.0, Some(900.0))),
    ];
    let found = w.waterfall();
    assert_eq!((cents(found.before), cents(step(&found).unwrap().saves())), (730.0, 730.0));
    assert_eq!(step(&found).unwrap().items, 1);
    // Of what is sent alone nothing is known that would be a step.
    w.paths = vec![Arc::new(of(PathKind::Sent, sent, None, 0.0, Some(900.0)))];
    assert_eq!(step(&w.waterfall()), None);
}

proptest! {
    /// Whatever the bill says: the steps close, and the network saves no more than it costs.
    #[test]
    fn it_closes_whatever_the_bill_says(
        usd in 0..1_000_000_i64,
        shares in prop::collection::vec(0..100_i64, 0..6),
        days in 1..=31_u8,
        idle in any::<bool>(),
    ) {
        let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
        let kind = if idle { VerdictKind::Idle } else { VerdictKind::Busy };
        w.run("i", "1", "p4d.24xlarge", kind);
        let all = shares.iter().sum::<i64>().max(1);
        let fix = |share: &i64| NetworkSaving {
            usd: Usd::whole(usd * share / all),
            paths: 1,
            bounds: 1,
            effort: Effort::Low,
            risk: Risk::Low,
        };
        let fixes: Vec<NetworkSaving> = shares.iter().map(fix).collect();
        let period = "2026-10".parse().unwrap();
        let (usd, paths) = (Usd::whole(usd), shares.len() as u32);
        w.network = Some(NetworkSpend { period, days, usd, paths, fixes, unknown: 0 });
        let found = w.waterfall();
        let saved: f64 = found.steps.iter().map(Step::saves).sum();
        prop_assert!(found.steps.iter().all(|step| step.saves() >= 0.0));
        prop_assert!((found.before - saved - found.after()).abs() < 1e-6);
        let network = step(&found).unwrap().saves();
        let costs = found.bill.iter().find(|row| row.kind == BillKind::Network).unwrap();
        prop_assert!(network <= costs.usd_per_hour + 1e-6);
    }
}
