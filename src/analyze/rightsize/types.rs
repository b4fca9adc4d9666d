//! What sizing needs to know of instance types and GPUs and [`TypeSpec`] does not hold.
//!
//! Architecture, EFA and the Nitro system are those of EC2's `DescribeInstanceTypes` (1,395 types in
//! the dump of moto 5.2.5, 2026-10-27): the rule by name for Arm holds for every one of them.

use crate::domain::gpu::model;
use crate::domain::hypervisor::is_xen;
use crate::domain::{AcceleratorKind, TypeSpec};

/// GPU memory that a process can have of what the EC2 API states. The driver shows 15,360 of a T4's
/// 16,384 MiB (94%) and DCGM 15,109 (92%); of other models it shows as much or more.
pub const USABLE_GPU_MEMORY: f64 = 0.92;

/// The lowest baseline of "up to X Gigabit" in the dump: 1/32 of X (c7a.medium, m7i-flex.large).
const LOWEST_BASELINE: f64 = 1.0 / 32.0;

/// Types with GPUs, Trainium or Inferentia that have EFA (`NetworkInfo.EfaSupported`).
const EFA: &[&str] = &[
    "g4dn.8xlarge",
    "g4dn.12xlarge",
    "g4dn.16xlarge",
    "g4dn.metal",
    "g5.8xlarge",
    "g5.12xlarge",
    "g5.16xlarge",
    "g5.24xlarge",
    "g5.48xlarge",
    "g6.8xlarge",
    "g6.12xlarge",
    "g6.16xlarge",
    "g6.24xlarge",
    "g6.48xlarge",
    "g6e.8xlarge",
    "g6e.12xlarge",
    "g6e.16xlarge",
    "g6e.24xlarge",
    "g6e.48xlarge",
    "g7.8xlarge",
    "g7.12xlarge",
    "g7.24xlarge",
    "g7.48xlarge",
    "g7e.8xlarge",
    "g7e.12xlarge",
    "g7e.24xlarge",
    "g7e.48xlarge",
    "gr6.8xlarge",
    "inf1.24xlarge",
    "p3dn.24xlarge",
    "p4d.24xlarge",
    "p4de.24xlarge",
    "p5.4xlarge",
    "p5.48xlarge",
    "p5e.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
    "p6e-gb200.36xlarge",
    "trn1.32xlarge",
    "trn1n.32xlarge",
    "trn2.3xlarge",
    "trn2.48xlarge",
    "trn2u.48xlarge",
    "c6i.32xlarge",
    "m6i.32xlarge",
    "r6i.32xlarge",
    "c7i.48xlarge",
    "m7i.48xlarge",
    "r7i.48xlarge",
    "c5n.9xlarge",
    "c5n.18xlarge",
    "m5n.24xlarge",
    "r5n.24xlarge",
    "hpc6a.48xlarge",
    "c6in.32xlarge",
];

/// How fast a GPU is, and what code runs on it. Peak figures, for ratios between models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuSpeed {
    /// CUDA compute capability (NVIDIA, "CUDA GPU Compute Capability").
    pub capability: (u8, u8),
    /// Dense BF16 tensor peak, TFLOPS (FP16 where the model has no BF16).
    pub tflops: f64,
    /// Memory bandwidth, GB/s.
    pub bandwidth: f64,
    /// True when FP8 runs on its tensor cores.
    pub fp8: bool,
}

/// The speed of a model, as NVIDIA's data sheets state it; `None` for one that is not here.
///
/// Sources: data sheets of V100, T4, A100 (40 and 80 GB), L4, L40S, H100, H200 and HGX B200/B300;
/// A10G as AWS publishes it for g5 (70 TFLOPS, 600 GB/s). Of the two RTX PRO server editions the
/// sheets give FP32 and bandwidth; the dense tensor rate is taken as four times FP32, as on the L40S
/// (91.6 → 362).
pub fn gpu_speed(name: &str, memory_mib: u64) -> Option<GpuSpeed> {
    let of =
        |capability, tflops, bandwidth, fp8| Some(GpuSpeed { capability, tflops, bandwidth, fp8 });
    match model(name)?.name {
        "V100" => of((7, 0), 125.0, 900.0, false),
        "T4" | "T4g" => of((7, 5), 65.0, 320.0, false),
        "A100" if memory_mib > 60_000 => of((8, 0), 312.0, 2039.0, false),
        "A100" => of((8, 0), 312.0, 1555.0, false),
        "A10G" => of((8, 6), 70.0, 600.0, false),
        "L4" => of((8, 9), 121.0, 300.0, true),
        "L40S" => of((8, 9), 362.0, 864.0, true),
        "H100" => of((9, 0), 989.0, 3350.0, true),
        "H200" => of((9, 0), 989.0, 4800.0, true),
        "B200" | "GB200" => of((10, 0), 2250.0, 7700.0, true),
        "B300" | "GB300" => of((10, 3), 2250.0, 7700.0, true),
        "RTX PRO Server 6000" => of((12, 0), 480.0, 1597.0, true),
        "RTX PRO 4500" => of((12, 0), 200.0, 800.0, true),
        _ => None,
    }
}

