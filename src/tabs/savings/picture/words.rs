//! Words of savings: what kind a saving is, where a commitment is, what covers an instance.

use std::fmt::Write as _;

use crate::domain::{
    Commitment, CommitmentKind, Commits, PaymentOption, Provenance, ReservesCapacity, Workload,
};
use crate::fleet::Cover;
use crate::fleet::savings::{CannotTell, CommitmentSums, Pattern, SizeVerdict, SpotFit};
use crate::view::Symbols;
use crate::view::format;

pub use crate::tabs::storage::picture::words::{LEVELS, effort, risk};

/// Dollars, marked as a lower bound where `unknown` parts are left out of the sum.
pub fn at_least(usd: Option<f64>, unknown: u32, symbols: Symbols) -> String {
    let sign = match symbols {
        _ if unknown == 0 || usd.is_none() => "",
        Symbols::Unicode => "≥ ",
        Symbols::Ascii => ">= ",
    };
    format!("{sign}{}", symbols.or_unknown(usd, format::usd_per_hour))
}

/// How far what is paid for is used, and what of it the figure does not have: `74% of 9, 4 left out`.
pub fn utilisation(sums: &CommitmentSums, symbols: Symbols) -> String {
    let share = symbols.or_unknown(sums.utilisation, |s| format::share(s, 0));
    match sums.left_out {
        0 => share,
        n => format!("{share} of {}, {n} left out", sums.utilisation_of),
    }
}

/// The region of a commitment; `None` for what covers all regions.
pub fn region(commitment: &Commitment) -> Option<&str> {
    match &commitment.commits {
        Commits::Reserved(reserved) => Some(&reserved.region),
        Commits::Plan(plan) => plan.region.as_deref(),
        Commits::Capacity(capacity) => Some(&capacity.region),
    }
}

/// Zone of a zonal commitment; `None` for a regional one.
pub fn zone(commitment: &Commitment) -> Option<&str> {
    match &commitment.commits {
        Commits::Reserved(reserved) => reserved.az.as_deref(),
        Commits::Plan(_) => None,
        Commits::Capacity(capacity) => Some(&capacity.az),
    }
}

/// Instance type or family of a commitment; `None` for one that covers any.
pub fn shape(commitment: &Commitment) -> Option<&str> {
    match &commitment.commits {
        Commits::Reserved(reserved) => Some(&reserved.instance_type),
        Commits::Plan(plan) => plan.family.as_deref(),
        Commits::Capacity(capacity) => Some(&capacity.instance_type),
    }
}

/// Instances that a commitment is for; `None` for plans, which are for dollars.
pub fn count(commitment: &Commitment) -> Option<u32> {
    match &commitment.commits {
        Commits::Reserved(reserved) => Some(reserved.count),
        Commits::Plan(_) => None,
        Commits::Capacity(capacity) => Some(capacity.total),
    }
}

/// How a commitment is paid; `None` for capacity that bills as usage.
pub fn payment(commitment: &Commitment) -> Option<&'static str> {
    Some(match &commitment.commits {
        Commits::Reserved(reserved) => payment_word(reserved.payment),
        Commits::Plan(plan) => payment_word(plan.payment),
        Commits::Capacity(capacity) => match capacity.reserves {
            ReservesCapacity::OnDemand => return None,
            ReservesCapacity::Block { .. } => payment_word(PaymentOption::AllUpfront),
        },
    })
}

/// The words of [`payment`].
pub(super) const PAYMENTS: [&str; 4] = ["no_upfront", "partial_upfront", "all_upfront", "other"];

/// The name of a way to pay in JSON and filters.
pub const fn payment_word(payment: PaymentOption) -> &'static str {
    match payment {
        PaymentOption::NoUpfront => PAYMENTS[0],
        PaymentOption::PartialUpfront => PAYMENTS[1],
        PaymentOption::AllUpfront => PAYMENTS[2],
        PaymentOption::Other => PAYMENTS[3],
    }
}

/// Why nothing can be proposed, as a person reads it.
pub fn cannot(why: CannotTell) -> &'static str {
    match why {
        CannotTell::PreAllocated => "the runtime takes all GPU memory in advance",
        CannotTell::NoGpuMemory => "no telemetry of GPU memory",
        CannotTell::NoPrice => "the type or its price is not known",
        CannotTell::NothingSmaller => "nothing smaller meets the need",
        CannotTell::Accelerator => "nothing is known of its accelerators",
    }
}

/// Name of a conclusion about a size in JSON, CSV and filters.
pub fn size_verdict(verdict: &SizeVerdict) -> &'static str {
    match verdict {
        SizeVerdict::Smaller { .. } => "smaller",
        SizeVerdict::Cannot(why) => why.word(),
    }
}

/// Name of a workload in JSON, CSV and filters; `None` when it is unknown.
pub fn workload(workload: Option<Workload>) -> Option<&'static str> {
    match workload? {
        Workload::Unknown => None,
        Workload::Training => Some("training"),
        Workload::Inference => Some("inference"),
    }
}

/// Whether Spot fits, as a person reads it.
pub fn fit(fit: SpotFit) -> &'static str {
    match fit {
        SpotFit::Yes => "fits",
        SpotFit::Partial => "fits in part, above a base on demand",
        SpotFit::No => "does not fit",
        SpotFit::Unknown => "nothing says what it is",
    }
}

/// The words of patterns.
pub(super) const PATTERNS: [&str; 5] = [
    Pattern::NeverUsed.word(),
    Pattern::Forgotten.word(),
    Pattern::OfficeHours.word(),
    Pattern::NightsAndWeekends.word(),
    Pattern::Waiting.word(),
];

/// Labels of the patterns that differ from their words, with these.
pub(super) const PATTERN_LABELS: [[&str; 2]; 3] = [
    [Pattern::OfficeHours.label(), Pattern::OfficeHours.word()],
    [Pattern::NightsAndWeekends.label(), Pattern::NightsAndWeekends.word()],
    [Pattern::Waiting.label(), Pattern::Waiting.word()],
];

/// What pays for an instance: kind, as `word` names it, and id, a share where it is not all of it. Empty for nothing.
pub fn covered_by(cover: &Cover, word: fn(CommitmentKind) -> &'static str) -> String {
    let mut text = String::new();
    for by in &cover.by {
        if !text.is_empty() {
            text.push_str(", ");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{} {}", word(by.kind), by.id);
        if by.share < 0.9995 {
            let _ = write!(text, " {}", format::share(by.share, 0));
        }
    }
    text
}

/// Dollars per hour of both kinds: `net $1.20/h, gross $4.00/h`.
pub fn net_and_gross(net: Option<f64>, gross: Option<f64>, symbols: Symbols) -> String {
    let rate = |usd| symbols.or_unknown(usd, format::usd_per_hour);
    format!("net {}, gross {}", rate(net), rate(gross))
}

/// Source of a price in words: `list price of 2026-08-01`.
pub fn provenance(of: &Provenance) -> String {
    match of {
        Provenance::Live { at } => format!("list price, read {}", at.strftime("%Y-%m-%d")),
        Provenance::Embedded { date } => format!("list price of {date}"),
        Provenance::Demo => "price of the demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    }
}
