//! What workloads asked for and did not use.

use serde_json::{Value as Json, json};

use super::with_known;
use crate::analyze::jobs::LookedAt;
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::jobs::picture::{RequestField, RequestItem};
use crate::view::{ViewContext, format};

/// Which requests a list has.
#[derive(Clone, Copy, Debug)]
pub struct RequestsOf {
    /// Days that are looked at.
    pub days: u32,
    /// Attempts that they were found among.
    pub looked_at: LookedAt,
}

impl Default for RequestsOf {
    fn default() -> Self {
        Self { days: 30, looked_at: LookedAt::default() }
    }
}

impl ListField for RequestField {
    type Of = RequestsOf;

    const VIEW: &'static str = "jobs-requests";

    const IDENTITY: &'static [Self] =
        &[Self::Kind, Self::Source, Self::Cluster, Self::Namespace, Self::User, Self::Workload];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &RequestsOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &RequestsOf) -> String {
        format!(
            "Attempts that ended in the last {} and held something for 10 minutes, by user and name (of Kubernetes by namespace too, and pods that serve \
             and run as far as they got); GPUs that never worked and are \
             beyond what 19 of 20 attempts needed, their dollars × 730 h ÷ the hours from the first of these attempts to now; a limit \
             and memory of twice what was ever used or more; what nobody measured counts as used",
            format::plural(of.days as usize, "day")
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sums = RequestSums::of(list.each());
        // As exact as the rows.
        let rounded = |sum: f64| (sum * 1e6).round() / 1e6;
        let total = json!({
            "usd_per_month": sums.usd_per_month.map(rounded),
            "unused_gpu_hours": sums.unused_gpu_hours.map(rounded),
        });
        let LookedAt { with_gpus, unknown } = list.of.looked_at;
        vec![
            ("days", json!(list.of.days)),
            ("gpu_attempts", json!(with_gpus)),
            ("unknown_gpu_attempts", json!(unknown)),
            ("total", total),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let sums = RequestSums::of(list.each());
        let unused = match (sums.unused_gpu_hours, sums.usd_per_month) {
            (None, _) => "no GPUs are known that workloads asked for and never used".to_owned(),
            (Some(hours), usd) => format!(
                "{} GPU-hours were asked for and never used{}",
                format::grouped(hours, 1),
                usd.map_or(String::new(), |usd| format!(", {} a month", format::usd(usd)))
            ),
        };
        let mut notes = vec![unused];
        let LookedAt { with_gpus, unknown } = list.of.looked_at;
        if unknown > 0 {
            notes.push(format!(
                "! of {} of {} that held GPUs, as far as that is known, nobody knows how many worked, and all count as used: telemetry of whole nodes tells, or \
                 jobstats",
                format::grouped(unknown.into(), 0),
                format::plural(with_gpus as usize, "attempt")
            ));
        }
        if sums.unpriced > 0 {
            notes.push(format!(
                "! {} no known price: their dollars are in no sum",
                format::counted(
                    sums.unpriced,
                    "attempt with unused GPUs has",
                    "attempts with unused GPUs have"
                )
            ));
        }
        notes
    }
}

/// Sums over workloads; dollars and GPU-hours are `None` where no row has any.
#[derive(Default)]
struct RequestSums {
    usd_per_month: Option<f64>,
    unused_gpu_hours: Option<f64>,
    unpriced: usize,
}

impl RequestSums {
    fn of<'a>(rows: impl Iterator<Item = &'a RequestItem>) -> Self {
        rows.fold(Self::default(), |sums, row| Self {
            usd_per_month: with_known(sums.usd_per_month, row.of.usd_per_month),
            unused_gpu_hours: with_known(sums.unused_gpu_hours, row.of.unused_gpu_hours),
            unpriced: sums.unpriced + row.of.unpriced as usize,
        })
    }
}
