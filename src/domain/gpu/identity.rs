//! Identity of a GPU: its host, index, UUID and slice.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::host::HostNames;
use crate::domain::intern;

/// A MIG slice of a partitioned GPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mig {
    /// GPU instance id within its GPU (`GPU_I_ID`).
    pub gpu_instance: u32,
    /// Profile, such as `1g.10gb`; empty when unknown.
    #[serde(deserialize_with = "intern::text")]
    pub profile: Arc<str>,
}

impl Mig {
    /// Compute slices of the profile, 1–7: the number before `g`. `None` when the profile is unknown or malformed.
    pub fn slices(&self) -> Option<u32> {
        let (digits, _) = self.profile.split_once('g')?;
        // `1c.2g.10gb` is a compute instance within a GPU instance of 2 slices.
        let digits = digits.rsplit('.').next()?;
        digits.parse().ok().filter(|n| (1..=7).contains(n))
    }
}

/// Identity of a GPU as one source reports it. Clean text; shared by all samples of the GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GpuIdentity {
    /// UUID of the physical device, `GPU-…`; `None` when the source does not report it or masks it with zeros. Trainium
    /// and Inferentia devices have none.
    pub uuid: Option<Arc<str>>,
    /// MIG slice that the sample is about; `None` for a whole GPU.
    pub mig: Option<Mig>,
    /// Index on its host, as the driver counts; `None` when the source does not report it.
    pub index: Option<u16>,
    /// Model as the source names it: `NVIDIA H100 80GB HBM3`; empty when not known.
    #[serde(deserialize_with = "intern::text")]
    pub model: Arc<str>,
    /// PCI bus id; empty when not known.
    #[serde(deserialize_with = "intern::text")]
    pub pci_bus_id: Arc<str>,
    /// Names of the host that it sits in.
    pub host: HostNames,
}

/// Key of a GPU over all sources and hosts. The UUID identifies the device wherever it is read, the GPU instance its
/// slices; without a UUID host and index do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuKey {
    /// UUID, or `host/index` without one.
    pub device: Arc<str>,
    /// GPU instance id of a MIG slice; `None` for a whole GPU.
    pub gpu_instance: Option<u32>,
}

impl GpuIdentity {
    /// Key from the UUID; `None` without one.
    pub fn key(&self) -> Option<GpuKey> {
        let device = self.uuid.clone()?;
        Some(GpuKey { device, gpu_instance: self.mig.as_ref().map(|m| m.gpu_instance) })
    }

    /// Key from this identity alone: without a UUID from the instance it names, else from its host. A GPU that is
    /// matched to an instance by other names has another key in the fleet.
    pub fn own_key(&self) -> GpuKey {
        let host = &self.host;
        self.key_on(host.instance_id.as_deref().unwrap_or_else(|| host.shown()))
    }

    /// Key of the GPU; without a UUID it is built from `host` (an instance id, or the name on screen) and the index.
    pub fn key_on(&self, host: &str) -> GpuKey {
        self.key().unwrap_or_else(|| GpuKey {
            device: match self.index {
                Some(index) => format!("{host}/{index}").into(),
                None => host.into(),
            },
            gpu_instance: self.mig.as_ref().map(|m| m.gpu_instance),
        })
    }
}

impl std::fmt::Display for GpuKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.gpu_instance {
            Some(gi) => write!(f, "{}/gi{gi}", self.device),
            None => f.write_str(&self.device),
        }
    }
}

/// UUID in the driver's form, `GPU-` and lower case, whatever form the source uses; `None` for a masked (all zeros) or
/// empty one. `MIG-…` UUIDs of slices are kept.
pub fn uuid(raw: &str) -> Option<Arc<str>> {
    let raw = raw.trim();
    let bare = raw.strip_prefix("GPU-").or_else(|| raw.strip_prefix("gpu-")).unwrap_or(raw);
    if bare.is_empty() || bare.bytes().all(|b| matches!(b, b'0' | b'-')) {
        return None;
    }
    if bare.starts_with("MIG-") {
        return Some(bare.into());
    }
    Some(format!("GPU-{}", bare.to_ascii_lowercase()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_device_has_one_uuid_however_it_is_written() {
        let want = Some(Arc::from("GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03"));
        assert_eq!(uuid("GPU-6085db41-848b-e6eb-82c2-6abd7b0d0c03"), want);
        assert_eq!(uuid("6085DB41-848b-e6eb-82c2-6abd7b0d0c03"), want);
        assert_eq!(uuid("00000000-0000-0000-0000-000000000000"), None, "masked");
        assert_eq!(uuid("GPU-00000000-0000-0000-0000-000000000000"), None);
        assert_eq!(uuid(" "), None);
        assert_eq!(uuid("MIG-5c89").as_deref(), Some("MIG-5c89"));
    }

    #[test]
    fn slices_are_read_from_the_profile() {
        let mig = |profile: &str| Mig { gpu_instance: 1, profile: profile.into() }.slices();
        assert_eq!(mig("1g.10gb"), Some(1));
        assert_eq!(mig("3g.40gb"), Some(3));
        assert_eq!(mig("1g.10gb+me"), Some(1));
        assert_eq!(mig("1c.2g.20gb"), Some(2));
        assert_eq!(mig(""), None);
        assert_eq!(mig("9g.1gb"), None);
    }
}
