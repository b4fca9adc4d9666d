//! A file that the user named.

use std::io::{self, Read, Write};
use std::path::Path;

use super::exit::{CliError, Exit};
use crate::config::ConfigError;
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

/// Writes a text to a new file, and says so. Fails where the file is there, which stays as it is, and where it cannot be
/// written.
pub(super) fn create(path: &Path, text: &str, out: &mut dyn Write) -> Result<Exit, CliError> {
    files::create_whole(path, text.as_bytes()).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => ConfigError::Exists { path: path.to_owned() },
        _ => ConfigError::Write { path: path.to_owned(), source },
    })?;
    writeln!(out, "wrote {}", path.display())?;
    Ok(Exit::Ok)
}

fn at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
