//! The watch itself: its rounds, alerts, messages, and what its calls cost.

use super::families::{
    ALERTS, BUILD_INFO, DELIVERIES, DURATION, INTERVAL, LAST_ROUND, OWN_CAP, OWN_COST, OWN_UNKNOWN,
    QUEUED, ROUNDS,
};
use super::input::{Build, MetricsInput, WatchCounts};
use super::instances::fold;
use super::kept::Kept;
use super::page::Page;

/// Adds what the watch did.
pub(super) fn add(page: &mut Page, input: &MetricsInput<'_>, counts: &WatchCounts) {
    if let Some(own) = input.own_cost {
        let is_known = own.trouble.is_none();
        page.single(&OWN_COST, is_known.then(|| own.today_usd()));
        page.single(&OWN_CAP, Some(own.cap_usd()));
        page.single(&OWN_UNKNOWN, Some(f64::from(u8::from(!is_known))));
    }
    alerts(page, input.most_values, counts);
    deliveries(page, input.most_values, counts);
    page.single(&LAST_ROUND, Some(input.now.as_millisecond() as f64 / 1000.0));
    page.single(&INTERVAL, counts.every_seconds);
    page.single(&DURATION, counts.round_seconds);
    page.set(&ROUNDS, &["ok"], Some(counts.rounds as f64));
    page.set(&ROUNDS, &["failed"], Some(counts.failed_rounds as f64));
    add_build(page, input.build);
}

/// Adds which build this is.
pub(super) fn add_build(page: &mut Page, build: Build<'_>) {
    page.set(&BUILD_INFO, &[build.version, build.commit], Some(1.0));
}

fn alerts(page: &mut Page, most: usize, counts: &WatchCounts) {
    if counts.alerts.is_empty() {
        return;
    }
    let ranked = counts.alerts.iter().map(|of| ([&*of.rule], of.count as f64));
    let kept = Kept::costliest(most, ranked);
    fold(page, "rule", kept.folded());
    for of in &counts.alerts {
        let [rule] = kept.shown([&of.rule]);
        page.set(&ALERTS, &[&rule, of.severity.word(), of.state], Some(of.count as f64));
    }
}

fn deliveries(page: &mut Page, most: usize, counts: &WatchCounts) {
    if counts.deliveries.is_empty() {
        return;
    }
    // What does not arrive is to be seen first.
    let ranked =
        counts.deliveries.iter().map(|of| ([&*of.sink], (of.dead + of.failed + of.queued) as f64));
    let kept = Kept::costliest(most, ranked);
    fold(page, "sink", kept.folded());
    for of in &counts.deliveries {
        let [sink] = kept.shown([&of.sink]);
        for (result, count) in [("sent", of.sent), ("failed", of.failed), ("dead", of.dead)] {
            page.set(&DELIVERIES, &[&sink, result], Some(count as f64));
        }
        page.set(&QUEUED, &[&sink], Some(of.queued as f64));
    }
}
