//! `[organization]`: accounts that are found instead of typed.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Target;
use super::actions::account_problem;
use super::file::RegionsText;
use super::secret::{PLACEHOLDER, Secret};
use crate::domain::Member;
use crate::domain::Regions;

/// The role that is assumed where none is named.
const DEFAULT_ROLE: &str = "burntop-read";

/// Accounts of an organization, found by `organizations:ListAccounts` instead of typed. Each is read
/// by a role of the same name, and nothing in it may be changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrganizationSection {
    /// AWS profile of the management account or of a delegated administrator, which lists the
    /// accounts and assumes their roles; without it, the default chain.
    pub profile: Option<String>,
    /// Name of the role to assume in each account.
    pub role_name: Option<String>,
    /// External id that the roles ask for. Never shown or logged.
    pub external_id: Option<Secret>,
    /// Regions of these accounts, instead of the general ones.
    pub regions: Option<RegionsText>,
    /// Ids of the accounts that are read; without it, all that are active.
    pub include: Option<Vec<String>>,
    /// Ids of accounts that are not read.
    pub exclude: Option<Vec<String>>,
}

/// `[organization]`, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct OrganizationConfig {
    /// The profile that lists and assumes; `None` is the default credential chain.
    pub profile: Option<String>,
    /// Name of the role in each account.
    pub role_name: String,
    /// External id that the roles ask for.
    pub external_id: Option<Secret>,
    /// Where to look.
    pub regions: Regions,
    /// Ids of the accounts that are read; `None` is all.
    pub include: Option<BTreeSet<String>>,
    /// Ids of accounts that are not read.
    pub exclude: BTreeSet<String>,
    /// False where other profiles were named by flag or variable: the accounts are not looked for.
    pub is_read: bool,
}

/// An account of the organisation, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The account.
    pub member: Member,
    /// The label of the entry by which it is read, or why it is left out.
    pub becomes: Result<String, String>,
}

impl OrganizationSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self {
            profile: self.profile.or(under.profile),
            role_name: self.role_name.or(under.role_name),
            external_id: self.external_id.or(under.external_id),
            regions: self.regions.or(under.regions),
            include: self.include.or(under.include),
            exclude: self.exclude.or(under.exclude),
        }
    }
}

/// What is wrong with a section: the key and the reason, which repeats nothing that may be a secret.
pub(super) fn problems(section: &OrganizationSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if section.role_name.as_deref().is_some_and(|name| !is_role_name(name)) {
        let accepted = "the name of a role, with its path and without its ARN, like `burntop-read`";
        out.push(("role_name".into(), format!("no name of a role; accepted: {accepted}")));
    }
    if section.external_id.as_ref().is_some_and(Secret::is_placeholder) {
        out.push(("external_id".into(), PLACEHOLDER.to_owned()));
    }
    for (key, ids) in [("include", &section.include), ("exclude", &section.exclude)] {
        for (i, id) in ids.iter().flatten().enumerate() {
            if account_problem(id).is_some() {
                let why = "no account id; accepted: 12 digits in quotation marks";
                out.push((format!("{key}[{i}]"), why.to_owned()));
            }
        }
    }
    out
}

/// Names of roles and their paths (IAM quotas: 64 characters and 512).
fn is_role_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.len() <= 64
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+=,.@-".contains(&b))
    };
    name.len() <= 512 && name.split('/').all(is_part)
}

