//! The cockpit with its real backend on the demo: from the marked row to what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::{Backend, Request};
use crate::act::plan::{AccountRules, OutcomeKind};
use crate::app::fixture::{init, press};
use crate::app::sheet::{Run, Stage};
use crate::app::{App, DemandFrom, Effect, Msg, Picture};
use crate::bus::planning::Planner;
use crate::cli::invocation::{DemoOptions, Invocation, RunOptions};
use crate::config::load::Sources;
use crate::config::{Env, FileConfig, Paths, Vocabulary, load};
use crate::domain::{InstanceState, Reading, Regions, SourceId, SourceState};
use crate::report::{Format, SessionPlan, SessionReport};
use crate::whatif::{Future, PlanRequest, Scenario, Slot};

/// Longer than anything here takes; a run that hangs fails.
const PATIENCE: Duration = Duration::from_mins(2);

struct Cockpit {
    app: App,
    messages: mpsc::Receiver<Msg>,
    requests: mpsc::UnboundedSender<Request>,
    started: Instant,
    home: tempfile::TempDir,
}

impl Cockpit {
    fn start(allow_actions: bool) -> Self {
        let options = RunOptions {
            demo: Some(DemoOptions::default()),
            allow_actions,
            no_cache: true,
            ..RunOptions::default()
        };
        let home = tempfile::tempdir().unwrap();
        let below = |name: &str| home.path().join(name);
        let paths = Paths {
            config_dir: below("config"),
            cache_dir: below("cache"),
            state_dir: below("state"),
        };
        let env = Env::default();
        let sources = Sources { paths: None, file: None, env: &env, flags: FileConfig::default() };
        let loaded = load(&sources, &Vocabulary::default());
        let invocation =
            Invocation { paths: Some(paths), ..Invocation::new(loaded.unwrap().config, options) };
        let (sender, messages) = mpsc::channel(256);
        let (requests, inlet) = mpsc::unbounded_channel();
        let mut start = init(None, (120, 40));
        start.accounts.clear();
        start.mode = crate::app::Mode::Demo;
        Backend::new(invocation, sender, inlet).start();
        Self { app: App::new(start), messages, requests, started: Instant::now(), home }
    }

