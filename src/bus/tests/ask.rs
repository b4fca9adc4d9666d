//! Who launched an instance is looked up once, where that is asked for.

use std::sync::Arc;

use super::scripted::{Answer, Script, Scripted, instance, parts};
use crate::analyze::idle::Preset;
use crate::bus::{Outcome, once};
use crate::cache::{Cache, OpenOptions};
use crate::domain::{ErrorKind, Instance, Launch, LaunchLook, Launcher, SourceError, Tags};
use crate::fleet::Row;

const NOW: &str = "2026-11-21T03:07:00Z";

/// An instance launched three weeks ago, which does nothing.
fn young(id: &str) -> Instance {
    let launched_at = "2026-11-01T00:00:00Z".parse().unwrap();
    Instance { launched_at, ..instance(id, "c5.large") }
}

async fn read(provider: &Arc<Scripted>, cache: &Cache, ask_of: usize) -> Outcome {
    let mut parts = parts(provider, NOW, Preset::Cautious, cache, false);
    parts.settings.ask_of = ask_of;
    once(parts).await
}

fn row(outcome: &Outcome, id: &str) -> Arc<Row> {
    outcome.fleet.rows.iter().find(|row| &*row.instance.id == id).unwrap().clone()
}

fn ask(outcome: &Outcome, id: &str) -> Option<String> {
    row(outcome, id).ask().map(|ask| ask.name.to_string())
}

fn looked_up(provider: &Scripted) -> Vec<String> {
    let mut ids: Vec<String> =
        provider.looked_up.lock().unwrap().iter().map(ToString::to_string).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn each_launch_is_looked_up_once_and_none_that_is_too_old_or_tagged() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap());
    let tagged = Instance { tags: Tags::from_raw([("Owner", "omar")]), ..young("i-3") };
    let instances = vec![young("i-1"), instance("i-2", "c5.large"), tagged];
    let provider = Scripted::new(Script::new(instances, Answer::Every(0.0)));
    let by = Launcher::Person("ines".into());
    let launch = Launch { at: "2026-11-01T00:00:01Z".parse().unwrap(), by };
    *provider.launch.lock().unwrap() = Ok(Some(launch));

    let outcome = read(&provider, &cache, 0).await;
    assert_eq!((looked_up(&provider).len(), ask(&outcome, "i-1")), (0, None));
    assert_eq!(ask(&outcome, "i-3").as_deref(), Some("omar"));

    let outcome = read(&provider, &cache, 5).await;
    assert_eq!(looked_up(&provider), ["i-1"]);
    assert_eq!(ask(&outcome, "i-1").as_deref(), Some("ines"));
    let old = row(&outcome, "i-2");
    assert_eq!(old.launch.as_deref().map(|of| &of.look), Some(&LaunchLook::TooOld));
    assert_eq!(ask(&outcome, "i-3").as_deref(), Some("omar"));

    // What was found is kept, also for runs that do not ask.
    let outcome = read(&provider, &cache, 0).await;
    assert_eq!(ask(&outcome, "i-1").as_deref(), Some("ines"));
    read(&provider, &cache, 5).await;
    assert_eq!(looked_up(&provider), ["i-1"]);

    // A stop and start is another launch.
    let again = Instance { launched_at: "2026-11-02T00:00:00Z".parse().unwrap(), ..young("i-1") };
    provider.play(Script::new(vec![again], Answer::Every(0.0)));
    let outcome = read(&provider, &cache, 0).await;
    assert_eq!(ask(&outcome, "i-1"), None);
    read(&provider, &cache, 5).await;
    assert_eq!(looked_up(&provider), ["i-1", "i-1"]);
}

#[tokio::test]
async fn nothing_found_is_kept_as_well() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap());
    let provider = Scripted::new(Script::new(vec![young("i-1")], Answer::Every(0.0)));
    for _ in 0..2 {
        let outcome = read(&provider, &cache, 5).await;
        let row = row(&outcome, "i-1");
        assert_eq!(row.launch.as_deref().map(|of| &of.look), Some(&LaunchLook::NotFound));
    }
    assert_eq!(looked_up(&provider), ["i-1"]);
}

#[tokio::test]
async fn a_denied_look_is_not_repeated_in_a_run_and_says_why_of_each() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap());
    let instances = vec![young("i-1"), young("i-2")];
    let provider = Scripted::new(Script::new(instances, Answer::Every(0.0)));
    let denied = SourceError::new(ErrorKind::Denied, "cloudtrail:LookupEvents", "no", "allow it");
    *provider.launch.lock().unwrap() = Err(denied);
    let outcome = read(&provider, &cache, 5).await;
    assert_eq!(looked_up(&provider).len(), 1);
    for id in ["i-1", "i-2"] {
        let row = row(&outcome, id);
        let look = &row.launch.as_deref().unwrap().look;
        let LaunchLook::Unread { why, fix } = look else { panic!("{look:?}") };
        assert_eq!((&**why, &**fix), ("cloudtrail:LookupEvents: no", "allow it"));
    }
    // The next run asks again: the permission may have been given.
    read(&provider, &cache, 5).await;
    assert_eq!(looked_up(&provider).len(), 2);
}
