//! What a simulation found, in objects, bytes and dollars.

use super::Assumptions;
use super::compiled::Rules;
use super::fold::{Count, Group, Kind};
use super::play::{Action, Story, play};
use crate::analyze::storage::price::{
    ARCHIVE_INDEX, ARCHIVE_NAME, Rates, Volumes, early_delete_usd, has_archive_overhead,
    has_minimum_size, storage_usd, transition_usd,
};
use crate::domain::storage::{
    GIB, Lifecycle, LifecycleRule, S3Prices, StorageClass, Tier, Versioning,
};
use crate::domain::text::clean;

/// Number of objects, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Number of objects.
    pub objects: u64,
    /// Bytes of their content.
    pub bytes: u64,
}

impl Counted {
    fn add(&mut self, count: Count) {
        self.objects += count.objects;
        self.bytes += count.bytes;
    }
}

/// Effect of one rule within the simulated months.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleEffect {
    /// Index of the rule in the configuration.
    pub index: usize,
    /// Id of the rule, clean text; `#3` for the third rule where it has none.
    pub rule: String,
    /// Objects moved, by target tier; an object moved twice counts in both.
    pub moves: Vec<(Tier, Counted)>,
    /// Objects deleted for good.
    pub deleted: Counted,
    /// Objects hidden behind a delete marker, which frees no bytes until noncurrent versions expire.
    pub hidden: Counted,
    /// One-off charge for the moves, USD; `None` where a price is not known.
    pub transition_usd: Option<f64>,
    /// One-off charge for leaving a class before its minimum duration, USD; `None` where a price is not known.
    pub early_delete_usd: Option<f64>,
    /// Most objects that its tag filter may match; not simulated, since lists have no tags.
    pub maybe_by_tag: Counted,
    /// Most objects that its number of newer versions may match; not simulated, since the age of each version
    /// is not known.
    pub maybe_by_versions: Counted,
}

/// Cost of one month of 730 h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Month {
    /// Number of the month, 1 = the first after the list.
    pub month: u16,
    /// Storage without any rule, USD; `None` where a price is not known.
    pub stay_usd: Option<f64>,
    /// Storage with the rules, USD; `None` where a price is not known.
    pub storage_usd: Option<f64>,
    /// Charges for moves and early deletion in the month, USD; `None` where a price is not known.
    pub fees_usd: Option<f64>,
    /// Saved by the end of the month less charges, USD; negative before the rules have paid back. `None` where
    /// a price is not known.
    pub saved_usd: Option<f64>,
}

/// Result of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Day it begins, at midnight UTC, in days since 1970.
    pub start_day: i64,
    /// Effects of the enabled rules, in the order of the configuration.
    pub rules: Vec<RuleEffect>,
    /// Cost by month.
    pub months: Vec<Month>,
    /// Objects deleted for good by all rules.
    pub deleted: Counted,
    /// First month by whose end the savings exceed the charges; `None` when none, when nothing is saved, or
    /// without prices.
    pub payback_month: Option<u16>,
    /// Objects with an impossible date or size; no rule acts on them.
    pub unknown: Counted,
    /// Objects of classes unknown to this version; in no cost.
    pub unpriced: Counted,
    /// Number of delete markers in the list.
    pub delete_markers: u64,
    /// Assumptions made, one sentence each.
    pub notes: Vec<String>,
}

/// Folded list that rules are played on.
pub(super) struct List<'a> {
    pub(super) lifecycle: &'a Lifecycle,
    pub(super) rules: &'a Rules,
    pub(super) groups: &'a [(Group, Count)],
    pub(super) start: i64,
    pub(super) delete_markers: u64,
    pub(super) has_versions: bool,
}

/// Hours of a month.
const MONTH_HOURS: f64 = 730.0;

/// Billed GiB-months and object-months of monitoring, of one month.
#[derive(Clone, Default)]
struct Usage {
    volumes: Volumes,
    monitored: f64,
}

impl Usage {
    fn add(&mut self, tier: Tier, count: Count, is_small: bool, months: f64) {
        let objects = count.objects as f64;
        let mut gib = count.bytes as f64 / GIB;
        if has_minimum_size(tier) {
            gib += count.padding as f64 / GIB;
        }
        if has_archive_overhead(tier) {
            gib += objects * ARCHIVE_INDEX as f64 / GIB;
            let names = objects * ARCHIVE_NAME as f64 / GIB;
            self.volumes.add_gib(Tier::Standard, names * months);
        }
        self.volumes.add_gib(tier, gib * months);
        if tier.class() == Some(StorageClass::IntelligentTiering) && !is_small {
            self.monitored += objects * months;
        }
    }

