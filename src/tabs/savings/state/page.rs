//! The pages of the lists.

use std::sync::Arc;

/// A page above a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavingsPage {
    /// A commitment, by its id.
    Commitment(Arc<str>),
    /// A proposal, by its instance.
    Proposal(Arc<str>),
    /// What Spot would make of an instance.
    Spot(Arc<str>),
    /// A resource, by its id.
    Resource(Arc<str>),
}

impl SavingsPage {
    /// Its name, for the line above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Commitment(_) => "Commitment",
            Self::Proposal(_) => "Right-size",
            Self::Spot(_) => "Spot",
            Self::Resource(_) => "Why",
        }
    }

    /// What it is about.
    pub fn id(&self) -> &Arc<str> {
        match self {
            Self::Commitment(id) | Self::Proposal(id) | Self::Spot(id) | Self::Resource(id) => id,
        }
    }
}