/// What sizing knows of a type.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that are independent of each other")]
pub struct Traits {
    /// Arm (Graviton, Grace); x86-64 otherwise.
    pub arm: bool,
    /// EFA.
    pub efa: bool,
    /// Its GPUs are joined by NVLink.
    pub nvlink: bool,
    /// Bare metal.
    pub metal: bool,
    /// CPU credits or a CPU that is not always there (t types, `-flex`).
    pub burstable: bool,
    /// Xen; Nitro otherwise.
    pub xen: bool,
    /// One device is a part of a physical GPU (vGPU).
    pub fractional: bool,
    /// Generation of a general-purpose family (c, m, r): 7 of `m7i`; `None` of others, whose numbers
    /// do not compare.
    pub generation: Option<u32>,
    /// The network that is there for as long as one likes, Gbit/s; `None` where the words give no
    /// number.
    pub baseline_gbps: Option<f64>,
    /// The network at its best, Gbit/s.
    pub peak_gbps: Option<f64>,
    /// Speed of one device; of a fractional one its part.
    pub gpu: Option<GpuSpeed>,
}

impl Traits {
    /// Of a type.
    pub fn of(spec: &TypeSpec) -> Self {
        let name = &*spec.name;
        let family = family(name);
        let devices = spec.devices();
        let (baseline_gbps, peak_gbps) = network(name, &spec.network);
        let nvidia = spec.accelerator.as_ref().filter(|a| a.kind == AcceleratorKind::NvidiaGpu);
        let part = nvidia.map_or(1.0, |a| match a.devices {
            0 => 1.0,
            n => (a.equivalents / f64::from(n)).clamp(0.0, 1.0),
        });
        Self {
            arm: is_arm(family),
            efa: EFA.contains(&name),
            nvlink: nvidia.is_some() && family.starts_with('p') && family != "p2" && devices > 1,
            metal: name.contains(".metal"),
            burstable: family.contains("-flex")
                || family
                    .strip_prefix('t')
                    .is_some_and(|f| f.starts_with(|c: char| c.is_ascii_digit())),
            xen: is_xen(name),
            generation: generation(family),
            fractional: part < 1.0,
            baseline_gbps,
            peak_gbps,
            gpu: nvidia.and_then(|a| gpu_speed(&a.model, a.memory_mib)).map(|s| GpuSpeed {
                tflops: s.tflops * part,
                bandwidth: s.bandwidth * part,
                ..s
            }),
        }
    }
}

/// `p4d` of `p4d.24xlarge`.
pub fn family(name: &str) -> &str {
    name.split_once('.').map_or(name, |(family, _)| family)
}

