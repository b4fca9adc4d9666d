//! `burntop iam-policy`: the least that burntop needs, from the list of calls it makes.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Value, json};

use super::exit::CliError;
use crate::config::{AuditCopy, Config};
use crate::source::aws::calls;

/// Prints the IAM policy: permissions for reading, and with `actions` for acting. Roles of the configuration
/// get a statement of their own, which belongs to the identity that assumes them; the other statements belong
/// to the roles. The SNS `topics` that alerts are sent to get one for the identity that the watch runs as. Fails where it cannot
/// be written.
pub fn print(
    config: &Config,
    actions: bool,
    topics: &BTreeSet<String>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let typed = config.targets.iter().filter_map(|t| t.role_arn.as_deref());
    let organization = config.organization.as_ref();
    let of_members = organization.map(|o| format!("arn:aws:iam::*:role/{}", o.role_name));
    let roles = typed.chain(of_members.as_deref()).collect();
    let mut statements = vec![reading(), listing(), costs(), asking()];
    statements.extend(organization.map(|_| finding()));
    let inventories = inventories(config);
    let bills = bills(config);
    if inventories.is_some() || bills.is_some() {
        statements.push(querying());
    }
    statements.extend(inventories.is_some().then(own_table));
    statements.extend(bills.is_some().then(bill_tables));
    statements.extend(inventories);
    statements.extend(bills);
    if actions {
        statements.extend(acting());
        statements.extend(config.actions.approval_kms_key.as_deref().map(approving));
        statements.extend(config.actions.audit_copy.as_ref().and_then(copying));
    }
    statements.extend(assuming(&roles));
    statements.extend(publishing(topics));
    writeln!(out, "{:#}", policy(&statements))?;
    Ok(())
}

fn policy(statements: &[Value]) -> Value {
    json!({ "Version": "2012-10-17", "Statement": statements })
}

fn actions(calls: &[&calls::Call]) -> BTreeSet<&'static str> {
    calls.iter().map(|c| c.action).collect()
}

/// What reading needs. Most of the calls cannot be restricted to resources (Service Authorization
/// Reference); those about buckets could be, and are meant for all of them.
fn reading() -> Value {
    let all: Vec<&calls::Call> = calls::READING
        .into_iter()
        .chain(calls::VOLUMES)
        .chain(calls::BUCKETS)
        .chain(calls::COMMITMENTS)
        .chain(calls::MARKET)
        .chain(calls::RESOURCES)
        .chain(calls::JOBS)
        .collect();
    json!({
        "Sid": "BurntopReads",
        "Effect": "Allow",
        "Action": actions(&all),
        "Resource": "*",
    })
}

/// Lists of objects, without the objects themselves: for buckets without an inventory, made only
/// when told to. Leave it out, or narrow it to some buckets, where that is not wanted.
fn listing() -> Value {
    json!({
        "Sid": "BurntopListsBucketsWhenTold",
        "Effect": "Allow",
        "Action": actions(&calls::LISTS),
        "Resource": ["arn:aws:s3:::*", "arn:aws:s3:::*/*"],
    })
}

/// Cost Explorer, a cent per request: for those without an export of the bill, asked only when told to; and what AWS Budgets
/// has.
fn costs() -> Value {
    let all: Vec<&calls::Call> = calls::COSTS.into_iter().chain(calls::BUDGETS).collect();
    json!({
        "Sid": "BurntopReadsCostsWhenTold",
        "Effect": "Allow",
        "Action": actions(&all),
        "Resource": "*",
    })
}

/// `CloudTrail`'s history of events, for the name of who launched an idle instance. Leave it out where nobody's name is to be
/// read.
fn asking() -> Value {
    json!({
        "Sid": "BurntopFindsWhoLaunched",
        "Effect": "Allow",
        "Action": actions(&calls::ASKING),
        "Resource": "*",
    })
}

/// Reading the inventories that the configuration names, and nothing else of any bucket.
fn inventories(config: &Config) -> Option<Value> {
    let below = config.storage.inventories.values().filter_map(|place| {
        let (bucket, key) = place.strip_prefix("s3://")?.split_once('/')?;
        // A manifest lies beside the files that it names.
        let prefix = key.strip_suffix("manifest.json").unwrap_or(key);
        Some(format!("arn:aws:s3:::{bucket}/{prefix}*"))
    });
    let below: BTreeSet<String> = below.collect();
    (!below.is_empty()).then(|| {
        json!({
            "Sid": "BurntopReadsInventories",
            "Effect": "Allow",
            "Action": calls::GET_OBJECT.action,
            "Resource": below,
        })
    })
}

