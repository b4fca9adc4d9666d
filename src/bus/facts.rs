//! What the cache remembers of the last run: the first picture, before any source is asked.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ask::KeptLooks;
use super::readings::{self, Readings};
use super::{Regions, Shared};
use crate::analyze::idle::Policy;
use crate::cache::Cache;
use crate::domain::cleaned::exact;
use crate::domain::{Instance, LaunchOf, Offer, Scope, SourceId, TypeSpec, Verdict, arcs, text};

/// Kinds of facts in the cache. A change of a stored type needs a new layout number.
pub(super) mod kind {
    use crate::cache::FactKind;

    /// `Vec<Instance>` per scope.
    pub const INSTANCES: FactKind = FactKind::new("instances", 2);
    /// `Vec<TypeSpec>` per scope.
    pub const TYPES: FactKind = FactKind::new("types", 1);
    /// `Vec<Offer>` per scope: list prices.
    pub const OFFERS: FactKind = FactKind::new("offers", 1);
    /// `Vec<Offer>` per scope: spot prices.
    pub const SPOT: FactKind = FactKind::new("spot", 1);
    /// [`super::CandidateOffers`] per scope.
    pub const CANDIDATE_OFFERS: FactKind = FactKind::new("kin-offers", 2);
    /// [`super::Judged`] per scope.
    pub const VERDICTS: FactKind = FactKind::new("verdicts", 7);
    /// [`super::super::ask::KeptLooks`] per scope.
    pub const LAUNCHES: FactKind = FactKind::new("launches", 1);
    /// [`super::super::starts::Starts`] per scope.
    pub const STARTS: FactKind = FactKind::new("idle-starts", 1);
    /// [`super::super::starts::Starts`] of all GPUs, under [`super::of_all_gpus`].
    pub const GPU_STARTS: FactKind = FactKind::new("gpu-idle-starts", 1);
    /// [`super::KnownAccount`] under the label of the account.
    pub const ACCOUNT: FactKind = FactKind::new("account", 1);
}

/// List prices of what the instances of a scope may become.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct CandidateOffers {
    /// Types that ran when they were asked for, also those of which no price came.
    pub asked: BTreeSet<Arc<str>>,
    /// The prices.
    pub offers: Vec<Offer>,
}

/// Verdicts of a scope as stored.
#[derive(Serialize, Deserialize)]
pub(super) struct Judged {
    /// [`policy_key`] of the policy that judged; compared, and shown nowhere.
    #[serde(with = "exact")]
    pub policy: String,
    /// Verdicts by instance id.
    pub verdicts: Vec<(Arc<str>, Arc<Verdict>)>,
}

impl Judged {
    /// True when `policy` made these verdicts.
    pub fn is_by(&self, policy: &Policy) -> bool {
        self.policy == policy_key(policy)
    }
}

/// Key of a policy, made of all that it tests: a preset of the user's may change under its name.
pub(super) fn policy_key(policy: &Policy) -> String {
    format!("{policy:?}")
}

/// Account as it last answered, so that its scopes are known before it answers again.
#[derive(Serialize, Deserialize)]
pub(super) struct KnownAccount {
    /// 12-digit id.
    pub account: Arc<str>,
    /// Home region of the credentials.
    pub home: Arc<str>,
}

/// An inventory and when it was taken.
pub(super) type Instances = (Vec<Arc<Instance>>, Option<Timestamp>);
/// Verdicts that go on being true until somebody judges anew.
pub(super) struct Verdicts {
    /// What they were judged by.
    pub policy: Arc<Policy>,
    /// By instance id.
    pub verdicts: Vec<(Arc<str>, Arc<Verdict>)>,
    /// When they were made.
    pub taken_at: Option<Timestamp>,
}

/// What a scope goes on from: the same instances and verdicts as on the screen, not copies.
#[derive(Default)]
pub(super) struct Remembered {
    /// The inventory and when it was taken.
    pub instances: Option<Instances>,
    /// Verdicts by the policy that was in force when they were read.
    pub verdicts: Option<Verdicts>,
}

/// The cached facts of the selected accounts and regions.
#[derive(Default)]
pub(super) struct Cached {
    pub instances: HashMap<Scope, Vec<Arc<Instance>>>,
    /// What the scopes go on from.
    pub remembered: HashMap<Scope, Remembered>,
    pub types: Vec<Arc<TypeSpec>>,
    pub offers: Vec<Offer>,
    pub verdicts: HashMap<Arc<str>, Arc<Verdict>>,
    /// Who launched instances, by id.
    pub launches: HashMap<Arc<str>, Arc<LaunchOf>>,
    pub readings: Readings,
    /// Which of it is shown because of which account, by label: the label may lead to another
    /// account by now, and the account to other regions.
    pub claims: HashMap<String, HashSet<Scope>>,
    /// True when the cached verdicts were made by another policy than the one in force.
    pub other_policy: bool,
}

