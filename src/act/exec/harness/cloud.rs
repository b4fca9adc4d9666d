//! The simulated cloud: the truth, and the rules by which the service changes it.

use std::sync::Arc;

use super::faults::{Bug, CallFault};
use super::judge;
use super::observations::Facts;
use super::world::{Deed, HOUR, MINUTE, Ms, SECOND, What, World, stamp};
use crate::act::plan::{ActApi, EXPIRES_TAG, REMINDED_TAG, Verb};
use crate::domain::{ErrorKind, InstanceState, Scope, SourceError, Tags};

/// Length of a datapoint.
pub const PERIOD: Ms = 5 * MINUTE;
/// Time from the end of a period until its datapoint can be read.
pub const DELIVERY: Ms = MINUTE;

/// What kind of box it is.
pub struct Kind {
    pub name: &'static str,
    pub vcpus: u32,
    pub devices: u32,
    pub instance_store_gb: u64,
}

pub const KINDS: [Kind; 4] = [
    Kind { name: "m5.xlarge", vcpus: 4, devices: 0, instance_store_gb: 0 },
    Kind { name: "g5.4xlarge", vcpus: 16, devices: 1, instance_store_gb: 600 },
    Kind { name: "g4dn.12xlarge", vcpus: 48, devices: 4, instance_store_gb: 900 },
    Kind { name: "c5.large", vcpus: 2, devices: 0, instance_store_gb: 0 },
];

/// What works on it while it is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Cpu,
    Network,
    /// One GPU alone.
    Gpu(u16),
}

/// How its telemetry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telemetry {
    Fine,
    /// Nothing from this moment on.
    LostFrom(Ms),
    /// No GPU series.
    NoGpu,
    /// Nonsense from this moment on.
    MalformedFrom(Ms),
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: Arc<str>,
    pub min: u32,
    pub desired: u32,
}

/// The truth about an instance.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of EC2's own")]
pub struct Machine {
    pub id: Arc<str>,
    pub scope: Scope,
    pub az: Arc<str>,
    pub kind: usize,
    pub state: InstanceState,
    /// When the state turns by itself, and into which.
    pub turns: Vec<(Ms, InstanceState)>,
    /// Its group is letting it go; EC2 may not show it yet.
    pub leaving: bool,
    pub launched_at: Ms,
    pub tags: Vec<(String, String)>,
    pub termination_protected: bool,
    pub stop_protected: bool,
    pub spot: Option<bool>,
    pub ebs_root: bool,
    pub group: Option<usize>,
    pub scale_in_protected: bool,
    pub other_targets: Option<u32>,
    pub telemetry: Telemetry,
    /// When it was, is and will be busy, and with what.
    pub busy: Vec<(Ms, Ms, Use)>,
    /// EC2 does not know it any more.
    pub forgotten: bool,
    /// Every state that it was in, and since when.
    pub history: Vec<(Ms, InstanceState)>,
    /// Times that Auto Scaling took it out of what the group wants.
    pub decrements: u32,
}

impl Machine {
    pub fn facts(&self) -> Facts {
        Facts {
            exists: !self.forgotten,
            state: self.state,
            launched_at: self.launched_at,
            instance_type: KINDS[self.kind].name.into(),
            exempt: self.is_exempt(),
            termination_protected: self.termination_protected,
            stop_protected: self.stop_protected,
            scale_in_protected: self.scale_in_protected,
            group: self.group,
            leaving: self.leaving,
        }
    }

    pub fn is_exempt(&self) -> bool {
        self.tags.iter().any(|(k, v)| k == "burntop:exempt" && v == "true")
    }

    pub fn tag(&self, key: &str) -> Option<&str> {
        self.tags.iter().find(|(k, _)| k == key).map(|(_, v)| &**v)
    }

    fn set_tag(&mut self, key: &str, value: Option<String>) {
        self.tags.retain(|(k, _)| k != key);
        self.tags.extend(value.map(|v| (key.to_owned(), v)));
    }

    pub fn tags(&self) -> Tags {
        Tags::from_raw(self.tags.iter().map(|(k, v)| (k.as_str(), v.as_str())))
    }

    pub fn is_busy(&self, at: Ms) -> bool {
        self.state == InstanceState::Running && self.busy.iter().any(|b| b.0 <= at && at < b.1)
    }

