//! Two real programs at once over one plan, one Auto Scaling group, one volume: released together by
//! a proxy that holds the same answer back from both until both wait for it. Judged by what the
//! emulator has in the end and by the audit log.
//!
//! `BURNTOP_SWEEP=1 cargo test --test e2e races -- --nocapture` lets them meet at every answer of a
//! run, instead of at a few around the call.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex, OnceLock, mpsc};
use std::time::Duration;

use burntop::parts::act::exec::audit::{Body, FileDisk, Journal};
use burntop::parts::act::plan::storage::{
    Matter, STORAGE_PLAN_SCHEMA, StorageItem, StoragePlan, StoragePlanFile, StorageVerb,
    VolumeMatter,
};
use burntop::parts::act::plan::{PlanFile, Verb};
use burntop::parts::domain::Scope;
use burntop::parts::domain::storage::VolumeKind;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;

use crate::committed::Committed;
use crate::fault::{Fault, Request, proxy_that_waits};
use crate::kills::{ACCOUNT, Endpoints, Instance, Server, approval, plan};
use crate::world::{DEAD, World};

/// Longer than any run takes: one that does not know whether a call arrived looks for ten minutes.
const LIMIT: Duration = Duration::from_mins(15);

fn server() -> &'static (Mutex<Server>, Endpoints) {
    // It ends with the process: when its standard input closes.
    static SERVER: OnceLock<(Mutex<Server>, Endpoints)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let (server, endpoints) = Server::start("races.py");
        (Mutex::new(server), endpoints)
    })
}

/// Asks the emulators' memory.
pub fn ask<T: DeserializeOwned>(line: &str) -> T {
    server().0.lock().unwrap().ask(line)
}

/// What a region really has.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Truth {
    /// State by instance.
    pub states: BTreeMap<String, String>,
    /// Instances that each Auto Scaling group wants.
    pub wanted: BTreeMap<String, i64>,
    pub volumes: Vec<String>,
    /// Volume and state of each.
    pub snapshots: Vec<(String, String)>,
}

pub fn truth(region: &str) -> Truth {
    ask(&format!("truth {region}"))
}

/// True when everything there is is to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("BURNTOP_SWEEP").is_some()
}

/// Emulators whose requests are decided on, and whose answers may wait.
pub fn world(
    decide: impl Fn(&Request) -> Fault + Send + Sync + 'static,
    before_answer: impl Fn(&Request) + Send + Sync + 'static,
) -> World {
    static COMMITTED: OnceLock<String> = OnceLock::new();
    let endpoints = &server().1;
    let ec2 = COMMITTED.get_or_init(|| Committed::default().before(&endpoints.moto));
    let rules = Arc::new((decide, before_answer));
    let through = |upstream: &str| {
        let (first, second) = (rules.clone(), rules.clone());
        proxy_that_waits(upstream, move |r| (first.0)(r), move |r| (second.1)(r)).forever()
    };
    World {
        ec2: through(ec2),
        cloudwatch: through(&endpoints.cloudwatch),
        pricing: DEAD.to_owned(),
        credentials: true,
    }
}

/// A home in which every cap is out of the way.
pub fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let config = "[actions]\nmax_instances = 50\nmax_fleet_percent = 100.0\n";
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    home
}

/// The program, not started yet.
pub fn command(world: &World, home: &Path, region: &str, args: &[&str]) -> Command {
    let config = home.join("config.toml");
    let common = ["--config", config.to_str().unwrap(), "--region", region, "--format", "json"];
    let mut command = world.command(home, &[args, &common].concat());
    command.env("AWS_ENDPOINT_URL", &world.ec2).stdin(Stdio::null());
    command
}

/// Runs it to its end, which has to come.
pub fn output(mut command: Command) -> Output {
    let (to, from) = mpsc::channel();
    let what = format!("{command:?}");
    std::thread::spawn(move || to.send(command.output()));
    from.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{what} does not end")).unwrap()
}

