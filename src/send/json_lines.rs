//! Lines of JSON at the end of a file, whole and on the disk.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::files;

/// Appends a line in one write and waits until it is on the disk. The file is made where there is none, for its owner
/// alone; half a line that a crash left is ended first.
///
/// # Errors
/// The file is a link, not a regular one or another user's, it cannot be written, or another process keeps its lock.
pub fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut file = files::append(path)?;
    // Without it the middle of another's line would be taken for half a line.
    files::lock(&file)?;
    let begin = if ends_a_line(&mut file)? { "" } else { "\n" };
    let whole = format!("{begin}{line}\n");
    let written = file.write(whole.as_bytes())?;
    if written < whole.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.sync_all()
}

/// True where nothing stands there yet, or a line ends.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn lines_follow_each_other_in_a_file_of_the_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        append(&path, "{\"a\":1}").unwrap();
        append(&path, "{\"a\":2}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"a\":2}\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn half_a_line_is_ended_before_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        std::fs::write(&path, "{\"a\":").unwrap();
        append(&path, "{}").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":\n{}\n");
    }

    #[test]
    fn a_link_is_not_followed_and_its_target_is_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        std::fs::write(&target, "kept").unwrap();
        let path = dir.path().join("link");
        symlink(&target, &path).unwrap();
        let error = append(&path, "{}").unwrap_err();
        assert!(files::explain(&error).contains("symbolic link"), "{error}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
        assert!(append(dir.path(), "{}").is_err(), "nor is a directory written to");
    }

    #[test]
    fn many_who_append_at_once_leave_whole_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        std::thread::scope(|scope| {
            for n in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..25 {
                        append(path, &format!("{n}").repeat(3_000)).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 100);
        for line in text.lines() {
            assert_eq!(line, line[..1].repeat(3_000));
        }
    }
}
