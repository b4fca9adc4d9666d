//! The last line: where one types, or the keys that matter here.

use ratatui::style::Modifier;

use super::canvas::Canvas;
use super::lines;
use crate::app::command::doc_of;
use crate::app::content::columns;
use crate::app::sheet::{Place, Sheet, Stage, why_read_only};
use crate::app::{
    Action, App, HintPlace, Layout, List, Mode, Page, Popup, Prompt, PromptKind, Role,
    column_entries,
};
use crate::tabs;
use crate::view::complete::example;
use crate::view::format;

/// Fewest columns of a reason why nothing can be done, cut.
const READ_ONLY_AT_LEAST: u16 = 24;

/// Draws the last line: prompt or keys; returns the cell of the terminal's cursor, `None` without one, and where
/// keys stand.
pub fn draw(
    canvas: &mut Canvas<'_>,
    app: &App,
    layout: &Layout,
) -> (Option<(u16, u16)>, Vec<HintPlace>) {
    let y = layout.footer;
    if let Some(prompt) = app.prompt() {
        return (Some(draw_prompt(canvas, app, prompt, layout)), Vec::new());
    }
    if app.popup() == Some(&Popup::Sort) {
        sort_letters(canvas, app.list(), app.table_width(), layout);
        return (None, Vec::new());
    }
    let mut x = 1;
    // Without the lower rule a notice has no other place.
    if layout.lower_rule.is_none()
        && let Some((text, role)) = lines::notice(app)
    {
        let style = canvas.style(role);
        x = canvas.put(x, y, canvas.width().saturating_sub(2), &text, style) + 3;
    }
    // Without the upper rule the banner has none.
    if layout.upper_rule.is_none()
        && let Some((text, role)) = lines::banner(app)
    {
        let style = canvas.style(role);
        x = canvas.put(x, y, u16::MAX, &text, style) + 3;
    }
    if !app.pages_show_run()
        && let Some(text) = app.run_in_words()
    {
        let key = app.keymap().keys(Action::Act).first();
        let shows = key.map_or_else(String::new, |key| format!(" ({key} shows it)"));
        let style = canvas.style(Role::Warn);
        x = canvas.put(x, y, u16::MAX, &format!("{text}{shows}"), style) + 3;
    }
    if app.shows_table() {
        let basis = tabs::screen_on(app).marks_basis(app);
        x = marks(canvas, app.list(), basis, x, y);
    }
    let places = hints(canvas, app, x, y);
    let end = places.iter().map(|(_, right, _)| *right).max().unwrap_or(x);
    read_only(canvas, app, (end, y));
    (None, places)
}

/// Right of the keys, as far as there is room: that nothing can be done here, and what would allow it. On the action sheet, and
/// where its key is named.
fn read_only(canvas: &mut Canvas<'_>, app: &App, (end, y): (u16, u16)) {
    let on_sheet = app.page().is_some_and(|opened| matches!(opened.page, Page::Sheet));
    let named = || shown_keys(app).iter().any(|(action, _)| *action == Action::Act);
    let rules = app.rules();
    let accounts = app.accounts();
    let may_act = accounts.iter().any(|account| rules.account(&account.id).may_act());
    let is_live = app.mode() != Mode::Offline && !accounts.is_empty();
    if !is_live || may_act || !(on_sheet || named()) {
        return;
    }
    let why = why_read_only(rules, accounts.iter().map(|account| &account.id));
    let text = format!("read-only: {}", why.as_deref().unwrap_or("start with --allow-actions"));
    let needed = u16::try_from(columns(&text)).unwrap_or(u16::MAX);
    let right = canvas.width().saturating_sub(1);
    let room = right.saturating_sub(end.saturating_add(3));
    // A reason can be cut; an option that is not whole is none.
    let least = if why.is_some() { needed.min(READ_ONLY_AT_LEAST) } else { needed };
    if room >= least {
        let style = canvas.style(Role::Dim);
        canvas.put_right(right, y, room, &text, style);
    }
}

