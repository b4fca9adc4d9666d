//! Whose the money is, and what it may be: dollars by team, project, environment, cost center or user, with mappings and
//! shared costs; tags that are missing; budgets and quotas.
//!
//! Sums are exact: the rows of every allocation add up to the total to the last digit.
//!
//! | file | holds |
//! |---|---|
//! | `dimension` | what dollars are allocated by |
//! | `line` | what is allocated: lines of a bill, or running instances |
//! | `pattern` | names with a `*` in them |
//! | `filter` | the filter language over the keys of a bill |
//! | `rules` | mappings, aliases, shared costs |
//! | `owner` | the value of a dimension for each line |
//! | `allocate` | sums by a dimension |
//! | `split` | how shared costs are divided |
//! | `budget` | what may be spent, what is, where the period ends |
//! | `unit`, `counts` | what one prediction or run costs; counts by day, of a CSV file or of metrics |
//! | `people` | hours and tools that the infrastructure takes, and what automation would return |
//! | `runs`, `run_filter` | what runs, GPU-hours and predictions of jobs cost by day; which jobs |
//! | `quota` | what may run at once |
//! | `compliance`, `tagging` | resources without required tags; the commands and texts that tag them |

mod allocate;
mod budget;
#[cfg(test)]
mod budget_tests;
mod compliance;
mod counts;
mod dimension;
mod filter;
mod line;
mod owner;
mod pattern;
mod people;
mod quota;
mod rules;
mod run_filter;
mod runs;
#[cfg(test)]
mod runs_tests;
mod split;
mod tagging;
#[cfg(test)]
mod tests;
mod unit;

pub use allocate::{Allocation, AllocationRow, Remark, SharedCost, allocate};
pub use budget::{
    Budget, BudgetMonth, BudgetPeriod, BudgetState, asks_resources, budget_months, budget_of,
    budget_state, spent_by_day,
};
pub use compliance::{Compliance, MissingTags, compliance};
pub use counts::{Counts, CountsError, Samples, counts, samples};
pub use dimension::Dimension;
pub use filter::MoneyFilter;
pub use line::{GpusOf, Lack, Line, fleet_lines, lines};
pub use pattern::Pattern;
pub use people::{
    Activity, Effort, EffortRow, Efforts, MonthHours, PayBack, People, Tool, efforts,
};
pub use quota::{
    Limited, Quota, QuotaState, Running, asked_line, quota_states, running, takes, team_named,
};
pub use rules::{Mapping, Pool, Rules};
pub use run_filter::RunFilter;
pub use runs::{PaidAttempt, RunBook, RunCount, RunDays, RunDollars, RunRule, RunsBy};
pub use split::Split;
pub use tagging::{tag_policy, tag_specifications};
pub use unit::{CountedUnit, Unit, UnitDays, UnitState, state_of};
