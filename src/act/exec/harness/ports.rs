//! What an operator sees of the simulated cloud, and what it does to it, with all that goes wrong
//! on the way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::cloud::{DELIVERY, KINDS, Machine, PERIOD, Reply, Request, Telemetry, Use, orders};
use super::faults::{Bug, CallFault};
use super::judge;
use super::observations::Observation;
use super::world::{Deed, Event, MINUTE, Ms, SECOND, Shared, What, World, stamp};
use crate::act::exec::{Executor, Receipt};
use crate::act::plan::{Order, Verb};
use crate::domain::{
    Accelerator, AcceleratorKind, Addresses, ErrorKind, GroupFact, Inspection, Instance,
    InstanceState, Known, LaunchSpec, Lifecycle, Owner, Provenance, Recent, RecentSeries, Scope,
    Signal, SourceError, SpotFact, TargetGroupFact, TypeSpec, VolumeFact, sample,
};
use crate::source::Identity;
use crate::source::inspect::{Inspector, Seen};

/// One account, as one process reaches it.
pub struct SimAccount {
    pub world: Shared,
    pub process: usize,
    pub account: Arc<str>,
    /// What each instance looked like at the first look, for [`Bug::StaleLook`].
    pub first: Mutex<BTreeMap<Arc<str>, (Ms, Machine)>>,
}

fn trouble(world: &mut World) -> SourceError {
    let kinds = [
        ErrorKind::Throttled,
        ErrorKind::Timeout,
        ErrorKind::Network,
        ErrorKind::Denied,
        ErrorKind::Malformed,
    ];
    let kind = kinds[world.rng.usize(0..kinds.len())];
    SourceError::new(kind, "read", "the simulation says no", "")
}

fn fact<T>(world: &mut World, value: T, decides: bool, missing: &mut bool) -> Known<T> {
    let rate = world.rates.fact;
    if world.chance(rate) {
        world.counts.hit("a fact could not be read");
        *missing |= decides;
        return Err(Arc::new(trouble(world)));
    }
    Ok(value)
}

pub fn instance(b: &Machine) -> Instance {
    let tags = b.tags();
    let born = stamp(b.launched_at);
    let device = crate::domain::BlockDevice {
        device: "/dev/xvda".into(),
        volume_id: format!("vol-{}", &b.id[2..]).into(),
        attached_at: Some(born),
        delete_on_termination: true,
    };
    Instance {
        id: b.id.clone(),
        scope: b.scope.clone(),
        az: b.az.clone(),
        name: "box".into(),
        instance_type: KINDS[b.kind].name.into(),
        state: b.state,
        lifecycle: if b.spot.is_some() { Lifecycle::Spot } else { Lifecycle::OnDemand },
        launched_at: born,
        block_devices: if b.ebs_root { vec![device] } else { Vec::new() },
        ebs_root: b.ebs_root,
        owners: Owner::from_tags(&tags),
        tags,
        ..sample::instance()
    }
}

pub fn spec(b: &Machine) -> TypeSpec {
    let kind = &KINDS[b.kind];
    TypeSpec {
        name: kind.name.into(),
        vcpus: kind.vcpus,
        memory_mib: 16_384,
        accelerator: (kind.devices > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "A10G".into(),
            devices: kind.devices,
            equivalents: f64::from(kind.devices),
            memory_mib: 24_576,
        }),
        instance_store_gb: kind.instance_store_gb,
        network: "10 Gigabit".into(),
        provenance: Provenance::Demo,
    }
}

