//! What is done to the fleet: states and times, refusals, what every reader sees of it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::SignedDuration;

use super::*;
use crate::domain::{Hour, InstanceState, Scope};
use crate::source::Inspector;
use crate::source::demo::{
    Controls, DEFAULT_SEED, DemoAccount, Lever, SECOND_PERSON, accounts, traps,
};

/// A demo whose clock the test turns.
struct Stage {
    clock: Arc<AtomicI64>,
    accounts: Vec<DemoAccount>,
    all: Mutex<HashMap<Arc<str>, Instance>>,
}

impl Stage {
    async fn new(size: usize) -> Self {
        let clock = Arc::new(AtomicI64::new(NOW));
        let turned = clock.clone();
        let now = Arc::new(move || Timestamp::from_second(turned.load(Ordering::SeqCst)).unwrap());
        let accounts = accounts(&DemoOptions::new(DEFAULT_SEED, Some(size), now));
        let stage = Self { clock, accounts, all: Mutex::default() };
        let seen = stage.read().await;
        *stage.all.lock().unwrap() =
            seen.into_iter().map(|s| (s.instance.name.clone(), s.instance)).collect();
        stage
    }

    async fn read(&self) -> Vec<Seen> {
        let providers: Vec<_> = self.accounts.iter().map(|a| a.provider.clone()).collect();
        read(&providers).await
    }

    fn later(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.clock.load(Ordering::SeqCst)).unwrap()
    }

    /// The instance as it was at the start.
    fn was(&self, name: &str) -> Instance {
        self.all.lock().unwrap()[name].clone()
    }

    fn account(&self, scope: &Scope) -> &DemoAccount {
        self.accounts.iter().find(|a| a.id == scope.account).unwrap()
    }

    fn inspector(&self, name: &str) -> (Arc<dyn Inspector>, Scope, Arc<str>) {
        let was = self.was(name);
        (self.account(&was.scope).inspector.clone(), was.scope, was.id)
    }

    async fn state(&self, name: &str) -> crate::source::Seen {
        let (inspector, scope, id) = self.inspector(name);
        inspector.states(&scope, &[id]).await.unwrap().remove(0)
    }

    fn controls(&self, name: &str) -> (Arc<Controls>, Scope, Arc<str>) {
        let was = self.was(name);
        (self.account(&was.scope).controls.clone(), was.scope, was.id)
    }

    fn pull(&self, name: &str, lever: &Lever<'_>) -> Result<Vec<InstanceState>, String> {
        let (controls, scope, id) = self.controls(name);
        let accepted = controls.pull(&scope, lever, &[id]);
        let accepted = accepted.map_err(|e| e.message)?;
        Ok(accepted.states.into_iter().map(|(_, state)| state).collect())
    }

    async fn recent(&self, name: &str, minutes: i64) -> crate::domain::Recent {
        let (inspector, scope, _) = self.inspector(name);
        let now = self.now();
        let from = now - SignedDuration::from_mins(minutes);
        let instance = Arc::new(self.was(name));
        let devices = catalogue::type_spec(&instance.instance_type).unwrap().devices();
        let mut all = inspector.recent(&scope, &[(instance, devices)], from, now).await;
        all.remove(0).unwrap()
    }
}