impl OrganizationConfig {
    /// From checked values; `general` are the regions where the section names none.
    pub(super) fn of(section: OrganizationSection, general: &Regions, is_read: bool) -> Self {
        Self {
            profile: section.profile,
            role_name: section.role_name.unwrap_or_else(|| DEFAULT_ROLE.to_owned()),
            external_id: section.external_id,
            regions: section.regions.map_or_else(|| general.clone(), |r| Regions::from(&r)),
            include: section.include.map(|ids| ids.into_iter().collect()),
            exclude: section.exclude.into_iter().flatten().collect(),
            is_read,
        }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> OrganizationSection {
        OrganizationSection {
            profile: self.profile.clone(),
            role_name: Some(self.role_name.clone()),
            external_id: self.external_id.clone(),
            regions: RegionsText::back(&self.regions),
            include: self.include.as_ref().map(|ids| ids.iter().cloned().collect()),
            exclude: Some(self.exclude.iter().cloned().collect()),
        }
    }

    /// Accounts that were found, each with its label or the reason why it is left out, and the entries of those that
    /// are read, by name. Of an account that `typed` (the entries of the configuration) has, that entry holds and
    /// nothing found is added.
    pub fn entries(&self, members: &[Member], typed: &[Target]) -> (Vec<Found>, Vec<Target>) {
        let mut members: Vec<&Member> = members.iter().collect();
        members.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        members.dedup_by(|a, b| a.id == b.id);
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let others = typed.iter().map(|t| t.label.as_str());
        for name in members.iter().map(|m| m.name.as_str()).chain(others) {
            *names.entry(name).or_default() += 1;
        }
        let (mut found, mut entries) = (Vec::new(), Vec::new());
        for member in members {
            let becomes = match self.left_out(member, typed) {
                Some(why) => Err(why),
                // A name tells an account apart only where no other has it.
                None if member.name.is_empty() => Ok(member.id.clone()),
                None if names.get(member.name.as_str()) == Some(&1) => Ok(member.name.clone()),
                None => Ok(format!("{} ({})", member.name, member.id)),
            };
            if let Ok(label) = &becomes {
                entries.push(self.entry(member, label));
            }
            found.push(Found { member: member.clone(), becomes });
        }
        (found, entries)
    }

    fn left_out(&self, member: &Member, typed: &[Target]) -> Option<String> {
        let own = typed.iter().find(|t| t.named_accounts().any(|id| id == member.id));
        if let Some(own) = own {
            return Some(format!("it has an entry of its own, `{}`", own.label));
        }
        if !member.is_active() {
            let state = if member.state.is_empty() { "unknown" } else { &member.state };
            return Some(format!("its state is {state}"));
        }
        if self.exclude.contains(&member.id) {
            return Some("`organization.exclude` names it".to_owned());
        }
        let included = self.include.as_ref().is_none_or(|ids| ids.contains(&member.id));
        (!included).then(|| "`organization.include` does not name it".to_owned())
    }

    /// Found and not typed: nothing in it may be changed, whatever a run allows.
    fn entry(&self, member: &Member, label: &str) -> Target {
        let Member { id, partition, .. } = member;
        Target {
            label: label.to_owned(),
            profile: self.profile.clone(),
            role_arn: Some(format!("arn:{partition}:iam::{id}:role/{}", self.role_name)),
            external_id: self.external_id.clone(),
            account_id: Some(id.clone()),
            regions: self.regions.clone(),
            production: false,
            read_only: true,
            allow_actions: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::Env;
    use super::super::load::{Sources, load};
    use super::super::{Config, FileConfig, Vocabulary};
    use super::*;

    fn loaded(source: &str, profiles: &[&str]) -> Result<Config, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let profiles = profiles.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let flags = FileConfig {
            profiles: (!profiles.is_empty()).then_some(profiles),
            ..FileConfig::default()
        };
        let env = Env::default();
        let sources = Sources { paths: None, file: Some(&path), env: &env, flags };
        load(&sources, &Vocabulary::default()).map(|l| l.config).map_err(|e| e.to_string())
    }

    fn member(id: u8, name: &str, state: &str) -> Member {
        Member {
            id: id.to_string().repeat(12),
            name: name.to_owned(),
            partition: "aws-cn".to_owned(),
            state: state.to_owned(),
        }
    }

    const SOURCE: &str = "[organization]\nprofile = 'main'\nrole_name = 'ops/reader'\n\
        external_id = 'hunter2'\nexclude = ['444444444444']\n\
        [[accounts]]\nname = 'prod'\naccount_id = '333333333333'\nallow_actions = true\n\
        [[accounts]]\nname = 'data'\nprofile = 'data'\n";

    #[test]
    fn active_accounts_become_entries_that_nothing_arms_and_typed_ones_stay_as_they_are() {
        let config = loaded(SOURCE, &[]).unwrap();
        let organization = config.organization.unwrap();
        let members = [
            member(1, "ml", "ACTIVE"),
            member(2, "old", "SUSPENDED"),
            member(3, "production", "ACTIVE"),
            member(4, "secret", "ACTIVE"),
            member(5, "ml", "ACTIVE"),
            member(6, "data", "ACTIVE"),
            member(7, "", "ACTIVE"),
            member(8, "web", ""),
            member(9, "web2", "ACTIVE"),
        ];
        let (found, entries) = organization.entries(&members, &config.targets);
        let (own, state) = ("it has an entry of its own, `prod`", "its state is SUSPENDED");
        let excluded = "`organization.exclude` names it";
        let err = |why: &str| Err(why.to_owned());
        let ok = |label: &str| Ok(label.to_owned());
        let said = found.into_iter().map(|f| (f.member.id[..1].to_owned(), f.becomes));
        let said: Vec<_> = said.collect();
        assert_eq!(
            said,
            [
                ("7".to_owned(), ok("777777777777")),
                ("6".to_owned(), ok("data (666666666666)")),
                ("1".to_owned(), ok("ml (111111111111)")),
                ("5".to_owned(), ok("ml (555555555555)")),
                ("2".to_owned(), err(state)),
                ("3".to_owned(), err(own)),
                ("4".to_owned(), err(excluded)),
                ("8".to_owned(), err("its state is unknown")),
                ("9".to_owned(), ok("web2")),
            ]
        );
        let labels: BTreeSet<&str> = entries.iter().map(|e| e.label.as_str()).collect();
        assert_eq!((labels.len(), entries.len()), (5, 5), "no two entries have one name");
        assert!(entries.iter().all(|e| e.read_only && !e.allow_actions && e.is_pinned()));
        let ml = &entries[2];
        assert_eq!(ml.role_arn.as_deref(), Some("arn:aws-cn:iam::111111111111:role/ops/reader"));
        assert_eq!(
            (ml.profile.as_deref(), ml.account_id.as_deref()),
            (Some("main"), Some("111111111111"))
        );
        assert_eq!(ml.external_id, Some(Secret::new("hunter2")));
        assert_eq!(ml.named_accounts().collect::<BTreeSet<_>>().len(), 1, "key and ARN agree");
    }

    #[test]
    fn what_is_included_is_all_there_is() {
        let source = "regions = 'all'\n[organization]\ninclude = ['222222222222', '999999999999']";
        let organization = loaded(source, &[]).unwrap().organization.unwrap();
        assert_eq!(
            (&*organization.role_name, &organization.regions),
            ("burntop-read", &Regions::Enabled)
        );
        let members = [member(1, "a", "ACTIVE"), member(2, "b", "ACTIVE")];
        let (found, entries) = organization.entries(&members, &[]);
        assert_eq!(entries.iter().map(|e| &*e.label).collect::<Vec<_>>(), ["b"]);
        assert!(found[0].becomes.as_ref().unwrap_err().contains("organization.include"));
    }

    #[test]
    fn profiles_by_flag_stand_alone_and_without_the_section_nothing_is_looked_for() {
        assert!(loaded(SOURCE, &[]).unwrap().organization.unwrap().is_read);
        assert!(!loaded(SOURCE, &["data"]).unwrap().organization.unwrap().is_read);
        assert_eq!(loaded("", &[]).unwrap().organization, None);
    }

    #[test]
    fn what_is_printed_says_the_same_without_the_secret() {
        let config = loaded(SOURCE, &[]).unwrap();
        let text = super::super::print::effective(&config).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
        let again = loaded(&text.replace("external_id = \"<redacted>\"\n", ""), &[]).unwrap();
        let bare = OrganizationConfig { external_id: None, ..config.organization.unwrap() };
        assert_eq!(again.organization, Some(bare));
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_not_repeated() {
        for (line, says) in [
            ("role_name = 'arn:aws:iam::1:role/hunter2'", "no name of a role"),
            ("role_name = ''", "no name of a role"),
            ("role_name = 'a b'", "no name of a role"),
            ("include = ['hunter2']", "no account id"),
            ("exclude = ['1234']", "no account id"),
            ("external_id = '<redacted>'", "config print"),
            ("regions = ['hunter2']", "no region code"),
            ("profile = 'a\\tb'", "control characters"),
            ("role = 'x'", "role"),
            ("exclud = ['111111111111']", "exclude"),
        ] {
            let line = line.replace("'a\\tb'", "\"a\\tb\"");
            let error = loaded(&format!("[organization]\n{line}\n"), &[]).unwrap_err();
            assert!(error.contains(says), "{line}: {error}");
            assert!(error.contains("c.toml:2"), "{line}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
