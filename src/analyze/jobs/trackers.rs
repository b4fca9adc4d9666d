//! Runs of trackers beside the jobs of schedulers: a run that names the job in which it was is a label of that job's attempts and no
//! attempt of its own. The scheduler decides of time, GPUs and state.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::domain::jobs::{Attempt, AttemptView, JobRef, JobSource, Packed};

/// How far the clocks of a tracker and a scheduler may differ, milliseconds.
const SLACK: i64 = 10 * 60 * 1_000;

/// A job of a scheduler: its source's word, and its id.
type Key = (Arc<str>, Arc<str>);

/// Attempts, without the runs that were in jobs which are among them: these have their labels. An id that two clusters use, or whose
/// job ran at another time, labels nothing, and the run stays.
pub(super) fn labelled(mut all: Packed) -> Packed {
    let runs = runs(&all);
    if runs.is_empty() {
        return all;
    }
    let places = places(&all, &runs);
    // Ray's first: a run may be in a job of Ray that was in one of Slurm.
    let (of_ray, others): (Vec<_>, Vec<_>) =
        runs.into_iter().partition(|(run, _)| all.view(*run).source == JobSource::Ray);
    let mut jobs_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (run, job) in of_ray.into_iter().chain(others) {
        let found = jobs_of_run(&all, run, &job, &places);
        let through = |job: usize| jobs_of.get(&job).cloned().unwrap_or_else(|| vec![job]);
        let found: Vec<usize> = found.into_iter().flat_map(through).collect();
        if !found.is_empty() {
            jobs_of.insert(run, found);
        }
    }
    let mut runs_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (run, jobs) in &jobs_of {
        for job in jobs {
            let of_job = runs_of.entry(*job).or_default();
            if !of_job.contains(run) {
                of_job.push(*run);
            }
        }
    }
    for (job, mut runs) in runs_of {
        runs.sort_by_cached_key(|run| {
            let run = all.view(*run);
            (run.source == JobSource::Ray, run.started_at, run.raw.to_owned())
        });
        let runs: Vec<Attempt> = runs.into_iter().map(|run| all.get(run)).collect();
        let mut of = all.get(job);
        Labels::of(runs.iter()).put(&mut of);
        all.set(job, of);
    }
    all.remove(|place| jobs_of.contains_key(&place));
    all
}

/// Runs that name a job, with what they name. One that names none is where its parent is.
fn runs(all: &Packed) -> Vec<(usize, JobRef)> {
    let trackers = || all.views().enumerate().filter(|(_, of)| of.is_run());
    let mut named: HashMap<(&Arc<str>, &str), &JobRef> = HashMap::new();
    for (_, run) in trackers() {
        if let Some(job) = run.in_job {
            named.insert((run.cluster, run.job), job);
        }
    }
    let of_parent = |run: &AttemptView<'_>| named.get(&(run.cluster, &**run.parent?)).copied();
    let named_by = |run: &AttemptView<'_>| run.in_job.or_else(|| of_parent(run)).cloned();
    trackers().filter_map(|(place, run)| Some((place, named_by(&run)?))).collect()
}

/// Where the attempts of the named jobs are.
fn places(all: &Packed, runs: &[(usize, JobRef)]) -> HashMap<Key, Vec<usize>> {
    let schedulers: HashSet<&str> = runs.iter().map(|(_, job)| &*job.scheduler).collect();
    let mut places: HashMap<Key, Vec<usize>> = HashMap::new();
    for (_, job) in runs {
        places.entry((job.scheduler.clone(), job.id.clone())).or_default();
    }
    for (place, of) in all.views().enumerate() {
        let word = of.source.word();
        if !schedulers.contains(word) {
            continue;
        }
        // A pod is kept by its id; its job is `namespace/job/part`, and the part may be the name of the pod.
        let others = (word == "kubernetes").then(|| {
            let parts = of.job.split('/').skip(1);
            parts.chain([of.job]).chain(of.name.map(|name| &**name))
        });
        for name in std::iter::once(of.raw).chain(others.into_iter().flatten()) {
            let key: Key = (Arc::from(word), Arc::from(name));
            let Some(found) = places.get_mut(&key) else { continue };
            if found.last() != Some(&place) {
                found.push(place);
            }
        }
    }
    places
}

/// Attempts of the job that a run names which ran while it did; empty where these are of several clusters, or of several
/// namespaces of one.
fn jobs_of_run(
    all: &Packed,
    run: usize,
    job: &JobRef,
    places: &HashMap<Key, Vec<usize>>,
) -> Vec<usize> {
    let Some(found) = places.get(&(job.scheduler.clone(), job.id.clone())) else {
        return Vec::new();
    };
    let Some((from, to)) = stretch(&all.view(run)) else { return Vec::new() };
    let is_one = |place: &usize| {
        let of = all.view(*place);
        let is_there = job.cluster.as_ref().is_none_or(|cluster| cluster == of.cluster);
        let meets = |(start, end): (i64, i64)| start <= to + SLACK && end >= from - SLACK;
        *place != run && is_there && stretch(&of).is_some_and(meets)
    };
    let found: Vec<usize> = found.iter().copied().filter(is_one).collect();
    let home = |place: &usize| {
        let of = all.view(*place);
        // Of Kubernetes a job is `namespace/job/part`, and another namespace may have one of that name.
        let namespace = match of.source {
            JobSource::Kubernetes => of.job.split('/').next(),
            _ => None,
        };
        (of.cluster, namespace)
    };
    let is_one_home = found.windows(2).all(|two| home(&two[0]) == home(&two[1]));
    if is_one_home { found } else { Vec::new() }
}

/// From when to when an attempt ran, as far as is known, milliseconds since 1970; `None` where it did not start.
fn stretch(of: &AttemptView<'_>) -> Option<(i64, i64)> {
    let start = of.started_at?;
    let end = of.ended_at.or(of.seen_until).unwrap_or(start).max(start);
    Some((start.as_millisecond(), end.as_millisecond()))
}

/// What runs say of the job in which they were.
struct Labels {
    tracker: Option<Arc<str>>,
    user: Option<Arc<str>>,
    team: Option<Arc<str>>,
    project: Option<Arc<str>>,
    checkpoint: Option<Arc<str>>,
}

impl Labels {
    /// The first run that tells each; further runs are counted.
    fn of<'a>(runs: impl Iterator<Item = &'a Attempt> + Clone) -> Self {
        let first = |what: fn(&Attempt) -> Option<Arc<str>>| runs.clone().find_map(what);
        let tracker = first(|run| run.tracker.clone().or_else(|| run.name.clone()));
        let others = runs.clone().count().saturating_sub(1);
        let tracker = tracker.map(|tracker| match others {
            0 => tracker,
            others => format!("{tracker} and {others} more").into(),
        });
        Self {
            tracker,
            user: first(|run| run.user.clone()),
            team: first(|run| run.team.clone()),
            project: first(|run| run.project.clone()),
            checkpoint: first(|run| run.checkpoint.clone()),
        }
    }

    /// Fills what the scheduler does not tell.
    fn put(self, of: &mut Attempt) {
        let fill = |place: &mut Option<Arc<str>>, label: Option<Arc<str>>| {
            if place.is_none() {
                *place = label;
            }
        };
        fill(&mut of.tracker, self.tracker);
        fill(&mut of.user, self.user);
        fill(&mut of.team, self.team);
        fill(&mut of.project, self.project);
        fill(&mut of.checkpoint, self.checkpoint);
    }
}
