//! `--engine athena`: sums of a bill by Athena instead of from what is kept on this machine.
//!
//! What it costs is said first, and nothing runs without `--yes`. The table is read as it is; nothing is made or changed.

use std::io::Write;

use tokio_util::sync::CancellationToken;

use super::args::{BillAthenaArgs, SumsArgs};
use crate::analyze::bill::{BadAnswer, BillSettings, Breakdown, Drill};
use crate::cli::athena::{self, Charges};
use crate::cli::exit::{CliError, Exit};
use crate::cli::interrupt::Interrupt;
use crate::cli::invocation::Invocation;
use crate::cli::session::with_cache;
use crate::cli::tell::tell;
use crate::domain::bill::{BillFormat, BillHead, Month, PeriodState};
use crate::domain::text::clean;
use crate::source::StorageSource;
use crate::source::athena::run::{Query, Waiting, run};
use crate::source::athena::service::CatalogTable;
use crate::source::athena::table::is_plain;
use crate::source::bill::sql::{BillTable, NotInSql, TableColumn, standard};
use crate::source::inventory::s3_uri;
use crate::source::ledger::BilledApi;
use crate::source::pages::Pages;
use crate::source::storage::{ListPlace, Name};
use crate::view::format;

/// Requests at most by which the size of a table's data is learnt.
const LISTS_AT_MOST: usize = 1_000;

const NARROWER: &str = "ask by another key, or by one instead of two";

/// Sums of a table, and what its bill is.
pub(super) struct Added {
    /// The sums.
    pub sums: Breakdown,
    /// Head of the bill.
    pub head: BillHead,
}

/// A drill over one table.
pub(super) struct Job<'a> {
    args: &'a BillAthenaArgs,
    drill: Drill,
    database: String,
    table: String,
    period: Month,
}

impl<'a> Job<'a> {
    /// Fails for arguments that do not fit.
    pub fn new(args: &'a SumsArgs, settings: &BillSettings) -> Result<Self, CliError> {
        let usage = |text: String| Err(CliError::Usage(text));
        let Some(name) = &args.athena.athena_table else {
            return usage("--engine athena needs --athena-table DATABASE.TABLE".into());
        };
        let Some((database, table)) =
            name.split_once('.').filter(|(a, b)| is_plain(a) && is_plain(b))
        else {
            let name = clean(name);
            return usage(format!(
                "--athena-table {name}: DATABASE.TABLE, of lower-case letters, digits and _ alone"
            ));
        };
        let Some(period) = args.of.period else {
            return usage("--engine athena needs --period YYYY-MM".into());
        };
        if args.of.export.is_some() {
            return usage(
                "--export is of bills that are kept; leave it out with --engine athena".into(),
            );
        }
        let drill = Drill::new(&args.by.by, settings)
            .map_err(|error| CliError::Usage(format!("--by: {error}")))?;
        let (database, table) = (database.to_owned(), table.to_owned());
        Ok(Self { args: &args.athena, drill, database, table, period })
    }

    fn name(&self) -> String {
        format!("{}.{}", self.database, self.table)
    }

    /// Prints the SQL, for the columns that are named or those that the format has; asks nobody.
    pub fn print(&self, out: &mut dyn Write) -> Result<Exit, CliError> {
        let columns = match (&self.args.athena_columns[..], self.args.athena_format) {
            ([], None) => {
                let why = "--print-sql needs --athena-format, or --athena-columns with the columns \
                           of the table";
                return Err(CliError::Usage(why.into()));
            }
            ([], Some(format)) => standard(format.into(), &self.drill.likely_tag_keys()),
            (named, _) => named.iter().map(|name| named_column(name)).collect(),
        };
        let table = self.bill_table(&columns)?;
        let sql = self.sql(&table)?;
        let format = table.format().word();
        writeln!(out, "-- the bill of {} in {} ({format})\n{sql};", self.period, self.name())?;
        Ok(Exit::Ok)
    }

