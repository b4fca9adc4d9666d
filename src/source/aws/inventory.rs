//! EC2 instances.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use jiff::Timestamp;

use super::calls::DESCRIBE_INSTANCES;
use super::limit::Api;
use super::{AwsProvider, error, platform, time};
use crate::domain::{
    BlockDevice, Instance, InstanceState, Lifecycle, Owner, Platform, Scope, SourceError, Tags,
    Tenancy, intern, text,
};
use crate::source::provider::Page;

/// The most that `DescribeInstances` gives at once; unpaginated calls are throttled harder.
const PAGE: i32 = 1_000;

/// One page of instances. Terminated ones, which EC2 lists for about an hour, are left out. Err when the call fails.
pub async fn page(
    aws: &AwsProvider,
    account: &Arc<str>,
    region: &Arc<str>,
    token: Option<String>,
) -> Result<Page<Instance>, SourceError> {
    let _permit = aws.enter(Api::Ec2, region, 0).await;
    let client = aws.clients().await.ec2(region);
    let answer = client
        .describe_instances()
        .max_results(PAGE)
        .set_next_token(token)
        .send()
        .await
        .map_err(|e| aws.failed(&DESCRIBE_INSTANCES, region, &e))?;
    let scope = Scope::new(Arc::clone(account), Arc::clone(region));
    let now = (aws.now)();
    let items: Option<Vec<Instance>> = answer
        .reservations()
        .iter()
        .flat_map(ec2::Reservation::instances)
        .filter(|i| state(i) != InstanceState::Terminated)
        .map(|i| instance(i, &scope, now))
        .collect();
    // Without its id an instance can be neither shown nor measured. It must not vanish quietly,
    // so the page counts as unreadable and what was known before stays.
    let items = items.ok_or_else(|| {
        error::malformed("an instance came without an id", aws.place(&DESCRIBE_INSTANCES, region))
    })?;
    Ok(Page::new(items, answer.next_token))
}

/// Cleaned text; empty for `None`.
pub(super) fn clean(raw: Option<&str>) -> Arc<str> {
    text::clean(raw.unwrap_or_default()).into()
}

/// Cleaned text that many instances or volumes share; empty for `None`.
pub(super) fn shared(raw: Option<&str>) -> Arc<str> {
    intern::shared(&text::clean(raw.unwrap_or_default()))
}

/// Instance from EC2's structure; `None` without a valid id. Other missing fields get values that err towards "in use".
pub(super) fn instance(raw: &ec2::Instance, scope: &Scope, now: Timestamp) -> Option<Instance> {
    let id = raw.instance_id().filter(|id| text::is_id(id))?;
    let tags = Tags::from_raw(raw.tags().iter().filter_map(|t| Some((t.key()?, t.value()?))));
    let (block_devices, ebs_root) = block_devices(raw);
    Some(Instance {
        id: clean(Some(id)),
        scope: scope.clone(),
        az: shared(raw.placement().and_then(|p| p.availability_zone())),
        name: tags.get("Name").unwrap_or_default().into(),
        instance_type: shared(raw.instance_type().map(ec2::InstanceType::as_str)),
        state: state(raw),
        lifecycle: lifecycle(raw),
        tenancy: tenancy(raw),
        platform: platform(raw),
        launched_at: launched_at(raw, &block_devices, now),
        owners: Owner::from_tags(&tags),
        block_devices,
        ebs_root,
        tags,
        private_dns: clean(raw.private_dns_name()),
        private_ip: raw.private_ip_address().map(|ip| clean(Some(ip))),
        capacity_reservation: raw.capacity_reservation_id().map(|id| clean(Some(id))),
        detailed_monitoring: raw.monitoring().and_then(|m| m.state())
            == Some(&ec2::MonitoringState::Enabled),
    })
}

/// The launch time, or the earliest trace of the instance where EC2 gives none, or the time of
/// reading: then it looks brand new, which no verdict calls idle.
fn launched_at(raw: &ec2::Instance, devices: &[BlockDevice], now: Timestamp) -> Timestamp {
    let interfaces = raw
        .network_interfaces()
        .iter()
        .filter_map(|n| n.attachment()?.attach_time())
        .filter_map(time::from_sdk);
    raw.launch_time()
        .and_then(time::from_sdk)
        .or_else(|| devices.iter().filter_map(|d| d.attached_at).chain(interfaces).min())
        .unwrap_or(now)
}

fn state(raw: &ec2::Instance) -> InstanceState {
    use ec2::InstanceStateName as Name;
    match raw.state().and_then(|s| s.name()) {
        Some(Name::Pending) => InstanceState::Pending,
        Some(Name::Running) => InstanceState::Running,
        Some(Name::Stopping) => InstanceState::Stopping,
        Some(Name::Stopped) => InstanceState::Stopped,
        Some(Name::ShuttingDown) => InstanceState::ShuttingDown,
        Some(Name::Terminated) => InstanceState::Terminated,
        _ => InstanceState::Unknown,
    }
}

/// EC2 names a lifecycle only where it is special. An interruptible capacity reservation is
/// billed as on demand.
fn lifecycle(raw: &ec2::Instance) -> Lifecycle {
    use ec2::InstanceLifecycleType as Type;
    match raw.instance_lifecycle() {
        Some(Type::Spot) => Lifecycle::Spot,
        Some(Type::Scheduled) => Lifecycle::Scheduled,
        Some(Type::CapacityBlock) => Lifecycle::CapacityBlock,
        _ => Lifecycle::OnDemand,
    }
}

