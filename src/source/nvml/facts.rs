//! What hardly changes about a GPU: read once and again each minute.

use std::sync::Arc;

use nvml_wrapper::Device;
use nvml_wrapper::enum_wrappers::device::Clock;

use super::call::{Call, Calls};
use crate::domain::{GpuIdentity, GpuSignal, GpuSignals, HostNames, gpu, text};

/// `mig_mode().current` of a GPU that is partitioned (`NVML_DEVICE_MIG_ENABLE`).
const MIG_ENABLED: u32 = 1;

/// Properties of a GPU that rarely change.
#[derive(Default)]
pub(super) struct Facts {
    /// Identity of the GPU.
    pub identity: Arc<GpuIdentity>,
    /// Limits: enforced power limit and highest clock.
    pub limits: GpuSignals,
    /// True when it is partitioned (MIG).
    pub partitioned: bool,
    /// True when it can be profiled (GPM).
    pub gpm: bool,
}

/// Reads these properties, in seven calls.
pub(super) fn read(
    device: &Device<'_>,
    calls: &mut Calls,
    index: u32,
    host: &HostNames,
    may_profile: bool,
) -> Facts {
    let clean = |t: String| Arc::<str>::from(&*text::clean(t.trim()));
    let model = calls.ask(Call::Name, || device.name()).map(clean);
    let id = calls.ask(Call::Uuid, || device.uuid()).map(clean);
    let bus = calls.ask(Call::Pci, || device.pci_info()).map(|p| clean(p.bus_id));
    let mut limits = GpuSignals::default();
    if let Some(milliwatts) = calls.ask(Call::PowerLimit, || device.enforced_power_limit()) {
        limits.set(GpuSignal::PowerLimit, f64::from(milliwatts) / 1e3);
    }
    if let Some(clock) = calls.ask(Call::MaxClock, || device.max_clock_info(Clock::SM)) {
        limits.set(GpuSignal::SmClockMax, f64::from(clock));
    }
    let mode = calls.ask(Call::MigMode, || device.mig_mode());
    let gpm = may_profile && calls.ask(Call::GpmSupport, || device.gpm_support()).unwrap_or(false);
    Facts {
        identity: Arc::new(GpuIdentity {
            uuid: id.as_deref().and_then(gpu::uuid),
            mig: None,
            index: u16::try_from(index).ok(),
            model: model.unwrap_or_default(),
            pci_bus_id: bus.unwrap_or_default(),
            host: host.clone(),
        }),
        limits,
        partitioned: mode.is_some_and(|m| m.current == MIG_ENABLED),
        gpm,
    }
}
