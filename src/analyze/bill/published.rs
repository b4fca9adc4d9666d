//! Shares of bills that others published, to stand beside one's own.

use super::category::Category;

/// A published split of the bill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// What it is of, and whose.
    pub source: &'static str,
    /// Its shares.
    pub shares: &'static [PublishedShare],
}

/// Share of one part of a published split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedShare {
    /// The part as the source names it.
    pub part: &'static str,
    /// Category that it compares to; `None` where it is cut another way.
    pub category: Option<Category>,
    /// Share of the bill, least and most, 0–1.
    pub share: (f64, f64),
    /// Share of it that the source calls wasted, 0–1; `None` where it says nothing of it.
    pub wasted: Option<f64>,
}

const fn share(
    part: &'static str,
    category: Option<Category>,
    share: (f64, f64),
    wasted: Option<f64>,
) -> PublishedShare {
    PublishedShare { part, category, share, wasted }
}

/// The published splits.
pub const PUBLISHED: [Published; 2] = [
    Published {
        source: "ranges given for clouds of machine learning teams",
        shares: &[
            share("storage", Some(Category::Storage), (0.30, 0.40), None),
            share("idle compute", None, (0.20, 0.30), None),
            share("active compute", None, (0.15, 0.25), None),
            share("egress", Some(Category::Network), (0.08, 0.15), None),
            share("operations", Some(Category::Operations), (0.05, 0.10), None),
        ],
    },
    Published {
        source: "an anatomy of a bill of $10M a year",
        shares: &[
            share("training", Some(Category::Training), (0.40, 0.40), Some(0.50)),
            share("serving", Some(Category::Serving), (0.25, 0.25), Some(0.40)),
            share("storage", Some(Category::Storage), (0.20, 0.20), Some(0.70)),
            share("transfer", Some(Category::Network), (0.10, 0.10), Some(0.40)),
            share("other", None, (0.05, 0.05), Some(0.40)),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_anatomy_is_whole_and_half_of_it_is_wasted() {
        let shares = PUBLISHED[1].shares;
        let whole: f64 = shares.iter().map(|s| s.share.0).sum();
        let wasted: f64 = shares.iter().filter_map(|s| Some(s.share.0 * s.wasted?)).sum();
        assert!((whole - 1.0).abs() < 1e-12 && (wasted - 0.5).abs() < 1e-12, "{wasted}");
        assert!(PUBLISHED.iter().flat_map(|p| p.shares).all(|s| s.share.0 <= s.share.1));
    }
}
