//! What the imported bills say of resources, beside what the sources say of them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Shared;
use super::world::Update;
use crate::domain::bill::NewestBill;

/// Bills come once a day, or by hand.
const EVERY: Duration = Duration::from_hours(1);

/// Reads what the newest bill says of what is seen live, blocking; `None` where no bill is kept.
pub type ReadBilled = Arc<dyn Fn() -> Option<NewestBill> + Send + Sync>;

/// Reads the newest bill at the start, and again each hour unless `only_once`.
pub(super) async fn run(shared: Arc<Shared>, updates: mpsc::Sender<Update>, only_once: bool) {
    let Some(read) = shared.settings.bills.clone() else { return };
    loop {
        let read = read.clone();
        // A thread that failed leaves the last good costs and rates.
        if let Ok(Some(bill)) = tokio::task::spawn_blocking(move || read()).await {
            let _ = updates.send(Update::Billed(Box::new(bill))).await;
        }
        if only_once || shared.settings.offline {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shared.stop.cancelled() => return,
        }
    }
}
