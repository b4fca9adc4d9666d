//! Which instances a source of telemetry reads.

use crate::domain::Instance;

/// Which running instances with accelerators are hosts to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ec2Hosts {
    /// All of them.
    All,
    /// Those with this tag: key and value, exactly.
    Tagged(String, String),
}

impl Ec2Hosts {
    /// True for an instance that is read.
    pub fn picks(&self, instance: &Instance) -> bool {
        match self {
            Self::All => true,
            Self::Tagged(key, value) => instance.tags.get(key) == Some(value),
        }
    }
}
