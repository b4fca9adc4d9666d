//! Asking round by round leads where asking for everything leads.

use proptest::prelude::*;

use super::super::{Preset, next_signals, signals_for};
use super::properties::any_case;
use crate::domain::{Signal, TypeSpec};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_cascade_reaches_the_same_kind(case in any_case(), preset in 0..4_usize) {
        let policy = Preset::ALL[preset].policy();
        let all = case.judge_by(&policy);
        let (cascaded, asked) = case.cascade(&policy);
        prop_assert_eq!(cascaded.kind, all.kind, "{:?} / {:?}", cascaded.reason, all.reason);
        prop_assert_eq!(cascaded.idle_since, all.idle_since);
        prop_assert_eq!(cascaded.idle_gpus.is_some(), cascaded.idle_gpus.is_some() && all.idle_gpus.is_some());
        let devices = case.spec.as_ref().map_or(0, TypeSpec::devices);
        let possible = signals_for(&policy, devices);
        prop_assert!(asked.iter().all(|s| possible.contains(s)), "{:?}", asked);
    }

    /// What is asked for can change the verdict's kind or its GPU figure; a signal that is there
    /// is never asked for.
    #[test]
    fn nothing_known_is_asked_for(case in any_case(), preset in 0..4_usize) {
        let policy = Preset::ALL[preset].policy();
        let next = next_signals(&case.subject(), &policy);
        prop_assert!(next.iter().all(|s: &Signal| case.series.get(*s).is_none()));
    }
}
