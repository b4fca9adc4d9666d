//! What a rule sees: the rows of its list that it means, one by one or as groups, and what an alert says of them.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::file::Group;
use super::message::AlertFacts;
use super::rules::Rule;
use super::state::AlertRow;
use super::view::{ViewFields, WatchView, filter_of, per_day};
use crate::act::plan::shell_line;
use crate::domain::hash::FastMap;
use crate::domain::text::{clean, clean_to};
use crate::domain::{Reading, Scope, SourceId};
use crate::query::Kind;
use crate::view::filter::{Columns, FieldRef};
use crate::view::{FieldSpec, Rows, Symbols, Value, ViewContext, format};

/// Rows of a list at one moment, with what was read for them.
pub struct Pictured {
    /// The list.
    pub view: &'static WatchView,
    /// Its rows.
    pub rows: Arc<dyn Rows>,
    /// Sources that they rest on.
    pub sources: &'static [SourceId],
    ctx: ViewContext,
    fields: ViewFields,
    columns: RefCell<Columns>,
    known: Known,
    is_part: bool,
    places: OnceCell<FastMap<Arc<str>, u32>>,
}

/// What is known of things that are not in a list, beyond the sources that it rests on.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Keys of things that were looked at: one that is not in the list does not belong there.
    pub decided: BTreeSet<Arc<str>>,
    /// Keys of things of which nobody can tell whether they belong in it.
    pub undecided: BTreeSet<Arc<str>>,
    /// Instances that run and of which nobody tells anything that is on them.
    pub silent: Arc<BTreeSet<Arc<str>>>,
}

impl Pictured {
    /// Rows of a list, at the moment of the context, that rest on these sources.
    pub fn new(
        view: &'static WatchView,
        rows: Arc<dyn Rows>,
        sources: &'static [SourceId],
        ctx: &ViewContext,
    ) -> Self {
        // Texts of alerts are not of this terminal.
        let ctx = ViewContext { symbols: Symbols::Unicode, width: None, ..*ctx };
        let columns = RefCell::new(Columns::new(rows.clone(), ctx));
        Self {
            view,
            rows,
            sources,
            ctx,
            fields: view.fields(),
            columns,
            known: Known::default(),
            is_part: false,
            places: OnceCell::new(),
        }
    }

    /// What is known of things that are not in it.
    pub fn knowing(self, known: Known) -> Self {
        Self { known, ..self }
    }

    /// A part of what it is made of could not be read: what is there is so, and nothing ends.
    pub fn in_part(self, is_part: bool) -> Self {
        Self { is_part, ..self }
    }

    /// The row with this key; `None` where there is none now.
    fn place(&self, key: &str) -> Option<u32> {
        let places = self.places.get_or_init(|| {
            let all = 0..self.rows.len() as u32;
            all.filter_map(|row| Some((self.rows.key(row)?.clone(), row))).collect()
        });
        places.get(key).copied()
    }

