//! What burntop's own billed calls cost.

use jiff::civil::Date;

/// Millionths of a dollar in a dollar.
pub const MICRO: u64 = 1_000_000;

/// Dollars from millionths, for showing. Exact up to nine billion dollars.
pub fn usd_of_micro(micro_usd: u64) -> f64 {
    micro_usd as f64 / MICRO as f64
}

/// What one API was charged on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiCost {
    /// Name of the API; a newer burntop may have charged one that this one does not know.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Billed units (metrics requested, requests, megabytes scanned).
    pub units: u64,
    /// Cost, millionths of a dollar.
    pub micro_usd: u64,
}

/// Why nobody knows what was spent. The texts are clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendingUnknown {
    /// What is wrong with the ledger.
    pub why: String,
    /// What the user can do, one sentence.
    pub fix: &'static str,
}

/// What burntop cost on one UTC day, all processes together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnCost {
    /// The UTC day.
    pub day: Date,
    /// Total, millionths of a dollar.
    pub micro_usd: u64,
    /// The cap, millionths of a dollar; at the cap billed sources stop.
    pub cap_micro_usd: u64,
    /// By API, in the order of their names; only what was charged.
    pub apis: Vec<ApiCost>,
    /// False where no shared file can be made and only this process's spending is known.
    pub shared: bool,
    /// Why it may be more than that; the cap counts as spent then. `None`: it is all.
    pub trouble: Option<SpendingUnknown>,
}

impl OwnCost {
    /// What may still be spent today, millionths of a dollar: nothing while nobody knows what was.
    pub fn remaining_micro_usd(&self) -> u64 {
        let spent = if self.trouble.is_some() { u64::MAX } else { self.micro_usd };
        self.cap_micro_usd.saturating_sub(spent)
    }

    /// True when billed sources rest because the cap is reached, or nobody knows whether it is.
    pub fn is_capped(&self) -> bool {
        self.remaining_micro_usd() == 0
    }

    /// Dollars spent today.
    pub fn today_usd(&self) -> f64 {
        usd_of_micro(self.micro_usd)
    }

    /// The day's cap, dollars.
    pub fn cap_usd(&self) -> f64 {
        usd_of_micro(self.cap_micro_usd)
    }
}
