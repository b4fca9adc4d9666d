//! `[teams]`, `[[budgets]]`, `[[quotas]]`, `[[units]]`: whose the money is, and what it may be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gpus::PrometheusSection;
use crate::analyze::bill::TagIs;
use crate::analyze::teams::{
    Budget, BudgetPeriod, Dimension, Limited, Mapping, MoneyFilter, Pattern, Pool, Quota, Rules,
    Split, Unit,
};
use crate::domain::bill::Usd;
use crate::domain::daily::{DayMetric, DayStatistic};
use crate::domain::{TagKeys, is_account_id, text};

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

/// What may be spent in a period. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSection {
    /// Its name.
    pub name: String,
    /// Which lines of the bill: `team=nlp and category=training`; without it all.
    pub filter: Option<String>,
    /// What they may cost in a period, US dollars.
    #[schemars(range(min = 0.01, max = 1_000_000_000.0))]
    pub usd: f64,
    /// monthly (the default) or quarterly.
    pub period: Option<String>,
    /// Levels that are told, percent of the budget; without it 80 and 95. 100 is always one of them.
    pub levels: Option<Vec<f64>>,
}

/// How much a team may run at once. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaSection {
    /// The team.
    pub team: String,
    /// The most GPUs.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub gpus: Option<f64>,
    /// The most dollars per hour, at live prices.
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub usd_per_hour: Option<f64>,
    /// The most instances of a type, by type.
    #[serde(default)]
    pub instances: BTreeMap<String, u32>,
}

/// What one of something costs: dollars of some lines by a count. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitSection {
    /// Its name: prediction, thousand tokens, training run.
    pub name: String,
    /// Which lines of the bill; without it all.
    pub filter: Option<String>,
    /// A CSV file with a column date (or day, time) and a column count (or value): how many there were on each day, UTC. One of
    /// `csv`, `prometheus` and `cloudwatch` is needed.
    pub csv: Option<String>,
    /// A query whose value at a midnight, UTC, is the count of the day that ends then: `sum(increase(predictions_total[1d]))`.
    pub prometheus: Option<String>,
    /// Name of the server in `[[gpus.prometheus]]` that is asked; needed where there are several.
    pub prometheus_server: Option<String>,
    /// How many of what is counted one price is of; without it 1.
    #[schemars(range(min = 0.000_001, max = 1_000_000_000_000.0))]
    pub per: Option<f64>,
    /// What it shall cost at most, US dollars.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub target_usd: Option<f64>,
    /// A metric of CloudWatch with one value a day: billed, within `own_cost`.
    pub cloudwatch: Option<UnitMetricSection>,
}

/// A metric of CloudWatch that counts. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitMetricSection {
    /// Namespace, such as `Serving` or `AWS/SageMaker`.
    pub namespace: String,
    /// Name of the metric.
    pub metric: String,
    /// Region in which it is published.
    pub region: String,
    /// Statistic of a day that is the count: Sum (the default), `SampleCount`, Average, Minimum or Maximum.
    pub statistic: Option<String>,
    /// Account that has it, by its id or its name in `[[accounts]]`; needed where several are read.
    pub account: Option<String>,
    /// All dimensions of the metric, by name.
    #[serde(default)]
    pub dimensions: BTreeMap<String, String>,
}

/// Where the counts of a unit cost come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountSource {
    /// A CSV file.
    Csv(PathBuf),
    /// A server with the Prometheus HTTP API.
    Prometheus {
        /// The query.
        query: String,
        /// Name of the server; `None` where there is one alone.
        server: Option<String>,
    },
    /// A metric of CloudWatch.
    CloudWatch {
        /// The metric.
        metric: DayMetric,
        /// Its region.
        region: Arc<str>,
        /// Id or name of its account; `None` where there is one alone.
        account: Option<String>,
    },
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

/// Levels of a budget where none are named, percent.
const LEVELS: [f64; 2] = [80.0, 95.0];

