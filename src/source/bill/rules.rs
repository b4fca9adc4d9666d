//! What a line charges for, how its price came about, and how its amounts are made: of CUR by the type of its line item
//! (the rules by which AWS and the FinOps Foundation convert CUR to FOCUS), of FOCUS by its own columns.

use super::batch::Batch;
use super::fields::{Amount, Text};
use super::layout::Layout;
use crate::domain::bill::{Charge, Pricing, Usd};

/// Decimal places of AWS's amounts. What is used of a commitment is a sum, which binary columns have with an error in the
/// places behind.
const AWS_PLACES: u32 = 10;

/// How the amounts of a line are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// FOCUS says its effective cost.
    Said,
    /// The effective cost is the billed one.
    AsBilled,
    /// Use that a Savings Plan covers.
    PlanCovered,
    /// Takes back the on-demand cost of covered use, or is paid upfront for a Savings Plan: effective 0.
    PlanNothing,
    /// Recurring fee of a Savings Plan: what of it was not used is effective.
    PlanFee,
    /// Use that a reservation covers.
    ReservationCovered,
    /// Recurring fee of a reservation: what of it and of what was paid upfront was not used is effective.
    ReservationFee,
    /// Paid upfront for a reservation: effective 0.
    ReservationUpfront,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    /// What it charges for.
    pub charge: Charge,
    /// How its price came about.
    pub pricing: Pricing,
    /// How its amounts are made.
    pub rule: Rule,
    /// False where its type is none that is known.
    pub is_known: bool,
}

/// Meaning of a line of CUR.
pub(super) fn of_cur<'a>(text: impl Fn(Text) -> &'a str) -> Meaning {
    let by_use = || of_use(text(Text::CapacityStatus), text(Text::UsageType));
    let none = Pricing::Other;
    let (charge, pricing, rule) = match text(Text::Charge) {
        "Usage" => (Charge::Usage, by_use(), Rule::AsBilled),
        "SavingsPlanCoveredUsage" => (Charge::Usage, Pricing::SavingsPlan, Rule::PlanCovered),
        "SavingsPlanNegation" => (Charge::Usage, Pricing::SavingsPlan, Rule::PlanNothing),
        "SavingsPlanRecurringFee" => (Charge::Purchase, none, Rule::PlanFee),
        "SavingsPlanUpfrontFee" => (Charge::Purchase, none, Rule::PlanNothing),
        "DiscountedUsage" => (Charge::Usage, Pricing::Reserved, Rule::ReservationCovered),
        "RIFee" => (Charge::Purchase, none, Rule::ReservationFee),
        "Fee" if !text(Text::Reservation).is_empty() => {
            (Charge::Purchase, none, Rule::ReservationUpfront)
        }
        "Fee" => (Charge::Fee, none, Rule::AsBilled),
        "Tax" => (Charge::Tax, none, Rule::AsBilled),
        "Credit" => (Charge::Credit, none, Rule::AsBilled),
        "Refund" => (Charge::Refund, none, Rule::AsBilled),
        word if word.ends_with("Discount") => (Charge::Discount, none, Rule::AsBilled),
        _ => {
            let (charge, pricing, rule) = (Charge::Usage, by_use(), Rule::AsBilled);
            return Meaning { charge, pricing, rule, is_known: false };
        }
    };
    let is_support = matches!(charge, Charge::Usage | Charge::Fee) && is_support(&text);
    let (charge, pricing) = if is_support { (Charge::Support, none) } else { (charge, pricing) };
    Meaning { charge, pricing, rule, is_known: true }
}

