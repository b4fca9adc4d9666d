//! What is published, and when.

use super::*;
use crate::domain::{GpuSample, RecentWindow};
use crate::fleet::gpu::GpuFleet;

const PROM: SourceId = SourceId::Prometheus;
const EXPORTER: SourceId = SourceId::Exporter;

fn pictures(said: &[Event]) -> Vec<Arc<GpuFleet>> {
    said.iter()
        .filter_map(|e| match e {
            Event::Gpus(gpus) => Some(gpus.clone()),
            _ => None,
        })
        .collect()
}

/// Names of the GPUs of a picture.
fn names(fleet: &GpuFleet) -> Vec<String> {
    let mut names: Vec<String> = fleet.rows.iter().map(|r| r.key.to_string()).collect();
    names.sort_unstable();
    names
}

/// A GPU that did nothing for a quarter of an hour.
fn quiet(node: &str, index: u16) -> GpuSample {
    let recent =
        RecentWindow { seconds: 900, samples: 60, max_activity: 0.0, max_power_w: Some(70.0) };
    GpuSample { recent: Some(recent), ..sample(node, index, 0.0, now()) }
}

#[tokio::test]
async fn a_host_without_an_account_shows_its_gpus() {
    let source = Scripted::new(
        SourceId::Nvml,
        "here",
        [Say::These(vec![sample("n1", 0, 0.5, now()), sample("n1", 1, 0.5, now())])],
    );
    let outcome = once(parts(std::slice::from_ref(&source), &cache())).await;
    assert_eq!(names(&outcome.gpus), ["GPU-n1-0", "GPU-n1-1"]);
    assert_eq!(source.sweeps(), (1, 0));
    assert!(outcome.fleet.rows.is_empty() && outcome.no_credentials.is_none());
    let told = outcome.fleet.readings.iter().find(|r| r.source == SourceId::Nvml).unwrap();
    assert_eq!((told.state.word(), &*told.scope.account), ("live", "here"));
}

#[tokio::test]
async fn one_gpu_of_two_sources_is_one_row() {
    let says = || [Say::These(vec![sample("n1", 0, 0.5, now())])];
    let sources = [Scripted::new(PROM, "main", says()), Scripted::new(EXPORTER, "rack", says())];
    let outcome = once(parts(&sources, &cache())).await;
    assert_eq!(outcome.gpus.rows.len(), 1);
    assert_eq!(outcome.gpus.rows[0].told.len(), 2);
}

#[tokio::test]
async fn the_same_sweep_again_is_no_news() {
    let source = Scripted::new(PROM, "main", [Say::These(vec![sample("n1", 0, 0.5, now())])]);
    let mut bus = Bus::start(parts(std::slice::from_ref(&source), &cache()));
    bus.until(|said| pictures(said).iter().any(|p| p.rows.len() == 1)).await;
    let swept = source.sweeps().0;
    let said = bus.until(|_| source.sweeps().0 > swept + 4).await;
    assert_eq!(pictures(&said).len(), 0);
    bus.stop().await;
}

#[tokio::test]
async fn a_close_look_changes_its_host_and_loses_no_other() {
    let all = || Say::These(vec![sample("n1", 0, 0.5, now()), sample("n2", 0, 0.5, now())]);
    let later = now() + jiff::SignedDuration::from_secs(3);
    let mut source =
        Scripted::of(EXPORTER, "rack", [all(), Say::These(vec![sample("n1", 0, 0.75, later)])]);
    // Only the first sweep is of everything.
    source.every = Duration::from_hours(1);
    source.focus_every = Some(Duration::from_millis(50));
    let mut parts = parts(&[Arc::new(source)], &cache());
    parts.clock = Arc::new(move || later);
    let mut bus = Bus::start(parts);
    bus.until(|said| pictures(said).iter().any(|p| p.rows.len() == 2)).await;
    bus.handle.focus_gpus(vec!["n1".into()]);
    let newest = |said: &[Event]| {
        let last = pictures(said).pop()?;
        let values = last.rows.iter().map(|r| {
            let util = r.sample.signals.get(crate::domain::GpuSignal::Util);
            (r.key.to_string(), util.unwrap_or_default())
        });
        Some(values.collect::<std::collections::BTreeMap<_, _>>())
    };
    let said = bus.until(|said| newest(said).is_some_and(|n| n.values().any(|v| *v > 0.7))).await;
    let newest = newest(&said).unwrap();
    assert_eq!(newest.len(), 2, "{newest:?}");
    assert!((newest["GPU-n1-0"] - 0.75).abs() < 1e-6 && (newest["GPU-n2-0"] - 0.5).abs() < 1e-6);
    bus.stop().await;
}

#[tokio::test]
async fn the_next_start_paints_what_was_seen_and_replaces_it_when_somebody_answers() {
    let cache = cache();
    let works = || Say::These(vec![sample("n1", 0, 0.5, now())]);
    let first = once(parts(&[Scripted::new(PROM, "main", [works()])], &cache)).await;

    let mut offline = parts(&[], &cache);
    offline.settings.offline = true;
    let remembered = once(offline).await.gpus;
    assert_eq!(names(&remembered), names(&first.gpus));
    assert_eq!((remembered.version, remembered.as_of), (0, first.gpus.as_of));
    assert_eq!(remembered.rows[0].node, first.gpus.rows[0].node);

    // While no source has answered, nothing takes its place.
    let mut slow = Scripted::of(PROM, "main", [Say::Hang, works()]);
    slow.every = Duration::from_secs(1);
    let slow = Arc::new(slow);
    let mut bus = Bus::start(parts(std::slice::from_ref(&slow), &cache));
    let said = bus.until(|said| !pictures(said).is_empty()).await;
    assert_eq!(names(&pictures(&said)[0]), names(&first.gpus));
    assert_eq!(slow.sweeps().0, 2);
    bus.stop().await;
}

