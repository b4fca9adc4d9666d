//! The mark on an instance, as its tags state it.

use jiff::{SignedDuration, Timestamp};

use super::file::MAX_GRACE_DAYS;
use crate::act::plan::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG};
use crate::domain::Tags;

const MADE: &str = "marked=";
const POLICY: &str = "policy=";
const RULE: &str = "rule=";

/// A mark that burntop made, as the tags of an instance hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Moment from which the instance may be stopped, as the mark states it to its owner.
    pub expires: Timestamp,
    /// When it was made, from the tag `burntop:reason` that policies write; `None` for a mark made by hand.
    pub made_at: Option<Timestamp>,
    /// Name of the policy that made it; `None` for a mark made by hand.
    pub policy: Option<String>,
    /// Time in the tag `burntop:reminded`; `None` without one.
    pub reminded_at: Option<Timestamp>,
}

/// Whether the tags of an instance mark it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkState {
    /// Not marked.
    None,
    /// Marked by burntop.
    Ours(Mark),
    /// `burntop:expires` without `burntop:by`: somebody wrote it by other means.
    Foreign,
    /// `burntop:expires` holds no time.
    Malformed,
    /// `burntop:expires` lies further ahead than any mark that burntop makes.
    TooFar(Timestamp),
}

impl MarkState {
    /// Reads the mark from `tags`. Keys are compared exactly: a tag of another spelling is another
    /// tag. `now` decides what lies too far ahead.
    pub fn of(tags: &Tags, now: Timestamp) -> Self {
        let Some(expires) = tags.get(EXPIRES_TAG) else { return Self::None };
        if tags.get(BY_TAG).is_none_or(|by| by.trim().is_empty()) {
            return Self::Foreign;
        }
        let Ok(expires) = expires.trim().parse::<Timestamp>() else { return Self::Malformed };
        let ahead = expires.duration_since(now);
        if ahead > SignedDuration::from_hours(24 * MAX_GRACE_DAYS) {
            return Self::TooFar(expires);
        }
        let reason = tags.get(REASON_TAG).unwrap_or_default();
        let (made_at, policy) = read_reason(reason);
        Self::Ours(Mark {
            expires,
            // A mark is made before it ends; anything else was not written by a policy.
            made_at: made_at.filter(|made| *made <= expires),
            policy,
            // One that is still to come was not made: left over from a clock that was wrong, or
            // written by hand to put the end off.
            reminded_at: tags
                .get(REMINDED_TAG)
                .and_then(|t| t.trim().parse().ok())
                .filter(|at: &Timestamp| *at <= now),
        })
    }
}

impl Mark {
    /// The moment from which the grace counts: when the mark was made, or its end where that is
    /// not known. A mark is older than its end, so that is never too early.
    pub fn counts_from(&self) -> Timestamp {
        self.made_at.unwrap_or(self.expires)
    }

    /// When the owner was reminded of this mark; `None` for a reminder of an earlier one.
    pub fn reminded(&self, before: SignedDuration) -> Option<Timestamp> {
        let earliest =
            self.made_at.unwrap_or(self.expires.saturating_sub(before).unwrap_or(self.expires));
        self.reminded_at.filter(|t| *t >= earliest)
    }
}

/// What a policy writes into `burntop:reason`. Ends within the 256 characters of a tag's value,
/// see the limits of [`super::parse()`].
pub(super) fn reason(policy: &str, rule: &str, made_at: Timestamp, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(" {why}") };
    format!("{MADE}{made_at} {POLICY}{policy} {RULE}{rule}{why}")
}

/// True for a reason that would be taken for one that a policy wrote: with it, a person could set
/// the clock of a mark back.
pub fn is_like_a_policys(reason: &str) -> bool {
    reason.trim_start().starts_with(MADE)
}