/// The series that an honest service would serve at `now`.
fn series(b: &Machine, from: Ms, now: Ms) -> Vec<RecentSeries> {
    let closed = (now - DELIVERY).div_euclid(PERIOD) * PERIOD;
    let from = from.div_euclid(PERIOD) * PERIOD;
    let mut signals = vec![Signal::CpuMean, Signal::CpuMax, Signal::NetworkIn, Signal::NetworkOut];
    if b.telemetry != Telemetry::NoGpu {
        let devices = KINDS[b.kind].devices as u16;
        signals.extend((0..devices).map(Signal::GpuMax));
    }
    let value = |signal: Signal, at: Ms| -> f64 {
        let on = |wanted: Use| {
            b.busy.iter().any(|x| x.2 == wanted && x.0.max(at) < x.1.min(at + PERIOD))
        };
        match signal {
            Signal::CpuMean => [0.3, 55.0][usize::from(on(Use::Cpu))],
            Signal::CpuMax => [0.9, 97.0][usize::from(on(Use::Cpu))],
            Signal::NetworkIn | Signal::NetworkOut => [4e3, 6e9][usize::from(on(Use::Network))],
            Signal::GpuMax(i) => [0.0, 88.0][usize::from(on(Use::Gpu(i)))],
            _ => 0.0,
        }
    };
    signals
        .into_iter()
        .map(|signal| {
            let mut points = Vec::new();
            let mut at = from;
            while at + PERIOD <= closed {
                match b.telemetry {
                    Telemetry::LostFrom(t) if at + PERIOD > t => {}
                    Telemetry::MalformedFrom(t) if at >= t => points.push((stamp(at), f64::NAN)),
                    _ => points.push((stamp(at), value(signal, at))),
                }
                at += PERIOD;
            }
            let source = if signal.gpu().is_some() { "CWAgent" } else { "AWS/EC2" };
            RecentSeries {
                signal,
                source: source.into(),
                period_s: (PERIOD / SECOND) as u32,
                points,
                complete: true,
            }
        })
        .collect()
}

/// True when what decides is missing from the truth itself: for longer than any reader could take
/// for the ordinary delay of a datapoint.
fn is_dark(b: &Machine, from: Ms, now: Ms) -> bool {
    match b.telemetry {
        Telemetry::Fine => false,
        Telemetry::LostFrom(t) => t < now - 25 * MINUTE,
        Telemetry::NoGpu => KINDS[b.kind].devices > 0,
        Telemetry::MalformedFrom(t) => {
            let closed = (now - DELIVERY).div_euclid(PERIOD) * PERIOD;
            let first = (t.max(from) + PERIOD - 1).div_euclid(PERIOD) * PERIOD;
            first + PERIOD <= closed
        }
    }
}

/// Somebody meddles at the worst moment: between a look and the call that rests on it.
fn meddle(world: &mut World, ids: &[Arc<str>], within: Ms) {
    if ids.is_empty() || world.rng.u8(0..100) >= 4 || world.bug.is_some() {
        return;
    }
    let id = &ids[world.rng.usize(0..ids.len())];
    let Some(index) = world.cloud.find(id) else { return };
    let what = What::AT_WORST[world.rng.usize(0..What::AT_WORST.len())];
    let when = world.now + world.rng.i64(0..within);
    world.at(when, Event::Somebody(Deed { index, what }));
}

impl SimAccount {
    fn shown(&self, world: &World, index: usize) -> Machine {
        let b = &world.cloud.boxes[index];
        if world.bug != Some(Bug::StaleLook) {
            return b.clone();
        }
        let mut first = self.first.lock().unwrap();
        let now = world.now;
        let (at, old) = first.entry(b.id.clone()).or_insert_with(|| (now, b.clone()));
        let mut old = old.clone();
        old.busy.retain(|x| x.0 < *at - PERIOD - DELIVERY);
        old
    }

