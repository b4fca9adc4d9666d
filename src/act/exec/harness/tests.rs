//! The trials.

use super::counts::Counts;
use super::faults::{Bug, CallFault, PLACES};
use super::trial::{Report, Session, play};

const TRIALS: u64 = 1_000;
/// Lines of the trace of a failed trial that are shown.
const SHOWN: usize = 400;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|v| v.parse().unwrap())
}

fn fail(seed: u64, session: Session, report: &Report) -> ! {
    for line in report.trace.iter().take(SHOWN) {
        eprintln!("  {line}");
    }
    panic!(
        "trial {seed} ({session:?}) broke: {:#?}\nagain: BURNTOP_TRIAL_SEED={seed} cargo test \
         --lib act::exec::harness",
        report.violations
    );
}

/// Plays trials, on all processors where there are many; the first that breaks a rule is told, with
/// the seeds of others.
fn all(session: Session, trials: u64) -> Counts {
    let seeds = match number("BURNTOP_TRIAL_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=trials,
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    // Tests run beside each other as it is.
    let threads = if trials > TRIALS { threads } else { 1 };
    let part = |thread: u64| {
        let (mut counts, mut broken) = (Counts::default(), Vec::new());
        for seed in seeds.clone().filter(|seed| seed % threads == thread) {
            let mut report = play(seed, session, None);
            counts.add(std::mem::take(&mut report.counts));
            if !report.violations.is_empty() {
                broken.push((seed, report));
            }
            if broken.len() > 20 {
                break;
            }
        }
        (counts, broken)
    };
    let (mut counts, mut broken) = (Counts::default(), Vec::new());
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|n| scope.spawn(move || part(n))).collect();
        for one in parts {
            let (more, wrong) = one.join().unwrap();
            counts.add(more);
            broken.extend(wrong);
        }
    });
    broken.sort_by_key(|(seed, _)| *seed);
    if let Some((seed, report)) = broken.first() {
        for (seed, report) in &broken {
            eprintln!("{seed}: {:?}", report.violations);
        }
        fail(*seed, session, report);
    }
    counts
}

fn is_whole() -> bool {
    number("BURNTOP_TRIAL_SEED").is_none()
}

#[test]
fn whatever_goes_wrong_nothing_is_touched_that_must_not_be() {
    let trials = number("BURNTOP_TRIALS").unwrap_or(TRIALS);
    let counts = all(Session::Armed, trials);
    println!("{counts}");
    if !is_whole() {
        return;
    }
    // A harness in which nothing happens proves nothing.
    let share = |count: u64, percent: u64| {
        assert!(count * 100 >= trials * percent, "{count} in {trials} trials\n{counts}");
    };
    let effect = |what: &str| counts.effects.get(what).copied().unwrap_or(0);
    share(effect("terminated"), 20);
    share(effect("stopped"), 20);
    share(effect("decremented"), 2);
    share(effect("started"), 1);
    share(effect("marked"), 2);
    share(counts.kills, 30);
    share(counts.reconciled.values().sum(), 10);
    share(counts.outcomes.get("refused").copied().unwrap_or(0), 5);
    share(counts.torn, 1);
    for fault in CallFault::ALL {
        assert!(counts.faults.contains_key(fault.name()), "{} never came up", fault.name());
    }
    for fault in [
        "power lost",
        "disk full",
        "fsync failed",
        "log unreadable",
        "a reading failed",
        "a fact could not be read",
        "caller in another account",
        "telemetry lost, looked at",
        "telemetry malformed, looked at",
        "telemetry could not be read",
        "telemetry empty",
        "telemetry stale",
        "telemetry malformed",
        "telemetry incomplete",
        "a series is missing",
        "gets protected",
        "gets exempted",
        "stopped and started by somebody",
        "type changed by somebody",
        "terminated by somebody",
        "stopped by somebody",
        "protected member, the zone's call fails",
        "protected member, those before it are done",
    ] {
        assert!(counts.faults.contains_key(fault), "{fault} never came up");
    }
    for left in ["another run is at it", "another run takes members of its"] {
        let refused = counts.refusals.iter().filter(|(why, _)| why.starts_with(left));
        share(refused.map(|(_, n)| n * 10).sum(), 1);
    }
    for place in PLACES {
        assert!(counts.kill_places.contains_key(place), "never killed {place}");
    }
}

#[test]
fn the_executor_of_a_read_only_session_makes_no_write_call() {
    let trials = number("BURNTOP_TRIALS").unwrap_or(TRIALS) / 5;
    let counts = all(Session::ReadOnlyExecutor, trials);
    assert_eq!((counts.write_calls, counts.effects.len()), (0, 0));
    println!("read-only: {} trials, {} write calls", counts.trials, counts.write_calls);
}

#[test]
fn an_account_that_is_not_armed_sees_no_write_call_whatever_executor_there_is() {
    let trials = number("BURNTOP_TRIALS").unwrap_or(TRIALS) / 5;
    let counts = all(Session::ForbiddenByRules, trials);
    assert_eq!((counts.write_calls, counts.effects.len()), (0, 0));
    assert!(!is_whole() || counts.blocked.get("armed").is_some_and(|n| *n > trials));
    println!("not armed: {} trials, {} write calls", counts.trials, counts.write_calls);
}

#[test]
fn the_same_seed_plays_the_same_trial() {
    for seed in 1..=20 {
        let (a, b) = (play(seed, Session::Armed, None), play(seed, Session::Armed, None));
        assert_eq!(without_runs(&a.trace), without_runs(&b.trace), "seed {seed}");
    }
}

/// The names of runs are random on purpose.
fn without_runs(trace: &[String]) -> Vec<String> {
    trace.iter().filter(|l| !l.contains("intent")).cloned().collect()
}

/// Each planted bug must be found by the rule that it breaks.
#[test]
fn planted_bugs_are_caught() {
    if !is_whole() {
        return;
    }
    for (bug, rules) in [
        (Bug::DiskLies, &["(b)"][..]),
        (Bug::CallsTwice, &["(d)"]),
        (Bug::StaleLook, &["(a)"]),
        (Bug::BlindRetry, &["(d)"]),
        (Bug::WrongApi, &["(g)"]),
        (Bug::ExtraInstance, &["(a)"]),
        (Bug::WishfulStates, &["(e)"]),
        (Bug::DropsOutcomes, &["(c)"]),
    ] {
        let caught = (1..=TRIALS).find(|&seed| {
            let report = play(seed, Session::Armed, Some(bug));
            report.violations.iter().any(|v| rules.iter().any(|rule| v.starts_with(rule)))
        });
        let seed = caught.unwrap_or_else(|| panic!("{bug:?} was not caught in {TRIALS} trials"));
        println!("{bug:?} caught by {rules:?} in trial {seed}");
    }
}

#[test]
fn a_success_that_is_only_claimed_is_not_believed() {
    for seed in 1..=TRIALS / 5 {
        let report = play(seed, Session::Armed, Some(Bug::ClaimsSuccess));
        if !report.violations.is_empty() {
            fail(seed, Session::Armed, &report);
        }
        let done = report.counts.outcomes.get("done").copied().unwrap_or(0);
        assert!(report.counts.effects.is_empty() || done == 0, "seed {seed}");
    }
}
