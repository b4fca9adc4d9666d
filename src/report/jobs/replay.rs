//! Rules replayed over what was lost.

use serde_json::{Value as Json, json};

use super::{hours, usd};
use crate::analyze::jobs::{ReplayKey, ReplayTerms, Replayed};
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::jobs::picture::ReplayField;
use crate::view::{TableField as _, ViewContext, format};

/// What rules were replayed over, and by what terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplaysOf {
    /// The terms.
    pub terms: ReplayTerms,
    /// What they were replayed over.
    pub replayed: Replayed,
}

fn minutes(ms: i64) -> f64 {
    ms as f64 / 60_000.0
}

fn span(ms: i64) -> String {
    format::span(ms / 1000)
}

/// As exact as the hours of rows.
fn rounded(number: Option<f64>) -> Option<f64> {
    number.map(|number| (number * 1e6).round() / 1e6)
}

impl ListField for ReplayField {
    type Of = ReplaysOf;

    const VIEW: &'static str = "jobs-replay";

    const IDENTITY: &'static [Self] = &[Self::Rule, Self::Setting, Self::Key];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &ReplaysOf) -> &[Reading] {
        &[]
    }

    fn columns_of(of: &ReplaysOf) -> Option<Vec<Self>> {
        let keyed = || {
            let mut columns = Self::COLUMNS.to_vec();
            columns.insert(0, Self::Key);
            columns
        };
        (of.terms.by != ReplayKey::All).then(keyed)
    }

    fn heading(self, of: &ReplaysOf) -> &'static str {
        match (self, of.terms.by) {
            (Self::Key, ReplayKey::User) => "USER",
            (Self::Key, ReplayKey::Team) => "TEAM",
            (Self::Key, ReplayKey::Script) => "SCRIPT",
            _ => self.spec().header,
        }
    }

    fn basis(of: &ReplaysOf) -> String {
        let terms = &of.terms;
        let when = terms.days.map_or_else(String::new, |days| {
            format!(" that ended in the last {}", format::plural(days as usize, "day"))
        });
        format!(
            "Each rule by itself, replayed over all kept attempts{when}. retry_limit: what began after so many failures of its script in a \
             row and before one that completed; its cost is what of it was not lost. drain_after: what began within {} h after \
             so many failures within {} h on a node, by its hardware or for an unknown cause; its cost is what else was held there \
             then. checkpoint_every: what was held since the last one and {} to restart, instead of what was lost; its cost is {} for each. \
             early_stopping: half of what members of sweeps held after that, of which nobody stopped any",
            terms.drained_hours,
            terms.within_hours,
            span(of.replayed.restart_ms),
            span(terms.checkpoint_ms),
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let ReplaysOf { terms, replayed: of } = list.of;
        let among = json!({
            "attempts": of.attempts,
            "lost_gpu_hours": hours(of.lost),
            "lost_usd": usd(of.lost_usd_known()),
            "unpriced_attempts": of.unpriced,
            "upper_bound_attempts": of.upper_bounds,
            "unknown_gpu_attempts": of.unknown_gpus,
            "unknown_outcome_attempts": of.unknown_outcome,
        });
        vec![
            ("by", json!(terms.by.word())),
            ("days", json!(terms.days)),
            ("checkpoint_cost_minutes", json!(minutes(terms.checkpoint_ms))),
            ("restart_minutes", json!(rounded(Some(minutes(of.restart_ms))))),
            ("drain_within_hours", json!(terms.within_hours)),
            ("drain_for_hours", json!(terms.drained_hours)),
            ("hours_to_failure", json!(rounded(of.hours_to_failure))),
            ("best_checkpoint_minutes", json!(rounded(of.best_minutes))),
            ("among", among),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let of = &list.of.replayed;
        let lost = of.lost_usd_known().map(|usd| format!(" ({})", format::usd(usd.to_f64())));
        let mut notes = vec![format!(
            "lost by {}: {} GPU-hours{}; rules overlap, and are in no sum",
            format::counted(of.attempts as usize, "attempt", "attempts"),
            format::grouped(of.lost.hours(), 1),
            lost.unwrap_or_default()
        )];
        if let Some((mean, best)) = of.hours_to_failure.zip(of.best_minutes) {
            let seconds = |seconds: f64| format::span(seconds.round() as i64);
            notes.push(format!(
                "a run failed after {} on average: a checkpoint each {} would lose the least (Young 1974, Daly 2006)",
                seconds(mean * 3_600.0),
                seconds(best * 60.0)
            ));
        }
        let odd = [
            (
                of.upper_bounds,
                "tell of no checkpoint: what they lost, and so what is saved, is at most that",
            ),
            (of.unpriced, "have no known price: the dollars are a lower bound"),
            (of.unknown_gpus, "tell no GPU-hours: they are in no sum"),
            (
                of.unknown_outcome,
                "do not tell how they ended: they are in no sum, and end a row of failures",
            ),
        ];
        for (number, what) in odd.into_iter().filter(|(number, _)| *number > 0) {
            let attempts = format::counted(number as usize, "attempt", "attempts");
            notes.push(format!("! {attempts}: {what}"));
        }
        notes
    }
}
