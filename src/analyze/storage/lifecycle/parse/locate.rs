//! Finds the rules in a document: at its top, in the input of a CLI call, in a `CloudFormation`
//! template, in Terraform's JSON, or under names of their own.

use super::document::{Node, plain};
use super::rule::{Reader, is_rule_field};
use super::{DEEPEST, ParseError, shape};
use crate::domain::storage::MinimumSize;

/// Rules as they stand in the document.
pub(super) struct Found<'a> {
    /// Path, name where they have one as a key, and content.
    pub(super) rules: Vec<(String, Option<&'a str>, &'a Node)>,
    pub(super) minimum_size: Option<MinimumSize>,
    /// True when the rules are in `Properties` of a template, where `Prefix` is no deprecated form.
    pub(super) in_template: bool,
}

/// Keys under which rules lie.
const HOLDERS: &[&str] = &[
    "rules",
    "rule",
    "lifecyclerules",
    "lifecyclerule",
    "lifecyclepolicies",
    "lifecyclepolicy",
    "policies",
];

/// Keys beside the rules that are no part of them: the parameters of the call.
const BESIDE: &[&str] =
    &["bucket", "expectedbucketowner", "checksumalgorithm", "version", "apiversion", "region"];

const MINIMUM: &str = "transitiondefaultminimumobjectsize";

pub(super) fn rules<'a>(root: &'a Node, reader: &mut Reader) -> Result<Found<'a>, ParseError> {
    let mut found = Found { rules: Vec::new(), minimum_size: None, in_template: false };
    if descend(root, "", 0, &mut found, reader)? {
        return Ok(found);
    }
    Err(shape(
        "",
        "no lifecycle rules in it; expected {\"Rules\": [...]}, a list of rules, \
         <LifecycleConfiguration>, or rules by name",
    ))
}

/// True when rules were found in `node`.
fn descend<'a>(
    node: &'a Node,
    path: &str,
    depth: usize,
    found: &mut Found<'a>,
    reader: &mut Reader,
) -> Result<bool, ParseError> {
    if depth > DEEPEST {
        return Ok(false);
    }
    let entries = match node {
        Node::List(items) if !items.is_empty() && items.iter().all(is_rule) => {
            take_list(items, path, found);
            return Ok(true);
        }
        Node::List(items) => {
            return many(
                items.iter().enumerate().map(|(i, n)| (format!("{path}[{i}]"), n)),
                depth,
                found,
                reader,
            );
        }
        Node::Map(entries) => entries,
        _ => return Ok(false),
    };
    if let Some((key, inner)) = entries.iter().find(|(k, _)| HOLDERS.contains(&plain(k).as_str())) {
        beside(entries, key, path, found, reader)?;
        let path = join(path, key);
        match inner {
            Node::List(items) => take_list(items, &path, found),
            Node::Map(named) if !is_rule(inner) => take_named(named, &path, found),
            Node::Map(_) => found.rules.push((path, None, inner)),
            // `<LifecycleConfiguration><Rule/></…>`, `rules:` with nothing behind it.
            Node::Null | Node::Text(_) => {}
            other => {
                return Err(shape(path, format!("{} where a list of rules belongs", other.kind())));
            }
        }
        return Ok(true);
    }
    if is_rule(node) {
        found.rules.push((path.to_owned(), None, node));
        return Ok(true);
    }
    if !entries.is_empty() && entries.iter().all(|(_, n)| is_rule(n)) {
        take_named(entries, path, found);
        return Ok(true);
    }
    if plain_is(entries, "lifecycleconfiguration") {
        minimum(entries, path, found)?;
    }
    found.in_template |= plain_is(entries, "properties") || path.ends_with(".Properties");
    // An empty configuration: valid XML, and what a bucket without rules prints.
    if let [(key, Node::Text(text))] = entries.as_slice()
        && plain(key).ends_with("lifecycleconfiguration")
        && text.trim().is_empty()
    {
        return Ok(true);
    }
    many(entries.iter().map(|(k, n)| (join(path, k), n)), depth, found, reader)
}

/// Looks into each; more than one with rules is one too many.
fn many<'a>(
    inner: impl Iterator<Item = (String, &'a Node)>,
    depth: usize,
    found: &mut Found<'a>,
    reader: &mut Reader,
) -> Result<bool, ParseError> {
    let mut first: Option<String> = None;
    for (path, node) in inner {
        if descend(node, &path, depth + 1, found, reader)? {
            if let Some(first) = first {
                return Err(shape(
                    path,
                    format!(
                        "rules of a second bucket (the first are at {first}); keep one of them in the file"
                    ),
                ));
            }
            first = Some(path);
        }
    }
    Ok(first.is_some())
}

fn take_list<'a>(items: &'a [Node], path: &str, found: &mut Found<'a>) {
    found.rules.extend(items.iter().enumerate().map(|(i, n)| (format!("{path}[{i}]"), None, n)));
}

fn take_named<'a>(entries: &'a [(String, Node)], path: &str, found: &mut Found<'a>) {
    found.rules.extend(entries.iter().map(|(k, n)| (join(path, k), Some(k.as_str()), n)));
}

/// What stands beside the rules.
fn beside(
    entries: &[(String, Node)],
    holder: &str,
    path: &str,
    found: &mut Found<'_>,
    reader: &mut Reader,
) -> Result<(), ParseError> {
    minimum(entries, path, found)?;
    for (key, _) in entries.iter().filter(|(k, _)| k != holder) {
        let name = plain(key);
        let known = name == MINIMUM || BESIDE.contains(&name.as_str()) || key.starts_with('@');
        if !known {
            reader.unknown(None, &join(path, key));
        }
    }
    Ok(())
}

fn minimum(
    entries: &[(String, Node)],
    path: &str,
    found: &mut Found<'_>,
) -> Result<(), ParseError> {
    let Some((key, node)) = entries.iter().find(|(k, _)| plain(k) == MINIMUM) else {
        return Ok(());
    };
    let value = match node {
        Node::Text(text) => MinimumSize::from_api(text.trim()),
        Node::Null => return Ok(()),
        _ => None,
    };
    let wrong = || {
        let words = "write all_storage_classes_128K or varies_by_storage_class";
        shape(join(path, key), words)
    };
    found.minimum_size = Some(value.ok_or_else(wrong)?);
    Ok(())
}

fn is_rule(node: &Node) -> bool {
    let Node::Map(entries) = node else { return false };
    entries.iter().any(|(k, _)| is_rule_field(&plain(k)))
}

fn plain_is(entries: &[(String, Node)], name: &str) -> bool {
    entries.iter().any(|(k, _)| plain(k) == name)
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
