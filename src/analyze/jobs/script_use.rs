//! How much the GPUs of scripts did whose names speak of inference or batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::costed::Costed;
use super::repeats::{ScriptKey, script};
use crate::analyze::spot::may_infer;
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, GpuTime, Gpus, ScriptUse};

/// The shortest time over which dollars are spread, hours.
const LEAST_HOURS: f64 = 24.0;

/// Such scripts with attempts on GPUs that ended in the last `days` before `now`, by id.
pub(super) fn scripts(rows: &[Costed], days: u32, now: Timestamp) -> Vec<ScriptUse> {
    let window = SignedDuration::from_hours(24 * i64::from(days));
    let is_late = |of: &Attempt| {
        of.ended_at.is_some_and(|end| end <= now && now.duration_since(end) <= window)
    };
    let mut by_script: BTreeMap<ScriptKey<'_>, Vec<&Costed>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_late(&row.attempt)) {
        let has_gpus = row.attempt.gpus.is_some_and(|gpus| gpus != Gpus::ZERO);
        if let Some(key) = script(&row.attempt).filter(|key| has_gpus && may_infer(key.3)) {
            by_script.entry(key).or_default().push(row);
        }
    }
    let starts = by_script.values().flatten().filter_map(|row| row.attempt.started_at);
    let hours = starts.min().map_or(0.0, |first| now.duration_since(first).as_secs_f64() / 3_600.0);
    let hours = hours.max(LEAST_HOURS);
    by_script.iter().map(|(key, rows)| script_use(*key, rows, hours)).collect()
}

fn script_use(
    (source, cluster, user, name): ScriptKey<'_>,
    rows: &[&Costed],
    hours: f64,
) -> ScriptUse {
    let (mut held, mut used) = (0.0, 0.0);
    for (all, worked) in rows.iter().filter_map(|row| measured(row)) {
        (held, used) = (held + all, used + worked);
    }
    let usd = rows.iter().map(|row| row.held.usd).sum::<Option<Usd>>();
    let last = rows.iter().max_by_key(|row| row.attempt.ended_at);
    ScriptUse {
        // Names may hold blanks: quoted, no two scripts are one.
        id: format!("{} {cluster:?} {user:?} {name:?}", source.word()).into(),
        name: name.into(),
        team: last.and_then(|row| row.attempt.team.clone()),
        instance_type: alike(rows),
        usage: (held > 0.0).then(|| (used / held).clamp(0.0, 1.0)),
        usd_per_hour: usd.map(|usd| usd.to_f64() / hours),
    }
}

/// GPU-hours that an attempt held and those in which its GPUs worked: by telemetry, else by what its site measured of all of them.
/// `None` where neither tells.
fn measured(row: &Costed) -> Option<(f64, f64)> {
    let held = row.held.gpu_time.map(GpuTime::hours).filter(|hours| *hours > 0.0)?;
    let (worked, _) = row.worked()?;
    Some((held, worked.hours()))
}

/// Instance type of all; `None` where they differ, or one does not tell.
fn alike(rows: &[&Costed]) -> Option<Arc<str>> {
    let first = rows.first()?.attempt.instance_type.as_ref()?;
    let same = |row: &&Costed| row.attempt.instance_type.as_ref() == Some(first);
    rows.iter().all(same).then(|| first.clone())
}
