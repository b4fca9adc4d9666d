//! `burntop people`: what engineers and tools cost beside the bill, and what automation would return.

use std::io::Write;

use super::args::{PeopleArgs, PeopleText};
use super::demo;
use super::money::{self, Money};
use crate::analyze::bill::Category;
use crate::analyze::teams::{Activity, Efforts, Line, People, efforts};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::bill::Usd;
use crate::domain::format;
use crate::report::{MoneyFrom, PeopleOf};
use crate::tabs::teams::picture::{PeopleField, PeopleItem, people_rows};
use crate::tabs::teams::state::Told;
use crate::whatif::levers::{LeverKind, Tco, command};

/// Prints what people and tools cost, or the command of the calculator. Fails where neither is configured, and where
/// nothing could be read.
pub fn run(
    args: &PeopleArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<PeopleField>::of(invocation)?;
    if invocation.options.fail_on.is_some() {
        let why = "--fail-on: what people cost is no finding; `burntop budgets` has them";
        return Err(CliError::Usage(why.into()));
    }
    let Some(people) = configured(invocation) else {
        return Err(CliError::Usage(
            "no people are configured: `[people]` in the configuration has engineers, usd_per_hour and hours_per_week"
                .into(),
        ));
    };
    let Money { lines, from, exit } =
        money::money(&args.of, invocation, &crate::cli::bill::settings(invocation))?;
    let (Told { rows, of }, filled) = beside(&people, &lines, from);
    if args.print == Some(PeopleText::Tco) {
        filled.untold.iter().for_each(|what| tell(format_args!("not in it: {what}")));
        writeln!(out, "{}", filled.command())?;
        return Ok(exit);
    }
    let ctx = reports::context(invocation, env);
    reports::print(&chosen.list(&rows, of, &ctx), invocation, &ctx, out)?;
    Ok(exit)
}

/// The people of the configuration, in the demo its own where there are none; `None` without any.
pub(super) fn configured(invocation: &Invocation) -> Option<People> {
    let config = &invocation.config.people;
    match (config.is_empty(), invocation.options.demo.is_some()) {
        (false, _) => Some(config.people()),
        (true, true) => Some(demo::people()),
        (true, false) => None,
    }
}

/// What people and tools cost beside lines, and the calculator filled from both.
pub(super) fn beside(
    people: &People,
    lines: &[Line],
    from: MoneyFrom,
) -> (Told<PeopleItem, PeopleOf>, Filled) {
    let found = efforts(people);
    let mut filled = filled(lines, matches!(from, MoneyFrom::Live { .. }), people, &found);
    if from.is_open() {
        filled.untold.push("what the rest of the month will cost".to_owned());
    }
    let rows = people_rows(&found);
    let bill = lines.iter().map(|line| line.usd).sum();
    let of = PeopleOf { bill, from, efforts: found, is_published: people.is_published };
    (Told { rows, of }, filled)
}

/// The calculator with what is known, and what has no place in it, in words.
pub(super) struct Filled {
    tco: Tco,
    untold: Vec<String>,
}

impl Filled {
    /// The command that calculates it.
    pub(super) fn command(&self) -> String {
        command(LeverKind::Tco, &self.tco)
    }
}

