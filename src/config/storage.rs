//! `[storage]`: which buckets are read, how often, and where their inventories lie.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::validate::unusable_name;
use crate::domain::text;

/// Default of `storage.list_limit`: 10,000 pages, $0.05 and up to half an hour.
pub const DEFAULT_LIST_LIMIT: u64 = 10_000_000;

/// Which buckets are read, how often, and where their inventories lie.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StorageSection {
    /// Read buckets in the background of the cockpit, at most once per interval. Without it, only
    /// when the Storage tab is opened.
    pub background: Option<bool>,
    /// Names of buckets to read; a `*` at the end stands for any rest. Without it, all.
    pub buckets: Option<Vec<String>>,
    /// Names of buckets not to read, whatever `buckets` says.
    pub exclude: Option<Vec<String>>,
    /// Regions whose buckets are read. Without it, all, whatever regions the fleet is read in.
    pub regions: Option<Vec<String>>,
    /// Region whose prices count where a bucket's own has none in the built-in list, and for lists
    /// that do not say theirs.
    pub price_region: Option<String>,
    /// Inventories by bucket: the `manifest.json`, or the prefix above all of them, as a path or
    /// `s3://…`.
    pub inventories: BTreeMap<String, String>,
    /// The most objects that a list without an inventory reads; 0 for no limit.
    pub list_limit: Option<u64>,
    /// Minutes between two lists of buckets.
    #[schemars(range(min = 5, max = 10080))]
    pub list_every_minutes: Option<u32>,
    /// Minutes between two looks at how a bucket is set up.
    #[schemars(range(min = 15, max = 10080))]
    pub facts_every_minutes: Option<u32>,
    /// Hours between two looks at the daily sizes, which are billed within `own_cost`.
    #[schemars(range(min = 6, max = 168))]
    pub sizes_every_hours: Option<u32>,
    /// Minutes between two looks at volumes and snapshots.
    #[schemars(range(min = 1, max = 1440))]
    pub ebs_every_minutes: Option<u32>,
}

/// `[storage]`, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageConfig {
    /// Buckets are read in the background of the cockpit.
    pub background: bool,
    /// Names of buckets to read; empty for all.
    pub buckets: Vec<String>,
    /// Names of buckets not to read.
    pub exclude: Vec<String>,
    /// Regions whose buckets are read; `None` for all.
    pub regions: Option<Vec<String>>,
    /// Region whose prices count where the own has none.
    pub price_region: Option<String>,
    /// Inventories by bucket.
    pub inventories: BTreeMap<String, String>,
    /// The most objects that a list reads; 0 for no limit.
    pub list_limit: u64,
    /// Minutes between two lists of buckets.
    pub list_every_minutes: u32,
    /// Minutes between two looks at how a bucket is set up.
    pub facts_every_minutes: u32,
    /// Hours between two looks at the daily sizes.
    pub sizes_every_hours: u32,
    /// Minutes between two looks at volumes and snapshots.
    pub ebs_every_minutes: u32,
}

impl Default for StorageConfig {
    fn default() -> Self {
        Self::of(StorageSection::default())
    }
}

impl StorageSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        let mut inventories = under.inventories;
        inventories.extend(self.inventories);
        Self {
            background: self.background.or(under.background),
            buckets: self.buckets.or(under.buckets),
            exclude: self.exclude.or(under.exclude),
            regions: self.regions.or(under.regions),
            price_region: self.price_region.or(under.price_region),
            inventories,
            list_limit: self.list_limit.or(under.list_limit),
            list_every_minutes: self.list_every_minutes.or(under.list_every_minutes),
            facts_every_minutes: self.facts_every_minutes.or(under.facts_every_minutes),
            sizes_every_hours: self.sizes_every_hours.or(under.sizes_every_hours),
            ebs_every_minutes: self.ebs_every_minutes.or(under.ebs_every_minutes),
        }
    }
}

