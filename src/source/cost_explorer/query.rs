//! One question to Cost Explorer, as values.

use std::sync::Arc;

use jiff::civil::Date;

/// Costs of some days, grouped by two keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostQuery {
    /// First day.
    pub from: Date,
    /// Day after the last one.
    pub to: Date,
    /// True for sums by day, false by month.
    pub by_day: bool,
    /// What it groups by; no more than two are possible.
    pub groups: [GroupBy; 2],
    /// Charges that are left out.
    pub filter: Filter,
    /// True for `GetCostAndUsageWithResources`, which knows resources and 14 days.
    pub with_resources: bool,
}

/// Key that Cost Explorer groups by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// A dimension, such as `SERVICE`.
    Dimension(&'static str),
    /// Values of a tag key.
    Tag(Arc<str>),
}

impl GroupBy {
    /// Services.
    pub const SERVICE: Self = Self::Dimension("SERVICE");
    /// Usage types.
    pub const USAGE_TYPE: Self = Self::Dimension("USAGE_TYPE");
    /// Accounts that used it.
    pub const ACCOUNT: Self = Self::Dimension("LINKED_ACCOUNT");
    /// Regions.
    pub const REGION: Self = Self::Dimension("REGION");
    /// Kinds of charges.
    pub const RECORD_TYPE: Self = Self::Dimension("RECORD_TYPE");
    /// Resources.
    pub const RESOURCE: Self = Self::Dimension("RESOURCE_ID");
}

/// Which charges are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All.
    All,
    /// Use alone: all but [`super::OTHER_CHARGES`].
    Use,
    /// [`super::OTHER_CHARGES`] alone.
    Other,
    /// Use of instances alone: the only service whose resources can be asked for.
    UseOfInstances,
}
