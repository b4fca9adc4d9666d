//! What bills and fleet answer to a question of the tab: the rows of a list, and what their report is of.

use std::sync::Arc;

use crate::analyze::bill::{BillKey, BillSettings};
use crate::analyze::teams::{
    Budget, BudgetMonth, BudgetPeriod, Compliance, CountedUnit, Dimension, GpusOf, Line, Quota,
    Rules, Running, RunsBy, allocate, asks_resources, budget_months, budget_of, budget_state,
    compliance, fleet_lines, lines, quota_states, running, state_of,
};
use crate::domain::bill::{Bill, BillHead, Month};
use crate::fleet::Fleet;
use crate::report::{
    AllocationOf, BillsOf, BudgetsOf, MoneyFrom, PeopleOf, QuotasOf, TagsOf, UnitsOf,
};
use crate::tabs::bill::picture::{BillBooks, period_of};
use crate::tabs::teams::picture::{
    AllocationItem, BudgetItem, PeopleItem, QuotaItem, TagItem, TeamsQuestion, TeamsView, UnitItem,
    allocation_rows, budget_rows, quota_rows, tag_rows, unit_rows,
};

/// Rows of a list, and what their report is of.
#[derive(Clone, Debug)]
pub struct Told<R, O> {
    /// The rows, in their order.
    pub rows: Arc<[Arc<R>]>,
    /// What the report is of.
    pub of: O,
}

/// The rows of one list.
#[derive(Clone, Debug)]
pub enum TeamsTold {
    /// Dollars by a dimension.
    Allocation(Told<AllocationItem, AllocationOf>),
    /// Resources without tags.
    Tags(Told<TagItem, TagsOf>),
    /// Budgets.
    Budgets(Told<BudgetItem, BudgetsOf>),
    /// Unit costs.
    Units(Told<UnitItem, UnitsOf>),
    /// Quotas.
    Quotas(Told<QuotaItem, QuotasOf>),
    /// What people and tools cost, and the command that calculates the total cost.
    People(Told<PeopleItem, PeopleOf>, String),
}

/// The answer to a [`TeamsQuestion`].
#[derive(Clone, Debug)]
pub struct TeamsPicture {
    /// Months of which a bill is kept, first one first.
    pub periods: Vec<Month>,
    /// The month; `None` where no bill is kept.
    pub period: Option<Month>,
    /// What the bills of the month are; empty where none is kept.
    pub heads: Vec<BillHead>,
    /// Why other bills, or files of counts, cannot be read, one sentence each.
    pub unreadable: Vec<String>,
    /// The rows; `None` where there is nothing to make them of: no bill, or no fleet.
    pub told: Option<TeamsTold>,
}

/// What AWS Budgets has in the accounts of a run, for the screen.
#[derive(Clone, Debug, Default)]
pub struct AwsBudgetsShown {
    /// Rows, by account.
    pub rows: Vec<Arc<BudgetItem>>,
    /// Names of accounts that do not grant the right to read them.
    pub denied: Vec<Arc<str>>,
    /// Why others could not be read, one sentence each.
    pub troubles: Vec<String>,
}

/// Months before a period that tell how days go.
pub const MONTHS_BEFORE: i32 = 3;

/// What people and tools cost beside lines that come from somewhere.
pub type PeopleBeside<'a> =
    &'a (dyn Fn(&[Line], MoneyFrom) -> Option<(Told<PeopleItem, PeopleOf>, String)> + 'a);

/// Budgets that are made of months of bills, in the period of a month.
pub type BudgetsMade<'a> = &'a dyn Fn(&[BudgetMonth], Month) -> Vec<Arc<Budget>>;

/// Unit costs with their counts in a month, and why counts cannot be read, one sentence each; of one team, project or user each those
/// of jobs alone.
pub type UnitsIn<'a> =
    &'a dyn Fn(&[BudgetMonth], Month, Option<RunsBy>) -> (Vec<CountedUnit>, Vec<String>);

/// Unit costs of jobs, why they cannot be read, one sentence each, and the month of the newest day that is known.
pub type RunUnits = (Vec<CountedUnit>, Vec<String>, Option<Month>);

/// What lists are made of: bills, what runs, and what is configured.
pub struct TeamsBooks<'a> {
    /// The bills.
    pub books: &'a BillBooks<'a>,
    /// What runs; `None` before it is known.
    pub fleet: Option<&'a Arc<Fleet>>,
    /// Rules by which dollars are allocated.
    pub rules: &'a Rules,
    /// GPUs of an instance type.
    pub gpus: GpusOf<'a>,
    /// Budgets that are configured.
    pub budgets: &'a [Arc<Budget>],
    /// Makes those of the demo, which has its own where none are configured; `None` elsewhere.
    pub made: Option<BudgetsMade<'a>>,
    /// What AWS Budgets has, asked where the list of budgets is on screen; `None` where nobody is asked.
    pub aws_budgets: &'a dyn Fn() -> Option<AwsBudgetsShown>,
    /// Unit costs with their counts, in a month; and why counts cannot be read.
    pub units: UnitsIn<'a>,
    /// Those of jobs alone, where no bill is kept.
    pub runs: &'a dyn Fn(Option<RunsBy>) -> RunUnits,
    /// Quotas beside what runs.
    pub quotas: &'a (dyn Fn(&[Running]) -> Vec<Quota> + 'a),
    /// What people and tools cost beside lines, and the command that calculates the total cost; `None` where none are
    /// configured.
    pub people: PeopleBeside<'a>,
}

