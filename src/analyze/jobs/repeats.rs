//! What was lost again and again: the same script, the same node, the last hour, sweeps that nobody stopped.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::costed::Costed;
use super::lost::Amount;
use crate::domain::bill::words;
use crate::domain::jobs::{Attempt, JobSource, JobState};

/// Failures of a script one after the other that are a habit.
const SCRIPT_AT_LEAST: usize = 3;
/// Completed runs of a script that tell how long it takes.
const USUAL_AT_LEAST: usize = 3;
/// Length from which on the last hour is worth a line.
const LONG: SignedDuration = SignedDuration::from_hours(2);
/// The last hour.
const HOUR_MS: i64 = 3_600_000;
/// Members from which on jobs side by side are a sweep.
const SWEEP_AT_LEAST: usize = 8;

words! {
    /// What was lost again and again. Of an attempt that is in several, the first counts it.
    RepeatKind {
        /// Retries of a job on a node on which it had just failed.
        SameNode = "same_node",
        /// A script that failed several times one after the other.
        SameScript = "same_script",
        /// Runs that failed in what was to be their last hour.
        LastHour = "last_hour",
        /// A sweep whose members all ran to the end.
        Sweep = "sweep",
    }
}

/// Something that was lost again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Kind and key; unique.
    pub id: Arc<str>,
    /// Kind.
    pub kind: RepeatKind,
    /// The node; else user and name of the script or sweep.
    pub key: Arc<str>,
    /// Number of attempts.
    pub attempts: u32,
    /// What they lost; of a sweep what stopping half of its members at half their time would have saved.
    pub lost: Amount,
    /// What of it is in no finding before this one: sums are made of it.
    pub own: Amount,
}

/// A script, by source, cluster, user and name.
pub(super) type ScriptKey<'a> = (JobSource, &'a str, &'a str, &'a str);

/// The script of an attempt; `None` for one without a name.
pub(super) fn script(of: &Attempt) -> Option<ScriptKey<'_>> {
    let user = of.user.as_deref().unwrap_or_default();
    Some((of.id.source, &of.id.cluster, user, of.name.as_deref()?))
}

/// Cluster, user and name of a script, as far as they are known.
pub(super) fn words_of((_, cluster, user, name): ScriptKey<'_>) -> String {
    let parts = [cluster, user, name];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// True for an attempt that failed by itself: nobody took its nodes away.
pub(super) fn has_failed(of: &Attempt) -> bool {
    of.state.is_lost() && of.state != JobState::Preempted
}

/// What was lost again and again, what lost most first.
pub fn repeats(rows: &[Costed]) -> Vec<Repeat> {
    let mut counted: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    for (kind, groups) in [
        (RepeatKind::SameNode, same_node(rows)),
        (RepeatKind::SameScript, same_script(rows)),
        (RepeatKind::LastHour, last_hour(rows)),
        (RepeatKind::Sweep, sweeps(rows)),
    ] {
        for (key, places) in groups {
            let amount = |place: usize| match kind {
                // Half of the members at half of their time (median stopping, Golovin et al. 2017).
                RepeatKind::Sweep => rows[place].held.part(1, 4),
                _ => rows[place].lost,
            };
            let known = |all: Amount, place: usize| {
                let one = amount(place);
                // Unknown dollars of one leave the others theirs.
                Amount {
                    gpu_time: Some(
                        all.gpu_time.unwrap_or_default() + one.gpu_time.unwrap_or_default(),
                    ),
                    usd: match (all.usd, one.usd) {
                        (Some(all), Some(one)) => Some(all + one),
                        (all, one) => all.or(one),
                    },
                }
            };
            let none = Amount { gpu_time: None, usd: None };
            let lost = places.iter().copied().fold(none, known);
            let own =
                places.iter().copied().filter(|place| counted.insert(*place)).fold(none, known);
            found.push(Repeat {
                id: format!("{} {key}", kind.word()).into(),
                kind,
                key: key.into(),
                attempts: u32::try_from(places.len()).unwrap_or(u32::MAX),
                lost,
                own,
            });
        }
    }
    found.sort_by(|a, b| {
        let by = |of: &Repeat| (of.lost.usd, of.lost.gpu_time);
        by(b).cmp(&by(a)).then_with(|| a.id.cmp(&b.id))
    });
    found
}

/// Places of the attempts that failed again and again, in their order: what they lost could have been avoided. The first failure
/// had to be tried, and what was taken away by others is not of the run.
pub(super) fn failed_again(rows: &[Costed]) -> BTreeSet<usize> {
    let found = [same_node(rows), same_script(rows), last_hour(rows)];
    found.into_iter().flat_map(BTreeMap::into_values).flatten().collect()
}

type Groups = BTreeMap<String, Vec<usize>>;

/// Retries of a job on a node on which its attempt before had failed, and which failed as well: by node.
fn same_node(rows: &[Costed]) -> Groups {
    let mut jobs: HashMap<(JobSource, &str, &str), Vec<usize>> = HashMap::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| has_failed(&row.attempt)) {
        let of = &row.attempt;
        jobs.entry((of.id.source, &of.id.cluster, &of.job)).or_default().push(place);
    }
    let mut groups = Groups::new();
    for places in jobs.values() {
        for pair in places.windows(2) {
            let (before, after) = (&rows[pair[0]], &rows[pair[1]]);
            if after.number != before.number + 1 {
                continue;
            }
            let shared =
                after.attempt.nodes.iter().find(|node| before.attempt.nodes.contains(*node));
            if let Some(node) = shared {
                let cluster = &after.attempt.id.cluster;
                let key =
                    if cluster.is_empty() { node.to_string() } else { format!("{cluster} {node}") };
                groups.entry(key).or_default().push(pair[1]);
            }
        }
    }
    groups.values_mut().for_each(|places| places.sort_unstable());
    groups
}

