//! The real program on a network that spoils one single call of a run: it hangs, is sent twice, loses
//! its answer, or never arrives. Judged by what the emulator has in the end.
//!
//! A quiet run says which calls there are. By default each call that changes something is spoilt in
//! every way, and some of the others in one; `BURNTOP_SWEEP=1 cargo test --test e2e lossy --
//! --nocapture` spoils every call in every way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};

use burntop::parts::act::plan::Verb;

use crate::fault::{Fault, Request};
use crate::kills::Instance;
use crate::races::{
    Truth, ask, check_exit, check_log, command, home, is_sweep, outcomes, output, plan_file, truth,
    volume_file, world,
};
use crate::storage_acting::{Bucket, REGION, THEIRS, WANTED, s3};

const FAULTS: [Fault; 4] = [Fault::Drop, Fault::Lose, Fault::Twice, Fault::Hang];

/// A call of a run: what it asks for, and the how-manieth of its kind it is.
type Call = (String, usize);

/// What the proxy saw, and what it is to spoil.
#[derive(Default)]
struct Line {
    spoil: Option<(Call, Fault)>,
    calls: Vec<Call>,
    writes: Vec<Request>,
    spoilt: bool,
}

impl Line {
    fn decide(&mut self, request: &Request) -> Fault {
        let kind = request.kind();
        let n = self.calls.iter().filter(|(seen, _)| *seen == kind).count();
        let call = (kind, n);
        self.calls.push(call.clone());
        if request.is_write() {
            self.writes.push(request.clone());
        }
        match &self.spoil {
            Some((at, fault)) if *at == call => {
                self.spoilt = true;
                *fault
            }
            _ => Fault::Pass,
        }
    }
}

/// A run that was spoilt, or none.
struct Run {
    output: Output,
    line: Line,
    what: Option<(Call, Fault)>,
}

impl Run {
    fn new(
        args: &[&str],
        home: &Path,
        region: &str,
        url: Option<&str>,
        what: Option<(Call, Fault)>,
    ) -> Self {
        let line = Arc::new(Mutex::new(Line { spoil: what.clone(), ..Line::default() }));
        let seen = line.clone();
        let decide = move |r: &Request| seen.lock().unwrap().decide(r);
        let (output, line) = match url {
            None => (output(command(&world(decide, |_| ()), home, region, args)), line),
            Some(url) => {
                let s3 = crate::fault::proxy(url, decide).forever();
                let mut command = command(&world(|_| Fault::Pass, |_| ()), home, region, args);
                command.env("AWS_ENDPOINT_URL_S3", s3);
                (output(command), line)
            }
        };
        let run = Self { output, line: std::mem::take(&mut line.lock().unwrap()), what };
        check_exit(&run.output);
        check_log(home);
        run
    }

    fn outcomes(&self) -> BTreeMap<String, String> {
        outcomes(&self.output)
    }

    /// True when this call was spoilt in this way.
    fn is(&self, kind: &str, fault: Fault) -> bool {
        self.what.as_ref().is_some_and(|((of, _), how)| of == kind && *how == fault)
    }