impl TeamsPicture {
    /// The last month that a list of a month rests on, and how many up to it: for budgets and unit costs those of its quarter
    /// that have a bill, and those that tell how days go; none for what runs.
    pub fn rests_on(view: TeamsView, period: Month, heads: &[BillHead]) -> Option<(Month, i32)> {
        match view {
            TeamsView::Quotas => None,
            TeamsView::Allocation(_) | TeamsView::Tags | TeamsView::People => Some((period, 1)),
            TeamsView::Budgets | TeamsView::Units(_) => {
                let (first, count) = BudgetPeriod::Quarterly.around(period);
                let newest = heads.iter().map(|head| head.period).max().unwrap_or(period);
                let last = first.plus(count - 1).min(newest).max(period);
                Some((last, count + MONTHS_BEFORE))
            }
        }
    }

    /// Answers a question.
    pub fn of(of: &TeamsBooks<'_>, question: TeamsQuestion) -> Self {
        let (periods, period) = (of.books.periods(), period_of(question.period, of.books.heads));
        let bills = period.map(|month| of.books.of(month)).unwrap_or_default();
        let heads: Vec<BillHead> = bills.iter().map(|bill| bill.head.clone()).collect();
        let mut unreadable = Vec::new();
        let told = match question.view {
            TeamsView::Allocation(by) => of.allocation(&bills, period, by),
            TeamsView::Tags => of
                .money(&bills)
                .map(|(lines, from)| TeamsTold::Tags(tagged(&lines, from, of.rules))),
            TeamsView::Budgets => {
                let AwsBudgetsShown { rows: by_aws, denied, troubles } =
                    (of.aws_budgets)().unwrap_or_default();
                unreadable = troubles;
                // What AWS says is of the current period, and needs no bill.
                let has_aws = !by_aws.is_empty();
                let rows = period.map(|month| of.budgets_of(month));
                (rows.is_some() || has_aws).then(|| {
                    let bills = BillsOf { bills: heads.clone(), ..BillsOf::default() };
                    let own = rows.iter().flatten().cloned();
                    TeamsTold::Budgets(Told {
                        rows: own.chain(by_aws).collect(),
                        of: BudgetsOf { bills, has_aws, denied },
                    })
                })
            }
            TeamsView::Units(by) => {
                // What runs cost needs no bill; what else is configured is not asked for without one.
                let (units, month) = match period {
                    Some(month) => {
                        let months = of.months(month, BudgetPeriod::Monthly);
                        let (units, troubles) = (of.units)(&months, month, by);
                        unreadable = troubles;
                        (units, Some((month, months)))
                    }
                    None => {
                        let (units, troubles, month) = (of.runs)(by);
                        unreadable = troubles;
                        (units, month.map(|month| (month, Vec::new())))
                    }
                };
                month.map(|(month, months)| {
                    let state = |unit: &CountedUnit| state_of(unit, &months, of.rules, month);
                    // What jobs cost is none of a bill.
                    let bills = if by.is_some() { Vec::new() } else { heads.clone() };
                    let bills = BillsOf { bills, ..BillsOf::default() };
                    // Of a team, project or user only where it ran something.
                    let states = units.iter().map(state);
                    let states = states.filter(|of| by.is_none() || !of.is_of_nothing());
                    TeamsTold::Units(Told {
                        rows: unit_rows(states.collect()),
                        of: UnitsOf { bills },
                    })
                })
            }
            TeamsView::People => of.money(&bills).and_then(|(lines, from)| {
                let (told, command) = (of.people)(&lines, from)?;
                Some(TeamsTold::People(told, command))
            }),
            TeamsView::Quotas => of.fleet.map(|fleet| {
                let runs = running(fleet.rows.iter().map(|row| &**row), of.rules);
                let rows = quota_rows(quota_states(&(of.quotas)(&runs), &runs, &[]));
                TeamsTold::Quotas(Told {
                    rows,
                    of: QuotasOf { fleet: fleet.clone(), answer: None },
                })
            }),
        };
        Self { periods, period, heads, unreadable, told }
    }
}

