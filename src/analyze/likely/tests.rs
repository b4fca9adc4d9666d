//! Planted profiles: each reason where it is, and beside it a profile that must not have it.

use jiff::{SignedDuration, Timestamp};

use super::likely_reason;
use crate::analyze::idle::{Preset, Subject, judge};
use crate::domain::likely::{DataSource, LikelyReason, LikelyRemedy, ScarcePlace};
use crate::domain::{
    Hour, HourRange, HourlySeries, Instance, Scope, SeriesSet, Signal, Verdict, VerdictKind, sample,
};
use crate::source::catalogue;

/// A Monday, 00:00 UTC; the window is the week before it.
fn now() -> Timestamp {
    "2026-06-08T00:00:00Z".parse().unwrap()
}

/// What was seen in an hour: GPU maximum and mean in percent, bytes of the network, EBS operations.
#[derive(Clone, Copy)]
struct Seen {
    max: f32,
    mean: f32,
    network: f32,
    disk: f32,
}

const QUIET: Seen = Seen { max: 0.0, mean: 0.0, network: 1e4, disk: 10.0 };
const BUSY: Seen = Seen { max: 95.0, mean: 80.0, network: 1e8, disk: 1e4 };

/// A g5.12xlarge, four A10G, near Dublin.
struct Case {
    instance: Instance,
    /// By hour of the week before, and day and hour of it.
    seen: Box<dyn Fn(usize, usize, usize) -> Seen>,
}

fn case(seen: impl Fn(usize, usize, usize) -> Seen + 'static) -> Case {
    Case {
        instance: Instance {
            id: "i-1".into(),
            scope: Scope::new("111122223333", "eu-west-1"),
            az: "eu-west-1a".into(),
            name: "train".into(),
            instance_type: "g5.12xlarge".into(),
            launched_at: now() - SignedDuration::from_hours(1000),
            ..sample::instance()
        },
        seen: Box::new(seen),
    }
}

impl Case {
    fn named(mut self, name: &str) -> Self {
        self.instance.name = name.into();
        self
    }

    fn of(mut self, instance_type: &str) -> Self {
        self.instance.instance_type = instance_type.into();
        self
    }

    fn reserved(mut self) -> Self {
        self.instance.capacity_reservation = Some("cr-1".into());
        self
    }

    /// The verdict and the reason, after the verdict was changed.
    fn judged(&self, change: impl FnOnce(&mut Verdict)) -> (Verdict, Option<LikelyReason>) {
        let policy = Preset::Cautious.policy();
        let range = HourRange::last_closed(now(), policy.window_hours());
        let spec = catalogue::type_spec(&self.instance.instance_type).unwrap();
        let mut series = SeriesSet::default();
        let mut put = |signal: Signal, of: &dyn Fn(Seen) -> f32| {
            let mut hours = HourlySeries::empty(range);
            for hour in range.from.0..range.to.0 {
                let n = (hour - range.from.0) as usize;
                hours.set(Hour(hour), of((self.seen)(n, n / 24, n % 24)));
            }
            series.insert(signal, hours);
        };
        for gpu in 0..spec.devices() as u16 {
            put(Signal::GpuMax(gpu), &|s| s.max);
            put(Signal::GpuMean(gpu), &|s| s.mean);
        }
        put(Signal::CpuMean, &|s| if s.max > 0.0 { 8.0 } else { 1.0 });
        put(Signal::NetworkIn, &|s| s.network);
        put(Signal::NetworkOut, &|_| 1e4);
        put(Signal::EbsReadOps, &|s| s.disk);
        put(Signal::EbsWriteOps, &|_| 10.0);
        let subject = Subject {
            instance: &self.instance,
            spec: Some(spec),
            series: &series,
            now: now(),
            before: None,
        };
        let mut verdict = judge(&subject, &policy);
        change(&mut verdict);
        let reason = likely_reason(&subject, &policy, &verdict);
        (verdict, reason)
    }

    fn likely(&self) -> Option<LikelyReason> {
        self.judged(|_| {}).1
    }

    fn word(&self) -> Option<&'static str> {
        self.likely().map(|reason| reason.word())
    }
}

