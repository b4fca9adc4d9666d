//! Messages that no try brought to their sink: kept in a file, so that nothing is lost unseen.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::SendError;
use super::json_lines;
use crate::files;
use crate::watch::message::Message;

/// Most bytes that are read of the file, from its end.
const MOST: u64 = 8 << 20;

/// A message that was given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// When it was given up.
    pub at: Timestamp,
    /// Name of the sink.
    pub sink: String,
    /// Why the last try failed; holds no secret.
    pub reason: String,
    /// The message.
    pub message: Message,
}

/// What a file of dead letters holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeadLetters {
    /// The letters, the oldest first.
    pub letters: Vec<DeadLetter>,
    /// Lines that are none.
    pub unreadable: usize,
    /// True where the file holds more, older ones than were read.
    pub is_cut: bool,
}

/// Appends a letter to a file, which is made for its owner alone where there is none, and waits until it is on the disk.
///
/// # Errors
/// The file cannot be written, is a link, or belongs to another user.
pub fn append(path: &Path, letter: &DeadLetter) -> Result<(), SendError> {
    let written = serde_json::to_string(letter)
        .map_err(std::io::Error::from)
        .and_then(|line| json_lines::append(path, &line));
    written.map_err(|error| failed(path, &error))
}

/// Reads the newest letters of a file, 8 MiB at most; none where there is no file.
///
/// # Errors
/// The file cannot be read, or is a link.
pub fn read(path: &Path) -> Result<DeadLetters, SendError> {
    read_last(path, MOST)
}

fn read_last(path: &Path, most: u64) -> Result<DeadLetters, SendError> {
    let mut bytes = Vec::new();
    let read = files::own(path).and_then(|mut file| {
        let from = file.seek(SeekFrom::End(0))?.saturating_sub(most);
        file.seek(SeekFrom::Start(from))?;
        file.take(most).read_to_end(&mut bytes)?;
        Ok(from > 0)
    });
    let is_cut = match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(DeadLetters::default());
        }
        other => other.map_err(|error| failed(path, &error))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    // The first line may be the rest of one.
    let lines = text.lines().skip(usize::from(is_cut)).filter(|line| !line.trim().is_empty());
    let mut found = DeadLetters { is_cut, ..DeadLetters::default() };
    for line in lines {
        match serde_json::from_str(line) {
            Ok(letter) => found.letters.push(letter),
            Err(_) => found.unreadable += 1,
        }
    }
    Ok(found)
}

fn failed(path: &Path, error: &std::io::Error) -> SendError {
    let fix = "make the directory of the state writable for this user, and the file its own";
    SendError::later(format!("{}: {}", path.display(), files::explain(error)), fix)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::super::testing::message;
    use super::*;

    fn letter(sink: &str) -> DeadLetter {
        DeadLetter {
            at: Timestamp::UNIX_EPOCH,
            sink: sink.into(),
            reason: "hooks.example failed (HTTP 500)".into(),
            message: message(),
        }
    }

    #[test]
    fn letters_are_read_as_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dead.jsonl");
        assert_eq!(read(&path).unwrap(), DeadLetters::default(), "no file, no letters");
        append(&path, &letter("a")).unwrap();
        append(&path, &letter("b")).unwrap();
        let found = read(&path).unwrap();
        assert_eq!(found.letters, [letter("a"), letter("b")]);
        assert_eq!((found.unreadable, found.is_cut), (0, false));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn lines_that_are_none_are_counted_and_hide_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dead.jsonl");
        append(&path, &letter("a")).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(b"{\"at\":1}\n\xff\xfe\n\n{\"torn");
        std::fs::write(&path, bytes).unwrap();
        append(&path, &letter("b")).unwrap();
        let found = read(&path).unwrap();
        assert_eq!(found.letters, [letter("a"), letter("b")]);
        assert_eq!(found.unreadable, 3);
    }

    #[test]
    fn of_a_file_that_is_too_long_the_newest_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dead.jsonl");
        for sink in ["a", "b", "c"] {
            append(&path, &letter(sink)).unwrap();
        }
        let line = std::fs::metadata(&path).unwrap().len() / 3;
        let found = read_last(&path, line * 2 + line / 2).unwrap();
        assert_eq!(found.letters, [letter("b"), letter("c")]);
        assert_eq!((found.unreadable, found.is_cut), (0, true));
    }

    #[test]
    fn a_link_in_its_place_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dead.jsonl");
        symlink(dir.path().join("target"), &path).unwrap();
        assert!(append(&path, &letter("a")).is_err());
        assert!(!dir.path().join("target").exists());
        assert!(read(&path).unwrap_err().message.contains("dead.jsonl: "));
    }
}
