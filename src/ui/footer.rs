//! The last line: where one types, a notice, or the keys that matter here.

use ratatui::style::Modifier;

use super::canvas::Canvas;
use super::lines;
use crate::app::content::columns;
use crate::app::of_table;
use crate::app::sheet::{Sheet, Stage};
use crate::app::{
    Action, App, Layout, Level, Page, Popup, Prompt, Role, SavingsLook, SavingsPage, StorageLook,
    StoragePage, Tab, Table, column_entries,
};
use crate::view::{TableField, format};

/// Draws the line; returns where the cursor of the terminal belongs, if anywhere.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let y = layout.footer;
    if let Some(prompt) = app.prompt() {
        return Some(draw_prompt(canvas, app, prompt, layout));
    }
    if let Some(notice) = app.notice() {
        let role = match notice.level {
            Level::Info => Role::Accent,
            Level::Warn => Role::Warn,
            Level::Error => Role::Crit,
        };
        let style = canvas.style(role);
        let width = canvas.width();
        canvas.put(1, y, width.saturating_sub(2), &notice.text, style);
        return None;
    }
    if app.popup() == Some(&Popup::Sort) {
        of_table!(app, |table| sort_letters(canvas, table, app.table_width(), layout));
        return None;
    }
    let mut x = 1;
    // Without the upper rule the banner has no other place.
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
        // What marks burn is at list price, also where commitments pay for a part of it.
        let held = app.shown().is_some_and(|f| f.book.holdings.is_some());
        let basis = if held && app.tab() == Tab::Idle { " gross" } else { "" };
        x = of_table!(app, |table| marks(canvas, table, basis, x, y));
    }
    hints(canvas, app, x, y);
    None
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
fn marks<F: TableField>(
    canvas: &mut Canvas<'_>,
    table: &Table<F>,
    basis: &str,
    mut x: u16,
    y: u16,
) -> u16 {
    if table.has_range() {
        let style = canvas.style(Role::Marked);
        x = canvas.put(x, y, u16::MAX, "RANGE, V marks it, esc does not", style) + 3;
    }
    if let Some(marked) = table.marked() {
        let count = format::grouped(marked.count as f64, 0);
        let usd = format::usd_per_hour(marked.usd_per_hour);
        let mut text = format!("{count} marked {usd}{basis}");
        if marked.unpriced > 0 {
            text = format!("{text} + {} unpriced", marked.unpriced);
        }
        let style = canvas.style(Role::Marked).add_modifier(Modifier::BOLD);
        x = canvas.put(x, y, u16::MAX, &text, style) + 3;
    }
    x
}

/// The letters to sort by: columns on screen first, then the others.
fn sort_letters<F: TableField>(
    canvas: &mut Canvas<'_>,
    table: &Table<F>,
    width: u16,
    layout: &Layout,
) {
    let y = layout.footer;
    let dim = canvas.style(Role::Dim);
    let accent = canvas.style(Role::Accent);
    let mut x = canvas.put(1, y, u16::MAX, "sort by", dim) + 2;
    let placed = table.placement(width).columns;
    let seen: Vec<F> = placed.iter().map(|c| c.field).collect();
    let rest = column_entries(&seen).into_iter().map(|(field, _)| field);
    for field in rest {
        let spec = field.spec();
        let Some(key) = spec.sort_key else { continue };
        let needed = spec.header.len() + 4;
        if usize::from(x) + needed > usize::from(canvas.width()) {
            break;
        }
        x = canvas.put(x, y, 1, key.encode_utf8(&mut [0; 4]), accent) + 1;
        x = canvas.put(x, y, u16::MAX, spec.header, dim) + 2;
    }
}

