//! JSON as `aws s3api get-bucket-lifecycle-configuration` prints it.

use serde_json::{Map, Value as Json, json};

use crate::domain::storage::{Lifecycle, LifecycleFilter, LifecycleRule, When};

/// A whole configuration, indented, with a final newline, as the AWS CLI prints it, minimum size included.
pub fn json(lifecycle: &Lifecycle) -> String {
    let mut document = Map::new();
    if let Some(minimum) = lifecycle.minimum_size {
        document.insert("TransitionDefaultMinimumObjectSize".to_owned(), json!(minimum.api()));
    }
    document.insert("Rules".to_owned(), lifecycle.rules.iter().map(rule_json).collect());
    format!("{:#}\n", Json::Object(document))
}

/// Input of `aws s3api put-bucket-lifecycle-configuration --cli-input-json file://…`, with the bucket and with
/// the minimum size, which a PUT without it would reset.
pub fn cli_input(bucket: &str, lifecycle: &Lifecycle) -> String {
    let rules: Vec<Json> = lifecycle.rules.iter().map(rule_json).collect();
    let mut document = Map::new();
    document.insert("Bucket".to_owned(), json!(bucket));
    if let Some(minimum) = lifecycle.minimum_size {
        document.insert("TransitionDefaultMinimumObjectSize".to_owned(), json!(minimum.api()));
    }
    document.insert("LifecycleConfiguration".to_owned(), json!({ "Rules": rules }));
    format!("{:#}\n", Json::Object(document))
}

/// One rule as the API's JSON.
pub fn rule_json(rule: &LifecycleRule) -> Json {
    let mut out = Map::new();
    if !rule.id.is_empty() {
        out.insert("ID".to_owned(), json!(rule.id));
    }
    if rule.filter.legacy_prefix {
        out.insert("Prefix".to_owned(), json!(rule.filter.prefix.as_deref().unwrap_or_default()));
    }
    if let Some(filter) = filter_json(&rule.filter) {
        out.insert("Filter".to_owned(), filter);
    }
    out.insert("Status".to_owned(), json!(if rule.enabled { "Enabled" } else { "Disabled" }));
    if !rule.transitions.is_empty() {
        let all = rule.transitions.iter().map(|t| {
            let mut one = when_json(Some(&t.when));
            one.insert("StorageClass".to_owned(), json!(t.class));
            Json::Object(one)
        });
        out.insert("Transitions".to_owned(), all.collect());
    }
    if let Some(expiration) = &rule.expiration {
        let mut one = when_json(expiration.when.as_ref());
        if let Some(marker) = expiration.expired_delete_marker {
            one.insert("ExpiredObjectDeleteMarker".to_owned(), json!(marker));
        }
        out.insert("Expiration".to_owned(), Json::Object(one));
    }
    if !rule.noncurrent_transitions.is_empty() {
        let all = rule.noncurrent_transitions.iter().map(|t| {
            let mut one = Map::new();
            one.insert("NoncurrentDays".to_owned(), json!(t.days));
            one.insert("StorageClass".to_owned(), json!(t.class));
            number(&mut one, "NewerNoncurrentVersions", t.newer_versions);
            Json::Object(one)
        });
        out.insert("NoncurrentVersionTransitions".to_owned(), all.collect());
    }
    if let Some(noncurrent) = &rule.noncurrent_expiration {
        let mut one = Map::new();
        number(&mut one, "NoncurrentDays", noncurrent.days);
        number(&mut one, "NewerNoncurrentVersions", noncurrent.newer_versions);
        out.insert("NoncurrentVersionExpiration".to_owned(), Json::Object(one));
    }
    if let Some(days) = rule.abort_uploads_days {
        let one = json!({ "DaysAfterInitiation": days });
        out.insert("AbortIncompleteMultipartUpload".to_owned(), one);
    }
    Json::Object(out)
}

/// The filter; `None` where the old form stands alone, which has none.
fn filter_json(filter: &LifecycleFilter) -> Option<Json> {
    let prefix = filter.prefix.as_deref().filter(|_| !filter.legacy_prefix);
    let conditions = filter.conditions();
    if filter.legacy_prefix && conditions == 0 {
        return None;
    }
    let tag = |(key, value): &(String, String)| json!({ "Key": key, "Value": value });
    let mut out = Map::new();
    if let Some(prefix) = prefix {
        out.insert("Prefix".to_owned(), json!(prefix));
    }
    match filter.tags.as_slice() {
        [] => {}
        [one] if conditions == 1 => {
            out.insert("Tag".to_owned(), tag(one));
        }
        tags => {
            out.insert("Tags".to_owned(), tags.iter().map(tag).collect());
        }
    }
    number(&mut out, "ObjectSizeGreaterThan", filter.larger_than);
    number(&mut out, "ObjectSizeLessThan", filter.smaller_than);
    Some(if conditions > 1 { json!({ "And": out }) } else { Json::Object(out) })
}

fn when_json(when: Option<&When>) -> Map<String, Json> {
    let mut out = Map::new();
    match when {
        Some(When::Days(days)) => out.insert("Days".to_owned(), json!(days)),
        Some(When::Date(date)) => out.insert("Date".to_owned(), json!(date)),
        None => None,
    };
    out
}

fn number(into: &mut Map<String, Json>, name: &str, value: Option<i64>) {
    if let Some(value) = value {
        into.insert(name.to_owned(), json!(value));
    }
}
