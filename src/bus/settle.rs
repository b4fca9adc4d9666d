//! Lets what comes in settle: many updates become one picture.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Updates that come within this time become one picture.
pub(super) const SETTLE: Duration = Duration::from_millis(120);

/// When the next picture is due: [`SETTLE`] after the first update that it takes in.
#[derive(Default)]
pub(super) struct Settle(Option<Instant>);

impl Settle {
    /// An update came in.
    pub fn begin(&mut self) {
        self.0.get_or_insert_with(|| Instant::now() + SETTLE);
    }

    /// Ends when the picture is due, which then waits no more; never where none is.
    pub async fn over(&mut self) {
        match self.0 {
            Some(at) => sleep_until(at).await,
            None => std::future::pending().await,
        }
        self.0 = None;
    }
}
