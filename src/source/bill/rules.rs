//! What a line charges for, how its price came about, and by which rule its amounts are made: of CUR by the type of its
//! line item (the rules by which AWS and the FinOps Foundation convert CUR to FOCUS), of FOCUS by its own columns. The
//! tables are those of the SQL as well.

use super::fields::Text;
use crate::domain::bill::{Charge, Pricing};

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

impl Rule {
    /// True for use of CUR that a commitment covers.
    pub const fn is_covered(self) -> bool {
        matches!(self, Self::PlanCovered | Self::ReservationCovered)
    }

    /// True where fees and use of a commitment are compared over the whole period: fees of Savings Plans are hourly, those
    /// of reservations are for the period.
    pub const fn is_of_period(self) -> bool {
        matches!(self, Self::ReservationCovered | Self::ReservationFee)
    }
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

/// How a type of CUR's line items is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// By this word.
    Is(&'static str),
    /// By this word, where the line names a reservation.
    OfReservation(&'static str),
    /// By the end of its word.
    Ends(&'static str),
}

/// A type of CUR's line items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineType {
    /// How it is told.
    pub told: Told,
    /// What it charges for, but for support.
    pub charge: Charge,
    /// How its price came about; `None` where what is used tells it.
    pub pricing: Option<Pricing>,
    /// How its amounts are made.
    pub rule: Rule,
}

const fn of(told: Told, charge: Charge, pricing: Option<Pricing>, rule: Rule) -> LineType {
    LineType { told, charge, pricing, rule }
}

/// Types of CUR's line items; the first that fits counts. Any other is use as it is billed.
pub(super) const LINE_TYPES: &[LineType] = {
    use Told::{Ends, Is, OfReservation};
    let none = Some(Pricing::Other);
    let (plan, reserved) = (Some(Pricing::SavingsPlan), Some(Pricing::Reserved));
    &[
        of(Is("Usage"), Charge::Usage, None, Rule::AsBilled),
        of(Is("SavingsPlanCoveredUsage"), Charge::Usage, plan, Rule::PlanCovered),
        of(Is("SavingsPlanNegation"), Charge::Usage, plan, Rule::PlanNothing),
        of(Is("SavingsPlanRecurringFee"), Charge::Purchase, none, Rule::PlanFee),
        of(Is("SavingsPlanUpfrontFee"), Charge::Purchase, none, Rule::PlanNothing),
        of(Is("DiscountedUsage"), Charge::Usage, reserved, Rule::ReservationCovered),
        of(Is("RIFee"), Charge::Purchase, none, Rule::ReservationFee),
        of(OfReservation("Fee"), Charge::Purchase, none, Rule::ReservationUpfront),
        of(Is("Fee"), Charge::Fee, none, Rule::AsBilled),
        of(Is("Tax"), Charge::Tax, none, Rule::AsBilled),
        of(Is("Credit"), Charge::Credit, none, Rule::AsBilled),
        of(Is("Refund"), Charge::Refund, none, Rule::AsBilled),
        of(Ends("Discount"), Charge::Discount, none, Rule::AsBilled),
    ]
};

impl LineType {
    /// True where support is told from what it charges for.
    pub const fn may_be_support(&self) -> bool {
        matches!(self.charge, Charge::Usage | Charge::Fee)
    }
}

/// Meaning of a line of CUR.
pub(super) fn of_cur<'a>(text: impl Fn(Text) -> &'a str) -> Meaning {
    let by_use = || of_use(text(Text::CapacityStatus), text(Text::UsageType));
    let word = text(Text::Charge);
    let fits = |line: &&LineType| match line.told {
        Told::Is(is) => word == is,
        Told::OfReservation(is) => word == is && !text(Text::Reservation).is_empty(),
        Told::Ends(end) => word.ends_with(end),
    };
    let Some(line) = LINE_TYPES.iter().find(fits) else {
        let (charge, pricing, rule) = (Charge::Usage, by_use(), Rule::AsBilled);
        return Meaning { charge, pricing, rule, is_known: false };
    };
    let (charge, pricing) = if line.may_be_support() && is_support(&text) {
        (Charge::Support, Pricing::Other)
    } else {
        (line.charge, line.pricing.unwrap_or_else(by_use))
    };
    Meaning { charge, pricing, rule: line.rule, is_known: true }
}

/// Charge categories of FOCUS in lower case, before corrections, support and commitments are told. Any other is use.
pub(super) const CATEGORIES: [(&str, Charge); 5] = [
    ("usage", Charge::Usage),
    ("purchase", Charge::Fee),
    ("tax", Charge::Tax),
    ("credit", Charge::Credit),
    ("adjustment", Charge::Adjustment),
];

/// Charge class of FOCUS, in lower case, of what corrects an earlier charge.
pub(super) const CORRECTION: &str = "correction";

/// Meaning of a line of FOCUS.
pub(super) fn of_focus<'a>(text: impl Fn(Text) -> &'a str) -> Meaning {
    let is = |column, word: &str| text(column).eq_ignore_ascii_case(word);
    let has_commitment = !text(Text::Commitment).is_empty();
    let named = CATEGORIES.iter().find(|(word, _)| is(Text::Charge, word));
    let charge = match named {
        Some((_, Charge::Usage | Charge::Fee)) if is(Text::ChargeClass, CORRECTION) => {
            Charge::Adjustment
        }
        Some((_, Charge::Usage | Charge::Fee)) if is_support(&text) => Charge::Support,
        Some((_, Charge::Fee)) if has_commitment => Charge::Purchase,
        Some((_, charge)) => *charge,
        None => Charge::Usage,
    };
    let is_known = named.is_some();
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

/// What the name of AWS Support begins with.
pub(super) const SUPPORT_NAME: &str = "AWS Support";

/// What the codes of AWS Support begin with, and what they hold: `AWSSupportBusiness`, `AWSDeveloperSupport`,
/// `OCBPremiumSupport`.
pub(super) const SUPPORT_CODES: [(&str, &str); 2] =
    [("AWS", "Support"), ("OCBPremiumSupport", "Support")];

/// True for AWS Support, by the code of the service; by its name where there is none.
fn is_support<'a>(text: &impl Fn(Text) -> &'a str) -> bool {
    let code = text(Text::ServiceCode);
    if code.is_empty() {
        return text(Text::Service).starts_with(SUPPORT_NAME);
    }
    SUPPORT_CODES.iter().any(|(begin, part)| code.starts_with(begin) && code.contains(part))
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
