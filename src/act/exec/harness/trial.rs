//! One trial: a fleet, one or two operators, whatever goes wrong, restarts, and the verdict.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::cloud::{Machine, Telemetry};
use super::counts::Counts;
use super::disk::SimDisk;
use super::faults::{Bug, Fuse, Rates};
use super::ports::SimAccount;
use super::world::{Deed, Event, HOUR, MINUTE, Ms, SECOND, Shared, Task, What, World, stamp};
use super::{fleet, judge};
use crate::act::exec::audit::Journal;
use crate::act::exec::{AccountAccess, Executor, Operator, Refuse};
use crate::act::plan::{Answer, OutcomeKind, Plan, Rules, Verb};
use crate::source::inspect::Inspector;

/// 2026-03-02T12:00:00Z, where trials begin, give or take a day.
const START: Ms = 1_772_452_800_000;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Session {
    /// Armed, with an executor that acts.
    Armed,
    /// The rules allow it and the executor is the one of a read-only session.
    ReadOnlyExecutor,
    /// There is an executor that acts, and the rules forbid.
    ForbiddenByRules,
}

/// What became of a trial.
pub struct Report {
    pub counts: Counts,
    pub violations: Vec<String>,
    pub trace: Vec<String>,
}

/// Plays a trial.
pub fn play(seed: u64, session: Session, bug: Option<Bug>) -> Report {
    let mut rng = fastrand::Rng::with_seed(seed);
    let now = START + rng.i64(0..24 * HOUR);
    let rates = if bug.is_some() && rng.bool() { Rates::NONE } else { Rates::weather(&mut rng) };
    let mut world = World::new(rng.u64(..), now, rates, bug);
    world.cloud = fleet::fleet(&mut rng, now);
    fleet::mark_some(&mut rng, &mut world.cloud, now);
    world.read_only = session != Session::Armed;
    let rules = fleet::rules(&mut rng, session != Session::ForbiddenByRules);
    world.max_instances = rules.caps.max_instances;
    deeds(&mut rng, &mut world);

    // Two who want members of the same group, of which one can be spared.
    let rush = !world.cloud.groups.is_empty() && rng.u8(0..8) == 0;
    let two = rush || rng.u8(0..100) < 35;
    let verb = if rush { Verb::Terminate { decrement: true } } else { fleet::verb(&mut rng, now) };
    let members = |b: &Machine| b.group == Some(0);
    let first = if rush {
        fleet::leave_one_to_spare(&mut world.cloud);
        fleet::plan_of(&mut rng, &world.cloud, verb.clone(), now, members)
    } else {
        fleet::plan(&mut rng, &world.cloud, verb.clone(), now)
    };
    let first = Arc::new(first);
    let second = if rush {
        Arc::new(fleet::plan_of(&mut rng, &world.cloud, verb, now, members))
    } else if rng.bool() {
        first.clone()
    } else {
        let verb = if rng.bool() { verb } else { fleet::verb(&mut rng, now) };
        Arc::new(fleet::plan(&mut rng, &world.cloud, verb, now))
    };
    let shared = Shared::new(world);
    let stage = Stage { world: shared.clone(), session, rules };

    let mut tasks = Vec::new();
    let p = shared.spawn(Fuse::draw(&mut rng));
    tasks.push(Task::new(p, stage.operate(p, first.clone(), rng.u64(..), 0)));
    if two {
        let p = shared.spawn(Fuse::draw(&mut rng));
        let delay = if rng.bool() { 0 } else { rng.i64(0..2 * MINUTE) };
        tasks.push(Task::new(p, stage.operate(p, second.clone(), rng.u64(..), delay)));
    }
    if rng.u8(0..10) < 3 {
        // Somebody starts burntop while the others are at it.
        let p = shared.spawn(Fuse::draw(&mut rng));
        tasks.push(Task::new(p, stage.reconcile(p, rng.i64(0..5 * MINUTE))));
    }
    shared.play(tasks);

    for _ in 0..rng.usize(0..4) {
        let pause = rng.i64(SECOND..10 * MINUTE);
        shared.lock().pass(pause);
        shared.lock().counts.restarts += 1;
        let p = shared.spawn(Fuse::draw(&mut rng));
        // Cron starts the same command again; a person first looks.
        let task = if rng.u8(0..3) == 0 {
            Task::new(p, stage.operate(p, first.clone(), rng.u64(..), 0))
        } else {
            Task::new(p, stage.reconcile(p, 0))
        };
        shared.play(vec![task]);
    }

    {
        let mut world = shared.lock();
        world.rates = Rates::NONE;
        world.counts.restarts += 1;
        world.pass(30 * MINUTE);
    }
    let p = shared.spawn(None);
    let failed = Mutex::new(None);
    shared.play(vec![Task::new(p, async {
        let operator = stage.operator(p);
        *failed.lock().unwrap() = Some(operator.reconcile().await.err().map(|e| e.to_string()));
    })]);
    let journal = Journal::new(Arc::new(SimDisk { world: shared.clone(), process: p }));
    let end = stamp(shared.lock().now);
    let chain = journal.recover(end).and_then(|_| journal.verify());
    let mut world = shared.lock();
    match failed.into_inner().unwrap() {
        Some(None) => {}
        other => world.violation("c", format!("the last reconciliation: {other:?}")),
    }
    match chain {
        Ok(chain) if chain.holds() => {}
        other => world.violation("c", format!("the chain does not verify: {other:?}")),
    }
    if bug != Some(Bug::DiskLies) {
        world.disk.write_back();
    }
    judge::last(&mut world);
    world.counts.trials = 1;
    Report {
        counts: std::mem::take(&mut world.counts),
        violations: std::mem::take(&mut world.violations),
        trace: std::mem::take(&mut world.trace),
    }
}

