//! `[[quotas]]`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TeamsSection;
use super::problems::{unknown_team, unusable};
use crate::analyze::teams::{Limited, Quota};
use crate::domain::text;

/// How much a team may run at once. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaSection {
    /// The team.
    pub team: String,
    /// The most GPUs.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub gpus: Option<f64>,
    /// The most dollars per hour, at live prices.
    #[schemars(range(min = 0.0, max = 10_000_000.0))]
    pub usd_per_hour: Option<f64>,
    /// The most instances of a type, by type.
    #[serde(default)]
    pub instances: BTreeMap<String, u32>,
}

/// One quota for each thing that is limited.
pub(super) fn quotas(section: &QuotaSection) -> Vec<Quota> {
    let quota = |of, instance_type: Option<&String>, limit| Quota {
        team: section.team.trim().into(),
        of,
        instance_type: instance_type.map(|name| name.as_str().into()),
        limit,
    };
    let gpus = section.gpus.map(|limit| quota(Limited::Gpus, None, limit));
    let usd = section.usd_per_hour.map(|limit| quota(Limited::UsdPerHour, None, limit));
    let types = section.instances.iter();
    let types = types.map(|(name, n)| quota(Limited::Instances, Some(name), f64::from(*n)));
    gpus.into_iter().chain(types).chain(usd).collect()
}

/// What is wrong with quotas: the place in the list with the key, and the reason.
pub(in crate::config) fn quota_problems(
    quotas: &[QuotaSection],
    teams: &TeamsSection,
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut seen = BTreeSet::new();
    for (i, quota) in quotas.iter().enumerate() {
        if let Some(why) = unusable(&quota.team).or_else(|| unknown_team(teams, &quota.team)) {
            bad(format!("[{i}].team"), why);
        } else if !seen.insert(quota.team.trim().to_lowercase()) {
            let team = text::clean(&quota.team).into_owned();
            bad(
                format!("[{i}].team"),
                format!("`{team}` has two quotas: put what is limited into one"),
            );
        }
        if quota.gpus.is_none() && quota.usd_per_hour.is_none() && quota.instances.is_empty() {
            bad(format!("[{i}]"), "it limits nothing; say gpus, usd_per_hour or instances".into());
        }
        for name in quota.instances.keys() {
            if unusable(name).is_some() || !name.contains('.') {
                let shown = text::clean(name).into_owned();
                bad(
                    format!("[{i}].instances.{name}"),
                    format!("`{shown}` is no instance type, such as p5.48xlarge"),
                );
            }
        }
    }
    out
}
