//! Savings Plans and what they take for instances.

use std::sync::Arc;

use aws_sdk_savingsplans::types as sp;
use jiff::Timestamp;

use super::AwsProvider;
use super::calls::{DESCRIBE_SAVINGS_PLAN_RATES, DESCRIBE_SAVINGS_PLANS};
use super::clients::PRICING_REGION;
use super::inventory::clean;
use super::limit::Api;
use super::{error, platform};
use crate::domain::text::is_id;
use crate::domain::{
    Commitment, CommitmentState, Commits, PaymentOption, PlanRate, PlanType, Platform, Provenance,
    SavingsPlan, SourceError, Tenancy,
};

/// The most that one page of plans or rates holds (service limit, Savings Plans API reference).
const PAGE: i32 = 1_000;

/// Instance types per question, so that an answer stays within some pages.
const BATCH: usize = 20;

/// Savings Plans in force or in the future. They belong to no region; their only endpoint is in that of the price list.
/// Err when a page cannot be read.
pub async fn list(aws: &AwsProvider, account: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
    let region: Arc<str> = PRICING_REGION.into();
    let client = aws.clients().await.savings_plans();
    let ask = |token| {
        client
            .describe_savings_plans()
            .states(sp::SavingsPlanState::Active)
            .states(sp::SavingsPlanState::Queued)
            .states(sp::SavingsPlanState::PaymentPending)
            .states(sp::SavingsPlanState::PendingReturn)
            .max_results(PAGE)
            .set_next_token(token)
            .send()
    };
    let mut out = Vec::new();
    aws.each_page((Api::SavingsPlans, &DESCRIBE_SAVINGS_PLANS), &region, ask, |page| {
        let provenance = Provenance::Live { at: (aws.now)() };
        for raw in page.savings_plans() {
            let read = read(raw, account, &provenance).ok_or_else(|| {
                let place = aws.place(&DESCRIBE_SAVINGS_PLANS, &region);
                error::malformed("a plan came without id, start or commitment in USD", place)
            })?;
            out.push(read);
        }
        Ok(page.next_token)
    })
    .await?;
    Ok(out)
}

fn read(raw: &sp::SavingsPlan, account: &Arc<str>, provenance: &Provenance) -> Option<Commitment> {
    let id = raw.savings_plan_id().filter(|id| is_id(id))?;
    let start: Timestamp = raw.start()?.parse().ok()?;
    let end: Option<Timestamp> = raw.end().and_then(|end| end.parse().ok());
    if raw.currency().is_some_and(|c| *c != sp::CurrencyCode::Usd) {
        return None;
    }
    let amount = |text: Option<&str>| {
        text.and_then(|t| t.parse::<f64>().ok()).filter(|usd| usd.is_finite() && *usd >= 0.0)
    };
    let named = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(|t| clean(Some(t)));
    let plan_type = match raw.savings_plan_type() {
        Some(sp::SavingsPlanType::Compute) => PlanType::Compute,
        Some(sp::SavingsPlanType::Ec2Instance) => PlanType::Ec2Instance,
        Some(sp::SavingsPlanType::Sagemaker) => PlanType::SageMaker,
        _ => PlanType::Other,
    };
    let of_family = plan_type == PlanType::Ec2Instance;
    Some(Commitment {
        id: clean(Some(id)),
        account: Arc::clone(account),
        state: match raw.state() {
            // A plan that is being returned counts until it is.
            Some(sp::SavingsPlanState::Active | sp::SavingsPlanState::PendingReturn) => {
                CommitmentState::Active
            }
            Some(sp::SavingsPlanState::Queued | sp::SavingsPlanState::PaymentPending) => {
                CommitmentState::Pending
            }
            _ => CommitmentState::Ended,
        },
        start,
        end,
        commits: Commits::Plan(SavingsPlan {
            plan_type,
            usd_per_hour: amount(raw.commitment())?,
            payment: match raw.payment_option() {
                Some(sp::SavingsPlanPaymentOption::NoUpfront) => PaymentOption::NoUpfront,
                Some(sp::SavingsPlanPaymentOption::PartialUpfront) => PaymentOption::PartialUpfront,
                Some(sp::SavingsPlanPaymentOption::AllUpfront) => PaymentOption::AllUpfront,
                _ => PaymentOption::Other,
            },
            upfront_usd: amount(raw.upfront_payment_amount()).unwrap_or(0.0),
            region: named(raw.region()).filter(|_| of_family),
            family: named(raw.ec2_instance_family()).filter(|_| of_family),
            rates: Vec::new(),
            rates_known: false,
        }),
        provenance: provenance.clone(),
    })
    .filter(|c| !of_family || has_family(c))
}

