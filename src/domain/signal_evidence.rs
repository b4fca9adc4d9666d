//! One signal as a verdict used it.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::evidence::Signal;
use super::intern::{self, Pool};

/// Part of a signal in a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceRole {
    /// Test of the preset: below the threshold it indicates idleness.
    Test,
    /// Counter-signal: at or above the threshold it indicates use.
    Counter,
}

/// Signal, statistic and threshold that a verdict compares. Thousands of instances share a few dozen
/// ([`Criterion::shared`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Label of the signal on the evidence page: `GPU 3 max`, `network per day`.
    pub label: Arc<str>,
    /// Series of the signal (the first of several, for sums).
    pub signal: Signal,
    /// Label of the statistic: `hourly maximum`, `mean of hourly averages`.
    pub statistic: Arc<str>,
    /// Unit of `threshold` and of the value: `%`, `cores`, `bytes/day`, `ops/s`.
    pub unit: Arc<str>,
    /// Threshold that the value is compared with, in `unit`; not NaN.
    pub threshold: f64,
    /// Whether it tests for idleness or counters it.
    pub role: EvidenceRole,
}

impl Eq for Criterion {}

impl Hash for Criterion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // 0.0 and -0.0 are equal. Texts follow from these: they are compared, not hashed.
        (self.signal, self.role, (self.threshold + 0.0).to_bits()).hash(state);
    }
}

thread_local! {
    static CRITERIA: RefCell<Pool<Criterion>> = RefCell::default();
}

impl Criterion {
    /// Shares this criterion with all equal ones of the thread.
    pub fn shared(self) -> Arc<Self> {
        CRITERIA.with_borrow_mut(|pool| pool.shared(&self, || Arc::new(self.clone())))
    }
}

/// Measured value of one signal against its criterion. Dereferences to the [`Criterion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct SignalEvidence {
    /// Signal, statistic and threshold that were compared.
    pub criterion: Arc<Criterion>,
    /// Value that decided (the worst over the judged stretch), in `unit`; `None` without a datapoint, and when a
    /// malformed one decided.
    pub value: Option<f64>,
    /// Highest hourly value (highest day for daily amounts) over all judged hours, in `unit`, also before the last use,
    /// which `value` leaves out. `None` without a datapoint, with a malformed one, and where hours are counted rather
    /// than measured.
    pub highest: Option<f64>,
    /// Number of datapoints in the judged hours.
    pub got: u32,
    /// Expected number of datapoints.
    pub expected: u32,
    /// True when the signal indicates use.
    pub busy: bool,
    /// True when reaching the threshold alone is no use: all joint signals of a verdict must reach theirs in the same
    /// hour, and are `busy` then. A single joint signal shows the average of a signal that was counted by days.
    pub joint: bool,
}

impl Deref for SignalEvidence {
    type Target = Criterion;

    fn deref(&self) -> &Criterion {
        &self.criterion
    }
}

impl SignalEvidence {
    /// True when a malformed datapoint decided.
    pub fn is_malformed(&self) -> bool {
        self.busy && self.value.is_none()
    }

    /// Datapoints ÷ expected datapoints, 0–1; 1 when none was expected.
    pub fn coverage(&self) -> f32 {
        if self.expected == 0 { 1.0 } else { (self.got as f32 / self.expected as f32).min(1.0) }
    }
}

/// How it stands in the cache and on tapes.
#[derive(Serialize, Deserialize)]
struct Flat {
    #[serde(deserialize_with = "intern::text")]
    label: Arc<str>,
    signal: Signal,
    #[serde(deserialize_with = "intern::text")]
    statistic: Arc<str>,
    #[serde(deserialize_with = "intern::text")]
    unit: Arc<str>,
    threshold: f64,
    value: Option<f64>,
    highest: Option<f64>,
    got: u32,
    expected: u32,
    role: EvidenceRole,
    busy: bool,
    joint: bool,
}

impl From<Flat> for SignalEvidence {
    fn from(flat: Flat) -> Self {
        let Flat { label, signal, statistic, unit, threshold, role, .. } = flat;
        let Flat { value, highest, got, expected, busy, joint, .. } = flat;
        let criterion = Criterion { label, signal, statistic, unit, threshold, role }.shared();
        Self { criterion, value, highest, got, expected, busy, joint }
    }
}

impl From<SignalEvidence> for Flat {
    fn from(evidence: SignalEvidence) -> Self {
        let SignalEvidence { criterion, value, highest, got, expected, busy, joint } = evidence;
        let Criterion { label, signal, statistic, unit, threshold, role } = (*criterion).clone();
        Self {
            label,
            signal,
            statistic,
            unit,
            threshold,
            value,
            highest,
            got,
            expected,
            role,
            busy,
            joint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(threshold: f64, value: f64) -> SignalEvidence {
        let criterion = Criterion {
            label: "GPU 3 max".into(),
            signal: Signal::GpuMax(3),
            statistic: "hourly maximum".into(),
            unit: "%".into(),
            threshold,
            role: EvidenceRole::Test,
        };
        SignalEvidence {
            criterion: criterion.shared(),
            value: Some(value),
            highest: None,
            got: 1,
            expected: 2,
            busy: true,
            joint: false,
        }
    }

    #[test]
    fn what_many_are_held_against_is_kept_once() {
        assert_eq!(size_of::<SignalEvidence>(), 56, "it was 104 with its words");
        let [one, other] = [evidence(5.0, 1.0), evidence(5.0, 2.0)];
        assert!(Arc::ptr_eq(&one.criterion, &other.criterion));
        assert!(!Arc::ptr_eq(&one.criterion, &evidence(6.0, 1.0).criterion));
        let read: SignalEvidence =
            postcard::from_bytes(&postcard::to_stdvec(&one).unwrap()).unwrap();
        assert_eq!(read, one);
        assert!(Arc::ptr_eq(&read.criterion, &one.criterion));
    }

    /// The cache and tapes of older versions are read on.
    #[test]
    fn it_is_stored_flat() {
        let json = r#"{"label":"GPU 3 max","signal":{"GpuMax":3},"statistic":"hourly maximum","unit":"%","threshold":5.0,"value":1.0,"highest":null,"got":1,"expected":2,"role":"test","busy":true,"joint":false}"#;
        assert_eq!(serde_json::to_string(&evidence(5.0, 1.0)).unwrap(), json);
        assert_eq!(serde_json::from_str::<SignalEvidence>(json).unwrap(), evidence(5.0, 1.0));
    }
}
