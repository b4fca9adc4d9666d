//! Lifecycle configurations of the demo's buckets.

use super::table::Rules;
use crate::domain::storage::{
    Expiration, Lifecycle, LifecycleFilter, LifecycleRule, MinimumSize, NoncurrentExpiration,
    Transition, When,
};

fn rule(id: &str) -> LifecycleRule {
    LifecycleRule {
        id: id.to_owned(),
        enabled: true,
        filter: LifecycleFilter { prefix: Some(String::new()), ..LifecycleFilter::default() },
        ..LifecycleRule::default()
    }
}

fn under(prefix: &str, mut rule: LifecycleRule) -> LifecycleRule {
    rule.filter.prefix = Some(prefix.to_owned());
    rule
}

fn moves(days: i64, class: &str) -> Vec<Transition> {
    vec![Transition { when: When::Days(days), class: class.to_owned() }]
}

fn noncurrent(days: i64) -> Option<NoncurrentExpiration> {
    Some(NoncurrentExpiration { days: Some(days), newer_versions: None })
}

/// Lifecycle configuration for these rules; `None` without any.
pub fn lifecycle(rules: Rules) -> Option<Lifecycle> {
    let abort = LifecycleRule { abort_uploads_days: Some(7), ..rule("abort-uploads") };
    let cool = LifecycleRule { transitions: moves(90, "GLACIER_IR"), ..rule("cool-down") };
    let rules = match rules {
        Rules::None => return None,
        Rules::Good => vec![abort, cool],
        Rules::GoodVersioned => vec![
            abort,
            LifecycleRule { noncurrent_expiration: noncurrent(30), ..rule("old-versions") },
        ],
        Rules::Foul => vec![
            LifecycleRule {
                noncurrent_expiration: noncurrent(30),
                ..under("checkpoints/", rule("keep-only-latest"))
            },
            LifecycleRule {
                transitions: moves(30, "STANDARD_IA"),
                ..under("datasets/", rule("warm-weekly"))
            },
        ],
        Rules::Terraform => vec![
            LifecycleRule {
                noncurrent_expiration: noncurrent(90),
                ..rule("tf-s3-lifecycle-20240311090102123400000001")
            },
            LifecycleRule {
                expiration: Some(Expiration {
                    when: Some(When::Days(3650)),
                    expired_delete_marker: None,
                }),
                ..under("tmp/", rule("tf-s3-lifecycle-20240311090102123400000002"))
            },
        ],
        Rules::Disabled => vec![LifecycleRule { enabled: false, ..cool }],
    };
    Some(Lifecycle { rules, minimum_size: Some(MinimumSize::All128K) })
}
