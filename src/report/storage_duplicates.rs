//! `burntop storage duplicates`: a row per pair of prefixes.

use serde_json::{Map, Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{Notes, Report, json};
use crate::domain::storage::{Confidence, PrefixPair, Scan};
use crate::domain::text::clean;
use crate::domain::{Provenance, Reading};
use crate::view::{Align, Value, ViewContext, format};

/// Contents of `burntop storage duplicates`.
#[derive(Clone, Copy, Debug)]
pub struct DuplicatesReport<'a> {
    /// Scan of the list of objects.
    pub scan: &'a Scan,
    /// Pairs of prefixes, most bytes first.
    pub pairs: &'a [PrefixPair],
    /// Cost of each pair, USD per month, at the tier of the copy and the marginal price; `None` where not
    /// known.
    pub usd: &'a [Option<f64>],
    /// AWS region of the prices.
    pub region: &'a str,
    /// Source of the prices.
    pub provenance: &'a Provenance,
    /// Readings of the sources.
    pub readings: &'a [Reading],
}

/// Advice about a pair.
fn advice(pair: &PrefixPair) -> &'static str {
    match pair.confidence {
        Confidence::A | Confidence::B => "same content; see who reads it, then delete one",
        Confidence::C => "verify by checksum (CRC64NVME) before anything else",
        Confidence::D => "same size alone; verify by checksum",
    }
}

impl Report for DuplicatesReport<'_> {
    fn view(&self) -> &'static str {
        "storage-duplicates"
    }

    fn basis(&self) -> String {
        format!(
            "copies among current objects of {}, listed {}; no noncurrent versions, delete markers \
             or replicas; containment is a share of bytes; USD per month of 730 h for the bytes of \
             the copies in their tier at the price of the list's last GiB in {} ({}); A: same digest \
             and size, B: same digest of parts and size, C: same name and size where the ETag cannot \
             tell, D: same size",
            clean(&self.scan.bucket),
            self.scan.listed_at,
            clean(self.region),
            super::storage_tiers::whose(self.provenance),
        )
    }

    fn readings(&self) -> &[Reading] {
        self.readings
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![
            ("groups", rows(*self).map(|(p, usd)| group(p, usd)).collect()),
            ("bucket", json!(clean(&self.scan.bucket))),
            ("listed_at", json!(self.scan.listed_at.to_string())),
            ("partial", json!(self.scan.partial.as_deref().map(clean))),
            ("notes", self.scan.notes.iter().map(|n| json!(clean(n))).collect()),
        ]
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        sheet(*self, ctx)
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        Notes::Below(notes(*self, ctx))
    }
}

fn rows(report: DuplicatesReport<'_>) -> impl Iterator<Item = (&PrefixPair, Option<f64>)> {
    let usd = report.usd.iter().copied().chain(std::iter::repeat(None));
    report.pairs.iter().zip(usd)
}

/// True when the copies are scattered within one prefix.
fn is_scattered(pair: &PrefixPair) -> bool {
    pair.prefix_a == pair.prefix_b
}

fn group(pair: &PrefixPair, usd: Option<f64>) -> Json {
    let tiers: Map<String, Json> =
        pair.tiers.iter().map(|(t, b)| (t.word().to_owned(), json!(b))).collect();
    json!({
        "confidence": pair.confidence.word(),
        "prefix_a": clean(&pair.prefix_a),
        "prefix_b": clean(&pair.prefix_b),
        "scattered": is_scattered(pair),
        "containment_a_in_b": json::number(Some(pair.containment_a_in_b)),
        "containment_b_in_a": json::number(Some(pair.containment_b_in_a)),
        "objects": pair.objects,
        "bytes": pair.bytes,
        "tiers": tiers,
        "usd_per_month": json::number(usd),
        "newest_a": moment(pair.newest_ms.0),
        "newest_b": moment(pair.newest_ms.1),
    })
}

/// A moment in ms since 1970; null when it is not known.
fn moment(ms: i64) -> Option<String> {
    let time = (ms != i64::MIN).then(|| jiff::Timestamp::from_millisecond(ms).ok()).flatten();
    time.map(|t| t.to_string())
}

fn sheet(report: DuplicatesReport<'_>, ctx: &ViewContext) -> Sheet {
    let columns = [
        ("confidence", "CONF", Align::Left),
        ("prefix_a", "ORIGINAL", Align::Left),
        ("prefix_b", "COPY", Align::Left),
        ("containment_a_in_b", "IN COPY", Align::Right),
        ("containment_b_in_a", "IN ORIG", Align::Right),
        ("objects", "OBJECTS", Align::Right),
        ("bytes", "SIZE", Align::Right),
        ("usd_per_month", "$/MONTH", Align::Right),
    ];
    let columns = columns.map(|(name, header, align)| Column { name, header, align });
    let share = |s: f64| Cell { shown: format::share(s, 0), value: Value::Number(s) };
    let cells = |(p, usd): (&PrefixPair, Option<f64>)| {
        let place = |prefix: &str| {
            if prefix.is_empty() { "/".to_owned() } else { clean(prefix).into_owned() }
        };
        let shown = if is_scattered(p) { "(within it)".to_owned() } else { place(&p.prefix_b) };
        vec![
            Cell::text(p.confidence.word()),
            Cell::text(place(&p.prefix_a)),
            Cell { shown, value: Value::Text(place(&p.prefix_b).into()) },
            share(p.containment_a_in_b),
            share(p.containment_b_in_a),
            Cell {
                shown: format::grouped(p.objects as f64, 0),
                value: Value::Number(p.objects as f64),
            },
            Cell { shown: format::gib(p.bytes as f64), value: Value::Number(p.bytes as f64) },
            Cell {
                shown: ctx.symbols.or_unknown(usd, format::usd_total),
                value: usd.map_or(Value::Unknown, Value::Number),
            },
        ]
    };
    Sheet { columns: columns.into(), rows: rows(report).map(cells).collect() }
}

