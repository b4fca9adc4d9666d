//! What jobs cost: traps with the wrong and the right number, captures beside another calculation, sums that add up.

mod avoidable;
mod captures;
mod classes;
mod conserve;
mod happened;
mod held;
mod hyperpod;
mod nodes;
mod repeated;
mod replay;
mod replay_naive;
mod requests;
mod salvage;
mod scaling;
mod script_use;
mod trackers;
mod traps;
mod waits;

use std::sync::Arc;

use super::tax::Summing;
use super::*;
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, AttemptId, Gpus, JobSource, JobState};

/// 2026-11-20T00:00:00Z, seconds.
const DAY: i64 = 1_795_132_800;

fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap()
}

/// p5.48xlarge at its list price, $6.88 per GPU-hour; no other type.
fn types(_: Option<&str>, name: &str) -> Option<NodeType> {
    (name == "p5.48xlarge").then(|| NodeType {
        usd_per_hour: Some(usd("55.04")),
        from: PriceFrom::List,
        gpus: Gpus::whole(8),
        vcpus: 192,
        memory_mib: 2 << 20,
        model: Some("H100".into()),
    })
}

fn text(text: &str) -> Arc<str> {
    text.into()
}

/// An attempt of a job on p5.48xlarge, from and to in minutes of the day.
fn attempt(job: &str, state: JobState, gpus: u32, (from, to): (i64, i64)) -> Attempt {
    let at = |minutes: i64| jiff::Timestamp::from_second(DAY + minutes * 60).unwrap();
    let id = AttemptId {
        source: JobSource::File,
        cluster: text(""),
        raw: text(job),
        key: from.to_string().into(),
    };
    let mut of = Attempt::new(id, text(job), state, text(state.word()));
    (of.started_at, of.ended_at) = (Some(at(from)), Some(at(to)));
    of.gpus = Some(Gpus::whole(gpus));
    of.instance_type = Some(text("p5.48xlarge"));
    of
}

fn at(minutes: i64) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_second(DAY + minutes * 60).ok()
}

/// Attempts by what they tell themselves.
fn input() -> CostInput<'static> {
    CostInput {
        types: &types,
        known: KnownNodes::default(),
        runs: &[],
        is_interactive: None,
        used: None,
        weight: CancelledWeight::default(),
    }
}

fn costed(attempts: &[Attempt], weight: CancelledWeight) -> Vec<Costed> {
    costs(attempts.to_vec(), &CostInput { weight, ..input() }).rows
}

fn cost(attempts: &[Attempt]) -> Vec<Costed> {
    costed(attempts, CancelledWeight::default())
}

fn tax(rows: &[Costed], key: TaxKey) -> Tax {
    let mut sums = Summing::new(key);
    rows.iter().for_each(|row| sums.add(row));
    sums.finish()
}

fn total(attempts: &[Attempt]) -> TaxSums {
    tax(&cost(attempts), TaxKey::State).total
}
