//! A run while it goes on, and what came of it.

use super::instance::Cells;
use super::{Line, SheetPage, Sign, choose, indented, instances, paragraph};
use crate::act::plan::{OutcomeKind, POLL, POLL_AT_MOST, VISIBLE_WITHIN, Verb, Verified};
use crate::app::Role;
use crate::app::sheet::{RowStanding, Run};
use crate::app::{App, Mode};
use crate::view::format;

const WAITING: Sign = Sign::new("·", ".", "waiting", Role::Dim);
const LOOKING: Sign = Sign::new("◌", "?", "looking", Role::Text);
const CALLING: Sign = Sign::new("→", ">", "calling", Role::Accent);
const ACCEPTED: Sign = Sign::new("→", ">", "accepted", Role::Accent);
const SEEN: Sign = Sign::new("◍", "o", "seen", Role::Accent);
const DONE: Sign = Sign::new("✓", "+", "done", Role::Ok);
const REFUSED: Sign = Sign::new("⊘", "-", "refused", Role::Warn);
const FAILED: Sign = Sign::new("✗", "x", "failed", Role::Crit);
const UNKNOWN: Sign = Sign::new("?", "?", "unknown", Role::Crit);

/// The page.
pub(super) fn run(app: &App, run: &Run, width: usize, page: &mut SheetPage) {
    let lines = &mut page.lines;
    let plan = run.confirmed().plan();
    let rows = run.confirmed().rows();
    match run.ended() {
        None => {
            let text = format!(
                "{} running, {} of {} settled",
                super::review::capital(plan.verb.word()),
                run.finished(),
                instances(rows.len())
            );
            paragraph(Role::Heading, &text, width, lines);
            paragraph(Role::Dim, "Leaving this page does not stop it.", width, lines);
            if run.in_flight() > 0 {
                paragraph(Role::Text, &waits_for(&plan.verb), width, lines);
            }
        }
        Some(Ok(verified)) => head(app, run, verified, width, lines),
        Some(Err(why)) => {
            paragraph(Role::Crit, &format!("The run ended with an error: {why}"), width, lines);
            let text = "What became of the instances below is what was seen last; burntop audit \
                        list has what was written down.";
            paragraph(Role::Text, text, width, lines);
        }
    }
    let left_out = plan.items.len() - rows.len();
    if left_out > 0 {
        let text = format::counted(
            left_out,
            "instance of the plan was blocked and not touched.",
            "instances of the plan were blocked and not touched.",
        );
        paragraph(Role::Dim, &text, width, lines);
    }
    lines.push(Line::new());
    for (row, standing) in rows.iter().zip(run.standings()) {
        let (sign, text, role) = standing_in_words(standing);
        let remark = Some((text.as_str(), role)).filter(|(text, _)| !text.is_empty());
        Cells::of_item(&row.item).lines(app, sign, remark, width, lines);
    }
    if run.is_over() {
        way_back(app, run, width, lines);
    } else {
        let mut words = choose::plan_in_words(plan);
        if left_out > 0 {
            let go = format::counted(rows.len(), "of them goes", "of them go");
            words = format!("{words}, {go}");
        }
        lines.push(Line::new());
        let what = run.id().map_or_else(|| format!("Plan {}", plan.id()), |id| format!("Run {id}"));
        paragraph(Role::Dim, &format!("{what}: {words}."), width, lines);
    }
}

/// What the run waits for, how often it is asked, and when it is given up.
fn waits_for(verb: &Verb) -> String {
    let goal = match verb {
        Verb::Stop => "EC2 says of each that it is stopped",
        Verb::Terminate { .. } => "EC2 says of each that it is terminated",
        Verb::Start => "EC2 says of each that it is running",
        Verb::Mark { .. } | Verb::Remind | Verb::Unmark => "EC2 shows the tags of each as wanted",
    };
    let (first, later) = (POLL.as_secs(), POLL_AT_MOST.as_secs());
    let minutes = VISIBLE_WITHIN.as_secs() / 60;
    format!(
        "Waits until {goal}: asked after {first} s, then less often, every {later} s in the end, for \
         {minutes} min at most."
    )
}

fn head(app: &App, run: &Run, verified: &Verified, width: usize, lines: &mut Vec<Line>) {
    use OutcomeKind::{Done, Failed, Refused, Unknown};
    let count = |kind| verified.count(kind);
    let verb = super::review::capital(run.confirmed().plan().verb.word());
    let text = format!(
        "{verb}: {} done, {} refused, {} failed, {} unknown",
        count(Done),
        count(Refused),
        count(Failed),
        count(Unknown)
    );
    let role = if verified.is_complete() { Role::Heading } else { Role::Warn };
    paragraph(role, &text, width, lines);
    if count(Unknown) > 0 {
        let text = "Unknown means asked for and not seen to have happened: look again.";
        paragraph(Role::Warn, text, width, lines);
    }
    // The demo has a log of its own.
    let demo = if app.mode() == Mode::Demo { " --demo" } else { "" };
    let key = app.keymap().keys(crate::app::Action::Actions).first();
    let opens = key.map_or_else(String::new, |key| format!("; {key} opens the entry"));
    let text = format!("In the audit log: burntop{demo} audit show {}{opens}", verified.run_id);
    paragraph(Role::Text, &text, width, lines);
    for warning in &verified.warnings {
        paragraph(Role::Warn, &format!("Warning: {warning}"), width, lines);
    }
}

fn way_back(app: &App, run: &Run, width: usize, lines: &mut Vec<Line>) {
    let undo = run.undo();
    lines.push(Line::new());
    if undo.is_empty() {
        return paragraph(Role::Dim, "There is nothing to take back.", width, lines);
    }
    let key = app.keymap().keys(crate::app::Action::CopyId).first();
    let copies = key.map_or_else(String::new, |key| format!(", {key} copies"));
    lines.push(Line::of(Role::Heading, "The way back").with(Role::Dim, copies));
    for command in app.way_back_told(&undo) {
        indented(Role::Text, &command, 2, width, lines);
    }
}

fn standing_in_words(standing: &RowStanding) -> (&'static Sign, String, Role) {
    match standing {
        RowStanding::Waiting => (&WAITING, String::new(), Role::Dim),
        RowStanding::Rechecking => (&LOOKING, "looked at once more".into(), Role::Dim),
        RowStanding::Calling => {
            (&CALLING, "the intent is on disk, the call goes out".into(), Role::Dim)
        }
        RowStanding::Accepted => (&ACCEPTED, "the call was accepted".into(), Role::Dim),
        RowStanding::Seen(state) => (&SEEN, state.word().to_owned(), Role::Text),
        RowStanding::Finished(outcome) => {
            let sign = match outcome.kind {
                OutcomeKind::Done => &DONE,
                OutcomeKind::Refused => &REFUSED,
                OutcomeKind::Failed => &FAILED,
                OutcomeKind::Unknown => &UNKNOWN,
            };
            (sign, outcome.text.clone(), sign.role)
        }
    }
}
