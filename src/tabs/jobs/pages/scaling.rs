//! What stands above the fields of a setting of an autoscaler that was replayed: what the group did, what would have been, how it is
//! counted, and what sets it.

use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::tabs::storage::pages::parts::{fact_at, heading, paragraph};
use crate::view::{format, reasons};

/// Lines of it; none where the setting is not there any more.
pub(super) fn scaling(app: &App, id: &str, width: usize) -> Vec<Line> {
    let Some(jobs) = app.jobs() else { return Vec::new() };
    let Some(of) = jobs.scaling.iter().find(|of| *of.id == *id) else { return Vec::new() };
    let group = &of.group;
    let mut lines = vec![Line::of(Role::Heading, reasons::scaling(of))];
    for text in reasons::scaling_group(group) {
        paragraph(Role::Text, &text, width, &mut lines);
    }
    heading("What would have been", &mut lines);
    paragraph(Role::Text, &reasons::scaling_would(of), width, &mut lines);
    if let Some(usd) = of.saves_usd_per_month() {
        let role = if usd.is_negative() { Role::Warn } else { Role::Ok };
        let text = format!("Saved: {} a month, before commitments.", format::usd(usd.to_f64()));
        paragraph(role, &text, width, &mut lines);
    }
    if of.fits {
        let text = "It saves most of the settings that delay few jobs.";
        paragraph(Role::Ok, text, width, &mut lines);
    }
    heading("How it is counted", &mut lines);
    paragraph(Role::Dim, &reasons::scaling_counted(group), width, &mut lines);
    heading("What sets it", &mut lines);
    let settings = reasons::scaling_settings(of);
    let column = settings.iter().map(|(name, _)| name.len()).max().unwrap_or_default() + 2;
    for (name, line) in &settings {
        fact_at(column, Role::Accent, name, line, width, &mut lines);
    }
    paragraph(Role::Dim, reasons::scaling_limits(group.source), width, &mut lines);
    if let Some(key) = app.keymap().keys(Action::CopyId).first() {
        let text = format!("{key} copies these lines. burntop runs nothing of it.");
        paragraph(Role::Dim, &text, width, &mut lines);
    }
    lines
}
