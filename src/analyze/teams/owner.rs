//! The value of a dimension for each line.

use std::sync::Arc;

use super::dimension::Dimension;
use super::filter::MoneyFilter;
use super::line::Line;
use super::rules::{Mapping, Rules};
use crate::domain::bill::{Usd, resource_id};
use crate::domain::hash::FastMap;

/// The one spelling of each value of a dimension.
#[derive(Default)]
struct Spellings {
    /// By the value in lower case.
    spelt: FastMap<String, Arc<str>>,
    /// By each spelling that was met.
    met: FastMap<Arc<str>, Arc<str>>,
}

/// Values of dimensions, in one spelling each.
pub struct Owners<'a> {
    rules: &'a Rules,
    /// Spellings, by [`Dimension`] as a number.
    spellings: [Spellings; Dimension::ALL.len()],
    /// Number of lines that each mapping gave their team.
    pub(super) used: Vec<usize>,
    /// Dollars of lines that a later mapping would give to another team: places of both.
    pub(super) contested: FastMap<(usize, usize), Usd>,
}

impl<'a> Owners<'a> {
    /// By these rules.
    pub fn new(rules: &'a Rules) -> Self {
        let mut spellings: [Spellings; Dimension::ALL.len()] = Default::default();
        let names = rules.names.iter().map(|name| (name.to_lowercase(), name.clone()));
        spellings[Dimension::Team as usize].spelt = names.collect();
        let used = vec![0; rules.mappings.len()];
        Self { rules, spellings, used, contested: FastMap::default() }
    }

    /// Value of a dimension of a line: that of its tag, of a team else that of the first mapping that fits. `None`
    /// without either.
    pub fn of(&mut self, line: &Line, by: Dimension) -> Option<Arc<str>> {
        if let Some(value) = line.tag(self.rules.keys_of(by)) {
            let value = value.clone();
            return Some(self.spelling(&value, by));
        }
        if by != Dimension::Team {
            return None;
        }
        let (rules, names) = (self.rules, names(line));
        let team = rules.mappings.iter().find(|mapping| fits(mapping, line, &names))?;
        Some(self.spelling(&team.team, by))
    }

    /// The team of a line, counting what the mappings do to one without a tag of it: each is compared once.
    pub(super) fn counted(&mut self, line: &Line) -> Option<Arc<str>> {
        let rules = self.rules;
        if line.tag(rules.keys_of(Dimension::Team)).is_some() {
            return self.of(line, Dimension::Team);
        }
        let names = names(line);
        let mut fitting = rules.mappings.iter().enumerate().filter(|(_, m)| fits(m, line, &names));
        let (first, mapping) = fitting.next()?;
        if let Some(used) = self.used.get_mut(first) {
            *used += 1;
        }
        for (other, _) in fitting.filter(|(_, other)| other.team != mapping.team) {
            *self.contested.entry((first, other)).or_default() += line.usd;
        }
        Some(self.spelling(&mapping.team, Dimension::Team))
    }

    /// The one spelling of a value: the alias's team, the name in the list of teams, else as it was met first.
    pub fn spelling(&mut self, value: &Arc<str>, by: Dimension) -> Arc<str> {
        let Spellings { spelt, met } = &mut self.spellings[by as usize];
        if let Some(known) = met.get(value) {
            return known.clone();
        }
        let folded = value.trim().to_lowercase();
        let alias = (by == Dimension::Team).then(|| self.rules.aliases.get(&folded)).flatten();
        let meant = alias.unwrap_or(value).trim();
        let spelt = spelt.entry(meant.to_lowercase()).or_insert_with(|| meant.into()).clone();
        met.insert(value.clone(), spelt.clone());
        spelt
    }

    /// Whether a filter takes a line, whose team, project, environment and cost center are those of the rules.
    pub fn passes(&mut self, filter: &MoneyFilter, line: &Line) -> bool {
        self.passes_as(filter, line, &mut Owned::default())
    }

    /// The same for a line of which `owned` remembers what was asked before.
    pub(super) fn passes_as(
        &mut self,
        filter: &MoneyFilter,
        line: &Line,
        owned: &mut Owned,
    ) -> bool {
        for by in filter.dimensions() {
            if owned.0[*by as usize].is_none() {
                owned.0[*by as usize] = Some(self.of(line, *by));
            }
        }
        filter.holds(|key| match Dimension::of_key(key) {
            Some(by) => owned.0[by as usize].as_ref()?.as_deref(),
            None => line.value(key),
        })
    }
}

/// Values of the dimensions of one line, as far as they were asked for.
#[derive(Default)]
pub(super) struct Owned(pub [Option<Option<Arc<str>>>; Dimension::ALL.len()]);

/// Texts by which a line is named: its name, its id, and the last part of an ARN that live views know by the whole of it.
type Names<'a> = [Option<&'a str>; 3];

fn names(line: &Line) -> Names<'_> {
    let id = line.resource.as_deref().map(resource_id);
    let last = id.and_then(|id| id.rsplit(['/', ':']).next());
    [line.name.as_deref(), id, last.filter(|last| Some(*last) != id)]
}

/// True where all parts of a mapping fit a line of these names.
fn fits(mapping: &Mapping, line: &Line, names: &Names<'_>) -> bool {
    let account = mapping.account.as_ref();
    if account.is_some_and(|account| line.account.as_ref() != Some(account)) {
        return false;
    }
    let named =
        |name: &super::pattern::Pattern| names.iter().flatten().any(|text| name.matches(text));
    if mapping.name.as_ref().is_some_and(|name| !named(name)) {
        return false;
    }
    let tagged = |tag: &crate::analyze::bill::TagIs| {
        line.tag(std::slice::from_ref(&tag.key)).is_some_and(|value| tag.matches(value))
    };
    mapping.tag.as_ref().is_none_or(tagged)
}
