//! Laws that hold for whatever is told.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::{
    GpuSample, GpuSignal as S, GpuState as G, RecentWindow, SourceId, Sweep, Throttle,
};
use crate::fleet::GpuFleet;

/// Values that matter to the judgement: at its limits, and nonsense.
fn raw(signal: S) -> BoxedStrategy<f64> {
    let top = match signal {
        S::Power | S::PowerLimit => 700.0,
        S::MemUsed | S::MemTotal => 81_559.0,
        S::Xid => 130.0,
        _ => 1.0,
    };
    prop_oneof![
        3 => Just(0.0),
        2 => Just(f64::NAN),
        1 => Just(0.049 * top),
        1 => Just(0.1 * top),
        1 => Just(top),
        1 => Just(9.223_372_036_854_776e18),
        2 => 0.0..top,
    ]
    .boxed()
}

prop_compose! {
    fn sample()(
        index in 0_u16..3,
        at in -400_i64..100,
        values in S::ALL.into_iter().map(raw).collect::<Vec<_>>(),
        bit in proptest::option::of(any::<bool>()),
        nameless in any::<bool>(),
        sliced in proptest::option::of(0_u32..3),
        host in 1_u32..4,
        recent in proptest::option::of((0_u32..2000, 0_u32..50, 0.0_f32..1.0, 0.0_f32..700.0)),
    ) -> GpuSample {
        let pairs: Vec<(S, f64)> = S::ALL.into_iter().zip(values).collect();
        let mut sample = named(gpu(index, at, &pairs), |i| {
            if nameless {
                i.uuid = None;
            }
            i.host.node = Some(format!("ip-10-0-0-{host}").into());
        });
        if let Some(gi) = sliced {
            sample = slice(sample, gi, "2g.20gb");
        }
        sample.throttle = bit.map(|b| Throttle(u64::from(b)));
        sample.recent = recent.map(|(seconds, samples, max_activity, max_power_w)| RecentWindow {
            seconds,
            samples,
            max_activity,
            max_power_w: Some(max_power_w),
        });
        sample
    }
}

/// The picture as text: `NaN` differs from itself.
fn drawn(picture: &GpuFleet) -> String {
    format!("{picture:?}")
}

fn shuffled(sweeps: &[Arc<Sweep>], turn: usize) -> Vec<Arc<Sweep>> {
    let mut out: Vec<Arc<Sweep>> = sweeps
        .iter()
        .map(|s| {
            let mut s = (**s).clone();
            let n = s.samples.len().max(1);
            s.samples.rotate_left(turn % n);
            if turn % 2 == 1 {
                s.samples.reverse();
            }
            Arc::new(s)
        })
        .collect();
    let n = out.len().max(1);
    out.rotate_left(turn % n);
    out
}

/// The quiet GPU of all tests with every witness there is.
fn witnessed() -> Vec<(S, f64)> {
    vec![
        (S::SmActive, 0.0),
        (S::GrEngine, 0.0),
        (S::Util, 0.0),
        (S::Tensor, 0.0),
        (S::Dram, 0.0),
        (S::Enc, 0.0),
        (S::Dec, 0.0),
        (S::MemUsed, 100.0),
        (S::MemTotal, 81_559.0),
        (S::Power, 70.0),
        (S::PowerLimit, 700.0),
    ]
}

fn state_of(signals: &[(S, f64)], bit: Option<bool>) -> G {
    let mut sample = gpu(0, 0, signals);
    sample.throttle = bit.map(|b| Throttle(u64::from(b)));
    WatchFixture::new().after_five_minutes(&sample).verdict.state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Nothing panics, dollars are sane, idle rows have their start, and the order of sweeps and
    /// samples does not matter.
    #[test]
    fn the_order_of_what_is_told_does_not_matter(
        first in vec(sample(), 0..12),
        second in vec(sample(), 0..12),
        turn in 0_usize..12,
    ) {
        let sweeps = [
            sweep(SourceId::Exporter, 0, first),
            sweep(SourceId::Prometheus, 10, second),
        ];
        let (mut a, mut b) = (WatchFixture::new(), WatchFixture::new());
        for now in [0, 60, 200, 1_000] {
            let one = a.see(now, &sweeps);
            let two = b.see(now, &shuffled(&sweeps, turn));
            prop_assert_eq!(drawn(&one), drawn(&two));
            for row in &one.rows {
                let usd = row.usd_per_hour.unwrap_or(0.0);
                prop_assert!((0.0..=80.0 + 1e-9).contains(&usd));
                prop_assert!(row.waste_usd_per_hour.unwrap_or(0.0) <= usd);
                prop_assert!(row.wasted_usd.is_none_or(|w| w >= 0.0 && w.is_finite()));
                let activity = row.verdict.activity.map(|a| a.effective);
                prop_assert!(activity.is_none_or(|a| (0.0..=1.0).contains(&a)));
                prop_assert_eq!(row.verdict.idle_since.is_some(), row.verdict.state.is_idle());
                prop_assert!(row.verdict.idle_since.is_none_or(|s| s <= t(now)));
            }
            let mut keys: Vec<_> = one.rows.iter().map(|r| r.key.clone()).collect();
            keys.sort();
            keys.dedup();
            prop_assert_eq!(keys.len(), one.rows.len());
            for node in ["i-1", "i-2"] {
                let of = |r: &&Arc<crate::fleet::GpuRow>| {
                    r.node.instance.as_ref().is_some_and(|i| &*i.instance.id == node)
                };
                let sum: f64 = one.rows.iter().filter(of).filter_map(|r| r.usd_per_hour).sum();
                prop_assert!(sum <= 80.0 + 1e-9);
            }
        }
    }

    /// Taking witnesses away from an idle GPU leaves it idle or unknown, never at work; taking
    /// away what does not witness work from any other never makes it idle.
    #[test]
    fn what_is_not_known_never_makes_idle(
        keep in vec(any::<bool>(), 11),
        less in 0_usize..11,
        bit in proptest::option::of(any::<bool>()),
        loud in proptest::option::of((0_usize..7, 0.05_f64..1.0)),
    ) {
        let mut signals: Vec<(S, f64)> =
            witnessed().into_iter().zip(&keep).filter(|(_, k)| **k).map(|(s, _)| s).collect();
        if let Some((at, value)) = loud {
            let signal = witnessed()[at].0;
            signals.retain(|(s, _)| *s != signal);
            signals.push((signal, value));
            // Work draws power.
            signals.retain(|(s, _)| *s != S::Power);
            signals.push((S::Power, 70.0 + 630.0 * value));
        }
        let bit = if loud.is_some() { bit.map(|_| false) } else { bit };
        let before = state_of(&signals, bit);
        if loud.is_some() {
            prop_assert!(!before.is_idle(), "{signals:?}");
        } else {
            prop_assert!(before.is_idle() || before == G::Unknown, "{before:?} {signals:?}");
        }
        if less < signals.len() {
            signals.remove(less);
            let after = state_of(&signals, bit);
            prop_assert!(!after.is_idle() || before.is_idle(), "{before:?} {after:?} {signals:?}");
        }
        let silent = state_of(&signals, None);
        prop_assert!(!silent.is_idle() || before.is_idle(), "{before:?} {silent:?} {signals:?}");
    }
}
