//! The page of a run: what was done to what, by whom, the way back, and where it stands in the audit log.

use crate::app::content::Line;
use crate::app::keymap::Action;
use crate::app::{App, Mode, Role};
use crate::tabs::actions::picture::{ActionRow, ActionTarget};
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};

/// Lines of the page.
pub fn action(app: &App, run: &str, width: usize) -> Vec<Line> {
    let Some(row) = app.action(run) else {
        let text = match app.reads_actions() {
            true => "Reading the audit log.",
            false => "It is not there any more.",
        };
        return vec![Line::of(Role::Dim, text)];
    };
    let unknown = app.appearance().symbols.unknown();
    let what = if row.what.is_empty() { unknown } else { &row.what };
    let mut lines = vec![Line::of(Role::Heading, format!("{what}: {}", row.counts.words()))];
    fact("when", &format!("{:.0}", row.at), width, &mut lines);
    for (name, text) in [
        ("by", &row.by),
        ("from", &row.from),
        ("through", &row.executor),
        ("on the word of", &row.authority),
    ] {
        fact(name, if text.is_empty() { unknown } else { text }, width, &mut lines);
    }
    // Only what stops or deletes production is asked for a reason.
    if !row.why.is_empty() {
        fact("why", &row.why, width, &mut lines);
    }
    heading("What was acted on", &mut lines);
    for target in &row.targets {
        acted_on(target, width, &mut lines);
    }
    way_back(app, row, width, &mut lines);
    entry(app, row, width, &mut lines);
    lines
}

fn acted_on(target: &ActionTarget, width: usize, lines: &mut Vec<Line>) {
    let role = match target.result {
        "done" => Role::Ok,
        "refused" | "open" => Role::Warn,
        _ => Role::Crit,
    };
    let text = match target.text.as_str() {
        "" => target.result.to_owned(),
        text => format!("{}: {text}", target.result),
    };
    let name: Vec<&str> = [&*target.name, &*target.id, &*target.scope]
        .into_iter()
        .filter(|t| !t.is_empty())
        .collect();
    paragraph(Role::Text, &name.join("  "), width, lines);
    role_fact(role, "", &text, width, lines);
    for lost in &target.lost {
        role_fact(Role::Dim, "", lost, width, lines);
    }
}

fn way_back(app: &App, row: &ActionRow, width: usize, lines: &mut Vec<Line>) {
    if row.back.is_empty() {
        heading("The way back", lines);
        paragraph(Role::Dim, "There is nothing to take back.", width, lines);
        return;
    }
    let key = app.keymap().keys(Action::CopyId).first();
    let copies = key.map_or_else(String::new, |key| format!(", {key} copies it"));
    heading(format!("The way back{copies}"), lines);
    for command in app.way_back_told(&row.back) {
        paragraph(Role::Text, &command, width, lines);
    }
}

fn entry(app: &App, row: &ActionRow, width: usize, lines: &mut Vec<Line>) {
    heading("In the audit log", lines);
    let numbers: Vec<String> = row.lines.iter().map(ToString::to_string).collect();
    let file = app.actions().map_or("", |of| &of.file);
    fact("lines", &format!("{} of {file}", numbers.join(", ")), width, lines);
    // The demo has a log of its own.
    let demo = if app.mode() == Mode::Demo { " --demo" } else { "" };
    fact("all of it", &format!("burntop{demo} audit show {}", row.id), width, lines);
}