/// The keys that matter here, as many as fit; help is always among them.
fn hints(canvas: &mut Canvas<'_>, app: &App, mut x: u16, y: u16) {
    let label = |action: Action, label: &'static str| -> Option<(String, &'static str)> {
        let key = app.keymap().keys(action).first()?.to_string();
        Some((key, if label.is_empty() { action.spec().short } else { label }))
    };
    let all: Vec<(String, &str)> =
        shown_keys(app).iter().filter_map(|(action, text)| label(*action, text)).collect();
    let asked = app.popup().is_some() || app.dialog().is_some();
    let last = label(Action::Help, "").filter(|_| !asked);
    let needed = |(key, text): &(String, &str)| columns(key) + 1 + columns(text) + 3;
    let reserved = last.as_ref().map_or(0, needed);
    let accent = canvas.style(Role::Accent);
    let dim = canvas.style(Role::Dim);
    let width = usize::from(canvas.width());
    let mut put = |x: u16, (key, text): &(String, &str)| -> u16 {
        let x = canvas.put(x, y, u16::MAX, key, accent) + 1;
        canvas.put(x, y, u16::MAX, text, dim) + 3
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
        Some(Popup::ConfirmList) => {
            return &[(Action::Enter, "make it"), (Action::Back, "cancel")];
        }
        Some(Popup::ConfirmRefresh { .. }) => {
            return &[(Action::Enter, "refresh"), (Action::Back, "cancel")];
        }
        Some(Popup::Sort) | None => {}
    }
    match app.page().map(|o| &o.page) {
        Some(Page::Why { .. }) => {
            return &[
                (Action::Back, ""),
                (Action::Act, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
                (Action::Export, ""),
            ];
        }
        Some(Page::Gpu { .. }) => {
            return &[
                (Action::Back, ""),
                (Action::Act, "act on its instance"),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
            ];
        }
        Some(Page::Storage(page)) => return storage_page_keys(page),
        Some(Page::Savings(page)) => return savings_page_keys(page),
        Some(Page::Guide) => {
            return &[
                (Action::Back, ""),
                (Action::Raise, ""),
                (Action::Lower, ""),
                (Action::SetValue, ""),
                (Action::Down, "next"),
                (Action::PageDown, "answer"),
            ];
        }
        Some(Page::Sheet) => return sheet_keys(app),
        Some(_) => return &[(Action::Back, ""), (Action::Down, ""), (Action::PageDown, "")],
        None => {}
    }
    if app.no_credentials().is_some()
        && !matches!(app.tab(), Tab::Gpus | Tab::Storage | Tab::WhatIf)
    {
        return &[(Action::Demo, ""), (Action::Quit, "")];
    }
    match app.tab() {
        Tab::Overview if app.is_on_savings() => savings_keys(app),
        Tab::Overview if app.savings().is_some() => &[
            (Action::Enter, "why"),
            (Action::NextSavings, ""),
            (Action::Act, ""),
            (Action::TabIdle, "idle list"),
            (Action::Command, ""),
            (Action::Refresh, ""),
            (Action::Log, ""),
            (Action::Quit, ""),
        ],
        Tab::Overview => &[
            (Action::Enter, "why"),
            (Action::Act, ""),
            (Action::TabIdle, "idle list"),
            (Action::Command, ""),
            (Action::Refresh, ""),
            (Action::Log, ""),
            (Action::Quit, ""),
        ],
        Tab::Gpus => gpu_keys(app),
        Tab::Storage => storage_keys(app),
        Tab::WhatIf => whatif_keys(app),
        // What was marked was marked for this.
        Tab::Idle if app.table().marked().is_some() => &[
            (Action::Act, ""),
            (Action::Mark, ""),
            (Action::Unmark, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Enter, "why"),
            (Action::Export, ""),
        ],
        Tab::Idle => &[
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Enter, "why"),
            (Action::Act, ""),
            (Action::Export, ""),
            (Action::Preset, ""),
            (Action::Columns, ""),
            (Action::Command, ""),
            (Action::Freeze, ""),
        ],
    }
}

/// The keys of the GPUs tab.
fn gpu_keys(app: &App) -> &'static [(Action, &'static str)] {
    if app.shows_heat() {
        return &[
            (Action::Heat, "table"),
            (Action::Enter, "zoom in"),
            (Action::Back, "out"),
            (Action::Act, ""),
            (Action::Filter, ""),
            (Action::HalfDown, "next team"),
            (Action::Distribution, ""),
        ];
    }
    if !app.shows_gpu_table() {
        return &[(Action::Missing, ""), (Action::Log, ""), (Action::Refresh, "")];
    }
    if app.gpu_tab().table().marked().is_some() {
        return &[
            (Action::Act, ""),
            (Action::Mark, ""),
            (Action::Unmark, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Export, ""),
        ];
    }
    let fold = app.gpu_tab().table().current_head().is_some();
    if fold {
        return &[
            (Action::Enter, "fold"),
            (Action::Group, ""),
            (Action::Heat, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::FoldAll, ""),
            (Action::Act, ""),
            (Action::Distribution, ""),
            (Action::Missing, ""),
        ];
    }
    &[
        (Action::Enter, ""),
        (Action::Group, ""),
        (Action::Heat, ""),
        (Action::Filter, ""),
        (Action::Sort, ""),
        (Action::Mark, ""),
        (Action::Act, ""),
        (Action::Distribution, ""),
        (Action::Missing, ""),
        (Action::Columns, ""),
    ]
}

/// The keys of the Storage tab.
fn storage_keys(app: &App) -> &'static [(Action, &'static str)] {
    if !app.shows_storage_table() {
        return &[(Action::NextList, ""), (Action::Log, ""), (Action::Refresh, "")];
    }
    match app.storage_tab().look() {
        StorageLook::Buckets => &[
            (Action::Enter, "explore"),
            (Action::NextList, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Details, ""),
            (Action::Tiers, ""),
            (Action::LifecycleRules, ""),
            (Action::ListObjects, ""),
            (Action::Export, ""),
        ],
        StorageLook::Explorer => &[
            (Action::Enter, "in"),
            (Action::Back, "out"),
            (Action::Filter, "find"),
            (Action::Sort, ""),
            (Action::Tiers, ""),
            (Action::Mark, ""),
            (Action::NextList, ""),
            (Action::Export, ""),
        ],
        _ => &[
            (Action::Enter, ""),
            (Action::NextList, ""),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Export, ""),
            (Action::Columns, ""),
        ],
    }
}

