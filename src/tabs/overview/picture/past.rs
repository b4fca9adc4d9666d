//! The past of the burn in words and marks: what changed since, and the mean of each day.

use crate::domain::{BurnPast, Moved, Since, SinceWhat};
use crate::view::{ViewContext, format};

/// Days of the trail.
pub const TRAIL_DAYS: i32 = 14;
/// A trail of one day shows nothing.
const LEAST_DAYS: usize = 2;

/// Mean burn of the last 14 days as a share of the highest, oldest first; NaN for a day that was not seen as a whole.
/// `None` where fewer than two were.
pub fn trail(past: &BurnPast) -> Option<Vec<f32>> {
    let rate = |day: i32| {
        let of = past.days.binary_search_by_key(&day, |of| of.day).ok()?;
        past.days[of].usd_per_hour
    };
    let rates: Vec<Option<f64>> = (past.today - TRAIL_DAYS + 1..=past.today).map(rate).collect();
    if rates.iter().flatten().count() < LEAST_DAYS {
        return None;
    }
    let highest = rates.iter().flatten().copied().fold(0.0, f64::max);
    let share = |rate: Option<f64>| match rate {
        Some(rate) if highest > 0.0 => (rate / highest) as f32,
        Some(_) => 0.0,
        None => f32::NAN,
    };
    Some(rates.into_iter().map(share).collect())
}

/// What changed since, a sentence for each moment that is known.
pub fn since(past: &BurnPast, ctx: &ViewContext) -> Vec<String> {
    past.since.iter().map(|since| sentence(since, ctx)).collect()
}

fn sentence(since: &Since, ctx: &ViewContext) -> String {
    let what = match since.what {
        SinceWhat::Yesterday => "yesterday",
        SinceWhat::LastRun => "the last run",
    };
    let at = since.at.strftime("%Y-%m-%d %H:%M");
    let mut parts = vec![change("burn", since.burn, ctx), change("waste", since.waste, ctx)];
    let moved = [
        (&since.new, "new"),
        (&since.gone, "gone"),
        (&since.woke, "woke up"),
        (&since.idled, "fell idle"),
    ];
    parts.extend(moved.into_iter().filter_map(|(moved, what)| moved_words(moved, what, ctx)));
    format!("Since {what} ({at} UTC): {}.", parts.join(", "))
}

/// `burn +$3.10/h to $12.40/h`.
fn change(what: &str, [then, now]: [Option<f64>; 2], ctx: &ViewContext) -> String {
    let is_now = ctx.symbols.or_unknown(now, format::usd_per_hour);
    let Some((then, now)) = then.zip(now) else {
        return format!("{what} {is_now}, then not known");
    };
    let by = now - then;
    // Less than half a cent is no change that can be shown.
    if by.abs() < 0.005 {
        return format!("{what} unchanged at {is_now}");
    }
    let sign = if by > 0.0 { "+" } else { "-" };
    format!("{what} {sign}{} to {is_now}", format::usd_per_hour(by.abs()))
}

/// `2 new ($3.10/h: trainer, web)`.
fn moved_words(moved: &Moved, what: &str, ctx: &ViewContext) -> Option<String> {
    if moved.instances == 0 {
        return None;
    }
    let priced = moved.unpriced < moved.instances;
    let usd = ctx.symbols.or_unknown(priced.then_some(moved.usd_per_hour), format::usd_per_hour);
    let mut names = moved.names.join(", ");
    if moved.names.len() < moved.instances as usize {
        names.push_str(&format!(" and {} more", moved.instances as usize - moved.names.len()));
    }
    let unpriced = match moved.unpriced {
        n if priced && n > 0 => format!(" and {n} without a price"),
        _ => String::new(),
    };
    Some(format!("{} {what} ({usd}{unpriced}: {names})", moved.instances))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::BurnOfDay;
    use crate::view::fixture::ctx;

    fn past(rates: &[(i32, Option<f64>)]) -> BurnPast {
        let day = |(day, usd_per_hour): &(i32, Option<f64>)| BurnOfDay {
            day: *day,
            usd_per_hour: *usd_per_hour,
            ..BurnOfDay::default()
        };
        BurnPast { days: rates.iter().map(day).collect(), today: 100, ..BurnPast::default() }
    }

    #[test]
    fn a_day_that_was_not_seen_is_blank_and_not_nothing() {
        let trail = trail(&past(&[(97, Some(5.0)), (99, None), (100, Some(10.0))])).unwrap();
        assert_eq!(trail.len(), 14);
        assert_eq!((trail[10], trail[13]), (0.5, 1.0));
        assert!(trail[..10].iter().chain(&trail[11..13]).all(|share| share.is_nan()));
    }

    #[test]
    fn one_day_makes_no_trail() {
        assert_eq!(trail(&past(&[(100, Some(10.0))])), None);
        assert_eq!(trail(&past(&[(80, Some(9.0)), (100, Some(10.0))])), None, "too long ago");
    }

    #[test]
    fn a_change_says_what_came_and_went_with_dollars_and_names() {
        let moved = |instances, usd_per_hour, unpriced, names: &[&str]| Moved {
            instances,
            usd_per_hour,
            unpriced,
            names: names.iter().map(|name| (*name).into()).collect(),
        };
        let since = Since {
            what: SinceWhat::Yesterday,
            at: "2026-11-23T09:10:00Z".parse().unwrap(),
            burn: [Some(10.0), Some(12.4)],
            waste: [Some(3.0), Some(3.001)],
            new: moved(4, 5.0, 1, &["a", "b", "c"]),
            gone: moved(1, 0.0, 1, &["d"]),
            woke: Moved::default(),
            idled: moved(1, 1.5, 0, &["e"]),
        };
        let past = BurnPast { since: vec![since.clone()], ..BurnPast::default() };
        assert_eq!(
            super::since(&past, &ctx()),
            [
                "Since yesterday (2026-11-23 09:10 UTC): burn +$2.40/h to $12.40/h, waste unchanged at \
              $3.00/h, 4 new ($5.00/h and 1 without a price: a, b, c and 1 more), 1 gone (–: d), 1 fell \
              idle ($1.50/h: e)."
            ]
        );
        let dark = Since { burn: [None, Some(1.0)], waste: [Some(1.0), None], ..since };
        let said = sentence(&dark, &ctx());
        assert!(said.contains("burn $1.00/h, then not known, waste –, then not known"), "{said}");
    }
}
