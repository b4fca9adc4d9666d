//! View models of teams: the tables of allocations, missing tags, budgets, quotas and unit costs, shared by screen, reports and
//! filter; what the tab asks.

mod allocation;
mod aws_budgets;
mod budgets;
mod people;
mod question;
mod quotas;
mod tags;
mod units;

pub use allocation::{AllocationField, AllocationItem, allocation_rows};
pub use aws_budgets::aws_budget_rows;
pub use budgets::{BudgetField, BudgetItem, BudgetStanding, budget_rows};
pub use people::{PeopleField, PeopleItem, people_rows};
pub use question::{TeamsQuestion, TeamsView};
pub use quotas::{QuotaField, QuotaItem, QuotaStanding, quota_rows};
pub use tags::{TagField, TagItem, tag_rows};
pub use units::{UnitField, UnitItem, unit_rows};
