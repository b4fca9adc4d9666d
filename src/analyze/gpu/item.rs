//! Reads, unifies and merges the samples of sweeps into one item per GPU.

use std::sync::Arc;
use std::time::Duration;

use super::rules::{STALE_INTERVALS, STALE_MIN};
use super::watch::WatchInput;
use crate::domain::{GpuKey, GpuSample};
use crate::fleet::Told;
use crate::fleet::gpu::{Candidate, Known, Merged, Named, Places, merge, unify};

/// Interval of a source that does not say.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(30);

/// One GPU with its newest sample.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub key: GpuKey,
    pub sample: GpuSample,
    pub place: Option<usize>,
    pub told: Vec<Told>,
    pub disagreement: Arc<str>,
    /// Activity of an engine that only another source saw in use, see [`Merged::elsewhere`].
    pub elsewhere: Option<f32>,
    pub fresh: bool,
    pub limit_ms: i64,
    /// True for what is left of a sliced GPU that no source names by itself.
    pub is_rest: bool,
    /// Where the watch remembers it; `None` for one that is new or was not looked up.
    pub slot: Option<u32>,
}

/// Items of all sweeps, and the instances by the names of their hosts.
pub(super) struct Read<'a> {
    pub items: Vec<Item>,
    pub places: Places<'a>,
}

/// Reads the sweeps.
pub(super) fn read<'a>(input: &WatchInput<'a>, known: &Known) -> Read<'a> {
    let places = Places::of(&input.fleet.rows);
    let count = input.sweeps.iter().map(|s| s.samples.len()).sum();
    let mut names: Vec<Named<'_>> = Vec::with_capacity(count);
    let mut candidates: Vec<Candidate<'_>> = Vec::with_capacity(count);
    let forget_ms = input.rules.forget_after.as_millis() as i64;
    for sweep in input.sweeps {
        let key = (sweep.source, sweep.origin.clone());
        let interval = input.intervals.get(&key).copied().unwrap_or(DEFAULT_INTERVAL);
        let limit = (interval * STALE_INTERVALS).max(STALE_MIN);
        let limit_ms = limit.as_millis() as i64;
        let read_at = sweep.taken_at.min(input.now);
        for sample in &sweep.samples {
            let taken_at = sample.taken_at.min(read_at);
            let age_ms = input.now.as_millisecond() - taken_at.as_millisecond();
            if age_ms > forget_ms.max(limit_ms) {
                continue;
            }
            let place = places.find(&sample.identity.host);
            names.push(Named { identity: &sample.identity, origin: &sweep.origin, place });
            candidates.push(Candidate {
                sample,
                source: sweep.source,
                origin: &sweep.origin,
                place,
                taken_at,
                limit_ms,
                fresh: age_ms <= limit_ms,
            });
        }
    }
    let unified = unify(&names, &input.fleet.rows, known);
    let mut order: Vec<u32> = (0..candidates.len() as u32).collect();
    if unified.slots.len() < candidates.len() {
        order.sort_by_key(|i| unified.of[*i as usize]);
    }
    let host_name = |place: usize| -> Arc<str> {
        input.fleet.rows.get(place).map(|r| r.instance.id.clone()).unwrap_or_default()
    };
    let none: Arc<str> = "".into();
    let mut items = Vec::with_capacity(unified.slots.len());
    let mut keys: Vec<Option<GpuKey>> = unified.slots.into_iter().map(Some).collect();
    let mut some: Vec<Candidate<'_>> = Vec::new();
    let slot_of = |i: u32| unified.of[i as usize];
    for run in order.chunk_by(|a, b| slot_of(*a) == slot_of(*b)) {
        some.clear();
        some.extend(run.iter().map(|i| candidates[*i as usize]));
        let Some(merged) = merge(&mut some, &none, host_name) else { continue };
        let Merged { sample, place, told, disagreement, elsewhere, limit_ms, fresh } = merged;
        let Some(key) = keys[slot_of(run[0]) as usize].take() else { continue };
        items.push(Item {
            key,
            sample,
            place,
            told,
            disagreement,
            elsewhere,
            fresh,
            limit_ms,
            is_rest: false,
            slot: None,
        });
    }
    Read { items, places }
}
