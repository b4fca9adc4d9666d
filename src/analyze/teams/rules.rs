//! Mappings, aliases and shared costs, checked.

use std::sync::Arc;

use super::dimension::Dimension;
use super::filter::MoneyFilter;
use super::pattern::Pattern;
use super::split::Split;
use crate::analyze::bill::TagIs;
use crate::domain::TagKeys;
use crate::domain::hash::FastMap;

/// By which rules dollars get a team, a project, an environment, a cost center or a user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Teams that there are, as they are written; empty where none are named.
    pub names: Vec<Arc<str>>,
    /// Values of the tag of the team that mean a team of another name, in lower case; never another alias.
    pub aliases: FastMap<String, Arc<str>>,
    /// Whose the lines without a tag of the team are; the first one that fits counts.
    pub mappings: Vec<Mapping>,
    /// Costs that are shared; the first one whose filter fits takes a line.
    pub pools: Vec<Pool>,
    /// Tag keys of each dimension, by [`Dimension`] as a number; ignoring ASCII case, the first with a value counts.
    pub keys: [Vec<Arc<str>>; Dimension::ALL.len()],
    /// Tags that each resource shall have: of a dimension any of its keys, else exactly this key.
    pub required: Vec<Arc<str>>,
}

/// Whose the lines are that all of its parts fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The team.
    pub team: Arc<str>,
    /// Account id; `None` = any.
    pub account: Option<Arc<str>>,
    /// Name of the resource: its tag `Name`, its id, or the last part of its ARN; `None` = any.
    pub name: Option<Pattern>,
    /// A tag that it has; `None` = any.
    pub tag: Option<TagIs>,
}

/// Costs that several share.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Its name, for remarks.
    pub name: Arc<str>,
    /// Which lines.
    pub filter: MoneyFilter,
    /// How they are divided.
    pub split: Split,
    /// Teams among which they are divided; empty = all that have dollars of their own.
    pub among: Vec<Arc<str>>,
}

impl Rules {
    /// The tag keys of the configuration, without any rule.
    pub fn new(keys: &TagKeys, user: &[String]) -> Self {
        let shared = |keys: &[String]| keys.iter().map(|key| key.as_str().into()).collect();
        Self {
            keys: [
                shared(&keys.team),
                shared(&keys.project),
                shared(&keys.environment),
                shared(&keys.cost_center),
                shared(user),
            ],
            ..Self::default()
        }
    }

    /// Tag keys of a dimension.
    pub fn keys_of(&self, by: Dimension) -> &[Arc<str>] {
        &self.keys[by as usize]
    }
}
