//! `burntop commitments`, `rightsize`, `spot`, `resources`: what could be saved and what it is really
//! worth, read once and printed.

pub mod args;
mod asg;
mod guide;
mod read;

use std::io::Write;
use std::sync::Arc;

use serde_json::Map;

use super::exit::{CliError, Exit};
use super::fail_on::Found;
use super::invocation::Invocation;
use super::savings_settings::SavingsWant;
use super::telemetry::Want;
use super::tell::tell;
use super::{reports, session};
use crate::config::Env;
use crate::domain::{Reading, SourceId, VerdictKind};
use crate::fleet::Savings;
use crate::fleet::savings::{CommitmentRow, Proposal, SizeVerdict, SpotFit, SpotRow};
use crate::report::{self, Format, SavingsAbout, SavingsField};
use crate::view::savings::{
    CommitmentField, ProposalField, ResourceField, ResourceItem, SpotField, resource_items,
};
use crate::view::{Filter, Sort, ViewContext, table};
use args::{RightsizeArgs, SpotArgs};
pub(super) use read::work_out;

/// Which list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Commitments held.
    Commitments,
    /// Smaller sizes.
    Rightsize(RightsizeArgs),
    /// Spot.
    Spot(SpotArgs),
    /// Resources that are no instances.
    Resources,
}

/// Reads everything once and prints the list.
pub fn run(
    what: What,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    match what {
        What::Commitments => List::<CommitmentField> {
            view: "commitments",
            want: Want::Free,
            saving: SavingsWant::Net,
            source: SourceId::Commitments,
            rows: |savings| savings.commitments.clone(),
            more: report::commitment_sums,
            found: of_commitments,
        }
        .run(invocation, env, out),
        What::Rightsize(RightsizeArgs { guide: Some(inputs) }) => {
            guide::run(&inputs, invocation, env, out)
        }
        What::Rightsize(RightsizeArgs { guide: None }) => List::<ProposalField> {
            view: "rightsize",
            want: Want::All,
            saving: SavingsWant::Market,
            source: SourceId::Ec2,
            rows: |savings| savings.proposals.clone(),
            more: |_| Map::new(),
            found: of_proposals,
        }
        .run(invocation, env, out),
        What::Spot(SpotArgs { asg: Some(form) }) => asg::run(form, invocation, env, out),
        What::Spot(SpotArgs { asg: None }) => List::<SpotField> {
            view: "spot",
            want: Want::Free,
            saving: SavingsWant::Market,
            source: SourceId::Ec2,
            rows: |savings| savings.spot.clone(),
            more: asg::mixed_fleets,
            found: of_spot,
        }
        .run(invocation, env, out),
        What::Resources => List::<ResourceField> {
            view: "resources",
            want: Want::Free,
            saving: SavingsWant::Resources,
            source: SourceId::Resources,
            rows: resource_items,
            more: |_| Map::new(),
            found: of_resources,
        }
        .run(invocation, env, out),
    }
}

/// A list as a command.
struct List<F: SavingsField> {
    /// Name of the view.
    view: &'static str,
    /// Which sources of GPUs are read.
    want: Want,
    /// What else is read: what the rows are made of, and no more permissions than that.
    saving: SavingsWant,
    /// Without an answer of this source nothing can be said.
    source: SourceId,
    /// Its rows.
    rows: fn(&Savings) -> Vec<Arc<F::Row>>,
    /// What stands beside the rows in JSON.
    more: fn(&Savings) -> Map<String, serde_json::Value>,
    /// What of the rows is a finding.
    found: fn(&[Arc<F::Row>]) -> Found,
}

impl<F: SavingsField> List<F> {
    fn run(
        &self,
        invocation: &Invocation,
        env: &Env,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let options = &invocation.options;
        let filter: Option<Filter<F>> = match &options.filter {
            Some(text) => {
                Some(Filter::parse(text).map_err(|e| CliError::Usage(format!("--filter: {e}")))?)
            }
            None => None,
        };
        if let Some(fail_on) = &options.fail_on {
            fail_on.of_savings(self.view == "resources").map_err(CliError::Usage)?;
        }
        let read = read::once(invocation, self.want, self.saving, self.source)?;
        let ctx = ViewContext { now: options.now(), symbols: session::symbols(invocation, env) };
        let all = (self.rows)(&read.savings);
        let rows: Vec<Arc<F::Row>> = table::select(&all, filter.as_ref(), Sort::default(), &ctx)
            .into_iter()
            .filter_map(|i| all.get(i as usize).cloned())
            .collect();
        let format = reports::format_of(options.format);
        let about = SavingsAbout {
            view: self.view,
            filter: options.filter.as_deref().unwrap_or_default(),
            readings: &read.readings,
            unread: &read.savings.unread,
        };
        let more = (self.more)(&read.savings);
        let columns = report::default_savings_columns::<F>(format);
        let text = report::savings_rows(&rows, columns, format, &ctx, &about, more);
        out.write_all(text.as_bytes())?;
        // The other formats say it themselves.
        if format == Format::Csv {
            for line in read::troubles(&read.readings) {
                tell(line);
            }
        }
        let found = (self.found)(&rows);
        if let Some(found) = options.fail_on.as_ref().and_then(|f| f.tripped_by_savings(&found)) {
            tell(format_args!("--fail-on: {found}"));
            return Ok(Exit::Findings);
        }
        Ok(exit(&read.readings))
    }
}

/// Partial when a source failed or answered in part.
fn exit(readings: &[Reading]) -> Exit {
    if readings.iter().any(reports::is_partial) { Exit::Partial } else { Exit::Ok }
}

fn known(values: impl Iterator<Item = Option<f64>>) -> f64 {
    values.flatten().sum()
}

fn of_commitments(rows: &[Arc<CommitmentRow>]) -> Found {
    Found {
        // That one is over, or begins later, is no finding.
        findings: rows.iter().filter(|r| r.is_in_force).map(|r| r.findings.len()).sum(),
        waste: known(rows.iter().map(|r| r.unused_usd_per_hour)),
        ..Found::default()
    }
}

fn of_proposals(rows: &[Arc<Proposal>]) -> Found {
    let smaller = || {
        let is = |p: &&Arc<Proposal>| matches!(p.verdict, SizeVerdict::Smaller { .. });
        rows.iter().filter(is)
    };
    // What saves nothing while a commitment lasts is no finding now.
    let worth = |p: &&Arc<Proposal>| p.net_usd_per_hour.is_none_or(|net| net > 0.0);
    Found {
        findings: smaller().filter(worth).count(),
        waste: known(smaller().map(|p| p.net_usd_per_hour.map(|net| net.max(0.0)))),
        ..Found::default()
    }
}

fn of_spot(rows: &[Arc<SpotRow>]) -> Found {
    let fits = || {
        rows.iter()
            .filter(|r| matches!(r.fit, SpotFit::Yes | SpotFit::Partial))
            .filter(|r| r.net_usd_per_hour.is_some_and(|net| net > 0.0))
    };
    Found {
        findings: fits().count(),
        waste: known(fits().map(|r| r.net_usd_per_hour)),
        ..Found::default()
    }
}

fn of_resources(rows: &[Arc<ResourceItem>]) -> Found {
    let idle = || rows.iter().filter(|i| i.is_idle());
    let unknown = |i: &&Arc<ResourceItem>| {
        i.row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Unknown)
    };
    Found {
        findings: idle().count(),
        idle: idle().count(),
        unknown: rows.iter().filter(unknown).count(),
        waste: known(idle().map(|i| i.row.waste_usd_per_hour)),
    }
}
