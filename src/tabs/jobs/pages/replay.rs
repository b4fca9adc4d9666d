//! What stands above the fields of a rule that was replayed: what would have been, how it is counted, and what sets it.

use super::settings::what_sets_it;
use crate::analyze::jobs::ReplayRule;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::{heading, paragraph};
use crate::view::{format, reasons};

/// Lines of it; none where the rule is not there any more.
pub(super) fn replay(app: &App, id: &str, width: usize) -> Vec<Line> {
    let Some(jobs) = app.jobs() else { return Vec::new() };
    let Some(of) = jobs.replays.iter().find(|of| *of.id == *id) else { return Vec::new() };
    let among = &jobs.replayed;
    let mut lines = vec![Line::of(Role::Heading, reasons::replay(of.rule, of.setting))];
    paragraph(Role::Text, &reasons::replay_would(of, among), width, &mut lines);
    if let Some(net) = of.net_usd() {
        let role = if net.is_negative() { Role::Warn } else { Role::Ok };
        let text = format!("Saved less cost: {}.", format::usd(net.to_f64()));
        paragraph(role, &text, width, &mut lines);
    }
    let attempts = |number: u32| format::counted(number as usize, "attempt", "attempts");
    if of.sums.upper_bounds > 0 {
        let text = format!(
            "Of {} no checkpoint is known: what they lost, and so what is saved, is at most that.",
            attempts(of.sums.upper_bounds)
        );
        paragraph(Role::Dim, &text, width, &mut lines);
    }
    if of.sums.unpriced > 0 {
        let text = format!(
            "{} without a price: the dollars are a lower bound.",
            attempts(of.sums.unpriced)
        );
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    heading("How it is counted", &mut lines);
    paragraph(Role::Dim, reasons::replay_counted(of.rule), width, &mut lines);
    let best = among.hours_to_failure.zip(among.best_minutes);
    if let (ReplayRule::CheckpointEvery, Some((hours, minutes))) = (of.rule, best) {
        let span = |seconds: f64| format::span(seconds.round() as i64);
        let text = format!(
            "A run of these failed after {} on average: by that, a checkpoint each {} loses the least (Young 1974, Daly 2006).",
            span(hours * 3_600.0),
            span(minutes * 60.0)
        );
        paragraph(Role::Text, &text, width, &mut lines);
    }
    let settings = reasons::replay_settings(of.rule, of.setting);
    what_sets_it(app, &settings, reasons::replay_limits(of.rule), width, &mut lines);
    lines
}