/// Reads that again. Only a text that begins like it is one: a person may have written anything.
/// A mark whose time cannot be read still is its policy's.
fn read_reason(text: &str) -> (Option<Timestamp>, Option<String>) {
    let mut words = text.split(' ');
    let mut next = |key: &str| words.next().and_then(|w| w.strip_prefix(key));
    match (next(MADE), next(POLICY), next(RULE)) {
        (Some(made), Some(policy), Some(_)) => (made.parse().ok(), Some(policy.to_owned())),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn of(pairs: &[(&str, &str)]) -> MarkState {
        MarkState::of(&Tags::from_raw(pairs.iter().copied()), at("2026-11-21T12:00:00Z"))
    }

    #[test]
    fn a_reminder_that_is_still_to_come_is_none() {
        let reminded =
            |at: &str| match of(&[(EXPIRES_TAG, "2026-11-24T00:00:00Z"), BY, (REMINDED_TAG, at)]) {
                MarkState::Ours(mark) => mark.reminded_at,
                other => panic!("{other:?}"),
            };
        assert_eq!(reminded("2026-11-21T12:00:00Z"), Some(at("2026-11-21T12:00:00Z")));
        assert_eq!(reminded("2026-11-21T12:00:01Z"), None);
    }

    const BY: (&str, &str) = (BY_TAG, "arn:aws:iam::1:user/a");

    #[test]
    fn what_is_not_a_mark_of_burntop_is_none_to_act_on() {
        assert_eq!(of(&[]), MarkState::None);
        assert_eq!(of(&[BY]), MarkState::None);
        assert_eq!(of(&[("Burntop:Expires", "2026-11-20T00:00:00Z"), BY]), MarkState::None);
        assert_eq!(of(&[(EXPIRES_TAG, "2026-11-20T00:00:00Z")]), MarkState::Foreign);
        assert_eq!(of(&[(EXPIRES_TAG, "2026-11-20T00:00:00Z"), (BY_TAG, " ")]), MarkState::Foreign);
        for odd in ["", "true", "2026-11-20", "20.11.2026", "2026-11-20T00:00:00", "soon"] {
            assert_eq!(of(&[(EXPIRES_TAG, odd), BY]), MarkState::Malformed, "{odd}");
        }
        let far = "2027-02-19T12:00:01Z";
        assert_eq!(of(&[(EXPIRES_TAG, far), BY]), MarkState::TooFar(at(far)));
        assert!(matches!(of(&[(EXPIRES_TAG, "2027-02-19T12:00:00Z"), BY]), MarkState::Ours(_)));
    }

    #[test]
    fn what_a_policy_writes_is_read_again() {
        let made = at("2026-11-17T12:00:00Z");
        let text = reason("dev", "idle-boxes", made, "idle; ask #ml-infra");
        assert_eq!(
            text,
            "marked=2026-11-17T12:00:00Z policy=dev rule=idle-boxes idle; ask #ml-infra"
        );
        let tags = [(EXPIRES_TAG, "2026-11-21T12:00:00Z"), BY, (REASON_TAG, &text)];
        let MarkState::Ours(mark) = of(&tags) else { panic!() };
        assert_eq!(mark.made_at, Some(made));
        assert_eq!(mark.policy.as_deref(), Some("dev"));
        assert_eq!(mark.counts_from(), made);
    }

    #[test]
    fn a_mark_of_unknown_age_counts_from_its_end() {
        let end = "2026-11-21T12:00:00Z";
        for why in [
            "",
            "nobody uses it",
            "marked=yesterday policy=dev rule=x",
            "marked=2026-11-17T12:00:00Z nobody uses it",
            "it was marked=2026-11-17T12:00:00Z policy=dev rule=x",
            // Made after its end.
            "marked=2026-11-21T12:00:01Z policy=dev rule=x",
        ] {
            let MarkState::Ours(mark) = of(&[(EXPIRES_TAG, end), BY, (REASON_TAG, why)]) else {
                panic!()
            };
            assert_eq!(mark.counts_from(), at(end), "{why}");
        }
    }

    #[test]
    fn a_reminder_of_an_earlier_mark_is_none_of_this_one() {
        let day = SignedDuration::from_hours(24);
        let with = |made: &str, reminded: &str| {
            let why = format!("marked={made} policy=dev rule=x");
            let tags = [
                (EXPIRES_TAG, "2026-11-22T00:00:00Z"),
                BY,
                (REASON_TAG, &why),
                (REMINDED_TAG, reminded),
            ];
            let MarkState::Ours(mark) = of(&tags) else { panic!() };
            mark.reminded(day)
        };
        let made = "2026-11-18T00:00:00Z";
        assert_eq!(with(made, "2026-11-17T23:59:59Z"), None);
        assert_eq!(with(made, "2026-11-21T06:00:00Z"), Some(at("2026-11-21T06:00:00Z")));
        assert_eq!(with(made, "yes"), None);
        assert_eq!(with(made, "2026-11-21T12:00:01Z"), None, "still to come");
        // Of unknown age: one that fits the end.
        assert_eq!(with("?", "2026-11-20T23:59:59Z"), None);
        assert_eq!(with("?", "2026-11-21T00:00:00Z"), Some(at("2026-11-21T00:00:00Z")));
    }
}
