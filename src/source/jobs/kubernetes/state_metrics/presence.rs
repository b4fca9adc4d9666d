//! Which pods are there: one that its teller tells no more of is gone, one whose teller fell silent may run on.

use std::collections::HashMap;

use jiff::Timestamp;

use super::facts::PodFacts;
use super::objects::moment;

/// What is older is not now, s.
const FRESH_S: f64 = 300.0;

/// Who told of a pod so shortly before it was last told of, s, knew of it until then.
const BESIDE_S: f64 = 120.0;

/// After so long another teller has taken over from one that fell silent, s.
const TAKEN_OVER_S: f64 = 3_600.0;

/// Times of one scrape differ by rounding at most, s.
const ROUNDING_S: f64 = 1.0;

/// How a pod that is not over stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Presence {
    /// It is there; last told of then.
    There(Timestamp),
    /// It is gone, and was last told of then.
    Gone(Timestamp),
    /// Nobody who knew of it tells anything; last told of then.
    Unknown(Timestamp),
}

/// Who told what until when.
pub(super) struct Tellers<'a> {
    last: &'a HashMap<String, f64>,
    /// End of what was read, Unix s.
    until: f64,
}

impl<'a> Tellers<'a> {
    pub fn new(last: &'a HashMap<String, f64>, until: i64) -> Self {
        Self { last, until: until as f64 }
    }

    fn last(&self, teller: &str) -> f64 {
        self.last.get(teller).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// When anything was told last; `None` where nothing was.
    pub fn newest(&self) -> Option<Timestamp> {
        moment(self.last.values().copied().max_by(f64::total_cmp)?)
    }

    /// True where somebody tells what is now.
    pub fn is_fresh(&self) -> bool {
        self.last.values().any(|at| self.is_now(*at))
    }

    fn is_now(&self, at: f64) -> bool {
        at >= self.until - FRESH_S
    }

    /// How a pod stands at the end of what was read; `None` where nobody told when it was there.
    pub fn presence(&self, of: &PodFacts) -> Option<Presence> {
        let last = of.last_seen()?;
        let at = moment(last)?;
        let told = || of.seen.iter().map(|(teller, at)| (self.last(teller), *at));
        // Newer than what another copy told last.
        let is_dropped = told().any(|(end, at)| at + BESIDE_S >= last && end > last + ROUNDING_S);
        if !is_dropped && told().any(|(end, at)| self.is_now(end) && at + ROUNDING_S >= end) {
            return Some(Presence::There(at));
        }
        let is_old = last + TAKEN_OVER_S < self.until && self.is_fresh();
        Some(if is_dropped || is_old { Presence::Gone(at) } else { Presence::Unknown(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(tellers: &[(&str, f64)], seen: &[(&str, f64)]) -> Presence {
        let last = tellers.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect();
        let seen = seen.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect();
        let pod = PodFacts { seen, ..PodFacts::default() };
        Tellers::new(&last, 100_000).presence(&pod).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_pod_is_gone_when_its_teller_tells_of_others_alone() {
        assert_eq!(presence(&[("a", 99_990.0)], &[("a", 99_990.0)]), Presence::There(at(99_990)));
        assert_eq!(presence(&[("a", 99_990.0)], &[("a", 99_960.0)]), Presence::Gone(at(99_960)));
    }

    #[test]
    fn a_teller_that_falls_silent_takes_no_pod_away() {
        let silent = presence(&[("a", 99_000.0)], &[("a", 99_000.0)]);
        assert_eq!(silent, Presence::Unknown(at(99_000)));
        // One of two shards is away: what it told of may run on.
        let tellers = [("a", 99_000.0), ("b", 99_990.0)];
        assert_eq!(presence(&tellers, &[("a", 99_000.0)]), Presence::Unknown(at(99_000)));
        // After an hour whoever took over tells what is there.
        let tellers = [("a", 90_000.0), ("b", 99_990.0)];
        assert_eq!(presence(&tellers, &[("a", 90_000.0)]), Presence::Gone(at(90_000)));
    }

    #[test]
    fn of_two_copies_one_is_enough_to_know() {
        let tellers = [("a", 99_990.0), ("b", 99_975.0)];
        let gone = presence(&tellers, &[("a", 99_900.0), ("b", 99_915.0)]);
        assert_eq!(gone, Presence::Gone(at(99_915)));
        // The one that told of it last is away, and the other one tells no more of it.
        let tellers = [("a", 99_990.0), ("b", 99_915.0)];
        let gone = presence(&tellers, &[("a", 99_900.0), ("b", 99_915.0)]);
        assert_eq!(gone, Presence::Gone(at(99_915)));
        // It was moved to another shard long before.
        let tellers = [("a", 99_990.0), ("b", 99_600.0)];
        let moved = presence(&tellers, &[("a", 98_000.0), ("b", 99_600.0)]);
        assert_eq!(moved, Presence::Unknown(at(99_600)));
    }
}