    fn inspection(&self, world: &mut World, scope: &Scope, id: &Arc<str>) -> Inspection {
        let now = world.now;
        let index = world.cloud.find(id).filter(|&i| {
            let b = &world.cloud.boxes[i];
            b.scope == *scope && !b.forgotten
        });
        let taken_at = stamp(now);
        let Some(index) = index else {
            let none =
                || Arc::new(SourceError::new(ErrorKind::Other, "read", "no such instance", ""));
            return Inspection {
                id: id.clone(),
                taken_at,
                instance: Ok(None),
                spec: Ok(None),
                launch: Err(none()),
                termination_protection: Err(none()),
                stop_protection: Err(none()),
                volumes: Ok(Vec::new()),
                addresses: Ok(Addresses::default()),
                group: Ok(None),
                target_groups: Ok(Vec::new()),
                spot: Ok(None),
            };
        };
        let truth = world.cloud.boxes[index].facts();
        let b = self.shown(world, index);
        let group = b.group.map(|g| {
            let g = &world.cloud.groups[g];
            GroupFact {
                name: g.name.clone(),
                min: g.min,
                desired: g.desired,
                protected_from_scale_in: b.scale_in_protected,
                lifecycle: if b.leaving { "Terminating" } else { "InService" }.into(),
            }
        });
        let volume = VolumeFact {
            id: format!("vol-{}", &b.id[2..]).into(),
            device: "/dev/xvda".into(),
            size_gib: Some(100),
            kind: "gp3".into(),
            iops: None,
            throughput_mibps: None,
            root: true,
            delete_on_termination: true,
        };
        let targets = b.other_targets.map(|other_healthy| TargetGroupFact {
            name: "web".into(),
            health: "healthy".into(),
            other_healthy,
        });
        let spot = b.spot.map(|persistent| SpotFact { request: "sir-1".into(), persistent });
        let mut missing = false;
        // Termination protection does not hinder a stop.
        let plan = &world.processes[self.process].plan;
        let terminates = plan.as_ref().is_some_and(|p| matches!(p.verb, Verb::Terminate { .. }));
        let out = Inspection {
            id: id.clone(),
            taken_at,
            instance: fact(world, Some(Arc::new(instance(&b))), true, &mut missing),
            spec: fact(world, Some(Arc::new(spec(&b))), false, &mut missing),
            launch: fact(world, LaunchSpec::default(), false, &mut missing),
            termination_protection: fact(world, b.termination_protected, terminates, &mut missing),
            stop_protection: fact(world, b.stop_protected, true, &mut missing),
            volumes: fact(world, vec![volume], false, &mut missing),
            addresses: fact(world, Addresses::default(), false, &mut missing),
            group: fact(world, group, true, &mut missing),
            target_groups: fact(world, targets.into_iter().collect(), false, &mut missing),
            spot: fact(world, spot, false, &mut missing),
        };
        let observation = self.observation(world, id);
        observation.inspected = Some((now, truth.clone(), missing));
        observation.seen = Some((now, truth));
        observation.called_since = false;
        out
    }

