//! Sizes, dollars and ages of storage in words.

use jiff::Timestamp;

use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{
    Effort, FindingReason, LifecycleRule, Risk, StorageFinding, Tier, Versioning,
};
use crate::fleet::storage::{BucketRow, SavingsEstimate, StorageTotals};
use crate::query::{Kind, Unit};
use crate::view::{Symbols, Value, ViewContext, format};

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

/// What buckets without a list may save beside that, by estimates from their daily sizes; `None` without such a bucket.
pub fn estimated(t: &StorageTotals, per: &str) -> Option<String> {
    let buckets = format::plural(t.estimated as usize, "bucket");
    (t.estimated > 0).then(|| {
        let usd = range(t.estimated_low, t.estimated_high);
        format!("estimate, not in it: {usd}{per} by tiering {buckets} without a list")
    })
}

/// The most dollars that something may be: `≤$4.20`. `<$0.01` is a bound already, and nothing needs none.
pub fn at_most(amount: f64, symbols: Symbols) -> String {
    let text = usd(amount);
    if amount < 0.005 { text } else { format!("{}{text}", symbols.at_most()) }
}

/// A range of dollars: `up to $5`, or `$2 to $5`.
pub fn range(low: f64, high: f64) -> String {
    if low > 0.0 {
        format!("{} to {}", usd(low), usd(high))
    } else {
        format!("up to {}", usd(high))
    }
}

/// What an estimate from daily sizes says and rests on, a sentence each.
pub fn estimate(of: &SavingsEstimate) -> Vec<String> {
    let SavingsEstimate { age_days, history_days, .. } = *of;
    let days = |days: u32| format::plural(days as usize, "day");
    let age = days(age_days);
    let to = match of.to {
        Some(class) => format!(
            "a rule that moves what is {age} old to {} saves {} per month, the move paid over a year ({} once, \
             objects at their mean of {})",
            tier(Tier::of(class)),
            range(of.low_usd, of.high_usd),
            usd(of.fees_usd),
            size(of.mean_object_bytes as f64),
        ),
        None if of.mean_object_bytes < SMALL_OBJECT => format!(
            "moving what is old saves nothing: objects have a mean of {}, and rules leave those under 128 KiB where they are",
            size(of.mean_object_bytes as f64),
        ),
        None => format!(
            "a rule that moves what is {age} old saves nothing: at most {} are so old",
            size(of.old_at_most as f64)
        ),
    };
    let mut out = vec![format!("Estimate from daily sizes: {to}.")];
    let kept = of.old_if_kept.map_or(String::new(), |bytes| {
        format!("; {} if nothing is replaced between two sizes", size(bytes as f64))
    });
    out.push(format!(
        "Certain by {} of sizes: at most {} are {age} old{kept}.",
        days(history_days),
        size(of.old_at_most as f64)
    ));
    out.push(match of.reads_per_month {
        Some(reads) => format!(
            "The least has all {} reads per month on what is moved, the most has none.",
            count(reads)
        ),
        None => "The most is without reads, which cost more in a colder class; nobody knows how often it is read, so that the \
                 least is nothing."
            .to_owned(),
    });
    out
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

/// Name of what acting on a finding may lose; `None` where it rests on reads that nobody measured: how many there are is
/// the risk.
pub fn risk_of(finding: &StorageFinding) -> Option<&'static str> {
    match finding.reason {
        FindingReason::WrongTier { reads: None, .. } => None,
        _ => Some(risk(finding.risk)),
    }
}

/// The words of efforts, which are those of risks as well, least first.
pub const LEVELS: [&str; 3] = [effort(Effort::Low), effort(Effort::Medium), effort(Effort::High)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_ranges_and_stand_beside_the_sum() {
        let of = |n, low, high| {
            let known = StorageTotals { estimated: n, estimated_low: low, ..Default::default() };
            estimated(&StorageTotals { estimated_high: high, ..known }, " per month")
        };
        assert_eq!(of(0, 0.0, 0.0), None);
        let one = of(1, 0.0, 12.5).unwrap();
        assert_eq!(
            one,
            "estimate, not in it: up to $12.50 per month by tiering 1 bucket without a list"
        );
        let two = of(2, 2.5, 12.5).unwrap();
        assert!(two.contains(": $2.50 to $12.50 per month by tiering 2 buckets "), "{two}");
    }

    #[test]
    fn an_estimate_says_what_is_certain_and_what_it_assumes() {
        let mut of = SavingsEstimate {
            age_days: 90,
            old_at_most: 1 << 40,
            old_if_kept: Some(1 << 39),
            history_days: 199,
            mean_object_bytes: 1 << 20,
            reads_per_month: None,
            low_usd: 0.0,
            high_usd: 17.5,
            to: Some(crate::domain::storage::StorageClass::GlacierIr),
            fees_usd: 21.0,
        };
        let text = estimate(&of).join("\n");
        for part in [
            "up to $17.50",
            "Glacier IR",
            "at most 1 TiB",
            "512 GiB if nothing is replaced",
            "199 days",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        of.to = None;
        of.mean_object_bytes = 1_000;
        assert!(estimate(&of)[0].contains("under 128 KiB"));
    }

    #[test]
    fn an_upper_bound_of_next_to_nothing_is_no_zero_with_a_sign() {
        let of = |amount| at_most(amount, Symbols::Unicode);
        assert_eq!([0.0, 0.004, 0.02, 412.0].map(of), ["$0.00", "<$0.01", "≤$0.02", "≤$412"]);
    }

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
