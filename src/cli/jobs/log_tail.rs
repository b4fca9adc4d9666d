//! Why a run failed, by the end of its log.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::analyze::jobs::cause_words;
use crate::files;

/// Bytes at the end of a log that are read.
const TAIL: u64 = 16 << 10;

/// What the end of a log says of why a run failed: the words by which a cause is known, and nothing else of it, for logs hold
/// secrets. `None` where nothing is known of it. Err where it cannot be read.
pub(super) fn reason(path: &Path) -> std::io::Result<Option<String>> {
    let mut file = files::named(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let words = cause_words(&String::from_utf8_lossy(&bytes));
    Ok(words.map(|words| format!("log: {words}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("job.log");
        std::fs::write(&path, text).unwrap();
        reason(&path).unwrap()
    }

    #[test]
    fn the_words_of_the_cause_are_taken_and_nothing_beside_them() {
        let log = "token=s3cr3t\nRuntimeError: CUDA out of memory. key=s3cr3t\nNCCL WARN\n";
        assert_eq!(of(log.as_bytes()).as_deref(), Some("log: out of memory"));
        assert_eq!(of(b"\xff\xfe loss is nan \x1b[31m").as_deref(), Some("log: loss is nan"));
        assert_eq!(of(b"all is well"), None);
        assert_eq!(of(b""), None);
    }

    #[test]
    fn what_stands_long_before_the_end_is_not_why_it_ended() {
        let early = [b"CUDA out of memory\n".as_slice(), &vec![b'.'; TAIL as usize]].concat();
        assert_eq!(of(&early), None);
        let late = [&vec![b'.'; 1 << 20], b"\nCUDA out of memory\n".as_slice()].concat();
        assert!(of(&late).is_some());
    }

    #[test]
    fn a_log_that_is_no_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(reason(dir.path()).is_err());
        assert!(reason(&dir.path().join("none")).is_err());
        assert!(reason(Path::new("/dev/zero")).is_err());
    }
}
