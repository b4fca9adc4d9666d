//! `burntop storage buckets`: one row per bucket, by dollars per month.

use serde_json::{Map, Value as Json, json};

use super::sheet::{self, Sheet};
use super::{Format, Meta, csv, json, markdown, text};
use crate::domain::storage::StorageFinding;
use crate::domain::text::clean;
use crate::domain::{Provenance, SourceError};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::view::storage::{BucketField, words};
use crate::view::{TableField, ViewContext, format};

/// Storage to report.
#[derive(Clone, Copy, Debug)]
pub struct StorageReport<'a> {
    /// All of it.
    pub fleet: &'a StorageFleet,
    /// Who said the prices.
    pub prices: &'a [Provenance],
    /// Rows to report: indices, in their order.
    pub rows: &'a [u32],
}

/// The columns a format has when none are chosen: the screen's for people, all for machines.
pub fn default_bucket_columns(format: Format) -> &'static [BucketField] {
    match format {
        Format::Table | Format::Md => BucketField::SCREEN_COLUMNS,
        Format::Json | Format::Csv => &BucketField::ALL,
    }
}

/// Writes the buckets. JSON has its own fixed fields, whatever the columns.
pub fn buckets(
    report: StorageReport<'_>,
    columns: &[BucketField],
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let rows: Vec<&BucketRow> = report
        .rows
        .iter()
        .filter_map(|i| report.fleet.buckets.get(*i as usize).map(|r| &**r))
        .collect();
    let basis = basis(report.prices, meta);
    match format {
        Format::Json => {
            let rows: Vec<Json> = rows.iter().map(|r| row(r, ctx)).collect();
            let readings = &report.fleet.readings;
            json::envelope("storage-buckets", rows, Map::new(), &basis, readings, ctx)
        }
        Format::Csv => csv::table(&sheet::of(&rows, columns, ctx)),
        Format::Md | Format::Table => {
            let notes = notes(report.fleet, &rows, &basis, ctx);
            people(&sheet::of(&rows, columns, ctx), format, &notes)
        }
    }
}

/// A table for people with its notes.
pub(super) fn people(sheet: &Sheet, format: Format, notes: &[String]) -> String {
    let is_md = format == Format::Md;
    let mut out = if is_md { markdown::table(sheet) } else { text::table(sheet) };
    for note in notes {
        if is_md {
            out.push('\n');
            out.push_str(&markdown::escape(note));
        } else {
            out.push_str(note);
        }
        out.push('\n');
    }
    out
}

/// What the figures mean, one sentence.
pub(super) fn basis(prices: &[Provenance], meta: &Meta<'_>) -> String {
    let mut lists: Vec<String> = prices
        .iter()
        .map(|who| match who {
            Provenance::Live { .. } => "live price list".to_owned(),
            Provenance::Embedded { date } => format!("built-in list of {date}"),
            Provenance::Demo => "invented prices of the demo".to_owned(),
        })
        .collect();
    lists.sort();
    lists.dedup();
    let lists = if lists.is_empty() { "no prices known".to_owned() } else { lists.join(", ") };
    let filter = meta.filter.filter(|f| !f.is_empty()).map(clean);
    format!(
        "USD per month of 730 h for storing at list price ({lists}), a GB is a GiB, volume steps \
         per account and region; requests, retrieval and transfer are not in it{}",
        filter.map(|f| format!("; filter {f}")).unwrap_or_default(),
    )
}

