//! The body without an instance: what is being read, what could not be, or that there is none.

use super::log::{failure, indented};
use super::{Line, pad, wrap};
use crate::app::App;
use crate::app::Role;
use crate::app::keymap::Action;
use crate::app::msg::Mode;
use crate::domain::{Reading, SourceId};
use crate::view::format;

/// Most failures shown in full; the log has all.
const FAILURES: usize = 3;

/// The sources of the first picture, in the order in which they are asked, and what for.
const ASKED: [(SourceId, &str); 4] = [
    (SourceId::Identity, "who we are, which regions"),
    (SourceId::Ec2, "instances"),
    (SourceId::CloudWatch, "metrics, for the verdicts"),
    (SourceId::Prices, "list prices"),
];

/// Lines shown instead of rows while there is no instance: what is being read, and what failed.
pub fn lines(app: &App, width: usize) -> Vec<Line> {
    let progress = app.sources().progress;
    let readings = app.latest().map(|f| f.readings.as_slice()).unwrap_or_default();
    let regions = |n: u32| format::plural(n as usize, "region");
    if !progress.is_nothing() {
        let answered = regions(progress.scopes - progress.waiting - progress.unread);
        let mut lines = Vec::new();
        let text = match progress.waiting {
            0 if progress.unread == 0 => {
                "No instance in any account and region that is read.".to_owned()
            }
            0 => format!("No instance in {answered}."),
            n => format!("No instance in {answered} so far; {} to be read.", regions(n)),
        };
        paragraph(Role::Dim, &text, width, &mut lines);
        if progress.unread > 0 {
            let text = format!("{} could not be read.", progress.unread_words());
            paragraph(Role::Warn, &text, width, &mut lines);
            failures(app, readings, width, &mut lines);
        }
        return lines;
    }
    let mut lines = Vec::new();
    if app.mode() == Mode::Offline {
        lines.push(Line::of(Role::Warn, "The cache holds nothing of these accounts."));
        let text = "Start burntop once without --offline: what it reads then is kept.";
        paragraph(Role::Dim, text, width, &mut lines);
    } else if progress.unread > 0 && progress.waiting == 0 {
        lines.push(Line::of(Role::Warn, "Nothing could be read."));
        failures(app, readings, width, &mut lines);
    } else {
        lines.push(Line::of(Role::Heading, "Reading the fleet"));
        lines.extend(ASKED.map(|(source, what)| asked(source, what, readings)));
        let text = "Nothing is in the cache yet; the next start shows the last picture at once.";
        paragraph(Role::Dim, text, width, &mut lines);
        failures(app, readings, width, &mut lines);
    }
    lines
}

/// `ec2     instances                  3 of 12 answered`.
fn asked(source: SourceId, what: &str, readings: &[Reading]) -> Line {
    let of = || readings.iter().filter(|r| r.source == source);
    let (all, answered) = (of().count(), of().filter(|r| r.taken_at.is_some()).count());
    let failed = of().filter(|r| r.failed().is_some()).count();
    let (role, state) = match (all, failed) {
        (0, _) => (Role::Dim, "waiting".to_owned()),
        (_, 0) if answered == all => (Role::Ok, "answered".to_owned()),
        (_, 0) => (Role::Text, format!("{answered} of {all} answered")),
        _ => (Role::Warn, format!("{answered} of {all} answered, {failed} failed")),
    };
    Line::new()
        .text("  ")
        .column(Role::Text, source.word(), 8)
        .with(Role::Dim, pad(what, 27))
        .with(role, state)
}

fn failures(app: &App, readings: &[Reading], width: usize, lines: &mut Vec<Line>) {
    let failed: Vec<_> = readings
        .iter()
        .filter(|r| r.taken_at.is_none())
        .filter_map(|r| Some((r, r.failed()?)))
        .collect();
    for (reading, error) in failed.iter().take(FAILURES) {
        failure(reading, error, ("  ", ""), width, lines);
    }
    if failed.len() > FAILURES
        && let Some(key) = app.keymap().keys(Action::Log).first()
    {
        let text = format!("{} more: {key}", failed.len() - FAILURES);
        indented(Role::Dim, &text, width, lines);
    }
}

fn paragraph(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    lines.extend(wrap(text, width).into_iter().map(|l| Line::of(role, l)));
}
