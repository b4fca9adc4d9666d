//! What part of its instance a GPU is.

use std::sync::Arc;

use crate::domain::gpu::model;
use crate::domain::{FastMap, GpuModel, TypeSpec};

/// Compute slices of a GPU whose model is not known: what the data-centre models have.
const SLICES: u32 = 7;

/// Compute slices of a whole GPU of a model.
pub fn mig_slices(model: Option<&GpuModel>) -> u32 {
    model.and_then(|m| m.mig_slices).unwrap_or(SLICES)
}

/// A GPU, or a slice of one, on an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Id of the physical device on its host: its index, else its UUID.
    pub device: Arc<str>,
    /// Compute slices of its profile, 0 for an unknown profile; `None` for a whole GPU.
    pub slices: Option<u32>,
}

/// Share of one part in the instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// GPU equivalents of the part.
    pub equivalents: f64,
    /// Share of the instance's price, 0–1; `None` when the instance type is unknown.
    pub of_price: Option<f64>,
    /// True for a whole GPU that also reports slices: its row is the unallocated rest.
    pub is_rest: bool,
    /// For a rest: true when the slices take the whole GPU.
    pub is_empty: bool,
}

/// Shares of the parts of one instance, in their order.
///
/// A device is an equal part of the instance: equivalents ÷ devices (a fractional type has one device of 0.125). When
/// more devices are reported than the type has, they divide the price all the same: the sum never exceeds the
/// instance's price. A slice has its compute slices ÷ those of the device's model
/// ([`crate::domain::gpu::GpuModel::mig_slices`]); an unknown profile counts as one. A whole device among the parts
/// becomes the rest that no slice uses, so that the parts of a device add up to it. Slices that add up to more than the
/// device share it in proportion.
pub fn share(parts: &[Part], spec: Option<&TypeSpec>) -> Vec<Share> {
    let sliced = parts.iter().any(|p| p.slices.is_some());
    let mut made: FastMap<&str, f64> = FastMap::default();
    made.reserve(parts.len());
    for part in parts {
        let sum = made.entry(&part.device).or_default();
        *sum += part.slices.map_or(0.0, |n| f64::from(n.max(1)));
    }
    let devices = spec.map(TypeSpec::devices).unwrap_or_default().max(made.len() as u32).max(1);
    let equivalents = spec.map(TypeSpec::gpus).filter(|g| *g > 0.0);
    let each = equivalents.map_or(1.0, |g| g / f64::from(devices));
    let price = equivalents.map(|_| 1.0 / f64::from(devices));
    let model = spec.and_then(|s| s.accelerator.as_ref()).and_then(|a| model(&a.model));
    let whole = f64::from(mig_slices(model));
    parts
        .iter()
        .map(|part| {
            let total = if sliced { made.get(&*part.device).copied().unwrap_or(0.0) } else { 0.0 };
            let (of_device, is_rest) = match part.slices {
                Some(n) => (f64::from(n.max(1)) / total.max(whole), false),
                None if total > 0.0 => ((whole - total).max(0.0) / whole, true),
                None => (1.0, false),
            };
            Share {
                equivalents: each * of_device,
                of_price: price.map(|p| p * of_device),
                is_rest,
                is_empty: is_rest && total >= whole,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Accelerator, AcceleratorKind, Provenance};

    fn spec(devices: u32, equivalents: f64) -> TypeSpec {
        TypeSpec {
            name: "x".into(),
            vcpus: 4,
            memory_mib: 1024,
            accelerator: Some(Accelerator {
                kind: AcceleratorKind::NvidiaGpu,
                model: "L4".into(),
                devices,
                equivalents,
                memory_mib: 0,
            }),
            instance_store_gb: 0,
            network: "".into(),
            provenance: Provenance::Demo,
        }
    }

    fn part(device: u32, slices: Option<u32>) -> Part {
        Part { device: device.to_string().into(), slices }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn whole_gpus_share_equally_and_a_fraction_is_one_device() {
        let eight: Vec<Part> = (0..8).map(|i| part(i, None)).collect();
        for s in share(&eight, Some(&spec(8, 8.0))) {
            close(s.equivalents, 1.0);
            close(s.of_price.unwrap(), 0.125);
        }
        let one = share(&[part(0, None)], Some(&spec(1, 0.125)));
        close(one[0].equivalents, 0.125);
        close(one[0].of_price.unwrap(), 1.0);
        assert_eq!(share(&[part(0, None)], None)[0].of_price, None);
    }

    #[test]
    fn slices_and_their_rest_add_up_to_the_gpu() {
        let parts = [part(0, Some(1)), part(0, Some(3)), part(0, None)];
        let got = share(&parts, Some(&spec(1, 1.0)));
        close(got[0].equivalents, 1.0 / 7.0);
        close(got[1].equivalents, 3.0 / 7.0);
        close(got[2].equivalents, 3.0 / 7.0);
        assert!(got[2].is_rest && !got[2].is_empty);
        close(got.iter().filter_map(|s| s.of_price).sum(), 1.0);
        let full: Vec<Part> = (0..7).map(|_| part(0, Some(1))).chain([part(0, None)]).collect();
        let got = share(&full, Some(&spec(1, 1.0)));
        assert!(got[7].is_rest && got[7].is_empty);
        close(got.iter().filter_map(|s| s.of_price).sum(), 1.0);
        let many: Vec<Part> = (0..9).map(|_| part(0, Some(0))).collect();
        close(share(&many, Some(&spec(1, 1.0))).iter().filter_map(|s| s.of_price).sum(), 1.0);
    }

    #[test]
    fn a_slice_is_a_part_of_as_many_as_the_model_has() {
        for (name, profiles, whole) in [
            ("RTX PRO Server 6000", [1, 1, 2], 4.0),
            ("RTX PRO 4500", [1, 1, 0], 2.0),
            ("H100", [1, 2, 4], 7.0),
        ] {
            let mut spec = spec(1, 1.0);
            if let Some(accelerator) = &mut spec.accelerator {
                accelerator.model = name.into();
            }
            let parts: Vec<Part> =
                profiles.iter().filter(|n| **n > 0).map(|n| part(0, Some(*n))).collect();
            let got = share(&parts, Some(&spec));
            close(got[0].of_price.unwrap(), 1.0 / whole);
            close(got.iter().filter_map(|s| s.of_price).sum(), 1.0);
        }
    }

    #[test]
    fn more_devices_than_the_type_has_do_not_cost_more_than_the_instance() {
        let three: Vec<Part> = (0..3).map(|i| part(i, None)).collect();
        let got = share(&three, Some(&spec(2, 2.0)));
        close(got.iter().filter_map(|s| s.of_price).sum(), 1.0);
        close(got.iter().map(|s| s.equivalents).sum(), 2.0);
    }
}
