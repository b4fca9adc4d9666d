//! Which values of a label are kept: a fleet may have more teams than a Prometheus should have series.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::text::clean_to;

/// Values of a label that are kept, by default.
pub const MOST_VALUES: usize = 50;

/// Value of a label that stands for all that are not kept.
pub const OTHER: &str = "other";

/// Characters of a label's value that are kept. AWS tag values end at 256.
const MOST_CHARS: usize = 128;

/// A text as the value of a label: without unsafe characters, and not too long.
pub(super) fn label_text(text: &str) -> Cow<'_, str> {
    clean_to(text, MOST_CHARS)
}

/// Values of one label, or of `N` that belong together, that are kept.
#[derive(Debug)]
pub(super) struct Kept<const N: usize> {
    /// `None` where all are.
    kept: Option<BTreeSet<[String; N]>>,
    folded: usize,
}

impl<const N: usize> Kept<N> {
    /// The `most` costliest of some values with their dollars, or with whatever ranks them. A value that comes several
    /// times has their sum; of equals the first by name are kept.
    pub fn costliest<'a>(
        most: usize,
        values: impl IntoIterator<Item = ([&'a str; N], f64)>,
    ) -> Self {
        let mut weights: BTreeMap<[String; N], f64> = BTreeMap::new();
        for (value, weight) in values {
            let weight = if weight.is_finite() { weight } else { 0.0 };
            *weights.entry(cleaned(value)).or_default() += weight;
        }
        let folded = weights.len().saturating_sub(most);
        if folded == 0 {
            return Self { kept: None, folded };
        }
        let mut ranked: Vec<([String; N], f64)> = weights.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked.truncate(most);
        Self { kept: Some(ranked.into_iter().map(|(value, _)| value).collect()), folded }
    }

    /// What is written for a value: itself, or [`OTHER`].
    pub fn shown(&self, value: [&str; N]) -> [String; N] {
        let value = cleaned(value);
        match &self.kept {
            Some(kept) if !kept.contains(&value) => [(); N].map(|()| OTHER.to_owned()),
            _ => value,
        }
    }

    /// True where a value is written as itself.
    pub fn is_kept(&self, value: [&str; N]) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.contains(&cleaned(value)))
    }

    /// Number of values that are written as [`OTHER`].
    pub fn folded(&self) -> usize {
        self.folded
    }
}

fn cleaned<const N: usize>(value: [&str; N]) -> [String; N] {
    value.map(|text| label_text(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(most: usize, values: &[(&str, f64)]) -> Kept<1> {
        Kept::costliest(most, values.iter().map(|(name, usd)| ([*name], *usd)))
    }

    #[test]
    fn the_costliest_are_kept_and_the_rest_is_counted() {
        let of = kept(2, &[("a", 1.0), ("b", 9.0), ("c", 3.0), ("a", 4.0)]);
        assert_eq!(of.folded(), 1);
        assert_eq!(["a", "b", "c"].map(|name| of.shown([name])), [["a"], ["b"], ["other"]]);
        assert!(of.is_kept(["a"]) && !of.is_kept(["c"]));
    }

    #[test]
    fn of_equals_the_first_by_name_are_kept_whatever_their_order() {
        let (one, two) = (kept(1, &[("a", 1.0), ("b", 1.0)]), kept(1, &[("b", 1.0), ("a", 1.0)]));
        assert!(one.is_kept(["a"]) && two.is_kept(["a"]) && !one.is_kept(["b"]));
    }

    #[test]
    fn as_many_as_there_may_be_are_all_kept() {
        let of = kept(2, &[("a", 1.0), ("b", f64::NAN)]);
        assert_eq!((of.folded(), of.shown(["b"])), (0, ["b".to_owned()]));
    }

    #[test]
    fn long_and_unsafe_texts_are_cut_and_cleaned_and_stay_so() {
        let long = "é".repeat(1000);
        let once = label_text(&long).into_owned();
        assert_eq!(once.chars().count(), MOST_CHARS + 1);
        assert_eq!(label_text(&once), once);
        assert_eq!(label_text("a\n\u{202e}b"), "a\u{fffd}\u{fffd}b");
    }
}
