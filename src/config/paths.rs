//! Where burntop keeps its files.

use std::path::PathBuf;

use directories::ProjectDirs;

use super::error::ConfigError;

/// burntop's directories. On Linux they follow the XDG variables, elsewhere the platform's custom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Holds `config.toml` and `views.toml`.
    pub config_dir: PathBuf,
    /// Holds the cache.
    pub cache_dir: PathBuf,
    /// Holds logs and crash files. The data directory where the platform has no state directory.
    pub state_dir: PathBuf,
}

impl Paths {
    /// The directories of this user. Creates nothing.
    pub fn of_user() -> Result<Self, ConfigError> {
        let dirs = ProjectDirs::from("", "", "burntop").ok_or(ConfigError::NoHome)?;
        Ok(Self {
            config_dir: dirs.config_dir().to_owned(),
            cache_dir: dirs.cache_dir().to_owned(),
            state_dir: dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned(),
        })
    }

    /// The configuration file, where none is named.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The file of the views saved from the screen.
    pub fn views_file(&self) -> PathBuf {
        self.config_dir.join("views.toml")
    }

    /// The folder of the scenarios that planning sessions keep.
    pub fn scenarios_dir(&self) -> PathBuf {
        self.config_dir.join("scenarios")
    }
}
