//! Keys by which a bill is drilled.

use std::str::FromStr;
use std::sync::Arc;

use crate::domain::text::clean;

/// Keys at most by which sums are made at once.
pub const KEYS_AT_MOST: usize = 2;

/// A key by which a bill is drilled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BillKey {
    /// Category of the anatomy.
    Category,
    /// Name of the service.
    Service,
    /// Id of the account that used it.
    Account,
    /// Region.
    Region,
    /// Usage type.
    UsageType,
    /// Id or ARN of the resource.
    Resource,
    /// Day, UTC.
    Day,
    /// Kind of charge.
    Charge,
    /// How the price came about.
    Pricing,
    /// Id of the Savings Plan or reservation.
    Commitment,
    /// Team, by its tag keys.
    Team,
    /// Project, by its tag keys.
    Project,
    /// Environment, by its tag keys.
    Environment,
    /// Cost center, by its tag keys.
    CostCenter,
    /// Any tag that was kept, by its key.
    Tag(Arc<str>),
}

/// Why a text is no key of a bill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no key of a bill; the keys are {keys} and tag:NAME", keys = names().join(", "))]
pub struct NoBillKey(Arc<str>);

impl BillKey {
    /// All keys but tags, in the order in which they are offered.
    pub const ALL: [Self; 14] = [
        Self::Category,
        Self::Service,
        Self::Account,
        Self::Region,
        Self::UsageType,
        Self::Resource,
        Self::Day,
        Self::Charge,
        Self::Pricing,
        Self::Commitment,
        Self::Team,
        Self::Project,
        Self::Environment,
        Self::CostCenter,
    ];

    /// The key with this name, ignoring ASCII case; `tag:NAME` is a tag. Fails for any other text.
    pub fn parse(text: &str) -> Result<Self, NoBillKey> {
        let text = text.trim();
        if let Some((before, name)) = text.split_once(':')
            && before.eq_ignore_ascii_case("tag")
            && !name.trim().is_empty()
        {
            return Ok(Self::Tag(clean(name.trim()).into()));
        }
        let named = |key: &&Self| {
            key.word().eq_ignore_ascii_case(text) || key.alias().eq_ignore_ascii_case(text)
        };
        Self::ALL.iter().find(named).cloned().ok_or_else(|| NoBillKey(clean(text).into()))
    }

    /// Name, as `--by` and JSON have it; `tag:NAME` of a tag.
    pub fn name(&self) -> String {
        match self {
            Self::Tag(key) => format!("tag:{key}"),
            key => key.word().to_owned(),
        }
    }

    /// Name of a key; `tag` for any tag.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Service => "service",
            Self::Account => "account",
            Self::Region => "region",
            Self::UsageType => "usage_type",
            Self::Resource => "resource",
            Self::Day => "day",
            Self::Charge => "charge",
            Self::Pricing => "pricing",
            Self::Commitment => "commitment",
            Self::Team => "team",
            Self::Project => "project",
            Self::Environment => "env",
            Self::CostCenter => "cost_center",
            Self::Tag(_) => "tag",
        }
    }

    const fn alias(&self) -> &'static str {
        match self {
            Self::UsageType => "usage-type",
            Self::Environment => "environment",
            Self::CostCenter => "cost-center",
            key => key.word(),
        }
    }
}

fn names() -> Vec<&'static str> {
    BillKey::ALL.iter().map(BillKey::word).collect()
}

impl FromStr for BillKey {
    type Err = NoBillKey;

    fn from_str(text: &str) -> Result<Self, NoBillKey> {
        Self::parse(text)
    }
}

/// Restriction of a drill: only what has this value of the key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Only {
    /// The key.
    pub key: BillKey,
    /// Its value as [`super::breakdown::BreakdownRow::values`] has it; `None` = what has none.
    pub value: Option<Arc<str>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_reads_back_by_its_name_and_others_are_told_the_names() {
        for key in BillKey::ALL {
            assert_eq!(BillKey::parse(&key.name().to_uppercase()), Ok(key));
        }
        assert_eq!(BillKey::parse("tag:Team").unwrap().name(), "tag:Team");
        assert_eq!(BillKey::parse("environment"), Ok(BillKey::Environment));
        for text in ["", "tag:", "tag", "services"] {
            let error = BillKey::parse(text).unwrap_err().to_string();
            assert!(error.contains("usage_type") && error.contains("tag:NAME"), "{error}");
        }
    }
}