/// Where an account's identity is kept: under its label, which is known before it answers.
pub(super) fn account_key(label: &str) -> Scope {
    Scope::new(&*text::clean(label), "-")
}

/// Scope that facts about GPUs are stored under: their sources may know of no account.
pub(super) fn of_all_gpus() -> Scope {
    Scope::new("gpus", "-")
}

/// An account of the selection, as it was when it last answered.
pub(super) struct Wanted<'a> {
    label: &'a str,
    known: KnownAccount,
    regions: &'a Regions,
}

impl Wanted<'_> {
    /// 12-digit id of the account.
    pub fn account(&self) -> &Arc<str> {
        &self.known.account
    }

    /// What the selection calls it.
    pub fn label(&self) -> &str {
        self.label
    }

    /// True when the scope belongs to the selected regions of this account.
    pub fn claims(&self, scope: &Scope) -> bool {
        self.known.account == scope.account
            && match self.regions {
                Regions::Home => self.known.home == scope.region,
                Regions::Named(names) => names.contains(&scope.region),
                Regions::Enabled => true,
            }
    }
}

/// The accounts of `selection` (label and regions) that ever answered.
pub(super) async fn wanted<'a>(
    cache: &Cache,
    selection: &'a [(String, Regions)],
    now: Timestamp,
) -> Vec<Wanted<'a>> {
    let mut wanted = Vec::new();
    for (label, regions) in selection {
        let known = cache.get::<KnownAccount>(kind::ACCOUNT, &account_key(label), now).await;
        if let Some(known) = known {
            wanted.push(Wanted { label, known: known.value, regions });
        }
    }
    wanted
}

/// Loads what the cache holds for `selection` (label and regions of each account).
pub(super) async fn load(shared: &Shared, selection: &[(String, Regions)]) -> Cached {
    let now = shared.now();
    let wanted = wanted(&shared.cache, selection, now).await;
    let selected = |scope: &Scope| wanted.iter().any(|w| w.claims(scope));
    let mut cached = Cached::default();
    for (scope, stored) in shared.cache.all::<Vec<Instance>>(kind::INSTANCES, now).await {
        if selected(&scope) {
            cached.note(SourceId::Ec2, &scope, stored.taken_at);
            let instances = arcs(stored.value);
            cached.remembered.entry(scope.clone()).or_default().instances =
                Some((instances.clone(), stored.taken_at));
            cached.instances.insert(scope, instances);
        }
    }
    for (scope, stored) in shared.cache.all::<Vec<TypeSpec>>(kind::TYPES, now).await {
        if selected(&scope) {
            cached.note(SourceId::Types, &scope, stored.taken_at);
            cached.types.extend(stored.value.into_iter().map(Arc::new));
        }
    }
    for (scope, stored) in shared.cache.all::<CandidateOffers>(kind::CANDIDATE_OFFERS, now).await {
        if selected(&scope) {
            cached.offers.extend(stored.value.offers);
        }
    }
    for (source, kind) in [(SourceId::Prices, kind::OFFERS), (SourceId::Spot, kind::SPOT)] {
        for (scope, stored) in shared.cache.all::<Vec<Offer>>(kind, now).await {
            if selected(&scope) {
                cached.note(source, &scope, stored.taken_at);
                cached.offers.extend(stored.value);
            }
        }
    }
    for (scope, stored) in shared.cache.all::<KeptLooks>(kind::LAUNCHES, now).await {
        if selected(&scope) {
            cached.launches.extend(stored.value.into_looks());
        }
    }
    let policy = shared.policy.borrow().clone();
    for (scope, stored) in shared.cache.all::<Judged>(kind::VERDICTS, now).await {
        if selected(&scope) {
            cached.note(SourceId::CloudWatch, &scope, stored.taken_at);
            if stored.value.is_by(&policy) {
                cached.verdicts.extend(stored.value.verdicts.iter().cloned());
                cached.remembered.entry(scope).or_default().verdicts = Some(Verdicts {
                    policy: policy.clone(),
                    verdicts: stored.value.verdicts,
                    taken_at: stored.taken_at,
                });
            } else {
                cached.other_policy = true;
            }
        }
    }
    for want in &wanted {
        let scopes = cached.readings.iter().map(|r| &r.scope).filter(|s| want.claims(s));
        let scopes = scopes.cloned().collect();
        cached.claims.insert(want.label.to_owned(), scopes);
    }
    cached
}

impl Cached {
    fn note(&mut self, source: SourceId, scope: &Scope, taken_at: Option<Timestamp>) {
        self.readings.remember(readings::cached(source, scope, taken_at));
    }
}
