//! Checks the layers of the configuration, lays them over each other and makes the [`Config`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::error::{ConfigError, Place, Problem};
use super::file::{AccountSection, FileConfig};
use super::validate;
use super::vocabulary::Vocabulary;
use super::{
    ActionsConfig, BillConfig, CacheConfig, CommitmentsConfig, Config, DEFAULT_CACHE_MB,
    DEFAULT_CAP_USD_PER_DAY, DEFAULT_PRESET, GpusConfig, JobsConfig, OrganizationConfig,
    OrganizationSection, PeopleConfig, PricesConfig, SpotConfig, StorageConfig, Target,
    TeamsConfig, UiConfig, env,
};
use crate::domain::{Regions, TagKeys};

/// One layer and where its values stand.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The values.
    pub value: FileConfig,
    /// The kind of place.
    pub origin: Origin,
    /// Lines of the keys, for a file.
    pub lines: BTreeMap<String, usize>,
}

/// The kind of place a layer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flags,
    /// The environment.
    Env,
    /// A file.
    File(PathBuf),
}

/// The flags that set keys.
pub const FLAGS: &[(&str, &str)] = &[
    ("profiles", "--profile"),
    ("regions", "--region"),
    ("idle.preset", "--preset"),
    ("ui.theme", "--theme"),
    ("ui.symbols", "--symbols"),
    ("ui.mouse", "--mouse"),
    ("ui.color", "--color"),
];

impl Layer {
    /// Where `key` stands in this layer. A key of a list falls back to the list itself.
    pub fn place(&self, key: &str) -> Place {
        let bare = key.split('[').next().unwrap_or(key);
        match &self.origin {
            Origin::Flags => Place::Flag(
                FLAGS.iter().find(|(k, _)| *k == bare).map_or("command line", |(_, flag)| flag),
            ),
            Origin::Env => Place::Env(
                env::VARIABLES.iter().find(|v| v.key == bare).map_or("environment", |v| v.name),
            ),
            Origin::File(path) => {
                let line = self.lines.get(key).or_else(|| self.lines.get(bare));
                Place::File { path: path.clone(), line: line.copied().unwrap_or(1) }
            }
        }
    }
}

/// Checks each layer (the first wins over the second and so on), merges and validates.
pub fn resolve(layers: Vec<Layer>, words: &Vocabulary) -> Result<Config, ConfigError> {
    let mut problems = Vec::new();
    let mut presets = words.presets.clone();
    presets.extend(layers.iter().flat_map(|l| l.value.idle.presets.keys().cloned()));
    for layer in &layers {
        validate::layer(layer, &presets, words, &mut problems);
    }
    if !problems.is_empty() {
        return Err(ConfigError::Invalid(problems));
    }
    let regions_forced =
        layers.iter().any(|l| l.value.regions.is_some() && !matches!(l.origin, Origin::File(_)));
    let chosen = layers
        .iter()
        .find(|l| l.value.profiles.is_some())
        .is_some_and(|l| !matches!(l.origin, Origin::File(_)));
    let merged = layers
        .iter()
        .rev()
        .map(|l| l.value.clone())
        .fold(FileConfig::default(), |under, l| l.over(under));
    let config = config(merged, chosen, regions_forced);
    let problems = unknown_profiles(&config.targets, &layers, words);
    if problems.is_empty() { Ok(config) } else { Err(ConfigError::Invalid(problems)) }
}

/// Profiles that are to be read and that no AWS file has, where they stand. Those of entries that
/// are not read may be another machine's.
fn unknown_profiles(targets: &[Target], layers: &[Layer], words: &Vocabulary) -> Vec<Problem> {
    let wanted = || targets.iter().filter_map(|t| Some((t, t.profile.as_ref()?)));
    let known = words.profiles.filter(|_| wanted().next().is_some()).and_then(|find| find());
    let Some(known) = known else { return Vec::new() };
    let unknown = wanted().filter(|(_, profile)| !known.contains(profile));
    let problem = |(target, profile): (&Target, &String)| {
        let accounts: Vec<_> = layers
            .iter()
            .flat_map(|l| l.value.accounts.iter().flatten())
            .map(|a| &a.name)
            .collect();
        let of_entry =
            |layer: &&Layer| layer.value.accounts.iter().flatten().any(|a| a.name == target.label);
        let named = |layer: &&Layer| layer.value.profiles.iter().flatten().any(|p| p == profile);
        // An entry's profile stands in the entry, any other one in the list.
        let (layer, list) = match layers.iter().find(of_entry) {
            Some(layer) => (Some(layer), "accounts"),
            None => (layers.iter().find(named), "profiles"),
        };
        let place = layer.map_or(Place::Flag("--profile"), |layer| {
            let sections = layer.value.accounts.iter().flatten();
            let key = match list {
                "accounts" => sections
                    .enumerate()
                    .find(|(_, a)| a.name == target.label)
                    .map_or("accounts".to_owned(), |(i, _)| format!("accounts[{i}].profile")),
                _ => "profiles".to_owned(),
            };
            layer.place(&key)
        });
        let mut there = known.clone();
        there.extend(accounts.into_iter().filter(|_| list == "profiles").cloned());
        Problem { place, message: validate::unknown_name("profile", profile, &there) }
    };
    unknown.map(problem).collect()
}

