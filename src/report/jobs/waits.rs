//! Queue waits beside GPUs that stood idle.

use serde_json::{Value as Json, json};

use super::with_known;
use crate::analyze::jobs::{WaitKey, WaitKind};
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::jobs::picture::{WaitField, WaitItem};
use crate::view::{TableField as _, ViewContext, format};

/// Which waits a list has.
#[derive(Clone, Copy, Debug)]
pub struct WaitsOf {
    /// What they are summed by.
    pub key: WaitKey,
    /// Days that are looked at.
    pub days: u32,
}

impl Default for WaitsOf {
    fn default() -> Self {
        Self { key: WaitKey::Hour, days: 7 }
    }
}

impl ListField for WaitField {
    type Of = WaitsOf;

    const VIEW: &'static str = "jobs-wait";

    const IDENTITY: &'static [Self] = &[Self::Hour, Self::Source, Self::Cluster, Self::Key];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &WaitsOf) -> &[Reading] {
        &[]
    }

    fn heading(self, of: &WaitsOf) -> &'static str {
        match (self, of.key) {
            (Self::Key, WaitKey::Hour) => "HOUR",
            (Self::Key, WaitKey::Queue) => "QUEUE",
            (Self::Key, WaitKey::User) => "USER",
            (Self::Key, WaitKey::Team) => "TEAM",
            _ => self.spec().header,
        }
    }

    fn basis(of: &WaitsOf) -> String {
        format!(
            "Waits for GPUs in the last {} from when nothing but nodes, limits and priority kept a job from starting; beside them what \
             nobody held through the whole hour, of nodes that the scheduler had and on which jobs of the queue ran",
            format::plural(of.days as usize, "day")
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sums = WaitSums::of(list.each());
        // As exact as the rows.
        let rounded = |sum: f64| (sum * 1e6).round() / 1e6;
        let total = json!({
            "waited_gpu_hours": rounded(sums.waited),
            "idle_beside_gpu_hours": sums.beside.map(rounded),
            "usd": sums.usd.map(rounded),
        });
        vec![("by", json!(list.of.key.word())), ("days", json!(list.of.days)), ("total", total)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let sums = WaitSums::of(list.each());
        let priced = match (sums.usd, sums.beside) {
            (_, None) => "; what stood idle beside is not known".to_owned(),
            (usd, Some(beside)) => format!(
                "; {} stood idle beside{}",
                format::grouped(beside, 1),
                usd.map_or(String::new(), |usd| format!(", at {}", format::usd(usd)))
            ),
        };
        let mut notes =
            vec![format!("{} GPU-hours were waited for{priced}", format::grouped(sums.waited, 1))];
        if sums.unknown > 0.0 {
            notes.push(format!(
                "! of {} GPU-hours nobody knows what stood idle: no scheduler told of nodes of the queue then",
                format::grouped(sums.unknown, 1)
            ));
        }
        if sums.unpriced {
            notes
                .push("! some of what stood idle has no price: dollars are of the rest".to_owned());
        }
        notes
    }
}

/// Sums over rows of waits.
#[derive(Default)]
struct WaitSums {
    waited: f64,
    unknown: f64,
    beside: Option<f64>,
    usd: Option<f64>,
    unpriced: bool,
}

impl WaitSums {
    fn of<'a>(rows: impl Iterator<Item = &'a WaitItem>) -> Self {
        rows.fold(Self::default(), |sums, row| Self {
            waited: sums.waited + row.of.waited(),
            unknown: sums.unknown + row.of.of_kind(WaitKind::Unknown),
            beside: with_known(sums.beside, row.of.beside_gpu_hours),
            usd: with_known(sums.usd, row.of.usd),
            unpriced: sums.unpriced
                || (row.of.beside_gpu_hours > Some(0.0) && row.of.usd.is_none()),
        })
    }
}
