//! Since when instances and GPUs idle, kept beyond the hours that showed it.
//!
//! A verdict looks at its window alone, a GPU's spell goes back as far as its hours are kept: without
//! a memory a stretch that fills them would begin anew with each hour, and the dollars wasted since
//! would fall with it. So each stretch keeps the earliest start that was seen of it, in the cache too;
//! a use ends it. A verdict that can say nothing ends nothing: whether the stretch goes on is for the
//! next one to see, which takes it up only where no hour between the two was left out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Shared;
use crate::cache::FactKind;
use crate::domain::cleaned::exact;
use crate::domain::{GpuState, Hour, IdleStart, IdleStarts, Scope, Verdict, VerdictKind};
use crate::fleet::GpuRow;

/// Most policies whose starts are kept, the newest: each has its own idle stretches.
const POLICIES: usize = 4;

/// The starts of a scope.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Starts {
    /// The newest first.
    policies: Vec<OfPolicy>,
}

/// The starts under a policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfPolicy {
    /// Tells it apart by all that idleness goes by; compared, and shown nowhere.
    #[serde(with = "exact")]
    policy: String,
    starts: IdleStarts,
}

/// State of an idle stretch after a verdict.
pub(super) enum Seen {
    /// The stretch goes on.
    Idle(IdleStart),
    /// The stretch has ended: use was seen.
    Used,
    /// Neither.
    Nothing,
}

impl Seen {
    /// State of an instance's stretch, from a verdict over hours up to `until`.
    pub fn of_instance(verdict: &Verdict, until: Hour) -> Self {
        let is_silent = matches!(verdict.kind, VerdictKind::Unknown | VerdictKind::Exempt);
        Self::of(IdleStart::of(verdict, until), is_silent)
    }

    /// State of a GPU's stretch; activity from `idle_below` (0–1) on is use.
    pub fn of_gpu(row: &GpuRow, idle_below: f32) -> Self {
        let verdict = &row.verdict;
        let until = Hour::containing(row.sample.taken_at).plus(1);
        // Broken or without evidence: only what its engines did says use.
        let is_silent =
            matches!(verdict.state, GpuState::Unknown | GpuState::Stale | GpuState::Unhealthy)
                && verdict.activity.is_none_or(|a| a.busiest < idle_below);
        Self::of(IdleStart::of_gpu(verdict, until), is_silent)
    }

    fn of(start: Option<IdleStart>, is_silent: bool) -> Self {
        match start {
            Some(start) => Self::Idle(start),
            None if is_silent => Self::Nothing,
            None => Self::Used,
        }
    }
}

impl Starts {
    /// What the cache holds of a scope; nothing where it holds nothing.
    pub async fn from_cache(shared: &Shared, kind: FactKind, scope: &Scope) -> Self {
        let stored = shared.cache.get::<Self>(kind, scope, shared.now()).await;
        stored.map(|s| s.value).unwrap_or_default()
    }

    /// Since when what is judged by a policy idles, as far as it was seen; `None` where nothing does.
    pub fn of(&self, policy: &str) -> Option<&IdleStarts> {
        self.policies.iter().find(|of| of.policy == policy).map(|of| &of.starts)
    }

    /// Takes in the states of stretches under a policy, by id of instance or GPU; true where a start changed.
    pub fn note<'a>(
        &mut self,
        policy: &str,
        seen: impl Iterator<Item = (&'a Arc<str>, Seen)>,
    ) -> bool {
        let at = self.policies.iter().position(|of| of.policy == policy);
        let mut of = at.map_or_else(
            || OfPolicy { policy: policy.to_owned(), starts: IdleStarts::new() },
            |at| self.policies.remove(at),
        );
        let mut changed = at != Some(0);
        for (id, seen) in seen {
            changed |= match seen {
                Seen::Idle(start) if of.starts.get(id) == Some(&start) => false,
                Seen::Idle(start) => {
                    of.starts.insert(id.clone(), start);
                    true
                }
                Seen::Used => of.starts.remove(id).is_some(),
                Seen::Nothing => false,
            };
        }
        self.policies.insert(0, of);
        self.policies.truncate(POLICIES);
        changed
    }

