//! Teams: dollars by team, resources without tags, budgets, quotas.

mod people;
#[cfg(test)]
mod tests;
mod units;

use std::sync::Arc;

use serde_json::{Value as Json, json};

pub use people::PeopleOf;
pub use units::UnitsOf;

use super::bill::{bill, named, oddities, usd};
use super::exact_json::exact;
use super::{BillsOf, List, ListField};
use crate::analyze::teams::Lack::{Untaggable, Untagged};
use crate::analyze::teams::{AllocationRow, Dimension, Lack, Remark, SharedCost, Split};
use crate::domain::bill::{PeriodState, Usd};
use crate::domain::{Reading, SourceId};
use crate::fleet::Fleet;
use crate::tabs::teams::picture::{
    AllocationField, BudgetField, BudgetStanding, QuotaField, QuotaStanding, TagField,
};
use crate::view::{TableField, ViewContext, format, reasons};

/// Where dollars come from.
#[derive(Clone, Debug)]
pub enum MoneyFrom {
    /// Bills.
    Bills(BillsOf),
    /// What runs, at its live price for a month; with the number of instances without a known price.
    Live {
        /// The fleet.
        fleet: Arc<Fleet>,
        /// Instances that are in no sum.
        unpriced: usize,
    },
}

impl MoneyFrom {
    fn readings(&self) -> &[Reading] {
        match self {
            Self::Bills(_) => &[],
            Self::Live { fleet, .. } => &fleet.readings,
        }
    }

    /// True of a month that goes on: its dollars are those so far.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Bills(of) => of.bills.iter().any(|bill| bill.state == PeriodState::Open),
            Self::Live { .. } => false,
        }
    }

    fn basis(&self) -> String {
        match self {
            Self::Bills(of) => {
                format!("effective USD of the bill of {}, exact", named(&of.bills))
            }
            Self::Live { .. } => {
                "no bill is imported: USD that what runs now costs in a month of 730 h at its live \
                 price, without commitments"
                    .into()
            }
        }
    }

    fn bills(&self) -> Json {
        match self {
            Self::Bills(of) => of.bills.iter().map(bill).collect(),
            Self::Live { .. } => Json::Array(vec![]),
        }
    }

    fn oddities(&self) -> Vec<String> {
        match self {
            Self::Bills(of) => oddities(of).collect(),
            Self::Live { unpriced: 0, .. } => vec![],
            Self::Live { unpriced, .. } => vec![format!(
                "! {} without a known price: in no sum",
                format::plural(*unpriced, "instance")
            )],
        }
    }
}

/// What rows of an allocation are made of.
#[derive(Clone, Debug)]
pub struct AllocationOf {
    /// What dollars are allocated by.
    pub by: Dimension,
    /// Where they come from.
    pub from: MoneyFrom,
    /// Shared costs that were divided.
    pub shared: Vec<SharedCost>,
    /// What is odd about the rules.
    pub remarks: Vec<Remark>,
}

/// What rows of resources without tags are made of.
#[derive(Clone, Debug)]
pub struct TagsOf {
    /// Where the dollars come from.
    pub from: MoneyFrom,
    /// Tags that are required.
    pub required: Vec<Arc<str>>,
    /// Dollars of what could be tagged, of what has all tags, and of what could not be tagged.
    pub sums: [Usd; 3],
    /// Number of resources that could be tagged, and of those with all tags.
    pub counts: [usize; 2],
    /// Share of the dollars that could be tagged whose resource has all tags, 0–1; `None` without any.
    pub share: Option<f64>,
}

/// What rows of budgets are made of.
#[derive(Clone, Debug, Default)]
pub struct BudgetsOf {
    /// The bills, and those before them that tell how days go.
    pub bills: BillsOf,
    /// True where AWS Budgets was asked as well.
    pub has_aws: bool,
    /// Accounts that do not grant the right to read their AWS Budgets.
    pub denied: Vec<Arc<str>>,
}

