//! Limits of the evidence of a verdict.

use std::sync::Arc;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

use super::once_text::{self, OnceText};
use crate::domain::{ResourceKind, intern};

/// What a verdict does not rest on and could matter. Tapes of older versions have a clause instead: it is read as
/// [`Unchecked::Text`], and written as they did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub enum Unchecked {
    /// Memory.
    Memory,
    /// EFA and RDMA traffic.
    Efa,
    /// Accelerators without a source of telemetry.
    Accelerators,
    /// GPUs, which the policy does not look at.
    GpusByPolicy,
    /// Disks of the instance store.
    InstanceStore,
    /// Network, which the policy does not look at.
    NetworkByPolicy,
    /// EBS, which the policy does not look at.
    EbsByPolicy,
    /// EBS of a type that does not report it.
    EbsUnreported,
    /// EBS of a type that does not report it; that of its volumes stands in.
    EbsByVolumes,
    /// Signals that could not change the verdict.
    NotFetched,
    /// Nothing: whose criterion a kind of resource is judged by.
    Criterion(ResourceKind),
    /// What could matter beside the signals of a kind of resource.
    Beside(ResourceKind),
    /// GPUs of an endpoint whose types have none, as far as is known.
    NoGpus,
    /// How long `WebSockets` last and what they carry.
    WebSockets,
    /// Clause of a version that kept no values; clean text.
    Text(Arc<str>),
}

impl From<&str> for Unchecked {
    fn from(text: &str) -> Self {
        Self::Text(intern::shared(text))
    }
}

impl OnceText for Unchecked {
    fn own<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }

    fn of_text(text: &str) -> Self {
        text.into()
    }
}

impl Serialize for Unchecked {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) if to.is_human_readable() => text.serialize(to),
            _ => Self::serialize(self, to),
        }
    }
}

impl<'de> Deserialize<'de> for Unchecked {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        once_text::read(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_from_the_cache_and_from_tapes_and_a_clause_of_an_older_one_does() {
        let some = [
            Unchecked::Memory,
            Unchecked::Criterion(ResourceKind::Endpoint),
            "memory".into(),
            "Text".into(),
        ];
        let bytes = postcard::to_stdvec(&some).unwrap();
        assert_eq!(postcard::from_bytes::<[Unchecked; 4]>(&bytes).unwrap(), some);
        let json = serde_json::to_string(&some).unwrap();
        assert_eq!(json, r#"["Memory",{"Criterion":"endpoint"},"memory","Text"]"#);
        assert_eq!(serde_json::from_str::<[Unchecked; 4]>(&json).unwrap(), some);
    }
}
