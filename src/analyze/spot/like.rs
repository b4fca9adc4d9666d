//! Instance types that can do the work of another.

use crate::domain::TypeSpec;

/// True when `other` can do what `own` does, with the same image: as many devices of the same kind
/// with at least the memory; else at least as many vCPUs and as much memory, up to twice as much. The
/// processor's architecture is the same, and instance store stays where there is some.
pub(super) fn can_stand_in(own: &TypeSpec, other: &TypeSpec) -> bool {
    let room = |own: u64, other: u64, most: u64| other >= own && other <= own.saturating_mul(most);
    let devices = match (&own.accelerator, &other.accelerator) {
        (None, None) => {
            room(own.vcpus.into(), other.vcpus.into(), 2)
                && room(own.memory_mib, other.memory_mib, 2)
                && !is_burstable(&other.name)
        }
        (Some(a), Some(b)) => {
            a.kind == b.kind
                && a.devices == b.devices
                && b.equivalents >= a.equivalents
                && a.memory_mib > 0
                && b.memory_mib >= a.memory_mib
                && other.vcpus >= own.vcpus
                && other.memory_mib >= own.memory_mib
        }
        _ => false,
    };
    devices
        && is_arm(&own.name) == is_arm(&other.name)
        && (own.instance_store_gb == 0 || other.instance_store_gb > 0)
}

/// Credits instead of steady vCPUs.
fn is_burstable(name: &str) -> bool {
    name.strip_prefix('t').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Graviton and Grace: a `g` behind the generation, as in `g5g`, `c7gn`, `p6e-gb200`; and `a1`.
fn is_arm(name: &str) -> bool {
    let family = name.split('.').next().unwrap_or(name);
    let (family, chip) = family.split_once('-').unwrap_or((family, ""));
    let behind = family.trim_start_matches(|c: char| !c.is_ascii_digit());
    let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    family == "a1" || behind.contains('g') || chip.starts_with("gb")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::catalogue::{type_spec, type_specs};

    fn stands_in(own: &str, other: &str) -> bool {
        can_stand_in(type_spec(own).unwrap(), type_spec(other).unwrap())
    }

    #[test]
    fn what_is_smaller_or_other_does_not_stand_in() {
        // Eight GPUs with at least 40 GB each.
        assert!(stands_in("p4d.24xlarge", "p4de.24xlarge"));
        assert!(stands_in("p4d.24xlarge", "p5.48xlarge"));
        assert!(!stands_in("p4de.24xlarge", "p4d.24xlarge"), "40 GB for 80");
        assert!(!stands_in("p4d.24xlarge", "g5.48xlarge"), "24 GB for 40");
        assert!(!stands_in("g5.xlarge", "g5.12xlarge"), "four for one");
        assert!(stands_in("g5.xlarge", "g6.xlarge"));
        assert!(!stands_in("trn1.32xlarge", "p4d.24xlarge"), "another kind of device");
        assert!(!stands_in("m5.xlarge", "g5.xlarge"));
        assert!(stands_in("m5.2xlarge", "m6i.2xlarge") && !stands_in("m5.2xlarge", "m6i.12xlarge"));
        assert!(is_burstable("t3.xlarge") && !is_burstable("trn1.2xlarge"));
    }

    #[test]
    fn every_type_stands_in_for_itself_unless_it_bursts() {
        for own in type_specs() {
            let blind = own.accelerator.as_ref().is_some_and(|a| a.memory_mib == 0);
            let fits = can_stand_in(own, own);
            assert_eq!(fits, !blind && !is_burstable(&own.name), "{}", own.name);
        }
    }

    #[test]
    fn arm_is_told_by_the_name() {
        for name in [
            "g5g.xlarge",
            "c7g.large",
            "m6gd.large",
            "c7gn.large",
            "t4g.small",
            "a1.large",
            "p6e-gb200.36xlarge",
            "im4gn.large",
        ] {
            assert!(is_arm(name), "{name}");
        }
        for name in [
            "g5.xlarge",
            "g4dn.xlarge",
            "g4ad.xlarge",
            "g6e.xlarge",
            "p6-b200.48xlarge",
            "m7i-flex.large",
            "inf2.xlarge",
            "trn1.2xlarge",
            "gr6.4xlarge",
        ] {
            assert!(!is_arm(name), "{name}");
        }
    }
}
