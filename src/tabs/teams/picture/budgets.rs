//! The fields of budgets.

use std::sync::Arc;

use crate::analyze::teams::{BudgetPeriod, BudgetState};
use crate::domain::bill::{Usd, words};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};
use serde::{Deserialize, Serialize};

words! {
    /// How a budget stands.
    BudgetStanding {
        /// More than the limit is spent.
        Over = "over",
        /// A level is reached.
        AtLevel = "at_level",
        /// The limit will be exceeded, as is expected.
        WillExceed = "will_exceed",
        /// None of these.
        Fine = "fine",
    }
}

words! {
    /// Whose a budget is.
    BudgetSource {
        /// One of the configuration, held against bills.
        Burntop = "burntop",
        /// One of AWS Budgets, with what AWS says of it.
        Aws = "aws",
    }
}

/// What AWS says of one of its budgets besides limit and spend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsFigures {
    /// Account that it is set up in.
    pub account: Arc<str>,
    /// What the end of the period is expected to be; `None` where AWS foresees nothing.
    pub forecast: Option<Usd>,
}

/// A budget of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetItem {
    /// Its name; unique among the rows of a list.
    pub id: Arc<str>,
    /// Its filter as text; empty for all lines.
    pub filter: String,
    /// The day on which the limit is exceeded, as a date; empty where it is not.
    pub exceeds_on: String,
    /// How it stands.
    pub of: BudgetState,
    /// What AWS says of it; `None` for a budget of the configuration.
    pub aws: Option<AwsFigures>,
}

impl BudgetItem {
    /// Whose the budget is.
    pub const fn source(&self) -> BudgetSource {
        match self.aws {
            None => BudgetSource::Burntop,
            Some(_) => BudgetSource::Aws,
        }
    }

    /// What the end of the period is expected to be; `None` where nothing is foreseen.
    pub fn expected(&self) -> Option<Usd> {
        match &self.aws {
            None => self.of.forecast.map(|end| end.p50),
            Some(aws) => aws.forecast,
        }
    }

    /// How the budget stands.
    pub fn standing(&self) -> BudgetStanding {
        if self.of.is_over() {
            BudgetStanding::Over
        } else if self.of.level.is_some() {
            BudgetStanding::AtLevel
        } else if self.of.exceeds_on.is_some() || self.will_exceed_by_aws() {
            BudgetStanding::WillExceed
        } else {
            BudgetStanding::Fine
        }
    }

    /// True where AWS expects more than the limit.
    fn will_exceed_by_aws(&self) -> bool {
        let forecast = self.aws.as_ref().and_then(|aws| aws.forecast);
        forecast.is_some_and(|usd| usd > self.of.budget.limit)
    }
}

/// Rows of budgets, in their order.
pub fn budget_rows(of: Vec<BudgetState>) -> Arc<[Arc<BudgetItem>]> {
    let row = |of: BudgetState| {
        Arc::new(BudgetItem {
            id: of.budget.name.clone(),
            filter: of.budget.filter.to_string(),
            exceeds_on: of.exceeds_on.map(|day| day.to_string()).unwrap_or_default(),
            of,
            aws: None,
        })
    };
    of.into_iter().map(row).collect()
}

field_table! {
    /// A field of a budget.
    pub enum BudgetField => FIELDS {
        Name text "name" [] "NAME" 14 key wide by('n') "Name of the budget.";
        Filter text "filter" [] "FILTER" 18 wide by('f') "Which lines of the bill; none = all.";
        Period text "period" [] "PERIOD" 7 by('p') "The month, or the quarter.";
        Length choice(BudgetPeriod::WORDS) "length" [] "LENGTH" 9 by('e') "monthly or quarterly.";
        State choice(BudgetStanding::WORDS) "state" [] "STATE" 11 by('t')
            "over = more than the limit is spent; at_level = a level is reached; will_exceed = the limit will be exceeded, as is expected.";
        Limit number(Usd) "limit_usd" ["limit"] "LIMIT" 13 unit("$") by('l') "What may be spent in the period.";
        Spent number(Usd) "spent_usd" ["spent", "$"] "SPENT" 13 apart unit("$") by('s') "What is spent so far.";
        Share number(Percent) "spent_share" ["used"] "USED" 6 by('u') "Share of the limit that is spent.";
        Burn number(Usd) "burn_usd_per_day" ["burn"] "$/DAY" 10 unit("$/day") by('d')
            "What a day cost, mean of the last week of which all lines are there.";
        P10 number(Usd) "forecast_p10_usd" ["p10"] "P10" 13 unit("$") "What the end of the period is below in one of ten cases.";
        P50 number(Usd) "forecast_p50_usd" ["p50", "forecast"] "FORECAST" 13 unit("$") by('r')
            "What the end of the period is expected to be; none of a closed one, and with less than a week of days.";
        P90 number(Usd) "forecast_p90_usd" ["p90"] "P90" 13 unit("$") "What the end of the period is below in nine of ten cases.";
        ExceedsOn text "exceeds_on" ["exceeds"] "EXCEEDS ON" 10 by('x')
            "The day on which the limit was exceeded, or is expected to be.";
        Probability number(Percent) "exceeds_probability" ["probability"] "CHANCE" 6 by('c')
            "Probability that the period ends above the limit.";
        Level number(Percent) "level" [] "LEVEL" 6 by('v') "The highest level that is reached.";
        Source choice(BudgetSource::WORDS) "source" [] "SOURCE" 7 by('o')
            "burntop = of the configuration, held against bills; aws = of AWS Budgets, with what AWS says.";
        Account text "account" [] "ACCOUNT" 12 "Account of a budget of AWS Budgets.";
    }
}

use BudgetField as F;

impl TableField for BudgetField {
    type Row = BudgetItem;

    const NOUNS: [&'static str; 2] = ["budget", "budgets"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Name,
        F::Period,
        F::State,
        F::Limit,
        F::Spent,
        F::Share,
        F::Burn,
        F::P50,
        F::ExceedsOn,
        F::Probability,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Burn, F::Period, F::Probability, F::P50];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a BudgetItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let exact = |usd: Option<Usd>| usd.map_or(Value::Unknown, Value::Usd);
        match self {
            F::Name => Value::text(&of.budget.name),
            F::Filter => Value::text(&row.filter),
            F::Period => Value::text(&of.period),
            F::Length => Value::text(of.budget.period.word()),
            F::State => Value::text(row.standing().word()),
            F::Limit => Value::Usd(of.budget.limit),
            F::Spent => Value::Usd(of.spent),
            F::Share => Value::number(Some(of.share() * 100.0)),
            F::Burn => Value::number(of.burn_per_day.map(|usd| (usd * 100.0).round() / 100.0)),
            F::P10 => exact(of.forecast.map(|end| end.p10)),
            F::P50 => exact(row.expected()),
            F::P90 => exact(of.forecast.map(|end| end.p90)),
            F::ExceedsOn => Value::text(&row.exceeds_on),
            F::Probability => Value::number(of.probability.map(|share| share * 100.0)),
            F::Level => Value::number(of.level),
            F::Source => Value::text(row.source().word()),
            F::Account => Value::text(row.aws.as_ref().map_or("", |aws| &aws.account)),
        }
    }

    fn cell(self, row: &BudgetItem, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            // Beside those of the configuration it is told apart where there is no room for its source.
            (F::Name, Value::Text(name)) if row.aws.is_some() => format!("{name} (AWS)"),
            (F::Burn, Value::Number(usd)) => format::usd(usd),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &BudgetItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &BudgetItem) -> Option<f64> {
        None
    }

    fn any_text(row: &BudgetItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.filter)
    }
}
