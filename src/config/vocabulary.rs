//! The words that other parts of burntop own and a configuration may use.

use std::collections::BTreeMap;

/// Checks a text that another part understands.
pub type Checker = fn(&str) -> Result<(), String>;
/// Checks `[keys]` as a whole: the action that each problem is about, and its text.
pub type KeysChecker = fn(&BTreeMap<String, Vec<String>>) -> Vec<(String, String)>;
/// Finds the names of all AWS profiles; `None` where their files cannot be read.
pub type ProfilesFinder = fn() -> Option<Vec<String>>;
/// Checks a custom preset, given its name and its table.
pub type PresetChecker = fn(&str, &toml::Table) -> Result<(), String>;

/// Checks a filter over the list of this name; the error is one line.
pub type FilterChecker = fn(&str, &str) -> Result<(), String>;

/// What a view of a list may say.
#[derive(Clone, Debug)]
pub struct ListWords {
    /// Its name.
    pub name: String,
    /// Names and aliases of its fields.
    pub fields: Vec<String>,
    /// The ways to group its rows; empty where there is none.
    pub groups: Vec<String>,
    /// Checks a filter.
    pub filter: FilterChecker,
}

/// What a configuration is checked against. `config/` knows no preset, theme, action or field by
/// itself: whoever loads it passes the names in. An empty list leaves that kind unchecked.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Names of the built-in idle presets.
    pub presets: Vec<String>,
    /// Names of the themes.
    pub themes: Vec<String>,
    /// Codes of the regions.
    pub regions: Vec<String>,
    /// Families of instance types.
    pub families: Vec<String>,
    /// Finds the AWS profiles, asked where one is to be read.
    pub profiles: Option<ProfilesFinder>,
    /// Checks what `--filter` says; the error is one line.
    pub filter: Option<Checker>,
    /// The lists that a view can be of.
    pub lists: Vec<ListWords>,
    /// Checks the key bindings.
    pub keys: Option<KeysChecker>,
    /// Checks a custom preset; the error is one line that names the preset.
    pub custom_preset: Option<PresetChecker>,
}
