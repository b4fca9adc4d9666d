//! What is measured of a GPU, in which unit, and which values are physically possible.

use serde::{Deserialize, Serialize};

use super::limits::EMPTY_MIB;

/// A measured quantity of a GPU. Values of all sources are converted to [`GpuSignal::unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuSignal {
    /// Share of time with at least one kernel resident (NVML `utilization.gpu`, DCGM `GPU_UTIL`).
    /// One thread is enough for 1.
    Util,
    /// Share of time the graphics or compute engine is active (DCGM `PROF_GR_ENGINE_ACTIVE`).
    GrEngine,
    /// Share of cycles with a warp on a multiprocessor, mean over all of them (`PROF_SM_ACTIVE`).
    SmActive,
    /// Resident warps ÷ the largest number that fits (`PROF_SM_OCCUPANCY`).
    SmOccupancy,
    /// Share of cycles in which a tensor pipe is active (`PROF_PIPE_TENSOR_ACTIVE`).
    Tensor,
    /// Share of cycles in which device memory is read or written (`PROF_DRAM_ACTIVE`); about 0.8
    /// is what can be reached.
    Dram,
    /// Share of time device memory is read or written (NVML `utilization.memory`).
    MemCopy,
    /// Utilisation of the video encoder.
    Enc,
    /// Utilisation of the video decoder.
    Dec,
    /// Mean utilisation of a device's NeuronCores (Trainium, Inferentia).
    NeuronCore,
    /// Device memory in use.
    MemUsed,
    /// Total device memory: used + free + reserved.
    MemTotal,
    /// Power draw.
    Power,
    /// Power limit in force (the enforced limit, not the catalogue's).
    PowerLimit,
    /// Energy since the driver was loaded, from which it counts anew.
    Energy,
    /// Temperature of the chip.
    Temp,
    /// Temperature of the device memory.
    MemTemp,
    /// Clock of the multiprocessors.
    SmClock,
    /// Highest possible clock of the multiprocessors.
    SmClockMax,
    /// Clock of the device memory.
    MemClock,
    /// Bytes sent over PCIe.
    PcieTx,
    /// Bytes received over PCIe.
    PcieRx,
    /// Bytes sent and received over NVLink.
    Nvlink,
    /// Code of the last XID error; it stays until the driver is loaded again. 0 = none.
    Xid,
    /// Uncorrected ECC errors since the driver was loaded.
    EccUncorrected,
    /// 1 when a row remapping failed (the GPU is to be replaced).
    RemapFailure,
    /// Recovery action that the driver requests (`gpu_recovery_action`); 0 = none.
    RecoveryAction,
}

/// The unit a signal is stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalUnit {
    /// Share, 0–1.
    Ratio,
    /// Mebibytes.
    Mebibytes,
    /// Watts.
    Watts,
    /// Joules.
    Joules,
    /// Degrees Celsius.
    Celsius,
    /// Megahertz.
    Megahertz,
    /// Bytes per second.
    BytesPerSecond,
    /// A code or a count, without a unit.
    Number,
}

impl GpuSignal {
    /// All signals, in the order of their discriminants.
    pub const ALL: [Self; 27] = [
        Self::Util,
        Self::GrEngine,
        Self::SmActive,
        Self::SmOccupancy,
        Self::Tensor,
        Self::Dram,
        Self::MemCopy,
        Self::Enc,
        Self::Dec,
        Self::NeuronCore,
        Self::MemUsed,
        Self::MemTotal,
        Self::Power,
        Self::PowerLimit,
        Self::Energy,
        Self::Temp,
        Self::MemTemp,
        Self::SmClock,
        Self::SmClockMax,
        Self::MemClock,
        Self::PcieTx,
        Self::PcieRx,
        Self::Nvlink,
        Self::Xid,
        Self::EccUncorrected,
        Self::RemapFailure,
        Self::RecoveryAction,
    ];

