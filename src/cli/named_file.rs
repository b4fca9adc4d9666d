//! A file that the user named.

use std::io::{self, Read};
use std::path::Path;

use super::exit::{CliError, Exit};
use crate::files;

/// Bytes of a file, `-` for standard input; of a file larger than `most` bytes one byte more, so that the caller
/// notices.
///
/// # Errors
/// [`CliError::Usage`] where there is no such file, [`Exit::Unreadable`] where it cannot be read.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let name = path.display();
    let bytes = if path == Path::new("-") {
        at_most(io::stdin().lock(), most)
    } else {
        files::named(path).and_then(|file| at_most(file, most))
    };
    bytes.map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => CliError::Usage(format!("there is no file {name}")),
        _ => CliError::Failed {
            exit: Exit::Unreadable,
            message: format!("cannot read {name}: {}", files::explain(&e)),
        },
    })
}

fn at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
