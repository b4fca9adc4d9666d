//! `burntop storage explore`: prefixes with size, tiers, age and dollars per month.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{List, ListField, json};
use crate::analyze::storage::price::{Rates, monthly};
use crate::domain::storage::{NodeId, NodeKind, PrefixTree, Scan, Tier};
use crate::domain::text::clean;
use crate::domain::{Provenance, Reading, SourceId};
use crate::tabs::storage::picture::{PrefixField, PrefixRow, prefix_rows};
use crate::view::{ViewContext, format};

/// Where the rows of the prefix list come from.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Scan of the list of objects.
    pub scan: Arc<Scan>,
    /// Prices of the region; `None` without any (a directory, an unknown region).
    pub rates: Option<Arc<Rates>>,
    /// Whose bytes decide the volume steps of the prices.
    pub volume: Volume,
    /// Node whose descendants are listed.
    pub from: NodeId,
}

/// Bytes that decide the volume steps of S3's prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// All buckets of the account in the region, as AWS bills.
    Account,
    /// This list alone, where the other buckets are not known.
    List,
}

impl Volume {
    fn words(self) -> &'static str {
        match self {
            Self::Account => "its account's volume tiers there",
            Self::List => "this list's own volume tiers",
        }
    }
}

/// Nodes up to `depth` levels below a place, the `top` most expensive, then the largest ones, each with its
/// full path below it.
pub fn explore(of: Explored, depth: u16, top: usize) -> List<PrefixField> {
    let tree = &*of.scan.tree;
    let start = tree.path(of.from).len();
    let mut rows = Vec::new();
    let mut level = vec![of.from];
    for _ in 0..depth.max(1) {
        let mut below = Vec::new();
        for node in level {
            for mut row in prefix_rows(tree, node, of.rates.as_deref()) {
                if node != of.from {
                    let name = path(tree, &row, start).into();
                    row = Arc::new(PrefixRow { name, ..(*row).clone() });
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
    rows.truncate(top);
    List::of(rows, None, of)
}

/// A path below the start, as it is shown.
fn path(tree: &PrefixTree, row: &PrefixRow, start: usize) -> String {
    let path = tree.path(row.node);
    let below = String::from_utf8_lossy(path.get(start..).unwrap_or_default());
    let last = if row.kind == NodeKind::Rest { &*row.name } else { "" };
    clean(&format!("{below}{last}")).into_owned()
}

impl ListField for PrefixField {
    type Of = Explored;

    const VIEW: &'static str = "storage-explore";

    const COLUMNS: &'static [Self] = &[
        Self::UsdPerMonth,
        Self::Share,
        Self::Bytes,
        Self::Objects,
        Self::Tiers,
        Self::Age,
        Self::Noncurrent,
        Self::Name,
    ];

    const IDENTITY: &'static [Self] = &[Self::Name];

    fn basis(of: &Explored) -> String {
        match &of.rates {
            None => "no dollars: this list has no S3 prices; a month is 730 h".to_owned(),
            Some(rates) => format!(
                "USD at S3 list price of {} at {} ({}), with padding, archive overheads and \
                 monitoring; a month is 730 h, GB is GiB",
                clean(&rates.region),
                of.volume.words(),
                provenance(&rates.provenance),
            ),
        }
    }

    const SOURCES: &'static [SourceId] = &[];

    /// None: the list itself states what it lacks.
    fn readings(_: &Explored) -> &[Reading] {
        &[]
    }

    fn first(row: &PrefixRow, of: &Explored, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let path = of.scan.tree.path(row.node);
        vec![("prefix", json!(clean(&String::from_utf8_lossy(&path))))]
    }

    fn more(row: &PrefixRow, of: &Explored) -> Vec<(&'static str, Json)> {
        let sums = of.scan.tree.sums(row.node);
        let month = of.rates.as_ref().map(|rates| monthly(&sums, rates));
        let tiers = Tier::ALL.into_iter().filter(|tier| sums.objects[tier.index()] > 0);
        let tier = |tier: Tier| {
            let t = tier.index();
            let usd = month.as_ref().and_then(|m| m.by_tier[t]);
            let cell = json!({
                "objects": sums.objects[t],
                "bytes": sums.bytes[t],
                "usd_per_month": json::number(usd),
            });
            (tier.word().to_owned(), cell)
        };
        vec![
            ("tiers", Json::Object(tiers.map(tier).collect::<Map<_, _>>())),
            ("noncurrent_objects", json!(sums.noncurrent_objects)),
            ("delete_markers", json!(sums.delete_markers)),
        ]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let scan = &*list.of.scan;
        vec![
            ("bucket", json!(clean(&scan.bucket))),
            ("listed_at", json!(scan.listed_at.to_string())),
            ("rows_read", json!(scan.rows)),
            ("partial", json!(scan.partial.as_deref().map(clean))),
            ("notes", scan.notes.iter().map(|n| json!(clean(n))).collect()),
        ]
    }

    /// Notes on what the figures leave out.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let Explored { scan, rates, from, .. } = &list.of;
        let sums = scan.tree.sums(*from);
        let whole = rates.as_ref().map(|rates| monthly(&sums, rates));
        let usd = whole.as_ref().and_then(|m| m.usd).map_or_else(|| "–".to_owned(), format::usd);
        let age = ctx.now.duration_since(scan.listed_at).as_secs().max(0);
        let mut lines = vec![format!(
            "{}: {} in {} {}, {usd} per month; {} {}; list of {} ago",
            clean(&scan.bucket),
            format::bytes_binary(sums.all_bytes() as f64),
            format::count(sums.all_objects() as f64),
            format::noun(sums.all_objects() as usize, "object"),
            format::count(sums.delete_markers as f64),
            format::noun(sums.delete_markers as usize, "delete marker"),
            format::span(age),
        )];
        if let Some(unpriced) = whole.filter(|m| m.unpriced_bytes > 0) {
            let bytes = format::bytes_binary(unpriced.unpriced_bytes as f64);
            lines.push(format!("{bytes} have no known price and are left out of the dollars"));
        }
        if sums.malformed > 0 {
            let rows = format::count(sums.malformed as f64);
            let noun = format::noun(sums.malformed as usize, "row");
            lines.push(format!("{rows} {noun} with a size or date that cannot be"));
        }
        lines.extend(scan.notes.iter().map(|n| clean(n).into_owned()));
        if let Some(why) = &scan.partial {
            lines.push(format!("PARTIAL: {}", clean(why)));
        }
        lines
    }
}

fn provenance(from: &Provenance) -> String {
    match from {
        Provenance::Live { at } => format!("live, {at}"),
        Provenance::Embedded { date } => format!("list of {date}"),
        Provenance::Demo => "of the demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::analyze::storage::price::{Volumes, fixture};
    use crate::domain::storage::tree::TreeBuilder;
    use crate::domain::storage::{ObjectFlags, ScanOrigin, Sums};
    use crate::report::{Format, write};
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
        let ctx = ViewContext { now, symbols: Symbols::Unicode, width: None };
        let from = PrefixTree::ROOT;
        let (scan, rates) = (Arc::new(scan), Some(Arc::new(rates)));
        let of = Explored { scan, rates, volume: Volume::List, from };
        write(&explore(of, depth, top), format, &ctx)
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
            if format.has_notes() {
                assert!(text.contains("piece x is missing"), "{text}");
            }
        }
    }
}
