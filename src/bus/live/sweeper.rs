//! One source of GPU telemetry on its own: sweeps of everything, and of what is in focus.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::super::Shared;
use super::super::account::report;
use super::super::readings::Outcome;
use super::super::scope::until_beat;
use super::super::world::Update;
use super::trouble::{News, Troubles};
use super::{Input, teller};
use crate::domain::{Backoff, ErrorKind, Scope, SourceError, SourceId, Sweep};
use crate::source::{Ask, GpuSource, jittered};

/// The longest a sweep may take, whatever the time-outs of the source say: four of its intervals,
/// and never longer than this.
const SWEEP_LIMIT: Duration = Duration::from_mins(1);
/// Longest time for a sweep of the hosts in focus; four of its intervals where that is less.
const FOCUS_LIMIT: Duration = Duration::from_secs(10);
/// The longest pause after failures in a row, unless the source is read less often anyway.
const PAUSE_AT_MOST: Duration = Duration::from_mins(5);
/// Sources that are read each second say how they are at most this often.
const REPORT_EVERY: Duration = Duration::from_secs(5);
/// Two sweeps of everything are never closer, whatever asks for them; nor than their interval.
const GAP: Duration = Duration::from_secs(2);

/// Sources that are read less often than this are read on a common beat.
const BEATS_FROM: Duration = Duration::from_secs(5);

/// What the tasks of a source work with.
#[derive(Clone)]
pub(super) struct Context {
    pub shared: Arc<Shared>,
    pub source: Arc<dyn GpuSource>,
    pub updates: mpsc::Sender<Update>,
    pub inputs: mpsc::Sender<Input>,
    pub only_once: bool,
}

impl Context {
    /// What readings and log lines of the source are filed under.
    pub fn scope(&self) -> Scope {
        Scope::new(self.source.origin().clone(), "-")
    }

    fn ask(&self, focus: Arc<[Arc<str>]>, with_recent: bool) -> Ask {
        let hosts = self.shared.live.hosts.borrow().clone();
        Ask { now: self.shared.now(), hosts, focus, with_recent }
    }
}

/// Runs until stopped; with `only_once` one sweep.
pub(super) async fn run(ctx: Context) {
    let (focus, hosts, refresh) = {
        let live = &ctx.shared.live;
        (live.focus.subscribe(), live.hosts.subscribe(), ctx.shared.refresh.subscribe())
    };
    let mut sweeper =
        Sweeper { ctx, troubles: Troubles::default(), backoff: Backoff::default(), told: None };
    let mut wakes = Wakes { focus, hosts, refresh };
    let mut first = true;
    loop {
        wakes.mark();
        let began = Instant::now();
        let worked = sweeper.everything(first).await;
        if sweeper.ctx.only_once {
            return;
        }
        first &= !worked;
        let every = sweeper.ctx.source.every();
        let next = if worked && every >= BEATS_FROM {
            // In step with the other sources and the inventories: the machine wakes once, and one
            // picture takes all of them in.
            Instant::now() + until_beat(sweeper.ctx.shared.started.elapsed(), every)
        } else {
            // A tenth is left to chance, so that many cockpits do not ask in step.
            began + jittered(rhythm(every, worked, &mut sweeper.backoff), 0.05)
        };
        if !sweeper.until(next, began + GAP.min(every), &mut wakes).await {
            return;
        }
    }
}

/// What may end a wait. A sweep answers what was asked for until it began, as a round does whose task has
/// a [`super::super::wake::Wake`]; but hosts and focus are values, not requests that count.
struct Wakes {
    focus: tokio::sync::watch::Receiver<Arc<[Arc<str>]>>,
    hosts: tokio::sync::watch::Receiver<Arc<[crate::source::GpuHost]>>,
    refresh: tokio::sync::watch::Receiver<u64>,
}

impl Wakes {
    /// Notes that the sweep about to begin serves all requests until now.
    fn mark(&mut self) {
        self.hosts.mark_unchanged();
        self.refresh.mark_unchanged();
    }
}

struct Sweeper {
    ctx: Context,
    troubles: Troubles,
    backoff: Backoff,
    /// When the world was last told that all is well, and the coverage it was told.
    told: Option<(Instant, f32)>,
}

