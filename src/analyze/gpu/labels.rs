//! Team and kind of work of a GPU, by tag or by the names of its owner.

use std::sync::Arc;

use super::rules::GpuRules;
use crate::domain::{GpuOwner, Workload};
use crate::fleet::Row;

/// The team: the instance's tag, else the first rule that fits the owner's namespace, else the
/// namespace itself where the rules say so.
pub(super) fn team(rules: &GpuRules, row: Option<&Row>, owner: &GpuOwner) -> Option<Arc<str>> {
    if let Some(team) = row.and_then(|r| r.team.clone()) {
        return Some(team);
    }
    let namespace = owner.namespace.as_ref()?;
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => namespace.get(..start.len()).is_some_and(|n| n.eq_ignore_ascii_case(start)),
        None => namespace.eq_ignore_ascii_case(pattern),
    };
    let rule = rules.teams.iter().find(|r| fits(&r.namespace)).map(|r| r.team.clone());
    rule.or_else(|| rules.namespace_is_team.then(|| namespace.clone()))
}

/// The kind of work: by the instance's tag, else by words in the names of the owner. Words of both
/// kinds in one name say nothing.
pub(super) fn workload(rules: &GpuRules, row: Option<&Row>, owner: &GpuOwner) -> Workload {
    let tag = row.and_then(|r| r.instance.tags.find(&rules.workload_tags));
    if let Some(value) = tag {
        let by_tag = by_words(rules, value);
        if by_tag != Workload::Unknown {
            return by_tag;
        }
    }
    [&owner.container, &owner.pod, &owner.job, &owner.namespace]
        .into_iter()
        .flatten()
        .map(|name| by_words(rules, name))
        .find(|w| *w != Workload::Unknown)
        .unwrap_or_default()
}

fn by_words(rules: &GpuRules, text: &str) -> Workload {
    let text = text.to_ascii_lowercase();
    let has = |words: &[String]| words.iter().any(|w| !w.is_empty() && text.contains(w.as_str()));
    match (has(&rules.training_words), has(&rules.inference_words)) {
        (true, false) => Workload::Training,
        (false, true) => Workload::Inference,
        _ => Workload::Unknown,
    }
}