    /// What is said of a row agrees with whether it was touched.
    #[track_caller]
    fn agrees(&self, id: &str, touched: bool) {
        match self.outcomes().get(id).map(String::as_str) {
            Some("done") => assert!(touched, "{self:?}"),
            Some("failed" | "refused") | None => assert!(!touched, "{self:?}"),
            Some(_) => {}
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let Output { status, stdout, stderr } = &self.output;
        write!(f, "{:?}: {status}\n{}\n{}", self.what, text(stdout), text(stderr))
    }
}

/// True for a decrement that does not arrive: it is never repeated, and looked for over ten minutes,
/// which are for the sweep.
fn is_waited_for((call, fault): &(Call, Fault)) -> bool {
    call.0.starts_with("autoscaling Terminate") && [Fault::Drop, Fault::Hang].contains(fault)
}

/// Spoils calls one by one on several regions side by side: a run that waits needs no processor.
fn sweep(
    name: &str,
    regions: &[&'static str],
    trial: impl Fn(&'static str, Option<(Call, Fault)>) -> Run + Sync,
) {
    let quiet = trial(regions[0], None);
    assert_eq!(quiet.output.status.code(), Some(0), "{quiet:?}");
    let writes: BTreeSet<String> = quiet.line.writes.iter().map(Request::kind).collect();
    assert!(!writes.is_empty());
    let calls = quiet.line.calls;
    let is_write = |call: &Call| writes.contains(&call.0);
    let mut todo: Vec<(Call, Fault)> = Vec::new();
    let others: Vec<&Call> = calls.iter().filter(|c| !is_write(c)).collect();
    let sparse = (others.len() / 4).max(1);
    for (n, call) in others.iter().enumerate() {
        if is_sweep() {
            todo.extend(FAULTS.map(|fault| ((*call).clone(), fault)));
        } else if n % sparse == 0 {
            todo.push(((*call).clone(), FAULTS[n / sparse % 3]));
        }
    }
    let spoilt = calls.iter().filter(|c| is_write(c)).flat_map(|c| FAULTS.map(|f| (c.clone(), f)));
    todo.extend(spoilt.filter(|one| is_sweep() || !is_waited_for(one)));
    let all = todo.len();
    let todo = Mutex::new(todo);
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    std::thread::scope(|scope| {
        for region in regions {
            let (todo, counts, trial) = (&todo, &counts, &trial);
            scope.spawn(move || {
                while let Some(next) = {
                    let mut todo = todo.lock().unwrap();
                    todo.pop()
                } {
                    let run = trial(region, Some(next));
                    let mut counts = counts.lock().unwrap();
                    if !run.line.spoilt {
                        *counts.entry("not reached".to_owned()).or_default() += 1;
                        continue;
                    }
                    let code = run.output.status.code().unwrap();
                    *counts.entry(format!("exit code {code}")).or_default() += 1;
                    if code != 0 {
                        let rows = run.outcomes().into_values().collect::<BTreeSet<_>>();
                        println!(
                            "{name}: {:?}: exit code {code}, {rows:?}",
                            run.what.as_ref().unwrap()
                        );
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    println!("{name}: {} calls in a run, {all} of them spoilt: {counts:?}", calls.len());
    // How many there are of a kind differs a little; nearly all have to be met.
    assert!(counts.get("not reached").copied().unwrap_or(0) * 10 <= all, "{counts:?}");
}

/// Applies a plan file once.
fn apply(file: &Path, home: &Path, region: &str, what: Option<(Call, Fault)>) -> Run {
    Run::new(&["apply", file.to_str().unwrap(), "--allow-actions"], home, region, None, what)
}

/// Two of three instances, by this verb, until they are `goal`.
fn instances(region: &'static str, verb: Verb, goal: &str, what: Option<(Call, Fault)>) -> Run {
    let home = home();
    let fleet: Vec<Instance> = ask(&format!("fleet {region} 3"));
    let file = plan_file(home.path(), "plan.json", &fleet[..2], 3, verb);
    let run = apply(&file, home.path(), region, what);
    let Truth { states, .. } = truth(region);
    assert_eq!(states[&fleet[2].id], "running", "nobody planned it: {run:?}");
    for one in &fleet[..2] {
        let state = &states[&one.id];
        assert!(state == "running" || state == goal, "{state}: {run:?}");
        run.agrees(&one.id, state == goal);
    }
    run
}

#[test]
fn a_stop_is_what_it_says_whatever_call_is_lost() {
    let regions = ["eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1"];
    sweep("stop", &regions, |region, what| instances(region, Verb::Stop, "stopped", what));
}

#[test]
fn a_termination_is_what_it_says_whatever_call_is_lost() {
    let regions = ["eu-north-1", "eu-south-1", "sa-east-1", "me-south-1"];
    sweep("terminate", &regions, |region, what| {
        instances(region, Verb::Terminate { decrement: false }, "terminated", what)
    });
}

#[test]
fn a_member_is_let_go_once_whatever_call_is_lost() {
    let regions = ["ap-south-1", "ap-northeast-1", "ap-northeast-2", "ap-southeast-1"];
    sweep("decrement", &regions, |region, what| {
        let home = home();
        let group: Vec<Instance> = ask(&format!("group {region} 3 1"));
        let verb = Verb::Terminate { decrement: true };
        let file = plan_file(home.path(), "plan.json", &group[..1], 3, verb);
        let run = apply(&file, home.path(), region, what);
        let truth = truth(region);
        let gone: Vec<&String> =
            truth.states.iter().filter(|(_, s)| *s != "running").map(|(id, _)| id).collect();
        assert!(gone.is_empty() || gone == [&group[0].id], "{truth:?}: {run:?}");
        assert_eq!(truth.wanted.values().sum::<i64>(), 3 - gone.len() as i64, "{run:?}");
        run.agrees(&group[0].id, !gone.is_empty());
        run
    });
}

#[test]
fn a_volume_goes_once_and_after_a_snapshot_whatever_call_is_lost() {
    let regions = ["ca-central-1", "af-south-1", "ap-east-1", "ap-southeast-2"];
    sweep("delete volume", &regions, |region, what| {
        let home = home();
        let volume: Instance = ask(&format!("volume {region}"));
        let file = volume_file(home.path(), "plan.json", &volume, 2);
        let run = apply(&file, home.path(), region, what);
        let truth = truth(region);
        let gone = truth.volumes.is_empty();
        let kept = truth.snapshots.contains(&(volume.id.clone(), "completed".to_owned()));
        assert!(!gone || kept, "{truth:?}: {run:?}");
        // A network that sends a call twice makes a second snapshot, and burntop none.
        let twice = run.is("ec2 CreateSnapshot", Fault::Twice);
        assert!(truth.snapshots.len() <= 1 + usize::from(twice), "{truth:?}: {run:?}");
        run.agrees(&volume.id, gone);
        run
    });
}

/// A bucket on a server of its own, and a plan for it.
struct Shelf {
    home: tempfile::TempDir,
    bucket: Arc<Mutex<Bucket>>,
    url: String,
    plan: PathBuf,
}

impl Shelf {
    fn new() -> Self {
        let home = home();
        let bucket = Arc::default();
        let url = s3(&bucket);
        let shelf = Self { plan: home.path().join("rules/plan.json"), home, bucket, url };
        shelf.reset();
        let wanted = shelf.home.path().join("wanted.json");
        std::fs::write(&wanted, WANTED).unwrap();
        let dir = shelf.home.path().join("rules");
        let (wanted, dir) = (wanted.to_str().unwrap(), dir.to_str().unwrap());
        let args =
            ["storage", "lifecycle", "plan", "--bucket", "ml-artifacts", wanted, "--out", dir];
        let mut command =
            command(&world(|_| Fault::Pass, |_| ()), shelf.home.path(), REGION, &args);
        let made = output({
            command.env("AWS_ENDPOINT_URL_S3", &shelf.url);
            command
        });
        assert_eq!(made.status.code(), Some(0), "{made:?}");
        shelf
    }

    fn reset(&self) {
        let minimum = "varies_by_storage_class".to_owned();
        *self.bucket.lock().unwrap() = Bucket { document: THEIRS.to_owned(), minimum, puts: 0 };
    }
}

#[test]
fn rules_are_put_as_they_say_whatever_call_is_lost() {
    let shelves: BTreeMap<&str, Shelf> =
        ["one", "two", "three", "four"].into_iter().map(|name| (name, Shelf::new())).collect();
    let names: Vec<&'static str> = shelves.keys().copied().collect();
    sweep("put rules", &names, |name, what| {
        let shelf = &shelves[name];
        shelf.reset();
        let home = home();
        let plan = shelf.plan.to_str().unwrap();
        let args =
            ["storage", "lifecycle", "apply", plan, "--confirm", "ml-artifacts", "--allow-actions"];
        let run = Run::new(&args, home.path(), REGION, Some(&shelf.url), what);
        let bucket = shelf.bucket.lock().unwrap();
        assert!(bucket.document.contains("<ID>theirs</ID>"), "{}: {run:?}", bucket.document);
        let twice = run.is("s3 PUT lifecycle", Fault::Twice);
        assert!(bucket.puts <= 1 + usize::from(twice), "{} puts: {run:?}", bucket.puts);
        run.agrees("ml-artifacts", bucket.document.contains("burntop/"));
        assert_eq!(bucket.puts > 0, bucket.document != THEIRS, "{run:?}");
        drop(bucket);
        run
    });
}
