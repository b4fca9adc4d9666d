//! `[commitments]`: how Reserved Instances and Savings Plans are applied.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::AccountSection;
use super::named_account;
use super::validate::unusable_name;
use crate::domain::{SharingGroups, text};

/// How Reserved Instances and Savings Plans are applied. A misspelt key is an error: it decides what is
/// said to be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommitmentsSection {
    /// Who is served by commitments of an account after its own usage: all accounts that are read
    /// (true, the default of AWS Organizations), none (false, where sharing was switched off), those of
    /// its group and then all ("prioritized"), or those of its group alone ("restricted").
    pub sharing: Option<Sharing>,
    /// The groups of accounts, where sharing is "prioritized" or "restricted".
    pub groups: Option<Vec<GroupSection>>,
}

/// Who shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Sharing {
    /// All accounts, or none.
    All(bool),
    /// Groups of accounts.
    Groups(GroupSharing),
}

/// What a group means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GroupSharing {
    /// The owner, then its group, then all others.
    Prioritized,
    /// The owner and its group, and nobody else.
    Restricted,
}

/// Accounts that share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupSection {
    /// What it is called.
    pub name: String,
    /// Its accounts: 12-digit ids, or names of entries of `accounts` whose id is known.
    pub accounts: Vec<String>,
}

/// `[commitments]`, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitmentsConfig {
    sharing: Sharing,
    /// Accounts by id.
    groups: Vec<GroupSection>,
}

impl Default for CommitmentsConfig {
    fn default() -> Self {
        Self::of(&CommitmentsSection::default(), &[])
    }
}

impl CommitmentsSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self { sharing: self.sharing.or(under.sharing), groups: self.groups.or(under.groups) }
    }
}

