//! Sums by keys as SQL over the lines of a bill ([`line_columns`](crate::domain::bill::line_columns)), for Athena where a
//! bill outgrows the machine. Its answer becomes the same [`Breakdown`] that the cubes give.

mod answer;
mod key;

use std::sync::Arc;

pub use answer::BadAnswer;

use super::breakdown::Breakdown;
use super::column::tag_keys;
use super::keys::{BillKey, KEYS_AT_MOST};
use super::settings::BillSettings;
use crate::domain::bill::line_columns as line;
use crate::domain::sql;

/// Why there are no sums by some keys in SQL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDrilled {
    /// More keys than can be combined.
    #[error("sums are made by at most {KEYS_AT_MOST} keys at once: name fewer")]
    Keys,
    /// A key that only the fold tells.
    #[error(
        "{0} is no key of --engine athena: only an import tells how each price came about; leave it out"
    )]
    Key(&'static str),
    /// A tag that the table does not have.
    #[error("the table has no column with the tag \"{0}\"")]
    Tag(Arc<str>),
}

/// Sums by keys, as SQL.
#[derive(Clone, Debug)]
pub struct Drill {
    keys: Vec<BillKey>,
    settings: BillSettings,
}

impl Drill {
    /// Sums by these keys. Fails for more than [`KEYS_AT_MOST`] and for those that are not in SQL.
    pub fn new(keys: &[BillKey], settings: &BillSettings) -> Result<Self, NotDrilled> {
        if keys.len() > KEYS_AT_MOST {
            return Err(NotDrilled::Keys);
        }
        match keys.iter().find(|key| **key == BillKey::Pricing) {
            Some(key) => Err(NotDrilled::Key(key.word())),
            None => Ok(Self { keys: keys.to_vec(), settings: settings.clone() }),
        }
    }

    /// Keys of the tags that it looks at, each once, ignoring ASCII case.
    pub fn tag_keys(&self) -> Vec<Arc<str>> {
        self.tag_keys_of(usize::MAX)
    }

    /// Those of the tags that a table is likely to have: of several that mean the same the first.
    pub fn likely_tag_keys(&self) -> Vec<Arc<str>> {
        self.tag_keys_of(1)
    }

    fn tag_keys_of(&self, most: usize) -> Vec<Arc<str>> {
        let mut all: Vec<Arc<str>> = vec![];
        for key in &self.keys {
            let tags = [&self.settings.training, &self.settings.serving];
            let of_category = tags.into_iter().flatten().filter(|_| *key == BillKey::Category);
            let of_key = tag_keys(key, &self.settings).iter().take(most);
            for key in of_category.map(|tag| &tag.key).chain(of_key) {
                if !all.iter().any(|known| known.eq_ignore_ascii_case(key)) {
                    all.push(key.clone());
                }
            }
        }
        all
    }

    /// The end of the query, over `lines`. `has_tag` tells which tags the table has. Fails for a tag that it has not.
    pub fn select(&self, has_tag: &dyn Fn(&str) -> bool) -> Result<String, NotDrilled> {
        let classed = self.keys.contains(&BillKey::Category).then(key::classed);
        let from = if classed.is_some() { "classed" } else { "lines" };
        let mut columns = vec![];
        for of in &self.keys {
            if let BillKey::Tag(name) = of
                && !has_tag(name)
            {
                return Err(NotDrilled::Tag(name.clone()));
            }
            let value = key::expression(of, &self.settings, has_tag);
            columns.push(format!("{value} AS {}", sql::column(&of.name())));
        }
        columns.push(line::CURRENCY.to_owned());
        let groups: Vec<String> = (1..=columns.len()).map(|place| place.to_string()).collect();
        columns.extend(line::COSTS.map(|cost| format!("sum({cost}) AS {cost}_usd")));
        columns.extend([line::LINE_ITEMS, line::WITHOUT_LIST].map(|n| format!("sum({n}) AS {n}")));
        let (columns, groups) = (columns.join(",\n  "), groups.join(", "));
        Ok(format!(
            "{}\nSELECT\n  {columns}\nFROM {from}\nGROUP BY {groups}\nORDER BY effective_usd DESC, {groups}",
            classed.map_or_else(String::new, |classed| format!(",\n{classed}")),
        ))
    }

    /// Sums of the rows that the query gave. Fails for rows of another form, and for another currency.
    pub fn read(&self, rows: &[Vec<Option<String>>]) -> Result<Breakdown, BadAnswer> {
        answer::read(&self.keys, rows)
    }
}
