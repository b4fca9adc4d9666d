//! `[bill]`: where bills are exported to, and which tags tell work apart.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::validate::unusable_name;
use crate::domain::{TagKeys, text};

/// Tag keys of a bill at most: each multiplies what is kept.
const TAGS_AT_MOST: usize = 16;

/// Where bills are exported to, and which tags tell work apart. A misspelt key is an error: it decides what training
/// costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BillSection {
    /// What `burntop bill import` reads: `s3://bucket/prefix` or paths of exports, folders and files.
    pub exports: Option<Vec<String>>,
    /// Tag keys by which a bill can be told apart, besides those of team, project, environment and cost center;
    /// `costCategory:NAME` for a cost category. They count from the next import.
    pub tags: Option<Vec<String>>,
    /// What is training: `key=value`, where a `*` at the end of the value stands for any rest.
    pub training: Option<Vec<String>>,
    /// What is serving, in the same form.
    pub serving: Option<Vec<String>>,
}

/// `[bill]`, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BillConfig {
    /// Places of exports, as they were written.
    pub exports: Vec<String>,
    /// Further tag keys that are kept.
    pub tags: Vec<String>,
    /// Keys and values of tags that mean training.
    pub training: Vec<(String, String)>,
    /// Keys and values of tags that mean serving.
    pub serving: Vec<(String, String)>,
}

impl BillSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self {
            exports: self.exports.or(under.exports),
            tags: self.tags.or(under.tags),
            training: self.training.or(under.training),
            serving: self.serving.or(under.serving),
        }
    }
}

