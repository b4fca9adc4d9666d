//! Moments and spans as files have them.

use std::cell::Cell;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::error::LineError;
use super::note::JobNote;
use crate::domain::text::clean_to;

/// Clocks may be ahead of ours by so much.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// From this number on a moment is told in milliseconds: as seconds it would be the year 5138.
const MILLISECONDS_FROM: f64 = 1e11;

/// Texts for no moment. The numbers are what Slurm's JSON has in place of it: 0, and 2³² less one and two.
const NONE: &[&str] = &["", "None", "Unknown", "N/A", "null", "0", "4294967294", "4294967295"];

/// Characters of a foreign text that a message repeats.
pub(super) const SAID: usize = 40;

/// Reads moments.
pub(super) struct Clock {
    tz: Option<TimeZone>,
    now: Timestamp,
    latest: Timestamp,
    ambiguous: Cell<u64>,
    is_seconds: Cell<bool>,
    is_milliseconds: Cell<bool>,
}

impl Clock {
    pub(super) fn new(tz: Option<TimeZone>, now: Timestamp) -> Self {
        let latest = now.checked_add(AHEAD).unwrap_or(now);
        let (ambiguous, is_seconds, is_milliseconds) = Default::default();
        Self { tz, now, latest, ambiguous, is_seconds, is_milliseconds }
    }

    /// True for a moment that is longer ago than `span`.
    pub(super) fn is_longer_ago(&self, at: Timestamp, span: SignedDuration) -> bool {
        self.now.duration_since(at) > span
    }

    /// The moment in a field; `None` for none. Err for what is no moment, names no zone, or lies in the future.
    pub(super) fn moment(
        &self,
        field: &'static str,
        text: &str,
    ) -> Result<Option<Timestamp>, LineError> {
        let text = text.trim();
        if NONE.contains(&text) {
            return Ok(None);
        }
        let said = || clean_to(text, SAID).into_owned();
        let at = match text.parse::<f64>() {
            Ok(number) => self.number(number),
            Err(_) => match text.parse::<Timestamp>() {
                Ok(at) => Some(at),
                Err(_) => return self.local(field, text).and_then(|at| self.past(field, text, at)),
            },
        };
        let at = at.ok_or_else(|| LineError::Time { field, text: said() })?;
        self.past(field, text, at)
    }

    fn number(&self, number: f64) -> Option<Timestamp> {
        if !number.is_finite() || number <= 0.0 {
            return None;
        }
        let is_ms = number >= MILLISECONDS_FROM;
        if is_ms { &self.is_milliseconds } else { &self.is_seconds }.set(true);
        let ms = if is_ms { number } else { number * 1e3 }.round();
        (ms < 1e15).then(|| Timestamp::from_millisecond(ms as i64).ok()).flatten()
    }

    fn local(&self, field: &'static str, text: &str) -> Result<Timestamp, LineError> {
        let said = || clean_to(text, SAID).into_owned();
        let at: DateTime = text.parse().map_err(|_| LineError::Time { field, text: said() })?;
        let tz = self.tz.as_ref().ok_or_else(|| LineError::NoZone { field, text: said() })?;
        let found = tz.to_ambiguous_timestamp(at);
        let gap = || LineError::Gap { field, text: said() };
        match found.offset() {
            jiff::tz::AmbiguousOffset::Unambiguous { .. } => {}
            jiff::tz::AmbiguousOffset::Gap { .. } => return Err(gap()),
            jiff::tz::AmbiguousOffset::Fold { .. } => self.ambiguous.set(self.ambiguous.get() + 1),
        }
        found.earlier().map_err(|_| LineError::Time { field, text: said() })
    }

    fn past(
        &self,
        field: &'static str,
        text: &str,
        at: Timestamp,
    ) -> Result<Option<Timestamp>, LineError> {
        if at > self.latest {
            return Err(LineError::Future { field, text: clean_to(text, SAID).into_owned() });
        }
        Ok(Some(at))
    }

    /// What is to be said of the moments that were read.
    pub(super) fn notes(&self) -> impl Iterator<Item = JobNote> {
        let times = self.ambiguous.get();
        let notes = [
            self.is_seconds.get().then_some(JobNote::Seconds),
            self.is_milliseconds.get().then_some(JobNote::Milliseconds),
            (times > 0).then_some(JobNote::Ambiguous { times }),
        ];
        notes.into_iter().flatten()
    }
}

/// Err where an attempt ends before it starts.
pub(super) fn forwards(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), LineError> {
    match (from, to) {
        (Some(from), Some(to)) if to < from => {
            Err(LineError::Backwards { seconds: from.as_second().saturating_sub(to.as_second()) })
        }
        _ => Ok(()),
    }
}

/// Seconds of `1-02:03:04`, `02:03:04` or `03:04`, with or without a fraction; `None` for anything else.
pub(super) fn span(text: &str) -> Option<i64> {
    let (days, rest) = match text.trim().split_once('-') {
        Some((days, rest)) => (days.parse::<u32>().ok()?, rest),
        None => (0, text.trim()),
    };
    let rest = rest.split_once('.').map_or(rest, |(whole, _)| whole);
    let parts: Vec<u32> = rest.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let seconds = parts.iter().fold(0_i64, |sum, part| sum * 60 + i64::from(*part));
    Some(i64::from(days) * 86_400 + seconds)
}
