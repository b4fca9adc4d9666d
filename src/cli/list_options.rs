//! The options of every list: which rows and columns are printed, and in which order.

use std::fmt;
use std::sync::Arc;

use clap::Args;

use super::exit::CliError;
use super::invocation::Invocation;
use super::tell::tell;
use crate::domain::suggest::nearest;
use crate::domain::text;
use crate::report::{FindingOptions, List, ListField};
use crate::tabs::bill::picture::{
    AnatomyField, AnomalyField, BillField, ChangeField, ReconcileField,
};
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::jobs::picture::{
    JobField, NodeField, RepeatField, ReplayField, RequestField, ScalingField, TaxField, WaitField,
    ZombieField,
};
use crate::tabs::network::picture::{CacheField, NetworkField};
use crate::tabs::overview::picture::{FindingField, TrendField};
use crate::tabs::savings::picture::{
    CommitmentField, ModelField, ProposalField, ResourceField, SpotField,
};
use crate::tabs::storage::picture::{BlockField, BucketField};
use crate::tabs::teams::picture::{
    AllocationField, BudgetField, PeopleField, QuotaField, TagField, UnitField,
};
use crate::view::{FieldTable, Filter, Sort, TableField, ViewContext, table};
use crate::watch::row::AlertField;

/// Path of a subcommand, from the one below `burntop` on.
pub type CommandPath = &'static [&'static str];

/// The table of the fields of a list.
pub type Fields = fn() -> &'static dyn FieldTable;

/// The subcommands that print a list, with the fields of their rows.
pub const LISTS: [(CommandPath, Fields); 34] = [
    (&["idle"], Field::table),
    (&["overview"], FindingField::table),
    (&["gpus"], GpuField::table),
    (&["commitments"], CommitmentField::table),
    (&["rightsize"], ProposalField::table),
    (&["spot"], SpotField::table),
    (&["models"], ModelField::table),
    (&["resources"], ResourceField::table),
    (&["storage", "buckets"], BucketField::table),
    (&["storage", "ebs"], BlockField::table),
    (&["bill"], BillField::table),
    (&["bill", "anatomy"], AnatomyField::table),
    (&["bill", "changes"], ChangeField::table),
    (&["bill", "anomalies"], AnomalyField::table),
    (&["bill", "reconcile"], ReconcileField::table),
    (&["network"], NetworkField::table),
    (&["network", "cache"], CacheField::table),
    (&["jobs"], JobField::table),
    (&["jobs", "tax"], TaxField::table),
    (&["jobs", "nodes"], NodeField::table),
    (&["jobs", "repeats"], RepeatField::table),
    (&["jobs", "replay"], ReplayField::table),
    (&["jobs", "zombies"], ZombieField::table),
    (&["jobs", "wait"], WaitField::table),
    (&["jobs", "requests"], RequestField::table),
    (&["jobs", "scaling"], ScalingField::table),
    (&["teams"], AllocationField::table),
    (&["teams", "tags"], TagField::table),
    (&["budgets"], BudgetField::table),
    (&["units"], UnitField::table),
    (&["people"], PeopleField::table),
    (&["quotas"], QuotaField::table),
    (&["trend"], TrendField::table),
    (&["watch"], AlertField::table),
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
    limit.ok_or_else(|| "a whole number from 1 is wanted".to_owned())
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
        let filtered = Self::filter_alone(invocation)?;
        let (filter, typed) = (filtered.filter, filtered.typed);
        Ok(Self { filter, typed, ..Self::unfiltered(invocation)? })
    }

    /// The filter without order, columns and number. Fails for a filter that cannot be parsed.
    pub fn filter_alone(invocation: &Invocation) -> Result<Self, CliError> {
        let typed = invocation.options.filter.clone();
        let parse = |text: &str| Filter::parse(F::table(), text);
        let filter = typed.as_deref().map(parse).transpose();
        Ok(Self {
            filter: filter.map_err(|e| wrong_filter(typed.as_deref().unwrap_or_default(), e))?,
            typed,
            sorts: Vec::new(),
            columns: Vec::new(),
            limit: None,
        })
    }

    /// Order, columns and number without the filter, which is of other rows. Fails for fields that the list does
    /// not have.
    pub fn unfiltered(invocation: &Invocation) -> Result<Self, CliError> {
        let args = &invocation.options.list;
        let sort = |word: &String| {
            let (descending, name) = word.strip_prefix('-').map_or((false, &**word), |w| (true, w));
            Ok(Sort { field: Some(find::<F>("--sort", name)?.spec()), descending })
        };
        let column = |name: &String| find::<F>("--columns", name);
        Ok(Self {
            filter: None,
            typed: None,
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
        let matching = table::chosen::<F>(rows, self.filter.as_ref(), Sort::default(), ctx);
        table::sorted::<F>(matching, &self.sorts, ctx)
    }
}

impl Selection<FindingField> {
    /// How the Overview lists its findings.
    pub fn of_findings(self) -> FindingOptions {
        FindingOptions { sorts: self.sorts, columns: self.columns, limit: self.limit }
    }
}

impl<F: ListField> Selection<F> {
    /// The list of what matches among `rows`.
    pub fn list(&self, rows: &[Arc<F::Row>], of: F::Of, ctx: &ViewContext) -> List<F> {
        let chosen = self.rows(rows, ctx);
        if chosen.is_empty() {
            self.unmatched(rows, ctx).iter().for_each(tell);
        }
        List {
            columns: self.columns.clone(),
            is_exact: !self.columns.is_empty(),
            limit: self.limit,
            ..List::of(chosen, self.typed.as_deref(), of)
        }
    }
}

impl<F: TableField> Selection<F> {
    /// A sentence for each text of the filter that no row has, with the nearest one that rows have.
    pub fn unmatched(&self, rows: &[Arc<F::Row>], ctx: &ViewContext) -> Vec<String> {
        let Some(filter) = &self.filter else { return Vec::new() };
        let unmatched = filter.unmatched(&F::rows(rows), ctx);
        unmatched.iter().map(|of| of.sentence(F::NOUNS[1])).collect()
    }
}

/// Error for a filter that a list does not understand, with the lists that do.
pub fn wrong_filter(typed: &str, why: impl fmt::Display) -> CliError {
    // A search for words means something in every list.
    let takes = |fields: Fields| Filter::parse(fields(), typed).is_ok_and(|f| !f.searches());
    let lists = LISTS.iter().filter(|(_, fields)| takes(*fields));
    let names: Vec<String> =
        lists.map(|(path, _)| format!("`burntop {}`", path.join(" "))).collect();
    let other = match names.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} understands it"),
        several => format!("; {} understand it", several.join(", ")),
    };
    CliError::Usage(format!("--filter: {why}{other}"))
}