    fn value(&self, row: u32, field: Option<&FieldSpec>) -> Value<'_> {
        field.map_or(Value::Unknown, |field| self.rows.value(row, field, &self.ctx))
    }

    fn number(&self, row: u32, field: Option<&FieldSpec>) -> Option<f64> {
        match self.value(row, field) {
            Value::Number(number) => Some(number),
            Value::Usd(usd) => Some(usd.to_f64()),
            _ => None,
        }
    }

    /// The cell as text, of a choice its word; `None` where it is empty or not known.
    fn text(&self, row: u32, field: &FieldSpec) -> Option<String> {
        let text = match (self.rows.value(row, field, &self.ctx), field.kind) {
            (Value::Unknown, _) => return None,
            (Value::Text(word), Kind::Choice(_)) => word.into_owned(),
            _ => self.rows.cell(row, field, &self.ctx)?.text,
        };
        Some(clean(text.trim()).into_owned()).filter(|text| !text.is_empty())
    }

    fn texts<'a>(
        &'a self,
        row: u32,
        fields: &'a [&'static FieldSpec],
    ) -> impl Iterator<Item = (&'static FieldSpec, String)> + 'a {
        fields.iter().filter_map(move |field| Some((*field, self.text(row, field)?)))
    }

    fn since(&self, row: u32) -> Option<Timestamp> {
        match self.value(row, self.fields.since) {
            Value::Time(at) => Some(at),
            Value::Number(seconds) => {
                self.ctx.now.checked_sub(SignedDuration::try_from_secs_f64(seconds).ok()?).ok()
            }
            _ => None,
        }
    }

    fn rate(&self, row: u32) -> Option<f64> {
        per_day(self.fields.rate?, self.number(row, self.fields.rate)?)
    }

    fn team(&self, row: u32) -> Option<String> {
        match self.value(row, self.fields.team) {
            Value::Text(team) => Some(clean(&team).into_owned()),
            _ => None,
        }
    }
}

/// One thing that a rule has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// Its key, unique in the rule.
    pub key: Arc<str>,
    /// Since when it is so, as far as it was witnessed; `None` where the rows do not know.
    pub since: Option<Timestamp>,
    /// Its team.
    pub team: Option<String>,
    /// Account and region that it is in; `None` where it is in none, or in several.
    pub place: Option<Scope>,
    /// Its rows, one at least.
    pub(super) rows: Vec<u32>,
}

/// What a rule sees now. What makes up an alert can be asked of it, and is made only then.
pub trait Matches {
    /// What the rule means, in the order of the list.
    fn found(&self) -> &[Thing];

    /// What an alert says of a thing.
    fn facts(&self, thing: &Thing) -> AlertFacts;

    /// The rows of a thing, and of those that it had `before` such of which no end is known.
    fn rows(&self, thing: &Thing, before: &[AlertRow]) -> Vec<AlertRow>;

    /// Whether something that is not found any more is known to be so no more. `place` is its account and region, `rows` are what
    /// made it up; without any it is known by its key alone.
    fn has_ended(&self, key: &str, place: Option<&Scope>, rows: &[AlertRow]) -> bool;
}

/// What a rule sees in the rows of its list.
pub struct MatchingRows<'a> {
    rule: &'a Rule,
    of: &'a Pictured,
    readings: &'a [Reading],
    found: Vec<Thing>,
    /// Of a rule over groups the rows that the filter means, in the order of the list.
    selected: Vec<u32>,
    /// Number of them in each group, also in those that the rule does not mean.
    sizes: BTreeMap<Arc<str>, usize>,
}

impl<'a> MatchingRows<'a> {
    /// What `rule` sees in these rows.
    pub fn of(rule: &'a Rule, of: &'a Pictured, readings: &'a [Reading]) -> Self {
        let mut rows = of.columns.borrow_mut().select(&rule.filter);
        let is_dear = |usd: Option<f64>| {
            rule.min_usd_per_day.is_none_or(|least| usd.is_some_and(|usd| usd >= least))
        };
        if rule.group == Group::Row {
            rows.retain(|row| is_dear(of.rate(*row)));
        }
        let mut matches = Self {
            rule,
            of,
            readings,
            found: Vec::new(),
            selected: Vec::new(),
            sizes: BTreeMap::new(),
        };
        if rule.group != Group::Row {
            matches.selected.clone_from(&rows);
        }
        let groups = matches.groups(rows);
        if rule.group != Group::Row {
            matches.sizes = groups.iter().map(|(key, rows)| (key.clone(), rows.len())).collect();
        }
        matches.found = groups.into_iter().map(|(key, rows)| matches.thing(key, rows)).collect();
        if rule.group != Group::Row {
            let is_enough = |thing: &Thing| {
                thing.rows.len() >= rule.min_rows && is_dear(matches.added(thing, Self::rate_of))
            };
            let enough: Vec<bool> = matches.found.iter().map(is_enough).collect();
            let mut enough = enough.into_iter();
            matches.found.retain(|_| enough.next().unwrap_or(false));
        }
        matches
    }

