//! What a bill says in few words: kind of charge, way of pricing, format, state of the period.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::month::Month;

/// An enum with one word per variant, as filters, JSON and configuration have it.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All of them, in the order in which they are listed.
            #[allow(dead_code, reason = "not every table is walked")]
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Their words, in the order of [`Self::ALL`].
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// Word in JSON, CSV and filters.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

pub(crate) use words;

words! {
    /// What a line charges for. FOCUS's `ChargeCategory`, with what AWS's reports tell apart beyond it.
    Charge {
        /// Use of a service, and the unused part of a commitment.
        Usage = "usage",
        /// Fee of a commitment, upfront or recurring: billed, and spread over use where amortised.
        Purchase = "purchase",
        /// Tax.
        Tax = "tax",
        /// Credit that pays a part; negative.
        Credit = "credit",
        /// Money given back; negative.
        Refund = "refund",
        /// Discount in a line of its own (private rates, enterprise programs, bundles); negative.
        Discount = "discount",
        /// AWS Support.
        Support = "support",
        /// Other fees and one-time charges: marketplace, registrations.
        Fee = "fee",
        /// Correction of an earlier charge.
        Adjustment = "adjustment",
    }
}

words! {
    /// How the price of a line came about.
    Pricing {
        /// List or private price by the hour.
        OnDemand = "on_demand",
        /// Spot.
        Spot = "spot",
        /// Covered by a Savings Plan.
        SavingsPlan = "savings_plan",
        /// Covered by a reservation.
        Reserved = "reserved",
        /// Part of a Savings Plan or reservation that nothing used.
        UnusedCommitment = "unused_commitment",
        /// Capacity Reservation or Capacity Block that nothing used.
        UnusedCapacity = "unused_capacity",
        /// Not applicable: taxes, credits, fees of commitments; or not said.
        Other = "other",
    }
}

words! {
    /// Format that a bill was read from.
    BillFormat {
        /// Cost and Usage Report, legacy.
        Cur1 = "cur1",
        /// Cost and Usage Report 2.0.
        Cur2 = "cur2",
        /// FOCUS 1.0.
        Focus10 = "focus1.0",
        /// FOCUS 1.2.
        Focus12 = "focus1.2",
        /// Answers of Cost Explorer: no line items, rounded, restated for days.
        CostExplorer = "cost_explorer",
    }
}

words! {
    /// Whether a period can still change.
    PeriodState {
        /// The month goes on, or its invoice may still change.
        Open = "open",
        /// The month is over and its invoice was issued.
        Closed = "closed",
    }
}

impl Pricing {
    /// True for what was paid for and nothing used.
    pub const fn is_unused(self) -> bool {
        matches!(self, Self::UnusedCommitment | Self::UnusedCapacity)
    }
}

impl PeriodState {
    /// Days after the end of a period from which on its bill no longer changes, invoice or none.
    const FINAL_AFTER_DAYS: i64 = 14;

    /// A period is closed when it is over at `now` and its invoice was issued, or its bill was written so late that it no
    /// longer changes.
    pub fn of(period: Month, now: Timestamp, written: Timestamp, is_invoiced: bool) -> Self {
        let end = period.end();
        let days_after = written.duration_since(end).as_secs() / 86_400;
        match now >= end && (is_invoiced || days_after >= Self::FINAL_AFTER_DAYS) {
            true => Self::Closed,
            false => Self::Open,
        }
    }
}