/// The most that is said to be there of an answer of which something is missing that nobody can
/// count.
const NOT_WHOLE: f32 = 0.99;

/// The share of what was asked for, 0–1, of a sweep of everything. One that is partial is not whole,
/// even where all that were asked have answered.
fn coverage(sweep: &Sweep) -> f32 {
    let share = match sweep.asked {
        0 => 1.0,
        asked => sweep.answered as f32 / asked as f32,
    };
    if sweep.partial { share.min(NOT_WHOLE) } else { share }
}

impl Sweeper {
    /// Reads everything; true when it worked.
    async fn everything(&mut self, with_recent: bool) -> bool {
        self.report(Outcome::Loading).await;
        let ask = self.ctx.ask(Arc::default(), with_recent);
        let limit = (self.ctx.source.every() * 4).min(SWEEP_LIMIT);
        match guarded(&*self.ctx.source, &ask, limit).await {
            Ok(sweep) => {
                self.backoff.reset();
                self.tell(coverage(&sweep)).await;
                let news = self.troubles.compare(&sweep);
                self.log(news).await;
                self.ctx.shared.tap.sweep(&sweep);
                let _ = self.ctx.inputs.send(Input::Sweep(sweep)).await;
                true
            }
            Err(error) => {
                self.told = None;
                self.report(Outcome::Bad(Arc::new(error))).await;
                let failed = Input::Failed(teller(&*self.ctx.source));
                let _ = self.ctx.inputs.send(failed).await;
                false
            }
        }
    }

    /// Waits until `next`, looking closely at what is in focus meanwhile. A refresh by the user and
    /// other hosts end the wait, but not before `gap`. False when the bus stops.
    async fn until(&mut self, next: Instant, gap: Instant, wakes: &mut Wakes) -> bool {
        // Where each look is billed, only time makes one due, and a refresh where the last one
        // brought nothing.
        let billed = self.ctx.source.source() == SourceId::CloudWatchGpu;
        let in_vain = self.backoff.has_failed();
        let blind = self.ctx.shared.live.hosts.borrow().is_empty();
        let mut next = next;
        let mut look = Instant::now();
        let stop = self.ctx.shared.stop.clone();
        loop {
            let focus = wakes.focus.borrow_and_update().clone();
            let closely = self.ctx.source.focus_every().filter(|_| !focus.is_empty());
            let closely = closely.filter(|_| !in_vain);
            let look_at = closely.map_or(next, |_| look.min(next));
            tokio::select! {
                biased;
                () = stop.cancelled() => return false,
                _ = wakes.refresh.changed(), if !billed || in_vain => next = next.min(gap),
                _ = wakes.hosts.changed(), if !billed || blind => next = next.min(gap),
                _ = wakes.focus.changed() => {}
                () = tokio::time::sleep_until(look_at) => {
                    if look_at >= next {
                        return true;
                    }
                    let every = closely.unwrap_or(SWEEP_LIMIT);
                    // A look that fails is not tried again before everything is read anew.
                    let began = Instant::now();
                    look = if self.focus(focus).await { began + every } else { next };
                }
            }
        }
    }

    /// Looks at the hosts in focus; true when it worked.
    async fn focus(&mut self, focus: Arc<[Arc<str>]>) -> bool {
        let ask = self.ctx.ask(focus, false);
        let every = self.ctx.source.focus_every().unwrap_or(FOCUS_LIMIT);
        match guarded(&*self.ctx.source, &ask, (every * 4).min(FOCUS_LIMIT)).await {
            Ok(sweep) => {
                let news = self.troubles.compare(&sweep);
                self.log(news).await;
                self.ctx.shared.tap.sweep(&sweep);
                let _ = self.ctx.inputs.send(Input::Sweep(sweep)).await;
                true
            }
            Err(error) => {
                tracing::info!(source = self.ctx.source.source().word(), %error, "no close look");
                false
            }
        }
    }