    /// The name in JSON, in records and in the configuration of aliases.
    pub fn name(self) -> &'static str {
        match self {
            Self::Util => "util",
            Self::GrEngine => "gr_engine_active",
            Self::SmActive => "sm_active",
            Self::SmOccupancy => "sm_occupancy",
            Self::Tensor => "tensor_active",
            Self::Dram => "dram_active",
            Self::MemCopy => "mem_copy",
            Self::Enc => "enc",
            Self::Dec => "dec",
            Self::NeuronCore => "neuroncore",
            Self::MemUsed => "mem_used",
            Self::MemTotal => "mem_total",
            Self::Power => "power_w",
            Self::PowerLimit => "power_limit_w",
            Self::Energy => "energy_j",
            Self::Temp => "temp_c",
            Self::MemTemp => "mem_temp_c",
            Self::SmClock => "sm_clock_mhz",
            Self::SmClockMax => "sm_clock_max_mhz",
            Self::MemClock => "mem_clock_mhz",
            Self::PcieTx => "pcie_tx",
            Self::PcieRx => "pcie_rx",
            Self::Nvlink => "nvlink",
            Self::Xid => "xid",
            Self::EccUncorrected => "ecc_uncorrected",
            Self::RemapFailure => "remap_failure",
            Self::RecoveryAction => "recovery_action",
        }
    }

    /// The signal with this [`GpuSignal::name`]; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// The unit values are stored in.
    pub fn unit(self) -> SignalUnit {
        match self {
            Self::Util
            | Self::GrEngine
            | Self::SmActive
            | Self::SmOccupancy
            | Self::Tensor
            | Self::Dram
            | Self::MemCopy
            | Self::Enc
            | Self::Dec
            | Self::NeuronCore => SignalUnit::Ratio,
            Self::MemUsed | Self::MemTotal => SignalUnit::Mebibytes,
            Self::Power | Self::PowerLimit => SignalUnit::Watts,
            Self::Energy => SignalUnit::Joules,
            Self::Temp | Self::MemTemp => SignalUnit::Celsius,
            Self::SmClock | Self::SmClockMax | Self::MemClock => SignalUnit::Megahertz,
            Self::PcieTx | Self::PcieRx | Self::Nvlink => SignalUnit::BytesPerSecond,
            Self::Xid | Self::EccUncorrected | Self::RemapFailure | Self::RecoveryAction => {
                SignalUnit::Number
            }
        }
    }

    /// The largest value that is no nonsense, in the signal's unit. DCGM's blank values (from
    /// 140737488355328 on) and what real pages were seen to hold (a utilisation of 7407936) lie far
    /// above. Profiling ratios may pass 1 a little on MIG slices and are cut to it.
    fn limit(self) -> f64 {
        match self {
            Self::Xid => 1e4,
            Self::EccUncorrected => 1e9,
            Self::RemapFailure | Self::RecoveryAction => 100.0,
            _ => match self.unit() {
                // On a MIG slice the profiling fields are relative to the slice, with an error.
                SignalUnit::Ratio => 1.5,
                // 4 TiB.
                SignalUnit::Mebibytes => 4_194_304.0,
                // No board draws 5 kW.
                SignalUnit::Watts => 5_000.0,
                // 5 kW over ten years.
                SignalUnit::Joules => 1.6e12,
                SignalUnit::Celsius => 200.0,
                SignalUnit::Megahertz => 20_000.0,
                // 18 TB/s.
                SignalUnit::BytesPerSecond => 1.8e13,
                SignalUnit::Number => 1e9,
            },
        }
    }

    /// Raw value in the signal's unit, ready to be stored; `None` for NaN, ∞, negative values, sentinels, and values
    /// that no device can reach.
    pub fn observe(self, raw: f64) -> Option<f32> {
        if !raw.is_finite() || raw < 0.0 || raw > self.limit() {
            return None;
        }
        let cut = if self.unit() == SignalUnit::Ratio { raw.min(1.0) } else { raw };
        Some(cut as f32)
    }
}

/// One value per signal, in its unit; unknown values are absent.
#[derive(Clone, Copy)]
pub struct GpuSignals([f32; GpuSignal::ALL.len()]);

impl Default for GpuSignals {
    fn default() -> Self {
        Self([f32::NAN; GpuSignal::ALL.len()])
    }
}

/// What is unknown in both is the same in both.
impl PartialEq for GpuSignals {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
    }
}

impl GpuSignals {
    /// Value of `signal` in its unit; `None` when unknown.
    pub fn get(&self, signal: GpuSignal) -> Option<f32> {
        Some(self.0[signal as usize]).filter(|v| !v.is_nan())
    }

    /// Stores a raw value in the signal's unit. An impossible value is dropped ([`GpuSignal::observe`]), and the
    /// previous one stays; false then.
    pub fn set(&mut self, signal: GpuSignal, raw: f64) -> bool {
        let value = signal.observe(raw);
        if let Some(value) = value {
            self.0[signal as usize] = value;
        }
        value.is_some()
    }