    /// True when a datapoint that was delivered by `at`, of a period that touches the time from
    /// `from` on, shows use: what any honest reading at that moment would show.
    pub fn shows_use(&self, from: Ms, at: Ms) -> bool {
        let mut closed = (at - DELIVERY).div_euclid(PERIOD) * PERIOD;
        if let Telemetry::LostFrom(lost) = self.telemetry {
            closed = closed.min(lost.div_euclid(PERIOD) * PERIOD);
        }
        let from = from.div_euclid(PERIOD) * PERIOD;
        self.busy.iter().any(|b| b.0.max(from) < b.1.min(closed))
    }

    fn turn(&mut self, now: Ms, state: InstanceState) {
        self.state = state;
        self.history.push((now, state));
    }

    fn go(&mut self, now: Ms, through: InstanceState, takes: Ms, to: InstanceState) {
        self.turn(now, through);
        self.turns = vec![(now + takes, to)];
    }

    /// True when it was seen in `state` since `from`.
    pub fn was(&self, state: InstanceState, from: Ms) -> bool {
        let mut until = Ms::MAX;
        for (since, s) in self.history.iter().rev() {
            if *s == state && until >= from {
                return true;
            }
            until = *since;
        }
        false
    }
}

/// A change that really happened.
#[derive(Clone, Debug)]
pub struct Effect {
    pub at: Ms,
    pub process: usize,
    pub run: String,
    pub id: Arc<str>,
    /// The life that it was in when it happened.
    pub life: Ms,
    pub what: &'static str,
}

#[derive(Default)]
pub struct Cloud {
    pub boxes: Vec<Machine>,
    pub groups: Vec<Group>,
    pub effects: Vec<Effect>,
    /// The way a call fails on a protected member: true for EC2's (nothing in that zone is
    /// terminated), false for moto's (those before it in the list are).
    pub whole_zone_fails: bool,
    /// The longest that a transition takes.
    pub slowest: Ms,
    /// Auto Scaling lets a group go below its minimum. The real one refuses; what keeps two operators
    /// from it must not rest on that.
    pub lets_groups_shrink: bool,
}

impl Cloud {
    pub fn find(&self, id: &str) -> Option<usize> {
        self.boxes.iter().position(|b| &*b.id == id)
    }
}

/// A write call on its way.
pub struct Request {
    pub process: usize,
    pub run: String,
    pub scope: Scope,
    pub az: Arc<str>,
    pub via: ActApi,
    pub verb: Verb,
    pub ids: Vec<Arc<str>>,
    pub fault: CallFault,
    pub reply: Arc<std::sync::Mutex<Option<Reply>>>,
}

pub type Reply = Result<Vec<(Arc<str>, InstanceState)>, SourceError>;

/// Lets states turn whose time has come.
pub fn apply_due_turns(world: &mut World) {
    let now = world.now;
    for b in &mut world.cloud.boxes {
        while let Some(&(at, to)) = b.turns.first()
            && at <= now
        {
            b.turns.remove(0);
            b.turn(at, to);
        }
    }
}

/// What somebody else does.
pub fn somebody(world: &mut World, deed: &Deed) {
    let now = world.now;
    let takes = world.rng.i64(5 * SECOND..MINUTE);
    let hit = match deed.what {
        What::Protect => "gets protected",
        What::Exempt => "gets exempted",
        What::Relaunch => "stopped and started by somebody",
        What::ChangeType => "type changed by somebody",
        What::Terminate => "terminated by somebody",
        What::Stop => "stopped by somebody",
        What::LoseTelemetry => "telemetry lost",
    };
    let b = &mut world.cloud.boxes[deed.index];
    let living =
        !b.leaving && !matches!(b.state, InstanceState::ShuttingDown | InstanceState::Terminated);
    if !living {
        return;
    }
    match deed.what {
        What::Protect => {
            b.termination_protected = true;
            b.stop_protected = true;
            b.scale_in_protected = b.group.is_some();
        }
        What::Exempt => b.set_tag("burntop:exempt", Some("true".into())),
        What::Relaunch | What::ChangeType => {
            // Stop and start in one: what counts is the new life.
            b.launched_at = now / 1000 * 1000;
            if deed.what == What::ChangeType {
                b.kind = (b.kind + 1) % KINDS.len();
            }
            b.turn(now, InstanceState::Stopped);
            b.go(now, InstanceState::Pending, takes, InstanceState::Running);
        }
        What::Terminate => b.go(now, InstanceState::ShuttingDown, takes, InstanceState::Terminated),
        What::Stop => {
            if matches!(b.state, InstanceState::Running | InstanceState::Pending) {
                b.go(now, InstanceState::Stopping, takes, InstanceState::Stopped);
            }
        }
        // What was delivered stays delivered.
        What::LoseTelemetry => b.telemetry = Telemetry::LostFrom(now - DELIVERY),
    }
    let id = b.id.clone();
    world.counts.hit(hit);
    world.note(|| format!("{id} {hit}"));
}

