//! The SDK's timestamps and ours.

use aws_smithy_types::DateTime;
use jiff::Timestamp;

/// The SDK's moment as ours; `None` outside the years −9999 to 9999.
pub fn from_sdk(time: &DateTime) -> Option<Timestamp> {
    Timestamp::new(time.secs(), i32::try_from(time.subsec_nanos()).ok()?).ok()
}

/// Our moment as the SDK's, to the second.
pub fn to_sdk(time: Timestamp) -> DateTime {
    DateTime::from_secs(time.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_survive_both_ways_and_nonsense_does_not() {
        let time: Timestamp = "2026-02-03T04:05:06Z".parse().unwrap();
        assert_eq!(from_sdk(&to_sdk(time)), Some(time));
        assert_eq!(from_sdk(&DateTime::from_secs(i64::MAX)), None);
    }
}
