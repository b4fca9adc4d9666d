//! Rules replayed over random histories, beside a naive calculation that goes through all attempts for each.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::domain::jobs::GpuTime;
use ReplayRule as R;

/// What is known of an attempt.
struct One {
    start: i64,
    end: Option<i64>,
    /// `failed`, `completed`, `taken` by others, else `unknown`.
    ended: &'static str,
    counts: bool,
    held_ms: i64,
    /// GPU-hours and dollars.
    held: [f64; 2],
    lost: [f64; 2],
    script: String,
    nodes: BTreeSet<String>,
    blamed: BTreeSet<String>,
}

impl One {
    fn of(row: &Costed, since: i64) -> Self {
        use JobState as S;
        let of = &row.attempt;
        let start = of.started_at.unwrap().as_millisecond();
        let end = of.ended_at.map(|end| end.as_millisecond().max(start));
        let ended = match of.state {
            S::Failed | S::OutOfMemory | S::TimedOut | S::NodeFault => "failed",
            S::Completed | S::CompletedStepFailed => "completed",
            S::Preempted | S::Cancelled => "taken",
            S::Running | S::Queued | S::Doubtful | S::Unknown => "unknown",
        };
        let nodes: BTreeSet<String> = of.nodes.iter().map(ToString::to_string).collect();
        let is_of_node = matches!(row.class, Some(CauseClass::Hardware | CauseClass::Unknown));
        let numbers = |time: Option<GpuTime>, usd: Option<Usd>| {
            [time.map_or(0.0, GpuTime::hours), usd.map_or(0.0, Usd::to_f64)]
        };
        Self {
            start,
            end,
            ended,
            counts: ended != "unknown"
                && end.is_some_and(|end| end >= since)
                && row.held.gpu_time.is_some(),
            held_ms: of.held_ms().unwrap_or_default(),
            held: numbers(row.held.gpu_time, row.held.usd),
            lost: numbers(row.lost.gpu_time, row.lost.usd),
            script: match &of.name {
                Some(name) => format!("{:?} {name}", of.user),
                None => format!("job {}", of.job),
            },
            blamed: if ended == "failed" && is_of_node { nodes.clone() } else { BTreeSet::new() },
            nodes,
        }
    }
}

/// Those whose end is known at a moment, in the order in which they ended, of one moment the failures first.
fn ended_before(all: &[One], at: i64) -> Vec<usize> {
    let is_known = |of: &One| of.end.is_some_and(|end| end < at || end == at && of.start < at);
    let mut found: Vec<usize> = (0..all.len()).filter(|i| is_known(&all[*i])).collect();
    found.sort_by_key(|i| {
        (all[*i].end, all[*i].end == Some(all[*i].start), all[*i].ended != "failed")
    });
    found
}

/// Attempts touched, completed ones among them, and saved and cost in GPU-hours and dollars.
#[derive(Debug, Default)]
struct Naive {
    attempts: u32,
    completed: u32,
    saved: [f64; 2],
    cost: [f64; 2],
}

