//! The SDK's timestamps, those of JSON, and ours.

use aws_smithy_types::DateTime;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

/// The SDK's time as a [`Timestamp`]; `None` outside the years −9999 to 9999.
pub fn from_sdk(time: &DateTime) -> Option<Timestamp> {
    Timestamp::new(time.secs(), i32::try_from(time.subsec_nanos()).ok()?).ok()
}

/// A time for the SDK, in whole seconds.
pub fn to_sdk(time: Timestamp) -> DateTime {
    DateTime::from_secs(time.as_second())
}

/// A moment of AWS's JSON: seconds since 1970, with a fraction; emulators write text instead. `None`
/// where there is none, or one outside the years −9999 to 9999.
///
/// # Errors
/// What is neither.
pub fn from_json<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "seconds since 1970")]
    enum Moment {
        Seconds(f64),
        Text(Timestamp),
    }
    Ok(match Option::deserialize(from)? {
        None => None,
        Some(Moment::Text(time)) => Some(time),
        Some(Moment::Seconds(time)) => {
            let seconds = time.floor();
            // Both conversions stop at the ends of their range, where there is no moment any more.
            Timestamp::new(seconds as i64, ((time - seconds) * 1e9) as i32).ok()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_json_are_seconds_or_text() {
        fn read(json: &str) -> Result<Option<Timestamp>, String> {
            let mut from = serde_json::Deserializer::from_str(json);
            from_json(&mut from).map_err(|e| e.to_string())
        }
        for (json, time) in [
            ("1700000000", Some("2023-11-14T22:13:20Z")),
            ("1760000000.5", Some("2025-10-09T08:53:20.5Z")),
            ("-0.25", Some("1969-12-31T23:59:59.75Z")),
            ("\"2026-02-03T04:05:06+00:00\"", Some("2026-02-03T04:05:06Z")),
            ("null", None),
            ("1e300", None),
            ("-1e300", None),
        ] {
            assert_eq!(read(json), Ok(time.map(|t| t.parse().unwrap())), "{json}");
        }
        assert!(read("true").unwrap_err().contains("seconds since 1970"));
        assert!(read("\"yesterday\"").is_err());
    }

    #[test]
    fn moments_survive_both_ways_and_nonsense_does_not() {
        let time: Timestamp = "2026-02-03T04:05:06Z".parse().unwrap();
        assert_eq!(from_sdk(&to_sdk(time)), Some(time));
        assert_eq!(from_sdk(&DateTime::from_secs(i64::MAX)), None);
    }
}
