//! Rows of storage, whatever they are: aligned text, JSON, CSV, Markdown.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::sheet::{self, Sheet};
use super::{Format, csv, json, markdown, text, troubles_of};
use crate::domain::Reading;
use crate::domain::text::clean;
use crate::view::{TableField, ViewContext};

/// What is said of the rows.
#[derive(Clone, Copy, Debug)]
pub struct StorageAbout<'a> {
    /// Name of the view, in the schema: `storage-buckets`.
    pub view: &'a str,
    /// The filter that chose the rows, as typed; empty for none.
    pub filter: &'a str,
    /// How the sources are doing.
    pub readings: &'a [Reading],
}

/// These columns of these rows.
pub fn storage_rows<F: TableField>(
    rows: &[Arc<F::Row>],
    columns: &[F],
    format: Format,
    ctx: &ViewContext,
    about: &StorageAbout<'_>,
) -> String {
    let borrowed: Vec<&F::Row> = rows.iter().map(|row| &**row).collect();
    match format {
        Format::Json => {
            let rows = borrowed.iter().map(|row| storage_row::<F>(row, ctx)).collect();
            json::envelope(about.view, rows, Map::new(), &basis(about), about.readings, ctx)
        }
        Format::Csv => csv::table(&sheet::of(&borrowed, columns, ctx)),
        Format::Md => {
            let table = markdown::table(&sheet::of(&borrowed, columns, ctx));
            format!("{table}\n{}\n", markdown::escape(&basis(about)))
        }
        Format::Table => {
            let shown: Sheet = sheet::of(&borrowed, columns, ctx);
            let mut out = text::table(&shown);
            out.push_str(&format!("\n{}\n", basis(about)));
            for trouble in troubles_of(about.readings) {
                out.push_str(&trouble);
                out.push('\n');
            }
            out
        }
    }
}

/// One row with all its fields.
pub fn storage_row<F: TableField>(row: &F::Row, ctx: &ViewContext) -> Json {
    let each = F::all().iter();
    let pairs = each.map(|f| (f.spec().name.to_owned(), json::value(&f.exported(row, ctx))));
    Json::Object(pairs.collect())
}

fn basis(about: &StorageAbout<'_>) -> String {
    let filter = match clean(about.filter) {
        f if f.is_empty() => String::new(),
        f => format!("; filter {f}"),
    };
    format!(
        "USD per month of 730 h at list price, a GB is a GiB, volume steps per account and region; \
         storage alone, without requests and transfer{filter}"
    )
}
