//! One GPU: what is read of it at which beat.
//!
//! At each look nine plain calls and the profiling sample; each five seconds processes, errors and
//! what changes slowly; each minute the facts. A function that is not supported is not asked again
//! before the facts are.

use std::sync::Arc;

use jiff::Timestamp;
use nvml_wrapper::enum_wrappers::device::{
    Clock, EccCounter, MemoryError, PcieUtilCounter, TemperatureSensor,
};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::sys_exports::field_id::{
    NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, NVML_FI_DEV_MEMORY_TEMP, NVML_FI_DEV_REMAPPED_FAILURE,
};
use nvml_wrapper::{Device, Nvml};

use super::call::{Call, Calls};
use super::facts::{self, Facts};
use super::gpm::Gpm;
use super::host::Places;
use super::process::Users;
use super::runs::{Runs, names_owners, runs};
use super::slice::{self, Slice};
use super::smi;
use crate::domain::{GpuSample, GpuSignal, GpuSignals, HostNames, Throttle};

/// Bytes of a MiB.
const MIB: f64 = 1_048_576.0;

/// Bytes of a KB, in which PCIe throughput is told.
const KIB: f64 = 1_024.0;

/// Fields that have no function of their own.
const FIELDS: [(u32, GpuSignal); 3] = [
    (NVML_FI_DEV_MEMORY_TEMP, GpuSignal::MemTemp),
    (NVML_FI_DEV_REMAPPED_FAILURE, GpuSignal::RemapFailure),
    (NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, GpuSignal::RecoveryAction),
];

/// Parameters of one reading.
pub(super) struct SweepParams<'a> {
    /// The present moment.
    pub now: Timestamp,
    /// True when slow values and processes are read as well.
    pub round: bool,
    /// True when the host is shown in detail.
    pub close: bool,
    /// Names of the host.
    pub host: &'a HostNames,
    /// Users of the host by number.
    pub users: &'a Users,
    /// Paths where processes are described.
    pub places: &'a Places,
}

/// State of one GPU between readings.
pub(super) struct Gpu<'n> {
    device: Device<'n>,
    /// Index, as the driver counts.
    pub index: u32,
    /// Results of its calls.
    pub calls: Calls,
    facts: Facts,
    /// False until the facts were read.
    known: bool,
    gpm: Gpm<'n>,
    pulse: GpuSignals,
    slow: GpuSignals,
    throttle: Option<Throttle>,
    runs: Runs,
    /// The newest sample of use by process that was seen, µs.
    seen_use: u64,
    /// Last XID error since burntop watches; `None` without any.
    pub xid: Option<u64>,
    slices: Vec<Slice<'n>>,
    taken_at: Timestamp,
}

impl<'n> Gpu<'n> {
    /// A GPU that was not read yet.
    pub fn new(device: Device<'n>, index: u32) -> Self {
        Self {
            device,
            index,
            calls: Calls::default(),
            facts: Facts::default(),
            known: false,
            gpm: Gpm::default(),
            pulse: GpuSignals::default(),
            slow: GpuSignals::default(),
            throttle: None,
            runs: Runs::default(),
            seen_use: 0,
            xid: None,
            slices: Vec::new(),
            taken_at: Timestamp::UNIX_EPOCH,
        }
    }

