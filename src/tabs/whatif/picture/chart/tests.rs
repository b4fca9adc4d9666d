use super::*;
use crate::whatif::{CalendarEntry, CurvePicture, FanWeek, Payback};

fn curve_of(units: &[f64]) -> CurvePicture {
    CurvePicture { units: units.to_vec(), ..CurvePicture::default() }
}

#[test]
fn the_share_of_a_slot_is_read_off_the_curve() {
    // 10 units in a quarter of the hours, 4 in the rest.
    let curve = curve_of(&[10.0, 10.0, 4.0, 4.0, 4.0]);
    for (slot, share) in [(11.0, 0.0), (10.0, 0.25), (7.0, 0.375), (4.0, 1.0), (1.0, 1.0)] {
        assert!((used_share(&curve, slot) - share).abs() < 1e-12, "{slot}");
    }
    // Straight from 8 to 0: slot k is used for (8 − k)/8 of the hours.
    let line: Vec<f64> = (0..=80).map(|i| 8.0 - f64::from(i) / 10.0).collect();
    for k in 1..8 {
        let share = used_share(&curve_of(&line), f64::from(k));
        assert!((share - (8.0 - f64::from(k)) / 8.0).abs() < 1e-9, "{k}");
    }
    assert_eq!(used_share(&curve_of(&[]), 1.0), 0.0);
}

#[test]
fn traces_and_bands_are_straight_or_stand() {
    let points = vec![[0.0, 2.0], [2.0, 6.0], [4.0, 6.0]];
    let line = Trace { ink: Ink::Middle, name: "", steps: false, points: points.clone() };
    let steps = Trace { ink: Ink::Committed, name: "", steps: true, points };
    assert_eq!([0.0, 1.0, 2.0, 3.0, 4.0].map(|x| line.at(x)), [2.0, 4.0, 6.0, 6.0, 6.0].map(Some));
    assert_eq!([0.0, 1.0, 1.9, 2.0].map(|x| steps.at(x)), [2.0, 2.0, 2.0, 6.0].map(Some));
    assert_eq!((line.at(-1.0), line.at(4.1)), (None, None));
    let band = Band {
        ink: Ink::Used,
        name: "",
        letter: ' ',
        points: vec![[0.0, 0.0, 1.0], [1.0, 1.0, 3.0]],
    };
    assert_eq!(band.at(0.5), Some((0.5, 2.0)));
}

#[test]
fn axes_end_on_round_numbers() {
    for (most, end) in
        [(0.0, 1.0), (0.97, 1.0), (103.0, 120.0), (1_140_000.0, 1_200_000.0), (8.0, 8.0)]
    {
        assert!((round_up(most) - end).abs() < 1e-9 * end, "{most}");
    }
    assert_eq!(round_up(f64::NAN), 1.0);
}

#[test]
fn plots_say_where_the_cursor_is() {
    let weeks: Vec<FanWeek> = (0..4u8)
        .map(|i| FanWeek { p5: 1.0, p50: 2.0 + f64::from(i), p95: 9.0, committed: 3.0 })
        .collect();
    let ends = CalendarEntry {
        week: 2,
        family: "p4d".into(),
        name: "1y".into(),
        units: -3.0,
        coverage: None,
        lock_in_months: 0.0,
    };
    let plot = fan(&weeks, std::iter::once(&ends), 1.0).unwrap();
    assert_eq!(plot.reads, "week 3: median 5, P5 1, P95 9; 3 committed");
    assert_eq!(plot.marks[0].label, "3 ends");
    assert_eq!(plot.cursor, Some(Place::X(3.0)));
    assert!(fan(&[], std::iter::empty(), 0.0).is_none());
    let cash = Payback {
        committed_usd: vec![0.0, 10.0, 20.0],
        on_demand_usd: vec![0.0, 15.0, 30.0],
        utilisation: 0.9,
        safe_months: Some(1.5),
        break_even_months: None,
        price_cut: Some((1.0, 0.44)),
    };
    let plot = payback(&cash, "first unit", 1.0).unwrap();
    let reads = "month 2: committed $20.0, on demand $30.0: $10.0 ahead; first unit, used 90%";
    assert_eq!(plot.reads, reads);
    let labels: Vec<_> = plot.marks.iter().map(|m| &*m.label).collect();
    assert_eq!(labels, ["no loss after 1.5 mo (safe)", "price cut 44% at 1 mo"]);
    assert!(payback(&Payback::default(), "", 0.0).is_none());
}
