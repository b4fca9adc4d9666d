//! Lines that are typed whole: a step of the demand, a later purchase, a Compute Savings Plan.

use super::Unit;
use crate::domain::text::clean;
use crate::whatif::{Buy, ComputePlan, FamilyInputs, Payment, Scenario, Step, StepKind};

/// Examples of steps, shown in the prompt.
pub const STEP_HINT: &str = "launch 40 @26, scale 0.8 @10, move 50% to p5 x0.4 @12";

/// Parses a step: `launch 40 @26`, `scale 0.8 @10`, `move 50% to NAME x0.4 @12`; without a week it is 0. Fails
/// with what is expected.
pub fn read_step(text: &str, scenario: &Scenario) -> Result<Step, String> {
    let (what, week) = at_week(text, scenario.future.weeks)?;
    let (word, rest) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
    let rest = rest.trim();
    let known = |unit: Unit, text: &str| unit.read(text)?.ok_or_else(|| "how much?".to_owned());
    let kind = match word {
        "launch" => StepKind::Launch { units: known(Unit::Units, rest)? },
        "scale" => {
            let factor = known(Unit::Plain, rest)?;
            if factor < 0.0 {
                return Err("a factor is at least 0".to_owned());
            }
            StepKind::Scale { factor }
        }
        "move" => read_move(rest, scenario)?,
        _ => return Err(format!("`{word}`: launch, scale or move, like {STEP_HINT}")),
    };
    Ok(Step { week, kind })
}

fn read_move(rest: &str, scenario: &Scenario) -> Result<StepKind, String> {
    let how = || "like: move 50% to p5 x0.4".to_owned();
    let (share, rest) = rest.split_once(" to ").ok_or_else(how)?;
    let share = Unit::Share.read(share)?.ok_or_else(how)?;
    if !(0.0..=1.0).contains(&share) {
        return Err("between 0% and 100%".to_owned());
    }
    // The ratio stands behind the name, which may hold blanks.
    let (name, ratio) = match rest.rsplit_once(" x") {
        Some((name, ratio)) => (name, Unit::Plain.read(ratio)?.ok_or_else(how)?),
        None => (rest, 1.0),
    };
    if ratio < 0.0 {
        return Err("a ratio is at least 0".to_owned());
    }
    let name = name.trim();
    let to = scenario.families.iter().find(|f| f.name == name);
    let to = to.ok_or_else(|| format!("no family is called `{}`", clean(name)))?;
    Ok(StepKind::Move { share, to: to.name.clone(), ratio })
}

/// Parses a later purchase: `20 OFFER @13`. Fails with what is expected.
pub fn read_buy(text: &str, family: &FamilyInputs, weeks: u16) -> Result<Buy, String> {
    let (what, week) = at_week(text, weeks)?;
    let how = || "units, offer, week, like: 20 1y @13".to_owned();
    let (units, name) = what.split_once(char::is_whitespace).ok_or_else(how)?;
    let units = Unit::Units.read(units)?.filter(|u| *u >= 0.0).ok_or_else(how)?;
    let name = name.trim();
    // The beginning of a name will do, where it is no other's.
    let exact = family.offers.iter().find(|o| o.name == name);
    let mut begun = family.offers.iter().filter(|o| o.name.starts_with(name));
    let offer = exact.or_else(|| begun.next().filter(|_| begun.next().is_none()));
    let names = || family.offers.iter().map(|o| &*o.name).collect::<Vec<_>>().join(", ");
    let offer = offer.ok_or_else(|| format!("which offer? {}", names()))?;
    Ok(Buy { offer: offer.name.clone(), units, week })
}

/// Parses a Compute Savings Plan: `120` or `120 3y`, USD per hour and term. Fails with what is expected.
pub fn read_plan(text: &str, scenario: &Scenario) -> Result<ComputePlan, String> {
    let (what, week) = at_week(text, scenario.future.weeks)?;
    let (usd, weeks) = what.split_once(char::is_whitespace).unwrap_or((what, "1y"));
    let how = || "dollars per hour and term, like: 120 1y".to_owned();
    let usd_per_hour = Unit::UsdPerHour.read(usd)?.filter(|usd| *usd >= 0.0).ok_or_else(how)?;
    let weeks = Unit::Weeks.read(weeks)?.filter(|w| (1.0..=156.0).contains(w)).ok_or_else(how)?;
    Ok(ComputePlan {
        name: format!("Compute SP {}", scenario.compute_plans.len() + 1),
        usd_per_hour,
        weeks: weeks as u16,
        week,
        payment: Payment::NoUpfront,
        // Not public for every family: each rate is typed.
        rates: Vec::new(),
        held: false,
    })
}

/// What stands before `@`, and the week after it.
fn at_week(text: &str, weeks: u16) -> Result<(&str, u16), String> {
    let Some((what, week)) = text.rsplit_once('@') else { return Ok((text.trim(), 0)) };
    let week = Unit::Weeks.read(week)?.unwrap_or(0.0);
    if !(0.0..f64::from(weeks)).contains(&week) {
        return Err(format!("a week between 0 and {}", weeks.saturating_sub(1)));
    }
    Ok((what.trim(), week as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::whatif::{Offer, OfferKind};

    fn scenario() -> Scenario {
        let offer = |name: &str| Offer {
            name: name.into(),
            kind: OfferKind::StandardRi,
            weeks: 52,
            payment: Payment::NoUpfront,
            rate: None,
        };
        let family = |name: &str| FamilyInputs {
            name: name.into(),
            offers: vec![offer("1y no-upfront"), offer("1y all-upfront"), offer("3y")],
            ..FamilyInputs::default()
        };
        Scenario { families: vec![family("p4d"), family("p5 new")], ..Scenario::default() }
    }

    #[test]
    fn steps_are_read() {
        let read = |text: &str| read_step(text, &scenario());
        assert_eq!(
            read("launch 40 @26"),
            Ok(Step { week: 26, kind: StepKind::Launch { units: 40.0 } })
        );
        assert_eq!(read("scale .8"), Ok(Step { week: 0, kind: StepKind::Scale { factor: 0.8 } }));
        let to = StepKind::Move { share: 0.5, to: "p5 new".into(), ratio: 0.4 };
        assert_eq!(read("move 50% to p5 new x0.4 @3mo"), Ok(Step { week: 13, kind: to }));
        let wrong =
            ["", "lunch 4", "launch", "launch 4 @52", "move 50% to p6", "move 2 p5", "scale -1"];
        insta::assert_debug_snapshot!(wrong.map(|text| read(text).unwrap_err()));
    }

    #[test]
    fn purchases_and_plans_are_read() {
        let scenario = scenario();
        let read = |text: &str| read_buy(text, &scenario.families[0], 52);
        let offer = "1y all-upfront".to_owned();
        assert_eq!(read("20 1y a @13"), Ok(Buy { offer, units: 20.0, week: 13 }));
        assert_eq!(read("2.5 3y"), Ok(Buy { offer: "3y".into(), units: 2.5, week: 0 }));
        assert!(read("20 1y").unwrap_err().contains("which offer"));
        assert!(read("-3 3y").is_err() && read("3y").is_err());
        let plan = read_plan("$120 3y @4", &scenario).unwrap();
        assert_eq!((plan.usd_per_hour, plan.weeks, plan.week), (120.0, 156, 4));
        assert!(plan.rates.is_empty(), "no rate is made up");
        assert!(read_plan("x", &scenario).is_err() && read_plan("10 9y", &scenario).is_err());
    }
}
