//! The lines above the lists: which list, and what all of it comes to.

use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::Savings;
use crate::fleet::savings::{SizeVerdict, SpotFit};
use crate::tabs::savings::lists::{LISTS, SavingsList};
use crate::tabs::savings::picture::is_idle;
use crate::tabs::savings::picture::words::{at_least, utilisation};
use crate::tabs::storage::pages::strip::{join, names};
use crate::view::{Symbols, format};

/// The strip, most important line first.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(savings) = app.savings() else { return Vec::new() };
    let symbols = app.appearance().symbols;
    let separator = format!(" {} ", symbols.separator());
    let here = app.savings_tab().look().map(SavingsList::spec);
    let mut lines = vec![bar(app, width)];
    if let Some(list) = here {
        lines.push(join((list.sums)(app, savings, symbols), &separator, width));
    }
    lines.extend(unknown(savings));
    lines
}

/// The overview and the lists behind it by name, the one on screen marked, and the command of the guide.
pub fn bar(app: &App, width: usize) -> Line {
    let here = app.savings_tab().look().map(SavingsList::spec);
    let lists = LISTS.iter().map(|list| list.title);
    let titles = std::iter::once(OVERVIEW).chain(lists).chain(std::iter::once(GUIDE));
    names(titles, here.map_or(OVERVIEW, |list| list.title), width)
}

/// The title of what the lists stand behind.
const OVERVIEW: &str = "Overview";

/// The guide, by the command that opens it.
const GUIDE: &str = ":guide";

type Parts = Vec<(Role, String)>;

fn rate(usd: Option<f64>, symbols: Symbols) -> String {
    symbols.or_unknown(usd, format::usd_per_hour)
}

fn share(share: Option<f64>, symbols: Symbols) -> String {
    symbols.or_unknown(share, |s| format::share(s, 0))
}

pub(crate) fn commitments(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let sums = &savings.sums;
    vec![
        (
            Role::Heading,
            format!(
                "paid {}",
                at_least(sums.committed_usd_per_hour, sums.committed_unknown, symbols)
            ),
        ),
        (
            Role::Idle,
            format!("unused {}", at_least(sums.unused_usd_per_hour, sums.unused_unknown, symbols)),
        ),
        (Role::Text, format!("utilisation {}", utilisation(sums, symbols))),
        (Role::Text, format!("coverage {}", share(sums.coverage, symbols))),
        (Role::Dim, format!("saves {}", share(sums.effective_savings_rate, symbols))),
        (Role::Dim, format!("{} h looked at", sums.hours)),
    ]
}

/// Sums of what is known, and how many are not.
fn sum(values: impl Iterator<Item = Option<f64>>) -> (Option<f64>, usize) {
    let (mut known, mut unknown, mut usd) = (0, 0, 0.0);
    for value in values {
        match value {
            Some(v) => {
                known += 1;
                usd += v;
            }
            None => unknown += 1,
        }
    }
    ((known > 0).then_some(usd), unknown)
}

pub(crate) fn proposals(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let smaller =
        || savings.proposals.iter().filter(|p| matches!(p.verdict, SizeVerdict::Smaller { .. }));
    let (net, unknown) = sum(smaller().map(|p| p.net_usd_per_hour));
    let (gross, _) = sum(smaller().map(|p| p.gross_usd_per_hour));
    let count = smaller().count();
    let worthless = smaller().filter(|p| p.worthless_until.is_some()).count();
    let mut parts = vec![
        (Role::Heading, format!("{count} could be smaller")),
        (Role::Idle, format!("net {}", rate(net, symbols))),
        (Role::Text, format!("gross {}", rate(gross, symbols))),
    ];
    if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    if worthless > 0 {
        parts.push((Role::Warn, format!("{worthless} worthless while commitments last")));
    }
    parts.push((Role::Dim, "each alone: together see the overview".to_owned()));
    parts
}

pub(crate) fn spot(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let of = |fit: SpotFit| savings.spot.iter().filter(move |r| r.fit == fit).count();
    let fits = || savings.spot.iter().filter(|r| matches!(r.fit, SpotFit::Yes | SpotFit::Partial));
    let (net, unknown) = sum(fits().map(|r| r.net_usd_per_hour));
    let (gross, _) = sum(fits().map(|r| r.gross_usd_per_hour));
    let mut parts = vec![
        (Role::Heading, format!("{} fit, {} in part", of(SpotFit::Yes), of(SpotFit::Partial))),
        (Role::Idle, format!("net {}", rate(net, symbols))),
        (Role::Text, format!("gross {}", rate(gross, symbols))),
    ];
    if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    parts.push((Role::Dim, format!("{} do not", of(SpotFit::No))));
    parts.push((Role::Dim, format!("{} not known", of(SpotFit::Unknown))));
    parts
}

pub(crate) fn resources(app: &App, _: &Savings, symbols: Symbols) -> Parts {
    let items = app.savings_tab().items();
    let idle = || items.iter().filter(|i| i.is_idle());
    let (waste, unpriced) = sum(idle().map(|i| i.row.waste_usd_per_hour));
    let (net, unknown) = sum(idle().map(|i| i.net_usd_per_hour));
    let month = waste.map(|usd| usd * HOURS_PER_MONTH);
    let mut parts = vec![
        (Role::Heading, format!("{} idle", idle().count())),
        (
            Role::Idle,
            format!(
                "waste {} ({}/month)",
                rate(waste, symbols),
                symbols.or_unknown(month, format::usd_total)
            ),
        ),
        (Role::Text, format!("net {}", rate(net, symbols))),
    ];
    if unpriced > 0 {
        parts.push((Role::Warn, format!("{unpriced} unpriced")));
    } else if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    parts.push((Role::Dim, format!("{} in all", items.len())));
    parts
}

/// Why nets are not known, where something could not be read.
fn unknown(savings: &Savings) -> Option<Line> {
    let first = savings.unread.first()?;
    let more = match savings.unread.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let text = format!("net unknown: {first} were not read ({}){more}", first.why);
    Some(Line::of(Role::Warn, text))
}

/// What idles and is no instance, in a few words; `None` where nothing does.
pub fn elsewhere(savings: &Savings) -> Option<String> {
    let idle = || savings.resources.iter().filter(|row| is_idle(row));
    let count = idle().count();
    if count == 0 {
        return None;
    }
    let (waste, _) = sum(idle().map(|row| row.waste_usd_per_hour));
    let usd = waste.map(|usd| format!(" {}", format::usd_per_hour(usd))).unwrap_or_default();
    Some(format!("{count} more idle elsewhere{usd}"))
}
