//! One rule, field by field, in the words of S3, boto3, `CloudFormation`, CDK, Terraform and of
//! articles.

use super::document::{Node, plain};
use super::fields;
use super::locate::Found;
use super::{ParseError, Syntax, shape};
use crate::analyze::storage::lifecycle::lint::{Code, Remark};
use crate::domain::storage::{
    Expiration, Lifecycle, LifecycleFilter, LifecycleRule, NoncurrentExpiration,
    NoncurrentTransition, Transition, When,
};
use crate::domain::text::clean;

/// Fields that only a rule has: by them a rule is told from what lies around it.
const TELLING: &[&str] = &[
    "status",
    "transition",
    "transitions",
    "expiration",
    "expirationdays",
    "expirationindays",
    "expirationdate",
    "expireafterdays",
    "expireafter",
    "expiredobjectdeletemarker",
    "noncurrentversiontransition",
    "noncurrentversiontransitions",
    "noncurrentversionexpiration",
    "noncurrentversionexpirationindays",
    "noncurrentversionexpirationdays",
    "noncurrentversionsexpiration",
    "abortincompletemultipartupload",
    "abortincompletemultipartuploadafter",
    "abortincompletemultipartuploaddays",
];

pub(super) fn is_rule_field(plain_name: &str) -> bool {
    TELLING.contains(&plain_name)
}

/// Comments of people, which no API has.
const COMMENTS: &[&str] = &["comment", "comments", "description", "note", "notes"];

/// Reads rules and notices what they say beyond the model.
pub(super) struct Reader {
    syntax: Syntax,
    pub(super) remarks: Vec<Remark>,
    pub(super) not_for_merging: Vec<String>,
    /// The rule being read.
    index: Option<usize>,
}

type Entries = [(String, Node)];

impl Reader {
    pub(super) fn new(syntax: Syntax) -> Self {
        Self { syntax, remarks: Vec::new(), not_for_merging: Vec::new(), index: None }
    }

    /// Notes a field nobody knows.
    pub(super) fn unknown(&mut self, rule: Option<usize>, path: &str) {
        let path = clean(path).into_owned();
        self.remarks.push(Remark {
            rule,
            code: Code::UnknownField,
            text: format!("{path}: S3 knows no such field; correct or remove it"),
        });
        self.not_for_merging.push(format!("{path} is no field of a lifecycle rule"));
    }

    fn remark(&mut self, code: Code, text: String) {
        self.remarks.push(Remark { rule: self.index, code, text });
    }

    /// Notes what gets lost: the rule can be checked, and must not be written.
    fn lost(&mut self, code: Code, path: &str, what: &str) {
        let path = clean(path);
        self.remark(code, format!("{path}: {what}"));
        self.not_for_merging.push(format!("{path}: {what}"));
    }

    pub(super) fn rules(&mut self, found: &Found<'_>) -> Result<Lifecycle, ParseError> {
        let mut out = Lifecycle { rules: Vec::new(), minimum_size: found.minimum_size };
        for (i, (path, name, node)) in found.rules.iter().enumerate() {
            self.index = Some(i);
            let Node::Map(entries) = node else {
                return Err(shape(path, format!("{} where a rule belongs", node.kind())));
            };
            let rule = self.rule(entries, path, *name, found.in_template)?;
            out.rules.push(rule);
        }
        self.index = None;
        Ok(out)
    }

