//! What keys do on the Jobs tab, step by step.

use std::sync::Arc;

use super::fixture::{answer, app, asked, go, on_jobs, read};
use super::{JobsList, JobsPage};
use crate::analyze::jobs::TaxKey;
use crate::app::fixture::press;
use crate::app::{App, Effect, Filled, Msg, Page, PlanPage};
use crate::domain::bill::Usd;
use crate::tabs::jobs::picture::{JobsPicture, JobsRead};
use crate::tabs::storage::state::fixture::init;

const SIZE: (u16, u16) = (120, 40);

fn shown(app: &App) -> usize {
    app.jobs_tab().list(app.jobs_tab().look()).order().len()
}

#[test]
fn sums_by_every_key_add_up_to_all_attempts() {
    let mut app = app(SIZE);
    let total = app.jobs().unwrap().total;
    assert_eq!(app.jobs().unwrap().attempts.len(), 6);
    // 10 h + 9 h + 1 h + 1 h + 5 h of a node at $55.04, by hand; of the sixth nobody knows the price.
    assert_eq!(total.usd, Usd::from_f64(26.0 * 55.04).unwrap());
    // Of the first an hour after its checkpoint, and the third, at the same price.
    assert_eq!(total.lost_usd, Usd::from_f64(2.0 * 55.04).unwrap());
    for key in TaxKey::ALL {
        go(&mut app, &[&format!(":jobs {}<enter>", key.word())]);
        let jobs = app.jobs().unwrap();
        assert_eq!((jobs.by, app.jobs_tab().look()), (key, JobsList::Sums));
        let (mut usd, mut lost) = (Usd::ZERO, Usd::ZERO);
        for item in jobs.tax.iter() {
            usd += item.sums.usd;
            lost += item.sums.lost_usd;
        }
        assert_eq!((usd, lost), (total.usd, total.lost_usd), "{}", key.word());
    }
}

#[test]
fn a_filter_of_attempts_has_its_own_sum_above_that_of_all() {
    let mut app = app(SIZE);
    go(&mut app, &["/$>0<enter>"]);
    let texts: Vec<String> = app
        .strip()
        .iter()
        .map(|line| line.spans.iter().map(|span| span.text.as_ref()).collect())
        .collect();
    assert!(texts[0].starts_with("filter: 5 of 6 attempts"), "{texts:?}");
    // Five attempts of 26 h together at $55.04, and nobody knows the price of the sixth.
    assert!(texts[0].contains("cost $1,431.04 of $1,431.04"), "{texts:?}");
    assert!(texts[0].ends_with("below: of all 6"), "{texts:?}");
    assert!(texts[1].starts_with("6 attempts"), "{texts:?}");
}

