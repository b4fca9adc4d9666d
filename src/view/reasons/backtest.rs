//! What became of the verdicts of a day, in words.

use crate::analyze::idle::backtest::DayCount;
use crate::view::format;

/// `Of 41 that looked so 7 days ago, 39 stayed idle, 2 woke up.`; `None` where none did.
pub fn looked_so(day: &DayCount) -> Option<String> {
    let parts = [
        (day.idle, "stayed idle"),
        (day.ended, "stayed idle until stopped or terminated"),
        (day.woke, "woke up"),
        (day.unseen, "cannot be told: too few hours since"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", format::count(f64::from(count))))
        .collect();
    let ago = format::plural(day.days_ago as usize, "day");
    let called = format::count(f64::from(day.called));
    (day.called > 0).then(|| format!("Of {called} that looked so {ago} ago, {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_says_what_became_of_its_verdicts_and_leaves_out_what_did_not() {
        let day = DayCount { days_ago: 7, called: 41, idle: 39, woke: 2, ..DayCount::default() };
        let said = looked_so(&day).unwrap();
        assert_eq!(said, "Of 41 that looked so 7 days ago, 39 stayed idle, 2 woke up.");
        let one = DayCount { days_ago: 1, called: 1, unseen: 1, ..DayCount::default() };
        let said = looked_so(&one).unwrap();
        assert_eq!(said, "Of 1 that looked so 1 day ago, 1 cannot be told: too few hours since.");
        assert_eq!(looked_so(&DayCount::default()), None);
    }
}
