//! `[teams]`, `[[budgets]]`, `[[quotas]]`, `[[units]]`: whose the money is, and what it may be.

mod budgets;
mod problems;
mod quotas;
#[cfg(test)]
mod tests;
mod units;

pub use budgets::BudgetSection;
pub(super) use budgets::budget_problems;
pub(super) use problems::problems;
pub use quotas::QuotaSection;
pub(super) use quotas::quota_problems;
pub(super) use units::unit_problems;
pub use units::{CountSource, UnitSection};

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analyze::teams::{
    Budget, Dimension, Mapping, MoneyFilter, Pattern, Pool, Quota, Rules, Split, Unit,
};
use crate::domain::hash::FastMap;
use crate::domain::{TagKeys, text};

/// Whose the money is, beyond the tags. A misspelt key is an error: it decides who pays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TeamsSection {
    /// The teams that there are, as they are to be written. With it, every other name in `[teams]` and `[[quotas]]` is an
    /// error.
    pub names: Option<Vec<String>>,
    /// Values of the tag of the team that mean another: `language = "nlp"`. Compared without regard to case.
    pub aliases: BTreeMap<String, String>,
    /// Tag keys that name the user; without it `user`, `owner` and `aws:createdBy`.
    pub user_tags: Option<Vec<String>>,
    /// Tags that every resource shall have: team, project, env, `cost_center`, user (any of their keys), or another tag key.
    pub required_tags: Option<Vec<String>>,
    /// Whose the lines are that have no tag of the team; the first one that fits counts.
    pub map: Option<Vec<MapSection>>,
    /// Costs that are shared; the first one whose filter fits takes a line.
    pub shared: Option<Vec<SharedSection>>,
}

/// Whose the lines are that all of its parts fit; one of them at least.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MapSection {
    /// The team.
    pub team: String,
    /// Account id, 12 digits.
    pub account: Option<String>,
    /// Name of the resource (its tag Name, its id, or the end of its ARN); a `*` stands for any text.
    pub name: Option<String>,
    /// A tag that it has, `key=value`; a `*` at the end of the value stands for any rest.
    pub tag: Option<String>,
}

/// Costs that several teams share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedSection {
    /// Its name.
    pub name: String,
    /// Which lines of the bill: `team=platform or charge=support`.
    pub filter: String,
    /// How they are divided: even, `by_spend` (the default) or `by_gpu_hours`.
    pub split: Option<String>,
    /// Teams among which they are divided; without it all that have dollars of their own.
    pub among: Option<Vec<String>>,
}

/// `[teams]`, `[[budgets]]`, `[[quotas]]` and `[[units]]`, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamsConfig {
    teams: TeamsSection,
    budgets: Vec<BudgetSection>,
    quotas: Vec<QuotaSection>,
    units: Vec<UnitSection>,
}

/// The sections of the file.
pub(super) struct Sections {
    pub teams: TeamsSection,
    pub budgets: Option<Vec<BudgetSection>>,
    pub quotas: Option<Vec<QuotaSection>>,
    pub units: Option<Vec<UnitSection>>,
}

/// Tag keys of the user where none are named.
const USER_TAGS: [&str; 3] = ["user", "owner", "aws:createdBy"];

/// Tags that are required where none are named.
const REQUIRED: [&str; 3] = ["team", "project", "env"];

impl TeamsSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        let mut aliases = under.aliases;
        aliases.extend(self.aliases);
        Self {
            names: self.names.or(under.names),
            aliases,
            user_tags: self.user_tags.or(under.user_tags),
            required_tags: self.required_tags.or(under.required_tags),
            map: self.map.or(under.map),
            shared: self.shared.or(under.shared),
        }
    }
}

impl TeamsConfig {
    /// From checked values.
    pub(super) fn of(
        teams: TeamsSection,
        budgets: Option<Vec<BudgetSection>>,
        quotas: Option<Vec<QuotaSection>>,
        units: Option<Vec<UnitSection>>,
    ) -> Self {
        Self {
            teams,
            budgets: budgets.unwrap_or_default(),
            quotas: quotas.unwrap_or_default(),
            units: units.unwrap_or_default(),
        }
    }

    /// Back to the form of the file.
    pub(super) fn sections(&self) -> Sections {
        fn some<T: Clone>(all: &[T]) -> Option<Vec<T>> {
            (!all.is_empty()).then(|| all.to_vec())
        }
        Sections {
            teams: self.teams.clone(),
            budgets: some(&self.budgets),
            quotas: some(&self.quotas),
            units: some(&self.units),
        }
    }

