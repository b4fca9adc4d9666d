//! What a command of a tab, or a word typed on it, does to the cockpit.

use std::fmt;
use std::sync::Arc;

use super::{App, Effect};

/// Callback of a tab's command or prompt: changes the cockpit with the typed text, or fails with the reason.
/// Two are equal when they are the same value.
#[derive(Clone)]
pub struct Deed(Arc<Act>);

type Act = dyn Fn(&mut App, &str) -> Result<Vec<Effect>, String> + Send + Sync;

impl Deed {
    /// A callback from a closure over the typed text, whose error is the message shown.
    pub(crate) fn of(
        act: impl Fn(&mut App, &str) -> Result<Vec<Effect>, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(act))
    }

    /// Does it.
    pub(super) fn apply(&self, app: &mut App, text: &str) -> Result<Vec<Effect>, String> {
        (self.0)(app, text)
    }
}

impl fmt::Debug for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deed").finish_non_exhaustive()
    }
}

impl PartialEq for Deed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
