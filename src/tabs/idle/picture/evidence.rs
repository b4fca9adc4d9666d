//! Evidence lines: each signal against its threshold.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::domain::{EvidenceRole, Signal, SignalEvidence, Verdict};
use crate::view::{Symbols, ViewContext, format};

/// What a line of evidence indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Below the threshold: indicates idle.
    ForIdle,
    /// At or above the threshold, which indicates no use while another joint signal is below its own.
    NotAlone,
    /// At or above the threshold: indicates use.
    AgainstIdle,
    /// Fewer datapoints than a verdict of idle requires.
    TooFew,
    /// No datapoint.
    NoData,
}

impl Standing {
    /// Label on screen; colour only repeats it.
    pub fn word(self) -> &'static str {
        match self {
            Self::ForIdle => "ok",
            Self::NotAlone => "no use alone",
            Self::AgainstIdle => "against",
            Self::TooFew => "too few points",
            Self::NoData => "no data",
        }
    }
}

/// One signal as the verdict used it, formatted.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceLine {
    /// Label of the signal.
    pub label: Arc<str>,
    /// Label of the statistic.
    pub statistic: Arc<str>,
    /// Deciding value with its unit; the sign for unknown without a datapoint.
    pub value: String,
    /// Threshold with its unit.
    pub threshold: String,
    /// Number of datapoints received.
    pub got: u32,
    /// Number of datapoints expected.
    pub expected: u32,
    /// What the line indicates.
    pub standing: Standing,
    /// Position of the value relative to the threshold; `None` without a value.
    pub lies: Option<Ordering>,
    /// True where the threshold must be reached together with those of the other joint lines.
    pub joint: bool,
    /// First of the series behind it.
    pub signal: Signal,
}

impl EvidenceLine {
    /// Sign between value and threshold: `<`, `≤` or `≥`; `of` where there are too few datapoints.
    pub fn sign(&self, symbols: Symbols) -> &'static str {
        let is_ascii = symbols == Symbols::Ascii;
        match (self.standing, self.lies) {
            (Standing::TooFew | Standing::NoData, _) | (_, None) => "of",
            (_, Some(Ordering::Less)) => "<",
            // Where the limit itself is quiet still.
            (Standing::ForIdle, Some(Ordering::Equal)) if is_ascii => "<=",
            (Standing::ForIdle, Some(Ordering::Equal)) => "≤",
            _ if is_ascii => ">=",
            _ => "≥",
        }
    }
}

/// The share of datapoints under which nothing is called idle (contract, "Verdicts").
const ENOUGH: f32 = 0.9;

/// Lines of evidence with this role, in the order of the verdict; empty without a verdict.
pub fn lines(
    verdict: Option<&Verdict>,
    role: EvidenceRole,
    ctx: &ViewContext,
) -> Vec<EvidenceLine> {
    let signals = verdict.map(|v| v.signals.as_slice()).unwrap_or_default();
    signals.iter().filter(|s| s.role == role).map(|s| line(s, ctx)).collect()
}

fn line(evidence: &SignalEvidence, ctx: &ViewContext) -> EvidenceLine {
    let lies = evidence.value.and_then(|value| value.partial_cmp(&evidence.threshold));
    let standing = if evidence.busy {
        Standing::AgainstIdle
    } else if evidence.got == 0 {
        Standing::NoData
    } else if evidence.coverage() < ENOUGH || is_open(evidence, lies) {
        Standing::TooFew
    } else if evidence.joint && lies.is_some_and(Ordering::is_ge) {
        Standing::NotAlone
    } else {
        Standing::ForIdle
    };
    EvidenceLine {
        label: evidence.label.clone(),
        statistic: evidence.statistic.clone(),
        value: if evidence.is_malformed() {
            "malformed".to_owned()
        } else {
            ctx.symbols.or_unknown(evidence.value, |v| quantity(v, &evidence.unit))
        },
        threshold: quantity(evidence.threshold, &evidence.unit),
        got: evidence.got,
        expected: evidence.expected,
        standing,
        lies,
        joint: evidence.joint,
        signal: evidence.signal,
    }
}

/// True where days are counted of which too few are low so far: others may be.
fn is_open(evidence: &SignalEvidence, lies: Option<Ordering>) -> bool {
    &*evidence.unit == "days" && lies == Some(Ordering::Less)
}