#[tokio::test]
async fn a_stop_takes_a_while_and_a_start_is_a_new_launch() {
    use InstanceState::{Pending, Running, Stopped, Stopping};
    let stage = Stage::new(traps().len()).await;
    let before = stage.was("train-7b-old");
    assert_eq!(stage.pull("train-7b-old", &Lever::Stop).unwrap(), [Stopping]);
    stage.later(14);
    assert_eq!(stage.state("train-7b-old").await.state, Some(Stopping));
    // Once more is once: the time goes on from the first.
    assert_eq!(stage.pull("train-7b-old", &Lever::Stop).unwrap(), [Stopping]);
    assert!(stage.pull("train-7b-old", &Lever::Start).unwrap_err().contains("stopping"));
    stage.later(1);
    let stopped = stage.state("train-7b-old").await;
    assert_eq!((stopped.state, stopped.launched_at), (Some(Stopped), Some(before.launched_at)));
    stage.later(3_600);
    let start = stage.now();
    assert_eq!(stage.pull("train-7b-old", &Lever::Start).unwrap(), [Pending]);
    stage.later(10);
    let running = stage.state("train-7b-old").await;
    assert_eq!((running.state, running.launched_at), (Some(Running), Some(start)));
    // The inventory says the same, and the disk is as old as ever.
    let all = stage.read().await;
    let now = &named(&all, "train-7b-old").instance;
    assert_eq!((now.state, now.launched_at, &now.id), (Running, start, &before.id));
    assert_eq!(now.block_devices, before.block_devices);
    // What stood stopped can be started as well.
    assert_eq!(stage.pull("parked-v100", &Lever::Start).unwrap(), [Pending]);
    stage.later(7_200);
    let all = stage.read().await;
    let parked = named(&all, "parked-v100");
    assert_eq!(parked.instance.state, Running);
    // Silent until the hour of its start.
    let begun = Hour::containing(start);
    let day = HourRange { from: begun.plus(-24), to: Hour::containing(stage.now()) };
    let got = points(parked, Signal::GpuMax(0), day).await;
    let hours: Vec<_> = got.iter().map(|(at, _)| Hour::containing(*at)).collect();
    assert_eq!(hours, [begun, begun.plus(1)]);
}

#[tokio::test]
async fn what_was_terminated_leaves_the_lists_after_an_hour() {
    use InstanceState::{ShuttingDown, Terminated};
    let stage = Stage::new(traps().len()).await;
    assert_eq!(stage.pull("scratch-cpu", &Lever::Terminate).unwrap(), [ShuttingDown]);
    stage.later(20);
    assert_eq!(stage.state("scratch-cpu").await.state, Some(Terminated));
    assert_eq!(stage.pull("scratch-cpu", &Lever::Terminate).unwrap(), [Terminated]);
    assert!(stage.pull("scratch-cpu", &Lever::Stop).unwrap_err().contains("terminated"));
    assert!(stage.read().await.iter().any(|s| &*s.instance.name == "scratch-cpu"));
    stage.later(3_600);
    assert_eq!(stage.state("scratch-cpu").await.state, None);
    assert!(stage.read().await.iter().all(|s| &*s.instance.name != "scratch-cpu"));
    assert!(stage.pull("scratch-cpu", &Lever::Start).unwrap_err().contains("does not exist"));
    let (inspector, scope, id) = stage.inspector("scratch-cpu");
    let gone = inspector.inspect(&scope, &[id]).await.remove(0);
    assert!(gone.instance.unwrap().is_none() && gone.volumes.is_err());
    // A demo begun anew has everything back.
    let anew = Stage::new(traps().len()).await;
    assert_eq!(anew.was("scratch-cpu"), stage.was("scratch-cpu"));
}

#[tokio::test]
async fn a_clock_that_stands_still_is_counted_in_looks() {
    let stage = Stage::new(traps().len()).await;
    for (lever, during, after) in [
        (Lever::Stop, InstanceState::Stopping, InstanceState::Stopped),
        (Lever::Start, InstanceState::Pending, InstanceState::Running),
        (Lever::Terminate, InstanceState::ShuttingDown, InstanceState::Terminated),
    ] {
        stage.pull("scratch-cpu", &lever).unwrap();
        let mut looks = Vec::new();
        for _ in 0..4 {
            looks.push(stage.state("scratch-cpu").await.state.unwrap());
        }
        assert_eq!((looks[0], looks[3]), (during, after), "{lever:?}");
    }
}