    fn bill_table(&self, columns: &[TableColumn]) -> Result<BillTable, CliError> {
        let tags = self.drill.tag_keys();
        BillTable::new(&self.name(), columns, &tags, self.period).map_err(not_in_sql)
    }

    fn sql(&self, table: &BillTable) -> Result<String, CliError> {
        let has_tag = |key: &str| table.has_tag(key);
        let select = self.drill.select(&has_tag);
        let select = select.map_err(|error| CliError::Usage(format!("--by: {error}")))?;
        let lines = table.lines(&select).map_err(not_in_sql)?;
        Ok(format!("{lines}{select}"))
    }

    /// Asks Athena, where that was agreed to.
    pub fn run(&self, invocation: &Invocation) -> Result<Added, CliError> {
        if invocation.options.demo.is_some() {
            return Err(athena::not_in_demo());
        }
        let output = self.args.shared.athena_output.as_deref();
        let Some((bucket, _)) = output.and_then(s3_uri) else {
            let why = "--engine athena needs --athena-output s3://BUCKET/PREFIX/, in the region of \
                       the table";
            return Err(CliError::Usage(why.into()));
        };
        with_cache(invocation, async |cache| {
            let (reach, source, region) = athena::owner(invocation, bucket).await?;
            let service = reach
                .queries(&region, &self.args.shared, &self.database)
                .ok_or_else(athena::not_in_demo)?;
            let found = service.table(&self.database, &self.table).await;
            let found = found.map_err(CliError::of_source)?;
            let columns: Vec<TableColumn> = match &self.args.athena_columns[..] {
                [] => found.columns.iter().map(catalog_column).collect(),
                named => named.iter().map(|name| named_column(name)).collect(),
            };
            let table = self.bill_table(&columns)?;
            let sql = self.sql(&table)?;
            let charges = Charges::of(invocation, cache);
            let bytes = self.bytes(&found, &*source, &charges).await?;
            let what = format!("{} for {}", self.name(), self.period);
            let (price, units) = athena::price(bytes, &what);
            athena::agreed(&price, self.args.yes)?;
            charges.charge(BilledApi::Athena, units).await?;
            tell(&price);
            let stop = CancellationToken::new();
            let interrupt = Interrupt::cancels(&stop);
            let query = Query { sql: &sql, has_header: true, narrower: NARROWER };
            let answer = run(&*service, query, Waiting::default(), &stop).await;
            drop(interrupt);
            let answer = answer.map_err(CliError::of_source)?;
            if let Some(scanned) = answer.scanned {
                tell(format_args!("Athena scanned {}", format::bytes(scanned as f64)));
            }
            let sums = self.drill.read(&answer.rows).map_err(bad_answer)?;
            let head = self.head(&table, &sums, invocation);
            Ok(Added { sums, head })
        })
    }

    /// Bytes of the table's data that a query over the period reads at most.
    async fn bytes(
        &self,
        table: &CatalogTable,
        source: &dyn StorageSource,
        charges: &Charges,
    ) -> Result<u64, CliError> {
        let Some((bucket, prefix)) = table.location.as_deref().and_then(s3_uri) else {
            let message = format!(
                "{} does not say where its data lie, so no cost can be said: name the table itself, \
                 not a view of it; --print-sql prints the SQL",
                self.name()
            );
            return Err(CliError::Failed { exit: Exit::Unreadable, message });
        };
        let region = source.region_of(bucket).await.map_err(CliError::of_source)?;
        let mut prefix = prefix.as_bytes().to_vec();
        if !prefix.is_empty() && !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        let (mut bytes, mut lists, mut below) = (0_u64, 0, vec![prefix]);
        while let Some(prefix) = below.pop() {
            // Keys of Athena's tables are text.
            let Ok(prefix) = String::from_utf8(prefix) else { continue };
            let at = ListPlace { region: &region, bucket, prefix: &prefix };
            let mut pages = Pages::of("s3:ListObjectsV2", "S3");
            while let Some(token) = pages.ask() {
                lists += 1;
                if lists > LISTS_AT_MOST {
                    let message = format!(
                        "{} has too many files to say what a query costs; --print-sql prints the SQL",
                        self.name()
                    );
                    return Err(CliError::Failed { exit: Exit::Unreadable, message });
                }
                charges.charge(BilledApi::S3List, 1).await?;
                let (names, next) = source.names(at, token).await.map_err(CliError::of_source)?;
                for name in names {
                    match name {
                        Name::Object { bytes: more, .. } => bytes = bytes.saturating_add(more),
                        Name::Prefix(key) if is_of_other(&key, self.period) => {}
                        Name::Prefix(key) => below.push(key),
                    }
                }
                pages.follow(next).map_err(CliError::of_source)?;
            }
        }
        Ok(bytes)
    }

