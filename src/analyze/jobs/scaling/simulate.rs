//! Which nodes would be up under a setting: the stretches in which nodes were held, given to nodes that are warm, else to ones that boot.

use std::collections::VecDeque;
use std::ops::Range;

/// A stretch in which somebody held a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// From when, milliseconds since the beginning of the time that is replayed.
    pub from: i64,
    /// Until when, later.
    pub to: i64,
    /// Places in [`Load::begun`] of the jobs that began it.
    pub begun: Range<u32>,
}

/// What a group was used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Time that is replayed, milliseconds.
    pub span: i64,
    /// Nodes that were up at its beginning, and held by nobody.
    pub idle: u32,
    /// Stretches in the order of their beginnings; those from 0 hold nodes that were up by then.
    pub units: Vec<Unit>,
    /// Their ends, in order.
    pub ends: Vec<i64>,
    /// Numbers of the jobs that began stretches.
    pub begun: Vec<u32>,
    /// Number of jobs that began; their numbers are below it.
    pub jobs: u32,
}

/// Settings of an autoscaler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// For how long a node stays up that nobody holds, milliseconds; `None` = for ever.
    pub delay_ms: Option<i64>,
    /// Nodes that stay up whatever happens.
    pub kept: u32,
}

/// What a setting would have come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Time for which nodes would have been up and held by nobody, without boots, milliseconds.
    pub idle_ms: i64,
    /// Nodes that would have booted for somebody.
    pub starts: u32,
}

/// Nodes that nobody holds.
struct Idle {
    setting: Setting,
    /// Since when, the longest first.
    since: VecDeque<i64>,
    /// Nodes that are up, held or not.
    up: u32,
    ms: i64,
}

impl Idle {
    /// Takes down what has stood idle for the delay by a moment, the longest first, as long as more are up than are kept.
    fn until(&mut self, at: i64) {
        let Some(delay) = self.setting.delay_ms else { return };
        while let Some(since) = self.since.front().copied() {
            if since.saturating_add(delay) > at || self.up <= self.setting.kept {
                break;
            }
            self.since.pop_front();
            self.ms += delay;
            self.up -= 1;
        }
    }
}

/// Replays a load under a setting, and hands over each stretch that would have found no warm node. The node that fell idle last is
/// taken first. In the time of the stretches: each end and each beginning is looked at once.
pub(super) fn simulate(load: &Load, setting: Setting, cold: &mut dyn FnMut(&Unit)) -> Outcome {
    let held = load.units.partition_point(|unit| unit.from == 0);
    let up = (held as u32).saturating_add(load.idle).max(setting.kept);
    let first = vec![0_i64; up as usize - held];
    let mut idle = Idle { setting, since: first.into(), up, ms: 0 };
    let mut ends = load.ends.iter().copied().peekable();
    let mut starts = 0;
    for unit in &load.units[held..] {
        // Who gives a node back at this moment gives it to who begins now.
        while let Some(end) = ends.next_if(|end| *end <= unit.from) {
            idle.since.push_back(end);
        }
        idle.until(unit.from);
        match idle.since.pop_back() {
            Some(since) => idle.ms += unit.from - since,
            None => {
                starts += 1;
                idle.up += 1;
                cold(unit);
            }
        }
    }
    idle.since.extend(ends);
    idle.until(load.span);
    let rest: i64 = idle.since.iter().map(|since| load.span - since).sum();
    Outcome { idle_ms: idle.ms + rest, starts }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A load of stretches by their beginnings and lengths; those of length 0 are none.
    fn load(span: i64, idle: u32, stretches: &[(i64, i64)]) -> Load {
        let mut all: Vec<(i64, i64)> = stretches
            .iter()
            .map(|(from, long)| (*from, (from + long).min(span)))
            .filter(|(from, to)| from < to)
            .collect();
        all.sort_unstable();
        let mut ends: Vec<i64> = all.iter().map(|(_, to)| *to).collect();
        ends.sort_unstable();
        let units = all.into_iter().map(|(from, to)| Unit { from, to, begun: 0..0 }).collect();
        Load { span, idle, units, ends, ..Load::default() }
    }

    /// The same minute by minute: each node by itself, with what holds it until when, or since when it idles.
    fn minute_by_minute(load: &Load, setting: Setting) -> (Outcome, Vec<i64>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Node {
            Held(i64),
            Idle(i64),
        }
        let mut nodes = vec![Node::Idle(0); load.idle as usize];
        nodes.extend(load.units.iter().filter(|unit| unit.from == 0).map(|u| Node::Held(u.to)));
        while nodes.len() < setting.kept as usize {
            nodes.push(Node::Idle(0));
        }
        let (mut outcome, mut cold) = (Outcome::default(), Vec::new());
        for minute in 0..load.span {
            for node in &mut nodes {
                if *node == Node::Held(minute) {
                    *node = Node::Idle(minute);
                }
            }
            // Oldest first, one at a time.
            while let Some(delay) = setting.delay_ms {
                let due = nodes.iter().enumerate().filter_map(|(place, node)| match node {
                    Node::Idle(since) if minute - since >= delay => Some((*since, place)),
                    _ => None,
                });
                match due.min() {
                    Some((_, place)) if nodes.len() > setting.kept as usize => nodes.remove(place),
                    _ => break,
                };
            }
            for unit in load.units.iter().filter(|unit| minute > 0 && unit.from == minute) {
                let warm = nodes.iter().enumerate().filter_map(|(place, node)| match node {
                    Node::Idle(since) => Some((*since, place)),
                    Node::Held(_) => None,
                });
                match warm.max() {
                    Some((_, place)) => nodes[place] = Node::Held(unit.to),
                    None => {
                        outcome.starts += 1;
                        cold.push(unit.from);
                        nodes.push(Node::Held(unit.to));
                    }
                }
            }
            let idle = nodes.iter().filter(|node| matches!(node, Node::Idle(_)));
            outcome.idle_ms += idle.count() as i64;
        }
        (outcome, cold)
    }

    proptest! {
        #[test]
        fn nodes_are_up_as_they_are_minute_by_minute(
            span in 1_i64..120,
            idle in 0_u32..4,
            stretches in prop::collection::vec((0_i64..120, 0_i64..30), 0..25),
            delay_ms in prop::option::of(1_i64..40),
            kept in 0_u32..4,
        ) {
            let (load, setting) = (load(span, idle, &stretches), Setting { delay_ms, kept });
            let mut cold = Vec::new();
            let found = simulate(&load, setting, &mut |unit| cold.push(unit.from));
            prop_assert_eq!((found, cold), minute_by_minute(&load, setting));
        }
    }

    #[test]
    fn a_node_is_warm_until_the_delay_is_over() {
        // Held from 10 to 20, and again from 30: ten minutes later.
        let load = load(100, 0, &[(10, 10), (30, 10)]);
        let of = |delay, kept| {
            let setting = Setting { delay_ms: delay, kept };
            let found = simulate(&load, setting, &mut |_| ());
            (found.idle_ms, found.starts)
        };
        assert_eq!(of(Some(10), 0), (20, 2));
        assert_eq!(of(Some(11), 0), (10 + 11, 1));
        assert_eq!(of(None, 0), (10 + 60, 1));
        // One is always there: from the beginning, between and after.
        assert_eq!(of(Some(1), 1), (10 + 10 + 60, 0));
    }
}
