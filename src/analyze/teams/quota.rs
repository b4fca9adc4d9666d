//! How much a team may run at once, and what runs.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use jiff::Timestamp;

use super::budget::Budget;
use super::dimension::Dimension;
use super::line::{Line, line_of, of_ec2};
use super::owner::Owners;
use super::rules::Rules;
use crate::domain::bill::{Usd, words};
use crate::domain::hash::FastMap;
use crate::fleet::Row;

words! {
    /// What is limited.
    Limited {
        /// GPUs, as GPU equivalents.
        Gpus = "gpus",
        /// Instances of a type.
        Instances = "instances",
        /// Dollars per hour at live prices.
        UsdPerHour = "usd_per_hour",
    }
}

/// How much of something a team may run at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Quota {
    /// The team.
    pub team: Arc<str>,
    /// What is limited.
    pub of: Limited,
    /// Instance type, of instances.
    pub instance_type: Option<Arc<str>>,
    /// The limit, in the unit of `of`.
    pub limit: f64,
}

/// What runs, as quotas see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The team; `None` without one.
    pub team: Option<Arc<str>>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// GPU equivalents; `None` where the type is not known.
    pub gpus: Option<f64>,
    /// Live price, USD per hour; `None` where not known.
    pub usd_per_hour: Option<f64>,
    /// Since when it runs; `None` where not known.
    pub since: Option<Timestamp>,
}

/// A quota beside what runs.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaState {
    /// The quota.
    pub quota: Quota,
    /// What the team runs, in the unit of the quota; a lower bound where `unknown` is not 0.
    pub used: f64,
    /// What is asked for beside it; 0 without a question.
    pub asked: f64,
    /// Instances of the team of which it is not known how much they count.
    pub unknown: usize,
    /// At the latest since when the team is over it, by the launches of what runs; `None` where it is not.
    pub over_since: Option<Timestamp>,
}

impl QuotaState {
    /// How much more runs than is allowed; `None` where it is not more.
    pub fn over(&self) -> Option<f64> {
        over(self.used, self.quota.limit)
    }

    /// How much more would run with what is asked for; `None` where it would not be more.
    pub fn over_then(&self) -> Option<f64> {
        over(self.used + self.asked, self.quota.limit)
    }
}

/// Sums of binary fractions: an eighth of a GPU is exact, a price is not.
fn over(used: f64, limit: f64) -> Option<f64> {
    (used > limit + 1e-9).then_some(used - limit)
}

impl Quota {
    /// True where it is of this team, ignoring case.
    pub fn is_of(&self, team: &str) -> bool {
        self.team.to_lowercase() == team.to_lowercase()
    }

    /// How much one instance counts; `Some(0)` for what it does not limit, `None` where that is not known.
    fn counts(&self, one: &Running) -> Option<f64> {
        match self.of {
            Limited::Gpus => one.gpus,
            Limited::UsdPerHour => one.usd_per_hour,
            Limited::Instances => {
                let is_it = self.instance_type.as_deref().is_none_or(|t| t == &*one.instance_type);
                Some(if is_it { 1.0 } else { 0.0 })
            }
        }
    }
}

/// What runs, with the team that the rules give it.
pub fn running<'a>(rows: impl IntoIterator<Item = &'a Row>, rules: &Rules) -> Vec<Running> {
    let mut owners = Owners::new(rules);
    let one = |row: &Row| Running {
        team: owners.of(&line_of(row, Usd::ZERO), Dimension::Team),
        instance_type: row.instance.instance_type.clone(),
        gpus: row.gpus(),
        usd_per_hour: row.usd_per_hour(),
        since: Some(row.instance.launched_at),
    };
    rows.into_iter().filter(|row| row.instance.state.is_billed()).map(one).collect()
}

/// The one spelling of a team that somebody typed.
pub fn team_named(name: &str, rules: &Rules) -> Arc<str> {
    Owners::new(rules).spelling(&name.into(), Dimension::Team)
}

