//! The tables of fields, the bar, the explorer.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::fixture::{fleet, huge, sums};
use super::tier_bar::{Heat, bar, by_heat, cell};
use super::{
    BlockField, BucketField, CopyField, Explorer, FindingField, PrefixField, RunField, block_rows,
    finding_rows, prefix_rows, words,
};
use crate::analyze::storage::picture::blended_rates;
use crate::analyze::storage::price::monthly;
use crate::domain::storage::{PrefixTree, Tier};
use crate::fleet::storage::SavingsEstimate;
use crate::query::{Kind, Unit};
use crate::view::fixture::ctx;
use crate::view::{Align, Filter, Sort, Symbols, TableField, Value, table};

fn check<F: TableField>() {
    let mut names = HashSet::new();
    let mut keys = HashSet::new();
    for (i, field) in F::all().iter().copied().enumerate() {
        let spec = field.spec();
        assert_eq!(F::of(spec), Some(field), "{i}");
        for name in spec.names() {
            assert!(names.insert(name.to_lowercase()), "{name} twice");
            assert_eq!(F::table().find(&name.to_uppercase()), Some(spec), "{name}");
        }
        if let Some(key) = spec.sort_key {
            assert!(keys.insert(key), "{key} sorts two fields");
            assert!(spec.header.to_lowercase().contains(key), "{key} is not in {}", spec.header);
        }
        assert!(spec.header.chars().count() <= usize::from(spec.width), "{}", spec.name);
        let number = matches!(spec.kind, Kind::Number(_));
        assert_eq!(spec.align == Align::Right, number, "{}", spec.name);
        assert!(spec.doc.ends_with('.'), "{}", spec.name);
        let unit = if spec.name == "billed_usd" { "$" } else { "$/month" };
        assert!(!matches!(spec.kind, Kind::Number(Unit::Usd)) || spec.unit == unit);
    }
    for field in F::DROPPED_FIRST {
        assert!(F::SCREEN_COLUMNS.contains(field), "{field:?} is dropped and never shown");
    }
}

#[test]
fn the_tables_hold_together() {
    check::<BucketField>();
    check::<PrefixField>();
    check::<FindingField>();
    check::<BlockField>();
    check::<RunField>();
    check::<CopyField>();
}

/// The values of choices are those that the filter knows.
#[test]
fn choices_say_what_the_filter_knows() {
    fn each<F: TableField>(rows: &[Arc<F::Row>]) {
        for row in rows {
            for field in F::all() {
                let Kind::Choice(words) = field.spec().kind else { continue };
                let knows = |text: &str| {
                    assert!(words.contains(&text), "{text} of {}", field.spec().name);
                };
                match (field.several(row), field.value(row, &ctx())) {
                    (Some(texts), _) => texts.for_each(|text| knows(&text)),
                    (None, Value::Text(text)) => knows(&text),
                    _ => {}
                }
            }
        }
    }
    let fleet = fleet();
    each::<BucketField>(&fleet.buckets);
    each::<FindingField>(&finding_rows(&fleet));
    each::<BlockField>(&block_rows(&fleet));
}

#[test]
fn an_estimate_that_saves_nothing_is_not_unknown() {
    let mut row = (*fleet().buckets[0]).clone();
    row.savings = None;
    row.estimate = Some(SavingsEstimate {
        age_days: 90,
        old_at_most: 0,
        old_if_kept: Some(0),
        history_days: 199,
        mean_object_bytes: 1 << 20,
        reads_per_month: None,
        low_usd: 0.0,
        high_usd: 0.0,
        to: None,
        fees_usd: 0.0,
    });
    assert_eq!(BucketField::Savings.cell(&row, &ctx()), "$0.00");
    row.estimate = None;
    assert_eq!(BucketField::Savings.cell(&row, &ctx()), "–");
}

#[test]
fn filters_choose_rows_by_size_price_and_words() {
    let fleet = fleet();
    let names = |filter: &str| -> Vec<String> {
        let filter = Filter::parse(BucketField::table(), filter).unwrap();
        let shown = table::select(
            &BucketField::rows(&fleet.buckets),
            Some(&filter),
            Sort::default(),
            &ctx(),
        );
        shown.into_iter().map(|i| fleet.buckets[i as usize].name.to_string()).collect()
    };
    assert_eq!(names("size>50TiB"), ["datasets"]);
    assert_eq!(names("$>30 and team=nlp"), ["ml-checkpoints"]);
    assert_eq!(names("lifecycle=none"), ["ml-checkpoints"]);
    assert_eq!(names("tiers~glacier"), ["datasets", "ml-checkpoints"]);
    // The word of the bar finds what shows it, and no other.
    for heat in Heat::ALL {
        let shows = |row: &&Arc<_>| BucketField::Tiers.cell(row, &ctx()).ends_with(heat.word());
        let shown = fleet.buckets.iter().filter(shows).map(|row| row.name.to_string());
        let found = names(&format!("tiers={}", heat.word()));
        assert_eq!(HashSet::from_iter(found), shown.collect::<HashSet<_>>(), "{}", heat.word());
    }
    let error = Filter::parse(BucketField::table(), "tiers=hott").unwrap_err();
    assert_eq!(error.message, "`tiers` has no `hott`; did you mean `hot`?");
    assert_eq!(names("tag:team=vision"), ["datasets"]);
    assert_eq!(names("kind=directory"), ["/fsx/scratch"]);
    // What is not known matches no comparison.
    assert_eq!(names("size<1kB"), [""; 0]);
}