/// An EC2 Instance Savings Plan of no family covers nobody knows what.
fn has_family(commitment: &Commitment) -> bool {
    matches!(&commitment.commits, Commits::Plan(p) if p.family.is_some() && p.region.is_some())
}

/// Rates of a plan for instance types in regions. The service filters them: the whole list of a Compute plan has tens
/// of thousands of rows. Err when a page cannot be read.
pub async fn rates(
    aws: &AwsProvider,
    plan: &Arc<str>,
    types: &[Arc<str>],
    regions: &[Arc<str>],
) -> Result<Vec<PlanRate>, SourceError> {
    let region: Arc<str> = PRICING_REGION.into();
    let client = aws.clients().await.savings_plans();
    let mut out: Vec<PlanRate> = Vec::new();
    for batch in types.chunks(BATCH) {
        let filters = filters(batch, regions);
        let ask = |token| {
            client
                .describe_savings_plan_rates()
                .savings_plan_id(&**plan)
                .set_filters(Some(filters.clone()))
                .max_results(PAGE)
                .set_next_token(token)
                .send()
        };
        aws.each_page((Api::SavingsPlans, &DESCRIBE_SAVINGS_PLAN_RATES), &region, ask, |page| {
            out.extend(page.search_results().iter().filter_map(rate));
            Ok(page.next_token)
        })
        .await?;
    }
    out.sort_by(|a, b| key(a).cmp(&key(b)));
    out.dedup_by(|a, b| key(a) == key(b));
    Ok(out)
}

fn key(rate: &PlanRate) -> (&str, &str, u8, u8) {
    (&rate.region, &rate.instance_type, rate.platform as u8, rate.tenancy as u8)
}

fn filters(types: &[Arc<str>], regions: &[Arc<str>]) -> Vec<sp::SavingsPlanRateFilter> {
    use sp::SavingsPlanRateFilterName as Name;
    let filter = |name: Name, values: Vec<String>| {
        sp::SavingsPlanRateFilter::builder().name(name).set_values(Some(values)).build()
    };
    let texts = |all: &[Arc<str>]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    vec![
        filter(Name::ProductType, vec![sp::SavingsPlanProductType::Ec2.as_str().to_owned()]),
        filter(Name::InstanceType, texts(types)),
        filter(Name::Region, texts(regions)),
        filter(Name::Operation, platform::OPERATIONS.map(str::to_owned).to_vec()),
    ]
}

