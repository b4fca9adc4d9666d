//! Writes the lines of one month.

use std::ops::Range;

use jiff::SignedDuration;

use super::machines::{self, Machine};
use super::{DAY, Estate};
use crate::domain::bill::{
    Bill, BillBuilder, BillFormat, BillHead, BillNote, Charge, Key, Line, Month, NameId,
    PeriodState, Pricing, Sums, TransferPath, UsageKind, Usd,
};
use crate::domain::{Hour, Tags};
use crate::source::demo::places::ACCOUNTS;

/// Tag keys that the bill keeps: those that mean team, project, environment and cost center by default, as the three
/// accounts write them. The bill's keys do not tell `Team` from `team`.
const TAG_KEYS: [&str; 8] =
    ["team", "project", "app", "environment", "env", "cost-center", "costcenter", "cost_center"];

/// What a line is about.
#[derive(Clone, Copy)]
pub(super) struct What<'a> {
    /// Account id.
    pub account: &'a str,
    /// Region code; empty for global services.
    pub region: &'a str,
    /// Name and code of the service.
    pub service: (&'a str, &'a str),
    /// Product family.
    pub family: &'a str,
    /// Usage type with the prefix of its region.
    pub usage_type: &'a str,
    /// Operation; empty without one.
    pub operation: &'a str,
    /// Unit of the quantity.
    pub unit: &'a str,
    /// Network path; `None` for what is no network.
    pub path: Option<TransferPath>,
    /// What it charges for.
    pub charge: Charge,
    /// How it is priced.
    pub pricing: Pricing,
    /// Id of the commitment; empty without one.
    pub commitment: &'a str,
    /// Id of the resource; empty without one.
    pub resource: &'a str,
}

impl<'a> What<'a> {
    /// On-demand usage without a resource.
    pub const fn usage(account: &'a str, region: &'a str, service: (&'a str, &'a str)) -> Self {
        Self {
            account,
            region,
            service,
            family: "",
            usage_type: "",
            operation: "",
            unit: "",
            path: None,
            charge: Charge::Usage,
            pricing: Pricing::OnDemand,
            commitment: "",
            resource: "",
        }
    }
}

/// A [`What`] with its texts as numbers of the bill.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    key: Key,
    resource: NameId,
}

/// Sums of a line that costs its list price.
pub(super) fn at_list(usd: Usd, quantity: f64) -> Sums {
    at_cost(usd, usd, usd, quantity)
}

/// Sums of one line.
pub(super) fn at_cost(billed: Usd, effective: Usd, list: Usd, quantity: f64) -> Sums {
    Sums { billed, effective, list, net: effective, quantity, lines: 1, without_list: 0 }
}

/// The month that is being written.
pub(super) struct Ledger {
    bill: BillBuilder,
    /// Billing period.
    pub month: Month,
    /// Hours of the month that are billed: all of it, or up to midnight.
    pub hours: Range<i32>,
    /// False once the bill has become too large.
    is_whole: bool,
}

impl Ledger {
    /// An empty bill of a month, which goes to its end or to `midnight`, whichever is first.
    pub fn new(month: Month, midnight: Hour) -> Self {
        let (from, to) = (Hour::containing(month.begin()), Hour::containing(month.end()));
        let keys = TAG_KEYS.iter().map(|key| (*key).into()).collect();
        let hours = from.0..to.min(midnight).0;
        Self { bill: BillBuilder::new(keys), month, hours, is_whole: true }
    }

    /// Days that are billed, each with its hours.
    pub fn days(&self) -> impl Iterator<Item = (u8, Range<i32>)> + use<> {
        let from = self.hours.start;
        let days = (self.hours.end - from) / DAY;
        (0..days).map(move |day| (day as u8 + 1, from + day * DAY..from + (day + 1) * DAY))
    }

    /// Hours of the whole month.
    pub fn month_hours(&self) -> u64 {
        u64::from(self.month.days()) * DAY as u64
    }

    /// Interns what a line is about.
    pub fn slot(&mut self, what: &What<'_>, tags: &Tags) -> Slot {
        let bill = &mut self.bill;
        let mut name = |text: &str| bill.name(text.as_bytes());
        let kind = UsageKind {
            service: name(what.service.0),
            service_code: name(what.service.1),
            usage_type: name(what.usage_type),
            operation: name(what.operation),
            family: name(what.family),
            unit: name(what.unit),
            path: what.path,
        };
        let (account, region) = (name(what.account), name(what.region));
        let (commitment, resource) = (name(what.commitment), name(what.resource));
        let values = TAG_KEYS.map(|key| tags.find(&[key]).map_or(NameId::NONE, |v| name(v)));
        let key = Key {
            account,
            region,
            kind: bill.kind(kind),
            charge: what.charge,
            pricing: what.pricing,
            commitment,
            owner: bill.owner(&values),
        };
        Slot { key, resource }
    }

    /// Adds a line; day 0 is the whole month.
    pub fn add(&mut self, slot: Slot, day: u8, sums: Sums) {
        let line = Line { day, key: slot.key, resource: slot.resource, sums };
        self.is_whole &= self.bill.add(&line).is_ok();
    }

    /// Billed so far.
    pub fn billed(&self) -> Usd {
        self.bill.total().billed
    }

    /// The bill; `None` where it has become too large.
    pub fn finish(
        mut self,
        state: PeriodState,
        estate: &Estate,
        machines: &[Machine],
    ) -> Option<Bill> {
        for account in &ACCOUNTS {
            let id = self.bill.name(account.id.as_bytes());
            let label = self.bill.name(account.label.as_bytes());
            self.bill.account_name(id, label);
        }
        let (lines, cost) = machines::split_rows(machines, &self.hours);
        let notes = if lines > 0 { vec![BillNote::SplitRows { lines, cost }] } else { vec![] };
        // Delivered some hours after the last day.
        let written_at = Hour(self.hours.end).start().checked_add(SignedDuration::from_hours(5));
        let head = BillHead {
            export: "demo".into(),
            format: BillFormat::Cur2,
            provider: "AWS".into(),
            payer: ACCOUNTS[0].id.into(),
            period: self.month,
            state,
            lines: 0,
            total: Sums::default(),
            has_net: false,
            has_resources: false,
            has_days: false,
            resources_folded: 0,
            last_day: 0,
            written_at: written_at.ok().map(|at| at.min(estate.now)),
            read_at: estate.now,
            notes,
        };
        self.is_whole.then(|| self.bill.finish(head))
    }
}

/// Prefix of a region in usage types; that of us-east-1 is empty.
pub(super) fn prefix(region: &str) -> &'static str {
    match region {
        "us-east-2" => "USE2-",
        "us-west-2" => "USW2-",
        "eu-west-1" => "EU-",
        "ap-northeast-1" => "APN1-",
        "eu-central-1" => "EUC1-",
        _ => "",
    }
}

/// A price as an exact decimal of at most ten places; 0 for what is no price.
pub(super) fn exact(usd: f64) -> Usd {
    Usd::from_f64((usd * 1e10).round() / 1e10).unwrap_or_default()
}

/// A month's price, spread over its hours so that they add up to it exactly.
pub(super) struct Spread {
    total: Usd,
    of: u64,
    done: u64,
}

impl Spread {
    /// `total` for `of` hours.
    pub const fn new(total: Usd, of: u64) -> Self {
        Self { total, of, done: 0 }
    }

    /// What the next hours cost.
    pub fn next(&mut self, hours: u64) -> Usd {
        let before = self.total.prorated(self.done, self.of);
        self.done += hours;
        self.total.prorated(self.done, self.of) - before
    }
}