    fn observation<'a>(&self, world: &'a mut World, id: &Arc<str>) -> &'a mut Observation {
        world.processes[self.process].observations.entry(id.clone()).or_default()
    }

    fn measure(
        &self,
        world: &mut World,
        id: &Arc<str>,
        from: Timestamp,
        to: Timestamp,
    ) -> Known<Recent> {
        let now = world.now;
        let begin = from.as_millisecond();
        let Some(index) = world.cloud.find(id) else {
            return Err(Arc::new(trouble(world)));
        };
        let truth = &world.cloud.boxes[index];
        let mut missing = is_dark(truth, begin, now);
        let plan = world.processes[self.process].plan.clone();
        // The time that the verdict did not cover has to be looked at, whatever was asked for.
        let judged = plan
            .iter()
            .flat_map(|p| p.items.iter())
            .find(|i| i.id == *id)
            .and_then(|i| i.judged_until)
            .map_or(begin, Timestamp::as_millisecond);
        let used = truth.shows_use(judged.min(now - 15 * MINUTE), now);
        if matches!(truth.telemetry, Telemetry::LostFrom(_)) {
            world.counts.hit("telemetry lost, looked at");
        }
        if matches!(world.cloud.boxes[index].telemetry, Telemetry::MalformedFrom(_)) {
            world.counts.hit("telemetry malformed, looked at");
        }
        let shown = self.shown(world, index);
        let mut series = series(&shown, begin, now);
        let rate = world.rates.recent;
        let mut failed = false;
        if world.chance(rate) {
            missing = true;
            let pick = world.rng.usize(0..series.len());
            match world.rng.u8(0..6) {
                0 => {
                    world.counts.hit("telemetry could not be read");
                    failed = true;
                }
                1 => {
                    world.counts.hit("telemetry empty");
                    series[pick].points.clear();
                }
                2 => {
                    world.counts.hit("telemetry stale");
                    let limit = stamp(now - 45 * MINUTE);
                    series[pick].points.retain(|p| p.0 < limit);
                }
                3 => {
                    world.counts.hit("telemetry malformed");
                    let nonsense = [f64::NAN, f64::INFINITY, -4.0][world.rng.usize(0..3)];
                    if let Some(last) = series[pick].points.last_mut() {
                        last.1 = nonsense;
                    }
                }
                4 => {
                    world.counts.hit("telemetry incomplete");
                    series[pick].complete = false;
                    series[pick].points.pop();
                }
                _ => {
                    world.counts.hit("a series is missing");
                    series.remove(pick);
                }
            }
        }
        let observation = self.observation(world, id);
        observation.measured = Some((now, used, missing));
        if failed {
            return Err(Arc::new(trouble(world)));
        }
        Ok(Recent { id: id.clone(), from, to, series })
    }

    async fn wait(&self, range: std::ops::Range<Ms>) {
        let time = self.world.lock().rng.i64(range);
        self.world.nap(time).await;
    }

    fn read_fault(&self) -> Option<SourceError> {
        let mut world = self.world.lock();
        let rate = world.rates.read;
        if !world.chance(rate) {
            return None;
        }
        world.counts.hit("a reading failed");
        Some(trouble(&mut world))
    }
}

#[async_trait::async_trait]
impl Inspector for SimAccount {
    async fn caller(&self) -> Result<Identity, SourceError> {
        self.world.step(self.process, "before the caller is asked").await;
        self.wait(10..100).await;
        if let Some(error) = self.read_fault() {
            return Err(error);
        }
        let mut world = self.world.lock();
        let rate = world.rates.fact;
        let account = if world.chance(rate) {
            world.counts.hit("caller in another account");
            "999999999999".into()
        } else {
            self.account.clone()
        };
        let arn = format!("arn:aws:iam::{account}:user/oncall").into();
        Ok(Identity { account, arn, label: "sim".into() })
    }

