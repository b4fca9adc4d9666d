//! Instance types that can do the work of another.

use crate::analyze::rightsize::Traits;
use crate::domain::{AcceleratorKind, TypeSpec};

/// A type, asked which others can do what it does with the same image.
pub(super) struct StandIns<'a> {
    own: &'a TypeSpec,
    traits: Traits,
}

impl<'a> StandIns<'a> {
    /// Of a type.
    pub fn of(own: &'a TypeSpec) -> Self {
        Self { own, traits: Traits::of(own) }
    }

    /// True when `other` can stand in: as many devices of the same kind, each with at least the memory
    /// and the speed; else at least as many vCPUs and as much memory, up to twice as much. What
    /// right-sizing refuses to lose is not lost here either: the processor's architecture and
    /// generation, instance store, compute capability, NVLink, EFA.
    pub fn take(&self, other: &TypeSpec) -> bool {
        // Sizes first: they are cheap to compare, and few types are left behind them.
        if !self.is_large_enough(other) {
            return false;
        }
        let then = Traits::of(other);
        let now = &self.traits;
        let older = now.generation.zip(then.generation).is_some_and(|(now, then)| then < now);
        now.arm == then.arm
            && (now.metal || !then.metal)
            && !then.burstable
            && !older
            && (!now.efa || then.efa)
            && (!now.nvlink || then.nvlink)
            && self.is_fast_enough(other, &then)
    }

    fn is_large_enough(&self, other: &TypeSpec) -> bool {
        let room = |own: u64, other: u64| other >= own && other <= own.saturating_mul(2);
        let own = self.own;
        let devices = match (&own.accelerator, &other.accelerator) {
            (None, None) => {
                room(own.vcpus.into(), other.vcpus.into()) && room(own.memory_mib, other.memory_mib)
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
        devices && (own.instance_store_gb == 0 || other.instance_store_gb > 0)
    }

    /// NVIDIA GPUs alone have a published speed. Another model of which none is known does not stand
    /// in; it would be a guess.
    fn is_fast_enough(&self, other: &TypeSpec, then: &Traits) -> bool {
        let (Some(a), Some(b)) = (&self.own.accelerator, &other.accelerator) else { return true };
        if a.kind != AcceleratorKind::NvidiaGpu || a.model == b.model && !then.fractional {
            return true;
        }
        self.traits.gpu.zip(then.gpu).is_some_and(|(now, then)| {
            then.capability >= now.capability
                && then.tflops >= now.tflops
                && then.bandwidth >= now.bandwidth
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::catalogue::{type_spec, type_specs};

    fn stands_in(own: &str, other: &str) -> bool {
        StandIns::of(type_spec(own).unwrap()).take(type_spec(other).unwrap())
    }

    /// The same with another name: what is told by the name alone.
    fn called(own: &str, like: &str, name: &str) -> bool {
        let other = TypeSpec { name: name.into(), ..type_spec(like).unwrap().clone() };
        StandIns::of(type_spec(own).unwrap()).take(&other)
    }

    #[test]
    fn what_is_smaller_or_other_does_not_stand_in() {
        // Eight GPUs with at least 40 GB each.
        assert!(stands_in("p4d.24xlarge", "p4de.24xlarge"));
        assert!(stands_in("p4d.24xlarge", "p5.48xlarge"));
        assert!(!stands_in("p4de.24xlarge", "p4d.24xlarge"), "40 GB for 80");
        assert!(!stands_in("p4d.24xlarge", "g5.48xlarge"), "24 GB for 40");
        assert!(!stands_in("g5.xlarge", "g5.12xlarge"), "four for one");
        assert!(stands_in("g5.xlarge", "g6e.xlarge"));
        assert!(!stands_in("trn1.32xlarge", "p4d.24xlarge"), "another kind of device");
        assert!(!stands_in("m5.xlarge", "g5.xlarge"));
        assert!(stands_in("m5.2xlarge", "m6i.2xlarge") && !stands_in("m5.2xlarge", "m6i.12xlarge"));
    }

    #[test]
    fn what_is_slower_older_or_loses_a_network_does_not_stand_in() {
        // V100: 900 GB/s and NVLink; A10G 600 and L4 300 GB/s, over PCIe.
        assert!(!stands_in("p3.16xlarge", "g5.48xlarge"));
        assert!(!stands_in("p3.16xlarge", "g6.48xlarge"));
        assert!(!stands_in("p3.16xlarge", "g6e.48xlarge"), "864 GB/s, no NVLink");
        assert!(stands_in("p3.16xlarge", "p4d.24xlarge"));
        // FP8 runs on 8.9 and not on 8.6; the other way the L4 has half the bandwidth.
        assert!(!stands_in("g6.xlarge", "g5.xlarge"));
        assert!(!stands_in("g5.xlarge", "g6.xlarge"));
        assert!(!stands_in("g4dn.xlarge", "g6.xlarge"), "300 GB/s for 320");
        assert!(stands_in("g4dn.xlarge", "g5.xlarge"));
        assert!(stands_in("g6.12xlarge", "g6e.12xlarge"));
        // Eight devices, faster and larger ones, over PCIe.
        assert!(!stands_in("p4d.24xlarge", "g7e.48xlarge"));
        // Without NVLink there is none to lose; EFA there is.
        assert!(stands_in("g5.48xlarge", "g6e.48xlarge"));
        assert!(!called("g5.48xlarge", "g6e.48xlarge", "g6e.47xlarge"), "no EFA");
        assert!(!stands_in("m7i.2xlarge", "m5.2xlarge"), "older processors");
        assert!(called("m7i.2xlarge", "m7i.2xlarge", "m7a.2xlarge"));
        assert!(!called("m7i.2xlarge", "m7i.2xlarge", "m7i-flex.2xlarge"), "bursts");
        assert!(!called("m7i.2xlarge", "m7i.2xlarge", "m7g.2xlarge"), "Arm");
        assert!(!called("m7i.2xlarge", "m7i.2xlarge", "m7i.metal-2xl"), "bare metal");
    }

    /// Against every pair of the catalogue, by the facts and not by the code.
    #[test]
    fn no_stand_in_loses_what_right_sizing_keeps() {
        for own in type_specs().iter().filter(|t| t.accelerator.is_some()) {
            let (stand_ins, now) = (StandIns::of(own), Traits::of(own));
            for other in type_specs().iter().filter(|other| stand_ins.take(other)) {
                let then = Traits::of(other);
                let pair = format!("{} for {}", other.name, own.name);
                assert!(then.efa >= now.efa && then.nvlink >= now.nvlink, "{pair}");
                assert!(then.arm == now.arm && other.devices() == own.devices(), "{pair}");
                if let Some((now, then)) = now.gpu.zip(then.gpu) {
                    assert!(then.capability >= now.capability, "{pair}");
                    assert!(then.tflops >= now.tflops && then.bandwidth >= now.bandwidth, "{pair}");
                }
            }
        }
    }

    #[test]
    fn every_type_stands_in_for_itself_unless_it_bursts() {
        for own in type_specs() {
            let blind = own.accelerator.as_ref().is_some_and(|a| a.memory_mib == 0);
            let fits = StandIns::of(own).take(own);
            assert_eq!(fits, !blind && !Traits::of(own).burstable, "{}", own.name);
        }
    }
}
