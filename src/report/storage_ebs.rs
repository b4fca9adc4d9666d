//! `burntop storage ebs`: volumes and snapshots, by dollars per month.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::storage_buckets::{StorageReport, basis, finding, people};
use super::{Format, Meta, csv, json, sheet};
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::StorageFleet;
use crate::view::storage::{BlockField, BlockRow, words};
use crate::view::{TableField, ViewContext, format};

/// The columns a format has when none are chosen: the screen's for people, all for machines.
pub fn default_block_columns(format: Format) -> &'static [BlockField] {
    match format {
        Format::Table | Format::Md => BlockField::SCREEN_COLUMNS,
        Format::Json | Format::Csv => &BlockField::ALL,
    }
}

/// Writes volumes and snapshots: the rows of the report are those of `all`. JSON has its own fixed
/// fields.
pub fn block_storage(
    report: StorageReport<'_>,
    all: &[Arc<BlockRow>],
    columns: &[BlockField],
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let fleet = report.fleet;
    let rows: Vec<&BlockRow> =
        report.rows.iter().filter_map(|i| all.get(*i as usize).map(|r| &**r)).collect();
    let basis = format!(
        "{}; a snapshot costs at most what is shown: what it shares with its neighbours is \
         billed once",
        basis(report.prices, meta)
    );
    match format {
        Format::Json => {
            let rows: Vec<Json> = rows.iter().map(|r| row(r, ctx)).collect();
            json::envelope("storage-ebs", rows, Map::new(), &basis, &fleet.readings, ctx)
        }
        Format::Csv => csv::table(&sheet::of(&rows, columns, ctx)),
        Format::Md | Format::Table => {
            let notes = notes(fleet, &rows, &basis, ctx);
            people(&sheet::of(&rows, columns, ctx), format, &notes)
        }
    }
}

/// The lines below the table.
fn notes(fleet: &StorageFleet, rows: &[&BlockRow], basis: &str, ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let usd = |r: &&BlockRow| BlockField::usd_per_hour(r).map(|usd| usd * HOURS_PER_MONTH);
    let is_volume = |r: &&&BlockRow| matches!(r, BlockRow::Volume(_));
    let volumes: Vec<&BlockRow> = rows.iter().filter(is_volume).copied().collect();
    let snapshots: Vec<&BlockRow> = rows.iter().filter(|r| !is_volume(r)).copied().collect();
    let sum = |rows: &[&BlockRow]| {
        let known: Vec<f64> = rows.iter().filter_map(usd).collect();
        let any = rows.is_empty() || !known.is_empty();
        ctx.symbols.or_unknown(any.then(|| known.iter().sum::<f64>()), words::usd)
    };
    let unpriced = rows.iter().filter(|r| usd(r).is_none()).count();
    let left_out = match unpriced {
        0 => String::new(),
        n => format!(" {dot} left out: {} without a price", format::count(n as f64)),
    };
    let saves: f64 = rows
        .iter()
        .filter_map(|r| match r {
            BlockRow::Volume(v) => v.savings,
            BlockRow::Snapshot(s) => s.savings,
        })
        .sum();
    let mut out = vec![format!(
        "{} volumes {} per month {dot} {} snapshots at most {} per month {dot} findings save {} \
         per month{left_out}",
        format::count(volumes.len() as f64),
        sum(&volumes),
        format::count(snapshots.len() as f64),
        sum(&snapshots),
        words::usd(saves),
    )];
    out.push(format!("basis: {basis}"));
    out.extend(super::troubles_of(&fleet.readings));
    out
}

fn row(row: &BlockRow, ctx: &ViewContext) -> Json {
    let mut out: Map<String, Json> = BlockField::ALL
        .into_iter()
        .map(|f| (f.spec().name.to_owned(), json::value(&f.exported(row, ctx))))
        .collect();
    out.insert("findings".to_owned(), row.findings().iter().map(|f| finding(f)).collect());
    let at_most = matches!(row, BlockRow::Snapshot(_));
    out.insert("usd_is_at_most".to_owned(), json!(at_most));
    Json::Object(out)
}
