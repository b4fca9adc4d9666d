//! The event log: what fails now, what happened, and what to do about it.

use super::{Line, wrap};
use crate::app::App;
use crate::app::Role;
use crate::app::age::Age;
use crate::app::msg::{Level, LogEntry};
use crate::domain::{Reading, SourceError};

/// Lines of the event log.
pub fn lines(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let failing: Vec<(&Reading, &SourceError)> = app
        .latest()
        .into_iter()
        .flat_map(|f| &f.readings)
        .filter_map(|r| Some((r, r.failed()?)))
        .collect();
    if failing.is_empty() && app.sources().progress.is_nothing() {
        lines.push(Line::of(Role::Dim, "No source has answered yet."));
    } else if failing.is_empty() {
        lines.push(Line::of(Role::Ok, "Every source answers."));
    } else {
        lines.push(Line::of(Role::Heading, "Failing now"));
        for (reading, error) in failing {
            now_failing(app, reading, error, width, &mut lines);
        }
    }
    lines.push(Line::new());
    lines.push(Line::of(Role::Heading, "Events, newest first (UTC)"));
    if app.log().is_empty() {
        lines.push(Line::of(Role::Dim, "nothing so far"));
    }
    for entry in app.log().iter().rev() {
        event(entry, width, &mut lines);
    }
    if !app.said().is_empty() {
        lines.push(Line::new());
        lines.push(Line::of(Role::Heading, "Messages above the footer, newest first (UTC)"));
    }
    for entry in app.said().iter().rev() {
        event(entry, width, &mut lines);
    }
    lines
}

fn now_failing(
    app: &App,
    reading: &Reading,
    error: &SourceError,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let since = match reading.taken_at {
        Some(then) => format!("  last good reading {} ago", Age::between(then, app.now())),
        None => "  never read".to_owned(),
    };
    failure(reading, error, ("", &since), width, lines);
}

/// A failed source, with `before` and `after` its first line; below it the error and what can be done about it.
pub(super) fn failure(
    reading: &Reading,
    error: &SourceError,
    (before, after): (&str, &str),
    width: usize,
    lines: &mut Vec<Line>,
) {
    lines.push(
        Line::new()
            .with(Role::Warn, format!("{before}{} {}", reading.source.word(), error.kind.word()))
            .with(Role::Dim, format!("  {}{after}", reading.scope)),
    );
    indented(Role::Text, &error.to_string(), width, lines);
    indented(Role::Accent, &error.fix, width, lines);
}

fn event(entry: &LogEntry, width: usize, lines: &mut Vec<Line>) {
    let role = match entry.level {
        Level::Info => Role::Dim,
        Level::Warn => Role::Warn,
        Level::Error => Role::Crit,
    };
    let mut line = Line::new()
        .with(Role::Dim, entry.at.strftime("%d %H:%M:%S  ").to_string())
        .column(role, entry.level.word(), 7);
    if let Some(source) = entry.source {
        line = line.text(format!("{}  ", source.word()));
    }
    if let Some(scope) = &entry.scope {
        line = line.with(Role::Dim, scope.to_string());
    }
    lines.push(line);
    indented(Role::Text, &entry.message, width, lines);
    indented(Role::Accent, &entry.fix, width, lines);
}

/// Lines of a text, four cells to the right; none for an empty text.
pub(super) fn indented(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    if text.is_empty() {
        return;
    }
    for part in wrap(text, width.saturating_sub(4)) {
        lines.push(Line::new().text("    ").with(role, part));
    }
}
