//! `[actions]`, validated: how far burntop may go where it may change something at all.

use std::path::PathBuf;

use super::file::ActionsSection;
use crate::domain::{is_account_id, text};

/// The bounds of acting.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionsConfig {
    /// The most instances one plan may stop or terminate.
    pub max_instances: u32,
    /// The largest share of the fleet that one plan may stop or terminate, percent.
    pub max_fleet_percent: f64,
    /// The most dollars per hour that one plan may stop or terminate; `None` is no limit.
    pub max_usd_per_hour: Option<f64>,
    /// Hours that a plan is valid.
    pub plan_valid_hours: u32,
    /// Hours that an approval is valid.
    pub approval_valid_hours: u32,
    /// Minutes that are measured anew before acting, 15–60.
    pub recheck_minutes: u32,
    /// Youngest age at which an instance may be stopped or terminated, hours.
    pub min_age_hours: u32,
    /// Oldest verdict that may be acted on, hours.
    pub max_evidence_hours: u32,
    /// Accounts in which nothing may be changed, by id.
    pub read_only_accounts: Vec<String>,
    /// Production accounts, by id.
    pub production_accounts: Vec<String>,
    /// Tags, key and value, that make an instance production.
    pub production_tags: Vec<(String, String)>,
    /// Tags, key and value, that pin an instance read-only.
    pub read_only_tags: Vec<(String, String)>,
    /// A second place for the audit log.
    pub audit_copy: Option<AuditCopy>,
    /// ARN of the KMS key that signs approvals.
    pub approval_kms_key: Option<String>,
}

/// A second place for the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditCopy {
    /// A directory.
    Directory(PathBuf),
    /// A prefix of a bucket.
    S3 {
        /// The bucket.
        bucket: String,
        /// The prefix, without slashes at its ends; may be empty.
        prefix: String,
    },
}

impl AuditCopy {
    /// Reads a directory's absolute path or `s3://bucket/prefix`.
    pub fn parse(value: &str) -> Result<Self, String> {
        const WANTED: &str = "accepted: an absolute directory, or `s3://bucket/prefix`";
        let refused = || format!("\"{}\" is no place for a copy; {WANTED}", text::clean(value));
        if value.chars().any(text::is_unsafe) {
            return Err(refused());
        }
        if let Some(rest) = value.strip_prefix("s3://") {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            let plain =
                |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
            // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
            if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(plain) {
                return Err(refused());
            }
            // A key has 1,024 bytes at most, and the date and the run want some of them.
            if prefix.len() > 900 {
                return Err(format!("the prefix in audit_copy is longer than 900 bytes; {WANTED}"));
            }
            let prefix = prefix.trim_matches('/').to_owned();
            return Ok(Self::S3 { bucket: bucket.to_owned(), prefix });
        }
        let path = PathBuf::from(value);
        if path.is_absolute() { Ok(Self::Directory(path)) } else { Err(refused()) }
    }

    /// As it stands in the file.
    pub fn to_value(&self) -> String {
        match self {
            Self::Directory(path) => path.display().to_string(),
            Self::S3 { bucket, prefix } if prefix.is_empty() => format!("s3://{bucket}"),
            Self::S3 { bucket, prefix } => format!("s3://{bucket}/{prefix}"),
        }
    }
}

impl Default for ActionsConfig {
    fn default() -> Self {
        Self::of(ActionsSection::default())
    }
}

impl ActionsConfig {
    /// From checked values. What is not set has its default.
    pub(super) fn of(section: ActionsSection) -> Self {
        let tags = |list: Option<Vec<String>>| -> Vec<(String, String)> {
            list.into_iter().flatten().filter_map(|t| tag(&t).ok()).collect()
        };
        Self {
            max_instances: section.max_instances.unwrap_or(10),
            max_fleet_percent: section.max_fleet_percent.unwrap_or(10.0),
            max_usd_per_hour: section.max_usd_per_hour,
            plan_valid_hours: section.plan_valid_hours.unwrap_or(24),
            approval_valid_hours: section.approval_valid_hours.unwrap_or(24),
            recheck_minutes: section.recheck_minutes.unwrap_or(60),
            min_age_hours: section.min_age_hours.unwrap_or(24),
            max_evidence_hours: section.max_evidence_hours.unwrap_or(24),
            read_only_accounts: section.read_only_accounts.unwrap_or_default(),
            production_accounts: section.production_accounts.unwrap_or_default(),
            production_tags: tags(section.production_tags),
            read_only_tags: tags(section.read_only_tags),
            audit_copy: section.audit_copy.and_then(|c| AuditCopy::parse(&c).ok()),
            approval_kms_key: section.approval_kms_key,
        }
    }

    /// Back to the form of the file, every default spelled out.
    pub(super) fn section(&self) -> ActionsSection {
        let tags = |list: &[(String, String)]| {
            Some(list.iter().map(|(key, value)| format!("{key}={value}")).collect())
        };
        ActionsSection {
            max_instances: Some(self.max_instances),
            max_fleet_percent: Some(self.max_fleet_percent),
            max_usd_per_hour: self.max_usd_per_hour,
            plan_valid_hours: Some(self.plan_valid_hours),
            approval_valid_hours: Some(self.approval_valid_hours),
            recheck_minutes: Some(self.recheck_minutes),
            min_age_hours: Some(self.min_age_hours),
            max_evidence_hours: Some(self.max_evidence_hours),
            read_only_accounts: Some(self.read_only_accounts.clone()),
            production_accounts: Some(self.production_accounts.clone()),
            production_tags: tags(&self.production_tags),
            read_only_tags: tags(&self.read_only_tags),
            audit_copy: self.audit_copy.as_ref().map(AuditCopy::to_value),
            approval_kms_key: self.approval_kms_key.clone(),
        }
    }
}

