//! Values scenarios beside the screen: the newest of each slot, a quick answer first, then a settled
//! one, then everything.
//!
//! Two threads of its own: one that takes what is asked, and one more while there is something to
//! share. What is outdated is dropped between stages and, in the long one, between its pieces. A
//! panic ends one answer, never the thread.

mod engine;
mod queue;
#[cfg(test)]
mod tests;
mod work;

pub use engine::whole;

use std::sync::Arc;
use std::thread;

use queue::RequestQueue;
pub use work::Threads;

use crate::whatif::{Engine, PlanAnswer, PlanRequest};

/// How many threads compute, the one that takes the requests included.
const THREADS: usize = 2;

/// Values scenarios in the background. Dropping it ends its thread after the current piece of work.
#[derive(Debug)]
pub struct Planner {
    queue: Arc<RequestQueue>,
}

impl Planner {
    /// Starts the thread; `send` gets each answer there.
    pub fn start(send: impl Fn(PlanAnswer) + Send + 'static) -> Self {
        let queue = Arc::new(RequestQueue::default());
        let here = Arc::clone(&queue);
        let started = thread::Builder::new().name("planner".into()).spawn(move || {
            work::Work::<Engine>::new(&here, &send, Threads(THREADS)).run();
        });
        if started.is_err() {
            queue.close();
        }
        Self { queue }
    }

    /// Asks for the value of a scenario. An earlier request for the same slot is outdated by it.
    /// False where no thread could be started: nothing will be answered.
    pub fn ask(&self, request: PlanRequest) -> bool {
        self.queue.ask(request)
    }
}

impl Drop for Planner {
    fn drop(&mut self) {
        self.queue.close();
    }
}
