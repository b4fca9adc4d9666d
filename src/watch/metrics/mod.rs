//! Figures of one round for Prometheus: families of metrics, and their text (format 0.0.4).
//!
//! What is not known has no series: never 0, and beside a sum stands how many parts it leaves out. A label has at most so
//! many values ([`MetricsInput::most_values`]): the costliest are kept, the rest is one more value, `other`, so that the
//! rows of a family still add up to the whole.
//!
//! | file | holds |
//! |---|---|
//! | `families` | the one table of families: name, type, labels, unit, help |
//! | `family` | what a row of it is |
//! | `page` | series, and the text made of them |
//! | `kept` | which values of a label are kept |
//! | `input` | what a page is made of |
//! | `instances`, `gpus`, `money`, `sources`, `round` | from the pictures to series |

mod families;
mod family;
mod gpus;
mod input;
mod instances;
mod kept;
mod money;
mod page;
mod round;
mod sources;
#[cfg(test)]
mod tests;

pub use input::{AlertCount, BudgetUse, Build, DeliveryCount, MetricsInput, WatchCounts};
pub use kept::MOST_VALUES;

use page::Page;

/// The figures of one moment.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    page: Page,
}

impl Metrics {
    /// Figures of a round.
    pub fn of(input: &MetricsInput<'_>, counts: &WatchCounts) -> Self {
        let mut page = Page::default();
        instances::add(&mut page, input);
        gpus::add(&mut page, input);
        money::add(&mut page, input);
        sources::add(&mut page, input);
        round::add(&mut page, input, counts);
        Self { page }
    }

    /// What is known before the first round has ended: which build this is.
    pub fn of_build(build: Build<'_>) -> Self {
        let mut page = Page::default();
        round::add_build(&mut page, build);
        Self { page }
    }

    /// The page in the text format of Prometheus, version 0.0.4: families in the order of the table, series in the order
    /// of their labels. A family without a series is not named.
    pub fn text(&self) -> String {
        self.page.text()
    }
}
