//! Storage on the Overview: what it costs, and the costliest findings.

use super::parts::{provenance, with_key};
use crate::app::content::{Line, Target, columns};
use crate::app::{Action, App, Mode, Role};
use crate::domain::storage::Tier;
use crate::domain::{HOURS_PER_MONTH, SourceId, SourceState};
use crate::tabs::overview::pages::cut;
use crate::tabs::storage::picture::{finding_rows, tier_bar, words};
use crate::view::format;

/// Findings named.
const FINDINGS: usize = 3;

/// Why a source of storage is in no sum, and what to do: it is on its way, nobody asked for it, or it cannot be had, as all that
/// the cache lacks while nothing is asked.
pub(crate) fn unread(app: &App, source: SourceId) -> String {
    if app.mode() == Mode::Offline {
        return "not in the cache".to_owned();
    }
    let readings = app.storage().into_iter().flat_map(|fleet| &fleet.readings);
    let mut of_source = readings.filter(|reading| reading.source == source).peekable();
    let asked = of_source.peek().is_some();
    if of_source.any(|reading| matches!(reading.state, SourceState::Loading)) {
        "not read yet".to_owned()
    } else if asked {
        with_key(app, "not read", Action::Log)
    } else {
        with_key(app, "not read yet", Action::TabStorage)
    }
}

/// The block; nothing where nothing of storage is known.
pub fn overview(app: &App, width: usize) -> Vec<Line> {
    let Some(fleet) = app.storage().filter(|s| !s.is_empty()) else { return Vec::new() };
    let (t, symbols) = (&fleet.totals, app.appearance().symbols);
    let mut lines = Vec::new();
    // What was not read, or not everywhere, is in no sum.
    let [buckets, volumes] = [SourceId::S3, SourceId::Ebs].map(|source| fleet.was_read(source));
    let bound = |usd: String, whole: bool| format::bound(usd, !whole, symbols);
    let whole = buckets == Some(true) && volumes == Some(true);
    // Snapshots cost at most what is known of them: with them a part of the whole were no lower bound.
    let month = t.usd_per_month() - if whole { 0.0 } else { t.snapshots.usd_per_month };
    let hour = format::usd_per_hour(month / HOURS_PER_MONTH);
    let mut parts = vec![(
        Role::Text,
        format!("{}/month, {}", bound(words::usd(month), whole), bound(hour, whole)),
    )];
    let heats =
        tier_bar::by_heat(Tier::ALL.into_iter().map(|tier| (tier, t.tier_usd[tier.index()])));
    for heat in tier_bar::Heat::ALL {
        let usd = heats[heat as usize];
        if usd > 0.0 {
            parts.push((Role::Dim, format!("{} {}", heat.word(), words::usd(usd))));
        }
    }
    if buckets.is_none() {
        parts.push((Role::Warn, format!("buckets {}", unread(app, SourceId::S3))));
    }
    parts.push(match volumes {
        Some(whole) => {
            (Role::Dim, format!("volumes {}", bound(words::usd(t.volumes.usd_per_month), whole)))
        }
        None => (Role::Warn, format!("volumes {}", unread(app, SourceId::Ebs))),
    });
    if t.snapshots.count > 0 {
        let most = words::usd(t.snapshots.usd_per_month);
        let beside = if whole { "" } else { ", not in the sum" };
        parts.push((Role::Dim, format!("snapshots at most {most}{beside}")));
    }
    if t.unpriced() > 0 {
        parts.push((Role::Warn, format!("{} unpriced", t.unpriced())));
    }
    if let Some(rates) = fleet.rates.first() {
        parts.push((Role::Dim, provenance(&rates.provenance)));
    }
    let mut line = Line::of(Role::Heading, "Storage").text(" ");
    let mut taken = 8;
    for (i, (role, text)) in parts.into_iter().enumerate() {
        let text = if i == 0 { text } else { format!("{} {text}", symbols.separator()) };
        if taken + 1 + columns(&text) > width {
            lines.push(std::mem::take(&mut line));
            taken = 0;
        }
        taken += 1 + columns(&text);
        line = line.text(" ").with(role, text);
    }
    lines.push(line);
    let rows = finding_rows(fleet);
    for row in rows.iter().filter(|r| r.finding.usd_per_month.is_some()).take(FINDINGS) {
        let usd = row.finding.usd_per_month.unwrap_or(0.0);
        let kind = row.finding.kind.word().replace('_', " ");
        let room = width.saturating_sub(2 + 14 + 2 + 24).max(8);
        lines.push(
            Line::new()
                .text("  ")
                .number(Role::Text, &format!("{}/month", words::usd(usd)), 14)
                .text("  ")
                .column(Role::Idle, &kind, 24)
                .with(Role::Text, cut(&row.subject, room, symbols))
                .to(Target::Storage(row.finding.subject.clone())),
        );
    }
    lines
}
