//! Pages of text: lines of spans with a meaning, built here, drawn and scrolled generically.

pub mod graph;
pub mod help;
pub mod log;
pub mod own_cost;
pub mod reading;
pub mod sheet;
pub mod welcome;

use std::borrow::Cow;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use crate::domain::storage::Subject;
use crate::tabs::Tab;
use crate::tabs::savings::state::{SavingsList, SavingsPage};
use crate::view::Role;

/// A piece of a line with one meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Text of the piece.
    pub text: Cow<'static, str>,
    /// Meaning, from which colours follow.
    pub role: Role,
}

/// A line of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Pieces, from left to right.
    pub spans: Vec<Span>,
    /// Target of `enter` on this line; `None` = the cursor skips the line.
    pub target: Option<Target>,
}

/// Place that a line leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The Why page of an instance, by id.
    Instance(Arc<str>),
    /// The subject of a storage finding.
    Storage(Subject),
    /// A tab, in the state it was left.
    Tab(Tab),
    /// A list of what could be saved.
    List(SavingsList),
    /// The page of a row of such a list.
    Saving(SavingsPage),
    /// The list that another target leads to, with this filter in force.
    Filtered(Box<Self>, &'static str),
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// A line of one piece.
    pub fn of(role: Role, text: impl Into<Cow<'static, str>>) -> Self {
        Self::new().with(role, text)
    }

    /// Adds a piece.
    #[must_use]
    pub fn with(mut self, role: Role, text: impl Into<Cow<'static, str>>) -> Self {
        self.spans.push(Span { text: text.into(), role });
        self
    }

    /// Adds plain text.
    #[must_use]
    pub fn text(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.with(Role::Text, text)
    }

    /// Adds text padded on the right to `width` columns.
    #[must_use]
    pub fn column(self, role: Role, text: &str, width: usize) -> Self {
        self.with(role, pad(text, width))
    }

    /// Adds text padded on the left to `width` columns.
    #[must_use]
    pub fn number(self, role: Role, text: &str, width: usize) -> Self {
        let blank = width.saturating_sub(columns(text));
        self.with(role, format!("{}{text}", " ".repeat(blank)))
    }

    /// Makes `target` the line's target.
    #[must_use]
    pub fn to(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }
}

/// Width of `text` in terminal columns.
pub fn columns(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// `text` padded on the right to `width` columns; not truncated.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Wraps `text` at blanks into lines of at most `width` columns; longer words are broken.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let long = columns(word);
        if used > 0 && used + 1 + long > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for cluster in word.graphemes(true) {
            let wide = columns(cluster);
            if used + wide > width && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push_str(cluster);
            used += wide;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_blanks_and_cuts_what_is_too_long() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("数数 数", 4), ["数数", "数"]);
    }

    proptest::proptest! {
        #[test]
        fn wrapped_lines_fit(text in ".{0,80}", width in 2usize..40) {
            // Everything that is shown was cleaned where it came in.
            for line in wrap(&crate::domain::text::clean(&text), width) {
                proptest::prop_assert!(columns(&line) <= width, "{line:?}");
            }
        }
    }
}