/// The level that every budget has, percent.
const WHOLE: f64 = 100.0;

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

    /// The rules, beside these tag keys of the dimensions.
    pub fn rules(&self, keys: &TagKeys) -> Rules {
        let of = &self.teams;
        let texts = |list: &Option<Vec<String>>, usual: &[&str]| -> Vec<String> {
            list.clone().unwrap_or_else(|| usual.iter().map(|text| (*text).to_owned()).collect())
        };
        let shared = |text: &String| Arc::<str>::from(text.trim());
        let base = Rules::new(keys, &texts(&of.user_tags, &USER_TAGS));
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
        self.budgets.iter().filter_map(budget).map(Arc::new).collect()
    }

    /// Unit costs, each with where its counts come from.
    pub fn units(&self) -> Vec<(Arc<Unit>, CountSource)> {
        let of = |section: &UnitSection| Some((Arc::new(unit(section)?), count_source(section)?));
        self.units.iter().filter_map(of).collect()
    }

    /// The quotas, one for each thing that is limited.
    pub fn quotas(&self) -> Vec<Quota> {
        let of = |section: &QuotaSection| {
            let quota = |of, instance_type: Option<&String>, limit| Quota {
                team: section.team.trim().into(),
                of,
                instance_type: instance_type.map(|name| name.as_str().into()),
                limit,
            };
            let gpus = section.gpus.map(|limit| quota(Limited::Gpus, None, limit));
            let usd = section.usd_per_hour.map(|limit| quota(Limited::UsdPerHour, None, limit));
            let types = section.instances.iter();
            let types = types.map(|(name, n)| quota(Limited::Instances, Some(name), f64::from(*n)));
            gpus.into_iter().chain(types).chain(usd).collect::<Vec<_>>()
        };
        self.quotas.iter().flat_map(of).collect()
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

/// A unit cost; `None` for one with a problem.
fn unit(section: &UnitSection) -> Option<Unit> {
    Some(Unit {
        name: text::clean(section.name.trim()).as_ref().into(),
        filter: MoneyFilter::parse(section.filter.as_deref().unwrap_or_default()).ok()?,
        per: section.per.unwrap_or(1.0),
        target: section.target_usd,
    })
}

/// Where its counts come from; `None` for one with a problem.
fn count_source(section: &UnitSection) -> Option<CountSource> {
    let UnitSection { csv, prometheus, prometheus_server, cloudwatch, .. } = section;
    if let Some(path) = csv {
        return Some(CountSource::Csv(path.into()));
    }
    if let Some(query) = prometheus {
        let server = prometheus_server.clone();
        return Some(CountSource::Prometheus { query: query.clone(), server });
    }
    let of = cloudwatch.as_ref()?;
    let dimensions = of.dimensions.iter();
    Some(CountSource::CloudWatch {
        metric: DayMetric {
            namespace: of.namespace.as_str().into(),
            metric: of.metric.as_str().into(),
            dimensions: dimensions.map(|(n, v)| (n.as_str().into(), v.as_str().into())).collect(),
            statistic: statistic(of.statistic.as_deref())?,
        },
        region: of.region.as_str().into(),
        account: of.account.clone(),
    })
}

fn statistic(text: Option<&str>) -> Option<DayStatistic> {
    let Some(text) = text else { return Some(DayStatistic::Sum) };
    DayStatistic::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
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

/// A budget; `None` for one with a problem.
fn budget(section: &BudgetSection) -> Option<Budget> {
    let mut levels = section.levels.clone().unwrap_or_else(|| LEVELS.to_vec());
    levels.push(WHOLE);
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    Some(Budget {
        name: text::clean(section.name.trim()).as_ref().into(),
        filter: MoneyFilter::parse(section.filter.as_deref().unwrap_or_default()).ok()?,
        limit: Usd::from_f64(section.usd)?,
        period: period(section.period.as_deref())?,
        levels,
    })
}

fn period(text: Option<&str>) -> Option<BudgetPeriod> {
    let Some(text) = text else { return Some(BudgetPeriod::Monthly) };
    BudgetPeriod::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
}

/// Each alias with the team at the end of its chain, in lower case; those in a circle are left out.
fn resolved(aliases: &BTreeMap<String, String>) -> crate::domain::hash::FastMap<String, Arc<str>> {
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

/// What is wrong with `[teams]`: the key below `teams.` and the reason.
pub(super) fn problems(section: &TeamsSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut seen = BTreeSet::new();
    for (i, name) in section.names.iter().flatten().enumerate() {
        match unusable(name) {
            Some(why) => bad(format!("names[{i}]"), why),
            None if !seen.insert(name.trim().to_lowercase()) => {
                bad(
                    format!("names[{i}]"),
                    format!("`{}` is named twice, case aside", text::clean(name)),
                );
            }
            None => {}
        }
    }
    let known = |team: &str| unknown_team(section, team);
    let by_word = folded(&section.aliases);
    for (alias, team) in &section.aliases {
        let key = format!("aliases.{alias}");
        if let Some(why) = unusable(alias).or_else(|| unusable(team)) {
            bad(key, why);
        } else if is_in_circle(&by_word, &alias.trim().to_lowercase()) {
            let (alias, team) = (text::clean(alias), text::clean(team));
            bad(
                key,
                format!(
                    "`{alias}` means `{team}`, which leads back to `{alias}`: leave one of them out"
                ),
            );
        } else if !by_word.contains_key(&team.trim().to_lowercase())
            && let Some(why) = known(team)
        {
            bad(key, why);
        }
    }
    for (name, list) in
        [("user_tags", &section.user_tags), ("required_tags", &section.required_tags)]
    {
        for (i, tag) in list.iter().flatten().enumerate() {
            if let Some(why) = unusable(tag) {
                bad(format!("{name}[{i}]"), why);
            } else if let Some((key, _)) = tag.split_once('=') {
                bad(
                    format!("{name}[{i}]"),
                    format!("a key is needed; did you mean `{}`?", text::clean(key)),
                );
            }
        }
    }
    let maps = section.map.as_deref().unwrap_or_default();
    for (i, map) in maps.iter().enumerate() {
        let key = |part: &str| format!("map[{i}].{part}");
        if let Some(why) = unusable(&map.team).or_else(|| known(&map.team)) {
            bad(key("team"), why);
        }
        if map.account.as_deref().is_some_and(|account| !is_account_id(account)) {
            bad(key("account"), "an account id has 12 digits".into());
        }
        if let Some(why) = map.name.as_deref().and_then(unusable) {
            bad(key("name"), why);
        }
        if let Some(tag) = &map.tag
            && (tag.parse::<TagIs>().is_err() || tag.chars().any(text::is_unsafe))
        {
            bad(
                key("tag"),
                format!("`{}` is no `key=value`, such as `squad=language`", text::clean(tag)),
            );
        }
        if map.account.is_none() && map.name.is_none() && map.tag.is_none() {
            bad(
                format!("map[{i}]"),
                "it would fit every line; say an account, a name or a tag".into(),
            );
        }
        if let Some(before) = maps[..i].iter().position(|before| covers(before, map)) {
            let line = before + 1;
            bad(
                format!("map[{i}]"),
                format!(
                    "it never counts: mapping {line} of the list fits everything that it fits; put the narrower one first"
                ),
            );
        }
    }
    let mut names = BTreeSet::new();
    for (i, shared) in section.shared.iter().flatten().enumerate() {
        let key = |part: &str| format!("shared[{i}].{part}");
        if let Some(why) = unusable(&shared.name) {
            bad(key("name"), why);
        } else if !names.insert(shared.name.trim().to_lowercase()) {
            bad(key("name"), format!("two shared costs are named `{}`", text::clean(&shared.name)));
        }
        if shared.split.as_deref().is_some_and(|split| Split::of(split).is_none()) {
            let split = text::clean(shared.split.as_deref().unwrap_or_default()).into_owned();
            bad(
                key("split"),
                format!("`{split}` is no rule; accepted: {}", Split::WORDS.join(", ")),
            );
        }
        let filter = MoneyFilter::parse(&shared.filter);
        if let Err(error) = &filter {
            bad(key("filter"), error.to_string());
        }
        for (j, team) in shared.among.iter().flatten().enumerate() {
            let key = format!("shared[{i}].among[{j}]");
            if let Some(why) = unusable(team).or_else(|| known(team)) {
                bad(key, why);
            } else if filter.as_ref().is_ok_and(|filter| takes_all_of(filter, team)) {
                let team = text::clean(team).into_owned();
                bad(
                    key,
                    format!(
                        "its filter takes all of `{team}`, which would pay itself: leave `{team}` out"
                    ),
                );
            }
        }
    }
    out
}

/// True where a filter is of a team as a whole.
fn takes_all_of(filter: &MoneyFilter, team: &str) -> bool {
    let of = filter.only(&crate::analyze::bill::BillKey::Team);
    of.is_some_and(|of| of.eq_ignore_ascii_case(team.trim()))
}

/// True where whatever fits `map` fits `before` as well.
fn covers(before: &MapSection, map: &MapSection) -> bool {
    let account = before.account.is_none() || before.account == map.account;
    let name = match (&before.name, &map.name) {
        (None, _) => true,
        (Some(before), Some(name)) => Pattern::new(before).covers(&Pattern::new(name)),
        (Some(_), None) => false,
    };
    let tag = match (&before.tag, &map.tag) {
        (None, _) => true,
        (Some(before), Some(tag)) => before.eq_ignore_ascii_case(tag),
        (Some(_), None) => false,
    };
    account && name && tag
}

fn is_in_circle(aliases: &BTreeMap<String, &String>, begin: &str) -> bool {
    let mut at = begin.to_owned();
    for _ in 0..=aliases.len() {
        match aliases.get(&at) {
            Some(next) => at = next.trim().to_lowercase(),
            None => return false,
        }
        if at == begin {
            return true;
        }
    }
    false
}

fn unusable(name: &str) -> Option<String> {
    let is_bad = name.trim().is_empty() || name.chars().any(text::is_unsafe);
    is_bad.then(|| "it is empty or contains control characters".to_owned())
}

/// What is wrong with a name of a team, where the teams are named; `None` for one of them, and for an alias.
fn unknown_team(section: &TeamsSection, team: &str) -> Option<String> {
    let names = section.names.as_ref()?;
    let known = |name: &&String| name.trim().to_lowercase() == team.trim().to_lowercase();
    let is_alias = || folded(&section.aliases).contains_key(&team.trim().to_lowercase());
    if names.iter().any(|name| known(&name)) || is_alias() {
        return None;
    }
    Some(super::validate::unknown_name("team", team, names))
}

/// What is wrong with budgets: the place in the list with the key, and the reason.
pub(super) fn budget_problems(budgets: &[BudgetSection]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let (mut names, mut filters) = (BTreeSet::new(), BTreeSet::new());
    for (i, budget) in budgets.iter().enumerate() {
        let key = |part: &str| format!("[{i}].{part}");
        if let Some(why) = unusable(&budget.name) {
            bad(key("name"), why);
        } else if budget.name.contains(':') {
            bad(
                key("name"),
                "a `:` stands between a budget and its level: give it another name".into(),
            );
        } else if !names.insert(budget.name.trim().to_lowercase()) {
            bad(key("name"), format!("two budgets are named `{}`", text::clean(&budget.name)));
        }
        let period = period(budget.period.as_deref());
        if period.is_none() {
            let text = text::clean(budget.period.as_deref().unwrap_or_default()).into_owned();
            bad(
                key("period"),
                format!("`{text}` is no period; accepted: {}", BudgetPeriod::WORDS.join(", ")),
            );
        }
        match MoneyFilter::parse(budget.filter.as_deref().unwrap_or_default()) {
            Err(error) => bad(key("filter"), error.to_string()),
            Ok(filter) if !filters.insert((filter.to_string().to_lowercase(), period)) => {
                bad(
                    key("filter"),
                    "another budget is of the same lines and the same period".into(),
                );
            }
            Ok(_) => {}
        }
        for (j, level) in budget.levels.iter().flatten().enumerate() {
            if !(*level > 0.0 && *level <= 1000.0) {
                bad(format!("[{i}].levels[{j}]"), "a level is a percentage from 1 to 1000".into());
            }
        }
    }
    out
}

/// Dimensions that a metric of CloudWatch may have.
const DIMENSIONS_AT_MOST: usize = 30;

/// What is wrong with unit costs, beside the servers that may be asked: the place in the list with the key, and the reason.
pub(super) fn unit_problems(
    units: &[UnitSection],
    servers: &[PrometheusSection],
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut names = BTreeSet::new();
    for (i, unit) in units.iter().enumerate() {
        let key = |part: &str| format!("[{i}].{part}");
        if let Some(why) = unusable(&unit.name) {
            bad(key("name"), why);
        } else if !names.insert(unit.name.trim().to_lowercase()) {
            bad(key("name"), format!("two unit costs are named `{}`", text::clean(&unit.name)));
        }
        if let Err(error) = MoneyFilter::parse(unit.filter.as_deref().unwrap_or_default()) {
            bad(key("filter"), error.to_string());
        }
        if let Some(csv) = &unit.csv {
            if unusable(csv).is_some() {
                bad(key("csv"), "the path of a CSV file is needed".into());
            } else if csv.starts_with('~') {
                bad(key("csv"), "a `~` is none of the shell here; write the whole path".into());
            }
        }
        let sources = [unit.csv.is_some(), unit.prometheus.is_some(), unit.cloudwatch.is_some()];
        let count = sources.iter().filter(|is_set| **is_set).count();
        if count != 1 {
            let why = "it has one source of counts: say one of csv, prometheus and cloudwatch";
            bad(format!("[{i}]"), why.into());
        }
        if let Some(query) = &unit.prometheus {
            // A query may stand in several lines.
            let is_unsafe = |c: char| c != '\n' && c != '\t' && text::is_unsafe(c);
            if query.trim().is_empty() || query.chars().any(is_unsafe) {
                bad(key("prometheus"), "a query is needed".into());
            }
        }
        if let Some((part, why)) = server_problem(unit, servers) {
            bad(key(part), why);
        }
        for (part, why) in unit.cloudwatch.iter().flat_map(metric_problems) {
            bad(key(&format!("cloudwatch.{part}")), why);
        }
    }
    out
}

/// Why it is not known which server a unit cost asks: the key and the reason.
fn server_problem(
    unit: &UnitSection,
    servers: &[PrometheusSection],
) -> Option<(&'static str, String)> {
    let names = || servers.iter().map(|server| server.name.clone()).collect::<Vec<_>>();
    match (&unit.prometheus, &unit.prometheus_server) {
        (None, None) => None,
        (None, Some(_)) => {
            Some(("prometheus_server", "it belongs to a query: say prometheus as well".into()))
        }
        (Some(_), _) if servers.is_empty() => Some((
            "prometheus",
            "no server is configured: `[[gpus.prometheus]]` has name and url".into(),
        )),
        (Some(_), Some(name)) if servers.iter().all(|server| server.name != *name) => {
            let why = super::validate::unknown_name("server", name, &names());
            Some(("prometheus_server", why))
        }
        (Some(_), None) if servers.len() > 1 => {
            let names = names().join(", ");
            let names = text::clean(&names);
            let why =
                format!("several servers are configured: say prometheus_server, one of {names}");
            Some(("prometheus", why))
        }
        (Some(_), _) => None,
    }
}

/// What is wrong with a metric of CloudWatch: the key and the reason.
fn metric_problems(of: &UnitMetricSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: &str, why: String| out.push((key.to_owned(), why));
    let is_ascii = |text: &str| text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    for (key, text) in [("namespace", &of.namespace), ("metric", &of.metric)] {
        if text.trim().is_empty() || !is_ascii(text) || text.len() > 255 {
            bad(key, "CloudWatch's names have 1 to 255 letters, digits and signs".into());
        }
    }
    let is_of_region = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if of.region.is_empty() || !of.region.chars().all(is_of_region) {
        bad("region", "the code of a region is needed, such as us-east-1".into());
    }
    if statistic(of.statistic.as_deref()).is_none() {
        let text = text::clean(of.statistic.as_deref().unwrap_or_default()).into_owned();
        let known = DayStatistic::WORDS.join(", ");
        bad("statistic", format!("`{text}` is no statistic; accepted: {known}"));
    }
    if let Some(why) = of.account.as_deref().and_then(unusable) {
        bad("account", why);
    }
    if of.dimensions.len() > DIMENSIONS_AT_MOST {
        bad("dimensions", format!("a metric has at most {DIMENSIONS_AT_MOST} dimensions"));
    }
    for (name, value) in &of.dimensions {
        let is_bad = |text: &str| text.trim().is_empty() || !is_ascii(text);
        if is_bad(name) || is_bad(value) {
            let why = "a dimension has a name and a value of letters, digits and signs";
            bad(&format!("dimensions.{name}"), why.into());
        }
    }
    out
}

/// What is wrong with quotas: the place in the list with the key, and the reason.
pub(super) fn quota_problems(
    quotas: &[QuotaSection],
    teams: &TeamsSection,
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut seen = BTreeSet::new();
    for (i, quota) in quotas.iter().enumerate() {
        if let Some(why) = unusable(&quota.team).or_else(|| unknown_team(teams, &quota.team)) {
            bad(format!("[{i}].team"), why);
        } else if !seen.insert(quota.team.trim().to_lowercase()) {
            let team = text::clean(&quota.team).into_owned();
            bad(
                format!("[{i}].team"),
                format!("`{team}` has two quotas: put what is limited into one"),
            );
        }
        if quota.gpus.is_none() && quota.usd_per_hour.is_none() && quota.instances.is_empty() {
            bad(format!("[{i}]"), "it limits nothing; say gpus, usd_per_hour or instances".into());
        }
        for name in quota.instances.keys() {
            if unusable(name).is_some() || !name.contains('.') {
                let shown = text::clean(name).into_owned();
                bad(
                    format!("[{i}].instances.{name}"),
                    format!("`{shown}` is no instance type, such as p5.48xlarge"),
                );
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teams(text: &str) -> TeamsSection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn rules_that_cannot_be_are_named_by_their_key() {
        for (text, key) in [
            ("names = ['a', 'A']", "names[1]"),
            ("names = ['']", "names[0]"),
            ("[aliases]\na = 'b'\nb = 'A'", "aliases.a aliases.b"),
            ("[aliases]\na = 'a'", "aliases.a"),
            ("names = ['nlp']\n[aliases]\nx = 'npl'", "aliases.x"),
            ("[[map]]\nteam = 'a'", "map[0]"),
            ("[[map]]\nteam = 'a'\naccount = '1'", "map[0].account"),
            ("[[map]]\nteam = 'a'\ntag = 'x'", "map[0].tag"),
            ("names = ['b']\n[[map]]\nteam = 'a'\nname = 'x'", "map[0].team"),
            ("[[map]]\nteam = 'a'\nname = 'n-*'\n[[map]]\nteam = 'b'\nname = 'n-x*'", "map[1]"),
            (
                "[[map]]\nteam = 'a'\naccount = '123456789012'\n[[map]]\nteam = 'b'\naccount = '123456789012'\nname = 'x'",
                "map[1]",
            ),
            ("[[shared]]\nname = 's'\nfilter = 'x'", "shared[0].filter"),
            ("[[shared]]\nname = 's'\nfilter = 'charge=tax'\nsplit = 'fair'", "shared[0].split"),
            ("[[shared]]\nname = 's'\nfilter = 'team=p'\namong = ['a', 'P']", "shared[0].among[1]"),
            (
                "[[shared]]\nname = 's'\nfilter = ''\n[[shared]]\nname = 'S'\nfilter = ''",
                "shared[1].name",
            ),
            ("required_tags = ['team=x']", "required_tags[0]"),
        ] {
            let found = problems(&teams(text));
            let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys.join(" "), key, "{text}");
        }
        assert!(toml::from_str::<TeamsSection>("[[map]]\nteam = 'a'\nacount = 'x'").is_err());
        let fine = "names = ['nlp', 'vision']\nuser_tags = ['who']\nrequired_tags = ['team', 'job']\n\
                    [aliases]\nLanguage = 'text'\ntext = 'nlp'\n\
                    [[map]]\nteam = 'nlp'\nname = 'nlp-x*'\n[[map]]\nteam = 'vision'\nname = 'nlp-*'\n\
                    [[map]]\nteam = 'vision'\ntag = 'squad=v*'\n\
                    [[shared]]\nname = 'p'\nfilter = 'team=platform'\nsplit = 'by-gpu-hours'";
        let section = teams(fine);
        assert_eq!(problems(&section), []);
        let config = TeamsConfig::of(section, None, None, None);
        let rules = config.rules(&TagKeys::default());
        assert_eq!(rules.aliases.get("language").map(|team| &**team), Some("nlp"));
        assert_eq!(config.kept_tags(), ["who", "job", "squad"]);
        assert_eq!(rules.pools[0].split, Split::ByGpuHours);
        let Sections { teams, budgets, quotas, units } = config.sections();
        assert_eq!(TeamsConfig::of(teams, budgets, quotas, units), config);
    }

    #[test]
    fn a_unit_cost_has_one_source_of_counts_and_says_which_server_is_asked() {
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            units: Vec<UnitSection>,
        }
        let unit = |text: &str| {
            let file: File = toml::from_str(&format!("[[units]]\nname = 'a'\n{text}")).unwrap();
            file.units
        };
        let servers = |names: &str| -> Vec<PrometheusSection> {
            let of = |name: &str| PrometheusSection {
                name: name.to_owned(),
                ..PrometheusSection::default()
            };
            names.split_whitespace().map(of).collect()
        };
        let metric = "cloudwatch = { namespace = 'S', metric = 'P', region = 'us-east-1' }";
        for (text, named, key) in [
            ("", "", "[0]"),
            ("csv = 'a'\nprometheus = 'x'", "p", "[0]"),
            ("csv = '~/a'", "", "[0].csv"),
            ("csv = ''", "", "[0].csv"),
            ("csv = 'a'\nprometheus_server = 'p'", "p", "[0].prometheus_server"),
            ("prometheus = ' '", "p", "[0].prometheus"),
            ("prometheus = 'x'", "", "[0].prometheus"),
            ("prometheus = 'x'", "p q", "[0].prometheus"),
            ("prometheus = 'x'\nprometheus_server = 'r'", "p q", "[0].prometheus_server"),
            (
                "cloudwatch = { namespace = '', metric = 'P', region = 'x/' }",
                "",
                "[0].cloudwatch.namespace [0].cloudwatch.region",
            ),
            (
                "cloudwatch = { namespace = 'S', metric = 'P', region = 'x', statistic = 'p99' }",
                "",
                "[0].cloudwatch.statistic",
            ),
            (
                "cloudwatch = { namespace = 'S', metric = 'P', region = 'x', dimensions = { a = 'é' } }",
                "",
                "[0].cloudwatch.dimensions.a",
            ),
            ("csv = 'a'", "", ""),
            ("prometheus = \"sum(\\n x)\"", "p", ""),
            ("prometheus = 'x'\nprometheus_server = 'q'", "p q", ""),
            (metric, "", ""),
        ] {
            let found = unit_problems(&unit(text), &servers(named));
            let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys.join(" "), key, "{text} {named:?}: {found:?}");
        }
        let config =
            |text: &str| TeamsConfig::of(TeamsSection::default(), None, None, Some(unit(text)));
        let of_metric = CountSource::CloudWatch {
            metric: DayMetric {
                namespace: "S".into(),
                metric: "P".into(),
                dimensions: vec![],
                statistic: DayStatistic::Sum,
            },
            region: "us-east-1".into(),
            account: None,
        };
        assert_eq!(config(metric).units()[0].1, of_metric);
        let read = config("prometheus = 'x'\nprometheus_server = 'q'").units();
        let wanted = CountSource::Prometheus { query: "x".into(), server: Some("q".into()) };
        assert_eq!(read[0].1, wanted);
    }

    #[test]
    fn budgets_and_quotas_that_cannot_be_are_named_by_their_key() {
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            budgets: Vec<BudgetSection>,
            #[serde(default)]
            quotas: Vec<QuotaSection>,
        }
        for (text, key) in [
            ("[[budgets]]\nname = 'a'\nusd = 1\nfilter = 'nlp'", "[0].filter"),
            ("[[budgets]]\nname = 'a'\nusd = 1\nperiod = 'weekly'", "[0].period"),
            ("[[budgets]]\nname = 'a:b'\nusd = 1", "[0].name"),
            ("[[budgets]]\nname = 'a'\nusd = 1\nlevels = [80, 0]", "[0].levels[1]"),
            (
                "[[budgets]]\nname = 'a'\nusd = 1\nfilter = 'team=a'\n[[budgets]]\nname = 'b'\nusd = 2\nfilter = 'Team=A'",
                "[1].filter",
            ),
            (
                "[[budgets]]\nname = 'a'\nusd = 1\n[[budgets]]\nname = 'A'\nusd = 1\nperiod = 'quarterly'",
                "[1].name",
            ),
            ("[[quotas]]\nteam = 'a'", "[0]"),
            ("[[quotas]]\nteam = 'x'\ngpus = 1", "[0].team"),
            ("[[quotas]]\nteam = 'a'\ngpus = 1\n[[quotas]]\nteam = 'A'\ngpus = 2", "[1].team"),
            ("[[quotas]]\nteam = 'a'\ninstances = { p5 = 1 }", "[0].instances.p5"),
        ] {
            let file: File = toml::from_str(text).unwrap();
            let names = teams("names = ['a']");
            let mut found = budget_problems(&file.budgets);
            found.extend(quota_problems(&file.quotas, &names));
            let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(keys.join(" "), key, "{text}");
        }
        let file: File = toml::from_str(
            "[[budgets]]\nname = 'a'\nusd = 0.1\nlevels = [50]\n[[quotas]]\nteam = 'a'\ngpus = 8\n\
             usd_per_hour = 9.5\ninstances = { 'p5.48xlarge' = 1 }",
        )
        .unwrap();
        let config =
            TeamsConfig::of(TeamsSection::default(), Some(file.budgets), Some(file.quotas), None);
        assert_eq!(config.budgets()[0].levels, [50.0, 100.0]);
        assert_eq!(config.budgets()[0].limit.to_string(), "0.1");
        assert_eq!(config.quotas().len(), 3);
    }
}
