//! What burntop never puts on a bucket: an expiration of current objects where a delete is for
//! good. It becomes a file that a person may use, and a way by tags that can be undone.

use super::print;
use crate::domain::storage::{
    Expiration, Lifecycle, LifecycleFilter, LifecycleRule, Versioning, When,
};

/// Tag on objects to be deleted; its value is the hash of the plan.
pub const DELETE_TAG: &str = "burntop:delete";

/// Expirations of a plan that are written to a file and never to a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Quarantine {
    /// One rule for each expiration: the wanted filter, and the tag as well.
    rules: Vec<LifecycleRule>,
    hash: String,
}

impl Quarantine {
    /// Number of expirations.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// The filters of these rules, as readable text.
    pub fn filters(&self) -> impl Iterator<Item = String> + '_ {
        self.rules.iter().map(print::summary)
    }

    /// JSON of the rules. They match only tagged objects, so they do nothing until someone sets the tags.
    pub fn json(&self) -> String {
        print::json(&Lifecycle { rules: self.rules.clone(), minimum_size: None })
    }

    /// Instructions that lead from here to the deletion, for a file.
    pub fn steps(&self, bucket: &str) -> String {
        format!(
            "# {bucket}: deletions that burntop does not apply\n\n\
             The bucket keeps no versions (or it is not known that it does): what an expiration\n\
             deletes cannot be had again. The way that can be undone until its last step:\n\n\
             1. Tag what is to go: S3 Batch Operations, PutObjectTagging {DELETE_TAG}={hash},\n\
                with a manifest of the objects (`burntop storage checkpoints --batch-manifest`).\n\
                It replaces the tags of an object: carry those that are there.\n\
             2. Deny s3:GetObject on that tag by a bucket policy for 7 to 14 days. What breaks\n\
                says so at once, and taking the policy away brings everything back.\n\
             3. Add the rules of the JSON file beside this one to the bucket's own, by hand.\n\
                They delete tagged objects alone.\n",
            hash = self.hash,
        )
    }
}

/// True when an expiration of current objects leaves something to go back to: a noncurrent
/// version. Suspended versioning does not: null versions are overwritten by the marker.
pub(super) fn can_be_undone(versioning: Option<Versioning>) -> bool {
    versioning == Some(Versioning::Enabled)
}

/// Takes the expirations out of `rules`; rules that did nothing else go as a whole.
pub(super) fn take(
    rules: Vec<LifecycleRule>,
    versioning: Option<Versioning>,
    hash: &str,
) -> (Vec<LifecycleRule>, Option<Quarantine>) {
    if can_be_undone(versioning) {
        return (rules, None);
    }
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for mut rule in rules {
        if rule.expires_current() {
            taken.push(tagged(&rule, hash, taken.len()));
            let marker = rule.expiration.as_ref().and_then(|e| e.expired_delete_marker);
            rule.expiration =
                marker.map(|_| Expiration { when: None, expired_delete_marker: marker });
            if rule.is_empty() {
                continue;
            }
        }
        kept.push(rule);
    }
    let quarantine =
        (!taken.is_empty()).then(|| Quarantine { rules: taken, hash: hash.to_owned() });
    (kept, quarantine)
}

fn tagged(rule: &LifecycleRule, hash: &str, number: usize) -> LifecycleRule {
    let mut tags = rule.filter.tags.clone();
    tags.push((DELETE_TAG.to_owned(), hash.to_owned()));
    LifecycleRule {
        id: format!("burntop-quarantine-{hash}-{}", number + 1),
        enabled: true,
        filter: LifecycleFilter { tags, legacy_prefix: false, ..rule.filter.clone() },
        // The tag is the decision; its age is that of the object and says nothing.
        expiration: Some(Expiration { when: Some(When::Days(1)), expired_delete_marker: None }),
        ..LifecycleRule::default()
    }
}
