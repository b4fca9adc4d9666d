//! A cloud in memory, and a bench with an operator on it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::act::exec::audit::memory::MemoryDisk;
use crate::act::exec::audit::{Body, Journal, Line};
use crate::act::exec::{AccountAccess, Executor, Operator, Patience, Receipt};
use crate::act::plan::fixture::{self, ACCOUNT, ARN};
use crate::act::plan::{
    ActApi, Answer, Confirmed, EXPIRES_TAG, Order, Outcome, OutcomeKind, PlanItem, REMINDED_TAG,
    Rules, Verb, Verified,
};
use crate::domain::{
    ErrorKind, GroupFact, Inspection, Instance, InstanceState, Known, Recent, Scope, Signal,
    SourceError, Tags,
};
use crate::source::inspect::{Inspector, Seen};
use crate::source::provider::Identity;

/// How a call goes.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// As asked.
    Accept,
    /// Accepted, and nothing happens.
    Lie,
    /// Accepted and done, and the answer gets lost.
    DoneThen(ErrorKind),
    /// Nothing happens but an error.
    Fail(ErrorKind),
    /// Done for the first instance alone, then an error.
    FirstThen(ErrorKind),
    /// A protection went on in the last moment: the zone's call fails whole.
    Protected(&'static str),
    /// An instance went away in the last moment: none is touched.
    Vanished(&'static str),
    Pretend,
    Hang,
    Panic,
}

#[derive(Clone)]
pub struct Machine {
    pub inspection: Inspection,
    pub recent: Known<Recent>,
    /// Looks at its state until it arrives where it goes.
    pub slow: u32,
}

impl Machine {
    pub fn instance(&mut self) -> &mut Instance {
        Arc::make_mut(self.inspection.instance.as_mut().unwrap().as_mut().unwrap())
    }
}

pub struct State {
    pub machines: BTreeMap<Arc<str>, Machine>,
    pub fates: VecDeque<Fate>,
    /// Instances of each call.
    pub calls: Vec<Vec<Arc<str>>>,
    /// How often each member's group was asked to want one less.
    pub decrements: BTreeMap<Arc<str>, u32>,
    pub arn: Result<&'static str, ErrorKind>,
    pub states_fail: Option<ErrorKind>,
    pub inspect_fails: bool,
    pub denied: Vec<Arc<str>>,
    pub permission_calls: u32,
    pub recents: u32,
    pub hang: &'static str,
    /// What somebody else writes into the log while we look.
    pub meddler: Vec<Body>,
    /// Seconds that the clock went on.
    pub seconds: i64,
}

pub struct Cloud {
    state: Mutex<State>,
    journal: Journal,
}

impl Cloud {
    pub fn get(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn change(&self, id: &str, change: impl FnOnce(&mut Machine)) {
        change(self.get().machines.get_mut(id).unwrap());
    }

    pub fn state_of(&self, id: &str) -> InstanceState {
        self.get().machines.get_mut(id).unwrap().instance().state
    }
}

fn error(kind: ErrorKind) -> SourceError {
    SourceError::new(kind, "ec2:Test", "as scripted", "")
}

fn apply(state: &mut State, order: &Order, id: &Arc<str>) {
    if let ActApi::AutoScaling { decrement: true, .. } = order.via() {
        *state.decrements.entry(id.clone()).or_default() += 1;
    }
    let machine = state.machines.get_mut(id).unwrap();
    if let (ActApi::AutoScaling { .. }, Ok(Some(group))) =
        (order.via(), &mut machine.inspection.group)
    {
        group.lifecycle = "Terminating".into();
    }
    let tags = |instance: &mut Instance, key: &str, value: Option<String>| {
        let kept = instance.tags.iter().filter(|(k, _)| *k != key);
        let kept = kept.map(|(k, v)| (k.to_owned(), v.to_owned()));
        instance.tags = Tags::from_raw(kept.chain(value.map(|v| (key.to_owned(), v))));
    };
    let instance = machine.instance();
    match order.verb() {
        Verb::Stop => instance.state = InstanceState::Stopping,
        Verb::Terminate { .. } => instance.state = InstanceState::ShuttingDown,
        Verb::Start => {
            instance.state = InstanceState::Pending;
            instance.launched_at = fixture::now();
        }
        Verb::Mark { expires, .. } => tags(instance, EXPIRES_TAG, Some(expires.to_string())),
        Verb::Remind => tags(instance, REMINDED_TAG, Some(fixture::now().to_string())),
        Verb::Unmark => tags(instance, EXPIRES_TAG, None),
    }
}

#[async_trait::async_trait]
impl Inspector for Cloud {
    async fn caller(&self) -> Result<Identity, SourceError> {
        let arn = self.get().arn.map_err(error)?;
        Ok(Identity { account: ACCOUNT.into(), arn: arn.into(), label: "test".into() })
    }

    async fn inspect(&self, _: &Scope, ids: &[Arc<str>]) -> Vec<Inspection> {
        if self.get().hang == "inspect" {
            std::future::pending::<()>().await;
        }
        let state = self.get();
        let look = |id: &Arc<str>| match state.machines.get(id) {
            _ if state.inspect_fails => Inspection {
                id: id.clone(),
                instance: fixture::error("ec2:DescribeInstances"),
                ..fixture::inspection()
            },
            Some(machine) => machine.inspection.clone(),
            None => Inspection { id: id.clone(), instance: Ok(None), ..fixture::inspection() },
        };
        ids.iter().map(look).collect()
    }

    async fn recent(
        &self,
        _: &Scope,
        instances: &[(Arc<Instance>, u32)],
        _: Timestamp,
        _: Timestamp,
    ) -> Vec<Known<Recent>> {
        self.get().recents += 1;
        // Others have their turn while we look.
        tokio::task::yield_now().await;
        let meddler = std::mem::take(&mut self.get().meddler);
        for body in meddler {
            self.journal.append(fixture::now(), body).unwrap();
        }
        if self.get().hang == "recent" {
            std::future::pending::<()>().await;
        }
        let state = self.get();
        instances.iter().map(|(i, _)| state.machines[&i.id].recent.clone()).collect()
    }

    async fn states(&self, _: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError> {
        let mut state = self.get();
        if let Some(kind) = state.states_fail {
            return Err(error(kind));
        }
        let see = |id: &Arc<str>| {
            let Some(machine) = state.machines.get_mut(id) else {
                let tags = Tags::default();
                return Seen { id: id.clone(), state: None, launched_at: None, tags };
            };
            let slow = machine.slow;
            machine.slow = slow.saturating_sub(1);
            let instance = machine.instance();
            if slow == 0 {
                instance.state = match instance.state {
                    InstanceState::Stopping => InstanceState::Stopped,
                    InstanceState::ShuttingDown => InstanceState::Terminated,
                    InstanceState::Pending => InstanceState::Running,
                    state => state,
                };
            }
            Seen {
                id: id.clone(),
                state: Some(instance.state),
                launched_at: Some(instance.launched_at),
                tags: instance.tags.clone(),
            }
        };
        Ok(ids.iter().map(see).collect())
    }
}

#[async_trait::async_trait]
impl Executor for Cloud {
    fn name(&self) -> &'static str {
        "live"
    }

    async fn permitted(&self, _: &Scope, _: &Verb, ids: &[Arc<str>]) -> Result<(), SourceError> {
        let mut state = self.get();
        state.permission_calls += 1;
        let is_denied = ids.iter().any(|id| state.denied.contains(id));
        if is_denied { Err(error(ErrorKind::Denied)) } else { Ok(()) }
    }

    async fn act(&self, order: &Order) -> Result<Receipt, SourceError> {
        // The rule of the house: what is about to happen is on disk, exactly.
        let last = self.journal.read().unwrap().pop().expect("an intent");
        let Body::Intent { rows, verb, via, .. } = last.body else { panic!("{:?}", last.body) };
        let named: Vec<Arc<str>> = rows.iter().map(|row| row.item.id.clone()).collect();
        assert_eq!((named.as_slice(), &verb, &via), (order.ids(), order.verb(), order.via()));
        let fate = {
            let mut state = self.get();
            state.calls.push(order.ids().to_vec());
            state.fates.pop_front().unwrap_or(Fate::Accept)
        };
        if matches!(fate, Fate::Hang) {
            std::future::pending::<()>().await;
        }
        let mut state = self.get();
        let done = match fate {
            Fate::Accept | Fate::DoneThen(_) => order.ids().len(),
            Fate::FirstThen(_) => 1,
            _ => 0,
        };
        order.ids().iter().take(done).for_each(|id| apply(&mut state, order, id));
        match fate {
            Fate::DoneThen(kind) | Fate::Fail(kind) | Fate::FirstThen(kind) => Err(error(kind)),
            Fate::Protected(id) => {
                let machine = state.machines.get_mut(id).unwrap();
                machine.inspection.termination_protection = Ok(true);
                machine.inspection.stop_protection = Ok(true);
                Err(error(ErrorKind::Denied))
            }
            Fate::Vanished(id) => {
                state.machines.remove(id);
                Err(error(ErrorKind::Other))
            }
            Fate::Panic => {
                drop(state);
                panic!("a defect")
            }
            fate => Ok(Receipt {
                request_ids: vec![format!("req-{}", state.calls.len())],
                states: Vec::new(),
                pretended: matches!(fate, Fate::Pretend),
            }),
        }
    }
}

/// An operator on a cloud of machines that every guard lets pass.
pub struct Bench {
    pub cloud: Arc<Cloud>,
    pub disk: MemoryDisk,
    pub op: Operator,
    pub items: Vec<PlanItem>,
}

pub const IDS: [&str; 3] = ["i-0aaaaaaaaaaaaaaa1", "i-0aaaaaaaaaaaaaaa2", "i-0aaaaaaaaaaaaaaa3"];

pub fn rules() -> Rules {
    let mut rules = fixture::rules();
    rules.caps.max_instances = 1_000;
    rules.caps.max_fleet_percent = 100.0;
    rules
}

pub fn journal(disk: &MemoryDisk) -> Journal {
    Journal::new(Arc::new(disk.clone()))
}

/// Milliseconds where the real one takes seconds. Answers in memory are there at once, so nothing
/// here is late unless it hangs, however slow the machine is.
pub const HASTE: Patience = Patience {
    look: Duration::from_millis(50),
    call: Duration::from_millis(50),
    attempts: 3,
    back_off: Duration::from_millis(1),
    poll: Duration::from_millis(1),
    poll_at_most: Duration::from_millis(4),
    visible_within: Duration::from_millis(40),
    snapshot_within: Duration::from_millis(40),
};

pub fn operator(cloud: &Arc<Cloud>, disk: &MemoryDisk) -> Operator {
    let seen = cloud.clone();
    let clock = move || fixture::now() + SignedDuration::from_secs(seen.get().seconds);
    let op = Operator::new(rules(), Arc::new(journal(disk)), Arc::new(clock));
    let mut op = op.with_patience(HASTE);
    op.add(ACCOUNT.into(), AccountAccess { inspector: cloud.clone(), executor: cloud.clone() });
    op
}

/// A bench with machines of these ids.
pub fn bench(ids: &[&str], state: InstanceState) -> Bench {
    let disk = MemoryDisk::default();
    let machine = |id: &&str| {
        let fixture = fixture::passing(Verb::Stop).named(id);
        let (inspection, recent) = (fixture.inspection, fixture.recent);
        let mut machine = Machine { inspection, recent, slow: 1 };
        machine.instance().state = state;
        (Arc::from(*id), machine)
    };
    let state_of = State {
        machines: ids.iter().map(machine).collect(),
        fates: VecDeque::new(),
        calls: Vec::new(),
        decrements: BTreeMap::new(),
        arn: Ok(ARN),
        states_fail: None,
        inspect_fails: false,
        denied: Vec::new(),
        permission_calls: 0,
        recents: 0,
        hang: "",
        meddler: Vec::new(),
        seconds: 0,
    };
    let cloud = Arc::new(Cloud { state: Mutex::new(state_of), journal: journal(&disk) });
    let item = |id: &&str| PlanItem { id: (*id).into(), state, ..fixture::item() };
    let items = ids.iter().map(item).collect();
    Bench { op: operator(&cloud, &disk), cloud, disk, items }
}

pub fn running(ids: &[&str]) -> Bench {
    bench(ids, InstanceState::Running)
}

impl Bench {
    pub fn pass(&self, seconds: i64) {
        self.cloud.get().seconds += seconds;
    }

    pub fn will(&self, fates: &[Fate]) {
        self.cloud.get().fates = fates.iter().copied().collect();
    }

    /// Puts machines into an Auto Scaling group.
    pub fn group(&self, ids: &[&str]) {
        for id in ids {
            self.cloud.change(id, |m| {
                m.instance().tags = Tags::from_raw([("aws:autoscaling:groupName", "workers")]);
                m.inspection.group = Ok(Some(GroupFact {
                    name: "workers".into(),
                    min: 0,
                    desired: 9,
                    protected_from_scale_in: false,
                    lifecycle: "InService".into(),
                }));
            });
        }
    }

    /// Puts a machine and its row into another zone.
    pub fn zone(&mut self, id: &str, az: &str) {
        self.cloud.change(id, |m| m.instance().az = az.into());
        self.items.iter_mut().filter(|i| &*i.id == id).for_each(|i| i.az = az.into());
    }

    pub async fn confirm(&self, verb: Verb) -> Confirmed {
        let count = self.items.len();
        let plan = Arc::new(fixture::plan_of(verb.clone(), self.items.clone()));
        let checked = self.op.preflight(plan).await;
        let blocked: Vec<_> = checked.blocked().map(|r| r.reason().unwrap().clone()).collect();
        assert_eq!(blocked, []);
        let answer = Answer { typed: format!("{} {count}", verb.word()), ..Answer::default() };
        checked.confirm(&answer, checked.checked_at).unwrap()
    }

    pub async fn run(&self, verb: Verb) -> Verified {
        let confirmed = self.confirm(verb).await;
        let verified = self.op.execute(&confirmed, &|_| {}).await.unwrap();
        let ids = |v: &Verified| v.outcomes.iter().map(|o| o.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&verified), self.items.iter().map(|i| i.id.clone()).collect::<Vec<_>>());
        self.check_log();
        verified
    }

    pub fn lines(&self) -> Vec<Line> {
        journal(&self.disk).read().unwrap()
    }

    /// The chain holds, and every row of every intent has exactly one outcome.
    pub fn check_log(&self) {
        assert_eq!(journal(&self.disk).verify().unwrap().problems, []);
        let mut open: BTreeMap<(u64, Arc<str>), u32> = BTreeMap::new();
        for line in self.lines() {
            match line.body {
                Body::Intent { rows, .. } => {
                    open.extend(rows.iter().map(|row| ((line.seq, row.item.id.clone()), 0)));
                }
                Body::Outcome { intent, outcomes, .. } => {
                    for outcome in outcomes {
                        *open.get_mut(&(intent, outcome.id)).unwrap() += 1;
                    }
                }
                _ => {}
            }
        }
        assert!(open.values().all(|n| *n == 1), "{open:?}");
    }

    pub fn calls(&self) -> Vec<Vec<String>> {
        let calls = self.cloud.get().calls.clone();
        calls.into_iter().map(|ids| ids.iter().map(ToString::to_string).collect()).collect()
    }
}

pub fn kinds(outcomes: &[Outcome]) -> Vec<OutcomeKind> {
    outcomes.iter().map(|o| o.kind).collect()
}

/// What a machine does that works.
pub fn busy(machine: &mut Machine) {
    let recent = machine.recent.as_mut().unwrap();
    for series in recent.series.iter_mut().filter(|s| s.signal == Signal::GpuMax(1)) {
        series.points.last_mut().unwrap().1 = 97.0;
    }
}