/// The first day of the range is a Monday.
fn office(day: usize, hour: usize) -> bool {
    day < 5 && (8..18).contains(&hour)
}

#[test]
fn what_nobody_uses_for_days_is_forgotten() {
    let never = case(|_, _, _| QUIET);
    assert_eq!(never.likely(), Some(LikelyReason::Forgotten { quiet_hours: 168, at_least: true }));
    let left = case(|n, _, _| if n < 60 { BUSY } else { QUIET });
    assert_eq!(left.likely(), Some(LikelyReason::Forgotten { quiet_hours: 108, at_least: false }));
    assert_eq!(left.likely().unwrap().remedy(), LikelyRemedy::Stop);
    // Quiet since yesterday, after a week of work: nothing tells why.
    let lately = case(|n, _, _| if n < 140 { BUSY } else { QUIET });
    assert_eq!(lately.judged(|_| {}).0.kind, VerdictKind::Idle);
    assert_eq!(lately.word(), None);
}

#[test]
fn office_hours_ask_for_a_schedule() {
    let works = case(|_, day, hour| if office(day, hour) { BUSY } else { QUIET });
    let (verdict, reason) = works.judged(|_| {});
    assert_eq!(verdict.kind, VerdictKind::Idle, "on Sunday night");
    assert_eq!(reason, Some(LikelyReason::OfficeHours { share: 1.0, used_hours: 50 }));
    assert_eq!(reason.unwrap().remedy(), LikelyRemedy::Schedule);
    // The same length of work, at any hour.
    let always = case(|n, _, _| if n % 24 < 10 || n % 7 == 0 { BUSY } else { QUIET });
    assert_ne!(always.word(), Some("office_hours"));
    let nights = case(|_, day, hour| if day >= 5 || hour < 5 { BUSY } else { QUIET });
    assert_eq!(nights.word(), Some("nights_and_weekends"));
}

#[test]
fn short_bursts_in_office_hours_are_a_person_at_work() {
    let notebook =
        case(|_, day, hour| if office(day, hour) && hour % 3 == 0 { BUSY } else { QUIET });
    let reason = notebook.likely().unwrap();
    // 9, 12 and 15 o'clock on five days.
    assert_eq!(
        reason,
        LikelyReason::Interactive { bursts: 15, hours_per_burst: 1.0, named: false }
    );
    assert_eq!(reason.remedy(), LikelyRemedy::AutoStop);
    // Long hours make no notebook, unless it is called one.
    let long = || case(|_, day, hour| if office(day, hour) { BUSY } else { QUIET });
    assert_eq!(long().word(), Some("office_hours"));
    assert_eq!(long().named("sim-notebook-7").word(), Some("interactive"));
    // The same bursts around the clock are no person's.
    let robot = case(|_, _, hour| if hour % 3 == 0 { BUSY } else { QUIET });
    assert_eq!(robot.word(), Some("needs_queue"));
    // A notebook that nobody uses is forgotten.
    assert_eq!(case(|_, _, _| QUIET).named("notebook").word(), Some("forgotten"));
}

#[test]
fn gpus_wait_for_data_while_network_or_disks_are_busy() {
    // 40 Gbit/s at best: 30% of it is 5.4 TB an hour.
    let starved = Seen { max: 60.0, mean: 20.0, network: 8e12, disk: 100.0 };
    let by_network = case(move |_, _, _| starved);
    let (verdict, reason) = by_network.judged(|_| {});
    assert!(matches!(verdict.kind, VerdictKind::Underused | VerdictKind::Busy));
    let Some(LikelyReason::WaitsForData { waiting_hours: 168, used_hours: 168, gpu_share, on }) =
        reason
    else {
        panic!("{reason:?}")
    };
    assert_eq!(on, DataSource::Network);
    assert!((gpu_share - 0.2).abs() < 1e-6);
    // 1,500 reads a second.
    let disk = Seen { network: 1e6, disk: 1_500.0 * 3600.0, ..starved };
    let Some(LikelyReason::WaitsForData { on, .. }) = case(move |_, _, _| disk).likely() else {
        panic!("no disk")
    };
    assert_eq!(on, DataSource::Disk);
    // The GPUs work as well; nothing else is busy; it is so in less than most of the hours.
    let works = Seen { mean: 80.0, ..starved };
    assert_eq!(case(move |_, _, _| works).word(), None);
    let slow = Seen { network: 1e6, ..starved };
    assert_eq!(case(move |_, _, _| slow).word(), None);
    let seldom = case(move |n, _, _| if n % 2 == 0 { starved } else { works });
    assert_eq!(seldom.word(), None);
    // Where the means of the GPUs are not known nothing is said.
    let dark = Seen { mean: f32::NAN, ..starved };
    assert_eq!(case(move |_, _, _| dark).word(), None);
}

