//! The replay against replicas that are born, start and go one by one, and on an invented day.

use proptest::prelude::*;

use super::Autoscale;
use super::autoscale::{Replay, Scaler};

fn scaler() -> Scaler {
    Scaler { capacity: 10.0, target: 0.7, min: 1, max: 1000, lag: 2, window: 6 }
}

/// One replica after the other: each has an age, the youngest go first.
fn one_by_one(scaler: &Scaler, load: &[f64]) -> (Vec<u32>, Vec<u32>) {
    let (mut billed, mut serving) = (Vec::new(), Vec::new());
    let mut born: Vec<i64> = Vec::new();
    let mut needs = Vec::new();
    for (at, load) in load.iter().enumerate() {
        needs.push(scaler.need(*load));
        let recent = &needs[needs.len().saturating_sub(scaler.window + 1)..];
        let wanted = recent.iter().copied().max().unwrap() as usize;
        // What runs at the first step has always been there.
        let birth = if at == 0 { i64::MIN / 2 } else { at as i64 };
        while born.len() < wanted {
            born.push(birth);
        }
        born.truncate(wanted);
        billed.push(born.len() as u32);
        let ready = |birth: &&i64| **birth + scaler.lag as i64 <= at as i64;
        serving.push(born.iter().filter(ready).count() as u32);
    }
    (billed, serving)
}

/// A day of requests in steps of five minutes: a trough by night, a peak by day, some noise.
fn day() -> Vec<f64> {
    let noise = |step: u32| f64::from(step.wrapping_mul(2_654_435_761) >> 16) / 65_536.0;
    let at = |step: u32| {
        let hour = f64::from(step) / 12.0;
        let daily = 0.5 - 0.5 * ((hour - 3.0) / 24.0 * std::f64::consts::TAU).cos();
        120.0 * daily.powi(2) + 30.0 * noise(step)
    };
    (0..288).map(at).collect()
}

#[test]
fn a_need_is_whole_and_bounded() {
    let scaler = Scaler { max: 4, ..scaler() };
    assert_eq!([0.0, 7.0, 7.1, 14.0, 28.0, 99.0].map(|load| scaler.need(load)), [1, 1, 2, 2, 4, 4]);
}

#[test]
fn what_is_needed_comes_late_and_stays_a_while() {
    let scaler = Scaler { capacity: 1.0, target: 1.0, min: 0, lag: 1, window: 2, ..scaler() };
    let Replay { billed, serving, overloaded, over, .. } =
        scaler.replay(&[1.0, 3.0, 3.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(billed, [1, 3, 3, 3, 3, 1, 1, 1, 0]);
    assert_eq!(serving, [1, 1, 3, 3, 3, 1, 1, 1, 0]);
    assert_eq!((overloaded, over), (1, 2.0));
}

#[test]
fn an_invented_day_saves_less_than_its_mean_suggests() {
    let load = day();
    let peak = load.iter().copied().fold(0.0, f64::max);
    let input = Autoscale {
        load: load.clone(),
        step_minutes: Some(5.0),
        capacity: Some(10.0),
        lag_minutes: Some(10.0),
        window_minutes: Some(30.0),
        usd_per_hour: Some(1.0),
        ..Default::default()
    };
    let scaled = input.scaled().unwrap();
    // Following the load with nothing lost would save this much of the peak.
    let ideal = 1.0 - load.iter().sum::<f64>() / load.len() as f64 / peak;
    assert!(scaled.share() < ideal && scaled.share() > 0.3, "{} {ideal}", scaled.share());
    assert_eq!(scaled.fixed, scaler().need(peak));
    let mean = scaled.replay.mean();
    assert!((scaled.after_usd - mean * 730.0).abs() < 1e-9);
    // Without a lag nothing is ever too late: the target leaves room.
    let at_once = Autoscale { lag_minutes: Some(0.0), ..input }.scaled().unwrap();
    assert_eq!(at_once.replay.overloaded, 0);
}

#[test]
fn a_load_that_is_none_is_named() {
    let input = Autoscale {
        load: vec![1.0, -2.0],
        step_minutes: Some(5.0),
        capacity: Some(10.0),
        lag_minutes: Some(0.0),
        usd_per_hour: Some(1.0),
        ..Default::default()
    };
    assert!(input.scaled().unwrap_err().to_string().contains("load 2 of 2 is -2"));
    let nan = Autoscale { load: vec![f64::NAN], ..input.clone() };
    assert!(nan.scaled().is_err());
    let bounds = Autoscale { load: vec![1.0], min: Some(5.0), max: Some(4.0), ..input };
    assert!(bounds.scaled().unwrap_err().to_string().contains("more than the most"));
}

proptest! {
    #[test]
    fn it_is_what_single_replicas_do(
        load in prop::collection::vec(0.0..300.0f64, 1..80),
        lag in 0usize..6, window in 0usize..10, min in 0u32..4, target in 0.3..1.0f64,
    ) {
        let scaler = Scaler { target, min, lag, window, ..scaler() };
        let replay = scaler.replay(&load);
        let (billed, serving) = one_by_one(&scaler, &load);
        prop_assert_eq!(&replay.billed, &billed);
        prop_assert_eq!(&replay.serving, &serving);
    }

    #[test]
    fn load_is_conserved(
        load in prop::collection::vec(0.0..300.0f64, 1..80), lag in 0usize..6, max in 1u32..20,
    ) {
        let scaler = Scaler { max, lag, ..scaler() };
        let replay = scaler.replay(&load);
        let all: f64 = load.iter().sum();
        prop_assert!((replay.served + replay.over - all).abs() < 1e-9 * all.max(1.0));
        prop_assert!(replay.over >= 0.0);
        prop_assert_eq!(replay.over > 1e-9, replay.overloaded > 0);
    }

    #[test]
    fn waiting_longer_costs_no_less_and_lags_serve_no_more(
        load in prop::collection::vec(0.0..300.0f64, 1..80), lag in 0usize..6, window in 0usize..8,
    ) {
        let at = |lag, window| Scaler { lag, window, ..scaler() }.replay(&load);
        prop_assert!(at(lag, window + 1).mean() >= at(lag, window).mean());
        prop_assert!(at(lag + 1, window).over >= at(lag, window).over);
        let peak = load.iter().copied().fold(0.0, f64::max);
        prop_assert!(at(lag, window).mean() <= f64::from(scaler().need(peak)));
    }
}