/// By script its attempts in the order in which they ended.
fn by_script(rows: &[Costed]) -> HashMap<ScriptKey<'_>, Vec<usize>> {
    let mut scripts: HashMap<ScriptKey<'_>, Vec<usize>> = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        if let (Some(key), Some(_)) = (script(&row.attempt), row.attempt.ended_at) {
            scripts.entry(key).or_default().push(place);
        }
    }
    scripts.values_mut().for_each(|all| all.sort_by_key(|place| rows[*place].attempt.ended_at));
    scripts
}

/// Scripts that failed several times one after the other: all failures but the first, which had to be tried.
fn same_script(rows: &[Costed]) -> Groups {
    let mut groups = Groups::new();
    for (key, places) in by_script(rows) {
        let streaks =
            places.chunk_by(|a, b| has_failed(&rows[*a].attempt) == has_failed(&rows[*b].attempt));
        for streak in streaks {
            let is_habit = streak.len() >= SCRIPT_AT_LEAST && has_failed(&rows[streak[0]].attempt);
            if is_habit {
                groups.entry(words_of(key)).or_default().extend(&streak[1..]);
            }
        }
    }
    groups
}

/// Runs that failed in the hour before the script usually completes, and those that ran into their limit: by script.
fn last_hour(rows: &[Costed]) -> Groups {
    let mut groups = Groups::new();
    for (key, places) in by_script(rows) {
        let long = |place: &usize| {
            rows[*place].attempt.held_ms().filter(|ms| *ms >= LONG.as_millis() as i64)
        };
        let is = |place: &usize, state: JobState| rows[*place].attempt.state == state;
        let completed = places.iter().filter(|place| is(place, JobState::Completed));
        let mut lengths: Vec<i64> =
            completed.filter_map(|place| rows[*place].attempt.held_ms()).collect();
        lengths.sort_unstable();
        let usual = (lengths.len() >= USUAL_AT_LEAST).then(|| lengths[lengths.len() / 2]);
        let is_late = |place: &&usize| {
            let Some(ms) = long(place) else { return false };
            let is_usual = usual.is_some_and(|usual| (usual - HOUR_MS..usual).contains(&ms));
            is(place, JobState::TimedOut) || has_failed(&rows[**place].attempt) && is_usual
        };
        let late: Vec<usize> = places.iter().filter(is_late).copied().collect();
        if !late.is_empty() {
            groups.entry(words_of(key)).or_default().extend(late);
        }
    }
    groups
}

/// What members of a sweep have in common: the array of Slurm or AWS Batch, the parent, else user and name without the number at its end.
pub(super) fn sweep_key(of: &Attempt) -> Option<String> {
    // `8_3` of Slurm, `ID:3` of Batch.
    let between = if of.id.source == JobSource::Batch { ':' } else { '_' };
    let array =
        of.job.split_once(between).filter(|(_, task)| task.bytes().all(|b| b.is_ascii_digit()));
    let stem = || {
        let name = of.name.as_deref()?;
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_numbered = stem.len() < name.len() && !stem.is_empty();
        is_numbered.then(|| stem.trim_end_matches(['-', '_', '.', '=']).to_owned())
    };
    let what = match (array, &of.parent) {
        (Some((array, _)), _) => array.to_owned(),
        (None, Some(parent)) => parent.to_string(),
        (None, None) => stem()?,
    };
    let name = of.name.as_deref().unwrap_or_default();
    let user = of.user.as_deref().unwrap_or_default();
    let parts = match array {
        Some(_) => [&of.id.cluster, user, name, &what],
        None => [&of.id.cluster, user, &what, ""],
    };
    Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

/// Sweeps that are over, of which nearly all members completed and none much earlier than the others: nobody stopped any.
fn sweeps(rows: &[Costed]) -> Groups {
    let mut groups = Groups::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.attempt.started_at.is_some())
    {
        if let Some(key) = sweep_key(&row.attempt) {
            groups.entry(key).or_default().push(place);
        }
    }
    groups.retain(|_, places| {
        let members = places.iter().map(|place| &rows[*place].attempt);
        nobody_stopped(members.map(|of| (of.state, of.held_ms())))
    });
    groups
}

/// True where members of a sweep (each with its state and for how long it held nodes, milliseconds) are over, nearly all of them
/// completed, and none much earlier than the others.
pub(super) fn nobody_stopped(members: impl Iterator<Item = (JobState, Option<i64>)>) -> bool {
    let (mut count, mut is_over, mut lengths) = (0, true, Vec::new());
    for (state, held_ms) in members {
        count += 1;
        is_over &= state.is_over();
        lengths.extend(held_ms.filter(|_| state == JobState::Completed));
    }
    lengths.sort_unstable();
    let nearly_all = lengths.len() * 10 >= count * 9;
    let (quarter, middle) = (lengths.len() / 4, lengths.len() / 2);
    let even = lengths.get(quarter).zip(lengths.get(middle));
    count >= SWEEP_AT_LEAST
        && is_over
        && nearly_all
        && even.is_some_and(|(short, middle)| *short * 10 >= *middle * 8)
}