    fn rule(
        &mut self,
        entries: &Entries,
        path: &str,
        name: Option<&str>,
        in_template: bool,
    ) -> Result<LifecycleRule, ParseError> {
        let mut rule = LifecycleRule { enabled: true, ..LifecycleRule::default() };
        let mut status = false;
        let mut filtered = false;
        let mut lone_step: (Option<&Node>, Option<&Node>) = (None, None);
        let template = in_template || looks_like_template(entries);
        for (key, node) in entries {
            let at = format!("{path}.{key}");
            if matches!(node, Node::Null) {
                continue;
            }
            match plain(key).as_str() {
                "id" | "name" | "ruleid" | "rulename" => rule.id = fields::text(node, &at)?,
                "status" => {
                    status = true;
                    rule.enabled = self.status(node, &at)?;
                }
                "enabled" => {
                    status = true;
                    rule.enabled = fields::truth(node, &at)?;
                }
                "prefix" => {
                    filtered = true;
                    rule.filter.prefix = Some(fields::text(node, &at)?);
                    rule.filter.legacy_prefix =
                        self.syntax == Syntax::Xml || (key == "Prefix" && !template);
                }
                "filter" => {
                    filtered = true;
                    self.filter(node, &at, &mut rule.filter)?;
                }
                "tags" | "tagfilters" | "tag" => {
                    filtered = true;
                    self.tags(node, &at, &mut rule.filter.tags)?;
                }
                "objectsizegreaterthan" => {
                    filtered = true;
                    rule.filter.larger_than = Some(self.bytes(node, &at)?);
                }
                "objectsizelessthan" => {
                    filtered = true;
                    rule.filter.smaller_than = Some(self.bytes(node, &at)?);
                }
                "transition" | "transitions" => {
                    self.transitions(node, &at, &mut rule.transitions)?;
                }
                "expiration"
                | "expirationdays"
                | "expirationindays"
                | "expirationdate"
                | "expireafterdays"
                | "expireafter"
                | "expiredobjectdeletemarker" => {
                    let into = rule.expiration.get_or_insert_default();
                    self.expiration(&plain(key), node, &at, into)?;
                }
                "noncurrentversiontransition" | "noncurrentversiontransitions" => {
                    let into = &mut rule.noncurrent_transitions;
                    self.noncurrent_transitions(node, &at, into)?;
                }
                "noncurrentversionexpiration"
                | "noncurrentversionsexpiration"
                | "noncurrentversionexpirationindays"
                | "noncurrentversionexpirationdays" => {
                    let into = rule.noncurrent_expiration.get_or_insert_default();
                    self.noncurrent_expiration(node, &at, into)?;
                }
                "noncurrentversionstoretain" | "newernoncurrentversions" => {
                    let into = rule.noncurrent_expiration.get_or_insert_default();
                    into.newer_versions = Some(fields::whole(node, &at)?);
                }
                "abortincompletemultipartupload"
                | "abortincompletemultipartuploadafter"
                | "abortincompletemultipartuploaddays" => {
                    rule.abort_uploads_days = self.abort(node, &at)?;
                }
                // A rule that is one move: `{prefix, days, storage_class}`.
                "days" | "transitiondays" | "after" => lone_step.0 = Some(node),
                "storageclass" => lone_step.1 = Some(node),
                comment if COMMENTS.contains(&comment) && self.syntax != Syntax::Xml => {
                    self.remark(Code::Guessed, format!("{}: a comment; S3 keeps none", clean(&at)));
                }
                _ => self.unknown(self.index, &at),
            }
        }
        if let (Some(days), Some(class)) = lone_step {
            let when = When::Days(fields::days(days, path)?);
            rule.transitions.push(Transition { when, class: fields::class(class, path)? });
        } else if lone_step.0.is_some() || lone_step.1.is_some() {
            self.unknown(self.index, &format!("{path}: days or a class without the other"));
        }
        self.name(name, filtered, &mut rule);
        self.completeness(status, filtered, path);
        Ok(rule)
    }

    /// A rule under a name of its own: the name is its id, and without a filter what it is about.
    fn name(&mut self, name: Option<&str>, filtered: bool, rule: &mut LifecycleRule) {
        let Some(name) = name else { return };
        if rule.id.is_empty() {
            name.clone_into(&mut rule.id);
        }
        if !filtered {
            let slash = if name.ends_with('/') { "" } else { "/" };
            let prefix = format!("{name}{slash}");
            let what = format!("no filter; the prefix {} is taken from its name", clean(&prefix));
            self.remark(Code::Guessed, what.clone());
            self.not_for_merging.push(format!("{}: {what}", clean(name)));
            rule.filter.prefix = Some(prefix);
        }
    }

    fn completeness(&mut self, status: bool, filtered: bool, path: &str) {
        if !status {
            let at = clean(path).into_owned();
            if self.syntax == Syntax::Xml {
                self.remark(Code::IncompleteAction, format!("{at}: no Status, which S3 wants"));
            } else {
                self.remark(Code::Guessed, format!("{at}: no status; taken as enabled"));
            }
        }
        let named = self.remarks.iter().any(|r| {
            r.rule == self.index && r.code == Code::Guessed && r.text.contains("from its name")
        });
        if !filtered && !named {
            let at = clean(path).into_owned();
            self.remark(Code::Guessed, format!("{at}: no filter; taken as all objects"));
        }
    }

    fn status(&mut self, node: &Node, at: &str) -> Result<bool, ParseError> {
        let wrong = || shape(at, "write Enabled or Disabled");
        match node {
            Node::Text(text) => match plain(text).as_str() {
                "enabled" => Ok(true),
                "disabled" => Ok(false),
                _ => Err(wrong()),
            },
            Node::Bool(b) => {
                self.remark(Code::Guessed, format!("{}: S3 wants Enabled or Disabled", clean(at)));
                Ok(*b)
            }
            _ => Err(wrong()),
        }
    }

