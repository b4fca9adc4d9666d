//! Merging wanted rules into a bucket's own: foreign rules stay as they are, our own are replaced,
//! the minimum size is kept, and nothing that cannot be undone is let through.

use sha2::{Digest, Sha256};

use super::diff::{self, DiffLine, RuleChange};
use super::lint::{self, LintFinding, Severity};
use super::owner::{self, Owner, OwnerKind};
use super::print;
use super::quarantine::{self, Quarantine};
use crate::domain::Tags;
use crate::domain::storage::{Lifecycle, LifecycleRule, Versioning};
use crate::domain::text::clean;

/// Prefix of the ids of rules written by burntop; the plan's hash and the rule's name follow:
/// `burntop/0123456789ab/old checkpoints`.
pub const OWN_PREFIX: &str = "burntop/";

/// Most rules of a bucket; a fixed quota of S3.
pub const MOST_RULES: usize = 1_000;

/// Longest id of a rule, characters; a limit of S3.
pub const LONGEST_ID: usize = 255;

/// Inputs of a merge.
#[derive(Clone, Copy, Debug)]
pub struct MergeInput<'a> {
    /// Name of the bucket.
    pub bucket: &'a str,
    /// True for a directory bucket, which S3 gives no such rules.
    pub is_directory: bool,
    /// Present configuration of the bucket; `None` where it has none.
    pub current: Option<&'a Lifecycle>,
    /// Paths of fields in the present configuration that this version does not know.
    pub unknown_fields: &'a [String],
    /// Versioning of the bucket; `None` = not known, treated as off.
    pub versioning: Option<Versioning>,
    /// Tags of the bucket; `None` where they could not be read.
    pub tags: Option<&'a Tags>,
    /// Rules to add, named by their own ids.
    pub wanted: &'a Lifecycle,
}

/// A configuration that may be written to the bucket; made by [`merge`] alone, where nothing blocks.
///
/// It holds every foreign rule and the minimum size of the configuration it was planned on, unchanged; at most
/// 1,000 rules; and of our own rules none that expires current objects of a bucket without versions.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedLifecycle {
    bucket: String,
    lifecycle: Lifecycle,
    planned_on: String,
}

impl MergedLifecycle {
    /// The whole configuration for the PUT, which replaces everything.
    pub fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// Digest of the configuration that it was planned on; the bucket must still have that one.
    #[cfg(test)]
    pub fn planned_on(&self) -> &str {
        &self.planned_on
    }
}

/// Why a configuration must not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// Another tool manages the bucket's rules.
    #[error("{} writes this bucket ({}): its next run would undo the change; take the patch instead", .0.kind.name(), .0.evidence)]
    Owned(Owner),
    /// The tags could not be read, so it is not known whether another tool manages the bucket.
    #[error(
        "the bucket's tags could not be read, so that nobody knows which tool owns it; allow s3:GetBucketTagging"
    )]
    OwnerUnknown,
    /// The present configuration has fields unknown to this version, which a PUT would drop; holds their paths.
    #[error("the bucket's rules have fields that burntop does not know and would drop: {}", .0.join(", "))]
    UnknownFields(Vec<String>),
    /// More than [`MOST_RULES`] rules; holds their number.
    #[error("{0} rules: S3 takes {MOST_RULES} of a bucket; merge or drop some")]
    TooManyRules(usize),
    /// The linter finds errors in the wanted rules; holds their number.
    #[error("{0} of the wanted rules' findings are errors; see them, and correct the file")]
    Errors(usize),
    /// The bucket is a directory bucket.
    #[error("directory buckets take no such rules")]
    DirectoryBucket,
    /// A rule of the present configuration has an id that the merged one would have twice; holds the id.
    #[error("rule id {0} is there twice")]
    DuplicateId(String),
}

