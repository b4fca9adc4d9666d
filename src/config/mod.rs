//! File, environment and flags become one validated [`Config`].
//!
//! Precedence: flag, then `BURNTOP_*` variable, then the TOML file, then the default. Each of the
//! first three is read into the same [`FileConfig`] (all of it optional), checked with the place
//! it came from, and laid over the next. The JSON schema of [`FileConfig`] is the one table of
//! keys: unknown keys, wrong types and the text of "accepted" all follow from it.

pub mod actions;
pub mod bill;
pub mod check;
pub mod commitments;
pub mod env;
pub mod error;
pub mod file;
pub mod gpus;
pub mod job_trackers;
pub mod jobs;
mod kubernetes;
pub mod load;
pub mod organization;
pub mod parse;
pub mod paths;
pub mod people;
pub mod prices;
pub mod print;
pub mod resolve;
pub mod schema;
pub mod secret;
pub mod spot;
pub mod storage;
pub mod teams;
pub mod template;
pub mod validate;
pub mod views;
pub mod vocabulary;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use actions::{ActionsConfig, AuditCopy};
pub use bill::BillConfig;
pub use commitments::CommitmentsConfig;
pub use env::Env;
pub use error::{ConfigError, Notice, Place, Problem};
pub use file::{ColorChoice, FileConfig, RegionsText, SavedView, SymbolChoice};
pub use gpus::{
    ExportersSection, FlavourChoice, GpusConfig, PrometheusSection, SshSection, ec2_hosts,
};
pub use job_trackers::{MlFlowSection, RaySection};
pub use jobs::{AccountSection, JobsConfig, SlurmSection};
pub use kubernetes::KubernetesSection;
pub use load::{Loaded, load};
pub use organization::{Found, OrganizationConfig, OrganizationSection};
pub use parse::strict as strict_document;
pub use paths::Paths;
pub use people::PeopleConfig;
pub use prices::PricesConfig;
pub use schema::schema_of;
pub use secret::Secret;
pub use spot::SpotConfig;
pub use storage::StorageConfig;
pub use teams::{CountSource, TeamsConfig};
pub use vocabulary::Vocabulary;

use crate::domain::{Regions, TagKeys};

/// Everything the user can decide, validated: no name in it is unknown, no figure out of range.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The accounts to read, in order; never empty.
    pub targets: Vec<Target>,
    /// Entries of `accounts` that this run does not read, because other profiles were named. What
    /// they pin holds all the same.
    pub unread: Vec<Target>,
    /// Accounts that are found instead of typed; `None` where there is no such section.
    pub organization: Option<OrganizationConfig>,
    /// Which tag keys carry the allocation dimensions.
    pub tag_keys: TagKeys,
    /// Name of the idle preset.
    pub preset: String,
    /// Presets of the user's own, by name, as they stand in the file.
    pub custom_presets: BTreeMap<String, toml::Table>,
    /// What burntop may spend on billed API calls per UTC day, USD; 0 allows none.
    pub own_cost_cap_usd_per_day: f64,
    /// Bounds of what may be changed.
    pub actions: ActionsConfig,
    /// Where GPU telemetry comes from.
    pub gpus: GpusConfig,
    /// Which buckets are read, and how often.
    pub storage: StorageConfig,
    /// Which work may run on Spot.
    pub spot: SpotConfig,
    /// How Reserved Instances and Savings Plans are applied.
    pub commitments: CommitmentsConfig,
    /// Where bills are exported to, and which tags tell work apart.
    pub bill: BillConfig,
    /// Where jobs are read.
    pub jobs: JobsConfig,
    /// Whose the money is, and what it may be.
    pub teams: TeamsConfig,
    /// Time that the infrastructure takes, and tools that are kept.
    pub people: PeopleConfig,
    /// Prices of one's own.
    pub prices: PricesConfig,
    /// The cache.
    pub cache: CacheConfig,
    /// The screen.
    pub ui: UiConfig,
    /// Key bindings that differ from the built-in ones: action to keys.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Saved views by name.
    pub views: BTreeMap<String, SavedView>,
}

