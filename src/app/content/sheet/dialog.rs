//! The dialog of the last word, as lines in a box.

use super::review::{capital, cost, instance_store, saving};
use super::{Line, accounts, columns, instances, paragraph};
use crate::act::plan::{CheckedRow, PlanItem, Preflighted};
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
/// Instances that are named; the rest is counted.
const NAMES: usize = 4;

/// How much the dialog says: as much as the body has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Everything, with the names of the instances.
    Names,
    /// Sums alone.
    Sums,
    /// Nothing that the page below shows already.
    Least,
}

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

/// The dialog of a sheet; where it does not fit, without names, then without what the page below already shows.
pub fn of(app: &App, sheet: &Sheet, dialog: &Dialog) -> Box {
    let rooms = [Room::Names, Room::Sums].into_iter();
    let made = rooms.map(|room| build(app, sheet, dialog, room)).find(|made| made.fits);
    made.unwrap_or_else(|| build(app, sheet, dialog, Room::Least))
}

fn build(app: &App, sheet: &Sheet, dialog: &Dialog, room: Room) -> Box {
    let brief = room == Room::Least;
    let (columns, rows) =
        app.layout().map_or((0, 0), |l| (usize::from(l.width), usize::from(l.body_height)));
    let width = columns.saturating_sub(FRAME + 2).min(WIDEST);
    let mut made = Box { title: String::new(), lines: Vec::new(), width, caret: None, fits: false };
    let crate::app::sheet::Stage::Confirm(review, _) = sheet.stage() else { return made };
    let checked = review.checked();
    let (verb, tally) = (&checked.plan.verb, review.tally());
    let all = checked.plan.items.len();
    made.title = match all > tally.go {
        true => format!("{} {} of {}?", capital(verb.word()), tally.go, instances(all)),
        false => format!("{} {}?", capital(verb.word()), instances(tally.go)),
    };
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
    if room == Room::Names {
        text = format!("{text}: {}", names(checked.passed().map(|row| &*row.item)));
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
    if room == Room::Names {
        left_out(checked, width, lines);
    } else if tally.blocked > 0 && !brief {
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
            None => lines.push(asked(phrases, tally.go, width)),
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

/// The first names of these instances, their ids where they have none, and how many more there are.
fn names<'a>(items: impl Iterator<Item = &'a PlanItem>) -> String {
    let all: Vec<&str> =
        items.map(|item| if item.name.is_empty() { &*item.id } else { &*item.name }).collect();
    let shown = all.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Which of the chosen instances stay as they are, the first with the reason.
fn left_out(checked: &Preflighted, width: usize, lines: &mut Vec<Line>) {
    let blocked: Vec<&CheckedRow> = checked.blocked().collect();
    let Some((first, rest)) = blocked.split_first() else { return };
    let name = names(std::iter::once(&*first.item));
    let reason = first.own_reason().map_or("", |finding| &*finding.text);
    let mut text = format!("Stays as it is: {name}: {reason}");
    if !rest.is_empty() {
        let others = names(rest.iter().map(|row| &*row.item));
        text = format!("{text}; and {others}, for the reasons below");
    }
    paragraph(Role::Warn, &format!("{text}."), width, lines);
}

/// What has to be typed, and what its number is.
fn asked(phrases: String, go: usize, width: usize) -> Line {
    let said = format!(", then enter: {go} is how many go");
    let fits = columns("Type ") + columns(&phrases) + columns(&said) <= width;
    let line = Line::new().text("Type ").with(Role::Accent, phrases);
    if fits { line.with(Role::Dim, said) } else { line }
}

/// What `enter` does now, where the focus is.
fn enter(dialog: &Dialog) -> &'static str {
    let is_typed = !dialog.challenge().typed.is_empty();
    match dialog.focus() {
        Place::Cancel if is_typed => "enter cancels, tab goes back",
        Place::Cancel => "enter cancels, tab goes on",
        Place::Go => "enter does it now",
        Place::Phrase | Place::Justification if is_typed => "enter does it, once it is typed",
        Place::Phrase | Place::Justification => "enter goes on to the buttons",
    }
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
    lines.push(line.with(Role::Dim, enter(dialog)));
}
