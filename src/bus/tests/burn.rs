//! The past of the burn, from run to run.

use super::scripted::{Answer, Script, Scripted, instance, parts, read};
use super::{Event, start};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{Direction, Instance, KeptShare, Lifecycle, SinceWhat};

const FIRST: &str = "2026-11-21T03:07:00Z";
const DAY_LATER: &str = "2026-11-22T04:07:00Z";

/// An account with these instances in use.
fn of(ids: &[&str]) -> Script {
    let all = ids.iter().map(|id| instance(id, "m5.large")).collect();
    Script::new(all, Answer::Every(50.0))
}

#[tokio::test]
async fn a_run_says_what_changed_since_the_last() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), FIRST.parse().unwrap());
    let provider = Scripted::new(of(&["i-1", "i-2"]));
    let first = read(&provider, FIRST, Preset::Cautious, &cache).await;
    assert_eq!(first.past.unwrap().since, [], "nothing is known of what was before");
    provider.play(of(&["i-2", "i-3", "i-4"]));
    let second = read(&provider, DAY_LATER, Preset::Cautious, &cache).await.past.unwrap();
    let told: Vec<_> = second.since.iter().map(|s| (s.what, s.at.to_string())).collect();
    let first = FIRST.to_owned();
    assert_eq!(told, [(SinceWhat::Yesterday, first.clone()), (SinceWhat::LastRun, first)]);
    let since = &second.since[1];
    assert_eq!((since.new.instances, since.gone.instances), (2, 1));
    let [then, now] = since.burn.map(Option::unwrap);
    assert!((since.new.usd_per_hour - since.gone.usd_per_hour - (now - then)).abs() < 1e-9);
    assert!((now / then - 1.5).abs() < 1e-9, "three instead of two");
}

#[tokio::test]
async fn while_an_account_does_not_answer_nothing_is_said_to_be_gone() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), FIRST.parse().unwrap());
    let provider = Scripted::new(of(&["i-1", "i-2"]));
    read(&provider, FIRST, Preset::Cautious, &cache).await;
    provider.play(Script { strangers: 9, ..of(&[]) });
    let silent = read(&provider, DAY_LATER, Preset::Cautious, &cache).await;
    assert_eq!(silent.past, None);
    // Nor did the run that saw nothing take the place of the last one.
    provider.play(of(&["i-1"]));
    let third = read(&provider, DAY_LATER, Preset::Cautious, &cache).await.past.unwrap();
    assert_eq!(third.since[0].gone.instances, 1);
}

#[tokio::test]
async fn runs_once_an_hour_tell_where_shares_are_heading() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), FIRST.parse().unwrap());
    let on_spot = |spot: usize| {
        let of = |i: usize| {
            let lifecycle = if i < spot { Lifecycle::Spot } else { Lifecycle::OnDemand };
            Instance { lifecycle, ..instance(&format!("i-{i}"), "g5.xlarge") }
        };
        Script::new((0..4).map(of).collect(), Answer::Nothing)
    };
    let provider = Scripted::new(on_spot(1));
    let mut last = None;
    // Eight hours on each of three days in both weeks.
    for (day, spot) in [(2, 1), (3, 1), (4, 1), (9, 3), (10, 3), (11, 3)] {
        provider.play(on_spot(spot));
        for hour in 0..8 {
            let now = format!("2026-11-{day:02}T{hour:02}:30:00Z");
            last = read(&provider, &now, Preset::Cautious, &cache).await.past;
            let to = last.as_ref().and_then(|p| p.shares.direction(KeptShare::Spot, p.today));
            assert_eq!(to.is_some(), day == 11 && hour == 7, "{now}: {to:?}");
        }
    }
    let past = last.unwrap();
    let to = |of| past.shares.direction(of, past.today);
    assert_eq!(to(KeptShare::Spot), Some(Direction::Rising), "from a quarter to three");
    assert_eq!(to(KeptShare::Tagged), Some(Direction::Level));
}

#[tokio::test]
async fn offline_there_is_no_past() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), FIRST.parse().unwrap());
    let provider = Scripted::new(of(&["i-1"]));
    read(&provider, FIRST, Preset::Cautious, &cache).await;
    let (events, mut heard) = tokio::sync::mpsc::channel(64);
    let bus = start(parts(&provider, DAY_LATER, Preset::Cautious, &cache, true), events);
    let mut fleets = 0;
    while let Some(event) = heard.recv().await {
        assert!(!matches!(event, Event::BurnPast(_)));
        if matches!(event, Event::Fleet(_)) {
            fleets += 1;
            bus.stop();
        }
    }
    assert!(fleets > 0);
    assert_eq!(cache.load_burn(0).await, []);
}
