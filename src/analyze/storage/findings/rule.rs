//! The lifecycle rule that a finding or an estimate asks for.

use crate::analyze::storage::lifecycle::lint::allows;
use crate::domain::storage::{
    FindingReason as R, Lifecycle, LifecycleFilter, LifecycleRule, NoncurrentExpiration,
    StorageClass, StorageFinding, Transition, When,
};
use crate::fleet::storage::{BucketRow, SavingsEstimate};

/// Days after which parts of uploads go that were not completed.
const ABORT_DAYS: i64 = 7;

/// Days after which noncurrent versions go.
const NONCURRENT_DAYS: i64 = 30;

/// Days after which objects move: S3 moves none to an IA class sooner, and what is deleted before pays no minimum duration.
const MOVE_DAYS: i64 = 30;

/// What a rule for all objects of a bucket does.
enum Wanted {
    /// Aborts uploads that were not completed.
    Abort,
    /// Deletes noncurrent versions.
    Expire,
    /// Moves objects of so many days to a class.
    Move(StorageClass, i64),
}

impl Wanted {
    /// What does what a finding asks for; `None` where no lifecycle rule can.
    fn of(finding: &StorageFinding) -> Option<Self> {
        match &finding.reason {
            R::NoLifecycle { .. } | R::IncompleteUploads { .. } | R::DarkBytes { .. } => {
                Some(Self::Abort)
            }
            R::OldVersions { .. } | R::Versioning { .. } => Some(Self::Expire),
            R::WrongTier { to, is_copied: false, .. } => Self::moves(*to, MOVE_DAYS),
            _ => None,
        }
    }

    /// What an estimate is of; `None` where no move pays.
    fn of_estimate(estimate: &SavingsEstimate) -> Option<Self> {
        Self::moves(estimate.to?, estimate.age_days.into())
    }

    /// A move to a class; `None` for one that lifecycle cannot move to.
    fn moves(to: StorageClass, days: i64) -> Option<Self> {
        allows(StorageClass::Standard, to).then_some(Self::Move(to, days))
    }

    fn rule(self) -> LifecycleRule {
        match self {
            Self::Abort => {
                let abort_uploads_days = Some(ABORT_DAYS);
                LifecycleRule { abort_uploads_days, ..named("abort-incomplete-uploads") }
            }
            Self::Expire => {
                let days = Some(NONCURRENT_DAYS);
                let expiration = Some(NoncurrentExpiration { days, newer_versions: None });
                let rule = named("expire-noncurrent-versions");
                LifecycleRule { noncurrent_expiration: expiration, ..rule }
            }
            Self::Move(to, days) => {
                let id = format!("move-to-{}", to.api().to_lowercase().replace('_', "-"));
                let transition = Transition { when: When::Days(days), class: to.api().to_owned() };
                LifecycleRule { transitions: vec![transition], ..named(&id) }
            }
        }
    }
}

/// The rule, of all objects of the bucket, that does what a finding asks for; `None` where no lifecycle rule can.
pub fn rule_of(finding: &StorageFinding) -> Option<LifecycleRule> {
    Wanted::of(finding).map(Wanted::rule)
}

/// The rule that an estimate is of; `None` where no move pays.
pub fn rule_of_estimate(estimate: &SavingsEstimate) -> Option<LifecycleRule> {
    Wanted::of_estimate(estimate).map(Wanted::rule)
}

/// The rule that moves the objects below a prefix (empty = all) to a class; `None` for a class that lifecycle cannot move to.
pub fn rule_of_move(to: StorageClass, prefix: &str) -> Option<LifecycleRule> {
    let mut rule = Wanted::moves(to, MOVE_DAYS)?.rule();
    rule.filter.prefix = Some(prefix.to_owned());
    Some(rule)
}

/// What the findings of a bucket ask for, and its estimate.
fn wanted(row: &BucketRow) -> impl Iterator<Item = Wanted> {
    let of_findings = row.findings.iter().filter_map(|finding| Wanted::of(finding));
    of_findings.chain(row.estimate.as_ref().and_then(Wanted::of_estimate))
}

/// True where [`rules_of`] has a rule.
pub fn has_rules(row: &BucketRow) -> bool {
    wanted(row).next().is_some()
}

/// The rules that the findings of a bucket ask for, and its estimate, each once, what saves most first.
pub fn rules_of(row: &BucketRow) -> Lifecycle {
    let mut rules: Vec<LifecycleRule> = Vec::new();
    for rule in wanted(row).map(Wanted::rule) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Lifecycle { rules, minimum_size: None }
}

