//! EC2 instance types and their accelerators.

use std::sync::Arc;

use aws_sdk_ec2::types as ec2;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use jiff::Timestamp;

use super::AwsProvider;
use super::calls::DESCRIBE_INSTANCE_TYPES;
use super::limit::Api;
use crate::domain::{Accelerator, AcceleratorKind, Provenance, SourceError, TypeSpec, text};
use crate::source::pages::Pages;

/// Names per call (service limit, EC2 API reference).
const BATCH: usize = 100;

/// Specifications of the named types. EC2 refuses a whole call for one unknown name: names in its message are removed;
/// without any, the list is halved until the unknown names are isolated. Err when a call fails otherwise.
pub async fn describe(
    aws: &AwsProvider,
    region: &Arc<str>,
    names: &[Arc<str>],
) -> Result<Vec<TypeSpec>, SourceError> {
    let client = aws.clients().await.ec2(region);
    let mut todo: Vec<Vec<Arc<str>>> = names.chunks(BATCH).map(<[_]>::to_vec).collect();
    let mut specs = Vec::with_capacity(names.len());
    while let Some(mut batch) = todo.pop() {
        let mut pages = Pages::of(DESCRIBE_INSTANCE_TYPES.action, region);
        while let Some(token) = pages.ask() {
            let _permit = aws.enter(Api::Ec2, region, 0).await;
            let answer = client
                .describe_instance_types()
                .set_instance_types(Some(batch.iter().map(|n| (&**n).into()).collect()))
                .set_next_token(token)
                .send()
                .await;
            match answer {
                Ok(page) => {
                    let now = (aws.now)();
                    specs.extend(page.instance_types().iter().filter_map(|t| spec(t, now)));
                    pages.follow(page.next_token)?;
                }
                Err(e) if e.code() == Some("InvalidInstanceType") => {
                    let unknown = named(e.message().unwrap_or_default());
                    let before = batch.len();
                    batch.retain(|name| !unknown.contains(&&**name));
                    if batch.len() < before {
                        if !batch.is_empty() {
                            todo.push(batch);
                        }
                    } else if batch.len() > 1 {
                        todo.push(batch.split_off(batch.len() / 2));
                        todo.push(batch);
                    }
                    break;
                }
                Err(e) => return Err(aws.failed(&DESCRIBE_INSTANCE_TYPES, region, &e)),
            }
        }
    }
    Ok(specs)
}

/// The names in `The following supplied instance types do not exist: [a, b]`.
fn named(message: &str) -> Vec<&str> {
    let inside = message.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or_else(Vec::new, |(list, _)| list.split(',').map(str::trim).collect())
}

/// `None` for a type without a name or without vCPUs: busy cores could not be told.
fn spec(raw: &ec2::InstanceTypeInfo, now: Timestamp) -> Option<TypeSpec> {
    let name = raw.instance_type()?.as_str();
    let vcpus = raw.v_cpu_info()?.default_v_cpus().and_then(positive)?;
    let memory = raw.memory_info().and_then(ec2::MemoryInfo::size_in_mib).unwrap_or(0);
    let store = raw
        .instance_storage_info()
        .and_then(ec2::InstanceStorageInfo::total_size_in_gb)
        .unwrap_or(0);
    let network = raw.network_info().and_then(|n| n.network_performance()).unwrap_or_default();
    Some(TypeSpec {
        name: text::clean(name).into(),
        vcpus,
        memory_mib: u64::try_from(memory).unwrap_or(0),
        accelerator: gpus(raw).or_else(|| neuron(raw)).or_else(|| inference(raw)),
        instance_store_gb: u64::try_from(store).unwrap_or(0),
        network: text::clean(network).into(),
        provenance: Provenance::Live { at: now },
    })
}

fn positive(n: i32) -> Option<u32> {
    u32::try_from(n).ok().filter(|&n| n > 0)
}

fn mib(size: Option<i32>) -> u64 {
    size.and_then(|s| u64::try_from(s).ok()).unwrap_or(0)
}

/// `GpuInfo` also lists AMD GPUs and Gaudi. A fractional type says `Count` 0 and
/// `LogicalGpuCount` devices of `GpuPartitionSize` each.
fn gpus(raw: &ec2::InstanceTypeInfo) -> Option<Accelerator> {
    let list = raw.gpu_info()?.gpus();
    let first = list.first()?;
    let (mut devices, mut equivalents) = (0, 0.0);
    for gpu in list {
        if let Some(whole) = gpu.count().and_then(positive) {
            devices += whole;
            equivalents += f64::from(whole);
        } else if let Some(logical) = gpu.logical_gpu_count().and_then(positive) {
            devices += logical;
            let share = gpu.gpu_partition_size().filter(|s| *s > 0.0 && *s <= 1.0);
            equivalents += f64::from(logical) * share.unwrap_or(1.0);
        }
    }
    let manufacturer = first.manufacturer().unwrap_or_default();
    let kind = match manufacturer.to_ascii_lowercase().as_str() {
        "nvidia" => AcceleratorKind::NvidiaGpu,
        "amd" => AcceleratorKind::AmdGpu,
        _ => AcceleratorKind::Other,
    };
    (devices > 0).then(|| Accelerator {
        kind,
        model: text::clean(first.name().unwrap_or_default()).into(),
        devices,
        equivalents,
        memory_mib: mib(first.memory_info().and_then(ec2::GpuDeviceMemoryInfo::size_in_mib)),
    })
}

