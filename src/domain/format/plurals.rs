//! Numbers with their nouns.

/// `1 volume`, `3 volumes`: for words that take an s.
pub fn plural(number: usize, word: &str) -> String {
    format!("{number} {}", noun(number, word))
}

/// `volume` for one, else `volumes`: where the number is written another way.
pub fn noun(number: usize, word: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{word}{ending}")
}

/// `1 row has`, `3 rows have`: for all other words, and for nouns with their verb.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_nothing_else() {
        assert_eq!([0, 1, 2].map(|n| plural(n, "row")), ["0 rows", "1 row", "2 rows"]);
        let of = |n| counted(n, "family is", "families are");
        assert_eq!([0, 1, 21].map(of), ["0 families are", "1 family is", "21 families are"]);
    }
}
