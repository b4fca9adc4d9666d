//! `burntop commitments`, `rightsize`, `spot`, `resources`, `models`: what could be saved and what it is really
//! worth, read once and printed.

pub mod args;
mod asg;
mod guide;
mod read;

use std::io::Write;
use std::sync::Arc;

use super::exit::{CliError, Exit};
use super::fail_on::Found;
use super::invocation::Invocation;
use super::list_options::Selection;
use super::reports;
use super::savings_settings::SavingsWant;
use super::telemetry::Want;
use super::tell::tell;
use crate::config::Env;
use crate::domain::{SourceId, VerdictKind};
use crate::fleet::Savings;
use crate::fleet::savings::{CommitmentRow, Proposal, SizeVerdict, SpotFit, SpotRow};
use crate::report::{List, ListField, SavedOf};
use crate::tabs::savings::picture::{
    CommitmentField, ModelField, ProposalField, ResourceField, ResourceItem, SpotField,
    resource_items,
};
use crate::view::ViewContext;
use args::{RightsizeArgs, SpotArgs};

/// The savings list to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Commitments held.
    Commitments,
    /// Smaller sizes for instances.
    Rightsize(RightsizeArgs),
    /// Instances that could run on Spot.
    Spot(SpotArgs),
    /// Resources other than instances that idle.
    Resources,
    /// Measures on models at low use.
    Models,
}

/// Reads everything once and prints the list. Fails for options that do not fit, and where nothing could be
/// read.
pub fn run(
    what: What,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    match what {
        What::Commitments => COMMITMENTS.run(invocation, env, out),
        What::Rightsize(RightsizeArgs { guide: Some(inputs) }) => {
            guide::run(&inputs, invocation, env, out)
        }
        What::Rightsize(RightsizeArgs { guide: None }) => RIGHTSIZE.run(invocation, env, out),
        What::Spot(SpotArgs { asg: Some(form) }) => asg::run(form, invocation, env, out),
        What::Spot(SpotArgs { asg: None }) => SPOT.run(invocation, env, out),
        What::Resources => RESOURCES.run(invocation, env, out),
        What::Models => {
            if invocation.options.fail_on.is_some() {
                let text = "--fail-on is for what is certain: what models could save is potential";
                return Err(CliError::Usage(text.into()));
            }
            MODELS.run(invocation, env, out)
        }
    }
}

/// `burntop commitments`.
pub(super) const COMMITMENTS: Listed<CommitmentField> = Listed {
    want: Want::Free,
    saving: SavingsWant::Net,
    source: SourceId::Commitments,
    rows: |savings| savings.commitments.clone(),
    found: of_commitments,
};

/// `burntop rightsize`.
pub(super) const RIGHTSIZE: Listed<ProposalField> = Listed {
    want: Want::All,
    saving: SavingsWant::Market,
    source: SourceId::Ec2,
    rows: |savings| savings.proposals.clone(),
    found: of_proposals,
};

/// `burntop spot`.
pub(super) const SPOT: Listed<SpotField> = Listed {
    want: Want::Free,
    saving: SavingsWant::Market,
    source: SourceId::Ec2,
    rows: |savings| savings.spot.clone(),
    found: of_spot,
};

/// `burntop resources`.
pub(super) const RESOURCES: Listed<ResourceField> = Listed {
    want: Want::Free,
    saving: SavingsWant::Resources,
    source: SourceId::Resources,
    rows: resource_items,
    found: of_resources,
};

/// `burntop models`.
pub(super) const MODELS: Listed<ModelField> = Listed {
    want: Want::All,
    // Potential is of what all the other savings leave; of scripts the jobs tell that are kept.
    saving: SavingsWant::All,
    source: SourceId::Ec2,
    rows: |savings| savings.models.clone(),
    found: |_| Found::default(),
};

/// A list as a command.
pub(super) struct Listed<F: ListField<Of = SavedOf>> {
    /// Which sources of GPUs are read.
    want: Want,
    /// What is read for the list besides the fleet; no more permissions than its rows need.
    saving: SavingsWant,
    /// Without an answer of this source nothing can be said.
    source: SourceId,
    /// Takes the rows of the list from the picture.
    rows: fn(&Savings) -> Vec<Arc<F::Row>>,
    /// Tells which of the rows are findings, for `--fail-on`.
    found: fn(&[Arc<F::Row>]) -> Found,
}

impl<F: ListField<Of = SavedOf>> Listed<F> {
    fn run(
        &self,
        invocation: &Invocation,
        env: &Env,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let options = &invocation.options;
        let chosen = Selection::of(invocation)?;
        if let Some(fail_on) = &options.fail_on {
            fail_on.of_savings(F::VIEW == "resources").map_err(CliError::Usage)?;
        }
        let of = self.read(invocation)?;
        let ctx = reports::context(invocation, env);
        let list = self.report(of, &chosen, &ctx);
        reports::print(&list, invocation, &ctx, out)?;
        let exit = reports::ended(&list.of.readings);
        let found = (self.found)(&list.rows);
        if let Some(found) = options.fail_on.as_ref().and_then(|f| f.tripped_by_savings(&found)) {
            tell(format_args!("--fail-on: {found}"));
            return Ok(Exit::Findings);
        }
        Ok(exit)
    }

    /// What the rows are made of, read once, and no more.
    pub(super) fn read(&self, invocation: &Invocation) -> Result<SavedOf, CliError> {
        read::once(invocation, self.want, self.saving, self.source).map(|read| read.of)
    }

    /// What is printed.
    pub(super) fn report(&self, of: SavedOf, chosen: &Selection<F>, ctx: &ViewContext) -> List<F> {
        chosen.list(&(self.rows)(&of.savings), of, ctx)
    }
}

/// What paths of the network rest on, read once: resources, and storage as far as the Overview sums it.
pub(super) fn network_picture(invocation: &Invocation) -> Result<SavedOf, CliError> {
    read::once(invocation, Want::Free, SavingsWant::Network, SourceId::Resources)
        .map(|read| read.of)
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
