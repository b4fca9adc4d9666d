//! A drain: nothing starts for a while on a node on which so many attempts failed by its hardware, or for a cause that nobody knows.

use super::history::{Blamed, History, Outcome, Tried};
use super::sums::ByKey;
use super::{HOUR_MS, ReplayTerms};
use crate::analyze::jobs::lost::Amount;

/// A node as the rule sees it.
#[derive(Clone, Default)]
struct Node {
    /// When attempts failed on it, milliseconds: since the last one that completed there, or of which nobody knows how it ended,
    /// and since it was drained last.
    failed_at: Vec<i64>,
    /// Until when it is drained; `None` = it never was.
    drained_until: Option<i64>,
}

/// What happens to nodes as time goes by.
struct Drains<'a> {
    history: &'a History,
    /// Failures after which a node is drained.
    limit: usize,
    /// Within how long they count together, milliseconds.
    within: i64,
    /// For how long it is drained, milliseconds.
    drained: i64,
    nodes: Vec<Node>,
    /// Of each place in [`History::on`], whether the node was drained when the attempt began: it ran on another one.
    elsewhere: Vec<bool>,
    /// Time in which nodes were drained, as far as it counts, milliseconds.
    drained_ms: u64,
}

/// What draining a node after so many failures within a while, without one that completed there between them, would have saved:
/// what the attempts lost that began there while it was drained and failed for the same kind of cause. What else was held by
/// what began there then would have needed other nodes: the part of it that was on drained nodes is its cost, at most. Returns for
/// how long nodes were drained, milliseconds of a node.
pub(super) fn replay(history: &History, limit: u32, terms: &ReplayTerms, sums: &mut ByKey) -> u64 {
    let mut drains = Drains {
        history,
        limit: limit as usize,
        within: i64::from(terms.within_hours) * HOUR_MS,
        drained: i64::from(terms.drained_hours) * HOUR_MS,
        nodes: vec![Node::default(); history.nodes],
        elsewhere: vec![false; history.on.len()],
        drained_ms: 0,
    };
    for event in &history.events {
        let of = &history.all[event.place as usize];
        if event.is_begin() {
            drains.begin(of, event.at, sums);
        } else {
            drains.end(of, event.at);
        }
    }
    drains.drained_ms
}

impl Drains<'_> {
    fn begin(&mut self, of: &Tried, at: i64, sums: &mut ByKey) {
        let mut moved = 0;
        for place in of.places() {
            let node = &self.nodes[self.history.on[place] as usize];
            let is_drained = node.drained_until.is_some_and(|until| at < until);
            self.elsewhere[place] = is_drained;
            moved += u64::from(is_drained);
        }
        if moved == 0 {
            return;
        }
        let saved = if self.is_spared(of) { of.lost() } else { Amount::ZERO };
        sums.add(of, saved, of.held().less(saved).part(moved, of.places().len() as u64));
    }

    /// True for an attempt whose failure is put down to a node that was drained when it began.
    fn is_spared(&self, of: &Tried) -> bool {
        let mut elsewhere = of.places().filter(|place| self.elsewhere[*place]);
        match of.blamed {
            Blamed::None => false,
            Blamed::All => elsewhere.next().is_some(),
            Blamed::One(node) => elsewhere.any(|place| self.history.on[place] == node),
        }
    }

    fn end(&mut self, of: &Tried, at: i64) {
        if matches!(of.outcome, Outcome::Completed | Outcome::Unknown) {
            for place in of.places().filter(|place| !self.elsewhere[*place]) {
                self.nodes[self.history.on[place] as usize].failed_at.clear();
            }
            return;
        }
        // What would have run elsewhere did not fail here.
        if self.is_spared(of) {
            return;
        }
        match of.blamed {
            Blamed::None => {}
            Blamed::All => of.places().for_each(|place| self.fail(self.history.on[place], at)),
            Blamed::One(node) => self.fail(node, at),
        }
    }

    fn fail(&mut self, node: u32, at: i64) {
        let node = &mut self.nodes[node as usize];
        node.failed_at.retain(|before| at.saturating_sub(*before) <= self.within);
        node.failed_at.push(at);
        if node.failed_at.len() < self.limit {
            return;
        }
        node.failed_at.clear();
        let until = at.saturating_add(self.drained);
        // One that ran there still may fail while it is drained: that time counts once.
        let from = node.drained_until.map_or(at, |before| before.max(at));
        node.drained_until = Some(until);
        let (since, now) = self.history.counted;
        let counted = until.min(now).saturating_sub(from.max(since));
        self.drained_ms += counted.max(0).unsigned_abs();
    }
}
