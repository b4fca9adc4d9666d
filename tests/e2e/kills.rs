//! The real program, killed with SIGKILL at random moments while it stops and terminates real
//! (emulated) instances, started again, and held against what really happened.
//!
//! `BURNTOP_KILLS=200 cargo test --test e2e kills -- --nocapture` plays 200 of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use burntop::parts::act::exec::audit::{Body, FileDisk, Journal, Line};
use burntop::parts::act::plan::{
    Approval, OutcomeKind, PLAN_SCHEMA, Plan, PlanFile, PlanItem, Verb,
};
use burntop::parts::domain::{InstanceState, Scope, VerdictKind};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tempfile::TempDir;

use crate::committed::Committed;
use crate::emulators::venv;
use crate::fault::{Fault, Request, proxy};
use crate::world::{DEAD, World};

pub const ACCOUNT: &str = "123456789012";
const KILLS: usize = 10;
/// Instances of a fleet, and how many of them are in the plan.
const FLEET: usize = 8;
const PLANNED: usize = 6;

/// Where the emulators answer.
#[derive(Clone, Deserialize)]
pub struct Endpoints {
    pub moto: String,
    pub cloudwatch: String,
}

/// What a plan has to know of an instance or a volume.
#[derive(Clone, Debug, Deserialize)]
pub struct Instance {
    pub id: String,
    pub az: String,
    pub launched_at: Timestamp,
}

