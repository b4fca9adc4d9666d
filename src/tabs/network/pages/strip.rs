//! What stands above the lists: the month in a line or two, its paths or its fixes by kind, and the names of the lists.

use super::paths;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::PeriodState;
use crate::tabs::bill::pages::{provenance, strip_height, wrapped};
use crate::tabs::network::lists::{LISTS, NetworkList};
use crate::tabs::network::picture::NetworkPicture;
use crate::tabs::storage::pages::strip::names;
use crate::view::format;

/// The strip: the month and the names of the lists, and the sums by kind in full or in short, as there is room.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(network) = app.network().filter(|network| network.period.is_some()) else {
        return Vec::new();
    };
    let symbols = app.appearance().symbols;
    let body = app.layout().map_or(0, |layout| layout.body_height);
    // The line of lists is the last one, and always there.
    let mut room = usize::from(strip_height(body)).saturating_sub(1);
    let mut lines = month(app, network, width);
    lines.truncate(room);
    room -= lines.len();
    let (full, short) = match app.network_tab().look() {
        NetworkList::Paths => {
            (paths::bars(network, symbols, width), paths::in_short(network, symbols, width))
        }
        NetworkList::Fixes => {
            (paths::fixes(network, width), paths::fixes_in_short(network, symbols, width))
        }
    };
    let block = [full, short].into_iter().find(|block| block.len() <= room);
    lines.extend(block.unwrap_or_default());
    lines.push(lists(app, width));
    lines
}

/// What the network cost in the month, what could be avoided of it, and where that is known from.
fn month(app: &App, network: &NetworkPicture, width: usize) -> Vec<Line> {
    let symbols = app.appearance().symbols;
    let Some(period) = network.period else { return Vec::new() };
    let is_open = network.heads.iter().any(|head| head.state == PeriodState::Open);
    let state = if is_open { PeriodState::Open } else { PeriodState::Closed };
    let so_far = if is_open { " so far" } else { "" };
    let usd = |usd: crate::domain::bill::Usd| format::usd(usd.to_f64());
    let mut parts = vec![
        (Role::Heading, format!("{period} {}", state.word())),
        (Role::Heading, format!("network {}{so_far}", usd(network.network))),
        (Role::Text, format!("requests {}", usd(network.requests))),
        (Role::Idle, format!("avoidable up to {}", usd(network.avoidable))),
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
    let titles = LISTS.iter().map(|list| list.title);
    let line = names(titles, tab.look().spec().title, width);
    if tab.is_behind() { line.with(Role::Warn, app.appearance().symbols.ellipsis()) } else { line }
}
