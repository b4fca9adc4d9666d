//! Views saved from the screen. They live in a file of their own, so that the configuration that
//! a person wrote is never rewritten.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{ConfigError, Notice, Place, Problem};
use super::file::SavedView;
use super::load::text as read_text;
use super::parse;
use super::validate::view_problems;
use super::vocabulary::Vocabulary;
use crate::domain::text;
use crate::files;

/// The longest name of a view, in characters: it must fit the view list of an 80-column screen.
pub const MAX_NAME: usize = 40;

/// The saved views that can be used, and what cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Usable views by name.
    pub views: BTreeMap<String, SavedView>,
    /// A file that cannot be read, a view that another version wrote: left out, never fatal.
    pub notices: Vec<Notice>,
}

/// Why a view was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The name cannot be used.
    #[error("\"{name}\" is no name for a view; accepted: 1 to {MAX_NAME} printable characters")]
    Name {
        /// The name, clean.
        name: String,
    },
    /// The file is there and not readable as views; it stays as it is.
    #[error("{0}\nthe views file stays as it is: mend it or move it away")]
    Broken(ConfigError),
    /// The file could not be written.
    #[error(transparent)]
    Write(ConfigError),
}

/// Reads the saved views. A missing file is no view.
pub fn load(path: &Path, words: &Vocabulary) -> Saved {
    let mut saved = Saved::default();
    let at = |line: usize, message: String| Problem {
        place: Place::File { path: path.to_owned(), line },
        message,
    };
    let source = match read_text(path) {
        Ok(source) => source,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return saved,
        Err(e) => {
            let why = files::explain(&e);
            saved.notices.push(at(1, format!("saved views cannot be read: {why}")));
            return saved;
        }
    };
    match parse::views(&source, path) {
        Err(ConfigError::Invalid(problems)) => saved.notices = problems,
        Err(other) => saved.notices.push(at(1, other.to_string())),
        Ok(parsed) => {
            saved.notices = parsed.notices;
            for (name, view) in parsed.value {
                let problems = view_problems(&view, words);
                if problems.is_empty() {
                    saved.views.insert(name, view);
                    continue;
                }
                for (part, why) in problems {
                    let key = format!("{name}.{part}");
                    let line = parsed.lines.get(key.split('[').next().unwrap_or(&key));
                    let message = format!("view `{}` is left out: {why}", text::clean(&name));
                    saved.notices.push(at(line.copied().unwrap_or(1), message));
                }
            }
        }
    }
    saved
}

/// Adds or replaces one view. Atomic (a new file takes the place of the old one), readable by the
/// owner alone, and safe against another burntop that saves at the same moment. A link is read, but
/// neither written through nor replaced.
pub fn save(path: &Path, name: &str, view: &SavedView) -> Result<(), SaveError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(text::is_unsafe) {
        return Err(SaveError::Name { name: text::clean(name).into_owned() });
    }
    let failed = |source| SaveError::Write(ConfigError::Write { path: path.to_owned(), source });
    let dir = path.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    files::private_dir(&dir).map_err(failed)?;
    let lock = File::open(&dir).map_err(failed)?;
    files::lock(&lock).map_err(failed)?;

    let mut views = match read_text(path) {
        Ok(source) => parse::views(&source, path).map_err(SaveError::Broken)?.value,
        Err(e) if e.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(source) => {
            return Err(SaveError::Broken(ConfigError::Read { path: path.to_owned(), source }));
        }
    };
    views.insert(name.to_owned(), view.clone());
    let body = toml::to_string(&views).map_err(|e| failed(io::Error::other(e)))?;
    let text = format!("# Views saved from the screen of burntop.\n\n{body}");
    files::replace(path, text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::vocabulary::ListWords;
    use super::*;

    fn view(filter: &str) -> SavedView {
        SavedView {
            filter: Some(filter.into()),
            sort: Some("-waste".into()),
            columns: Some(vec!["name".into(), "$".into()]),
            ..SavedView::default()
        }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/views.toml");
        save(&path, "hot", &view("gpu<5 and $>10/h")).unwrap();
        save(&path, "team \"nlp\".x", &view("team=nlp")).unwrap();
        save(&path, "hot", &view("idle>3d")).unwrap();
        let saved = load(&path, &Vocabulary::default());
        assert_eq!(saved.notices, []);
        assert_eq!(saved.views.len(), 2);
        assert_eq!(saved.views["hot"], view("idle>3d"));
        assert_eq!(saved.views["team \"nlp\".x"], view("team=nlp"));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_private_and_nothing_is_left_beside_it() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("views.toml");
        save(&path, "a", &view("x")).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_read_and_neither_written_through_nor_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("dotfiles.toml");
        save(&real, "a", &view("x")).unwrap();
        let before = fs::read(&real).unwrap();
        let link = dir.path().join("views.toml");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(load(&link, &Vocabulary::default()).views.len(), 1);
        let error = save(&link, "b", &view("y")).unwrap_err().to_string();
        assert!(error.contains("symbolic link") && error.contains("move the link away"), "{error}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), before);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left beside it");
    }

    #[test]
    fn a_broken_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("views.toml");
        fs::write(&path, "[hot\n").unwrap();
        assert!(matches!(save(&path, "a", &view("x")), Err(SaveError::Broken(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "[hot\n");
        let saved = load(&path, &Vocabulary::default());
        assert!(saved.views.is_empty() && !saved.notices.is_empty());
    }

    #[test]
    fn a_view_of_another_version_is_left_out_and_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("views.toml");
        fs::write(&path, "[old]\ncolumns = ['name', 'gone']\n[good]\nsort = 'name'\n").unwrap();
        let idle = ListWords {
            name: "idle".into(),
            fields: vec!["name".into()],
            groups: Vec::new(),
            filter: |_, _| Ok(()),
        };
        let words = Vocabulary { lists: vec![idle], ..Vocabulary::default() };
        let saved = load(&path, &words);
        assert_eq!(saved.views.keys().collect::<Vec<_>>(), ["good"]);
        let text = saved.notices[0].to_string();
        assert!(text.ends_with(":2: view `old` is left out: unknown field `gone`"), "{text}");
    }

    #[test]
    fn names_are_checked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("views.toml");
        for name in ["", "  ", "a\u{1b}b", &"x".repeat(41)] {
            assert!(matches!(save(&path, name, &view("x")), Err(SaveError::Name { .. })));
        }
        assert!(!path.exists());
    }

    #[test]
    fn savers_at_the_same_moment_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("views.toml");
        std::thread::scope(|s| {
            for n in 0..8 {
                let path = &path;
                s.spawn(move || save(path, &format!("v{n}"), &view("x")).unwrap());
            }
        });
        assert_eq!(load(&path, &Vocabulary::default()).views.len(), 8);
    }
}
