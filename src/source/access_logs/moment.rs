//! Times of server access logs: `[06/Feb/2019:00:00:38 +0000]`, with any offset.

use jiff::civil::Date;
use jiff::tz::Offset;

const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// Milliseconds since 1970 of a time without its brackets; `None` for none.
pub(super) fn moment(text: &[u8]) -> Option<i64> {
    // 06/Feb/2019:00:00:38 +0000
    let is_laid_out = text.len() == 26
        && text[2] == b'/'
        && text[6] == b'/'
        && text[11] == b':'
        && text[14] == b':'
        && text[17] == b':'
        && text[20] == b' ';
    if !is_laid_out {
        return None;
    }
    let (month, _) = (1..).zip(MONTHS).find(|(_, name)| **name == text[3..6])?;
    let (day, year) = (number(&text[..2])?, number(&text[7..11])?);
    let date = Date::new(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?).ok()?;
    let midnight = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?.as_second();
    let (hour, minute, second) =
        (number(&text[12..14])?, number(&text[15..17])?, number(&text[18..20])?);
    let (off_hours, off_minutes) = (number(&text[22..24])?, number(&text[24..26])?);
    // A leap second is the 60th.
    let is_time = hour < 24 && minute < 60 && second <= 60 && off_hours < 24 && off_minutes < 60;
    let east = match text[21] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let seconds = midnight + hour * 3_600 + minute * 60 + second
        - east * (off_hours * 3_600 + off_minutes * 60);
    (midnight >= 0 && is_time).then_some(seconds * 1_000)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::Offset;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn times_are_read_as_they_are_written(second in 0i64..4_102_444_800, off in -1_439i32..1_440) {
            let at = Timestamp::from_second(second).unwrap();
            let zone = Offset::from_seconds(off * 60).unwrap().to_time_zone();
            let text = at.to_zoned(zone).strftime("%d/%b/%Y:%H:%M:%S %z").to_string();
            let is_before = text.contains("/1969:");
            prop_assert_eq!(moment(text.as_bytes()), (!is_before).then_some(second * 1_000));
        }

        #[test]
        fn no_text_makes_it_fail(text in prop::collection::vec(any::<u8>(), 0..30)) {
            moment(&text);
        }
    }

    #[test]
    fn dates_that_are_none_are_none() {
        for text in [
            "29/Feb/2019:00:00:38 +0000",
            "31/Apr/2019:00:00:38 +0000",
            "06/Fev/2019:00:00:38 +0000",
            "06/Feb/2019:24:00:38 +0000",
            "06/Feb/2019:00:00:38 0000 ",
            "06/Feb/2019:00:00:38",
        ] {
            assert_eq!(moment(text.as_bytes()), None, "{text}");
        }
        assert_eq!(moment(b"06/Feb/2019:01:30:38 +0130"), Some(1_549_411_238_000));
    }
}
