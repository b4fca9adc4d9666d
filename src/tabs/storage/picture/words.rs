//! Sizes, dollars and ages of storage in words.

use jiff::Timestamp;

use crate::domain::storage::{Effort, LifecycleRule, Risk, Tier, Versioning};
use crate::fleet::storage::{BucketRow, StorageTotals};
use crate::query::{Kind, Unit};
use crate::view::{Value, ViewContext, format};

pub use crate::view::format::{bytes_binary as size, count_short as count, usd_coarse as usd};

/// What the findings of rows would save, `per` being what follows the dollars; of findings without a price nothing is
/// known. What a snapshot would save is an upper bound, so that a sum with one in it is none.
pub fn saved(t: &StorageTotals, per: &str) -> String {
    match (t.priced_findings, t.unpriced_findings) {
        (0, 0) => "nothing found".to_owned(),
        (0, n) => format!("what {} would save is not known", format::plural(n as usize, "finding")),
        _ if t.savings_at_most > 0.0 => format!("findings save about {}{per}", usd(t.savings)),
        _ => format!("findings save at least {}{per}", usd(t.savings)),
    }
}

/// The cell of a value of `kind`: dollars and sizes of storage, all else as everywhere.
pub(super) fn cell(value: Value<'_>, kind: Kind, ctx: &ViewContext) -> String {
    match (value, kind) {
        (Value::Number(n), Kind::Number(Unit::Usd)) => usd(n),
        (Value::Number(n), Kind::Number(Unit::Bytes)) => size(n),
        (value, _) => value.shown(kind, ctx),
    }
}

/// Seconds between a moment in ms and `now`; `None` where it is not known.
pub fn age_s(ms: i64, now: Timestamp) -> Option<f64> {
    let at = Timestamp::from_millisecond(ms).ok().filter(|_| ms != i64::MIN && ms != i64::MAX)?;
    Some(now.duration_since(at).as_secs().max(0) as f64)
}

/// State of a bucket's versioning, one word; `None` when it is not known.
pub fn versioning(row: &BucketRow) -> Option<&'static str> {
    Some(match row.facts.as_ref()?.versioning.as_ref().ok()? {
        Versioning::Off => "off",
        Versioning::Enabled => "on",
        Versioning::Suspended => "suspended",
    })
}

/// State of a bucket's Object Lock, one word; `None` when it is not known.
pub fn lock(row: &BucketRow) -> Option<&'static str> {
    let lock = row.facts.as_ref()?.lock.as_ref().ok()?;
    Some(if lock.enabled { "on" } else { "off" })
}

/// How many lifecycle rules are in force; `None` where nobody knows.
pub fn rules(row: &BucketRow) -> Option<usize> {
    let lifecycle = row.facts.as_ref()?.lifecycle.as_ref().ok()?;
    let in_force = |r: &&LifecycleRule| r.enabled;
    Some(lifecycle.as_ref().map_or(0, |l| l.rules.iter().filter(in_force).count()))
}

/// The name of a tier in prose.
pub fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Standard => "Standard",
        Tier::ItFrequent => "IT frequent",
        Tier::ItInfrequent => "IT infrequent",
        Tier::ItArchiveInstant => "IT instant",
        Tier::ItArchive => "IT archive",
        Tier::ItDeepArchive => "IT deep",
        Tier::StandardIa => "Standard-IA",
        Tier::OnezoneIa => "One Zone-IA",
        Tier::GlacierIr => "Glacier IR",
        Tier::Glacier => "Glacier",
        Tier::DeepArchive => "Deep Archive",
        Tier::ReducedRedundancy => "Reduced",
        Tier::Express => "Express",
        Tier::File => "files",
        Tier::Unknown => "unknown class",
    }
}

/// Name of an effort in JSON, CSV and filters.
pub const fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// Name of a risk in JSON, CSV and filters.
pub const fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

/// The words of efforts, which are those of risks as well, least first.
pub const LEVELS: [&str; 3] = [effort(Effort::Low), effort(Effort::Medium), effort(Effort::High)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_a_bound_a_guess_or_not_known() {
        let of = |priced_findings, unpriced_findings, savings, savings_at_most| {
            let known = StorageTotals { priced_findings, unpriced_findings, ..Default::default() };
            saved(&StorageTotals { savings, savings_at_most, ..known }, " per month")
        };
        assert_eq!(of(0, 0, 0.0, 0.0), "nothing found");
        assert_eq!(of(0, 1, 0.0, 0.0), "what 1 finding would save is not known");
        assert_eq!(of(0, 39, 0.0, 0.0), "what 39 findings would save is not known");
        assert_eq!(of(2, 39, 12.5, 0.0), "findings save at least $12.50 per month");
        assert_eq!(of(2, 0, 12.5, 4.0), "findings save about $12.50 per month");
    }
}
