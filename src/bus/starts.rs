//! Since when instances idle, kept beyond the window that showed it.
//!
//! A verdict looks at its window alone: without a memory a stretch that fills it would begin anew with
//! each hour, and the dollars wasted since would fall with it. So each stretch keeps the earliest start
//! that was seen of it, in the cache too; a use ends it. A verdict that can say nothing ends nothing:
//! whether the stretch goes on is for the next one to see, which takes it up only where no hour between
//! the two was left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Shared;
use super::facts::{kind, policy_key};
use crate::analyze::idle::Policy;
use crate::domain::cleaned::exact;
use crate::domain::{Hour, IdleStart, Scope, Verdict, VerdictKind};

/// Policies of which starts are kept: the newest. What one calls idle is not so for another.
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
    /// [`policy_key`] of it; compared, and shown nowhere.
    #[serde(with = "exact")]
    policy: String,
    starts: StartsOf,
}

/// By instance id.
type StartsOf = BTreeMap<Arc<str>, IdleStart>;

impl Starts {
    /// What the cache holds of a scope; nothing where it holds nothing.
    pub async fn from_cache(shared: &Shared, scope: &Scope) -> Self {
        let now = shared.now();
        let stored = shared.cache.get::<Self>(kind::STARTS, scope, now).await;
        stored.map(|s| s.value).unwrap_or_default()
    }

    /// Since when instances idle under a policy, as far as it was seen; `None` where none does.
    pub fn of(&self, policy: &Policy) -> Option<&StartsOf> {
        let key = policy_key(policy);
        self.policies.iter().find(|of| of.policy == key).map(|of| &of.starts)
    }

    /// Takes in verdicts over hours up to `until`.
    pub fn note<'a>(
        &mut self,
        policy: &Policy,
        verdicts: impl Iterator<Item = (&'a Arc<str>, &'a Verdict)>,
        until: Hour,
    ) {
        let key = policy_key(policy);
        let at = self.policies.iter().position(|of| of.policy == key);
        let mut of = at.map_or_else(
            || OfPolicy { policy: key, starts: BTreeMap::new() },
            |at| self.policies.remove(at),
        );
        for (id, verdict) in verdicts {
            match IdleStart::of(verdict, until) {
                Some(start) => drop(of.starts.insert(id.clone(), start)),
                // Use ends the stretch; a verdict that says nothing of use does not.
                None if !is_silent(verdict.kind) => drop(of.starts.remove(id)),
                None => {}
            }
        }
        self.policies.insert(0, of);
        self.policies.truncate(POLICIES);
    }

    /// Forgets instances that `keep` is false for.
    pub fn retain(&mut self, keep: impl Fn(&Arc<str>) -> bool) {
        for of in &mut self.policies {
            of.starts.retain(|id, _| keep(id));
        }
        self.policies.retain(|of| !of.starts.is_empty());
    }
}

/// True for a verdict that says neither that an instance idles nor that it is used.
fn is_silent(kind: VerdictKind) -> bool {
    matches!(kind, VerdictKind::Unknown | VerdictKind::Exempt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::idle::Preset;
    use crate::cache::decode;
    use crate::view::fixture;

    fn verdict(kind: VerdictKind, since: Option<&str>) -> Verdict {
        let idle_since = since.map(|t| t.parse().unwrap());
        let made = fixture::verdict(kind, 2, None, "why");
        Verdict { idle_since, idle_since_at_least: since.is_some(), ..made }
    }

    #[test]
    fn a_start_is_kept_until_a_use_is_seen() {
        let policy = Preset::Cautious.policy();
        let id: Arc<str> = "i-1".into();
        let mut starts = Starts::default();
        let mut note = |kind, since, until| {
            let verdict = verdict(kind, since);
            starts.note(&policy, std::iter::once((&id, &verdict)), Hour(until));
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
        let [one, other] = [Preset::Cautious, Preset::MeanCpu].map(Preset::policy);
        let ids: [Arc<str>; 2] = ["i-2".into(), "i-1".into()];
        let idle = verdict(VerdictKind::Partial, Some("2026-01-01T00:00:00Z"));
        let mut starts = Starts::default();
        starts.note(&one, ids.iter().map(|id| (id, &idle)), Hour(5));
        assert_eq!(starts.of(&one).unwrap()["i-1"].gpus, Some(Vec::new()));
        assert_eq!(starts.of(&other), None);
        let bytes = postcard::to_allocvec(&starts).unwrap();
        assert_eq!(decode::<Starts>(&bytes).unwrap(), starts);
        starts.retain(|id| **id == *"i-2");
        let left: Vec<&str> = starts.of(&one).unwrap().keys().map(|id| &**id).collect();
        assert_eq!(left, ["i-2"]);
        starts.retain(|_| false);
        assert_eq!(starts, Starts::default());
    }
}
