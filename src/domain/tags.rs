//! Tags, and which of them mean team, project, environment and cost center.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{intern, text};

/// Tags of a resource, sorted by key. Keys and values are clean text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tags(#[serde(deserialize_with = "pairs")] Pairs);

type Pairs = Vec<(Arc<str>, Arc<str>)>;

/// The one tag whose values differ from one resource to the next.
const NAME: &str = "Name";

impl Tags {
    /// Tags from raw pairs; unsafe characters are replaced (see [`text::clean`]).
    pub fn from_raw<K: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut all: Pairs = pairs
            .into_iter()
            .map(|(k, v)| {
                let (key, value) = (text::clean(k.as_ref()), text::clean(v.as_ref()));
                let value = if key == NAME { value.into() } else { intern::shared(&value) };
                (intern::shared(&key), value)
            })
            .collect();
        all.sort();
        all.shrink_to_fit();
        Self(all)
    }

    /// Value of the tag with exactly this key; `None` without it.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v)
    }

    /// Value of the first tag whose key equals one of `keys`, ignoring ASCII case; the order of `keys` decides. `None`
    /// without such a tag.
    pub fn find<S: AsRef<str>>(&self, keys: &[S]) -> Option<&Arc<str>> {
        keys.iter().find_map(|want| {
            self.0.iter().find(|(k, _)| k.eq_ignore_ascii_case(want.as_ref())).map(|(_, v)| v)
        })
    }

    /// All keys with their values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (&**k, &**v))
    }

    /// Number of tags.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without any tag.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads tags; what repeats from one resource to the next is shared.
fn pairs<'de, D: Deserializer<'de>>(from: D) -> Result<Pairs, D::Error> {
    Vec::<Pair>::deserialize(from).map(|pairs| pairs.into_iter().map(|p| (p.0, p.1)).collect())
}

struct Pair(Arc<str>, Arc<str>);

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pair;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key and a value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pair, A::Error> {
                let missing = |n| A::Error::invalid_length(n, &self);
                let key = seq.next_element::<intern::Text>()?.ok_or_else(|| missing(0))?.0;
                let value = if *key == *NAME {
                    seq.next_element()?
                } else {
                    seq.next_element::<intern::Text>()?.map(|t| t.0)
                };
                Ok(Pair(key, value.ok_or_else(|| missing(1))?))
            }
        }
        from.deserialize_tuple(2, Reader)
    }
}

/// Tag keys of the four allocation dimensions, compared ignoring ASCII case; the first key that a resource has wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagKeys {
    /// Keys of the team.
    pub team: Vec<String>,
    /// Keys of the project.
    pub project: Vec<String>,
    /// Keys of the environment.
    pub environment: Vec<String>,
    /// Keys of the cost center.
    pub cost_center: Vec<String>,
}

impl Default for TagKeys {
    fn default() -> Self {
        let own = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect();
        Self {
            team: own(&["team", "owner-team", "squad"]),
            project: own(&["project", "application", "app"]),
            environment: own(&["environment", "env", "stage"]),
            cost_center: own(&["cost-center", "costcenter", "cost_center"]),
        }
    }
}
