//! What the newest bill charged prices what runs; what is kept of jobs stands beside it.

use std::sync::Arc;

use jiff::Timestamp;

use super::scripted::{ACCOUNT, Answer, REGION, Script, Scripted, instance, parts};
use crate::analyze::idle::Preset;
use crate::analyze::jobs::KeptHolders;
use crate::bus::{ReadJobs, once};
use crate::cache::{Cache, OpenOptions};
use crate::domain::bill::{
    BilledRate, BilledRates, NewestBill, ResourceCosts, UnitBound, UnitCost,
};
use crate::domain::jobs::{Attempt, AttemptId, JobNode, JobSource, JobState};
use crate::domain::{PriceBasis, Provenance};
use crate::source::demo::{self, DEFAULT_SEED, DemoOptions};

#[tokio::test]
async fn a_private_rate_of_the_bill_prices_the_instances_of_its_account() {
    let now = "2026-11-24T12:00:00Z";
    let at: Timestamp = now.parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), at);
    let list = |of: &str| crate::source::catalogue::list_price(REGION, of).unwrap();
    let of_demo = DemoOptions::new(DEFAULT_SEED, Some(60), Arc::new(move || at));
    let bill = demo::bill::newest(&of_demo).unwrap();
    let rate = |account: &str, instance_type: &str| BilledRate {
        instance_type: instance_type.into(),
        account: account.into(),
        region: REGION.into(),
        usd_per_hour: list(instance_type) * 0.9,
    };
    let rates = vec![rate(ACCOUNT, "g5.xlarge"), rate("999999999999", "m5.large")];
    let rates = BilledRates::new(bill.head.period, rates);
    let read =
        NewestBill { costs: ResourceCosts::of(&bill), rates, network: None, units: Vec::new() };
    let instances = vec![instance("i-1", "g5.xlarge"), instance("i-2", "m5.large")];
    let provider = Scripted::new(Script::new(instances, Answer::Nothing));
    let mut parts = parts(&provider, now, Preset::Cautious, &cache, false);
    parts.settings.bills = Some(Arc::new(move || Some(read.clone())));
    let outcome = once(parts).await;
    let paid = |id: &str| {
        let row = outcome.fleet.rows.iter().find(|row| &*row.instance.id == id).unwrap();
        row.rate.clone().unwrap()
    };
    let (private, other) = (paid("i-1"), paid("i-2"));
    let of_bill = Provenance::Bill { period: "2026-11".parse().unwrap() };
    assert_eq!((private.basis, private.provenance), (PriceBasis::Private, of_bill));
    assert!((private.usd_per_hour - list("g5.xlarge") * 0.9).abs() < 1e-9);
    assert_eq!(other.basis, PriceBasis::OnDemandList, "another account's rate");
}

#[tokio::test]
async fn what_is_kept_of_jobs_tells_who_holds_an_instance_and_what_a_run_costs() {
    let now = "2026-11-24T12:00:00Z";
    let at: Timestamp = now.parse().unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), at);
    let node = JobNode {
        source: JobSource::Slurm,
        cluster: "c".into(),
        name: "n1".into(),
        instance_id: Some("i-1".into()),
        instance_type: None,
        private_ip: None,
        region: None,
        gpus: None,
        seen_from: at,
        seen_until: at,
    };
    let id = AttemptId {
        source: JobSource::Slurm,
        cluster: "c".into(),
        raw: "77".into(),
        key: "1".into(),
    };
    let mut running = Attempt::new(id, "77".into(), JobState::Running, "RUNNING".into());
    let name: Arc<str> = "n1".into();
    (running.nodes, running.user) = ([name].into(), Some("ana".into()));
    running.seen_until = Some(at);
    let kept =
        Arc::new(KeptHolders { nodes: vec![node], held: Vec::new(), running: vec![running] });
    let unit = UnitCost {
        name: "run".into(),
        period: "2026-11".parse().unwrap(),
        days: 23,
        usd_per_unit: Some(60.5),
        bound: UnitBound::Exact,
        usd_before: None,
        target: None,
        no_counts: None,
        is_of_jobs: true,
    };
    let instances = vec![instance("i-1", "g5.xlarge"), instance("i-2", "m5.large")];
    let provider = Scripted::new(Script::new(instances, Answer::Nothing));
    let mut parts = parts(&provider, now, Preset::Cautious, &cache, false);
    let cost = unit.clone();
    parts.settings.jobs = Some(ReadJobs {
        holders: Arc::new(move || kept.clone()),
        runs: Arc::new(move || vec![cost.clone()]),
    });
    let fleet = once(parts).await.fleet;
    let held = |id: &str| {
        let row = fleet.rows.iter().find(|row| &*row.instance.id == id).unwrap();
        row.held_by.as_ref().map(|by| (by.jobs.clone(), by.users.clone(), by.read_at))
    };
    assert_eq!(held("i-1"), Some((vec!["77".into()], vec!["ana".into()], at)));
    assert_eq!(held("i-2"), None);
    assert_eq!(fleet.book.units[..], [unit]);
}
