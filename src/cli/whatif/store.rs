//! Scenarios that are kept: one TOML file each, in `scenarios/` beside the configuration.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::config::Paths;
use crate::domain::text::clean;
use crate::files;
use crate::whatif::{ReadScenario, Scenario, ScenarioError, file_name, read, write};

/// The largest file that is read.
const LARGEST: u64 = 4 << 20;

/// Why a scenario could not be read, saved or renamed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The scenario has no name.
    #[error("a scenario needs a name to be kept: 1 to 80 printable characters")]
    Name,
    /// No scenario has this name.
    #[error("no scenario named {0} is kept")]
    Absent(String),
    /// Another scenario already has this name.
    #[error("a scenario named {0} is kept already; it stays as it is")]
    Exists(String),
    /// The existing file cannot be parsed, so it is not overwritten.
    #[error("{0}\nthe file stays as it is: mend it or move it away")]
    Broken(ScenarioError),
    /// The scenario cannot be written as TOML.
    #[error(transparent)]
    Unwritable(ScenarioError),
    /// A file operation failed.
    #[error("{path}: {why}", path = path.display(), why = files::explain(source))]
    Files {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Folder of saved scenarios.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// The folder in the user's configuration.
    pub fn of(paths: &Paths) -> Self {
        Self { dir: paths.scenarios_dir() }
    }

    /// Names of the scenarios that can be read, in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.all().into_iter().map(|(_, scenario)| scenario.name).collect();
        names.sort();
        names
    }

    /// Reads the scenario of this name. Fails where there is none or it cannot be read.
    pub fn load(&self, name: &str) -> Result<Scenario, StoreError> {
        match self.find(name) {
            Some((_, scenario)) => Ok(scenario),
            // A file that is named so and cannot be read says why.
            None => match self.read(&self.dir.join(file_name(name))) {
                Ok(Some(_) | None) => Err(StoreError::Absent(clean(name).into_owned())),
                Err(error) => Err(error),
            },
        }
    }

    /// Saves a scenario under its name. Fails where one of this name is kept, and for a file of a later version or one
    /// that cannot be parsed: none of these is overwritten.
    pub fn save(&self, scenario: &Scenario) -> Result<(), StoreError> {
        self.keep(scenario, false)
    }

    /// Saves a scenario under its name, in place of the one that is kept, if any. Fails as [`Store::save`] does for other
    /// reasons.
    pub fn replace(&self, scenario: &Scenario) -> Result<(), StoreError> {
        self.keep(scenario, true)
    }

    fn keep(&self, scenario: &Scenario, replaces: bool) -> Result<(), StoreError> {
        let name = scenario.name.trim();
        if name.is_empty() {
            return Err(StoreError::Name);
        }
        let text = write(scenario).map_err(StoreError::Unwritable)?;
        files::private_dir(&self.dir).map_err(|e| self.failed(&self.dir, e))?;
        let lock = File::open(&self.dir).map_err(|e| self.failed(&self.dir, e))?;
        files::lock(&lock).map_err(|e| self.failed(&self.dir, e))?;
        let path = match self.find(name) {
            Some(_) if !replaces => return Err(StoreError::Exists(clean(name).into_owned())),
            Some((path, _)) => path,
            None => self.free(name)?,
        };
        let text = format!("# A scenario of burntop's planning tab.\n\n{text}");
        files::replace(&path, text.as_bytes()).map_err(|e| self.failed(&path, e))
    }

    /// Renames a saved scenario. Fails where it does not exist, or the new name is taken.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (old, mut scenario) =
            self.find(from).ok_or_else(|| StoreError::Absent(clean(from).into_owned()))?;
        if from == to {
            return Ok(());
        }
        if self.find(to).is_some() {
            return Err(StoreError::Exists(clean(to).into_owned()));
        }
        to.clone_into(&mut scenario.name);
        // The old file goes when the new one is there.
        self.save(&scenario)?;
        fs::remove_file(&old).map_err(|e| self.failed(&old, e))
    }

    /// Unused path for a new file: two names may give one file name.
    fn free(&self, name: &str) -> Result<PathBuf, StoreError> {
        let first = self.dir.join(file_name(name));
        // A file by this name that cannot be understood may be the one that is meant.
        if self.read(&first)?.is_none() {
            return Ok(first);
        }
        let stem = file_name(name);
        let stem = stem.strip_suffix(".toml").unwrap_or(&stem);
        let mut others = (2..1000).map(|n| self.dir.join(format!("{stem}-{n}.toml")));
        others.find(|path| !path.exists()).ok_or(StoreError::Name)
    }

    fn find(&self, name: &str) -> Option<(PathBuf, Scenario)> {
        self.all().into_iter().find(|(_, scenario)| scenario.name == name)
    }

    fn all(&self) -> Vec<(PathBuf, Scenario)> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "toml"))
            .collect();
        paths.sort();
        let named = |path: PathBuf| {
            let mut scenario = self.read(&path).ok()??;
            // One that was written by hand may have no name but its file's.
            if scenario.name.is_empty() {
                scenario.name = clean(&path.file_stem()?.to_string_lossy()).into_owned();
            }
            Some((path, scenario))
        };
        paths.into_iter().filter_map(named).collect()
    }

    /// `None` where there is no file.
    fn read(&self, path: &Path) -> Result<Option<Scenario>, StoreError> {
        let bytes = match files::read_named(path, LARGEST) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(self.failed(path, e)),
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| self.failed(path, io::Error::from(files::Refused::NoText)))?;
        let name = path.display().to_string();
        let ReadScenario { scenario, .. } = read(&text, &name).map_err(StoreError::Broken)?;
        Ok(Some(scenario))
    }

    #[expect(clippy::unused_self, reason = "reads as what failed")]
    fn failed(&self, path: &Path, source: io::Error) -> StoreError {
        StoreError::Files { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store { dir: dir.path().join("scenarios") };
        (dir, store)
    }

    fn named(name: &str, note: &str) -> Scenario {
        Scenario { name: name.into(), note: note.into(), ..Scenario::default() }
    }

    #[test]
    fn what_is_kept_is_read_again_by_its_name() {
        let (_dir, store) = store();
        assert_eq!(store.names(), Vec::<String>::new());
        store.save(&named("Q3: plan", "a")).unwrap();
        store.save(&named("Q3 plan", "b")).unwrap();
        assert!(matches!(store.save(&named("Q3: plan", "c")), Err(StoreError::Exists(_))));
        assert_eq!(store.load("Q3: plan").unwrap().note, "a", "it stays as it is");
        store.replace(&named("Q3: plan", "c")).unwrap();
        assert_eq!(store.names(), ["Q3 plan", "Q3: plan"]);
        assert_eq!(store.load("Q3: plan").unwrap().note, "c");
        assert_eq!(store.load("Q3 plan").unwrap().note, "b");
        assert!(matches!(store.load("Q4"), Err(StoreError::Absent(_))));
        assert!(matches!(store.save(&named(" ", "")), Err(StoreError::Name)));
    }

    #[test]
    fn a_file_of_a_later_version_is_never_touched() {
        let (_dir, store) = store();
        fs::create_dir_all(&store.dir).unwrap();
        let path = store.dir.join("plan.toml");
        let later = "schema = 'burntop/scenario/2'\nname = 'plan'\nnew = 1\n";
        fs::write(&path, later).unwrap();
        for save in [Store::save, Store::replace] {
            let error = save(&store, &named("plan", "")).unwrap_err().to_string();
            assert!(error.contains("made by a later burntop"), "{error}");
        }
        assert!(store.load("plan").unwrap_err().to_string().contains("nothing was changed"));
        assert_eq!(fs::read_to_string(&path).unwrap(), later);
        assert_eq!(store.names(), Vec::<String>::new());
    }

    #[test]
    fn a_new_name_takes_no_other_scenarios_place() {
        let (_dir, store) = store();
        store.save(&named("a", "1")).unwrap();
        store.save(&named("b", "2")).unwrap();
        assert!(matches!(store.rename("a", "b"), Err(StoreError::Exists(_))));
        assert!(matches!(store.rename("x", "y"), Err(StoreError::Absent(_))));
        store.rename("a", "c").unwrap();
        store.rename("c", "c").unwrap();
        assert_eq!(store.names(), ["b", "c"]);
        assert_eq!(store.load("c").unwrap().note, "1");
    }
}
