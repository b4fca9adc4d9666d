//! The options of every list: which rows and columns are printed, and in which order.

use std::sync::Arc;

use clap::Args;

use super::exit::CliError;
use super::invocation::Invocation;
use crate::config::validate::unknown_name;
use crate::report::{List, ListField};
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::savings::picture::{CommitmentField, ProposalField, ResourceField, SpotField};
use crate::tabs::storage::picture::{BlockField, BucketField};
use crate::view::{FieldTable, Filter, Sort, TableField, ViewContext, table};

/// Path of a subcommand, from the one below `burntop` on.
pub type CommandPath = &'static [&'static str];

/// The subcommands that print a list, with the fields of their rows.
pub const LISTS: [(CommandPath, fn() -> &'static dyn FieldTable); 8] = [
    (&["idle"], Field::table),
    (&["gpus"], GpuField::table),
    (&["commitments"], CommitmentField::table),
    (&["rightsize"], ProposalField::table),
    (&["spot"], SpotField::table),
    (&["resources"], ResourceField::table),
    (&["storage", "buckets"], BucketField::table),
    (&["storage", "ebs"], BlockField::table),
];

/// How a list is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct ListOptions {
    /// Prints these columns, in this order. CSV has what identifies a row beside them, JSON every
    /// field.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Sorts by these fields, the smallest first; with a minus the largest: `--sort=-waste,team`.
    /// What is not known comes last.
    #[arg(long, value_name = "[-]FIELD", value_delimiter = ',', allow_hyphen_values = true)]
    pub sort: Vec<String>,
    /// Prints the first N rows and says how many are left out. Sums are of all rows.
    #[arg(long, value_name = "N", value_parser = parse_limit)]
    pub limit: Option<usize>,
    /// Prints every column, however wide. Without it a terminal gets the columns that fit, a pipe
    /// the usual ones.
    #[arg(long, conflicts_with = "columns")]
    pub wide: bool,
}

fn parse_limit(text: &str) -> Result<usize, String> {
    let limit = text.parse().ok().filter(|limit| *limit > 0);
    limit.ok_or_else(|| "a whole number from 1".to_owned())
}

/// Filter, order and columns of a list as its command line has them, checked against its fields.
pub struct Selection<F> {
    /// The filter; `None` without one.
    pub filter: Option<Filter>,
    /// The filter as typed.
    typed: Option<String>,
    /// Fields to sort by, the first one first; empty = the rows' own order.
    sorts: Vec<Sort>,
    /// Columns; empty = the default ones.
    columns: Vec<F>,
    /// Rows to print; `None` = all.
    limit: Option<usize>,
}

impl<F: TableField> Selection<F> {
    /// What the command line of a run chooses. Fails for a filter that cannot be parsed and for fields that the list
    /// does not have.
    pub fn of(invocation: &Invocation) -> Result<Self, CliError> {
        let (typed, args) = (invocation.options.filter.clone(), &invocation.options.list);
        let parse = |text: &str| Filter::parse(F::table(), text);
        let filter = typed.as_deref().map(parse).transpose();
        let sort = |word: &String| {
            let (descending, name) = word.strip_prefix('-').map_or((false, &**word), |w| (true, w));
            Ok(Sort { field: Some(find::<F>("--sort", name)?.spec()), descending })
        };
        let column = |name: &String| find::<F>("--columns", name);
        Ok(Self {
            filter: filter.map_err(|e| CliError::Usage(format!("--filter: {e}")))?,
            typed,
            sorts: args.sort.iter().map(sort).collect::<Result<_, CliError>>()?,
            columns: match args.wide {
                true => F::all().to_vec(),
                false => args.columns.iter().map(column).collect::<Result<_, CliError>>()?,
            },
            limit: args.limit,
        })
    }

    /// The rows that match, sorted.
    pub fn rows(&self, rows: &[Arc<F::Row>], ctx: &ViewContext) -> Vec<Arc<F::Row>> {
        let select = |rows: &[Arc<F::Row>], filter: Option<&Filter>, sort| -> Vec<Arc<F::Row>> {
            let chosen = table::select(&F::rows(rows), filter, sort, ctx);
            chosen.into_iter().filter_map(|i| rows.get(i as usize).cloned()).collect()
        };
        let chosen = select(rows, self.filter.as_ref(), Sort::default());
        // Rows that are equal keep their order: the last field is sorted by first.
        self.sorts.iter().rev().fold(chosen, |rows, sort| select(&rows, None, *sort))
    }
}

impl<F: ListField> Selection<F> {
    /// The list of what matches among `rows`.
    pub fn list(&self, rows: &[Arc<F::Row>], of: F::Of, ctx: &ViewContext) -> List<F> {
        List {
            columns: self.columns.clone(),
            is_exact: !self.columns.is_empty(),
            limit: self.limit,
            ..List::of(self.rows(rows, ctx), self.typed.as_deref(), of)
        }
    }
}

/// The field of this name or alias; fails with the nearest one.
fn find<F: TableField>(flag: &str, name: &str) -> Result<F, CliError> {
    let found = F::table().find(name.trim()).and_then(F::of);
    found.ok_or_else(|| {
        let names: Vec<String> = F::specs().iter().map(|f| f.name.to_owned()).collect();
        let what = format!("field of {}", F::NOUNS[1]);
        CliError::Usage(format!("{flag}: {}", unknown_name(&what, name, &names)))
    })
}
