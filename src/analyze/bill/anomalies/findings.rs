//! Runs of all levels as events, each at the most specific key that explains it.

use super::AnomalyKind;
use super::calendar::Calendar;
use super::drift::{drifts, mean_before};
use super::runs::{Run, runs};
use super::series::{AllSeries, Level, Node};
use super::usual::{DayState, Judged};

/// A key explains an event with this part of it.
const EXPLAINS: f64 = 0.8;

/// Events of more specific keys stand in place of one that they explain with this part.
const PARTS: f64 = 0.5;

/// Services of an account that are unusual together, from which on it is one event of the account.
const SERVICES: usize = 3;

/// An event: unusual days, and what they are of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    /// The series it is of.
    pub node: Node,
    /// The days.
    pub run: Run,
    /// What would be usual over all days of the run, USD.
    pub expected: f64,
}

/// Finds the events of all accounts.
pub(super) fn findings(series: &AllSeries, calendar: &Calendar, floor: f64) -> Vec<Finding> {
    let mut found = Vec::new();
    for account in series.accounts() {
        let covered = series.covered(&account, calendar);
        let states: Vec<DayState> = covered
            .iter()
            .map(|covered| if *covered { DayState::Usual } else { DayState::Unread })
            .collect();
        let mut search = Search { series, calendar, floor, states, values: Vec::new() };
        let mut events = Vec::new();
        search.events(&account, &mut events);
        for kind in [AnomalyKind::Spike, AnomalyKind::Drop, AnomalyKind::Drift] {
            let same = events.iter().filter(|(_, run)| run.kind == kind);
            let rises = |run: &Run| run.difference > 0.0;
            let (up, down): (Vec<_>, Vec<_>) = same.partition(|(_, run)| rises(run));
            search.merge(&account, up, &mut found);
            search.merge(&account, down, &mut found);
        }
    }
    found
}

/// An event of a node, before events are merged.
type Event = (Node, Run);

/// The search in an account.
struct Search<'a> {
    series: &'a AllSeries,
    calendar: &'a Calendar,
    floor: f64,
    /// Which days are covered.
    states: Vec<DayState>,
    values: Vec<f64>,
}

