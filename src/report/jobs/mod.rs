//! Jobs: attempts with what they cost, sums by key, what an import brought.

mod import;
mod lists;
mod replay;
mod requests;
mod scaling;
mod waits;

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::exact_json::exact;
use super::{List, ListField, json as values};
use crate::analyze::jobs::{CancelledWeight, TaxKey, TaxSums};
use crate::domain::bill::Usd;
use crate::domain::{Reading, SourceId};
use crate::tabs::jobs::picture::{JobField, JobRow, TaxField};
use crate::view::{Value, ViewContext, format};
pub use import::{ImportedFile, JobsImportReport};
pub use lists::{KeptJobsOf, ZombiesOf};
pub use replay::ReplaysOf;
pub use requests::RequestsOf;
pub use scaling::ScalingOf;
pub use waits::WaitsOf;

/// A sum with one more number, of those that are known; `None` where none is.
fn with_known(sum: Option<f64>, more: Option<f64>) -> Option<f64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum + more),
        (sum, more) => sum.or(more),
    }
}

/// Region whose list prices stand in where none is named.
pub const ASSUMED_REGION: &str = "us-east-1";

/// What rows of jobs are made of.
#[derive(Clone, Debug)]
pub struct JobsOf {
    /// Key of sums; `None` for attempts.
    pub key: Option<TaxKey>,
    /// Sums of all attempts that are kept.
    pub total: TaxSums,
    /// Share of cancelled attempts that counts as lost.
    pub weight: CancelledWeight,
    /// Attempts with an instance type and no region.
    pub without_region: usize,
    /// How the sources of jobs were read last.
    pub readings: Arc<[Reading]>,
}

/// Sources that are asked for jobs.
const SOURCES: &[SourceId] = &[
    SourceId::Slurm,
    SourceId::SageMaker,
    SourceId::MlFlow,
    SourceId::Ray,
    SourceId::Kubernetes,
    SourceId::Batch,
];

fn basis(_: &JobsOf) -> String {
    "GPU-hours from start to end, suspension included; dollars = hours × largest share of the node \
     (GPUs, CPUs, memory) × price of the node at that time: bill, else list, Spot by its history; \
     of SageMaker billable seconds × instances × list price; lost = what came to nothing of failed, \
     out-of-memory, timed-out, preempted attempts and node faults, after the last checkpoint where it \
     is known"
        .into()
}

fn hours(time: crate::domain::jobs::GpuTime) -> Json {
    values::value(&Value::number(Some(time.hours())))
}

fn share(share: Option<f64>) -> Json {
    values::value(&Value::number(share))
}

fn usd(amount: Option<Usd>) -> Json {
    amount.map_or(Json::Null, exact)
}

fn beside(total: &TaxSums, of: &JobsOf) -> Vec<(&'static str, Json)> {
    let sums = json!({
        "attempts": total.attempts,
        "gpu_hours": hours(total.gpu_time),
        "usd": usd(total.usd_known()),
        "lost_gpu_hours": hours(total.lost),
        "lost_usd": usd(total.lost_usd_known()),
        "lost_without_cause_gpu_hours": hours(total.lost_without_cause),
        "cancelled_gpu_hours": hours(total.cancelled),
        "cancelled_usd": usd(total.cancelled_usd_known()),
        "unpriced_attempts": total.unpriced,
        "unknown_gpu_attempts": total.without_gpu_time,
        "upper_bound_attempts": total.upper_bounds,
        "doubtful_attempts": total.doubtful,
        "scaled_attempts": total.scaled,
        "estimated_attempts": total.estimated,
    });
    vec![
        ("cancelled_weight", json!(of.weight.share())),
        ("total", sums),
        ("goodput", share(total.goodput())),
        ("ettr", share(total.ettr())),
    ]
}