/// Turns checked values into the configuration. `chosen` says that the profiles were named by flag
/// or variable, which then stand alone; `regions_forced` that the regions were, which then hold
/// for every account.
fn config(file: FileConfig, chosen: bool, regions_forced: bool) -> Config {
    let general = file.regions.as_ref().map_or(Regions::Home, Regions::from);
    let accounts = file.accounts.unwrap_or_default();
    let organization = file.organization.map(|section| {
        let regions = section.regions.clone().filter(|_| !regions_forced);
        OrganizationConfig::of(OrganizationSection { regions, ..section }, &general, !chosen)
    });
    let of_account = |a: &AccountSection| Target {
        label: a.name.clone(),
        profile: a.profile.clone(),
        role_arn: a.role_arn.clone(),
        external_id: a.external_id.clone(),
        account_id: a.account_id.clone(),
        regions: match &a.regions {
            Some(own) if !regions_forced => Regions::from(own),
            _ => general.clone(),
        },
        production: a.production,
        read_only: a.read_only,
        allow_actions: a.allow_actions,
    };
    let bare = |label: &str, profile: Option<String>| Target {
        label: label.to_owned(),
        profile,
        role_arn: None,
        external_id: None,
        account_id: None,
        regions: general.clone(),
        production: false,
        read_only: false,
        allow_actions: false,
    };
    let mut named = BTreeSet::new();
    let mut targets: Vec<Target> = Vec::new();
    for name in file.profiles.iter().flatten().filter(|name| named.insert(*name)) {
        let account = accounts.iter().find(|a| a.name == *name);
        targets.push(account.map_or_else(|| bare(name, Some(name.clone())), of_account));
    }
    // No two entries have one name: that was checked, and a pin cannot get lost here.
    let rest = accounts.iter().filter(|a| !named.contains(&a.name)).map(of_account);
    let unread = if chosen {
        rest.collect()
    } else {
        targets.extend(rest);
        Vec::new()
    };
    if targets.is_empty() {
        targets.push(bare("default", None));
    }
    let default_tags = TagKeys::default();
    Config {
        targets,
        unread,
        organization,
        tag_keys: TagKeys {
            team: file.tags.team.unwrap_or(default_tags.team),
            project: file.tags.project.unwrap_or(default_tags.project),
            environment: file.tags.environment.unwrap_or(default_tags.environment),
            cost_center: file.tags.cost_center.unwrap_or(default_tags.cost_center),
        },
        preset: file.idle.preset.unwrap_or_else(|| DEFAULT_PRESET.to_owned()),
        custom_presets: file.idle.presets,
        own_cost_cap_usd_per_day: file.own_cost.cap_usd_per_day.unwrap_or(DEFAULT_CAP_USD_PER_DAY),
        actions: ActionsConfig::of(file.actions),
        gpus: GpusConfig::of(file.gpus),
        storage: StorageConfig::of(file.storage),
        spot: SpotConfig::of(file.spot),
        commitments: CommitmentsConfig::of(&file.commitments, &accounts),
        bill: BillConfig::of(file.bill),
        jobs: JobsConfig::of(file.jobs),
        teams: TeamsConfig::of(file.teams, file.budgets, file.quotas, file.units),
        people: PeopleConfig::of(file.people),
        prices: PricesConfig::of(file.prices, &accounts),
        cache: CacheConfig {
            max_mb: file.cache.max_mb.unwrap_or(DEFAULT_CACHE_MB),
            path: file.cache.path,
        },
        ui: UiConfig {
            theme: file.ui.theme,
            symbols: file.ui.symbols.unwrap_or_default(),
            mouse: file.ui.mouse.unwrap_or(true),
            color: file.ui.color.unwrap_or_default(),
            braille: file.ui.braille.unwrap_or(true),
        },
        keys: file.keys,
        views: file.views,
    }
}

#[cfg(test)]
mod tests;
