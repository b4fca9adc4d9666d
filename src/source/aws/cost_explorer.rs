//! Cost Explorer: costs by two keys, a cent per request.

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};

use super::AwsProvider;
use super::calls::{GET_COST_AND_USAGE, GET_COST_AND_USAGE_WITH_RESOURCES};
use super::json_api::{At, Host, Naming, Question, Read, Service, ask};
use super::limit::Api;
use crate::domain::SourceError;
use crate::source::cost_explorer::{
    COMPUTE, CostPage, CostQuery, CostSource, Filter, GroupBy, Interval, METRICS, OTHER_CHARGES,
};

/// Cost Explorer, called without its SDK crate.
pub const COST_EXPLORER: Service = Service {
    id: "Cost Explorer",
    naming: Naming::Header("AWSInsightsIndexService"),
    signing_name: "ce",
    // No limits are published; some ten requests a day.
    api: Api::Own { service: "ce", per_second: 1, burst: 5, in_flight: 1 },
    host,
    is_billed: true,
};

/// One host in a partition, whatever region asks.
fn host(at: &At<'_>) -> Host {
    let home = at.home();
    let fips = if at.fips { "-fips" } else { "" };
    Host { name: format!("ce{fips}.{home}"), signed_for: Some(home) }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Costs {
    time_period: Interval,
    granularity: &'static str,
    metrics: [&'static str; METRICS.len()],
    group_by: [Value; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct GetCostAndUsage(Costs);

impl Question for GetCostAndUsage {
    const READ: Read = Read::of(&GET_COST_AND_USAGE, &COST_EXPLORER);
    type Answer = CostPage;
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct GetCostAndUsageWithResources(Costs);

impl Question for GetCostAndUsageWithResources {
    const READ: Read = Read::of(&GET_COST_AND_USAGE_WITH_RESOURCES, &COST_EXPLORER);
    type Answer = CostPage;
}

impl Costs {
    fn new(query: &CostQuery, next_page_token: Option<String>) -> Self {
        let group = |by: &GroupBy| match by {
            GroupBy::Dimension(key) => json!({"Type": "DIMENSION", "Key": key}),
            GroupBy::Tag(key) => json!({"Type": "TAG", "Key": &**key}),
        };
        let charges = || dimension("RECORD_TYPE", OTHER_CHARGES.map(|(word, _)| word));
        let filter = match query.filter {
            Filter::All => None,
            Filter::Other => Some(charges()),
            Filter::Use => Some(json!({"Not": charges()})),
            Filter::UseOfInstances => Some(json!({
                "And": [dimension("SERVICE", [COMPUTE]), {"Not": charges()}],
            })),
        };
        Self {
            time_period: Interval { start: query.from, end: query.to },
            granularity: if query.by_day { "DAILY" } else { "MONTHLY" },
            metrics: METRICS,
            group_by: [group(&query.groups[0]), group(&query.groups[1])],
            filter,
            next_page_token,
        }
    }
}

fn dimension<const N: usize>(key: &str, values: [&str; N]) -> Value {
    json!({"Dimensions": {"Key": key, "Values": values.as_slice()}})
}

#[async_trait]
impl CostSource for AwsProvider {
    async fn costs(
        &self,
        query: &CostQuery,
        token: Option<String>,
    ) -> Result<CostPage, SourceError> {
        let home = self.clients().await.home();
        let costs = Costs::new(query, token);
        if !query.with_resources {
            return Ok(ask(self, home, &GetCostAndUsage(costs)).await?);
        }
        match ask(self, home, &GetCostAndUsageWithResources(costs)).await {
            Ok(page) => Ok(page),
            // What is not switched on, and what has no data yet.
            Err(failed) if failed.code() == Some("DataUnavailableException") => {
                Ok(CostPage::default())
            }
            Err(failed) => Err(failed.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use serde_json::{Value, json};

    use super::super::testing::{Reply, Server, now};
    use super::*;
    use crate::domain::ErrorKind;
    use crate::source::cost_explorer::{Choice, Plan, fetch, plan};

    fn go_on(_: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn first_look() -> Plan {
        plan(
            now(),
            &[],
            &Choice { account: "1".into(), tag: Some("team".into()), resources: true },
            0,
        )
    }

    fn page(start: &str, key: &str, amount: &str, next: Option<&str>) -> Reply {
        let cost = json!({"Amount": amount, "Unit": "USD"});
        let json = json!({
            "ResultsByTime": [{
                "TimePeriod": {"Start": start, "End": start}, "Total": {}, "Estimated": false,
                "Groups": [{"Keys": ["Amazon FSx\u{1b}[2J", key], "Metrics": {
                    "UnblendedCost": cost, "AmortizedCost": cost, "NetAmortizedCost": cost,
                    "UsageQuantity": {"Amount": "2", "Unit": "GB-Mo"},
                }}],
            }],
            "NextPageToken": next,
        });
        Reply::aws_json(200, json.to_string())
    }

    #[tokio::test]
    async fn a_plan_is_asked_page_by_page_and_resources_that_are_not_switched_on_are_none() {
        let server = Server::start(|_, request| {
            let target = request.header("x-amz-target").unwrap();
            assert!(request.is_for("us-east-1") && request.head.contains("/ce/aws4_request"));
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            if target == "AWSInsightsIndexService.GetCostAndUsageWithResources" {
                assert_eq!(body["Filter"]["And"][0]["Dimensions"]["Values"], json!([COMPUTE]));
                let error = json!({"__type": "DataUnavailableException", "message": "off"});
                return Reply::aws_json(400, error.to_string());
            }
            assert_eq!(target, "AWSInsightsIndexService.GetCostAndUsage");
            assert_eq!(body["GroupBy"][0], json!({"Type": "DIMENSION", "Key": "SERVICE"}));
            let start = body["TimePeriod"]["Start"].as_str().unwrap();
            let second = body["GroupBy"][1]["Key"].as_str().unwrap();
            let excluded = &body["Filter"]["Not"]["Dimensions"]["Values"];
            assert_eq!(excluded.as_array().is_some(), second == "USAGE_TYPE");
            match (second, body["NextPageToken"].as_str()) {
                ("RECORD_TYPE", _) => page(start, "Tax", "0.5", None),
                ("USAGE_TYPE", None) => page(start, "a", "1", Some("2")),
                ("USAGE_TYPE", Some("2")) => page(start, "b", "1", None),
                ("LINKED_ACCOUNT", None) => page(start, "111122223333", "2.5", None),
                ("REGION", None) => page(start, "us-east-1", "2.5", None),
                ("team", None) => {
                    assert_eq!(body["GroupBy"][1]["Type"], "TAG");
                    page(start, "team$vision", "2.5", None)
                }
                other => panic!("{other:?}"),
            }
        });
        let plan = first_look();
        let fetched = fetch(&server.provider(), None, &plan, now(), &mut go_on).await;
        assert_eq!((fetched.left, fetched.error), (0, None));
        // Usage types came in two pages.
        assert_eq!(fetched.requests as usize, plan.lists.len() + 3);
        assert_eq!(fetched.requests as usize, server.requests());
        let first = "2025-12".parse().unwrap();
        let totals: Vec<String> = fetched
            .bills
            .iter()
            .filter(|b| b.head.period == first)
            .map(|b| b.head.total.billed.to_string())
            .collect();
        assert_eq!(totals, ["2.5"; 4]);
        // Months without a row have no service.
        let mut told = fetched.bills.iter().filter(|b| b.head.lines > 0);
        assert!(told.all(|b| b.find("Amazon FSx\u{fffd}[2J").is_some()));
    }

    #[tokio::test]
    async fn a_request_that_fails_is_sent_once_for_only_one_was_charged() {
        for (status, code, kind) in [
            (400, "AccessDeniedException", ErrorKind::Denied),
            (400, "LimitExceededException", ErrorKind::Throttled),
            (500, "InternalFailure", ErrorKind::Other),
        ] {
            let server = Server::start(move |_, _| {
                let error = json!({"__type": code, "message": "no"});
                Reply::aws_json(status, error.to_string())
            });
            let fetched = fetch(&server.provider(), None, &first_look(), now(), &mut go_on).await;
            let error = fetched.error.unwrap();
            assert_eq!((error.kind, &*error.operation), (kind, "ce:GetCostAndUsage"));
            assert_eq!((server.requests(), fetched.requests), (1, 1), "{code}");
        }
    }
}
