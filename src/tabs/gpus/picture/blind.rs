//! What is not seen: running instances with accelerators that tell too little, and the fix.

use crate::fleet::{Blind, BlindCause, GpuFleet};
use crate::view::{format, reasons};

/// Instances whose telemetry is missing for the same cause.
#[derive(Clone, Debug, PartialEq)]
pub struct BlindGroup {
    /// Why it is missing.
    pub cause: BlindCause,
    /// Indices in the fleet's `blind`, the most expensive first.
    pub instances: Vec<u32>,
    /// Number of devices that no source reports.
    pub missing: u32,
    /// Number of devices of these instances by their types.
    pub devices: u32,
    /// Burn of the unreported devices with a price, USD/h.
    pub usd_per_hour: f64,
    /// Number of instances without a price.
    pub unpriced: u32,
}

/// Missing GPU telemetry of the fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlindPanel {
    /// Number of instances that lack any.
    pub instances: u32,
    /// Number of devices that no source reports.
    pub missing: u32,
    /// Burn of the unreported devices with a price, USD/h.
    pub usd_per_hour: f64,
    /// Number of instances without a price.
    pub unpriced: u32,
    /// Instances by cause, the most expensive first.
    pub groups: Vec<BlindGroup>,
}

impl BlindPanel {
    /// `GPU telemetry missing on 3 instances ($48.87/h burns unseen)`; `None` where none is missing.
    pub fn sentence(&self) -> Option<String> {
        (self.instances > 0).then(|| {
            let noun = instances(self.instances);
            let money = blind_money(self.instances, self.unpriced, self.usd_per_hour);
            format!("GPU telemetry missing on {noun} ({money})")
        })
    }

    /// One line per fix: `2 instances, 9 of 16 GPUs, $21.96/h: start dcgm-exporter …`.
    pub fn fixes(&self) -> impl Iterator<Item = String> + '_ {
        self.groups.iter().map(BlindGroup::sentence)
    }
}

impl BlindGroup {
    /// `2 instances, 9 of 16 GPUs unseen ($21.96/h burns unseen): start dcgm-exporter on the node`.
    pub fn sentence(&self) -> String {
        let count = self.instances.len() as u32;
        let money = blind_money(count, self.unpriced, self.usd_per_hour);
        let (missing, devices, fix) = (self.missing, self.devices, reasons::blind(&self.cause));
        format!("{}, {missing} of {devices} GPUs unseen ({money}): {fix}", instances(count))
    }
}

fn instances(count: u32) -> String {
    format::plural(count as usize, "instance")
}

fn blind_money(instances: u32, unpriced: u32, usd_per_hour: f64) -> String {
    // Nothing priced: the sum is not 0, it is not known.
    if unpriced == instances {
        return "price not known".to_owned();
    }
    let rate = format::usd_per_hour(usd_per_hour);
    match unpriced {
        0 => format!("{rate} burns unseen"),
        n => format!("{rate} burns unseen, {n} without a price"),
    }
}

/// Sums up the telemetry that `fleet` lacks.
pub fn blind(fleet: &GpuFleet) -> BlindPanel {
    let mut panel = BlindPanel::default();
    for (i, one) in fleet.blind.iter().enumerate() {
        let at = panel.groups.iter().position(|g| g.cause == one.cause).unwrap_or_else(|| {
            panel.groups.push(BlindGroup {
                cause: one.cause.clone(),
                instances: Vec::new(),
                missing: 0,
                devices: 0,
                usd_per_hour: 0.0,
                unpriced: 0,
            });
            panel.groups.len() - 1
        });
        let group = &mut panel.groups[at];
        group.instances.push(i as u32);
        group.missing += one.missing;
        group.devices += one.devices;
        match one.usd_per_hour {
            Some(usd) => group.usd_per_hour += usd,
            None => group.unpriced += 1,
        }
    }
    let rate = |i: &u32| fleet.blind.get(*i as usize).and_then(|b: &Blind| b.usd_per_hour);
    for group in &mut panel.groups {
        // `None` is less than any price.
        group.instances.sort_by(|a, b| {
            let (a, b) = (rate(a).unwrap_or(-1.0), rate(b).unwrap_or(-1.0));
            b.total_cmp(&a)
        });
        panel.instances += group.instances.len() as u32;
        panel.missing += group.missing;
        panel.usd_per_hour += group.usd_per_hour;
        panel.unpriced += group.unpriced;
    }
    panel.groups.sort_by(|a, b| b.usd_per_hour.total_cmp(&a.usd_per_hour));
    panel
}
