//! One cheap call per permission.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{Check, Status, Terms};
use crate::domain::{ErrorKind, HourRange, Platform, Signal, SourceError, Tenancy};
use crate::source::ledger::BilledApi;
use crate::source::provider::{MetricKey, MetricQuery, PriceWanted, Provider, Statistic};

/// An IAM permission, and what is missing without it.
#[derive(Clone, Copy, Debug)]
pub struct Permission {
    /// IAM action.
    pub action: &'static str,
    /// True where burntop cannot work without it.
    pub needed: bool,
    /// Phrase for what is missing without it.
    pub lost: &'static str,
}

/// Permissions that are probed, in the order of the report. `sts:GetCallerIdentity` is the check of
/// credentials.
pub const PERMISSIONS: [Permission; 7] = [
    Permission {
        action: "ec2:DescribeRegions",
        needed: false,
        lost: "`--region all` cannot be used",
    },
    Permission { action: "ec2:DescribeInstances", needed: true, lost: "no instance is seen" },
    Permission {
        action: "ec2:DescribeInstanceTypes",
        needed: false,
        lost: "types newer than the built-in catalogue stay unknown",
    },
    Permission {
        action: "cloudwatch:ListMetrics",
        needed: true,
        lost: "no GPU is seen, so every GPU box stays unknown",
    },
    Permission { action: "cloudwatch:GetMetricData", needed: true, lost: "nothing can be judged" },
    Permission {
        action: "pricing:GetProducts",
        needed: false,
        lost: "prices come from the built-in list",
    },
    Permission {
        action: "ec2:DescribeSpotPriceHistory",
        needed: false,
        lost: "Spot instances have no price",
    },
];

/// Answer of a call, or its error.
pub type Asked<T> = Result<T, SourceError>;

/// Waits at most `limit` for an answer; a timeout is an error that names `action`.
pub async fn within<T>(
    limit: Duration,
    action: &str,
    call: impl Future<Output = Asked<T>>,
) -> Asked<T> {
    tokio::time::timeout(limit, call).await.unwrap_or_else(|_| {
        let message = format!("no answer within {} s", limit.as_secs_f64());
        let fix = "see whether a proxy or firewall stands between this machine and AWS";
        Err(SourceError::new(ErrorKind::Timeout, action, &message, fix))
    })
}

/// Check of the permission for `action` by an answer; `None` where the action is not in [`PERMISSIONS`].
pub fn judged<T>(action: &str, answer: &Asked<T>) -> Option<Check> {
    let permission = PERMISSIONS.iter().find(|p| p.action == action)?;
    Some(judge(permission, answer.as_ref().err()))
}

/// Check of a permission; `error` = the error of its call, `None` where it succeeded.
pub fn judge(permission: &Permission, error: Option<&SourceError>) -> Check {
    let id = format!("permission/{}", permission.action);
    let Some(error) = error else { return Check::ok(&id, "allowed") };
    let lost = permission.lost;
    let graded = if permission.needed { Status::Fail } else { Status::Warn };
    let (status, fix) = match error.kind {
        ErrorKind::Denied => (
            graded,
            format!("allow `{}`; `burntop iam-policy` prints the whole policy", permission.action),
        ),
        ErrorKind::Throttled => (Status::Warn, "wait a minute and try again".to_owned()),
        ErrorKind::OwnCostCap => (Status::Skip, error.advice().to_owned()),
        _ => (graded, error.advice().to_owned()),
    };
    let message = match error.kind {
        ErrorKind::OwnCostCap => format!("not asked: {}", error.message),
        kind => format!("{}: {}; {lost}", kind.word(), error.message),
    };
    let fix = (!fix.is_empty()).then_some(fix);
    Check { fix, ..Check::new(&id, status, message) }
}

/// Probes in `region` the permissions that no other check uses: types, metrics and prices.
pub async fn probes(provider: &dyn Provider, region: &Arc<str>, terms: &Terms) -> Vec<Check> {
    let limit = terms.limit;
    let small: Arc<str> = "t3.micro".into();
    let types = [Arc::clone(&small)];
    let wanted = [PriceWanted {
        region: Arc::clone(region),
        instance_type: small,
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
    }];
    let (types, list, data, prices, spot) = tokio::join!(
        within(limit, "ec2:DescribeInstanceTypes", provider.types(region, &types)),
        within(limit, "cloudwatch:ListMetrics", async {
            charge(BilledApi::ListMetrics, terms).await?;
            provider.gpu_metrics(region, None).await
        }),
        within(limit, "cloudwatch:GetMetricData", async {
            charge(BilledApi::GetMetricData, terms).await?;
            provider.metric_data(region, &[query()], last_hour(terms.now)).await
        }),
        within(limit, "pricing:GetProducts", provider.list_prices(&wanted)),
        within(limit, "ec2:DescribeSpotPriceHistory", provider.spot_prices(region, &types)),
    );
    let answers = [
        judged("ec2:DescribeInstanceTypes", &types),
        judged("cloudwatch:ListMetrics", &list),
        judged("cloudwatch:GetMetricData", &data),
        judged("pricing:GetProducts", &prices),
        judged("ec2:DescribeSpotPriceHistory", &spot),
    ];
    answers.into_iter().flatten().collect()
}

/// The cheapest metric there is: one, of an instance that does not exist.
fn query() -> MetricQuery {
    MetricQuery {
        instance: "i-00000000000000000".into(),
        signal: Signal::CpuMean,
        key: MetricKey::Ec2 { metric: "CPUUtilization" },
        statistic: Statistic::Average,
    }
}

fn last_hour(now: Timestamp) -> HourRange {
    HourRange::last_closed(now, 1)
}

/// Charges one request before it is made. Fails where the ledger cannot be written or the cap is reached.
pub async fn charge(api: BilledApi, terms: &Terms) -> Result<(), SourceError> {
    match &terms.ledger {
        _ if terms.demo => Ok(()),
        None => Err(SourceError::new(
            ErrorKind::OwnCostCap,
            api.name(),
            "the call is billed and there is no ledger to count it in",
            "set HOME or BURNTOP_CACHE_PATH",
        )),
        Some(ledger) => {
            let charged = ledger.charge(api, 1, terms.now).await;
            charged.map_err(|refused| refused.error(api.name()))
        }
    }
}