    /// Takes messages in until `done`.
    fn until(&mut self, what: &str, done: impl Fn(&App) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !done(&self.app) {
            assert!(Instant::now() < deadline, "never: {what}; {:?}", self.app.notice());
            match self.messages.try_recv() {
                Ok(msg) => {
                    self.app.update(Msg::Now(jiff::Timestamp::now()));
                    let effects = self.app.update(msg);
                    self.perform(effects);
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// The first message that `pick` takes.
    fn message<T>(&mut self, what: &str, pick: impl Fn(Msg) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "never: {what}");
            match self.messages.try_recv() {
                Ok(msg) => {
                    if let Some(found) = pick(msg) {
                        return found;
                    }
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Waits until something is said that begins so.
    fn notice(&mut self, begins: &str) {
        self.message(begins, |msg| match msg {
            Msg::Notice(notice) => notice.text.starts_with(begins).then_some(()),
            _ => None,
        });
    }

    fn keys(&mut self, keys: &str) {
        self.app.update(Msg::Now(jiff::Timestamp::now()));
        self.app.set_uptime(self.started.elapsed());
        let effects = press(&mut self.app, keys);
        self.perform(effects);
        self.app.prepare();
        self.app.mark_drawn();
    }

    fn perform(&self, effects: Vec<Effect>) {
        for effect in effects {
            let is_asked = matches!(
                effect,
                Effect::Preflight(_)
                    | Effect::Execute(_)
                    | Effect::Export { .. }
                    | Effect::ReadActions(_)
            );
            if is_asked {
                self.ask(effect);
            }
        }
    }

    fn ask(&self, effect: Effect) {
        self.requests.send(Request::Do(Box::new(effect))).unwrap();
    }
}

#[test]
fn a_plan_for_the_demo_is_valued_kept_and_written_down() {
    let mut cockpit = Cockpit::start(false);
    cockpit.ask(Effect::ReadDemand(DemandFrom::History));
    let (demand, start) = cockpit.message("a demand", |msg| match msg {
        Msg::Demand { demand, scenario } => Some((demand, scenario)),
        Msg::NoDemand(why) => unreachable!("{why}"),
        _ => None,
    });
    assert!(demand.whole_weeks().len() >= 20, "half a year: {} h", demand.hours());
    assert_eq!(demand.families.len(), start.families.len());
    assert!(start.families.iter().any(|family| family.on_demand.is_some()));

    let future = Future { paths: 50, weeks: 4, ..Future::default() };
    let plan = Arc::new(Scenario { name: "Q3".into(), future, ..Scenario::clone(&start) });
    let (send, answers) = std::sync::mpsc::channel();
    let planner = Planner::start(move |answer| drop(send.send(answer)));
    let (demand_too, scenario) = (Arc::clone(&demand), Arc::clone(&plan));
    let request = PlanRequest { generation: 1, slot: Slot::A, demand: demand_too, scenario };
    assert!(planner.ask(request));
    let answer = answers.recv_timeout(PATIENCE).unwrap().result.unwrap();
    assert!(answer.total.mean_usd > 0.0);

    cockpit.ask(Effect::SaveScenario(Arc::clone(&plan)));
    let names = cockpit.message("names", |msg| match msg {
        Msg::Scenarios(names) if !names.is_empty() => Some(names),
        _ => None,
    });
    assert_eq!(names, ["Q3"]);
    // Again only where it was said to replace it.
    cockpit.ask(Effect::SaveScenario(Arc::clone(&plan)));
    cockpit.notice("a scenario named Q3 is kept already; it stays as it is");
    cockpit.ask(Effect::ReplaceScenario(Arc::clone(&plan)));
    cockpit.notice("replaced scenario Q3");
    cockpit.ask(Effect::LoadScenario { name: "Q3".into(), slot: Slot::B });
    let (slot, loaded) = cockpit.message("the scenario", |msg| match msg {
        Msg::Scenario { slot, scenario } => Some((slot, scenario)),
        _ => None,
    });
    assert_eq!((slot, &loaded), (Slot::B, &plan));

    let path = cockpit.home.path().join("memo.md");
    let plans = vec![SessionPlan { slot: Slot::A, scenario: plan, answer: Some(answer) }];
    let plan = SessionReport { demand, plans, active: Slot::A, comparisons: vec![] };
    let picture = Picture::new(plan, jiff::Timestamp::now());
    let target = path.display().to_string();
    let export = || {
        let (path, picture) = (target.clone(), picture.clone());
        Effect::Export { path, format: Format::Md, picture }
    };
    cockpit.ask(export());
    cockpit.notice("wrote");
    let memo = std::fs::read_to_string(&path).unwrap();
    assert!(memo.starts_with("# Q3") && memo.contains("## What it is worth"), "{memo}");
    // A file that is there stays as it is.
    std::fs::write(&path, "mine").unwrap();
    cockpit.ask(export());
    cockpit.notice("cannot write");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
}

#[test]
fn an_overview_written_from_the_screen_has_gpus_waterfall_and_order_of_work() {
    let mut cockpit = Cockpit::start(false);
    cockpit.until("GPUs", |app| app.gpus().is_some_and(|gpus| !gpus.rows.is_empty()));
    // The order of work waits until all that it rests on was read.
    cockpit.until("savings", |app| {
        app.savings().is_some_and(|savings| {
            let waterfall = &savings.waterfall;
            !waterfall.early && waterfall.steps.iter().any(|s| s.items > 0)
        })
    });
    let path = cockpit.home.path().join("overview.json");
    cockpit.keys(&format!("1:export json {}<enter>", path.display()));
    cockpit.message("the file", |msg| match msg {
        Msg::Notice(notice) => notice.text.starts_with("wrote").then_some(()),
        _ => None,
    });
    let text = std::fs::read_to_string(path).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = document["rows"].as_array().unwrap();
    for section in ["fleet", "gpu", "waterfall", "sequence", "score"] {
        assert!(rows.iter().any(|r| r["section"] == section), "{section}: {text}");
    }
}

/// True when every region of the demo was read and judged: a verdict comes a moment before the date
/// of its metrics, and without that date nothing goes.
fn is_judged(app: &App) -> bool {
    let Some(fleet) = app.latest() else { return false };
    let of = |source| fleet.readings.iter().filter(move |r| r.source == source);
    let is_live = |r: &Reading| r.state == SourceState::Live;
    let read = of(SourceId::Ec2).filter(|r| is_live(r)).count();
    app.accounts().len() == 3
        && read >= 3
        && read == of(SourceId::Ec2).count()
        && read == of(SourceId::CloudWatch).filter(|r| is_live(r)).count()
        && fleet.totals.unjudged.count == 0
}

fn is_reviewed(app: &App) -> bool {
    app.sheet().is_some_and(|sheet| matches!(sheet.stage(), Stage::Review(_)))
}

/// From the checks through the dialog to the end of the run.
fn run_to_its_end(cockpit: &mut Cockpit) {
    cockpit.keys("c");
    let challenge = cockpit.app.dialog().expect("a dialog").challenge().clone();
    std::thread::sleep(Duration::from_millis(350));
    let mut answer = challenge.typed.first().cloned().unwrap_or_default();
    if challenge.justification {
        answer.push_str("<tab>a test");
    }
    if challenge.typed.is_empty() {
        answer.push_str("<tab>");
    }
    cockpit.keys(&format!("{answer}<enter>"));
    cockpit.until("the end", |app| app.sheet().unwrap().run().is_some_and(Run::is_over));
}

/// The cockpit on the demo, armed, with the stop of all that is idle checked.
fn with_the_idle_ones_checked() -> Cockpit {
    let mut cockpit = Cockpit::start(true);
    cockpit.until("armed", |app| app.rules().accounts.values().any(AccountRules::may_act));
    cockpit.until("verdicts and their dates", is_judged);
    cockpit.keys("3/verdict=idle<enter>gVGV:stop<enter>");
    cockpit.until("checks", is_reviewed);
    cockpit
}

#[test]
fn an_idle_box_of_the_demo_is_stopped_from_the_sheet() {
    let mut cockpit = with_the_idle_ones_checked();
    let passed: Vec<_> = {
        let checked = cockpit.app.sheet().unwrap().checked().unwrap();
        checked
            .passed()
            .map(|r| (r.item.clone(), r.stakes.instance_store_gb, r.production))
            .collect()
    };
    assert!(!passed.is_empty(), "the demo has something that may be stopped");
    // One of them, which asks for no phrase if there is such a one.
    let plain = passed.iter().find(|p| p.1 == 0 && !p.2).unwrap_or(&passed[0]).clone();
    let id = plain.0.id.clone();
    cockpit.keys(&format!("<esc>u/<ctrl-u>id=\"{id}\"<enter>ga<enter>"));
    cockpit.until("checks of one", is_reviewed);
    run_to_its_end(&mut cockpit);
    let run = cockpit.app.sheet().unwrap().run().unwrap();
    assert_eq!(run.count(OutcomeKind::Done), 1, "{:?}", run.ended());
    assert!(run.undo()[0].contains("start-instances"), "{:?}", run.undo());
    // The fleet on screen knows it soon, without a key.
    cockpit.until("stopped in the fleet", |app| {
        let rows = &app.latest().unwrap().rows;
        rows.iter().any(|r| r.instance.id == id && r.instance.state == InstanceState::Stopped)
    });
    // The audit log has it, with the way back, and the sheet is there again.
    cockpit.keys("H");
    cockpit.until("the run in the audit log", |app| {
        let rows = app.actions().map(|of| of.rows.clone()).unwrap_or_default();
        rows.iter().any(|row| row.counts.done == 1 && row.back[0].contains("start-instances"))
    });
    // The entry of the run, the list, the sheet.
    cockpit.keys("<esc><esc>");
    assert!(cockpit.app.sheet().is_some());
    // Other regions begin everything anew but the demo's world: what was stopped can be started.
    cockpit.ask(Effect::SetRegions(Regions::Enabled));
    cockpit.keys("<esc>g:start<enter>");
    cockpit.until("checks of the start", is_reviewed);
    let checked = cockpit.app.sheet().unwrap().checked().unwrap();
    let rows: Vec<_> = checked.rows.iter().map(|r| (&r.item.id, r.reason())).collect();
    assert_eq!(rows, [(&id, None)], "the executor is armed and the world is the same");
}

#[test]
fn a_row_left_out_on_the_sheet_gets_no_call() {
    let mut cockpit = with_the_idle_ones_checked();
    let two: Vec<_> = {
        let checked = cockpit.app.sheet().unwrap().checked().unwrap();
        checked.passed().take(2).map(|row| row.item.id.clone()).collect()
    };
    let filter = format!("id=\"{}\" or id=\"{}\"", two[0], two[1]);
    cockpit.keys(&format!("<esc>u/<ctrl-u>{filter}<enter>gVGVa<enter>"));
    cockpit.until("checks of two", is_reviewed);
    let rows = cockpit.app.sheet().unwrap().rows();
    let (left_out, goes) = (rows[0].instance.id.clone(), rows[1].instance.id.clone());
    assert_eq!(rows.len(), 2);
    cockpit.keys(" ");
    cockpit.until("checks of one", is_reviewed);
    run_to_its_end(&mut cockpit);
    let run = cockpit.app.sheet().unwrap().run().unwrap();
    let ids: Vec<_> = run.confirmed().rows().iter().map(|row| &row.item.id).collect();
    assert_eq!((ids, run.count(OutcomeKind::Done)), (vec![&goes], 1), "{:?}", run.ended());
    let ended = run.ended().unwrap().as_ref().unwrap();
    assert_eq!(run.id(), Some(&*ended.run_id));
    let state = |app: &App, id: &Arc<str>| {
        let row = app.latest()?.rows.iter().find(|row| row.instance.id == *id)?;
        Some(row.instance.state)
    };
    cockpit.until("stopped in the fleet", |app| state(app, &goes) == Some(InstanceState::Stopped));
    assert_eq!(state(&cockpit.app, &left_out), Some(InstanceState::Running));
}

#[test]
fn a_demo_that_is_not_armed_checks_and_cannot_run() {
    let mut cockpit = Cockpit::start(false);
    cockpit.until("rules", |app| !app.rules().accounts.is_empty());
    cockpit.until("verdicts and their dates", is_judged);
    cockpit.keys("3/verdict=idle<enter>g:stop<enter>");
    cockpit.until("checks", is_reviewed);
    assert_eq!(cockpit.app.sheet().unwrap().checked().unwrap().passed().count(), 0);
    cockpit.keys("c");
    assert!(cockpit.app.dialog().is_none());
    let word = cockpit.app.sheet().unwrap().word().unwrap().to_owned();
    assert!(word.contains("--allow-actions"), "{word}");
}
