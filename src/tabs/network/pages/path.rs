//! The page of a path: its ends, its bytes and dollars, what would avoid a part of it and what that costs itself.

use std::sync::Arc;

use crate::analyze::network::{Fix, Purpose, Remedy};
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::Usd;
use crate::tabs::network::picture::NetworkItem;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{Symbols, format, reasons};

/// Lines of the page.
pub fn path(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let Some(row) = app.network_path(id) else {
        return vec![Line::of(Role::Dim, "There is no such path any more.")];
    };
    let symbols = app.appearance().symbols;
    let key = &row.of.key;
    let end = |end: &Option<Arc<str>>| end.as_deref().unwrap_or(symbols.unknown()).to_owned();
    let into = if symbols == Symbols::Ascii { "->" } else { "→" };
    let ends = format!("  {} {into} {}", end(&key.from), end(&key.to));
    let mut lines = vec![Line::of(Role::Heading, key.path.word().replace('_', " ")).text(ends)];
    facts(app, row, symbols, width, &mut lines);
    heading("What avoids it", &mut lines);
    match &row.of.fix {
        Some(fix) => fix_facts(row, fix, symbols, width, &mut lines),
        None => {
            let known = row.of.live.as_ref().map(|_| format!("{}.", row.why));
            let text =
                known.as_deref().unwrap_or("Nothing is known that would avoid a cent of it.");
            paragraph(Role::Dim, text, width, &mut lines);
        }
    }
    let told = match row.of.live {
        Some(_) => "live: read of the account, dollars at list prices; what is avoided is a bound",
        None => reasons::network_confidence(row.of.confidence()),
    };
    role_fact(Role::Dim, "told", told, width, &mut lines);
    if let Some(command) = &row.command {
        heading("Do it", &mut lines);
        paragraph(Role::Accent, command, width, &mut lines);
    }
    lines
}

fn usd(usd: Usd) -> String {
    format::usd_spent(usd.to_f64())
}

fn facts(app: &App, row: &NetworkItem, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let (of, key) = (&row.of, &row.of.key);
    let text = |text: &Option<Arc<str>>| text.as_deref().unwrap_or(symbols.unknown()).to_owned();
    let count = |count: f64| format::grouped(count, 0);
    let dollars = |usd: Option<Usd>| symbols.or_unknown(usd.map(Usd::to_f64), format::usd_spent);
    let cost = dollars(of.known_usd());
    let cost = match app.network().and_then(|network| network.period) {
        _ if of.live.is_some() => format!("{cost} a month"),
        Some(period) => format!("{cost} in {period}"),
        None => cost,
    };
    let trend = |trend: f64| {
        let plus = if trend > 0.0 { "+" } else { "" };
        format!("{plus}{} a day against the month before", format::share(trend, 0))
    };
    // Where nothing tells the way of the bytes, a range.
    let cost = match of.live.as_ref().and_then(|live| live.at_most_usd) {
        Some(most) => {
            format!("{} to {} a month, in no total", format::usd(0.0), format::usd_spent(most))
        }
        None => cost,
    };
    let mut all = vec![
        ("cost", cost),
        ("bytes", symbols.or_unknown(of.bytes, format::bytes_binary)),
        ("a GB", symbols.or_unknown(of.usd_per_gb(), format::usd_rate)),
    ];
    if let Some(hours) = of.hours {
        all.push(("hours", count(hours)));
        let is_known = of.live.as_ref().is_none_or(|live| live.bytes_usd.is_some());
        all.push(("of it for bytes", dollars(is_known.then_some(of.bytes_usd))));
    }
    if let Some(requests) = of.requests {
        let name = if of.live.is_none() { "requests" } else { "metric updates" };
        all.push((name, count(requests)));
        if of.live.is_none() {
            all.push(("of it for reads", usd(of.reads_usd)));
        }
    }
    if of.live.is_none() {
        all.push(("trend", symbols.or_unknown(of.trend, trend)));
    }
    all.push(("resource", text(&key.resource)));
    all.push(("account", text(&key.account)));
    if of.live.is_none() || key.service.is_some() {
        all.push(("service", text(&key.service)));
    }
    if key.purpose != Purpose::Other {
        all.push(("for", key.purpose.word().to_owned()));
    }
    for (name, value) in all {
        fact(name, &value, width, lines);
    }
}

fn fix_facts(row: &NetworkItem, fix: &Fix, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    role_fact(Role::Accent, "fix", &fix.remedy.word().replace('_', " "), width, lines);
    paragraph(Role::Text, &format!("{}.", row.why), width, lines);
    let unknown = || symbols.unknown().to_owned();
    let much = reasons::network_avoided(fix.avoidable, fix.confidence);
    let much = much.map_or_else(unknown, |much| format!("{much} a month"));
    role_fact(Role::Idle, "avoids", &much, width, lines);
    let price = |usd: Usd, unit: &str| match usd.is_zero() {
        true => "nothing".to_owned(),
        false => format!("{}{unit}", self::usd(usd)),
    };
    let own = fix.own_usd.map_or_else(unknown, |usd| price(usd, " a month"));
    fact("costs itself", &own, width, lines);
    let once = fix.once_usd.map_or_else(unknown, |usd| price(usd, ""));
    fact("costs once", &once, width, lines);
    if let Some(days) = reasons::network_pay_back(fix) {
        fact("paid back in", &days, width, lines);
    }
    if let Remedy::InterfaceEndpoint { pays_from_bytes } = fix.remedy {
        let text = format!("{} a month", format::bytes_binary(pays_from_bytes));
        fact("pays from", &text, width, lines);
    }
}
