use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::super::{
    RESOURCE_PERMISSIONS, Report, SAVINGS_PERMISSIONS, Status, examine as examine_all, local,
    probe::PERMISSIONS,
};
use super::*;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{HourRange, Instance, Offer, TypeSpec};
use crate::source::Provider;
use crate::source::ledger::Ledger;
use crate::source::provider::{GpuMetric, MetricQuery, MetricResult, Page, PriceWanted};

/// An account whose answers are decided by operation, or by `operation region`.
#[derive(Default)]
struct Fake {
    fails: BTreeMap<String, ErrorKind>,
    silent: Vec<&'static str>,
}

impl Fake {
    fn failing(pairs: &[(&str, ErrorKind)]) -> Self {
        Self {
            fails: pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect(),
            silent: Vec::new(),
        }
    }

    async fn answer<T>(&self, action: &str, region: &str, value: T) -> Result<T, SourceError> {
        if self.silent.contains(&action) {
            std::future::pending::<()>().await;
        }
        let kind = self.fails.get(&format!("{action} {region}")).or_else(|| self.fails.get(action));
        match kind {
            Some(kind) => Err(SourceError::new(*kind, action, "it said no", "")),
            None => Ok(value),
        }
    }
}

#[async_trait::async_trait]
impl Provider for Fake {
    fn label(&self) -> &'static str {
        "prod"
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        let who = Identity {
            account: "123456789012".into(),
            arn: "arn:aws:iam::123456789012:user/op".into(),
            label: "prod".into(),
        };
        self.answer("sts:GetCallerIdentity", "", who).await
    }

    async fn home_region(&self) -> Arc<str> {
        if self.silent.contains(&"home") {
            std::future::pending::<()>().await;
        }
        "us-east-1".into()
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        let all = vec!["us-east-1".into(), "eu-west-1".into()];
        self.answer("ec2:DescribeRegions", "", all).await
    }

    async fn instances(
        &self,
        _account: &Arc<str>,
        region: &Arc<str>,
        _token: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        self.answer("ec2:DescribeInstances", region, Page::last(Vec::new())).await
    }

    async fn types(
        &self,
        region: &Arc<str>,
        _names: &[Arc<str>],
    ) -> Result<Vec<TypeSpec>, SourceError> {
        self.answer("ec2:DescribeInstanceTypes", region, Vec::new()).await
    }

    async fn gpu_metrics(
        &self,
        region: &Arc<str>,
        _token: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        self.answer("cloudwatch:ListMetrics", region, Page::last(Vec::new())).await
    }

    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        _range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        assert_eq!(queries.len(), 1, "one metric is billed, not more");
        self.answer("cloudwatch:GetMetricData", region, Vec::new()).await
    }

    async fn list_prices(&self, _wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        self.answer("pricing:GetProducts", "", Vec::new()).await
    }

    async fn spot_prices(
        &self,
        region: &Arc<str>,
        _types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError> {
        self.answer("ec2:DescribeSpotPriceHistory", region, Vec::new()).await
    }
}

/// More than any answer here takes.
const LONG: Duration = Duration::from_mins(1);

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn ledger(cap_micro_usd: u64) -> Ledger {
    Ledger::new(Cache::open(OpenOptions::in_memory(), now()).0, cap_micro_usd)
}

fn account(fake: Fake, regions: Regions) -> Account {
    Account { provider: Arc::new(fake), storage: None, regions }
}

fn report_with(account: Account, limit: Duration, ledger: Option<Ledger>) -> Report {
    let terms = Terms { now: now(), limit, ledger, demo: false };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(examine_all(Vec::new(), &[account], &terms))
}

fn report(fake: Fake, regions: Regions) -> Report {
    report_with(account(fake, regions), LONG, Some(ledger(1_000_000)))
}

fn get<'a>(report: &'a Report, id: &str) -> &'a Check {
    report.checks.iter().find(|c| c.id == id).unwrap_or_else(|| panic!("no check {id}"))
}

