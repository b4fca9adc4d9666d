//! Bills for tests, from lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::bill::{
    Bill, BillBuilder, BillHead, Charge, Key, Line, Month, NameId, PeriodState, Pricing, Sums,
    UsageKind, Usd,
};
use crate::domain::sample;

/// A line of a bill; empty texts are not said.
#[derive(Clone, Debug)]
pub(super) struct TestLine {
    pub month: &'static str,
    pub day: u8,
    pub account: String,
    pub region: &'static str,
    pub service: String,
    pub usage_type: String,
    pub operation: &'static str,
    pub team: &'static str,
    pub resource: String,
    pub charge: Charge,
    pub pricing: Pricing,
    pub effective: f64,
    /// `None` for a line that does not say it.
    pub list: Option<f64>,
    pub quantity: f64,
}

impl Default for TestLine {
    fn default() -> Self {
        Self {
            month: "2026-10",
            day: 1,
            account: "111111111111".into(),
            region: "us-east-1",
            service: "Amazon Elastic Compute Cloud".into(),
            usage_type: "BoxUsage:p5.48xlarge".into(),
            operation: "RunInstances",
            team: "",
            resource: String::new(),
            charge: Charge::Usage,
            pricing: Pricing::OnDemand,
            effective: 0.0,
            list: None,
            quantity: 0.0,
        }
    }
}

/// One bill per month; the newest one in `state`, the others closed.
pub(super) fn bills(
    lines: impl IntoIterator<Item = TestLine>,
    state: PeriodState,
) -> Vec<Arc<Bill>> {
    let mut months: BTreeMap<Month, BillBuilder> = BTreeMap::new();
    for line in lines {
        let bill = months
            .entry(line.month.parse().unwrap())
            .or_insert_with(|| BillBuilder::new(vec!["team".into()]));
        let kind = UsageKind {
            service: bill.name(line.service.as_bytes()),
            service_code: NameId::NONE,
            usage_type: bill.name(line.usage_type.as_bytes()),
            operation: bill.name(line.operation.as_bytes()),
            family: NameId::NONE,
            unit: bill.name(b"Hrs"),
            path: None,
        };
        let team = bill.name(line.team.as_bytes());
        let key = Key {
            account: bill.name(line.account.as_bytes()),
            region: bill.name(line.region.as_bytes()),
            kind: bill.kind(kind),
            charge: line.charge,
            pricing: line.pricing,
            commitment: NameId::NONE,
            owner: bill.owner(&[team]),
        };
        let usd = |amount: f64| Usd::from_f64((amount * 1e6).round() / 1e6).unwrap();
        let effective = usd(line.effective);
        let sums = Sums {
            billed: effective,
            effective,
            list: usd(line.list.unwrap_or_default()),
            net: effective,
            quantity: line.quantity,
            lines: 1,
            without_list: u64::from(line.list.is_none()),
        };
        let resource = bill.name(line.resource.as_bytes());
        bill.add(&Line { day: line.day, key, resource, sums }).unwrap();
    }
    let last = months.keys().max().copied();
    let finish = |(period, bill): (Month, BillBuilder)| {
        let is_last = Some(period) == last;
        let state = if is_last { state } else { PeriodState::Closed };
        Arc::new(bill.finish(head(period, state)))
    };
    months.into_iter().map(finish).collect()
}

fn head(period: Month, state: PeriodState) -> BillHead {
    BillHead {
        state,
        read_at: "2026-11-20T00:00:00Z".parse().unwrap(),
        ..sample::bill_head(&period.to_string())
    }
}
