//! Shifts as text to copy.

use super::profile::Shift;

/// Days as cron names them in both dialects, Monday first.
const NAMES: [&str; 7] = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];

fn days(days: &[usize]) -> String {
    days.iter().filter_map(|d| NAMES.get(*d)).copied().collect::<Vec<_>>().join(",")
}

/// Two lines of a crontab: the stop and the start. The zone is for a line `CRON_TZ=` above them.
/// `ids` are instance ids of `region`.
pub fn cron_lines(shift: &Shift, region: &str, ids: &[&str]) -> [String; 2] {
    let ids = ids.join(" ");
    let line = |hour: usize, on: &[usize], verb: &str| {
        format!(
            "0 {hour} * * {}  aws ec2 {verb}-instances --region {region} --instance-ids {ids}",
            days(on)
        )
    };
    [line(shift.from, &shift.days, "stop"), line(shift.to(), &shift.end_days(), "start")]
}

/// The expressions of two schedules of `EventBridge` Scheduler: the stop and the start. The zone goes
/// into `ScheduleExpressionTimezone`.
pub fn eventbridge(shift: &Shift) -> [String; 2] {
    let of = |hour: usize, on: &[usize]| format!("cron(0 {hour} ? * {} *)", days(on));
    [of(shift.from, &shift.days), of(shift.to(), &shift.end_days())]
}
