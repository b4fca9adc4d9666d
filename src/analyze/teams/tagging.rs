//! Commands and texts that tag what has no tags, and keep what is new from having none.

use std::sync::Arc;

use super::line::Line;
use crate::domain::bill::resource_id;

/// Where a tag is put: by which command, with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagPlace {
    /// Resources of EC2 by their id: `aws ec2 create-tags`.
    Ec2 {
        /// The id.
        id: Arc<str>,
        /// Region code; `None` where the bill does not say it.
        region: Option<Arc<str>>,
    },
    /// All others by their ARN: `aws resourcegroupstaggingapi tag-resources`, which leaves other tags as they are.
    Arn {
        /// The ARN.
        arn: Arc<str>,
        /// Region code; `None` for global ones.
        region: Option<Arc<str>>,
    },
}

/// Ids of EC2 that `create-tags` takes.
const OF_EC2: [&str; 12] = [
    "i-",
    "vol-",
    "snap-",
    "ami-",
    "nat-",
    "eipalloc-",
    "vpce-",
    "tgw-",
    "cr-",
    "sg-",
    "eni-",
    "vpc-",
];

impl TagPlace {
    /// Of the resource of a line. `None` without one, and for ids that do not tell what they are. What holds other than
    /// letters, digits and `-._:/+=@` is none either: it would not be safe in a command.
    pub fn of(line: &Line) -> Option<Self> {
        let resource = line.resource.as_ref()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:/+=@".contains(c);
        if !resource.chars().all(is_plain) {
            return None;
        }
        let region = line.region.clone().filter(|region| region.chars().all(is_plain));
        let id = resource_id(resource);
        if OF_EC2.iter().any(|begin| id.starts_with(begin)) {
            return Some(Self::Ec2 { id: id.into(), region });
        }
        if resource.starts_with("arn:") {
            return Some(Self::Arn { arn: resource.clone(), region });
        }
        let is_bucket = line.service.as_deref().is_some_and(|service| {
            service == "Amazon Simple Storage Service" || service.starts_with("AmazonS3")
        });
        // Buckets stand on a bill by their name alone.
        let is_name = !resource.contains([':', '/']);
        (is_bucket && is_name)
            .then(|| Self::Arn { arn: format!("arn:aws:s3:::{resource}").into(), region })
    }

    /// The command that gives it these tags; their values are placeholders in angle brackets.
    pub fn command(&self, keys: &[Arc<str>]) -> String {
        let (command, region) = match self {
            Self::Ec2 { id, region } => {
                let tag = |key: &Arc<str>| {
                    format!(" {}", quoted(&format!("Key={key},Value=<{}>", of(key))))
                };
                let tags: String = keys.iter().map(tag).collect();
                (format!("aws ec2 create-tags --resources {id} --tags{tags}"), region)
            }
            Self::Arn { arn, region } => {
                let tag = |key: &Arc<str>| format!("{key}=<{}>", of(key));
                let tags = keys.iter().map(tag).collect::<Vec<_>>().join(",");
                let tags = quoted(&tags);
                (
                    format!(
                        "aws resourcegroupstaggingapi tag-resources --resource-arn-list {arn} --tags {tags}"
                    ),
                    region,
                )
            }
        };
        match region {
            Some(region) => format!("{command} --region {region}"),
            None => command,
        }
    }
}

/// The word that stands for a value of a tag.
fn of(key: &str) -> String {
    key.to_ascii_uppercase()
}

/// A word of a shell, quoted.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A tag policy of AWS Organizations by which these keys are written in one way. It says nothing of values, and requires
/// no tag: no tag policy can.
pub fn tag_policy(keys: &[Arc<str>]) -> String {
    let tag = |key: &Arc<str>| {
        (key.to_ascii_lowercase(), serde_json::json!({"tag_key": {"@@assign": key}}))
    };
    let tags: serde_json::Map<String, serde_json::Value> = keys.iter().map(tag).collect();
    format!("{:#}\n", serde_json::json!({ "tags": tags }))
}

/// What a launch template has below `LaunchTemplateData` so that instances and volumes are born with these tags.
pub fn tag_specifications(keys: &[Arc<str>]) -> String {
    let tags: Vec<serde_json::Value> = keys
        .iter()
        .map(|key| serde_json::json!({"Key": key, "Value": format!("<{}>", of(key))}))
        .collect();
    let of_type = |what: &&str| serde_json::json!({"ResourceType": what, "Tags": tags});
    let all: Vec<serde_json::Value> = LAUNCH_TEMPLATE.iter().map(of_type).collect();
    format!("{:#}\n", serde_json::json!({ "TagSpecifications": all }))
}

/// What a launch template tags.
pub const LAUNCH_TEMPLATE: [&str; 3] = ["instance", "volume", "network-interface"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_the_resource_and_quote_what_is_foreign() {
        let keys: Vec<Arc<str>> = vec!["team".into(), "it's".into()];
        let place = TagPlace::Ec2 { id: "i-1".into(), region: Some("us-east-1".into()) };
        assert_eq!(
            place.command(&keys),
            "aws ec2 create-tags --resources i-1 --tags 'Key=team,Value=<TEAM>' \
             'Key=it'\\''s,Value=<IT'\\''S>' --region us-east-1"
        );
        let place = TagPlace::Arn { arn: "arn:aws:s3:::b".into(), region: None };
        assert_eq!(
            place.command(&keys[..1]),
            "aws resourcegroupstaggingapi tag-resources --resource-arn-list arn:aws:s3:::b --tags 'team=<TEAM>'"
        );
        assert!(tag_policy(&keys).contains("\"@@assign\": \"team\""));
        assert!(tag_specifications(&keys).contains("\"ResourceType\": \"volume\""));
    }
}
