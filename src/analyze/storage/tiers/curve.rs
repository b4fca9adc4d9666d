//! One option, month by month.

use super::cohort::Cohort;
use super::waterfall::by_lifecycle;
use super::{Access, Question, RULE_DAYS_PER_MONTH};
use crate::analyze::storage::price::{
    ARCHIVE_INDEX, ARCHIVE_NAME, Rates, Volumes, early_delete_days, early_delete_usd,
    has_archive_overhead, has_minimum_size, requests_usd, retrieval_usd, storage_usd,
    transition_usd,
};
use crate::domain::storage::{GIB, StorageClass, Tier};

/// Storage class that objects move to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// No move.
    Stay,
    /// All objects move to this class.
    Class(StorageClass),
}

impl Target {
    /// Name in JSON: `stay`, or the API's name of the class.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stay => "stay",
            Self::Class(class) => class.api(),
        }
    }
}

/// One-off fees of an option, USD.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fees {
    /// Lifecycle transitions.
    pub transition: f64,
    /// Rest of minimum storage durations.
    pub early_delete: f64,
    /// Copies of objects that lifecycle cannot move: reading, restoring and writing.
    pub copy: f64,
}

impl Fees {
    /// Sum of all fees, USD.
    pub fn total(&self) -> f64 {
        self.transition + self.early_delete + self.copy
    }
}

/// Cost of one option, month by month.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Where objects move to.
    pub target: Target,
    /// USD of each month: storage with overheads, monitoring, reads, and fees when due. `None` where a price is
    /// not known.
    pub monthly: Option<Vec<f64>>,
    /// One-off fees.
    pub fees: Fees,
    /// Number and bytes of the objects that move.
    pub moved: (f64, f64),
    /// Bytes among them that lifecycle cannot move, so they must be copied.
    pub copied_bytes: f64,
    /// Bytes that stay because their objects are smaller than 128 KiB.
    pub small_bytes: f64,
    /// Bytes that move a month later, since lifecycle moves to the IA classes only after 30 days.
    pub waiting_bytes: f64,
    /// Bytes whose age is not known and for which an early-delete fee may be due that is not in the curve.
    pub unknown_age_bytes: f64,
}

impl Curve {
    /// True where lifecycle can move nothing of it: all that moves must be copied.
    pub fn is_copied(&self) -> bool {
        self.copied_bytes > 0.0 && self.copied_bytes >= self.moved.1
    }

    /// USD spent by the end of each month; `None` where a price is not known.
    pub fn cumulative(&self) -> Option<Vec<f64>> {
        let mut sum = 0.0;
        let add = |usd: &f64| {
            sum += usd;
            sum
        };
        Some(self.monthly.as_ref()?.iter().map(add).collect())
    }

    /// USD saved against the option `stay` by the end of each month; negative while it has cost more. `None`
    /// where a price is not known.
    pub fn saved(&self, stay: &Self) -> Option<Vec<f64>> {
        let (own, other) = (self.cumulative()?, stay.cumulative()?);
        Some(own.iter().zip(&other).map(|(a, b)| b - a).collect())
    }
}

/// Path of one kind of object under an option.
struct Way {
    /// The class it goes to; `None` when it stays.
    to: Option<StorageClass>,
    /// The month in which it moves, from 0.
    month: u16,
    /// True when it has to be copied.
    is_copied: bool,
}

fn way(cohort: &Cohort, target: Target, question: &Question<'_>) -> Way {
    let stay = Way { to: None, month: 0, is_copied: false };
    let (Target::Class(to), Some(from)) = (target, cohort.tier.class()) else { return stay };
    if from == to || (cohort.is_small && !question.moves_small) {
        return stay;
    }
    let is_copied = !by_lifecycle(from, to);
    let waits = !is_copied
        && matches!(to, StorageClass::StandardIa | StorageClass::OnezoneIa)
        && cohort.age_days.is_some_and(|d| d < RULE_DAYS_PER_MONTH);
    Way { to: Some(to), month: u16::from(waits), is_copied }
}

/// Draws the curve of one option. Objects without a price (unknown classes, files) are to be left
/// out by the caller.
pub(super) fn curve(target: Target, question: &Question<'_>) -> Curve {
    let mut out = Curve {
        target,
        monthly: None,
        fees: Fees::default(),
        moved: (0.0, 0.0),
        copied_bytes: 0.0,
        small_bytes: 0.0,
        waiting_bytes: 0.0,
        unknown_age_bytes: 0.0,
    };
    let rates = rates(question);
    let ways: Vec<Way> = question.cohorts.iter().map(|c| way(c, target, question)).collect();
    for (cohort, way) in question.cohorts.iter().zip(&ways) {
        count(&mut out, cohort, way, target);
    }
    out.monthly = (0..question.months)
        .map(|month| {
            let fees = fees_of(month, question, &ways, &rates)?;
            out.fees.transition += fees.transition;
            out.fees.early_delete += fees.early_delete;
            out.fees.copy += fees.copy;
            Some(running_usd(month, question, &ways)? + fees.total())
        })
        .collect();
    out
}

fn count(out: &mut Curve, cohort: &Cohort, way: &Way, target: Target) {
    if way.to.is_none() {
        let wanted = matches!(target, Target::Class(c) if cohort.tier.class() != Some(c));
        if wanted {
            out.small_bytes += cohort.bytes;
        }
        return;
    }
    out.moved.0 += cohort.objects;
    out.moved.1 += cohort.bytes;
    if way.is_copied {
        out.copied_bytes += cohort.bytes;
    }
    if way.month > 0 {
        out.waiting_bytes += cohort.bytes;
    }
    if cohort.age_days.is_none() && early_delete_days(cohort.tier, 0.0) > 0.0 {
        out.unknown_age_bytes += cohort.bytes;
    }
}

