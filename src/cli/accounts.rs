//! From the configuration to accounts that can be asked, and where it is allowed, changed.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::athena::AthenaArgs;
use super::invocation::{DemoOptions, RunOptions};
use crate::act::exec::aws::AwsExecutor;
use crate::act::exec::storage::aws::AwsStorageExecutor;
use crate::act::exec::storage::{MemoryStorage, StorageExecutor};
use crate::act::exec::{Executor, demo as demo_executor};
use crate::bus::{Account, Clock, Regions};
use crate::config::{Config, Target};
use crate::domain::storage::Volume;
use crate::domain::{Scope, SourceError};
use crate::source::athena::service::QueryService;
use crate::source::aws::{AccountSource, AssumeRole, AwsProvider, AwsQueries, connect};
use crate::source::cost_explorer::CostSource;
use crate::source::demo::{self, DemoAccount};
use crate::source::inspect_storage::StorageInspector;
use crate::source::pages::Pages;
use crate::source::{Inspector, Provider, StorageSource};

/// How long a snapshot takes in the demo.
const DEMO_SNAPSHOT_TAKES: jiff::SignedDuration = jiff::SignedDuration::from_secs(5);

/// One account of a run: how it is read and inspected, and whether it may be changed.
#[derive(Clone)]
pub struct Reach {
    /// Entry of the configuration; `None` in the demo.
    pub target: Option<Target>,
    /// Regions to read.
    pub regions: Regions,
    way: Way,
}

#[derive(Clone)]
enum Way {
    Aws(Arc<AwsProvider>),
    Demo(Arc<DemoAccount>, MemoryStorage),
}

impl Reach {
    /// Provider that reads the account's fleet.
    pub fn provider(&self) -> Arc<dyn Provider> {
        match &self.way {
            Way::Aws(provider) => provider.clone(),
            Way::Demo(account, _) => account.provider.clone(),
        }
    }

    /// Source of the account's storage; `None` where the account has none to read.
    pub fn storage(&self) -> Option<Arc<dyn StorageSource>> {
        match &self.way {
            Way::Aws(provider) => Some(provider.clone()),
            Way::Demo(account, _) => Some(account.storage.clone()),
        }
    }

    /// Service for Athena queries in the account; `None` in the demo.
    pub fn queries(
        &self,
        region: &Arc<str>,
        args: &AthenaArgs,
        database: &str,
    ) -> Option<Arc<dyn QueryService>> {
        let Way::Aws(provider) = &self.way else { return None };
        Some(Arc::new(AwsQueries {
            provider: provider.clone(),
            region: region.clone(),
            workgroup: args.athena_workgroup.clone(),
            database: database.to_owned(),
            output: args.athena_output.clone(),
        }))
    }

    /// Cost Explorer of the account; `None` in the demo.
    pub fn costs(&self) -> Option<Arc<dyn CostSource>> {
        let Way::Aws(provider) = &self.way else { return None };
        Some(provider.clone())
    }

    /// The account for those who read jobs of its services; `None` in the demo.
    pub fn job_account(&self) -> Option<Arc<AwsProvider>> {
        let Way::Aws(provider) = &self.way else { return None };
        Some(provider.clone())
    }

    /// Inspector that reads single instances in detail, for guards.
    pub fn inspector(&self) -> Arc<dyn Inspector> {
        match &self.way {
            Way::Aws(provider) => provider.clone(),
            Way::Demo(account, _) => account.inspector.clone(),
        }
    }

    /// An executor that changes the account. Made for accounts that may be changed alone.
    pub(super) fn executor(&self) -> Arc<dyn Executor> {
        match &self.way {
            Way::Aws(provider) => Arc::new(AwsExecutor::new(provider.clone())),
            Way::Demo(account, _) => demo_executor::executor(account),
        }
    }

    /// Looks at single volumes and buckets.
    pub fn storage_inspector(&self) -> Arc<dyn StorageInspector> {
        match &self.way {
            Way::Aws(provider) => provider.clone(),
            Way::Demo(_, storage) => Arc::new(storage.clone()),
        }
    }

    /// An executor that changes storage. Made for accounts that may be changed alone.
    pub(super) fn storage_executor(&self) -> Arc<dyn StorageExecutor> {
        match &self.way {
            Way::Aws(provider) => Arc::new(AwsStorageExecutor::new(provider.clone())),
            Way::Demo(_, storage) => Arc::new(storage.clone()),
        }
    }

    /// All volumes of an account and region. Fails where a page of the list cannot be read.
    pub async fn volumes(&self, scope: &Scope) -> Result<Vec<Volume>, SourceError> {
        let provider = match &self.way {
            Way::Demo(_, storage) => return storage.volumes_of(scope).await,
            Way::Aws(provider) => provider,
        };
        let pages = Pages::of("ec2:DescribeVolumes", &scope.region);
        pages.all(|token| StorageSource::volumes(&**provider, scope, token)).await
    }

    /// The account as the bus reads it.
    pub fn account(&self) -> Account {
        Account {
            provider: self.provider(),
            storage: self.storage(),
            regions: self.regions.clone(),
        }
    }
}

/// The accounts of a run, made once, so that all that read and act share one demo world and log in to each
/// account once.
#[derive(Clone, Default)]
pub struct Reaches(Arc<Mutex<Option<Known>>>);

/// For which fleet, and its accounts.
type Known = (Option<DemoOptions>, Option<demo::DemoOptions>, Arc<[Reach]>);

impl fmt::Debug for Reaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reaches")
    }
}

