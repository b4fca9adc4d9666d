//! How bills are read: which tags mean what.

use std::str::FromStr;
use std::sync::Arc;

use crate::domain::TagKeys;

/// Which tags tell training from serving, and which are of the four dimensions of allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BillSettings {
    /// Tags of training; the first match of `training`, then of `serving`, decides.
    pub training: Vec<TagIs>,
    /// Tags of serving.
    pub serving: Vec<TagIs>,
    /// Tag keys of the team, ignoring ASCII case; the first with a value wins.
    pub team: Vec<Arc<str>>,
    /// Tag keys of the project.
    pub project: Vec<Arc<str>>,
    /// Tag keys of the environment.
    pub environment: Vec<Arc<str>>,
    /// Tag keys of the cost center.
    pub cost_center: Vec<Arc<str>>,
}

impl BillSettings {
    /// Settings with the tag keys of the configuration.
    pub fn new(keys: &TagKeys, training: Vec<TagIs>, serving: Vec<TagIs>) -> Self {
        let shared = |keys: &[String]| keys.iter().map(|key| key.as_str().into()).collect();
        Self {
            training,
            serving,
            team: shared(&keys.team),
            project: shared(&keys.project),
            environment: shared(&keys.environment),
            cost_center: shared(&keys.cost_center),
        }
    }
}

/// A tag with a value, written `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagIs {
    /// Tag key, compared ignoring ASCII case.
    pub key: Arc<str>,
    /// Value, compared ignoring ASCII case; with `*` at its end every value that begins with it.
    pub value: Arc<str>,
}

impl TagIs {
    /// True for a value that it matches.
    pub fn matches(&self, value: &str) -> bool {
        match self.value.strip_suffix('*') {
            Some(prefix) => value
                .get(..prefix.len())
                .is_some_and(|begin| !value.is_empty() && begin.eq_ignore_ascii_case(prefix)),
            None => value.eq_ignore_ascii_case(&self.value),
        }
    }
}

/// Why a text is no tag with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tag with a value is written KEY=VALUE, as in team=pretrain or job=train-*")]
pub struct NoTagIs;

impl FromStr for TagIs {
    type Err = NoTagIs;

    fn from_str(text: &str) -> Result<Self, NoTagIs> {
        let (key, value) = text.split_once('=').ok_or(NoTagIs)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(NoTagIs);
        }
        Ok(Self { key: key.into(), value: value.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_matches_its_value_in_any_case_and_a_star_matches_what_begins_with_it() {
        let tag: TagIs = "job = Train-*".parse().unwrap();
        assert_eq!(&*tag.key, "job");
        for (value, matches) in
            [("train-7b", true), ("TRAIN-", true), ("trai", false), ("é", false)]
        {
            assert_eq!(tag.matches(value), matches, "{value}");
        }
        let any: TagIs = "job=*".parse().unwrap();
        assert!(any.matches("x") && !any.matches(""));
        assert!("team=a".parse::<TagIs>().unwrap().matches("A"));
        for text in ["", "team", "=a", "team="] {
            assert_eq!(text.parse::<TagIs>(), Err(NoTagIs), "{text}");
        }
    }
}
