//! The worker with a valuer that does as it is told.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::queue::RequestQueue;
use super::work::{Threads, Valuer, Work};
use crate::whatif::{
    Answer, Demand, DemandOrigin, FamilyInputs, Future, Lists, PlanAnswer, PlanRequest, Scenario,
    Slot, Stage, Valuation, Workers,
};

/// Long enough for any machine; nothing waits for it where all is well.
const PATIENCE: Duration = Duration::from_mins(1);

fn demand() -> Arc<Demand> {
    Arc::new(Demand {
        origin: DemandOrigin::History,
        start: jiff::Timestamp::UNIX_EPOCH,
        families: Vec::new(),
        notes: Vec::new(),
    })
}

/// Named after what the valuer is to do, with a family of its own where it is to differ.
fn scenario(name: &str) -> Arc<Scenario> {
    let families = vec![FamilyInputs { name: "a".into(), ..FamilyInputs::default() }];
    Arc::new(Scenario { name: name.into(), families, ..Scenario::default() })
}

/// A gate that a valuer stands before until it is opened.
#[derive(Default)]
struct Gate(Mutex<(bool, bool)>, Condvar);

impl Gate {
    fn enter(&self) {
        let mut state = self.0.lock().unwrap();
        state.0 = true;
        self.1.notify_all();
        while !state.1 {
            state = self.1.wait(state).unwrap();
        }
    }

    fn wait_for_somebody(&self) {
        let mut state = self.0.lock().unwrap();
        while !state.0 {
            state = self.1.wait(state).unwrap();
        }
    }

    fn open(&self) {
        self.0.lock().unwrap().1 = true;
        self.1.notify_all();
    }
}

static GATE: Gate = Gate(Mutex::new((false, false)), Condvar::new());

struct Fake {
    scenario: Scenario,
    costs: Vec<f64>,
}

impl Valuer for Fake {
    type Kept = ();

    fn new(_: &Arc<Demand>, scenario: &Scenario) -> Result<Self, String> {
        let mut fake = Self { scenario: scenario.clone(), costs: Vec::new() };
        fake.set(scenario)?;
        Ok(fake)
    }

    fn set(&mut self, scenario: &Scenario) -> Result<(), String> {
        if scenario.name == "refused" {
            return Err("refused".into());
        }
        self.scenario = scenario.clone();
        Ok(())
    }

