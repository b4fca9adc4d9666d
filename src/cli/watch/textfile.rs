//! Metrics as a file for the textfile collector of `node_exporter`.

use std::io;
use std::path::PathBuf;

use crate::files;

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum TextfileError {
    /// Its name is none that the collector reads.
    #[error("--textfile {}: the collector reads names that end with .prom; call it burntop.prom", .0.display())]
    Name(PathBuf),
    /// It could not be written.
    #[error("writing {} for node_exporter: {}", .0.display(), files::explain(.1))]
    Write(PathBuf, io::Error),
}

/// A file that is replaced as a whole with each page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Textfile {
    path: PathBuf,
}

impl Textfile {
    /// The file at `path`, which is not touched yet. Fails where its name does not end with `.prom`.
    pub fn new(path: PathBuf) -> Result<Self, TextfileError> {
        let has_name = path.file_stem().is_some_and(|stem| !stem.is_empty());
        let is_read = has_name && path.extension().is_some_and(|extension| extension == "prom");
        if is_read { Ok(Self { path }) } else { Err(TextfileError::Name(path)) }
    }

    /// Replaces the file: readers see the former page or this one, never a part. Fails where something else than a file of
    /// this user is at its place (a link is not followed and not replaced), or it cannot be written; the former page stays
    /// then.
    pub fn write(&self, page: &str) -> Result<(), TextfileError> {
        files::replace_for_others(&self.path, page.as_bytes())
            .map_err(|error| TextfileError::Write(self.path.clone(), error))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{MetadataExt as _, symlink};
    use std::path::Path;

    use super::*;

    fn textfile(dir: &Path) -> Textfile {
        Textfile::new(dir.join("burntop.prom")).unwrap()
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_that_the_collector_does_not_read_is_refused() {
        for name in ["a/burntop.txt", "burntop", "burntop.prom.tmp", ".prom", "a/burntop.prom/", ""]
        {
            let is_fine = name == "a/burntop.prom/";
            assert_eq!(Textfile::new(name.into()).is_ok(), is_fine, "{name}");
        }
        let said = Textfile::new("x.txt".into()).unwrap_err().to_string();
        assert!(said.contains("--textfile x.txt") && said.contains("burntop.prom"), "{said}");
    }

    #[test]
    fn a_page_replaces_the_former_one_and_others_may_read_it_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let file = textfile(dir.path());
        for page in ["a 1\nb 2\n", "a 3\n"] {
            file.write(page).unwrap();
            let path = dir.path().join("burntop.prom");
            assert_eq!(fs::read_to_string(&path).unwrap(), page);
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o644);
        }
        assert_eq!(names(dir.path()), ["burntop.prom"]);
    }

    #[test]
    fn a_reader_that_has_the_former_page_open_reads_it_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let file = textfile(dir.path());
        file.write("former\n").unwrap();
        let open = File::open(dir.path().join("burntop.prom")).unwrap();
        file.write("new\n").unwrap();
        assert_eq!(io::read_to_string(open).unwrap(), "former\n");
    }

    #[test]
    fn a_link_and_a_folder_at_its_place_are_neither_followed_nor_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::write(&target, "mine").unwrap();
        symlink(&target, dir.path().join("burntop.prom")).unwrap();
        let said = textfile(dir.path()).write("a 1\n").unwrap_err().to_string();
        assert!(said.contains("symbolic link"), "{said}");
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
        assert_eq!(names(dir.path()), ["burntop.prom", "target"]);

        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("burntop.prom")).unwrap();
        let said = textfile(dir.path()).write("a 1\n").unwrap_err().to_string();
        assert!(said.contains("no regular file"), "{said}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_with_what_helps() {
        let dir = tempfile::tempdir().unwrap();
        let file = textfile(&dir.path().join("missing"));
        let said = file.write("a 1\n").unwrap_err().to_string();
        assert!(said.contains("missing/burntop.prom"), "{said}");
        assert!(said.len() > "writing  for node_exporter: ".len() + 20, "{said}");
    }
}
