//! Shifts as text to copy.

use super::profile::Shift;

/// Days as cron names them in both dialects, Monday first.
const NAMES: [&str; 7] = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];

fn days(days: &[usize]) -> String {
    days.iter().filter_map(|d| NAMES.get(*d)).copied().collect::<Vec<_>>().join(",")
}

/// Days as every cron knows them, Monday first: lists of names are not for all of them.
fn numbers(days: &[usize]) -> String {
    days.iter().map(|d| ((d + 1) % 7).to_string()).collect::<Vec<_>>().join(",")
}

/// Two lines of a crontab: the stop and the start. The zone is for a line `CRON_TZ=` above them,
/// see [`CRON_ZONE`]; a cron that does not know it runs them by the clocks of the machine, and the
/// stop then does nothing unless the hour is the one that is meant in `zone`. `ids` are instance ids
/// of `region`.
pub fn cron_lines(shift: &Shift, zone: &str, region: &str, ids: &[&str]) -> [String; 2] {
    let ids = ids.join(" ");
    let line = |hour: usize, on: &[usize], only: &str, verb: &str| {
        format!(
            "0 {hour} * * {}  {only}aws ec2 {verb}-instances --region {region} --instance-ids {ids}",
            numbers(on)
        )
    };
    // A percent sign would end the command of a crontab.
    let only = format!("[ \"$(TZ={zone} date +\\%H)\" = {:02} ] && ", shift.from);
    [line(shift.from, &shift.days, &only, "stop"), line(shift.to(), &shift.end_days(), "", "start")]
}

/// Comment on `CRON_TZ` for crontabs to copy.
pub const CRON_ZONE: &str = "# CRON_TZ is for cronie (Amazon Linux, Fedora, RHEL, Arch); the cron of \
                             Debian and Ubuntu ignores it and goes by the zone of the machine, \
                             which has to be the same. Where it is not, nothing is stopped.";

/// The expressions of two schedules of `EventBridge` Scheduler: the stop and the start. The zone goes
/// into `ScheduleExpressionTimezone`.
pub fn eventbridge(shift: &Shift) -> [String; 2] {
    let of = |hour: usize, on: &[usize]| format!("cron(0 {hour} ? * {} *)", days(on));
    [of(shift.from, &shift.days), of(shift.to(), &shift.end_days())]
}