#[test]
fn all_is_well() {
    let report = report(Fake::default(), Regions::Enabled);
    // An account without resources has nothing to ask about more closely.
    let is_well = |c: &Check| c.status == Status::Ok || c.message.ends_with("to ask about");
    assert!(report.checks.iter().all(is_well), "{report:?}");
    assert!(report.checks.iter().all(|c| c.account.as_deref() == Some("prod")));
    let mut ids: Vec<&str> = report.checks.iter().map(|c| c.id.as_str()).collect();
    let permissions: Vec<String> = PERMISSIONS
        .iter()
        .chain(&SAVINGS_PERMISSIONS)
        .chain(&RESOURCE_PERMISSIONS)
        .map(|p| format!("permission/{}", p.action))
        .collect();
    let mut expected = vec!["credentials", "clock", "regions"];
    expected.extend(permissions.iter().map(String::as_str));
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected, "every check once");
    assert_eq!(get(&report, "regions").message, "us-east-1, eu-west-1 answer");
}

#[test]
fn a_denied_action_is_named_and_graded_by_what_is_lost() {
    for permission in PERMISSIONS {
        let fake = Fake::failing(&[(permission.action, ErrorKind::Denied)]);
        let report = report(fake, Regions::Home);
        let check = get(&report, &format!("permission/{}", permission.action));
        let expected = if permission.needed { Status::Fail } else { Status::Warn };
        assert_eq!(check.status, expected, "{check:?}");
        assert!(check.message.contains(permission.lost), "{check:?}");
        let fix = check.fix.as_deref().unwrap();
        assert!(fix.contains(permission.action) && fix.contains("iam-policy"), "{fix}");
        let others = report.checks.iter().filter(|c| c.status > Status::Ok).count();
        assert_eq!(others, 1, "one denied call blanks nothing else: {report:?}");
    }
}

#[test]
fn without_credentials_nothing_else_is_asked() {
    let fake = Fake::failing(&[("sts:GetCallerIdentity", ErrorKind::NoCredentials)]);
    let report = report(fake, Regions::Enabled);
    assert_eq!(get(&report, "credentials").status, Status::Fail);
    assert!(report.checks[1..].iter().all(|c| c.status == Status::Skip), "{report:?}");
    assert_eq!(report.status(), Status::Fail);
}

#[test]
fn a_wrong_clock_is_said() {
    let fake = Fake::failing(&[("sts:GetCallerIdentity", ErrorKind::ClockSkew)]);
    let report = report(fake, Regions::Enabled);
    assert_eq!(get(&report, "clock").status, Status::Fail);
    assert!(get(&report, "clock").fix.as_deref().unwrap().contains("set the clock"));
}

#[test]
fn a_call_that_never_answers_is_given_up() {
    let fake = Fake { silent: vec!["pricing:GetProducts"], ..Fake::default() };
    let account = account(fake, Regions::Home);
    // The ledger is another thread's, which may be late on a busy machine.
    let report = report_with(account, Duration::from_secs(3), Some(ledger(1_000_000)));
    let check = get(&report, "permission/pricing:GetProducts");
    assert!(check.message.starts_with("timeout: no answer within 3 s"), "{check:?}");
    assert_eq!(get(&report, "permission/cloudwatch:GetMetricData").status, Status::Ok);
}

#[test]
fn a_region_that_is_not_enabled_and_one_that_is_silent() {
    let list = |codes: &[&str]| Regions::Named(codes.iter().map(|c| (*c).into()).collect());
    let missing = report(Fake::default(), list(&["us-east-1", "ap-east-1"]));
    let check = get(&missing, "regions");
    assert_eq!(check.status, Status::Fail);
    assert_eq!(check.message, "not enabled in the account: ap-east-1");

    let fake = Fake::failing(&[("ec2:DescribeInstances eu-west-1", ErrorKind::Timeout)]);
    let silent = report(fake, Regions::Enabled);
    let check = get(&silent, "regions");
    assert_eq!(check.status, Status::Warn);
    assert_eq!(check.message, "1 of 2 do not answer: eu-west-1 (timeout)");
    assert_eq!(get(&silent, "permission/ec2:DescribeInstances").status, Status::Ok);
}

