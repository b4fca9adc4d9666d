//! Sums of attempts by key, and what a useful hour costs.

use std::ops::AddAssign;
use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::class::CauseClass;
use super::costed::Costed;
use super::lost::Amount;
use super::nodes::TypeFrom;
use crate::domain::bill::{Usd, words};
use crate::domain::hash::FastMap;
use crate::domain::intern;
use crate::domain::jobs::{GpuTime, JobState};

words! {
    /// What sums are made by.
    TaxKey {
        /// State.
        State = "state",
        /// Why attempts ended.
        Cause = "cause",
        /// User.
        User = "user",
        /// Team.
        Team = "team",
        /// Project.
        Project = "project",
        /// Node; several share an attempt equally.
        Node = "node",
        /// Model of the GPUs.
        Model = "model",
        /// Week in which attempts started, ISO 8601, UTC.
        Week = "week",
    }
}

/// Cause of what did not fail.
const NO_CAUSE: &str = "none";

/// Sums of attempts. Unknown amounts are in none of them, but counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaxSums {
    /// Number of attempts.
    pub attempts: u64,
    /// GPU time held.
    pub gpu_time: GpuTime,
    /// Dollars.
    pub usd: Usd,
    /// GPU time that came to nothing.
    pub lost: GpuTime,
    /// Dollars that came to nothing.
    pub lost_usd: Usd,
    /// GPU time of cancelled attempts.
    pub cancelled: GpuTime,
    /// Dollars of cancelled attempts.
    pub cancelled_usd: Usd,
    /// Lost GPU time of which nobody tells the cause.
    pub lost_without_cause: GpuTime,
    /// Attempts of which the GPU time is unknown.
    pub without_gpu_time: u64,
    /// Attempts that cost something known.
    pub priced: u64,
    /// Attempts of which the dollars are unknown.
    pub unpriced: u64,
    /// Attempts of which what was lost is an upper bound.
    pub upper_bounds: u64,
    /// Doubtful attempts, which count nothing.
    pub doubtful: u64,
    /// Attempts whose dollars were scaled: of their nodes more was asked for than there is.
    pub scaled: u64,
    /// Attempts whose instance type is that of their queue: an estimate.
    pub estimated: u64,
    /// GPU time that attempts waited for.
    pub waited: GpuTime,
    /// GPU time held by those of which it is known how long they waited.
    pub waiters: GpuTime,
    /// What of it came to nothing.
    pub waiters_lost: GpuTime,
}

impl AddAssign<&Self> for TaxSums {
    fn add_assign(&mut self, other: &Self) {
        self.attempts += other.attempts;
        self.gpu_time += other.gpu_time;
        self.usd += other.usd;
        self.lost += other.lost;
        self.lost_usd += other.lost_usd;
        self.cancelled += other.cancelled;
        self.cancelled_usd += other.cancelled_usd;
        self.lost_without_cause += other.lost_without_cause;
        self.without_gpu_time += other.without_gpu_time;
        self.priced += other.priced;
        self.unpriced += other.unpriced;
        self.upper_bounds += other.upper_bounds;
        self.doubtful += other.doubtful;
        self.scaled += other.scaled;
        self.estimated += other.estimated;
        self.waited += other.waited;
        self.waiters += other.waiters;
        self.waiters_lost += other.waiters_lost;
    }
}

impl TaxSums {
    /// Sums of one attempt.
    pub fn of(row: &Costed) -> Self {
        Self::of_amounts(row, row.held, row.lost, row.waited)
    }

    fn of_amounts(row: &Costed, held: Amount, lost: Amount, waited: Option<GpuTime>) -> Self {
        let is = |is: bool| u64::from(is);
        let state = row.attempt.state;
        let time = |amount: Amount| amount.gpu_time.unwrap_or_default();
        let usd = |amount: Amount| amount.usd.unwrap_or_default();
        let mut sums = Self {
            attempts: 1,
            gpu_time: time(held),
            usd: usd(held),
            // Both amounts are known or neither: a part must not exceed its whole.
            lost: if held.gpu_time.is_some() { time(lost) } else { GpuTime::ZERO },
            lost_usd: usd(lost),
            without_gpu_time: is(held.gpu_time.is_none()),
            priced: is(held.usd.is_some_and(|usd| !usd.is_zero())),
            unpriced: is(held.usd.is_none()),
            upper_bounds: is(row.lost_is_upper_bound),
            doubtful: is(state == JobState::Doubtful),
            scaled: is(row.is_scaled),
            estimated: is(row.type_from == Some(TypeFrom::Rule)),
            ..Self::default()
        };
        if state == JobState::Cancelled {
            (sums.cancelled, sums.cancelled_usd) = (sums.gpu_time, sums.usd);
        }
        if matches!(row.class, None | Some(CauseClass::Unknown)) {
            sums.lost_without_cause = sums.lost;
        }
        if let (Some(waited), Some(held)) = (waited, held.gpu_time) {
            (sums.waited, sums.waiters, sums.waiters_lost) = (waited, held, sums.lost);
        }
        sums
    }

    /// Dollars; `None` where no attempt that cost something has a price.
    pub fn usd_known(&self) -> Option<Usd> {
        (self.priced > 0 || self.unpriced == 0).then_some(self.usd)
    }

