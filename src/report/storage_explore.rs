//! `burntop storage explore`: prefixes with size, tiers, age and dollars per month.

use serde_json::{Map, Value as Json, json};

use super::{Format, csv, json, markdown, sheet, text};
use crate::analyze::storage::price::{Rates, monthly};
use crate::domain::Provenance;
use crate::domain::storage::{NodeId, NodeKind, PrefixTree, Scan, Tier, size_words};
use crate::domain::text::clean;
use crate::view::storage::{PrefixField, PrefixRow, prefix_rows};
use crate::view::{TableField, ViewContext, format};

/// What is explored.
#[derive(Clone, Copy, Debug)]
pub struct Exploration<'a> {
    /// The scan.
    pub scan: &'a Scan,
    /// Its prices; `None` for what has none (a directory, a region that is not known).
    pub rates: Option<&'a Rates>,
    /// Where to begin.
    pub from: NodeId,
    /// Levels below it.
    pub depth: u16,
    /// Rows at most, the dearest; then the largest.
    pub top: usize,
}

use PrefixField as F;

const COLUMNS: [F; 11] = [
    F::Name,
    F::Kind,
    F::UsdPerMonth,
    F::Bytes,
    F::Objects,
    F::Mean,
    F::Tiers,
    F::Age,
    F::Newest,
    F::Oldest,
    F::Noncurrent,
];

/// What is shown of them to people.
const SHOWN: [F; 8] =
    [F::UsdPerMonth, F::Share, F::Bytes, F::Objects, F::Tiers, F::Age, F::Noncurrent, F::Name];

/// The report.
pub fn explore(what: Exploration<'_>, format: Format, ctx: &ViewContext) -> String {
    let rows = rows(&what);
    let refs: Vec<&PrefixRow> = rows.iter().collect();
    let fields: &[F] = if matches!(format, Format::Table | Format::Md) { &SHOWN } else { &COLUMNS };
    let sheet = sheet::of(&refs, fields, ctx);
    match format {
        Format::Csv => csv::table(&sheet),
        Format::Json => document(&what, &refs, ctx),
        Format::Table => format!("{}\n{}", text::table(&sheet), footer(&what, "", ctx)),
        Format::Md => format!("{}\n{}", markdown::table(&sheet), footer(&what, "- ", ctx)),
    }
}

/// The nodes of some levels, each with its whole path below the start.
fn rows(what: &Exploration<'_>) -> Vec<PrefixRow> {
    let tree = &*what.scan.tree;
    let start = tree.path(what.from).len();
    let mut rows = Vec::new();
    let mut level = vec![what.from];
    for _ in 0..what.depth.max(1) {
        let mut below = Vec::new();
        for node in level {
            for row in prefix_rows(tree, node, what.rates) {
                let mut row = (*row).clone();
                if node != what.from {
                    row.name = path(tree, &row, start).into();
                }
                if row.kind == NodeKind::Prefix {
                    below.push(row.node);
                }
                rows.push(row);
            }
        }
        level = below;
    }
    let usd = |r: &PrefixRow| r.usd_per_month.unwrap_or(0.0);
    rows.sort_by(|a, b| {
        usd(b).total_cmp(&usd(a)).then(b.bytes.cmp(&a.bytes)).then(a.node.cmp(&b.node))
    });
    rows.truncate(what.top);
    rows
}

/// A path below the start, as it is shown.
fn path(tree: &PrefixTree, row: &PrefixRow, start: usize) -> String {
    let path = tree.path(row.node);
    let below = String::from_utf8_lossy(path.get(start..).unwrap_or_default());
    let last = if row.kind == NodeKind::Rest { &*row.name } else { "" };
    clean(&format!("{below}{last}")).into_owned()
}

