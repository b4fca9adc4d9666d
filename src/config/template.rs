//! The commented file that `burntop config init` writes.

use std::io::{self, Write};
use std::path::Path;

use super::error::ConfigError;
use crate::files;

/// Every key with its default, commented out.
pub const TEMPLATE: &str = include_str!("../../assets/config-template.toml");

/// Writes the template to a new file, readable by the owner alone (it may come to hold external
/// ids). A file that exists stays as it is.
pub fn init(path: &Path) -> Result<(), ConfigError> {
    let failed = |source| ConfigError::Write { path: path.to_owned(), source };
    if let Some(dir) = path.parent() {
        files::private_dir(dir).map_err(failed)?;
    }
    let mut file = files::create_new(path).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => ConfigError::Exists { path: path.to_owned() },
        _ => failed(e),
    })?;
    file.write_all(TEMPLATE.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::parse;
    use super::super::schema::{json_schema, key_paths};
    use super::*;

    /// The template with its commented keys switched on.
    fn uncommented() -> String {
        let on = |line: &str| match line.strip_prefix("#") {
            Some(rest) if !rest.starts_with(' ') && !rest.is_empty() => rest.to_owned(),
            _ => line.to_owned(),
        };
        TEMPLATE.lines().map(on).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_template_changes_nothing_as_it_stands() {
        let parsed = parse::config(TEMPLATE, Path::new("t")).unwrap();
        assert_eq!(parsed.value, super::super::FileConfig::default());
    }

    #[test]
    fn every_key_of_the_template_is_known_and_every_key_is_in_it() {
        let source = uncommented();
        let parsed = parse::config(&source, Path::new("t")).unwrap();
        assert_eq!(parsed.notices, []);
        let there: Vec<&str> = parsed.lines.keys().map(String::as_str).collect();
        for key in key_paths(&json_schema()) {
            let last = key.rsplit('.').next().unwrap();
            let head = key.split('.').next().unwrap();
            assert!(
                last == "*" || there.iter().any(|t| t.starts_with(head) && t.ends_with(last)),
                "{key} is missing in the template"
            );
        }
    }

    #[test]
    fn an_existing_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/config.toml");
        init(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), TEMPLATE);
        fs::write(&path, "mine").unwrap();
        assert!(matches!(init(&path), Err(ConfigError::Exists { .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
