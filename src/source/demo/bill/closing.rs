//! What is charged for the month as a whole: marketplace, a refund, a credit, support and tax.

use super::ledger::{Ledger, What, at_cost};
use crate::domain::Tags;
use crate::domain::bill::{Charge, Pricing, Usd};
use crate::source::demo::places::{ACCOUNTS, REGIONS};

/// Of what is billed so far, so many percent are support, and after it so many tax.
const SUPPORT_PERCENT: u64 = 3;
const TAX_PERCENT: u64 = 5;

/// A charge of a fixed amount.
struct Fixed {
    /// Index in [`ACCOUNTS`].
    account: usize,
    /// Region code; empty for a global one.
    region: &'static str,
    service: (&'static str, &'static str),
    usage_type: &'static str,
    charge: Charge,
    /// Day of the month; 0 for the whole of it.
    day: u8,
    usd: i64,
}

const FIXED: [Fixed; 4] = [
    Fixed {
        account: 0,
        region: "",
        service: ("Experiment tracking, team plan", "marketplace-experiments"),
        usage_type: "MP:seats-month",
        charge: Charge::Fee,
        day: 1,
        usd: 1_800,
    },
    Fixed {
        account: 0,
        region: "",
        service: ("Amazon Registrar", "AmazonRegistrar"),
        usage_type: "RegisterDomain",
        charge: Charge::Fee,
        day: 7,
        usd: 15,
    },
    Fixed {
        account: 2,
        region: REGIONS[0].code,
        service: ("Amazon Simple Storage Service", "AmazonS3"),
        usage_type: "TimedStorage-ByteHrs",
        charge: Charge::Refund,
        day: 12,
        usd: -42,
    },
    Fixed {
        account: 1,
        region: "",
        service: ("Amazon Elastic Compute Cloud", "AmazonEC2"),
        usage_type: "ResearchCredit",
        charge: Charge::Credit,
        day: 0,
        usd: -500,
    },
];

/// Writes the lines. Support and tax are shares of all that was written before, so they come last.
pub(super) fn write(ledger: &mut Ledger) {
    let days = ledger.days().count();
    for fixed in &FIXED {
        if usize::from(fixed.day) <= days {
            let account = ACCOUNTS.get(fixed.account).map_or("", |a| a.id);
            let what = What {
                usage_type: fixed.usage_type,
                ..What::usage(account, fixed.region, fixed.service)
            };
            line(ledger, what, fixed.charge, fixed.day, Usd::whole(fixed.usd));
        }
    }
    for (charge, service, usage_type, percent) in [
        (
            Charge::Support,
            ("AWS Support (Business)", "AWSSupportBusiness"),
            "Dollar",
            SUPPORT_PERCENT,
        ),
        (Charge::Tax, ("Tax", "Tax"), "Tax", TAX_PERCENT),
    ] {
        let usd = ledger.billed().prorated(percent, 100);
        let what = What { usage_type, ..What::usage(ACCOUNTS[0].id, "", service) };
        line(ledger, what, charge, 0, usd);
    }
}

fn line(ledger: &mut Ledger, what: What<'_>, charge: Charge, day: u8, usd: Usd) {
    let slot = ledger.slot(&What { charge, pricing: Pricing::Other, ..what }, &Tags::default());
    ledger.add(slot, day, at_cost(usd, usd, Usd::ZERO, 1.0));
}
