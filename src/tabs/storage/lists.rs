//! The lists of the Storage tab, by name.

use super::picture::{BlockField, BucketField, CopyField, FindingField, PrefixField, RunField};
use super::state::StorageLook;
use crate::app::{App, ListSpec};
use crate::view::TableField;

macro_rules! list {
    ($look:ident, $field:ty, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: <$field>::table,
            list: |app| app.tabs.storage.list(StorageLook::$look),
            list_mut: |app| app.tabs.storage.list_mut(StorageLook::$look),
            show: |app: &mut App| app.go_to_storage(StorageLook::$look),
            grouping: None,
        }
    };
}

pub(super) const LISTS: &[ListSpec] = &[
    list!(Buckets, BucketField, "buckets", "buckets"),
    list!(Explorer, PrefixField, "explore", "prefixes and objects"),
    list!(Findings, FindingField, "findings", "findings about storage"),
    list!(Blocks, BlockField, "ebs", "volumes and snapshots"),
    list!(Runs, RunField, "runs", "training runs"),
    list!(Copies, CopyField, "copies", "copies"),
];
