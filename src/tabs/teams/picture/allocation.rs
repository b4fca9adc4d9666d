//! The fields of dollars by team, project, environment, cost center or user.

use std::sync::Arc;

use crate::analyze::teams::{Allocation, AllocationRow, Lack};
use crate::domain::bill::Usd;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// Dollars of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct AllocationItem {
    /// What it is of; unique among the rows of a list.
    pub id: Arc<str>,
    /// The dollars.
    pub of: AllocationRow,
    /// Sum of all rows, for shares.
    pub total: Usd,
    /// Its budgets of a month; `None` without one.
    pub budget: Option<Usd>,
}

/// Rows of an allocation, in their order, with the budget of each value.
pub fn allocation_rows(
    of: &Allocation,
    budget: impl Fn(&str) -> Option<Usd>,
) -> Arc<[Arc<AllocationItem>]> {
    let row = |row: &AllocationRow| {
        // A blank before a value that is there: a team may be named like what has none.
        let id = match (&row.key, row.lack) {
            (Some(key), _) => format!(" {key}"),
            (None, lack) => lack.map(Lack::word).unwrap_or_default().to_owned(),
        };
        let budget = row.key.as_deref().and_then(&budget);
        Arc::new(AllocationItem { id: id.into(), of: row.clone(), total: of.total, budget })
    };
    of.rows.iter().map(row).collect()
}

field_table! {
    /// A field of an allocation.
    pub enum AllocationField => FIELDS {
        Key text "key" ["team", "project", "env", "cost_center", "user"] "KEY" 16 key wide by('k')
            "Value of what dollars are allocated by.";
        Untagged choice(Lack::WORDS) "untagged" [] "NO VALUE" 10
            "untagged = it could be tagged, untaggable = nothing could be: taxes, support, transfer without a resource.";
        Usd number(Usd) "usd" ["$"] "COST" 13 unit("$") by('c') "Its own dollars and its part of shared costs.";
        Direct number(Usd) "direct_usd" ["direct"] "OWN" 13 unit("$") by('o') "Dollars of its own.";
        Shared number(Usd) "shared_usd" ["shared"] "SHARED" 12 unit("$") by('s') "Its part of costs that are shared.";
        Share number(Percent) "share" [] "SHARE" 6 by('h') "Share of all dollars.";
        GpuHours number(Count) "gpu_hours" ["hours"] "GPU-HOURS" 10 by('g')
            "GPU-hours of its instances; none where no type is known.";
        Budget number(Usd) "budget_usd" ["budget"] "BUDGET" 12 unit("$") by('b')
            "Its monthly budgets: those whose filter is this one value; none without one.";
        BudgetShare number(Percent) "budget_share" ["used"] "USED" 6 by('u')
            "Share of the budget that its own dollars are; shared costs are in no budget of a team.";
    }
}

use AllocationField as F;

impl TableField for AllocationField {
    type Row = AllocationItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Key,
        F::Untagged,
        F::Usd,
        F::Direct,
        F::Shared,
        F::Share,
        F::GpuHours,
        F::Budget,
        F::BudgetShare,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Share, F::GpuHours, F::Untagged, F::Direct];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a AllocationItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let part = |a: Usd, b: Usd| (b > Usd::ZERO).then(|| a.to_f64() / b.to_f64() * 100.0);
        match self {
            F::Key => Value::maybe(of.key.as_deref()),
            F::Untagged => Value::maybe(of.lack.map(Lack::word)),
            F::Usd => Value::Usd(of.usd()),
            F::Direct => Value::Usd(of.direct),
            F::Shared => Value::Usd(of.shared),
            F::Share => Value::number(part(of.usd(), row.total)),
            F::GpuHours => Value::number(Some((of.gpu_hours * 1e6).round() / 1e6)),
            F::Budget => row.budget.map_or(Value::Unknown, Value::Usd),
            F::BudgetShare => Value::number(row.budget.and_then(|budget| part(of.direct, budget))),
        }
    }

    fn id(row: &AllocationItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &AllocationItem) -> Option<f64> {
        None
    }

    fn any_text(row: &AllocationItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        row.of.key.iter().any(|key| holds(key))
            || row.of.lack.is_some_and(|lack| holds(lack.word()))
    }
}