#[test]
fn words_of_sizes_dollars_and_counts() {
    let gib = 1_073_741_824.0;
    for (bytes, want) in [
        (0.0, "0 B"),
        (999.0, "999 B"),
        (1_023.0, "1 KiB"),
        (1_536.0, "1.5 KiB"),
        (gib, "1 GiB"),
        (72.0 * 1024.0 * gib, "72 TiB"),
        (-1.5 * gib, "-1.5 GiB"),
        (f64::NAN, "–"),
    ] {
        assert_eq!(words::size(bytes), want);
    }
    for (usd, want) in
        [(0.0, "$0.00"), (0.001, "<$0.01"), (9.126, "$9.13"), (99.5, "$99.50"), (1234.5, "$1,234")]
    {
        assert_eq!(words::usd(usd), want);
    }
    for (n, want) in
        [(0.0, "0"), (9_999.0, "9,999"), (12_345.0, "12k"), (1_250_000.0, "1.2M"), (4e12, "4T")]
    {
        assert_eq!(words::count(n), want);
    }
}

#[test]
fn the_children_of_a_prefix_cost_what_it_costs() {
    let fleet = fleet();
    let rates = blended_rates(fleet.rates(&super::fixture::scope()).unwrap());
    let tree = &fleet.scans["ml-checkpoints"].tree;
    let rows = prefix_rows(tree, PrefixTree::ROOT, Some(&rates));
    let whole = monthly(&tree.sums(PrefixTree::ROOT), &rates).usd.unwrap();
    let parts: f64 = rows.iter().map(|r| r.usd_per_month.unwrap()).sum();
    assert!((whole - parts).abs() < 1e-9 * whole, "{whole} {parts}");
    let shares: f64 = rows.iter().map(|r| r.share.unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    // Without rates no dollars, and the shares are of bytes.
    let unpriced = prefix_rows(tree, PrefixTree::ROOT, None);
    assert!(unpriced.iter().all(|r| r.usd_per_month.is_none() && r.unpriced_bytes == r.bytes));
    assert!((unpriced.iter().map(|r| r.share.unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn the_explorer_goes_down_up_and_to_a_prefix() {
    let fleet = fleet();
    let mut explorer = Explorer::new(fleet.scans["ml-checkpoints"].clone(), None);
    let runs = explorer.here().rows[0].clone();
    assert_eq!(&*runs.name, "runs/");
    let first = explorer.version();
    assert!(explorer.enter(runs.node));
    assert!(explorer.version() > first);
    assert_eq!(explorer.way().collect::<Vec<_>>(), ["ml-checkpoints", "runs/"]);
    let leaf = explorer.here().rows[0].node;
    assert!(!explorer.enter(leaf), "nothing is below it");
    assert!(!explorer.enter(runs.node), "it is not here");
    assert_eq!(explorer.leave(), Some(runs.node));
    assert_eq!(explorer.leave(), None);
    assert!(explorer.go_to(b"runs/"));
    assert_eq!(explorer.depth(), 1);
    // What was pruned leads as near as the tree goes.
    assert!(!explorer.go_to(b"runs/llama-7b/checkpoint-1000/"));
    assert_eq!(explorer.depth(), 1);
    assert!(!explorer.go_to(b"nowhere/"));
    assert_eq!(explorer.depth(), 0);
    // Keys come back as they were, names are safe to show.
    explorer.go_to(b"runs/");
    let odd = explorer.here().rows.iter().find(|r| r.name.contains("sweep")).unwrap();
    assert!(!odd.name.contains('\u{1b}'));
    assert!(explorer.path(odd.node).contains(&0x1b));
}

#[test]
fn a_large_directory_is_rows_of_its_own() {
    let fleet = huge(2_000);
    let mut explorer = Explorer::new(fleet.scans["ml-checkpoints"].clone(), None);
    let flat = explorer.here().rows[0].node;
    assert!(explorer.enter(flat));
    assert_eq!(explorer.here().rows.len(), 2_000);
}

#[test]
fn a_bar_without_shares_is_unknown_not_empty() {
    assert_eq!(cell(&[0.0; 5], 8, Symbols::Unicode), "–");
    assert_eq!(bar(&[0.0; 5], 8, Symbols::Unicode), "");
    let shares = by_heat([(Tier::Standard, 0.5), (Tier::DeepArchive, 0.5)].into_iter());
    assert_eq!(cell(&shares, 4, Symbols::Ascii), "##.. hot");
    let s = sums(10, 100, Tier::GlacierIr, 3);
    assert_eq!(s.all_bytes(), 1_000);
}

proptest! {
    /// A bar is as long as it should be, hottest first, and a heat without dollars has no cell.
    #[test]
    fn bars_are_full(shares in proptest::array::uniform5(0.0f64..1.0), width in 0usize..60) {
        prop_assume!(shares.iter().sum::<f64>() > 1e-9);
        let text = bar(&shares, width, Symbols::Ascii);
        prop_assert_eq!(text.len(), width);
        let order = "#=-.?";
        let places: Vec<usize> = text.chars().map(|c| order.find(c).unwrap()).collect();
        prop_assert!(places.windows(2).all(|w| w[0] <= w[1]), "{}", text);
        for heat in Heat::ALL {
            let cells = places.iter().filter(|p| **p == heat as usize).count() as f64;
            let exact = shares[heat as usize] / shares.iter().sum::<f64>() * width as f64;
            prop_assert!((cells - exact).abs() <= 1.0 + 1e-9, "{} {}", cells, exact);
        }
    }
}
