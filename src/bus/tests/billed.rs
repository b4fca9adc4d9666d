//! What the newest bill charged prices what runs.

use std::sync::Arc;

use jiff::Timestamp;

use super::scripted::{ACCOUNT, Answer, REGION, Script, Scripted, instance, parts};
use crate::analyze::idle::Preset;
use crate::bus::once;
use crate::cache::{Cache, OpenOptions};
use crate::domain::bill::{BilledRate, BilledRates, NewestBill, ResourceCosts};
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