fn neuron(raw: &ec2::InstanceTypeInfo) -> Option<Accelerator> {
    let list = raw.neuron_info()?.neuron_devices();
    let first = list.first()?;
    whole_devices(
        AcceleratorKind::Neuron,
        first.name(),
        list.iter().map(ec2::NeuronDeviceInfo::count),
        first.memory_info().and_then(ec2::NeuronDeviceMemoryInfo::size_in_mib),
    )
}

/// The older list for inference chips: AWS's own are Neuron, Qualcomm's are not.
fn inference(raw: &ec2::InstanceTypeInfo) -> Option<Accelerator> {
    let list = raw.inference_accelerator_info()?.accelerators();
    let first = list.first()?;
    let aws = first.manufacturer().is_some_and(|m| m.eq_ignore_ascii_case("aws"));
    whole_devices(
        if aws { AcceleratorKind::Neuron } else { AcceleratorKind::Other },
        first.name(),
        list.iter().map(ec2::InferenceDeviceInfo::count),
        first.memory_info().and_then(ec2::InferenceDeviceMemoryInfo::size_in_mib),
    )
}

fn whole_devices(
    kind: AcceleratorKind,
    model: Option<&str>,
    counts: impl Iterator<Item = Option<i32>>,
    memory: Option<i32>,
) -> Option<Accelerator> {
    let devices: u32 = counts.flatten().filter_map(positive).sum();
    (devices > 0).then(|| Accelerator {
        kind,
        model: text::clean(model.unwrap_or_default()).into(),
        devices,
        equivalents: f64::from(devices),
        memory_mib: mib(memory),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(maker: &str, count: i32) -> ec2::builders::GpuDeviceInfoBuilder {
        ec2::GpuDeviceInfo::builder()
            .manufacturer(maker)
            .name("X")
            .count(count)
            .memory_info(ec2::GpuDeviceMemoryInfo::builder().size_in_mib(40_960).build())
    }

    fn with_gpu(gpu: ec2::GpuDeviceInfo) -> Accelerator {
        let raw = base().gpu_info(ec2::GpuInfo::builder().gpus(gpu).build()).build();
        spec(&raw, Timestamp::UNIX_EPOCH).unwrap().accelerator.unwrap()
    }

    fn base() -> ec2::builders::InstanceTypeInfoBuilder {
        ec2::InstanceTypeInfo::builder()
            .instance_type("x.large".into())
            .v_cpu_info(ec2::VCpuInfo::builder().default_v_cpus(96).build())
            .memory_info(ec2::MemoryInfo::builder().size_in_mib(1_179_648).build())
    }

    #[test]
    fn gpus_are_told_apart_by_their_maker_and_counted() {
        let a100 = with_gpu(gpu("NVIDIA", 8).build());
        assert_eq!((a100.kind, a100.devices), (AcceleratorKind::NvidiaGpu, 8));
        assert_eq!((a100.equivalents, a100.memory_mib), (8.0, 40_960));
        assert_eq!(with_gpu(gpu("AMD", 4).build()).kind, AcceleratorKind::AmdGpu);
        assert_eq!(with_gpu(gpu("Habana", 8).build()).kind, AcceleratorKind::Other);
    }

    #[test]
    fn a_fractional_type_has_one_device_and_an_eighth_of_a_gpu() {
        let g6f = with_gpu(gpu("NVIDIA", 0).logical_gpu_count(1).gpu_partition_size(0.125).build());
        assert_eq!((g6f.devices, g6f.equivalents), (1, 0.125));
    }

    #[test]
    fn neuron_and_inference_chips_count_as_accelerators() {
        let trn = ec2::NeuronDeviceInfo::builder().count(16).name("Trainium").build();
        let raw = base().neuron_info(ec2::NeuronInfo::builder().neuron_devices(trn).build());
        let got = spec(&raw.build(), Timestamp::UNIX_EPOCH).unwrap().accelerator.unwrap();
        assert_eq!((got.kind, got.devices, &*got.model), (AcceleratorKind::Neuron, 16, "Trainium"));
        for (maker, kind) in
            [("AWS", AcceleratorKind::Neuron), ("Qualcomm", AcceleratorKind::Other)]
        {
            let chip = ec2::InferenceDeviceInfo::builder().count(4).manufacturer(maker).build();
            let info = ec2::InferenceAcceleratorInfo::builder().accelerators(chip).build();
            let raw = base().inference_accelerator_info(info).build();
            let got = spec(&raw, Timestamp::UNIX_EPOCH).unwrap().accelerator.unwrap();
            assert_eq!((got.kind, got.devices), (kind, 4));
        }
    }

    #[test]
    fn a_cpu_type_has_none_and_a_type_without_vcpus_is_left_out() {
        let cpu = spec(&base().build(), Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!((cpu.accelerator, cpu.vcpus, cpu.memory_mib), (None, 96, 1_179_648));
        let none = ec2::InstanceTypeInfo::builder().instance_type("y.large".into()).build();
        assert_eq!(spec(&none, Timestamp::UNIX_EPOCH), None);
    }

    #[test]
    fn the_complaint_names_the_unknown_types() {
        assert_eq!(
            named("The following supplied instance types do not exist: [p3.2xlarge, a.b]"),
            ["p3.2xlarge", "a.b"]
        );
        assert!(named("no list here").is_empty());
    }
}
