//! The words that other parts of burntop own and a configuration may use.

/// Checks a text that another part understands.
pub type Checker = fn(&str) -> Result<(), String>;
/// Checks a custom preset, given its name and its table.
pub type PresetChecker = fn(&str, &toml::Table) -> Result<(), String>;

/// What a configuration is checked against. `config/` knows no preset, theme, action or field by
/// itself: whoever loads it passes the names in. An empty list leaves that kind unchecked.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Names of the built-in idle presets.
    pub presets: Vec<String>,
    /// Names of the themes.
    pub themes: Vec<String>,
    /// Names of the actions that keys can be bound to.
    pub actions: Vec<String>,
    /// Names and aliases of the fields.
    pub fields: Vec<String>,
    /// Names and aliases of the fields of GPUs.
    pub gpu_fields: Vec<String>,
    /// How GPUs can be grouped.
    pub groups: Vec<String>,
    /// Checks a filter; the error is one line.
    pub filter: Option<Checker>,
    /// Checks a filter of GPUs.
    pub gpu_filter: Option<Checker>,
    /// Checks the name of a key (`ctrl-c`); the error says what is accepted.
    pub key: Option<Checker>,
    /// Checks a custom preset; the error is one line that names the preset.
    pub custom_preset: Option<PresetChecker>,
}
