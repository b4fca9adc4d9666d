//! Moments in files, ms since 1970.

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;

/// Reads `2026-10-01`, `2026-10-01T00:00`, `2026-10-01 00:00:00.000 UTC` and the like, UTC where no offset is given.
/// `None` for anything else.
pub(super) fn read(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    plain(text).or_else(|| {
        let at: jiff::Timestamp = std::str::from_utf8(text).ok()?.parse().ok()?;
        Some(at.as_millisecond())
    })
}

fn plain(text: &[u8]) -> Option<i64> {
    let (date, rest) = text.split_at_checked(10)?;
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let year = digits(&date[..4])?;
    let date = jiff::civil::Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(digits(&date[5..7])?).ok()?,
        i8::try_from(digits(&date[8..])?).ok()?,
    );
    let days = date.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond();
    let rest = match rest {
        [] => return Some(days),
        [b'T' | b' ', rest @ ..] => rest,
        _ => return None,
    };
    let (time, rest) = rest.split_at_checked(5)?;
    if time[2] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&time[..2])?, digits(&time[3..])?);
    let (second, rest) = match rest {
        [b':', tens, ones, rest @ ..] => (digits(&[*tens, *ones])?, rest),
        rest => (0, rest),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = match rest {
        [b'.', rest @ ..] => {
            let places = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            &rest[places..]
        }
        rest => rest,
    };
    let is_utc = matches!(rest, b"" | b"Z" | b" UTC" | b"+00:00" | b"+0000" | b"+00");
    is_utc.then_some(days + ((hour * 60 + minute) * 60 + second) * 1_000)
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_exports_write_them() {
        let first = Some(1_790_812_800_000);
        for text in [
            "2026-10-01",
            "2026-10-01T00:00Z",
            "2026-10-01T00:00:00Z",
            "2026-10-01T00:00:00.000Z",
            "2026-10-01 00:00:00",
            "2026-10-01 00:00:00.000 UTC",
            " 2026-10-01 00:00:00+00:00",
            "2026-10-01T02:00:00+02:00",
        ] {
            assert_eq!(read(text.as_bytes()), first, "{text}");
        }
        for text in ["", "2026-13-01", "10/01/2026", "2026-10-01T25:00Z", "2026-10-01x", "-"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
