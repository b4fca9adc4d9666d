//! SQL over a table of a bill, for Athena where a bill outgrows the machine: lines under names of their own
//! ([`mod@line`]), whatever the format, with the costs that the fold makes of them. It is made of the tables of `fields`
//! and the rules of `rules` and `amounts`, so that there is one of each.
//!
//! | file | holds |
//! |---|---|
//! | `named` | columns of the table under names of their own |
//! | `charged` | what each line charges for |
//! | `costs` | what it costs |
//! | `standard` | columns that tables of the formats have |

mod charged;
mod costs;
mod named;
mod standard;

use std::sync::Arc;

pub use standard::standard;

use super::fields::{Amount, Moment, Target, Text};
use super::layout::{Layout, Misfit, Use};
use super::tags::{CATEGORY, MapKind};
use crate::domain::bill::{BillFormat, BillNote, Month, line_columns as line};
use crate::domain::sql;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// True for one of texts, false for any other type, a map among them.
    pub is_text: bool,
}

/// Why there are no sums of a table by SQL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotInSql {
    /// The columns are of no format that is known.
    #[error("{0} is no bill in a known format; name its columns with --athena-columns")]
    NotABill(String),
    /// Columns are missing without which sums would be wrong.
    #[error("{table} has no column {}", .columns.join(", "))]
    Missing {
        /// Name of the table.
        table: String,
        /// Names of the columns, as the format has them.
        columns: Vec<String>,
    },
    /// A column holds several entries as text.
    #[error(
        "{table}: column {column} is text, of which SQL reads no entries; make the table of \
         Parquet, where it is a map"
    )]
    Packed {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
}

/// A table with the lines of bills.
#[derive(Clone, Debug)]
pub struct BillTable {
    /// Name `database.table`, which needs no quotes.
    name: String,
    layout: Layout,
    period: Month,
    /// Tags that can be asked for.
    tag_keys: Vec<Arc<str>>,
    /// Conditions on the columns by which the table is partitioned.
    partitions: Vec<String>,
    /// Columns that hold several entries as text.
    packed: Vec<String>,
}

