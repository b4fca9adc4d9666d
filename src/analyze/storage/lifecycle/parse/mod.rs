//! Reads lifecycle rules in any spelling: the AWS CLI's JSON, boto3, S3's XML, `CloudFormation`, CDK,
//! Terraform's JSON, YAML of all of these, and the loose forms found in articles.
//!
//! Nothing is dropped without a word: what a rule may not say is a [`Remark`], and what would be
//! lost or was guessed stops a merge ([`Parsed::not_for_merging`]).

mod document;
mod fields;
mod locate;
mod rule;
mod xml;
mod yaml;

#[cfg(test)]
mod tests;

use super::lint::Remark;
use crate::domain::storage::Lifecycle;
use crate::domain::text::clean;
use document::Node;

/// Largest file that is read, bytes: eight times a thousand rules of a thousand bytes.
pub const LARGEST_FILE: usize = 8 << 20;

/// Values and elements a file may have.
const MOST_NODES: usize = 200_000;

/// How deep they may lie in each other.
const DEEPEST: usize = 64;

/// Syntax of a file of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON.
    Json,
    /// XML.
    Xml,
    /// YAML.
    Yaml,
}

impl Syntax {
    /// Name of the syntax.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Xml => "XML",
            Self::Yaml => "YAML",
        }
    }
}

/// Rules read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The rules.
    pub lifecycle: Lifecycle,
    /// Peculiarities that the linter reports.
    pub remarks: Vec<Remark>,
    /// Places whose meaning the parsed rules cannot hold, or that were guessed: paths with the reason. Such
    /// rules are linted and simulated, but never merged.
    pub not_for_merging: Vec<String>,
    /// Syntax of the file.
    pub syntax: Syntax,
}

/// Why a file of rules cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Larger than [`LARGEST_FILE`]; holds its size in bytes.
    #[error("the file has {0} bytes; policies of more than {LARGEST_FILE} are not read")]
    TooLarge(usize),
    /// Not UTF-8; holds the position of the first bad byte, from 1.
    #[error("byte {0} is not UTF-8; save the file as UTF-8")]
    Encoding(usize),
    /// Empty.
    #[error("the file is empty; expected lifecycle rules as JSON, XML or YAML")]
    Empty,
    /// Not well-formed, or more nested or referenced than a policy can be.
    #[error("line {line}, column {column}: {message} (read as {})", .syntax.name())]
    Syntax {
        /// Syntax it was read as.
        syntax: Syntax,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// The problem; clean text.
        message: String,
    },
    /// Well-formed, but not the structure of lifecycle rules.
    #[error("{path}: {message}")]
    Shape {
        /// Path of the place: `Rules[2].Transitions[0].Days`.
        path: String,
        /// The problem, and what is expected; clean text.
        message: String,
    },
}

/// Reads lifecycle rules in any of the syntaxes. Fails where the file is too large, not UTF-8, empty,
/// malformed, or no set of rules.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    if bytes.len() > LARGEST_FILE {
        return Err(ParseError::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| ParseError::Encoding(e.valid_up_to() + 1))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let (syntax, root) = match text.trim_start().chars().next() {
        None => return Err(ParseError::Empty),
        Some('<') => (Syntax::Xml, xml::read(text)?),
        Some('{' | '[') => (Syntax::Json, json(text)?),
        Some(_) => (Syntax::Yaml, yaml::read(text)?),
    };
    let mut reader = rule::Reader::new(syntax);
    let found = locate::rules(&root, &mut reader)?;
    let lifecycle = reader.rules(&found)?;
    Ok(Parsed {
        lifecycle,
        remarks: reader.remarks,
        not_for_merging: reader.not_for_merging,
        syntax,
    })
}

fn json(text: &str) -> Result<Node, ParseError> {
    // serde_json ends at a depth of 128 by itself.
    serde_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let (line, column) = (e.line() as u64, e.column() as u64);
        let message = clean(message).into_owned();
        ParseError::Syntax { syntax: Syntax::Json, line, column, message }
    })
}

fn shape(path: impl Into<String>, message: impl AsRef<str>) -> ParseError {
    let path: String = path.into();
    let path = if path.is_empty() { "the file".to_owned() } else { clean(&path).into_owned() };
    ParseError::Shape { path, message: clean(message.as_ref()).into_owned() }
}
