//! The pages of the lists, and what is exported of them.

use std::sync::Arc;

use crate::fleet::savings::{CommitmentRow, Proposal, SpotRow};
use crate::view::savings::{
    CommitmentField, ProposalField, ResourceField, ResourceItem, SpotField,
};

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

/// Rows of a list as they are exported: those on screen, in their order, with their columns.
#[derive(Clone, Debug, PartialEq)]
pub enum SavingsRows {
    /// Commitments.
    Commitments(Vec<Arc<CommitmentRow>>, Vec<CommitmentField>),
    /// Proposals.
    Proposals(Vec<Arc<Proposal>>, Vec<ProposalField>),
    /// Spot.
    Spot(Vec<Arc<SpotRow>>, Vec<SpotField>),
    /// Resources.
    Resources(Vec<Arc<ResourceItem>>, Vec<ResourceField>),
}

impl SavingsRows {
    /// The name of the view in exports.
    pub fn view(&self) -> &'static str {
        match self {
            Self::Commitments(..) => "commitments",
            Self::Proposals(..) => "rightsize",
            Self::Spot(..) => "spot",
            Self::Resources(..) => "resources",
        }
    }
}