/// Result of merging lifecycle rules: before, after, differences, and what blocks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// First 12 digits of the digest of the wanted rules.
    pub plan_hash: String,
    /// The present configuration; empty where the bucket has none.
    pub before: Lifecycle,
    /// SHA-256 of its canonical form; a digest of its own where the bucket has none.
    pub before_sha256: String,
    /// The merged configuration; given even where it is blocked.
    pub after: Lifecycle,
    /// Difference of each rule.
    pub changes: Vec<RuleChange>,
    /// The differences as lines.
    pub diff: Vec<DiffLine>,
    /// Findings of the linter about the merged rules.
    pub findings: Vec<LintFinding>,
    /// Why it must not be written; empty where it may.
    pub blocked: Vec<Blocked>,
    /// Expirations that are only written to a file; `None` without any.
    pub quarantine: Option<Quarantine>,
    /// The tool that manages the bucket's rules; `None` where nothing points to one.
    pub owner: Option<Owner>,
    /// Change for the sources of that tool, as file name and text; `None` without such a tool.
    pub patch: Option<(String, String)>,
    merged: Option<MergedLifecycle>,
}

impl Verdict {
    /// The configuration to write; `None` where it is blocked or changes nothing.
    pub fn merged(&self) -> Option<&MergedLifecycle> {
        self.merged.as_ref()
    }

    /// True when the bucket already has all wanted rules.
    pub fn is_noop(&self) -> bool {
        print::sha256(&self.before) == print::sha256(&self.after)
    }
}

/// True for a rule that burntop wrote: its id is the prefix, twelve hex digits, then the end or a slash.
pub fn is_own(rule: &LifecycleRule) -> bool {
    let Some(rest) = rule.id.strip_prefix(OWN_PREFIX) else { return false };
    let Some((hash, name)) = rest.split_at_checked(12) else { return false };
    hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        && (name.is_empty() || name.starts_with('/'))
}

/// Hash that marks a plan, the first 12 hex digits: of the wanted rules alone, so that repeating a plan changes
/// nothing.
pub fn plan_hash(wanted: &Lifecycle) -> String {
    let mut text = print::canonical_rules(&wanted.rules);
    text.insert_str(0, "burntop lifecycle 1\n");
    print::hex(&Sha256::digest(text.as_bytes())).chars().take(12).collect()
}

/// Merges the wanted rules into the present configuration. Pure: the same input gives the same result.
pub fn merge(input: &MergeInput<'_>) -> Verdict {
    let before = input.current.cloned().unwrap_or_default();
    let hash = plan_hash(input.wanted);
    let (own, quarantine) = quarantine::take(input.wanted.rules.clone(), input.versioning, &hash);
    let own = named(own, &hash);
    let mut after = Lifecycle {
        rules: before.rules.iter().filter(|r| !is_own(r)).cloned().collect(),
        minimum_size: if input.current.is_some() {
            before.minimum_size
        } else {
            input.wanted.minimum_size
        },
    };
    let foreign = after.rules.len();
    after.rules.extend(own);
    let findings = findings(input, &after);
    let owner = owner::detect(input.current, input.tags);
    let blocked = blocked(input, &after, foreign, &findings, owner.as_ref());
    let patch = owner.as_ref().map(|o| patch(o, input.bucket, &after, foreign));
    let before_sha256 = print::sha256_of(input.current);
    let mut verdict = Verdict {
        plan_hash: hash,
        changes: diff::rules(&before, &after),
        diff: diff::lines(&before, &after),
        before,
        before_sha256: before_sha256.clone(),
        after,
        findings,
        blocked,
        quarantine,
        owner,
        patch,
        merged: None,
    };
    if verdict.blocked.is_empty() && !verdict.is_noop() {
        verdict.merged = Some(MergedLifecycle {
            bucket: input.bucket.to_owned(),
            lifecycle: verdict.after.clone(),
            planned_on: before_sha256,
        });
    }
    verdict
}

/// Gives our rules their ids: the plan's hash, and their own name or number.
fn named(rules: Vec<LifecycleRule>, hash: &str) -> Vec<LifecycleRule> {
    let mut taken = std::collections::BTreeSet::new();
    let all = rules.into_iter().enumerate().map(|(i, mut rule)| {
        // A file that came out of a plan has our ids already.
        let name = if is_own(&rule) {
            rule.id.get(OWN_PREFIX.len() + 13..).unwrap_or_default().to_owned()
        } else {
            rule.id.clone()
        };
        let name = if name.is_empty() { (i + 1).to_string() } else { name };
        let full = format!("{OWN_PREFIX}{hash}/{name}");
        let mut id: String = full.chars().take(LONGEST_ID).collect();
        let mut again = 2;
        while !taken.insert(id.clone()) {
            let tail = format!("-{again}");
            id = full.chars().take(LONGEST_ID - tail.len()).chain(tail.chars()).collect();
            again += 1;
        }
        rule.id = id;
        rule
    });
    all.collect()
}

