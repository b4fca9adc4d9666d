//! The help screen, made from the tables of keys, commands and fields.

use std::borrow::Cow;

use super::{Line, wrap};
use crate::app::command::{Words, commands};
use crate::app::keymap::{Action, Context};
use crate::app::{App, Role, lists};
use crate::domain::{GpuState, VerdictKind};
use crate::tabs::gpus::picture::words;

/// Columns that keys and names take.
const NAME_WIDTH: usize = 26;

/// The verdicts, worst first.
const VERDICTS: [(VerdictKind, &str); 7] = [
    (VerdictKind::Idle, "Nothing happened for the preset's whole stretch, on full evidence."),
    (VerdictKind::Partial, "k of n GPUs did nothing, the others work."),
    (VerdictKind::Underused, "In use, but far below its size. Not counted as waste."),
    (VerdictKind::Unknown, "The evidence does not suffice. Never counted as idle."),
    (VerdictKind::TooNew, "Too young to judge."),
    (VerdictKind::Busy, "In use."),
    (VerdictKind::Exempt, "Exempt by its tag."),
];

/// The states of a GPU, worst first.
const GPU_STATES: [(GpuState, &str); GpuState::ALL.len()] = [
    (GpuState::Unhealthy, "A GPU with a hardware error: it cannot be trusted with work."),
    (GpuState::Stalled, "A GPU that looks fully used and computes nothing: likely hangs."),
    (GpuState::HeldIdle, "A GPU that somebody holds and does nothing with."),
    (GpuState::UnallocatedIdle, "A GPU that nobody holds and nothing runs on."),
    (GpuState::Inefficient, "A GPU that works at less than half of what it could."),
    (GpuState::Unknown, "The evidence does not suffice. Never counted as idle."),
    (GpuState::Stale, "No fresh telemetry. Never counted as idle."),
    (GpuState::Busy, "A GPU that works."),
];

/// Other signs of the screen.
const SIGNS: [(&str, &str); 6] = [
    ("~", "Before a number: older than twice the interval it is read at."),
    ("ec2 12s  cw 4m", "A source and the age of its oldest last good answer."),
    ("cw denied 2/8", "A source in trouble in 2 of 8 accounts and regions; ! says what to do."),
    ("own $0.03", "What burntop's own billed calls cost today; CAP: they rest until midnight UTC."),
    ("RO", "burntop only reads: nothing can be changed from here."),
    ("ARMED, ARMED 1/3", "Instances of all accounts, or of some, can be stopped and terminated."),
];

/// Lines of the help page.
pub fn lines(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for context in Context::ALL {
        heading(context.title(), &mut lines);
        for spec in Action::ALL.iter().filter(|s| s.context == context) {
            let keys: Vec<String> =
                app.keymap().keys(spec.action).iter().map(ToString::to_string).collect();
            let keys = if keys.is_empty() { "(no key)".to_owned() } else { keys.join("  ") };
            entry(&keys, spec.doc.trim(), width, &mut lines);
        }
    }
    heading("What the signs mean", &mut lines);
    let symbols = app.appearance().symbols;
    for (kind, doc) in VERDICTS {
        let sign = format!("{} {}", symbols.verdict(kind), crate::view::verdict::word(kind));
        entry(&sign, doc, width, &mut lines);
    }
    for (state, doc) in GPU_STATES {
        let sign = format!("{} {}", words::glyph(state, symbols), words::word(state));
        entry(&sign, doc, width, &mut lines);
    }
    entry(symbols.unknown(), "Not known; never the same as 0.", width, &mut lines);
    for (sign, doc) in SIGNS {
        entry(sign, doc, width, &mut lines);
    }
    heading("Commands, after :", &mut lines);
    for command in commands() {
        let words = match command.words {
            Words::Each(of) => of(app).join("|"),
            _ => String::new(),
        };
        let name = format!("{} {}", command.name, command.usage.replace("{}", &words));
        entry(name.trim_end(), command.doc, width, &mut lines);
    }
    heading("The filter", &mut lines);
    for (example, doc) in [
        ("notebook", "A word: fuzzy search over the names, tags, types and ids."),
        ("\"train-7b\"", "In quotes: exactly these characters."),
        ("gpu<5 and $>10/h", "Field, operator, value with a unit; `and` may be left out."),
        ("idle>3d or verdict=unknown", "Either."),
        ("not env=prod", "The opposite; parentheses group."),
        ("name~eval", "Contains; !~ does not."),
        ("tag:owner=mia", "Any tag, by its key."),
    ] {
        entry(example, doc, width, &mut lines);
    }
    for (at, list) in lists().enumerate() {
        let use_of = if at == 0 { ", for filter, sort and columns" } else { "" };
        heading(format!("Fields of {}{use_of}", list.rows), &mut lines);
        for spec in (list.fields)().fields() {
            let alias = spec.aliases.first().map(|alias| format!(", {alias}"));
            let name = format!("{}{}", spec.name, alias.unwrap_or_default());
            entry(&name, spec.doc, width, &mut lines);
        }
    }
    lines
}

fn heading(text: impl Into<Cow<'static, str>>, lines: &mut Vec<Line>) {
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines.push(Line::of(Role::Heading, text));
}

fn entry(name: &str, doc: &str, width: usize, lines: &mut Vec<Line>) {
    // On a narrow screen the sentence goes below the name.
    let beside = width >= NAME_WIDTH + 30;
    if !beside || super::columns(name) >= NAME_WIDTH {
        lines.push(Line::new().text("  ").with(Role::Accent, name.to_owned()));
        let indent = if beside { NAME_WIDTH + 2 } else { 4 };
        for part in wrap(doc, width.saturating_sub(indent)) {
            lines.push(Line::new().text(" ".repeat(indent)).text(part));
        }
        return;
    }
    for (i, part) in wrap(doc, width - NAME_WIDTH - 2).into_iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        lines.push(Line::new().text("  ").column(Role::Accent, name, NAME_WIDTH).text(part));
    }
}
