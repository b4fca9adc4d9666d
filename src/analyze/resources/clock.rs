//! Office clocks. Nobody says where the users of a resource sit; they are taken to sit near its
//! region, which for telling days from nights is near enough.

use jiff::tz::{Offset, TimeZone};

/// Regions by what their codes begin with, and standard time there in minutes from UTC.
const CLOCKS: &[(&str, i32)] = &[
    ("us-gov-east", -5 * 60),
    ("us-gov-west", -8 * 60),
    ("us-east", -5 * 60),
    ("us-west", -8 * 60),
    ("ca-central", -5 * 60),
    ("ca-west", -7 * 60),
    ("mx-", -6 * 60),
    ("sa-", -3 * 60),
    ("eu-west-3", 60),
    ("eu-west", 0),
    ("eu-", 60),
    ("af-", 2 * 60),
    ("il-", 2 * 60),
    ("me-", 3 * 60),
    ("ap-south-", 5 * 60 + 30),
    ("ap-southeast-1", 8 * 60),
    ("ap-southeast-2", 10 * 60),
    ("ap-southeast-3", 7 * 60),
    ("ap-southeast-4", 10 * 60),
    ("ap-southeast-5", 8 * 60),
    ("ap-southeast-6", 12 * 60),
    ("ap-southeast-7", 7 * 60),
    ("ap-east", 8 * 60),
    ("ap-northeast", 9 * 60),
    ("cn-", 8 * 60),
];

/// Standard time near a region; UTC for one that is not known.
pub fn office_zone(region: &str) -> TimeZone {
    let minutes = CLOCKS.iter().find(|(code, _)| region.starts_with(code)).map_or(0, |c| c.1);
    Offset::from_seconds(minutes * 60).map_or(TimeZone::UTC, TimeZone::fixed)
}
