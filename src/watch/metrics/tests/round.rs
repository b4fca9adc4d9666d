//! Budgets, sources, own cost, alerts, messages and rounds.

use std::sync::{Arc, LazyLock};

use super::super::{AlertCount, BudgetUse, DeliveryCount};
use super::*;
use crate::domain::own_cost::SpendingUnknown;
use crate::domain::{ErrorKind, OwnCost, SourceError};
use crate::watch::message::Severity;

/// An input of which nothing is known.
fn nothing() -> MetricsInput<'static> {
    static EMPTY: LazyLock<(Fleet, GpuFleet)> = LazyLock::new(Default::default);
    input(&EMPTY.0, &EMPTY.1)
}

fn read(input: MetricsInput<'_>) -> Read {
    Read::page(&input, &WatchCounts::default())
}

fn budget(
    budget: &str,
    limit_usd: f64,
    spent_usd: f64,
    forecast_usd: Option<f64>,
) -> BudgetUse<'_> {
    BudgetUse { budget, limit_usd, spent_usd, forecast_usd }
}

#[test]
fn budgets_have_their_share_and_forecasts_that_nobody_made_are_absent() {
    let all = [budget("a", 200.0, 170.0, Some(230.0)), budget("b", 0.0, 5.0, None)];
    let read = read(MetricsInput { budgets: &all, ..nothing() });
    assert_eq!(read.value("burntop_budget_used_ratio", &["a"]), Some(0.85));
    assert_eq!(read.value("burntop_budget_forecast_usd", &["a"]), Some(230.0));
    assert_eq!(read.value("burntop_budget_used_ratio", &["b"]), None, "a share of nothing");
    assert_eq!(read.value("burntop_budget_spent_usd", &["b"]), Some(5.0));
    assert_eq!(read.value("burntop_budget_forecast_usd", &["b"]), None);
}

#[test]
fn budgets_beyond_the_limit_are_one_with_the_worst_share_and_no_forecast() {
    let all = [
        budget("a", 10.0, 9.0, Some(9.5)),
        budget("b", 100.0, 50.0, Some(60.0)),
        budget("c", 100.0, 20.0, Some(30.0)),
    ];
    let read = read(MetricsInput { budgets: &all, most_values: 1, ..nothing() });
    assert_eq!(read.values("burntop_budget_used_ratio", "budget"), ["a", "other"]);
    assert_eq!(read.value("burntop_budget_used_ratio", &["other"]), Some(0.5));
    assert_eq!(read.value("burntop_budget_limit_usd", &["other"]), Some(200.0));
    assert_eq!(read.values("burntop_budget_forecast_usd", "budget"), ["a"]);
    assert_eq!(read.value("burntop_label_values_folded", &["budget"]), Some(2.0));
}

fn failed() -> SourceState {
    SourceState::Failed(Arc::new(SourceError::new(ErrorKind::Denied, "ec2:X", "no", "")))
}

#[test]
fn a_source_is_up_or_down_as_it_answered_and_neither_where_nobody_asked() {
    let all = [
        Reading { coverage: 0.5, ..reading(SourceId::Ec2, "1", SourceState::Live, Some(30)) },
        reading(SourceId::S3, "1", failed(), Some(7200)),
        reading(SourceId::Prices, "1", SourceState::Cached, Some(60)),
        reading(SourceId::Spot, "1", SourceState::Loading, None),
    ];
    let read = read(MetricsInput { readings: &all, ..nothing() });
    let at = |family: &str, source| read.value(family, &[source, "1", "us-east-1"]);
    let up = ["ec2", "s3", "prices", "spot"].map(|source| at("burntop_source_up", source));
    assert_eq!(up, [Some(1.0), Some(0.0), None, None]);
    let ages =
        ["ec2", "s3", "prices", "spot"].map(|source| at("burntop_source_age_seconds", source));
    assert_eq!(ages, [Some(30.0), Some(7200.0), Some(60.0), None]);
    assert_eq!(at("burntop_source_coverage_ratio", "ec2"), Some(0.5));
    assert_eq!(at("burntop_source_coverage_ratio", "s3"), None);
}

#[test]
fn scopes_beyond_the_limit_are_one_with_the_worst_of_each_source_and_failures_stay_by_name() {
    let all = [
        reading(SourceId::Ec2, "1", SourceState::Live, Some(10)),
        reading(SourceId::Ec2, "2", SourceState::Live, Some(40)),
        reading(SourceId::Ec2, "3", failed(), Some(900)),
        reading(SourceId::S3, "2", SourceState::Live, Some(20)),
    ];
    let read = read(MetricsInput { readings: &all, most_values: 1, ..nothing() });
    let up = |labels| read.value("burntop_source_up", labels);
    assert_eq!(up(&["ec2", "3", "us-east-1"]), Some(0.0));
    assert_eq!(up(&["ec2", "other", "other"]), Some(1.0));
    assert_eq!(read.value("burntop_source_age_seconds", &["ec2", "other", "other"]), Some(40.0));
    assert_eq!(read.value("burntop_label_values_folded", &["source_scope"]), Some(2.0));
}

