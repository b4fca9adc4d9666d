//! Settings of what is read of storage, from the configuration.

use std::sync::Arc;

use jiff::SignedDuration;

use super::telemetry::{StoragePart, Want};
use crate::bus::{Beside, StorageRead, StorageSettings};
use crate::config::Config;

/// Parts of storage that a run reads; reports about instances and GPUs read none.
pub fn of(config: &Config, want: Want) -> StorageSettings {
    use StorageRead::{Always, Never};
    match want {
        Want::Storage(StoragePart::Buckets) => with(config, Always, Never, Beside::Nothing),
        Want::Storage(StoragePart::Ebs) => with(config, Never, Always, Beside::Inventory),
        Want::All | Want::Free | Want::Local => with(config, Never, Never, Beside::All),
    }
}

/// Settings for volumes and snapshots only: what a stopped instance keeps paying for.
pub fn of_volumes(config: &Config) -> StorageSettings {
    with(config, StorageRead::Never, StorageRead::Always, Beside::All)
}

/// Settings for all that the Overview sums: buckets too, unless reading them in the background is switched off.
pub fn of_overview(config: &Config) -> StorageSettings {
    let buckets = match config.storage.background {
        true => StorageRead::Always,
        false => StorageRead::Never,
    };
    with(config, buckets, StorageRead::Always, Beside::All)
}

/// Settings of the cockpit: as [`of_overview`], read in the background.
pub fn of_cockpit(config: &Config) -> StorageSettings {
    let read = match config.storage.background {
        true => StorageRead::Always,
        false => StorageRead::WhenWanted,
    };
    with(config, read, read, Beside::All)
}

fn with(
    config: &Config,
    buckets: StorageRead,
    ebs: StorageRead,
    beside: Beside,
) -> StorageSettings {
    let storage = &config.storage;
    let minutes = |n: u32| SignedDuration::from_mins(n.into());
    let region = |name: &String| Arc::<str>::from(name.as_str());
    StorageSettings {
        buckets,
        ebs,
        beside,
        include: storage.buckets.clone(),
        exclude: storage.exclude.clone(),
        regions: storage.regions.as_ref().map(|all| all.iter().map(region).collect()),
        price_region: storage.price_region.as_ref().map(region),
        list_every: minutes(storage.list_every_minutes),
        facts_every: minutes(storage.facts_every_minutes),
        sizes_every: SignedDuration::from_hours(storage.sizes_every_hours.into()),
        ebs_every: minutes(storage.ebs_every_minutes),
    }
}