/// A value in the words of its unit. Two digits behind the point below 10: 0.52 cores and 0.5
/// must not look alike beside a threshold of 0.5.
pub(super) fn quantity(value: f64, unit: &str) -> String {
    let decimals = if value.abs() < 10.0 { 2 } else { 1 };
    match unit {
        "%" => format::percent_trimmed(value, decimals),
        _ => match unit.strip_prefix("bytes") {
            Some(per) => format!("{}{per}", format::bytes(value)),
            None => format!("{} {unit}", format::trimmed(value, decimals)).trim_end().to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Criterion, VerdictKind};
    use crate::view::fixture::ctx;

    /// A signal as an engine leaves it; whether it is busy is decided by [`decide`].
    fn signal() -> impl Strategy<Value = SignalEvidence> {
        let value = prop_oneof![
            1 => Just(None),
            4 => (0..=8_u32).prop_map(|n| Some(f64::from(n) * 2.5)),
            1 => Just(Some(f64::INFINITY)),
        ];
        let unit = prop_oneof![4 => Just("%"), 1 => Just("cores"), 1 => Just("days")];
        (value, 0..3_u32, unit, any::<bool>(), 0..=10_u32, any::<bool>()).prop_map(
            |(value, threshold, unit, joint, tenths, test)| SignalEvidence {
                criterion: Arc::new(Criterion {
                    label: "signal".into(),
                    signal: Signal::CpuMax,
                    statistic: "hourly".into(),
                    unit: unit.into(),
                    threshold: 5.0 + 5.0 * f64::from(threshold),
                    role: if test { EvidenceRole::Test } else { EvidenceRole::Counter },
                }),
                value: value.filter(|_| tenths > 0),
                highest: None,
                got: 16 * tenths,
                expected: 160,
                busy: false,
                joint: joint && unit != "days",
            },
        )
    }

    /// What is in use, as the engine's own property has it: a line alone where it reaches its limit (above it for sure,
    /// at it where the limit counts), joint ones where all of them do, days where too many are not low.
    fn decide(signals: &mut [SignalEvidence], at_limit: bool, high_days: bool) {
        let reaches = |s: &SignalEvidence| {
            s.value.is_some_and(|v| v > s.threshold || (at_limit && v >= s.threshold))
        };
        let joint = signals.iter().filter(|s| s.joint).count();
        let together = joint > 1 && signals.iter().filter(|s| s.joint).all(reaches);
        for signal in signals {
            signal.busy = match (&*signal.unit, signal.joint) {
                ("days", _) => high_days && signal.value.is_some_and(|v| v < signal.threshold),
                (_, true) => together,
                (_, false) => reaches(signal),
            };
        }
    }

    proptest! {
        #[test]
        fn sign_word_value_and_threshold_agree(
            mut signals in vec(signal(), 1..6), at_limit in any::<bool>(), high_days in any::<bool>()
        ) {
            decide(&mut signals, at_limit, high_days);
            let mut verdict = (**crate::view::fixture::fleet().rows[0].verdict.as_ref().unwrap()).clone();
            (verdict.kind, verdict.signals) = (VerdictKind::Busy, signals.clone());
            for role in [EvidenceRole::Test, EvidenceRole::Counter] {
                let of = signals.iter().filter(|s| s.role == role);
                for (line, s) in lines(Some(&verdict), role, &ctx()).iter().zip(of) {
                    let days = &*s.unit == "days";
                    let value = s.value.unwrap_or(f64::NAN);
                    match line.sign(Symbols::Unicode) {
                        "<" => prop_assert!(value < s.threshold, "{line:?}"),
                        "≤" => prop_assert!(value <= s.threshold, "{line:?}"),
                        "≥" => prop_assert!(value >= s.threshold, "{line:?}"),
                        other => prop_assert_eq!(other, "of"),
                    }
                    match (line.standing, line.standing.word()) {
                        (Standing::AgainstIdle, "against") => {
                            prop_assert!(s.busy && (days || value >= s.threshold), "{line:?}");
                            prop_assert_ne!(line.sign(Symbols::Unicode), "of");
                        }
                        (Standing::NotAlone, "no use alone") => {
                            prop_assert!(s.joint && !s.busy && value >= s.threshold, "{line:?}");
                            prop_assert_eq!(line.sign(Symbols::Unicode), "≥");
                            prop_assert_eq!(line.sign(Symbols::Ascii), ">=");
                        }
                        (Standing::ForIdle, "ok") => {
                            prop_assert!(!s.busy && s.coverage() >= ENOUGH, "{line:?}");
                            let low = if days { value >= s.threshold } else { value <= s.threshold };
                            prop_assert!(s.value.is_none() || low, "{line:?}");
                        }
                        (Standing::TooFew, "too few points") | (Standing::NoData, "no data") => {
                            prop_assert!(!s.busy, "{line:?}");
                            prop_assert_eq!(line.sign(Symbols::Unicode), "of");
                        }
                        other => prop_assert!(false, "{other:?}"),
                    }
                }
            }
        }
    }
}
