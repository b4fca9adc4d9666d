//! A file that the user named.

use std::io::{self, Read};
use std::path::Path;

use super::exit::{CliError, Exit};
use crate::files;

/// Bytes of a file, `-` for standard input; of a file larger than `most` bytes one byte more, so that the caller
/// notices.
///
/// Fails with [`Exit::Unreadable`] where there is no such file, and where it cannot be read.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let bytes = if path == Path::new("-") {
        at_most(io::stdin().lock(), most)
    } else {
        files::named(path).and_then(|file| at_most(file, most))
    };
    bytes.map_err(|e| unreadable(path, &e))
}

/// Error for a file that is not there or cannot be read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> CliError {
    let name = path.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {name}"),
        _ => format!("cannot read {name}: {}", files::explain(error)),
    };
    CliError::Failed { exit: Exit::Unreadable, message }
}

fn at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