fn notes(report: DuplicatesReport<'_>, ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let mut out = Vec::new();
    for level in [Confidence::A, Confidence::B, Confidence::C, Confidence::D] {
        let of: Vec<_> = rows(report).filter(|(p, _)| p.confidence == level).collect();
        let Some((first, _)) = of.first() else { continue };
        let objects: u64 = of.iter().map(|(p, _)| p.objects).sum();
        let bytes: u64 = of.iter().map(|(p, _)| p.bytes).sum();
        let usd: Option<f64> = of.iter().map(|(_, usd)| *usd).sum();
        out.push(format!(
            "{}: {} {dot} {} objects {dot} {} {dot} {}/month {dot} {}",
            level.word(),
            format::plural(of.len(), "pair"),
            format::grouped(objects as f64, 0),
            format::gib(bytes as f64),
            ctx.symbols.or_unknown(usd, format::usd_total),
            advice(first),
        ));
    }
    if out.is_empty() {
        out.push("no copies found".to_owned());
    }
    out.extend(report.scan.partial.iter().map(|p| format!("! partial: {}", clean(p))));
    out.extend(report.scan.notes.iter().map(|n| clean(n).into_owned()));
    out.push(report.basis());
    out.extend(super::troubles_of(report.readings));
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analyze::storage::duplicates::{Duplicates, Limits};
    use crate::analyze::storage::{Fold, ListInfo};
    use crate::domain::storage::{Etag, ObjectBatch, ObjectColumns, ObjectFlags, ScanOrigin, Tier};
    use crate::report::{Format, write};
    use crate::view::fixture;

    /// A data set with a copy in Standard-IA, one that must be verified, and a foreign character.
    fn found() -> Vec<PrefixPair> {
        let columns = ObjectColumns { etags: true, encryption: true, ..ObjectColumns::default() };
        let info = ListInfo { bucket: Arc::from("b"), listed_ms: 0, columns };
        let mut fold = Duplicates::new(&info, Limits::default());
        let mut batch = ObjectBatch::default();
        for i in 0..4u32 {
            for (prefix, tier, opaque, day) in [
                ("data/set/", Tier::Standard, false, 1),
                ("copies/\u{202e}set/", Tier::StandardIa, false, 30),
                ("kms/set/", Tier::Standard, true, 40),
            ] {
                if opaque && i > 1 {
                    continue;
                }
                batch.keys.push(format!("{prefix}part-{i}.tar").as_bytes());
                batch.sizes.push((100 << 30) + u64::from(i));
                batch.modified_ms.push((20_000 + day) * 86_400_000);
                batch.tiers.push(tier);
                batch.flags.push(ObjectFlags(if opaque { ObjectFlags::OPAQUE_ETAG } else { 0 }));
                batch.etags.push(Etag { md5: u128::from(i + 1), parts: 100 });
            }
        }
        fold.take(&batch);
        fold.finish(Confidence::C).pairs
    }

    fn scan() -> Scan {
        let tree = postcard::from_bytes(&[0, 0, 0]).unwrap();
        Scan {
            bucket: Arc::from("acme-ml"),
            origin: ScanOrigin::Demo,
            listed_at: fixture::ctx().now,
            scanned_at: fixture::ctx().now,
            rows: 10,
            partial: Some("piece 3 is missing".to_owned()),
            notes: vec!["one piece has no digest".to_owned()],
            tree: Arc::new(tree),
            runs: None,
            duplicates: None,
        }
    }

    #[test]
    fn every_format_says_the_same() {
        let (pairs, scan, ctx) = (found(), scan(), fixture::ctx());
        assert_eq!(pairs.len(), 2);
        let rate = |t: Tier| (t == Tier::StandardIa).then_some(0.0125);
        let usd: Vec<Option<f64>> = pairs
            .iter()
            .map(|p| crate::analyze::storage::duplicates::usd_per_month(p, &rate))
            .collect();
        let report = DuplicatesReport {
            scan: &scan,
            pairs: &pairs,
            usd: &usd,
            region: "us-east-1",
            provenance: &Provenance::Embedded { date: jiff::civil::date(2026, 10, 6) },
            readings: &[],
        };
        let all: Vec<String> = Format::ALL.iter().map(|f| write(&report, *f, &ctx)).collect();
        assert!(all.iter().all(|t| !t.contains('\u{202e}')));
        insta::assert_snapshot!(all.join("\n=====\n"));
        let none = DuplicatesReport { pairs: &[], usd: &[], ..report };
        assert!(write(&none, Format::Table, &ctx).contains("no copies found"));
    }
}
