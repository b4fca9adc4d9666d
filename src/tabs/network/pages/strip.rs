//! What stands above the lists: the month in a line or two, its paths or its fixes by kind, and the names of the lists.

use super::paths;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::{PeriodState, Usd};
use crate::tabs::bill::pages::{provenance, strip_height, wrapped};
use crate::tabs::network::lists::{LISTS, NetworkList};
use crate::tabs::network::picture::{NetworkPicture, NetworkSums};
use crate::tabs::storage::pages::strip::names;
use crate::view::format;

/// The strip: the month, or what is known without a bill, and the names of the lists; the sums by kind in full or in short,
/// as there is room.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let look = app.network_tab().look();
    let network = app.network().filter(|network| network.period.is_some());
    let live = &app.network_tab().live().sums;
    let (head, sums) = match (look, network) {
        (NetworkList::Live, _) => (read(app, live, width), live),
        (_, Some(network)) => (month(app, network, width), &network.sums),
        (_, None) => return Vec::new(),
    };
    let symbols = app.appearance().symbols;
    let body = app.layout().map_or(0, |layout| layout.body_height);
    // The line of lists is the last one, and always there.
    let mut room = usize::from(strip_height(body)).saturating_sub(1);
    let mut lines = head;
    lines.truncate(room);
    room -= lines.len();
    let (full, short) = match look {
        NetworkList::Paths | NetworkList::Live => {
            (paths::bars(sums, symbols, width), paths::in_short(sums, symbols, width))
        }
        NetworkList::Fixes => {
            (paths::fixes(sums, width), paths::fixes_in_short(sums, symbols, width))
        }
    };
    let block = [full, short].into_iter().find(|block| block.len() <= room);
    lines.extend(block.unwrap_or_default());
    lines.push(lists(app, width));
    lines
}

fn usd(usd: Usd) -> String {
    format::usd(usd.to_f64())
}

/// What is known of the network without a bill, how old that is, and what it leaves out.
fn read(app: &App, sums: &NetworkSums, width: usize) -> Vec<Line> {
    let (symbols, now) = (app.appearance().symbols, app.view_context().now);
    let as_of = app.savings().and_then(|savings| savings.as_of);
    let age = as_of.map(|at| format!(" {} ago", format::age(now.duration_since(at).as_secs())));
    let network = format::bound(usd(sums.network), sums.unpriced > 0, symbols);
    let mut parts = vec![
        (Role::Heading, format!("live, read{}", age.unwrap_or_default())),
        (Role::Heading, format!("{network} a month")),
        (Role::Idle, format!("avoidable up to {}", usd(sums.avoidable))),
    ];
    if sums.unpriced > 0 {
        let is = format::plural(sums.unpriced, "path");
        parts.push((Role::Warn, format!("{is} without a known price")));
    }
    if let Some(why) = app.network_tab().trouble() {
        parts.push((Role::Crit, format!("the bill cannot be read: {why}")));
    }
    let rest = match app.has_network() {
        true => "estimates at list prices",
        false => "estimates at list prices; the other paths a bill tells: burntop bill import",
    };
    parts.push((Role::Dim, rest.to_owned()));
    wrapped(parts, symbols.separator(), width)
}

/// What the network cost in the month, what could be avoided of it, and where that is known from.
fn month(app: &App, network: &NetworkPicture, width: usize) -> Vec<Line> {
    let symbols = app.appearance().symbols;
    let Some(period) = network.period else { return Vec::new() };
    let is_open = network.heads.iter().any(|head| head.state == PeriodState::Open);
    let state = if is_open { PeriodState::Open } else { PeriodState::Closed };
    let so_far = if is_open { " so far" } else { "" };
    let sums = &network.sums;
    let mut parts = vec![
        (Role::Heading, format!("{period} {}", state.word())),
        (Role::Heading, format!("network {}{so_far}", usd(sums.network))),
        (Role::Text, format!("requests {}", usd(sums.requests))),
        (Role::Idle, format!("avoidable up to {}", usd(sums.avoidable))),
    ];
    parts.push(match network.trend {
        Some(trend) => {
            let role = if trend > 0.0 { Role::Warn } else { Role::Ok };
            let plus = if trend > 0.0 { "+" } else { "" };
            (role, format!("{plus}{} a day since {}", format::share(trend, 0), period.plus(-1)))
        }
        None => (Role::Dim, format!("{} is not kept", period.plus(-1))),
    });
    parts.extend(provenance(&network.heads, &app.view_context()));
    let notes = network.heads.iter().map(|head| head.notes.len()).sum::<usize>();
    let notes = notes + network.unreadable.len();
    if notes > 0 {
        parts.push((Role::Warn, format!("{}: i", format::plural(notes, "note"))));
    }
    wrapped(parts, symbols.separator(), width)
}

/// The lists by name, and whether the rows are behind.
fn lists(app: &App, width: usize) -> Line {
    let tab = app.network_tab();
    // Without a bill there is one list alone.
    let is_shown = |title: &str| app.has_network() || title == tab.look().spec().title;
    let titles = LISTS.iter().map(|list| list.title).filter(|title| is_shown(title));
    let line = names(titles, tab.look().spec().title, width);
    if tab.is_behind() { line.with(Role::Warn, app.appearance().symbols.ellipsis()) } else { line }
}