/// What the figures mean and what they leave out.
fn footer(what: &Exploration<'_>, bullet: &str, ctx: &ViewContext) -> String {
    let sums = what.scan.tree.sums(what.from);
    let whole = what.rates.map(|rates| monthly(&sums, rates));
    let usd = whole.as_ref().and_then(|m| m.usd).map_or_else(|| "–".to_owned(), format::usd);
    let age = ctx.now.duration_since(what.scan.listed_at).as_secs().max(0);
    let mut lines = vec![format!(
        "{}: {} in {} objects, {usd} per month; {} delete markers; list of {} ago",
        clean(&what.scan.bucket),
        size_words(sums.all_bytes() as f64),
        format::count(sums.all_objects() as f64),
        format::count(sums.delete_markers as f64),
        format::span(age),
    )];
    if let Some(unpriced) = whole.filter(|m| m.unpriced_bytes > 0) {
        let bytes = size_words(unpriced.unpriced_bytes as f64);
        lines.push(format!("{bytes} have no known price and are left out of the dollars"));
    }
    if sums.malformed > 0 {
        let rows = format::count(sums.malformed as f64);
        lines.push(format!("{rows} rows with a size or date that cannot be"));
    }
    lines.push(basis(what));
    lines.extend(what.scan.notes.iter().map(|n| clean(n).into_owned()));
    if let Some(why) = &what.scan.partial {
        lines.push(format!("PARTIAL: {}", clean(why)));
    }
    lines.iter().map(|line| markdown::note(bullet, line)).collect()
}

fn basis(what: &Exploration<'_>) -> String {
    match what.rates {
        None => "no dollars: this list has no S3 prices; a month is 730 h".to_owned(),
        Some(rates) => format!(
            "USD at S3 list price of {} at this list's own volume tiers ({}), with padding, archive \
             overheads and monitoring; a month is 730 h, GB is GiB",
            clean(&rates.region),
            provenance(&rates.provenance),
        ),
    }
}

fn provenance(from: &Provenance) -> String {
    match from {
        Provenance::Live { at } => format!("live, {at}"),
        Provenance::Embedded { date } => format!("list of {date}"),
        Provenance::Demo => "of the demo".to_owned(),
    }
}