impl TeamsBooks<'_> {
    /// Lines of the bills, or of what runs where there are none; `None` where neither is known.
    fn money(&self, bills: &[Arc<Bill>]) -> Option<(Vec<Line>, MoneyFrom)> {
        if bills.is_empty() {
            return self.fleet.map(of_fleet);
        }
        Some(of_bills(bills, self.books.settings, self.gpus))
    }

    /// Budgets of the configuration in the period of a month.
    fn budgets_of(&self, month: Month) -> Vec<Arc<BudgetItem>> {
        let months = self.months(month, longest(self.budgets));
        let made = self.made.map(|made| made(&months, month));
        let budgets = made.as_deref().unwrap_or(self.budgets);
        let state = |budget| budget_state(budget, &months, self.rules, month, 0.0);
        budget_rows(budgets.iter().map(state).collect()).to_vec()
    }

    fn allocation(
        &self,
        bills: &[Arc<Bill>],
        period: Option<Month>,
        by: Dimension,
    ) -> Option<TeamsTold> {
        let (lines, from) = self.money(bills)?;
        let made = self.made.zip(period).map(|(made, month)| {
            let months = self.months(month, longest(self.budgets));
            made(&months, month)
        });
        let budgets = made.as_deref().unwrap_or(self.budgets);
        Some(TeamsTold::Allocation(allocated(&lines, from, self.rules, by, budgets)))
    }

    /// Months of the bills around one, as budgets of a length need them, oldest first.
    fn months(&self, period: Month, length: BudgetPeriod) -> Vec<BudgetMonth> {
        let (first, count) = length.around(period);
        let is_around =
            |bill: &&Arc<Bill>| (-MONTHS_BEFORE..count).contains(&bill.head.period.since(first));
        let bills: Vec<Arc<Bill>> = self.books.bills.iter().filter(is_around).cloned().collect();
        months_of(&bills, self.books.settings, self.gpus, self.budgets, self.rules)
    }
}

/// Months of bills, with their resources where a budget asks for them.
pub fn months_of(
    bills: &[Arc<Bill>],
    settings: &BillSettings,
    gpus: GpusOf<'_>,
    budgets: &[Arc<Budget>],
    rules: &Rules,
) -> Vec<BudgetMonth> {
    let by_resource = budgets.iter().any(|budget| asks_resources(&budget.filter, rules));
    budget_months(bills, settings, gpus, by_resource)
}

/// Lines of bills.
pub fn of_bills(
    bills: &[Arc<Bill>],
    settings: &BillSettings,
    gpus: GpusOf<'_>,
) -> (Vec<Line>, MoneyFrom) {
    let all = bills.iter().flat_map(|bill| lines(bill, false, settings, gpus)).collect();
    let bills = bills.iter().map(|bill| bill.head.clone()).collect();
    (all, MoneyFrom::Bills(BillsOf { bills, ..BillsOf::default() }))
}

/// The longest of periods of budgets, so that one reading serves all of them.
pub fn longest(budgets: &[Arc<Budget>]) -> BudgetPeriod {
    let is_longer = |budget: &Arc<Budget>| budget.period == BudgetPeriod::Quarterly;
    // Those of the demo are made of the bill, and one is for a quarter.
    let is_quarterly = budgets.is_empty() || budgets.iter().any(is_longer);
    if is_quarterly { BudgetPeriod::Quarterly } else { BudgetPeriod::Monthly }
}

/// Lines of what runs.
pub fn of_fleet(fleet: &Arc<Fleet>) -> (Vec<Line>, MoneyFrom) {
    let (lines, unpriced) = fleet_lines(fleet.rows.iter().map(|row| &**row));
    (lines, MoneyFrom::Live { fleet: fleet.clone(), unpriced })
}

/// Dollars of lines by a dimension, beside the budgets of its values.
pub fn allocated(
    lines: &[Line],
    from: MoneyFrom,
    rules: &Rules,
    by: Dimension,
    budgets: &[Arc<Budget>],
) -> Told<AllocationItem, AllocationOf> {
    let found = allocate(lines, rules, by);
    let key = key_of(by);
    let rows = allocation_rows(&found, |value| budget_of(budgets, key.as_ref()?, value));
    Told { rows, of: AllocationOf { by, from, shared: found.shared, remarks: found.remarks } }
}

/// The key of a bill by which budgets are of a dimension.
const fn key_of(by: Dimension) -> Option<BillKey> {
    match by {
        Dimension::Team => Some(BillKey::Team),
        Dimension::Project => Some(BillKey::Project),
        Dimension::Environment => Some(BillKey::Environment),
        Dimension::CostCenter => Some(BillKey::CostCenter),
        Dimension::User => None,
    }
}

/// Resources of lines that lack a required tag.
pub fn tagged(lines: &[Line], from: MoneyFrom, rules: &Rules) -> Told<TagItem, TagsOf> {
    let found = compliance(lines, rules);
    let rows = tag_rows(&found);
    let share = found.share();
    let Compliance {
        required,
        taggable,
        compliant,
        untaggable,
        resources,
        compliant_resources,
        ..
    } = found;
    let of = TagsOf {
        from,
        required,
        sums: [taggable, compliant, untaggable],
        counts: [resources, compliant_resources],
        share,
    };
    Told { rows, of }
}
