//! The shape of the configuration file. Every part is optional; the same shape carries the
//! environment and the flags. The doc comments are the descriptions in the JSON schema.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bill::BillSection;
use super::commitments::CommitmentsSection;
use super::gpus::GpusSection;
use super::jobs::JobsSection;
use super::organization::OrganizationSection;
use super::people::PeopleSection;
use super::prices::PricesSection;
use super::secret::Secret;
use super::spot::SpotSection;
use super::storage::StorageSection;
use super::teams::{BudgetSection, QuotaSection, TeamsSection, UnitSection};
use crate::domain::Regions;

/// Configuration of burntop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "burntop")]
pub struct FileConfig {
    /// AWS profiles to read side by side; a name from `accounts` is accepted too. Without any, the
    /// default credential chain is used.
    pub profiles: Option<Vec<String>>,
    /// Regions to read: a list of codes, or "all" for those enabled in the account. Without it,
    /// the region of the profile.
    pub regions: Option<RegionsText>,
    /// Accounts with a name, a role to assume and rules of their own.
    pub accounts: Option<Vec<AccountSection>>,
    /// Accounts of an organization, found by `organizations:ListAccounts` instead of typed.
    pub organization: Option<OrganizationSection>,
    /// Which tag keys mean team, project, environment and cost center; compared without regard to
    /// case, the first key that a resource has wins.
    pub tags: TagSection,
    /// How idleness is judged.
    pub idle: IdleSection,
    /// What burntop may spend itself.
    pub own_cost: OwnCostSection,
    /// Bounds of what may be changed, where changing is allowed at all.
    pub actions: ActionsSection,
    /// Where GPU telemetry comes from.
    pub gpus: GpusSection,
    /// Which buckets are read, and how often.
    pub storage: StorageSection,
    /// Which work may run on Spot, and what is assumed of it.
    pub spot: SpotSection,
    /// How Reserved Instances and Savings Plans are applied.
    pub commitments: CommitmentsSection,
    /// Where bills are exported to, and which tags tell work apart.
    pub bill: BillSection,
    /// Where jobs are read: schedulers, and services that run jobs.
    pub jobs: JobsSection,
    /// Whose the money is, beyond the tags.
    pub teams: TeamsSection,
    /// What may be spent: a limit in dollars for any part of the bill.
    pub budgets: Option<Vec<BudgetSection>>,
    /// How much a team may run at once.
    pub quotas: Option<Vec<QuotaSection>>,
    /// What one prediction, one run or one of anything else costs.
    pub units: Option<Vec<UnitSection>>,
    /// Engineering time that the infrastructure takes, tools that are kept, and what automation would return.
    pub people: PeopleSection,
    /// Prices that no API tells: discounts, private rates, Capacity Blocks.
    pub prices: PricesSection,
    /// The cache on disk.
    pub cache: CacheSection,
    /// The screen.
    pub ui: UiSection,
    /// Key bindings: action to list of keys, for example `quit = ["q", "ctrl-c"]`. An empty list
    /// takes the keys away.
    pub keys: BTreeMap<String, Vec<String>>,
    /// Views by name.
    pub views: BTreeMap<String, SavedView>,
}

/// Regions: a list or all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RegionsText {
    /// Every region that is enabled in the account.
    All(AllWord),
    /// These region codes.
    List(Vec<String>),
}

impl RegionsText {
    /// From words as typed: `all` alone means all.
    pub fn of(words: &[String]) -> Self {
        match words {
            [one] if one == "all" => Self::All(AllWord::All),
            _ => Self::List(words.to_vec()),
        }
    }
}

impl From<&RegionsText> for Regions {
    /// Each code once; an empty list is the home region.
    fn from(text: &RegionsText) -> Self {
        match text {
            RegionsText::All(_) => Self::Enabled,
            RegionsText::List(list) if list.is_empty() => Self::Home,
            RegionsText::List(list) => {
                let mut seen = BTreeSet::new();
                Self::named(list.iter().map(String::as_str).filter(|code| seen.insert(*code)))
            }
        }
    }
}

impl RegionsText {
    /// Back to the form of the file, which says nothing of the home region.
    pub(super) fn back(regions: &Regions) -> Option<Self> {
        match regions {
            Regions::Home => None,
            Regions::Named(codes) => {
                Some(Self::List(codes.iter().map(ToString::to_string).collect()))
            }
            Regions::Enabled => Some(Self::All(AllWord::All)),
        }
    }
}

/// The word `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AllWord {
    /// Everything.
    All,
}

