//! The tables of fields of savings.

use std::collections::HashSet;
use std::sync::Arc;

use super::fixture::{commitments, denied, models, proposals, savings, savings_of, spot};
use super::{
    CommitmentField, ModelField, ProposalField, ResourceField, ResourceItem, SpotField,
    resource_items, words,
};
use crate::domain::NetUnknown;
use crate::domain::{CommitmentKind, PaymentOption};
use crate::fleet::{Cover, CoveredBy};
use crate::query::{Kind, Unit};
use crate::view::fixture::{ascii, ctx};
use crate::view::{Align, Filter, Sort, TableField, Value, table};

fn check<F: TableField>() {
    let mut names = HashSet::new();
    let mut keys = HashSet::new();
    for (i, field) in F::all().iter().copied().enumerate() {
        let spec = field.spec();
        assert_eq!(F::of(spec), Some(field), "{i}");
        for name in spec.names() {
            assert!(names.insert(name.to_lowercase()), "{name} twice");
            assert_eq!(F::table().find(&name.to_uppercase()), Some(spec), "{name}");
        }
        if let Some(key) = spec.sort_key {
            assert!(keys.insert(key), "{key} sorts two fields");
            assert!(spec.header.to_lowercase().contains(key), "{key} is not in {}", spec.header);
        }
        assert!(spec.header.chars().count() <= usize::from(spec.width), "{}", spec.name);
        let number = matches!(spec.kind, Kind::Number(_));
        assert_eq!(spec.align == Align::Right, number, "{}", spec.name);
        assert!(spec.doc.ends_with('.'), "{}", spec.name);
        let money = matches!(spec.kind, Kind::Number(Unit::Usd | Unit::UsdPerHour));
        assert!(!money || spec.unit.starts_with('$'), "{}", spec.name);
        assert_ne!(spec.unit, "$/month", "{}: these tables are by the hour", spec.name);
    }
    for field in F::DROPPED_FIRST {
        assert!(F::SCREEN_COLUMNS.contains(field), "{field:?} is dropped and never shown");
    }
}

#[test]
fn the_tables_hold_together() {
    check::<CommitmentField>();
    check::<ProposalField>();
    check::<SpotField>();
    check::<ResourceField>();
    check::<ModelField>();
}

/// Nobody shall read a gross figure without the net beside it.
#[test]
fn net_and_gross_stand_together_and_are_never_dropped_for_room() {
    fn together<F: TableField>(net: F, gross: F) {
        let at = |f: F| F::SCREEN_COLUMNS.iter().position(|c| *c == f).unwrap();
        assert_eq!(at(net).abs_diff(at(gross)), 1);
        assert!(at(net) < 2 && at(gross) < 2);
        assert!(!F::DROPPED_FIRST.contains(&net) && !F::DROPPED_FIRST.contains(&gross));
    }
    together(ProposalField::Net, ProposalField::Gross);
    together(SpotField::Net, SpotField::Gross);
    together(ResourceField::Net, ResourceField::Waste);
}

/// The values of choices are those that the filter knows.
#[test]
fn choices_say_what_the_filter_knows() {
    fn each<F: TableField>(rows: &[Arc<F::Row>]) {
        for row in rows {
            for field in F::all() {
                if let (Kind::Choice(words), Value::Text(text)) =
                    (field.spec().kind, field.value(row, &ctx()))
                {
                    assert!(words.contains(&&*text), "{text} of {}", field.spec().name);
                }
            }
        }
    }
    each::<CommitmentField>(&commitments());
    each::<ProposalField>(&proposals());
    each::<SpotField>(&spot());
    each::<ResourceField>(&resource_items(&savings()));
    each::<ModelField>(&models());
}

fn ids<F: TableField>(rows: &[Arc<F::Row>], filter: &str, sort: Sort) -> Vec<String> {
    let filter = Filter::parse(F::table(), filter).unwrap();
    let shown = table::select(&F::rows(rows), Some(&filter), sort, &ctx());
    shown.into_iter().map(|i| F::id(&rows[i as usize]).to_string()).collect()
}

#[test]
fn filters_choose_commitments() {
    let rows = commitments();
    let of = |filter: &str| ids::<CommitmentField>(&rows, filter, Sort::default());
    assert_eq!(of("unused>$30/h"), ["cr-0aaa"]);
    assert_eq!(of("util<80% and kind=reserved_instances"), ["11111111-ri"]);
    assert_eq!(of("util<80% and kind=RI"), ["11111111-ri"]);
    assert_eq!(of("left<30d"), ["22222222-sp"]);
    assert_eq!(of("state=pending"), ["44444444-ri"]);
    assert_eq!(of("saves<0"), ["22222222-sp"]);
    // Any of several findings answers.
    assert_eq!(of("finding~overlaps"), ["11111111-ri"]);
    // What is not known matches no comparison.
    assert_eq!(of("util<200%").len(), 3);
    let by_util = Sort::by(CommitmentField::Utilisation.spec());
    assert_eq!(
        ids::<CommitmentField>(&rows, "", by_util)[..3],
        ["22222222-sp", "11111111-ri", "cr-0aaa"]
    );
}