/// What is asked of quotas before something is launched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIfAnswer {
    /// The team.
    pub team: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Number of instances.
    pub count: u32,
    /// Their list price, USD per hour; `None` where it is not known.
    pub usd_per_hour: Option<f64>,
    /// What they exceed, in words; empty where they fit.
    pub exceeds: Vec<String>,
    /// What could not be checked, in words.
    pub unchecked: Vec<String>,
}

impl WhatIfAnswer {
    /// True where nothing is exceeded.
    pub fn fits(&self) -> bool {
        self.exceeds.is_empty()
    }

    /// The answer in a sentence, without a full stop.
    pub fn sentence(&self) -> String {
        let what = format!("{} × {} for {}", self.count, self.instance_type, self.team);
        if self.fits() {
            return format!("{what}: fits");
        }
        let all = match &self.exceeds[..] {
            [before @ .., last] if !before.is_empty() => {
                format!("{} and {last}", before.join(", "))
            }
            all => all.join(", "),
        };
        format!("{what}: exceeds {all}")
    }
}

/// What rows of quotas are made of.
#[derive(Clone, Debug)]
pub struct QuotasOf {
    /// The fleet.
    pub fleet: Arc<Fleet>,
    /// Answer to a question; `None` without one.
    pub answer: Option<WhatIfAnswer>,
}

impl ListField for AllocationField {
    type Of = AllocationOf;

    const VIEW: &'static str = "teams";

    const IDENTITY: &'static [Self] = &[Self::Key, Self::Untagged];

    const SOURCES: &'static [SourceId] = super::sources::INSTANCES;

    fn readings(of: &AllocationOf) -> &[Reading] {
        of.from.readings()
    }

    fn heading(self, of: &AllocationOf) -> &'static str {
        match (self, of.by) {
            (Self::Key, Dimension::Team) => "TEAM",
            (Self::Key, Dimension::Project) => "PROJECT",
            (Self::Key, Dimension::Environment) => "ENV",
            (Self::Key, Dimension::CostCenter) => "COST CENTER",
            (Self::Key, Dimension::User) => "USER",
            (field, _) => field.spec().header,
        }
    }

    fn basis(of: &AllocationOf) -> String {
        format!("{}; by tags, then mappings of [teams], shared costs divided", of.from.basis())
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sum =
            |of: fn(&AllocationRow) -> Usd| exact(list.each().map(|row| of(&row.of)).sum::<Usd>());
        let total = json!({
            "usd": sum(AllocationRow::usd),
            "direct_usd": sum(|row| row.direct),
            "shared_usd": sum(|row| row.shared),
        });
        let shared = |of: &SharedCost| {
            let (name, usd, split) = (&*of.name, exact(of.usd), of.split.word());
            json!({ "name": name, "usd": usd, "split": split, "among": of.among })
        };
        let remarks: Json = list.of.remarks.iter().map(reasons::team_remark).collect();
        vec![
            ("by", json!(list.of.by.word())),
            ("bills", list.of.from.bills()),
            ("total", total),
            ("shared_costs", list.of.shared.iter().map(shared).collect()),
            ("remarks", remarks),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let sum = |lack: &dyn Fn(Option<Lack>) -> bool| -> Usd {
            list.each().filter(|row| lack(row.of.lack)).map(|row| row.of.usd()).sum()
        };
        let mut notes = vec![format!(
            "total: {}; untagged {}, untaggable {}",
            usd(sum(&|_| true)),
            usd(sum(&|lack| lack == Some(Untagged))),
            usd(sum(&|lack| lack == Some(Untaggable))),
        )];
        notes.extend(list.of.shared.iter().map(|of| {
            let how = match of.split {
                Split::Even => "evenly",
                Split::BySpend => "by spend",
                Split::ByGpuHours => "by GPU-hours",
            };
            format!("shared cost {}: {} divided {how} among {}", of.name, usd(of.usd), of.among)
        }));
        notes.extend(list.of.remarks.iter().map(|r| format!("! {}", reasons::team_remark(r))));
        notes.extend(list.of.from.oddities());
        notes
    }
}