/// Everything that is wrong with the section: the key below `actions` and the reason. Ranges are
/// the schema's.
pub(super) fn problems(section: &ActionsSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut list = |key: &str, values: Option<&Vec<String>>, check: fn(&str) -> Option<String>| {
        for (i, value) in values.into_iter().flatten().enumerate() {
            out.extend(check(value).map(|why| (format!("{key}[{i}]"), why)));
        }
    };
    list("read_only_accounts", section.read_only_accounts.as_ref(), account_problem);
    list("production_accounts", section.production_accounts.as_ref(), account_problem);
    list("production_tags", section.production_tags.as_ref(), |t| tag(t).err());
    list("read_only_tags", section.read_only_tags.as_ref(), |t| tag(t).err());
    if let Some(Err(why)) = section.audit_copy.as_deref().map(AuditCopy::parse) {
        out.push(("audit_copy".into(), why));
    }
    if let Some(arn) = section.approval_kms_key.as_deref().filter(|arn| !is_kms_key(arn)) {
        out.push((
            "approval_kms_key".into(),
            format!(
                "\"{}\" is no key; accepted: `arn:aws:kms:<region>:<12 digits>:key/<id>`, or the \
                 ARN of an alias",
                text::clean(arn)
            ),
        ));
    }
    out
}

/// What is wrong with an id of an account, if anything.
pub(super) fn account_problem(id: &str) -> Option<String> {
    (!is_account_id(id)).then(|| {
        format!("\"{}\" is no account id; accepted: 12 digits in quotation marks", text::clean(id))
    })
}

/// `key=value`; the first `=` separates.
fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err(format!(
            "\"{}\" is no tag; accepted: `key=value`, both not empty",
            text::clean(text)
        )),
    }
}

/// An ARN, because it names the region as well.
fn is_kms_key(arn: &str) -> bool {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    matches!(parts.as_slice(), ["arn", partition, "kms", region, account, key]
        if partition.starts_with("aws")
            && region.split('-').count() >= 3
            && is_account_id(account)
            && (key.starts_with("key/") || key.starts_with("alias/"))
            && key.chars().all(|c| c.is_ascii_graphic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(toml: &str) -> ActionsSection {
        toml::from_str(toml).unwrap()
    }

    #[test]
    fn what_cannot_be_used_is_named_with_what_can() {
        let found = problems(&section(
            "read_only_accounts = ['123456789012', '12345']\nproduction_accounts = ['abcdefghijkl']\n\
             production_tags = ['tier=gold', 'tier', '=x', 'x=']\naudit_copy = 'relative/dir'\n\
             approval_kms_key = 'alias/burntop'",
        ));
        let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "read_only_accounts[1]",
                "production_accounts[0]",
                "production_tags[1]",
                "production_tags[2]",
                "production_tags[3]",
                "audit_copy",
                "approval_kms_key"
            ]
        );
        assert!(found.iter().all(|(_, why)| why.contains("accepted:")), "{found:?}");
    }

    #[test]
    fn what_can_be_used_is_read_and_written_back() {
        let section = section(
            "max_usd_per_hour = 100.0\nread_only_accounts = ['123456789012']\n\
             production_tags = ['tier = a=b']\naudit_copy = 's3://logs/burntop/audit/'\n\
             approval_kms_key = 'arn:aws:kms:eu-west-1:123456789012:alias/burntop'",
        );
        assert_eq!(problems(&section), []);
        let config = ActionsConfig::of(section);
        assert_eq!(config.production_tags, [("tier".to_owned(), "a=b".to_owned())]);
        assert_eq!(
            config.audit_copy,
            Some(AuditCopy::S3 { bucket: "logs".into(), prefix: "burntop/audit".into() })
        );
        assert_eq!(ActionsConfig::of(config.section()), config);
    }

    #[test]
    fn copies_go_to_directories_and_buckets_alone() {
        assert_eq!(AuditCopy::parse("/mnt/a"), Ok(AuditCopy::Directory("/mnt/a".into())));
        let bare = AuditCopy::S3 { bucket: "abc".into(), prefix: String::new() };
        assert_eq!(AuditCopy::parse("s3://abc"), Ok(bare.clone()));
        assert_eq!(bare.to_value(), "s3://abc");
        for value in
            ["", "a", "s3://", "s3://ab", "s3://Ab_c/x", "https://abc/x", "s3://abc/\u{1b}[2J"]
        {
            let why = AuditCopy::parse(value).unwrap_err();
            assert!(why.contains("accepted:") && !why.contains('\u{1b}'), "{value}: {why}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_guards() {
        let (config, rules) = (ActionsConfig::default(), crate::act::plan::Rules::default());
        assert_eq!(config.max_instances, rules.caps.max_instances);
        assert_eq!(config.max_fleet_percent.to_bits(), rules.caps.max_fleet_percent.to_bits());
        assert_eq!(config.max_usd_per_hour, rules.caps.max_usd_per_hour);
        assert_eq!(
            (config.recheck_minutes, config.min_age_hours, config.max_evidence_hours),
            (rules.recheck_minutes, rules.min_age_hours, rules.max_evidence_hours)
        );
    }
}