impl StorageConfig {
    /// From checked values.
    pub(super) fn of(section: StorageSection) -> Self {
        Self {
            background: section.background.unwrap_or(true),
            buckets: section.buckets.unwrap_or_default(),
            exclude: section.exclude.unwrap_or_default(),
            regions: section.regions,
            price_region: section.price_region,
            inventories: section.inventories,
            list_limit: section.list_limit.unwrap_or(DEFAULT_LIST_LIMIT),
            list_every_minutes: section.list_every_minutes.unwrap_or(60),
            facts_every_minutes: section.facts_every_minutes.unwrap_or(6 * 60),
            sizes_every_hours: section.sizes_every_hours.unwrap_or(24),
            ebs_every_minutes: section.ebs_every_minutes.unwrap_or(15),
        }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> StorageSection {
        StorageSection {
            background: Some(self.background),
            buckets: Some(self.buckets.clone()),
            exclude: Some(self.exclude.clone()),
            regions: self.regions.clone(),
            price_region: self.price_region.clone(),
            inventories: self.inventories.clone(),
            list_limit: Some(self.list_limit),
            list_every_minutes: Some(self.list_every_minutes),
            facts_every_minutes: Some(self.facts_every_minutes),
            sizes_every_hours: Some(self.sizes_every_hours),
            ebs_every_minutes: Some(self.ebs_every_minutes),
        }
    }
}

/// What is wrong with the section: the key below `storage.` and the reason.
pub(super) fn problems(section: &StorageSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    for (key, list) in [("buckets", &section.buckets), ("exclude", &section.exclude)] {
        for (i, name) in list.iter().flatten().enumerate() {
            let start = name.strip_suffix('*').unwrap_or(name);
            if (start.is_empty() && start.len() == name.len()) || !start.chars().all(is_of_a_name) {
                bad(format!("{key}[{i}]"), no_bucket(name));
            }
        }
    }
    let regions = section.regions.iter().flatten().enumerate();
    let regions = regions.map(|(i, r)| (format!("regions[{i}]"), r));
    let price = section.price_region.iter().map(|r| ("price_region".to_owned(), r));
    for (key, region) in regions.chain(price) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if region.is_empty() || !region.contains('-') || !region.chars().all(fits) {
            let region = text::clean(region);
            bad(key, format!("`{region}` is no region code; codes look like us-east-1"));
        }
    }
    for (bucket, place) in &section.inventories {
        let key = format!("inventories.{bucket}");
        if bucket.is_empty() || !bucket.chars().all(is_of_a_name) {
            bad(key, no_bucket(bucket));
        } else if unusable_name(place).is_some() {
            bad(key, "a path or `s3://bucket/prefix` is needed".into());
        } else if let Some(rest) = place.strip_prefix("s3://")
            && (rest.is_empty() || rest.starts_with('/'))
        {
            bad(key, "`s3://` is followed by a bucket and a prefix".into());
        }
    }
    out
}

/// Characters of bucket names, old ones included (S3 user guide, "Bucket naming rules").
fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')
}

fn no_bucket(name: &str) -> String {
    format!(
        "`{}` is no name of a bucket; a `*` may stand at the end of a list's",
        text::clean(name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> StorageSection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, key) in [
            ("buckets = ['ml-*', 'a b']", "buckets[1]"),
            ("exclude = ['']", "exclude[0]"),
            ("exclude = ['*-old']", "exclude[0]"),
            ("regions = ['us-east-1', 'Frankfurt']", "regions[1]"),
            ("price_region = 'all'", "price_region"),
            ("inventories.data = ''", "inventories.data"),
            ("inventories.data = 's3:///x'", "inventories.data"),
            ("inventories.'a/b' = 'x'", "inventories.a/b"),
        ] {
            let found = problems(&section(text));
            assert_eq!(found.iter().map(|(k, _)| k.as_str()).collect::<Vec<_>>(), [key], "{text}");
        }
        let fine = "buckets = ['*', 'ml-*']\nexclude = ['logs.old_1']\nregions = ['eu-west-1']\n\
                    price_region = 'us-east-1'\ninventories.data = 's3://inv/data/daily/'\n\
                    inventories.local = '/srv/inventory/manifest.json'";
        assert_eq!(problems(&section(fine)), []);
    }

    #[test]
    fn the_effective_section_says_the_same_and_layers_add_inventories() {
        let upper = section("buckets = ['a']\ninventories.x = '1'\nlist_limit = 5");
        let lower = section("buckets = ['b']\nbackground = false\ninventories.y = '2'");
        let config = StorageConfig::of(upper.over(lower));
        assert_eq!((config.buckets.clone(), config.background), (vec!["a".to_owned()], false));
        assert_eq!(config.inventories.len(), 2);
        assert_eq!(config.list_limit, 5);
        assert_eq!(StorageConfig::of(config.section()), config);
        assert!(StorageConfig::default().background);
    }
}