/// A request reaches the service.
pub fn arrive(world: &mut World, request: &Request) {
    if request.fault == CallFault::Denied || !request.fault.acts() {
        *request.reply.lock().unwrap() = Some(Err(error(request.fault)));
        return;
    }
    let answer = carry_out(world, request);
    world.note(|| format!("service answers {answer:?}"));
    let reply = if request.fault == CallFault::None { answer } else { Err(error(request.fault)) };
    *request.reply.lock().unwrap() = Some(reply);
}

fn error(fault: CallFault) -> SourceError {
    let kind = match fault {
        CallFault::Throttled => ErrorKind::Throttled,
        CallFault::ResetBefore | CallFault::ResetAfter => ErrorKind::Network,
        CallFault::Denied => ErrorKind::Denied,
        CallFault::ServerErrorBefore | CallFault::ServerErrorAfter => ErrorKind::Other,
        _ => ErrorKind::Timeout,
    };
    SourceError::new(kind, "act", fault.name(), "")
}

fn refused(kind: ErrorKind, text: &str) -> SourceError {
    SourceError::new(kind, "act", text, "")
}

fn carry_out(world: &mut World, request: &Request) -> Reply {
    let mut indices = Vec::new();
    for id in &request.ids {
        let found = world.cloud.find(id).filter(|&i| {
            !world.cloud.boxes[i].forgotten && world.cloud.boxes[i].scope == request.scope
        });
        let Some(index) = found else {
            // One unknown id and nothing is done.
            return Err(refused(ErrorKind::Other, &format!("InvalidInstanceID.NotFound: {id}")));
        };
        indices.push(index);
    }
    match &request.via {
        ActApi::AutoScaling { group, decrement } => {
            let mut states = Vec::new();
            for index in indices {
                states.push(leave_group(world, request, index, group, *decrement)?);
            }
            Ok(states)
        }
        ActApi::Ec2 => ec2(world, request, &indices),
    }
}

fn effect(world: &mut World, request: &Request, index: usize, what: &'static str) {
    let b = &world.cloud.boxes[index];
    let effect = Effect {
        at: world.now,
        process: request.process,
        run: request.run.clone(),
        id: b.id.clone(),
        life: b.launched_at,
        what,
    };
    *world.counts.effects.entry(what).or_default() += 1;
    judge::effect(world, request, index, &effect);
    world.note(|| format!("{} {what}", effect.id));
    world.cloud.effects.push(effect);
}

fn ec2(world: &mut World, request: &Request, indices: &[usize]) -> Reply {
    if let Some(error) = obstacle(world, &request.verb, indices) {
        world.counts.hit("a member of the call is protected");
        if world.cloud.whole_zone_fails {
            world.counts.hit("protected member, the zone's call fails");
            return Err(error);
        }
        world.counts.hit("protected member, those before it are done");
        for &index in indices {
            if obstacle(world, &request.verb, &[index]).is_some() {
                break;
            }
            ec2_one(world, request, index);
        }
        return Err(error);
    }
    let mut states = Vec::new();
    for &index in indices {
        ec2_one(world, request, index);
        states.push((world.cloud.boxes[index].id.clone(), world.cloud.boxes[index].state));
    }
    Ok(states)
}

fn obstacle(world: &World, verb: &Verb, indices: &[usize]) -> Option<SourceError> {
    use InstanceState::{Running, ShuttingDown, Stopped, Stopping, Terminated};
    for &index in indices {
        let b = &world.cloud.boxes[index];
        let text = match verb {
            Verb::Terminate { .. } if b.termination_protected && b.state != Terminated => {
                "OperationNotPermitted: disableApiTermination"
            }
            Verb::Stop if b.stop_protected => "OperationNotPermitted: disableApiStop",
            Verb::Stop if b.spot == Some(false) || !b.ebs_root => "UnsupportedOperation",
            Verb::Stop if !matches!(b.state, Running | Stopping | Stopped) => {
                "IncorrectInstanceState"
            }
            Verb::Start if !matches!(b.state, Stopped | Running) => "IncorrectInstanceState",
            Verb::Mark { .. } | Verb::Remind | Verb::Unmark if b.state == Terminated => {
                "InvalidInstanceID.NotFound"
            }
            Verb::Terminate { .. } if b.state == ShuttingDown => continue,
            _ => continue,
        };
        let text = format!("{text}: {}", b.id);
        return Some(refused(ErrorKind::Other, &text));
    }
    None
}

