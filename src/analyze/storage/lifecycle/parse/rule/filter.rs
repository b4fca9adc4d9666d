//! The filter of a rule: prefix, tags and sizes.

use super::{Entries, Reader};
use crate::analyze::storage::lifecycle::lint::Code;
use crate::analyze::storage::lifecycle::parse::document::{Node, plain};
use crate::analyze::storage::lifecycle::parse::{ParseError, Syntax, fields, shape};
use crate::domain::storage::LifecycleFilter;
use crate::domain::text::clean;

impl Reader {
    pub(super) fn bytes(&mut self, node: &Node, at: &str) -> Result<i64, ParseError> {
        let (bytes, has_unit) = fields::bytes(node, at)?;
        if has_unit {
            self.remark(Code::Guessed, format!("{}: taken as {bytes} bytes", clean(at)));
        }
        Ok(bytes)
    }

    pub(super) fn filter(
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
    pub(super) fn tags(
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
}
