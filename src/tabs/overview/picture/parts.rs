//! Burn by what it is spent on.

use crate::domain::VerdictKind;
use crate::fleet::Row;

/// Use that a part of the burn is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// Working instances, and the working GPUs of partly idle ones.
    Busy,
    /// Idle instances.
    Idle,
    /// The idle GPUs of partly idle instances.
    PartlyIdle,
    /// Instances far larger than their load.
    Underused,
    /// Instances with too little data for a verdict.
    Unknown,
    /// Instances that run too short a time for a verdict.
    TooNew,
    /// Instances exempt by tag.
    Exempt,
    /// Instances not judged yet.
    Unjudged,
}

impl PartKind {
    /// All parts, in the order shown and summed.
    pub const ALL: [Self; 8] = [
        Self::Busy,
        Self::Idle,
        Self::PartlyIdle,
        Self::Underused,
        Self::Unknown,
        Self::TooNew,
        Self::Exempt,
        Self::Unjudged,
    ];

    /// Label on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::PartlyIdle => "idle GPUs of partly idle",
            Self::Underused => "underused",
            Self::Unknown => "unknown",
            Self::TooNew => "too new",
            Self::Exempt => "exempt",
            Self::Unjudged => "not judged yet",
        }
    }

    /// Name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::PartlyIdle => "partly_idle",
            Self::Underused => "underused",
            Self::Unknown => "unknown",
            Self::TooNew => "too_new",
            Self::Exempt => "exempt",
            Self::Unjudged => "unjudged",
        }
    }

    /// True for the parts whose sum is the waste.
    pub fn is_waste(self) -> bool {
        matches!(self, Self::Idle | Self::PartlyIdle)
    }

    fn of(verdict: Option<VerdictKind>) -> Self {
        match verdict {
            None => Self::Unjudged,
            Some(VerdictKind::Idle) => Self::Idle,
            Some(VerdictKind::Partial | VerdictKind::Busy) => Self::Busy,
            Some(VerdictKind::Underused) => Self::Underused,
            Some(VerdictKind::Unknown) => Self::Unknown,
            Some(VerdictKind::TooNew) => Self::TooNew,
            Some(VerdictKind::Exempt) => Self::Exempt,
        }
    }
}

/// Burn of the instances of one use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Use that the part is spent on.
    pub kind: PartKind,
    /// Burn of the priced instances, USD/h.
    pub usd_per_hour: f64,
    /// Number of instances in this part; a partly idle one counts as busy and as partly idle.
    pub instances: u32,
    /// Number of these without a price.
    pub unpriced: u32,
}

impl Part {
    /// Burn, USD/h; `None` when no instance of the part has a price.
    pub fn known(&self) -> Option<f64> {
        (self.unpriced == 0 || self.unpriced < self.instances).then_some(self.usd_per_hour)
    }
}

/// All parts, in the order of [`PartKind::ALL`].
pub(super) fn parts<'a>(running: impl Iterator<Item = &'a Row>) -> Vec<Part> {
    let mut parts =
        PartKind::ALL.map(|kind| Part { kind, usd_per_hour: 0.0, instances: 0, unpriced: 0 });
    let mut add = |kind: PartKind, usd: Option<f64>| {
        // The order of `ALL` is that of the variants.
        let part = &mut parts[kind as usize];
        part.instances += 1;
        match usd {
            Some(usd) => part.usd_per_hour += usd,
            None => part.unpriced += 1,
        }
    };
    for row in running {
        let verdict = row.verdict.as_deref();
        let usd = row.usd_per_hour();
        let kind = PartKind::of(verdict.map(|v| v.kind));
        if verdict.is_some_and(|v| v.kind == VerdictKind::Partial) {
            let idle = row.waste_usd_per_hour();
            add(PartKind::Busy, usd.zip(idle).map(|(all, idle)| all - idle));
            add(PartKind::PartlyIdle, idle);
        } else {
            add(kind, usd);
        }
    }
    parts.to_vec()
}
