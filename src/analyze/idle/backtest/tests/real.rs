//! The hourly CPU of eight real EC2 instances over two weeks (`tests/data/idle`).

use std::collections::BTreeMap;

use super::super::super::tests::fixtures::{Case, background, closed, now};
use super::super::super::{Preset, signals_for};
use super::super::{Outcome, Replay};
use super::{naive, past, presets};
use crate::domain::{HourRange, HourlySeries, Signal};

/// Hours of the file.
const HOURS: i32 = 335;

/// By the name in the file: a box of 2 vCPUs with its CPU; network and EBS, which nobody recorded, are invented quiet.
fn boxes() -> BTreeMap<String, Case> {
    let file = include_str!("../../../../../tests/data/idle/ec2_cpu_hourly.csv");
    let range = HourRange { from: closed(HOURS), to: closed(0) };
    let mut all: BTreeMap<String, [HourlySeries; 2]> = BTreeMap::new();
    for line in file.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let of = all
            .entry(cells[0].to_owned())
            .or_insert_with(|| [HourlySeries::empty(range), HourlySeries::empty(range)]);
        let hour = range.from.plus(cells[1].parse().unwrap());
        for (series, cell) in of.iter_mut().zip(&cells[2..]) {
            series.set(hour, cell.parse().unwrap());
        }
    }
    let case = |(name, [mean, max]): (String, [HourlySeries; 2])| {
        let mut case = Case::new(2, 0);
        for policy in presets() {
            for signal in signals_for(&policy, 0) {
                case = case.fill(signal, HOURS as u32, background(signal));
            }
        }
        case.series.insert(Signal::CpuMean, mean);
        case.series.insert(Signal::CpuMax, max);
        (name, case)
    };
    all.into_iter().map(case).collect()
}

/// Days ago, what became of it, of each box that a preset calls idle.
fn called(preset: Preset, days: u32) -> BTreeMap<String, Vec<(u32, Outcome)>> {
    let replay = Replay::new(vec![preset.policy()], now(), days);
    let of = |(name, case): (String, Case)| {
        let called = replay.of(&past(&case)).tracks.remove(0).called;
        assert_eq!(called, naive::called(&case, &preset.policy(), days), "{name}");
        (name, called)
    };
    boxes().into_iter().map(of).filter(|(_, called)| !called.is_empty()).collect()
}

#[test]
fn three_of_eight_were_idle_and_stayed_so() {
    for preset in [Preset::Cautious, Preset::MeanCpu] {
        let called = called(preset, 7);
        // 2.66, 2.34 and 1.6% are the highest five minutes of these; the means of all others are above 5%.
        assert_eq!(called.keys().map(|k| &**k).collect::<Vec<_>>(), ["24ae8d", "53ea38", "c6585a"]);
        for days in called.values() {
            let all: Vec<_> = (1..=7).rev().map(|ago| (ago, Outcome::Idle)).collect();
            assert_eq!(*days, all, "{preset:?}");
        }
    }
}

#[test]
fn low_days_call_boxes_idle_that_are_at_work_every_day() {
    let called = called(Preset::AwsTrustedAdvisor, 1);
    let woke: Vec<&str> = called
        .iter()
        .filter(|(_, days)| matches!(days[..], [(1, Outcome::Woke { .. })]))
        .map(|(name, _)| &**name)
        .collect();
    assert_eq!(called.len(), 5, "{called:?}");
    assert_eq!(woke, ["77c1ca", "fe7f93"]);
}
