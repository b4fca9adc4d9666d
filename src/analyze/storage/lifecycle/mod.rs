//! Lifecycle rules: read in any spelling, printed in every form, checked, played on a list of
//! objects, and merged into a bucket's own without touching what others wrote.

mod diff;
pub mod lint;
mod merge;
mod owner;
pub mod parse;
pub mod print;
pub mod quarantine;
pub mod simulate;
mod when;

pub use diff::{Change, DiffLine, lines as diff_lines};
pub use lint::{LintFinding, Severity};
pub use merge::{MergeInput, OWN_PREFIX, Verdict, is_own, merge};
pub use owner::detect as owner;
pub use parse::{Parsed, parse};
