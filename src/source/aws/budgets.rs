//! AWS Budgets: the list of budgets.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AwsProvider;
use super::calls::DESCRIBE_BUDGETS;
use super::inventory::clean;
use super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service, every};
use super::limit::Api;
use crate::domain::aws_budget::{AwsBudget, AwsBudgetLack, AwsBudgets};
use crate::domain::bill::Usd;
use crate::domain::{SourceError, text};

/// AWS Budgets, called without its SDK crate.
pub const BUDGETS: Service = Service {
    id: "Budgets",
    naming: Naming::Header("AWSBudgetServiceGateway"),
    signing_name: "budgets",
    // No limits are published; one list when told to.
    api: Api::Own { service: "budgets", per_second: 1, burst: 5, in_flight: 1 },
    host,
    is_billed: false,
};

/// One host in a partition, whatever region asks.
fn host(at: &At<'_>) -> Host {
    let home = at.home();
    let is_global = ["us-isob-east-1", "us-isof-south-1", "eu-isoe-west-1"].contains(&home);
    let name = match (at.fips, at.dual_stack) {
        (true, _) => "budgets-fips".to_owned(),
        (false, true) if home == "us-east-1" => format!("budgets.{home}"),
        (false, false) if is_global => "budgets.global".to_owned(),
        _ => "budgets".to_owned(),
    };
    Host { name, signed_for: Some(home) }
}

/// Rows per page.
const PAGE: u32 = 100;

/// Characters of a filter that are kept.
const FILTER_AT_MOST: usize = 300;

/// A page of all budgets.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeBudgets {
    account_id: String,
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

