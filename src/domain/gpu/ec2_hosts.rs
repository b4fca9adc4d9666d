//! Which instances a source of telemetry reads.

use crate::domain::Instance;

/// Which running EC2 instances with accelerators a telemetry source reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ec2Hosts {
    /// Every running instance with accelerators.
    All,
    /// Those with this tag; key and value match exactly.
    Tagged(String, String),
}

impl Ec2Hosts {
    /// True when the source reads `instance`.
    pub fn picks(&self, instance: &Instance) -> bool {
        match self {
            Self::All => true,
            Self::Tagged(key, value) => instance.tags.get(key) == Some(value),
        }
    }
}
