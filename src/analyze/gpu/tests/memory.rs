//! What is remembered between sweeps, and how sources and names come together.

use std::sync::Arc;
use std::time::Duration;

use super::fixtures::*;
use crate::domain::{
    ErrorKind, GpuReason, GpuSignal as S, GpuState as G, HostTrouble, Hour, InstanceState,
    SourceError, SourceId, Sweep,
};
use crate::fleet::{BlindCause as C, GpuFleet};

const QUIET: [(S, f64); 4] =
    [(S::Util, 0.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
const BUSY: [(S, f64); 4] =
    [(S::Util, 0.9), (S::MemUsed, 9_000.0), (S::Power, 600.0), (S::PowerLimit, 700.0)];

fn states(picture: &GpuFleet) -> Vec<G> {
    picture.rows.iter().map(|r| r.verdict.state).collect()
}

#[test]
fn idleness_takes_three_samples_and_two_minutes() {
    let mut fixture = WatchFixture::new();
    assert_eq!(states(&fixture.watch(0, 90, |at| gpu(0, at, &QUIET))), [G::Unknown]);
    assert_eq!(states(&fixture.watch(120, 120, |at| gpu(0, at, &QUIET))), [G::UnallocatedIdle]);
    // Two samples far apart are two samples.
    let mut slow = WatchFixture::new();
    slow.intervals.values_mut().for_each(|i| *i = Duration::from_mins(5));
    let see = |fixture: &mut WatchFixture, at| {
        states(&fixture.see(at, &[sweep(SourceId::Exporter, at, vec![gpu(0, at, &QUIET)])]))
    };
    assert_eq!(see(&mut slow, 0), [G::Unknown]);
    assert_eq!(see(&mut slow, 300), [G::Unknown]);
    assert_eq!(see(&mut slow, 600), [G::UnallocatedIdle]);
    // The same sample read again is no second one.
    let mut same = WatchFixture::new();
    for now in (0..150).step_by(10) {
        let picture = same.see(now, &[sweep(SourceId::Exporter, 0, vec![gpu(0, 0, &QUIET)])]);
        assert_ne!(states(&picture), [G::UnallocatedIdle]);
    }
}

#[test]
fn a_gpu_without_a_uuid_is_one_before_and_after_the_inventory_is_read() {
    let nameless = |at| named(gpu(0, at, &QUIET), |i| i.uuid = None);
    let mut fixture = WatchFixture::of(Vec::new());
    let before = fixture.watch(0, 90, nameless);
    assert_eq!((before.rows.len(), before.rows[0].usd_per_hour), (1, None));
    fixture.fleet = crate::fleet::Fleet { version: 2, ..fleet(vec![instance(1)]) };
    let after = fixture.watch(120, 120, nameless);
    assert_eq!(after.rows.len(), 1, "{:#?}", after.rows);
    assert_eq!(after.rows[0].usd_per_hour, Some(10.0));
    assert_eq!(states(&after), [G::UnallocatedIdle], "two minutes, with those before");
}

#[test]
fn one_busy_sample_ends_the_spell_and_pauses_do_not_flap() {
    let mut fixture = WatchFixture::new();
    fixture.watch(0, 300, |at| gpu(0, at, &QUIET));
    assert_eq!(states(&fixture.watch(330, 330, |at| gpu(0, at, &BUSY))), [G::Busy]);
    for at in (360..=450).step_by(30) {
        assert_eq!(
            states(&fixture.watch(at, at, |at| gpu(0, at, &QUIET)))[0],
            if at < 450 { G::Busy } else { G::Unknown },
            "{at}"
        );
    }
    let picture = fixture.watch(480, 480, |at| gpu(0, at, &QUIET));
    let verdict = &picture.rows[0].verdict;
    assert_eq!((verdict.state, verdict.idle_since), (G::UnallocatedIdle, Some(t(360))));
    assert!(!verdict.idle_since_at_least, "the work before it was seen");
}

#[test]
fn closed_hours_carry_the_start_back() {
    let mut fixture = WatchFixture::new();
    let now = Hour::containing(t(0));
    let key = gpu(0, 0, &QUIET).identity.key().unwrap();
    tell(&mut fixture.hours, &key, now.plus(-4), &[0.9, 0.01, 0.0, 0.0]);
    let picture = fixture.watch(600, 900, |at| gpu(0, at, &QUIET));
    let row = &picture.rows[0];
    assert_eq!(row.verdict.idle_since, Some(now.plus(-3).start()));
    assert!(!row.verdict.idle_since_at_least);
    // 3 h 15 min at 10 USD/h.
    assert!((row.wasted_usd.unwrap() - 32.5).abs() < 1e-9);
}

#[test]
fn silence_is_stale_not_idle_and_is_forgotten_in_the_end() {
    let mut fixture = WatchFixture::new();
    fixture.watch(0, 300, |at| gpu(0, at, &QUIET));
    let empty = |at| sweep(SourceId::Exporter, at, vec![]);
    assert_eq!(states(&fixture.see(400, &[empty(400)])), [G::UnallocatedIdle], "a sweep missed it");
    let picture = fixture.see(421, &[empty(421)]);
    assert_eq!(states(&picture), [G::Stale]);
    assert_eq!(picture.rows[0].sample.signals.get(S::Power), Some(70.0), "its last values");
    assert_eq!(picture.rows[0].waste_usd_per_hour, None);
    assert_eq!(picture.blind.len(), 2);
    assert!(fixture.see(3_800, &[empty(3_800)]).rows.len() == 1);
    assert!(fixture.see(3_901, &[empty(3_901)]).rows.is_empty());
    // A source that stopped answering: its last sweep grows old.
    let mut fixture = WatchFixture::new();
    let old = sweep(SourceId::Exporter, 0, vec![gpu(0, 0, &BUSY)]);
    assert_eq!(states(&fixture.see(120, std::slice::from_ref(&old))), [G::Busy]);
    assert_eq!(states(&fixture.see(121, &[old])), [G::Stale]);
}

#[test]
fn gpus_go_with_their_instance() {
    let mut fixture = WatchFixture::new();
    fixture.watch(0, 300, |at| gpu(0, at, &QUIET));
    let mut stopped = instance(1);
    Arc::make_mut(&mut stopped.instance).state = InstanceState::Stopped;
    fixture.fleet = fleet(vec![stopped, instance(2)]);
    assert!(fixture.see(330, &[sweep(SourceId::Exporter, 330, vec![])]).rows.is_empty());
}

#[test]
fn a_broken_gpu_that_falls_silent_stays_broken() {
    let mut fixture = WatchFixture::new();
    let lost = [(S::Util, 0.0), (S::Power, 70.0), (S::Xid, 79.0)];
    fixture.watch(0, 60, |at| gpu(0, at, &BUSY));
    fixture.watch(90, 90, |at| gpu(0, at, &lost));
    let picture = fixture.see(600, &[sweep(SourceId::Exporter, 600, vec![])]);
    assert_eq!(states(&picture), [G::Unhealthy]);
    assert_eq!(picture.rows[0].verdict.reason, GpuReason::Xid { code: 79, silent: true });
}

#[test]
fn a_new_hardware_error_counts_while_it_works_and_passes_with_work() {
    let with_xid = |xid: f64| {
        let mut signals = BUSY.to_vec();
        signals.push((S::Xid, xid));
        signals
    };
    let mut fixture = WatchFixture::new();
    fixture.watch(0, 60, |at| gpu(0, at, &with_xid(0.0)));
    assert_eq!(states(&fixture.watch(90, 600, |at| gpu(0, at, &with_xid(64.0)))), [G::Unhealthy]);
    assert_eq!(states(&fixture.watch(630, 720, |at| gpu(0, at, &with_xid(64.0)))), [G::Busy]);
}

#[test]
fn the_same_gpu_told_by_two_sources_is_one() {
    let mut fixture = WatchFixture::new();
    let dcgm = sweep(SourceId::Exporter, 0, vec![gpu(3, 0, &[(S::SmActive, 0.5), (S::Util, 0.9)])]);
    // CloudWatch knows instance and index.
    let by_agent = named(gpu(3, -10, &[(S::Util, 0.88), (S::Temp, 60.0)]), |i| {
        i.uuid = None;
        i.host.node = None;
        i.host.instance_id = Some("i-1".into());
    });
    let agent = sweep(SourceId::CloudWatchGpu, 0, vec![by_agent]);
    let picture = fixture.see(0, &[agent.clone(), dcgm.clone()]);
    let [row] = &picture.rows[..] else { panic!("{:?}", picture.rows) };
    assert_eq!(&*row.id, "GPU-3");
    let told: Vec<SourceId> = row.told.iter().map(|t| t.source).collect();
    assert_eq!(told, [SourceId::Exporter, SourceId::CloudWatchGpu], "the best rung first");
    assert_eq!(row.sample.signals.get(S::Temp), Some(60.0), "filled in");
    assert_eq!(row.sample.signals.get(S::Util), Some(0.9), "not averaged");
    assert_eq!(&*row.disagreement, "");
    assert_eq!(&*row.node.instance.as_ref().unwrap().instance.id, "i-1");
    // The exporter falls silent: still the same GPU.
    let later = named(gpu(3, 590, &[(S::Util, 0.88)]), |i| {
        i.uuid = None;
        i.host.node = None;
        i.host.instance_id = Some("i-1".into());
    });
    let picture = fixture.see(600, &[sweep(SourceId::CloudWatchGpu, 600, vec![later]), dcgm]);
    assert_eq!(picture.rows.len(), 1);
    assert_eq!(&*picture.rows[0].id, "GPU-3");
    // Known by its place first, with a UUID later: its memory stays.
    let mut fixture = WatchFixture::new();
    fixture.see(0, &[agent]);
    let picture = fixture.see(30, &[sweep(SourceId::Exporter, 30, vec![gpu(3, 30, &BUSY)])]);
    assert_eq!((picture.rows.len(), picture.rows[0].trail.iter().len()), (1, 2));
}

#[test]
fn disagreement_is_said_and_never_averaged() {
    let mut fixture = WatchFixture::new();
    let prom =
        sweep(SourceId::Prometheus, 0, vec![gpu(0, 0, &[(S::Util, 0.2), (S::Power, 300.0)])]);
    let smi = sweep(SourceId::Ssh, 0, vec![gpu(0, -5, &[(S::Util, 1.0), (S::Power, 310.0)])]);
    let row = fixture.see(0, &[smi.clone(), prom]).rows[0].clone();
    assert_eq!(&*row.disagreement, "utilisation: prom prom says 20%, ssh ssh says 100%");
    assert_eq!(row.sample.signals.get(S::Util), Some(0.2));
    // Minutes apart the work may have changed.
    let old = sweep(SourceId::Prometheus, 0, vec![gpu(0, -90, &[(S::Util, 0.2)])]);
    assert_eq!(&*WatchFixture::new().see(0, &[smi, old]).rows[0].disagreement, "");
}

#[test]
fn a_uuid_on_two_hosts_is_where_it_was_told_last() {
    let moved = |at| named(gpu(0, at, &BUSY), |i| i.host.node = Some("ip-10-0-0-2".into()));
    let both = sweep(SourceId::Exporter, 0, vec![gpu(0, -60, &QUIET), moved(0)]);
    let picture = WatchFixture::new().see(0, &[both]);
    assert_eq!(picture.rows.len(), 1);
    let row = &picture.rows[0];
    assert_eq!(&*row.node.instance.as_ref().unwrap().instance.id, "i-2");
    assert!(row.disagreement.contains("also told on i-1"), "{}", row.disagreement);
    assert_eq!(row.verdict.state, G::Busy);
}

#[test]
fn hosts_are_found_by_any_name_and_doubtful_names_by_none() {
    let at = |change: fn(&mut crate::domain::HostNames)| {
        let sample = named(gpu(0, 0, &BUSY), |i| {
            i.host = crate::domain::HostNames::default();
            change(&mut i.host);
        });
        let mut twin = instance(4);
        Arc::make_mut(&mut twin.instance).private_ip = Some("10.0.0.3".into());
        let mut fixture = WatchFixture::of(vec![instance(1), instance(2), instance(3), twin]);
        let picture = fixture.see(0, &[sweep(SourceId::Exporter, 0, vec![sample])]);
        let instance = picture.rows[0].node.instance.clone();
        instance.map(|i| i.instance.id.to_string())
    };
    let one = Some("i-1".to_owned());
    assert_eq!(at(|h| h.instance_id = Some("i-1".into())), one);
    assert_eq!(at(|h| h.node = Some("ip-10-0-0-1".into())), one);
    assert_eq!(at(|h| h.node = Some("ip-10-0-0-1.ec2.internal".into())), one);
    assert_eq!(at(|h| h.node = Some("i-1".into())), one);
    assert_eq!(at(|h| h.address = Some("10.0.0.1:9400".into())), one);
    assert_eq!(at(|h| h.instance_id = Some("i-9".into())), None, "another account's");
    assert_eq!(at(|h| h.address = Some("10.0.0.3:9400".into())), None, "of two");
    assert_eq!(at(|h| h.node = Some("localhost".into())), None);
    assert_eq!(at(|_| ()), None);
    let doubt = |h: &mut crate::domain::HostNames| {
        h.node = Some("ip-10-0-0-1".into());
        h.address = Some("10.0.0.2:9400".into());
    };
    assert_eq!(at(doubt), None, "two names, two hosts");
}

#[test]
fn clocks_that_run_ahead_do_not_keep_a_gpu_fresh() {
    let mut fixture = WatchFixture::new();
    let ahead = Sweep {
        taken_at: t(0),
        ..(*sweep(SourceId::Exporter, 0, vec![gpu(0, 9_000, &BUSY)])).clone()
    };
    let ahead = Arc::new(ahead);
    assert_eq!(states(&fixture.see(60, std::slice::from_ref(&ahead))), [G::Busy]);
    assert_eq!(states(&fixture.see(200, &[ahead])), [G::Stale]);
}

#[test]
fn what_is_not_told_is_listed_with_what_to_do() {
    let mut fixture = WatchFixture::new();
    let mut answer = (*sweep(SourceId::Exporter, 0, vec![gpu(0, 0, &BUSY)])).clone();
    let error = SourceError::new(ErrorKind::Network, "scrape", "connection refused", "start it");
    answer.troubles = vec![HostTrouble { host: "10.0.0.2:9400".into(), error: Arc::new(error) }];
    let picture = fixture.see(0, &[Arc::new(answer)]);
    let blind: Vec<_> = picture
        .blind
        .iter()
        .map(|b| (&*b.instance.instance.id, b.missing, b.usd_per_hour))
        .collect();
    assert_eq!(blind, [("i-2", 8, Some(80.0)), ("i-1", 7, Some(70.0))]);
    let C::Failed(error) = &picture.blind[0].cause else { panic!("{:?}", picture.blind) };
    assert_eq!(error.message, "connection refused");
    assert_eq!(picture.blind[1].cause, C::SomeTold);
    fixture.intervals.clear();
    let none = fixture.see(9_000, &[]);
    assert_eq!(none.blind[0].cause, C::NoSource);
}
