//! The newest that each source said.

use std::collections::HashMap;
use std::sync::Arc;

use super::Teller;
use crate::domain::Sweep;

/// Newest sweeps of one source.
#[derive(Default)]
struct Latest {
    /// Newest sweep of all hosts; `None` before the first.
    full: Option<Arc<Sweep>>,
    /// Newer sweep of the hosts in focus; `None` without one.
    partial: Option<Arc<Sweep>>,
}

/// The newest sweeps of all sources.
#[derive(Default)]
pub(super) struct Board(HashMap<Teller, Latest>);

impl Board {
    /// Takes a sweep over. False when it says what was known: a source that itself reads less often
    /// than it is asked gives the same again.
    pub fn take(&mut self, sweep: Sweep) -> bool {
        let latest = self.0.entry((sweep.source, sweep.origin.clone())).or_default();
        let slot = if sweep.partial { &mut latest.partial } else { &mut latest.full };
        let news = slot.as_ref().is_none_or(|old| !says_the_same(old, &sweep));
        let partial = sweep.partial;
        if news {
            *slot = Some(Arc::new(sweep));
        }
        if !partial {
            latest.partial = None;
        }
        news
    }

    /// All of them.
    pub fn sweeps(&self) -> Vec<Arc<Sweep>> {
        let of = |l: &Latest| [l.full.clone(), l.partial.clone()];
        self.0.values().flat_map(of).flatten().collect()
    }
}

/// True when nothing differs but the moment of asking. Samples carry the moment of measuring.
fn says_the_same(a: &Sweep, b: &Sweep) -> bool {
    a.samples == b.samples
        && (a.asked, a.answered, a.partial) == (b.asked, b.answered, b.partial)
        && a.troubles == b.troubles
}
