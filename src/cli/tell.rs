//! Messages on standard error, beside the report.

use std::fmt::Display;
use std::io::Write;

/// Prints a message to standard error; ignores a closed one.
pub fn tell(line: impl Display) {
    let _ = writeln!(super::output::stderr(), "burntop: {line}");
}