    /// True where it says nothing of whose the money is.
    pub fn has_no_rules(&self) -> bool {
        self.teams.map.is_none() && self.teams.shared.is_none() && self.teams.aliases.is_empty()
    }

    /// Tag keys that an import keeps for them, besides those of the dimensions: of the user and of mappings, where they
    /// are named.
    pub fn kept_tags(&self) -> Vec<String> {
        let users = self.teams.user_tags.iter().flatten().cloned();
        let required = self.teams.required_tags.iter().flatten();
        let required = required.filter(|tag| Dimension::of(tag).is_none()).cloned();
        let maps = self
            .teams
            .map
            .iter()
            .flatten()
            .filter_map(|map| Some(map.tag.as_ref()?.split_once('=')?.0.trim().to_owned()));
        users.chain(required).chain(maps).collect()
    }

    /// Tag keys that name the user.
    pub fn user_tag_keys(&self) -> Vec<String> {
        let usual = || USER_TAGS.iter().map(|key| (*key).to_owned()).collect();
        self.teams.user_tags.clone().unwrap_or_else(usual)
    }

    /// The rules, beside these tag keys of the dimensions.
    pub fn rules(&self, keys: &TagKeys) -> Rules {
        let of = &self.teams;
        let texts = |list: &Option<Vec<String>>, usual: &[&str]| -> Vec<String> {
            list.clone().unwrap_or_else(|| usual.iter().map(|text| (*text).to_owned()).collect())
        };
        let shared = |text: &String| Arc::<str>::from(text.trim());
        let base = Rules::new(keys, &self.user_tag_keys());
        Rules {
            names: of.names.iter().flatten().map(shared).collect(),
            aliases: resolved(&of.aliases),
            mappings: of.map.iter().flatten().map(mapping).collect(),
            pools: of.shared.iter().flatten().filter_map(pool).collect(),
            required: texts(&of.required_tags, &REQUIRED).iter().map(shared).collect(),
            ..base
        }
    }

    /// The budgets.
    pub fn budgets(&self) -> Vec<Arc<Budget>> {
        self.budgets.iter().filter_map(budgets::budget).map(Arc::new).collect()
    }

    /// Unit costs, each with where its counts come from.
    pub fn units(&self) -> Vec<(Arc<Unit>, CountSource)> {
        let of = |section: &UnitSection| {
            Some((Arc::new(units::unit(section)?), units::count_source(section)?))
        };
        self.units.iter().filter_map(of).collect()
    }

    /// The quotas, one for each thing that is limited.
    pub fn quotas(&self) -> Vec<Quota> {
        self.quotas.iter().flat_map(quotas::quotas).collect()
    }
}

/// A mapping.
fn mapping(map: &MapSection) -> Mapping {
    Mapping {
        team: map.team.trim().into(),
        account: map.account.as_deref().map(Into::into),
        name: map.name.as_deref().map(Pattern::new),
        tag: map.tag.as_deref().and_then(|tag| tag.parse().ok()),
    }
}

/// A shared cost; `None` for one with a problem.
fn pool(section: &SharedSection) -> Option<Pool> {
    Some(Pool {
        name: text::clean(section.name.trim()).as_ref().into(),
        filter: MoneyFilter::parse(&section.filter).ok()?,
        split: section.split.as_deref().map_or(Some(Split::BySpend), Split::of)?,
        among: section.among.iter().flatten().map(|team| team.trim().into()).collect(),
    })
}

/// Each alias with the team at the end of its chain, in lower case; those in a circle are left out.
fn resolved(aliases: &BTreeMap<String, String>) -> FastMap<String, Arc<str>> {
    let by_word = folded(aliases);
    let end = |begin: &String| {
        let (mut at, mut steps) = (by_word.get(begin)?, 0);
        while let Some(next) = by_word.get(&at.trim().to_lowercase()) {
            (at, steps) = (next, steps + 1);
            if steps > by_word.len() {
                return None;
            }
        }
        Some(Arc::from(at.trim()))
    };
    by_word.keys().filter_map(|alias| Some((alias.clone(), end(alias)?))).collect()
}

fn folded(aliases: &BTreeMap<String, String>) -> BTreeMap<String, &String> {
    aliases.iter().map(|(alias, team)| (alias.trim().to_lowercase(), team)).collect()
}
