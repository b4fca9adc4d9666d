//! The actions of a rule: moves to other classes, expirations, uploads to abort.

use super::{Entries, Reader};
use crate::analyze::storage::lifecycle::lint::Code;
use crate::analyze::storage::lifecycle::parse::document::{Node, plain};
use crate::analyze::storage::lifecycle::parse::{ParseError, Syntax, fields, shape};
use crate::domain::storage::{
    Expiration, NoncurrentExpiration, NoncurrentTransition, Transition, When,
};

/// A move as far as it was read; `None` where the rule does not state it.
struct Step {
    when: Option<When>,
    class: Option<String>,
    newer: Option<i64>,
}

impl Reader {
    pub(super) fn transitions(
        &mut self,
        node: &Node,
        at: &str,
        into: &mut Vec<Transition>,
    ) -> Result<(), ParseError> {
        if let Some(steps) = self.by_class(node, at)? {
            into.extend(steps);
            return Ok(());
        }
        for (at, entries) in self.steps(node, at)? {
            let step = self.step(entries, &at)?;
            let class = step.class.unwrap_or_default();
            if step.newer.is_some() {
                self.unknown(self.index, &format!("{at}.NewerNoncurrentVersions"));
            }
            if let Some(when) = step.when {
                into.push(Transition { when, class });
            }
        }
        Ok(())
    }

    pub(super) fn noncurrent_transitions(
        &mut self,
        node: &Node,
        at: &str,
        into: &mut Vec<NoncurrentTransition>,
    ) -> Result<(), ParseError> {
        for (at, entries) in self.steps(node, at)? {
            let step = self.step(entries, &at)?;
            let class = step.class.unwrap_or_default();
            match step.when {
                Some(When::Days(days)) => {
                    into.push(NoncurrentTransition { days, class, newer_versions: step.newer });
                }
                Some(When::Date(_)) => {
                    self.lost(
                        Code::IncompleteAction,
                        &at,
                        "old versions move by days, not by date",
                    );
                }
                None => {}
            }
        }
        Ok(())
    }

    fn step(&mut self, entries: &Entries, at: &str) -> Result<Step, ParseError> {
        let mut step = Step { when: None, class: None, newer: None };
        let mut date = None;
        for (key, node) in entries {
            let at = format!("{at}.{key}");
            if matches!(node, Node::Null) {
                continue;
            }
            match plain(key).as_str() {
                "days" | "transitionindays" | "transitiondays" | "transitionafter" | "after"
                | "afterdays" | "noncurrentdays" => {
                    step.when = Some(When::Days(fields::days(node, &at)?));
                }
                "date" | "transitiondate" => date = Some(fields::text(node, &at)?),
                "storageclass" | "class" | "tier" | "to" => {
                    step.class = Some(fields::class(node, &at)?);
                }
                "newernoncurrentversions" | "noncurrentversionstoretain" => {
                    step.newer = Some(fields::whole(node, &at)?);
                }
                _ => self.unknown(self.index, &at),
            }
        }
        step.when = self.either(step.when, date, at);
        if step.when.is_none() {
            self.lost(Code::IncompleteAction, at, "a move that does not say when: add Days");
        }
        if step.class.is_none() {
            self.lost(
                Code::IncompleteAction,
                at,
                "a move that does not say where: add StorageClass",
            );
            // Without a class there is nothing to play; the remark says it.
            step.when = None;
        }
        Ok(step)
    }

    /// Days or a date; with both the days stay.
    fn either(&mut self, days: Option<When>, date: Option<String>, at: &str) -> Option<When> {
        match (days, date) {
            (Some(days), Some(_)) => {
                self.lost(Code::DaysWithDate, at, "Days and Date in one action; keep one of them");
                Some(days)
            }
            (days, date) => days.or_else(|| date.map(When::Date)),
        }
    }

