//! Random hours against a sequence of linear programs (HiGHS): `tests/emulators/commitments_oracle.py`
//! made them, and says what it holds to be AWS's order.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::make::*;
use crate::domain::{Commitment, CommitmentKind, Commits, Holdings};
use crate::fleet::commitments::{Applier, Meter};

#[derive(Deserialize)]
struct Asked {
    prices: BTreeMap<String, f64>,
    hours: Vec<Hour>,
}

#[derive(Deserialize)]
struct Hour {
    sharing: bool,
    /// Account, zone, type, place of the capacity reservation, instance-hours.
    usage: Vec<(String, String, String, Option<usize>, f64)>,
    held: Vec<Held>,
    rates: BTreeMap<String, BTreeMap<String, f64>>,
    answer: Answer,
}

#[derive(Deserialize)]
struct Held {
    kind: String,
    #[serde(rename = "type")]
    of: Option<String>,
    family: Option<String>,
    az: Option<String>,
    count: Option<u32>,
    usd: Option<f64>,
}

#[derive(Deserialize)]
struct Answer {
    on_demand_usd: f64,
    covered_units: BTreeMap<String, f64>,
    used_usd: BTreeMap<String, f64>,
}

impl Hour {
    fn holdings(&self) -> Holdings {
        let table = |kind: &str| -> Vec<(&str, f64)> {
            self.rates[kind].iter().map(|(of, usd)| (&**of, *usd)).collect()
        };
        let items = self.held.iter().enumerate().map(|(place, held)| -> Commitment {
            let (id, of) = (format!("c-{place}"), held.of.as_deref().unwrap_or_default());
            let (count, usd) = (held.count.unwrap_or(0), held.usd.unwrap_or(0.0));
            match &*held.kind {
                "zonal" => zonal(&id, A, count, of, held.az.as_deref().unwrap(), 0.01),
                "regional" => regional(&id, A, count, of, 0.01),
                "ec2" => ec2_plan(&id, A, held.family.as_deref().unwrap(), usd, &table("ec2")),
                "compute" => compute(&id, A, usd, &table("compute")),
                _ => odcr(&id, A, (count, 0), of),
            }
        });
        Holdings { sharing: self.sharing, ..held(items) }
    }

    fn meters(&self) -> (Vec<Meter>, Vec<f64>) {
        self.usage
            .iter()
            .map(|(account, zone, of, inside, units)| {
                let mut it = meter(account, zone, of);
                it.reservation = inside.map(|place| format!("c-{place}").into());
                (it, *units)
            })
            .unzip()
    }
}

fn word(item: &Commitment) -> &'static str {
    match (&item.commits, item.kind()) {
        (Commits::Reserved(it), _) if it.az.is_some() => "zonal",
        (Commits::Reserved(_), _) => "regional",
        (_, CommitmentKind::Ec2InstancePlan) => "ec2",
        _ => "compute",
    }
}

#[test]
fn two_hundred_hours_cost_what_linear_programs_say() {
    let asked: Asked =
        serde_json::from_str(include_str!("../../../../tests/data/commitments/hours.json"))
            .unwrap();
    let list: Vec<(&str, f64)> = asked.prices.iter().map(|(of, usd)| (&**of, *usd)).collect();
    let prices = prices(&list);
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (number, hour) in asked.hours.iter().enumerate() {
        let (holdings, (meters, units)) = (hour.holdings(), hour.meters());
        let applied = Applier::new(meters, &holdings, &prices, now()).apply(&units);
        let (mut covered, mut used) = (BTreeMap::<&str, f64>::new(), BTreeMap::<&str, f64>::new());
        for step in &applied.covered {
            let kind = word(&holdings.items[step.commitment]);
            *covered.entry(kind).or_default() += step.units;
            *used.entry(kind).or_default() += step.usd;
            *seen.entry(kind).or_default() += 1;
        }
        let near = |ours: f64, theirs: f64, what: &str| {
            let close = (ours - theirs).abs() < 1e-6 * theirs.abs().max(1.0);
            assert!(close, "hour {number}, {what}: {ours} is not {theirs}");
        };
        near(applied.on_demand_usd, hour.answer.on_demand_usd, "on demand");
        for (kind, units) in &hour.answer.covered_units {
            near(covered.get(&**kind).copied().unwrap_or(0.0), *units, kind);
        }
        for (kind, usd) in &hour.answer.used_usd {
            near(used.get(&**kind).copied().unwrap_or(0.0), *usd, kind);
        }
    }
    assert_eq!(asked.hours.len(), 200);
    assert!(["zonal", "regional", "ec2", "compute"].iter().all(|kind| seen[kind] > 50), "{seen:?}");
}
