//! A bill: what was charged, in exact dollars, folded into cubes small enough for memory.
//!
//! | file | holds |
//! |---|---|
//! | `usd` | exact dollars |
//! | `month` | the period |
//! | `words` | kinds of charges, ways of pricing, formats, states |
//! | `names`, `kind`, `path` | texts as numbers, what was used, network paths |
//! | `usage_region` | the codes of regions that usage types begin with |
//! | `line_columns` | names of what a line says, in SQL |
//! | `cube` | the bill of a period: cells by day, cells by resource |
//! | `head`, `note` | what a bill is and was read from; what is odd about it |
//! | `builder` | folds lines into cells |
//! | `select` | which of several exports of the same charges counts |
//! | `costs` | what instances, volumes and buckets cost on it |
//! | `network_spend` | what bytes and requests cost on it, and what fixes avoid of it |
//! | `rates` | what on-demand hours of instances cost on it, below their list price |
//! | `unit_cost` | what one prediction or run costs by it, for the views of what runs |
//! | `cost_explorer` | which bills of Cost Explorer count, for which keys |

mod builder;
pub mod cost_explorer;
mod costs;
mod cube;
mod head;
mod kind;
pub mod line_columns;
mod month;
mod names;
mod network_spend;
mod note;
mod path;
mod rates;
mod select;
mod unit_cost;
mod usage_region;
mod usd;
mod words;

pub use builder::{BillBuilder, BuildError, Line};
pub use costs::{NewestBill, ResourceCosts, resource_id};
#[cfg(test)]
pub use cube::ResourceCell;
pub use cube::{Bill, Cell, Key, OwnerId, Sums};
pub use head::BillHead;
pub use kind::{KindId, UsageKind, running_type};
pub use month::{Month, NoMonth};
pub use names::{NameId, clean_name};
pub use network_spend::{NetworkSaving, NetworkSpend};
pub use note::BillNote;
pub use path::TransferPath;
pub use rates::{BilledRate, BilledRates};
pub use select::selected;
pub use unit_cost::{NoCounts, UnitBound, UnitCost};
pub use usage_region::{region_of_code, split_regions};
pub use usd::Usd;
pub(crate) use words::words;
pub use words::{BillFormat, Charge, PeriodState, Pricing};
