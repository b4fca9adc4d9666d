//! `[commitments]`: how Reserved Instances and Savings Plans are applied.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How Reserved Instances and Savings Plans are applied.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CommitmentsSection {
    /// Discounts are shared: commitments of an account also serve the others that are read, after
    /// its own usage. The default of AWS Organizations; false where it was switched off.
    pub sharing: Option<bool>,
}

/// `[commitments]`, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitmentsConfig {
    /// Discounts are shared between the accounts.
    pub sharing: bool,
}

impl Default for CommitmentsConfig {
    fn default() -> Self {
        Self::of(&CommitmentsSection::default())
    }
}

impl CommitmentsSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        Self { sharing: self.sharing.or(under.sharing) }
    }
}

impl CommitmentsConfig {
    /// From checked values.
    pub(super) fn of(section: &CommitmentsSection) -> Self {
        Self { sharing: section.sharing.unwrap_or(true) }
    }

    /// Back to the form of the file.
    pub(super) fn section(self) -> CommitmentsSection {
        CommitmentsSection { sharing: Some(self.sharing) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_are_shared_unless_a_layer_says_otherwise() {
        let section = |text: &str| toml::from_str::<CommitmentsSection>(text).unwrap();
        assert!(CommitmentsConfig::default().sharing);
        let off = section("").over(section("sharing = false"));
        assert!(!CommitmentsConfig::of(&off).sharing);
        let on = section("sharing = true").over(section("sharing = false"));
        assert!(CommitmentsConfig::of(&on).sharing);
        let config = CommitmentsConfig { sharing: false };
        assert_eq!(CommitmentsConfig::of(&config.section()), config);
    }
}
