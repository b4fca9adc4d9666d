//! The limits that tests hold; `benches/gate.py` holds the others of the same file.

/// The limit of a figure of `benches/limits.toml`.
pub fn limit(figure: &str) -> usize {
    let all: toml::Table = toml::from_str(include_str!("../benches/limits.toml")).unwrap();
    let limit = all[figure]["limit"].as_integer().unwrap();
    usize::try_from(limit).unwrap()
}
