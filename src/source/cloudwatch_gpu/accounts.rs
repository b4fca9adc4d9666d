//! All accounts and regions as one source: which there are is known only once the accounts have
//! answered, and only regions with GPU instances are worth a call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;

use super::{Budget, CloudWatchGpu, SHORTEST_S};
use crate::domain::{ErrorKind, HostTrouble, Scope, SourceError, SourceId, Sweep};
use crate::source::gpu::{Ask, GpuSource};
use crate::source::provider::Provider;

/// CloudWatch as a source of GPU telemetry, for all accounts and regions.
pub struct CloudWatchGpus {
    origin: Arc<str>,
    providers: Vec<Arc<dyn Provider>>,
    budget: Arc<Budget>,
    known: Mutex<Known>,
}

/// Accounts that have answered, and the sources made of them.
#[derive(Default)]
struct Known {
    /// Who answers for an account, by its id.
    accounts: BTreeMap<Arc<str>, Arc<dyn Provider>>,
    scopes: BTreeMap<Scope, Arc<CloudWatchGpu>>,
}

impl CloudWatchGpus {
    /// A source over the accounts of `providers`, with a shared memory limit.
    pub fn new(providers: Vec<Arc<dyn Provider>>, budget: Arc<Budget>) -> Self {
        Self { origin: "cloudwatch".into(), providers, budget, known: Mutex::default() }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks those who have not said yet which account they are; who does not answer is asked again
    /// the next time. Gives what one of them said.
    async fn identify(&self, wanted: &BTreeSet<Scope>) -> Option<Arc<SourceError>> {
        let missing = {
            let known = self.known();
            wanted.iter().any(|scope| !known.accounts.contains_key(&scope.account))
        };
        if !missing {
            return None;
        }
        let answers = join_all(self.providers.iter().map(async |provider| {
            provider.identity().await.map(|who| (who.account, provider.clone()))
        }))
        .await;
        let mut failed = None;
        let mut known = self.known();
        for answer in answers {
            match answer {
                Ok((account, provider)) => {
                    known.accounts.entry(account).or_insert(provider);
                }
                Err(error) => failed = Some(Arc::new(error)),
            }
        }
        failed
    }

    /// The source of a scope, made when first needed; `None` while nobody answers for its account.
    fn source_of(&self, scope: &Scope) -> Option<Arc<CloudWatchGpu>> {
        let mut known = self.known();
        if let Some(source) = known.scopes.get(scope) {
            return Some(source.clone());
        }
        let provider = known.accounts.get(&scope.account)?.clone();
        let source = Arc::new(CloudWatchGpu::new(provider, scope.clone(), self.budget.clone()));
        known.scopes.insert(scope.clone(), source.clone());
        Some(source)
    }
}

/// None of the accounts that are read is this one: the cache remembers its hosts.
fn nobody_is(account: &str) -> Arc<SourceError> {
    let message = format!("no credentials are of account {account}");
    let fix = "check the profiles of the accounts in the configuration";
    Arc::new(SourceError::new(ErrorKind::Other, "sts:GetCallerIdentity", &message, fix))
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
        let silent = self.identify(&wanted).await;
        let answers = join_all(wanted.iter().map(async |scope| match self.source_of(scope) {
            Some(source) => source.sweep(ask).await.map_err(Arc::new),
            None => Err(silent.clone().unwrap_or_else(|| nobody_is(&scope.account))),
        }))
        .await;
        let mut all = ask.answer(self);
        let mut last_error = None;
        let mut good = false;
        for (scope, answer) in wanted.iter().zip(answers) {
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
                    all.asked += 1;
                    all.partial = true;
                    let host = scope.to_string().into();
                    all.troubles.push(HostTrouble { host, error: error.clone() });
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
