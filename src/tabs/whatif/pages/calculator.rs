//! A calculator that another tab filled: what it comes to, how that adds up, and the command to change it.

use crate::app::content::Line;
use crate::app::{App, Filled, Role};
use crate::domain::bill::BillHead;
use crate::tabs::jobs::picture::RunsCalculator;
use crate::tabs::network::picture::Calculator;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph};
use crate::view::format;

/// Columns of the names of figures, and of the figures.
const NAME: usize = 30;
const FIGURE: usize = 14;

/// Lines of the page.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(filled) = app.calculator() else {
        let text = "n on the Network tab fills a calculator from its paths, and on the Jobs tab from its attempts.";
        paragraph(Role::Dim, text, width, &mut lines);
        return lines;
    };
    let (from, mind) = match &filled.of {
        Filled::Network { of, heads } => (of_network(heads), left_of_network(of)),
        Filled::Runs(of) => (of_runs(of), left_of_runs(of)),
    };
    paragraph(Role::Dim, &from, width, &mut lines);
    match filled.of.sheet() {
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
    for text in mind {
        paragraph(Role::Text, &text, width, &mut lines);
    }
    heading("Change it", &mut lines);
    paragraph(Role::Accent, &filled.of.command(), width, &mut lines);
    let kept = match (filled.slot, app.whatif().scenario()) {
        (Some(slot), _) => {
            format!("{} was given it: w on the What-if tab keeps both", slot.letter())
        }
        (None, Some(_)) => {
            let letter = app.whatif().active().letter();
            format!("none has it: `:use-calculator` puts it into {letter}")
        }
        (None, None) => "none yet: there is no demand to plan for".to_owned(),
    };
    fact("scenario", &kept, width, &mut lines);
    lines
}

fn of_network(heads: &[BillHead]) -> String {
    let named =
        |head: &BillHead| format!("{} ({}, {})", head.period, head.export, head.state.word());
    let bills: Vec<String> = heads.iter().map(named).collect();
    match &bills[..] {
        [] => "From live paths: each way with its bytes at list prices, of a month of 730 h; paths that nothing counts are \
               not there."
            .to_owned(),
        bills => format!(
            "From the bill of {}: each way with its bytes at what they cost there; a month that goes on as if it went on so.",
            bills.join(" and ")
        ),
    }
}

fn left_of_network(of: &Calculator) -> Vec<String> {
    let left_out = (!of.left_out.is_zero()).then(|| {
        format!(
            "{} of the paths are in no flow: hours, requests, and paths that the calculator has no way for.",
            format::usd_spent(of.left_out.to_f64())
        )
    });
    let cut = "A cut is a fix of the tab, by what it avoids at most.".to_owned();
    left_out.into_iter().chain([cut]).collect()
}

fn of_runs(of: &RunsCalculator) -> String {
    let (from, to) = (of.from.strftime("%Y-%m-%d"), of.to.strftime("%Y-%m-%d"));
    format!(
        "From the attempts that are kept, {from} to {to}: GPU-hours by how they ended, and what of each came to nothing; \
         dollars of a month of 730 h at that pace."
    )
}

fn left_of_runs(of: &RunsCalculator) -> Vec<String> {
    let mut said = Vec::new();
    if of.unpriced > 0 {
        let text = "the price is not known: the dollars are a lower bound.";
        said.push(format!("Of {} {text}", format::plural(of.unpriced as usize, "attempt")));
    }
    if of.without_gpu_time > 0 {
        let text = "the GPU-hours are not known: they are in no share.";
        said.push(format!("Of {} {text}", format::plural(of.without_gpu_time as usize, "attempt")));
    }
    said.push(
        "What a checkpoint saved is not among what is lost. Say how many hours lie between checkpoints, and how long a restart \
         takes, to see what they would save."
            .to_owned(),
    );
    said
}
