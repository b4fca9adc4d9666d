//! Which type holds the work: the constraints, and the cheapest type that meets all of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::need::Evidence;
use super::rules::SizeRules;
use super::types::{Traits, USABLE_GPU_MEMORY};
use crate::domain::gpu::model;
use crate::domain::{AcceleratorKind, Figure, Platform, Provenance, Scope, Tenancy, TypeSpec};
use crate::fleet::Book;
use crate::fleet::savings::SizeFail as Fail;

/// A type with its price, ready to be tried.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The type.
    pub spec: Arc<TypeSpec>,
    /// What sizing knows of it.
    pub traits: Traits,
    /// On-demand price, USD/h.
    pub usd_per_hour: f64,
    /// Who says so.
    pub provenance: Provenance,
}

/// The types of one account and region, platform and tenancy.
#[derive(Clone, Debug, Default)]
pub(super) struct Market {
    /// Those with a price, cheapest first, then by name.
    pub priced: Vec<Candidate>,
    /// Those without, smallest first.
    pub unpriced: Vec<(Arc<TypeSpec>, Traits)>,
}

impl Market {
    /// All types of the book.
    pub fn of(
        book: &Book,
        scope: &Scope,
        platform: Platform,
        tenancy: Tenancy,
        traits: &HashMap<Arc<str>, Traits>,
    ) -> Self {
        let mut out = Self::default();
        for (name, spec) in &book.types {
            let Some(traits) = traits.get(name) else { continue };
            match book.prices.on_demand(scope, name, platform, tenancy) {
                Some(rate) => out.priced.push(Candidate {
                    spec: spec.clone(),
                    traits: traits.clone(),
                    usd_per_hour: rate.usd_per_hour,
                    provenance: rate.provenance,
                }),
                None => out.unpriced.push((spec.clone(), traits.clone())),
            }
        }
        out.priced.sort_by(|a, b| {
            a.usd_per_hour.total_cmp(&b.usd_per_hour).then_with(|| a.spec.name.cmp(&b.spec.name))
        });
        let size = |s: &TypeSpec| (s.devices(), s.vcpus, s.memory_mib);
        out.unpriced
            .sort_by(|(a, _), (b, _)| size(a).cmp(&size(b)).then_with(|| a.name.cmp(&b.name)));
        out
    }
}

/// What a type is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    /// The present type.
    pub spec: &'a TypeSpec,
    /// What sizing knows of it.
    pub traits: &'a Traits,
    /// What the work needs.
    pub evidence: &'a Evidence,
    /// Types offered in the zone, sorted; `None` when that is not known.
    pub offered: Option<&'a [Arc<str>]>,
    /// The rules.
    pub rules: &'a SizeRules,
}

