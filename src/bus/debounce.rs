//! Debounce: many updates that come in become one picture.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Updates that come within this time become one picture.
pub(super) const DEBOUNCE: Duration = Duration::from_millis(120);

/// When the next picture is due: [`DEBOUNCE`] after the first update that it takes in.
#[derive(Default)]
pub(super) struct Debounce(Option<Instant>);

impl Debounce {
    /// An update came in.
    pub fn start(&mut self) {
        self.0.get_or_insert_with(|| Instant::now() + DEBOUNCE);
    }

    /// Ends when the picture is due, which then waits no more; never where none is.
    pub async fn elapsed(&mut self) {
        match self.0 {
            Some(at) => sleep_until(at).await,
            None => std::future::pending().await,
        }
        self.0 = None;
    }
}