/// Meaning of a line of FOCUS.
pub(super) fn of_focus<'a>(text: impl Fn(Text) -> &'a str) -> Meaning {
    let is = |column, word: &str| text(column).eq_ignore_ascii_case(word);
    let has_commitment = !text(Text::Commitment).is_empty();
    let category = text(Text::Charge).to_ascii_lowercase();
    let (charge, is_known) = match &*category {
        "usage" | "purchase" if is(Text::ChargeClass, "Correction") => (Charge::Adjustment, true),
        "usage" | "purchase" if is_support(&text) => (Charge::Support, true),
        "usage" => (Charge::Usage, true),
        "purchase" if has_commitment => (Charge::Purchase, true),
        "purchase" => (Charge::Fee, true),
        "tax" => (Charge::Tax, true),
        "credit" => (Charge::Credit, true),
        "adjustment" => (Charge::Adjustment, true),
        _ => (Charge::Usage, false),
    };
    let pricing = if charge != Charge::Usage {
        Pricing::Other
    } else if is(Text::CapacityStatus, "Unused") {
        Pricing::UnusedCapacity
    } else if is(Text::CommitmentStatus, "Unused") {
        Pricing::UnusedCommitment
    } else if has_commitment || is(Text::Pricing, "Committed") {
        let kind = text(Text::CommitmentType).to_ascii_lowercase();
        let is_plan = kind.contains("savings plan") || kind == "spend";
        if is_plan { Pricing::SavingsPlan } else { Pricing::Reserved }
    } else if is(Text::Pricing, "Dynamic") {
        Pricing::Spot
    } else if is(Text::Pricing, "Standard") || is(Text::Pricing, "On-Demand") {
        Pricing::OnDemand
    } else {
        Pricing::Other
    };
    Meaning { charge, pricing, rule: Rule::Said, is_known }
}

/// Pricing of use of CUR that no commitment covers.
fn of_use(capacity_status: &str, usage_type: &str) -> Pricing {
    // Behind a region, if any.
    let begins = |word: &str| {
        usage_type.split_once(word).is_some_and(|(before, _)| {
            before.is_empty() || before.ends_with('-') && !before.contains(':')
        })
    };
    if capacity_status.eq_ignore_ascii_case("Unused") || begins("UnusedBox") || begins("UnusedDed")
    {
        Pricing::UnusedCapacity
    } else if begins("SpotUsage") {
        Pricing::Spot
    } else {
        Pricing::OnDemand
    }
}

