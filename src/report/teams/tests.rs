use super::*;
use crate::analyze::bill::fixture::{LineOf, bill_of, settings};
use crate::analyze::teams::{
    Activity, Budget, BudgetPeriod, Limited, MoneyFilter, MonthHours, People, Pool, Quota, Rules,
    Running, Split, Tool, allocate, budget_months, budget_state, compliance, efforts, lines,
    quota_states,
};
use crate::domain::TagKeys;
use crate::domain::aws_budget::AwsBudget;
use crate::domain::bill::{Bill, Charge, PeriodState};
use crate::report::{Format, Report, write};
use crate::tabs::teams::picture::{
    PeopleField, allocation_rows, aws_budget_rows, budget_rows, people_rows, quota_rows, tag_rows,
};
use crate::view::fixture::ctx;

fn rules() -> Rules {
    let pool = Pool {
        name: "platform".into(),
        filter: MoneyFilter::parse("team=platform or charge=support").unwrap(),
        split: Split::BySpend,
        among: vec![],
    };
    Rules {
        pools: vec![pool],
        required: vec!["team".into(), "project".into()],
        ..Rules::new(&TagKeys::default(), &["user".to_owned()])
    }
}

fn gpus(name: &str) -> Option<f64> {
    (name == "p5.48xlarge").then_some(8.0)
}

fn bill() -> Arc<Bill> {
    let ec2 = LineOf {
        service: "Amazon Elastic Compute Cloud",
        usage_type: "BoxUsage:p5.48xlarge",
        quantity: 24.0,
        day: 2,
        ..LineOf::default()
    };
    bill_of(
        "2026-10",
        &["team", "project"],
        &[
            LineOf { resource: "i-0a", tags: &["nlp", "llm"], usd: "1321.0000000001", ..ec2 },
            LineOf { resource: "i-0b", tags: &["NLP", ""], usd: "660.5", ..ec2 },
            LineOf { resource: "i-0c", tags: &["vision", "ocr"], usd: "990.75", ..ec2 },
            LineOf { resource: "i-0d", tags: &["platform", "ci"], usd: "100", ..ec2 },
            LineOf {
                resource: "vol-1",
                usage_type: "EBS:VolumeUsage",
                tags: &["", ""],
                usd: "80",
                ..ec2
            },
            LineOf { resource: "corpus", tags: &["", ""], usd: "57.5", ..LineOf::default() },
            LineOf {
                day: 0,
                charge: Charge::Support,
                tags: &["", ""],
                usd: "99.99",
                ..LineOf::default()
            },
            LineOf {
                day: 0,
                charge: Charge::Tax,
                tags: &["", ""],
                usd: "165.5",
                ..LineOf::default()
            },
        ],
    )
}

fn from_bill() -> MoneyFrom {
    MoneyFrom::Bills(BillsOf { bills: vec![bill().head.clone()], ..BillsOf::default() })
}

fn allocation(by: Dimension) -> List<AllocationField> {
    let found = allocate(&lines(&bill(), false, &settings(), &gpus), &rules(), by);
    let budget = |value: &str| (value == "nlp").then(|| Usd::whole(1500));
    let of = AllocationOf {
        by,
        from: from_bill(),
        shared: found.shared.clone(),
        remarks: found.remarks.clone(),
    };
    List::of(allocation_rows(&found, budget).to_vec(), None, of)
}

fn at_80() -> ViewContext {
    ViewContext { width: Some(80), ..ctx() }
}

fn in_every_format(report: &dyn Report) -> String {
    let formats = [Format::Table, Format::Csv, Format::Json, Format::Md];
    formats.map(|format| write(report, format, &at_80())).join("\n")
}

#[test]
fn dollars_of_teams_in_every_format() {
    insta::assert_snapshot!(in_every_format(&allocation(Dimension::Team)));
}

#[test]
fn resources_without_tags_in_every_format() {
    let found = compliance(&lines(&bill(), false, &settings(), &gpus), &rules());
    let of = TagsOf {
        from: from_bill(),
        required: found.required.clone(),
        sums: [found.taggable, found.compliant, found.untaggable],
        counts: [found.resources, found.compliant_resources],
        share: found.share(),
    };
    insta::assert_snapshot!(in_every_format(&List::<TagField>::of(
        tag_rows(&found).to_vec(),
        None,
        of
    )));
}

