//! The replay against a reckoning of its own, and on series of real instances.

mod naive;
mod real;

use proptest::prelude::*;

use super::super::tests::fixtures::{Case, background, now};
use super::super::tests::properties::any_case;
use super::super::{Policy, Preset, signals_for};
use super::*;
use crate::domain::InstanceState;
use crate::whatif::OneByOne;

/// Days that the cases are replayed over: their series hold 16 and a half.
const DAYS: u32 = 16;

fn presets() -> Vec<Policy> {
    Preset::ALL.iter().map(|preset| preset.policy()).collect()
}

fn past(case: &Case) -> Past<'_> {
    Past { instance: &case.instance, spec: case.spec.as_ref(), series: &case.series }
}

fn replayed(case: &Case, days: u32) -> Vec<Track> {
    Replay::new(presets(), now(), days).of(&past(case)).tracks
}

/// A quiet box with everything that a preset can ask for, over 40 days.
fn quiet(vcpus: u32, gpus: u32) -> Case {
    let mut case = Case::new(vcpus, gpus);
    for policy in presets() {
        for signal in signals_for(&policy, gpus) {
            case = case.fill(signal, 40 * 24, background(signal));
        }
    }
    case
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Judging each moment anew from the hours before it, and looking through the hours after it one by one, comes to
    /// the same.
    #[test]
    fn every_moment_is_as_judging_it_anew_says(case in any_case(), ended in 0..30_i32) {
        let mut case = case;
        // Some have ended: nothing reports from then on.
        if (1..10).contains(&ended) {
            case.instance.state = InstanceState::Stopped;
            let last = ended * 31;
            let cut = |(signal, series): (Signal, &crate::domain::HourlySeries)| {
                let mut series = series.clone();
                for ago in 1..=last {
                    series.set(super::super::tests::fixtures::closed(ago), f32::NAN);
                }
                (signal, series)
            };
            case.series = case.series.iter().map(cut).collect();
        }
        let tracks = replayed(&case, DAYS);
        for (policy, track) in presets().iter().zip(&tracks) {
            prop_assert_eq!(&track.called, &naive::called(&case, policy, DAYS), "{}", policy.name);
            let spells = naive::spells(&case, policy, DAYS);
            prop_assert_eq!(&track.spells, &spells, "{}", policy.name);
        }
    }

    /// No hour after a moment changes what is said at it.
    #[test]
    fn a_moment_knows_nothing_of_what_came_later(case in any_case(), days in 1..10_u32) {
        let called = |case: &Case| -> Vec<Vec<u32>> {
            let then = |track: &Track| {
                track.called.iter().map(|(ago, _)| *ago).filter(|ago| *ago >= days).collect()
            };
            replayed(case, DAYS).iter().map(then).collect()
        };
        let before = called(&case);
        let mut later = case.clone();
        let signals: Vec<Signal> = case.series.iter().map(|(signal, _)| signal).collect();
        for signal in signals {
            later = later.with(signal, 1..=days as i32 * 24, 90.0);
        }
        prop_assert_eq!(before, called(&later));
    }
}

#[test]
fn an_instance_counts_once_until_it_is_used() {
    let case = quiet(8, 0);
    for track in replayed(&case, 20) {
        assert_eq!((track.spells.len(), track.called.len(), track.judged), (1, 20, 20));
        let spell = track.spells[0];
        assert_eq!((spell.outcome, spell.held), (Outcome::Idle, Some(true)));
        assert_eq!(spell.idle_hours, 20 * 24);
    }
    // An afternoon of work ten days ago: two spells, the first of which ends with it.
    let worked =
        quiet(8, 0).with(Signal::CpuMax, 240..246, 80.0).with(Signal::CpuMean, 240..246, 70.0);
    let cautious = &replayed(&worked, 20)[0];
    let outcomes: Vec<Outcome> = cautious.spells.iter().map(|spell| spell.outcome).collect();
    // 20 days ago to the 245th hour before now.
    assert_eq!(outcomes, [Outcome::Woke { after_hours: 480 - 245 }, Outcome::Idle]);
    assert_eq!(cautious.spells[0].held, Some(true));
    assert_eq!(cautious.spells[0].idle_hours, 480 - 245);
}

#[test]
fn a_gap_is_no_verdict_and_no_idleness() {
    // Nothing reported for two of the last five days.
    let mut case = quiet(8, 0);
    for signal in signals_for(&Preset::Cautious.policy(), 0) {
        case = case.with(signal, 25..=72, f32::NAN);
    }
    let cautious = &replayed(&case, 5)[0];
    // 5 and 4 days ago it was called idle; after that the window has a gap of more than a tenth.
    assert_eq!(cautious.called, [(5, Outcome::Unseen), (4, Outcome::Unseen), (3, Outcome::Unseen)]);
    assert_eq!((cautious.judged, cautious.spells.len()), (3, 1));
    assert_eq!(cautious.spells[0].idle_hours, 5 * 24 - 48, "hours that nobody saw save nothing");
    assert_eq!(cautious.spells[0].held, Some(true), "the first day was seen");
}

#[test]
fn too_little_history_gives_no_verdict() {
    let case = Case::quiet(8, 0, Preset::Cautious);
    for track in replayed(&case, 10) {
        assert_eq!(track, Track::default());
    }
}

#[test]
fn workers_change_nothing() {
    /// From the last piece to the first.
    struct Backwards;
    impl Workers for Backwards {
        fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
            (0..pieces).rev().for_each(work);
        }
    }
    let cases: Vec<Case> = (1..150_u32).map(|i| quiet(1 + i % 7, i % 3)).collect();
    let pasts: Vec<Past<'_>> = cases.iter().map(past).collect();
    let replay = Replay::new(presets(), now(), 3);
    let one = replay.all(&pasts, &OneByOne);
    assert_eq!(one.len(), pasts.len());
    assert_eq!(one, replay.all(&pasts, &Backwards));
}