/// The lines below the table.
fn notes(fleet: &StorageFleet, rows: &[&BucketRow], basis: &str, ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let sum = |of: fn(&BucketRow) -> Option<f64>| {
        let known: Vec<f64> = rows.iter().filter_map(|r| of(r)).collect();
        (rows.is_empty() || !known.is_empty()).then(|| known.iter().sum::<f64>())
    };
    let count = |of: fn(&BucketRow) -> bool| rows.iter().filter(|r| of(r)).count();
    let mut left_out = Vec::new();
    for (n, what) in [
        (count(|r| r.bytes.is_none()), "of unknown size"),
        (count(|r| r.bytes.is_some() && r.usd_per_month.is_none()), "without a price"),
        (count(|r| r.usd_per_month.is_some() && r.unpriced_bytes > 0), "priced in part"),
    ] {
        if n > 0 {
            left_out.push(format!("{} {what}", format::count(n as f64)));
        }
    }
    let left_out = match left_out.as_slice() {
        [] => String::new(),
        parts => format!(" {dot} left out: {}", parts.join(", ")),
    };
    let known = |sum: Option<f64>, words: fn(f64) -> String| ctx.symbols.or_unknown(sum, words);
    let mut out = vec![format!(
        "{} of {} buckets {dot} {} {dot} {} per month {dot} findings save at least {} per \
         month{left_out}",
        format::count(rows.len() as f64),
        format::count(fleet.buckets.len() as f64),
        known(sum(|r| r.bytes.map(|b| b as f64)), words::size),
        known(sum(|r| r.usd_per_month), words::usd),
        known(Some(sum(|r| r.savings).unwrap_or(0.0)), words::usd),
    )];
    let unread = rows.iter().filter(|r| !unread(r).is_empty()).count();
    if unread > 0 {
        out.push(format!(
            "! {} could not be read in full; `--format json` says what and why",
            format::plural(unread, "bucket"),
        ));
    }
    out.push(format!("basis: {basis}"));
    out.extend(super::troubles_of(&fleet.readings));
    out
}

fn row(row: &BucketRow, ctx: &ViewContext) -> Json {
    let mut out: Map<String, Json> = BucketField::ALL
        .into_iter()
        .map(|f| (f.spec().name.to_owned(), json::value(&f.exported(row, ctx))))
        .collect();
    let tiers: Map<String, Json> = row
        .tiers
        .iter()
        .map(|t| {
            let share = json!({ "bytes": t.bytes, "usd_per_month": json::number(t.usd_per_month) });
            (t.tier.word().to_owned(), share)
        })
        .collect();
    // Without a size nothing is known of the tiers, which is not the same as none.
    let tiers = if row.bytes.is_some() { Json::Object(tiers) } else { Json::Null };
    out.insert("tiers".to_owned(), tiers);
    out.insert("findings".to_owned(), row.findings.iter().map(|f| finding(f)).collect());
    out.insert("unread".to_owned(), Json::Array(unread(row)));
    Json::Object(out)
}

/// A finding as JSON states it.
pub(super) fn finding(f: &StorageFinding) -> Json {
    json!({
        "kind": f.kind.word(),
        "bytes": f.bytes,
        "usd_per_month": json::number(f.usd_per_month),
        "effort": words::effort(f.effort),
        "risk": words::risk(f.risk),
        "message": f.says,
        "fix": f.fix,
    })
}

/// What could not be read of a bucket, and why.
fn unread(row: &BucketRow) -> Vec<Json> {
    let Some(facts) = &row.facts else { return Vec::new() };
    let failed: [(&str, Option<&SourceError>); 8] = [
        ("tags", facts.tags.as_ref().err().map(|e| &**e)),
        ("versioning", facts.versioning.as_ref().err().map(|e| &**e)),
        ("lifecycle", facts.lifecycle.as_ref().err().map(|e| &**e)),
        ("lock", facts.lock.as_ref().err().map(|e| &**e)),
        ("replicates", facts.replicates.as_ref().err().map(|e| &**e)),
        ("inventories", facts.inventories.as_ref().err().map(|e| &**e)),
        ("bytes", facts.sizes.as_ref().err().map(|e| &**e)),
        ("objects", facts.objects.as_ref().err().map(|e| &**e)),
    ];
    failed
        .into_iter()
        .filter_map(|(fact, error)| {
            let error = error?;
            let state = json::snake(error.kind.word());
            let message = error.to_string();
            Some(json!({ "fact": fact, "state": state, "message": message, "fix": error.fix }))
        })
        .collect()
}
