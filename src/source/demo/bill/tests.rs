//! The bill agrees with what the demo's provider answers, and adds up.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::services::{Planted, ROWS};
use super::*;
use crate::domain::bill::{BillNote, Charge, Pricing, ResourceCell, Sums, Usd};
use crate::domain::{Commits, HourRange, Instance, Lifecycle, Signal};
use crate::source::demo::{DEFAULT_SEED, prices, providers};
use crate::source::provider::{MetricKey, MetricQuery, Provider, Statistic};

/// 2026-11-20T14:25:30Z.
const NOW: i64 = 1_795_184_730;

fn options(seed: u64, size: usize, now: i64) -> DemoOptions {
    let now = Timestamp::from_second(now).unwrap();
    DemoOptions::new(seed, Some(size), Arc::new(move || now))
}

fn demo() -> (Vec<Bill>, Vec<Arc<dyn Provider>>) {
    let options = options(DEFAULT_SEED, 280, NOW);
    (bills(&options), providers(&options))
}

fn usd(amount: f64) -> Usd {
    Usd::from_f64(amount).unwrap()
}

fn of<'a>(bill: &'a Bill, id: &'a str) -> impl Iterator<Item = &'a ResourceCell> {
    bill.resources.iter().filter(move |cell| bill.name(cell.resource) == id)
}

async fn instances(provider: &Arc<dyn Provider>) -> Vec<Instance> {
    let account = provider.identity().await.unwrap().account;
    let mut out = Vec::new();
    for region in provider.regions().await.unwrap() {
        out.extend(provider.instances(&account, &region, None).await.unwrap().items);
    }
    out
}

/// Hours of a month in which CloudWatch has a datapoint of the instance.
async fn hours(provider: &Arc<dyn Provider>, it: &Instance, month: Month) -> u64 {
    let to = Hour::containing(month.end()).min(Hour(Hour(NOW as i32 / 3_600).day() * DAY));
    let range = HourRange { from: Hour::containing(month.begin()), to };
    let query = MetricQuery {
        instance: it.id.clone(),
        signal: Signal::CpuMean,
        key: MetricKey::Ec2 { metric: "CPUUtilization" },
        statistic: Statistic::Average,
    };
    let region = &it.scope.region;
    provider.metric_data(region, &[query], range).await.unwrap()[0].points.len() as u64
}

#[test]
fn every_size_has_three_months_whose_drills_add_up() {
    for size in [1, 40, 280, 10_000] {
        let bills = bills(&options(DEFAULT_SEED, size, NOW));
        let months: Vec<_> =
            bills.iter().map(|b| (b.head.period.to_string(), b.head.state)).collect();
        let (closed, open) = (PeriodState::Closed, PeriodState::Open);
        let wanted = [("2026-09", closed), ("2026-10", closed), ("2026-11", open)];
        assert_eq!(months, wanted.map(|(month, state)| (month.to_owned(), state)));
        assert_eq!(bills.iter().map(|b| b.head.last_day).collect::<Vec<_>>(), [30, 31, 19]);
        for bill in &bills {
            let exact = |sums: &Sums| (sums.billed, sums.effective, sums.list, sums.lines);
            assert!(bill.is_whole());
            assert_eq!(exact(&bill.total()), exact(&bill.head.total));
            let by_resource: Sums = bill.resources.iter().map(|cell| &cell.sums).sum();
            assert_eq!(exact(&by_resource), exact(&bill.head.total));
            assert_eq!(bill.head.resources_folded, 0);
            assert!(!bill.head.total.billed.is_negative());
        }
    }
}

#[test]
fn one_seed_has_one_bill() {
    let bill = |seed| bills(&options(seed, 40, NOW));
    assert_eq!(bill(3), bill(3));
    assert_ne!(bill(3)[0].head.total, bill(4)[0].head.total);
}

#[test]
fn on_the_first_of_a_month_the_last_one_is_still_open() {
    let midnight: Timestamp = "2026-12-01T00:10:00Z".parse().unwrap();
    let bills = bills(&options(DEFAULT_SEED, 1, midnight.as_second()));
    let newest = bills.last().unwrap();
    assert_eq!((newest.head.period.to_string().as_str(), newest.head.last_day), ("2026-11", 30));
    assert_eq!(newest.head.state, PeriodState::Open);
    assert_eq!(newest.head.written_at, Some(midnight));
}

