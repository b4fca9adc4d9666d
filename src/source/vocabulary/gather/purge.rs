//! Forgets devices and series that are no longer reported.

use std::sync::Arc;

use super::{About, Gather, LabelSet, ROW_BYTES, TURNED_AWAY};

impl Gather {
    /// Forgets refused label sets: there may be room in the next sweep.
    pub(super) fn forget_turned_away(&mut self) {
        if self.turned_away > 0 {
            self.known.retain(|_, set| *set != TURNED_AWAY);
            self.turned_away = 0;
        }
    }

    /// Drops label sets and devices that are gone, once they outnumber the present ones, or take their memory.
    pub(super) fn purge(&mut self) {
        self.forget_turned_away();
        let gone = self.sets.len() > self.live_sets;
        if self.sets.len() <= 2 * self.live_sets + 1024 && !(gone && self.budget.is_tight()) {
            return;
        }
        let sweep = self.sweep;
        let mut rows_to = vec![u32::MAX; self.rows.len()];
        let mut sets_to = vec![u32::MAX; self.sets.len()];
        let mut next = 0;
        for (to, row) in rows_to.iter_mut().zip(&self.rows) {
            if row.seen == sweep {
                *to = next;
                next += 1;
            }
        }
        let keep = |set: &LabelSet| {
            set.seen == sweep
                && !matches!(set.about, About::Device(at) if rows_to[at as usize] == u32::MAX)
        };
        next = 0;
        for (to, set) in sets_to.iter_mut().zip(&self.sets) {
            if keep(set) {
                *to = next;
                next += 1;
            }
        }
        self.known.retain(|_, set| {
            *set = sets_to[*set as usize];
            *set != u32::MAX
        });
        self.sets.retain(keep);
        for set in &mut self.sets {
            if let About::Device(at) = &mut set.about {
                *at = rows_to[*at as usize];
            }
        }
        self.by_key.retain(|_, at| {
            *at = rows_to[*at as usize];
            *at != u32::MAX
        });
        self.rows.retain(|row| row.seen == sweep);
        for row in &mut self.rows {
            row.sets_before.retain_mut(|set| {
                *set = sets_to[*set as usize];
                *set != u32::MAX
            });
            row.sets.clear();
        }
        self.owners.retain(|owner| Arc::strong_count(owner) > 1);
        let sets: usize = self.sets.iter().map(|set| set.bytes).sum();
        let needed = (sets + self.rows.len() * ROW_BYTES).min(self.held);
        self.budget.give(self.held - needed);
        self.held = needed;
    }
}
