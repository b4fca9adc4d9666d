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
        .map(|c| {
            let near = strsim::damerau_levenshtein(&wanted, &norm(c));
            // Of two that differ in case alone, the one that is written like the word.
            ((near, strsim::damerau_levenshtein(word, c)), c)
        })
        .filter(|((distance, _), _)| *distance <= allowed)
        .min_by_key(|(distances, _)| *distances)
        .map(|(_, c)| c)
}

/// The key that `name` is like: a slip away, or with something around it. Short keys are parts of
/// many names.
pub fn like<'a>(name: &str, keys: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let plain = |s: &str| -> String {
        s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let whole = plain(name);
    let longest = |keys: &mut dyn Iterator<Item = &'a str>| keys.max_by_key(|key| key.len());
    nearest(name, keys.clone()).or_else(|| {
        let around = |key: &&str| key.len() > 6 && whole.contains(&plain(key));
        longest(&mut keys.into_iter().filter(around))
    })
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
