//! From NeuronCores to devices. neuron-monitor counts cores through over the whole host and says
//! in a line of its own how many a device has.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::labels::Facts;

/// One reading of one core.
#[derive(Clone, Debug)]
pub struct CoreReading {
    /// The label set it came with.
    pub set: u32,
    /// What was read.
    pub what: CoreValue,
    /// Its value: a ratio, or MiB.
    pub value: f64,
}

/// What was read of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoreValue {
    /// Its utilisation.
    Busy,
    /// Its memory for a purpose.
    Mem(u8),
    /// Nothing: the line about the hardware.
    Hardware,
}

/// One device of a host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Its number on the host; `None` for the whole host where the cores of a device are not known.
    pub index: Option<u16>,
    /// Mean utilisation over its cores, 0–1; a core that no runtime holds counts as 0.
    pub busy: Option<f64>,
    /// Memory in use, MiB.
    pub mem_mib: Option<f64>,
    /// The label sets that speak of it.
    pub sets: Vec<u32>,
}

/// Core, what was read of it, and the runtime that uses it.
type CoreKey = (u16, CoreValue, Option<Arc<str>>);

/// What a host said.
#[derive(Clone, Debug, Default)]
pub struct Host {
    devices: Option<u16>,
    per_device: Option<u16>,
    hardware: Vec<u32>,
    /// Value and label set. One that comes twice (two Prometheus servers) counts once.
    cores: BTreeMap<CoreKey, (f64, u32)>,
}

impl Host {
    /// Takes in a reading.
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

    /// The devices. `complete` says that everything the monitor had to say was read: devices that
    /// it counts and no runtime uses are idle then, and unknown otherwise.
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

/// The device's name by the instance type.
pub fn model(instance_type: &str) -> Option<&'static str> {
    match instance_type.split_once('.')?.0 {
        "inf1" => Some("Inferentia"),
        "inf2" => Some("Inferentia2"),
        "trn1" | "trn1n" => Some("Trainium"),
        "trn2" | "trn2u" | "u-trn2" => Some("Trainium2"),
        _ => None,
    }
}
