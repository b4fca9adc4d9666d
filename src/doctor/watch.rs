//! Whether what `burntop watch` needs is there; facts in, checks out.

use super::Check;
use crate::view::format::plural;

/// Id of the check of rules and sinks.
pub const WATCH: &str = "watch";

/// What is there of a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchFacts {
    /// Rules.
    pub rules: usize,
    /// Sinks.
    pub sinks: usize,
    /// Secrets of sinks that cannot be read, a line each.
    pub missing: Vec<String>,
    /// What was given up, in a sentence; `None` where nothing was.
    pub given_up: Option<String>,
}

/// The rules with their sinks. Err has what is wrong with the file, a line each.
pub fn check(facts: &Result<WatchFacts, String>) -> Check {
    let facts = match facts {
        Ok(facts) => facts,
        Err(why) => {
            let first = why.lines().next().unwrap_or_default();
            let more = why.lines().count().saturating_sub(1);
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            return Check::fail(WATCH, format!("{first}{more}"), "`burntop watch check` lists all");
        }
    };
    if let Some(first) = facts.missing.first() {
        return Check::fail(
            WATCH,
            first.clone(),
            "put the secret there; `burntop watch check` lists all",
        );
    }
    if let Some(given_up) = &facts.given_up {
        return Check::warn(WATCH, given_up.clone(), "read the file, then move it away");
    }
    let (rules, sinks) = (plural(facts.rules, "rule"), plural(facts.sinks, "sink"));
    Check::ok(WATCH, format!("{rules}, {sinks}; `burntop watch test SINK` sends a message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Status;

    #[test]
    fn the_worst_is_told_first() {
        let good = WatchFacts { rules: 3, sinks: 1, ..WatchFacts::default() };
        let told = check(&Ok(good.clone()));
        assert_eq!(told.status, Status::Ok);
        assert!(told.message.starts_with("3 rules, 1 sink"), "{}", told.message);
        let late = WatchFacts { given_up: Some("1 message was given up".into()), ..good };
        assert_eq!(check(&Ok(late.clone())).status, Status::Warn);
        let missing = WatchFacts { missing: vec!["ops: /x: no such file".into()], ..late };
        assert_eq!(check(&Ok(missing)).status, Status::Fail);
        let wrong = check(&Err("rules.toml:3: a\nrules.toml:4: b".into()));
        assert_eq!(
            (wrong.status, wrong.message.as_str()),
            (Status::Fail, "rules.toml:3: a (and 1 more)")
        );
    }
}
