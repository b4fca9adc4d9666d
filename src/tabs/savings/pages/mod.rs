//! The lists of what could be saved in words: the strip above the tables, and their pages.

pub(super) mod commitment;
mod empty;
mod guide;
pub(super) mod model;
pub(super) mod proposal;
pub(super) mod resource;
pub(super) mod spot;
pub(super) mod strip;

pub use empty::empty;
pub use guide::guide;
pub(crate) use strip::GUIDE;
pub use strip::{bar, elsewhere, strip};

use crate::app::Role;
use crate::app::content::Line;
use crate::fleet::{Net, Row};
use crate::tabs::savings::picture::words;
use crate::tabs::storage::pages::parts;
use crate::view::{ViewContext, format, reasons};

fn gone() -> Vec<Line> {
    vec![Line::of(Role::Warn, "It is not there any more.")]
}

/// Net and gross as facts, each with its month.
fn money(
    net: Option<f64>,
    gross: Option<f64>,
    ctx: &ViewContext,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let rate = |usd: f64| {
        let month = usd * crate::domain::HOURS_PER_MONTH;
        format!("{} ({}/month)", format::usd_per_hour(usd), format::usd_total(month))
    };
    let role = match net {
        Some(usd) if usd > 0.0 => Role::Idle,
        _ => Role::Warn,
    };
    parts::role_fact(role, "net", &ctx.symbols.or_unknown(net, rate), width, lines);
    parts::fact("gross", &ctx.symbols.or_unknown(gross, rate), width, lines);
}

/// Commitments that pay for an instance, a line for each, or why that is not known.
fn covers(row: Option<&Row>, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    parts::heading("What pays for it now", lines);
    let net = row.and_then(|row| row.net.as_deref());
    match net {
        None => parts::paragraph(Role::Dim, "Commitments were not read.", width, lines),
        Some(Net::Unknown(why)) => {
            let text = format!("Not known: {}.", reasons::net_unknown(why));
            parts::paragraph(Role::Warn, &text, width, lines);
        }
        Some(Net::Known(cover)) if cover.by.is_empty() => {
            parts::paragraph(Role::Text, "No commitment: it is billed on demand.", width, lines);
        }
        Some(Net::Known(cover)) => {
            for by in &cover.by {
                let until = by
                    .until
                    .map_or(String::new(), |at| format!(", until {}", at.strftime("%Y-%m-%d")));
                let text = format!(
                    "{} {}: {} of it, {}{until}",
                    by.kind.label(),
                    by.id,
                    format::share(by.share, 0),
                    ctx.symbols.or_unknown(by.usd_per_hour, format::usd_per_hour),
                );
                parts::paragraph(Role::Text, &text, width, lines);
            }
            let text = format!(
                "With commitments it costs {}; stopping it alone takes {} off the bill.",
                ctx.symbols.or_unknown(cover.effective_usd_per_hour, format::usd_per_hour),
                ctx.symbols.or_unknown(Some(cover.saves_usd_per_hour), format::usd_per_hour),
            );
            parts::paragraph(Role::Dim, &text, width, lines);
        }
    }
}

/// Sentences, each a paragraph of its own.
fn says(
    title: &'static str,
    sentences: impl Iterator<Item = String>,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let mut sentences = sentences.peekable();
    if sentences.peek().is_none() {
        return;
    }
    parts::heading(title, lines);
    for sentence in sentences {
        parts::paragraph(Role::Text, &sentence, width, lines);
    }
}

/// Effort and risk, in one fact.
fn work(
    effort: crate::fleet::savings::Effort,
    risk: crate::fleet::savings::Risk,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let text = format!("effort {}, risk {}", words::effort(effort), words::risk(risk));
    parts::fact("work", &text, width, lines);
}