    /// Lost dollars; `None` where no attempt that cost something has a price.
    pub fn lost_usd_known(&self) -> Option<Usd> {
        self.usd_known().map(|_| self.lost_usd)
    }

    /// Dollars of cancelled attempts; `None` where no attempt that cost something has a price.
    pub fn cancelled_usd_known(&self) -> Option<Usd> {
        self.usd_known().map(|_| self.cancelled_usd)
    }

    /// Share of the GPU time that came to nothing, 0–1; `None` where there is none.
    pub fn lost_share(&self) -> Option<f64> {
        self.lost.share_of(self.gpu_time)
    }

    /// Share of the GPU time that did not come to nothing, 0–1: goodput while running, without the queue.
    pub fn goodput(&self) -> Option<f64> {
        self.lost_share().map(|lost| 1.0 - lost)
    }

    /// Share of the useful GPU time in that of running and waiting, 0–1, of attempts whose wait is known (effective training
    /// time ratio, Kokolis et al. 2024); `None` without any.
    pub fn ettr(&self) -> Option<f64> {
        self.waiters.less(self.waiters_lost).share_of(self.waiters + self.waited)
    }
}

/// A row of sums.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxRow {
    /// Value of the key; `None` where attempts have none.
    pub value: Option<Arc<str>>,
    /// Sums.
    pub sums: TaxSums,
}

/// Sums by key.
#[derive(Clone, Debug, PartialEq)]
pub struct Tax {
    /// The key.
    pub key: TaxKey,
    /// Rows, those that lost most first.
    pub rows: Vec<TaxRow>,
    /// Sums of all attempts. The rows add up to it, but for `attempts` by node, where one may stand in several.
    pub total: TaxSums,
}

/// Sums of attempts by a key.
pub fn tax<'a>(rows: impl Iterator<Item = &'a Costed>, key: TaxKey) -> Tax {
    let mut sums = Summing::new(key);
    rows.for_each(|row| sums.add(row));
    sums.finish()
}

/// Sums of attempts by a key, one after the other.
pub(super) struct Summing {
    key: TaxKey,
    sums: FastMap<Option<Arc<str>>, TaxSums>,
    total: TaxSums,
}

impl Summing {
    /// Nothing yet.
    pub fn new(key: TaxKey) -> Self {
        Self { key, sums: FastMap::default(), total: TaxSums::default() }
    }

    /// Adds an attempt.
    pub fn add(&mut self, row: &Costed) {
        let own = TaxSums::of(row);
        self.total += &own;
        if self.key == TaxKey::Node && row.attempt.nodes.len() > 1 {
            for (node, part) in row.attempt.nodes.iter().zip(by_node(row)) {
                *self.sums.entry(Some(node.clone())).or_default() += &part;
            }
        } else {
            *self.sums.entry(value(row, self.key)).or_default() += &own;
        }
    }

    /// The sums, those that lost most first.
    pub fn finish(self) -> Tax {
        let Self { key, sums, total } = self;
        let mut rows: Vec<TaxRow> =
            sums.into_iter().map(|(value, sums)| TaxRow { value, sums }).collect();
        rows.sort_by(|a, b| {
            let by = |row: &TaxRow| (row.sums.lost_usd, row.sums.lost, row.sums.gpu_time);
            by(b).cmp(&by(a)).then_with(|| a.value.cmp(&b.value))
        });
        Tax { key, rows, total }
    }
}

/// Equal parts of an attempt, one a node.
fn by_node(row: &Costed) -> Vec<TaxSums> {
    let nodes = row.attempt.nodes.len();
    let times = |time: Option<GpuTime>| match time {
        Some(time) => time.split(nodes).into_iter().map(Some).collect(),
        None => vec![None; nodes],
    };
    let dollars = |usd: Option<Usd>| match usd {
        Some(usd) => usd.split(&vec![1; nodes]).into_iter().map(Some).collect(),
        None => vec![None; nodes],
    };
    let amounts = |of: Amount| {
        let both = times(of.gpu_time).into_iter().zip(dollars(of.usd));
        both.map(|(gpu_time, usd)| Amount { gpu_time, usd }).collect::<Vec<_>>()
    };
    let (held, lost, waited) = (amounts(row.held), amounts(row.lost), times(row.waited));
    let parts = held.into_iter().zip(lost).zip(waited);
    parts.map(|((held, lost), waited)| TaxSums::of_amounts(row, held, lost, waited)).collect()
}

fn value(row: &Costed, key: TaxKey) -> Option<Arc<str>> {
    let of = &row.attempt;
    match key {
        TaxKey::State => Some(intern::shared(of.state.word())),
        TaxKey::Cause => Some(intern::shared(row.class.map_or(NO_CAUSE, CauseClass::word))),
        TaxKey::User => of.user.clone(),
        TaxKey::Team => of.team.clone(),
        TaxKey::Project => of.project.clone(),
        TaxKey::Node => of.nodes.first().cloned(),
        TaxKey::Model => of.gpu_model.clone(),
        TaxKey::Week => {
            let date = of.started_at?.to_zoned(TimeZone::UTC).date().iso_week_date();
            Some(format!("{:04}-W{:02}", date.year(), date.week()).into())
        }
    }
}
