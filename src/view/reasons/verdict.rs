//! Why a verdict on an instance or on a resource is what it is.

use super::instance::instance;
use super::resource::resource;
use crate::analyze::idle::EXEMPT_TAG;
use crate::domain::{ExemptBy, Reason, Why};

/// One sentence: why the verdict is what it is; two where an exemption is over. Clean text, empty where a fixture has
/// none.
pub fn verdict(reason: &Reason) -> String {
    let text = match &reason.why {
        Why::Exempt(by) => exempt(*by),
        Why::Instance(why) => instance(why),
        Why::Resource(why) => resource(why),
        Why::Text(text) => text.to_string(),
    };
    match reason.exemption_ended {
        Some(day) => format!("{text} The exemption by tag ended with {day}."),
        None => text,
    }
}

fn exempt(by: ExemptBy) -> String {
    match by {
        ExemptBy::Always => format!("Exempt by tag {EXEMPT_TAG}."),
        ExemptBy::Until(day) => format!("Exempt by tag {EXEMPT_TAG} until the end of {day} UTC."),
        ExemptBy::Malformed => format!(
            "Exempt, to be safe: the tag {EXEMPT_TAG} holds neither `true` nor a date like \
             2026-12-31; set one of them or remove the tag."
        ),
    }
}

/// Why nothing may be done to what is exempt, one clause.
pub fn refusal(by: ExemptBy) -> String {
    match by {
        ExemptBy::Always => format!("exempt: {EXEMPT_TAG} is true"),
        ExemptBy::Until(day) => format!("exempt until the end of {day} UTC ({EXEMPT_TAG})"),
        ExemptBy::Malformed => {
            format!("{EXEMPT_TAG} is neither true nor a date: taken as exempt; mend the tag")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::InstanceReason;

    #[test]
    fn an_exemption_says_how_long_and_what_is_over_says_that() {
        let day = jiff::civil::date(2026, 6, 30);
        let said = |by| verdict(&Why::Exempt(by).into());
        assert_eq!(said(ExemptBy::Always), "Exempt by tag burntop:exempt.");
        assert_eq!(
            said(ExemptBy::Until(day)),
            "Exempt by tag burntop:exempt until the end of 2026-06-30 UTC."
        );
        assert!(
            said(ExemptBy::Malformed).starts_with("Exempt, to be safe: the tag burntop:exempt")
        );
        let over = Reason { exemption_ended: Some(day), ..InstanceReason::DaysLack.into() };
        assert_eq!(
            verdict(&over),
            "Unknown: too many days lack data to count the low ones. The exemption by tag ended \
             with 2026-06-30."
        );
        assert_eq!(verdict(&"Told by an older version.".into()), "Told by an older version.");
    }
}