    /// NVML handle of the GPU.
    pub fn device(&self) -> &Device<'n> {
        &self.device
    }

    /// Reads the facts, and which slices there are.
    pub fn learn(&mut self, nvml: &'n Nvml, params: &SweepParams<'_>) {
        self.calls.renew();
        // The wrapper frees samples by a function that it takes for granted.
        let may_profile = nvml.lib().nvmlGpmSampleFree.is_ok();
        self.facts =
            facts::read(&self.device, &mut self.calls, self.index, params.host, may_profile);
        let known = std::mem::take(&mut self.slices);
        if self.facts.partitioned {
            let bus = &self.facts.identity.pci_bus_id;
            let ask = || smi::instances(&params.places.nvidia_smi);
            self.slices = slice::list(&self.device, &mut self.calls, known, ask, bus);
        }
        self.known = true;
    }

    /// Takes the first profiling sample if there is none; true when it took one.
    pub fn prime(&mut self, nvml: &'n Nvml, now: Timestamp) -> bool {
        if !self.facts.gpm {
            return false;
        }
        if self.slices.is_empty() && self.gpm.is_new() {
            self.gpm.look(nvml, &mut self.calls, now, || self.device.gpm_sample());
            return !self.gpm.is_new();
        }
        let mut any = false;
        for slice in &mut self.slices {
            any |= slice.prime(nvml, &self.device, now);
        }
        any
    }

    /// Reads the GPU anew.
    pub fn look(&mut self, nvml: &'n Nvml, params: &SweepParams<'_>) {
        if !self.known {
            self.learn(nvml, params);
        }
        self.calls.last = None;
        self.pulse(nvml, params);
        if params.round {
            self.round(params);
        }
        if self.calls.fault.is_some() {
            return;
        }
        for slice in &mut self.slices {
            let there = slice.look(nvml, &self.device, self.facts.gpm, params);
            // The list is read anew at the next look, once a round.
            self.known &= there || !params.round;
        }
        self.taken_at = Timestamp::now();
    }

    fn pulse(&mut self, nvml: &'n Nvml, params: &SweepParams<'_>) {
        let (device, calls) = (&self.device, &mut self.calls);
        let mut s = GpuSignals::default();
        if let Some(rates) = calls.ask(Call::Utilization, || device.utilization_rates()) {
            s.set(GpuSignal::Util, f64::from(rates.gpu) / 100.0);
            s.set(GpuSignal::MemCopy, f64::from(rates.memory) / 100.0);
        }
        if let Some(memory) = calls.ask(Call::Memory, || device.memory_info()) {
            s.set(GpuSignal::MemUsed, memory.used as f64 / MIB);
            s.set(GpuSignal::MemTotal, memory.total as f64 / MIB);
        }
        if let Some(milliwatts) = calls.ask(Call::Power, || device.power_usage()) {
            s.set(GpuSignal::Power, f64::from(milliwatts) / 1e3);
        }
        if let Some(millijoules) = calls.ask(Call::Energy, || device.total_energy_consumption()) {
            s.set(GpuSignal::Energy, millijoules as f64 / 1e3);
        }
        let sensor = TemperatureSensor::Gpu;
        if let Some(degrees) = calls.ask(Call::Temperature, || device.temperature(sensor)) {
            s.set(GpuSignal::Temp, f64::from(degrees));
        }
        if let Some(clock) = calls.ask(Call::SmClock, || device.clock_info(Clock::SM)) {
            s.set(GpuSignal::SmClock, f64::from(clock));
        }
        if let Some(use_) = calls.ask(Call::Encoder, || device.encoder_utilization()) {
            s.set(GpuSignal::Enc, f64::from(use_.utilization) / 100.0);
        }
        if let Some(use_) = calls.ask(Call::Decoder, || device.decoder_utilization()) {
            s.set(GpuSignal::Dec, f64::from(use_.utilization) / 100.0);
        }
        let reasons = calls.ask(Call::Throttle, || device.current_throttle_reasons());
        self.throttle = reasons.map(|r| Throttle(r.bits()));
        // On a partitioned GPU the slices are profiled.
        if self.facts.gpm && self.slices.is_empty() {
            let told = self.gpm.look(nvml, calls, params.now, || device.gpm_sample());
            s.fill_from(&told);
        }
        self.pulse = s;
    }

    fn round(&mut self, params: &SweepParams<'_>) {
        let (device, calls) = (&self.device, &mut self.calls);
        let mut s = GpuSignals::default();
        if let Some(clock) = calls.ask(Call::MemoryClock, || device.clock_info(Clock::Memory)) {
            s.set(GpuSignal::MemClock, f64::from(clock));
        }
        let errors = calls.ask(Call::Ecc, || {
            device.total_ecc_errors(MemoryError::Uncorrected, EccCounter::Volatile)
        });
        if let Some(errors) = errors {
            s.set(GpuSignal::EccUncorrected, errors as f64);
        }
        let ids = FIELDS.map(|(id, _)| FieldId(id));
        let values = calls.ask(Call::Fields, || device.field_values_for(&ids));
        for ((_, signal), value) in FIELDS.iter().zip(values.into_iter().flatten()) {
            if let Some(value) = value.ok().and_then(|v| v.value.ok()) {
                s.set(*signal, number(&value));
            }
        }
        // 20 ms each: for a GPU that somebody looks at, where profiling does not tell it anyway.
        let told = self.pulse.get(GpuSignal::PcieTx).is_some();
        if params.close && !told {
            for (counter, signal) in [
                (PcieUtilCounter::Send, GpuSignal::PcieTx),
                (PcieUtilCounter::Receive, GpuSignal::PcieRx),
            ] {
                if let Some(rate) = calls.ask(Call::Pcie, || device.pcie_throughput(counter)) {
                    s.set(signal, f64::from(rate) * KIB);
                }
            }
        }
        self.slow = s;
        if self.slices.is_empty() {
            self.runs = runs(&self.device, &mut self.calls, Some(&mut self.seen_use), params);
        }
    }

    /// Newest samples: of the GPU, or of its slices when all of them can be identified. `sees_all` is true when all
    /// processes of the host are visible.
    pub fn samples(&self, sees_all: bool) -> Vec<GpuSample> {
        let mut signals = self.pulse;
        signals.fill_from(&self.slow);
        signals.fill_from(&self.facts.limits);
        if let Some(xid) = self.xid {
            signals.set(GpuSignal::Xid, xid as f64);
        }
        let sample = |identity, signals, runs: &Runs| GpuSample {
            identity,
            taken_at: self.taken_at,
            signals,
            throttle: self.throttle,
            owner: runs.owner.clone(),
            names_owners: names_owners(runs, sees_all),
            processes: runs.processes.clone(),
            recent: None,
        };
        let parent = &self.facts.identity;
        let identities: Option<Vec<_>> = self.slices.iter().map(|s| s.identity(parent)).collect();
        let Some(identities) = identities.filter(|i| !i.is_empty()) else {
            return vec![sample(parent.clone(), signals, &self.runs)];
        };
        // The board's values stand with each slice, as in DCGM; not those that are sums, nor
        // memory, which the slices have of their own.
        for own in [GpuSignal::Energy, GpuSignal::MemUsed, GpuSignal::MemTotal] {
            signals.unset(own);
        }
        let mut samples: Vec<GpuSample> = Vec::new();
        for (identity, slice) in identities.into_iter().zip(&self.slices) {
            let mut own = slice.signals;
            own.fill_from(&signals);
            let one = sample(Arc::new(identity), own, &slice.runs);
            // Compute instances of one GPU instance: one sample, all their processes.
            match samples.iter_mut().find(|s| s.identity.mig == one.identity.mig) {
                Some(same) => join(same, &one),
                None => samples.push(one),
            }
        }
        samples
    }

    /// True when the last reading returned nothing.
    pub fn is_mute(&self) -> bool {
        self.pulse.is_empty()
    }

    /// True when slices cannot be identified.
    pub fn has_nameless_slices(&self) -> bool {
        self.slices.iter().any(|s| s.identity(&self.facts.identity).is_none())
    }
}

fn join(into: &mut GpuSample, from: &GpuSample) {
    if let (Some(a), Some(b)) = (&into.processes, &from.processes) {
        into.processes = Some(a.iter().chain(b.iter()).cloned().collect());
    }
    if into.owner.is_nobody() {
        into.owner = from.owner.clone();
    }
    into.names_owners &= from.names_owners;
}

fn number(value: &SampleValue) -> f64 {
    match *value {
        SampleValue::F64(v) => v,
        SampleValue::U32(v) => f64::from(v),
        SampleValue::U64(v) => v as f64,
        SampleValue::I64(v) => v as f64,
    }
}
