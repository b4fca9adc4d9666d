//! The lifecycle configuration of a bucket.

use std::sync::Arc;

use aws_sdk_s3::operation::get_bucket_lifecycle_configuration::GetBucketLifecycleConfigurationOutput;
use aws_sdk_s3::types as s3;

use super::buckets::is_unset;
use super::calls::GET_BUCKET_LIFECYCLE_CONFIGURATION;
use super::limit::Api;
use super::{AwsProvider, error};
use crate::domain::SourceError;
use crate::domain::storage::lifecycle::{
    Expiration, Filter, Lifecycle, MinimumSize, NoncurrentExpiration, NoncurrentTransition, Rule,
    Transition, When,
};

/// Lifecycle configuration of a bucket with its minimum size; `None` when there is none. Err when the call fails or the
/// configuration has unknown parts.
pub async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    bucket: &str,
) -> Result<Option<Lifecycle>, SourceError> {
    let client = aws.clients().await.s3(region);
    let _permit = aws.enter(Api::S3Config, region, 0).await;
    let call = &GET_BUCKET_LIFECYCLE_CONFIGURATION;
    let answer = match client.get_bucket_lifecycle_configuration().bucket(bucket).send().await {
        Ok(answer) => answer,
        Err(e) if is_unset(&e, "NoSuchLifecycleConfiguration") => return Ok(None),
        Err(e) => return Err(aws.bucket_failed(call, region, bucket, &e)),
    };
    let read = of(&answer).map_err(|what| {
        let message = format!("bucket {bucket}: {what} that this version cannot read");
        error::malformed(&message, aws.place(call, region))
    })?;
    Ok(Some(read))
}

/// Lifecycle configuration from S3's answer. Err, with the reason, for a configuration that cannot be represented.
pub(super) fn of(answer: &GetBucketLifecycleConfigurationOutput) -> Result<Lifecycle, String> {
    let minimum_size = match answer.transition_default_minimum_object_size() {
        None => None,
        // Written back wrongly it would change what happens to small objects: not readable, then.
        Some(said) => Some(
            MinimumSize::from_api(said.as_str())
                .ok_or_else(|| format!("a minimum size `{}`", said.as_str()))?,
        ),
    };
    let rules = answer.rules().iter().map(rule).collect::<Result<Vec<_>, String>>();
    let rules = rules.map_err(|what| format!("a rule has {what}"))?;
    Ok(Lifecycle { rules, minimum_size })
}

/// A rule as S3 has it. Texts stay as they are: they go back when the configuration is written.
fn rule(raw: &s3::LifecycleRule) -> Result<Rule, String> {
    let enabled = match raw.status() {
        s3::ExpirationStatus::Enabled => true,
        s3::ExpirationStatus::Disabled => false,
        other => return Err(format!("the status `{}`", other.as_str())),
    };
    let transitions = raw.transitions().iter().map(|t| {
        let when = when(t.days(), t.date())?.ok_or("a transition without a moment")?;
        Ok::<_, String>(Transition { when, class: class(t.storage_class())? })
    });
    let noncurrent = raw.noncurrent_version_transitions().iter().map(|t| {
        Ok::<_, String>(NoncurrentTransition {
            days: t.noncurrent_days().map(i64::from).ok_or("a transition without days")?,
            class: class(t.storage_class())?,
            newer_versions: t.newer_noncurrent_versions().map(i64::from),
        })
    });
    let expiration = raw.expiration().map(|e| {
        Ok::<_, String>(Expiration {
            when: when(e.days().filter(|d| *d != 0), e.date())?,
            expired_delete_marker: e.expired_object_delete_marker(),
        })
    });
    Ok(Rule {
        id: raw.id().unwrap_or_default().to_owned(),
        enabled,
        filter: filter(raw),
        transitions: transitions.collect::<Result<_, _>>()?,
        expiration: expiration.transpose()?,
        noncurrent_transitions: noncurrent.collect::<Result<_, _>>()?,
        noncurrent_expiration: raw.noncurrent_version_expiration().map(|e| NoncurrentExpiration {
            days: e.noncurrent_days().map(i64::from),
            newer_versions: e.newer_noncurrent_versions().map(i64::from),
        }),
        abort_uploads_days: raw
            .abort_incomplete_multipart_upload()
            .and_then(aws_sdk_s3::types::AbortIncompleteMultipartUpload::days_after_initiation)
            .map(i64::from),
    })
}

fn class(class: Option<&s3::TransitionStorageClass>) -> Result<String, String> {
    class.map(|c| c.as_str().to_owned()).ok_or_else(|| "a transition without a class".to_owned())
}

fn when(
    days: Option<i32>,
    date: Option<&aws_smithy_types::DateTime>,
) -> Result<Option<When>, String> {
    match (days, date) {
        (Some(days), None) => Ok(Some(When::Days(i64::from(days)))),
        (None, Some(date)) => {
            let format = aws_smithy_types::date_time::Format::DateTime;
            let text = date.fmt(format).map_err(|_| "a date".to_owned())?;
            Ok(Some(When::Date(text)))
        }
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err("days and a date at once".to_owned()),
    }
}

fn filter(raw: &s3::LifecycleRule) -> Filter {
    let pair = |t: &s3::Tag| (t.key().to_owned(), t.value().to_owned());
    let Some(said) = raw.filter() else {
        return Filter {
            prefix: old_prefix(raw).map(str::to_owned),
            legacy_prefix: old_prefix(raw).is_some(),
            ..Filter::default()
        };
    };
    let mut filter = Filter {
        prefix: said.prefix().map(str::to_owned),
        tags: said.tag().map(pair).into_iter().collect(),
        larger_than: said.object_size_greater_than(),
        smaller_than: said.object_size_less_than(),
        legacy_prefix: false,
    };
    if let Some(and) = said.and() {
        filter.prefix = and.prefix().map(str::to_owned).or(filter.prefix);
        filter.tags.extend(and.tags().iter().map(pair));
        filter.larger_than = and.object_size_greater_than().or(filter.larger_than);
        filter.smaller_than = and.object_size_less_than().or(filter.smaller_than);
    }
    filter
}

#[expect(deprecated, reason = "old configurations have their prefix there, and must come back so")]
fn old_prefix(raw: &s3::LifecycleRule) -> Option<&str> {
    raw.prefix()
}
