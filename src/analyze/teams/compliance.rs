//! Resources without the tags that each shall have.

use std::sync::Arc;

use super::dimension::Dimension;
use super::line::{Lack, Line};
use super::rules::Rules;
use super::tagging::TagPlace;
use crate::domain::bill::Usd;
use crate::domain::hash::FastMap;

/// How far resources have the tags that are required.
#[derive(Clone, Debug, PartialEq)]
pub struct Compliance {
    /// The tags that are required, as they are written.
    pub required: Vec<Arc<str>>,
    /// Resources that lack one, the most dollars first.
    pub missing: Vec<MissingTags>,
    /// Dollars of everything that could be tagged.
    pub taggable: Usd,
    /// Dollars of what has all tags that are required.
    pub compliant: Usd,
    /// Dollars of what could not be tagged; they count nowhere else.
    pub untaggable: Usd,
    /// Number of resources that could be tagged.
    pub resources: usize,
    /// Number of those with all tags.
    pub compliant_resources: usize,
}

impl Compliance {
    /// Share of the dollars that could be tagged whose resource has all tags, 0–1; `None` without any.
    pub fn share(&self) -> Option<f64> {
        (self.taggable > Usd::ZERO).then(|| self.compliant.to_f64() / self.taggable.to_f64())
    }
}

/// A resource without all the tags.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingTags {
    /// Its id or ARN; `None` for lines of a bill that names no resources.
    pub resource: Option<Arc<str>>,
    /// Its name; `None` where it has no other than its id.
    pub name: Option<Arc<str>>,
    /// Account id.
    pub account: Option<Arc<str>>,
    /// Region code.
    pub region: Option<Arc<str>>,
    /// Name of the service.
    pub service: Option<Arc<str>>,
    /// Effective cost.
    pub usd: Usd,
    /// Tags that it lacks, each by the key that is written first; never empty.
    pub missing: Vec<Arc<str>>,
    /// Where a tag is put; `None` for resources whose id does not tell.
    pub place: Option<TagPlace>,
}

/// Accounts of a resource: one with the same id in two accounts is two.
type Resource = (Option<Arc<str>>, Option<Arc<str>>, Option<Arc<str>>, Option<Arc<str>>);

/// How far the resources of these lines have the tags of the rules.
pub fn compliance(lines: &[Line], rules: &Rules) -> Compliance {
    let keys = |tag: &Arc<str>| match Dimension::of(tag) {
        Some(by) => rules.keys_of(by).to_vec(),
        None => vec![tag.clone()],
    };
    let required: Vec<Vec<Arc<str>>> = rules.required.iter().map(keys).collect();
    // A resource has lines of several kinds of use, and not each of them tells its tags.
    let mut at: FastMap<Resource, usize> = FastMap::default();
    let mut all: Vec<(&Line, Usd, Vec<bool>)> = Vec::new();
    let mut untaggable = Usd::ZERO;
    for line in lines {
        let has = |keys: &Vec<Arc<str>>| line.tag(keys).is_some();
        let tags: Vec<bool> = required.iter().map(has).collect();
        if line.lack == Lack::Untaggable && !tags.contains(&true) {
            untaggable += line.usd;
            continue;
        }
        let service = line.resource.is_none().then(|| line.service.clone()).flatten();
        let region = line.resource.is_none().then(|| line.region.clone()).flatten();
        let resource = (line.resource.clone(), line.account.clone(), service, region);
        let place = *at.entry(resource).or_insert_with(|| {
            all.push((line, Usd::ZERO, vec![false; required.len()]));
            all.len() - 1
        });
        if let Some((_, usd, known)) = all.get_mut(place) {
            *usd += line.usd;
            known.iter_mut().zip(&tags).for_each(|(known, has)| *known |= has);
        }
    }
    let mut found = Compliance {
        required: rules.required.clone(),
        missing: Vec::new(),
        taggable: Usd::ZERO,
        compliant: Usd::ZERO,
        untaggable,
        resources: all.len(),
        compliant_resources: 0,
    };
    for (line, usd, has) in all {
        found.taggable += usd;
        let lacks = |(has, keys): (&bool, &Vec<Arc<str>>)| (!has).then(|| keys.first().cloned());
        let missing: Vec<Arc<str>> =
            has.iter().zip(&required).filter_map(lacks).flatten().collect();
        if missing.is_empty() {
            found.compliant += usd;
            found.compliant_resources += 1;
            continue;
        }
        found.missing.push(MissingTags {
            resource: line.resource.clone(),
            name: line.name.clone(),
            account: line.account.clone(),
            region: line.region.clone(),
            service: line.service.clone(),
            usd,
            missing,
            place: TagPlace::of(line),
        });
    }
    found
        .missing
        .sort_by(|a, b| (b.usd, &a.resource, &a.account).cmp(&(a.usd, &b.resource, &b.account)));
    found
}
