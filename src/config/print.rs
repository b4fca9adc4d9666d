//! The effective configuration as TOML.

use super::file::{
    AccountSection, CacheSection, IdleSection, OwnCostSection, TagSection, UiSection,
};
use super::file::{FileConfig, RegionsText};
use super::teams::Sections;
use super::{Config, OrganizationConfig};

/// The configuration as a file that says the same, with every default spelled out. Each account is
/// listed with what holds for it, those that are not read in this run as well, so that no pin is lost
/// in a copy; secrets are redacted.
pub fn effective(config: &Config) -> Result<String, toml::ser::Error> {
    let accounts = config.targets.iter().chain(&config.unread).map(|t| AccountSection {
        name: t.label.clone(),
        profile: t.profile.clone(),
        role_arn: t.role_arn.clone(),
        external_id: t.external_id.clone(),
        account_id: t.account_id.clone(),
        regions: RegionsText::back(&t.regions),
        production: t.production,
        read_only: t.read_only,
        allow_actions: t.allow_actions,
    });
    let Sections { teams, budgets, quotas, units } = config.teams.sections();
    toml::to_string(&FileConfig {
        profiles: None,
        regions: None,
        accounts: Some(accounts.collect()),
        organization: config.organization.as_ref().map(OrganizationConfig::section),
        tags: TagSection {
            team: Some(config.tag_keys.team.clone()),
            project: Some(config.tag_keys.project.clone()),
            environment: Some(config.tag_keys.environment.clone()),
            cost_center: Some(config.tag_keys.cost_center.clone()),
        },
        idle: IdleSection {
            preset: Some(config.preset.clone()),
            presets: config.custom_presets.clone(),
        },
        own_cost: OwnCostSection { cap_usd_per_day: Some(config.own_cost_cap_usd_per_day) },
        actions: config.actions.section(),
        gpus: config.gpus.section(),
        storage: config.storage.section(),
        spot: config.spot.section(),
        commitments: config.commitments.section(),
        bill: config.bill.section(),
        jobs: config.jobs.section(),
        teams,
        budgets,
        quotas,
        units,
        people: config.people.section(),
        prices: config.prices.section(),
        cache: CacheSection { max_mb: Some(config.cache.max_mb), path: config.cache.path.clone() },
        ui: UiSection {
            theme: config.ui.theme.clone(),
            symbols: Some(config.ui.symbols),
            mouse: Some(config.ui.mouse),
            color: Some(config.ui.color),
            braille: Some(config.ui.braille),
        },
        keys: config.keys.clone(),
        views: config.views.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::env::Env;
    use super::super::load::{Sources, load};
    use super::super::vocabulary::Vocabulary;
    use super::*;

    fn loaded(source: &str) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let env = Env::default();
        let sources =
            Sources { paths: None, file: Some(&path), env: &env, flags: FileConfig::default() };
        load(&sources, &Vocabulary::default()).unwrap().config
    }

    const SOURCE: &str = "profiles = ['dev']\nregions = 'all'\n\
        [[accounts]]\nname = 'prod'\nrole_arn = 'arn:aws:iam::123456789012:role/r'\n\
        external_id = 'hunter2'\nproduction = true\n\
        [idle.presets.mine]\nbase = 'cautious'\n\
        [keys]\nquit = ['q']\n[views.hot]\nfilter = 'gpu<5'\nsort = 'waste'\n";

    #[test]
    fn is_pinned_and_shows_no_secret() {
        let text = effective(&loaded(SOURCE)).unwrap();
        assert!(!text.contains("hunter2"));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn entries_that_are_not_read_are_printed_with_their_pins() {
        let whole = loaded(SOURCE);
        let mut part = whole.clone();
        part.unread = part.targets.split_off(1);
        assert!(part.unread.iter().any(|t| t.production));
        assert_eq!(effective(&part).unwrap(), effective(&whole).unwrap());
    }

    #[test]
    fn reads_back_as_the_same_configuration() {
        // Without the secret, which is redacted on purpose.
        let source = SOURCE.replace("external_id = 'hunter2'\n", "");
        let config = loaded(&source);
        assert_eq!(loaded(&effective(&config).unwrap()), config);
        let plain = loaded("");
        assert_eq!(loaded(&effective(&plain).unwrap()), plain);
    }

    /// Ways to write a secret into a file, right and wrong, each with the secret where it may be put
    /// by mistake.
    fn mistakes() -> Vec<String> {
        const ANY: &[&str] = &[
            "'S'",
            "\"S\"",
            "['S']",
            "{ token = 'S' }",
            "S",
            "\"S",
            "'S",
            "S'",
            "\"S\\q\"",
            "\"S\" \"S\"",
            "Bearer S",
            "'''S",
            "[['S'], 1]",
            "'S', 'x'",
            "\"S\\u12\"",
            "\"\\xS\"",
            "= 'S'",
            "'S' # S",
            "'S\n'",
            "'S\u{1b}'",
        ];
        const ADDRESSES: &[&str] = &[
            "'https://me:S@prom'",
            "'https://prom?token=S'",
            "'http://prom/#S'",
            "'https://S@prom'",
            "'ftp://prom/S'",
            "'http://prom\\S'",
            "'prom?token=S'",
            "'/m?auth=S'",
            "'a b S'",
            "'https://prom:S'",
            "'https://prom/ S'",
            "'//S@h'",
            "'me:S@prom'",
        ];
        /// What stands before, the keys, and the values.
        type Place = (&'static str, &'static [&'static str], &'static [&'static [&'static str]]);
        const PLACES: &[Place] = &[
            (
                "[[gpus.prometheus]]\nname='a'\nurl='https://prom'\n",
                &[
                    "bearer_token",
                    "bearer_token.value",
                    "bearer_tokn",
                    "token",
                    "'bearer token'",
                    "bearer token",
                    "bearer-token:",
                    "bearer_token_file.x",
                    "flavour",
                    "tenant.x",
                    "username.x",
                    "password_file.x",
                    "password",
                    "ca_file.x",
                    "region.x",
                    "profile.x",
                    "matchers.x",
                    "every_s",
                    "timeout_s",
                    "url",
                    "name",
                ],
                &[ANY, ADDRESSES],
            ),
            ("[[gpus.prometheus]]\nname='a'\n", &["url"], &[ANY, ADDRESSES]),
            (
                "[[accounts]]\nname='a'\nrole_arn='arn:aws:iam::123456789012:role/r'\n",
                &[
                    "external_id",
                    "external_id.x",
                    "externalid",
                    "external-id",
                    "production",
                    "read_only",
                    "allow_actions",
                    "role_arn",
                ],
                &[ANY, ADDRESSES],
            ),
            (
                "[[accounts]]\nname='a'\n",
                &["role_arn", "external_id", "regions"],
                &[ANY, ADDRESSES],
            ),
            ("[[gpus.exporters]]\nname='a'\ntargets=['h:1']\n", &["path"], &[ADDRESSES]),
            ("[[gpus.exporters]]\nname='a'\n", &["targets"], &[ADDRESSES]),
        ];
        let mut all = Vec::new();
        for (head, keys, values) in PLACES {
            for (key, value) in
                keys.iter().flat_map(|k| values.concat().into_iter().map(move |v| (k, v)))
            {
                let value = value.replace('S', "s3cr3t");
                let value = match *key {
                    "targets" | "regions" => format!("[{value}]"),
                    _ => value,
                };
                all.push(format!("{head}{key} = {value}\n"));
                // Another mistake after it, and one before.
                all.push(format!("{head}{key} = {value}\n[[gpus.prometheus]\n"));
                all.push(format!("[ui]\nmouse = 1\n{head}{key} = {value}\n"));
            }
            // A number is a secret as well.
            for key in keys.iter().filter(|k| !matches!(**k, "targets" | "path")) {
                all.extend(
                    ["5313703", "5313703.5", "[5313703]"].map(|n| format!("{head}{key} = {n}\n")),
                );
            }
        }
        all
    }

    mod hostile {
        use super::*;

        /// Every word that burntop says about a file: errors, notices, what holds, and `Debug`.
        fn said(source: &str) -> String {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("c.toml");
            std::fs::write(&path, source).unwrap();
            let env = Env::default();
            let sources =
                Sources { paths: None, file: Some(&path), env: &env, flags: FileConfig::default() };
            match load(&sources, &Vocabulary::default()) {
                Ok(loaded) => format!(
                    "{}\n{:?}\n{:?}",
                    effective(&loaded.config).unwrap(),
                    loaded.config,
                    loaded.notices
                ),
                Err(error) => format!("{error}\n{error:?}"),
            }
        }

        #[test]
        fn no_secret_is_repeated_wherever_it_was_put() {
            let mut n = 0;
            for source in mistakes() {
                let said = said(&source);
                assert!(!said.contains("s3cr3t"), "{source}\nsays\n{said}");
                assert!(!said.contains("5313703"), "{source}\nsays\n{said}");
                n += 1;
            }
            assert!(n >= 2_500, "{n}");
            println!("hostile: settings with secrets: {n} inputs");
        }
    }
}
