use std::sync::Arc;

use proptest::prelude::*;

use super::tagging::TagPlace;
use super::*;
use crate::analyze::bill::fixture::{LineOf, any_bills, bill_of, settings, usd};
use crate::domain::TagKeys;
use crate::domain::bill::{Charge, TransferPath, Usd};

const EC2: &str = "Amazon Elastic Compute Cloud";

fn rules() -> Rules {
    let users = ["user".to_owned(), "owner".to_owned()];
    Rules {
        required: vec!["team".into(), "project".into()],
        ..Rules::new(&TagKeys::default(), &users)
    }
}

fn gpus(name: &str) -> Option<f64> {
    (name == "p5.48xlarge").then_some(8.0)
}

fn mapping(team: &str) -> Mapping {
    Mapping { team: team.into(), account: None, name: None, tag: None }
}

fn pool(filter: &str, split: Split, among: &[&str]) -> Pool {
    let among = among.iter().map(|team| (*team).into()).collect();
    Pool { name: "shared".into(), filter: MoneyFilter::parse(filter).unwrap(), split, among }
}

/// A bill with two spellings of a team, an alias, a shared platform, what has no tag and what can have none.
fn lines_of() -> Vec<Line> {
    let box_of = |team, usd, resource| LineOf {
        service: EC2,
        usage_type: "BoxUsage:p5.48xlarge",
        quantity: 10.0,
        resource,
        tags: Box::leak(Box::new([team, "p1"])),
        usd,
        ..LineOf::default()
    };
    let bill = bill_of(
        "2026-10",
        &["team", "project"],
        &[
            box_of("nlp", "600", "i-1"),
            box_of("NLP", "100", "i-2"),
            box_of("language", "50", "i-3"),
            box_of("vision", "250", "i-4"),
            box_of("platform", "90.01", "i-5"),
            LineOf {
                service: EC2,
                usage_type: "EBS:VolumeUsage",
                resource: "vol-9",
                usd: "7",
                tags: &["", ""],
                ..LineOf::default()
            },
            LineOf {
                usd: "9",
                tags: &["", ""],
                resource: "arn:aws:s3:::nlp-data",
                account: "222222222222",
                ..LineOf::default()
            },
            LineOf { day: 0, charge: Charge::Tax, usd: "20", tags: &["", ""], ..LineOf::default() },
            LineOf {
                path: Some(TransferPath::Internet),
                usd: "3",
                tags: &["", ""],
                ..LineOf::default()
            },
        ],
    );
    lines(&bill, false, &settings(), &gpus)
}

/// Rows as `key direct shared`.
fn shown(found: &Allocation) -> Vec<String> {
    let row = |row: &AllocationRow| {
        let key = row.key.as_deref().or(row.lack.map(Lack::word)).unwrap_or_default();
        format!("{key} {} {}", row.direct, row.shared)
    };
    found.rows.iter().map(row).collect()
}

#[test]
fn spellings_are_one_team_and_what_has_no_tag_is_told_from_what_can_have_none() {
    let found = allocate(&lines_of(), &rules(), Dimension::Team);
    assert_eq!(
        shown(&found),
        [
            "nlp 700 0",
            "vision 250 0",
            "platform 90.01 0",
            "language 50 0",
            "untagged 16 0",
            "untaggable 23 0"
        ]
    );
    assert_eq!(found.total, usd("1129.01"));
    assert!((found.rows[0].gpu_hours - 160.0).abs() < 1e-9);
    assert_eq!(allocate(&lines_of(), &rules(), Dimension::User).rows.len(), 2);
}

#[test]
fn mappings_and_aliases_give_teams_and_the_tag_goes_before_them() {
    let mut rules = rules();
    rules.aliases.insert("language".into(), "nlp".into());
    rules.mappings = vec![
        Mapping { name: Some(Pattern::new("nlp-*")), ..mapping("nlp") },
        Mapping { account: Some("222222222222".into()), ..mapping("data") },
        Mapping {
            name: Some(Pattern::new("vol-*")),
            account: Some("9".into()),
            ..mapping("ghost")
        },
    ];
    rules.names = vec!["nlp".into(), "vision".into()];
    let found = allocate(&lines_of(), &rules, Dimension::Team);
    assert_eq!(
        shown(&found),
        ["nlp 759 0", "vision 250 0", "platform 90.01 0", "untagged 7 0", "untaggable 23 0"]
    );
    assert_eq!(
        found.remarks,
        [
            Remark::MappingTakesNothing(2, "data".into()),
            Remark::MappingTakesNothing(3, "ghost".into()),
            Remark::Contested(1, 2, usd("9")),
            Remark::UnknownTeam("platform".into(), usd("90.01")),
        ]
    );
}

#[test]
fn shared_costs_are_divided_by_their_rule_to_the_last_digit() {
    let of = |split, among: &[&str]| {
        let pools =
            vec![pool("team=platform or charge=tax", split, among), pool("team=none", split, &[])];
        let found = allocate(&lines_of(), &Rules { pools, ..rules() }, Dimension::Team);
        assert_eq!(found.rows.iter().map(AllocationRow::usd).sum::<Usd>(), found.total);
        assert!(found.remarks.contains(&Remark::PoolTakesNothing("shared".into())));
        shown(&found)
    };
    assert_eq!(
        of(Split::BySpend, &[]),
        [
            "nlp 700 77.007",
            "vision 250 27.5025",
            "language 50 5.5005",
            "platform 0 0",
            "untagged 16 0",
            "untaggable 3 0"
        ]
    );
    assert_eq!(of(Split::Even, &["vision", "NLP"])[..2], ["nlp 700 55.005", "vision 250 55.005"]);
    // 160, 80 and 80 GPU-hours.
    assert_eq!(of(Split::ByGpuHours, &["nlp", "vision", "language"])[0], "nlp 700 55.005");
    assert_eq!(of(Split::ByGpuHours, &["new"])[2], "new 0 110.01");
}

