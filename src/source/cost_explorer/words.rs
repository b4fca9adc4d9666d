//! Cost Explorer's words for kinds of charges and for services.

use crate::domain::bill::Charge;

/// Values of `RECORD_TYPE` that are no use. The negation of what Savings Plans cover is none of them: it takes back the
/// list price of use, by the same day and usage type.
pub const OTHER_CHARGES: [(&str, Charge); 21] = [
    ("Tax", Charge::Tax),
    ("Credit", Charge::Credit),
    ("Refund", Charge::Refund),
    ("Support", Charge::Support),
    ("Fee", Charge::Fee),
    ("OCBLateFee", Charge::Fee),
    ("Upfront", Charge::Purchase),
    ("Recurring", Charge::Purchase),
    ("RIFee", Charge::Purchase),
    ("SavingsPlanUpfrontFee", Charge::Purchase),
    ("SavingsPlanRecurringFee", Charge::Purchase),
    ("Discount", Charge::Discount),
    ("BundledDiscount", Charge::Discount),
    ("Bundled Discount", Charge::Discount),
    ("EdpDiscount", Charge::Discount),
    ("Enterprise Discount Program Discount", Charge::Discount),
    ("PrivateRateDiscount", Charge::Discount),
    ("Private Rate Discount", Charge::Discount),
    ("SppDiscount", Charge::Discount),
    ("Solution Provider Program Discount", Charge::Discount),
    ("Distributor Discount", Charge::Discount),
];

/// What a value of `RECORD_TYPE` charges for; `None` for use.
pub fn charge(record_type: &str) -> Option<Charge> {
    let found = OTHER_CHARGES.iter().find(|(word, _)| *word == record_type);
    found.map(|(_, charge)| *charge)
}

/// What a service charges for, where the kind of charge is not asked for: taxes and support are services of their own.
pub fn charge_of_service(service: &str) -> Charge {
    match service {
        "Tax" => Charge::Tax,
        _ if service.starts_with("AWS Support") || service == "AWS Premium Support" => {
            Charge::Support
        }
        _ => Charge::Usage,
    }
}

/// Instances, as Cost Explorer calls their service.
pub const COMPUTE: &str = "Amazon Elastic Compute Cloud - Compute";

/// Code, as exports have it, of the services that have instances and what belongs to them; empty for others, which
/// are known by their names.
pub fn code_of(service: &str) -> &'static str {
    if [COMPUTE, "EC2 - Other"].contains(&service) { "AmazonEC2" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_are_told_from_use() {
        assert_eq!(charge("SavingsPlanRecurringFee"), Some(Charge::Purchase));
        for word in ["Usage", "DiscountedUsage", "SavingsPlanCoveredUsage", "SavingsPlanNegation"] {
            assert_eq!(charge(word), None, "{word}");
        }
        assert_eq!(charge_of_service("AWS Support (Business)"), Charge::Support);
        assert_eq!(charge_of_service("Amazon SageMaker"), Charge::Usage);
    }
}