impl ListField for TagField {
    type Of = TagsOf;

    const VIEW: &'static str = "teams-tags";

    const IDENTITY: &'static [Self] = &[Self::Resource, Self::Account];

    const SOURCES: &'static [SourceId] = super::sources::INSTANCES;

    fn readings(of: &TagsOf) -> &[Reading] {
        of.from.readings()
    }

    fn basis(of: &TagsOf) -> String {
        format!("{}; required: {}", of.from.basis(), of.required.join(", "))
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let of = &list.of;
        let [taggable, compliant, untaggable] = of.sums.map(exact);
        let [resources, compliant_resources] = of.counts;
        let total = json!({
            "taggable_usd": taggable,
            "compliant_usd": compliant,
            "untaggable_usd": untaggable,
            "resources": resources,
            "compliant_resources": compliant_resources,
            "compliance": of.share.map(|share| (share * 1e6).round() / 1e6),
        });
        vec![("required", json!(of.required)), ("bills", of.from.bills()), ("total", total)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let of = &list.of;
        let [taggable, compliant, untaggable] = of.sums.map(usd);
        let [resources, compliant_resources] = of.counts;
        let share = of.share.map_or("–".to_owned(), |share| format::share(share, 1));
        let mut notes = vec![
            format!(
                "all required tags: {share} of the dollars ({compliant} of {taggable}), {compliant_resources} of {}",
                format::plural(resources, "resource")
            ),
            format!(
                "{untaggable} could not be tagged: taxes, support, transfer without a resource"
            ),
        ];
        if !list.rows.is_empty() {
            notes.push(
                "`burntop teams tags --print commands` prints what tags them; with tag-policy or launch-template in place of \
                 commands, what keeps new ones tagged"
                    .into(),
            );
        }
        notes.extend(of.from.oddities());
        notes
    }
}

/// What rows of AWS Budgets rest on.
const BY_AWS: &str = "of AWS Budgets the current period, as AWS says it";

impl ListField for BudgetField {
    type Of = BudgetsOf;

    const VIEW: &'static str = "budgets";

    const IDENTITY: &'static [Self] = &[Self::Name, Self::Source, Self::Account];

    const SOURCES: &'static [SourceId] = &[];

    fn is_of(self, of: &BudgetsOf) -> bool {
        of.has_aws || !matches!(self, Self::Source | Self::Account)
    }

    fn columns_of(of: &BudgetsOf) -> Option<Vec<Self>> {
        let mut columns = Self::SCREEN_COLUMNS.to_vec();
        if of.has_aws {
            columns.insert(1, Self::Source);
        }
        Some(columns)
    }

    fn readings(_: &BudgetsOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &BudgetsOf) -> String {
        let own = format!(
            "effective USD of the bill of {}, exact, without shares of shared costs; the end is foreseen from \
             settled days by weekday, its band holds in eight of ten cases",
            named(&of.bills.bills)
        );
        match (of.has_aws, of.bills.bills.is_empty()) {
            (false, _) => own,
            (true, true) => BY_AWS.to_owned(),
            (true, false) => format!("{own}; {BY_AWS}"),
        }
    }