#[tokio::test]
async fn metrics_end_with_a_stop_and_begin_with_a_start() {
    let stage = Stage::new(traps().len()).await;
    let day = |stage: &Stage| HourRange {
        from: Hour::containing(Timestamp::from_second(NOW).unwrap()),
        to: Hour::containing(stage.now()),
    };
    let stop = stage.now();
    stage.pull("train-7b-old", &Lever::Stop).unwrap();
    stage.later(30 * 60);
    let recent = stage.recent("train-7b-old", 60).await;
    assert_eq!(recent.series.len(), 4 + 8);
    for series in &recent.series {
        assert!(series.points.iter().all(|(at, _)| *at < stop), "{:?}", series.signal);
        assert!((5..=6).contains(&series.points.len()), "{:?}", series.signal);
    }
    stage.later(4 * 3_600);
    let all = stage.read().await;
    let seen = named(&all, "train-7b-old");
    // The hour of the stop was still a part of one; CloudWatch goes on listing the series.
    assert_eq!(points(seen, Signal::CpuMean, day(&stage)).await.len(), 1);
    assert_eq!(seen.gpu.len(), 8);
    stage.pull("train-7b-old", &Lever::Start).unwrap();
    stage.later(3 * 3_600);
    assert_eq!(points(seen, Signal::GpuMax(7), day(&stage)).await.len(), 4);
    // Whole periods: twelve, or eleven where the minutes are cut at both ends.
    assert_eq!(stage.recent("train-7b-old", 60).await.series[0].points.len(), 11);
}

#[tokio::test]
async fn the_last_minutes_are_cut_from_the_hours() {
    let stage = Stage::new(60).await;
    stage.later(3_600 - NOW % 3_600);
    let all = stage.read().await;
    let hour = HourRange::last_closed(stage.now(), 1);
    for seen in all.iter().filter(|s| s.instance.state == InstanceState::Running) {
        let name = &*seen.instance.name;
        if ["resumed-run", "agent-hung", "broken-exporter"].contains(&name) {
            continue;
        }
        for series in stage.recent(name, 60).await.series {
            let hourly = points(seen, series.signal, hour).await;
            let Some((_, hourly)) = hourly.first().copied() else {
                assert!(series.points.is_empty(), "{name}");
                continue;
            };
            let values: Vec<f64> = series.points.iter().map(|p| p.1).collect();
            assert_eq!(values.len(), 12, "{name} {:?}", series.signal);
            let sum: f64 = values.iter().sum();
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
            match series.signal {
                Signal::CpuMean => assert!(near(sum / 12.0, hourly), "{name}"),
                Signal::NetworkIn | Signal::NetworkOut => assert!(near(sum, hourly), "{name}"),
                _ => assert!(near(values.iter().copied().fold(0.0, f64::max), hourly), "{name}"),
            }
        }
    }
}

#[tokio::test]
async fn the_planted_last_minutes() {
    let stage = Stage::new(traps().len()).await;
    let woken = stage.recent("resumed-run", 60).await;
    let gpu = woken.series.iter().find(|s| s.signal == Signal::GpuMax(0)).unwrap();
    let busy = gpu.points.iter().filter(|(_, value)| *value > 50.0).count();
    assert!((3..=4).contains(&busy), "{busy}");
    let hung = stage.recent("agent-hung", 60).await;
    for series in &hung.series {
        let last = series.points.last().unwrap().0;
        let silent = stage.now().duration_since(last) > SignedDuration::from_mins(30);
        assert_eq!(silent, series.signal.gpu().is_some(), "{:?}", series.signal);
    }
}

#[tokio::test]
async fn tags_are_set_and_taken_away() {
    let stage = Stage::new(traps().len()).await;
    let set = [("burntop:expires", Some("2026-11-30T00:00:00Z")), ("burntop:by", Some("me\u{1b}"))];
    stage.pull("train-7b-old", &Lever::Tag(&set)).unwrap();
    let seen = stage.state("train-7b-old").await;
    assert_eq!(seen.tags.get("burntop:expires"), Some("2026-11-30T00:00:00Z"));
    assert_eq!(seen.tags.get("burntop:by"), Some("me\u{FFFD}"));
    assert_eq!(seen.tags.get("project"), Some("llm-7b"));
    assert_eq!(seen.state, Some(InstanceState::Running));
    let unset = [("burntop:expires", None), ("burntop:by", None), ("burntop:reason", None)];
    for name in ["train-7b-old", "marked-waiting"] {
        stage.pull(name, &Lever::Tag(&unset)).unwrap();
        let tags = stage.state(name).await.tags;
        assert!(tags.iter().all(|(key, _)| !key.starts_with("burntop:")), "{name}");
    }
    let all = stage.read().await;
    assert_eq!(named(&all, "train-7b-old").instance, stage.was("train-7b-old"));
}