impl BillTable {
    /// A table with these columns. Err where they are no bill, or lack what sums need.
    pub fn new(
        name: &str,
        columns: &[TableColumn],
        tag_keys: &[Arc<str>],
        period: Month,
    ) -> Result<Self, NotInSql> {
        let table = || name.to_owned();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let layout = Layout::of(&names, tag_keys).map_err(|misfit| match misfit {
            Misfit::Unknown => NotInSql::NotABill(table()),
            Misfit::Missing(_, columns) => NotInSql::Missing { table: table(), columns },
        })?;
        let is_packed = |column: &&TableColumn| {
            let source = layout.sources.iter().find(|source| source.name == column.name);
            column.is_text && source.is_some_and(|source| matches!(source.r#use, Use::Map(_)))
        };
        let packed = columns.iter().filter(is_packed).map(|column| column.name.clone()).collect();
        let partitions = partitions(&names, period);
        Ok(Self { name: table(), layout, period, tag_keys: tag_keys.to_vec(), partitions, packed })
    }

    /// Format of the bill.
    pub const fn format(&self) -> BillFormat {
        self.layout.format
    }

    /// True where the table has costs net of private discounts.
    pub const fn has_net(&self) -> bool {
        self.layout.has_net()
    }

    /// Columns that are missing, and what is unknown without them.
    pub fn notes(&self) -> Vec<BillNote> {
        let missing = self.layout.missing.iter().map(|(column, unknown)| {
            let (column, unknown) = (column.as_str().into(), (*unknown).into());
            BillNote::ColumnMissing { column, unknown }
        });
        missing.collect()
    }

    /// Common table expressions, the last of which is `lines`: each line with those columns of [`mod@line`] that `used` names.
    /// Err where a column of it cannot be read.
    pub fn lines(&self, used: &str) -> Result<String, NotInSql> {
        let tags: Vec<usize> = (0..self.tag_keys.len())
            .filter(|tag| used.contains(&line::tag(&self.tag_keys[*tag])))
            .collect();
        let kept: Vec<&str> = KEPT.into_iter().filter(|column| sql::names(used, column)).collect();
        let charged = charged::expressions(&self.layout, &kept, &tags, &self.tag_keys, self.period);
        let named = named::expressions(self, &tags, &charged)?;
        Ok(format!("{named},\n{charged}"))
    }

    /// True where a column may hold this tag.
    pub fn has_tag(&self, key: &str) -> bool {
        let place = self.tag_keys.iter().position(|known| known.eq_ignore_ascii_case(key));
        place.is_some_and(|tag| {
            let wanted = match key.starts_with(CATEGORY) {
                true => MapKind::Categories,
                false => MapKind::Tags,
            };
            let is_of = |of: Use| of == Use::Value(Target::Tag(tag)) || of == Use::Map(wanted);
            self.layout.sources.iter().any(|source| is_of(source.r#use))
        })
    }

    /// Err where a map that has to be looked at is text.
    fn map<'a>(&self, column: &'a str) -> Result<&'a str, NotInSql> {
        if self.packed.iter().any(|packed| packed == column) {
            let (table, column) = (self.name.clone(), column.to_owned());
            return Err(NotInSql::Packed { table, column });
        }
        Ok(column)
    }
}

/// Columns that `lines` may have, but for tags and costs.
const KEPT: [&str; 14] = [
    line::ACCOUNT,
    line::REGION,
    line::SERVICE,
    line::SERVICE_CODE,
    line::USAGE_TYPE,
    line::FAMILY,
    line::COMMITMENT,
    line::RESOURCE,
    line::DAY,
    line::CHARGE,
    line::IS_NETWORK,
    line::CURRENCY,
    line::LINE_ITEMS,
    line::WITHOUT_LIST,
];

/// Conditions by which Athena reads the files of a period alone: by `billing_period` of Data Exports, by `year` and `month`
/// of legacy reports.
fn partitions(names: &[String], period: Month) -> Vec<String> {
    let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    let first = period.first();
    let text = |name| format!("CAST({name} AS VARCHAR)");
    if has("billing_period") {
        return vec![sql::is_one_of(&text("billing_period"), &[&period.to_string()])];
    }
    if !has("year") || !has("month") {
        return vec![];
    }
    let (short, long) = (first.month().to_string(), format!("{:02}", first.month()));
    let months = if short == long { vec![&*short] } else { vec![&*short, &*long] };
    vec![
        sql::is_one_of(&text("year"), &[&first.year().to_string()]),
        sql::is_one_of(&text("month"), &months),
    ]
}

/// Name of a text in the SQL.
const fn text_name(text: Text) -> &'static str {
    match text {
        Text::Account => line::ACCOUNT,
        Text::Region => line::REGION,
        Text::Service => line::SERVICE,
        Text::ServiceCode => line::SERVICE_CODE,
        Text::UsageType => line::USAGE_TYPE,
        Text::Operation => line::OPERATION,
        Text::Family => line::FAMILY,
        Text::Description => line::DESCRIPTION,
        Text::Commitment => line::COMMITMENT,
        Text::Currency => line::CURRENCY,
        Text::Charge => "line_type",
        Text::ChargeClass => "charge_class",
        Text::Reservation => "reservation",
        Text::Pricing => "pricing_category",
        Text::CommitmentStatus => "commitment_status",
        Text::CommitmentType => "commitment_type",
        Text::CapacityStatus => "capacity_status",
        Text::AccountName => "account_name",
        Text::Payer => "payer",
        Text::Unit => "unit",
        Text::Provider => "provider",
        Text::Invoice => "invoice",
    }
}

/// Name of an amount in the SQL.
const fn amount_name(amount: Amount) -> &'static str {
    match amount {
        Amount::Billed => "billed_cost",
        Amount::Effective => "effective_cost",
        Amount::List => "list_cost",
        Amount::ListRate => "list_rate",
        Amount::PlanEffective => "plan_effective_cost",
        Amount::PlanCommitment => "plan_commitment",
        Amount::PlanUsed => "plan_used",
        Amount::ReservationEffective => "reservation_effective_cost",
        Amount::UnusedUpfront => "unused_upfront",
        Amount::UnusedRecurring => "unused_recurring",
        Amount::NetBilled => "net_billed_cost",
        Amount::NetPlanEffective => "net_plan_effective_cost",
        Amount::NetReservationEffective => "net_reservation_effective_cost",
        Amount::NetUnusedUpfront => "net_unused_upfront",
        Amount::NetUnusedRecurring => "net_unused_recurring",
        Amount::SplitCost => "split_cost",
        Amount::SplitUnused => "split_unused",
    }
}

/// Name of a moment in the SQL.
const fn moment_name(moment: Moment) -> &'static str {
    match moment {
        Moment::Period => "period_starts",
        Moment::Start => "starts",
        Moment::End => "ends",
    }
}
