//! Tables of planted commitments, each figure by hand.

mod hours;
mod simple;
mod table;

use std::sync::Arc;

use crate::analyze::commitments::table;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::{
    Commitment, FleetHour, Holdings, Hour, Instance, SavingsFacts, Scope, TagKeys,
};
use crate::fleet::commitments::tests::make::{EAST, now};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::savings::{
    CommitmentFinding as Finding, CommitmentRow, CommitmentSums, UnusedCost,
};
use crate::fleet::{Book, JoinInput, PriceBook, join};

/// The table of a fleet.
fn made(
    instances: &[Arc<Instance>],
    holdings: &Holdings,
    hours: Vec<FleetHour>,
    prices: &PriceBook,
) -> (Vec<Arc<CommitmentRow>>, CommitmentSums) {
    let book = Arc::new(Book {
        prices: prices.clone(),
        holdings: Some(holdings.clone()),
        ..Book::default()
    });
    let fleet = join(JoinInput {
        version: 1,
        now: now(),
        instances,
        book: &book,
        verdicts: &Default::default(),
        tag_keys: &TagKeys::default(),
        readings: Vec::new(),
    });
    let facts = SavingsFacts {
        holdings: Some(Arc::new(holdings.clone())),
        hours: Arc::new(hours),
        ..SavingsFacts::default()
    };
    table(&SavingsInput {
        version: 1,
        now: now(),
        fleet: &fleet,
        gpus: &GpuFleet::default(),
        storage: None,
        facts: &facts,
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    })
}

/// One look in the hour that many hours before the present one; it saw so many of each type.
fn saw(account: &str, ago: i32, seen: &[(&str, u64)]) -> FleetHour {
    FleetHour {
        hour: Hour::containing(now()).plus(-ago),
        scope: Scope::new(account, EAST),
        looks: 1,
        seen: seen.iter().map(|(of, n)| ((*of).into(), *n)).collect(),
    }
}

fn row<'a>(rows: &'a [Arc<CommitmentRow>], id: &str) -> &'a CommitmentRow {
    rows.iter().find(|row| *row.commitment.id == *id).unwrap()
}

#[track_caller]
fn near(a: Option<f64>, b: f64) {
    assert!(a.is_some_and(|a| (a - b).abs() < 1e-9), "{a:?} is not {b}");
}

/// What the only finding that `pick` knows says.
#[track_caller]
fn finding<T: Copy>(row: &CommitmentRow, pick: impl Fn(&Finding) -> Option<T>) -> T {
    let found: Vec<T> = row.findings.iter().filter_map(pick).collect();
    assert_eq!(found.len(), 1, "{:?}", row.findings);
    found[0]
}

/// Part used, hours, USD/h for nothing.
#[track_caller]
fn underused(row: &CommitmentRow) -> (f64, u32, f64) {
    finding(row, |f| match f {
        Finding::Underused { used, hours, usd_per_hour } => Some((*used, *hours, *usd_per_hour)),
        _ => None,
    })
}

/// Instances that are unused, of how many, what that costs.
#[track_caller]
fn unused(row: &CommitmentRow) -> (f64, u32, UnusedCost) {
    finding(row, |f| match f {
        Finding::UnusedCapacity { unused, total, costs } => Some((*unused, *total, *costs)),
        _ => None,
    })
}

fn like(item: Commitment, change: impl FnOnce(&mut Commitment)) -> Commitment {
    let mut item = item;
    change(&mut item);
    item
}
