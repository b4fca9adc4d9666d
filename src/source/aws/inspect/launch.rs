//! What a launch of the same kind needs.

use aws_sdk_ec2::types as ec2;

use crate::domain::{LaunchSpec, text};

/// Settings for launching an instance like `raw` again.
pub fn spec(raw: &ec2::Instance) -> LaunchSpec {
    let own = |t: Option<&str>| t.filter(|t| !t.is_empty()).map(|t| text::clean(t).into_owned());
    let placement = raw.placement();
    let tenancy = placement.and_then(|p| p.tenancy()).filter(|t| **t != ec2::Tenancy::Default);
    let groups = raw.security_groups().iter().filter_map(|g| own(g.group_id()));
    // AWS keeps `aws:` to itself and would turn a launch with such a tag down.
    let tags = raw.tags().iter().filter_map(|t| Some((t.key()?, t.value()?)));
    let tags = tags.filter(|(key, _)| !key.to_ascii_lowercase().starts_with("aws:"));
    let tokens = raw.metadata_options().and_then(|m| m.http_tokens());
    LaunchSpec {
        image_id: own(raw.image_id()),
        instance_type: own(raw.instance_type().map(ec2::InstanceType::as_str)).unwrap_or_default(),
        key_name: own(raw.key_name()),
        subnet_id: own(raw.subnet_id()),
        security_group_ids: groups.collect(),
        iam_instance_profile: own(raw.iam_instance_profile().and_then(|p| p.arn())),
        availability_zone: own(placement.and_then(|p| p.availability_zone())),
        placement_group: own(placement.and_then(|p| p.group_name())),
        tenancy: own(tenancy.map(ec2::Tenancy::as_str)),
        ebs_optimized: raw.ebs_optimized().unwrap_or(false),
        metadata_tokens: own(tokens.map(ec2::HttpTokensState::as_str)),
        private_ip: own(raw.private_ip_address()),
        tags: tags
            .map(|(k, v)| (text::clean(k).into_owned(), text::clean(v).into_owned()))
            .collect(),
    }
}