#[tokio::test]
async fn ec2_refuses_what_ec2_refuses() {
    use InstanceState::Running;
    let stage = Stage::new(traps().len()).await;
    for (name, lever, says) in [
        ("baseline-protected", Lever::Terminate, "disableApiTermination"),
        ("do-not-stop", Lever::Stop, "disableApiStop"),
        ("spot-leftover", Lever::Stop, "one-time"),
        ("slice-dev", Lever::Stop, "service control policy"),
    ] {
        assert!(stage.pull(name, &lever).unwrap_err().contains(says), "{name}");
        assert_eq!(stage.state(name).await.state, Some(Running), "{name}");
    }
    // The policy denies stops there, and nothing else.
    let (controls, scope, id) = stage.controls("slice-dev");
    assert!(controls.permitted(&scope, &Lever::Stop).is_err());
    assert!(controls.permitted(&scope, &Lever::Terminate).is_ok());
    // A dry run says nothing about protection.
    let (protected, there, _) = stage.controls("baseline-protected");
    assert!(protected.permitted(&there, &Lever::Terminate).is_ok());
    // An account has no levers in another, nor a region for another's instances.
    assert!(protected.pull(&scope, &Lever::Terminate, std::slice::from_ref(&id)).is_err());
    let elsewhere = Scope::new(scope.account.clone(), "us-east-1");
    assert!(controls.pull(&elsewhere, &Lever::Terminate, &[id]).is_err());
    assert_eq!(stage.state("slice-dev").await.state, Some(Running));
}

#[tokio::test]
async fn a_protected_member_saves_its_zone_alone() {
    let stage = Stage::new(280).await;
    let protected = stage.was("baseline-protected");
    let (controls, scope, id) = stage.controls("baseline-protected");
    let all = stage.read().await;
    let neighbours: Vec<Arc<str>> = all
        .iter()
        .filter(|s| s.instance.scope == scope && s.instance.id != protected.id)
        .filter(|s| s.instance.state == InstanceState::Running)
        .map(|s| s.instance.id.clone())
        .collect();
    let inspector = &stage.account(&scope).inspector;
    let facts = inspector.inspect(&scope, &neighbours).await;
    let free = facts.iter().filter(|f| matches!(f.termination_protection, Ok(false)));
    let ids: Vec<Arc<str>> = free.map(|f| f.id.clone()).chain([id]).collect();
    assert!(controls.pull(&scope, &Lever::Terminate, &ids).is_err());
    let (mut spared, mut gone) = (0, 0);
    for seen in inspector.states(&scope, &ids).await.unwrap() {
        let was = all.iter().find(|s| s.instance.id == seen.id).unwrap();
        let expected = if was.instance.az == protected.az {
            spared += 1;
            InstanceState::Running
        } else {
            gone += 1;
            InstanceState::ShuttingDown
        };
        assert_eq!(seen.state, Some(expected), "{}", seen.id);
    }
    assert!(spared > 1 && gone > 1, "{spared} spared, {gone} gone");
    // One bad id, and nothing happens at all.
    let bad: Vec<Arc<str>> = vec![stage.was("serve-spare").id, "i-0123456789abcdef0".into()];
    let (controls, scope, _) = stage.controls("serve-spare");
    assert!(controls.pull(&scope, &Lever::Terminate, &bad).is_err());
    assert_eq!(stage.state("serve-spare").await.state, Some(InstanceState::Running));
}

