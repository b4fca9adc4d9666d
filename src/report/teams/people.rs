//! What engineers and tools cost beside the bill, and what automation would return.

use serde_json::{Value as Json, json};

use super::{MoneyFrom, exact, usd};
use crate::analyze::teams::{Efforts, PayBack};
use crate::domain::bill::Usd;
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::teams::picture::PeopleField;
use crate::view::{ViewContext, format};

/// What rows of activities and tools are made of.
#[derive(Clone, Debug)]
pub struct PeopleOf {
    /// Where the dollars of the infrastructure come from.
    pub from: MoneyFrom,
    /// What the infrastructure costs a month.
    pub bill: Usd,
    /// Activities, tools and their sums, whatever rows a filter takes.
    pub efforts: Efforts,
    /// True where hours are divided by the published example.
    pub is_published: bool,
}

impl PeopleOf {
    /// Everything: infrastructure, people and licences.
    fn total(&self) -> Usd {
        self.bill + self.efforts.usd()
    }

    /// The share of a part of everything; `None` of nothing.
    fn share(&self, part: Usd) -> Option<f64> {
        let total = self.total().to_f64();
        (total > 0.0).then(|| (part.to_f64() / total * 1e6).round() / 1e6)
    }

    /// True where something is said whose price is not known: sums are lower bounds then.
    fn is_partly_known(&self) -> bool {
        self.efforts.rows.iter().any(crate::analyze::teams::EffortRow::is_partly_known)
    }
}

impl ListField for PeopleField {
    type Of = PeopleOf;

    const VIEW: &'static str = "people";

    const IDENTITY: &'static [Self] = &[Self::Kind, Self::Name];

    const SOURCES: &'static [SourceId] = crate::report::sources::INSTANCES;

    fn readings(of: &PeopleOf) -> &[Reading] {
        of.from.readings()
    }

    fn basis(of: &PeopleOf) -> String {
        let split = if of.is_published {
            "hours divided by the published example (provisioning 25%, incidents 20, tooling 20, cost work 15, performance 20)"
        } else {
            "hours as the configuration says"
        };
        format!(
            "[people] of the configuration, a month of 52/12 weeks; {split}; beside it {}",
            of.from.basis()
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let of = &list.of;
        let efforts = &of.efforts;
        let total = json!({
            "bill_usd": exact(of.bill),
            "people_usd": exact(efforts.people),
            "licence_usd": exact(efforts.licences),
            "usd": exact(of.total()),
            "bill_share": of.share(of.bill),
            "people_share": of.share(efforts.people),
            "licence_share": of.share(efforts.licences),
            "is_lower_bound": of.is_partly_known() || of.from.is_open(),
        });
        let months = match efforts.pay_back() {
            PayBack::After(months) => Some((months * 1e6).round() / 1e6),
            PayBack::Unknown | PayBack::Never => None,
        };
        let automation = json!({
            "returned_usd": efforts.returned.map(exact),
            "once_usd": efforts.once.map(exact),
            "usd_per_month": efforts.monthly.map(exact),
            "pay_back_months": months,
            "never_pays_back": match efforts.pay_back() {
                PayBack::Unknown => None,
                of => Some(of == PayBack::Never),
            },
        });
        vec![
            ("published_split", json!(of.is_published)),
            ("bills", of.from.bills()),
            ("total", total),
            ("automation", automation),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let of = &list.of;
        let efforts = &of.efforts;
        let part = |amount: Usd| {
            let share = of.share(amount).map_or("–".to_owned(), |share| format::share(share, 1));
            format!("{} ({share})", usd(amount))
        };
        let mut notes = vec![format!(
            "total: {} a month = infrastructure {} + people {} + licences {}",
            usd(of.total()),
            part(of.bill),
            part(efforts.people),
            part(efforts.licences),
        )];
        if of.is_partly_known() {
            notes.push("! hours, their price or a licence are not said somewhere: the total is a lower bound".into());
        }
        if of.from.is_open() {
            notes.push(
                "! the bill goes on: of the infrastructure it is what was spent so far".into(),
            );
        }
        notes.extend(automation(efforts));
        notes.push("`burntop teams people --print tco` prints the command of the calculator of total cost, filled".into());
        notes.extend(of.from.oddities());
        notes
    }
}

/// What automation returns and costs, in a sentence; `None` where nothing is said of it.
fn automation(of: &Efforts) -> Option<String> {
    let Some(returned) = of.returned else {
        let is_priced = of.once.is_some() || of.monthly.is_some();
        return is_priced.then(|| {
            "! automation: what it would return is not known; [people.automation] has the shares, usd_per_hour the price"
                .into()
        });
    };
    let monthly = of.monthly.map(|amount| format!(", costs {} a month", usd(amount)));
    let costs = of.once.map(|amount| format!(" and {} once", usd(amount)));
    let end = match of.pay_back() {
        PayBack::Unknown => ": without automation_usd nobody knows when it has paid".to_owned(),
        PayBack::Never => ": it never pays back, so pay the bill and ship".to_owned(),
        PayBack::After(months) => format!(": pays back in {} months", format::grouped(months, 1)),
    };
    Some(format!(
        "automation: returns {} a month{}{}{end}",
        usd(returned),
        monthly.unwrap_or_default(),
        costs.unwrap_or_default(),
    ))
}
