//! What would keep an instance from being stopped, as far as it is known without asking.

use std::sync::Arc;

use super::Row;

/// Something that would keep an instance from being stopped, or that a stop would need besides. The guards of `act::plan`, which
/// stands above this folder, say what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Name of the guard: `jobs`.
    pub guard: &'static str,
    /// What it is and what to do about it, one clause; clean text.
    pub text: Arc<str>,
    /// True where it blocks a stop, or may; false where it is a warning.
    pub blocks: bool,
    /// False where it may turn out to be none: the check looks again, and elsewhere.
    pub is_sure: bool,
}

impl Row {
    /// Obstacles that would block a stop, or may; `None` where nobody looked, where jobs that may have it
    /// are still being read, and of an instance that is not idle.
    pub fn blocked_by(&self) -> Option<impl Iterator<Item = &Obstacle>> {
        Some(self.obstacles.as_deref()?.iter().filter(|obstacle| obstacle.blocks))
    }
}