#[tokio::test]
async fn an_on_demand_instance_costs_its_hours_times_its_rate() {
    let (bills, providers) = demo();
    let mut seen = 0;
    for provider in &providers {
        for it in instances(provider).await {
            // The metrics of this one go back further than its id.
            if it.lifecycle != Lifecycle::OnDemand || &*it.name == "restarted-scratch" {
                continue;
            }
            // What has no price there is not billed.
            let rate = prices::list_price(&it.scope.region, &it.instance_type);
            let Some(rate) = rate else { continue };
            for bill in &bills {
                let ran = hours(provider, &it, bill.head.period).await;
                let cells: Vec<_> = of(bill, &it.id).collect();
                let list: Usd = cells.iter().map(|cell| cell.sums.list).sum();
                assert_eq!(list, usd(rate).prorated(ran, 1), "{} {}", it.name, bill.head.period);
                let plain = cells.iter().filter(|c| c.key.pricing == Pricing::OnDemand);
                for sums in plain.map(|cell| &cell.sums) {
                    assert_eq!((sums.billed, sums.effective), (sums.list, sums.list));
                }
                let covered = cells.iter().filter(|c| c.key.pricing != Pricing::OnDemand);
                for cell in covered {
                    assert!(cell.sums.billed.is_zero() && cell.sums.effective < cell.sums.list);
                    assert!(!bill.name(cell.key.commitment).is_empty());
                }
                seen += u64::from(ran > 0);
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[tokio::test]
async fn a_spot_instance_costs_the_price_of_each_hour() {
    let (bills, providers) = demo();
    let bill = bills.last().unwrap();
    let mut seen = 0;
    for provider in &providers {
        for it in instances(provider).await {
            let long_ago = Timestamp::from_second(NOW - 40 * 86_400).unwrap();
            if it.lifecycle != Lifecycle::Spot || it.launched_at > long_ago {
                continue;
            }
            let (region, types) = (&it.scope.region, [it.instance_type.clone()]);
            let from = bill.head.period.begin();
            let markets = provider.spot_history(region, &types, from).await.unwrap();
            let market = markets.iter().find(|m| m.az == it.az).unwrap();
            let ran = hours(provider, &it, bill.head.period).await;
            if ran < 19 * 24 {
                continue;
            }
            let all = market.points.iter().take(19 * 24);
            let wanted: Usd = all.map(|(_, price)| usd(price)).sum();
            let paid: Usd = of(bill, &it.id).map(|cell| cell.sums.billed).sum();
            assert_eq!(paid, wanted, "{}", it.name);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}

#[tokio::test]
async fn what_a_commitment_covers_and_what_it_leaves_unused_add_up_to_its_fee() {
    let (bills, providers) = demo();
    let mut items = Vec::new();
    for provider in &providers {
        let account = provider.identity().await.unwrap().account;
        items.extend(provider.savings_plans(&account).await.unwrap());
        for region in provider.regions().await.unwrap() {
            items.extend(provider.reserved_instances(&account, &region).await.unwrap());
        }
    }
    let (mut plans, mut reserved) = (0, 0);
    for bill in &bills {
        let first = Hour::containing(bill.head.period.begin());
        let last = first.plus(i32::from(bill.head.last_day) * DAY);
        for item in &items {
            let cells = bill.cells.iter().filter(|c| bill.name(c.key.commitment) == &*item.id);
            let cells: Vec<_> = cells.collect();
            let sum = |charge| -> Usd {
                let of_charge = cells.iter().filter(|c| c.key.charge == charge);
                of_charge.map(|c| c.sums.billed + c.sums.effective).sum()
            };
            assert!(cells.iter().all(|c| !c.sums.effective.is_negative()));
            let start = Hour::containing(item.start).max(first);
            let end = item.end.map_or(last, |end| Hour::containing(end).min(last));
            let hours = u64::try_from(end.0 - start.0).unwrap_or(0);
            match &item.commits {
                Commits::Plan(plan) => {
                    assert_eq!(sum(Charge::Usage), sum(Charge::Purchase), "{}", item.id);
                    let fee = sum(Charge::Purchase).to_f64();
                    assert!((fee - plan.usd_per_hour * hours as f64).abs() < 1e-6);
                    plans += usize::from(hours > 0);
                }
                Commits::Reserved(it) => {
                    let usd = it.usd_per_hour.unwrap() * f64::from(it.count) * hours as f64;
                    assert!((sum(Charge::Usage).to_f64() - usd).abs() < 1e-6, "{}", item.id);
                    reserved += usize::from(hours > 0);
                }
                Commits::Capacity(_) => {}
            }
        }
    }
    assert!(plans > 10 && reserved > 8, "{plans} {reserved}");
}

#[test]
fn a_commitment_serves_whom_it_is_planted_for() {
    let (bills, _) = demo();
    let bill = &bills[1];
    let mut by: BTreeMap<(String, Pricing), f64> = BTreeMap::new();
    for cell in &bill.cells {
        let usage = bill.name(bill.kind(cell.key.kind).unwrap().usage_type).to_owned();
        *by.entry((usage, cell.key.pricing)).or_default() += cell.sums.effective.to_f64();
    }
    let usd = |usage: &str, pricing| by.get(&(usage.to_owned(), pricing)).copied().unwrap_or(0.0);
    assert!(usd("USW2-BoxUsage:p4de.24xlarge", Pricing::Reserved) > 0.0);
    assert!(usd("APN1-BoxUsage:g5.48xlarge", Pricing::SavingsPlan) > 0.0);
    assert!(usd("APN1-HeavyUsage:r5.12xlarge", Pricing::UnusedCommitment) > 0.0);
    let machine_learning = |((usage, pricing), usd): (&(String, Pricing), &f64)| {
        usage.contains(":ml.") && *pricing == Pricing::SavingsPlan && *usd > 0.0
    };
    assert!(by.iter().any(machine_learning));
    assert!(usd("EU-UnusedBox:g5.12xlarge", Pricing::UnusedCapacity) > 0.0);
}

#[test]
fn volumes_and_buckets_cost_their_size_times_the_price() {
    let (bills, _) = demo();
    let october = &bills[1];
    let cost = |name: &str, usage: &str| -> Usd {
        let named = october.resources.iter().filter(|cell| {
            let kind = october.kind(cell.key.kind).unwrap();
            october.name(cell.resource).starts_with(name) && october.name(kind.usage_type) == usage
        });
        named.map(|cell| cell.sums.billed).sum()
    };
    // 300 objects of 90 GiB in Deep Archive.
    let gib = cost("acme-backup-2022", "USW2-TimedStorage-GDA-ByteHrs").to_f64() / 0.00099;
    assert!((gib - 27_000.0).abs() < 3_000.0, "{gib}");
    // Planted volumes: gp2 of 4,000 GiB; gp3 of 8,192 GiB with 16,000 IOPS and 1,000 MiB/s.
    let volumes: HashMap<String, Usd> = october
        .resources
        .iter()
        .filter(|cell| cell.key.pricing == Pricing::OnDemand)
        .map(|cell| (october.name(cell.resource), cell.sums.billed))
        .filter(|(id, _)| id.starts_with("vol-"))
        .fold(HashMap::new(), |mut sums, (id, usd)| {
            *sums.entry(id.to_owned()).or_default() += usd;
            sums
        });
    let has = |usd: Usd| volumes.values().any(|sum| *sum == usd);
    assert!(has(usd(400.0)));
    assert!(has(usd(8_192.0 * 0.08 + 13_000.0 * 0.005 + 875.0 * 0.04)));
}

#[test]
fn anomalies_are_where_they_are_planted() {
    let (bills, _) = demo();
    let days = |month: usize, usage: &str, account: &str| -> Vec<f64> {
        let bill = &bills[month];
        let mut days = vec![0.0; usize::from(bill.head.last_day)];
        for cell in &bill.cells {
            let kind = bill.kind(cell.key.kind).unwrap();
            if bill.name(kind.usage_type) == usage && bill.name(cell.key.account) == account {
                days[usize::from(cell.day) - 1] += cell.sums.billed.to_f64();
            }
        }
        days
    };
    let logs = days(1, "DataProcessing-Bytes", "444455556666");
    for (at, usd) in logs.iter().enumerate() {
        assert_eq!(*usd > 3.0 * logs[0], (10..=11).contains(&at), "{at}");
    }
    let writes = days(1, "WriteRequestUnits", "777788889999");
    for (at, usd) in writes.iter().enumerate() {
        assert_eq!(*usd == 0.0, (16..=23).contains(&at), "{at}");
    }
    let transfer = days(0, "USW2-DataTransfer-Regional-Bytes", "111122223333");
    let ratio = transfer[29] / transfer[0];
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
    let planted = |what| ROWS.iter().filter(|row| row.planted == Some(what)).count();
    assert_eq!([Planted::Spike, Planted::Drop, Planted::Doubling].map(planted), [1, 1, 2]);
}

#[test]
fn traps_are_in_each_closed_month() {
    let (bills, _) = demo();
    for bill in &bills[..2] {
        let of = |charge| bill.cells.iter().filter(move |cell| cell.key.charge == charge);
        assert!(of(Charge::Refund).all(|cell| cell.sums.billed.is_negative() && cell.day == 12));
        assert!(of(Charge::Credit).all(|cell| cell.sums.billed.is_negative()));
        assert!(of(Charge::Tax).all(|cell| cell.day == 0));
        let all = [Charge::Refund, Charge::Credit, Charge::Tax, Charge::Support, Charge::Fee];
        assert!(all.into_iter().all(|charge| of(charge).count() > 0));
        let split = |note: &_| matches!(note, BillNote::SplitRows { lines, .. } if *lines > 100);
        assert!(bill.head.notes.iter().any(split));
        let team = bill.tag_key("Team").unwrap();
        let untagged = bill.cells.iter().filter(|cell| bill.tag(cell.key.owner, team).is_none());
        let untagged: Usd = untagged.map(|cell| cell.sums.effective).sum();
        let share = untagged.to_f64() / bill.head.total.effective.to_f64();
        assert!((0.05..0.6).contains(&share), "{share}");
    }
}

#[test]
fn the_page_lists_what_is_planted() {
    const PAGE: &str = include_str!("../../../../docs/demo.md");
    let (_, bill) = PAGE.split_once("## The bill").unwrap();
    let ours = bill.split("\n## ").next().unwrap();
    let rows = ours.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| planted |"));
    let planted: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()).collect();
    let wanted = [
        "spike",
        "silent drop",
        "slow doubling",
        "split rows",
        "two cases",
        "untagged",
        "tax",
        "refund",
        "credit",
        "marketplace",
    ];
    assert_eq!(planted, wanted.map(|name| format!("| {name}")));
}