    async fn inspect(&self, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection> {
        self.world.step(self.process, "before an inspection").await;
        self.wait(50..800).await;
        self.world.step(self.process, "after an inspection").await;
        let mut world = self.world.lock();
        ids.iter().map(|id| self.inspection(&mut world, scope, id)).collect()
    }

    async fn recent(
        &self,
        _: &Scope,
        instances: &[(Arc<Instance>, u32)],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<Known<Recent>> {
        self.world.step(self.process, "before a measurement").await;
        self.wait(100..1_500).await;
        self.world.step(self.process, "after a measurement").await;
        let mut world = self.world.lock();
        let ids: Vec<Arc<str>> = instances.iter().map(|(i, _)| i.id.clone()).collect();
        meddle(&mut world, &ids, 2 * SECOND);
        ids.iter().map(|id| self.measure(&mut world, id, from, to)).collect()
    }

    async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError> {
        self.world.step(self.process, "before a look at states").await;
        self.wait(20..300).await;
        if let Some(error) = self.read_fault() {
            return Err(error);
        }
        self.world.step(self.process, "after a look at states").await;
        let mut world = self.world.lock();
        let now = world.now;
        let mut out = Vec::new();
        for id in ids {
            let index = world.cloud.find(id).filter(|&i| {
                let b = &world.cloud.boxes[i];
                b.scope == *scope && !b.forgotten
            });
            let seen = match index {
                None => Seen {
                    id: id.clone(),
                    state: None,
                    launched_at: None,
                    tags: crate::domain::Tags::default(),
                },
                Some(index) => {
                    let b = &world.cloud.boxes[index];
                    let facts = b.facts();
                    let state = match (world.bug, b.state) {
                        (Some(Bug::WishfulStates), InstanceState::Stopping) => {
                            InstanceState::Stopped
                        }
                        (Some(Bug::WishfulStates), InstanceState::ShuttingDown) => {
                            InstanceState::Terminated
                        }
                        (_, state) => state,
                    };
                    let seen = Seen {
                        id: id.clone(),
                        state: Some(state),
                        launched_at: Some(stamp(b.launched_at)),
                        tags: b.tags(),
                    };
                    let observation = self.observation(&mut world, id);
                    observation.seen = Some((now, facts));
                    observation.called_since = false;
                    seen
                }
            };
            out.push(seen);
        }
        Ok(out)
    }
}

#[async_trait::async_trait]
impl Executor for SimAccount {
    fn name(&self) -> &'static str {
        "live"
    }

    async fn permitted(&self, _: &Scope, _: &Verb, _: &[Arc<str>]) -> Result<(), SourceError> {
        self.world.step(self.process, "before the dry run").await;
        self.wait(20..200).await;
        match self.read_fault() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        self.world.step(self.process, "before the call").await;
        let reply = Arc::new(Mutex::new(None));
        let (wait, request_id) = {
            let mut world = self.world.lock();
            let rate = world.rates.call;
            let fault = if world.chance(rate) {
                CallFault::ALL[world.rng.usize(0..CallFault::ALL.len())]
            } else {
                CallFault::None
            };
            if fault != CallFault::None {
                world.counts.hit(fault.name());
            }
            let run = world.processes[self.process].runs.last().cloned().unwrap_or_default();
            let mut request = Request {
                process: self.process,
                run,
                scope: order.scope().clone(),
                az: order.az().clone(),
                via: order.via().clone(),
                verb: order.verb().clone(),
                ids: order.ids().to_vec(),
                fault,
                reply: reply.clone(),
            };
            let times = orders(&mut world, &mut request);
            let trip = world.rng.i64(10..400);
            meddle(&mut world, order.ids(), trip);
            for _ in 0..times {
                judge::sent(&mut world, &request);
                let when = world.now + trip;
                let copy = Request { reply: reply.clone(), ..clone(&request) };
                world.at(when, Event::Arrive(Box::new(copy)));
            }
            if times == 0 {
                *reply.lock().unwrap() = Some(Ok(Vec::new()));
            }
            let back = match fault {
                CallFault::HangBefore | CallFault::HangAfter => 60 * SECOND,
                CallFault::TimeoutBefore | CallFault::TimeoutAfter => 10 * SECOND,
                _ => world.rng.i64(10..400),
            };
            (trip + back, world.next_seq())
        };
        self.world.step(self.process, "while the call is under way").await;
        self.world.nap(wait).await;
        self.world.step(self.process, "after the call").await;
        let reply: Option<Reply> = reply.lock().unwrap().take();
        let states = reply
            .unwrap_or_else(|| Err(SourceError::new(ErrorKind::Timeout, "act", "no answer", "")))?;
        Ok(Receipt { request_ids: vec![format!("req-{request_id}")], states, pretended: false })
    }
}

fn clone(request: &Request) -> Request {
    Request {
        process: request.process,
        run: request.run.clone(),
        scope: request.scope.clone(),
        az: request.az.clone(),
        via: request.via.clone(),
        verb: request.verb.clone(),
        ids: request.ids.clone(),
        fault: request.fault,
        reply: request.reply.clone(),
    }
}
