//! `burntop whatif memo`: one page about a scenario.

use std::io::Write;
use std::sync::Arc;

use super::args::MemoArgs;
use super::demand::{self, Want};
use super::scenario::{self, Plan};
use super::{CliError, Ctx, Exit, begin, workers};
use crate::bus::planning::whole;
use crate::cli::plan_file;
use crate::report::{Format, SessionPlan, SessionReport, write};
use crate::view::room::wrapped;
use crate::whatif::{Answer, Demand, Scenario, Slot};

pub(super) fn run(args: &MemoArgs, ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let (demand, prices) = demand::priced(&args.demand.of_all(), Want::All, ctx)?;
    let Plan { scenario, warnings } = match &args.scenario {
        Some(path) => scenario::of_file(path)?,
        None => {
            let scenario = begin(&demand, &|family| prices.of(family));
            Plan { scenario, warnings: Vec::new() }
        }
    };
    let scenario = scenario::of_family(scenario, args.demand.family.as_deref())?;
    let demand = Arc::new(demand);
    let answer = whole(&demand, &scenario, &workers()).map_err(CliError::Usage)?;
    let report = report(demand, Arc::new(scenario), Arc::new(answer));
    warnings.iter().for_each(crate::cli::tell::tell);
    // A memo is Markdown unless somebody wants numbers.
    let (format, width) = match ctx.format() {
        Format::Table => (Format::Md, ctx.view().width),
        format => (format, None),
    };
    let text = write(&report, format, &ctx.view());
    match &args.out {
        None => out.write_all(to_read(&text, width).as_bytes())?,
        Some(path) => {
            plan_file::create(path, text.as_bytes())?;
        }
    }
    Ok(Exit::Ok)
}

/// Markdown with its paragraphs and points wrapped to a terminal of `width` columns. It stays Markdown: rows of tables are
/// as wide as they are.
fn to_read(text: &str, width: Option<u16>) -> String {
    let line = |line: &str| {
        let width = width.filter(|_| !line.starts_with('|'));
        wrapped(format!("{line}\n"), width)
    };
    text.lines().map(line).collect()
}

/// What is printed: a session of one scenario.
pub(in crate::cli) fn report(
    demand: Arc<Demand>,
    scenario: Arc<Scenario>,
    answer: Arc<Answer>,
) -> SessionReport {
    let plans = vec![SessionPlan { slot: Slot::A, scenario, answer: Some(answer) }];
    SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() }
}
