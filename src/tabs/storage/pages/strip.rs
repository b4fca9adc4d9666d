//! The lines above the tables: which list, where in the tree, and what all of it costs.

use super::bucket::leads;
use super::parts::provenance;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::app::{App, StorageList};
use crate::domain::HOURS_PER_MONTH;
use crate::domain::storage::{GIB, ScanOrigin};
use crate::fleet::StorageFleet;
use crate::tabs::storage::lists::LISTS;
use crate::tabs::storage::picture::words;
use crate::tabs::storage::state::{Listing, ListingState};
use crate::view::format;

/// The strip, most important line first.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(fleet) = app.storage() else { return Vec::new() };
    let here = app.storage_tab().look();
    let titles = LISTS.iter().map(|list| list.title);
    let mut lines = vec![names(titles, here.spec().title, width.saturating_sub(6))];
    if here == StorageList::Explorer {
        lines.push(way(app, width));
        let separator = format!(" {} ", app.appearance().symbols.separator());
        let leads = app.current_bucket().map(|row| leads(app, row)).unwrap_or_default();
        if !leads.is_empty() {
            lines.push(join(leads, &separator, width));
        }
    } else {
        lines.push(sums(app, fleet, width));
    }
    if let Some(listing) = app.storage_tab().listing() {
        lines.push(Line::of(Role::Warn, progress(listing)));
    }
    lines
}

/// The lists by name, the one `here` marked by brackets and colour; that one alone where the names do
/// not fit into so many columns.
pub(crate) fn names(
    titles: impl Iterator<Item = &'static str> + Clone,
    here: &str,
    room: usize,
) -> Line {
    let all: usize = titles.clone().map(|title| columns(title) + 3).sum();
    let mut line = Line::new();
    for title in titles {
        if title == here {
            line = line.with(Role::Accent, format!("[{title}]")).text(" ");
        } else if all <= room {
            line = line.with(Role::Dim, format!(" {title} ")).text(" ");
        }
    }
    line
}

/// Cost of all storage, and what could be saved of it.
fn sums(app: &App, fleet: &StorageFleet, width: usize) -> Line {
    let t = &fleet.totals;
    let symbols = app.appearance().symbols;
    let separator = format!(" {} ", symbols.separator());
    let usd = t.usd_per_month();
    let mut parts = vec![(
        Role::Heading,
        format!("{}/month ({})", words::usd(usd), format::usd_per_hour(usd / HOURS_PER_MONTH)),
    )];
    let role = if t.priced_findings > 0 { Role::Idle } else { Role::Dim };
    parts.push((role, words::saved(t, "")));
    if t.unpriced() > 0 {
        parts.push((Role::Warn, format!("{} without a price or size", t.unpriced())));
    }
    if t.estimated > 0 {
        let usd = words::range(t.estimated_low, t.estimated_high);
        parts.push((Role::Dim, format!("tiering {usd} (estimate)")));
    }
    parts.push((Role::Dim, format!("{} in buckets", words::size(t.bucket_bytes as f64))));
    parts.push((
        Role::Dim,
        format!("{} in volumes", format::bytes_binary(t.volume_gib as f64 * GIB)),
    ));
    if let Some(rates) = fleet.rates.first() {
        parts.push((Role::Dim, provenance(&rates.provenance)));
    }
    join(parts, &separator, width)
}

/// Where in the tree one is, and how old the list is.
fn way(app: &App, width: usize) -> Line {
    let Some(explorer) = app.storage_tab().explorer() else { return Line::new() };
    let scan = explorer.scan();
    let steps: Vec<&str> = explorer.way().map(|step| step.trim_end_matches('/')).collect();
    let from = match &scan.origin {
        ScanOrigin::Inventory(_) => "inventory",
        ScanOrigin::Listing => "listing",
        ScanOrigin::Directory(_) => "directory",
        ScanOrigin::Athena(_) => "Athena",
        ScanOrigin::Demo => "demo",
    };
    let mut notes =
        vec![(Role::Dim, format!("{from} of {}", scan.listed_at.strftime("%Y-%m-%d %H:%M")))];
    if let Some(why) = &scan.partial {
        notes.insert(0, (Role::Warn, format!("PARTIAL: {why}")));
    }
    let separator = format!(" {} ", app.appearance().symbols.separator());
    let reserved: usize = notes.iter().map(|(_, n)| columns(n) + columns(&separator)).sum();
    let path =
        fit(&steps, width.saturating_sub(reserved).max(12), app.appearance().symbols.ellipsis());
    let mut parts = vec![(Role::Heading, path)];
    parts.extend(notes);
    join(parts, &separator, width)
}

/// The steps joined; where they are too long, the first ones go.
fn fit(steps: &[&str], width: usize, ellipsis: &str) -> String {
    for from in 0..steps.len() {
        let cut = if from == 0 { String::new() } else { format!("{ellipsis} / ") };
        let text = format!("{cut}{}", steps[from..].join(" / "));
        if columns(&text) <= width || from + 1 == steps.len() {
            return text;
        }
    }
    String::new()
}

/// The parts that fit, the first in any case.
pub(crate) fn join(parts: Vec<(Role, String)>, separator: &str, width: usize) -> Line {
    let mut line = Line::new();
    let mut used = 0;
    for (i, (role, text)) in parts.into_iter().enumerate() {
        let needed = columns(&text) + if i > 0 { columns(separator) } else { 0 };
        if i > 0 && used + needed > width {
            break;
        }
        if i > 0 {
            line = line.with(Role::Dim, separator.to_owned());
        }
        line = line.with(role, text);
        used += needed;
    }
    line
}

/// Progress of making a list of objects, in words.
pub(super) fn progress(listing: &Listing) -> String {
    let bucket = &listing.bucket;
    match &listing.state {
        ListingState::Asked => format!("asking what a list of {bucket} takes"),
        // The question says it.
        ListingState::Offer { .. } => format!("a list of {bucket}: go on?"),
        ListingState::Running { rows, of, seconds_left } => {
            let rows_of = match of {
                Some(all) if *all > 0 => format!(
                    "{} of {} rows ({})",
                    words::count(*rows as f64),
                    words::count(*all as f64),
                    format::percent(*rows as f64 * 100.0 / *all as f64, 0)
                ),
                _ => format!(
                    "{} {}",
                    words::count(*rows as f64),
                    format::noun(*rows as usize, "row")
                ),
            };
            let left = seconds_left
                .map_or(String::new(), |s| format!(", {} to go", format::span(s as i64)));
            format!("reading the list of {bucket}: {rows_of}{left}; i stops it")
        }
        ListingState::Failed(why) => why.clone(),
        ListingState::Done => format!("the list of {bucket} is there"),
    }
}