fn tenancy(raw: &ec2::Instance) -> Tenancy {
    match raw.placement().and_then(|p| p.tenancy()) {
        Some(ec2::Tenancy::Dedicated) => Tenancy::Dedicated,
        Some(ec2::Tenancy::Host) => Tenancy::Host,
        _ => Tenancy::Shared,
    }
}

/// The platform as the price knows it. `UsageOperation` is the bill's own code (EC2 user guide,
/// "AMI billing information"); `PlatformDetails` its words; `Platform` says at least Windows.
fn platform(raw: &ec2::Instance) -> Platform {
    if let Some(operation) = raw.usage_operation().filter(|o| !o.is_empty()) {
        return platform::of_operation(operation);
    }
    match raw.platform_details().filter(|d| !d.is_empty()) {
        Some(details) => platform::of_product(details),
        None => match raw.platform() {
            Some(ec2::PlatformValues::Windows) => Platform::Windows,
            Some(_) => Platform::Other,
            None => Platform::Linux,
        },
    }
}

/// The EBS volumes, the root first, and whether the root is one of them.
fn block_devices(raw: &ec2::Instance) -> (Vec<BlockDevice>, bool) {
    let mut devices: Vec<BlockDevice> = raw
        .block_device_mappings()
        .iter()
        .filter_map(|mapping| {
            let ebs = mapping.ebs()?;
            Some(BlockDevice {
                device: shared(mapping.device_name()),
                volume_id: clean(Some(ebs.volume_id()?)),
                attached_at: ebs.attach_time().and_then(time::from_sdk),
                delete_on_termination: ebs.delete_on_termination().unwrap_or(false),
            })
        })
        .collect();
    devices.shrink_to_fit();
    let root = clean(raw.root_device_name());
    devices.sort_by(|a, b| (a.device != root, &a.device).cmp(&(b.device != root, &b.device)));
    let ebs_root = raw.root_device_type() != Some(&ec2::DeviceType::InstanceStore)
        && devices.first().is_some_and(|d| d.device == root);
    (devices, ebs_root)
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::builders::InstanceBuilder;

    use super::*;

    const NOW: Timestamp = Timestamp::MAX;

    fn read(build: impl FnOnce(InstanceBuilder) -> InstanceBuilder) -> Instance {
        let raw = build(ec2::Instance::builder().instance_id("i-1")).build();
        instance(&raw, &Scope::new("123456789012", "us-east-1"), NOW).unwrap()
    }

    #[test]
    fn the_billing_code_decides_the_platform_then_its_words_then_windows() {
        for (code, words, windows, platform) in [
            (Some("RunInstances"), Some("Linux/UNIX"), false, Platform::Linux),
            (Some("RunInstances:0002"), None, true, Platform::Windows),
            (Some("RunInstances:0010"), None, false, Platform::Rhel),
            (Some("RunInstances:000g"), None, false, Platform::Suse),
            (Some("RunInstances:0g00"), None, false, Platform::UbuntuPro),
            (Some("RunInstances:0800"), None, true, Platform::Linux),
            (Some("RunInstances:0102"), None, true, Platform::Other),
            (None, Some("Windows"), false, Platform::Windows),
            (None, Some("SQL Server Enterprise"), true, Platform::Other),
            (None, None, true, Platform::Windows),
            (None, None, false, Platform::Linux),
            (Some(""), Some(""), false, Platform::Linux),
        ] {
            let got = read(|b| {
                b.set_usage_operation(code.map(str::to_owned))
                    .set_platform_details(words.map(str::to_owned))
                    .set_platform(windows.then_some(ec2::PlatformValues::Windows))
            });
            assert_eq!(got.platform, platform, "{code:?} {words:?}");
        }
    }

    #[test]
    fn an_instance_without_launch_time_is_kept_and_as_young_as_its_traces() {
        let bare = read(|b| b);
        assert_eq!(bare.launched_at, NOW);
        assert_eq!(bare.state, InstanceState::Unknown);
        let traced = read(|b| {
            b.block_device_mappings(mapping("/dev/xvda", "vol-1", 2_000))
                .block_device_mappings(mapping("/dev/sdb", "vol-2", 1_000))
        });
        assert_eq!(traced.launched_at.as_second(), 1_000);
    }

    fn mapping(device: &str, volume: &str, attached: i64) -> ec2::InstanceBlockDeviceMapping {
        ec2::InstanceBlockDeviceMapping::builder()
            .device_name(device)
            .ebs(
                ec2::EbsInstanceBlockDevice::builder()
                    .volume_id(volume)
                    .attach_time(aws_smithy_types::DateTime::from_secs(attached))
                    .delete_on_termination(true)
                    .build(),
            )
            .build()
    }

    #[test]
    fn the_root_volume_comes_first_and_an_instance_store_root_is_none() {
        let with_root = |kind: ec2::DeviceType, root: &str| {
            read(|b| {
                b.root_device_name(root)
                    .root_device_type(kind)
                    .block_device_mappings(mapping("/dev/sdb", "vol-2", 1))
                    .block_device_mappings(mapping("/dev/xvda", "vol-1", 2))
            })
        };
        let ebs = with_root(ec2::DeviceType::Ebs, "/dev/xvda");
        assert_eq!(&*ebs.block_devices[0].volume_id, "vol-1");
        assert!(ebs.ebs_root);
        assert!(!with_root(ec2::DeviceType::InstanceStore, "/dev/sda1").ebs_root);
        assert!(!with_root(ec2::DeviceType::Ebs, "/dev/sda1").ebs_root);
    }

    #[test]
    fn without_an_id_there_is_no_instance() {
        let raw = ec2::Instance::builder().build();
        assert_eq!(instance(&raw, &Scope::new("1", "r"), NOW), None);
    }
}