/// A month with a dollar amount per day.
fn month(period: &str, days: u8, usd: &str, written: Option<&str>) -> Arc<Bill> {
    let line = |day| LineOf { day, tags: &["nlp"], usd, ..LineOf::default() };
    let lines: Vec<LineOf<'_>> = (1..=days).map(line).collect();
    let mut bill = Arc::unwrap_or_clone(bill_of(period, &["team"], &lines));
    if let Some(written) = written {
        bill.head.state = PeriodState::Open;
        bill.head.written_at = Some(written.parse().unwrap());
    }
    Arc::new(bill)
}

#[test]
fn budgets_in_every_format() {
    let bills = [
        month("2026-09", 30, "100", None),
        month("2026-10", 31, "100", None),
        month("2026-11", 21, "100.000000001", Some("2026-11-22T06:00:00Z")),
    ];
    let budget = |name: &str, filter: &str, limit, period| {
        let filter = MoneyFilter::parse(filter).unwrap();
        let levels = vec![80.0, 95.0, 100.0];
        Arc::new(Budget { name: name.into(), filter, limit: Usd::whole(limit), period, levels })
    };
    let budgets = [
        budget("nlp", "team=nlp", 1850, BudgetPeriod::Monthly),
        budget("all", "", 2500, BudgetPeriod::Monthly),
        budget("quarter", "team!=x", 20_000, BudgetPeriod::Quarterly),
        budget("none", "team=ghost", 10, BudgetPeriod::Monthly),
    ];
    let months = budget_months(&bills, &settings(), &gpus, false);
    let period = "2026-11".parse().unwrap();
    let states = budgets.iter().map(|b| budget_state(b, &months, &rules(), period, 0.0)).collect();
    let of = BudgetsOf {
        bills: BillsOf { bills: vec![bills[2].head.clone()], ..BillsOf::default() },
        ..BudgetsOf::default()
    };
    let list = List::<BudgetField>::of(budget_rows(states).to_vec(), None, of);
    insta::assert_snapshot!(in_every_format(&list));
}

#[test]
fn budgets_of_aws_have_their_source_and_no_band() {
    let budget = |name: &str, spent: i64, forecast: Option<i64>| AwsBudget {
        name: name.into(),
        is_quarterly: false,
        limit: Usd::whole(100),
        spent: Usd::whole(spent),
        forecast: forecast.map(Usd::whole),
        filter: "Service=Amazon SageMaker".into(),
    };
    let all =
        [budget("over", 120, Some(150)), budget("will", 80, Some(101)), budget("fine", 1, None)];
    let rows = aws_budget_rows(&"123456789012".into(), &all, ctx().now);
    let of = BudgetsOf { has_aws: true, denied: vec!["prod".into()], ..BudgetsOf::default() };
    let list = List::<BudgetField>::of(rows, None, of);
    let json: serde_json::Value =
        serde_json::from_str(&write(&list, Format::Json, &ctx())).unwrap();
    let row = |at: usize| &json["rows"][at];
    assert_eq!(row(0)["source"], "aws");
    assert_eq!(row(0)["account"], "123456789012");
    assert_eq!(row(0)["exceeds_on"], serde_json::Value::Null);
    let states = [row(0), row(1), row(2)].map(|row| row["state"].as_str().unwrap());
    assert_eq!(states, ["over", "will_exceed", "fine"]);
    let end = |at: usize| ["p10", "p50", "p90"].map(|part| row(at)["forecast_usd"][part].as_f64());
    assert_eq!(end(1), [None, Some(101.0), None]);
    assert_eq!(end(2), [None; 3]);
    let text = write(&list, Format::Table, &at_80());
    assert!(text.contains("SOURCE") && text.contains("over: over its $100.00, says AWS"), "{text}");
    assert!(text.contains("as AWS expects $101.00"), "{text}");
    assert!(text.contains("over (AWS)") && text.contains("AWS Budgets of prod are not"), "{text}");
}