fn draw_prompt(canvas: &mut Canvas<'_>, app: &App, prompt: &Prompt, layout: &Layout) -> (u16, u16) {
    let y = layout.footer;
    let width = canvas.width();
    let accent = canvas.style(Role::Accent);
    let start = canvas.put(1, y, width.saturating_sub(2), prompt.label(), accent);
    // A text longer than the line is shown around the cursor.
    let room = usize::from(width.saturating_sub(start).saturating_sub(1)).max(1);
    let before = columns(prompt.line.before());
    let skip = before.saturating_sub(room.saturating_sub(1));
    let mut skipped = 0;
    let visible: String = prompt
        .line
        .text()
        .chars()
        .skip_while(|c| {
            let more = skipped < skip;
            if more {
                skipped += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
            }
            more
        })
        .collect();
    let plain = canvas.style(Role::Text);
    let end = canvas.put(start, y, u16::try_from(room).unwrap_or(u16::MAX), &visible, plain);
    if let Some(proposal) = prompt.line.proposal() {
        let shown =
            u16::try_from(columns(proposal)).unwrap_or(u16::MAX).min(end.saturating_sub(start));
        let selected = canvas.style(Role::Selected);
        canvas.tint(end.saturating_sub(shown), y, shown, selected);
    }
    let cursor = start.saturating_add(u16::try_from(before.saturating_sub(skipped)).unwrap_or(0));
    // Without the lower rule an error stands beside the text.
    if layout.lower_rule.is_none()
        && let Some((text, role)) = lines::remark(app)
    {
        let style = canvas.style(role);
        canvas.put(end + 2, y, width.saturating_sub(end + 3), &text, style);
    }
    (cursor.min(width.saturating_sub(1)), y)
}

/// Count and price of the marks.
fn marks(canvas: &mut Canvas<'_>, list: &List, basis: &str, mut x: u16, y: u16) -> u16 {
    if list.has_range() {
        let style = canvas.style(Role::Marked);
        x = canvas.put(x, y, u16::MAX, "RANGE, V selects it, esc does not", style) + 3;
    }
    if let Some(marked) = list.marked() {
        let count = format::grouped(marked.count as f64, 0);
        let usd = format::usd_per_hour(marked.usd_per_hour);
        let mut text = format!("{count} selected {usd}{basis}");
        if marked.unpriced > 0 {
            text = format!("{text} + {} unpriced", marked.unpriced);
        }
        if marked.hidden > 0 {
            let hidden = format::grouped(marked.hidden as f64, 0);
            text = format!("{text}, {hidden} hidden by the filter");
        }
        let style = canvas.style(Role::Marked).add_modifier(Modifier::BOLD);
        x = canvas.put(x, y, u16::MAX, &text, style) + 3;
    }
    x
}

/// The letters to sort by: columns on screen first, then the others.
fn sort_letters(canvas: &mut Canvas<'_>, list: &List, width: u16, layout: &Layout) {
    let y = layout.footer;
    let dim = canvas.style(Role::Dim);
    let accent = canvas.style(Role::Accent);
    let mut x = canvas.put(1, y, u16::MAX, "sort by", dim) + 2;
    let placed = list.placement(width).columns;
    let seen: Vec<_> = placed.iter().map(|c| c.field).collect();
    for (spec, _) in column_entries(list.table(), &seen) {
        let Some(key) = spec.sort_key else { continue };
        let needed = spec.header.len() + 4;
        if usize::from(x) + needed > usize::from(canvas.width()) {
            break;
        }
        x = canvas.put(x, y, 1, key.encode_utf8(&mut [0; 4]), accent) + 1;
        x = canvas.put(x, y, u16::MAX, spec.header, dim) + 2;
    }
}

