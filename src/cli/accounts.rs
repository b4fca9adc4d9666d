//! From the configuration to accounts that can be asked.

use std::sync::Arc;

use super::invocation::RunOptions;
use crate::bus::{Account, Clock, Regions};
use crate::config::{Config, RegionChoice, Target};
use crate::source::aws::{AccountSource, AssumeRole, connect};
use crate::source::demo;

/// The accounts of a run: those of the demo, or those of the configuration. Asks nobody anything.
pub fn accounts(config: &Config, options: &RunOptions, clock: &Clock) -> Vec<Account> {
    let Some(chosen) = options.demo else {
        return config.targets.iter().map(account).collect();
    };
    let providers = demo::providers(&demo::DemoOptions {
        seed: chosen.seed.unwrap_or(demo::DEFAULT_SEED),
        size: chosen.size.map(|n| n as usize),
        clock: Arc::clone(clock),
    });
    // The demo's regions are its own; a list from the configuration is about real accounts.
    providers.into_iter().map(|provider| Account { provider, regions: Regions::Enabled }).collect()
}

fn account(target: &Target) -> Account {
    let regions = match &target.regions {
        RegionChoice::Default => Regions::Home,
        RegionChoice::All => Regions::Enabled,
        RegionChoice::List(list) => {
            Regions::Named(list.iter().map(|r| r.as_str().into()).collect())
        }
    };
    Account { provider: Arc::new(connect(source(target))), regions }
}

fn source(target: &Target) -> AccountSource {
    AccountSource {
        label: target.label.as_str().into(),
        profile: target.profile.clone(),
        assume_role: target.role_arn.clone().map(|role_arn| AssumeRole {
            role_arn,
            external_id: target.external_id.as_ref().map(|e| e.reveal().to_owned()),
            session_name: None,
        }),
        region_hint: match &target.regions {
            RegionChoice::List(list) => list.first().map(|r| r.as_str().into()),
            RegionChoice::Default | RegionChoice::All => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::DemoOptions;
    use super::*;
    use crate::config::{Env, FileConfig, Secret, Vocabulary, load, load::Sources};

    fn target() -> Target {
        Target {
            label: "prod".into(),
            profile: Some("sso".into()),
            role_arn: Some("arn:aws:iam::123456789012:role/r".into()),
            external_id: Some(Secret::new("e")),
            regions: RegionChoice::List(vec!["eu-west-1".into(), "us-east-1".into()]),
            production: true,
            read_only: false,
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
        assert_eq!(role.external_id.as_deref(), Some("e"));
    }

    #[test]
    fn the_demo_stands_alone() {
        let env = Env::default();
        let flags = FileConfig::default();
        let sources = Sources { paths: None, file: None, env: &env, flags };
        let mut config = load(&sources, &Vocabulary::default()).unwrap().config;
        config.targets = vec![target()];
        let now: jiff::Timestamp = "2026-11-21T03:07:00Z".parse().unwrap();
        let clock: Clock = Arc::new(move || now);
        let mut options = RunOptions::default();
        let real = accounts(&config, &options, &clock);
        assert_eq!(real.len(), 1);
        assert_eq!(real[0].provider.label(), "prod");
        assert_eq!(real[0].regions, Regions::Named(vec!["eu-west-1".into(), "us-east-1".into()]));
        options.demo = Some(DemoOptions::default());
        let demo = accounts(&config, &options, &clock);
        assert_eq!(demo.len(), 3);
        assert!(demo.iter().all(|a| a.provider.label() != "prod"));
    }
}