/// Fills the calculator: compute, storage and network of the lines, and the time of engineers. Its shares are of their
/// time on the infrastructure, and so is the cost of one in a year.
fn filled(lines: &[Line], is_live: bool, people: &People, found: &Efforts) -> Filled {
    let of = |categories: &[Category]| -> Usd {
        let is_of = |line: &&Line| match line.category {
            Some(word) => categories.iter().any(|category| category.word() == word),
            // What runs is compute, whatever it is for.
            None => is_live && categories.contains(&Category::OtherCompute),
        };
        lines.iter().filter(is_of).map(|line| line.usd).sum()
    };
    let mut untold = Vec::new();
    let mut input = |what: &str, amount: Usd| {
        if amount.is_negative() {
            untold.push(format!("{what}, which is {}", format::usd(amount.to_f64())));
            return None;
        }
        Some(amount.to_f64())
    };
    let compute = of(&[Category::Training, Category::Serving, Category::OtherCompute]);
    let compute_usd = input("compute", compute);
    // What runs says nothing of storage and network: not known, not nothing.
    let (storage, network) = (of(&[Category::Storage]), of(&[Category::Network]));
    let storage_usd = if is_live { None } else { input("storage", storage) };
    let network_usd = if is_live { None } else { input("network", network) };
    let whole: Usd = lines.iter().map(|line| line.usd).sum();
    let rest = whole - compute - storage - network;
    let mut beside = |what: &str, amount: Usd| {
        if !amount.is_zero() {
            untold.push(format!("{what}, {} a month", format::usd(amount.to_f64())));
        }
    };
    beside("operations, support, taxes and fees", rest);
    beside("licences of tools", found.licences);
    let hours: f64 = people.hours.iter().map(|(_, hours)| hours.to_f64()).sum();
    let share = |of: &[Activity]| {
        let part = people.hours.iter().filter(|(activity, _)| of.contains(activity));
        (hours > 0.0).then(|| part.map(|(_, hours)| hours.to_f64()).sum::<f64>() / hours)
    };
    let engineers = people.engineers.filter(|n| *n > 0.0 && hours > 0.0);
    let priced = engineers.zip(people.usd_per_hour);
    if priced.is_none() {
        let spent = found.people;
        beside("hours of tools", spent);
    }
    let usd_per_engineer = priced.map(|(n, rate)| hours * 12.0 / n * rate.to_f64());
    let toil = [Activity::Provisioning, Activity::Incidents, Activity::Tooling];
    let tco = Tco {
        compute_usd,
        storage_usd,
        network_usd,
        engineers: priced.map(|(n, _)| n),
        usd_per_engineer,
        toil_share: priced.and_then(|_| share(&toil)),
        performance_share: priced.and_then(|_| share(&[Activity::CostWork, Activity::Performance])),
        ..Tco::default()
    };
    Filled { tco, untold }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::teams::{MonthHours, Rules, Running, asked_line};
    use crate::domain::TagKeys;

    fn line(category: Option<&'static str>, usd: i64) -> Line {
        let one = Running {
            team: None,
            instance_type: "g6.xlarge".into(),
            gpus: None,
            usd_per_hour: None,
            since: None,
        };
        let rules = Rules::new(&TagKeys::default(), &[]);
        Line { category, usd: Usd::whole(usd), ..asked_line(&one, "us-east-1", &rules) }
    }

    fn people() -> People {
        let all = MonthHours::of_week(3.0, 12.0);
        People {
            usd_per_hour: Some(Usd::whole(100)),
            engineers: Some(3.0),
            hours: vec![
                (Activity::Incidents, all.percent(60)),
                (Activity::Performance, all.percent(30)),
                (Activity::Rest, all.percent(10)),
            ],
            ..People::default()
        }
    }

    #[test]
    fn the_calculator_says_of_people_what_the_rows_say() {
        let lines = [
            line(Some("training"), 900),
            line(Some("other_compute"), 100),
            line(Some("storage"), 50),
            line(Some("network"), 25),
            line(Some("fees"), -10),
        ];
        let people = people();
        let found = efforts(&people);
        let filled = filled(&lines, false, &people, &found);
        let total = filled.tco.total().unwrap();
        assert!((total.people_usd.unwrap() - found.people.to_f64()).abs() < 1e-9);
        assert!((total.toil_usd.unwrap() - 9_360.0).abs() < 1e-9);
        assert!((total.usd() - 16_675.0).abs() < 1e-9);
        assert_eq!(filled.untold.len(), 1, "{:?}", filled.untold);
        let text = command(LeverKind::Tco, &filled.tco);
        assert_eq!(
            text,
            "burntop whatif tco compute_usd=1000 storage_usd=50 network_usd=25 engineers=3 usd_per_engineer=62400 \
             toil_share=0.6 performance_share=0.3"
        );
    }

    #[test]
    fn what_runs_says_nothing_of_storage_and_network() {
        let none = People::default();
        let filled = filled(&[line(None, 7)], true, &none, &efforts(&none));
        assert_eq!(filled.tco, Tco { compute_usd: Some(7.0), ..Tco::default() });
        assert!(filled.untold.is_empty());
    }
}