/// The keys that matter here, as many as fit; help is always among them. Returns where each stands.
fn hints(canvas: &mut Canvas<'_>, app: &App, mut x: u16, y: u16) -> Vec<HintPlace> {
    type Hint = (Action, String, &'static str);
    let hint = |(action, own): (Action, &'static str)| -> Option<Hint> {
        let (key, text) = label(app, action, own)?;
        Some((action, key, text))
    };
    let mut all: Vec<Hint> = shown_keys(app).iter().copied().filter_map(hint).collect();
    let asked = app.popup().is_some() || app.dialog().is_some();
    let further = further_key(app, &all).filter(|_| !asked);
    if let Some((at, hint)) = further.and_then(|(at, action)| Some((at, hint((action, ""))?))) {
        all.insert(at, hint);
    }
    let last = hint((Action::Help, "")).filter(|_| !asked);
    let needed = |(_, key, text): &Hint| columns(key) + 1 + columns(text) + 3;
    let reserved = last.as_ref().map_or(0, needed);
    let accent = canvas.style(Role::Accent);
    let dim = canvas.style(Role::Dim);
    let width = usize::from(canvas.width());
    let mut places = Vec::new();
    let mut put = |x: u16, (action, key, text): &Hint| -> u16 {
        let left = x;
        let x = canvas.put(x, y, u16::MAX, key, accent) + 1;
        let right = canvas.put(x, y, u16::MAX, text, dim);
        places.push((left, right, *action));
        right + 3
    };
    for hint in &all {
        if usize::from(x) + needed(hint) + reserved > width + 3 {
            break;
        }
        x = put(x, hint);
    }
    if let Some(hint) = last.filter(|h| usize::from(x) + needed(h) <= width + 3) {
        put(x, &hint);
    }
    places
}

/// Number of keys before the one that finds: what a screen has itself goes first.
const BEFORE_FIND: usize = 2;

/// A key beside those that a screen names itself, and its place among them: lines can be searched, and what a filter leaves can
/// be selected at once.
fn further_key(app: &App, named: &[(Action, String, &'static str)]) -> Option<(usize, Action)> {
    if app.shows_lines() {
        return Some((named.len().min(BEFORE_FIND), Action::FindText));
    }
    let is_filtered = app.shows_table() && !app.list().filter_text().is_empty();
    let of = |wanted| named.iter().position(|(action, ..)| *action == wanted);
    let mark = of(Action::Mark).filter(|_| is_filtered && of(Action::MarkAll).is_none());
    mark.map(|at| (at + 1, Action::MarkAll))
}

/// The key of an action with what it does, `own` where the action's own label is too general; `None` where no key
/// is left to it, and where it would do nothing.
fn label(app: &App, action: Action, own: &'static str) -> Option<(String, &'static str)> {
    let key = app.keymap().keys(action).first().filter(|_| app.offers(action))?.to_string();
    Some((key, if own.is_empty() { action.spec().short } else { own }))
}

/// The keys of the dialog, chooser or question on screen in one line, for its frame.
pub fn keys_of_box(app: &App) -> String {
    in_words(app, shown_keys(app))
}

/// The keys of the line in which one types; of a command first what it does, of a filter an example, of a
/// proposal what becomes of it.
pub fn keys_of_prompt(app: &App) -> String {
    let completes = app
        .prompt()
        .is_some_and(|p| matches!(p.kind, PromptKind::Filter { .. } | PromptKind::Command));
    let all = [(Action::Accept, ""), (Action::Cancel, ""), (Action::Complete, "complete")];
    let keys = in_words(app, if completes { &all } else { &all[..2] });
    let replaces = app.prompt().is_some_and(|prompt| prompt.line.proposal().is_some());
    if replaces {
        let edits = in_words(app, &[(Action::TextLeft, "edits it")]);
        return format!("type to replace it  {edits}  {keys}");
    }
    match app.prompt().map(|prompt| (&prompt.kind, prompt.line.text())) {
        Some((PromptKind::Filter { .. }, _)) => match example(app.list().table()) {
            example if example.is_empty() => keys,
            example => format!("{keys}  like {example}"),
        },
        Some((PromptKind::Command, text)) => match doc_of(text) {
            Some(doc) => format!("{doc} {keys}"),
            None => keys,
        },
        _ => keys,
    }
}

fn in_words(app: &App, keys: &[(Action, &'static str)]) -> String {
    let words = keys.iter().filter_map(|(action, own)| label(app, *action, own));
    words.map(|(key, text)| format!("{key} {text}")).collect::<Vec<_>>().join("  ")
}

/// Which keys the footer names, most important first, with a label where the action's own is too
/// general.
fn shown_keys(app: &App) -> &'static [(Action, &'static str)] {
    match app.popup() {
        Some(Popup::Columns { .. }) => {
            return &[
                (Action::ToggleColumn, ""),
                (Action::ColumnUp, ""),
                (Action::ColumnDown, ""),
                (Action::ResetColumns, ""),
                (Action::Back, "done"),
            ];
        }
        Some(Popup::Presets { .. }) => {
            return &[(Action::Enter, "judge by it"), (Action::Back, "cancel")];
        }
        Some(Popup::Narrow { .. }) => {
            return &[(Action::Enter, "filter by it"), (Action::Back, "cancel")];
        }
        Some(Popup::Ask(question)) => return question.hints,
        Some(Popup::Choose { of, .. }) => return of.hints,
        Some(Popup::ConfirmRefresh { .. }) => {
            return &[(Action::Enter, "refresh"), (Action::Back, "cancel")];
        }
        Some(Popup::Sort) | None => {}
    }
    if app.page().is_some_and(|opened| matches!(opened.page, Page::Sheet)) {
        return sheet_keys(app);
    }
    app.hints()
}

/// The keys of the action sheet.
fn sheet_keys(app: &App) -> &'static [(Action, &'static str)] {
    if let Some(dialog) = app.dialog() {
        let is_typed = !dialog.challenge().typed.is_empty();
        return match dialog.focus() {
            Place::Cancel => {
                &[(Action::Cancel, ""), (Action::Complete, "next"), (Action::Accept, "cancel")]
            }
            Place::Go => {
                &[(Action::Cancel, ""), (Action::Complete, "next"), (Action::Accept, "do it")]
            }
            Place::Phrase | Place::Justification if is_typed => &[
                (Action::Cancel, ""),
                (Action::Complete, "next"),
                (Action::Accept, "do it, once it is typed"),
            ],
            Place::Phrase | Place::Justification => {
                &[(Action::Cancel, ""), (Action::Complete, "next"), (Action::Accept, "next")]
            }
        };
    }
    let leaves_out = app.sheet().and_then(Sheet::would_leave_out);
    match app.sheet().map(Sheet::stage) {
        Some(Stage::Choose(choice)) if choice.row().is_none() => {
            &[(Action::Back, "leave"), (Action::Down, ""), (Action::Enter, "check it")]
        }
        Some(Stage::Choose(_)) => match leaves_out {
            Some(true) => &[
                (Action::Back, "leave"),
                (Action::LeaveOut, ""),
                (Action::Enter, "to the actions"),
                (Action::Down, ""),
            ],
            Some(false) => &[
                (Action::Back, "leave"),
                (Action::LeaveOut, "take back in"),
                (Action::Enter, "to the actions"),
                (Action::Down, ""),
            ],
            None => {
                &[(Action::Back, "leave"), (Action::Enter, "to the actions"), (Action::Down, "")]
            }
        },
        Some(Stage::Review(_)) => match leaves_out {
            Some(true) => &[
                (Action::Back, ""),
                (Action::Enter, "details"),
                (Action::LeaveOut, ""),
                (Action::GoOn, ""),
                (Action::Refresh, "check again"),
            ],
            Some(false) => &[
                (Action::Back, ""),
                (Action::LeaveOut, "take back in"),
                (Action::GoOn, ""),
                (Action::Refresh, "check again"),
            ],
            None => &[
                (Action::Back, ""),
                (Action::Enter, "details"),
                (Action::Refresh, "check again"),
                (Action::GoOn, ""),
            ],
        },
        Some(Stage::Run(run)) if !run.is_over() => {
            &[(Action::Back, "leave"), (Action::Actions, "log of runs"), (Action::Down, "")]
        }
        Some(Stage::Run(run)) if run.undo().is_empty() => {
            &[(Action::Back, "leave"), (Action::Actions, "audit entry"), (Action::Down, "")]
        }
        Some(Stage::Run(_)) => &[
            (Action::Back, "leave"),
            (Action::CopyId, "copy the way back"),
            (Action::Actions, "audit entry"),
            (Action::Down, ""),
        ],
        Some(Stage::Checking(_)) => &[(Action::Back, ""), (Action::Down, "")],
        _ => &[(Action::Back, "leave"), (Action::Down, "")],
    }
}
