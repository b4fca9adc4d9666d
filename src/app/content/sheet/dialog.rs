//! The dialog of the last word, as lines in a box.

use super::review::{capital, cost, instance_store, saving};
use super::{Line, accounts, columns, instances, paragraph};
use crate::app::App;
use crate::app::Role;
use crate::app::input::LineEdit;
use crate::app::sheet::{Dialog, Place, Sheet};

/// Columns of the text in the box, at most: lines of a length that one reads.
const WIDEST: usize = 68;
/// Columns of the text, at least.
const NARROWEST: usize = 30;
/// Columns that frame and padding take.
pub const FRAME: usize = 4;

/// The confirmation dialog as drawn.
#[derive(Clone, Debug)]
pub struct Box {
    /// Title in the upper frame.
    pub title: String,
    /// Lines inside the frame.
    pub lines: Vec<Line>,
    /// Width of the text in columns.
    pub width: usize,
    /// Column and line of the text cursor; `None` where nothing is typed.
    pub caret: Option<(usize, usize)>,
    /// False where the body has no room for the whole dialog; then nothing can be confirmed.
    pub fits: bool,
}

/// The dialog of a sheet; where it does not fit, without what the page below already shows.
pub fn of(app: &App, sheet: &Sheet, dialog: &Dialog) -> Box {
    let made = build(app, sheet, dialog, false);
    if made.fits { made } else { build(app, sheet, dialog, true) }
}

fn build(app: &App, sheet: &Sheet, dialog: &Dialog, brief: bool) -> Box {
    let (columns, rows) =
        app.layout().map_or((0, 0), |l| (usize::from(l.width), usize::from(l.body_height)));
    let width = columns.saturating_sub(FRAME + 2).min(WIDEST);
    let mut made = Box { title: String::new(), lines: Vec::new(), width, caret: None, fits: false };
    let crate::app::sheet::Stage::Confirm(review, _) = sheet.stage() else { return made };
    let checked = review.checked();
    let (verb, tally) = (&checked.plan.verb, review.tally());
    made.title = format!("{} {}?", capital(verb.word()), instances(tally.go));
    let lines = &mut made.lines;
    let whose = accounts(app, checked.passed().map(|r| &r.item.scope.account));
    let priced: Vec<f64> = checked.passed().filter_map(|r| r.item.usd_per_hour).collect();
    let unpriced = tally.go - priced.len();
    let mut text = format!(
        "{} in {whose}, {}",
        instances(tally.go),
        crate::view::format::usd_per_hour(priced.iter().sum())
    );
    if priced.is_empty() {
        text = format!("{} in {whose}, price not known", instances(tally.go));
    } else if unpriced > 0 {
        text = format!("{text} + {unpriced} unpriced");
    }
    paragraph(Role::Text, &format!("{text}."), width, lines);
    if verb.is_destructive() && !brief {
        paragraph(Role::Text, &saving(&tally), width, lines);
    }
    if matches!(verb, crate::act::plan::Verb::Start) && !brief {
        paragraph(Role::Text, &cost(&tally), width, lines);
    }
    if let crate::act::plan::Verb::Mark { expires, reason } = verb {
        let until = expires.strftime("%Y-%m-%d %H:%M UTC");
        paragraph(Role::Text, &format!("Until {until}; reason: {reason}."), width, lines);
    }
    if verb.is_destructive() && tally.instance_store_gb > 0 {
        paragraph(Role::Crit, &instance_store(&tally), width, lines);
    }
    if matches!(verb, crate::act::plan::Verb::Terminate { .. }) {
        paragraph(Role::Crit, "This cannot be undone.", width, lines);
    }
    if tally.blocked > 0 && !brief {
        let text = format!("{} blocked, left out.", instances(tally.blocked));
        paragraph(Role::Dim, &text, width, lines);
    }
    if !brief {
        lines.push(Line::new());
    }
    // Where there is little room, what is missing takes the place of what is asked.
    let error = dialog.error();
    let mut caret = None;
    if !dialog.challenge().typed.is_empty() {
        let phrases = dialog.challenge().typed.join(" or ");
        match error.filter(|_| brief) {
            Some(error) => paragraph(Role::Warn, error, width, lines),
            None => lines.push(Line::new().text("Type ").with(Role::Accent, phrases)),
        }
        field(dialog, Place::Phrase, dialog.phrase(), width, lines, &mut caret);
    }
    if dialog.challenge().justification {
        lines.push(Line::new().text("Production: write why"));
        field(dialog, Place::Justification, dialog.justification(), width, lines, &mut caret);
    }
    let said = brief && !dialog.challenge().typed.is_empty();
    if let Some(error) = error.filter(|_| !said) {
        paragraph(Role::Warn, error, width, lines);
    }
    if !brief && (!dialog.challenge().typed.is_empty() || dialog.challenge().justification) {
        lines.push(Line::new());
    }
    buttons(app, dialog, &format!("{} {}", capital(verb.word()), tally.go), lines);
    made.caret = caret;
    made.fits = width >= NARROWEST && made.lines.len() + 2 <= rows;
    made
}

/// A line where one types: the end of a longer text that the cursor is in.
fn field(
    dialog: &Dialog,
    place: Place,
    edit: &LineEdit,
    width: usize,
    lines: &mut Vec<Line>,
    caret: &mut Option<(usize, usize)>,
) {
    let focused = dialog.focus() == place;
    let room = width.saturating_sub(3).max(1);
    let before = columns(edit.before());
    let skip = before.saturating_sub(room - 1);
    let mut skipped = 0;
    let mut visible = String::new();
    let mut used = 0;
    for c in edit.text().chars() {
        let wide = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if skipped < skip {
            skipped += wide;
            continue;
        }
        if used + wide > room {
            break;
        }
        used += wide;
        visible.push(c);
    }
    if focused {
        *caret = Some((2 + before.saturating_sub(skipped), lines.len()));
    }
    let role = if focused { Role::Accent } else { Role::Dim };
    lines.push(Line::new().with(role, "> ").with(Role::Heading, visible));
}

fn buttons(app: &App, dialog: &Dialog, go: &str, lines: &mut Vec<Line>) {
    let ascii = app.appearance().symbols == crate::view::Symbols::Ascii;
    let marker = if ascii { "> " } else { "▸ " };
    let mut line = Line::new();
    for place in dialog.places() {
        let label = match place {
            Place::Cancel => "[ Cancel ]".to_owned(),
            Place::Go => format!("[ {go} ]"),
            Place::Phrase | Place::Justification => continue,
        };
        let focused = dialog.focus() == place;
        line = line
            .with(Role::Accent, if focused { marker } else { "  " })
            .with(if focused { Role::Selected } else { Role::Text }, label)
            .text("  ");
    }
    if !dialog.challenge().typed.is_empty() {
        line = line.with(Role::Dim, "enter takes what is typed");
    }
    lines.push(line);
}
