//! What stands above the fields of a setting of an autoscaler that was replayed: what the group did, what would have been, how it is
//! counted, and what sets it.

use super::settings::what_sets_it;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::{heading, paragraph};
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
    let (settings, limits) = (reasons::scaling_settings(of), reasons::scaling_limits(group.source));
    what_sets_it(app, &settings, Some(limits), width, &mut lines);
    lines
}