/// Reading the exports of bills that the configuration names, and nothing else of any bucket.
fn bills(config: &Config) -> Option<Value> {
    let places = config.bill.in_s3().flat_map(|(bucket, prefix)| {
        // The files that a manifest names lie anywhere in its bucket.
        let is_manifest = std::path::Path::new(prefix).extension().is_some_and(|end| end == "json");
        let prefix = if is_manifest { "" } else { prefix.trim_end_matches('/') };
        [format!("arn:aws:s3:::{bucket}"), format!("arn:aws:s3:::{bucket}/{prefix}*")]
    });
    let places: BTreeSet<String> = places.collect();
    (!places.is_empty()).then(|| {
        json!({
            "Sid": "BurntopReadsBills",
            "Effect": "Allow",
            "Action": [calls::GET_OBJECT.action, calls::LIST_OBJECTS_V2.action],
            "Resource": places,
        })
    })
}

/// Adding up inventories and bills by Athena, when told to. Besides, Athena asks for what the workgroup's place for
/// results needs (`s3:PutObject`, `s3:GetObject`, `s3:GetBucketLocation` there).
fn querying() -> Value {
    json!({
        "Sid": "BurntopQueriesWhenTold",
        "Effect": "Allow",
        "Action": actions(&calls::QUERIES),
        "Resource": ["arn:aws:athena:*:*:workgroup/*", "arn:aws:athena:*:*:datacatalog/*"],
    })
}

/// A table for queries over an inventory in the database `default`, made for a query and dropped after it.
fn own_table() -> Value {
    json!({
        "Sid": "BurntopHasATableForItsQueries",
        "Effect": "Allow",
        "Action": ["glue:CreateTable", "glue:DeleteTable", "glue:GetDatabase", "glue:GetTable"],
        "Resource": [
            "arn:aws:glue:*:*:catalog",
            "arn:aws:glue:*:*:database/default",
            "arn:aws:glue:*:*:table/default/burntop_inventory_*",
        ],
    })
}

/// Tables of bills, which are read as they are.
fn bill_tables() -> Value {
    json!({
        "Sid": "BurntopReadsTablesOfBills",
        "Effect": "Allow",
        "Action": ["glue:GetDatabase", "glue:GetPartitions", "glue:GetTable"],
        "Resource": [
            "arn:aws:glue:*:*:catalog",
            "arn:aws:glue:*:*:database/*",
            "arn:aws:glue:*:*:table/*",
        ],
    })
}

/// Finding the accounts of the organisation: for its management account or a delegated administrator,
/// and for no role in the accounts themselves.
fn finding() -> Value {
    json!({
        "Sid": "BurntopFindsAccounts",
        "Effect": "Allow",
        "Action": calls::LIST_ACCOUNTS.action,
        "Resource": "*",
    })
}

/// Assuming a role is granted on the role alone.
fn assuming(roles: &BTreeSet<&str>) -> Option<Value> {
    (!roles.is_empty()).then(|| {
        json!({
            "Sid": "BurntopAssumesItsRoles",
            "Effect": "Allow",
            "Action": calls::ASSUME_ROLE.action,
            "Resource": roles,
        })
    })
}

