//! What the GPUs tab says in words: the strip above it, its pages, and what stands there before
//! there is anything to see.

mod empty;
mod facts;
mod lists;
mod page;

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns, filtered};
use crate::app::keymap::Action;
use crate::domain::GpuState;
use crate::tabs::gpus::picture::GpuGrouping;
pub use empty::empty;
pub use lists::{distribution, findings, missing, of_instance};
pub use page::page;

/// What the waste in the strip is, beside that of the other pages.
const WASTE: &str = "waste live now: this minute, of GPUs that exporters see; the waste above: judged over days, of all \
                     instances";

/// Words of GPUs that stand on the tab and on the Overview.
pub const WORDS: [(&str, &str); 6] = [
    (
        "held idle",
        "GPUs that somebody holds (an owner, a process, 500 MiB and more) and does nothing with.",
    ),
    ("unallocated", "GPUs that nobody holds by telemetry, and on which nothing runs."),
    (
        "idle in job",
        "Unallocated ones that a job has by its scheduler: other work cannot have them.",
    ),
    (
        "slices",
        "Parts that MIG cuts a GPU into. Each is a row, and counts as its share of the GPU: 24 slices may be 8 GPUs.",
    ),
    (
        "unpriced, without a price",
        "In no sum of dollars; the number says how many a sum leaves out.",
    ),
    (
        "unseen, telemetry missing",
        "GPUs of running instances that no source tells of: what they do for their dollars nobody knows.",
    ),
];

/// How the GPUs are doing, what is not seen, and what the telemetry lacks; a line each.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(said) = app.gpu_tab().said() else { return Vec::new() };
    let ctx = app.gpu_context();
    let separator = format!(" {} ", ctx.symbols.separator());
    let parts = said.pulse.parts(&ctx);
    let last = parts.len() - usize::from(said.pulse.ages.is_some());
    let mut lines = Vec::new();
    // The map has room for one line: with a filter that of its GPUs, as above the list.
    if app.shows_heat() {
        lines.extend(filtered::line(app, app.gpu_tab().table(), false, width));
    }
    let mut pulse = Line::new();
    let mut used = 0;
    for (i, part) in parts.into_iter().enumerate() {
        let role = match i {
            0 | 1 => Role::Heading,
            2 => Role::Idle,
            3 => Role::Text,
            _ if i >= last => Role::Dim,
            _ => Role::Warn,
        };
        let gap = if used > 0 { columns(&separator) } else { 0 };
        // What does not fit goes to the next line: a number that is cut is a wrong number.
        if used > 0 && used + gap + columns(&part) > width {
            lines.push(std::mem::take(&mut pulse));
            used = 0;
        }
        if used > 0 {
            pulse = pulse.with(Role::Dim, separator.clone());
            used += gap;
        }
        used += columns(&part);
        pulse = pulse.with(role, part);
    }
    lines.push(pulse);
    // Where it took rows of the table, the help alone says so.
    if columns(WASTE) <= width {
        lines.push(Line::of(Role::Dim, WASTE));
    }
    if let Some(sentence) = said.blind.sentence() {
        let key = app.keymap().keys(Action::Missing).first();
        let key = key.map_or_else(String::new, |key| format!("{key} "));
        lines.push(Line::of(Role::Accent, key).with(Role::Warn, sentence));
    }
    let sums = &said.pulse.sums;
    if sums.rows > 0 && sums.count(GpuState::Stale) == sums.rows {
        let text = "No GPU has told anything for a while: ! says which source is silent.";
        lines.push(Line::of(Role::Warn, text));
    } else if said.only_cloudwatch {
        let text = "CloudWatch alone tells: every five minutes, without SM activity.";
        lines.push(Line::of(Role::Dim, text));
    }
    lines
}

/// Label of the grouping, for the line of the tabs.
pub fn grouping_words(by: GpuGrouping) -> String {
    match by {
        GpuGrouping::Flat => "not grouped".to_owned(),
        by => format!("by {}", by.name()),
    }
}
