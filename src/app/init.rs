//! What the cockpit starts with, and what it folds from a fleet once.

use std::sync::Arc;

use jiff::Timestamp;

use super::{AccountInfo, Appearance, Intervals, Keymap, Mode, SavedView};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, StorageFleet};

/// What the cockpit starts with.
#[derive(Clone, Debug)]
pub struct AppInit {
    /// The fleet from the cache, if there is one.
    pub fleet: Option<Arc<Fleet>>,
    /// The GPUs from the cache, if there are any.
    pub gpus: Option<Arc<GpuFleet>>,
    /// The storage from the cache, if there is any.
    pub storage: Option<Arc<StorageFleet>>,
    /// Where data come from.
    pub mode: Mode,
    /// Theme, colours, symbols.
    pub appearance: Appearance,
    /// The keys.
    pub keymap: Keymap,
    /// How often the sources are meant to be read.
    pub intervals: Intervals,
    /// Names of the presets to choose from, with a sentence each on where they come from.
    pub presets: Vec<(String, String)>,
    /// The preset in force.
    pub preset: String,
    /// Saved views.
    pub views: Vec<SavedView>,
    /// The accounts, where they are known already.
    pub accounts: Vec<AccountInfo>,
    /// Mouse reporting is on.
    pub mouse: bool,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The time.
    pub now: Timestamp,
}

/// What is folded from a fleet once, not for each frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Accounts with a reading or an instance.
    pub accounts: Vec<Arc<str>>,
    /// Regions with a reading or an instance, sorted.
    pub regions: Vec<String>,
}

impl Extent {
    pub(super) fn of(fleet: &Fleet) -> Self {
        let mut extent = Self::default();
        let scopes = fleet
            .readings
            .iter()
            // What tells of GPUs is named by the configuration, not by an account.
            .filter(|r| !r.source.is_gpu())
            .map(|r| &r.scope)
            .chain(fleet.rows.iter().map(|r| &r.instance.scope));
        for scope in scopes {
            // Until an account says who it is, what fails there has only its label.
            let known = scope.account.bytes().all(|b| b.is_ascii_digit());
            if known && !extent.accounts.contains(&scope.account) {
                extent.accounts.push(scope.account.clone());
            }
            if &*scope.region != "-" && !extent.regions.iter().any(|r| **r == *scope.region) {
                extent.regions.push(scope.region.to_string());
            }
        }
        extent.regions.sort_unstable();
        extent
    }
}