/// What acting needs besides: a close look first (no resource restriction there either), then the
/// writes, on instances and members of groups alone. The tags are burntop's own: without the
/// condition whoever may mark could also write the tags that other policies decide by, and
/// `DeleteTags` without keys takes every tag away. Of storage: snapshots are made and named, volumes
/// deleted and modified, lifecycle rules put. Nothing here deletes a snapshot or an object.
fn acting() -> [Value; 7] {
    let tagging = [&calls::CREATE_TAGS, &calls::DELETE_TAGS];
    let states = [&calls::STOP_INSTANCES, &calls::TERMINATE_INSTANCES, &calls::START_INSTANCES];
    [
        json!({
            "Sid": "BurntopLooksBeforeItActs",
            "Effect": "Allow",
            "Action": actions(&calls::PREFLIGHT),
            "Resource": "*",
        }),
        json!({
            "Sid": "BurntopStopsTerminatesAndStarts",
            "Effect": "Allow",
            "Action": actions(&states),
            "Resource": "arn:aws:ec2:*:*:instance/*",
        }),
        json!({
            "Sid": "BurntopMarks",
            "Effect": "Allow",
            "Action": actions(&tagging),
            "Resource": "arn:aws:ec2:*:*:instance/*",
            "Condition": {
                "ForAllValues:StringLike": { "aws:TagKeys": "burntop:*" },
                "Null": { "aws:TagKeys": "false" },
            },
        }),
        json!({
            "Sid": "BurntopTerminatesMembersOfGroups",
            "Effect": "Allow",
            "Action": calls::TERMINATE_INSTANCE_IN_AUTO_SCALING_GROUP.action,
            "Resource": "arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/*",
        }),
        json!({
            "Sid": "BurntopKeepsAndDeletesVolumes",
            "Effect": "Allow",
            "Action": actions(&[
                &calls::CREATE_SNAPSHOT,
                &calls::DELETE_VOLUME,
                &calls::MODIFY_VOLUME,
            ]),
            "Resource": ["arn:aws:ec2:*:*:volume/*", "arn:aws:ec2:*::snapshot/*"],
        }),
        json!({
            "Sid": "BurntopNamesItsSnapshots",
            "Effect": "Allow",
            "Action": calls::CREATE_TAGS.action,
            "Resource": "arn:aws:ec2:*::snapshot/*",
            "Condition": {
                "ForAllValues:StringLike": { "aws:TagKeys": "burntop:*" },
                "Null": { "aws:TagKeys": "false" },
                "StringEquals": { "ec2:CreateAction": "CreateSnapshot" },
            },
        }),
        json!({
            "Sid": "BurntopPutsLifecycleRules",
            "Effect": "Allow",
            "Action": calls::PUT_BUCKET_LIFECYCLE_CONFIGURATION.action,
            "Resource": "arn:aws:s3:::*",
        }),
    ]
}

/// Signing approvals and checking them. Who may only apply needs `kms:Verify` alone: take
/// `kms:Sign` away there, or the signature says nothing. IAM knows no aliases as resources, so an
/// alias becomes a condition.
fn approving(key: &str) -> Value {
    let mut statement = json!({
        "Sid": "BurntopSignsAndChecksApprovals",
        "Effect": "Allow",
        "Action": ["kms:Sign", "kms:Verify"],
        "Resource": key,
    });
    if let Some((account, alias)) = key.split_once(":alias/") {
        statement["Resource"] = json!(format!("{account}:key/*"));
        statement["Condition"] = json!({
            "ForAnyValue:StringEquals": { "kms:ResourceAliases": format!("alias/{alias}") },
        });
    }
    statement
}

/// Alerts of `burntop watch`: published to the topics of its rules, by the identity that it runs as.
fn publishing(topics: &BTreeSet<String>) -> Option<Value> {
    (!topics.is_empty()).then(|| {
        json!({
            "Sid": "BurntopPublishesAlerts",
            "Effect": "Allow",
            "Action": "sns:Publish",
            "Resource": topics,
        })
    })
}