fn ec2_one(world: &mut World, request: &Request, index: usize) {
    use InstanceState::{Pending, Running, ShuttingDown, Stopped, Stopping, Terminated};
    let now = world.now;
    let takes = takes(world);
    let state = world.cloud.boxes[index].state;
    match &request.verb {
        Verb::Terminate { .. } if !matches!(state, ShuttingDown | Terminated) => {
            effect(world, request, index, "terminated");
            world.cloud.boxes[index].go(now, ShuttingDown, takes, Terminated);
        }
        Verb::Stop if state == Running => {
            effect(world, request, index, "stopped");
            world.cloud.boxes[index].go(now, Stopping, takes, Stopped);
        }
        Verb::Start if state == Stopped => {
            effect(world, request, index, "started");
            let b = &mut world.cloud.boxes[index];
            b.launched_at = now / 1000 * 1000;
            b.go(now, Pending, takes, Running);
        }
        Verb::Mark { expires, .. } => {
            effect(world, request, index, "marked");
            world.cloud.boxes[index].set_tag(EXPIRES_TAG, Some(expires.to_string()));
        }
        Verb::Remind => {
            effect(world, request, index, "reminded");
            world.cloud.boxes[index].set_tag(REMINDED_TAG, Some(stamp(now).to_string()));
        }
        Verb::Unmark => {
            effect(world, request, index, "unmarked");
            world.cloud.boxes[index].set_tag(EXPIRES_TAG, None);
        }
        _ => {}
    }
}

fn takes(world: &mut World) -> Ms {
    let slowest = world.cloud.slowest.max(6 * SECOND);
    match world.rng.u8(0..100) {
        // Stuck: AWS knows such instances.
        0 => 6 * HOUR,
        _ => world.rng.i64(2 * SECOND..slowest),
    }
}

/// Auto Scaling's own termination. The worse case is assumed where the documentation is silent: a
/// second request for a member that is on its way out takes another one off what is wanted.
fn leave_group(
    world: &mut World,
    request: &Request,
    index: usize,
    group: &str,
    decrement: bool,
) -> Result<(Arc<str>, InstanceState), SourceError> {
    let now = world.now;
    let takes = takes(world);
    let b = &world.cloud.boxes[index];
    let id = b.id.clone();
    let member = b.group.filter(|&g| &*world.cloud.groups[g].name == group);
    let Some(g) = member.filter(|_| b.state != InstanceState::Terminated) else {
        let text = format!("ValidationError: {id} is not part of an Auto Scaling group");
        return Err(refused(ErrorKind::Other, &text));
    };
    let leaving = b.leaving || b.state == InstanceState::ShuttingDown;
    // Lifecycle hooks: EC2 shows nothing of it for a while.
    let hook = if world.rng.bool() { 0 } else { world.rng.i64(0..2 * MINUTE) };
    if decrement {
        let too_few = world.cloud.groups[g].desired <= world.cloud.groups[g].min;
        if too_few && !world.cloud.lets_groups_shrink {
            let text = "ValidationError: would violate the group's min size constraint";
            return Err(refused(ErrorKind::Other, text));
        }
        effect(world, request, index, "decremented");
        world.cloud.groups[g].desired = world.cloud.groups[g].desired.saturating_sub(1);
        world.cloud.boxes[index].decrements += 1;
    }
    if !leaving {
        effect(world, request, index, "terminated by its group");
        let b = &mut world.cloud.boxes[index];
        b.leaving = true;
        b.turns = vec![
            (now + hook, InstanceState::ShuttingDown),
            (now + hook + takes, InstanceState::Terminated),
        ];
    }
    Ok((id, world.cloud.boxes[index].state))
}

/// What the executor does with an order, bugs included.
pub fn orders(world: &mut World, request: &mut Request) -> usize {
    match world.bug {
        Some(Bug::CallsTwice) => 2,
        Some(Bug::BlindRetry) if request.fault != CallFault::None => 2,
        Some(Bug::ClaimsSuccess) => 0,
        Some(Bug::WrongApi) => {
            request.via = ActApi::Ec2;
            1
        }
        Some(Bug::ExtraInstance) => {
            let other = world.cloud.boxes.iter().find(|b| {
                b.scope == request.scope && b.az == request.az && !request.ids.contains(&b.id)
            });
            request.ids.extend(other.map(|b| b.id.clone()));
            1
        }
        _ => 1,
    }
}