/// The line that an instance would be on a bill, as far as it is known before it runs.
pub fn asked_line(one: &Running, region: &str, rules: &Rules) -> Line {
    let key = rules.keys_of(Dimension::Team).first();
    let tags = key.cloned().zip(one.team.clone()).into_iter().collect();
    Line { tags, ..of_ec2(&one.instance_type, region) }
}

/// True where a budget's filter takes a line.
pub fn takes(budget: &Budget, line: &Line, rules: &Rules) -> bool {
    Owners::new(rules).passes(&budget.filter, line)
}

/// Each quota beside what runs, and beside what is asked for on top of it, in the order of the quotas.
pub fn quota_states(quotas: &[Quota], running: &[Running], asked: &[Running]) -> Vec<QuotaState> {
    let mut teams: FastMap<String, Vec<&Running>> = FastMap::default();
    for one in running {
        if let Some(team) = &one.team {
            teams.entry(team.to_lowercase()).or_default().push(one);
        }
    }
    for all in teams.values_mut() {
        // What runs since an unknown time came first, as far as anybody knows.
        all.sort_by_key(|one| one.since);
    }
    quotas.iter().map(|quota| state(quota, &teams, asked)).collect()
}

fn state(quota: &Quota, teams: &FastMap<String, Vec<&Running>>, asked: &[Running]) -> QuotaState {
    let (mut used, mut unknown, mut over_since) = (0.0, 0, None);
    for one in teams.get(&quota.team.to_lowercase()).into_iter().flatten() {
        let Some(counts) = quota.counts(one) else {
            unknown += 1;
            continue;
        };
        let was_over = over(used, quota.limit).is_some();
        used += counts;
        if !was_over && over(used, quota.limit).is_some() {
            over_since = one.since;
        }
    }
    let of_team = |one: &&Running| one.team.as_deref().is_some_and(|team| quota.is_of(team));
    let mut more = 0.0;
    for one in asked.iter().filter(of_team) {
        match quota.counts(one) {
            Some(counts) => more += counts,
            None => unknown += 1,
        }
    }
    QuotaState { quota: quota.clone(), used, asked: more, unknown, over_since }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(team: &str, of: &str, gpus: f64, since: &str) -> Running {
        Running {
            team: Some(team.into()),
            instance_type: of.into(),
            gpus: Some(gpus),
            usd_per_hour: None,
            since: Some(since.parse().unwrap()),
        }
    }

    #[test]
    fn a_quota_is_broken_by_the_launch_that_went_above_it() {
        let quota = |of, limit, name: Option<&str>| Quota {
            team: "nlp".into(),
            of,
            instance_type: name.map(Into::into),
            limit,
        };
        let quotas = [
            quota(Limited::Gpus, 16.0, None),
            quota(Limited::Instances, 2.0, Some("p5.48xlarge")),
            quota(Limited::UsdPerHour, 1.0, None),
        ];
        let all = [
            running("NLP", "p5.48xlarge", 8.0, "2026-11-03T00:00:00Z"),
            running("nlp", "p5.48xlarge", 8.0, "2026-11-01T00:00:00Z"),
            running("nlp", "g6.xlarge", 1.0, "2026-11-02T00:00:00Z"),
            running("vision", "p5.48xlarge", 8.0, "2026-11-01T00:00:00Z"),
        ];
        let asked = vec![running("nlp", "p5.48xlarge", 8.0, "2026-11-03T00:00:00Z"); 2];
        let found = quota_states(&quotas, &all, &asked);
        let [gpus, boxes, dollars] = &found[..] else { panic!("{found:?}") };
        assert_eq!((gpus.used, gpus.over(), gpus.over_then()), (17.0, Some(1.0), Some(17.0)));
        assert_eq!(gpus.over_since, Some("2026-11-03T00:00:00Z".parse().unwrap()));
        assert_eq!((boxes.used, boxes.over(), boxes.over_then()), (2.0, None, Some(2.0)));
        assert_eq!((dollars.used, dollars.unknown), (0.0, 5));
        assert!(quota_states(&quotas, &[], &[]).iter().all(|state| state.over_then().is_none()));
    }
}