    /// Says that all is well, unless that was said a moment ago.
    async fn tell(&mut self, coverage: f32) {
        let known = |(at, said): (Instant, f32)| {
            at.elapsed() < REPORT_EVERY && said.to_bits() == coverage.to_bits()
        };
        if self.told.is_some_and(known) {
            return;
        }
        // Without instances CloudWatch was not asked: that is no good reading of it.
        let billed = self.ctx.source.source() == SourceId::CloudWatchGpu;
        if billed && self.ctx.shared.live.hosts.borrow().is_empty() {
            return;
        }
        self.told = Some((Instant::now(), coverage));
        self.report(Outcome::Good { coverage }).await;
    }

    async fn report(&self, outcome: Outcome) {
        let source = self.ctx.source.source();
        report(&self.ctx.updates, source, self.ctx.scope(), outcome).await;
    }

    async fn log(&self, news: News) {
        let source = self.ctx.source.source();
        let origin = self.ctx.source.origin();
        for (host, error) in news.lines {
            let scope = Scope::new(origin.clone(), host);
            let _ = self.ctx.updates.send(Update::Trouble { source, scope, error }).await;
        }
        if news.more > 0 {
            let message = format!("{} more hosts changed between working and failing", news.more);
            let error = SourceError::new(ErrorKind::Other, "gpus:sweep", &message, "");
            let (scope, error) = (self.ctx.scope(), Some(Arc::new(error)));
            let _ = self.ctx.updates.send(Update::Trouble { source, scope, error }).await;
        }
    }
}

/// Time from one sweep to the next off the common beat: the source's own interval, doubled with each
/// failure in a row.
fn rhythm(every: Duration, worked: bool, backoff: &mut Backoff) -> Duration {
    let every = every.max(Duration::from_millis(100));
    if worked { every } else { backoff.pause(every * 2, PAUSE_AT_MOST.max(every)) }
}

/// A sweep under a limit. A defect that ends it is a failure like any other.
async fn guarded(source: &dyn GpuSource, ask: &Ask, limit: Duration) -> Result<Sweep, SourceError> {
    let sweep = AssertUnwindSafe(source.sweep(ask)).catch_unwind();
    match tokio::time::timeout(limit, sweep).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(SourceError::new(
            ErrorKind::Other,
            "burntop:gpus",
            "reading the GPUs ended in a defect of burntop",
            "please report it with the crash file in the state directory",
        )),
        Err(_) => Err(SourceError::new(
            ErrorKind::Timeout,
            "gpus:sweep",
            &format!("no answer within {:.0} s", limit.as_secs_f64().max(1.0)),
            "check the network path to it; burntop goes on trying",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_of_which_something_was_left_out_is_not_whole() {
        let sweep = |asked, answered, partial| Sweep {
            source: SourceId::Prometheus,
            origin: "p".into(),
            taken_at: jiff::Timestamp::UNIX_EPOCH,
            samples: Vec::new(),
            asked,
            answered,
            troubles: Vec::new(),
            partial,
        };
        assert_eq!(coverage(&sweep(4, 4, false)), 1.0);
        assert_eq!(coverage(&sweep(0, 0, false)), 1.0);
        assert_eq!(coverage(&sweep(4, 1, true)), 0.25);
        // What was left out nobody can count: less than all.
        assert!(coverage(&sweep(4, 4, true)) < 1.0 && coverage(&sweep(0, 0, true)) < 1.0);
    }

    #[test]
    fn failures_double_the_pause_up_to_five_minutes() {
        let (s, mut backoff) = (Duration::from_secs, Backoff::default());
        let pauses: Vec<u64> =
            (0..8).map(|n| rhythm(s(15), n == 0, &mut backoff).as_secs()).collect();
        assert_eq!(pauses, [15, 30, 60, 120, 240, 300, 300, 300]);
        assert_eq!(rhythm(s(1), false, &mut backoff), s(256));
        assert_eq!(rhythm(s(1), false, &mut backoff), s(300));
        let slow = rhythm(s(900), false, &mut backoff);
        assert_eq!(slow, s(900), "no oftener than it is read when all is well");
        backoff.reset();
        assert_eq!(rhythm(Duration::ZERO, true, &mut backoff), Duration::from_millis(100));
    }
}
