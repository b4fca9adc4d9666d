//! The network calculator, filled from paths: what each way costs, what the fixes leave of it, how that adds up.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::{fact, heading, paragraph};
use crate::view::format;

/// Columns of the names of figures, and of the figures.
const NAME: usize = 30;
const FIGURE: usize = 14;

/// Lines of the page.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(filled) = app.network_calculator() else {
        let text = "n on the Network tab fills the calculator from its paths.";
        paragraph(Role::Dim, text, width, &mut lines);
        return lines;
    };
    let named = |head: &crate::domain::bill::BillHead| {
        format!("{} ({}, {})", head.period, head.export, head.state.word())
    };
    let bills: Vec<String> = filled.heads.iter().map(named).collect();
    let text = match &bills[..] {
        [] => "From live paths: each way with its bytes at list prices, of a month of 730 h; paths that nothing counts are \
               not there."
            .to_owned(),
        bills => format!(
            "From the bill of {}: each way with its bytes at what they cost there; a month that goes on as if it went on so.",
            bills.join(" and ")
        ),
    };
    paragraph(Role::Dim, &text, width, &mut lines);
    match filled.of.network.sheet() {
        Ok(sheet) => {
            heading("What it comes to", &mut lines);
            for result in &sheet.results {
                let line = Line::new().text("  ").column(Role::Text, &result.label, NAME);
                lines.push(line.number(Role::Heading, &result.shown(), FIGURE));
            }
            heading("How", &mut lines);
            for of in &sheet.lines {
                let line = Line::new().text("  ").column(Role::Text, &of.label, NAME);
                let line = line.number(Role::Text, &of.shown(), FIGURE);
                lines.push(line.with(Role::Dim, format!("  {}", of.arithmetic)));
            }
            heading("Mind", &mut lines);
            for note in &sheet.notes {
                paragraph(Role::Text, note, width, &mut lines);
            }
        }
        Err(why) => paragraph(Role::Crit, &why.to_string(), width, &mut lines),
    }
    let left_out = filled.of.left_out;
    if !left_out.is_zero() {
        let text = format!(
            "{} of the paths are in no flow: hours, requests, and paths that the calculator has no way for.",
            format::usd_spent(left_out.to_f64())
        );
        paragraph(Role::Text, &text, width, &mut lines);
    }
    let text = "A cut is a fix of the tab, by what it avoids at most.";
    paragraph(Role::Text, text, width, &mut lines);
    heading("Change it", &mut lines);
    paragraph(Role::Accent, &filled.command(), width, &mut lines);
    let kept = match filled.slot {
        Some(slot) => format!("{} has it, too: w on the What-if tab keeps both", slot.letter()),
        None => "none yet: there is no demand to plan for".to_owned(),
    };
    fact("scenario", &kept, width, &mut lines);
    lines
}
