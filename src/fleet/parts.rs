//! Burn by what it is spent on.

use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::domain::VerdictKind;

/// Use that a part of the burn is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Instances of one use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Use that the part is spent on.
    pub kind: PartKind,
    /// Burn of the priced instances at their own rates (list, or Spot price for Spot), USD/h.
    pub usd_per_hour: f64,
    /// Their share of the bill, USD/h: what commitments charge for them, and the rest on demand.
    pub paid_usd_per_hour: f64,
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

/// All parts of running instances, in the order of [`PartKind::ALL`]. With each instance comes what is paid for it,
/// USD/h.
pub fn parts<'a>(running: impl Iterator<Item = (&'a Row, f64)>) -> Vec<Part> {
    let mut parts = PartKind::ALL.map(|kind| Part {
        kind,
        usd_per_hour: 0.0,
        paid_usd_per_hour: 0.0,
        instances: 0,
        unpriced: 0,
    });
    let mut add = |kind: PartKind, usd: Option<f64>, paid: f64| {
        // The order of `ALL` is that of the variants.
        let part = &mut parts[kind as usize];
        part.instances += 1;
        part.paid_usd_per_hour += paid;
        match usd {
            Some(usd) => part.usd_per_hour += usd,
            None => part.unpriced += 1,
        }
    };
    for (row, paid) in running {
        let verdict = row.verdict.as_deref();
        let usd = row.usd_per_hour();
        let kind = PartKind::of(verdict.map(|v| v.kind));
        if let Some(partial) = verdict.filter(|v| v.kind == VerdictKind::Partial) {
            let share = partial.waste_share().unwrap_or(0.0);
            let idle = usd.map(|usd| usd * share);
            add(PartKind::Busy, usd.zip(idle).map(|(all, idle)| all - idle), paid - paid * share);
            add(PartKind::PartlyIdle, idle, paid * share);
        } else {
            add(kind, usd, paid);
        }
    }
    parts.to_vec()
}