impl BillConfig {
    /// From checked values.
    pub(super) fn of(section: BillSection) -> Self {
        let pairs = |list: Option<Vec<String>>| {
            list.into_iter().flatten().filter_map(|text| tag_is(&text)).collect()
        };
        Self {
            exports: section.exports.unwrap_or_default(),
            tags: section.tags.unwrap_or_default(),
            training: pairs(section.training),
            serving: pairs(section.serving),
        }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> BillSection {
        let pairs = |list: &[(String, String)]| {
            Some(list.iter().map(|(key, value)| format!("{key}={value}")).collect())
        };
        BillSection {
            exports: Some(self.exports.clone()),
            tags: Some(self.tags.clone()),
            training: pairs(&self.training),
            serving: pairs(&self.serving),
        }
    }

    /// Tag keys that an import keeps: those of the dimensions, those of training and serving, and further ones; each
    /// once, ignoring ASCII case, ordered.
    pub fn kept_tags(&self, dimensions: &TagKeys) -> Vec<String> {
        let TagKeys { team, project, environment, cost_center } = dimensions;
        let work = self.training.iter().chain(&self.serving).map(|(key, _)| key);
        let all = [team, project, environment, cost_center, &self.tags];
        let mut seen = BTreeSet::new();
        let mut kept: Vec<String> = all
            .into_iter()
            .flatten()
            .chain(work)
            .filter(|key| seen.insert(key.to_ascii_lowercase()))
            .cloned()
            .collect();
        kept.sort();
        kept
    }

    /// Exports of the configuration in S3: bucket and prefix of each.
    pub fn in_s3(&self) -> impl Iterator<Item = (&str, &str)> {
        self.exports.iter().filter_map(|place| {
            let rest = place.strip_prefix("s3://")?;
            Some(rest.split_once('/').unwrap_or((rest, "")))
        })
    }
}

/// Key and value of `key=value`; `None` where one of them is empty.
fn tag_is(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    (!key.is_empty() && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// What is wrong with the section: the key below `bill.` and the reason.
pub(super) fn problems(section: &BillSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    for (i, place) in section.exports.iter().flatten().enumerate() {
        let key = format!("exports[{i}]");
        let shown = text::clean(place);
        if unusable_name(place).is_some() {
            bad(key, "a path or `s3://bucket/prefix` is needed".into());
        } else if let Some(rest) = place.strip_prefix("s3://") {
            let bucket = rest.split('/').next().unwrap_or_default();
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
            if bucket.is_empty() || !bucket.chars().all(fits) {
                bad(key, "`s3://` is followed by a bucket and a prefix".into());
            }
        } else if place.starts_with('~') {
            bad(key, format!("`{shown}`: a `~` is none of the shell here; write the whole path"));
        } else if let Some((scheme, _)) = place.split_once("://") {
            let scheme = text::clean(scheme).into_owned();
            bad(
                key,
                format!("`{shown}`: `{scheme}` is not read; write a path or `s3://bucket/prefix`"),
            );
        } else if let Some(rest) = place.strip_prefix("s3:") {
            let rest = text::clean(rest.trim_start_matches('/')).into_owned();
            bad(key, format!("did you mean `s3://{rest}`?"));
        } else if let Some(rest) = place.strip_prefix("arn:aws:s3:::") {
            bad(key, format!("did you mean `s3://{}`?", text::clean(rest)));
        }
    }
    let tags = section.tags.iter().flatten();
    if tags.clone().count() > TAGS_AT_MOST {
        bad(
            "tags".into(),
            format!("at most {TAGS_AT_MOST} tag keys are kept beside the dimensions"),
        );
    }
    for (i, tag) in tags.enumerate() {
        if unusable_name(tag).is_some() {
            bad(format!("tags[{i}]"), "it is empty or contains control characters".into());
        } else if let Some((key, _)) = tag.split_once('=') {
            bad(
                format!("tags[{i}]"),
                format!("a key is needed; did you mean `{}`?", text::clean(key)),
            );
        }
    }
    let mut of: BTreeSet<(String, String)> = BTreeSet::new();
    for (name, list) in [("training", &section.training), ("serving", &section.serving)] {
        for (i, pair) in list.iter().flatten().enumerate() {
            let key = format!("{name}[{i}]");
            let shown = text::clean(pair);
            let Some((tag, value)) = tag_is(pair).filter(|_| !pair.chars().any(text::is_unsafe))
            else {
                bad(key, format!("`{shown}` is no `key=value`, such as `team=pretrain`"));
                continue;
            };
            if value.find('*').is_some_and(|at| at + 1 < value.len()) {
                bad(key, format!("`{shown}`: a `*` stands at the end of a value only"));
            } else if !of.insert((tag.to_ascii_lowercase(), value.to_ascii_lowercase())) {
                bad(key, format!("`{shown}` is named twice"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> BillSection {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, key, said) in [
            ("exports = ['']", "exports[0]", "s3://"),
            ("exports = ['/a', 's3:///x']", "exports[1]", "bucket"),
            ("exports = ['s3:/bills/cur']", "exports[0]", "`s3://bills/cur`"),
            ("exports = ['arn:aws:s3:::bills/cur']", "exports[0]", "`s3://bills/cur`"),
            ("exports = ['~/bills']", "exports[0]", "whole path"),
            ("exports = ['gs://bills']", "exports[0]", "`gs` is not read"),
            ("tags = ['']", "tags[0]", "empty"),
            ("tags = ['team=nlp']", "tags[0]", "did you mean `team`"),
            ("training = ['pretrain']", "training[0]", "key=value"),
            ("training = ['team=']", "training[0]", "key=value"),
            ("serving = ['team=a*b']", "serving[0]", "at the end"),
            ("training = ['team=x']\nserving = ['Team=X']", "serving[0]", "twice"),
        ] {
            let found = problems(&section(text));
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].0 == key && found[0].1.contains(said), "{text}: {found:?}");
        }
        let fine = "exports = ['s3://bills/pre/cur/', '/srv/bills', 'cur.csv.gz']\n\
                    tags = ['job', 'costCategory:Unit']\n\
                    training = ['team=pretrain', 'job=train-*']\nserving = ['team=serving']";
        assert_eq!(problems(&section(fine)), []);
        for text in ["export = []", "training = 'team=x'"] {
            assert!(toml::from_str::<BillSection>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_effective_section_says_the_same() {
        let upper = section("training = ['team = pretrain']");
        let config = BillConfig::of(upper.over(section("exports = ['s3://b/p', '/x', 's3://c']")));
        assert_eq!(config.training, [("team".to_owned(), "pretrain".to_owned())]);
        assert_eq!(config.in_s3().collect::<Vec<_>>(), [("b", "p"), ("c", "")]);
        assert_eq!(BillConfig::of(config.section()), config);
    }

    #[test]
    fn each_tag_is_kept_once() {
        let config = BillConfig::of(section("tags = ['Team', 'job']\ntraining = ['stage=train']"));
        let only = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>();
        let dimensions = TagKeys {
            team: only(&["team"]),
            project: vec![],
            environment: only(&["env"]),
            cost_center: vec![],
        };
        assert_eq!(config.kept_tags(&dimensions), ["env", "job", "stage", "team"]);
    }
}