#[test]
fn lists_turn_and_lead_back() {
    let mut app = app(SIZE);
    for look in &JobsList::ALL[1..] {
        go(&mut app, &["o"]);
        assert_eq!(app.jobs_tab().look(), *look);
    }
    go(&mut app, &["o"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Attempts);
    go(&mut app, &["O", "<esc>"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Attempts);
    go(&mut app, &[":jobs zombies<enter>", "<enter>"]);
    let row = JobsPage::Row { list: JobsList::Zombies, id: "gpu-7".into() };
    let page = &app.page().unwrap().page;
    assert!(matches!(page, Page::Jobs(of) if *of == row), "{page:?}");
}

#[test]
fn of_a_request_the_line_that_asks_for_less_is_copied() {
    let mut app = app(SIZE);
    go(&mut app, &[":jobs requests<enter>"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Requests);
    let [Effect::Copy(line)] = &press(&mut app, "y")[..] else { panic!() };
    assert_eq!(line, "#SBATCH --gres=gpu:1");
}

#[test]
fn of_a_rule_the_lines_that_set_it_are_copied() {
    let mut app = app(SIZE);
    go(&mut app, &[":jobs replay<enter>"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Replays);
    let [Effect::Copy(lines)] = &press(&mut app, "y")[..] else { panic!() };
    assert!(lines.starts_with("#SBATCH --no-requeue\nbackoffLimit: 0\n"), "{lines}");
    assert_eq!(
        app.notice().unwrap().text,
        "sent the lines that set it to the terminal's clipboard"
    );
}

#[test]
fn of_a_setting_the_lines_that_set_it_are_copied_and_its_page_says_what_would_have_been() {
    let mut app = app(SIZE);
    go(&mut app, &[":jobs scaling<enter>"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Scaling);
    // What saves something delays the only job: none fits, and the shortest delay comes first.
    let [Effect::Copy(lines)] = &press(&mut app, "y")[..] else { panic!() };
    let first = "PartitionName=PARTITION SuspendTime=60 ResumeTimeout=900\n";
    assert!(lines.starts_with(first), "{lines}");
    go(&mut app, &["<enter>"]);
    let id = app.current_jobs_row().unwrap().1;
    let lines = crate::tabs::jobs::pages::row(&app, JobsList::Scaling, &id, 400);
    let text = |line: &crate::app::content::Line| -> String {
        line.spans.iter().map(|span| span.text.as_ref()).collect()
    };
    let all: Vec<String> = lines.iter().map(text).collect();
    // Up for the 30 h since the first end of an attempt, held for one of them; a minute before and after, and 5 to boot: 29 h less 7
    // minutes, of $55.04.
    for want in [
        "  In 1d6h 1 node was up for 30.0 h, and empty for 29.0 h of it ($1,596.16), in 2 stretches.",
        "  28.9 node-hours less would have been up; 1 node more would have come up; 1 of 1 job would have waited for a node, 0.1 h \
         together (so far 0).",
    ] {
        assert!(all.iter().any(|line| line == want), "{all:#?}");
    }
}

#[test]
fn the_page_of_a_rule_says_what_would_have_been() {
    let mut app = app(SIZE);
    go(&mut app, &[":jobs replay<enter>"]);
    let id: Arc<str> = "checkpoint_every 60".into();
    assert!(app.tabs.jobs.list_mut(JobsList::Replays).go_to(&id));
    go(&mut app, &["<enter>"]);
    let lines = crate::tabs::jobs::pages::row(&app, JobsList::Replays, &id, 400);
    let text = |line: &crate::app::content::Line| -> String {
        line.spans.iter().map(|span| span.text.as_ref()).collect()
    };
    let all: Vec<String> = lines.iter().map(text).collect();
    // Of 10 h, of which one was lost, none since the tenth; 1 h and 6 h without a price: none since the first and the sixth. Written
    // are 10 and 9, 1 and 6, 1 and (of the one that runs) none, of 5 minutes on 8 GPUs.
    let want = "  Had every run written a checkpoint each 1h, $110.08 (64.0 GPU-hours) of $110.08 (64.0 GPU-hours) would not have \
                been lost; writing them would have taken $96.32 (18.0 GPU-hours).";
    assert!(all.iter().any(|line| line == want), "{all:#?}");
}

#[test]
fn a_row_of_sums_leads_to_its_attempts() {
    let mut app = app(SIZE);
    for (key, value, attempts) in
        [("state", "failed", 2), ("user", "o\"k \\", 1), ("team", "nlp", 5), ("cause", "code", 1)]
    {
        go(&mut app, &[&format!(":jobs {key}<enter>")]);
        let id: Arc<str> = format!(" {value}").into();
        assert!(app.tabs.jobs.list_mut(JobsList::Sums).go_to(&id), "{key} {value}");
        go(&mut app, &["<enter>"]);
        assert_eq!(app.jobs_tab().look(), JobsList::Attempts);
        assert_eq!(shown(&app), attempts, "{key}={value}");
        go(&mut app, &["<esc>"]);
    }
    go(&mut app, &[":jobs node<enter>", "<enter>"]);
    assert_eq!(app.jobs_tab().look(), JobsList::Sums);
    assert!(app.notice().unwrap().text.contains("no filter"));
}

#[test]
fn what_is_kept_is_asked_once_and_the_sources_once_a_minute() {
    let mut app = App::new(init(SIZE));
    let effects = press(&mut app, "9");
    assert_eq!(asked(&effects).len(), 1);
    assert!(effects.contains(&Effect::ReadJobSources));
    assert_eq!(press(&mut app, "j"), [], "neither is asked while it is asked");
    let now = app.view_context().now;
    answer(&mut app, &effects, &read(now));
    // A source answered: what is kept may have changed.
    app.update(Msg::JobSources { has_news: true });
    let effects = press(&mut app, "r");
    assert!(asked(&effects).len() == 1 && effects.contains(&Effect::ReadJobSources));
}

#[test]
fn an_answer_to_another_question_is_dropped_and_no_answer_leaves_the_last_one() {
    let mut app = on_jobs(init(SIZE));
    let effects = press(&mut app, ":jobs user<enter>");
    let question = asked(&effects)[0];
    let other = JobsPicture::of(JobsRead::default(), TaxKey::User);
    let old = crate::tabs::jobs::picture::JobsQuestion { round: question.round + 9, ..question };
    app.update(Msg::Jobs(old, Ok(Arc::new(other))));
    assert_eq!(app.jobs().unwrap().attempts.len(), 6);
    app.update(Msg::Jobs(question, Err("jobs.db cannot be read".into())));
    assert_eq!(app.notice().unwrap().text, "jobs.db cannot be read");
    assert_eq!(app.jobs().unwrap().by, TaxKey::State);
}

#[test]
fn the_page_of_an_attempt_goes_from_one_to_the_next() {
    let mut app = app(SIZE);
    go(&mut app, &["<enter>"]);
    let first = app.current_jobs_row().unwrap();
    go(&mut app, &["<right>"]);
    let second = app.current_jobs_row().unwrap();
    assert_ne!(first, second);
    go(&mut app, &["<left>"]);
    assert_eq!(app.current_jobs_row().unwrap(), first);
}

#[test]
fn a_key_fills_the_calculator_of_failed_runs_with_what_the_attempts_tell() {
    let mut app = app(SIZE);
    go(&mut app, &["n"]);
    assert!(matches!(app.page().unwrap().page, Page::WhatIf(PlanPage::FailedRuns)));
    let Some(Filled::Runs(of)) = app.calculator().map(|filled| &filled.of) else { panic!() };
    let near = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} for {b}");
    // By hand: 10 + 9 + 1 + 6 + 1 + 5 hours of 8 GPUs. Failed: 10 (9 of them saved), 1 and 6; cancelled: 1.
    near(of.runs.failed_share, 17.0 / 32.0);
    near(of.runs.failed_weight, 8.0 / 17.0);
    near(of.runs.cancelled_share, 1.0 / 32.0);
    near(of.runs.cancelled_weight, 0.0);
    near(of.runs.timeout_share, 0.0);
    near(of.runs.hours_to_failure, 17.0 / 3.0);
    // 26 hours of nodes at $55.04 in the 40 hours to now; of six hours nobody knows the price.
    near(of.runs.monthly_usd, 26.0 * 55.04 / 40.0 * 730.0);
    assert_eq!((of.unpriced, of.without_gpu_time), (1, 0));
    let [Effect::Copy(command)] = &press(&mut app, "y")[..] else { panic!() };
    assert!(command.starts_with("burntop whatif failed-runs monthly_usd="), "{command}");
    go(&mut app, &["<esc>"]);
    assert_eq!(app.tab().title(), "Jobs");
}

#[test]
fn attempts_of_less_than_a_day_fill_no_calculator() {
    let mut app = app(SIZE);
    let now = app.view_context().now;
    let mut short = read(now);
    short.costs.rows.retain(|row| row.attempt.job.as_ref() > "101");
    let effects = press(&mut app, "r");
    answer(&mut app, &effects, &short);
    press(&mut app, "n");
    assert!(app.page().is_none() && app.notice().unwrap().text.contains("less than a day"));
}