impl Ask<'_> {
    /// Calls `fail` with each constraint that a type does not meet.
    pub fn check(&self, spec: &TypeSpec, traits: &Traits, mut fail: impl FnMut(Fail)) {
        let need = &self.evidence.need;
        let kind = |s: &TypeSpec| s.accelerator.as_ref().map(|a| a.kind);
        if kind(spec) != kind(self.spec) {
            fail(Fail::Kind);
            return;
        }
        if traits.arm != self.traits.arm {
            fail(Fail::Architecture);
        }
        if traits.metal && !self.traits.metal {
            fail(Fail::Metal);
        }
        if traits.burstable && !self.traits.burstable {
            fail(Fail::Burstable);
        }
        if let (Some(has), Some(needs)) = (traits.generation, self.traits.generation)
            && has < needs
            && !self.rules.allow_older_cpu
        {
            fail(Fail::OlderCpu(has, needs));
        }
        if self.spec.devices() > 0 {
            self.check_gpu(spec, traits, &mut fail);
        }
        let cpus = need.vcpus.unwrap_or(f64::from(self.spec.vcpus));
        if f64::from(spec.vcpus) < cpus {
            fail(Fail::Vcpus(spec.vcpus, Figure(cpus)));
        }
        let memory = need.memory_mib.unwrap_or(self.spec.memory_mib);
        if spec.memory_mib < memory {
            fail(Fail::Memory(spec.memory_mib, memory));
        }
        if need.local_nvme && spec.instance_store_gb == 0 {
            fail(Fail::InstanceStore);
        }
        if let Some(needs) = need.network_gbps {
            let has = traits.baseline_gbps;
            let as_now = has.zip(self.traits.baseline_gbps).is_some_and(|(has, now)| has >= now);
            if !as_now && has.is_none_or(|has| has < needs) {
                fail(Fail::Network(has.map(Figure), Figure(needs)));
            }
        }
        if need.efa && !traits.efa {
            fail(Fail::Efa);
        }
        if self.offered.is_some_and(|o| o.binary_search(&spec.name).is_err()) {
            fail(Fail::NotOffered);
        }
    }

    fn check_gpu(&self, spec: &TypeSpec, traits: &Traits, fail: &mut impl FnMut(Fail)) {
        let (Some(now), Some(then)) = (&self.spec.accelerator, &spec.accelerator) else { return };
        let gpus = self.evidence.need.gpus.unwrap_or(now.devices);
        if then.devices < gpus {
            fail(Fail::Gpus(then.devices, gpus));
        }
        if !self.gpu_memory_fits(then.memory_mib) {
            fail(Fail::GpuMemory(then.memory_mib, self.gpu_memory()));
        }
        if self.evidence.nvlink && !traits.nvlink {
            fail(Fail::NvLink);
        }
        let mig = |name: &str| model(name).is_some_and(|m| m.mig_slices.is_some());
        if self.evidence.mig && !mig(&then.model) {
            fail(Fail::Mig);
        }
        if now.kind != AcceleratorKind::NvidiaGpu || now.model == then.model && !traits.fractional {
            return;
        }
        let (Some(a), Some(b)) = (self.traits.gpu, traits.gpu) else {
            fail(Fail::Slower(None, Figure(1.0)));
            return;
        };
        if b.capability < a.capability && !self.rules.allow_older_gpu {
            fail(Fail::Older(b.capability, a.capability));
        }
        let has = (b.tflops / a.tflops).min(b.bandwidth / a.bandwidth);
        let needs = self.speed();
        if has < needs {
            fail(Fail::Slower(Some(Figure(has)), Figure(needs)));
        }
    }

    /// Speed of a GPU that is needed, in parts of the present one.
    pub fn speed(&self) -> f64 {
        (self.evidence.gpu_peak / (1.0 - self.rules.gpu_speed_headroom)).min(1.0)
    }

    /// Memory per GPU that is needed with headroom, MiB: no more than there is now.
    pub fn gpu_memory(&self) -> u64 {
        let now = self.spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
        let used = self.evidence.need.gpu_memory_mib;
        used.map_or(now, |mib| {
            ((mib as f64 / (1.0 - self.rules.gpu_memory_headroom)).ceil() as u64).min(now)
        })
    }

    fn gpu_memory_fits(&self, memory_mib: u64) -> bool {
        let now = self.spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
        memory_mib >= now
            || (self.evidence.need.gpu_memory_mib.is_some()
                && memory_mib as f64 * USABLE_GPU_MEMORY >= self.gpu_memory() as f64)
    }

    /// True when a type meets every constraint.
    pub fn fits(&self, candidate: &Candidate) -> bool {
        let mut fits = true;
        self.check(&candidate.spec, &candidate.traits, |_| fits = false);
        fits
    }

    /// Types without a price that meet every constraint, and have less of something and no more of
    /// anything than the present one: one of them may be cheaper.
    pub fn unpriced<'m>(&self, market: &'m Market) -> impl Iterator<Item = &'m Arc<str>> {
        let now = self.spec;
        market.unpriced.iter().filter_map(move |(spec, traits)| {
            let smaller = spec.devices() <= now.devices()
                && spec.vcpus <= now.vcpus
                && spec.memory_mib <= now.memory_mib
                && (spec.devices(), spec.vcpus, spec.memory_mib)
                    != (now.devices(), now.vcpus, now.memory_mib);
            let mut fits = smaller;
            self.check(spec, traits, |_| fits = false);
            fits.then_some(&spec.name)
        })
    }

    /// The constraints that a type does not meet.
    pub fn fails(&self, candidate: &Candidate) -> Vec<Fail> {
        let mut all = Vec::new();
        self.check(&candidate.spec, &candidate.traits, |fail| all.push(fail));
        all
    }

    /// The cheapest type that meets all constraints and costs at most `limit` USD/h, by its place.
    pub fn cheapest(&self, candidates: &[Candidate], limit: f64) -> Option<usize> {
        let cheaper = candidates.iter().take_while(|c| c.usd_per_hour <= limit);
        cheaper.enumerate().find(|(_, c)| self.fits(c)).map(|(place, _)| place)
    }
}
