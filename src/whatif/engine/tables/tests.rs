use proptest::prelude::*;

use super::*;

fn brute(week: &[f64], y: f64) -> f64 {
    week.iter().map(|x| (x - y).max(0.0)).sum()
}

fn week(hours: &[f64]) -> [f64; HOURS_PER_WEEK] {
    std::array::from_fn(|h| hours[h % hours.len()])
}

fn check(week: &[f64; HOURS_PER_WEEK], y: f64, within: f64) {
    let (fast, exact) = (FastTable::new(&[*week]), ExactTable::new(&[*week]));
    let truth = brute(week, y);
    let all = brute(week, 0.0).max(truth);
    assert!((exact.above(0, y) - truth).abs() <= 1e-12 * all.max(1.0), "exact at {y}");
    let mut read = [0.0];
    fast.above(y, &[0], &[1.0], &mut read);
    let read = f64::from(read[0]);
    assert!((read - truth).abs() <= within * all.max(1e-3), "{read} for {truth} at {y}");
}

/// A base load of a few units and one hour of ten thousand: all knots in one cell.
#[test]
fn a_spike_costs_no_exactness() {
    let mut spiky: [f64; HOURS_PER_WEEK] = std::array::from_fn(|h| 8.0 + (h % 9) as f64 / 2.0);
    spiky[100] = 10_000.0;
    for y in [0.0, 7.9, 8.0, 9.3, 10.0, 12.0, 12.5, 500.0, 9_999.0, 10_000.0, 1e6] {
        check(&spiky, y, 3e-7);
    }
    assert!(!FastTable::new(&[spiky]).searched.is_empty());
}

#[test]
fn whole_units_are_exact_anywhere() {
    let whole: [f64; HOURS_PER_WEEK] = std::array::from_fn(|h| ((h * 37) % 500) as f64);
    let table = FastTable::new(&[whole]);
    assert!(table.searched.is_empty());
    assert_eq!(table.step, 1.0);
    for y in [-50.0, -0.5, 0.0, 0.25, 3.5, 77.125, 499.0, 499.5, 510.0, 1e9] {
        check(&whole, y, 2.5e-7);
    }
}

#[test]
fn nothing_runs() {
    check(&[0.0; HOURS_PER_WEEK], 0.0, 1e-7);
    check(&[0.0; HOURS_PER_WEEK], 5.0, 1e-7);
    check(&[0.0; HOURS_PER_WEEK], -5.0, 2e-7);
}

proptest! {
    #[test]
    fn reads_what_the_hours_say(
        hours in prop::collection::vec(0.0..2000.0_f64, 1..168),
        power in 0.3..4.0,
        y in -500.0..2500.0,
    ) {
        let hours: Vec<f64> = hours.iter().map(|x| (x / 2000.0).powf(power) * 2000.0).collect();
        check(&week(&hours), y, TOLERANCE + 3e-7);
    }
}