#[test]
fn a_cost_that_nobody_can_share_stays_and_is_told() {
    let rules = Rules { pools: vec![pool("", Split::Even, &[])], ..rules() };
    let found = allocate(&lines_of(), &rules, Dimension::Project);
    assert_eq!(found.remarks, [Remark::NobodyShares("shared".into(), usd("1129.01"))]);
    assert_eq!(found.rows.iter().map(AllocationRow::usd).sum::<Usd>(), found.total);
}

#[test]
fn compliance_counts_dollars_of_what_could_be_tagged() {
    let found = compliance(&lines_of(), &rules());
    assert_eq!((found.resources, found.compliant_resources), (7, 5));
    assert_eq!(
        (found.taggable, found.compliant, found.untaggable),
        (usd("1106.01"), usd("1090.01"), usd("23"))
    );
    let worst = &found.missing[0];
    assert_eq!((worst.resource.as_deref(), worst.usd), (Some("arn:aws:s3:::nlp-data"), usd("9")));
    assert_eq!(worst.missing, ["team".into(), "project".into()]);
    assert!(matches!(found.missing[1].place, Some(TagPlace::Ec2 { .. })));
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let team = || proptest::sample::select(vec!["pretrain", "web", "WEB", "x", "ghost"]);
    let map = (team(), 0_usize..3, 0_usize..4).prop_map(|(team, account, name)| Mapping {
        team: team.into(),
        account: [None, Some("1".into()), Some("2".into())][account].clone(),
        name: [None, Some("i-*"), Some("*"), Some("b")][name].map(Pattern::new),
        tag: None,
    });
    let filters = vec![
        "",
        "team=web",
        "charge=tax or region=us-east-1",
        "not team=pretrain",
        "service~sage",
        "tag:job=x",
    ];
    let pool = (
        proptest::sample::select(filters),
        proptest::sample::select(Split::ALL.to_vec()),
        proptest::collection::vec(team(), 0..3),
    )
        .prop_map(|(filter, split, among)| pool(filter, split, &among));
    let names = proptest::collection::vec(team(), 0..3);
    (
        proptest::collection::vec(map, 0..5),
        proptest::collection::vec(pool, 0..4),
        names,
        any::<bool>(),
    )
        .prop_map(|(mappings, pools, names, has_alias)| {
            let mut rules = Rules { mappings, pools, ..rules() };
            rules.names = names.into_iter().map(Into::into).collect();
            if has_alias {
                rules.aliases.insert("web".into(), "pretrain".into());
            }
            rules
        })
}

proptest! {
    #[test]
    fn whatever_the_rules_the_rows_add_up_to_the_bill(
        bills in any_bills(),
        rules in any_rules(),
        by in proptest::sample::select(Dimension::ALL.to_vec()),
        by_day in any::<bool>(),
    ) {
        let lines: Vec<Line> = bills.iter().flat_map(|bill| lines(bill, by_day, &settings(), &gpus)).collect();
        let found = allocate(&lines, &rules, by);
        let total: Usd = bills.iter().map(|bill| bill.head.total.effective).sum();
        prop_assert_eq!(found.total, total);
        prop_assert_eq!(found.rows.iter().map(AllocationRow::usd).sum::<Usd>(), total);
        let mut keys: Vec<_> = found.rows.iter().map(|row| (row.key.clone(), row.lack)).collect();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), found.rows.len());
        // Spellings are one.
        let folded: std::collections::BTreeSet<_> = found.rows.iter().filter_map(|row| row.key.as_ref()).map(|key| key.to_lowercase()).collect();
        prop_assert_eq!(folded.len(), found.rows.iter().filter(|row| row.key.is_some()).count());
        let whole = compliance(&lines, &rules);
        prop_assert_eq!(whole.taggable + whole.untaggable, total);
        prop_assert_eq!(whole.missing.iter().map(|row| row.usd).sum::<Usd>() + whole.compliant, whole.taggable);
    }
}

/// The same sums once more, line by line and as simply as can be: without any index.
fn plainly(lines: &[Line], rules: &Rules) -> Vec<(String, Usd)> {
    let mut sums: std::collections::BTreeMap<String, Usd> = std::collections::BTreeMap::new();
    for line in lines {
        let tag = line.tags.iter().find(|(key, _)| key.to_lowercase() == "team");
        let team = tag.map(|(_, value)| value.to_lowercase());
        *sums.entry(team.unwrap_or_default()).or_default() += line.usd;
    }
    let _ = rules;
    sums.into_iter().collect()
}

#[test]
fn sums_are_those_of_a_plain_count() {
    let lines = lines_of();
    let found = allocate(&lines, &rules(), Dimension::Team);
    for (team, sum) in plainly(&lines, &rules()) {
        let of_team = found.rows.iter().filter(|row| match &row.key {
            Some(key) => key.to_lowercase() == team,
            None => team.is_empty(),
        });
        assert_eq!(of_team.map(|row| row.direct).sum::<Usd>(), sum, "{team}");
    }
    let _: Arc<str> = "".into();
}