impl Search<'_> {
    /// Events of all nodes below `node`; a node with the series of another one is looked at once, as the most specific.
    fn events(&mut self, node: &Node, into: &mut Vec<Event>) {
        let children = self.series.children(node);
        for child in &children {
            self.events(child, into);
        }
        let is_own = node.level != Level::Account && children.len() != 1;
        if !is_own || !self.series.values(node, self.floor, &mut self.values) {
            return;
        }
        let largest = self.values.iter().map(|usd| usd.abs()).fold(0.0, f64::max);
        if largest < self.floor {
            return;
        }
        let mut states = self.states.clone();
        let found = runs(&self.values, &mut states, self.calendar, self.floor);
        into.extend(found.into_iter().map(|run| (*node, run)));
        let found = drifts(&self.values, &states, self.calendar, self.floor);
        into.extend(found.into_iter().map(|run| (*node, run)));
    }

    /// Merges events of an account, of one kind and direction.
    fn merge(&mut self, account: &Node, mut events: Vec<&Event>, into: &mut Vec<Finding>) {
        // The largest first; of as large ones the most specific.
        events.sort_by(|(a_node, a), (b_node, b)| {
            let by_size = b.difference.abs().total_cmp(&a.difference.abs());
            by_size.then(b_node.level.cmp(&a_node.level)).then(a_node.from.cmp(&b_node.from))
        });
        let services = self.series.children(account);
        while let Some(event) = events.first().copied() {
            let run = event.1;
            let is_together = |other: &Event| other.1.first.abs_diff(run.first) <= 1;
            let most_of = |service: &Node| {
                let of = events.iter().filter(|e| is_together(e) && service.holds(&e.0));
                of.map(|(_, run)| run.difference.abs()).fold(0.0, f64::max)
            };
            let by_service: Vec<f64> =
                services.iter().map(most_of).filter(|most| *most > 0.0).collect();
            let explains_all = run.difference.abs() >= EXPLAINS * by_service.iter().sum::<f64>();
            let is_of_account = !explains_all && by_service.len() >= SERVICES;
            let node = if is_of_account { *account } else { self.most_specific(event.0, &run) };
            let is_drilled = node != event.0 && !is_of_account;
            let of_node = events.iter().find(|(of, part)| *of == node && part.overlaps(&run));
            // What explains it is usual by itself, or it is several events.
            if (is_drilled && of_node.is_none()) || is_of_parts(event, &events) {
                events.retain(|other| !std::ptr::eq(*other, event));
                continue;
            }
            let run = of_node.map_or(run, |(_, run)| *run);
            let expected = self.expected(&node, &run);
            into.push(Finding { node, run, expected });
            events.retain(|other| {
                let is_related = node.holds(&other.0) || other.0.holds(&node);
                let is_explained = explains_all && is_together(other);
                let is_in_it = is_related && other.1.overlaps(&run);
                !(std::ptr::eq(*other, event) || is_explained || is_in_it)
            });
        }
    }

    /// The most specific node in the node of an event that explains what its days differ by.
    fn most_specific(&mut self, of: Node, run: &Run) -> Node {
        let (mut node, mut whole) = (of, run.difference.abs());
        loop {
            let children = self.series.children(&node);
            let differences = children
                .into_iter()
                .map(|child| (child, self.difference(&child, run) * run.difference.signum()));
            match differences.max_by(|(_, a), (_, b)| a.total_cmp(b)) {
                Some((child, usd)) if usd >= EXPLAINS * whole => (node, whole) = (child, usd),
                _ => return node,
            }
        }
    }

    /// Actual less expected cost of a node over the days of a run, USD.
    fn difference(&mut self, node: &Node, run: &Run) -> f64 {
        if !self.series.values(node, 0.0, &mut self.values) {
            return 0.0;
        }
        let actual: f64 = self.values[run.first..=run.last].iter().sum();
        actual - self.expected_of_values(run)
    }

    /// What is usual of a node over the days of a run, USD.
    fn expected(&mut self, node: &Node, run: &Run) -> f64 {
        self.series.values(node, 0.0, &mut self.values);
        self.expected_of_values(run)
    }

    fn expected_of_values(&self, run: &Run) -> f64 {
        if run.kind == AnomalyKind::Drift {
            return mean_before(&self.values, run.first) * (run.last + 1 - run.first) as f64;
        }
        let (values, states) = (&self.values[..], &self.states[..]);
        let judged = Judged { values, states, calendar: self.calendar };
        let days = (run.first..=run.last).filter(|day| states[*day] != DayState::Unread);
        days.filter_map(|day| judged.usual(day, run.first)).map(|usual| usual.expected).sum()
    }
}

/// True where events of more specific keys explain an event better: those that differ from what is usual by most of it,
/// and are one event, or began at different times.
fn is_of_parts((node, run): &Event, events: &[&Event]) -> bool {
    let parts = || {
        events
            .iter()
            .filter(|(other, part)| *other != *node && node.holds(other) && part.overlaps(run))
    };
    let sums = [Level::UsageType, Level::Tag].map(|level| {
        let of_level = parts().filter(|(node, _)| node.level == level);
        of_level.map(|(_, part)| part.difference.abs()).sum::<f64>()
    });
    let sum = f64::max(sums[0], sums[1]);
    let together = parts().filter(|(_, part)| part.first.abs_diff(run.first) <= 1);
    let largest = together.map(|(_, part)| part.difference.abs()).fold(0.0, f64::max);
    let is_one = largest >= EXPLAINS * sum;
    let is_several = parts().any(|(_, part)| {
        part.first.abs_diff(run.first) > 1 && part.difference.abs() >= (1.0 - EXPLAINS) * sum
    });
    sum >= PARTS * run.difference.abs() && (is_one || is_several)
}
