//! "Did you mean …": the nearest known word.

/// The candidate nearest to `word`, when it is near enough to be a typing error: at most one edit
/// in three characters (Damerau–Levenshtein, so that swapped letters count once), ignoring case
/// and taking `-` and `_` as the same.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let norm = |s: &str| s.to_ascii_lowercase().replace('-', "_");
    let wanted = norm(word);
    let allowed = (wanted.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&wanted, &norm(c)), c))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typing_errors_and_nothing_else() {
        let keys = ["preset", "presets", "cap_usd_per_day", "regions", "mouse"];
        let cases = [
            ("prest", Some("preset")),
            ("persets", Some("presets")),
            ("Cap-USD-per-day", Some("cap_usd_per_day")),
            ("region", Some("regions")),
            ("colour", None),
            ("x", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, keys), expected, "{word}");
        }
    }
}