fn document(what: &Exploration<'_>, rows: &[&PrefixRow], ctx: &ViewContext) -> String {
    let tree = &*what.scan.tree;
    let row = |row: &&PrefixRow| -> Json {
        let mut out = Map::new();
        let path = tree.path(row.node);
        out.insert("prefix".into(), json!(clean(&String::from_utf8_lossy(&path))));
        for field in COLUMNS.into_iter().filter(|f| !matches!(f, F::Name | F::Tiers)) {
            out.insert(field.spec().name.into(), json::value(&field.exported(row, ctx)));
        }
        let sums = tree.sums(row.node);
        let month = what.rates.map(|rates| monthly(&sums, rates));
        let tiers = Tier::ALL.into_iter().filter_map(|tier| {
            let t = tier.index();
            let usd = month.as_ref().and_then(|m| m.by_tier[t]);
            (sums.objects[t] > 0).then(|| {
                let cell = json!({
                    "objects": sums.objects[t],
                    "bytes": sums.bytes[t],
                    "usd_per_month": json::number(usd),
                });
                (tier.word().to_owned(), cell)
            })
        });
        out.insert("tiers".into(), Json::Object(tiers.collect()));
        out.insert("noncurrent_objects".into(), json!(sums.noncurrent_objects));
        out.insert("delete_markers".into(), json!(sums.delete_markers));
        out.insert("unpriced_bytes".into(), json!(row.unpriced_bytes));
        Json::Object(out)
    };
    let scan = what.scan;
    let more = [
        ("bucket", json!(clean(&scan.bucket))),
        ("listed_at", json!(scan.listed_at.to_string())),
        ("rows_read", json!(scan.rows)),
        ("partial", json!(scan.partial.as_deref().map(clean))),
        ("notes", scan.notes.iter().map(|n| json!(clean(n))).collect()),
    ];
    let more = more.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
    let rows = rows.iter().map(row).collect();
    json::envelope("storage-explore", rows, more, &basis(what), &[], ctx)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::analyze::storage::price::{Volumes, fixture};
    use crate::domain::storage::tree::TreeBuilder;
    use crate::domain::storage::{ObjectFlags, ScanOrigin, Sums};
    use crate::view::Symbols;

    const LISTED: i64 = 1_795_136_400_000;

    fn sums(objects: u64, size: u64, tier: Tier) -> Sums {
        let mut sums = Sums::default();
        for _ in 0..objects {
            sums.count(size, LISTED - 40 * 86_400_000, tier, ObjectFlags(0), LISTED);
        }
        sums
    }

    /// 2 TiB of checkpoints in Standard, 1 TiB of data in Standard-IA with a small file.
    fn scan() -> Scan {
        let hot = sums(2, 1 << 40, Tier::Standard);
        let mut cool = sums(1, 1 << 40, Tier::StandardIa);
        let small = sums(1, 28 << 10, Tier::StandardIa);
        let large = cool.clone();
        cool.add(&small);
        let mut all = hot.clone();
        all.add(&cool);
        let mut tree = TreeBuilder::new(&all);
        let root = PrefixTree::ROOT;
        tree.child(root, b"ckpt\x1b/", NodeKind::Prefix, &hot).unwrap();
        let data = tree.child(root, b"data/", NodeKind::Prefix, &cool).unwrap();
        tree.child(data, b"big.tar", NodeKind::Object, &large).unwrap();
        tree.child(data, b"", NodeKind::Rest, &small).unwrap();
        let at = Timestamp::from_millisecond(LISTED).unwrap();
        Scan {
            bucket: "b".into(),
            origin: ScanOrigin::Inventory("/m/manifest.json".into()),
            listed_at: at,
            scanned_at: at,
            rows: 4,
            partial: Some("piece x is missing".into()),
            notes: vec![],
            tree: Arc::new(tree.finish()),
            runs: None,
            duplicates: None,
        }
    }

    fn printed(depth: u16, top: usize, format: Format) -> String {
        let scan = scan();
        let volumes = Volumes::of(&scan.tree.sums(PrefixTree::ROOT));
        let rates = Rates::blended(&fixture::virginia(), &volumes);
        let now = Timestamp::from_millisecond(LISTED + 86_400_000).unwrap();
        let ctx = ViewContext { now, symbols: Symbols::Unicode };
        let from = PrefixTree::ROOT;
        let what = Exploration { scan: &scan, rates: Some(&rates), from, depth, top };
        explore(what, format, &ctx)
    }

    #[test]
    fn dollars_are_those_of_the_price_list() {
        let json: Json = serde_json::from_str(&printed(2, 50, Format::Json)).unwrap();
        assert_eq!(json["schema"], "burntop/storage-explore/1");
        assert_eq!(json["partial"], "piece x is missing");
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 4);
        // 2,048 GiB at 0.023; control characters are gone.
        assert_eq!(rows[0]["prefix"], "ckpt\u{FFFD}/");
        assert!((rows[0]["usd_per_month"].as_f64().unwrap() - 47.104).abs() < 1e-6);
        // 1,024 GiB at 0.0125, and 128 KiB for the small one.
        let small = 128.0 / (1024.0 * 1024.0) * 0.0125;
        let data = rows[1]["usd_per_month"].as_f64().unwrap();
        assert!((data - 12.8 - small).abs() < 1e-6, "{data}");
        assert_eq!(rows[1]["tiers"]["standard_ia"]["objects"], 2);
        assert_eq!(rows[3]["kind"], "rest");
        assert_eq!(rows[3]["bytes"], 28 << 10);
        assert_eq!(rows[0]["newest"], "2026-10-11T01:00:00Z");
    }

    #[test]
    fn every_form_says_what_is_partial_and_shows_no_control() {
        for format in Format::ALL {
            let text = printed(1, 1, format);
            assert!(!text.contains('\x1b'), "{text}");
            assert!(!text.contains("data/"), "only the dearest: {text}");
            if format != Format::Csv {
                assert!(text.contains("piece x is missing"), "{text}");
            }
        }
    }
}