    fn usd(&self, prices: &S3Prices) -> Option<f64> {
        let mut usd = 0.0;
        for tier in Tier::ALL {
            let gib = self.volumes.gib(tier);
            if gib > 0.0 {
                usd += storage_usd(&prices.tier(tier)?.storage, gib)?;
            }
        }
        if self.monitored > 0.0 {
            usd += prices.monitoring_per_1000? * self.monitored / 1000.0;
        }
        Some(usd)
    }
}

pub(super) fn play_all(
    list: &List<'_>,
    assumptions: Assumptions,
    prices: Option<&S3Prices>,
) -> Simulated {
    let months = usize::from(assumptions.months);
    let end = list.start + (f64::from(assumptions.months) * MONTH_HOURS / 24.0).ceil() as i64;
    let mut stay = vec![Usage::default(); months];
    let mut with = vec![Usage::default(); months];
    let mut fees = vec![Some(0.0); months];
    let mut out = Simulated {
        start_day: list.start,
        rules: effects(list),
        months: Vec::new(),
        deleted: Counted::default(),
        payback_month: None,
        unknown: Counted::default(),
        unpriced: Counted::default(),
        delete_markers: list.delete_markers,
        notes: notes(list, assumptions),
    };
    let rates = prices.map(|p| Rates::marginal(p, &listed(list)));
    for (group, count) in list.groups {
        if group.kind == Kind::Unknown {
            out.unknown.add(*count);
        }
        if group.tier.class().is_none() {
            out.unpriced.add(*count);
            continue;
        }
        let is_small = list.rules.is_small(group.size);
        let story = play(group, list.rules, assumptions, list.start, end);
        spread(&mut stay, &[(list.start, group.tier)], None, list.start, *count, is_small);
        spread(&mut with, &story.stays, story.ends, list.start, *count, is_small);
        account(&mut out, &mut fees, &story, list, *group, *count, prices.zip(rates.as_ref()));
    }
    out.months = curve(&stay, &with, &fees, prices);
    out.payback_month = payback(&out.months);
    out
}

/// Volumes of the list, which say at which step of the price it lies.
fn listed(list: &List<'_>) -> Volumes {
    let mut usage = Usage::default();
    for (group, count) in list.groups.iter().filter(|(g, _)| g.tier.class().is_some()) {
        usage.add(group.tier, *count, list.rules.is_small(group.size), 1.0);
    }
    usage.volumes
}

/// Adds stays to the months they fall into.
fn spread(
    usage: &mut [Usage],
    stays: &[(i64, Tier)],
    ends: Option<i64>,
    start: i64,
    count: Count,
    is_small: bool,
) {
    let hours = |day: i64| (day - start) as f64 * 24.0;
    let last = usage.len() as f64 * MONTH_HOURS;
    for (i, (from, tier)) in stays.iter().enumerate() {
        let until = stays.get(i + 1).map(|(day, _)| *day).or(ends).map_or(last, hours).min(last);
        let from = hours(*from);
        let first = (from / MONTH_HOURS) as usize;
        for (m, month) in usage.iter_mut().enumerate().skip(first) {
            let begin = m as f64 * MONTH_HOURS;
            if begin >= until {
                break;
            }
            let share = (until.min(begin + MONTH_HOURS) - from.max(begin)) / MONTH_HOURS;
            if share > 0.0 {
                month.add(*tier, count, is_small, share);
            }
        }
    }
}

fn account(
    out: &mut Simulated,
    fees: &mut [Option<f64>],
    story: &Story,
    list: &List<'_>,
    group: Group,
    count: Count,
    money: Option<(&S3Prices, &Rates)>,
) {
    for event in &story.events {
        let Some(effect) = out.rules.iter_mut().find(|e| e.index == event.rule) else { continue };
        let (mut moved, mut early) = (Some(0.0), Some(0.0));
        let leaves = match event.action {
            Action::Move(from, to) => {
                match effect.moves.iter_mut().find(|(tier, _)| *tier == to) {
                    Some((_, all)) => all.add(count),
                    None => effect.moves.push((to, {
                        let mut all = Counted::default();
                        all.add(count);
                        all
                    })),
                }
                moved = money.and_then(|(p, _)| transition_usd(p, to, count.objects as f64));
                Some(from)
            }
            Action::Delete(from) => {
                effect.deleted.add(count);
                out.deleted.add(count);
                Some(from)
            }
            Action::Hide => {
                effect.hidden.add(count);
                None
            }
        };
        if let Some(from) = leaves {
            let padding = if has_minimum_size(from) { count.padding } else { 0 };
            let billed = (count.bytes + padding) as f64;
            let days = event.days_in_tier as f64;
            early = money
                .and_then(|(_, r)| early_delete_usd(from, count.objects as f64, billed, days, r));
        }
        plus(&mut effect.transition_usd, moved);
        plus(&mut effect.early_delete_usd, early);
        let month = (((event.day - list.start) as f64 * 24.0) / MONTH_HOURS) as usize;
        if let Some(fee) = fees.get_mut(month) {
            plus(fee, moved);
            plus(fee, early);
        }
    }
    for index in &story.uncounted {
        if let Some(effect) = out.rules.iter_mut().find(|e| e.index == *index) {
            effect.maybe_by_versions.add(count);
        }
    }
    if group.prefix == u32::MAX || group.kind == Kind::Unknown {
        return;
    }
    for rule in list.rules.matching(group.prefix, group.size).filter(|r| r.is_tagged) {
        if let Some(effect) = out.rules.iter_mut().find(|e| e.index == rule.rule) {
            effect.maybe_by_tag.add(count);
        }
    }
}

