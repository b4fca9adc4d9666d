//! What stands above the lists: the month, its days, its anatomy or why it differs from live burn, and where in the bill one is.

use super::{anatomy, bars, causes, month};
use crate::analyze::bill::{BillKey, DayBar};
use crate::app::content::{Line, columns};
use crate::app::{App, Role};
use crate::tabs::bill::lists::{BillList, LISTS};
use crate::tabs::bill::picture::BillPicture;
use crate::tabs::storage::pages::strip::names;

/// Lines of the list below that stay in any case: its heading and some rows.
const LIST: u16 = 7;

/// Most lines of the strip above a list in a body of `body` lines.
pub fn strip_height(body: u16) -> u16 {
    body.saturating_sub(LIST)
}

/// The strip: what is most important, and of the rest as much as there is room for.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(bill) = app.bill() else { return Vec::new() };
    let Some(summary) = &bill.summary else { return Vec::new() };
    let symbols = app.appearance().symbols;
    let body = app.layout().map_or(0, |layout| layout.body_height);
    let mut room = usize::from(strip_height(body));
    // The line of lists is the last one, and always there.
    let lists = lists(app, bill, width);
    room = room.saturating_sub(1);
    let mut lines = month::lines(bill, summary, app, width);
    lines.truncate(room);
    room -= lines.len();
    let is_wide = room > 16;
    let (now, before) = (by_day(&summary.month.days), by_day(&summary.month.days_before));
    let bars = |height| bars::lines(&now, &before, height, width, symbols);
    let bars = bars(if is_wide { 5 } else { 2 });
    let below = match app.bill_tab().look() {
        BillList::LiveBurn => causes::lines(&bill.rows.days, symbols, width),
        _ if is_wide => anatomy::lines(summary, symbols, width),
        _ => anatomy::in_short(summary, symbols, width),
    };
    let about = match app.bill_tab().look() {
        BillList::LiveBurn => Vec::new(),
        _ => anatomy::what_is_wasted(&summary.anatomy, width),
    };
    for block in [bars, below, about] {
        if block.len() <= room {
            room -= block.len();
            lines.extend(block);
        }
    }
    lines.push(lists);
    lines
}

/// Cost by day of the month, USD; `None` for a day without a line.
fn by_day(bars: &[DayBar]) -> Vec<Option<f64>> {
    let mut days = Vec::new();
    for bar in bars {
        let before = usize::from(bar.date.day().unsigned_abs()).saturating_sub(1);
        days.resize(days.len().max(before), None);
        days.push(Some(bar.effective.to_f64()));
    }
    days
}

/// The lists by name where there is room, and what the one on screen is of.
fn lists(app: &App, bill: &BillPicture, width: usize) -> Line {
    let tab = app.bill_tab();
    let symbols = app.appearance().symbols;
    let mut of = Line::new();
    if tab.look().has_keys() {
        let question = &bill.question;
        let keys: Vec<String> = question.keys.iter().map(BillKey::name).collect();
        of = of.with(Role::Heading, format!("by {}", keys.join(" and ")));
        for only in &question.only {
            let value = only.value.as_deref().unwrap_or(symbols.unknown());
            of = of
                .with(Role::Dim, format!(" {} ", symbols.separator()))
                .with(Role::Dim, format!("{} ", only.key.name()))
                .text(value.to_owned());
        }
    }
    if tab.is_behind() {
        of = of.with(Role::Warn, format!(" {}", symbols.ellipsis()));
    }
    let taken: usize = of.spans.iter().map(|span| columns(&span.text)).sum();
    let room = width.saturating_sub(taken);
    let mut line = names(LISTS.iter().map(|list| list.title), tab.look().spec().title, room);
    line.spans.extend(of.spans);
    line
}
