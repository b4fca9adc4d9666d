//! The list as a whole: figures, order, stopped instances.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::rows;
use super::{ago, endpoint, now, resource};
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::sample;
use crate::domain::storage::{Attachment, Volume};
use crate::domain::{
    BlockDevice, Instance, InstanceState, Resource, ResourceAdvice, ResourceFacts, ResourceKind,
    ResourceReason, SavingsFacts, Scope, ScopeResources, TagKeys, Tags, VerdictKind,
};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::savings::{Pattern, ResourceRow};
use crate::fleet::storage::{Holder, VolumeRow, VolumeUse};
use crate::fleet::{Fleet, Row, StorageFleet};
use crate::view::reasons;

fn scope() -> Scope {
    Scope::new("123456789012", "us-east-1")
}

fn stopped(id: &str, volumes: &[&str], tags: Tags) -> Arc<Row> {
    let device = |v: &&str| BlockDevice {
        device: "/dev/xvda".into(),
        volume_id: (*v).into(),
        attached_at: Some(ago(3_000)),
        delete_on_termination: true,
    };
    let instance = Instance {
        id: id.into(),
        scope: scope(),
        instance_type: "m5.large".into(),
        state: InstanceState::Stopped,
        launched_at: ago(3_000),
        block_devices: volumes.iter().map(device).collect(),
        tags,
        ..sample::instance()
    };
    Arc::new(Row { team: Some("nlp".into()), ..Row::new(instance) })
}

/// A volume of stopped instances.
fn volume(id: &str, holders: &[(&str, Option<i64>)], usd_per_month: Option<f64>) -> Arc<VolumeRow> {
    let attachments = holders.iter().map(|(id, _)| Attachment {
        instance: (*id).into(),
        device: "/dev/xvda".into(),
        attached_at: None,
        delete_on_termination: false,
    });
    let volume = Volume {
        scope: scope(),
        id: id.into(),
        size_gib: 500,
        state: "in-use".into(),
        attachments: attachments.collect(),
        ..sample::volume()
    };
    let holders = holders.iter().map(|(id, hours)| Holder {
        id: (*id).into(),
        name: "".into(),
        state: Some(InstanceState::Stopped),
        stopped_at: hours.map(ago),
    });
    Arc::new(VolumeRow {
        billed_usd: None,
        volume: Arc::new(volume),
        used: VolumeUse::Stopped,
        holders: holders.collect(),
        team: None,
        project: None,
        environment: None,
        usd_per_month,
        findings: Vec::new(),
        savings: None,
    })
}

fn made(
    items: Vec<ResourceFacts>,
    fleet: Vec<Arc<Row>>,
    volumes: Vec<Arc<VolumeRow>>,
) -> Vec<Arc<ResourceRow>> {
    let items = items.into_iter().map(Arc::new).collect();
    let resources = BTreeMap::from([(
        scope(),
        Arc::new(ScopeResources { items, ..ScopeResources::default() }),
    )]);
    let facts = SavingsFacts { resources, ..SavingsFacts::default() };
    let fleet = Fleet { rows: fleet, ..Fleet::default() };
    let storage = StorageFleet { volumes, ..StorageFleet::default() };
    rows(&SavingsInput {
        version: 1,
        now: now(),
        fleet: &fleet,
        gpus: &GpuFleet::default(),
        storage: Some(&storage),
        facts: &facts,
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    })
}

#[test]
fn an_idle_endpoint_wastes_its_price_since_it_idles() {
    let mut it = endpoint();
    it.resource.units[0].count = 3.0;
    it.resource.tags = Tags::from_raw([("Squad", "vision")]);
    let row = &made(vec![it], Vec::new(), Vec::new())[0];
    // 3 × $0.10/h; 336.5 h from 2026-11-06 10:00 to 2026-11-20 10:30.
    assert!((row.waste_usd_per_hour.unwrap() - 0.3).abs() < 1e-9);
    assert!((row.wasted_usd.unwrap() - 336.5 * 0.3).abs() < 1e-9);
    assert_eq!(row.team.as_deref(), Some("vision"));
    assert_eq!(row.pattern, Some(Pattern::NeverUsed));
    // 0.3 × 730.
    assert_eq!(row.fix.advice, ResourceAdvice::DeleteEndpoint);
    let said = reasons::resource_fix(&row.fix);
    assert!(said.ends_with("; keeping it costs $219 a month."), "{said}");
}

#[test]
fn without_a_price_nothing_is_made_up_and_without_a_bill_nothing_is_wasted() {
    let mut unpriced = endpoint();
    unpriced.resource.units[0].usd_per_hour = None;
    let row = &made(vec![unpriced], Vec::new(), Vec::new())[0];
    assert_eq!((row.waste_usd_per_hour, row.wasted_usd), (None, None));
    let said = reasons::resource_fix(&row.fix);
    assert!(said.ends_with("what keeping it costs is not known."), "{said}");
    let mut off = endpoint();
    off.resource.is_billed = false;
    let row = &made(vec![off], Vec::new(), Vec::new())[0];
    assert_eq!((row.waste_usd_per_hour, row.wasted_usd), (Some(0.0), None));
    assert_eq!(row.verdict, None);
}