fn plus(sum: &mut Option<f64>, more: Option<f64>) {
    *sum = sum.zip(more).map(|(a, b)| a + b);
}

fn effects(list: &List<'_>) -> Vec<RuleEffect> {
    let name = |index: usize, rule: &LifecycleRule| {
        if rule.id.is_empty() { format!("#{}", index + 1) } else { clean(&rule.id).into_owned() }
    };
    let all = list.lifecycle.rules.iter().enumerate().filter(|(_, r)| r.enabled);
    all.map(|(index, rule)| RuleEffect {
        index,
        rule: name(index, rule),
        moves: Vec::new(),
        deleted: Counted::default(),
        hidden: Counted::default(),
        transition_usd: Some(0.0),
        early_delete_usd: Some(0.0),
        maybe_by_tag: Counted::default(),
        maybe_by_versions: Counted::default(),
    })
    .collect()
}

fn curve(
    stay: &[Usage],
    with: &[Usage],
    fees: &[Option<f64>],
    prices: Option<&S3Prices>,
) -> Vec<Month> {
    let mut saved = Some(0.0);
    let all = stay.iter().zip(with).zip(fees).enumerate();
    all.map(|(m, ((stay, with), fees))| {
        let stay_usd = prices.and_then(|p| stay.usd(p));
        let storage_usd = prices.and_then(|p| with.usd(p));
        let fees_usd = fees.filter(|_| prices.is_some());
        let less = stay_usd.zip(storage_usd).zip(fees_usd).map(|((a, b), c)| a - b - c);
        plus(&mut saved, less);
        Month { month: m as u16 + 1, stay_usd, storage_usd, fees_usd, saved_usd: saved }
    })
    .collect()
}

/// The first month from whose end on nothing is lost any more.
fn payback(months: &[Month]) -> Option<u16> {
    let last = months.last()?.saved_usd?;
    if last <= 0.0 {
        return None;
    }
    let valley = months.iter().rposition(|m| m.saved_usd.is_some_and(|s| s <= 0.0));
    months.get(valley.map_or(0, |i| i + 1)).map(|m| m.month)
}

fn notes(list: &List<'_>, assumptions: Assumptions) -> Vec<String> {
    let mut out = vec![
        "Objects count as in their class since they were created: early deletion may cost more \
         for what was moved lately."
            .to_owned(),
        "Nothing is written or read in the months ahead.".to_owned(),
    ];
    if assumptions.versioning.is_none() {
        out.push(
            "Versioning is not known: played as off, every expiration deletes for good.".into(),
        );
    }
    if assumptions.versioning == Some(Versioning::Suspended) {
        out.push(
            "Versioning is suspended: objects without a version id are deleted for good.".into(),
        );
    }
    if list.lifecycle.minimum_size.is_none() {
        out.push(
            "The minimum size is not known: today's default, objects under 128 KB stay.".into(),
        );
    }
    if list.groups.iter().any(|(g, _)| matches!(g.kind, Kind::Noncurrent | Kind::NoncurrentLocked))
    {
        out.push(
            "A list does not say since when a version is noncurrent: taken as since the list."
                .into(),
        );
    } else if !list.has_versions {
        out.push("The list has no versions: noncurrent ones are not in it.".into());
    }
    let tiers = |r: &LifecycleRule| r.transitions.iter().any(|t| t.class == "INTELLIGENT_TIERING");
    if list.lifecycle.rules.iter().any(tiers) {
        out.push(if assumptions.is_unread {
            "Intelligent-Tiering: as if nobody reads what is moved there.".into()
        } else {
            "Intelligent-Tiering: as if everything is read each month.".into()
        });
    }
    out
}
