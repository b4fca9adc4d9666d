//! All accounts and regions as one source: which there are is known only once the accounts have
//! answered, and only regions with GPU instances are worth a call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;

use super::{Budget, CloudWatchGpu, SHORTEST_S};
use crate::domain::{HostTrouble, Scope, SourceError, SourceId, Sweep};
use crate::source::gpu::{Ask, GpuSource};
use crate::source::provider::Provider;

/// The GPUs of all accounts.
pub struct CloudWatchGpus {
    origin: Arc<str>,
    providers: Vec<Arc<dyn Provider>>,
    budget: Arc<Budget>,
    known: Mutex<Known>,
}

/// What the accounts turned out to be.
#[derive(Default)]
struct Known {
    /// Who answers for an account, by its id.
    accounts: BTreeMap<Arc<str>, Arc<dyn Provider>>,
    scopes: BTreeMap<Scope, Arc<CloudWatchGpu>>,
}

impl CloudWatchGpus {
    /// The GPUs that `providers` tell of, paid from `budget`.
    pub fn new(providers: Vec<Arc<dyn Provider>>, budget: Arc<Budget>) -> Self {
        Self { origin: "cloudwatch".into(), providers, budget, known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks those who have not said yet which account they are; who does not answer is asked again
    /// the next time.
    async fn identify(&self, wanted: &BTreeSet<Scope>) {
        let missing = {
            let known = self.known();
            wanted.iter().any(|scope| !known.accounts.contains_key(&scope.account))
        };
        if !missing {
            return;
        }
        let answers = join_all(self.providers.iter().map(async |provider| {
            provider.identity().await.ok().map(|who| (who.account, provider.clone()))
        }))
        .await;
        let mut known = self.known();
        for (account, provider) in answers.into_iter().flatten() {
            known.accounts.entry(account).or_insert(provider);
        }
    }

    /// The sources of `wanted`, made when first needed.
    fn scopes(&self, wanted: &BTreeSet<Scope>) -> Vec<Arc<CloudWatchGpu>> {
        let mut known = self.known();
        let Known { accounts, scopes } = &mut *known;
        wanted
            .iter()
            .filter_map(|scope| {
                if let Some(source) = scopes.get(scope) {
                    return Some(source.clone());
                }
                let provider = accounts.get(&scope.account)?.clone();
                let source = CloudWatchGpu::new(provider, scope.clone(), self.budget.clone());
                let source = Arc::new(source);
                scopes.insert(scope.clone(), source.clone());
                Some(source)
            })
            .collect()
    }
}

#[async_trait::async_trait]
impl GpuSource for CloudWatchGpus {
    fn source(&self) -> SourceId {
        SourceId::CloudWatchGpu
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        self.budget.every()
    }

    fn focus_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(SHORTEST_S))
    }

    /// All regions at the same time; one that fails hides no other. An error only where all fail.
    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let wanted: BTreeSet<Scope> =
            ask.hosts.iter().map(|host| host.instance.scope.clone()).collect();
        self.identify(&wanted).await;
        let sources = self.scopes(&wanted);
        let answers = join_all(sources.iter().map(|source| source.sweep(ask))).await;
        let mut all = ask.answer(self);
        let mut last_error = None;
        let mut good = false;
        for (source, answer) in sources.iter().zip(answers) {
            match answer {
                Ok(sweep) => {
                    good = true;
                    all.samples.extend(sweep.samples);
                    all.asked += sweep.asked;
                    all.answered += sweep.answered;
                    all.troubles.extend(sweep.troubles);
                    all.partial |= sweep.partial;
                }
                Err(error) => {
                    let error = Arc::new(error);
                    all.asked += 1;
                    all.partial = true;
                    all.troubles
                        .push(HostTrouble { host: source.origin().clone(), error: error.clone() });
                    last_error = Some(error);
                }
            }
        }
        match last_error {
            Some(error) if !good => Err((*error).clone()),
            _ => Ok(all),
        }
    }
}
