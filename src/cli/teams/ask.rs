//! A budget and its level, as `policy run --when-budget NAME:95%` names them, and whether it is reached.

use std::str::FromStr;

use super::budgets::Ready;
use super::settings;
use crate::analyze::teams::BudgetState;
use crate::cli::bill::args::OfArgs;
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::domain::format;
use crate::domain::text::clean;
use crate::tabs::teams::state::longest;

/// A budget with one of its levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Name of the budget.
    pub name: String,
    /// The level, percent of its limit.
    pub percent: f64,
}

/// Why a text is no budget with a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a budget and its level are written NAME:PERCENT%, as in nlp:95%")]
pub struct NoLevel;

impl FromStr for Asked {
    type Err = NoLevel;

    fn from_str(text: &str) -> Result<Self, NoLevel> {
        let (name, level) = text.rsplit_once(':').ok_or(NoLevel)?;
        let level = level.trim();
        let number = level.strip_suffix('%').unwrap_or(level).trim();
        let percent: f64 = number.parse().map_err(|_| NoLevel)?;
        let name = name.trim();
        if name.is_empty() || !(percent > 0.0 && percent <= 1000.0) {
            return Err(NoLevel);
        }
        Ok(Self { name: name.to_owned(), percent })
    }
}

/// Whether the budget has reached the level, with a sentence that says so. Fails for a budget that is not configured,
/// and where the bill could not be read in full: then nobody knows, and nothing may follow from it.
pub fn asked(asked: &Asked, invocation: &Invocation) -> Result<(bool, String), CliError> {
    let typed = invocation.config.teams.budgets();
    let ready = Ready::read(&OfArgs::default(), longest(&typed), invocation)?;
    let budgets = settings::budgets(invocation, &ready.months, &ready.rules, ready.period);
    let found = budgets.iter().find(|budget| budget.name.eq_ignore_ascii_case(&asked.name));
    let Some(budget) = found else {
        let names: Vec<&str> = budgets.iter().map(|budget| &*budget.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let name = clean(&asked.name);
        return Err(CliError::Usage(format!(
            "--when-budget: there is no budget {name}, so nothing was done; there are {names}"
        )));
    };
    if ready.exit != crate::cli::exit::Exit::Ok {
        return Err(CliError::Failed {
            exit: crate::cli::exit::Exit::Unreadable,
            message: "--when-budget: not all bills could be read, so nothing was done".into(),
        });
    }
    let states = ready.states(std::slice::from_ref(budget), 0.0);
    let Some(state) = states.first() else { return Ok((false, String::new())) };
    if !state.takes_any {
        return Err(CliError::Failed {
            exit: crate::cli::exit::Exit::Unreadable,
            message: format!(
                "--when-budget: the filter of {} takes no line of {}, so nothing was done",
                budget.name, state.period
            ),
        });
    }
    let is_reached = state.has_reached(asked.percent);
    Ok((is_reached, sentence(state, asked.percent, is_reached)))
}

fn sentence(state: &BudgetState, percent: f64, is_reached: bool) -> String {
    let of = |usd: crate::domain::bill::Usd| format::usd(usd.to_f64());
    let level = format::percent_trimmed(percent, 1);
    format!(
        "budget {}: {} of {} spent in {} ({}), {} {level}",
        state.budget.name,
        of(state.spent),
        of(state.budget.limit),
        state.period,
        format::share(state.share(), 1),
        if is_reached { "at or above" } else { "below" },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_a_name_and_a_percentage() {
        let asked: Asked = "nlp: 95%".parse().unwrap();
        assert_eq!((asked.name.as_str(), asked.percent), ("nlp", 95.0));
        assert_eq!("a b:80".parse::<Asked>().unwrap().percent, 80.0);
        for text in ["", "nlp", "nlp:", ":95%", "nlp:0%", "nlp:x", "nlp:nan", "nlp:-5%"] {
            assert_eq!(text.parse::<Asked>(), Err(NoLevel), "{text}");
        }
    }
}
