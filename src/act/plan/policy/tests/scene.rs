//! Small fleets and policies to decide on.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::act::plan::policy::{Decision, Policy, Scene, decide, parse};
use crate::act::plan::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG, Rules};
use crate::domain::{
    Instance, PriceBasis, Provenance, Rate, Reading, SourceId, SourceState, Tags, VerdictKind,
};
use crate::fleet::{Fleet, Row};
use crate::view::{Symbols, ViewContext, fixture};

pub(super) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn hours(n: i64) -> SignedDuration {
    SignedDuration::from_hours(n)
}

/// A policy with one rule for everything that is tagged `env=dev`: stop, 4 d, reminded 1 d before.
pub(super) fn policy() -> Policy {
    parse(
        "name = 'p'\n[[rules]]\nname = 'dev'\nfilter = 'env=dev'\naction = 'stop'\n\
         grace = '4d'\nremind_before = '1d'\nreason = 'idle'",
    )
    .unwrap()
}

/// The same without a reminder.
pub(super) fn silent() -> Policy {
    let mut policy = policy();
    policy.rules[0].remind_before = None;
    policy
}

/// The present of these tests.
pub(super) const NOW: &str = "2026-11-21T12:00:00Z";

/// An instance that was launched half a year ago, with these tags beside `env=dev`.
pub(super) fn instance(tags: &[(&str, &str)]) -> Instance {
    let all: Vec<(&str, &str)> = [("env", "dev")].into_iter().chain(tags.iter().copied()).collect();
    let mut instance = fixture::instance("i-1", "g5.xlarge", &all);
    instance.launched_at = at("2026-05-01T00:00:00Z");
    instance.tags = Tags::from_raw(all);
    instance
}

/// A row with a verdict; `since` is the start of the idle stretch.
pub(super) fn row(instance: Instance, kind: VerdictKind, since: Option<Timestamp>) -> Row {
    let mut verdict = fixture::verdict(kind, 1, Some(0.0), "the reason");
    verdict.idle_since = since;
    Row {
        environment: instance.tags.get("env").map(Into::into),
        rate: Some(Rate {
            usd_per_hour: 1.0,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        }),
        verdict: Some(Arc::new(verdict)),
        ..Row::new(instance)
    }
}

/// A fleet of these rows, read a minute ago.
pub(super) fn fleet(rows: Vec<Row>, now: Timestamp) -> Fleet {
    let Some(first) = rows.first() else { return Fleet::default() };
    let reading = |source| Reading {
        source,
        scope: first.instance.scope.clone(),
        taken_at: Some(now - SignedDuration::from_mins(1)),
        coverage: 1.0,
        state: SourceState::Live,
    };
    Fleet {
        readings: vec![reading(SourceId::Ec2), reading(SourceId::CloudWatch)],
        rows: rows.into_iter().map(Arc::new).collect(),
        ..Fleet::default()
    }
}

pub(super) fn scene(rules: &Rules, now: Timestamp) -> Scene<'_> {
    Scene {
        rules,
        window_hours: 168,
        ctx: ViewContext { now, symbols: Symbols::Ascii, width: None },
    }
}

pub(super) fn decide_all(policy: &Policy, fleet: &Fleet, now: Timestamp) -> Vec<Decision> {
    let rules = Rules::default();
    decide(policy, fleet, &scene(&rules, now), |_| true)
}

/// The decision on one row at [`NOW`].
pub(super) fn one(policy: &Policy, row: Row) -> Decision {
    let now = at(NOW);
    decide_all(policy, &fleet(vec![row], now), now).remove(0)
}

/// The tags of a mark of policy `p`.
pub(super) fn mark_tags(
    made: &str,
    expires: &str,
    reminded: Option<&str>,
) -> Vec<(String, String)> {
    let mut tags = vec![
        (EXPIRES_TAG.to_owned(), expires.to_owned()),
        (BY_TAG.to_owned(), "arn:aws:iam::111122223333:role/cron".to_owned()),
        (REASON_TAG.to_owned(), format!("marked={made} policy=p rule=dev idle")),
    ];
    tags.extend(reminded.map(|t| (REMINDED_TAG.to_owned(), t.to_owned())));
    tags
}

/// An instance with such a mark.
pub(super) fn marked(made: &str, expires: &str, reminded: Option<&str>) -> Instance {
    let tags = mark_tags(made, expires, reminded);
    let refs: Vec<(&str, &str)> = tags.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    instance(&refs)
}