/// What others do meanwhile.
fn deeds(rng: &mut fastrand::Rng, world: &mut World) {
    if rng.u8(0..4) == 0 {
        return;
    }
    let size = world.cloud.boxes.len();
    for _ in 0..rng.usize(0..=size / 3) {
        let index = rng.usize(0..size);
        let what = match rng.u8(0..10) {
            0..=1 => What::Protect,
            2..=3 => What::Exempt,
            4..=5 => What::Relaunch,
            6 => What::ChangeType,
            7 => What::Terminate,
            8 => What::Stop,
            _ => What::LoseTelemetry,
        };
        if what == What::LoseTelemetry && world.cloud.boxes[index].telemetry != Telemetry::Fine {
            continue;
        }
        let when = world.now + rng.i64(0..6 * MINUTE);
        world.at(when, Event::Somebody(Deed { index, what }));
    }
}

struct Stage {
    world: Shared,
    session: Session,
    rules: Rules,
}

impl Stage {
    fn operator(&self, process: usize) -> Operator {
        let disk = Arc::new(SimDisk { world: self.world.clone(), process });
        let journal = Arc::new(Journal::new(disk));
        let mut operator = Operator::new(self.rules.clone(), journal, self.world.clock());
        for account in fleet::accounts() {
            let sim = Arc::new(SimAccount {
                world: self.world.clone(),
                process,
                account: account.clone(),
                first: Mutex::new(BTreeMap::new()),
            });
            let executor: Arc<dyn Executor> = match self.session {
                Session::ReadOnlyExecutor => Arc::new(Refuse),
                _ => sim.clone(),
            };
            let inspector: Arc<dyn Inspector> = sim;
            operator.add(account, AccountAccess { inspector, executor });
        }
        operator
    }

    async fn reconcile(&self, process: usize, delay: Ms) {
        self.world.nap(delay).await;
        if let Err(error) = self.operator(process).reconcile().await {
            self.error("reconcile", &error.to_string());
        }
    }

    async fn operate(&self, process: usize, plan: Arc<Plan>, seed: u64, delay: Ms) {
        let mut rng = fastrand::Rng::with_seed(seed);
        self.world.nap(delay).await;
        let operator = self.operator(process);
        if rng.bool()
            && let Err(error) = operator.reconcile().await
        {
            self.error("reconcile", &error.to_string());
        }
        self.world.lock().processes[process].plan = Some(plan.clone());
        let preflighted = operator.preflight(plan.clone()).await;
        {
            let mut world = self.world.lock();
            for row in preflighted.blocked() {
                let guard = row.reason().map_or("", |f| f.guard.name());
                *world.counts.blocked.entry(guard.to_owned()).or_default() += 1;
                world.note(|| format!("blocked {}: {:?}", row.item.id, row.reason()));
            }
        }
        // A person reads. Some take too long.
        let reads = [0..10, 0..100, 200..330][rng.usize(0..3)].clone();
        let time = rng.i64(reads) * SECOND;
        self.world.nap(time).await;
        let answer = Answer {
            typed: preflighted.challenge().typed.first().cloned().unwrap_or_default(),
            justification: if rng.u8(0..4) > 0 { "nobody uses it".into() } else { String::new() },
        };
        let now = stamp(self.world.lock().now);
        let confirmed = match preflighted.confirm(&answer, now) {
            Ok(confirmed) => confirmed,
            Err(error) => return self.error("confirm", &error.to_string()),
        };
        let waits = [0..2, 0..70][rng.usize(0..2)].clone();
        let time = rng.i64(waits) * SECOND;
        self.world.nap(time).await;
        {
            let mut world = self.world.lock();
            let rows: Vec<Arc<str>> = confirmed.rows().iter().map(|r| r.item.id.clone()).collect();
            world.counts.confirmed += rows.len() as u64;
            world.counts.runs += 1;
            let p = &mut world.processes[process];
            p.confirmed = rows.into_iter().collect();
            // What the preflight saw is no look at the last moment.
            p.observations.clear();
        }
        match operator.execute(&confirmed, &|_| {}).await {
            Err(error) => self.error("execute", &error.to_string()),
            Ok(verified) => {
                let mut world = self.world.lock();
                let told: Vec<_> = verified.outcomes.iter().map(|o| o.id.clone()).collect();
                let asked: Vec<_> = confirmed.rows().iter().map(|r| r.item.id.clone()).collect();
                if told != asked {
                    world.violation("c", format!("asked for {asked:?}, told of {told:?}"));
                }
                for outcome in &verified.outcomes {
                    let touched = world
                        .cloud
                        .effects
                        .iter()
                        .any(|e| e.run == verified.run_id && e.id == outcome.id);
                    let says_no =
                        matches!(outcome.kind, OutcomeKind::Failed | OutcomeKind::Refused);
                    if says_no && touched {
                        let (id, kind) = (&outcome.id, outcome.kind.word());
                        world.violation("e", format!("told that {id} {kind}"));
                    }
                }
            }
        }
    }

    fn error(&self, what: &str, error: &str) {
        let mut world = self.world.lock();
        world.note(|| format!("{what}: {error}"));
        let words = error.split_whitespace().filter(|w| !w.chars().any(|c| c.is_ascii_digit()));
        let short = words.take(9).collect::<Vec<_>>().join(" ");
        *world.counts.errors.entry(format!("{what}: {short}")).or_default() += 1;
    }
}
