//! The pieces that queries in `PromQL` are made of.

use crate::source::vocabulary::{IDENTITY_LABELS, OWNER_LABELS};

/// The labels that tell GPUs apart: what all queries but one per sweep keep. Those a site does not
/// have cost nothing.
const APART: &[&str] = &[
    "UUID",
    "uuid",
    "gpu_uuid",
    "gpu",
    "index",
    "minor_number",
    "GPU_I_ID",
    "gpu_instance_id",
    "Hostname",
    "hostname",
    "instance",
    "neuroncore",
    "runtime_tag",
    "neuron_device_count",
    "neuroncore_per_device_count",
    "xid",
];

/// Labels that a query keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Labels that identify the GPU.
    Apart,
    /// Labels about the GPU, its host and its owner.
    Full,
}

impl Keep {
    /// Comma-separated labels for `by (…)`.
    pub fn list(self) -> String {
        match self {
            Self::Apart => APART.join(","),
            Self::Full => {
                let mut all: Vec<_> = IDENTITY_LABELS.to_vec();
                all.extend(APART.iter().filter(|l| !IDENTITY_LABELS.contains(l)));
                all.extend(OWNER_LABELS);
                all.join(",")
            }
        }
    }
}

/// Label matchers added to every selector, validated and normalised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matchers {
    parts: Vec<(String, &'static str, String)>,
}

impl Matchers {
    /// Parses `cluster="a",env=~"prod|dev"`, with or without braces.
    ///
    /// # Errors
    /// The text is no list of matchers; the message says where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text.trim();
        if let Some(inner) = rest.strip_prefix('{').and_then(|r| r.strip_suffix('}')) {
            rest = inner.trim();
        }
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let (part, after) = matcher(rest)?;
            parts.push(part);
            rest = after.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => rest = after.trim_start(),
                None if rest.is_empty() => {}
                None => return Err(format!("a comma is missing before `{rest}`")),
            }
        }
        Ok(Self { parts })
    }

    /// Names of the labels.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(name, ..)| name.as_str())
    }

    /// Selector of the metrics `names`, with further matchers in `also`.
    pub fn select(&self, names: &[&str], also: &[(&str, &'static str, &str)]) -> String {
        let mut inner = Vec::new();
        let mut out = String::new();
        match names {
            [one] => out.push_str(one),
            many => inner.push(format!("__name__=~\"{}\"", many.join("|"))),
        }
        let own = self.parts.iter().map(|(n, op, v)| (n.as_str(), *op, v.as_str()));
        inner.extend(
            own.chain(also.iter().copied()).map(|(n, op, v)| format!("{n}{op}{}", quoted(v))),
        );
        if !inner.is_empty() {
            out.push('{');
            out.push_str(&inner.join(","));
            out.push('}');
        }
        out
    }
}

fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

type Part = (String, &'static str, String);

fn matcher(text: &str) -> Result<(Part, &str), String> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || name == "__name__" {
        return Err(format!("`{text}` does not begin with the name of a label"));
    }
    let rest = rest.trim_start();
    let op = ["=~", "!~", "!=", "="].into_iter().find(|op| rest.starts_with(op));
    let Some(op) = op else { return Err(format!("after `{name}` stands none of = != =~ !~")) };
    let rest = rest[op.len()..].trim_start();
    let open = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(open) = open else { return Err(format!("the value of `{name}` is not in quotes")) };
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, c @ ('\\' | '"' | '\''))) => value.push(c),
                _ => return Err(format!("the value of `{name}` has an unknown escape")),
            },
            '\n' => break,
            c if c == open => {
                return Ok(((name.to_owned(), op, value), &rest[at + c.len_utf8()..]));
            }
            c => value.push(c),
        }
    }
    Err(format!("the value of `{name}` does not end"))
}

/// A regular expression that matches `text` and nothing else (RE2 syntax).
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | ':' | '/') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_read_checked_and_written_anew() {
        let m = Matchers::parse(r#"{cluster="a", env=~'prod|"dev"',zone!="x\\y"}"#).unwrap();
        assert_eq!(
            m.select(&["up"], &[("gpu", "=", "0")]),
            r#"up{cluster="a",env=~"prod|\"dev\"",zone!="x\\y",gpu="0"}"#
        );
        assert_eq!(m.names().collect::<Vec<_>>(), ["cluster", "env", "zone"]);
        assert_eq!(Matchers::default().select(&["up"], &[]), "up");
        assert_eq!(Matchers::parse(" ").unwrap().select(&["a", "b"], &[]), r#"{__name__=~"a|b"}"#);
        for bad in [
            r#"cluster="a"} or up{a="b""#,
            r#"cluster="a" env="b""#,
            "cluster=a",
            r#"cluster="a"#,
            r#"__name__="up""#,
            r#"1a="b""#,
            r#"a~"b""#,
            r#"a="\q""#,
        ] {
            assert!(Matchers::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_literal_matches_itself_only() {
        assert_eq!(literal("10.0.0.7"), r"10\.0\.0\.7");
        assert_eq!(literal("GPU-60a.*"), r"GPU-60a\.\*");
    }
}