#[test]
fn filters_choose_proposals_spot_and_resources() {
    let rows = proposals();
    let of = |filter: &str| ids::<ProposalField>(&rows, filter, Sort::default());
    assert_eq!(of("net<$1/h"), ["i-0000000000000a002"], "worthless, and not what is unknown");
    assert_eq!(of("verdict=pre_allocated"), ["i-0000000000000a004"]);
    assert_eq!(of("gross>$1/h and risk=high"), ["i-0000000000000a002"]);
    assert_eq!(of("nvme=yes and gpu_memory>10GiB"), ["i-0000000000000a001"]);
    let risk = Sort::by(ProposalField::Risk.spec());
    assert_eq!(ids::<ProposalField>(&rows, "", risk)[0], "i-0000000000000a003", "least first");

    let rows = spot();
    let of = |filter: &str| ids::<SpotField>(&rows, filter, Sort::default());
    assert_eq!(of("fit=yes and net>$10/h"), ["i-0000000000000b001"]);
    assert_eq!(of("interruption=>20%"), ["i-0000000000000b002"]);
    assert_eq!(of("checkpoint>1h"), ["i-0000000000000b001"]);
    assert_eq!(of("because~notebook"), ["i-0000000000000b003"]);
    let fits = ids::<SpotField>(&rows, "", Sort::by(SpotField::Fit.spec()));
    assert_eq!(fits[0], "i-0000000000000b001");

    let rows = models();
    let of = |filter: &str| ids::<ModelField>(&rows, filter, Sort::default()).len();
    assert_eq!(of("fits=yes and up_to>$3/h"), 2, "what has no bound matches no comparison");
    assert_eq!(of("measure=fp8"), 2);
    assert_eq!(of("work=script and counts=yes"), 1);
    assert_eq!(of("used>10% and region=us-east-1"), 4);
    assert_eq!(of("serve-chat"), 4);

    let rows = resource_items(&savings());
    let of = |filter: &str| ids::<ResourceField>(&rows, filter, Sort::default());
    assert_eq!(of("kind=notebook"), ["nb-1"]);
    assert_eq!(of("idle>5d and pattern=never_used").len(), 1);
    assert_eq!(of("tag:team=vision and verdict=busy"), ["app-1"]);
    assert_eq!(of("never used").len(), 1);
}

#[test]
fn a_gross_saving_is_not_passed_off_as_net() {
    // Net and gross of the worthless proposal differ; of the unknown one, nothing stands there.
    let rows = proposals();
    let cell = |i: usize, f: ProposalField| f.cell(&rows[i], &ctx());
    assert_eq!(
        (cell(1, ProposalField::Gross), cell(1, ProposalField::Net)),
        ("16.47".to_owned(), "0.00".to_owned())
    );
    assert_eq!(cell(2, ProposalField::Net), "–");
    assert_eq!(ProposalField::Net.cell(&rows[2], &ascii()), "-");
    assert_eq!(ProposalField::Net.exported(&rows[2], &ctx()), Value::Unknown);
}

#[test]
fn the_net_of_resources_is_known_where_no_plan_can_pay() {
    let net = |items: &[Arc<ResourceItem>], name: &str| {
        items.iter().find(|i| &*i.row.resource.name == name).unwrap().net_usd_per_hour
    };
    let items = resource_items(&savings());
    assert_eq!(net(&items, "old-ranker"), Some(1.515));
    assert_eq!(net(&items, "nat-0a"), Some(0.045));
    assert_eq!(net(&items, "web"), None, "no price");
    // A plan that nobody could read may pay for SageMaker, never for a gateway.
    let items = resource_items(&denied());
    assert_eq!(net(&items, "old-ranker"), None);
    assert_eq!(net(&items, "nat-0a"), Some(0.045));
    // The same with a SageMaker plan in force, until it ends.
    let plan = |days: i64| {
        savings_of(|s| {
            let mut row = (*s.commitments[3]).clone();
            let mut held = (*row.commitment).clone();
            if let crate::domain::Commits::Plan(plan) = &mut held.commits {
                plan.plan_type = crate::domain::PlanType::SageMaker;
            }
            held.end =
                Some(crate::view::fixture::now() + jiff::SignedDuration::from_hours(24 * days));
            row.commitment = Arc::new(held);
            s.commitments = vec![Arc::new(row)];
        })
    };
    assert_eq!(net(&resource_items(&plan(5)), "old-ranker"), None);
    assert_eq!(net(&resource_items(&plan(-5)), "old-ranker"), Some(1.515));
    // And where no commitment was read at all.
    let none = savings_of(|s| {
        s.commitments.clear();
        s.waterfall.net_unknown = Some(NetUnknown::NotRead);
    });
    assert_eq!(net(&resource_items(&none), "ana-nb"), None);
}

#[test]
fn what_covers_an_instance_in_words() {
    let by = |kind, id: &str, share| CoveredBy {
        id: id.into(),
        kind,
        account: "1".into(),
        share,
        usd_per_hour: Some(1.0),
        until: None,
    };
    let cover = Cover {
        by: vec![
            by(CommitmentKind::ReservedInstances, "ri-1", 0.25),
            by(CommitmentKind::ComputePlan, "sp-2", 0.75),
        ],
        ..Cover::default()
    };
    let exported = |cover: &Cover| words::covered_by(cover, CommitmentKind::word);
    let shown = |cover: &Cover| words::covered_by(cover, CommitmentKind::short);
    assert_eq!(exported(&cover), "reserved_instances ri-1 25%, compute_plan sp-2 75%");
    assert_eq!(shown(&cover), "RI ri-1 25%, Compute SP sp-2 75%");
    let whole = Cover { by: vec![by(CommitmentKind::ComputePlan, "sp-2", 1.0)], ..cover };
    assert_eq!(exported(&whole), "compute_plan sp-2");
    assert_eq!(words::payment_word(PaymentOption::AllUpfront), "all_upfront");
}

#[test]
fn names_that_look_like_formulas_stay_text() {
    let rows = proposals();
    assert_eq!(ProposalField::Name.cell(&rows[2], &ctx()), "=cmd|'x'!A1");
    let items = resource_items(&savings());
    assert_eq!(ResourceField::Name.cell(&items[4], &ctx()), "=1+1|evil");
}