impl Question for DescribeBudgets {
    const READ: Read = Read::of(&DESCRIBE_BUDGETS, &BUDGETS).named("DescribeBudgets");
    type Answer = Page<Raw>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Raw {
    budget_name: Option<String>,
    budget_type: Option<String>,
    time_unit: Option<String>,
    budget_limit: Option<Spend>,
    calculated_spend: Option<Calculated>,
    /// Values by dimension.
    cost_filters: Option<BTreeMap<String, Vec<String>>>,
    /// What newer budgets have in place of them.
    filter_expression: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Calculated {
    actual_spend: Option<Spend>,
    forecasted_spend: Option<Spend>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Spend {
    amount: Option<String>,
    unit: Option<String>,
}

impl Spend {
    /// The amount; `None` where it is none.
    fn usd(&self) -> Option<Usd> {
        Usd::parse(self.amount.as_deref()?.trim().as_bytes())
    }

    fn is_usd(&self) -> bool {
        self.unit.as_deref() == Some("USD")
    }
}

impl Row for Raw {
    const LIST: &'static str = "Budgets";
}

/// All budgets of an account. Err when a page cannot be read.
pub async fn read(aws: &AwsProvider, account: &Arc<str>) -> Result<AwsBudgets, SourceError> {
    let home = aws.clients().await.home();
    let page = |next_token| DescribeBudgets {
        account_id: account.to_string(),
        max_results: PAGE,
        next_token,
    };
    let mut found = AwsBudgets::default();
    for raw in every(aws, home, page).await? {
        match budget(&raw) {
            Ok(budget) => found.budgets.push(budget),
            Err(lack) => found.left_out.push((clean(raw.budget_name.as_deref()), lack)),
        }
    }
    found.budgets.sort_by(|a, b| a.name.cmp(&b.name));
    found.left_out.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// A budget, or why it is left out.
fn budget(raw: &Raw) -> Result<AwsBudget, AwsBudgetLack> {
    if raw.budget_type.as_deref() != Some("COST") {
        return Err(AwsBudgetLack::NotCosts);
    }
    let is_quarterly = match raw.time_unit.as_deref() {
        Some("MONTHLY") => false,
        Some("QUARTERLY") => true,
        _ => return Err(AwsBudgetLack::OtherPeriod),
    };
    let limit = raw.budget_limit.as_ref().ok_or(AwsBudgetLack::NoLimit)?;
    let spend = raw.calculated_spend.as_ref();
    let actual = spend.and_then(|spend| spend.actual_spend.as_ref());
    let forecast = spend.and_then(|spend| spend.forecasted_spend.as_ref());
    if ![Some(limit), actual, forecast].into_iter().flatten().all(Spend::is_usd) {
        return Err(AwsBudgetLack::OtherCurrency);
    }
    Ok(AwsBudget {
        name: clean(raw.budget_name.as_deref()),
        is_quarterly,
        limit: limit.usd().filter(|usd| *usd > Usd::ZERO).ok_or(AwsBudgetLack::NoLimit)?,
        spent: actual.and_then(Spend::usd).ok_or(AwsBudgetLack::NotCalculated)?,
        forecast: forecast.and_then(Spend::usd),
        filter: filter(raw),
    })
}

/// Which costs, as text: `Service=Amazon SageMaker, Amazon EC2; Region=us-east-1`.
fn filter(raw: &Raw) -> String {
    let filters = raw.cost_filters.iter().flatten();
    let of = |(key, values): (&String, &Vec<String>)| format!("{key}={}", values.join(", "));
    let mut words: Vec<String> = filters.map(of).collect();
    words.extend(raw.filter_expression.as_ref().filter(|of| !of.is_null()).map(Value::to_string));
    let words: String = words.join("; ").chars().take(FILTER_AT_MOST).collect();
    text::clean(&words).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Reply, Server};
    use super::*;
    use crate::domain::ErrorKind;
    use crate::source::Provider as _;

    fn usd(amount: &str) -> Value {
        json!({"Amount": amount, "Unit": "USD"})
    }

    fn raw(name: &str, more: &Value) -> Value {
        let mut raw = json!({
            "BudgetName": name, "BudgetType": "COST", "TimeUnit": "MONTHLY",
            "BudgetLimit": usd("1000.0"),
            "CalculatedSpend": {"ActualSpend": usd("1200.25"), "ForecastedSpend": usd("1500")},
            "CostFilters": {}, "TimePeriod": {"Start": 1_700_000_000.0, "End": 3_706_473_600.0},
        });
        for (key, value) in more.as_object().unwrap() {
            raw[key] = value.clone();
        }
        raw
    }

    #[tokio::test]
    async fn budgets_come_on_all_pages_and_what_cannot_be_shown_says_why() {
        let server = Server::start(|_, request| {
            assert_eq!(
                request.header("x-amz-target"),
                Some("AWSBudgetServiceGateway.DescribeBudgets")
            );
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            assert_eq!((&body["AccountId"], &body["MaxResults"]), (&json!("1"), &json!(100)));
            let answer = match body["NextToken"].as_str() {
                None => json!({"NextToken": "2", "Budgets": [
                    raw("nlp\u{1b}[2J", &json!({"CostFilters": {"Service": ["A", "B"], "Region": ["r"]}})),
                    raw("use", &json!({"BudgetType": "USAGE"})),
                    raw("year", &json!({"TimeUnit": "ANNUALLY"})),
                    raw("yuan", &json!({"BudgetLimit": {"Amount": "1", "Unit": "CNY"}})),
                ]}),
                Some(_) => json!({"Budgets": [
                    raw("all", &json!({"TimeUnit": "QUARTERLY", "FilterExpression": {"Not": 1},
                        "CalculatedSpend": {"ActualSpend": usd("0")}})),
                    raw("zero", &json!({"BudgetLimit": usd("0")})),
                    raw("odd", &json!({"BudgetLimit": usd("much")})),
                    raw("new", &json!({"CalculatedSpend": null})),
                ]}),
            };
            Reply::aws_json(200, answer.to_string())
        });
        let found = server.provider().budgets(&"1".into()).await.unwrap().unwrap();
        let [all, nlp] = &found.budgets[..] else { panic!("{found:?}") };
        assert!(!nlp.name.contains('\u{1b}') && nlp.name.starts_with("nlp"), "{nlp:?}");
        assert_eq!(nlp.filter, "Region=r; Service=A, B");
        assert_eq!(
            (nlp.limit.to_string(), nlp.spent.to_string()),
            ("1000".into(), "1200.25".into())
        );
        assert_eq!((nlp.forecast, nlp.is_quarterly), (Some(Usd::whole(1500)), false));
        assert_eq!((all.forecast, all.is_quarterly, all.spent), (None, true, Usd::ZERO));
        assert_eq!(all.filter, "{\"Not\":1}");
        let left: Vec<(&str, AwsBudgetLack)> =
            found.left_out.iter().map(|(name, lack)| (&**name, *lack)).collect();
        assert_eq!(
            left,
            [
                ("new", AwsBudgetLack::NotCalculated),
                ("odd", AwsBudgetLack::NoLimit),
                ("use", AwsBudgetLack::NotCosts),
                ("year", AwsBudgetLack::OtherPeriod),
                ("yuan", AwsBudgetLack::OtherCurrency),
                ("zero", AwsBudgetLack::NoLimit),
            ]
        );
    }

    #[tokio::test]
    async fn a_denial_names_the_permission() {
        let server = Server::start(|_, _| {
            Reply::aws_json(400, r#"{"__type":"AccessDeniedException","Message":"no"}"#)
        });
        let error = server.provider().budgets(&"1".into()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
        assert_eq!(error.operation, "budgets:ViewBudget");
    }
}
