//! Bills from Cost Explorer: it groups by two keys at once, so one month is several bills, each with all of its money,
//! and a drill is answered by one of them.

use std::fmt;
use std::sync::Arc;

use super::head::BillHead;
use super::month::Month;
use super::words::BillFormat;

/// Keys by which Cost Explorer was asked, beside the service. Ordered by how much their bill can answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pair {
    /// Service and usage type, with taxes, credits and fees apart.
    UsageType,
    /// Service and account.
    Account,
    /// Service and region.
    Region,
    /// Service and the values of this tag key.
    Tag(Arc<str>),
}

/// What the exports of such bills are named by: `cost-explorer/account`.
const EXPORT: &str = "cost-explorer/";

impl Pair {
    /// Name of the bill's export, such as `cost-explorer/usage-type` or `cost-explorer/tag:team`.
    pub fn export(&self) -> Arc<str> {
        match self {
            Self::UsageType => format!("{EXPORT}usage-type"),
            Self::Account => format!("{EXPORT}account"),
            Self::Region => format!("{EXPORT}region"),
            Self::Tag(key) => format!("{EXPORT}tag:{key}"),
        }
        .into()
    }

    /// The pair of a bill; `None` for a bill of another source.
    pub fn of(head: &BillHead) -> Option<Self> {
        if head.format != BillFormat::CostExplorer {
            return None;
        }
        match head.export.strip_prefix(EXPORT)? {
            "usage-type" => Some(Self::UsageType),
            "account" => Some(Self::Account),
            "region" => Some(Self::Region),
            other => other.strip_prefix("tag:").map(|key| Self::Tag(key.into())),
        }
    }

    /// True where a bill by this pair tells a key of drills, by the name that commands have for it: `account`,
    /// `usage_type`, `tag:team`.
    fn tells(&self, head: &BillHead, key: &str) -> bool {
        match (key, self) {
            ("service", _)
            | ("category" | "usage_type" | "charge", Self::UsageType)
            | ("account", Self::Account)
            | ("region", Self::Region) => true,
            ("day", _) => head.has_days,
            ("resource", Self::UsageType) => head.has_resources,
            (key, Self::Tag(own)) => {
                key.strip_prefix("tag:").is_some_and(|key| key.eq_ignore_ascii_case(own))
            }
            _ => false,
        }
    }
}

/// `service × account`
impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UsageType => f.write_str("service × usage_type"),
            Self::Account => f.write_str("service × account"),
            Self::Region => f.write_str("service × region"),
            Self::Tag(key) => write!(f, "service × tag:{key}"),
        }
    }
}

/// No bill of Cost Explorer answers a drill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Cost Explorer groups by two keys at once, and of {month} it was asked for {}: import an export of the bill to \
     drill by {}", .pairs.join(", "), .keys.join(" and ")
)]
pub struct NotAsked {
    /// Month that no bill answers for.
    pub month: Month,
    /// Keys of the drill.
    pub keys: Vec<String>,
    /// Pairs that there are of the month, as in `service × account`.
    pub pairs: Vec<String>,
}

/// Of the bills of some months, those that count together: all that are not from Cost Explorer, and for each month
/// without a bill of AWS among them the one of Cost Explorer that tells all of `keys` (names as commands have them, team
/// and project as the `tag:` that they are read from). Without keys the one that tells most.
///
/// Bills of different pairs hold the same money, and would count it twice together.
///
/// # Errors
/// A month whose bills are from Cost Explorer, and none tells all keys.
pub fn counted<'a>(
    heads: impl IntoIterator<Item = &'a BillHead>,
    keys: &[&str],
) -> Result<Vec<&'a BillHead>, NotAsked> {
    let (mut counted, mut asked) = (vec![], vec![]);
    for head in heads {
        match Pair::of(head) {
            Some(pair) => asked.push((head.period, pair, head)),
            None => counted.push(head),
        }
    }
    let exported: Vec<Month> =
        counted.iter().filter(|head| &*head.provider == PROVIDER).map(|head| head.period).collect();
    asked.retain(|(month, ..)| !exported.contains(month));
    asked.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    for of_month in asked.chunk_by(|a, b| a.0 == b.0) {
        let [(month, ..), ..] = of_month else { continue };
        let tells = |(_, pair, head): &&(Month, Pair, &BillHead)| {
            keys.iter().all(|key| pair.tells(head, key))
        };
        let (_, _, head) = of_month.iter().find(tells).ok_or_else(|| NotAsked {
            month: *month,
            keys: keys.iter().map(ToString::to_string).collect(),
            pairs: of_month.iter().map(|(_, pair, _)| pair.to_string()).collect(),
        })?;
        counted.push(head);
    }
    Ok(counted)
}

/// Provider of bills from Cost Explorer, and of AWS's exports.
pub const PROVIDER: &str = "AWS";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::sample;

    fn head(export: &str, period: &str, format: BillFormat) -> BillHead {
        BillHead {
            export: export.into(),
            format,
            lines: 1,
            has_days: true,
            last_day: 1,
            ..sample::bill_head(period)
        }
    }

    fn asked(pair: &Pair, period: &str) -> BillHead {
        head(&pair.export(), period, BillFormat::CostExplorer)
    }

    #[test]
    fn pairs_are_read_back_from_the_names_of_their_exports() {
        let tag = Pair::Tag("team".into());
        for pair in [Pair::UsageType, Pair::Account, Pair::Region, tag] {
            assert_eq!(Pair::of(&asked(&pair, "2026-10")), Some(pair));
        }
        let named_so = head("cost-explorer/account", "2026-10", BillFormat::Cur2);
        assert_eq!(Pair::of(&named_so), None);
    }

    #[test]
    fn a_month_counts_once_by_the_pair_that_tells_the_keys_and_not_at_all_beside_an_export() {
        let team = Pair::Tag("team".into());
        let heads = [
            asked(&Pair::Account, "2026-09"),
            asked(&team, "2026-10"),
            asked(&Pair::Account, "2026-10"),
            asked(&Pair::UsageType, "2026-10"),
            asked(&Pair::UsageType, "2026-11"),
            head("cur", "2026-11", BillFormat::Cur2),
        ];
        let exports = |keys: &[&str]| {
            let counted = counted(&heads, keys)?;
            Ok::<_, NotAsked>(counted.iter().map(|h| h.export.to_string()).collect::<Vec<_>>())
        };
        let (main, account) = ("cost-explorer/usage-type", "cost-explorer/account");
        assert_eq!(exports(&[]).unwrap(), ["cur", account, main]);
        assert_eq!(exports(&["service", "day"]).unwrap(), ["cur", account, main]);
        assert_eq!(exports(&["account"]).unwrap(), ["cur", account, account]);
        let error = exports(&["account", "usage_type"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Cost Explorer groups by two keys at once, and of 2026-09 it was asked for service × account: import an \
             export of the bill to drill by account and usage_type"
        );
        let by_team = counted(&heads[1..4], &["tag:TEAM"]).unwrap();
        assert_eq!(by_team[0].export, team.export());
        assert!(counted(&heads[1..4], &["resource"]).is_err());
    }
}
