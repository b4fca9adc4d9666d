//! What the imported bills say of resources, beside what the sources say of them, and what the jobs that are kept lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Shared;
use super::world::Update;
use crate::domain::bill::NewestBill;
use crate::domain::jobs::AvoidableRuns;

/// Bills come once a day, or by hand.
const EVERY: Duration = Duration::from_hours(1);

/// Reads what the newest bill says of what is seen live, blocking; `None` where no bill is kept.
pub type ReadBilled = Arc<dyn Fn() -> Option<NewestBill> + Send + Sync>;

/// Reads what failed attempts of jobs took that need not have been, blocking; `None` where no jobs are kept.
pub type ReadFailedRuns = Arc<dyn Fn() -> Option<AvoidableRuns> + Send + Sync>;

/// Reads the newest bill and what failed runs took at the start, and again each hour unless `only_once`.
pub(super) async fn run(shared: Arc<Shared>, updates: mpsc::Sender<Update>, only_once: bool) {
    let settings = &shared.settings;
    let bills = settings.bills.clone();
    // A step of all savings together, and of nothing else.
    let is_all = settings.savings.market && settings.savings.resources;
    let failed = settings.failed_runs.clone().filter(|_| is_all);
    if bills.is_none() && failed.is_none() {
        return;
    }
    loop {
        // A thread that failed leaves the last good costs and rates.
        if let Some(read) = bills.clone()
            && let Ok(Some(bill)) = tokio::task::spawn_blocking(move || read()).await
        {
            let _ = updates.send(Update::Billed(Box::new(bill))).await;
        }
        if let Some(read) = failed.clone()
            && let Ok(Some(runs)) = tokio::task::spawn_blocking(move || read()).await
        {
            let _ = updates.send(Update::FailedRuns(runs)).await;
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