    /// Like [`GpuSignals::set`], but keeps the larger value: several series may describe one GPU (one per job or pod).
    pub fn raise(&mut self, signal: GpuSignal, raw: f64) -> bool {
        let value = signal.observe(raw);
        if let Some(value) = value {
            let slot = &mut self.0[signal as usize];
            // `max` ignores NaN.
            *slot = slot.max(value);
        }
        value.is_some()
    }

    /// Removes the value of `signal`.
    pub fn unset(&mut self, signal: GpuSignal) {
        self.0[signal as usize] = f32::NAN;
    }

    /// Highest activity of any engine, 0–1; `None` when none is known. Utilisation counts only with at least
    /// [`EMPTY_MIB`] of memory in use: below it no kernel has its context.
    pub fn busiest(&self) -> Option<f32> {
        use GpuSignal as S;
        let engines = [S::SmActive, S::GrEngine, S::NeuronCore, S::Tensor, S::Dram, S::Enc, S::Dec];
        let is_empty = self.get(S::MemUsed).is_some_and(|m| m < EMPTY_MIB);
        let util = self.get(S::Util).map(|u| if is_empty { 0.0 } else { u });
        engines.into_iter().filter_map(|s| self.get(s)).chain(util).reduce(f32::max)
    }

    /// Copies the values of `other` for signals that are unknown here.
    pub fn fill_from(&mut self, other: &Self) {
        for (slot, value) in self.0.iter_mut().zip(other.0) {
            if slot.is_nan() {
                *slot = value;
            }
        }
    }

    /// Known signals with their values.
    pub fn iter(&self) -> impl Iterator<Item = (GpuSignal, f32)> {
        GpuSignal::ALL.into_iter().filter_map(|s| Some((s, self.get(s)?)))
    }

    /// True when no value is known.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|v| v.is_nan())
    }
}

impl std::fmt::Debug for GpuSignals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter().map(|(s, v)| (s.name(), v))).finish()
    }
}

/// Pairs of signal and value: what was never known takes no room, and a new signal moves no old one.
impl Serialize for GpuSignals {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.iter().collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GpuSignals {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = Vec::<(GpuSignal, f32)>::deserialize(deserializer)?;
        let mut signals = Self::default();
        for (signal, value) in pairs {
            signals.set(signal, f64::from(value));
        }
        Ok(signals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_stands_at_its_place_and_has_a_name_of_its_own() {
        for (i, signal) in GpuSignal::ALL.into_iter().enumerate() {
            assert_eq!(signal as usize, i);
            assert_eq!(GpuSignal::from_name(signal.name()), Some(signal));
        }
    }

    #[test]
    fn sentinels_and_impossible_values_are_dropped() {
        let sentinels =
            [9_223_372_036_854_775_794.0, 9.223_372_036_854_776e18, 140_737_488_355_328.0];
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0];
        for signal in GpuSignal::ALL {
            for raw in sentinels.into_iter().chain(odd) {
                // A large energy counter is the one quantity that comes near a sentinel.
                assert_eq!(signal.observe(raw), None, "{signal:?} {raw}");
            }
        }
        // Seen in a page: utilisation 7407936%.
        assert_eq!(GpuSignal::Util.observe(74_079.36), None);
        assert_eq!(GpuSignal::SmActive.observe(1.02), Some(1.0), "MIG slices pass 1 a little");
        assert_eq!(GpuSignal::Power.observe(700.0), Some(700.0));
    }

    #[test]
    fn what_is_unknown_stays_unknown_and_survives_the_cache() {
        let mut signals = GpuSignals::default();
        assert!(signals.is_empty());
        assert!(signals.set(GpuSignal::Util, 0.0));
        assert!(!signals.set(GpuSignal::Power, f64::NAN));
        assert!(signals.raise(GpuSignal::Util, 0.4) && signals.raise(GpuSignal::Util, 0.1));
        assert_eq!(signals.get(GpuSignal::Util), Some(0.4));
        assert_eq!(signals.get(GpuSignal::Power), None);
        let bytes = postcard::to_allocvec(&signals).unwrap();
        let back: GpuSignals = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(signals, back);
        assert_ne!(signals, GpuSignals::default());
        signals.unset(GpuSignal::Util);
        assert_ne!(signals, back);
    }
}
