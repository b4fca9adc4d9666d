//! What a bill says: by which key how much, for what category, what changed, where the month ends, what is unusual of it,
//! how it lies beside live burn.
//!
//! Sums are exact: the rows of each view add up to the total of the bills to the last digit.
//!
//! | file | holds |
//! |---|---|
//! | `settings` | which tags tell training from serving, team, project, environment, cost center |
//! | `category`, `category_table` | the category of the anatomy, from a table of services |
//! | `keys` | the keys by which a bill is drilled |
//! | `countable` | which of several bills of a month count |
//! | `column` | values of a key in one bill, and sums by them |
//! | `breakdown` | sums by one key or two |
//! | `sql` | the same sums as SQL over lines, and its answer as sums |
//! | `measured` | what the machines did in a month |
//! | `anatomy`, `published` | sums by category, with what was wasted; shares that others published |
//! | `changes` | two periods: price, usage, new, gone |
//! | `month`, `forecast` | the month so far, and its end |
//! | `anomalies` | spikes, silent drops, slow drifts |
//! | `reconcile` | the days of the bill beside live burn, and why they differ |
//! | `instance_use` | which lines are hours of instances |
//! | `rates` | private rates that a bill shows |

mod anatomy;
pub mod anomalies;
mod breakdown;
mod category;
mod category_table;
mod changes;
mod column;
mod countable;
#[cfg(test)]
pub(crate) mod fixture;
mod forecast;
mod instance_use;
mod keys;
mod measured;
mod month;
mod published;
mod rates;
pub mod reconcile;
mod settings;
mod sql;
#[cfg(test)]
mod test_lines;

pub use anatomy::{Anatomy, AnatomyRow, Measured, MeasuredShare, anatomy};
pub use breakdown::{Breakdown, BreakdownError, breakdown};
pub(super) use category::Categories;
pub use category::Category;
pub use changes::{Change, Changes, changes, same_days};
pub(super) use column::{Item, items};
pub use countable::{Countable, countable};
pub use forecast::Forecast;
pub(super) use forecast::{Z90, each_day, forecast};
pub use keys::{BillKey, KEYS_AT_MOST, Only};
pub use measured::measured;
pub(super) use month::whole_days;
pub use month::{DayBar, MonthPicture, month};
pub use published::{PUBLISHED, PublishedShare};
pub use rates::billed_rates;
pub use settings::{BillSettings, TagIs};
pub use sql::{BadAnswer, Drill};