/// One account to read and how to get into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The name shown: the account's name in the config, else the profile, else `default`.
    pub label: String,
    /// AWS profile; `None` is the default credential chain.
    pub profile: Option<String>,
    /// Role to assume from there.
    pub role_arn: Option<String>,
    /// External id that the role asks for.
    pub external_id: Option<Secret>,
    /// The account's id as the entry gives it, 12 digits; `None` where it gives none.
    pub account_id: Option<String>,
    /// Where to look.
    pub regions: Regions,
    /// True for accounts whose header is tinted and whose changes need a justification.
    pub production: bool,
    /// True when nothing in the account may be changed.
    pub read_only: bool,
    /// True when the account's own key allows changes.
    pub allow_actions: bool,
}

impl Target {
    /// True when the entry says that less may be done in its account than elsewhere.
    pub fn is_pinned(&self) -> bool {
        self.read_only || self.production
    }

    /// Account ids in the entry: its own key, and the one in the ARN of its role. Empty where only its credentials show
    /// the account.
    pub fn named_accounts(&self) -> impl Iterator<Item = &str> {
        let of_role = self.role_arn.as_deref().and_then(role_account);
        self.account_id.as_deref().into_iter().chain(of_role)
    }

    /// True when both are reached by the same credentials, and so are one account.
    pub fn has_credentials_of(&self, other: &Self) -> bool {
        self.profile == other.profile && self.role_arn == other.role_arn
    }
}

/// The account in the ARN of a role, in any partition; `None` where there are not 12 digits.
pub fn role_account(arn: &str) -> Option<&str> {
    arn.split(':').nth(4).filter(|id| crate::domain::is_account_id(id))
}

/// The id of an account that is named by its id, or as an entry of `accounts` that says its id; else what
/// is wrong with the name.
fn named_account(name: &str, accounts: &[file::AccountSection]) -> Result<String, String> {
    if crate::domain::is_account_id(name) {
        return Ok(name.to_owned());
    }
    if let Some(entry) = accounts.iter().find(|a| a.name == name) {
        let of_role = entry.role_arn.as_deref().and_then(role_account);
        let id = entry.account_id.as_deref().or(of_role);
        return id.map(str::to_owned).ok_or_else(|| {
            format!(
                "the id of \"{}\" is not known without its credentials; add `account_id` to its entry",
                crate::domain::text::clean(name)
            )
        });
    }
    let names: Vec<String> = accounts.iter().map(|a| a.name.clone()).collect();
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return Err(actions::account_problem(name).unwrap_or_default());
    }
    Err(validate::unknown_name("account", name, &names))
}

/// Where the cache lies and how large it may grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// Upper bound in MB (10⁶ bytes).
    pub max_mb: u32,
    /// The database file, where it is not the platform's.
    pub path: Option<PathBuf>,
}

impl CacheConfig {
    /// The bound in bytes.
    pub fn max_bytes(&self) -> u64 {
        u64::from(self.max_mb) * 1_000_000
    }
}

/// How the screen looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiConfig {
    /// Name of the theme; `None` lets the screen choose by the terminal's colours.
    pub theme: Option<String>,
    /// Glyphs.
    pub symbols: SymbolChoice,
    /// Mouse clicks and wheel.
    pub mouse: bool,
    /// Colours.
    pub color: ColorChoice,
    /// Graphs of braille dots instead of blocks.
    pub braille: bool,
}

/// Default of `idle.preset`.
pub const DEFAULT_PRESET: &str = "cautious";
/// Default of `own_cost.cap_usd_per_day`, USD.
pub const DEFAULT_CAP_USD_PER_DAY: f64 = 1.0;
/// Default of `cache.max_mb`, MB (10⁶ bytes).
pub const DEFAULT_CACHE_MB: u32 = 512;

#[cfg(test)]
mod hostile;