    /// Rows of each group with its key, in the order of the list.
    fn groups(&self, rows: Vec<u32>) -> Vec<(Arc<str>, Vec<u32>)> {
        let key_of_row = |row: &u32| self.of.rows.key(*row).cloned();
        match self.rule.group {
            Group::Row => {
                rows.iter().filter_map(|row| Some((key_of_row(row)?, vec![*row]))).collect()
            }
            Group::Rule if rows.is_empty() => Vec::new(),
            Group::Rule => vec![("all".into(), rows)],
            Group::Team => {
                let mut teams: BTreeMap<String, Vec<u32>> = BTreeMap::new();
                for row in rows {
                    let team = self.of.team(row).unwrap_or_default();
                    teams.entry(team).or_default().push(row);
                }
                teams.into_iter().map(|(team, rows)| (team.into(), rows)).collect()
            }
        }
    }

    fn thing(&self, key: Arc<str>, rows: Vec<u32>) -> Thing {
        let is_group = self.rule.group != Group::Row;
        // When enough of a group came together is what nobody saw.
        let has_least = self.rule.min_rows > 1 || self.rule.min_usd_per_day.is_some();
        let since = if is_group && has_least {
            None
        } else {
            rows.iter().filter_map(|row| self.of.since(*row)).min()
        };
        let first = rows.first().copied().unwrap_or_default();
        let team = match self.rule.group {
            Group::Row => self.of.team(first),
            Group::Team => Some(key.to_string()).filter(|team| !team.is_empty()),
            Group::Rule => None,
        };
        let origin = self.of.rows.origin(first);
        let place = origin.scope.filter(|_| !is_group).map(Cow::into_owned);
        Thing { key, since, team, place, rows }
    }

    fn rate_of(&self, row: u32) -> Option<f64> {
        self.of.rate(row)
    }

    fn usd_of(&self, row: u32) -> Option<f64> {
        self.of.number(row, self.of.fields.usd)
    }

    /// The sum over its rows, of those that know; `None` where none does.
    fn sum(&self, thing: &Thing, of: fn(&Self, u32) -> Option<f64>) -> Option<f64> {
        let known: Vec<f64> = thing.rows.iter().filter_map(|row| of(self, *row)).collect();
        (!known.is_empty()).then(|| known.iter().sum())
    }

    /// The sum where its rows add up; `None` for several that do not.
    fn added(&self, thing: &Thing, of: fn(&Self, u32) -> Option<f64>) -> Option<f64> {
        let has_sum = self.of.view.adds_up || thing.rows.len() == 1;
        self.sum(thing, of).filter(|_| has_sum)
    }

