//! `burntop gpus`: one round of reading, the GPUs printed, with an exit code.

use std::io::Write;
use std::sync::Arc;

use super::args::{GpusArgs, GroupChoice};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::jobs::HoldersRead;
use super::list_options::Selection;
use super::reports;
use super::telemetry::Want;
use super::tell::tell;
use crate::bus::Outcome;
use crate::config::Env;
use crate::domain::Reading;
use crate::fleet::{GpuFleet, GpuTotals};
use crate::report::{Gpus, GroupedGpus, List};
use crate::tabs::gpus::picture::{GpuField, GpuGrouping, GroupField};
use crate::view::ViewContext;

/// Reads all GPU sources once and prints the GPUs. Fails for options that do not fit, and where nothing could
/// be read.
pub fn run(
    args: GpusArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let options = &invocation.options;
    // With groups, columns, order and number are theirs; the filter is of GPUs either way.
    let (chosen, groups) = match args.group {
        Some(by) => {
            let groups = Selection::<GroupField>::unfiltered(invocation)?;
            (Selection::filter_alone(invocation)?, Some((grouping(by), groups)))
        }
        None => (Selection::of(invocation)?, None),
    };
    if let Some(fail_on) = &options.fail_on {
        fail_on.of_gpus().map_err(CliError::Usage)?;
    }
    let mut outcome = reports::read(invocation, Want::All)?;
    unreadable(invocation, &outcome)?;
    let ctx = reports::context(invocation, env);
    if options.offline {
        // What the last run left is named by what is known now.
        let kept = HoldersRead::of(invocation).read();
        let rows = kept.named(&outcome.gpus, ctx.now);
        outcome.gpus = Arc::new(GpuFleet { rows, ..GpuFleet::clone(&outcome.gpus) });
    }
    let list = report(&outcome, &chosen, &ctx);
    let totals = GpuTotals::of(list.rows.iter().map(|r| &**r));
    match groups {
        Some((by, groups)) => {
            let filter = list.filter.clone();
            let of = GroupedGpus { list, by };
            let list = List { filter, ..groups.list(&of.groups(), of, &ctx) };
            reports::print(&list, invocation, &ctx, out)?;
        }
        None => reports::print(&list, invocation, &ctx, out)?,
    }
    let exit = reports::ended(&outcome.fleet.readings);
    reports::shortfalls(&outcome).iter().for_each(tell);
    if let Some(found) = options.fail_on.as_ref().and_then(|f| f.tripped_by_gpus(&totals)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(exit)
}

/// What is printed, without groups.
pub(super) fn report(
    outcome: &Outcome,
    chosen: &Selection<GpuField>,
    ctx: &ViewContext,
) -> List<GpuField> {
    let of = Gpus { gpus: outcome.gpus.clone(), fleet: outcome.fleet.clone() };
    chosen.list(&outcome.gpus.rows, of, ctx)
}

fn grouping(choice: GroupChoice) -> GpuGrouping {
    match choice {
        GroupChoice::Team => GpuGrouping::Team,
        GroupChoice::Node => GpuGrouping::Node,
        GroupChoice::Owner => GpuGrouping::Owner,
        GroupChoice::Job => GpuGrouping::Job,
        GroupChoice::Model => GpuGrouping::Model,
        GroupChoice::State => GpuGrouping::State,
    }
}

/// Ends with code 4 when nothing was read: neither GPUs nor, without a source that answered, the
/// instances that should have some.
fn unreadable(invocation: &Invocation, outcome: &Outcome) -> Result<(), CliError> {
    if is_told(outcome) {
        Ok(())
    } else if invocation.options.this_host {
        Err(CliError::Failed { exit: Exit::Unreadable, message: no_host(outcome) })
    } else {
        reports::unreadable(invocation, outcome)
    }
}

/// True when a source answered, if only to say that there are no GPUs.
fn is_told(outcome: &Outcome) -> bool {
    let answered = |r: &Reading| r.source.is_gpu() && r.taken_at.is_some();
    !outcome.gpus.rows.is_empty() || outcome.fleet.readings.iter().any(answered)
}

fn no_host(outcome: &Outcome) -> String {
    let told: Vec<String> = reports::troubles(&outcome.fleet.readings).collect();
    match told.as_slice() {
        [] => "no GPU of this host could be read: its driver did not answer".to_owned(),
        lines => lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{ErrorKind, Scope, SourceError, SourceId, SourceState};
    use crate::fleet::Fleet;
    use crate::tabs::gpus::picture::fixture;

    fn read(state: SourceState, ago: Option<i64>) -> Outcome {
        let reading = Reading {
            source: SourceId::Nvml,
            scope: Scope::new("-", "-"),
            taken_at: ago.map(crate::view::fixture::ago),
            coverage: 1.0,
            state,
        };
        let fleet = Fleet { readings: vec![reading], ..Fleet::default() };
        Outcome { fleet: Arc::new(fleet), ..Outcome::default() }
    }

    #[test]
    fn no_gpu_there_is_an_answer_and_silence_is_none() {
        assert!(!is_told(&Outcome::default()));
        assert!(no_host(&Outcome::default()).contains("did not answer"));
        let gpus = Outcome { gpus: Arc::new(fixture::gpus()), ..Outcome::default() };
        assert!(is_told(&gpus));
        assert!(is_told(&read(SourceState::Live, Some(0))), "a host without GPUs");
        let missing = SourceError::new(ErrorKind::Unavailable, "nvml", "no driver", "install it");
        let failed = read(SourceState::Failed(Arc::new(missing)), None);
        assert!(!is_told(&failed));
        assert!(no_host(&failed).ends_with("install it"), "{}", no_host(&failed));
    }

    #[test]
    fn the_groups_of_the_command_line_are_those_of_the_screen() {
        use clap::ValueEnum;
        for choice in GroupChoice::value_variants() {
            let name = choice.to_possible_value().unwrap().get_name().to_owned();
            assert_eq!(grouping(*choice).name(), name);
        }
    }
}
