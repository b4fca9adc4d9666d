//! What would keep an instance from being stopped, as far as it is known without asking.

use std::sync::Arc;

use super::Row;

/// Something that would keep an instance from being stopped, or that a stop would need besides. The guards of `act::plan`, which
/// stands above this folder, say what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Name of the guard: `jobs`, `instance_store`.
    pub guard: &'static str,
    /// What it is and what to do about it, one clause; clean text.
    pub text: Arc<str>,
    /// True where it blocks a stop, or may; false where it is a warning.
    pub blocks: bool,
    /// False where it may turn out to be none: the check looks again, and elsewhere.
    pub is_sure: bool,
}

impl Row {
    /// All that speaks against a stop, what blocks it first; `None` where nobody looked, where jobs that may have it
    /// are still being read, and of an instance that is not idle.
    pub fn against_stop(&self) -> Option<impl Iterator<Item = &Obstacle>> {
        Some(self.obstacles.as_deref()?.iter())
    }

    /// Of these, what would block a stop, or may.
    pub fn blocked_by(&self) -> Option<impl Iterator<Item = &Obstacle>> {
        Some(self.against_stop()?.filter(|obstacle| obstacle.blocks))
    }
}