impl CommitmentsConfig {
    /// From checked values; `accounts` are those that a name may be of.
    pub(super) fn of(section: &CommitmentsSection, accounts: &[AccountSection]) -> Self {
        let groups = section.groups.iter().flatten().map(|group| GroupSection {
            name: group.name.clone(),
            accounts: group
                .accounts
                .iter()
                .filter_map(|a| named_account(a, accounts).ok())
                .collect(),
        });
        Self { sharing: section.sharing.unwrap_or(Sharing::All(true)), groups: groups.collect() }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> CommitmentsSection {
        let groups = (!self.groups.is_empty()).then(|| self.groups.clone());
        CommitmentsSection { sharing: Some(self.sharing), groups }
    }

    /// True where commitments of an account serve any other.
    pub fn is_shared(&self) -> bool {
        self.sharing != Sharing::All(false)
    }

    /// Groups of accounts that share discounts among themselves first, or with nobody else.
    pub fn groups(&self) -> SharingGroups {
        let accounts = self.groups.iter().map(|group| group.accounts.iter().map(String::as_str));
        SharingGroups::new(accounts, self.sharing == Sharing::Groups(GroupSharing::Restricted))
    }
}

/// What is wrong with the section: the key below `commitments.` and the reason.
pub(super) fn problems(
    section: &CommitmentsSection,
    accounts: &[AccountSection],
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let by_group = matches!(section.sharing, Some(Sharing::Groups(_)));
    let groups = section.groups.as_deref().unwrap_or_default();
    if by_group && groups.is_empty() {
        bad(
            "sharing".into(),
            "it speaks of groups, and there is none; add `[[commitments.groups]]`".into(),
        );
    }
    if !by_group && !groups.is_empty() {
        let why = "groups mean nothing without `sharing = \"prioritized\"` or `\"restricted\"`";
        bad("groups".into(), why.into());
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut of: BTreeMap<String, &str> = BTreeMap::new();
    for (i, group) in groups.iter().enumerate() {
        let name = text::clean(&group.name);
        if unusable_name(&group.name).is_some() {
            bad(format!("groups[{i}].name"), "it is empty or contains control characters".into());
        }
        if !names.insert(&group.name) {
            bad(format!("groups[{i}].name"), format!("two groups are named \"{name}\""));
        }
        if group.accounts.is_empty() {
            bad(format!("groups[{i}].accounts"), "a group needs an account".into());
        }
        for (j, account) in group.accounts.iter().enumerate() {
            let key = format!("groups[{i}].accounts[{j}]");
            match named_account(account, accounts) {
                Err(why) => bad(key, why),
                Ok(id) => {
                    if let Some(other) = of.insert(id.clone(), &group.name) {
                        let other = text::clean(other);
                        bad(
                            key,
                            format!(
                                "account {id} is in \"{other}\" already; an account is in one group"
                            ),
                        );
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Beneficiary, Holdings};

    fn section(text: &str) -> CommitmentsSection {
        toml::from_str(text).unwrap()
    }

    fn of(text: &str) -> CommitmentsConfig {
        CommitmentsConfig::of(&section(text), &accounts())
    }

    fn accounts() -> Vec<AccountSection> {
        let entry = |name: &str, id: Option<&str>| AccountSection {
            name: name.into(),
            account_id: id.map(Into::into),
            ..AccountSection::default()
        };
        vec![entry("research", Some("111111111111")), entry("nobody", None)]
    }

    #[test]
    fn the_old_switch_still_reads() {
        assert!(CommitmentsConfig::default().is_shared());
        let off = section("").over(section("sharing = false"));
        assert!(!CommitmentsConfig::of(&off, &[]).is_shared());
        let on = section("sharing = true").over(section("sharing = false"));
        assert!(CommitmentsConfig::of(&on, &[]).is_shared());
        assert_eq!(of("sharing = true").groups(), SharingGroups::default());
        for text in ["sharing = false", "sharing = true", ""] {
            let config = of(text);
            assert_eq!(CommitmentsConfig::of(&config.section(), &[]), config);
            assert_eq!(problems(&section(text), &[]), []);
        }
    }

    #[test]
    fn groups_are_of_ids_and_of_named_accounts() {
        let text = "sharing = 'restricted'\n\
                    [[groups]]\nname = 'r'\naccounts = ['research', '222222222222']\n\
                    [[groups]]\nname = 's'\naccounts = ['333333333333']";
        assert_eq!(problems(&section(text), &accounts()), []);
        let config = of(text);
        let held = Holdings { sharing: true, groups: config.groups(), ..Holdings::default() };
        assert_eq!(held.beneficiary("111111111111", "222222222222"), Some(Beneficiary::Group));
        assert_eq!(held.beneficiary("111111111111", "333333333333"), None);
        // What is printed has ids, and reads back as the same.
        assert_eq!(CommitmentsConfig::of(&config.section(), &[]), config);
        let first = of(&text.replace("restricted", "prioritized"));
        let held = Holdings { sharing: true, groups: first.groups(), ..Holdings::default() };
        assert_eq!(held.beneficiary("111111111111", "333333333333"), Some(Beneficiary::Others));
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        let one = "[[groups]]\nname='a'\naccounts=['111111111111']\n";
        for (text, key) in [
            ("sharing = 'restricted'".to_owned(), "sharing"),
            (one.to_owned(), "groups"),
            (format!("sharing = true\n{one}"), "groups"),
            (
                format!("sharing = 'restricted'\n{one}[[groups]]\nname='b'\naccounts=['research']"),
                "groups[1].accounts[0]",
            ),
            (
                format!(
                    "sharing = 'restricted'\n{one}[[groups]]\nname='a'\naccounts=['222222222222']"
                ),
                "groups[1].name",
            ),
            (
                format!("sharing = 'restricted'\n{one}[[groups]]\nname='b'\naccounts=[]"),
                "groups[1].accounts",
            ),
            (
                "sharing = 'prioritized'\n[[groups]]\nname='a'\naccounts=['12345']".into(),
                "groups[0].accounts[0]",
            ),
            (
                "sharing = 'prioritized'\n[[groups]]\nname='a'\naccounts=['reserch']".into(),
                "groups[0].accounts[0]",
            ),
            (
                "sharing = 'prioritized'\n[[groups]]\nname='a'\naccounts=['nobody']".into(),
                "groups[0].accounts[0]",
            ),
        ] {
            let found = problems(&section(&text), &accounts());
            assert_eq!(found.iter().map(|(k, _)| k.as_str()).collect::<Vec<_>>(), [key], "{text}");
        }
        for text in [
            "sharing = 'none'",
            "sharng = true",
            "[[groups]]\nname='a'",
            "[[groups]]\nacounts=[]\nname='a'",
        ] {
            assert!(toml::from_str::<CommitmentsSection>(text).is_err(), "{text}");
        }
    }
}
