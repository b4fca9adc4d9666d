//! A plan file's verdicts, held against a fleet that was read by whoever applies it.
//!
//! A file says of itself that its instances are idle, until when they were judged, what they cost
//! and how large the fleet is. Whoever can write the file can write all of that, so none of it is
//! believed where this machine can know it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::caps::{Breach, Caps};
use super::draft::judged_until;
use super::finding::{Finding, Guard};
use super::guard::verdicts_for;
use super::item::{Plan, PlanItem};
use super::preflighted::Preflighted;
use super::rules::Rules;
use crate::domain::{InstanceState, Scope};
use crate::fleet::{Fleet, Row};
use crate::view::reasons;

const SOURCE: &str = "this run's own reading";

/// Fresh verdicts and prices of the rows of a plan, from a fleet that this machine read.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejudged {
    /// Rows that leave the plan, and why.
    against: BTreeMap<(Scope, Arc<str>), Finding>,
    /// USD per hour of the rows, as this machine prices them.
    prices: BTreeMap<(Scope, Arc<str>), Option<f64>>,
    /// Instances that are not terminated, by this reading.
    living: u32,
}

/// Judges the rows of `plan` again by `fleet`: verdicts of the preset that is configured here,
/// whatever preset the plan names. Rows of a verb that rests on no verdict stay.
pub fn rejudge(plan: &Plan, fleet: &Fleet, rules: &Rules, now: Timestamp) -> Rejudged {
    let key = |i: &PlanItem| (i.scope.clone(), i.id.clone());
    let row = |i: &PlanItem| {
        let mut rows = fleet.rows.iter();
        rows.find(|r| r.instance.id == i.id && r.instance.scope == i.scope).map(|r| &**r)
    };
    let living = fleet.rows.iter().filter(|r| r.instance.state != InstanceState::Terminated);
    Rejudged {
        against: plan
            .items
            .iter()
            .filter_map(|i| Some((key(i), against(plan, i, row(i), fleet, rules, now)?)))
            .collect(),
        prices: plan
            .items
            .iter()
            .map(|i| (key(i), row(i).and_then(|r| r.rate.as_ref()).map(|r| r.usd_per_hour)))
            .collect(),
        living: u32::try_from(living.count()).unwrap_or(u32::MAX),
    }
}

/// Why a row leaves the plan.
fn against(
    plan: &Plan,
    item: &PlanItem,
    row: Option<&Row>,
    fleet: &Fleet,
    rules: &Rules,
    now: Timestamp,
) -> Option<Finding> {
    let allowed = verdicts_for(&plan.verb)?;
    let block = |guard, text: String| Some(Finding::block(guard, text, SOURCE));
    let Some(row) = row else {
        return block(
            Guard::Verdict,
            "the fleet was read again and does not know it, so it is not known to be idle".into(),
        );
    };
    if row.instance.launched_at != item.launched_at {
        return block(Guard::Life, "the fleet was read again: it was launched anew".into());
    }
    let hours = i64::from(rules.max_evidence_hours);
    let judged = judged_until(fleet, &item.scope).map(|t| now.duration_since(t));
    if judged.is_none_or(|age| age > SignedDuration::from_hours(hours)) {
        let text = format!("its metrics could not be read again for more than {hours} h");
        return block(Guard::Evidence, text);
    }
    if let Some(by) = row.held_by.as_ref().filter(|_| plan.verb.is_destructive()) {
        return block(Guard::Jobs, format!("read again, {}: end that first", by.words()));
    }
    match row.verdict.as_deref() {
        None => block(Guard::Verdict, "judged again, it has no verdict".into()),
        Some(verdict) if allowed.contains(&verdict.kind) => None,
        Some(verdict) => block(
            Guard::Verdict,
            format!(
                "judged again, it is {}: {}",
                verdict.kind.name(),
                reasons::verdict(&verdict.reason)
            ),
        ),
    }
}

impl Rejudged {
    /// Blocks the rows of `checked` that the fresh verdicts do not allow.
    #[must_use]
    pub fn held_against(&self, checked: Preflighted, caps: &Caps) -> Preflighted {
        let Preflighted { plan, mut rows, checked_at, callers, .. } = checked;
        for row in &mut rows {
            let key = (row.item.scope.clone(), row.item.id.clone());
            if let Some(finding) = self.against.get(&key) {
                row.findings.insert(0, finding.clone());
            }
        }
        Preflighted::new(plan, rows, checked_at, callers, caps)
    }

