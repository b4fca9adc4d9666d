//! XML as S3 stores it: the body of `PutBucketLifecycleConfiguration`.

use crate::domain::storage::{Lifecycle, LifecycleFilter, LifecycleRule, When};

/// Namespace of S3's documents.
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// A rule with a character that XML cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: U+{char:04X} cannot be written in XML 1.0; use JSON, which can hold it", char = *char as u32)]
pub struct XmlError {
    /// Number of the rule, from 1.
    pub rule: usize,
    /// The character.
    pub char: char,
}

/// A configuration as XML. The minimum size is not part of the document (it is the header
/// `x-amz-transition-default-minimum-object-size`) and is omitted. Fails where a text has a character that XML
/// cannot hold.
pub fn xml(lifecycle: &Lifecycle) -> Result<String, XmlError> {
    let mut w = Writer { out: String::new(), depth: 1, bad: None };
    for (i, r) in lifecycle.rules.iter().enumerate() {
        w.open("Rule");
        rule(&mut w, r);
        w.close("Rule");
        if let Some(char) = w.bad {
            return Err(XmlError { rule: i + 1, char });
        }
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<LifecycleConfiguration \
         xmlns=\"{NAMESPACE}\">\n{}</LifecycleConfiguration>\n",
        w.out
    ))
}

fn rule(w: &mut Writer, rule: &LifecycleRule) {
    if !rule.id.is_empty() {
        w.leaf("ID", &rule.id);
    }
    filter(w, &rule.filter);
    w.leaf("Status", if rule.enabled { "Enabled" } else { "Disabled" });
    for t in &rule.transitions {
        w.open("Transition");
        when(w, &t.when);
        w.leaf("StorageClass", &t.class);
        w.close("Transition");
    }
    if let Some(expiration) = &rule.expiration {
        w.open("Expiration");
        if let Some(moment) = &expiration.when {
            when(w, moment);
        }
        if let Some(marker) = expiration.expired_delete_marker {
            w.leaf("ExpiredObjectDeleteMarker", if marker { "true" } else { "false" });
        }
        w.close("Expiration");
    }
    for t in &rule.noncurrent_transitions {
        w.open("NoncurrentVersionTransition");
        w.number("NoncurrentDays", Some(t.days));
        w.number("NewerNoncurrentVersions", t.newer_versions);
        w.leaf("StorageClass", &t.class);
        w.close("NoncurrentVersionTransition");
    }
    if let Some(n) = &rule.noncurrent_expiration {
        w.open("NoncurrentVersionExpiration");
        w.number("NoncurrentDays", n.days);
        w.number("NewerNoncurrentVersions", n.newer_versions);
        w.close("NoncurrentVersionExpiration");
    }
    if let Some(days) = rule.abort_uploads_days {
        w.open("AbortIncompleteMultipartUpload");
        w.number("DaysAfterInitiation", Some(days));
        w.close("AbortIncompleteMultipartUpload");
    }
}

fn filter(w: &mut Writer, filter: &LifecycleFilter) {
    if filter.legacy_prefix {
        w.leaf("Prefix", filter.prefix.as_deref().unwrap_or_default());
        if filter.conditions() == 0 {
            return;
        }
    }
    let several = filter.conditions() > 1;
    w.open("Filter");
    if several {
        w.open("And");
    }
    if let Some(prefix) = filter.prefix.as_deref().filter(|_| !filter.legacy_prefix) {
        w.leaf("Prefix", prefix);
    }
    for (key, value) in &filter.tags {
        w.open("Tag");
        w.leaf("Key", key);
        w.leaf("Value", value);
        w.close("Tag");
    }
    w.number("ObjectSizeGreaterThan", filter.larger_than);
    w.number("ObjectSizeLessThan", filter.smaller_than);
    if several {
        w.close("And");
    }
    w.close("Filter");
}

fn when(w: &mut Writer, when: &When) {
    match when {
        When::Days(days) => w.number("Days", Some(*days)),
        When::Date(date) => w.leaf("Date", date),
    }
}

struct Writer {
    out: String,
    depth: usize,
    bad: Option<char>,
}

impl Writer {
    fn pad(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.depth));
    }

    fn open(&mut self, name: &str) {
        self.pad();
        self.out.push_str(&format!("<{name}>\n"));
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        // An element without children stands on one line.
        let opened = format!("<{name}>\n");
        if self.out.ends_with(&opened) {
            let keep = self.out.len() - opened.len();
            self.out.truncate(keep);
            self.out.push_str(&format!("<{name}/>\n"));
            return;
        }
        self.pad();
        self.out.push_str(&format!("</{name}>\n"));
    }

    fn number(&mut self, name: &str, value: Option<i64>) {
        if let Some(value) = value {
            self.leaf(name, &value.to_string());
        }
    }

    fn leaf(&mut self, name: &str, text: &str) {
        self.pad();
        self.out.push_str(&format!("<{name}>"));
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                // A reader would make one newline of these.
                '\r' => self.out.push_str("&#13;"),
                '\n' => self.out.push_str("&#10;"),
                '\t' => self.out.push_str("&#9;"),
                '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => self.bad = self.bad.or(Some(c)),
                // Allowed, and better not seen by a terminal.
                c if crate::domain::text::is_unsafe(c) => {
                    self.out.push_str(&format!("&#{};", u32::from(c)));
                }
                c => self.out.push(c),
            }
        }
        self.out.push_str(&format!("</{name}>\n"));
    }
}
