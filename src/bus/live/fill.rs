//! Closed hours from a source with a memory: newest first, each once, a few at a time.

use std::time::Duration;

use jiff::SignedDuration;
use tokio::time::Instant;

use super::sweeper::Context;
use super::{Teller, teller};
use crate::cache::GpuHours;
use crate::domain::{Backoff, ErrorKind, Hour, HourRange, SourceError};
use crate::source::jittered;

/// An hour is asked for this long after its end: a source may take in its last samples late.
const LAG: SignedDuration = SignedDuration::from_mins(2);
/// The farthest look back, hours: a week.
const AT_MOST: u32 = 168;
/// How long a report asks for the hours of its window: what idling has cost is a sum over them, the
/// same whatever the cache holds. With a slow source the next report goes on where this one stopped.
const ONCE_WITHIN: Duration = Duration::from_secs(30);
/// The longest that one slice may take.
const LIMIT: Duration = Duration::from_mins(2);
/// The first pause after a failure; doubled with each in a row.
const PAUSE: Duration = Duration::from_secs(15);
/// The longest pause.
const PAUSE_AT_MOST: Duration = Duration::from_mins(15);

/// Runs until stopped, or until the source turns out to have no memory.
pub(super) async fn run(ctx: Context) {
    if ctx.only_once {
        // What is there by then is good; an hour that is not costs evidence, not truth: a stretch is
        // then longer than it is said to be at least.
        let _ = tokio::time::timeout(ONCE_WITHIN, round(&ctx)).await;
        return;
    }
    let mut backoff = Backoff::default();
    loop {
        let wait = match round(&ctx).await {
            Round::Forgetful => return,
            Round::Done => {
                if std::mem::take(&mut backoff).has_failed() {
                    tracing::info!(scope = %ctx.scope(), "hours of GPUs are read again");
                }
                until_next_hour(&ctx)
            }
            Round::Failed(error) => {
                tracing::warn!(scope = %ctx.scope(), %error, "hours of GPUs");
                jittered(backoff.pause(PAUSE, PAUSE_AT_MOST), 0.25)
            }
        };
        tokio::select! {
            () = ctx.shared.stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// How a round ended.
enum Round {
    /// All that was missing is there.
    Done,
    /// The source has no memory.
    Forgetful,
    /// Asking on makes no sense for now.
    Failed(SourceError),
}

/// Asks for what is missing, newest first.
async fn round(ctx: &Context) -> Round {
    let who = teller(&*ctx.source);
    let missing = missing(ctx, &who);
    let learnt = !missing.is_empty();
    for hour in missing {
        let Ok(_permit) = ctx.shared.live.slices.acquire().await else { return Round::Done };
        if ctx.shared.stop.is_cancelled() {
            return Round::Done;
        }
        let began = Instant::now();
        match tokio::time::timeout(LIMIT, ctx.source.hour(hour)).await {
            Ok(Some(Ok(gpus))) => {
                let (source, origin) = who.clone();
                let hours = GpuHours { source, origin, hour, gpus };
                ctx.shared.tap.hours(&hours);
                ctx.shared.live.learn(&ctx.shared.cache, hours).await;
                tracing::debug!(scope = %ctx.scope(), ?hour, took = ?began.elapsed(), "hour of GPUs");
            }
            Ok(Some(Err(error))) => return Round::Failed(error),
            Ok(None) => {
                ctx.shared.live.cannot_remember(who);
                return Round::Forgetful;
            }
            Err(_) => {
                return Round::Failed(SourceError::new(
                    ErrorKind::Timeout,
                    "gpus:hour",
                    &format!("no answer within {} s", LIMIT.as_secs()),
                    "burntop goes on trying; a recording rule makes the question cheap",
                ));
            }
        }
    }
    if learnt {
        ctx.shared.live.filled.send_modify(|n| *n += 1);
    }
    Round::Done
}

/// The closed hours that nothing is known of, newest first.
fn missing(ctx: &Context, who: &Teller) -> Vec<Hour> {
    let now = ctx.shared.now().saturating_sub(LAG).unwrap_or(ctx.shared.now());
    let hours = ctx.shared.policy.borrow().window_hours().min(AT_MOST);
    let range = HourRange::last_closed(now, hours);
    let book = ctx.shared.live.book();
    (range.from.0..range.to.0).rev().map(Hour).filter(|hour| !book.knows(who, *hour)).collect()
}

/// Time until the running hour can be asked for; up to a minute more at random, so that many
/// cockpits do not ask in step.
fn until_next_hour(ctx: &Context) -> Duration {
    let now = ctx.shared.now();
    let asked = now.saturating_sub(LAG).unwrap_or(now);
    let ask_at = Hour::containing(asked).end().saturating_add(LAG).unwrap_or(now);
    let wait = Duration::try_from(ask_at.duration_since(now)).unwrap_or_default();
    wait + Duration::from_millis(fastrand::u64(..60_000))
}