/// What is said of each row; nothing where the run ended before there was anything to say.
pub fn outcomes(output: &Output) -> BTreeMap<String, String> {
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return BTreeMap::new();
    };
    let text = |row: &Value, key: &str| row[key].as_str().map(str::to_owned);
    let rows = report["rows"].as_array().unwrap().iter();
    rows.map(|row| {
        let id = text(row, "instance_id").or_else(|| text(row, "id")).unwrap();
        (id, text(row, "outcome").unwrap())
    })
    .collect()
}

/// The exit code says what the rows say: 5 for one refused or failed, 3 for one not known.
#[track_caller]
pub fn check_exit(output: &Output) {
    let all = outcomes(output);
    let any = |kinds: &[&str]| all.values().any(|o| kinds.contains(&o.as_str()));
    let code = output.status.code().unwrap();
    let expected = match () {
        () if all.is_empty() => return assert_ne!(code, 0, "{output:?}"),
        () if any(&["refused", "failed"]) => 5,
        () if any(&["unknown"]) => 3,
        () => 0,
    };
    assert_eq!(code, expected, "{output:?}");
}

/// The log of a home holds, and every intent in it has an outcome for every row.
#[track_caller]
pub fn check_log(home: &Path) {
    let journal = Journal::new(Arc::new(FileDisk::new(home.join(".local/state/burntop/audit"))));
    assert_eq!(journal.verify().unwrap().problems, []);
    let mut open = Vec::new();
    for line in journal.read().unwrap() {
        match line.body {
            Body::Intent { rows, .. } => {
                open.extend(rows.iter().map(|r| (line.seq, r.item.id.clone())));
            }
            Body::StorageIntent { row, .. } => open.push((line.seq, row.item.id().clone())),
            Body::Outcome { intent, outcomes, .. } => {
                open.retain(|(seq, id)| *seq != intent || outcomes.iter().all(|o| o.id != *id));
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "no outcome for {open:?}");
}

/// Writes a plan for some of the instances of a fleet.
pub fn plan_file(dir: &Path, name: &str, chosen: &[Instance], fleet: usize, verb: Verb) -> PathBuf {
    let path = dir.join(name);
    let file: PlanFile = plan(chosen, fleet, verb);
    std::fs::write(&path, file.to_text()).unwrap();
    path
}

/// Writes a plan, drafted so many minutes ago, to delete a volume.
pub fn volume_file(dir: &Path, name: &str, volume: &Instance, minutes: i64) -> PathBuf {
    let path = dir.join(name);
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let created_at = now - SignedDuration::from_mins(minutes);
    let matter = VolumeMatter {
        id: volume.id.as_str().into(),
        name: "".into(),
        az: volume.az.as_str().into(),
        volume_type: VolumeKind::Gp2,
        size_gib: 20,
        iops: None,
        throughput_mibps: None,
        state: "available".into(),
        created_at: Some(volume.launched_at),
        target: None,
    };
    let plan = StoragePlan {
        schema: STORAGE_PLAN_SCHEMA.to_owned(),
        created_at,
        expires_at: created_at + SignedDuration::from_hours(12),
        verb: StorageVerb::DeleteVolume,
        justification: String::new(),
        items: vec![StorageItem {
            scope: Scope::new(ACCOUNT, volume.az.trim_end_matches(char::is_alphabetic)),
            matter: Matter::Volume(matter),
            usd_per_month: Some(2.0),
            price_basis: "list price".into(),
            production: false,
            environment: None,
        }],
    };
    let approvals = vec![approval(plan.hash())];
    std::fs::write(&path, StoragePlanFile { plan, approvals }.to_text()).unwrap();
    path
}

/// An answer of a run: what was asked for, and the how-manieth of its kind it is.
type Answer = (String, usize);

/// What the proxies before the two see, and where the two meet.
#[derive(Default)]
struct State {
    at: Option<Answer>,
    arrived: [bool; 2],
    ended: [bool; 2],
    /// Answers of each, in order.
    seen: [Vec<Answer>; 2],
    /// The calls that change something, and whose they are.
    writes: Vec<(usize, Request)>,
}

#[derive(Default)]
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

impl Meeting {
    fn answer(&self, who: usize, request: &Request) {
        let mut state = self.state.lock().unwrap();
        let kind = request.kind();
        let n = state.seen[who].iter().filter(|(seen, _)| *seen == kind).count();
        state.seen[who].push((kind.clone(), n));
        if state.at.as_ref() == Some(&(kind, n)) {
            state.arrived[who] = true;
            self.changed.notify_all();
        }
        // What is asked again because the answer is late waits as well.
        let alone = |s: &mut State| s.arrived[who] && !s.arrived[1 - who] && !s.ended[1 - who];
        drop(self.changed.wait_timeout_while(state, LIMIT, alone).unwrap());
    }

    fn end(&self, who: usize) {
        self.state.lock().unwrap().ended[who] = true;
        self.changed.notify_all();
    }
}

/// What came of a race.
struct Race {
    outputs: [Output; 2],
    writes: Vec<(usize, Request)>,
    met: bool,
    seen: Vec<Answer>,
}

impl Race {
    /// How often a call named this instance or volume.
    fn calls(&self, id: &str) -> usize {
        let named = |(_, r): &&(usize, Request)| r.body.split(['&', '=']).any(|part| part == id);
        self.writes.iter().filter(named).count()
    }

    /// How many of the two say this of a row.
    fn say(&self, id: &str, outcome: &str) -> usize {
        let says = |o: &&Output| outcomes(o).get(id).is_some_and(|o| o == outcome);
        self.outputs.iter().filter(says).count()
    }
}

/// Runs two at once, each with its plan and home; a single one where both plans are the same file
/// and nobody is to be met.
fn race(region: &str, files: [&Path; 2], homes: [&Path; 2], at: Option<Answer>) -> Race {
    let meeting = Arc::new(Meeting::default());
    meeting.state.lock().unwrap().at.clone_from(&at);
    let run = |who: usize| {
        let (first, second) = (meeting.clone(), meeting.clone());
        let decide = move |r: &Request| {
            if r.is_write() {
                first.state.lock().unwrap().writes.push((who, r.clone()));
            }
            Fault::Pass
        };
        let world = world(decide, move |r| second.answer(who, r));
        let args = ["apply", files[who].to_str().unwrap(), "--allow-actions"];
        let output = output(command(&world, homes[who], region, &args));
        meeting.end(who);
        output
    };
    let outputs = std::thread::scope(|scope| {
        let both = [0, 1].map(|who| scope.spawn(move || run(who)));
        both.map(|one| one.join().unwrap())
    });
    let mut state = meeting.state.lock().unwrap();
    let (writes, met) = (std::mem::take(&mut state.writes), state.arrived == [true; 2]);
    let seen = std::mem::take(&mut state.seen[0]);
    drop(state);
    outputs.iter().for_each(check_exit);
    homes.into_iter().for_each(check_log);
    Race { outputs, writes, met, seen }
}

/// The answers at which two runs of such a plan are to meet: those around the first call, or all.
fn meetings(region: &str, file: &Path) -> Vec<Answer> {
    let (home, nobody) = (home(), home());
    // The other one has no plan, and ends at once.
    let missing = nobody.path().join("missing.json");
    let alone = race(region, [file, &missing], [home.path(), nobody.path()], None);
    let seen = alone.seen;
    let call = alone.writes.first().expect("the run does something").1.kind();
    let first = seen.iter().position(|(kind, _)| *kind == call).unwrap();
    if is_sweep() {
        return seen;
    }
    // Those of the last look, and that to the call.
    let near = [first - 3, first - 1, first];
    near.into_iter().filter_map(|n| seen.get(n).cloned()).collect()
}

/// Races at every meeting. How often both waited for the same answer, and how often both
/// made the first call.
fn at_each(meetings: Vec<Answer>, what: &str, mut trial: impl FnMut(&Answer) -> Race) -> usize {
    let (all, mut met, mut double) = (meetings.len(), 0, 0);
    for at in &meetings {
        let race = trial(at);
        met += usize::from(race.met);
        let first = race.writes.first().map(|(who, r)| (1 - who, r.kind()));
        let also = |w: &(usize, Request)| first == Some((w.0, w.1.kind()));
        double += usize::from(race.writes.iter().any(also));
    }
    println!(
        "{what}: {all} races, {met} in which both waited for the same answer, {double} in which \
         both called"
    );
    assert!(met > 0, "none of {all}: how busy is this machine?");
    double
}

#[test]
fn two_processes_over_one_plan_call_once_for_each_instance() {
    const HERE: &str = "us-east-1";
    let dir = tempfile::tempdir().unwrap();
    for (verb, gone) in
        [(Verb::Stop, "stopped"), (Verb::Terminate { decrement: false }, "terminated")]
    {
        let file = |name: &str| {
            let fleet: Vec<Instance> = ask(&format!("fleet {HERE} 4"));
            let file = plan_file(dir.path(), name, &fleet[..3], 4, verb.clone());
            (fleet, file)
        };
        let meetings = meetings(HERE, &file("alone.json").1);
        at_each(meetings, &format!("one plan, {gone}"), |at| {
            let (fleet, file) = file("plan.json");
            let home = home();
            let race = race(HERE, [&file; 2], [home.path(); 2], Some(at.clone()));
            let states = truth(HERE).states;
            for one in &fleet[..3] {
                assert_eq!(states[&one.id], gone, "{at:?}");
                assert_eq!(race.calls(&one.id), 1, "{at:?}: {:?}", race.outputs);
                assert_eq!(race.say(&one.id, "done"), 1, "{at:?}: {:?}", race.outputs);
                assert_eq!(race.say(&one.id, "refused"), 1, "{at:?}: {:?}", race.outputs);
            }
            assert_eq!(states[&fleet[3].id], "running");
            race
        });
    }
}

#[test]
fn two_plans_over_one_group_do_not_take_it_below_its_minimum() {
    const HERE: &str = "us-east-2";
    let dir = tempfile::tempdir().unwrap();
    let verb = Verb::Terminate { decrement: true };
    let files = || {
        let group: Vec<Instance> = ask(&format!("group {HERE} 3 2"));
        let file =
            |n: usize| plan_file(dir.path(), &format!("{n}.json"), &group[n..=n], 3, verb.clone());
        let files = [file(0), file(1)];
        (group, files)
    };
    let meetings = meetings(HERE, &files().1[0]);
    at_each(meetings, "one group", |at| {
        let (group, files) = files();
        let home = home();
        let race = race(HERE, [&files[0], &files[1]], [home.path(); 2], Some(at.clone()));
        let truth = truth(HERE);
        let running = truth.states.values().filter(|s| *s == "running").count();
        assert_eq!((truth.wanted.values().sum::<i64>(), running), (2, 2), "{at:?}: {truth:?}");
        assert_eq!(truth.states[&group[2].id], "running", "nobody planned it");
        assert_eq!(race.writes.len(), 1, "{at:?}: {:?}", race.outputs);
        let done: usize = group.iter().map(|m| race.say(&m.id, "done")).sum();
        let refused: usize = group.iter().map(|m| race.say(&m.id, "refused")).sum();
        assert_eq!((done, refused), (1, 1), "{at:?}: {:?}", race.outputs);
        race
    });
}

#[test]
fn two_plans_over_one_volume_make_one_snapshot_and_one_deletion() {
    const HERE: &str = "us-west-1";
    let dir = tempfile::tempdir().unwrap();
    let files = || {
        let volume: Instance = ask(&format!("volume {HERE}"));
        let file = |n: i64| volume_file(dir.path(), &format!("{n}.json"), &volume, n);
        let files = [file(2), file(3)];
        (volume, files)
    };
    let meetings = meetings(HERE, &files().1[0]);
    at_each(meetings, "one volume", |at| {
        let (volume, files) = files();
        let home = home();
        let race = race(HERE, [&files[0], &files[1]], [home.path(); 2], Some(at.clone()));
        let truth = truth(HERE);
        assert_eq!(truth.volumes, [""; 0], "{at:?}: {:?}", race.outputs);
        assert_eq!(truth.snapshots, [(volume.id.clone(), "completed".to_owned())], "{at:?}");
        assert_eq!(race.writes.len(), 2, "{at:?}: {:?}", race.outputs);
        let said = (race.say(&volume.id, "done"), race.say(&volume.id, "refused"));
        assert_eq!(said, (1, 1), "{at:?}: {:?}", race.outputs);
        race
    });
}

/// With logs of their own two runs do not see each other: this is what `docs/acting.md` says comes
/// of it, and what holds all the same.
#[test]
fn with_logs_of_their_own_two_runs_do_what_both_were_told_and_say_what_is_true() {
    const HERE: &str = "us-west-2";
    let dir = tempfile::tempdir().unwrap();
    let both = |files: [&Path; 2], at: &Answer| {
        let homes = [home(), home()];
        race(HERE, files, [homes[0].path(), homes[1].path()], Some(at.clone()))
    };

    let file = |name: &str| {
        let fleet: Vec<Instance> = ask(&format!("fleet {HERE} 3"));
        let file = plan_file(dir.path(), name, &fleet[..2], 3, Verb::Stop);
        (fleet, file)
    };
    let double = at_each(meetings(HERE, &file("alone.json").1), "one plan, two logs", |at| {
        let (fleet, file) = file("plan.json");
        let race = both([&file; 2], at);
        let states = truth(HERE).states;
        for one in &fleet[..2] {
            assert_eq!(states[&one.id], "stopped", "{at:?}");
            assert!((1..=2).contains(&race.calls(&one.id)), "{at:?}: {:?}", race.outputs);
            assert!(race.say(&one.id, "done") >= 1, "{at:?}: {:?}", race.outputs);
        }
        assert_eq!(states[&fleet[2].id], "running");
        race
    });
    // Otherwise nothing of the above could have shown what a shared log prevents.
    assert!(double > 0, "they never called at the same moment");

    let files = || {
        let volume: Instance = ask(&format!("volume {HERE}"));
        let file = |n: i64| volume_file(dir.path(), &format!("v{n}.json"), &volume, n);
        let files = [file(2), file(3)];
        (volume, files)
    };
    let double = at_each(meetings(HERE, &files().1[0]), "one volume, two logs", |at| {
        let (volume, files) = files();
        let race = both([&files[0], &files[1]], at);
        let truth = truth(HERE);
        assert_eq!(truth.volumes, [""; 0], "{at:?}: {:?}", race.outputs);
        assert!((1..=2).contains(&truth.snapshots.len()), "{at:?}: {truth:?}");
        let completed = (volume.id.clone(), "completed".to_owned());
        assert!(truth.snapshots.iter().all(|s| *s == completed), "{at:?}: {truth:?}");
        assert!(race.say(&volume.id, "done") >= 1, "{at:?}: {:?}", race.outputs);
        race
    });
    // Otherwise nothing of the above could have shown what a shared log prevents.
    assert!(double > 0, "they never called at the same moment");

    let verb = Verb::Terminate { decrement: true };
    let files = || {
        let group: Vec<Instance> = ask(&format!("group {HERE} 3 2"));
        let file =
            |n: usize| plan_file(dir.path(), &format!("g{n}.json"), &group[n..=n], 3, verb.clone());
        let files = [file(0), file(1)];
        (group, files)
    };
    let double = at_each(meetings(HERE, &files().1[0]), "one group, two logs", |at| {
        let (group, files) = files();
        let race = both([&files[0], &files[1]], at);
        let truth = truth(HERE);
        // The emulator does not keep to the minimum, as Auto Scaling does.
        let done: usize = group.iter().map(|m| race.say(&m.id, "done")).sum();
        assert!((1..=2).contains(&done), "{at:?}: {:?}", race.outputs);
        assert_eq!(truth.wanted.values().sum::<i64>(), 3 - done as i64, "{at:?}");
        assert_eq!(truth.states[&group[2].id], "running");
        race
    });
    // Otherwise nothing of the above could have shown what a shared log prevents.
    assert!(double > 0, "they never called at the same moment");
}