#[tokio::test]
async fn a_group_gives_up_members_down_to_its_minimum() {
    let stage = Stage::new(traps().len()).await;
    let (inspector, scope, id) = stage.inspector("serve-spare");
    let group = async || {
        let fact = inspector.inspect(&scope, std::slice::from_ref(&id)).await.remove(0);
        fact.group.unwrap().unwrap()
    };
    let before = group().await;
    assert_eq!((&*before.name, before.min, before.desired), ("serve-llm", 0, 1));
    let leave =
        |group, decrement| stage.pull("serve-spare", &Lever::LeaveGroup { group, decrement });
    assert!(leave("another", true).unwrap_err().contains("not part"));
    assert_eq!(leave("serve-llm", true).unwrap(), [InstanceState::ShuttingDown]);
    assert_eq!(group().await.desired, 0);
    // Twice is once: it does not want less than before.
    leave("serve-llm", true).unwrap();
    assert_eq!(group().await.desired, 0);
}

#[tokio::test]
async fn a_close_look_finds_what_is_planted() {
    let stage = Stage::new(280).await;
    for trap in traps() {
        let (inspector, scope, id) = stage.inspector(trap.name);
        let facts = inspector.inspect(&scope, std::slice::from_ref(&id)).await.remove(0);
        let name = trap.name;
        assert_eq!(facts.id, id);
        assert_eq!(
            *facts.termination_protection.as_ref().unwrap(),
            name == "baseline-protected",
            "{name}"
        );
        assert_eq!(*facts.stop_protection.as_ref().unwrap(), name == "do-not-stop", "{name}");
        assert_eq!(facts.group.unwrap().is_some(), name == "serve-spare", "{name}");
        assert_eq!(facts.spot.unwrap().is_some(), name == "spot-leftover", "{name}");
        let instance = facts.instance.unwrap().unwrap();
        assert_eq!(*instance, stage.was(name), "{name}");
        let volumes = facts.volumes.unwrap();
        let ids: Vec<_> = volumes.iter().map(|v| &v.id).collect();
        let devices: Vec<_> = instance.block_devices.iter().map(|d| &d.volume_id).collect();
        assert_eq!(ids, devices, "{name}");
        match name {
            "train-7b-old" => {
                let gb = facts.spec.unwrap().unwrap().instance_store_gb;
                assert_eq!((gb, volumes.len()), (8_000, 2));
                assert!(volumes[0].delete_on_termination && !volumes[1].delete_on_termination);
            }
            "scratch-cpu" => {
                assert_eq!(facts.spec.unwrap().unwrap().instance_store_gb, 0);
                assert_eq!(volumes.len(), 1);
            }
            "last-target" => {
                let groups = facts.target_groups.unwrap();
                assert!(groups[0].is_serving() && groups[0].other_healthy == 0);
            }
            "reserved-idle" => assert!(instance.capacity_reservation.is_some()),
            _ => {}
        }
        let launch = facts.launch.unwrap();
        assert_eq!(launch.instance_type, *instance.instance_type);
        assert!(launch.tags.iter().all(|(key, _)| !key.starts_with("aws:")), "{name}");
    }
}

#[tokio::test]
async fn two_people_look_at_one_world() {
    let now = Timestamp::from_second(NOW).unwrap();
    let first = DemoOptions::new(DEFAULT_SEED, Some(5), Arc::new(move || now));
    let second = DemoOptions { person: SECOND_PERSON.into(), ..first.clone() };
    let (a, b) = (accounts(&first).remove(0), accounts(&second).remove(0));
    let arn = async |of: &DemoAccount| of.inspector.caller().await.unwrap().arn;
    assert_eq!(&*arn(&a).await, "arn:aws:sts::111122223333:assumed-role/burntop-demo/on-call");
    assert_eq!(&*arn(&b).await, "arn:aws:sts::111122223333:assumed-role/burntop-demo/reviewer");
    let page = a.provider.instances(&a.id, &"us-east-1".into(), None).await.unwrap();
    let target = page.items.iter().find(|i| &*i.name == "train-7b-old").unwrap();
    a.controls.pull(&target.scope, &Lever::Stop, std::slice::from_ref(&target.id)).unwrap();
    let seen = b.inspector.states(&target.scope, std::slice::from_ref(&target.id)).await.unwrap();
    assert_eq!(seen[0].state, Some(InstanceState::Stopping));
}