    fn more(
        row: &crate::tabs::teams::picture::BudgetItem,
        _: &BudgetsOf,
    ) -> Vec<(&'static str, Json)> {
        let band = row.of.forecast.map(
            |end| json!({ "p10": exact(end.p10), "p50": exact(end.p50), "p90": exact(end.p90) }),
        );
        let by_aws = row.aws.as_ref().and_then(|aws| aws.forecast);
        let by_aws = by_aws.map(|usd| json!({ "p10": null, "p50": exact(usd), "p90": null }));
        let end = band.or(by_aws);
        let levels = json!(row.of.budget.levels.iter().map(|l| l / 100.0).collect::<Vec<_>>());
        vec![("forecast_usd", json!(end)), ("levels", levels)]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![("bills", list.of.bills.bills.iter().map(bill).collect())]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let mut notes = Vec::new();
        for row in list.each() {
            let of = &row.of;
            let name = &of.budget.name;
            if !of.takes_any {
                notes.push(format!("! {name}: its filter takes no line of {}", of.period));
            }
            if of.missing_months > 0 {
                let months = format::plural(of.missing_months, "month");
                notes.push(format!(
                    "! {name}: {months} of {} without a bill: more is spent",
                    of.period
                ));
            }
            let on = of.exceeds_on.map(|day| day.to_string()).unwrap_or_default();
            match row.standing() {
                BudgetStanding::Over if row.aws.is_some() => {
                    notes.push(format!("{name}: over its {}, says AWS", usd(of.budget.limit)));
                }
                BudgetStanding::WillExceed if row.aws.is_some() => {
                    let expected = row.expected().map(usd).unwrap_or_default();
                    notes.push(format!(
                        "{name}: will exceed its {}, as AWS expects {expected}",
                        usd(of.budget.limit)
                    ));
                }
                BudgetStanding::Over => {
                    notes.push(format!("{name}: over its {} since {on}", usd(of.budget.limit)));
                }
                BudgetStanding::AtLevel | BudgetStanding::WillExceed if !on.is_empty() => {
                    let chance = of.probability.map(|share| format::share(share, 0));
                    notes.push(format!(
                        "{name}: will exceed its {} on {on}{}",
                        usd(of.budget.limit),
                        chance
                            .map(|chance| format!(", with a probability of {chance}"))
                            .unwrap_or_default()
                    ));
                }
                _ => {}
            }
        }
        let is_late = |row: &crate::tabs::teams::picture::BudgetItem| row.of.is_open;
        if list.each().any(is_late) {
            notes.push("the bill is open: late lines may still change what is spent".into());
        }
        if !list.of.denied.is_empty() {
            let accounts = list.of.denied.join(", ");
            notes.push(format!(
                "AWS Budgets of {accounts} are not shown: IAM does not allow budgets:ViewBudget"
            ));
        }
        notes.extend(oddities(&list.of.bills));
        notes
    }
}

impl ListField for QuotaField {
    type Of = QuotasOf;

    const VIEW: &'static str = "quotas";

    const IDENTITY: &'static [Self] = &[Self::Team, Self::Of, Self::Type];

    const SOURCES: &'static [SourceId] = super::sources::INSTANCES;

    fn is_of(self, of: &QuotasOf) -> bool {
        self != Self::Asked || of.answer.is_some()
    }

    fn columns_of(of: &QuotasOf) -> Option<Vec<Self>> {
        let mut columns = Self::SCREEN_COLUMNS.to_vec();
        if of.answer.is_some() {
            let at = columns.iter().position(|c| *c == Self::Over).unwrap_or(columns.len());
            columns.insert(at, Self::Asked);
        }
        Some(columns)
    }

    fn readings(of: &QuotasOf) -> &[Reading] {
        &of.fleet.readings
    }

    fn basis(_: &QuotasOf) -> String {
        "what runs now, by team: tags, then mappings of [teams]; dollars at live prices, without commitments".into()
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let answer = list.of.answer.as_ref().map(|of| {
            json!({
                "team": of.team,
                "type": of.instance_type,
                "count": of.count,
                "usd_per_hour": of.usd_per_hour,
                "fits": of.fits(),
                "exceeds": of.exceeds,
                "unchecked": of.unchecked,
            })
        });
        answer.map(|answer| ("what_if", answer)).into_iter().collect()
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(answer) = &list.of.answer {
            notes.push(answer.sentence());
            notes.extend(answer.unchecked.iter().map(|what| format!("! {what}")));
        }
        let over = list.each().filter(|row| row.standing() == QuotaStanding::Over).count();
        if over > 0 {
            notes.push(format!("{} exceeded", format::counted(over, "quota is", "quotas are")));
        }
        notes
    }
}
