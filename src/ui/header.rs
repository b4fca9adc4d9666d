//! The header: who, where, how fresh, what burntop itself costs, and whether it may act.

use std::collections::BTreeSet;

use ratatui::style::{Modifier, Style};

use super::canvas::Canvas;
use crate::app::content::{columns, graph};
use crate::app::{App, Mode, Role, SourceStatus};
use crate::domain::SourceId;
use crate::tabs::overview::picture::{TRAIL_DAYS, trail};
use crate::view::{Symbols, format};

/// A part of the header; when there is no room, the least important ones go.
struct Part {
    text: String,
    role: Role,
    importance: u8,
    right: bool,
}

/// Blanks between parts.
const GAP: usize = 2;

/// Draws the header into row `y`; the least important parts are left out when there is no room.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    let mut parts = parts(app, canvas.symbols());
    let width = usize::from(canvas.width()).saturating_sub(1);
    loop {
        let needed: usize = parts.iter().map(|p| columns(&p.text)).sum::<usize>()
            + parts.len().saturating_sub(1) * GAP;
        if needed <= width || parts.len() <= 1 {
            break;
        }
        let Some(least) = parts.iter().map(|p| p.importance).min() else { break };
        // The last one of several equally unimportant ones goes first.
        let Some(at) = parts.iter().rposition(|p| p.importance == least) else { break };
        parts.remove(at);
    }
    let production = is_production(app);
    if production {
        let style = canvas.style(Role::Production);
        let width = canvas.width();
        canvas.fill(0, y, width, " ", style);
    }
    let look = |canvas: &Canvas<'_>, role: Role| -> Style {
        if !production {
            return canvas.style(role);
        }
        // On the tint, what needs attention is underlined instead of coloured.
        let tint = canvas.style(Role::Production);
        match role {
            Role::Warn | Role::Crit => tint.add_modifier(Modifier::UNDERLINED),
            _ => tint,
        }
    };
    let mut x = 1;
    for part in parts.iter().filter(|p| !p.right) {
        let style = look(canvas, part.role);
        x = canvas.put(x, y, u16::MAX, &part.text, style) + GAP as u16;
    }
    let mut end = canvas.width();
    for part in parts.iter().rev().filter(|p| p.right) {
        let style = look(canvas, part.role);
        end = canvas.put_right(end, y, end, &part.text, style).saturating_sub(GAP as u16);
    }
}

fn parts(app: &App, symbols: Symbols) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut left = |text: String, role, importance| {
        parts.push(Part { text, role, importance, right: false });
    };
    left("burntop".into(), Role::Accent, 4);
    match app.mode() {
        Mode::Live => {}
        Mode::Demo => left("DEMO".into(), Role::Warn, 9),
        Mode::Offline => left("OFFLINE".into(), Role::Warn, 9),
        Mode::Replay => left("REPLAY".into(), Role::Warn, 9),
    }
    if is_production(app) {
        left("PROD".into(), Role::Crit, 9);
    }
    if let Some(account) = account(app, symbols) {
        left(account, Role::Text, 7);
    }
    match app.extent().regions.as_slice() {
        [] => {}
        [one] => left(one.clone(), Role::Dim, 3),
        many => left(format!("{} regions", many.len()), Role::Dim, 3),
    }
    if let Some(trail) = app.burn_past().and_then(|past| trail(past)) {
        // The first to go where there is no room.
        let marks = graph::sparkline(&trail, trail.len(), symbols);
        left(format!("{TRAIL_DAYS}d {marks}"), Role::Dim, 1);
    }
    for status in &app.sources().by_source {
        if let Some((text, role, importance)) = source(status, app, symbols) {
            parts.push(Part { text, role, importance, right: true });
        }
    }
    let (own, role) = own(app, symbols);
    parts.push(Part { text: own, role, importance: 6, right: true });
    let (text, role) = armed(app);
    parts.push(Part { text, role, importance: 10, right: true });
    parts
}

/// True when an account that is read is production, by its own entry or by another that leads there.
fn is_production(app: &App) -> bool {
    app.accounts().iter().any(|a| a.production || app.rules().account(&a.id).production)
}

/// `RO`, `ARMED`, or `ARMED 1/3` where only some accounts may be changed.
fn armed(app: &App) -> (String, Role) {
    let rules = app.rules();
    let named = app.accounts().iter().map(|a| &a.id).chain(&app.extent().accounts);
    let all: BTreeSet<_> = named.chain(rules.accounts.keys()).collect();
    match all.iter().filter(|id| rules.account(id).may_act()).count() {
        0 => ("RO".into(), Role::Dim),
        some if some < all.len() => (format!("ARMED {some}/{}", all.len()), Role::Warn),
        _ => ("ARMED".into(), Role::Warn),
    }
}

/// `prod-ml 1234…9012`, or `3 accounts`.
fn account(app: &App, symbols: Symbols) -> Option<String> {
    let short = |id: &str| {
        let chars: Vec<char> = id.chars().collect();
        match chars.len() {
            9.. => {
                let part = |c: &[char]| c.iter().collect::<String>();
                let cut = if symbols == Symbols::Ascii { ".." } else { "…" };
                format!("{}{cut}{}", part(&chars[..4]), part(&chars[chars.len() - 4..]))
            }
            _ => id.to_owned(),
        }
    };
    match (app.accounts(), app.extent().accounts.as_slice()) {
        ([], []) => None,
        ([], [id]) => Some(short(id)),
        ([one], _) if *one.label == *one.id => Some(short(&one.id)),
        ([one], _) => Some(format!("{} {}", one.label, short(&one.id))),
        ([], many) => Some(format!("{} accounts", many.len())),
        (many, _) => Some(format!("{} accounts", many.len())),
    }
}

/// `ec2 10s`, `cw throttled 2/4`, `cw ~3h`. A source that is not essential shows only in trouble.
fn source(status: &SourceStatus, app: &App, symbols: Symbols) -> Option<(String, Role, u8)> {
    let word = status.source.word();
    if let Some(kind) = status.trouble {
        let count = match (status.failed, status.scopes) {
            (_, 1) => String::new(),
            (failed, scopes) => format!(" {failed}/{scopes}"),
        };
        return Some((format!("{word} {}{count}", kind.word()), Role::Warn, 8));
    }
    if !status.is_essential() {
        return None;
    }
    // Prices change least often; what is old matters whatever it is.
    let importance = match status.source {
        _ if status.stale => 7,
        SourceId::Prices => 2,
        _ => 6,
    };
    Some(match status.age(app.now()) {
        Some(age) if status.stale => (format!("{word} ~{age}"), Role::Dim, importance),
        Some(age) => (format!("{word} {age}"), Role::Text, importance),
        None if status.loading => {
            let wait = if symbols == Symbols::Ascii { ".." } else { "…" };
            (format!("{word} {wait}"), Role::Dim, importance)
        }
        None => (format!("{word} {}", symbols.unknown()), Role::Dim, importance),
    })
}

fn own(app: &App, symbols: Symbols) -> (String, Role) {
    match app.own_cost() {
        None => (format!("own {}", symbols.unknown()), Role::Dim),
        Some(cost) => {
            let usd = format::usd_spent(cost.today_usd());
            if cost.trouble.is_some() {
                (format!("own {} CAP", symbols.unknown()), Role::Warn)
            } else if cost.is_capped() {
                (format!("own {usd} CAP"), Role::Warn)
            } else {
                (format!("own {usd}"), Role::Text)
            }
        }
    }
}