#[test]
fn without_the_list_of_regions_named_ones_still_work() {
    let denied = || Fake::failing(&[("ec2:DescribeRegions", ErrorKind::Denied)]);
    let named = report(denied(), Regions::Home);
    assert_eq!(get(&named, "regions").status, Status::Ok);
    assert_eq!(get(&named, "permission/ec2:DescribeRegions").status, Status::Warn);
    let all = report(denied(), Regions::Enabled);
    assert_eq!(get(&all, "regions").status, Status::Fail);
}

#[test]
fn no_region_at_all_is_a_failure_with_the_flag_to_use() {
    let fake = Fake { silent: vec!["home"], ..Fake::default() };
    let report = report_with(account(fake, Regions::Home), Duration::from_millis(50), None);
    let check = get(&report, "regions");
    assert_eq!(check.status, Status::Fail);
    assert!(check.fix.as_deref().unwrap().contains("--region"));
    assert_eq!(get(&report, "permission/ec2:DescribeInstances").status, Status::Skip);
}

#[test]
fn the_demo_is_well_and_costs_nothing() {
    let clock: crate::bus::Clock = Arc::new(now);
    let demo = crate::source::demo::DemoOptions::new(7, Some(300), clock);
    let accounts: Vec<Account> = crate::source::demo::providers(&demo)
        .into_iter()
        .map(|provider| Account { provider, storage: None, regions: Regions::Enabled })
        .collect();
    let ledger = ledger(1_000_000);
    let terms = Terms { now: now(), limit: LONG, ledger: Some(ledger.clone()), demo: true };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let report = examine_all(Vec::new(), &accounts, &terms).await;
        let bad: Vec<_> = report.checks.iter().filter(|c| c.status > Status::Ok).collect();
        assert!(bad.is_empty(), "{bad:?}");
        assert!(report.checks.len() >= 10 * accounts.len());
        assert_eq!(ledger.today(now()).await.unwrap().micro_usd, 0);
    });
}

#[test]
fn billed_probes_are_charged_and_obey_the_cap() {
    let ledger_open = ledger(1_000_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let terms =
            Terms { now: now(), limit: LONG, ledger: Some(ledger_open.clone()), demo: false };
        examine_all(Vec::new(), &[account(Fake::default(), Regions::Enabled)], &terms).await;
        // One metric and one request, $0.00001 each.
        assert_eq!(ledger_open.today(now()).await.unwrap().micro_usd, 20);
    });
    for ledger in [Some(ledger(0)), None] {
        let account = account(Fake::default(), Regions::Home);
        let report = report_with(account, LONG, ledger);
        for action in ["cloudwatch:ListMetrics", "cloudwatch:GetMetricData"] {
            let check = get(&report, &format!("permission/{action}"));
            assert_eq!(check.status, Status::Skip, "{check:?}");
            assert!(check.message.starts_with("not asked: "), "{check:?}");
        }
        assert_eq!(report.status(), Status::Ok);
    }
}

fn sample() -> Report {
    let fake = Fake::failing(&[
        ("cloudwatch:GetMetricData", ErrorKind::Denied),
        ("pricing:GetProducts", ErrorKind::Throttled),
    ]);
    let mut report = report(fake, Regions::Enabled);
    report.checks.insert(0, local::cache(&local::CacheFacts::Off));
    report
}

#[test]
fn the_text_is_pinned() {
    insta::assert_snapshot!(sample().to_text());
}

#[test]
fn the_json_is_pinned() {
    insta::assert_snapshot!(format!("{:#}", sample().to_json()));
}
