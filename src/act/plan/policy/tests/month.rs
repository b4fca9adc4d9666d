//! A month, hour by hour, of instances that work and rest at random, against a machine that knows
//! the truth of each hour and counts instead of comparing times.

use jiff::{SignedDuration, Timestamp};

use super::properties::tagged;
use super::scene::{at, decide_all, fleet, instance, policy, row, scene};
use crate::act::plan::Rules;
use crate::act::plan::policy::{DecisionKind as K, plans};
use crate::domain::VerdictKind;
use crate::fleet::Row;

/// Hours of rest that make an idle verdict, as for GPU boxes.
const STRETCH: i64 = 24;
const GRACE: i64 = 96;
const REMIND: i64 = 24;

/// The independent account of one box: hours counted one by one.
#[derive(Clone, Copy, Default)]
struct Machine {
    /// Hours since the last use.
    rest: i64,
    /// Hours since it was marked, if it is.
    marked: Option<i64>,
    /// Hours since its owner was reminded, if he was.
    reminded: Option<i64>,
    stopped: bool,
}

impl Machine {
    /// Lets an hour pass.
    fn hour(&mut self, used: bool) {
        self.rest = if used { 0 } else { self.rest + 1 };
        self.marked = self.marked.map(|n| n + 1);
        self.reminded = self.reminded.map(|n| n + 1);
    }

    /// What a run has to do now, and does.
    fn run(&mut self, known: bool) -> K {
        if self.stopped || !known {
            return K::Nothing;
        }
        let idle = self.rest >= STRETCH;
        match (idle, self.marked) {
            (false, None) => K::Nothing,
            (false, Some(_)) => {
                (self.marked, self.reminded) = (None, None);
                K::Unmark
            }
            (true, None) => {
                self.marked = Some(0);
                K::Mark
            }
            // Rested for less long than it was marked: it worked in between, and nobody looked.
            (true, Some(age)) if self.rest < age => {
                (self.marked, self.reminded) = (None, None);
                K::Unmark
            }
            (true, Some(age)) => match self.reminded {
                None if age >= GRACE - REMIND => {
                    self.reminded = Some(0);
                    K::Remind
                }
                Some(since) if age >= GRACE && since >= REMIND => {
                    self.stopped = true;
                    K::Stop
                }
                _ => K::Wait,
            },
        }
    }
}

/// Runs a month; `every` hours between two runs. Returns how often each kind was decided.
fn month(seed: u64, every: i64) -> [usize; 6] {
    let mut random = fastrand::Rng::with_seed(seed);
    let policy = policy();
    let rules = Rules::default();
    let start = at("2026-11-01T00:00:00Z");
    let mut row: Row = row(instance(&[]), VerdictKind::Busy, None);
    let mut machine = Machine::default();
    let mut last_use = start;
    let mut used = true;
    let mut counts = [0; 6];
    // The chance that work goes on, or rest, from an hour to the next.
    let (work, rest) = (0.5 + 0.5 * random.f64(), 0.97 + 0.03 * random.f64());
    for n in 1..=31 * 24 {
        let now: Timestamp = start + SignedDuration::from_hours(n);
        used = random.f64() < if used { work } else { 1.0 - rest };
        if used {
            last_use = now;
        }
        machine.hour(used);
        if n % every != 0 {
            continue;
        }
        let known = random.f64() > 0.05;
        let idle = now.duration_since(last_use) >= SignedDuration::from_hours(STRETCH);
        let mut verdict = (**row.verdict.as_ref().unwrap()).clone();
        (verdict.kind, verdict.idle_since) = match (known, idle) {
            (false, _) => (VerdictKind::Unknown, None),
            (true, true) => (VerdictKind::Idle, Some(last_use)),
            (true, false) => (VerdictKind::Busy, None),
        };
        // A stopped box keeps its last verdict here: its state alone must keep it from being
        // stopped twice.
        row.verdict = Some(verdict.into());
        let fleet = fleet(vec![row.clone()], now);
        let decisions = decide_all(&policy, &fleet, now);
        let want = machine.run(known);
        let got = decisions[0].kind;
        assert_eq!(got, want, "seed {seed}, hour {n}: {}", decisions[0].reason);
        counts[K::ALL.iter().position(|k| *k == got).unwrap()] += 1;
        let planned = plans(&policy, &fleet, &decisions, &scene(&rules, now), "cautious");
        for planned in planned {
            row = tagged(&row, &planned.plan.verb, now);
        }
    }
    counts
}

#[test]
fn a_month_of_random_boxes_goes_as_the_counting_machine_says() {
    let mut seen = [0; 6];
    for seed in 0..100 {
        for every in [1, 7, 24, 50] {
            let one = month(seed, every);
            seen.iter_mut().zip(one).for_each(|(all, n)| *all += n);
        }
    }
    // Every kind came up often enough to mean something.
    for (kind, n) in K::ALL.iter().zip(seen) {
        assert!(n >= 20, "{kind:?} came up {n} times: {seen:?}");
    }
}
