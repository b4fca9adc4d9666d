//! What the cockpit starts with, and what it folds from a fleet once.

use std::sync::Arc;

use jiff::Timestamp;

use super::{AccountInfo, Appearance, Intervals, Keymap, Mode, SavedView};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, StorageFleet};

/// Initial state of the cockpit.
#[derive(Clone, Debug)]
pub struct AppInit {
    /// Cached fleet; `None` without one.
    pub fleet: Option<Arc<Fleet>>,
    /// Cached GPUs; `None` without any.
    pub gpus: Option<Arc<GpuFleet>>,
    /// Cached storage; `None` without any.
    pub storage: Option<Arc<StorageFleet>>,
    /// Origin of the data: live, cache, demo or a recording.
    pub mode: Mode,
    /// Theme, colours, characters.
    pub appearance: Appearance,
    /// Keys in force.
    pub keymap: Keymap,
    /// Intervals at which the sources are read.
    pub intervals: Intervals,
    /// Presets to choose from: name, and one sentence on their source.
    pub presets: Vec<(String, String)>,
    /// Name of the preset in use.
    pub preset: String,
    /// Saved views.
    pub views: Vec<SavedView>,
    /// Accounts, as far as known.
    pub accounts: Vec<AccountInfo>,
    /// True with mouse reporting.
    pub mouse: bool,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Current time.
    pub now: Timestamp,
}

/// Accounts and regions of a fleet, collected once per fleet.
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