    fn head(&self, table: &BillTable, sums: &Breakdown, invocation: &Invocation) -> BillHead {
        let now = invocation.options.now();
        let is_focus = matches!(table.format(), BillFormat::Focus10 | BillFormat::Focus12);
        BillHead {
            export: self.name().into(),
            format: table.format(),
            provider: if is_focus { "".into() } else { "AWS".into() },
            payer: "".into(),
            period: self.period,
            state: PeriodState::of(self.period, now, now, false),
            lines: sums.total.lines,
            total: sums.total,
            has_net: table.has_net(),
            has_resources: true,
            has_days: true,
            resources_folded: 0,
            last_day: self.period.days(),
            written_at: None,
            read_at: now,
            notes: table.notes(),
        }
    }
}

/// A column by its name, with ` map` behind it where it is none of texts.
fn named_column(named: &str) -> TableColumn {
    let (name, is_text) = match named.split_once(' ') {
        Some((name, kind)) => (name, !kind.trim_start().starts_with("map")),
        None => (named, true),
    };
    TableColumn { name: name.to_owned(), is_text }
}

fn catalog_column((name, kind): &(String, String)) -> TableColumn {
    TableColumn { name: name.clone(), is_text: !kind.starts_with("map") }
}

/// True for a folder of another period, as tables are partitioned: `BILLING_PERIOD=2026-10/`, `year=2026/`, `month=10/`.
fn is_of_other(prefix: &[u8], period: Month) -> bool {
    let prefix = String::from_utf8_lossy(prefix).to_ascii_lowercase();
    let folder = prefix.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let first = period.first();
    match folder.split_once('=') {
        Some(("billing_period", value)) => value != period.to_string(),
        Some(("year", value)) => value.parse() != Ok(first.year()),
        Some(("month", value)) => value.parse() != Ok(first.month()),
        _ => false,
    }
}

fn not_in_sql(error: NotInSql) -> CliError {
    CliError::Failed { exit: Exit::Unreadable, message: error.to_string() }
}

fn bad_answer(error: BadAnswer) -> CliError {
    CliError::Failed { exit: Exit::Unreadable, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_other_periods_are_not_in_the_price() {
        let period = "2026-10".parse().unwrap();
        for (folder, other) in [
            ("a/BILLING_PERIOD=2026-10/", false),
            ("a/BILLING_PERIOD=2026-09/", true),
            ("a/year=2026/", false),
            ("a/year=2025/", true),
            ("year=2026/month=10/", false),
            ("year=2026/month=9/", true),
            ("a/data/", false),
            ("a/day=3/", false),
        ] {
            assert_eq!(is_of_other(folder.as_bytes(), period), other, "{folder}");
        }
    }

    #[test]
    fn columns_are_named_with_the_type_of_maps() {
        let map = named_column("resource_tags map<string,string>");
        assert_eq!((&*map.name, map.is_text), ("resource_tags", false));
        let text = named_column("line_item_usage_type");
        assert_eq!((&*text.name, text.is_text), ("line_item_usage_type", true));
    }
}
