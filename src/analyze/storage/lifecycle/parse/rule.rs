//! One rule, field by field, in the words of S3, boto3, `CloudFormation`, CDK, Terraform and of
//! articles.

mod actions;
mod filter;

use super::document::{Node, plain};
use super::fields;
use super::locate::Found;
use super::{ParseError, Syntax, shape};
use crate::analyze::storage::lifecycle::lint::{Code, Remark};
use crate::domain::storage::{Lifecycle, LifecycleRule, Transition, When};
use crate::domain::text::clean;

/// Fields that only a rule has, by which a rule is recognised.
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

    /// Takes a rule's name: it is the id, and without a filter the prefix.
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
