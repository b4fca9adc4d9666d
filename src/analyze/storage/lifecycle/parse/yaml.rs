//! YAML, with bounds on what references and nesting may grow to.

use serde_saphyr::{Error, Options, budget, options};

use super::document::Node;
use super::{DEEPEST, MOST_NODES, ParseError, Syntax};
use crate::domain::text::clean;

pub(super) fn read(text: &str) -> Result<Node, ParseError> {
    serde_saphyr::from_str_with_options(text, bounds()).map_err(|e| failure(&e))
}

fn bounds() -> Options {
    let mut options = options! {
        budget: budget! {
            max_depth: DEEPEST,
            max_nodes: MOST_NODES,
            max_events: MOST_NODES * 3,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_documents: 1,
        },
    };
    // A billion laughs: what references repeat counts as if it were written out.
    options.alias_limits.max_total_replayed_events = MOST_NODES;
    options.alias_limits.max_replay_stack_depth = 16;
    options
}

fn failure(error: &Error) -> ParseError {
    let (line, column) = error.location().map_or((1, 1), |l| (l.line(), l.column()));
    let message = error.without_snippet().to_string();
    let first = message.lines().next().unwrap_or_default();
    // The place is said in front.
    let first = first.split(" at line ").next().unwrap_or(first);
    let message = clean(first).into_owned();
    ParseError::Syntax { syntax: Syntax::Yaml, line, column, message }
}
