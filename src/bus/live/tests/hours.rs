//! Closed hours: asked for once, newest first, kept; seen by burntop itself.

use super::*;

fn hour_of(uuid: &str, max: f32) -> GpuHour {
    let uuid = Some(Arc::from(uuid));
    let identity = Arc::new(GpuIdentity { uuid, ..GpuIdentity::default() });
    GpuHour { identity, mean: max / 2.0, max, samples: 60, rung: Rung::A }
}

fn quiet() -> Say {
    Say::These(vec![])
}

/// The last closed hour.
fn last() -> i32 {
    Hour::containing(now()).0 - 1
}

#[tokio::test]
async fn each_hour_is_asked_for_once_newest_first_over_restarts_too() {
    let cache = cache();
    let source = || {
        Scripted::of(SourceId::Prometheus, "main", [quiet()])
            .remembering(|_| Ok(vec![hour_of("GPU-a", 0.25)]))
    };
    let first = source();
    let mut bus = Bus::start(parts(std::slice::from_ref(&first), &cache));
    bus.until(|_| first.hours_asked() == 168).await;
    bus.until(|_| first.sweeps().0 > 3).await;
    bus.stop().await;
    let asked: Vec<i32> = first.asked_hours.lock().unwrap().iter().map(|h| h.0).collect();
    let week: Vec<i32> = (last() - 167..=last()).rev().collect();
    assert_eq!(asked, week);

    let second = source();
    let mut again = parts(std::slice::from_ref(&second), &cache);
    again.clock = Arc::new(|| now() + jiff::SignedDuration::from_hours(2));
    let mut bus = Bus::start(again);
    bus.until(|_| second.hours_asked() == 2 && second.sweeps().0 > 3).await;
    bus.stop().await;
    let asked: Vec<i32> = second.asked_hours.lock().unwrap().iter().map(|h| h.0).collect();
    assert_eq!(asked, [last() + 2, last() + 1], "only what is new");
}

#[tokio::test]
async fn an_hour_that_just_ended_is_left_alone_for_two_minutes() {
    let source = Scripted::of(SourceId::Prometheus, "main", [quiet()])
        .remembering(|_| Ok(vec![hour_of("GPU-a", 0.25)]));
    let mut early = parts(std::slice::from_ref(&source), &cache());
    early.clock = Arc::new(|| "2026-11-21T03:01:00Z".parse().unwrap());
    let mut bus = Bus::start(early);
    bus.until(|_| source.hours_asked() > 0).await;
    bus.stop().await;
    assert_eq!(source.asked_hours.lock().unwrap()[0].0, last() - 1);
}

#[tokio::test]
async fn a_source_that_is_too_busy_is_left_alone_for_a_while() {
    let calls = Arc::new(AtomicI64::new(0));
    let counted = calls.clone();
    let source = Scripted::of(SourceId::Prometheus, "main", [quiet()]).remembering(move |_| {
        match counted.fetch_add(1, Ordering::Relaxed) {
            2..4 => Err(ErrorKind::Throttled),
            _ => Ok(vec![]),
        }
    });
    let cache = cache();
    let mut bus = Bus::start(parts(std::slice::from_ref(&source), &cache));
    bus.until(|_| source.sweeps().0 >= 4 && source.hours_asked() >= 3).await;
    bus.stop().await;
    assert_eq!(source.hours_asked(), 3, "two answers and a refusal");
    // The next run goes on where this one stopped.
    once(parts(std::slice::from_ref(&source), &cache)).await;
    let asked = source.asked_hours.lock().unwrap().clone();
    assert_eq!(asked.len(), 4, "a report does not insist");
    assert_eq!(asked[2], asked[3]);
    assert_eq!(asked[2].0, last() - 2);
}

#[tokio::test]
async fn a_source_without_a_memory_is_asked_for_it_once() {
    let source = Scripted::new(SourceId::Exporter, "rack", [quiet()]);
    let mut bus = Bus::start(parts(std::slice::from_ref(&source), &cache()));
    bus.until(|_| source.sweeps().0 >= 4).await;
    bus.stop().await;
    assert_eq!(source.asked_hours.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_report_asks_for_its_whole_window_and_the_next_one_for_nothing() {
    let cache = cache();
    let source = Scripted::of(SourceId::Prometheus, "main", [quiet()])
        .remembering(|_| Ok(vec![hour_of("GPU-a", 0.25)]));
    once(parts(std::slice::from_ref(&source), &cache)).await;
    assert_eq!(source.asked_hours.lock().unwrap().len(), 168);
    once(parts(std::slice::from_ref(&source), &cache)).await;
    assert_eq!(source.asked_hours.lock().unwrap().len(), 168);
}