/// A rule in force for all objects that does nothing yet.
fn named(id: &str) -> LifecycleRule {
    let filter = LifecycleFilter { prefix: Some(String::new()), ..LifecycleFilter::default() };
    LifecycleRule { id: id.to_owned(), enabled: true, filter, ..LifecycleRule::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::lifecycle::lint::{LintContext, lint};
    use crate::analyze::storage::lifecycle::{Severity, parse, print};
    use crate::domain::storage::{Effort, FindingKind, Risk, Subject};
    use crate::tabs::storage::picture::fixture::{fleet, scope};

    fn of(reason: R) -> Option<LifecycleRule> {
        rule_of(&StorageFinding {
            kind: FindingKind::WrongTier,
            scope: scope(),
            subject: Subject::Bucket("one".into()),
            bytes: None,
            usd_per_month: None,
            effort: Effort::Low,
            risk: Risk::Low,
            reason,
        })
    }

    fn wrong_tier(to: StorageClass) -> R {
        R::WrongTier { bytes: 1, to, reads: None, fees: 0.0, payback: None, is_copied: false }
    }

    #[test]
    fn each_finding_that_a_rule_can_end_has_the_rule_that_its_sentence_names() {
        let says = |reason| print::summary(&of(reason).unwrap());
        let abort = "all objects: incomplete uploads aborted after 7 d";
        assert_eq!(says(R::NoLifecycle { grows: None }), abort);
        assert_eq!(
            says(R::IncompleteUploads { uploads: 2, bytes: None, is_partial: false }),
            abort
        );
        let old = "all objects: old versions deleted after 30 d";
        assert_eq!(says(R::Versioning { is_on: true }), old);
        let infrequent = says(wrong_tier(StorageClass::StandardIa));
        assert_eq!(infrequent, "all objects: STANDARD_IA after 30 d");
    }

    #[test]
    fn what_no_rule_can_do_has_none() {
        assert_eq!(of(R::SmallObjects(5)), None);
        assert_eq!(of(wrong_tier(StorageClass::Standard)), None, "rules move nothing back");
        let mut copied = wrong_tier(StorageClass::GlacierIr);
        if let R::WrongTier { is_copied, .. } = &mut copied {
            *is_copied = true;
        }
        assert_eq!(of(copied), None, "what is in One Zone-IA must be copied");
        assert_eq!(rule_of_move(StorageClass::Standard, "raw/"), None);
        let moved = rule_of_move(StorageClass::GlacierIr, "raw/").unwrap();
        assert_eq!(print::summary(&moved), "raw/: GLACIER_IR after 30 d");
    }

    #[test]
    fn s3_takes_the_rules_as_they_are_written() {
        let to = [StorageClass::IntelligentTiering, StorageClass::GlacierIr];
        let mut reasons: Vec<R> = to.map(wrong_tier).to_vec();
        reasons.extend([R::Versioning { is_on: true }, R::NoLifecycle { grows: None }]);
        let rules: Vec<LifecycleRule> = reasons.into_iter().filter_map(of).collect();
        assert_eq!(rules.len(), 4);
        for rule in rules {
            let one = Lifecycle { rules: vec![rule], minimum_size: None };
            let found = lint(&one, &[], &LintContext::default());
            assert!(!found.iter().any(|f| f.severity == Severity::Error), "{found:?}");
            assert_eq!(parse(print::json(&one).as_bytes()).unwrap().lifecycle, one);
        }
    }

    #[test]
    fn two_findings_that_one_rule_ends_ask_for_it_once() {
        let fleet = fleet();
        // Dark bytes, a wrong tier, and no lifecycle, beside findings without a rule.
        let row = fleet.bucket("ml-checkpoints").unwrap();
        let ids: Vec<String> = rules_of(row).rules.into_iter().map(|rule| rule.id).collect();
        assert_eq!(ids, ["abort-incomplete-uploads", "move-to-glacier-ir"]);
        // What a list would tell is estimated without one.
        let row = fleet.bucket("datasets").unwrap();
        let says: Vec<String> = rules_of(row).rules.iter().map(print::summary).collect();
        let moved = "all objects: GLACIER_IR after 90 d";
        assert_eq!(says, ["all objects: old versions deleted after 30 d", moved]);
    }
}
