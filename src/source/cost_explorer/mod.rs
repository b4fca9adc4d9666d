//! Cost Explorer as a source of bills, for those who have no export: what is asked when, what it costs, and how answers
//! become bills. Pure but for [`fetch()`].
//!
//! | file | holds |
//! |---|---|
//! | `plan` | what is to be asked, so that nothing is paid for twice |
//! | `query` | one question, as values |
//! | `answer` | its answer, checked |
//! | `words` | Cost Explorer's words for charges and services |
//! | `bills` | answers become bills |
//! | `fetch` | asking, each request charged before it is sent |
//!
//! One month is several bills, see [`crate::domain::bill::cost_explorer`].

mod answer;
mod bills;
mod fetch;
mod plan;
mod query;
mod words;

pub use answer::{CostPage, Interval, METRICS};
pub use fetch::{CostSource, Fetched, asked_today, fetch};
#[cfg(test)]
pub use plan::Wanted;
pub use plan::{Choice, Plan, plan};
pub use query::{CostQuery, Filter, GroupBy};
pub use words::{COMPUTE, OTHER_CHARGES};
