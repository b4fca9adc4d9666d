//! Terraform: `aws_s3_bucket_lifecycle_configuration`.

use crate::domain::storage::{Lifecycle, LifecycleRule, When};

/// The Terraform resource with the whole configuration of a bucket. Terraform removes rules that are in no
/// block, so all of them are printed.
pub fn terraform(bucket: &str, lifecycle: &Lifecycle) -> String {
    let mut out = format!(
        "resource \"aws_s3_bucket_lifecycle_configuration\" \"{}\" {{\n  bucket = {}\n",
        identifier(bucket),
        text(bucket)
    );
    if let Some(minimum) = lifecycle.minimum_size {
        out.push_str(&format!(
            "\n  transition_default_minimum_object_size = \"{}\"\n",
            minimum.api()
        ));
    }
    for rule in &lifecycle.rules {
        out.push('\n');
        out.push_str(&terraform_rule(rule));
    }
    out.push_str("}\n");
    out
}

/// One `rule` block, indented by two spaces.
pub fn terraform_rule(rule: &LifecycleRule) -> String {
    let mut b = Blocks::default();
    b.open("rule");
    if !rule.id.is_empty() {
        b.set("id", text(&rule.id));
    }
    b.set("status", text(if rule.enabled { "Enabled" } else { "Disabled" }));
    filter(&mut b, rule);
    for t in &rule.transitions {
        b.open("transition");
        when(&mut b, &t.when);
        b.set("storage_class", text(&t.class));
        b.close();
    }
    if let Some(expiration) = &rule.expiration {
        b.open("expiration");
        if let Some(moment) = &expiration.when {
            when(&mut b, moment);
        }
        if let Some(marker) = expiration.expired_delete_marker {
            b.set("expired_object_delete_marker", marker.to_string());
        }
        b.close();
    }
    for t in &rule.noncurrent_transitions {
        b.open("noncurrent_version_transition");
        b.set("noncurrent_days", t.days.to_string());
        b.maybe("newer_noncurrent_versions", t.newer_versions);
        b.set("storage_class", text(&t.class));
        b.close();
    }
    if let Some(n) = &rule.noncurrent_expiration {
        b.open("noncurrent_version_expiration");
        b.maybe("noncurrent_days", n.days);
        b.maybe("newer_noncurrent_versions", n.newer_versions);
        b.close();
    }
    if let Some(days) = rule.abort_uploads_days {
        b.open("abort_incomplete_multipart_upload");
        b.set("days_after_initiation", days.to_string());
        b.close();
    }
    b.close();
    b.out
}

fn filter(b: &mut Blocks, rule: &LifecycleRule) {
    let filter = &rule.filter;
    if filter.legacy_prefix {
        b.set("prefix", text(filter.prefix.as_deref().unwrap_or_default()));
        return;
    }
    let several = filter.conditions() > 1;
    b.open("filter");
    if several {
        b.open("and");
    }
    if let Some(prefix) = &filter.prefix {
        b.set("prefix", text(prefix));
    }
    b.maybe("object_size_greater_than", filter.larger_than);
    b.maybe("object_size_less_than", filter.smaller_than);
    match filter.tags.as_slice() {
        [] => {}
        [(key, value)] if !several => {
            b.open("tag");
            b.set("key", text(key));
            b.set("value", text(value));
            b.close();
        }
        tags => {
            b.line("tags = {");
            b.depth += 1;
            for (key, value) in tags {
                b.line(&format!("{} = {}", text(key), text(value)));
            }
            b.depth -= 1;
            b.line("}");
        }
    }
    if several {
        b.close();
    }
    b.close();
}

fn when(b: &mut Blocks, when: &When) {
    match when {
        When::Days(days) => b.set("days", days.to_string()),
        When::Date(date) => b.set("date", text(date)),
    }
}

/// Blocks within blocks.
#[derive(Default)]
struct Blocks {
    out: String,
    depth: usize,
}

impl Blocks {
    fn line(&mut self, text: &str) {
        for _ in 0..=self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, name: &str) {
        self.line(&format!("{name} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    fn set(&mut self, name: &str, value: impl AsRef<str>) {
        self.line(&format!("{name} = {}", value.as_ref()));
    }

    fn maybe(&mut self, name: &str, value: Option<i64>) {
        if let Some(value) = value {
            self.set(name, value.to_string());
        }
    }
}

/// A quoted string in which nothing is interpolated and nothing steers a terminal.
fn text(raw: &str) -> String {
    let mut out = String::from("\"");
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' | '%' if chars.peek() == Some(&'{') => {
                out.push(c);
                out.push(c);
            }
            c if crate::domain::text::is_unsafe(c) && u32::from(c) > 0xFFFF => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c if crate::domain::text::is_unsafe(c) => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A name that Terraform takes.
pub(in crate::analyze::storage::lifecycle) fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "b_");
    }
    out
}