/// What sums say, a line each.
fn lines(total: &TaxSums, of: &JobsOf) -> Vec<String> {
    let gpu_hours = |time: crate::domain::jobs::GpuTime| {
        format!("{} GPU-hours", format::grouped(time.hours(), 1))
    };
    let priced = |usd: Option<Usd>| {
        usd.map_or(String::new(), |usd| format!(" ({})", format::usd(usd.to_f64())))
    };
    let count = |n: u64| format::counted(n as usize, "attempt", "attempts");
    let percent = |share: f64| format::percent(share * 100.0, 1);
    let mut lines = vec![format!(
        "total: {}{}, lost {}{}",
        gpu_hours(total.gpu_time),
        priced(total.usd_known()),
        gpu_hours(total.lost),
        priced(total.lost_usd_known()),
    )];
    if let Some(goodput) = total.goodput() {
        let pays = (goodput > 0.0).then(|| {
            format!(
                ": to deliver 100 useful GPU-hours you pay for {}",
                format::grouped(100.0 / goodput, 1)
            )
        });
        lines.push(format!("goodput {}{}", percent(goodput), pays.unwrap_or_default()));
    }
    if let Some(ettr) = total.ettr() {
        lines.push(format!("with the time in the queue {} (ETTR)", percent(ettr)));
    }
    if !total.cancelled.is_zero() {
        lines.push(format!(
            "cancelled: {}{}, of which {} counts as lost; --cancelled-weight chooses",
            gpu_hours(total.cancelled),
            priced(total.cancelled_usd_known()),
            format::percent(of.weight.share() * 100.0, 0),
        ));
    }
    if total.upper_bounds > 0 {
        lines.push(format!(
            "lost is an upper bound for {}: no checkpoint of them is known",
            count(total.upper_bounds)
        ));
    }
    if let Some(unknown) = total.lost_without_cause.share_of(total.lost).filter(|s| *s > 0.0) {
        lines.push(format!("the cause of {} of the lost GPU-hours is unknown", percent(unknown)));
    }
    let odd = [
        (total.doubtful, "run by the books alone and count nothing"),
        (total.without_gpu_time, "tell no GPU-hours: they are in no sum"),
        (total.unpriced, "have no known price: their dollars are in no sum"),
        (of.without_region as u64, "name no region: priced as in us-east-1"),
        (total.estimated, "are priced by the type of their queue, an estimate"),
        (
            total.scaled,
            "shared nodes of which more was asked for than there is: scaled to a whole node",
        ),
    ];
    for (n, what) in odd.into_iter().filter(|(n, _)| *n > 0) {
        lines.push(format!("! {}: {what}", count(n)));
    }
    lines
}

/// How old what each source told is, in one line; `None` without sources that were read.
fn ages(readings: &[Reading], ctx: &ViewContext) -> Option<String> {
    let one = |reading: &Reading| {
        let age = ctx.now.duration_since(reading.taken_at?).as_secs();
        let (source, name) = (reading.source.word(), &reading.scope.account);
        let part = if reading.coverage < 1.0 { ", in part" } else { "" };
        Some(format!("{source} {name} {} ago{part}", format::age(age)))
    };
    let all: Vec<String> = readings.iter().filter_map(one).collect();
    (!all.is_empty()).then(|| format!("read from {}", all.join(", ")))
}

/// What lists of jobs say alike.
macro_rules! of_jobs {
    ($view:literal) => {
        type Of = JobsOf;

        const VIEW: &'static str = $view;

        const SOURCES: &'static [SourceId] = SOURCES;

        fn readings(of: &JobsOf) -> &[Reading] {
            &of.readings
        }

        fn basis(of: &JobsOf) -> String {
            basis(of)
        }
    };
}

impl ListField for JobField {
    of_jobs!("jobs");

    const IDENTITY: &'static [Self] = &[Self::Source, Self::Cluster, Self::Job, Self::Attempt];

    fn more(row: &JobRow, _: &JobsOf) -> Vec<(&'static str, Json)> {
        let nodes: Vec<&Arc<str>> = row.of.attempt.nodes.iter().collect();
        vec![("nodes", json!(nodes)), ("lost_is_upper_bound", json!(row.of.lost_is_upper_bound))]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        beside(&of_rows(list), &list.of)
    }

    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let mut lines = lines(&of_rows(list), &list.of);
        lines.extend(ages(&list.of.readings, ctx));
        lines
    }
}

fn of_rows(list: &List<JobField>) -> TaxSums {
    let mut total = TaxSums::default();
    list.each().for_each(|row| total += &TaxSums::of(&row.of));
    total
}

impl ListField for TaxField {
    of_jobs!("jobs-tax");

    const IDENTITY: &'static [Self] = &[Self::Key];

    fn heading(self, of: &JobsOf) -> &'static str {
        match (self, of.key) {
            (Self::Key, Some(TaxKey::State)) => "STATE",
            (Self::Key, Some(TaxKey::Cause)) => "CAUSE",
            (Self::Key, Some(TaxKey::User)) => "USER",
            (Self::Key, Some(TaxKey::Team)) => "TEAM",
            (Self::Key, Some(TaxKey::Project)) => "PROJECT",
            (Self::Key, Some(TaxKey::Node)) => "NODE",
            (Self::Key, Some(TaxKey::Model)) => "MODEL",
            (Self::Key, Some(TaxKey::Week)) => "WEEK",
            (field, _) => crate::view::TableField::spec(field).header,
        }
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let by = ("by", json!(list.of.key.map(TaxKey::word)));
        std::iter::once(by).chain(beside(&summed(list), &list.of)).collect()
    }

    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let mut lines = lines(&summed(list), &list.of);
        lines.extend(ages(&list.of.readings, ctx));
        lines
    }
}

/// Sums of the rows. By node an attempt may stand in several rows: it counts once where all rows are there.
fn summed(list: &List<TaxField>) -> TaxSums {
    if list.filter.is_empty() {
        return list.of.total;
    }
    let mut total = TaxSums::default();
    list.each().for_each(|row| total += &row.sums);
    total
}
