//! From NeuronCores to devices. neuron-monitor counts cores through over the whole host and says
//! in a line of its own how many a device has.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::labels::Facts;

/// One value of one core.
#[derive(Clone, Debug)]
pub struct CoreReading {
    /// Label set of its series.
    pub set: u32,
    /// Meaning of the value.
    pub what: CoreValue,
    /// The value: a ratio of 0–1, or MiB.
    pub value: f64,
}

/// Meaning of a core's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoreValue {
    /// Utilisation of the core.
    Busy,
    /// Memory for one purpose; the number identifies the purpose.
    Mem(u8),
    /// No value: the series about the hardware.
    Hardware,
}

/// One Neuron device of a host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Number on the host; `None` for the whole host when the cores per device are unknown.
    pub index: Option<u16>,
    /// Mean utilisation of its cores, 0–1; a core without a runtime counts as 0. `None` when unknown.
    pub busy: Option<f64>,
    /// Memory in use, MiB; `None` when unknown.
    pub mem_mib: Option<f64>,
    /// Label sets about the device.
    pub sets: Vec<u32>,
}

/// Core, what was read of it, and the runtime that uses it.
type CoreKey = (u16, CoreValue, Option<Arc<str>>);

/// Values of one host in a sweep.
#[derive(Clone, Debug, Default)]
pub struct Host {
    devices: Option<u16>,
    per_device: Option<u16>,
    hardware: Vec<u32>,
    /// Value and label set. One that comes twice (two Prometheus servers) counts once.
    cores: BTreeMap<CoreKey, (f64, u32)>,
}

impl Host {
    /// Adds a value of a core.
    pub fn take(&mut self, facts: &Facts, reading: &CoreReading) {
        let neuron = &facts.neuron;
        self.devices = self.devices.max(neuron.devices);
        let told = neuron.cores_per_device.filter(|n| *n > 0);
        let known = neuron.instance_type.as_deref().and_then(cores_per_device);
        self.per_device = told.or(self.per_device).or(known);
        match (reading.what, neuron.core) {
            (CoreValue::Hardware, _) | (_, None) => self.hardware.push(reading.set),
            (what, Some(core)) => {
                let slot = self
                    .cores
                    .entry((core, what, neuron.runtime.clone()))
                    .or_insert((reading.value, reading.set));
                slot.0 = slot.0.max(reading.value);
            }
        }
    }

    /// Devices of the host. `complete` means that the whole page was read: devices without a runtime are idle then, and
    /// unknown otherwise.
    pub fn devices(&self, complete: bool) -> Vec<Device> {
        let mut devices: BTreeMap<Option<u16>, Device> = BTreeMap::new();
        let mut busy: BTreeMap<(Option<u16>, u16), f64> = BTreeMap::new();
        for ((core, what, _), (value, set)) in &self.cores {
            let index = self.per_device.map(|n| core / n);
            let device = devices.entry(index).or_default();
            device.sets.push(*set);
            match what {
                CoreValue::Busy => {
                    let core = busy.entry((index, *core)).or_default();
                    *core = core.max(*value);
                }
                _ => device.mem_mib = Some(device.mem_mib.unwrap_or_default() + value),
            }
        }
        for ((index, _), value) in &busy {
            if let Some(device) = devices.get_mut(index) {
                device.busy = Some(device.busy.unwrap_or_default() + value);
            }
        }
        for (index, device) in &mut devices {
            let seen = busy.keys().filter(|(of, _)| of == index).count();
            let cores = self.per_device.map_or(seen, usize::from).max(seen).max(1);
            device.busy = device.busy.map(|sum| sum / cores as f64);
        }
        if self.per_device.is_some() {
            for index in 0..self.devices.unwrap_or_default().min(MAX_DEVICES) {
                let device = devices.entry(Some(index)).or_insert_with(|| Device {
                    busy: complete.then_some(0.0),
                    ..Device::default()
                });
                device.sets.extend(&self.hardware);
            }
        }
        for (index, device) in &mut devices {
            device.index = *index;
        }
        devices.into_values().collect()
    }
}

/// The largest instances have 16; a page that says otherwise is not believed.
const MAX_DEVICES: u16 = 128;

/// NeuronCores per device where the monitor does not say: 4 on Inferentia, 2 on Trainium and
/// Inferentia2 (AWS Neuron documentation). Trainium2 depends on how cores are grouped.
fn cores_per_device(instance_type: &str) -> Option<u16> {
    match instance_type.split_once('.')?.0 {
        "inf1" => Some(4),
        "inf2" | "trn1" | "trn1n" => Some(2),
        _ => None,
    }
}

/// Model of the device, by instance type; `None` for a type without Neuron devices.
pub fn model(instance_type: &str) -> Option<&'static str> {
    match instance_type.split_once('.')?.0 {
        "inf1" => Some("Inferentia"),
        "inf2" => Some("Inferentia2"),
        "trn1" | "trn1n" => Some("Trainium"),
        "trn2" | "trn2u" | "u-trn2" => Some("Trainium2"),
        _ => None,
    }
}