    /// The caps, of the smaller fleet and the higher price: what the file says, or what this
    /// machine sees. A row that has no price here has none.
    pub fn breaches(&self, checked: &Preflighted, caps: &Caps) -> Vec<Breach> {
        if !checked.plan.verb.is_destructive() {
            return Vec::new();
        }
        let price = |item: &PlanItem| {
            let key = (item.scope.clone(), item.id.clone());
            let seen = self.prices.get(&key).copied().flatten()?;
            Some(item.usd_per_hour?.max(seen))
        };
        let prices: Vec<Option<f64>> = {
            let left = checked.rows.iter().filter(|r| r.may_go());
            left.map(|r| price(&r.item)).collect()
        };
        caps.breaches(&prices, self.living.min(checked.plan.fleet_size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::Verb;
    use crate::act::plan::fixture::{self, ago, item, now, plan, scope};
    use crate::domain::{
        PriceBasis, Provenance, Rate, Reading, SourceId, SourceState, VerdictKind,
    };
    use crate::fleet::HeldBy;

    /// A plan that passes every guard but this one.
    fn preflighted(plan: &Arc<Plan>) -> Preflighted {
        let check = |item: &PlanItem| {
            let mut fixture = fixture::passing(plan.verb.clone()).named(&item.id);
            fixture.item(|i| *i = item.clone());
            fixture.check()
        };
        let rows = plan.items.iter().map(check).collect();
        let callers = [(fixture::ACCOUNT.into(), fixture::ARN.into())].into();
        Preflighted::new(plan.clone(), rows, now(), callers, &Caps::default())
    }

    fn row(kind: VerdictKind) -> Row {
        Row {
            rate: Some(Rate {
                usd_per_hour: 2.744,
                basis: PriceBasis::OnDemandList,
                provenance: Provenance::Demo,
            }),
            verdict: Some(Arc::new(crate::view::fixture::verdict(kind, 1, Some(0.0), "why"))),
            ..Row::new(fixture::instance())
        }
    }

    fn fleet(rows: Vec<Row>) -> Fleet {
        let reading = Reading {
            source: SourceId::CloudWatch,
            scope: scope(),
            taken_at: Some(ago(1)),
            coverage: 1.0,
            state: SourceState::Live,
        };
        Fleet {
            rows: rows.into_iter().map(Arc::new).collect(),
            readings: vec![reading],
            ..Fleet::default()
        }
    }

    /// What a plan whose row passes every guard becomes with this fleet: the guard that is against
    /// it.
    fn after(verb: Verb, fleet: &Fleet) -> Option<Guard> {
        let plan = Arc::new(plan(verb));
        let caps = Caps::default();
        let checked = preflighted(&plan);
        assert!(checked.blocked().next().is_none(), "{:?}", checked.rows[0].findings);
        let again = rejudge(&plan, fleet, &Rules::default(), now());
        let checked = again.held_against(checked, &caps);
        checked.rows[0].reason().map(|f| f.guard)
    }

    #[test]
    fn a_file_that_calls_a_busy_box_idle_stops_nothing() {
        use VerdictKind::{Busy, Exempt, Idle, Partial, TooNew, Underused, Unknown};
        for kind in [Busy, Partial, Underused, Unknown, TooNew, Exempt] {
            let fleet = fleet(vec![row(kind)]);
            assert_eq!(after(Verb::Stop, &fleet), Some(Guard::Verdict), "{kind:?}");
            let terminate = Verb::Terminate { decrement: false };
            assert_eq!(after(terminate, &fleet), Some(Guard::Verdict), "{kind:?}");
        }
        assert_eq!(after(Verb::Stop, &fleet(vec![row(Idle)])), None);
    }

    #[test]
    fn what_this_machine_does_not_know_is_not_idle() {
        assert_eq!(after(Verb::Stop, &fleet(vec![])), Some(Guard::Verdict));
        let unjudged = Row { verdict: None, ..row(VerdictKind::Idle) };
        assert_eq!(after(Verb::Stop, &fleet(vec![unjudged])), Some(Guard::Verdict));
        let mut other = fixture::instance();
        other.launched_at = ago(10_000);
        let other = Row { instance: Arc::new(other), ..row(VerdictKind::Idle) };
        assert_eq!(after(Verb::Stop, &fleet(vec![other])), Some(Guard::Life));
        let mut elsewhere = fixture::instance();
        elsewhere.scope = Scope::new(fixture::ACCOUNT, "eu-west-1");
        let elsewhere = Row { instance: Arc::new(elsewhere), ..row(VerdictKind::Idle) };
        assert_eq!(after(Verb::Stop, &fleet(vec![elsewhere])), Some(Guard::Verdict));
        let mut old = fleet(vec![row(VerdictKind::Idle)]);
        old.readings[0].taken_at = Some(ago(24 * 60 + 1));
        assert_eq!(after(Verb::Stop, &old), Some(Guard::Evidence));
        old.readings.clear();
        assert_eq!(after(Verb::Stop, &old), Some(Guard::Evidence));
    }

    #[test]
    fn what_a_job_has_by_now_is_not_ended() {
        let mut held = row(VerdictKind::Idle);
        held.held_by = Some(Arc::new(HeldBy {
            jobs: vec!["82187".into()],
            users: vec!["vision-4".into()],
            has_unnamed: false,
            read_at: now(),
        }));
        let found = |verb: Verb| {
            let again = rejudge(&plan(verb), &fleet(vec![held.clone()]), &Rules::default(), now());
            again.against.into_values().next()
        };
        let said = found(Verb::Stop).unwrap();
        assert_eq!(said.guard, Guard::Jobs);
        assert!(said.text.contains("job 82187 of vision-4 has it by its scheduler"), "{said:?}");
        let mark = Verb::Mark { expires: now(), reason: "idle".into() };
        assert_eq!(found(mark), None, "a mark ends nothing");
    }

    #[test]
    fn the_caps_are_of_the_smaller_fleet_and_the_higher_price() {
        let breaches = |file: Option<f64>, seen: Option<f64>, caps: &Caps| {
            let mut cheap = item();
            cheap.usd_per_hour = file;
            let plan = Arc::new(fixture::plan_of(Verb::Stop, vec![cheap]));
            let mut row = row(VerdictKind::Idle);
            row.rate = row.rate.zip(seen).map(|(r, usd_per_hour)| Rate { usd_per_hour, ..r });
            let again = rejudge(&plan, &fleet(vec![row]), &Rules::default(), now());
            again.breaches(&preflighted(&plan), caps).len()
        };
        let caps = Caps { max_usd_per_hour: Some(10.0), ..Caps::default() };
        assert_eq!(breaches(Some(9.0), Some(9.0), &caps), 0);
        assert_eq!(breaches(Some(0.0), Some(32.0), &caps), 1, "the file makes it cheap");
        assert_eq!(breaches(Some(32.0), Some(0.1), &caps), 1);
        assert_eq!(breaches(Some(0.0), None, &caps), 1, "no price here");
        assert_eq!(breaches(None, Some(1.0), &caps), 1);
        // Two of a file's hundred are two of two.
        let two = [item(), PlanItem { id: "i-0aaaaaaaaaaaaaaa2".into(), ..item() }];
        let plan = Arc::new(fixture::plan_of(Verb::Stop, two.to_vec()));
        let mut second = fixture::instance();
        second.id = two[1].id.clone();
        let rows = vec![
            row(VerdictKind::Idle),
            Row { instance: Arc::new(second), ..row(VerdictKind::Idle) },
        ];
        let again = rejudge(&plan, &fleet(rows), &Rules::default(), now());
        let checked = preflighted(&plan);
        assert_eq!(checked.breaches, [], "by what the file says");
        assert_eq!(again.breaches(&checked, &Caps::default()).len(), 1);
    }

    #[test]
    fn starting_and_taking_a_mark_away_rest_on_no_verdict() {
        for verb in [Verb::Start, Verb::Unmark, Verb::Remind] {
            assert_eq!(verdicts_for(&verb), None);
            let again = rejudge(&plan(verb), &fleet(vec![]), &Rules::default(), now());
            assert!(again.against.is_empty());
        }
    }
}