/// An account: where its credentials come from and what may be done in it. A misspelt key is an
/// error here, as in every table that bounds what is changed or spent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountSection {
    /// The name shown, and usable with --profile.
    pub name: String,
    /// AWS profile the credentials come from; without it, the default chain.
    pub profile: Option<String>,
    /// Role to assume, `arn:aws:iam::123456789012:role/burntop-read`.
    pub role_arn: Option<String>,
    /// External id that the role asks for. Never shown or logged.
    pub external_id: Option<Secret>,
    /// The id of the account, 12 digits: what this entry pins then holds for that account without
    /// its credentials. Where they answer, they have to name the same one.
    pub account_id: Option<String>,
    /// Regions of this account, instead of the general ones.
    pub regions: Option<RegionsText>,
    /// A production account: its header is tinted, and stopping anything in it needs a reason.
    #[serde(default)]
    pub production: bool,
    /// Nothing in this account may be changed through burntop. Wins over everything that allows it.
    #[serde(default)]
    pub read_only: bool,
    /// Instances of this account may be changed, as with --allow-actions.
    #[serde(default)]
    pub allow_actions: bool,
}

/// Tag keys of the allocation dimensions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TagSection {
    /// Keys that name the team.
    pub team: Option<Vec<String>>,
    /// Keys that name the project.
    pub project: Option<Vec<String>>,
    /// Keys that name the environment.
    pub environment: Option<Vec<String>>,
    /// Keys that name the cost center.
    pub cost_center: Option<Vec<String>>,
}

/// How idleness is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IdleSection {
    /// The preset: a built-in one or one of `idle.presets`.
    pub preset: Option<String>,
    /// Presets of your own, by name.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, serde_json::Value>>")]
    pub presets: BTreeMap<String, toml::Table>,
}

/// What burntop may spend itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OwnCostSection {
    /// Dollars per UTC day for billed API calls, all processes together; at the cap billed sources
    /// stop and say so. 0 allows none.
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub cap_usd_per_day: Option<f64>,
}

/// Bounds of what may be changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ActionsSection {
    /// The most instances that one plan may stop or terminate.
    #[schemars(range(min = 1, max = 1000))]
    pub max_instances: Option<u32>,
    /// The largest share of the fleet that one plan may stop or terminate, percent; one instance
    /// is always allowed.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub max_fleet_percent: Option<f64>,
    /// The most that one plan may stop or terminate, USD per hour at list or spot price. Without it
    /// no limit; with it, an instance without a known price cannot be in a plan.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_usd_per_hour: Option<f64>,
    /// Hours that a plan is valid: its evidence is old then.
    #[schemars(range(min = 1, max = 168))]
    pub plan_valid_hours: Option<u32>,
    /// Hours that an approval is valid when its giver says nothing else, and at most.
    #[schemars(range(min = 1, max = 168))]
    pub approval_valid_hours: Option<u32>,
    /// Minutes that are measured anew right before acting.
    #[schemars(range(min = 15, max = 60))]
    pub recheck_minutes: Option<u32>,
    /// Hours that an instance must have lived before it may be stopped or terminated.
    #[schemars(range(min = 0, max = 8760))]
    pub min_age_hours: Option<u32>,
    /// Hours after which a verdict is too old to act on.
    #[schemars(range(min = 1, max = 168))]
    pub max_evidence_hours: Option<u32>,
    /// Account ids in which nothing may be changed, whatever allows it.
    pub read_only_accounts: Option<Vec<String>>,
    /// Account ids that are production: stopping anything there needs a reason.
    pub production_accounts: Option<Vec<String>>,
    /// Tags, `key=value`, that make an instance production; compared without regard to case.
    pub production_tags: Option<Vec<String>>,
    /// Tags, `key=value`, of instances that may not be changed, whatever allows it.
    pub read_only_tags: Option<Vec<String>>,
    /// A second place for the audit log: a directory, or `s3://bucket/prefix`.
    pub audit_copy: Option<String>,
    /// ARN of a KMS key (or of its alias) that signs approvals. With it, an approval without its
    /// signature is none.
    pub approval_kms_key: Option<String>,
}

/// The cache on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheSection {
    /// Largest size in MB (10⁶ bytes); beyond it the oldest series go first.
    #[schemars(range(min = 16, max = 1_048_576))]
    pub max_mb: Option<u32>,
    /// The database file, where it is not in the platform's cache directory.
    #[schemars(with = "Option<String>")]
    pub path: Option<PathBuf>,
}

/// The screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UiSection {
    /// Theme.
    pub theme: Option<String>,
    /// Glyphs.
    pub symbols: Option<SymbolChoice>,
    /// Mouse clicks and wheel.
    pub mouse: Option<bool>,
    /// Colours.
    pub color: Option<ColorChoice>,
    /// Graphs of braille dots, finer than blocks; some fonts lack them. Without effect in ASCII.
    pub braille: Option<bool>,
}