/// Copies of the audit log: objects below the prefix are put, none is read or deleted.
fn copying(to: &AuditCopy) -> Option<Value> {
    let AuditCopy::S3 { bucket, prefix } = to else { return None };
    let below = if prefix.is_empty() { "*".to_owned() } else { format!("{prefix}/*") };
    Some(json!({
        "Sid": "BurntopCopiesItsAuditLog",
        "Effect": "Allow",
        "Action": "s3:PutObject",
        "Resource": format!("arn:aws:s3:::{bucket}/{below}"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG};
    use crate::doctor::{
        PERMISSIONS, RESOURCE_PERMISSIONS, SAVINGS_PERMISSIONS, STORAGE_PERMISSIONS,
    };

    fn allowed(statement: &Value) -> BTreeSet<String> {
        let action = &statement["Action"];
        let one = action.as_str().map(str::to_owned);
        let list = action.as_array().into_iter().flatten();
        one.into_iter().chain(list.map(|a| a.as_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn the_policy_is_pinned() {
        insta::assert_snapshot!(format!(
            "{:#}",
            policy(&[reading(), listing(), costs(), asking()])
        ));
    }

    #[test]
    fn the_policy_for_actions_is_pinned() {
        insta::assert_snapshot!(format!("{:#}", policy(&acting())));
    }

    #[test]
    fn the_policy_allows_exactly_the_calls_that_are_made() {
        let allowed = allowed(&reading());
        let storage = calls::VOLUMES.into_iter().chain(calls::BUCKETS);
        let savings = calls::COMMITMENTS.into_iter().chain(calls::MARKET).chain(calls::RESOURCES);
        let made = calls::READING.into_iter().chain(storage).chain(savings).chain(calls::JOBS);
        assert_eq!(allowed, made.map(|c| c.action.to_owned()).collect());
        for action in &allowed {
            let (_, operation) = action.split_once(':').unwrap();
            let reads = ["Get", "List", "Describe"].iter().any(|p| operation.starts_with(p));
            assert!(reads && !action.contains('*'), "{action}");
        }
    }

    #[test]
    fn acting_allows_the_look_and_the_writes_and_restricts_every_write() {
        let statements = acting();
        let all: BTreeSet<String> = statements.iter().flat_map(allowed).collect();
        let made = calls::PREFLIGHT.iter().chain(&calls::WRITES);
        assert_eq!(all, made.map(|c| c.action.to_owned()).collect());
        for statement in &statements {
            let writes = calls::WRITES.iter().any(|c| allowed(statement).contains(c.action));
            assert_eq!(statement["Resource"] != "*", writes, "{statement:#}");
            let tags = allowed(statement).iter().any(|a| a.ends_with("Tags"));
            let own =
                statement["Condition"]["ForAllValues:StringLike"]["aws:TagKeys"] == "burntop:*";
            assert_eq!(own && statement["Condition"]["Null"]["aws:TagKeys"] == "false", tags);
        }
        // The keys that are written are those that the condition lets through.
        for key in [EXPIRES_TAG, BY_TAG, REASON_TAG, REMINDED_TAG] {
            assert!(key.starts_with("burntop:"), "{key}");
        }
    }

    #[test]
    fn roles_are_named_and_never_a_star() {
        let role = "arn:aws:iam::123456789012:role/burntop-read";
        let statement = assuming(&[role].into()).unwrap();
        assert_eq!(statement["Action"], "sts:AssumeRole");
        assert_eq!(statement["Resource"], json!([role]));
        assert_eq!(assuming(&BTreeSet::new()), None);
    }

    /// The statements of `iam-policy` under a configuration.
    fn printed(source: &str, actions: bool) -> Vec<Value> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        std::fs::write(&path, source).unwrap();
        let (env, flags) = (crate::config::Env::default(), crate::config::FileConfig::default());
        let sources =
            crate::config::load::Sources { paths: None, file: Some(&path), env: &env, flags };
        let config = crate::config::load(&sources, &crate::config::Vocabulary::default()).unwrap();
        let mut out = Vec::new();
        print(&config.config, actions, &BTreeSet::new(), &mut out).unwrap();
        let policy: Value = serde_json::from_slice(&out).unwrap();
        policy["Statement"].as_array().unwrap().clone()
    }

    #[test]
    fn alerts_are_published_to_the_topics_of_the_rules_and_to_no_other() {
        assert_eq!(publishing(&BTreeSet::new()), None);
        let topic = "arn:aws:sns:eu-west-1:123456789012:alerts";
        let statement = publishing(&[topic.to_owned()].into()).unwrap();
        assert_eq!(statement["Action"], "sns:Publish");
        assert_eq!(statement["Resource"], json!([topic]));
    }

    #[test]
    fn exported_bills_are_read_where_they_are_configured_and_there_alone() {
        let sid = |s: &&Value| s["Sid"] == "BurntopReadsBills";
        assert!(!printed("", true).iter().any(|s| sid(&s)));
        assert!(!printed("[bill]\nexports = ['/srv/bills']", false).iter().any(|s| sid(&s)));
        let all = printed("[bill]\nexports = ['s3://bills/pre/cur/', 's3://old']", false);
        let statement = all.iter().find(sid).unwrap();
        assert_eq!(statement["Action"], json!(["s3:GetObject", "s3:ListBucket"]));
        let places = json!([
            "arn:aws:s3:::bills",
            "arn:aws:s3:::bills/pre/cur*",
            "arn:aws:s3:::old",
            "arn:aws:s3:::old/*",
        ]);
        assert_eq!(statement["Resource"], places);
    }

    #[test]
    fn signing_and_copying_are_allowed_where_they_are_configured_and_there_alone() {
        let key = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f";
        let both = format!(
            "[actions]\naudit_copy = 's3://logs/burntop/audit'\napproval_kms_key = '{key}'"
        );
        let with = |source: &str, action: &str| {
            printed(source, true).into_iter().find(|s| allowed(s).contains(action))
        };
        assert_eq!(with(&both, "kms:Sign").unwrap()["Resource"], key);
        assert_eq!(with(&both, "kms:Sign"), with(&both, "kms:Verify"));
        let copy = with(&both, "s3:PutObject").unwrap();
        assert_eq!(copy["Resource"], "arn:aws:s3:::logs/burntop/audit/*");
        let bare = with("[actions]\naudit_copy = 's3://logs'", "s3:PutObject").unwrap();
        assert_eq!(bare["Resource"], "arn:aws:s3:::logs/*");
        let alias = "arn:aws:kms:eu-west-1:123456789012:alias/burntop";
        let alias = with(&format!("[actions]\napproval_kms_key = '{alias}'"), "kms:Sign").unwrap();
        assert_eq!(alias["Resource"], "arn:aws:kms:eu-west-1:123456789012:key/*");
        let condition = &alias["Condition"]["ForAnyValue:StringEquals"];
        assert_eq!(condition["kms:ResourceAliases"], "alias/burntop");
        // A manifest's data lie beside it; the rest of the bucket is not opened.
        let inventory = "[storage.inventories]\na = 's3://inv/a/daily/2026-01-01T00-00Z/manifest.json'\n\
                         b = '/srv/b'\nc = 's3://inv/c/'";
        let read = printed(inventory, false);
        let read = read.iter().find(|s| allowed(s).contains("s3:GetObject")).unwrap();
        assert_eq!(
            read["Resource"],
            json!(["arn:aws:s3:::inv/a/daily/2026-01-01T00-00Z/*", "arn:aws:s3:::inv/c/*"])
        );
        // Queries over them come with them.
        let of = |source| printed(source, false).iter().flat_map(allowed).collect::<BTreeSet<_>>();
        let bill = "[bill]\nexports = ['s3://bills/cur']";
        for call in calls::QUERIES {
            assert!(of(inventory).contains(call.action) && !of("").contains(call.action));
            assert!(of(bill).contains(call.action));
        }
        assert!(of(bill).contains("glue:GetPartitions") && !of(bill).contains("glue:CreateTable"));
        // Neither without the configuration, nor to whoever only reads.
        for (source, actions) in
            [("", true), ("[actions]\naudit_copy = '/mnt/audit'", true), (both.as_str(), false)]
        {
            let all: BTreeSet<String> = printed(source, actions).iter().flat_map(allowed).collect();
            let more =
                |a: &String| a.starts_with("kms:") || a == "s3:PutObject" || a == "s3:GetObject";
            assert!(!all.iter().any(more), "{all:?}");
        }
    }

    #[test]
    fn the_doctor_probes_every_call() {
        let savings = SAVINGS_PERMISSIONS.iter().chain(&RESOURCE_PERMISSIONS);
        let all = PERMISSIONS.iter().chain(&STORAGE_PERMISSIONS).chain(savings);
        let mut probed: BTreeSet<&str> = all.map(|p| p.action).collect();
        // The check of the credentials.
        probed.insert("sts:GetCallerIdentity");
        let storage = calls::VOLUMES.into_iter().chain(calls::BUCKETS);
        let savings = calls::COMMITMENTS.into_iter().chain(calls::MARKET).chain(calls::RESOURCES);
        let made = calls::READING.into_iter().chain(storage).chain(savings);
        assert_eq!(probed, made.map(|c| c.action).collect());
    }
}
