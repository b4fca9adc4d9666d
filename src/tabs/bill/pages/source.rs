//! The page about the bill: where it comes from, what it sums up to, and what is odd about it.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::BillHead;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph};
use crate::view::{Symbols, format, reasons};

/// Lines of the page.
pub fn source(app: &App, width: usize) -> Vec<Line> {
    let bill = app.bill();
    let heads = bill.map_or(&[][..], |bill| &bill.heads);
    let unreadable = bill.map_or(&[][..], |bill| &bill.unreadable);
    about(heads, unreadable, app.appearance().symbols, width)
}

/// What bills are, their sums, and what is odd about them.
pub(crate) fn about(
    heads: &[BillHead],
    unreadable: &[String],
    symbols: Symbols,
    width: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for head in heads {
        heading(format!("{} of {}", head.export, head.period), &mut lines);
        facts(symbols, head, width, &mut lines);
        for note in &head.notes {
            paragraph(Role::Warn, &reasons::bill_note(note), width, &mut lines);
        }
    }
    for why in unreadable {
        heading("A bill that cannot be read", &mut lines);
        paragraph(Role::Crit, why, width, &mut lines);
    }
    lines
}

fn facts(symbols: Symbols, head: &BillHead, width: usize, lines: &mut Vec<Line>) {
    let unknown = || symbols.unknown().to_owned();
    let text = |text: &str| if text.is_empty() { unknown() } else { text.to_owned() };
    let at = |at: Option<jiff::Timestamp>| {
        at.map_or_else(unknown, |at| at.strftime("%Y-%m-%d %H:%M UTC").to_string())
    };
    let total = &head.total;
    let net = if head.has_net { Some(total.net.to_f64()) } else { None };
    let last = if head.has_days { head.period.day(head.last_day).to_string() } else { unknown() };
    for (name, value) in [
        ("format", format!("{}, {}", head.format.word(), text(&head.provider))),
        ("payer", text(&head.payer)),
        ("state", head.state.word().to_owned()),
        ("written", at(head.written_at)),
        ("read", at(Some(head.read_at))),
        ("line items", format::grouped(head.lines as f64, 0)),
        ("last day of use", last),
        ("billed", format::usd(total.billed.to_f64())),
        ("effective", format::usd(total.effective.to_f64())),
        ("at list prices", format::usd(total.list.to_f64())),
        ("net", symbols.or_unknown(net, format::usd)),
    ] {
        fact(name, &value, width, lines);
    }
}