/// The number of a c, m or r family.
fn generation(family: &str) -> Option<u32> {
    let rest = family.strip_prefix(['c', 'm', 'r'])?;
    let digits = rest.trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = digits.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Arm types carry a `g` behind the generation (`m7g`, `g5g`, `p6e-gb200`); a1 and Macs with Apple
/// silicon are Arm too.
fn is_arm(family: &str) -> bool {
    if family.starts_with("mac") {
        return family != "mac1";
    }
    let letters = family.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let behind = letters.trim_start_matches(|c: char| c.is_ascii_digit());
    family == "a1" || (behind.len() < letters.len() && behind.contains('g'))
}

/// Baseline and peak of AWS's words: `Up to 25 Gigabit`, `12.5 Gigabit`, `4x 100 Gigabit`.
fn network(name: &str, words: &str) -> (Option<f64>, Option<f64>) {
    let text = words.trim();
    let (up_to, text) = match text.strip_prefix("Up to ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let Some(text) = text.strip_suffix(" Gigabit") else { return (None, None) };
    let (times, each) = text.split_once("x ").unwrap_or(("1", text));
    let Some(peak) = times.parse::<f64>().ok().zip(each.trim().parse::<f64>().ok()) else {
        return (None, None);
    };
    let peak = peak.0 * peak.1;
    if !up_to {
        return (Some(peak), Some(peak));
    }
    (Some(burst_baseline(name).unwrap_or(peak * LOWEST_BASELINE)), Some(peak))
}

/// Baselines of the smaller sizes of common families (`BaselineBandwidthInGbps`).
fn burst_baseline(name: &str) -> Option<f64> {
    let (family, size) = name.split_once('.')?;
    let by_size = |sizes: [f64; 4]| match size {
        "large" => Some(sizes[0]),
        "xlarge" => Some(sizes[1]),
        "2xlarge" => Some(sizes[2]),
        "4xlarge" => Some(sizes[3]),
        _ => None,
    };
    match family {
        "c5" | "m5" | "r5" => by_size([0.75, 1.25, 2.5, 5.0]),
        "c6i" | "m6i" | "r6i" | "c7i" | "m7i" | "r7i" => by_size([0.781, 1.562, 3.125, 6.25]),
        "g4dn" => by_size([f64::NAN, 5.0, 10.0, 20.0]),
        "g5" | "g6" => by_size([f64::NAN, 2.5, 5.0, 10.0]),
        "g6e" => by_size([f64::NAN, 2.5, 5.0, 20.0]),
        "g6f" => by_size([1.5, 2.5, 5.0, 10.0]),
        "gr6" | "gr6f" => by_size([f64::NAN, f64::NAN, f64::NAN, 10.0]),
        "g7" => by_size([f64::NAN, f64::NAN, 40.0, 80.0]),
        _ => None,
    }
    .filter(|gbps| gbps.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::catalogue;

    fn of(name: &str) -> Traits {
        Traits::of(catalogue::type_spec(name).unwrap())
    }

    #[test]
    fn arm_is_known_by_name() {
        for arm in ["g5g", "m7g", "c6gn", "t4g", "a1", "p6e-gb200", "mac2", "im4gn", "x2gd"] {
            assert!(is_arm(arm), "{arm}");
        }
        for x86 in ["g5", "g4dn", "gr6", "p6-b200", "g6e", "m7i", "mac1", "trn1", "u-6tb1", "dl2q"]
        {
            assert!(!is_arm(x86), "{x86}");
        }
    }

    #[test]
    fn generations_of_general_purpose_families_compare() {
        assert_eq!(generation("m7i"), Some(7));
        assert_eq!(generation("c6gn"), Some(6));
        assert_eq!(generation("r5"), Some(5));
        assert_eq!(generation("c7i-flex"), Some(7));
        for other in ["mac2", "g5", "i4i", "t3", "x2gd", "p4d", "m", "u-6tb1"] {
            assert_eq!(generation(other), None, "{other}");
        }
    }

    #[test]
    fn words_of_the_network_become_numbers() {
        // Baselines as DescribeInstanceTypes gives them.
        assert_eq!(of("p4d.24xlarge").baseline_gbps, Some(400.0));
        assert_eq!(of("g5.2xlarge").baseline_gbps, Some(5.0));
        assert_eq!(of("g5.2xlarge").peak_gbps, Some(10.0));
        assert_eq!(of("g6e.4xlarge").baseline_gbps, Some(20.0), "no `up to` in its words");
        assert_eq!(of("c6i.large").baseline_gbps, Some(0.781));
        assert_eq!(of("m6i.12xlarge").baseline_gbps, Some(18.75));
        assert_eq!(network("zz9.large", "Up to 10 Gigabit"), (Some(10.0 / 32.0), Some(10.0)));
        assert_eq!(network("m1.small", "Low"), (None, None));
        assert_eq!(network("x", ""), (None, None));
    }

    #[test]
    fn gpus_are_known_by_model() {
        assert_eq!(of("p4d.24xlarge").gpu.unwrap().bandwidth, 1555.0);
        assert_eq!(of("p4de.24xlarge").gpu.unwrap().bandwidth, 2039.0);
        assert_eq!(of("g5g.xlarge").gpu.unwrap().capability, (7, 5));
        // A quarter of an L4.
        assert_eq!(of("g6f.2xlarge").gpu.unwrap().tflops, 121.0 / 4.0);
        assert!(of("g6f.2xlarge").fractional && !of("g6.2xlarge").fractional);
        assert!(of("p4d.24xlarge").nvlink && !of("p5.4xlarge").nvlink && !of("g5.48xlarge").nvlink);
        assert!(of("p3.8xlarge").xen && !of("p3dn.24xlarge").xen);
        assert_eq!(of("trn1.32xlarge").gpu, None);
        assert_eq!(of("m5.large").gpu, None);
    }

    #[test]
    fn every_nvidia_type_of_the_catalogue_has_a_speed() {
        for spec in catalogue::type_specs() {
            let nvidia =
                spec.accelerator.as_ref().is_some_and(|a| a.kind == AcceleratorKind::NvidiaGpu);
            assert_eq!(Traits::of(spec).gpu.is_some(), nvidia, "{}", spec.name);
        }
    }
}
