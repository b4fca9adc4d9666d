//! What is kept of jobs, beside what the sources say: who holds instances and GPUs, and what a run costs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Shared;
use super::world::Update;
use crate::analyze::jobs::KeptHolders;
use crate::domain::bill::UnitCost;

/// How often it is looked who holds what.
const HOLDERS_EVERY: Duration = Duration::from_mins(1);

/// How often runs are costed: it goes through all attempts.
const RUNS_EVERY: Duration = Duration::from_hours(1);

/// How what is kept of jobs is read; each blocks.
#[derive(Clone)]
pub struct ReadJobs {
    /// Who holds nodes and GPUs; nothing where no source was read of late.
    pub holders: Arc<dyn Fn() -> Arc<KeptHolders> + Send + Sync>,
    /// What runs cost; empty where no jobs are kept.
    pub runs: Arc<dyn Fn() -> Vec<UnitCost> + Send + Sync>,
}

/// Reads both at the start, and again and again unless `only_once`.
pub(super) async fn run(shared: Arc<Shared>, updates: mpsc::Sender<Update>, only_once: bool) {
    let Some(ReadJobs { holders, runs }) = shared.settings.jobs.clone() else { return };
    let mut costed: Option<Instant> = None;
    loop {
        let read = holders.clone();
        // A thread that failed leaves what was known.
        if let Ok(kept) = tokio::task::spawn_blocking(move || read()).await {
            shared.live.hold(&kept);
            let held = kept.instances(shared.now());
            let _ = updates.send(Update::Held(Box::new(held))).await;
        }
        if costed.is_none_or(|at| at.elapsed() >= RUNS_EVERY) {
            costed = Some(Instant::now());
            let read = runs.clone();
            if let Ok(units) = tokio::task::spawn_blocking(move || read()).await {
                let _ = updates.send(Update::Runs(units)).await;
            }
        }
        if only_once || shared.settings.offline {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(HOLDERS_EVERY) => {}
            () = shared.stop.cancelled() => return,
        }
    }
}