/// True for AWS Support, by the code of the service: `AWSSupportBusiness`, `AWSDeveloperSupport`, `OCBPremiumSupport`;
/// by its name where there is none.
fn is_support<'a>(text: &impl Fn(Text) -> &'a str) -> bool {
    let code = text(Text::ServiceCode);
    if code.is_empty() {
        return text(Text::Service).starts_with("AWS Support");
    }
    code.starts_with("AWS") && code.contains("Support") || code.starts_with("OCBPremiumSupport")
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
    let net_billed = maybe(Amount::NetBilled);
    let mut unused = Unused::None;
    let as_billed = (billed, net_billed);
    let nothing = (Usd::ZERO, None);
    let knows_plans = layout.has(Amount::PlanEffective);
    let knows_reservations = layout.has(Amount::ReservationEffective);
    let (effective, net) = match meaning.rule {
        Rule::Said => (need(Amount::Effective), None),
        Rule::PlanCovered if knows_plans => {
            (need(Amount::PlanEffective), maybe(Amount::NetPlanEffective))
        }
        Rule::PlanNothing if knows_plans => nothing,
        Rule::PlanFee if knows_plans => {
            unused = if layout.has(Amount::PlanCommitment) && layout.has(Amount::PlanUsed) {
                let used = maybe(Amount::PlanUsed).unwrap_or_default();
                let rest = (need(Amount::PlanCommitment) - used).rounded(AWS_PLACES);
                Unused::Said(rest, rest)
            } else {
                Unused::Rest
            };
            nothing
        }
        Rule::ReservationCovered if knows_reservations => {
            (need(Amount::ReservationEffective), maybe(Amount::NetReservationEffective))
        }
        Rule::ReservationUpfront if knows_reservations => nothing,
        Rule::ReservationFee if knows_reservations => {
            unused = unused_reservation(layout, &maybe);
            nothing
        }
        _ => as_billed,
    };
    let list = match meaning.rule {
        // It is the price of what the line before it covers.
        Rule::PlanNothing => Some(Usd::ZERO),
        _ if meaning.charge == Charge::Purchase => Some(Usd::ZERO),
        _ => maybe(Amount::List).or_else(|| {
            let rate = maybe(Amount::ListRate)?;
            Usd::from_f64(rate.to_f64() * batch.quantity(row))
        }),
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

fn unused_reservation(layout: &Layout, maybe: &impl Fn(Amount) -> Option<Usd>) -> Unused {
    let (upfront, recurring) = (Amount::UnusedUpfront, Amount::UnusedRecurring);
    if !layout.has(upfront) && !layout.has(recurring) {
        return Unused::Rest;
    }
    let part = |amount| maybe(amount).unwrap_or_default();
    let said = part(upfront) + part(recurring);
    let net = [Amount::NetUnusedUpfront, Amount::NetUnusedRecurring].map(maybe);
    let net = match net {
        [None, None] => said,
        [a, b] => a.unwrap_or_default() + b.unwrap_or_default(),
    };
    Unused::Said(said, net)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<'a>(values: &'a [(Text, &'a str)]) -> impl Fn(Text) -> &'a str {
        move |text| values.iter().find(|(t, _)| *t == text).map_or("", |(_, value)| value)
    }

    #[test]
    fn lines_of_cur_are_told_by_their_types() {
        use Charge as C;
        use Pricing as P;
        for (kind, usage_type, code, charge, pricing) in [
            ("Usage", "BoxUsage:p5.48xlarge", "AmazonEC2", C::Usage, P::OnDemand),
            ("Usage", "EUC1-SpotUsage:g6.xlarge", "AmazonEC2", C::Usage, P::Spot),
            ("Usage", "USW2-UnusedBox:p5.48xlarge", "AmazonEC2", C::Usage, P::UnusedCapacity),
            ("SavingsPlanCoveredUsage", "BoxUsage", "AmazonEC2", C::Usage, P::SavingsPlan),
            ("DiscountedUsage", "BoxUsage", "AmazonEC2", C::Usage, P::Reserved),
            ("RIFee", "HeavyUsage", "AmazonEC2", C::Purchase, P::Other),
            ("EdpDiscount", "", "AmazonEC2", C::Discount, P::Other),
            ("Fee", "", "OCBPremiumSupport", C::Support, P::Other),
            ("Usage", "Dollar", "AWSSupportBusiness", C::Support, P::Other),
            ("Tax", "", "AWSSupportBusiness", C::Tax, P::Other),
            ("Fee", "", "8abc", C::Fee, P::Other),
        ] {
            let values =
                [(Text::Charge, kind), (Text::UsageType, usage_type), (Text::ServiceCode, code)];
            let found = of_cur(with(&values));
            assert_eq!((found.charge, found.pricing), (charge, pricing), "{kind} {usage_type}");
            assert!(found.is_known);
        }
        assert!(!of_cur(with(&[(Text::Charge, "LaterUsage")])).is_known);
    }

    #[test]
    fn lines_of_focus_are_told_by_their_columns() {
        let of = |values: &[(Text, &str)]| {
            let found = of_focus(with(values));
            (found.charge, found.pricing)
        };
        let usage = (Text::Charge, "Usage");
        let plan = (Text::Commitment, "arn:aws:savingsplans::1:savingsplan/1");
        let spend = (Text::CommitmentType, "Spend");
        assert_eq!(of(&[usage, (Text::Pricing, "Dynamic")]), (Charge::Usage, Pricing::Spot));
        assert_eq!(of(&[usage, plan, spend]), (Charge::Usage, Pricing::SavingsPlan));
        assert_eq!(of(&[usage, plan]), (Charge::Usage, Pricing::Reserved));
        let unused = (Text::CommitmentStatus, "Unused");
        assert_eq!(of(&[usage, plan, unused]), (Charge::Usage, Pricing::UnusedCommitment));
        let capacity = (Text::CapacityStatus, "Unused");
        assert_eq!(of(&[usage, capacity]), (Charge::Usage, Pricing::UnusedCapacity));
        let purchase = (Text::Charge, "Purchase");
        assert_eq!(of(&[purchase, plan]), (Charge::Purchase, Pricing::Other));
        assert_eq!(of(&[purchase]), (Charge::Fee, Pricing::Other));
        let correction = (Text::ChargeClass, "Correction");
        assert_eq!(of(&[usage, correction]), (Charge::Adjustment, Pricing::Other));
    }
}