impl Reaches {
    /// The accounts, the same each time for the same fleet; makes no call. Empty while a tape is played:
    /// nothing is asked and nothing can be changed.
    pub fn of(&self, config: &Config, options: &RunOptions) -> Arc<[Reach]> {
        if options.tape.is_some() {
            return Arc::default();
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((chosen, _, reaches)) = &*known
            && *chosen == options.demo
        {
            return reaches.clone();
        }
        let fleet = demo_fleet(options, &options.clock(), demo::DEFAULT_PERSON);
        let made: Arc<[Reach]> = reaches_of(config, fleet.as_ref()).into();
        *known = Some((options.demo, fleet, made.clone()));
        made
    }

    /// The demo fleet of a run with the world that its accounts share; `None` without `--demo`.
    pub fn demo_fleet(&self, config: &Config, options: &RunOptions) -> Option<demo::DemoOptions> {
        self.of(config, options);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().and_then(|(_, fleet, _)| fleet.clone())
    }
}

/// The accounts of the configuration, or those of the demo for the user `person`; makes no call.
pub fn reaches(config: &Config, options: &RunOptions, clock: &Clock, person: &str) -> Vec<Reach> {
    reaches_of(config, demo_fleet(options, clock, person).as_ref())
}

fn demo_fleet(options: &RunOptions, clock: &Clock, person: &str) -> Option<demo::DemoOptions> {
    let chosen = options.demo?;
    let mut fleet = demo::DemoOptions::new(
        chosen.seed.unwrap_or(demo::DEFAULT_SEED),
        chosen.size.map(|n| n as usize),
        Arc::clone(clock),
    );
    fleet.person = person.into();
    fleet.part = options.demo_part.clone();
    Some(fleet)
}

fn reaches_of(config: &Config, fleet: Option<&demo::DemoOptions>) -> Vec<Reach> {
    let Some(fleet) = fleet else {
        return config.targets.iter().map(reach).collect();
    };
    // The demo's regions are its own; a list from the configuration is about real accounts.
    let regions = match fleet.part.regions.as_slice() {
        [] => Regions::Enabled,
        these => Regions::named(these.iter().map(String::as_str)),
    };
    let reach = |account| Reach {
        target: None,
        regions: regions.clone(),
        way: {
            let account: DemoAccount = account;
            let storage = MemoryStorage::new(
                account.inspector.clone(),
                Arc::clone(&fleet.clock),
                DEMO_SNAPSHOT_TAKES,
            )
            .over(account.storage.clone());
            Way::Demo(Arc::new(account), storage)
        },
    };
    demo::accounts(fleet).into_iter().map(reach).collect()
}

/// The account of an entry. Asks nobody anything.
pub(super) fn reach(target: &Target) -> Reach {
    let way = Way::Aws(Arc::new(connect(source(target))));
    Reach { target: Some(target.clone()), regions: target.regions.clone(), way }
}

/// Where the credentials of an account come from.
pub(super) fn source(target: &Target) -> AccountSource {
    AccountSource {
        label: target.label.as_str().into(),
        profile: target.profile.clone(),
        assume_role: target.role_arn.clone().map(|role_arn| AssumeRole {
            role_arn,
            external_id: target.external_id.clone(),
            session_name: None,
        }),
        region_hint: match &target.regions {
            Regions::Named(list) => list.first().cloned(),
            Regions::Home | Regions::Enabled => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Env, FileConfig, Secret, Vocabulary, load, load::Sources};

    fn target() -> Target {
        Target {
            label: "prod".into(),
            profile: Some("sso".into()),
            role_arn: Some("arn:aws:iam::123456789012:role/r".into()),
            external_id: Some(Secret::new("e")),
            account_id: None,
            regions: Regions::named(["eu-west-1", "us-east-1"]),
            production: true,
            read_only: false,
            allow_actions: false,
        }
    }

    #[test]
    fn a_target_becomes_the_source_of_its_credentials() {
        let source = source(&target());
        assert_eq!(&*source.label, "prod");
        assert_eq!(source.profile.as_deref(), Some("sso"));
        assert_eq!(source.region_hint.as_deref(), Some("eu-west-1"));
        let role = source.assume_role.unwrap();
        assert_eq!(role.role_arn, "arn:aws:iam::123456789012:role/r");
        assert_eq!(role.external_id, Some(Secret::new("e")));
    }

    #[test]
    fn the_demo_stands_alone_and_is_one_world() {
        let env = Env::default();
        let flags = FileConfig::default();
        let sources = Sources { paths: None, file: None, env: &env, flags };
        let mut config = load(&sources, &Vocabulary::default()).unwrap().config;
        config.targets = vec![target()];
        let mut options = RunOptions {
            now: Some("2026-11-21T03:07:00Z".parse().unwrap()),
            ..RunOptions::default()
        };
        let shared = Reaches::default();
        let real = shared.of(&config, &options);
        assert_eq!(real.len(), 1);
        assert_eq!(real[0].provider().label(), "prod");
        assert_eq!(real[0].regions, Regions::Named(vec!["eu-west-1".into(), "us-east-1".into()]));
        options.demo = Some(DemoOptions::default());
        let demo = shared.of(&config, &options);
        assert_eq!(demo.len(), 3);
        assert!(demo.iter().all(|r| r.provider().label() != "prod" && r.target.is_none()));
        let again = shared.clone().of(&config, &options);
        assert!(Arc::ptr_eq(&demo, &again), "reading and acting see one world");
        options.demo = Some(DemoOptions { seed: Some(9), size: None });
        assert!(!Arc::ptr_eq(&demo, &shared.of(&config, &options)));
    }
}
