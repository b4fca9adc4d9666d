//! The Overview while everything is read for the first time: what is not known yet is no 0.

use std::sync::Arc;

use super::screen::OverviewScreen;
use crate::app::content::Target;
use crate::app::fixture::{fleet_of, init, press, readings};
use crate::app::screen::Screen;
use crate::app::{Action, App, Msg};
use crate::domain::{Reading, Scope, SourceId, SourceState};
use crate::fleet::{Fleet, GpuFleet, Totals};
use crate::tabs::gpus::picture::fixture::{gpus, hosts};
use crate::tabs::gpus::state::fixture as gpu_fixture;
use crate::tabs::savings::picture::fixture::savings_of;
use crate::ui::golden::screen;

/// The fleet of which these have their verdicts; a picture with more of them is a newer one.
fn judged(names: &[&str]) -> Fleet {
    let mut fleet = fleet_of(9, 3 + names.len() as u64, readings(0, None));
    for row in fleet.rows.iter_mut().map(Arc::make_mut) {
        if !names.contains(&&*row.instance.name) {
            (row.verdict, row.wasted_usd) = (None, None);
        }
    }
    fleet.totals = Totals::of(fleet.rows.iter().map(|row| &**row));
    fleet
}

/// The screen after a frame in which these are judged and `early` holds of what could be saved.
fn frame(app: &mut App, names: &[&str], early: bool) -> String {
    app.update(Msg::Fleet(Arc::new(judged(names))));
    app.update(Msg::Savings(Arc::new(savings_of(|savings| {
        savings.version += names.len() as u64;
        savings.waterfall.early = early;
    }))));
    screen(app)
}

/// The lines in which a text stands.
fn with(screen: &str, text: &str) -> Vec<String> {
    screen.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
}

#[test]
fn the_first_frames_have_no_zeros() {
    let mut app = App::new(init(None, (200, 100)));
    assert_eq!(with(&screen(&mut app), "$0.00"), [""; 0]);
    // `train-70b` is busy; of its team an idle one is not judged yet.
    for names in [&[][..], &["train-70b"]] {
        let seen = frame(&mut app, names, true);
        // It is alone in its region, of which all is known by then.
        let zeros = with(&seen, "$0.00");
        assert!(zeros.iter().all(|line| line.contains("us-west-2 ")), "{zeros:#?}");
        assert_eq!(zeros.len(), names.len(), "{seen}");
        assert_eq!(with(&seen, "waste –").len(), 1, "the header: {seen}");
        let waste = with(&seen, "waste, marked !");
        assert!(matches!(&waste[..], [line] if line.contains('–')), "{waste:?}");
        assert!(seen.contains("– idle GPUs of 42"), "{seen}");
        assert!(seen.contains("reading what it rests on"), "{seen}");
        assert_eq!(with(&seen, "Order of work"), [""; 0], "of a part");
        assert_eq!(with(&seen, "used by nothing"), [""; 0]);
        assert_eq!(with(&seen, "unused commitments"), [""; 0]);
        let team = with(&seen, "  nlp ");
        assert_eq!(team.len(), 1, "{seen}");
        assert!(team[0].contains("$98.96/h            –"), "{team:?}");
    }
    let all = judged(&[]).rows.iter().map(|row| row.instance.name.clone()).collect::<Vec<_>>();
    let all: Vec<&str> = all.iter().map(|name| &**name).collect();
    let seen = frame(&mut app, &all, false);
    assert!(seen.contains("the bill now") && !seen.contains("reading what it rests on"), "{seen}");
    assert!(seen.contains("13 idle GPUs of 42"), "{seen}");
    assert!(seen.contains("used by nothing"), "{seen}");
}

#[test]
fn gpus_are_compared_and_found_once_all_regions_are_read_and_they_are_joined() {
    let seen = |fleet: Fleet, gpus: GpuFleet| {
        let mut app = App::new(gpu_fixture::init((120, 100)));
        app.update(Msg::Fleet(Arc::new(fleet)));
        app.update(Msg::Gpus(Arc::new(gpus)));
        let seen = screen(&mut app);
        let told = ["GPUs wasted on", "waste live now", "of no running instance", "held idle"];
        let overview = told.map(|text| !with(&seen, text).is_empty());
        press(&mut app, "2");
        (overview, !with(&screen(&mut app), "seen by exporters").is_empty())
    };
    assert_eq!(seen(hosts(), gpus()), ([true; 4], true));
    // A region that nobody answered for yet may have the instances of any host.
    let mut reading = hosts();
    reading.readings.push(Reading {
        source: SourceId::Ec2,
        scope: Scope::new("111122223333", "eu-west-1"),
        state: SourceState::Live,
        coverage: 0.0,
        taken_at: None,
    });
    assert_eq!(seen(reading, gpus()), ([false; 4], false));
    // A picture of GPUs from before the instances were read: its hosts are of none.
    let mut early = gpus();
    for row in early.rows.iter_mut().map(Arc::make_mut) {
        Arc::make_mut(&mut row.node).instance = None;
    }
    assert_eq!(seen(hosts(), early), ([false; 4], false));
}

#[test]
fn the_help_of_the_overview_and_of_the_gpus_explains_their_words_and_its_search_finds_them() {
    let words = [
        ("held idle", "GPUs that somebody holds"),
        ("unallocated", "GPUs that nobody holds"),
        ("slices", "Parts that MIG cuts"),
        ("unpriced", "In no sum of dollars"),
        ("idle in job", "Unallocated ones that a job"),
    ];
    let help = |keys: &str| {
        let mut app = crate::tabs::gpus::state::fixture::app((120, 200));
        press(&mut app, keys);
        screen(&mut app)
    };
    let (overview, gpus) = (help("1?"), help("2?"));
    for (word, says) in words {
        let found = help(&format!("3?/{word}<enter>"));
        for seen in [&overview, &gpus, &found] {
            assert_eq!(with(seen, says).len(), 1, "{word}: {seen}");
        }
    }
    assert_eq!(with(&overview, "the bar below the parts").len(), 1, "{overview}");
    assert_eq!(with(&help("3?/paid besides<enter>"), "What is paid for all but").len(), 1);
    assert_eq!(with(&help("3?"), "the bar below the parts"), [""; 0]);
}

#[test]
fn acting_is_offered_on_lines_of_instances_alone() {
    let mut app = crate::tabs::savings::state::fixture::app((160, 40));
    let mut seen = [false; 2];
    for _ in 0..40 {
        app.prepare();
        let line = app.finding_in_sight().map(|at| app.text_body().0[at].clone());
        let target = line.and_then(|line| line.target);
        let offers = OverviewScreen.hints(&app).iter().any(|(action, _)| *action == Action::Act);
        assert_eq!(offers, matches!(target, Some(Target::Instance(_))), "{target:?}");
        seen[usize::from(offers)] = true;
        press(&mut app, "j");
    }
    assert_eq!(seen, [true; 2]);
}
