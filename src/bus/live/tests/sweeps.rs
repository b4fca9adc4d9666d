//! Sources that hang, fail, recover, and are looked at closely.

use super::*;

const PROM: SourceId = SourceId::Prometheus;
const EXPORTER: SourceId = SourceId::Exporter;

fn works() -> Say {
    Say::These(vec![sample("n1", 0, 0.5, now())])
}

#[tokio::test]
async fn a_source_that_hangs_delays_no_other_and_is_said_to() {
    let mut hangs = Scripted::of(PROM, "slow", [Say::Hang]);
    // It is given up after four times as long.
    hangs.every = Duration::from_secs(2);
    let hangs = Arc::new(hangs);
    let quick = Scripted::new(EXPORTER, "rack", [works()]);
    let mut bus = Bus::start(parts(&[hangs.clone(), quick.clone()], &cache()));
    let said = bus.until(|said| quick.sweeps().0 >= 3 && state(said, "rack") == Some("live")).await;
    assert_eq!(state(&said, "rack"), Some("live"));
    assert_eq!(state(&said, "slow"), Some("loading"));
    let said = bus.until(|said| state(said, "slow") == Some("timeout")).await;
    assert_eq!(log(&said), [("slow/-".to_owned(), Some(ErrorKind::Timeout))]);
    bus.stop().await;
}

#[tokio::test]
async fn a_source_that_fails_is_asked_again_until_it_works() {
    let fail = || Say::Fail(ErrorKind::Network);
    let mut source = Scripted::of(PROM, "main", [fail(), fail(), works()]);
    // Long enough that the picture of the third comes before the fourth.
    source.every = Duration::from_secs(1);
    let source = Arc::new(source);
    let mut bus = Bus::start(parts(std::slice::from_ref(&source), &cache()));
    let said = bus.until(|said| state(said, "main") == Some("live")).await;
    assert_eq!(source.sweeps().0, 3);
    let main = || "main/-".to_owned();
    assert_eq!(log(&said), [(main(), Some(ErrorKind::Network)), (main(), None)]);
    bus.stop().await;
}

#[tokio::test]
async fn a_defect_in_a_source_is_its_failure() {
    let source = Scripted::new(PROM, "main", [Say::Panic, works()]);
    let mut bus = Bus::start(parts(&[source], &cache()));
    let said = bus.until(|said| state(said, "main") == Some("live")).await;
    let main = || "main/-".to_owned();
    assert_eq!(log(&said), [(main(), Some(ErrorKind::Other)), (main(), None)]);
    bus.stop().await;
}

#[tokio::test]
async fn only_what_is_in_focus_is_looked_at_closely() {
    let mut close = Scripted::of(EXPORTER, "rack", [works()]);
    close.focus_every = Some(Duration::from_millis(20));
    let close = Arc::new(close);
    let far = Scripted::new(PROM, "main", [works()]);
    let mut bus = Bus::start(parts(&[close.clone(), far.clone()], &cache()));
    bus.until(|_| close.sweeps().0 >= 3 && far.sweeps().0 >= 3).await;
    assert_eq!((close.sweeps().1, far.sweeps().1), (0, 0), "nothing is in focus");

    bus.handle.focus_gpus(vec!["n1".into()]);
    let before = close.sweeps().0;
    bus.until(|_| close.sweeps().1 >= 20 && close.sweeps().0 >= before + 2).await;
    assert_eq!(far.sweeps().1, 0, "a closer look at it brings nothing");
    let asked = close.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|f| f.is_empty() || f[..] == ["n1".into()]));

    bus.handle.focus_gpus(vec![]);
    // The look that is under way may be the last one.
    let full = close.sweeps().0;
    bus.until(|_| close.sweeps().0 > full).await;
    let (full, looks) = close.sweeps();
    bus.until(|_| close.sweeps().0 >= full + 2).await;
    assert_eq!(close.sweeps().1, looks);
    bus.stop().await;
}

#[tokio::test]
async fn a_host_in_trouble_is_one_line_and_less_coverage() {
    let ill = || Say::Without(vec![sample("n1", 0, 0.5, now())], vec!["10.0.0.7"]);
    let source = Scripted::new(EXPORTER, "rack", [ill(), ill(), ill(), works()]);
    let mut bus = Bus::start(parts(std::slice::from_ref(&source), &cache()));
    let covered = |said: &[Event]| reading(said, "rack").map_or(-1.0, |r| r.coverage);
    let mut said = bus.until(|said| (covered(said) - 0.5).abs() < 1e-6).await;
    said.extend(bus.until(|said| (covered(said) - 1.0).abs() < 1e-6).await);
    let host = "rack/10.0.0.7".to_owned();
    said.extend(bus.until(|_| source.sweeps().0 >= 6).await);
    assert_eq!(log(&said), [(host.clone(), Some(ErrorKind::Timeout)), (host, None)]);
    bus.stop().await;
}

#[tokio::test]
async fn a_refresh_by_the_user_reaches_what_is_free() {
    let slow = |source, origin| {
        let mut scripted = Scripted::of(source, origin, [works()]);
        scripted.every = Duration::from_hours(1);
        Arc::new(scripted)
    };
    let (free, billed) = (slow(PROM, "main"), slow(SourceId::CloudWatchGpu, "cw"));
    let mut bus = Bus::start(parts(&[free.clone(), billed.clone()], &cache()));
    bus.until(|_| free.sweeps().0 == 1 && billed.sweeps().0 == 1).await;
    bus.handle.refresh(true);
    bus.until(|_| free.sweeps().0 == 2).await;
    assert_eq!(billed.sweeps().0, 1);
    bus.stop().await;
}

#[tokio::test]
async fn a_refresh_reaches_what_is_billed_where_it_failed() {
    let mut failed =
        Scripted::of(SourceId::CloudWatchGpu, "cw", [Say::Fail(ErrorKind::Timeout), works()]);
    failed.every = Duration::from_hours(1);
    let failed = Arc::new(failed);
    let mut bus = Bus::start(parts(std::slice::from_ref(&failed), &cache()));
    bus.until(|said| state(said, "cw") == Some("timeout")).await;
    bus.handle.refresh(true);
    bus.until(|_| failed.sweeps().0 == 2).await;
    bus.stop().await;
}

#[tokio::test]
async fn nobody_is_asked_offline() {
    let source = Scripted::new(PROM, "main", [works()]);
    let mut offline = parts(std::slice::from_ref(&source), &cache());
    offline.settings.offline = true;
    let outcome = once(offline).await;
    assert_eq!(source.sweeps(), (0, 0));
    assert!(source.asked_hours.lock().unwrap().is_empty());
    assert!(outcome.gpus.rows.is_empty());
}