    fn answer(
        &mut self,
        stage: Stage,
        (): &mut (),
        _: &dyn Workers,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, String> {
        match &*self.scenario.name {
            "panics" => panic!("as it was told"),
            "waits" if stage == Stage::Whole => GATE.enter(),
            _ => {}
        }
        let _ = stop();
        let base = self.scenario.name.len() as f64;
        self.costs = vec![base, base + 1.0];
        Ok(Answer {
            stage,
            paths: 2,
            weeks: 1,
            total: Valuation { mean_usd: base, ..Valuation::default() },
            families: Vec::new(),
            lists: Lists::default(),
            advised: None,
            tornado: Vec::new(),
            calendar: Vec::new(),
        })
    }

    fn costs(&self) -> &[f64] {
        &self.costs
    }
}

/// A worker on a thread of its own, its queue and its answers.
struct Running {
    queue: Arc<RequestQueue>,
    answers: Receiver<PlanAnswer>,
    thread: Option<std::thread::JoinHandle<()>>,
    demand: Arc<Demand>,
}

impl Running {
    fn start() -> Self {
        let queue = Arc::new(RequestQueue::default());
        let (send, answers) = channel();
        let here = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            let send = move |answer| send.send(answer).unwrap();
            Work::<Fake>::new(&here, &send, Threads(2)).run();
        });
        Self { queue, answers, thread: Some(thread), demand: demand() }
    }

    fn ask(&self, generation: u64, slot: Slot, name: &str) {
        let demand = Arc::clone(&self.demand);
        let scenario = scenario(name);
        assert!(self.queue.ask(PlanRequest { generation, slot, demand, scenario }));
    }

    fn next(&self) -> PlanAnswer {
        self.answers.recv_timeout(PATIENCE).unwrap()
    }

    /// Generation, slot and stage of the next answer.
    fn key(&self) -> (u64, Slot, Stage) {
        let answer = self.next();
        (answer.generation, answer.slot, answer.result.unwrap().stage)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[test]
fn an_answer_comes_in_stages() {
    let running = Running::start();
    running.ask(7, Slot::B, "plain");
    for stage in [Stage::Quick, Stage::Settled, Stage::Whole] {
        assert_eq!(running.key(), (7, Slot::B, stage));
    }
    running.queue.close();
    assert!(!running.queue.ask(PlanRequest {
        generation: 8,
        slot: Slot::A,
        demand: demand(),
        scenario: scenario("late")
    }));
}

#[test]
fn what_is_outdated_is_never_said_and_a_quick_answer_overtakes() {
    let running = Running::start();
    running.ask(1, Slot::A, "waits");
    assert_eq!(running.key(), (1, Slot::A, Stage::Quick));
    assert_eq!(running.key(), (1, Slot::A, Stage::Settled));
    GATE.wait_for_somebody();
    // While it computes everything, others ask: the same slot and another one.
    running.ask(2, Slot::A, "plain");
    running.ask(3, Slot::A, "plainer");
    running.ask(4, Slot::B, "other");
    GATE.open();
    let keys: Vec<_> = (0..6).map(|_| running.key()).collect();
    let want = [
        (4, Slot::B, Stage::Quick),
        (3, Slot::A, Stage::Quick),
        (4, Slot::B, Stage::Settled),
        (3, Slot::A, Stage::Settled),
        (4, Slot::B, Stage::Whole),
        (3, Slot::A, Stage::Whole),
    ];
    assert_eq!(keys, want);
}

#[test]
fn a_panic_and_a_refusal_end_one_answer_and_no_more() {
    let running = Running::start();
    running.ask(1, Slot::A, "panics");
    let answer = running.next();
    assert_eq!(answer.generation, 1);
    assert!(answer.result.unwrap_err().contains("burntop's own"));
    running.ask(2, Slot::A, "refused");
    assert_eq!(running.next().result.unwrap_err(), "refused");
    running.ask(3, Slot::A, "plain");
    assert_eq!(running.key(), (3, Slot::A, Stage::Quick));
    assert_eq!(running.key(), (3, Slot::A, Stage::Settled));
    running.ask(4, Slot::A, "refused");
    // What was left of the third may still come.
    let refused = std::iter::repeat_with(|| running.next()).find(|a| a.generation == 4).unwrap();
    assert_eq!(refused.result.unwrap_err(), "refused");
    running.ask(5, Slot::A, "plain");
    assert_eq!(running.key(), (5, Slot::A, Stage::Quick));
}

#[test]
fn settled_slots_are_compared_with_the_earlier_letter_as_base() {
    let running = Running::start();
    running.ask(1, Slot::B, "longer name");
    (0..3).for_each(|_| drop(running.next()));
    running.ask(2, Slot::A, "short");
    assert_eq!(running.next().comparisons, [], "a quick answer is compared with nothing");
    let settled = running.next();
    let [found] = &settled.comparisons[..] else { unreachable!("{settled:?}") };
    assert_eq!((found.base, found.other, found.generations), (Slot::A, Slot::B, [2, 1]));
    assert_eq!((found.result.mean_usd, found.result.cheaper), (6.0, 0.0));
}

#[test]
fn other_futures_are_not_compared() {
    let running = Running::start();
    running.ask(1, Slot::A, "one");
    (0..3).for_each(|_| drop(running.next()));
    let other =
        Scenario { future: Future { seed: 9, ..Future::default() }, ..(*scenario("b")).clone() };
    let demand = Arc::clone(&running.demand);
    running.queue.ask(PlanRequest {
        generation: 2,
        slot: Slot::B,
        demand,
        scenario: Arc::new(other),
    });
    assert!((0..3).all(|_| running.next().comparisons.is_empty()));
}

#[test]
fn pieces_are_done_once_each_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        for pieces in [0, 1, 2, 100] {
            let done: Vec<_> = (0..pieces).map(|_| std::sync::atomic::AtomicU32::new(0)).collect();
            Threads(threads).each(pieces, &|piece| {
                done[piece].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            });
            assert!(done.iter().all(|d| d.load(std::sync::atomic::Ordering::Relaxed) == 1));
        }
    }
}
