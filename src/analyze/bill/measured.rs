//! What the machines did in a month, as far as it was seen: which share of their cost worked, and which was wasted.

use jiff::Timestamp;

use super::{Measured, MeasuredShare};
use crate::domain::VerdictKind;
use crate::domain::bill::Month;
use crate::fleet::{Fleet, Row};

/// Shares of the running instances of a fleet, of their time in `period` up to `now`. A stretch that idles is waste from its
/// begin on; one in use is work for the `evidence_hours` that the verdict looks back at, as far as they are covered. Hours
/// before them are unknown, and so are instances without a verdict that tells waste.
pub fn measured(fleet: &Fleet, period: Month, now: Timestamp, evidence_hours: f64) -> Measured {
    let share = |row: &std::sync::Arc<Row>| {
        let share = measured_share(row, period, now, evidence_hours)?;
        Some((row.instance.id.clone(), share))
    };
    fleet.rows.iter().filter_map(share).collect()
}

fn measured_share(
    row: &Row,
    period: Month,
    now: Timestamp,
    evidence_hours: f64,
) -> Option<MeasuredShare> {
    let verdict = row.verdict.as_ref().filter(|v| v.kind != VerdictKind::Exempt)?;
    let waste = verdict.waste_share()?;
    let until = now.min(period.end());
    let from = row.instance.launched_at.max(period.begin());
    let hours_since = |at: Timestamp| until.duration_since(at).as_secs_f64() / 3600.0;
    let hours = hours_since(from);
    if hours <= 0.0 {
        return None;
    }
    let seen = match verdict.idle_since {
        Some(since) => hours_since(since.max(from)).max(0.0),
        None => hours.min(evidence_hours * f64::from(verdict.coverage)),
    };
    let seen = (seen / hours).clamp(0.0, 1.0);
    Some(MeasuredShare { productive: (1.0 - waste) * seen, wasted: waste * seen })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Instance, Verdict, sample};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn share(kind: VerdictKind, idle_since: Option<&str>, launched_at: &str) -> Option<(f64, f64)> {
        let instance = Instance { launched_at: at(launched_at), ..sample::instance() };
        let verdict = Verdict {
            idle_since: idle_since.map(at),
            coverage: 1.0,
            devices: 8,
            idle_gpus: Some(2),
            ..sample::verdict(kind)
        };
        let row = Row { verdict: Some(Arc::new(verdict)), ..Row::new(instance) };
        let period = "2026-01".parse().unwrap();
        let share = measured_share(&row, period, at("2026-01-11T00:00:00Z"), 120.0)?;
        Some((share.productive, share.wasted))
    }

    #[test]
    fn a_stretch_counts_within_the_month_and_what_was_not_seen_is_unknown() {
        use VerdictKind::{Busy, Exempt, Idle, Partial, Unknown};
        let old = "2025-06-01T00:00:00Z";
        assert_eq!(share(Idle, Some("2026-01-09T00:00:00Z"), old), Some((0.0, 0.2)));
        assert_eq!(share(Idle, Some("2025-11-09T00:00:00Z"), old), Some((0.0, 1.0)));
        assert_eq!(share(Partial, Some("2026-01-06T00:00:00Z"), old), Some((0.375, 0.125)));
        assert_eq!(share(Busy, None, old), Some((0.5, 0.0)));
        assert_eq!(share(Busy, None, "2026-01-09T00:00:00Z"), Some((1.0, 0.0)));
        assert_eq!(share(Unknown, None, old), None);
        assert_eq!(share(Exempt, None, old), None);
    }
}
