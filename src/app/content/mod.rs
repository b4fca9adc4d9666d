//! Pages of text: lines of spans with a meaning, built here, drawn and scrolled generically.

pub mod filtered;
pub mod graph;
pub mod help;
pub mod log;
pub mod own_cost;
pub mod reading;
pub mod sheet;
pub mod welcome;

use std::borrow::Cow;
use std::sync::Arc;

use crate::domain::storage::Subject;
use crate::fleet::savings::PathKind;
use crate::tabs::Tab;
use crate::tabs::overview::state::BillPage;
use crate::tabs::savings::state::{SavingsList, SavingsPage};
use crate::view::Role;
pub use crate::view::room::{columns, wrap};

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
    /// The page of a path of the network that was read live: what it leads through, by id.
    Network(Arc<str>, PathKind),
    /// The page of the bill, or of a part of it.
    Bill(BillPage),
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

/// `text` padded on the right to `width` columns; not truncated.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}