#[test]
fn idle_ones_come_first_and_the_dearest_of_them() {
    let named = |name: &str, usd: Option<f64>, busy: bool| {
        let mut it = endpoint();
        it.resource.id = name.into();
        it.resource.units[0].usd_per_hour = usd;
        if busy {
            it.hours.insert(super::CpuMax, super::hours(90.0, &[]));
        }
        it
    };
    let all = vec![
        named("busy", Some(99.0), true),
        named("cheap", Some(0.1), false),
        named("unpriced", None, false),
        named("dear", Some(4.0), false),
    ];
    let rows = made(all, Vec::new(), Vec::new());
    let ids: Vec<&str> = rows.iter().map(|r| &*r.resource.id).collect();
    assert_eq!(ids, ["dear", "cheap", "unpriced", "busy"]);
}

#[test]
fn stopped_instances_cost_what_their_volumes_do() {
    let fleet = vec![
        stopped("i-old", &["vol-1", "vol-2"], Tags::default()),
        stopped("i-new", &["vol-3"], Tags::default()),
        stopped("i-when", &["vol-4"], Tags::default()),
        stopped("i-safe", &["vol-5"], Tags::from_raw([("burntop:exempt", "true")])),
        stopped("i-bare", &[], Tags::default()),
    ];
    let volumes = vec![
        volume("vol-1", &[("i-old", Some(40 * 24))], Some(73.0)),
        volume("vol-2", &[("i-old", Some(40 * 24))], Some(36.5)),
        volume("vol-3", &[("i-new", Some(7 * 24 - 1))], Some(7.3)),
        volume("vol-4", &[("i-when", None)], Some(7.3)),
        volume("vol-5", &[("i-safe", Some(40 * 24))], Some(7.3)),
    ];
    let rows = made(Vec::new(), fleet, volumes);
    let of = |id: &str| rows.iter().find(|r| &*r.resource.id == id);
    let kind = |id: &str| of(id).unwrap().verdict.as_ref().unwrap().kind;
    let old = of("i-old").unwrap();
    // (73 + 36.5) ÷ 730 = $0.15/h, for 40 days = 960 h.
    assert!((old.waste_usd_per_hour.unwrap() - 0.15).abs() < 1e-9);
    assert!((old.wasted_usd.unwrap() - 144.0).abs() < 1e-6);
    let reason = &old.verdict.as_ref().unwrap().reason;
    assert_eq!(*reason, ResourceReason::Stopped { hours: 960, volumes: 2 }.into());
    assert_eq!(reasons::verdict(reason), "Stopped for 40 d; its 2 volumes go on billing.");
    let said = reasons::resource_fix(&old.fix);
    assert!(said.ends_with("keeping it costs $110 a month."), "{said}");
    assert_eq!(old.team.as_deref(), Some("nlp"));
    assert_eq!(kind("i-old"), VerdictKind::Idle);
    let judged = |id: &str| (kind(id), of(id).unwrap().waste_usd_per_hour);
    // Where nothing is said of it, nothing is said of its waste either: not 0.
    assert_eq!(judged("i-new"), (VerdictKind::TooNew, None));
    assert_eq!(judged("i-when"), (VerdictKind::Unknown, None));
    assert_eq!(judged("i-safe"), (VerdictKind::Exempt, Some(0.0)));
    assert_eq!(of("i-bare"), None, "it bills nothing");
}

#[test]
fn a_volume_of_two_stopped_instances_counts_once() {
    let fleet = vec![
        stopped("i-a", &["vol-1"], Tags::default()),
        stopped("i-b", &["vol-1"], Tags::default()),
    ];
    let both = [("i-a", Some(900)), ("i-b", Some(900))];
    let rows = made(Vec::new(), fleet, vec![volume("vol-1", &both, Some(73.0))]);
    let sum: f64 = rows.iter().filter_map(|r| r.waste_usd_per_hour).sum();
    assert_eq!((rows.len(), &*rows[0].resource.id), (1, "i-a"));
    assert!((sum - 0.1).abs() < 1e-9);
}

#[test]
fn without_storage_the_price_of_volumes_is_not_known() {
    let rows = made(Vec::new(), vec![stopped("i-x", &["vol-9"], Tags::default())], Vec::new());
    assert_eq!(rows[0].waste_usd_per_hour, None);
    assert_eq!(rows[0].verdict.as_ref().unwrap().kind, VerdictKind::Unknown);
}

#[test]
fn an_address_knows_the_instances_of_the_fleet() {
    let address = Resource {
        created_at: None,
        serves: Some(vec!["i-a".into()]),
        ..resource(ResourceKind::ElasticIp)
    };
    let facts = ResourceFacts { resource: address, hours: BTreeMap::new(), complete: true };
    let fleet = vec![stopped("i-a", &[], Tags::default())];
    let volumes = vec![volume("vol-1", &[("i-a", Some(72))], None)];
    let rows = made(vec![facts], fleet, volumes);
    let address = rows.iter().find(|r| r.resource.kind == ResourceKind::ElasticIp).unwrap();
    let verdict = address.verdict.as_ref().unwrap();
    assert_eq!(verdict.kind, VerdictKind::Idle);
    let said = reasons::verdict(&verdict.reason);
    assert_eq!(said, "Associated with i-a, which is stopped since 3 d.");
    assert_eq!(address.fix.advice, ResourceAdvice::Release { is_of_instance: true });
}