#[tokio::test]
async fn idleness_goes_back_over_a_restart() {
    let cache = cache();
    let running = Hour::containing(now()).0;
    for ago in 1..=30 {
        let max = if ago == 20 { 0.9 } else { 0.0 };
        let identity = scripted::identity("n1", 0);
        let gpu = GpuHour { identity, mean: max, max, samples: 60, rung: Rung::A };
        let (source, origin) = (PROM, "main".into());
        let hours = GpuHours { source, origin, hour: Hour(running - ago), gpus: vec![gpu] };
        cache.store_gpu_hours(Arc::new(hours)).await;
    }
    let source = Scripted::new(PROM, "main", [Say::These(vec![quiet("n1", 0)])]);
    let outcome = once(parts(&[source], &cache)).await;
    let verdict = &outcome.gpus.rows[0].verdict;
    assert!(verdict.state.is_idle(), "{verdict:?}");
    assert_eq!(verdict.idle_since, Some(Hour(running - 19).start()));
}

#[tokio::test]
async fn dollars_wasted_never_fall_while_a_gpu_idles_over_restarts_and_gaps() {
    // Its source remembers a week, of which an hour is used where a test says so.
    let source = |at: Timestamp, used: Option<i32>| {
        let mut looks = quiet("n1", 0);
        looks.taken_at = at;
        Scripted::of(PROM, "main", [Say::These(vec![looks])]).remembering(move |hour| {
            let max = if Some(hour.0) == used { 0.9 } else { 0.0 };
            let identity = scripted::identity("n1", 0);
            Ok(vec![GpuHour { identity, mean: max, max, samples: 60, rung: Rung::A }])
        })
    };
    let cache = cache();
    let since = async |days: i64, used: Option<i32>| {
        let at = now() + jiff::SignedDuration::from_hours(24 * days);
        let mut parts = parts(&[source(at, used)], &cache);
        parts.clock = Arc::new(move || at);
        let verdict = once(parts).await.gpus.rows[0].verdict.clone();
        assert!(verdict.state.is_idle(), "{verdict:?}");
        (verdict.idle_since.unwrap(), verdict.idle_since_at_least)
    };
    let first = since(0, None).await;
    assert_eq!(first, (Hour(Hour::containing(now()).0 - 168).start(), true));
    // At once, after six days that the source remembers, and after six more: the hours from which the
    // start followed are not kept so long.
    assert_eq!([since(0, None).await, since(6, None).await, since(12, None).await], [first; 3]);
    // Use within what it remembers ends it.
    let used = Hour::containing(now()).0 + 24 * 15;
    let after = (Hour(used + 1).start(), false);
    assert_eq!(since(18, Some(used)).await, after);
    assert_eq!(since(18, None).await, after, "known for good");
    // So do hours that nobody saw: the source remembers a week of the eight days since.
    let (later, at_least) = since(26, None).await;
    assert!(at_least && later > after.0, "{later}");
}

#[tokio::test]
async fn a_source_without_a_memory_loses_no_start_over_a_restart_either() {
    let cache = cache();
    let say = |minutes: i64| {
        let at = now() + jiff::SignedDuration::from_mins(minutes);
        let mut looks = quiet("n1", 0);
        looks.taken_at = at;
        (at, Scripted::new(EXPORTER, "rack", [Say::These(vec![looks])]))
    };
    let since = async |minutes: i64| {
        let (at, source) = say(minutes);
        let mut parts = parts(&[source], &cache);
        parts.clock = Arc::new(move || at);
        once(parts).await.gpus.rows[0].verdict.idle_since.unwrap()
    };
    let first = since(0).await;
    assert_eq!(first, now() - jiff::SignedDuration::from_mins(15));
    for minutes in [40, 90, 150] {
        assert_eq!(since(minutes).await, first, "{minutes}");
    }
    assert_eq!(
        since(300).await,
        now() + jiff::SignedDuration::from_mins(285),
        "hours without a look"
    );
}

#[tokio::test]
async fn the_past_of_a_gpu_is_what_the_best_source_knows_or_what_was_seen() {
    let source = Scripted::new(PROM, "main", [Say::These(vec![sample("n1", 0, 0.5, now())])]);
    let mut bus = Bus::start(parts(&[source], &cache()));
    let said = bus.until(|said| pictures(said).iter().any(|p| p.rows.len() == 1)).await;
    let row = pictures(&said).pop().unwrap().rows[0].clone();
    let history = bus.handle.gpu_history(&row.key).await;
    let seen = history.traces.first().map_or(0, |t| t.values.len());
    let trail = row.trail.iter().len();
    assert_eq!(seen, if trail > 1 { trail } else { 0 });
    bus.stop().await;
}
