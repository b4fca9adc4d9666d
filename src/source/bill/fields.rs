//! Columns of the formats: what each means, and what is unknown without it.

/// An enum whose variants number columns of a batch.
macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// Number of variants.
            pub const COUNT: usize = Self::ALL.len();

            /// All variants, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
        }
    };
}

numbered! {
    /// Texts that many lines share.
    Text {
        /// Account that used it.
        Account,
        /// Its name.
        AccountName,
        /// Account that pays.
        Payer,
        /// Region.
        Region,
        /// Name of the service.
        Service,
        /// Code of the service.
        ServiceCode,
        /// Usage type, or meter of the SKU.
        UsageType,
        /// Operation.
        Operation,
        /// Product family, or service category.
        Family,
        /// Unit of the quantity.
        Unit,
        /// Type of line item, or charge category.
        Charge,
        /// FOCUS: `Correction` for a correction of an earlier charge.
        ChargeClass,
        /// FOCUS: pricing category.
        Pricing,
        /// Savings Plan, or commitment of FOCUS.
        Commitment,
        /// Reservation of CUR.
        Reservation,
        /// FOCUS: `Used` or `Unused`.
        CommitmentStatus,
        /// FOCUS: type of commitment.
        CommitmentType,
        /// `Used` or `Unused`, of a capacity reservation.
        CapacityStatus,
        /// Currency of the amounts.
        Currency,
        /// Provider.
        Provider,
        /// Description; read only where there is no usage type.
        Description,
        /// Invoice; empty until it is issued.
        Invoice,
    }
}

numbered! {
    /// Amounts of a line, in dollars.
    Amount {
        /// Billed.
        Billed,
        /// FOCUS: effective cost.
        Effective,
        /// At public on-demand prices.
        List,
        /// Public on-demand price per unit.
        ListRate,
        /// Effective cost of use that a Savings Plan covers.
        PlanEffective,
        /// Commitment of a Savings Plan in the line's time.
        PlanCommitment,
        /// Used part of it.
        PlanUsed,
        /// Effective cost of use that a reservation covers.
        ReservationEffective,
        /// Unused part of what was paid upfront for a reservation.
        UnusedUpfront,
        /// Unused part of a reservation's recurring fee.
        UnusedRecurring,
        /// `Billed`, net of private discounts.
        NetBilled,
        /// `PlanEffective`, net of private discounts.
        NetPlanEffective,
        /// `ReservationEffective`, net of private discounts.
        NetReservationEffective,
        /// `UnusedUpfront`, net of private discounts.
        NetUnusedUpfront,
        /// `UnusedRecurring`, net of private discounts.
        NetUnusedRecurring,
        /// Part of a parent's cost in a split-cost row.
        SplitCost,
        /// Unused part of a parent's cost in a split-cost row.
        SplitUnused,
    }
}

numbered! {
    /// Moments of a line.
    Moment {
        /// Begin of the billing period.
        Period,
        /// Begin of the use.
        Start,
        /// End of the use.
        End,
    }
}

/// What a column fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A shared text.
    Text(Text),
    /// An amount.
    Amount(Amount),
    /// A moment.
    Moment(Moment),
    /// Quantity in its unit.
    Quantity,
    /// Resource.
    Resource,
    /// Id of the line.
    LineId,
    /// Interval of the line, with its id unique.
    Interval,
    /// Resource whose cost a split-cost row divides; empty in other rows.
    SplitParent,
    /// Value of a chosen tag, by its place.
    Tag(usize),
}

/// What it means when a column is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The bill cannot be read.
    Required,
    /// This cannot be told.
    Useful(&'static str),
    /// Nothing is said: other columns stand in, or most bills have no such thing.
    Spare,
}

use Amount as A;
use Need::{Required, Spare, Useful};
use Target as T;
use Text as X;