/// The emulators with a line to their memory.
pub struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a script of `tests/emulators`.
    pub fn start(script: &str) -> (Self, Endpoints) {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators");
        let mut child = Command::new(venv().join("bin/python"))
            .arg(scripts.join(script))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, to, from };
        let endpoints = server.answer();
        (server, endpoints)
    }

    pub fn ask<T: serde::de::DeserializeOwned>(&mut self, line: &str) -> T {
        writeln!(self.to, "{line}").unwrap();
        self.answer()
    }

    fn answer<T: serde::de::DeserializeOwned>(&mut self) -> T {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("the emulators said {line:?}: {e}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the proxy holds calls against, and whom it may kill.
#[derive(Default)]
struct Watch {
    log: PathBuf,
    victim: Option<Child>,
    /// Kill when this many requests have come.
    at: Option<usize>,
    requests: usize,
    writes: usize,
    killed: bool,
    /// Calls of which no intent was on disk.
    unannounced: Vec<String>,
}

impl Watch {
    fn request(&mut self, request: &Request) {
        self.requests += 1;
        let is_write = ["StopInstances", "TerminateInstances"].contains(&&*request.action)
            && !request.body.contains("DryRun=true");
        if is_write {
            self.writes += 1;
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            let named = intended(&lines(&log));
            for id in request.body.split('&').filter_map(|p| p.strip_prefix("InstanceId.")) {
                let id = id.split_once('=').map_or(id, |(_, id)| id);
                if !named.contains(id) {
                    self.unannounced.push(id.to_owned());
                }
            }
        }
        if self.at == Some(self.requests) {
            self.kill();
        }
    }

    fn kill(&mut self) {
        let Some(victim) = &mut self.victim else { return };
        if victim.try_wait().unwrap().is_none() {
            victim.kill().unwrap();
            victim.wait().unwrap();
            self.killed = true;
        }
    }
}

/// The whole lines of a log that may be growing.
pub fn lines(log: &str) -> Vec<Line> {
    log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn intended(lines: &[Line]) -> BTreeSet<String> {
    lines
        .iter()
        .filter_map(|line| match &line.body {
            Body::Intent { rows, .. } => Some(rows.iter().map(|r| r.item.id.to_string())),
            _ => None,
        })
        .flatten()
        .collect()
}

/// A plan for `chosen` of a fleet of so many, approved by somebody else.
pub fn plan(chosen: &[Instance], fleet: usize, verb: Verb) -> PlanFile {
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let back = |minutes| now - SignedDuration::from_mins(minutes);
    let item = |i: &Instance| PlanItem {
        id: i.id.as_str().into(),
        scope: Scope::new(ACCOUNT, i.az.trim_end_matches(char::is_alphabetic)),
        az: i.az.as_str().into(),
        name: "box".into(),
        instance_type: "m5.xlarge".into(),
        state: InstanceState::Running,
        launched_at: i.launched_at,
        verdict: Some(VerdictKind::Idle),
        idle_since: Some(back(60 * 24 * 8)),
        judged_until: Some(back(5)),
        evidence_sha256: "0123456789abcdef".repeat(4),
        usd_per_hour: Some(0.192),
        net_usd_per_hour: None,
        covered_by: String::new(),
        price_basis: "on-demand list price".into(),
        production: false,
        environment: None,
        held_by: String::new(),
    };
    let plan = Plan {
        schema: PLAN_SCHEMA.to_owned(),
        created_at: back(2),
        expires_at: now + SignedDuration::from_hours(12),
        verb,
        preset: "cautious".into(),
        filter: String::new(),
        justification: String::new(),
        fleet_size: fleet as u32,
        net_usd_per_hour: None,
        items: chosen.iter().map(item).collect(),
    };
    let approvals = vec![approval(plan.hash())];
    PlanFile { plan, approvals }
}

/// Somebody else's approval of what has this hash.
pub fn approval(sha256: String) -> Approval {
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap();
    let second = "arn:aws:iam::123456789012:user/second";
    Approval {
        sha256,
        approver: BTreeMap::from([(ACCOUNT.into(), second.into())]),
        approved_at: now - SignedDuration::from_mins(1),
        expires_at: now + SignedDuration::from_hours(6),
        signature: None,
    }
}

struct Bench {
    server: Server,
    world: World,
    watch: Arc<Mutex<Watch>>,
    home: TempDir,
    rng: fastrand::Rng,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let (server, endpoints) = Server::start("kills.py");
        let home = tempfile::tempdir().unwrap();
        let log = home.path().join(".local/state/burntop/audit/audit.jsonl");
        let watch = Arc::new(Mutex::new(Watch { log, ..Watch::default() }));
        let guard = watch.clone();
        let committed = Committed::default().before(&endpoints.moto);
        let ec2 = proxy(&committed, move |request| {
            guard.lock().unwrap().request(request);
            Fault::Pass
        })
        .forever();
        let world = World {
            ec2,
            cloudwatch: endpoints.cloudwatch,
            pricing: DEAD.to_owned(),
            credentials: true,
        };
        let config = "[actions]\nmax_instances = 50\nmax_fleet_percent = 100.0\n";
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        Self { server, world, watch, home, rng: fastrand::Rng::with_seed(seed) }
    }

    fn command(&self, args: &[&str]) -> Command {
        let config = self.home.path().join("config.toml");
        let config = ["--config", config.to_str().unwrap(), "--region", "us-east-1"];
        let mut command = self.world.command(self.home.path(), &[args, &config[..]].concat());
        command
            .env("AWS_ENDPOINT_URL", &self.world.ec2)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command and kills it: when a request comes in, or at some time. `None` leaves it
    /// alone. Returns whether it was killed, and how long it took.
    fn run(&mut self, args: &[&str], kill: Option<Kill>) -> (bool, Duration) {
        let child = {
            let mut command = self.command(args);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let began = Instant::now();
        {
            let mut watch = self.watch.lock().unwrap();
            watch.victim = Some(child);
            watch.killed = false;
            watch.requests = 0;
            watch.at = match kill {
                Some(Kill::Request(n)) => Some(n),
                _ => None,
            };
        }
        loop {
            {
                let mut watch = self.watch.lock().unwrap();
                if let Some(Kill::After(time)) = kill
                    && began.elapsed() >= time
                {
                    watch.kill();
                }
                let ended = watch.killed
                    || watch.victim.as_mut().is_none_or(|c| c.try_wait().unwrap().is_some());
                if ended {
                    watch.victim = None;
                    return (watch.killed, began.elapsed());
                }
            }
            assert!(began.elapsed() < Duration::from_mins(3), "{args:?} does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn journal(&self) -> Journal {
        let dir = self.watch.lock().unwrap().log.parent().unwrap().to_owned();
        Journal::new(Arc::new(FileDisk::new(dir)))
    }
}

#[derive(Clone, Copy, Debug)]
enum Kill {
    Request(usize),
    After(Duration),
}

#[test]
fn killed_at_any_moment_it_leaves_no_doubt() {
    let kills = std::env::var("BURNTOP_KILLS").map_or(KILLS, |n| n.parse().unwrap());
    let mut bench = Bench::new(7);
    // How much there is to be killed in.
    let (mut requests, mut time) = (0, Duration::ZERO);
    let (mut done, mut trials, mut changed, mut reconciled) = (0, 0, 0, 0);
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    while done < kills {
        let verb = if trials % 2 == 0 { Verb::Stop } else { Verb::Terminate { decrement: false } };
        let fleet: Vec<Instance> = bench.server.ask(&format!("fleet {FLEET}"));
        let _: serde_json::Value = bench.server.ask(&format!("protect {}", fleet[1].id));
        let _: serde_json::Value = bench.server.ask(&format!("busy {}", fleet[2].id));
        let file = bench.home.path().join(format!("plan-{trials}.json"));
        std::fs::write(&file, plan(&fleet[..PLANNED], FLEET, verb.clone()).to_text()).unwrap();
        let apply = ["apply", file.to_str().unwrap(), "--allow-actions"];

        // The first one is left alone: it says how long a run is, and that a run does something.
        let kill = (trials > 0).then(|| {
            if bench.rng.bool() {
                // The calls come late.
                let late = bench.rng.usize(requests / 2..=requests);
                Kill::Request(if bench.rng.bool() { late } else { bench.rng.usize(1..=requests) })
            } else {
                Kill::After(time.mul_f64(bench.rng.f64()))
            }
        });
        let (killed, took) = bench.run(&apply, kill);
        if trials == 0 {
            (requests, time) = (bench.watch.lock().unwrap().requests, took);
            let states: BTreeMap<String, String> = bench.server.ask("states");
            let still = states.values().filter(|s| *s == "running").count();
            assert_eq!(still, FLEET - (PLANNED - 2), "the whole run: {states:?}");
        }
        done += usize::from(killed);
        trials += 1;
        // Sometimes the next one dies as well, at whatever it does.
        while bench.rng.u8(0..4) == 0 {
            let again = bench.rng.usize(1..=4);
            let (killed, _) = bench.run(&["audit", "reconcile"], Some(Kill::Request(again)));
            done += usize::from(killed);
        }
        let output = bench.command(&["audit", "reconcile"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = bench.command(&["audit", "verify"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

        let states: BTreeMap<String, String> = bench.server.ask("states");
        let log = bench.journal().read().unwrap();
        let may: BTreeSet<&str> = fleet[..PLANNED].iter().map(|i| &*i.id).collect();
        let intended = intended(&log);
        let context = format!("trial {trials}, {verb:?}, {kill:?}: {states:?}");
        for (id, state) in &states {
            if state == "running" {
                continue;
            }
            changed += 1;
            assert!(may.contains(&**id), "{id} was not in the plan; {context}");
            assert!(*id != fleet[1].id, "{id} was protected; {context}");
            assert!(*id != fleet[2].id, "{id} was busy; {context}");
            assert!(intended.contains(id), "no intent names {id}; {context}");
        }
        assert_eq!(bench.watch.lock().unwrap().unannounced, Vec::<String>::new(), "{context}");
        let mut open: BTreeSet<(u64, String)> = BTreeSet::new();
        for line in &log {
            match &line.body {
                Body::Intent { rows, .. } => {
                    open.extend(rows.iter().map(|r| (line.seq, r.item.id.to_string())));
                }
                Body::Outcome { intent, outcomes: settled, reconciled: late, .. } => {
                    for o in settled {
                        open.remove(&(*intent, o.id.to_string()));
                        let Some(state) = states.get(&*o.id) else { continue };
                        *outcomes.entry(o.kind.word()).or_default() += 1;
                        reconciled += usize::from(*late);
                        let is_running = state == "running";
                        match o.kind {
                            OutcomeKind::Done => assert!(!is_running, "{} done? {context}", o.id),
                            OutcomeKind::Failed | OutcomeKind::Refused => {
                                assert!(is_running, "{} untouched? {context}", o.id);
                            }
                            OutcomeKind::Unknown => {}
                        }
                    }
                }
                _ => {}
            }
        }
        assert!(open.is_empty(), "no outcome for {open:?}; {context}");
    }
    let writes = bench.watch.lock().unwrap().writes;
    println!(
        "{done} kills in {trials} runs ({requests} requests, {time:?} each), {writes} write calls, \
         {changed} instances stopped or terminated, outcomes {outcomes:?}, {reconciled} of them \
         found at a later start"
    );
}
