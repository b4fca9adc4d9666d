//! Rules for acting, from the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::caps::Caps;
use crate::domain::{TagKeys, Tags};

/// Values of an environment tag that mean production, in any case.
const PRODUCTION: [&str; 3] = ["production", "prod", "prd"];

/// Whether one account may be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountRules {
    /// True when actions are allowed, by `--allow-actions` or the key of the account.
    pub armed: bool,
    /// True when the account is pinned read-only; wins over `armed`.
    pub read_only: bool,
    /// True for a production account.
    pub production: bool,
    /// Why nothing is done here although it is armed and not pinned: it is not known whether a pin
    /// of the configuration means this account. `None` where nothing is open. Clean text.
    pub withheld: Option<Arc<str>>,
}

impl AccountRules {
    /// True when something may be changed here.
    pub fn may_act(&self) -> bool {
        self.armed && !self.read_only && self.withheld.is_none()
    }

    /// Why nothing may be changed here, and what to do about it; `None` where something may. The
    /// one sentence that the guards, the sheet and the doctor say.
    pub fn why_not(&self) -> Option<String> {
        if self.read_only {
            Some("the account is pinned read-only".to_owned())
        } else if !self.armed {
            let fix = "start with --allow-actions, or set allow_actions for the account";
            Some(format!("actions are not allowed in this account; {fix}"))
        } else {
            self.withheld.as_deref().map(str::to_owned)
        }
    }
}

/// Rules of acting, from configuration and flags: which accounts may be changed, what is
/// production, which limits hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Rules by account id; an account that is absent may not be changed.
    pub accounts: BTreeMap<Arc<str>, AccountRules>,
    /// Limits of one plan.
    pub caps: Caps,
    /// Tags, as (key, value), that make an instance production. Keys and values are compared
    /// without regard to case.
    pub production_tags: Vec<(String, String)>,
    /// Tags, as (key, value), that pin an instance read-only; compared without regard to case.
    pub read_only_tags: Vec<(String, String)>,
    /// Which keys mean environment: `production`, `prod` and `prd` there are production.
    pub tag_keys: TagKeys,
    /// Minutes that the re-measurement looks back, 15–60.
    pub recheck_minutes: u32,
    /// Hours since the last launch before which an instance is neither stopped nor terminated.
    pub min_age_hours: u32,
    /// Most hours between the last reading of the metrics and the action.
    pub max_evidence_hours: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            accounts: BTreeMap::new(),
            caps: Caps::default(),
            production_tags: Vec::new(),
            read_only_tags: Vec::new(),
            tag_keys: TagKeys::default(),
            recheck_minutes: 60,
            min_age_hours: 24,
            max_evidence_hours: 24,
        }
    }
}

impl Rules {
    /// Rules of an account; one that is not configured may not be changed.
    pub fn account(&self, id: &str) -> AccountRules {
        self.accounts.get(id).cloned().unwrap_or_default()
    }

    /// Why nothing is done in an account that is armed and not pinned; `None` where there is none
    /// such.
    pub fn withheld(&self) -> Option<&str> {
        let open = |a: &&AccountRules| a.armed && !a.read_only;
        self.accounts.values().filter(open).find_map(|a| a.withheld.as_deref())
    }

    /// True when the account, the configuration or the tags say production.
    pub fn is_production(&self, account: &str, tags: &Tags) -> bool {
        // Any of the keys: where `env` says dev and `stage` says prod, somebody means production.
        let by_environment = tags.iter().any(|(key, value)| {
            let is_key = self.tag_keys.environment.iter().any(|k| k.eq_ignore_ascii_case(key));
            is_key && PRODUCTION.iter().any(|w| value.trim().eq_ignore_ascii_case(w))
        });
        self.account(account).production || by_environment || any(&self.production_tags, tags)
    }

    /// True when tags pin the instance read-only.
    pub fn is_pinned(&self, tags: &Tags) -> bool {
        any(&self.read_only_tags, tags)
    }
}

fn any(wanted: &[(String, String)], tags: &Tags) -> bool {
    wanted.iter().any(|(key, value)| {
        tags.iter().any(|(k, v)| {
            k.eq_ignore_ascii_case(key.trim()) && v.trim().eq_ignore_ascii_case(value.trim())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        let pair = |k: &str, v: &str| vec![(k.to_owned(), v.to_owned())];
        Rules {
            accounts: [
                ("1".into(), AccountRules { armed: true, ..AccountRules::default() }),
                (
                    "2".into(),
                    AccountRules {
                        armed: true,
                        read_only: true,
                        production: true,
                        ..AccountRules::default()
                    },
                ),
                (
                    "4".into(),
                    AccountRules {
                        armed: true,
                        withheld: Some("a pin is open".into()),
                        ..AccountRules::default()
                    },
                ),
            ]
            .into(),
            production_tags: pair("Tier", "gold"),
            read_only_tags: pair("hands", "off"),
            ..Rules::default()
        }
    }

    #[test]
    fn nothing_is_allowed_where_nobody_said_so() {
        let rules = rules();
        assert!(rules.account("1").may_act());
        assert!(!rules.account("2").may_act(), "pinned");
        assert!(!rules.account("3").may_act());
        assert!(!rules.account("4").may_act(), "nobody knows whether a pin means it");
        assert!(!Rules::default().account("1").may_act());
        let why = |id: &str| rules.account(id).why_not();
        assert_eq!(why("1"), None);
        assert!(why("2").unwrap().contains("pinned read-only"));
        assert!(why("3").unwrap().contains("--allow-actions"));
        assert_eq!(why("4").unwrap(), "a pin is open");
    }

    #[test]
    fn production_by_account_tag_or_environment() {
        let rules = rules();
        let by = |account: &str, tags: &[(&str, &str)]| {
            rules.is_production(account, &Tags::from_raw(tags.iter().copied()))
        };
        assert!(by("2", &[]));
        assert!(!by("1", &[]));
        for (key, value) in [("env", "prod"), ("Environment", " PRODUCTION"), ("STAGE", "prd")] {
            assert!(by("1", &[(key, value)]), "{key}={value}");
        }
        assert!(by("1", &[("env", "dev"), ("stage", "prod")]));
        assert!(!by("1", &[("env", "preprod"), ("team", "prod")]));
        assert!(by("1", &[("tier", "Gold ")]));
        assert!(!by("1", &[("tier", "silver")]));
    }

    #[test]
    fn tags_can_pin() {
        let pinned = |k: &str, v: &str| rules().is_pinned(&Tags::from_raw([(k, v)]));
        assert!(pinned("Hands", "OFF"));
        assert!(!pinned("hands", "on"));
        assert!(!pinned("x", "off"));
    }
}