impl Naive {
    fn add(&mut self, of: &One, saved: [f64; 2], cost: [f64; 2]) {
        if !of.counts {
            return;
        }
        self.attempts += 1;
        self.completed += u32::from(of.ended == "completed");
        for (sums, more) in [(&mut self.saved, saved), (&mut self.cost, cost)] {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    fn is(&self, row: &Replay) -> Result<(), TestCaseError> {
        let sums = &row.sums;
        prop_assert_eq!(
            (self.attempts, self.completed),
            (sums.attempts, sums.completed),
            "{}",
            row.id
        );
        let found = [
            [sums.saved.hours(), sums.saved_usd.to_f64()],
            [sums.cost.hours(), sums.cost_usd.to_f64()],
        ];
        for (want, found) in
            [self.saved, self.cost].into_iter().flatten().zip(found.into_iter().flatten())
        {
            prop_assert!((want - found).abs() < 1e-6, "{}: {} for {}", row.id, found, want);
        }
        Ok(())
    }
}

fn part(of: [f64; 2], share: f64) -> [f64; 2] {
    of.map(|amount| amount * share)
}

/// What an attempt held and did not lose.
fn kept(of: &One) -> [f64; 2] {
    [of.held[0] - of.lost[0], of.held[1] - of.lost[1]]
}

fn retries(all: &[One], limit: u32) -> Naive {
    let mut sums = Naive::default();
    for of in all {
        let mut in_a_row = 0;
        for before in ended_before(all, of.start).into_iter().map(|i| &all[i]) {
            if before.script == of.script && before.ended == "failed" {
                in_a_row += 1;
            } else if before.script == of.script
                && (before.ended == "completed" || before.ended == "unknown")
            {
                in_a_row = 0;
            }
        }
        if in_a_row >= limit {
            sums.add(of, of.lost, kept(of));
        }
    }
    sums
}

/// When a node is drained before a moment. `elsewhere` are the nodes of each attempt on which it did not run.
fn drains(
    all: &[One],
    elsewhere: &[BTreeSet<String>],
    node: &str,
    at: i64,
    limit: usize,
    within: i64,
) -> Vec<i64> {
    let (mut failed, mut found) = (Vec::new(), Vec::new());
    for i in ended_before(all, at) {
        let (of, moved) = (&all[i], &elsewhere[i]);
        let end = of.end.unwrap();
        if (of.ended == "completed" || of.ended == "unknown")
            && of.nodes.contains(node)
            && !moved.contains(node)
        {
            failed.clear();
        } else if of.blamed.contains(node) && of.blamed.is_disjoint(moved) {
            failed.push(end);
            failed.retain(|before| end - before <= within);
            if failed.len() >= limit {
                found.push(end);
                failed.clear();
            }
        }
    }
    found
}

/// Hours of a node, and what the drains save and cost.
fn drained(all: &[One], limit: u32, terms: &ReplayTerms, counted: (i64, i64)) -> (f64, Naive) {
    let hours = |hours: u32| i64::from(hours) * 3_600_000;
    let (within, length) = (hours(terms.within_hours), hours(terms.drained_hours));
    let mut elsewhere = vec![BTreeSet::new(); all.len()];
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| all[*i].start);
    let mut sums = Naive::default();
    for i in order {
        let of = &all[i];
        let is_drained = |node: &&String| {
            let before = drains(all, &elsewhere, node, of.start, limit as usize, within);
            before.iter().any(|at| of.start < at + length)
        };
        let moved: BTreeSet<String> = of.nodes.iter().filter(is_drained).cloned().collect();
        let share = moved.len() as f64 / of.nodes.len().max(1) as f64;
        if !moved.is_empty() && !of.blamed.is_disjoint(&moved) {
            sums.add(of, of.lost, part(kept(of), share));
        } else if !moved.is_empty() {
            sums.add(of, [0.0; 2], part(of.held, share));
        }
        elsewhere[i] = moved;
    }
    let nodes: BTreeSet<&String> = all.iter().flat_map(|of| &of.nodes).collect();
    let mut ms = 0;
    for node in nodes {
        let mut until = counted.0;
        for at in drains(all, &elsewhere, node, i64::MAX, limit as usize, within) {
            let end = (at + length).min(counted.1);
            ms += (end - at.max(until)).max(0);
            until = until.max(end);
        }
    }
    (ms as f64 / 3.6e6, sums)
}

fn checkpoints(all: &[One], minutes: u32, write_ms: i64, restart_ms: i64) -> Naive {
    let interval = i64::from(minutes) * 60_000;
    let mut sums = Naive::default();
    for of in all.iter().filter(|of| of.held[0] > 0.0 && of.held_ms >= interval) {
        let mut written = 0;
        while (written + 1) * interval <= of.held_ms {
            written += 1;
        }
        let after = (of.held_ms - written * interval + restart_ms).min(of.held_ms);
        let after = part(of.held, after as f64 / of.held_ms as f64);
        let saved = [0, 1].map(|unit| (of.lost[unit] - after[unit]).max(0.0));
        sums.add(of, saved, part(of.held, (written * write_ms) as f64 / of.held_ms as f64));
    }
    sums
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let numbers = (0_i64..100, 0_i64..20, 0_usize..12, 0_u32..16, 0_u32..9);
    let more = (
        prop::option::of(0_u32..2),
        0_u32..2,
        0_u32..5,
        prop::option::of(0_i64..100),
        prop::option::of(0_i64..50),
    );
    (numbers, more).prop_map(
        |((from, hours, state, nodes, gpus), (name, user, kind, saved, first))| {
            let state = JobState::ALL[state];
            let minutes = (from * 60, (from + hours) * 60 + i64::from(gpus % 3) * 25);
            let mut of = attempt("0", state, gpus, minutes);
            of.name = name.map(|name| text(&format!("train{}", ["a", "b"][name as usize])));
            of.user = (user > 0).then(|| text("ines"));
            of.nodes =
                (0..4).filter(|n| (nodes >> n) & 1 == 1).map(|n| text(&format!("n{n}"))).collect();
            match kind {
                0 => of.instance_type = None,
                1 => (of.instance_type, of.gpus) = (None, None),
                2 => of.reason = Some(text("ModuleNotFoundError: No module named 'x'")),
                _ => {}
            }
            if matches!(state, JobState::Running | JobState::Queued) {
                of.ended_at = None;
            }
            of.saved_at = saved.and_then(|hour| at(hour * 60));
            of.first_step_at = first.and_then(|after| at(from * 60 + after));
            of
        },
    )
}

fn histories() -> impl Strategy<Value = Vec<Attempt>> {
    prop::collection::vec(any_attempt(), 0..24).prop_map(|mut all| {
        for (place, of) in all.iter_mut().enumerate() {
            of.job = text(&(place % 9).to_string());
            of.id.raw = of.job.clone();
        }
        all
    })
}

fn any_terms() -> impl Strategy<Value = ReplayTerms> {
    let numbers = (prop::option::of(1_u32..5), 0_i64..3_600_000, 1_u32..60, 1_u32..60);
    numbers.prop_map(|(days, checkpoint_ms, within_hours, drained_hours)| ReplayTerms {
        by: ReplayKey::All,
        days,
        checkpoint_ms,
        within_hours,
        drained_hours,
    })
}

fn now() -> jiff::Timestamp {
    at(110 * 60).unwrap()
}

proptest! {
    #[test]
    fn what_rules_save_and_cost_is_what_going_through_all_of_them_says(all in histories(), terms in any_terms()) {
        let rows = cost(&all);
        let found = replays(&rows, &terms, now());
        let now = now().as_millisecond();
        let since = terms.days.map_or(i64::MIN / 2, |days| now - i64::from(days) * 86_400_000);
        let ones: Vec<One> = rows.iter().map(|row| One::of(row, since)).collect();
        let mut restarts: Vec<i64> = all
            .iter()
            .filter_map(|of| Some(of.first_step_at?.as_millisecond() - of.started_at?.as_millisecond()))
            .collect();
        restarts.sort_unstable();
        let restart = restarts.get(restarts.len().saturating_sub(1) / 2).copied().unwrap_or_default();
        prop_assert_eq!(found.of.restart_ms, restart);
        for row in &found.rows {
            match row.rule {
                R::RetryLimit => retries(&ones, row.setting).is(row)?,
                R::DrainAfter => {
                    let (hours, naive) = drained(&ones, row.setting, &terms, (since, now));
                    naive.is(row)?;
                    prop_assert!((row.drained_ms.unwrap() as f64 / 3.6e6 - hours).abs() < 1e-6, "{}", row.id);
                }
                R::CheckpointEvery => {
                    checkpoints(&ones, row.setting, terms.checkpoint_ms, restart).is(row)?;
                }
                R::EarlyStopping => prop_assert!(row.cost().is_none()),
            }
        }
        prop_assert_eq!(found.rows.len(), 15);
    }

    #[test]
    fn without_a_row_of_each_attempt_it_is_the_same(all in histories(), terms in any_terms()) {
        let whole = replays(&cost(&all), &terms, now());
        prop_assert_eq!(replayed(all, &input(), &terms, now()), whole);
    }

    #[test]
    fn rows_by_a_key_add_up_to_that_of_all(all in histories(), terms in any_terms()) {
        let rows = cost(&all);
        let whole = replays(&rows, &terms, now());
        for by in [ReplayKey::User, ReplayKey::Team, ReplayKey::Script] {
            let keyed = replays(&rows, &ReplayTerms { by, ..terms }, now());
            prop_assert_eq!(keyed.of, whole.of);
            for row in &whole.rows {
                let parts = keyed.rows.iter().filter(|part| (part.rule, part.setting) == (row.rule, row.setting));
                let (mut attempts, mut saved, mut usd) = (0, GpuTime::ZERO, Usd::ZERO);
                for part in parts {
                    prop_assert!(part.sums.attempts > 0 && part.drained_ms.is_none());
                    attempts += part.sums.attempts;
                    saved += part.sums.saved;
                    usd += part.sums.saved_usd - part.sums.cost_usd;
                }
                let sums = &row.sums;
                prop_assert_eq!((attempts, saved, usd), (sums.attempts, sums.saved, sums.saved_usd - sums.cost_usd), "{}", row.id);
            }
        }
    }
}
