//! Instance size flexibility of regional Reserved Instances.
//!
//! EC2 User Guide, "How Reserved Instance discounts are applied" (`apply_ri`): within a family a
//! regional Linux/UNIX reservation with shared tenancy covers every size, by normalisation factors,
//! smallest size first. Bare metal counts as the virtual size that it equals.

use crate::domain::{Platform, Tenancy};

/// Families whose Reserved Instances cover the very type alone, as the guide lists them.
const EXACT: [&str; 15] = [
    "g4ad", "g4dn", "g5", "g5g", "g6", "g6e", "g6f", "gr6", "gr6f", "hpc7a", "p5", "inf1", "inf2",
    "u7i-6tb", "u7i-8tb",
];

/// The family of a type: `p4d` of `p4d.24xlarge`.
pub fn family(instance_type: &str) -> &str {
    instance_type.split_once('.').map_or(instance_type, |(family, _)| family)
}

/// True when a regional reservation of this kind also covers the other sizes of its family.
pub fn is_size_flexible(instance_type: &str, platform: Platform, tenancy: Tenancy) -> bool {
    platform == Platform::Linux
        && tenancy == Tenancy::Shared
        && !EXACT.contains(&family(instance_type))
        && factor(instance_type).is_some()
}

/// Normalised units per instance-hour: 8 for `xlarge`, 8·n for `<n>xlarge`. `None` for a size that the guide does not
/// list: reservations of it cover only that type.
pub fn factor(instance_type: &str) -> Option<f64> {
    let (family, size) = instance_type.split_once('.')?;
    Some(match size {
        "nano" => 0.25,
        "micro" => 0.5,
        "small" => 1.0,
        "medium" => 2.0,
        "large" => 4.0,
        "xlarge" => 8.0,
        "metal" => return bare_metal(family),
        _ => return large(size.strip_prefix("metal-").unwrap_or(size)),
    })
}

/// `24xlarge`, and `24xl` as bare metal writes it.
fn large(size: &str) -> Option<f64> {
    let digits = size.strip_suffix("xlarge").or_else(|| size.strip_suffix("xl"))?;
    let times: u16 = digits.parse().ok().filter(|n| *n > 0)?;
    Some(8.0 * f64::from(times))
}

/// The guide's table of `metal` sizes.
fn bare_metal(family: &str) -> Option<f64> {
    Some(match family {
        "a1" => 32.0,
        "m5zn" | "x2iezn" | "z1d" => 96.0,
        "c6g" | "c6gd" | "i3" | "m6g" | "m6gd" | "r6g" | "r6gd" | "x2gd" => 128.0,
        "c5n" => 144.0,
        "c5" | "c5d" | "i3en" | "m5" | "m5d" | "m5dn" | "m5n" | "r5" | "r5b" | "r5d" | "r5dn"
        | "r5n" => 192.0,
        "c6i" | "c6id" | "m6i" | "m6id" | "r6i" | "r6id" => 256.0,
        "u-18tb1" | "u-24tb1" => 448.0,
        "u-6tb1" | "u-9tb1" | "u-12tb1" => 896.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_the_guide() {
        let table = [
            ("t2.nano", 0.25),
            ("t2.micro", 0.5),
            ("t2.small", 1.0),
            ("t2.medium", 2.0),
            ("m4.large", 4.0),
            ("m4.xlarge", 8.0),
            ("m5.2xlarge", 16.0),
            ("c5.9xlarge", 72.0),
            ("c5.18xlarge", 144.0),
            ("p4d.24xlarge", 192.0),
            ("m7i.48xlarge", 384.0),
            ("u-6tb1.112xlarge", 896.0),
            ("i3.metal", 128.0),
            ("c5.metal", 192.0),
            ("a1.metal", 32.0),
            ("m7i.metal-48xl", 384.0),
            ("m7i.metal-24xl", 192.0),
        ];
        for (name, units) in table {
            assert_eq!(factor(name), Some(units), "{name}");
        }
        for name in ["m5", "m5.", "m5.huge", "m5.0xlarge", "p9.metal", "m5.-1xlarge", "m5.xl"] {
            assert_eq!(factor(name), None, "{name}");
        }
    }

    #[test]
    fn most_gpu_families_are_not_flexible() {
        let flexible = |name| is_size_flexible(name, Platform::Linux, Tenancy::Shared);
        for name in ["g5.xlarge", "g4dn.12xlarge", "g6e.48xlarge", "p5.48xlarge", "inf2.xlarge"] {
            assert!(!flexible(name), "{name}");
        }
        for name in ["p4d.24xlarge", "p3.2xlarge", "m5.metal", "c5.large"] {
            assert!(flexible(name), "{name}");
        }
        assert!(!is_size_flexible("m5.large", Platform::Windows, Tenancy::Shared));
        assert!(!is_size_flexible("m5.large", Platform::UbuntuPro, Tenancy::Shared));
        assert!(!is_size_flexible("m5.large", Platform::Linux, Tenancy::Dedicated));
    }
}
