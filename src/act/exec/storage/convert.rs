//! A lifecycle configuration in the SDK's words, for the PUT.

use aws_sdk_s3::types as s3;
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

use crate::domain::storage::{Lifecycle, LifecycleFilter, LifecycleRule, MinimumSize, When};

/// The configuration and the header that says which small objects move. What cannot be said in the
/// SDK's words is named; nothing is put then.
pub(super) fn configuration(
    lifecycle: &Lifecycle,
) -> Result<
    (s3::BucketLifecycleConfiguration, Option<s3::TransitionDefaultMinimumObjectSize>),
    String,
> {
    let rules = lifecycle.rules.iter().map(rule).collect::<Result<Vec<_>, String>>()?;
    let configuration = s3::BucketLifecycleConfiguration::builder().set_rules(Some(rules)).build();
    let minimum = lifecycle.minimum_size.map(|m| match m {
        MinimumSize::All128K => s3::TransitionDefaultMinimumObjectSize::AllStorageClasses128K,
        MinimumSize::Varies => s3::TransitionDefaultMinimumObjectSize::VariesByStorageClass,
    });
    Ok((configuration.map_err(|e| e.to_string())?, minimum))
}

fn days(days: i64) -> Result<i32, String> {
    i32::try_from(days).map_err(|_| format!("{days} days are more than S3 takes"))
}

/// Days or the date of a moment.
fn when(when: &When) -> Result<(Option<i32>, Option<DateTime>), String> {
    match when {
        When::Days(n) => Ok((Some(days(*n)?), None)),
        When::Date(text) => {
            let whole = if text.contains('T') { text.clone() } else { format!("{text}T00:00:00Z") };
            let date = DateTime::from_str(&whole, Format::DateTime)
                .map_err(|_| format!("\"{text}\" is no date"))?;
            Ok((None, Some(date)))
        }
    }
}

fn rule(rule: &LifecycleRule) -> Result<s3::LifecycleRule, String> {
    let status =
        if rule.enabled { s3::ExpirationStatus::Enabled } else { s3::ExpirationStatus::Disabled };
    let transitions = rule.transitions.iter().map(|t| {
        let (days, date) = when(&t.when)?;
        let class = s3::TransitionStorageClass::from(t.class.as_str());
        Ok::<_, String>(
            s3::Transition::builder().set_days(days).set_date(date).storage_class(class).build(),
        )
    });
    let noncurrent = rule.noncurrent_transitions.iter().map(|t| {
        let newer = t.newer_versions.map(days).transpose()?;
        let class = s3::TransitionStorageClass::from(t.class.as_str());
        Ok::<_, String>(
            s3::NoncurrentVersionTransition::builder()
                .noncurrent_days(days(t.days)?)
                .set_newer_noncurrent_versions(newer)
                .storage_class(class)
                .build(),
        )
    });
    let expiration = rule.expiration.as_ref().map(|e| {
        let (days, date) = e.when.as_ref().map(when).transpose()?.unwrap_or_default();
        Ok::<_, String>(
            s3::LifecycleExpiration::builder()
                .set_days(days)
                .set_date(date)
                .set_expired_object_delete_marker(e.expired_delete_marker)
                .build(),
        )
    });
    let noncurrent_expiration = rule.noncurrent_expiration.as_ref().map(|e| {
        Ok::<_, String>(
            s3::NoncurrentVersionExpiration::builder()
                .set_noncurrent_days(e.days.map(days).transpose()?)
                .set_newer_noncurrent_versions(e.newer_versions.map(days).transpose()?)
                .build(),
        )
    });
    let abort = rule.abort_uploads_days.map(|n| {
        let abort = s3::AbortIncompleteMultipartUpload::builder();
        Ok::<_, String>(abort.days_after_initiation(days(n)?).build())
    });
    let some = |all: Vec<_>| (!all.is_empty()).then_some(all);
    let transitions = some(transitions.collect::<Result<Vec<_>, _>>()?);
    let noncurrent = noncurrent.collect::<Result<Vec<_>, _>>()?;
    let mut out = s3::LifecycleRule::builder()
        .set_id((!rule.id.is_empty()).then(|| rule.id.clone()))
        .status(status)
        .set_transitions(transitions)
        .set_noncurrent_version_transitions((!noncurrent.is_empty()).then_some(noncurrent))
        .set_expiration(expiration.transpose()?)
        .set_noncurrent_version_expiration(noncurrent_expiration.transpose()?)
        .set_abort_incomplete_multipart_upload(abort.transpose()?);
    if rule.filter.legacy_prefix {
        out = with_old_prefix(out, rule.filter.prefix.clone());
    } else {
        out = out.filter(filter(&rule.filter)?);
    }
    out.build().map_err(|e| e.to_string())
}

#[expect(deprecated, reason = "a rule with its prefix there is put back as it came")]
fn with_old_prefix(
    rule: s3::builders::LifecycleRuleBuilder,
    prefix: Option<String>,
) -> s3::builders::LifecycleRuleBuilder {
    rule.set_prefix(Some(prefix.unwrap_or_default()))
}

/// More than one condition goes into an `And`.
fn filter(filter: &LifecycleFilter) -> Result<s3::LifecycleRuleFilter, String> {
    let tags = filter.tags.iter().map(|(key, value)| {
        s3::Tag::builder().key(key).value(value).build().map_err(|e| e.to_string())
    });
    let tags = tags.collect::<Result<Vec<_>, _>>()?;
    let conditions = usize::from(filter.prefix.is_some())
        + tags.len()
        + usize::from(filter.larger_than.is_some())
        + usize::from(filter.smaller_than.is_some());
    if conditions > 1 {
        let and = s3::LifecycleRuleAndOperator::builder()
            .set_prefix(filter.prefix.clone())
            .set_tags((!tags.is_empty()).then_some(tags))
            .set_object_size_greater_than(filter.larger_than)
            .set_object_size_less_than(filter.smaller_than)
            .build();
        return Ok(s3::LifecycleRuleFilter::builder().and(and).build());
    }
    Ok(s3::LifecycleRuleFilter::builder()
        .set_prefix(filter.prefix.clone())
        .set_tag(tags.into_iter().next())
        .set_object_size_greater_than(filter.larger_than)
        .set_object_size_less_than(filter.smaller_than)
        .build())
}
