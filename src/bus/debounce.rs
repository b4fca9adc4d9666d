//! Debounce: many updates that come in become one picture.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Updates that come within this time become one picture.
const DEBOUNCE: Duration = Duration::from_millis(120);

/// When the next picture is due: [`DEBOUNCE`] after the first update that it takes in.
#[derive(Default)]
pub(super) struct Debounce(Option<Instant>);

impl Debounce {
    /// An update came in.
    pub fn start(&mut self) {
        self.0.get_or_insert_with(|| Instant::now() + DEBOUNCE);
    }

    /// When the picture is due; `None` where none is.
    pub fn due(&self) -> Option<Instant> {
        self.0
    }

    /// A picture is made: none is due any more.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Ends when the picture is due, which then waits no more; never where none is.
    pub async fn elapsed(&mut self) {
        until(self.0).await;
        self.clear();
    }
}

/// Ends at a moment; never where there is none.
pub(super) async fn until(moment: Option<Instant>) {
    match moment {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