/// The field of this name or alias; fails with the nearest one.
fn find<F: TableField>(flag: &str, name: &str) -> Result<F, CliError> {
    let found = F::table().find(name.trim()).and_then(F::of);
    found.ok_or_else(|| {
        let names: Vec<&str> = F::specs().iter().map(|f| f.name).collect();
        // A name that is short for a field is as near as the field's own.
        let aliases = F::specs().iter().flat_map(|f| f.aliases.iter().copied());
        let near = nearest(name, names.iter().copied().chain(aliases));
        let near = near.map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
        let (of, name, all) = (F::NOUNS[1], text::clean(name), names.join(", "));
        CliError::Usage(format!(
            "{flag}: there is no field of {of} \"{name}\"{near} Those there are: {all}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn words_of_another_field_or_list_are_told_with_it() {
        let gpus = |text| Filter::parse(GpuField::table(), text).map(|f| f.to_string());
        assert_eq!(gpus("verdict=idle").unwrap(), "state=held_idle or state=unallocated_idle");
        assert_eq!(gpus("state!=idle").unwrap(), "state!=held_idle and state!=unallocated_idle");
        let idle = |text| {
            let error = Filter::parse(Field::table(), text).unwrap_err();
            wrong_filter(text, error).to_string()
        };
        let other = idle("state=idle");
        assert!(other.contains("try `verdict=idle`: `state` wants one of"), "{other}");
        let other = idle("verdict=stopped");
        assert!(other.contains("try `state=stopped`: `verdict` wants one of"), "{other}");
        let other = idle("verdict=held_idle");
        assert!(other.ends_with("; `burntop gpus` understands it"), "{other}");
    }

    #[test]
    fn a_text_that_no_row_has_is_told_with_the_nearest_and_those_there_are() {
        let fleet = fleet();
        let told = |text| {
            let filter = Filter::parse(Field::table(), text).unwrap();
            let found = filter.unmatched(&Field::rows(&fleet.rows), &ctx());
            found.iter().map(|of| of.sentence(Field::NOUNS[1])).collect::<Vec<_>>()
        };
        let one = told("team=nlpp and gpu<5");
        assert_eq!(one.len(), 1, "{one:?}");
        // The fixture has it in capitals as well, which are the same text.
        let start = "none of the instances has team nlpp; did you mean nlp? known: ";
        assert!(one[0].to_lowercase().starts_with(start), "{one:?}");
        assert_eq!(told("team=nlp or team!=nlpp or team~nlpp"), [""; 0]);
        let none = told("team=quarterly-forecasting");
        assert!(none[0].contains("quarterly-forecasting; known: "), "{none:?}");
    }
}