    /// What a row is, in words.
    fn what(&self, row: u32) -> String {
        let texts = self.of.texts(row, &self.of.fields.what);
        let words = texts.map(|(field, text)| match field.kind {
            Kind::Number(_) => format!("{} {text}", field.header),
            _ => text,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A line of evidence: one field as it is, several with their names.
    fn why(&self, row: u32, fields: &[&'static FieldSpec]) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for (field, text) in self.of.texts(row, fields) {
            let is_alone = fields.len() == 1;
            parts.push(if is_alone { text } else { format!("{} {text}", field.name) });
        }
        (!parts.is_empty()).then(|| clean_to(&parts.join(", "), LINE).into_owned())
    }

    fn command(&self, row: u32) -> Option<String> {
        let view = self.of.view;
        let mut words: Vec<String> = view.command.iter().map(|word| (*word).to_owned()).collect();
        if let Some(by) = self.of.fields.by {
            let Value::Text(value) = self.of.value(row, Some(by)) else { return None };
            words.extend(["--filter".to_owned(), filter_of(by.name, &value)]);
        }
        words.extend(view.tail.iter().map(|word| (*word).to_owned()));
        (!words.is_empty()).then(|| shell_line(words.iter().map(String::as_str)))
    }

    /// What an alert says of several rows: how many, and the dearest of them.
    fn of_group(&self, thing: &Thing) -> (String, Vec<String>, Option<String>) {
        let [one, many] = (self.of.view.table)().nouns();
        let count = format::counted(thing.rows.len(), one, many);
        let what = match (&thing.team, self.rule.group) {
            (Some(team), _) => format!("{count} of team {team}"),
            (None, Group::Team) => format!("{count} without a team"),
            (None, _) => count,
        };
        let mut dearest = thing.rows.clone();
        dearest.sort_by(|a, b| {
            let of = |row: u32| self.rate_of(row).unwrap_or(f64::NEG_INFINITY);
            of(*b).total_cmp(&of(*a))
        });
        let line = |row: &u32| match self.rate_of(*row) {
            Some(usd) => format!("{} at {}/day", self.what(*row), format::usd(usd)),
            None => self.what(*row),
        };
        let mut why: Vec<String> = dearest.iter().take(2).map(line).collect();
        if let (Some(last), more @ 1..) = (why.last_mut(), dearest.len().saturating_sub(2)) {
            last.push_str(&format!(", and {}", format::plural(more, "other")));
        }
        let filter = format!("{}", self.rule.filter);
        let view = self.of.view;
        let by_filter = self.of.fields.by.is_some() && !filter.is_empty();
        let mut words: Vec<&str> = view.command.to_vec();
        if by_filter {
            words.extend(["--filter", &filter]);
        }
        words.extend(view.tail);
        let command = (!words.is_empty()).then(|| shell_line(words.iter().copied()));
        (what, why.into_iter().map(|line| clean_to(&line, LINE).into_owned()).collect(), command)
    }

    /// True where a source that the rows rest on failed there: whatever is missing may be there still. Whose instance is known
    /// does not rest on telemetry for its being there; of others telemetry has no place.
    fn is_dark(&self, place: Option<&Scope>, is_on_instance: bool) -> bool {
        let is_there = |reading: &Reading| {
            let (at, is_gpu) = (&reading.scope, reading.source.is_gpu());
            if is_gpu && is_on_instance {
                return false;
            }
            let is_in = |place: &Scope| {
                at == place || (at.is_account_wide() && at.account == place.account)
            };
            is_gpu || place.is_none_or(is_in)
        };
        let is_dark = |reading: &Reading| {
            self.of.sources.contains(&reading.source)
                && reading.failed().is_some()
                && is_there(reading)
        };
        self.readings.iter().any(is_dark)
    }

    /// True where a row that is not found is known to be so no more.
    fn has_row_ended(&self, of: &AlertRow, place: Option<&Scope>) -> bool {
        if self.of.is_part {
            return false;
        }
        if let Some(row) = self.of.place(&of.key) {
            return self.is_known(row) && !self.has_lost_price(of, row);
        }
        let known = &self.of.known;
        let is_silent = of.on.as_ref().is_some_and(|on| known.silent.contains(on));
        known.decided.contains(&of.key)
            || (!known.undecided.contains(&of.key)
                && !is_silent
                && !self.is_dark(place, of.on.is_some()))
    }

    /// True where dollars decide and those of a row, which were known, are so no more.
    fn has_lost_price(&self, of: &AlertRow, row: u32) -> bool {
        self.rule.min_usd_per_day.is_some() && of.is_priced && self.of.rate(row).is_none()
    }

    /// True where a group that is not found would not be one either with those of its rows of which no end is known.
    fn is_group_over(&self, key: &str, rows: &[AlertRow]) -> bool {
        let may_be = rows.iter().filter(|of| match self.of.place(&of.key) {
            Some(row) if self.selected.binary_search(&row).is_ok() => self.has_lost_price(of, row),
            _ => !self.has_row_ended(of, None),
        });
        let (may_be, found) = (may_be.count(), self.sizes.get(key).copied().unwrap_or_default());
        may_be == 0 || found + may_be < self.rule.min_rows
    }

    /// True where what the filter compares is known of the row.
    fn is_known(&self, row: u32) -> bool {
        let is_over = !matches!(self.of.value(row, self.of.fields.over), Value::Unknown);
        self.rule.filter.fields().iter().all(|field| match field {
            FieldRef::Tag(_) => true,
            FieldRef::Field(field) => match self.of.value(row, Some(field)) {
                Value::Unknown => false,
                Value::Text(word) => is_over || !self.of.view.unknown.contains(&&*word),
                _ => true,
            },
        })
    }

    /// What is needed to know the end of a row.
    fn row(&self, row: u32) -> Option<AlertRow> {
        let key = self.of.rows.key(row)?.clone();
        let on = match self.of.value(row, self.of.fields.on) {
            Value::Text(on) => Some(Arc::from(&*on)),
            _ => None,
        };
        Some(AlertRow { key, on, is_priced: self.of.rate(row).is_some() })
    }
}

/// Most rows of a group that are remembered.
const REMEMBERED: usize = 10_000;

/// The longest line of an alert, characters.
const LINE: usize = 300;

impl Matches for MatchingRows<'_> {
    fn found(&self) -> &[Thing] {
        &self.found
    }

    fn facts(&self, thing: &Thing) -> AlertFacts {
        let first = thing.rows.first().copied().unwrap_or_default();
        let view = self.of.view;
        let (what, why, command) = if self.rule.group == Group::Row {
            let why =
                self.of.fields.why.iter().filter_map(|fields| self.why(first, fields)).collect();
            (self.what(first), why, self.command(first))
        } else {
            self.of_group(thing)
        };
        let is_group = self.rule.group != Group::Row;
        let ask = self.of.texts(first, &self.of.fields.ask).next().filter(|_| !is_group);
        let at_least = self.of.fields.since.and_then(|field| self.of.text(first, field));
        AlertFacts {
            rule: self.rule.name.clone(),
            key: thing.key.to_string(),
            what: clean_to(&what, LINE).into_owned(),
            team: thing.team.clone(),
            since: thing.since,
            usd: self.added(thing, Self::usd_of),
            usd_is_at_least: at_least.is_some_and(|text| text.starts_with('≥')),
            usd_per_day: self.added(thing, Self::rate_of),
            adds_up: view.adds_up,
            why,
            command,
            ask: ask.map(|(_, text)| text),
        }
    }

    fn rows(&self, thing: &Thing, before: &[AlertRow]) -> Vec<AlertRow> {
        let found = thing.rows.iter().filter_map(|row| self.row(*row));
        if self.rule.group == Group::Row {
            return found.collect();
        }
        let keys = thing.rows.iter().filter_map(|row| self.of.rows.key(*row));
        let now: BTreeSet<&str> = keys.map(|key| &**key).collect();
        let is_open = |of: &&AlertRow| !now.contains(&*of.key) && !self.has_row_ended(of, None);
        let before = before.iter().filter(is_open).cloned();
        before.chain(found).take(REMEMBERED).collect()
    }

    fn has_ended(&self, key: &str, place: Option<&Scope>, rows: &[AlertRow]) -> bool {
        if self.of.is_part {
            return false;
        }
        match (self.rule.group, rows) {
            (Group::Row, [row, ..]) => self.has_row_ended(row, place),
            (Group::Row, []) => {
                let row = AlertRow { key: key.into(), on: None, is_priced: false };
                self.has_row_ended(&row, place)
            }
            (_, []) => !self.is_dark(None, false),
            (_, rows) => self.is_group_over(key, rows),
        }
    }
}

#[cfg(test)]
mod tests;