/// A rate for an instance that runs. The same list has rates for unused reservations
/// (`UnusedBox:`), dedicated hosts and the like, which would be taken for those of instances.
fn rate(raw: &sp::SavingsPlanRate) -> Option<PlanRate> {
    use sp::SavingsPlanRatePropertyKey as Key;
    let property = |name: &Key| {
        let found = raw.properties().iter().find(|p| p.name() == Some(name));
        found.and_then(sp::SavingsPlanRateProperty::value).filter(|v| !v.is_empty())
    };
    let usd = raw.currency().is_none_or(|c| *c == sp::CurrencyCode::Usd);
    let hourly = raw.unit() == Some(&sp::SavingsPlanRateUnit::Hours);
    let ec2 = raw.product_type() == Some(&sp::SavingsPlanProductType::Ec2);
    if !usd || !hourly || !ec2 {
        return None;
    }
    // `USW2-BoxUsage:p4d.24xlarge`; us-east-1 has no prefix.
    let usage = raw.usage_type()?.split(':').next()?;
    let kind = usage.rsplit('-').next()?;
    let tenancy = platform::tenancy(property(&Key::Tenancy));
    let runs = match tenancy {
        Tenancy::Shared => kind == "BoxUsage",
        Tenancy::Dedicated => kind == "DedicatedUsage",
        Tenancy::Host => false,
    };
    let platform = match raw.operation().filter(|o| !o.is_empty()) {
        Some(operation) => platform::of_operation(operation),
        None => platform::of_product(property(&Key::ProductDescription)?),
    };
    let usd_per_hour: f64 = raw.rate()?.parse().ok()?;
    let known = runs && platform != Platform::Other;
    (known && usd_per_hour.is_finite() && usd_per_hour >= 0.0).then_some(PlanRate {
        region: clean(Some(property(&Key::Region)?)),
        instance_type: clean(Some(property(&Key::InstanceType)?)),
        platform,
        tenancy,
        usd_per_hour,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Reply, Server};
    use crate::domain::ErrorKind;
    use crate::source::Provider;

    use super::*;

    fn plan(id: &str, kind: &str, more: &Value) -> Value {
        let mut plan = json!({
            "offeringId": "4414cb9c-EXAMPLE", "savingsPlanId": id,
            "savingsPlanArn": format!("arn:aws:savingsplans::123456789012:savingsplan/{id}"),
            "description": "1 year No Upfront Compute Savings Plan",
            "start": "2026-01-01T00:00:00.000Z", "end": "2026-12-31T23:59:59.000Z",
            "state": "active", "savingsPlanType": kind, "paymentOption": "No Upfront",
            "productTypes": ["EC2", "Fargate", "Lambda"], "currency": "USD",
            "commitment": "7.50000000", "upfrontPaymentAmount": "0.0",
            "recurringPaymentAmount": "7.5", "termDurationInSeconds": 31_536_000, "tags": {}
        });
        for (key, value) in more.as_object().unwrap() {
            plan[key] = value.clone();
        }
        plan
    }

    #[tokio::test]
    async fn plans_come_page_by_page_each_in_its_state() {
        let server = Server::start(|_, request| {
            assert_eq!((request.method(), &*request.path), ("POST", "/DescribeSavingsPlans"));
            assert!(request.is_for("us-east-1"));
            let asked: Value = serde_json::from_slice(&request.body).unwrap();
            let states = json!(["active", "queued", "payment-pending", "pending-return"]);
            assert_eq!(asked["states"], states);
            let family = json!({"ec2InstanceFamily": "g5", "region": "us-west-2",
                "state": "queued", "start": "2027-01-01T00:00:00.000Z"});
            let body = if asked["nextToken"] == "two" {
                json!({"savingsPlans": [plan("b", "EC2Instance", &family),
                    plan("c", "SageMaker", &json!({"paymentOption": "All Upfront",
                        "upfrontPaymentAmount": "65700.0"}))]})
            } else {
                json!({"savingsPlans": [plan("a", "Compute", &json!({"region": ""}))],
                    "nextToken": "two"})
            };
            Reply::aws_json(200, body.to_string())
        });
        let all = server.provider().savings_plans(&"123456789012".into()).await.unwrap();
        let plan = |n: usize| match &all[n].commits {
            Commits::Plan(plan) => plan.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!((plan(0).plan_type, plan(0).usd_per_hour), (PlanType::Compute, 7.5));
        assert_eq!((plan(0).region, plan(0).rates_known), (None, false));
        assert_eq!(all[0].end, Some("2026-12-31T23:59:59Z".parse().unwrap()));
        assert_eq!(all[1].state, CommitmentState::Pending);
        assert_eq!(plan(1).family.as_deref(), Some("g5"));
        assert_eq!(plan(1).region.as_deref(), Some("us-west-2"));
        assert_eq!((plan(2).plan_type, plan(2).upfront_usd), (PlanType::SageMaker, 65_700.0));
    }

    #[tokio::test]
    async fn a_plan_in_another_currency_or_of_no_family_is_not_guessed_at() {
        for broken in [
            plan("a", "Compute", &json!({"currency": "CNY"})),
            plan("a", "Compute", &json!({"commitment": "much"})),
            plan("a", "EC2Instance", &json!({"region": "us-east-1"})),
        ] {
            let body = json!({ "savingsPlans": [broken] }).to_string();
            let server = Server::start(move |_, _| Reply::aws_json(200, body.clone()));
            let error = server.provider().savings_plans(&"1".into()).await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Malformed);
        }
    }

    #[tokio::test]
    async fn a_refusal_names_the_action() {
        let server = Server::start(|_, _| {
            let body = r#"{"__type":"AccessDeniedException","message":"not authorized"}"#;
            Reply::aws_json(403, body)
        });
        let aws = server.provider();
        let error = aws.savings_plans(&"1".into()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied, "{error:?}");
        assert_eq!(error.operation, "savingsplans:DescribeSavingsPlans");
        let of_rates = aws.savings_plan_rates(&"a".into(), &["m5.large".into()], &[]).await;
        assert_eq!(of_rates.unwrap_err().operation, "savingsplans:DescribeSavingsPlanRates");
    }

    fn row(usage: &str, operation: &str, rate: &str, tenancy: &str, unit: &str) -> Value {
        json!({
            "rate": rate, "currency": "USD", "unit": unit, "productType": "EC2",
            "serviceCode": "AmazonEC2", "usageType": usage, "operation": operation,
            "properties": [
                {"name": "region", "value": "us-west-2"},
                {"name": "instanceType", "value": "g5.xlarge"},
                {"name": "instanceFamily", "value": "g5"},
                {"name": "productDescription", "value": "Linux/UNIX"},
                {"name": "tenancy", "value": tenancy}
            ]
        })
    }

    #[tokio::test]
    async fn only_hourly_rates_of_instances_that_run_are_rates() {
        let server = Server::start(|_, request| {
            assert_eq!(&*request.path, "/DescribeSavingsPlanRates");
            let asked: Value = serde_json::from_slice(&request.body).unwrap();
            assert_eq!(asked["savingsPlanId"], "sp-1");
            let filter = |name: &str| {
                let all = asked["filters"].as_array().unwrap();
                all.iter().find(|f| f["name"] == name).unwrap()["values"].clone()
            };
            assert_eq!(filter("productType"), json!(["EC2"]));
            assert_eq!(filter("instanceType"), json!(["g5.xlarge"]));
            assert_eq!(filter("region"), json!(["us-west-2"]));
            let rows = if asked["nextToken"] == "two" {
                json!({"searchResults": [
                    row("USW2-DedicatedUsage:g5.xlarge", "RunInstances", "0.8", "dedicated", "Hrs")
                ]})
            } else {
                json!({"nextToken": "two", "searchResults": [
                    row("USW2-BoxUsage:g5.xlarge", "RunInstances", "0.7", "shared", "Hrs"),
                    row("USW2-BoxUsage:g5.xlarge", "RunInstances:0002", "0.9", "shared", "Hrs"),
                    row("USW2-BoxUsage:g5.xlarge", "RunInstances:0006", "5.9", "shared", "Hrs"),
                    row("USW2-UnusedBox:g5.xlarge", "RunInstances", "0.6", "shared", "Hrs"),
                    row("USW2-BoxUsage:g5.xlarge", "RunInstances", "0.1", "shared", "Request"),
                    row("USW2-BoxUsage:g5.xlarge", "RunInstances", "NaN", "shared", "Hrs"),
                    row("USW2-HostBoxUsage:g5.xlarge", "RunInstances", "0", "host", "Hrs"),
                ]})
            };
            Reply::aws_json(200, rows.to_string())
        });
        let aws = server.provider();
        let (types, regions) = (["g5.xlarge".into()], ["us-west-2".into()]);
        let rates = aws.savings_plan_rates(&"sp-1".into(), &types, &regions).await.unwrap();
        let seen: Vec<_> = rates.iter().map(|r| (r.platform, r.tenancy, r.usd_per_hour)).collect();
        assert_eq!(
            seen,
            [
                (Platform::Linux, Tenancy::Shared, 0.7),
                (Platform::Linux, Tenancy::Dedicated, 0.8),
                (Platform::Windows, Tenancy::Shared, 0.9),
            ]
        );
        assert_eq!(server.requests(), 2);
    }
}