/// The keys of the What-if tab.
fn whatif_keys(app: &App) -> &'static [(Action, &'static str)] {
    if app.whatif().chart().is_text() {
        return &[
            (Action::Raise, ""),
            (Action::Lower, ""),
            (Action::SetValue, ""),
            (Action::NextChart, ""),
            (Action::NextGroup, ""),
            (Action::HalfDown, "scroll"),
            (Action::Undo, ""),
            (Action::SlotB, ""),
            (Action::ChartAlone, ""),
            (Action::Explain, ""),
            (Action::Export, ""),
        ];
    }
    &[
        (Action::Raise, ""),
        (Action::Lower, ""),
        (Action::SetValue, ""),
        (Action::NextChart, ""),
        (Action::NextGroup, ""),
        (Action::Right, "read"),
        (Action::Undo, ""),
        (Action::BuyBest, ""),
        (Action::SlotB, ""),
        (Action::Explain, ""),
        (Action::SaveScenario, ""),
        (Action::Export, ""),
    ]
}

/// The keys of the lists of what could be saved.
fn savings_keys(app: &App) -> &'static [(Action, &'static str)] {
    if !app.shows_savings_table() {
        return &[(Action::NextSavings, "next list"), (Action::Log, ""), (Action::Refresh, "")];
    }
    match app.savings_tab().look() {
        SavingsLook::Proposals | SavingsLook::Spot => &[
            (Action::Enter, ""),
            (Action::NextSavings, "next list"),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Act, ""),
            (Action::Export, ""),
            (Action::CopyRow, ""),
            (Action::Columns, ""),
        ],
        _ => &[
            (Action::Enter, ""),
            (Action::NextSavings, "next list"),
            (Action::Filter, ""),
            (Action::Sort, ""),
            (Action::Mark, ""),
            (Action::Export, ""),
            (Action::CopyRow, ""),
            (Action::Columns, ""),
        ],
    }
}

/// The keys of a page of such a list.
fn savings_page_keys(page: &SavingsPage) -> &'static [(Action, &'static str)] {
    match page {
        SavingsPage::Spot(_) => &[
            (Action::Back, ""),
            (Action::Enter, "evidence"),
            (Action::CopyId, "copy policy"),
            (Action::Right, "next"),
            (Action::Left, "previous"),
            (Action::Act, ""),
            (Action::CopyRow, ""),
        ],
        SavingsPage::Proposal(_) => &[
            (Action::Back, ""),
            (Action::Enter, "evidence"),
            (Action::Right, "next"),
            (Action::Left, "previous"),
            (Action::Act, ""),
            (Action::CopyId, ""),
            (Action::CopyRow, ""),
        ],
        SavingsPage::Commitment(_) | SavingsPage::Resource(_) => &[
            (Action::Back, ""),
            (Action::Right, "next"),
            (Action::Left, "previous"),
            (Action::CopyId, ""),
            (Action::CopyRow, ""),
            (Action::Down, ""),
        ],
    }
}

/// The keys of a page of the Storage tab.
fn storage_page_keys(page: &StoragePage) -> &'static [(Action, &'static str)] {
    match page {
        StoragePage::Tiers(_) => &[
            (Action::Back, ""),
            (Action::MoreReads, ""),
            (Action::LessReads, ""),
            (Action::SetReads, ""),
            (Action::Down, ""),
        ],
        StoragePage::Bucket(_) => &[
            (Action::Back, ""),
            (Action::Tiers, ""),
            (Action::LifecycleRules, ""),
            (Action::ListObjects, ""),
            (Action::Down, ""),
        ],
        StoragePage::Finding(_) => {
            &[(Action::Back, ""), (Action::Enter, "go there"), (Action::Down, "")]
        }
        _ => &[(Action::Back, ""), (Action::Down, ""), (Action::PageDown, "")],
    }
}

/// The keys of the action sheet.
fn sheet_keys(app: &App) -> &'static [(Action, &'static str)] {
    if app.dialog().is_some() {
        return &[(Action::Cancel, ""), (Action::Complete, "next"), (Action::Accept, "take")];
    }
    match app.sheet().map(Sheet::stage) {
        Some(Stage::Choose(_)) => {
            &[(Action::Back, "leave"), (Action::Down, ""), (Action::Enter, "check it")]
        }
        Some(Stage::Review(_)) => &[
            (Action::Back, "leave"),
            (Action::Enter, "details"),
            (Action::Refresh, "check again"),
            (Action::GoOn, ""),
        ],
        Some(Stage::Run(run)) if run.is_over() => {
            &[(Action::Back, "leave"), (Action::CopyId, "copy the way back"), (Action::Down, "")]
        }
        _ => &[(Action::Back, "leave"), (Action::Down, "")],
    }
}
