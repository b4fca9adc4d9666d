//! Spans of time as people write them where they decide when something may be stopped.

use jiff::SignedDuration;

use crate::view::format::span_long;

/// The shortest grace, of a rule as of a mark made by hand: nobody can answer sooner, and a span
/// below it is a slip (`4m`, meant as months).
pub const SHORTEST_GRACE: SignedDuration = SignedDuration::from_hours(1);

/// The longest that is read, days.
const MAX_DAYS: u64 = 366;

/// Reads `90m`, `36h`, `4d`, `1w2d`: whole numbers with a unit each, the larger unit first; minutes,
/// hours, days of 24 hours, weeks. `None` for anything else, for nothing at all, and for more than
/// 366 days. There are no months: `m` are minutes.
pub fn parse_span(text: &str) -> Option<SignedDuration> {
    let mut minutes: u64 = 0;
    let mut last = u64::MAX;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let unit = match tail.bytes().next()? {
            b'm' => 1,
            b'h' => 60,
            b'd' => 24 * 60,
            b'w' => 7 * 24 * 60,
            _ => return None,
        };
        if unit >= last {
            return None;
        }
        last = unit;
        minutes = minutes.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = &tail[1..];
    }
    let fits = (1..=MAX_DAYS * 24 * 60).contains(&minutes);
    fits.then(|| SignedDuration::from_mins(minutes as i64))
}

/// Reads a grace: a span of at least [`SHORTEST_GRACE`] and at most `longest`. The error says what
/// was understood, in words, or what is accepted.
pub fn parse_grace(text: &str, longest: SignedDuration) -> Result<SignedDuration, String> {
    let Some(span) = parse_span(text) else {
        return Err("accepted: a span of days and hours like \"4d\", \"36h\" or \"1w2d\"".into());
    };
    if span < SHORTEST_GRACE {
        return Err(format!(
            "that is {}, and the shortest is {} (there are no months; write days)",
            span_long(span),
            span_long(SHORTEST_GRACE)
        ));
    }
    if span > longest {
        return Err(format!(
            "that is {}, and the longest is {}",
            span_long(span),
            span_long(longest)
        ));
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: SignedDuration = SignedDuration::from_hours(90 * 24);

    #[test]
    fn a_span_is_what_it_says_and_can_be_said_in_words() {
        for (text, hours, words) in [
            ("36h", 36, "1 day 12 hours"),
            ("4d", 96, "4 days"),
            ("1w2d", 216, "9 days"),
            ("120m", 2, "2 hours"),
            ("1d1h", 25, "1 day 1 hour"),
        ] {
            let span = parse_span(text).unwrap();
            assert_eq!(
                (span, span_long(span).as_str()),
                (SignedDuration::from_hours(hours), words)
            );
        }
    }

    #[test]
    fn a_grace_below_an_hour_is_refused_and_says_what_was_understood() {
        let refused = |text: &str| parse_grace(text, LONGEST).unwrap_err();
        assert!(refused("4m").starts_with("that is 4 minutes, and the shortest is 1 hour"));
        assert!(refused("59m").contains("59 minutes"));
        assert!(refused("1ns").contains("accepted"));
        assert!(refused("91d").contains("that is 91 days, and the longest is 90 days"));
        assert_eq!(parse_grace("60m", LONGEST), Ok(SHORTEST_GRACE));
        assert_eq!(parse_grace("90d", LONGEST), Ok(LONGEST));
    }

    mod hostile {
        use super::*;

        /// Numbers, units and separators put together in every way: what is taken is the sum of its
        /// parts, at least an hour, and is said in full.
        #[test]
        fn no_text_gives_a_grace_below_an_hour_or_another_than_it_says() {
            let numbers = [
                "",
                "0",
                "1",
                "4",
                "59",
                "60",
                "90",
                "007",
                "-4",
                "+4",
                "1.5",
                "1,5",
                "1e3",
                "٤",
                "４",
                "½",
                "0x4",
                "99999999999999999999",
                "1_0",
                " 4",
                "4 ",
            ];
            let units = [
                "",
                "ns",
                "us",
                "ms",
                "s",
                "m",
                "min",
                "mo",
                "M",
                "h",
                "H",
                "hours",
                "d",
                "D",
                "days",
                "w",
                "W",
                "y",
                "year",
                "ｄ",
                "д",
                "d ago",
                "\u{200b}d",
                "d\0",
            ];
            let tails = ["", "1h", "30m", " 1h", ",1h", "+1h", "-1h", "4d", "1ns", "d"];
            let value =
                |n: &str| n.parse::<i64>().ok().filter(|_| n.bytes().all(|b| b.is_ascii_digit()));
            let minutes = |unit: &str| match unit {
                "m" => Some(1),
                "h" => Some(60),
                "d" => Some(1440),
                "w" => Some(10_080),
                _ => None,
            };
            let tail = |text: &str| match text {
                "" => Some((0, 0)),
                "1h" => Some((60, 60)),
                "30m" => Some((30, 1)),
                "4d" => Some((4 * 1440, 1440)),
                _ => None,
            };
            let mut n = 0;
            for number in numbers {
                for unit in units {
                    for more in tails {
                        let text = format!("{number}{unit}{more}");
                        n += 1;
                        let exact = (|| {
                            let (v, unit, (t, smaller)) =
                                (value(number)?, minutes(unit)?, tail(more)?);
                            (smaller < unit).then_some(v * unit + t)
                        })();
                        // "" with the tail "4d" is "4d" itself, and "1" + "" + "4d" is "14d".
                        let glued = unit.is_empty();
                        match parse_grace(&text, LONGEST) {
                            Ok(grace) => {
                                assert!(grace >= SHORTEST_GRACE && grace <= LONGEST, "{text:?}");
                                if !glued {
                                    assert_eq!(Some(grace.as_mins()), exact, "{text:?}");
                                }
                            }
                            Err(why) => {
                                assert!(
                                    why.contains("accepted") || why.contains("that is"),
                                    "{why}"
                                );
                                let fits = exact.is_some_and(|m| (60..=90 * 1440).contains(&m));
                                assert!(glued || !fits, "{text:?}: {why}");
                            }
                        }
                    }
                }
            }
            for text in [
                "P4M", "PT4M", "P4D", "PT96H", "4:00", "tomorrow", "4d4d", "1h1d", "1m1h", "∞",
                "NaN", "4d#", "'4d'", "\"4d\"",
            ] {
                n += 1;
                assert!(parse_grace(text, LONGEST).is_err(), "{text}");
            }
            println!("hostile: graces: {n} inputs");
            assert!(n >= 5_000, "{n}");
        }
    }
}
