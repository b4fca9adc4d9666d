//! What could be saved, for the cockpit: worked out on a worker thread from what was read, the
//! newest only.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Running;
use super::order::InOrder;
use crate::analyze::savings::{SavingsInput, picture};
use crate::app::Msg;
use crate::cli::savings_rules;
use crate::domain::SavingsFacts;
use crate::fleet::{Fleet, GpuFleet};

/// Between two pictures: what comes meanwhile goes into the next. A fleet comes with each reading,
/// and ten thousand instances are some hundred milliseconds of work.
const BETWEEN: Duration = Duration::from_secs(3);

/// What pictures of savings are made from.
#[derive(Default)]
pub(super) struct SavingsWork {
    pub(super) facts: Option<Arc<SavingsFacts>>,
    pub(super) fleet: Option<Arc<Fleet>>,
    pub(super) gpus: Option<Arc<GpuFleet>>,
    /// The version begun last.
    begun_version: u64,
    order: InOrder,
    /// When the last picture was begun.
    begun: Option<Instant>,
    /// When the next one is due, where something newer waits.
    due: Option<Instant>,
}

impl SavingsWork {
    /// Ends when a picture is due; never where none waits.
    pub(super) async fn due(&self) {
        match self.due {
            Some(at) => tokio::time::sleep_until(at).await,
            None => pending().await,
        }
    }

    /// True when a picture may be begun now; else it waits for its time.
    fn may_begin(&mut self, now: Instant) -> bool {
        if let Some(next) = self.begun.map(|at| at + BETWEEN).filter(|next| *next > now) {
            self.due = Some(next);
            return false;
        }
        self.due = None;
        self.begun = Some(now);
        true
    }
}

impl Running {
    /// Works out what could be saved, on a worker thread: the screen shows the fleet meanwhile.
    pub(super) fn picture_savings(&mut self) {
        let (Some(fleet), Some(facts)) = (self.savings.fleet.clone(), self.savings.facts.clone())
        else {
            return;
        };
        if !self.savings.may_begin(Instant::now()) {
            return;
        }
        let gpus = self.savings.gpus.clone().unwrap_or_default();
        let storage = self.storage.latest();
        self.savings.begun_version += 1;
        let (version, order) = (self.savings.begun_version, self.savings.order.clone());
        let rules = savings_rules::of(&self.invocation.config);
        let tag_keys = self.invocation.config.tag_keys.clone();
        let (now, messages) = (self.now(), self.messages.clone());
        tokio::task::spawn_blocking(move || {
            let made = picture(&SavingsInput {
                version,
                now,
                fleet: &fleet,
                gpus: &gpus,
                storage: storage.as_deref(),
                facts: &facts,
                rules: &rules,
                tag_keys: &tag_keys,
            });
            order.show(version, || {
                // The screen may be gone already; there is nobody left to tell.
                let _ = messages.blocking_send(Msg::Savings(Arc::new(made)));
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_too_soon_waits_and_goes_into_one_picture() {
        let mut work = SavingsWork::default();
        let start = Instant::now();
        assert!(work.may_begin(start));
        assert!(work.due.is_none());
        let soon = start + Duration::from_secs(1);
        assert!(!work.may_begin(soon));
        assert!(!work.may_begin(soon + Duration::from_millis(10)));
        assert_eq!(work.due, Some(start + BETWEEN), "it is made when its time has come");
        assert!(work.may_begin(start + BETWEEN));
        assert!(work.due.is_none(), "nothing waits any more");
        assert!(work.may_begin(start + BETWEEN * 3));
    }
}