    fn bytes(&mut self, node: &Node, at: &str) -> Result<i64, ParseError> {
        let (bytes, has_unit) = fields::bytes(node, at)?;
        if has_unit {
            self.remark(Code::Guessed, format!("{}: taken as {bytes} bytes", clean(at)));
        }
        Ok(bytes)
    }

    fn filter(
        &mut self,
        node: &Node,
        at: &str,
        into: &mut LifecycleFilter,
    ) -> Result<(), ParseError> {
        if let Node::Text(prefix) = node
            && self.syntax != Syntax::Xml
        {
            into.prefix = Some(prefix.clone());
            return Ok(());
        }
        self.conditions(self.block(node, at)?, at, into, false)
    }

    fn conditions(
        &mut self,
        entries: &Entries,
        at: &str,
        into: &mut LifecycleFilter,
        in_and: bool,
    ) -> Result<(), ParseError> {
        for (key, node) in entries {
            let at = format!("{at}.{key}");
            if matches!(node, Node::Null) {
                continue;
            }
            match plain(key).as_str() {
                "prefix" => {
                    let prefix = fields::text(node, &at)?;
                    if into.prefix.as_ref().is_some_and(|p| *p != prefix) {
                        self.lost(Code::UnknownField, &at, "a second prefix; S3 takes one");
                        continue;
                    }
                    into.prefix = Some(prefix);
                    into.legacy_prefix = false;
                }
                "tag" | "tags" | "tagfilters" => self.tags(node, &at, &mut into.tags)?,
                "objectsizegreaterthan" => into.larger_than = Some(self.bytes(node, &at)?),
                "objectsizelessthan" => into.smaller_than = Some(self.bytes(node, &at)?),
                "and" if !in_and => self.conditions(self.block(node, &at)?, &at, into, true)?,
                _ => self.unknown(self.index, &at),
            }
        }
        if !in_and && !entries.iter().any(|(k, _)| plain(k) == "and") && into.conditions() > 1 {
            let at = clean(at).into_owned();
            self.remark(
                Code::Guessed,
                format!("{at}: several conditions; S3 wants And around them"),
            );
        }
        Ok(())
    }

    /// Tags as `{Key, Value}`, a list of those, or `{key: value}`.
    fn tags(
        &mut self,
        node: &Node,
        at: &str,
        into: &mut Vec<(String, String)>,
    ) -> Result<(), ParseError> {
        match node {
            Node::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.tags(item, &format!("{at}[{i}]"), into)?;
                }
            }
            Node::Map(entries) if entries.iter().any(|(k, _)| plain(k) == "key") => {
                let mut tag = (String::new(), String::new());
                for (name, value) in entries {
                    let at = format!("{at}.{name}");
                    match plain(name).as_str() {
                        "key" => tag.0 = fields::text(value, &at)?,
                        "value" if matches!(value, Node::Null) => {}
                        "value" => tag.1 = fields::text(value, &at)?,
                        _ => self.unknown(self.index, &at),
                    }
                }
                into.push(tag);
            }
            Node::Map(entries) => {
                for (key, value) in entries {
                    into.push((key.clone(), fields::text(value, &format!("{at}.{key}"))?));
                }
            }
            other => return Err(shape(at, format!("{} where tags belong", other.kind()))),
        }
        Ok(())
    }

    fn transitions(
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

    fn noncurrent_transitions(
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

    fn expiration(
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

    fn noncurrent_expiration(
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

    fn abort(&mut self, node: &Node, at: &str) -> Result<Option<i64>, ParseError> {
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

    /// The fields of a block; Terraform's JSON has blocks as lists of one, XML has empty ones.
    #[expect(clippy::unused_self, reason = "reads as the others do")]
    fn block<'a>(&self, node: &'a Node, at: &str) -> Result<&'a Entries, ParseError> {
        match node {
            Node::Map(entries) => Ok(entries),
            Node::Text(text) if text.trim().is_empty() => Ok(&[]),
            Node::List(items) => match items.as_slice() {
                [] => Ok(&[]),
                [Node::Map(entries)] => Ok(entries),
                _ => Err(shape(at, "more than one where S3 takes one")),
            },
            other => Err(shape(at, format!("{} where fields belong", other.kind()))),
        }
    }
}

struct Step {
    when: Option<When>,
    class: Option<String>,
    newer: Option<i64>,
}

/// `CloudFormation` names fields that the API does not have.
fn looks_like_template(entries: &Entries) -> bool {
    entries.iter().any(|(k, _)| {
        matches!(
            k.as_str(),
            "Id" | "ExpirationInDays"
                | "ExpirationDate"
                | "ExpiredObjectDeleteMarker"
                | "TagFilters"
                | "NoncurrentVersionExpirationInDays"
                | "ObjectSizeGreaterThan"
                | "ObjectSizeLessThan"
        )
    })
}