#[test]
fn a_failure_among_scopes_that_are_put_together_is_not_hidden() {
    let all = ["1", "2"].map(|account| reading(SourceId::Ec2, account, failed(), Some(10)));
    let read = read(MetricsInput { readings: &all, most_values: 1, ..nothing() });
    assert_eq!(read.value("burntop_source_up", &["ec2", "other", "other"]), Some(0.0));
}

#[test]
fn own_cost_is_absent_where_the_ledger_cannot_tell_and_its_cap_is_not() {
    let mut own = OwnCost { micro_usd: 30_000, cap_micro_usd: 1_000_000, ..OwnCost::default() };
    let known = read(MetricsInput { own_cost: Some(&own), ..nothing() });
    assert_eq!(known.value("burntop_own_cost_usd_today", &[]), Some(0.03));
    assert_eq!(known.value("burntop_own_cost_unknown", &[]), Some(0.0));
    own.trouble = Some(SpendingUnknown { why: "torn".to_owned(), fix: "" });
    let unknown = read(MetricsInput { own_cost: Some(&own), ..nothing() });
    assert!(!unknown.has("burntop_own_cost_usd_today"));
    assert_eq!(unknown.value("burntop_own_cost_unknown", &[]), Some(1.0));
    assert_eq!(unknown.value("burntop_own_cost_cap_usd", &[]), Some(1.0));
}

#[test]
fn alerts_and_messages_are_counted_and_rules_beyond_the_limit_stay_by_severity_and_state() {
    let alert = |rule: &str, state, count| AlertCount {
        rule: rule.to_owned(),
        severity: Severity::Warning,
        state,
        count,
    };
    let counts = WatchCounts {
        every_seconds: Some(60.0),
        round_seconds: None,
        rounds: 7,
        failed_rounds: 2,
        alerts: vec![
            alert("idle", "firing", 9),
            alert("idle", "pending", 0),
            alert("b", "firing", 1),
            alert("c", "firing", 2),
        ],
        deliveries: vec![DeliveryCount {
            sink: "slack".to_owned(),
            sent: 5,
            failed: 3,
            dead: 1,
            queued: 2,
        }],
    };
    let read = Read::page(&MetricsInput { most_values: 1, ..nothing() }, &counts);
    let alerts = |rule, state| read.value("burntop_alerts", &[rule, "warning", state]);
    assert_eq!((alerts("idle", "firing"), alerts("idle", "pending")), (Some(9.0), Some(0.0)));
    assert_eq!(alerts("other", "firing"), Some(3.0));
    let sent = |result| read.value("burntop_deliveries_total", &["slack", result]);
    assert_eq!([sent("sent"), sent("failed"), sent("dead")], [Some(5.0), Some(3.0), Some(1.0)]);
    assert_eq!(read.value("burntop_deliveries_queued", &["slack"]), Some(2.0));
    assert_eq!(read.value("burntop_watch_rounds_total", &["failed"]), Some(2.0));
    assert_eq!(read.value("burntop_watch_interval_seconds", &[]), Some(60.0));
    assert!(!read.has("burntop_watch_round_duration_seconds"));
    assert_eq!(read.value("burntop_build_info", &["0.1.0", "abc 2026-11-29"]), Some(1.0));
}

#[test]
fn before_the_first_round_the_build_is_all_that_is_told() {
    let text = Metrics::of_build(Build { version: "1", commit: "c" }).text();
    let read = Read::of(&text);
    assert_eq!(read.series.len(), 1);
    assert_eq!(read.value("burntop_build_info", &["1", "c"]), Some(1.0));
}

#[test]
fn every_sink_and_rule_name_is_written_so_that_it_reads_back() {
    let texts = crate::domain::text::hostile::TEXTS;
    let deliveries = texts
        .iter()
        .map(|text| DeliveryCount { sink: (*text).to_owned(), sent: 1, ..DeliveryCount::default() })
        .collect();
    let counts = WatchCounts { deliveries, ..WatchCounts::default() };
    let read = Read::page(&nothing(), &counts);
    assert_eq!(read.sum("burntop_deliveries_total"), texts.len() as f64, "each is sent once");
    let names = read.values("burntop_deliveries_total", "sink");
    assert!(names.contains(&"\"quoted\", 'single', \\back"), "{names:?}");
}
