//! The lists of what could be saved, by name.

use super::picture::{CommitmentField, ProposalField, ResourceField, SpotField};
use super::state::SavingsLook;
use crate::app::{App, ListSpec};
use crate::view::TableField;

macro_rules! list {
    ($look:ident, $field:ty, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: <$field>::table,
            list: |app| app.tabs.savings.list(SavingsLook::$look),
            list_mut: |app| app.tabs.savings.list_mut(SavingsLook::$look),
            show: |app: &mut App| app.go_to_savings(SavingsLook::$look),
            grouping: None,
        }
    };
}

pub(super) const LISTS: &[ListSpec] = &[
    list!(Commitments, CommitmentField, "commitments", "commitments"),
    list!(Proposals, ProposalField, "rightsize", "proposals for smaller sizes"),
    list!(Spot, SpotField, "spot", "what could run on Spot"),
    list!(Resources, ResourceField, "resources", "idle resources"),
];