    pub(super) fn expiration(
        &mut self,
        name: &str,
        node: &Node,
        at: &str,
        into: &mut Expiration,
    ) -> Result<(), ParseError> {
        match (name, node) {
            ("expirationdate", node) => {
                let had = into.when.take();
                into.when = self.either(had, Some(fields::text(node, at)?), at);
            }
            ("expiredobjectdeletemarker", node) => {
                into.expired_delete_marker = Some(fields::truth(node, at)?);
            }
            (_, Node::Int(_) | Node::Number(_)) => {
                into.when = Some(When::Days(fields::days(node, at)?));
            }
            (_, Node::Text(text)) if !(self.syntax == Syntax::Xml && text.trim().is_empty()) => {
                let had = into.when.take();
                let days = Some(When::Days(fields::days(node, at)?));
                // A date that came first: the two do not go together.
                let date = match had {
                    Some(When::Date(date)) => Some(date),
                    _ => None,
                };
                into.when = self.either(days, date, at);
            }
            _ => {
                let mut date = None;
                for (key, node) in self.block(node, at)? {
                    let at = format!("{at}.{key}");
                    match plain(key).as_str() {
                        _ if matches!(node, Node::Null) => {}
                        "days" | "expirationindays" | "after" | "afterdays" => {
                            into.when = Some(When::Days(fields::days(node, &at)?));
                        }
                        "date" | "expirationdate" => date = Some(fields::text(node, &at)?),
                        "expiredobjectdeletemarker" => {
                            into.expired_delete_marker = Some(fields::truth(node, &at)?);
                        }
                        _ => self.unknown(self.index, &at),
                    }
                }
                let had = into.when.take();
                into.when = self.either(had, date, at);
            }
        }
        Ok(())
    }

    pub(super) fn noncurrent_expiration(
        &mut self,
        node: &Node,
        at: &str,
        into: &mut NoncurrentExpiration,
    ) -> Result<(), ParseError> {
        let is_scalar = match node {
            Node::Int(_) | Node::Number(_) => true,
            Node::Text(text) => !(self.syntax == Syntax::Xml && text.trim().is_empty()),
            _ => false,
        };
        if is_scalar {
            into.days = Some(fields::days(node, at)?);
            return Ok(());
        }
        for (key, node) in self.block(node, at)? {
            let at = format!("{at}.{key}");
            match plain(key).as_str() {
                _ if matches!(node, Node::Null) => {}
                "noncurrentdays" | "days" | "after" | "afterdays" => {
                    into.days = Some(fields::days(node, &at)?);
                }
                "newernoncurrentversions" | "noncurrentversionstoretain" => {
                    into.newer_versions = Some(fields::whole(node, &at)?);
                }
                _ => self.unknown(self.index, &at),
            }
        }
        Ok(())
    }

    pub(super) fn abort(&mut self, node: &Node, at: &str) -> Result<Option<i64>, ParseError> {
        if !matches!(node, Node::Map(_) | Node::List(_)) {
            return fields::days(node, at).map(Some);
        }
        let mut days = None;
        for (key, node) in self.block(node, at)? {
            let at = format!("{at}.{key}");
            match plain(key).as_str() {
                "daysafterinitiation" | "days" => days = Some(fields::days(node, &at)?),
                _ => self.unknown(self.index, &at),
            }
        }
        if days.is_none() {
            self.lost(Code::IncompleteAction, at, "says no DaysAfterInitiation");
        }
        Ok(days)
    }

    /// Moves: a list, or one.
    fn steps<'a>(
        &self,
        node: &'a Node,
        at: &str,
    ) -> Result<Vec<(String, &'a Entries)>, ParseError> {
        match node {
            Node::List(items) => {
                let one = |(i, item): (usize, &'a Node)| match item {
                    Node::Map(entries) => Ok((format!("{at}[{i}]"), entries.as_slice())),
                    other => Err(shape(
                        format!("{at}[{i}]"),
                        format!(
                            "{} where a move belongs; write {{days, storage_class}}",
                            other.kind()
                        ),
                    )),
                };
                items.iter().enumerate().map(one).collect()
            }
            _ => Ok(vec![(at.to_owned(), self.block(node, at)?)]),
        }
    }

    /// The moves of `{STANDARD_IA: 30, GLACIER: 90}`; `None` for what is not of this form.
    fn by_class(&self, node: &Node, at: &str) -> Result<Option<Vec<Transition>>, ParseError> {
        let Node::Map(entries) = node else { return Ok(None) };
        let is_class = |name: &str| {
            let loud = !name.is_empty() && !name.chars().any(|c| c.is_ascii_lowercase());
            loud && name.chars().any(|c| c.is_ascii_uppercase())
        };
        if self.syntax == Syntax::Xml || !entries.iter().all(|(k, _)| is_class(k)) {
            return Ok(None);
        }
        let one = |(class, node): &(String, Node)| {
            let when = When::Days(fields::days(node, &format!("{at}.{class}"))?);
            Ok(Transition { when, class: class.clone() })
        };
        entries.iter().map(one).collect::<Result<Vec<_>, _>>().map(Some)
    }
}
