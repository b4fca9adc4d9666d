//! The words of who holds an instance.

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::format;
use crate::fleet::HeldBy;

/// Most names of jobs, and of users, that are listed.
const NAMES_AT_MOST: usize = 8;

/// Which jobs hold an instance, whose they are, and how old the reading is.
pub fn held_by(held: &HeldBy, now: Timestamp) -> String {
    let age = format::span(now.duration_since(held.read_at).as_secs());
    format!("Held by {}, as read {age} ago", holders(held))
}

/// Which jobs hold an instance and whose they are, as part of a sentence: `job 77 of ana`.
fn holders(held: &HeldBy) -> String {
    let mut text = match held.jobs.len() {
        0 => "a job that the scheduler does not name".to_owned(),
        1 => format!("job {}", names(&held.jobs)),
        _ => format!("jobs {}", names(&held.jobs)),
    };
    if held.has_unnamed && !held.jobs.is_empty() {
        text.push_str(" and one without a name");
    }
    if !held.users.is_empty() {
        text.push_str(" of ");
        text.push_str(&names(&held.users));
    }
    text
}

fn names(all: &[Arc<str>]) -> String {
    let shown: Vec<&str> = all.iter().take(NAMES_AT_MOST).map(|name| &**name).collect();
    let more = all.len().saturating_sub(NAMES_AT_MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_an_instance_is_told_with_the_age_of_the_reading() {
        let now: Timestamp = "2026-11-24T12:00:00Z".parse().unwrap();
        let said = |jobs: &[&str], users: &[&str], has_unnamed| {
            let texts = |all: &[&str]| all.iter().map(|text| Arc::from(*text)).collect();
            let read_at = "2026-11-24T11:57:00Z".parse().unwrap();
            let held = HeldBy { jobs: texts(jobs), users: texts(users), has_unnamed, read_at };
            held_by(&held, now)
        };
        assert_eq!(said(&["77"], &["ana"], false), "Held by job 77 of ana, as read 3m ago");
        assert_eq!(
            said(&["77", "78"], &[], true),
            "Held by jobs 77, 78 and one without a name, as read 3m ago"
        );
        assert_eq!(
            said(&[], &[], true),
            "Held by a job that the scheduler does not name, as read 3m ago"
        );
        let nine = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        assert!(said(&nine, &[], false).contains("7, 8 and 1 more, as read"));
    }
}
