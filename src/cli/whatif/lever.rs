//! `burntop whatif gpu-savings` and the other simulators: inputs by name, the answer with its
//! arithmetic.

use std::io::Write;

use super::args::LeverArgs;
use super::{CliError, Ctx, Exit, demand, scenario};
use crate::report;
use crate::whatif::Levers;
use crate::whatif::levers::{LeverKind, Simulator};

pub(super) fn run(
    kind: LeverKind,
    args: &LeverArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let mut levers = match &args.scenario {
        Some(path) => scenario::read_file(path)?.scenario.levers,
        None => Levers::default(),
    };
    // What the file says stays; what it does not have begins with the defaults.
    levers.add(kind);
    if let Some(path) = &args.load {
        if kind != LeverKind::Autoscale {
            return Err(CliError::Usage("--load: only autoscale replays a load".to_owned()));
        }
        load(&mut levers, path, args.column.as_deref())?;
    }
    let Some(simulator) = levers.get_mut(kind) else {
        return Err(CliError::Usage(format!("there is no simulator {kind}")));
    };
    for assignment in &args.inputs {
        set(simulator, kind, assignment)?;
    }
    if args.list {
        let text = report::whatif_knobs(kind, &simulator.knobs(), ctx.format(), &ctx.view());
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Ok);
    }
    let sheet = simulator.sheet().map_err(|e| {
        CliError::Usage(format!("{e}\n`burntop whatif {kind} --list` shows all inputs"))
    })?;
    out.write_all(report::whatif_sheet(&sheet, ctx.format(), &ctx.view()).as_bytes())?;
    Ok(Exit::Ok)
}

/// Sets `name=value`. An element of a list that is not there yet is made.
fn set(simulator: &mut dyn Simulator, kind: LeverKind, typed: &str) -> Result<(), CliError> {
    let wrong = |why: String| CliError::Usage(format!("{kind}: {why}"));
    let (name, text) = typed
        .split_once('=')
        .ok_or_else(|| wrong(format!("`{typed}` is no input; write name=value")))?;
    let name = name.trim().replace('-', "_");
    let value = value(text).ok_or_else(|| wrong(format!("`{text}` is no number for {name}")))?;
    let mut parts = name.splitn(3, '.');
    if let (Some(list), Some(Ok(number)), Some(_)) =
        (parts.next(), parts.next().map(str::parse::<usize>), parts.next())
    {
        let length = |simulator: &dyn Simulator| {
            simulator.lists().into_iter().find(|(name, _)| *name == list).map(|(_, n)| n)
        };
        while (1..=1_000).contains(&number) && length(simulator).is_some_and(|n| n < number) {
            if !simulator.resize(list, true) {
                break;
            }
        }
    }
    if simulator.set(&name, Some(value)) {
        return Ok(());
    }
    let known: Vec<String> = simulator.knobs().into_iter().map(|knob| knob.name).collect();
    Err(wrong(format!("there is no input `{name}`; there are: {}", known.join(", "))))
}

/// A number, or a percentage: `30%` is 0.3.
fn value(text: &str) -> Option<f64> {
    let text = text.trim();
    let (text, unit) = match text.strip_suffix('%') {
        Some(part) => (part, 100.0),
        None => (text, 1.0),
    };
    text.trim().parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| v / unit)
}

/// Reads a load: a column of a CSV, its rows as they are.
fn load(levers: &mut Levers, path: &std::path::Path, column: Option<&str>) -> Result<(), CliError> {
    let series = demand::load(path, column)?;
    if let Some(autoscale) = &mut levers.autoscale {
        autoscale.load = series.values;
        autoscale.step_minutes = series.step_minutes.or(autoscale.step_minutes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_or_percentages() {
        assert_eq!(value("30%"), Some(0.3));
        assert_eq!(value(" 2e5 "), Some(200_000.0));
        for text in ["", "%", "nan", "inf", "a", "1,5"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn elements_of_lists_are_made_as_they_are_named() {
        let mut levers = Levers::default();
        levers.add(LeverKind::Programme);
        let programme = levers.get_mut(LeverKind::Programme).unwrap();
        let field =
            programme.knobs().into_iter().rfind(|k| k.name.starts_with("phase.1.")).unwrap();
        let third = field.name.replace("phase.1.", "phase.3.");
        set(programme, LeverKind::Programme, &format!("{third}=1")).unwrap();
        assert_eq!(programme.lists(), [("phase", 3)]);
        let error = set(programme, LeverKind::Programme, "nonsense=1").unwrap_err().to_string();
        assert!(error.contains(&field.name), "{error}");
    }
}
