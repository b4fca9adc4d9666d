//! The lists of storage that no subcommand prints: findings, runs, copies.

use std::sync::Arc;

use super::{List, ListField, sources};
use crate::domain::{Reading, SourceId};
use crate::fleet::StorageFleet;
use crate::tabs::storage::picture::{CopyField, FindingField, RunField};
use crate::view::ViewContext;

/// A list of storage with its name and the columns that say which row it is.
macro_rules! list {
    ($field:ident, $view:literal, $sources:ident, [$($identity:ident),+]) => {
        impl ListField for $field {
            type Of = Arc<StorageFleet>;

            const VIEW: &'static str = $view;

            const IDENTITY: &'static [Self] = &[$(Self::$identity),+];

            fn basis(_: &Self::Of) -> String {
                "USD per month of 730 h at list price, a GB is a GiB, volume steps per account and \
                 region; storage alone, without requests and transfer"
                    .to_owned()
            }

            const SOURCES: &'static [SourceId] = sources::$sources;

            fn readings(of: &Self::Of) -> &[Reading] {
                &of.readings
            }

            fn notes(_: &List<Self>, _: &ViewContext) -> Vec<String> {
                Vec::new()
            }
        }
    };
}

list!(FindingField, "storage-findings", STORAGE, [Kind, Subject, Account, Region]);
list!(RunField, "storage-runs", BUCKETS, [Bucket, Prefix]);
list!(CopyField, "storage-copies", BUCKETS, [Bucket, PrefixA, PrefixB]);