fn findings(input: &MergeInput<'_>, after: &Lifecycle) -> Vec<LintFinding> {
    let ctx = lint::LintContext { versioning: input.versioning, ..lint::LintContext::default() };
    let mut findings = lint::lint(after, &[], &ctx);
    if let (Some(have), Some(want)) =
        (input.current.and_then(|c| c.minimum_size), input.wanted.minimum_size)
        && have != want
    {
        findings.push(LintFinding::of_all(
            lint::Code::MinimumSizeKept,
            format!(
                "the file says {}, the bucket has {}: the bucket's stays, as it holds for all of \
                 its rules",
                want.api(),
                have.api()
            ),
        ));
    }
    findings
}

fn blocked(
    input: &MergeInput<'_>,
    after: &Lifecycle,
    foreign: usize,
    findings: &[LintFinding],
    owner: Option<&Owner>,
) -> Vec<Blocked> {
    let mut out = Vec::new();
    if input.is_directory {
        out.push(Blocked::DirectoryBucket);
    }
    match owner {
        Some(owner) => out.push(Blocked::Owned(owner.clone())),
        None if input.tags.is_none() => out.push(Blocked::OwnerUnknown),
        None => {}
    }
    if !input.unknown_fields.is_empty() {
        let clean = input.unknown_fields.iter().map(|f| clean(f).into_owned()).collect();
        out.push(Blocked::UnknownFields(clean));
    }
    if after.rules.len() > MOST_RULES {
        out.push(Blocked::TooManyRules(after.rules.len()));
    }
    // What S3 has taken of others is theirs; only our own rules answer for errors.
    let ours = |f: &&LintFinding| f.index.is_some_and(|i| i >= foreign);
    let errors = findings.iter().filter(ours).filter(|f| f.severity == Severity::Error).count();
    if errors > 0 {
        out.push(Blocked::Errors(errors));
    }
    for rule in after.rules.get(foreign..).unwrap_or_default() {
        if after.rules[..foreign].iter().any(|f| f.id == rule.id) {
            out.push(Blocked::DuplicateId(clean(&rule.id).into_owned()));
        }
    }
    out
}

/// Advice to change the source of the rules' owner instead.
fn patch(owner: &Owner, bucket: &str, after: &Lifecycle, foreign: usize) -> (String, String) {
    let ours: Vec<&LifecycleRule> = after.rules.iter().skip(foreign).collect();
    let head =
        format!("{} writes bucket {} ({}).\n", owner.kind.name(), clean(bucket), owner.evidence);
    let names: Vec<String> = ours.iter().map(|r| clean(&r.id).into_owned()).collect();
    let note = format!("{head}New: {}\n", names.join(", "));
    let comment = |sign: &str| note.lines().map(|l| format!("{sign} {l}\n")).collect::<String>();
    match owner.kind {
        OwnerKind::Terraform => (
            "lifecycle.tf".to_owned(),
            format!(
                "{}# A bucket has one such resource: put the new rule blocks into the one that is \
                 there.\n{}",
                comment("#"),
                print::terraform(bucket, after)
            ),
        ),
        OwnerKind::CloudFormation | OwnerKind::Serverless | OwnerKind::ServiceCatalog => (
            "lifecycle.cfn.yaml".to_owned(),
            format!(
                "{}# Under Properties of the AWS::S3::Bucket.\n{}",
                comment("#"),
                print::cloudformation_yaml(after)
            ),
        ),
        OwnerKind::Cdk => (
            "lifecycle.cdk.ts".to_owned(),
            format!(
                "{}// `bucket` is the s3.Bucket of this name; the escape hatch states all rules.\n\
                 const cfn = bucket.node.defaultChild as s3.CfnBucket;\n\
                 cfn.addPropertyOverride('LifecycleConfiguration', {});\n",
                comment("//"),
                print::cloudformation_property(after)
            ),
        ),
        OwnerKind::Pulumi | OwnerKind::Crossplane | OwnerKind::Custodian | OwnerKind::Ansible => (
            "lifecycle.json".to_owned(),
            // JSON has no comments: who owns it is in the verdict.
            print::json(after),
        ),
    }
}

#[cfg(test)]
mod tests;
