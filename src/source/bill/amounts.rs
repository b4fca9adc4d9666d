//! How the amounts of a line are made, by its rule and by the columns that the file has. The SQL is made of the same.

use super::batch::Batch;
use super::fields::Amount;
use super::layout::Layout;
use super::rules::{Meaning, Rule};
use crate::domain::bill::{Charge, Usd};

/// Decimal places of AWS's amounts. What is used of a commitment is a sum, which binary columns have with an error in the
/// places behind.
pub(super) const AWS_PLACES: u32 = 10;

/// Effective cost of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effective {
    /// The billed cost.
    Billed,
    /// Nothing.
    Nothing,
    /// This column, and where there is one that net of private discounts.
    Column(Amount, Option<Amount>),
}

/// How what of a commitment nothing used is told by its fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnusedBy {
    /// The line is no fee of a commitment.
    None,
    /// Commitment of a Savings Plan less the used part of it.
    Plan,
    /// Unused parts of what was paid upfront for a reservation and of its recurring fee.
    Reservation,
    /// The file does not say: fees less the effective cost of what they cover.
    Rest,
}

/// How amounts are made by a rule in a file with these columns.
pub(super) const fn made(rule: Rule, layout: &Layout) -> (Effective, UnusedBy) {
    let knows_plans = layout.has(Amount::PlanEffective);
    let knows_reservations = layout.has(Amount::ReservationEffective);
    let nothing = (Effective::Nothing, UnusedBy::None);
    match rule {
        Rule::Said => (Effective::Column(Amount::Effective, None), UnusedBy::None),
        Rule::PlanCovered if knows_plans => {
            let net = Some(Amount::NetPlanEffective);
            (Effective::Column(Amount::PlanEffective, net), UnusedBy::None)
        }
        Rule::PlanNothing if knows_plans => nothing,
        Rule::PlanFee if knows_plans => {
            let is_said = layout.has(Amount::PlanCommitment) && layout.has(Amount::PlanUsed);
            (Effective::Nothing, if is_said { UnusedBy::Plan } else { UnusedBy::Rest })
        }
        Rule::ReservationCovered if knows_reservations => {
            let net = Some(Amount::NetReservationEffective);
            (Effective::Column(Amount::ReservationEffective, net), UnusedBy::None)
        }
        Rule::ReservationUpfront if knows_reservations => nothing,
        Rule::ReservationFee if knows_reservations => {
            let is_said = layout.has(Amount::UnusedUpfront) || layout.has(Amount::UnusedRecurring);
            (Effective::Nothing, if is_said { UnusedBy::Reservation } else { UnusedBy::Rest })
        }
        _ => (Effective::Billed, UnusedBy::None),
    }
}

/// True for what has no list price of its own: a fee of a commitment, and what takes back the cost of the line before it.
pub(super) fn is_unlisted(charge: Charge, rule: Rule) -> bool {
    rule == Rule::PlanNothing || charge == Charge::Purchase
}

/// What of a commitment nothing used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unused {
    /// The line is no fee of a commitment.
    None,
    /// Effective cost of it, and net of private discounts.
    Said(Usd, Usd),
    /// The file does not say: fees less the effective cost of what they cover.
    Rest,
}

/// Amounts of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amounts {
    /// Billed.
    pub billed: Usd,
    /// Effective.
    pub effective: Usd,
    /// Effective, net of private discounts.
    pub net: Usd,
    /// At public prices; `None` where the line does not say it.
    pub list: Option<Usd>,
    /// What of a commitment nothing used, a line of its own.
    pub unused: Unused,
    /// Columns whose value the line needs and lacks: bits by [`Amount`].
    pub nulls: u32,
}

/// Makes the amounts of a line.
pub(super) fn amounts(meaning: Meaning, layout: &Layout, batch: &Batch, row: usize) -> Amounts {
    let mut nulls = 0;
    let mut need = |amount: Amount| {
        batch.amount(amount, row).unwrap_or_else(|| {
            nulls |= 1 << amount as u32;
            Usd::ZERO
        })
    };
    let maybe = |amount: Amount| batch.amount(amount, row);
    let billed = need(Amount::Billed);
    let (effective, unused) = made(meaning.rule, layout);
    let (effective, net) = match effective {
        Effective::Billed => (billed, maybe(Amount::NetBilled)),
        Effective::Nothing => (Usd::ZERO, None),
        Effective::Column(column, net) => (need(column), net.and_then(maybe)),
    };
    let unused = match unused {
        UnusedBy::None => Unused::None,
        UnusedBy::Rest => Unused::Rest,
        UnusedBy::Reservation => unused_reservation(&maybe),
        UnusedBy::Plan => {
            let used = maybe(Amount::PlanUsed).unwrap_or_default();
            let rest = (need(Amount::PlanCommitment) - used).rounded(AWS_PLACES);
            Unused::Said(rest, rest)
        }
    };
    let list = if is_unlisted(meaning.charge, meaning.rule) {
        Some(Usd::ZERO)
    } else {
        maybe(Amount::List).or_else(|| {
            let rate = maybe(Amount::ListRate)?;
            Usd::from_f64(rate.to_f64() * batch.quantity(row))
        })
    };
    Amounts { billed, effective, net: net.unwrap_or(effective), list, unused, nulls }
}

/// Column that a line of a commitment needs and the file lacks, and what is unknown for it.
pub(super) fn blind(
    meaning: Meaning,
    layout: &Layout,
    amounts: &Amounts,
) -> Option<(Amount, &'static str)> {
    let (column, unknown) = match meaning.rule {
        Rule::PlanFee if amounts.unused == Unused::Rest => {
            (Amount::PlanCommitment, "the unused part of Savings Plans that were paid upfront")
        }
        Rule::ReservationFee if amounts.unused == Unused::Rest => {
            (Amount::UnusedUpfront, "the unused part of reservations that were paid upfront")
        }
        Rule::PlanCovered | Rule::PlanNothing | Rule::PlanFee => {
            (Amount::PlanEffective, "effective cost under Savings Plans; it is taken as billed")
        }
        Rule::ReservationCovered | Rule::ReservationFee | Rule::ReservationUpfront => (
            Amount::ReservationEffective,
            "effective cost under reservations; it is taken as billed",
        ),
        Rule::Said | Rule::AsBilled => return None,
    };
    (!layout.has(column)).then_some((column, unknown))
}

fn unused_reservation(maybe: &impl Fn(Amount) -> Option<Usd>) -> Unused {
    let part = |amount| maybe(amount).unwrap_or_default();
    let said = part(Amount::UnusedUpfront) + part(Amount::UnusedRecurring);
    let net = [Amount::NetUnusedUpfront, Amount::NetUnusedRecurring].map(maybe);
    let net = match net {
        [None, None] => said,
        [a, b] => a.unwrap_or_default() + b.unwrap_or_default(),
    };
    Unused::Said(said, net)
}