#[test]
fn a_place_is_kept_where_it_is_hard_to_get_back() {
    let idle = || case(|_, _, _| QUIET).reserved();
    let reserved = idle().likely().unwrap();
    let place = ScarcePlace::Reservation("cr-1".into());
    assert_eq!(reserved, LikelyReason::KeptForPlace { place, quiet_hours: 168 });
    assert_eq!(reserved.remedy(), LikelyRemedy::CheckpointAndQueue);
    // Two days of work, two days of nothing, a day of work, nothing since yesterday morning.
    let pauses = || {
        case(|n, _, _| match n {
            0..48 | 96..130 => BUSY,
            _ => QUIET,
        })
    };
    assert_eq!(pauses().of("p4d.24xlarge").word(), Some("kept_for_place"));
    // Of a type that is had at any time nothing tells why.
    assert_eq!(pauses().word(), None);
    // What works has its place for that, reserved or not.
    assert_eq!(case(|_, _, _| BUSY).reserved().word(), None);
    // What did not come back was forgotten, however scarce.
    let left = case(|n, _, _| if n < 60 { BUSY } else { QUIET }).of("p4d.24xlarge");
    assert_eq!(left.word(), Some("forgotten"));
}

#[test]
fn bursts_at_any_hour_ask_for_a_queue() {
    let batch = || case(|n, _, _| if n % 8 < 3 { BUSY } else { QUIET });
    assert_eq!(
        batch().likely(),
        Some(LikelyReason::NeedsQueue { bursts: 21, paused_hours: 100, of_hours: 163 })
    );
    assert_eq!(batch().likely().unwrap().remedy(), LikelyRemedy::Queue);
    // What answers requests cannot be held back.
    assert_eq!(batch().named("llm-serve-3").word(), None);
    // Values that make no sense are no bursts.
    let broken = Seen { max: f32::INFINITY, ..BUSY };
    assert_eq!(case(move |n, _, _| if n % 8 < 3 { broken } else { QUIET }).word(), None);
    // Without pauses there is nothing to queue for.
    assert_eq!(case(|_, _, _| BUSY).word(), None);
}

#[test]
fn nothing_is_said_of_what_was_not_judged() {
    let idle = case(|_, _, _| QUIET);
    for kind in [VerdictKind::Unknown, VerdictKind::TooNew, VerdictKind::Exempt] {
        assert_eq!(idle.judged(|v| v.kind = kind).1, None, "{kind:?}");
    }
}

#[test]
fn a_box_without_gpus_has_the_habits_of_people_and_no_others() {
    let as_if = |cpu: Case, kind| cpu.of("c7i.8xlarge").judged(|verdict| verdict.kind = kind).1;
    let forgotten = LikelyReason::Forgotten { quiet_hours: 168, at_least: true };
    assert_eq!(as_if(case(|_, _, _| QUIET), VerdictKind::Idle), Some(forgotten));
    let batch = case(|n, _, _| if n % 8 < 3 { BUSY } else { QUIET });
    assert_eq!(as_if(batch, VerdictKind::Busy), None, "with GPUs it would need a queue");
}

#[test]
fn a_reason_never_changes_a_verdict() {
    let idle = case(|_, _, _| QUIET);
    let (verdict, reason) = idle.judged(|_| {});
    assert!(reason.is_some());
    assert_eq!(verdict.likely, None, "it is put beside the verdict by who asks for it");
}