    /// Forgets those that `keep` is false for.
    pub fn retain(&mut self, keep: impl Fn(&Arc<str>, &IdleStart) -> bool) {
        for of in &mut self.policies {
            of.starts.retain(|id, start| keep(id, start));
        }
        self.policies.retain(|of| !of.starts.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::idle::Preset;
    use crate::bus::facts::policy_key;
    use crate::cache::decode;
    use crate::view::fixture;

    fn verdict(kind: VerdictKind, since: Option<&str>) -> Verdict {
        let idle_since = since.map(|t| t.parse().unwrap());
        let made = fixture::verdict(kind, 2, None, "why");
        Verdict { idle_since, idle_since_at_least: since.is_some(), ..made }
    }

    #[test]
    fn a_start_is_kept_until_a_use_is_seen() {
        let policy = policy_key(&Preset::Cautious.policy());
        let id: Arc<str> = "i-1".into();
        let mut starts = Starts::default();
        let mut note = |kind, since, until| {
            let verdict = verdict(kind, since);
            let seen = Seen::of_instance(&verdict, Hour(until));
            starts.note(&policy, std::iter::once((&id, seen)));
            starts.of(&policy).and_then(|of| of.get("i-1")).cloned()
        };
        assert_eq!(note(VerdictKind::Busy, None, 9), None);
        let first = note(VerdictKind::Idle, Some("2026-01-01T00:00:00Z"), 10).unwrap();
        assert!(first.at_least && first.until == Hour(10) && first.gpus.is_none());
        // A verdict that says nothing of use changes nothing, not even the hours that were seen.
        assert_eq!(note(VerdictKind::Unknown, None, 12), Some(first.clone()));
        assert_eq!(note(VerdictKind::Exempt, None, 13), Some(first));
        for used in [VerdictKind::Busy, VerdictKind::Underused, VerdictKind::TooNew] {
            assert!(note(VerdictKind::Idle, Some("2026-01-02T00:00:00Z"), 14).is_some());
            assert_eq!(note(used, None, 15), None, "{used:?}");
        }
    }

    #[test]
    fn each_policy_has_its_own_and_the_file_holds_them() {
        let presets = [Preset::Cautious, Preset::MeanCpu];
        let [one, other] = presets.map(|preset| policy_key(&preset.policy()));
        let ids: [Arc<str>; 2] = ["i-2".into(), "i-1".into()];
        let idle = verdict(VerdictKind::Partial, Some("2026-01-01T00:00:00Z"));
        let mut starts = Starts::default();
        let seen = || ids.iter().map(|id| (id, Seen::of_instance(&idle, Hour(5))));
        assert!(starts.note(&one, seen()));
        assert!(!starts.note(&one, seen()), "nothing new");
        assert_eq!(starts.of(&one).unwrap()["i-1"].gpus, Some(Vec::new()));
        assert_eq!(starts.of(&other), None);
        let bytes = postcard::to_allocvec(&starts).unwrap();
        assert_eq!(decode::<Starts>(&bytes).unwrap(), starts);
        starts.retain(|id, _| **id == *"i-2");
        let left: Vec<&str> = starts.of(&one).unwrap().keys().map(|id| &**id).collect();
        assert_eq!(left, ["i-2"]);
        starts.retain(|_, start| start.until > Hour(5));
        assert_eq!(starts, Starts::default());
    }

    #[test]
    fn of_a_gpu_use_ends_it_and_silence_does_not() {
        use crate::tabs::gpus::picture::fixture::{gpus, judged};
        let busy = (*gpus().rows[0]).clone();
        let id = busy.id.clone();
        let mut starts = Starts::default();
        let mut note = |row: &GpuRow| {
            starts.note("rules", std::iter::once((&id, Seen::of_gpu(row, 0.05))));
            starts.of("rules").and_then(|of| of.get(&id)).cloned()
        };
        let quiet = |state, hours| {
            let mut row = judged(busy.clone(), state, hours);
            Arc::make_mut(&mut row.verdict).activity = None;
            row
        };
        let idle = quiet(GpuState::HeldIdle, Some(24));
        let start = note(&idle).unwrap();
        assert_eq!(Some(start.since), idle.verdict.idle_since);
        assert_eq!(start.until, Hour::containing(idle.sample.taken_at).plus(1));
        for silent in [GpuState::Unknown, GpuState::Stale, GpuState::Unhealthy] {
            assert_eq!(note(&quiet(silent, None)), Some(start.clone()), "{silent:?}");
        }
        for used in [GpuState::Busy, GpuState::Inefficient, GpuState::Stalled] {
            assert!(note(&idle).is_some());
            assert_eq!(note(&quiet(used, None)), None, "{used:?}");
        }
        // Broken, and at work all the same.
        assert!(note(&idle).is_some());
        let mut broken = judged(busy.clone(), GpuState::Unhealthy, None);
        let (effective, rung) = (0.9, crate::domain::Rung::A);
        let at_work =
            crate::domain::Activity { effective, busiest: effective, rung, tensor_bound: None };
        Arc::make_mut(&mut broken.verdict).activity = Some(at_work);
        assert_eq!(note(&broken), None);
    }
}