/// The rates at which early deletes are reckoned: those of the account as it is.
fn rates(question: &Question<'_>) -> Rates {
    let mut volumes = question.others.clone();
    for cohort in question.cohorts {
        add(&mut volumes, cohort.tier, cohort, 1.0);
    }
    Rates::blended(question.prices, &volumes)
}

/// Fees that fall due in a month.
fn fees_of(month: u16, question: &Question<'_>, ways: &[Way], rates: &Rates) -> Option<Fees> {
    let mut out = Fees::default();
    let prices = question.prices;
    for (cohort, way) in question.cohorts.iter().zip(ways).filter(|(_, w)| w.month == month) {
        let Some(to) = way.to else { continue };
        let to = Tier::of(to);
        if way.is_copied {
            let written = prices.tier(to)?.put_per_1000? * cohort.objects / 1000.0;
            let read = retrieval_usd(prices, cohort.tier, cohort.objects, cohort.bytes)?;
            out.copy += written + read + requests_usd(prices, cohort.tier, cohort.objects)?;
        } else {
            out.transition += transition_usd(prices, to, cohort.objects)?;
        }
        if let Some(age) = cohort.age_days {
            let days = age + f64::from(month) * RULE_DAYS_PER_MONTH;
            let mut bytes = cohort.bytes;
            if has_minimum_size(cohort.tier) {
                bytes += cohort.padding();
            }
            out.early_delete += early_delete_usd(cohort.tier, cohort.objects, bytes, days, rates)?;
        }
    }
    Some(out)
}

/// Storage, monitoring and reads of a month.
fn running_usd(month: u16, question: &Question<'_>, ways: &[Way]) -> Option<f64> {
    let mut own = Volumes::default();
    let mut monitored = 0.0;
    let mut reads = 0.0;
    let all_objects: f64 = question.cohorts.iter().map(|c| c.objects).sum();
    for (cohort, way) in question.cohorts.iter().zip(ways) {
        let moved = way.to.filter(|_| month >= way.month);
        let tier = moved.map_or(cohort.tier, Tier::of);
        if tier.class() == Some(StorageClass::IntelligentTiering) && !cohort.is_small {
            monitored += cohort.objects;
        }
        if moved == Some(StorageClass::IntelligentTiering) && !cohort.is_small {
            for (tier, share) in descent(month - way.month, &question.access) {
                add(&mut own, tier, cohort, share);
            }
        } else {
            add(&mut own, tier, cohort, 1.0);
        }
        reads += reads_usd(tier, cohort, all_objects, question)?;
    }
    let mut usd = reads;
    if monitored > 0.0 {
        usd += question.prices.monitoring_per_1000? * monitored / 1000.0;
    }
    Some(usd + storage_of(&own, question)?)
}

/// USD per month that the objects add to the account's bill for storage; `None` when a price is not known.
fn storage_of(own: &Volumes, question: &Question<'_>) -> Option<f64> {
    let mut usd = 0.0;
    for tier in Tier::ALL.into_iter().filter(|t| own.gib(*t) > 0.0) {
        let steps = &question.prices.tier(tier)?.storage;
        let others = question.others.gib(tier);
        usd += storage_usd(steps, others + own.gib(tier))? - storage_usd(steps, others)?;
    }
    Some(usd)
}

/// USD for a month's reads of a cohort in a tier.
fn reads_usd(tier: Tier, cohort: &Cohort, all: f64, question: &Question<'_>) -> Option<f64> {
    let times = question.access.mean_reads();
    let gets = match question.access.gets_per_month {
        Some(gets) if all > 0.0 => gets * cohort.objects / all,
        _ => times * cohort.objects,
    };
    if times <= 0.0 && gets <= 0.0 {
        return Some(0.0);
    }
    let prices = question.prices;
    let back = retrieval_usd(prices, tier, times * cohort.objects, times * cohort.bytes)?;
    Some(back + requests_usd(prices, tier, gets)?)
}

/// Shares of bytes in the tiers of Intelligent-Tiering in the month after `months` whole months in
/// it: what was not read for 30 days is in Infrequent Access, for 90 days in Archive Instant Access.
///
/// Of bytes read each `p` months the share that was last read at least `a` months ago is `1 − a/p`
/// as soon as `a` months have passed, and nothing for `p` ≤ `a`.
fn descent(months: u16, access: &Access) -> [(Tier, f64); 3] {
    let idle = |after: u16| {
        if months < after {
            return 0.0;
        }
        let read = (1.0 - f64::from(after) * access.reads_per_month).max(0.0);
        (1.0 - access.share_read) + access.share_read * read
    };
    let (infrequent, archive) = (idle(1), idle(3));
    [
        (Tier::ItFrequent, 1.0 - infrequent),
        (Tier::ItInfrequent, infrequent - archive),
        (Tier::ItArchiveInstant, archive),
    ]
}

/// Adds a share of a cohort's billed GiB in a tier.
fn add(volumes: &mut Volumes, tier: Tier, cohort: &Cohort, share: f64) {
    let mut bytes = cohort.bytes;
    if has_minimum_size(tier) {
        bytes += cohort.padding();
    }
    if has_archive_overhead(tier) {
        bytes += cohort.objects * ARCHIVE_INDEX as f64;
        volumes.add_gib(Tier::Standard, share * cohort.objects * ARCHIVE_NAME as f64 / GIB);
    }
    volumes.add_gib(tier, share * bytes / GIB);
}
