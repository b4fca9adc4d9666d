//! The slices of a partitioned GPU (MIG). The unit is the GPU instance: compute instances within
//! one share its memory, and have no telemetry of their own.

use std::sync::Arc;

use jiff::Timestamp;
use nvml_wrapper::{Device, Nvml};

use super::call::{Call, Calls};
use super::gpm::Gpm;
use super::gpu::SweepParams;
use super::runs::{Runs, runs};
use super::smi::Instances;
use crate::domain::{GpuIdentity, GpuSignal, GpuSignals, Mig, text};

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// State of one MIG slice between readings.
pub(super) struct Slice<'n> {
    device: Device<'n>,
    /// Its own UUID: tells it apart from one look to the next.
    uuid: String,
    /// The id of its GPU instance, as soon as it is known.
    instance: Option<u32>,
    profile: Arc<str>,
    calls: Calls,
    gpm: Gpm<'n>,
    /// Newest values.
    pub signals: GpuSignals,
    /// Processes on the slice.
    pub runs: Runs,
}

/// Slices of `parent`, with the state of the known ones. NVML's list has gaps.
pub(super) fn list<'n>(
    parent: &Device<'n>,
    calls: &mut Calls,
    known: Vec<Slice<'n>>,
    instances: impl FnOnce() -> Instances,
    bus: &str,
) -> Vec<Slice<'n>> {
    let count = calls.ask(Call::MigDevices, || parent.mig_device_count()).unwrap_or(0);
    let mut known = known;
    let mut slices = Vec::new();
    for index in 0..count {
        let found = calls.ask(Call::MigDevices, || parent.mig_device_by_index(index));
        let Some(device) = found else { continue };
        let Ok(uuid) = device.uuid() else { continue };
        let place = known.iter().position(|s| s.uuid == uuid);
        let slice = match place.map(|at| known.swap_remove(at)) {
            Some(old) => Slice { device, calls: Calls::default(), ..old },
            None => Slice {
                instance: from_uuid(&uuid),
                profile: profile(&device),
                device,
                uuid,
                calls: Calls::default(),
                gpm: Gpm::default(),
                signals: GpuSignals::default(),
                runs: Runs::default(),
            },
        };
        slices.push((index, slice));
    }
    if slices.iter().any(|(_, s)| s.instance.is_none()) {
        let told = instances();
        let bus = bus.to_ascii_lowercase();
        for (index, slice) in &mut slices {
            let id = told.get(&(bus.clone(), *index)).copied();
            slice.instance = slice.instance.or(id);
        }
    }
    slices.into_iter().map(|(_, slice)| slice).collect()
}

/// The id of the GPU instance in UUIDs of drivers before 470: `MIG-GPU-…/1/0`.
fn from_uuid(uuid: &str) -> Option<u32> {
    let mut parts = uuid.strip_prefix("MIG-GPU-")?.split('/').skip(1);
    parts.next()?.parse().ok()
}

/// The profile, from the name (`NVIDIA H100 80GB HBM3 MIG 1g.10gb`), else from the slices and the
/// memory.
fn profile(device: &Device<'_>) -> Arc<str> {
    let name = device.name().unwrap_or_default();
    if let Some((_, profile)) = name.rsplit_once("MIG ") {
        return instance_profile(&text::clean(profile.trim())).into();
    }
    match device.attributes() {
        Ok(a) => {
            format!("{}g.{}gb", a.gpu_instance_slice_count, a.memory_size_mb.div_ceil(1_024)).into()
        }
        Err(_) => "".into(),
    }
}

/// The profile of the GPU instance: `1c.3g.40gb` is a compute instance within a `3g.40gb`.
fn instance_profile(profile: &str) -> &str {
    match profile.split_once("c.") {
        Some((digits, rest)) if digits.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => profile,
    }
}

impl<'n> Slice<'n> {
    /// Reads the slice; false when it seems to be gone.
    pub fn look(
        &mut self,
        nvml: &'n Nvml,
        parent: &Device<'n>,
        gpm: bool,
        params: &SweepParams<'_>,
    ) -> bool {
        self.signals = GpuSignals::default();
        let memory = self.calls.ask(Call::Memory, || self.device.memory_info());
        if let Some(memory) = &memory {
            self.signals.set(GpuSignal::MemUsed, memory.used as f64 / MIB);
            self.signals.set(GpuSignal::MemTotal, memory.total as f64 / MIB);
        }
        if params.round {
            self.runs = runs(&self.device, &mut self.calls, None, params);
            // Processes name the instance they run in.
            self.instance = self.instance.or(self.runs.instance);
        }
        if let (true, Some(id)) = (gpm, self.instance) {
            let now = params.now;
            let told = self.gpm.look(nvml, &mut self.calls, now, || parent.gpm_mig_sample(id));
            self.signals.fill_from(&told);
        }
        memory.is_some() || self.calls.is_off(Call::Memory)
    }

    /// Identity of the slice; `None` while its GPU instance id is unknown.
    pub fn identity(&self, parent: &GpuIdentity) -> Option<GpuIdentity> {
        let mig = Mig { gpu_instance: self.instance?, profile: self.profile.clone() };
        Some(GpuIdentity { mig: Some(mig), ..parent.clone() })
    }

    /// Takes the first profiling sample if there is none; true when it took one.
    pub fn prime(&mut self, nvml: &'n Nvml, parent: &Device<'n>, now: Timestamp) -> bool {
        let Some(id) = self.instance.filter(|_| self.gpm.is_new()) else { return false };
        self.gpm.look(nvml, &mut self.calls, now, || parent.gpm_mig_sample(id));
        !self.gpm.is_new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_uuids_hold_the_instance_and_profiles_are_those_of_the_instance() {
        assert_eq!(from_uuid("MIG-GPU-b0f1d2c3-1111-2222-3333-444455556666/9/0"), Some(9));
        assert_eq!(from_uuid("MIG-b0f1d2c3-1111-2222-3333-444455556666"), None);
        assert_eq!(instance_profile("1c.3g.40gb"), "3g.40gb");
        assert_eq!(instance_profile("1g.10gb+me"), "1g.10gb+me");
    }
}
