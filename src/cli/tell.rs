//! A word to who is watching, beside what is printed.

use std::fmt::Display;
use std::io::Write;

/// Writes a line to standard error, which may be closed: then there is nobody to tell.
pub fn tell(line: impl Display) {
    let _ = writeln!(super::output::stderr(), "burntop: {line}");
}
