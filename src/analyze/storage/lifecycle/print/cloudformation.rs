//! CloudFormation: the `LifecycleConfiguration` property of `AWS::S3::Bucket`.

use serde_json::{Map, Value as Json, json};

use crate::domain::storage::{Lifecycle, LifecycleRule, When};

/// `LifecycleConfiguration: …` as YAML, with a final newline.
pub fn cloudformation_yaml(lifecycle: &Lifecycle) -> String {
    let mut out = String::new();
    yaml(&property(lifecycle), 0, &mut out);
    out
}

fn property(lifecycle: &Lifecycle) -> Json {
    let mut inner = Map::new();
    if let Some(minimum) = lifecycle.minimum_size {
        inner.insert("TransitionDefaultMinimumObjectSize".to_owned(), json!(minimum.api()));
    }
    inner.insert("Rules".to_owned(), lifecycle.rules.iter().map(rule).collect());
    json!({ "LifecycleConfiguration": inner })
}

fn rule(rule: &LifecycleRule) -> Json {
    let mut out = Map::new();
    let mut put = |name: &str, value: Json| {
        out.insert(name.to_owned(), value);
    };
    if !rule.id.is_empty() {
        put("Id", json!(rule.id));
    }
    put("Status", json!(if rule.enabled { "Enabled" } else { "Disabled" }));
    let filter = &rule.filter;
    if let Some(prefix) = &filter.prefix {
        put("Prefix", json!(prefix));
    }
    if !filter.tags.is_empty() {
        let tags = filter.tags.iter().map(|(k, v)| json!({ "Key": k, "Value": v }));
        put("TagFilters", tags.collect());
    }
    // CloudFormation takes sizes as text.
    if let Some(size) = filter.larger_than {
        put("ObjectSizeGreaterThan", json!(size.to_string()));
    }
    if let Some(size) = filter.smaller_than {
        put("ObjectSizeLessThan", json!(size.to_string()));
    }
    if !rule.transitions.is_empty() {
        let all = rule.transitions.iter().map(|t| match &t.when {
            When::Days(days) => json!({ "StorageClass": t.class, "TransitionInDays": days }),
            When::Date(date) => json!({ "StorageClass": t.class, "TransitionDate": date }),
        });
        put("Transitions", all.collect());
    }
    if let Some(expiration) = &rule.expiration {
        match &expiration.when {
            Some(When::Days(days)) => put("ExpirationInDays", json!(days)),
            Some(When::Date(date)) => put("ExpirationDate", json!(date)),
            None => {}
        }
        if let Some(marker) = expiration.expired_delete_marker {
            put("ExpiredObjectDeleteMarker", json!(marker));
        }
    }
    if !rule.noncurrent_transitions.is_empty() {
        let all = rule.noncurrent_transitions.iter().map(|t| {
            let mut one = Map::new();
            one.insert("StorageClass".to_owned(), json!(t.class));
            one.insert("TransitionInDays".to_owned(), json!(t.days));
            if let Some(newer) = t.newer_versions {
                one.insert("NewerNoncurrentVersions".to_owned(), json!(newer));
            }
            Json::Object(one)
        });
        put("NoncurrentVersionTransitions", all.collect());
    }
    if let Some(n) = &rule.noncurrent_expiration {
        let mut one = Map::new();
        if let Some(days) = n.days {
            one.insert("NoncurrentDays".to_owned(), json!(days));
        }
        if let Some(newer) = n.newer_versions {
            one.insert("NewerNoncurrentVersions".to_owned(), json!(newer));
        }
        put("NoncurrentVersionExpiration", Json::Object(one));
    }
    if let Some(days) = rule.abort_uploads_days {
        put("AbortIncompleteMultipartUpload", json!({ "DaysAfterInitiation": days }));
    }
    Json::Object(out)
}

/// Block style; texts are quoted as JSON quotes them, which YAML reads the same.
fn yaml(value: &Json, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Json::Object(map) => {
            for (name, inner) in map {
                out.push_str(&format!("{pad}{name}:"));
                nested(inner, depth, out);
            }
        }
        Json::Array(items) => {
            for item in items {
                let mut one = String::new();
                yaml(item, depth + 1, &mut one);
                // The dash takes the place of the first indent.
                out.push_str(&format!("{pad}- {}", one.trim_start()));
            }
        }
        scalar => out.push_str(&format!("{pad}{scalar}\n")),
    }
}

fn nested(value: &Json, depth: usize, out: &mut String) {
    match value {
        Json::Object(map) if map.is_empty() => out.push_str(" {}\n"),
        Json::Array(items) if items.is_empty() => out.push_str(" []\n"),
        Json::Object(_) | Json::Array(_) => {
            out.push('\n');
            yaml(value, depth + 1, out);
        }
        scalar => out.push_str(&format!(" {scalar}\n")),
    }
}

/// The value of the property, as JSON on several lines: valid TypeScript as well.
pub(in crate::analyze::storage::lifecycle) fn cloudformation_property(
    lifecycle: &Lifecycle,
) -> String {
    format!("{:#}", property(lifecycle)["LifecycleConfiguration"])
}
