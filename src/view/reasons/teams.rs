//! What is odd about rules of teams beside a bill, and why something does not fit a quota or a budget.

use crate::analyze::teams::{BudgetState, Limited, QuotaState, Remark};
use crate::view::format::{plural, trimmed, usd as dollars, usd_per_hour};

/// What is odd about rules: one sentence without a full stop.
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::PoolTakesNothing(name) => {
            format!("the filter of the shared cost \"{name}\" takes no line")
        }
        Remark::MappingTakesNothing(place, team) => {
            format!("mapping {place}, to {team}, fits no line that has no tag of a team")
        }
        Remark::Contested(first, other, usd) => format!(
            "mappings {first} and {other} name two teams for the same lines ({}): mapping {first} counts",
            dollars(usd.to_f64())
        ),
        Remark::NobodyShares(name, usd) => format!(
            "nobody is there to share \"{name}\": its {} stay without a value",
            dollars(usd.to_f64())
        ),
        Remark::EvenInstead(name, split) => format!(
            "\"{name}\" is divided evenly: none of those who share it has what {} divides by",
            split.word()
        ),
        Remark::UnknownTeam(team, usd) => format!(
            "{team} ({}) is none of `names` in [teams]: an alias or another name is missing",
            dollars(usd.to_f64())
        ),
    }
}

/// An amount of what a quota limits.
pub fn quota_amount(of: Limited, instance_type: Option<&str>, amount: f64) -> String {
    let whole = |word: &str| {
        if amount.fract() == 0.0 && amount >= 0.0 {
            plural(amount as usize, word)
        } else {
            format!("{} {word}s", trimmed(amount, 3))
        }
    };
    match of {
        Limited::Gpus => whole("GPU"),
        Limited::UsdPerHour => usd_per_hour(amount),
        Limited::Instances => {
            let of_type = instance_type.map(|name| format!(" of {name}"));
            format!("{}{}", whole("instance"), of_type.unwrap_or_default())
        }
    }
}

/// By how much what is asked for exceeds a quota; `None` where it does not.
pub fn quota_exceeded(state: &QuotaState) -> Option<String> {
    let over = state.over_then()?;
    let quota = &state.quota;
    let amount = |number| quota_amount(quota.of, quota.instance_type.as_deref(), number);
    Some(format!("its quota of {} by {}", amount(quota.limit), amount(over)))
}

/// When what is asked for exceeds a budget; `None` where it does not.
pub fn budget_exceeded(state: &BudgetState) -> Option<String> {
    let on = state.exceeds_on?;
    let name = &state.budget.name;
    let limit = dollars(state.budget.limit.to_f64());
    Some(format!("its budget {name} of {limit} on the {} ({on})", nth(on.day())))
}

/// A day of a month, as it is said: 1st, 2nd, 11th, 24th.
pub fn nth(day: i8) -> String {
    let end = match (day % 10, day / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{day}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_amounts_are_said_as_people_say_them() {
        for (day, said) in [
            (1, "1st"),
            (2, "2nd"),
            (3, "3rd"),
            (11, "11th"),
            (12, "12th"),
            (24, "24th"),
            (31, "31st"),
        ] {
            assert_eq!(nth(day), said);
        }
        assert_eq!(quota_amount(Limited::Gpus, None, 8.0), "8 GPUs");
        assert_eq!(quota_amount(Limited::Gpus, None, 0.125), "0.125 GPUs");
        assert_eq!(
            quota_amount(Limited::Instances, Some("p5.48xlarge"), 1.0),
            "1 instance of p5.48xlarge"
        );
        assert_eq!(quota_amount(Limited::UsdPerHour, None, 9.5), "$9.50/h");
    }
}
