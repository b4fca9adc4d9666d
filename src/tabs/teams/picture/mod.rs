//! View models of teams: the tables of allocations, missing tags, budgets and quotas, shared by reports and filter.

mod allocation;
mod budgets;
mod quotas;
mod tags;
mod units;

pub use allocation::{AllocationField, AllocationItem, allocation_rows};
pub use budgets::{BudgetField, BudgetItem, BudgetStanding, budget_rows};
pub use quotas::{QuotaField, QuotaItem, QuotaStanding, quota_rows};
pub use tags::{TagField, TagItem, tag_rows};
pub use units::{UnitField, UnitItem, unit_rows};