/// A column: its name, what it fills, what is unknown without it. Of columns with the same target the first that is not
/// empty counts; the need of the first row is that of all.
pub(super) type Known = (&'static str, Target, Need);

/// Columns of CUR, as the legacy CSV names them; others are [`snake`] of these.
pub(super) const CUR: &[Known] = &[
    ("lineItem/UsageAccountId", T::Text(X::Account), Required),
    ("lineItem/UsageAccountName", T::Text(X::AccountName), Spare),
    ("bill/PayerAccountId", T::Text(X::Payer), Useful("the account that pays")),
    ("product/regionCode", T::Text(X::Region), Spare),
    ("product/region", T::Text(X::Region), Spare),
    ("product/ProductName", T::Text(X::Service), Spare),
    ("product/servicename", T::Text(X::Service), Spare),
    ("lineItem/ProductCode", T::Text(X::ServiceCode), Required),
    ("lineItem/UsageType", T::Text(X::UsageType), Required),
    ("lineItem/Operation", T::Text(X::Operation), Useful("operations")),
    ("product/productFamily", T::Text(X::Family), Spare),
    ("pricing/unit", T::Text(X::Unit), Useful("units of quantities")),
    ("lineItem/LineItemType", T::Text(X::Charge), Required),
    ("savingsPlan/SavingsPlanARN", T::Text(X::Commitment), Spare),
    ("reservation/ReservationARN", T::Text(X::Reservation), Spare),
    ("capacityReservation/CapacityReservationStatus", T::Text(X::CapacityStatus), Spare),
    ("lineItem/CurrencyCode", T::Text(X::Currency), Useful("the currency; US dollars are assumed")),
    ("bill/InvoiceId", T::Text(X::Invoice), Spare),
    ("lineItem/UnblendedCost", T::Amount(A::Billed), Required),
    ("pricing/publicOnDemandCost", T::Amount(A::List), Useful("cost at list prices")),
    ("pricing/publicOnDemandRate", T::Amount(A::ListRate), Spare),
    ("savingsPlan/SavingsPlanEffectiveCost", T::Amount(A::PlanEffective), Spare),
    ("savingsPlan/TotalCommitmentToDate", T::Amount(A::PlanCommitment), Spare),
    ("savingsPlan/UsedCommitment", T::Amount(A::PlanUsed), Spare),
    ("reservation/EffectiveCost", T::Amount(A::ReservationEffective), Spare),
    ("reservation/UnusedAmortizedUpfrontFeeForBillingPeriod", T::Amount(A::UnusedUpfront), Spare),
    ("reservation/UnusedRecurringFee", T::Amount(A::UnusedRecurring), Spare),
    ("lineItem/NetUnblendedCost", T::Amount(A::NetBilled), Spare),
    ("savingsPlan/NetSavingsPlanEffectiveCost", T::Amount(A::NetPlanEffective), Spare),
    ("reservation/NetEffectiveCost", T::Amount(A::NetReservationEffective), Spare),
    (
        "reservation/NetUnusedAmortizedUpfrontFeeForBillingPeriod",
        T::Amount(A::NetUnusedUpfront),
        Spare,
    ),
    ("reservation/NetUnusedRecurringFee", T::Amount(A::NetUnusedRecurring), Spare),
    ("splitLineItem/SplitCost", T::Amount(A::SplitCost), Spare),
    ("splitLineItem/UnusedCost", T::Amount(A::SplitUnused), Spare),
    ("splitLineItem/ParentResourceId", T::SplitParent, Spare),
    ("lineItem/UsageAmount", T::Quantity, Useful("quantities")),
    ("lineItem/ResourceId", T::Resource, Useful("resources")),
    ("identity/LineItemId", T::LineId, Useful("lines that occur twice")),
    ("identity/TimeInterval", T::Interval, Spare),
    ("bill/BillingPeriodStartDate", T::Moment(Moment::Period), Spare),
    ("lineItem/UsageStartDate", T::Moment(Moment::Start), Required),
    ("lineItem/UsageEndDate", T::Moment(Moment::End), Useful("charges longer than a day")),
];

/// Columns of FOCUS.
pub(super) const FOCUS: &[Known] = &[
    ("SubAccountId", T::Text(X::Account), Useful("accounts below the one that pays")),
    ("BillingAccountId", T::Text(X::Account), Spare),
    ("SubAccountName", T::Text(X::AccountName), Spare),
    ("BillingAccountId", T::Text(X::Payer), Useful("the account that pays")),
    ("RegionId", T::Text(X::Region), Useful("regions")),
    ("Region", T::Text(X::Region), Spare),
    ("ServiceName", T::Text(X::Service), Required),
    ("x_ServiceCode", T::Text(X::ServiceCode), Spare),
    ("x_UsageType", T::Text(X::UsageType), Useful("usage types, and with them most network paths")),
    ("SkuMeter", T::Text(X::UsageType), Spare),
    ("x_Operation", T::Text(X::Operation), Spare),
    ("ServiceCategory", T::Text(X::Family), Useful("categories of services")),
    ("ConsumedUnit", T::Text(X::Unit), Useful("units of quantities")),
    ("PricingUnit", T::Text(X::Unit), Spare),
    ("ChargeCategory", T::Text(X::Charge), Required),
    ("ChargeClass", T::Text(X::ChargeClass), Spare),
    ("PricingCategory", T::Text(X::Pricing), Useful("how prices came about")),
    ("CommitmentDiscountId", T::Text(X::Commitment), Useful("commitments")),
    ("CommitmentDiscountStatus", T::Text(X::CommitmentStatus), Useful("unused commitments")),
    ("CommitmentDiscountType", T::Text(X::CommitmentType), Spare),
    ("CommitmentDiscountCategory", T::Text(X::CommitmentType), Spare),
    ("CapacityReservationStatus", T::Text(X::CapacityStatus), Spare),
    ("BillingCurrency", T::Text(X::Currency), Required),
    ("ServiceProviderName", T::Text(X::Provider), Spare),
    ("ProviderName", T::Text(X::Provider), Spare),
    ("PublisherName", T::Text(X::Provider), Spare),
    ("InvoiceId", T::Text(X::Invoice), Spare),
    ("ChargeDescription", T::Text(X::Description), Spare),
    ("BilledCost", T::Amount(A::Billed), Required),
    ("EffectiveCost", T::Amount(A::Effective), Required),
    ("ListCost", T::Amount(A::List), Useful("cost at list prices")),
    ("ConsumedQuantity", T::Quantity, Useful("quantities")),
    ("PricingQuantity", T::Quantity, Spare),
    ("ResourceId", T::Resource, Useful("resources")),
    ("BillingPeriodStart", T::Moment(Moment::Period), Spare),
    ("ChargePeriodStart", T::Moment(Moment::Start), Required),
    ("ChargePeriodEnd", T::Moment(Moment::End), Useful("charges longer than a day")),
];

/// Name of a column as CUR 2.0 and Parquet have it: `lineItem/UsageType` is `line_item_usage_type`, and each capital of
/// an acronym stands alone.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        let separates = c.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_');
        if separates {
            out.push('_');
        }
        out.push(if c == '/' { '_' } else { c.to_ascii_lowercase() });
    }
    out
}

/// Letters and digits of a name in lower case: the same for all ways in which exports and tables write it.
pub(super) fn squash(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_formats_are_the_same_when_squashed() {
        for (csv, table) in [
            ("lineItem/LineItemType", "line_item_line_item_type"),
            ("savingsPlan/SavingsPlanARN", "savings_plan_savings_plan_a_r_n"),
            ("product/servicename", "product_servicename"),
            ("pricing/publicOnDemandCost", "pricing_public_on_demand_cost"),
        ] {
            assert_eq!(snake(csv), table);
            assert_eq!(squash(csv), squash(table));
        }
    }
}