#[test]
fn quotas_and_the_answer_to_a_question() {
    let running = |team: &str, since: &str| Running {
        team: Some(team.into()),
        instance_type: "p5.48xlarge".into(),
        gpus: Some(8.0),
        usd_per_hour: Some(55.04),
        since: Some(since.parse().unwrap()),
    };
    let quota = |of, limit| Quota { team: "nlp".into(), of, instance_type: None, limit };
    let quotas = [quota(Limited::Gpus, 16.0), quota(Limited::UsdPerHour, 100.0)];
    let all = [running("nlp", "2026-11-01T00:00:00Z"), running("nlp", "2026-11-02T12:00:00Z")];
    let asked = [running("nlp", "2026-11-03T00:00:00Z")];
    let states = quota_states(&quotas, &all, &asked);
    let exceeds: Vec<String> = states.iter().filter_map(reasons::quota_exceeded).collect();
    let answer = WhatIfAnswer {
        team: "nlp".into(),
        instance_type: "p5.48xlarge".into(),
        count: 1,
        usd_per_hour: Some(55.04),
        exceeds,
        unchecked: vec!["no bill is imported: budgets were not checked".into()],
    };
    assert_eq!(
        answer.sentence(),
        "1 × p5.48xlarge for nlp: exceeds its quota of 16 GPUs by 8 GPUs and its quota of $100.00/h by $65.12/h"
    );
    let of = QuotasOf { fleet: Arc::default(), answer: Some(answer) };
    let list = List::<QuotaField>::of(quota_rows(states).to_vec(), None, of);
    insta::assert_snapshot!(in_every_format(&list));
}

#[test]
fn a_filter_is_summed_alone() {
    let mut list = allocation(Dimension::Team);
    list.rows.retain(|row| row.of.key.as_deref() == Some("nlp"));
    let json = write(&list, Format::Json, &ctx());
    assert!(json.contains("\"direct_usd\": 1981.5000000001"), "{json}");
}

fn people(more: People) -> List<PeopleField> {
    let all = MonthHours::of_week(3.0, 12.0);
    let efforts = efforts(&People {
        engineers: Some(3.0),
        hours: [(Activity::Incidents, 75), (Activity::Tooling, 25)]
            .map(|(activity, percent)| (activity, all.percent(percent)))
            .to_vec(),
        ..more
    });
    let bill = lines(&bill(), false, &settings(), &gpus).iter().map(|line| line.usd).sum();
    let rows = people_rows(&efforts).to_vec();
    List::of(rows, None, PeopleOf { from: from_bill(), bill, efforts, is_published: false })
}

#[test]
fn people_in_every_format() {
    let tool = |name: &str, licence, hours: Option<f64>| Tool {
        name: name.into(),
        licence,
        hours: hours.map(MonthHours::of_month),
    };
    let list = people(People {
        usd_per_hour: Usd::from_f64(99.5),
        tools: vec![
            tool("metrics", Some(Usd::whole(500)), Some(9.0)),
            tool("reports", Usd::from_f64(0.000_000_001), None),
        ],
        returned: vec![(Activity::Incidents, 0.4)],
        automation_once: Some(Usd::whole(30_000)),
        automation_monthly: Some(Usd::whole(1_000)),
        ..People::default()
    });
    // 3 × 12 × 52 ÷ 12 = 156 h at $99.50, and 1321.0000000001 + 660.5 + 990.75 + 100 + 80 + 57.5 + 99.99 + 165.5 of the bill.
    let json = write(&list, Format::Json, &ctx());
    assert!(json.contains("\"people_usd\": 15522"), "{json}");
    assert!(json.contains("\"bill_usd\": 3475.2400000001"), "{json}");
    assert!(json.contains("\"usd\": 19497.2400000011"), "{json}");
    insta::assert_snapshot!(in_every_format(&list));
}

#[test]
fn what_never_pays_back_and_what_nobody_knows_is_said() {
    let returned = vec![(Activity::Incidents, 0.1)];
    let once = Some(Usd::whole(1));
    let dear = People {
        usd_per_hour: Some(Usd::whole(10)),
        returned: returned.clone(),
        automation_once: once,
        automation_monthly: Some(Usd::whole(118)),
        ..People::default()
    };
    let text = write(&people(dear), Format::Table, &ctx());
    // A tenth of 117 h at $10 is $117.
    assert!(text.contains("returns $117.00 a month"), "{text}");
    assert!(text.contains("it never pays back, so pay the bill and ship"), "{text}");
    let unpriced = People { returned, automation_once: once, ..People::default() };
    let text = write(&people(unpriced), Format::Table, &ctx());
    assert!(text.contains("what it would return is not known"), "{text}");
    assert!(text.contains("the total is a lower bound"), "{text}");
}