/// Which glyphs the screen draws with.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum SymbolChoice {
    /// By the locale: Unicode where it is UTF-8.
    #[default]
    Auto,
    /// Box drawing, braille and geometric glyphs.
    Unicode,
    /// Nothing outside ASCII.
    Ascii,
}

/// When colours are used.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum ColorChoice {
    /// By the terminal, `NO_COLOR` and whether the output is one.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never; bold, dim and reverse stay.
    Never,
}

/// A way of looking at the table: what, in which order, in which columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SavedView {
    /// Which list: idle (the default), gpus, buckets, explore, findings, ebs, runs, copies, commitments, rightsize, spot
    /// or resources.
    pub tab: Option<String>,
    /// How GPUs are grouped: node, team, owner, job, model, state or flat. For the table of GPUs.
    pub group: Option<String>,
    /// Filter, as typed after `/` or given to --filter.
    pub filter: Option<String>,
    /// Field to sort by; a leading `-` reverses its natural direction.
    pub sort: Option<String>,
    /// Columns, left to right.
    pub columns: Option<Vec<String>>,
}

impl FileConfig {
    /// This layer over `under`: what is set here wins, the rest comes from below.
    #[must_use]
    pub fn over(self, under: Self) -> Self {
        let mut keys = under.keys;
        keys.extend(self.keys);
        let mut views = under.views;
        views.extend(self.views);
        let mut presets = under.idle.presets;
        presets.extend(self.idle.presets);
        Self {
            profiles: self.profiles.or(under.profiles),
            regions: self.regions.or(under.regions),
            accounts: self.accounts.or(under.accounts),
            organization: match (self.organization, under.organization) {
                (Some(this), Some(under)) => Some(this.over(under)),
                (this, under) => this.or(under),
            },
            tags: TagSection {
                team: self.tags.team.or(under.tags.team),
                project: self.tags.project.or(under.tags.project),
                environment: self.tags.environment.or(under.tags.environment),
                cost_center: self.tags.cost_center.or(under.tags.cost_center),
            },
            idle: IdleSection { preset: self.idle.preset.or(under.idle.preset), presets },
            own_cost: OwnCostSection {
                cap_usd_per_day: self.own_cost.cap_usd_per_day.or(under.own_cost.cap_usd_per_day),
            },
            actions: self.actions.over(under.actions),
            gpus: self.gpus.over(under.gpus),
            storage: self.storage.over(under.storage),
            spot: self.spot.over(under.spot),
            commitments: self.commitments.over(under.commitments),
            bill: self.bill.over(under.bill),
            jobs: self.jobs.over(under.jobs),
            teams: self.teams.over(under.teams),
            budgets: self.budgets.or(under.budgets),
            quotas: self.quotas.or(under.quotas),
            units: self.units.or(under.units),
            people: self.people.over(under.people),
            prices: self.prices.over(under.prices),
            cache: CacheSection {
                max_mb: self.cache.max_mb.or(under.cache.max_mb),
                path: self.cache.path.or(under.cache.path),
            },
            ui: UiSection {
                theme: self.ui.theme.or(under.ui.theme),
                symbols: self.ui.symbols.or(under.ui.symbols),
                mouse: self.ui.mouse.or(under.ui.mouse),
                color: self.ui.color.or(under.ui.color),
                braille: self.ui.braille.or(under.ui.braille),
            },
            keys,
            views,
        }
    }
}

impl ActionsSection {
    fn over(self, under: Self) -> Self {
        Self {
            max_instances: self.max_instances.or(under.max_instances),
            max_fleet_percent: self.max_fleet_percent.or(under.max_fleet_percent),
            max_usd_per_hour: self.max_usd_per_hour.or(under.max_usd_per_hour),
            plan_valid_hours: self.plan_valid_hours.or(under.plan_valid_hours),
            approval_valid_hours: self.approval_valid_hours.or(under.approval_valid_hours),
            recheck_minutes: self.recheck_minutes.or(under.recheck_minutes),
            min_age_hours: self.min_age_hours.or(under.min_age_hours),
            max_evidence_hours: self.max_evidence_hours.or(under.max_evidence_hours),
            read_only_accounts: self.read_only_accounts.or(under.read_only_accounts),
            production_accounts: self.production_accounts.or(under.production_accounts),
            production_tags: self.production_tags.or(under.production_tags),
            read_only_tags: self.read_only_tags.or(under.read_only_tags),
            audit_copy: self.audit_copy.or(under.audit_copy),
            approval_kms_key: self.approval_kms_key.or(under.approval_kms_key),
        }
    }
}
