//! Where bytes went, by the bill: paths with their ends, what they cost, and which part of it need not be.
//!
//! Every line of the category network is in one row, and so is every request to a bucket: the rows add up to both exactly.
//!
//! | file | holds |
//! |---|---|
//! | `cache` | what a cache would save, by logs of reads |
//! | `path` | the paths; how much of a row the bill tells |
//! | `meaning` | what a kind of line says: path, ends, what its quantity counts |
//! | `sides` | bytes that sender and receiver both count, counted once |
//! | `sums` | sums by path, ends, account, service, resource |
//! | `facts` | what a bill says beside the network: what buckets hold and serve, what endpoints cost |
//! | `live` | paths without a bill, from what is read of the account |
//! | `fix` | what would avoid a part of a row, at what price of its own |
//! | `totals` | rows by path and by fix |

pub mod cache;
mod facts;
mod fix;
pub mod live;
mod meaning;
mod path;
mod sides;
mod sums;
#[cfg(test)]
mod tests;
mod totals;

use std::borrow::Borrow;
use std::sync::Arc;

pub use fix::{Fix, Remedy};
pub use meaning::{GB, INTERNET, Purpose};
pub use path::{Confidence, NetworkPath};
pub use totals::{FixSum, PathSum, by_fix, by_path};

use self::facts::Facts;
use self::sums::{Summed, summed};
use super::bill::BillSettings;
use crate::domain::bill::{Bill, BillHead, Usd};
use crate::domain::hash::FastMap;
use crate::fleet::savings::PathRow;

/// Paths of bills. The rows add up to `network` and `requests` exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkPaths {
    /// One row per path, ends, account, service and resource; the largest effective cost first. Rows without cost and bytes
    /// are left out.
    pub rows: Vec<NetworkRow>,
    /// Effective cost of the category network, as the anatomy of the bill has it, US dollars.
    pub network: Usd,
    /// Effective cost of requests to buckets, which the anatomy has in storage, US dollars.
    pub requests: Usd,
    /// Change of the cost of a day against the month before, of all rows, as a ratio; `None` where it cost nothing then, and
    /// where no bill tells.
    pub trend: Option<f64>,
}

/// A path between two ends, of one account, service and resource.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkRow {
    /// What it is of.
    pub key: RowKey,
    /// Bytes, each once, though sender and receiver both are billed; `None` where no line counts them.
    pub bytes: Option<f64>,
    /// Hours billed, as of gateways and endpoints; `None` without any.
    pub hours: Option<f64>,
    /// Requests billed; `None` without any.
    pub requests: Option<f64>,
    /// Of them, objects that are read.
    pub reads: Option<f64>,
    /// Effective cost, US dollars.
    pub usd: Usd,
    /// Of it, what bytes cost.
    pub bytes_usd: Usd,
    /// Of it, what reading objects costs by the request.
    pub reads_usd: Usd,
    /// Change of the cost of a day against the month before, as a ratio: 0.5 = half more; `None` where it cost nothing then,
    /// and where no bill tells.
    pub trend: Option<f64>,
    /// False where the bill has no usage types and the path is told by an operation or a description.
    pub is_told: bool,
    /// What would avoid a part of it; `None` where nothing is known that would.
    pub fix: Option<Fix>,
    /// The path as it was read live; `None` for one of a bill.
    pub live: Option<Arc<PathRow>>,
}

/// What a row is of. Ends are a region, `internet`, `cdn`, or a code as the bill has it; `None` is not said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowKey {
    /// The path.
    pub path: NetworkPath,
    /// Where the bytes come from.
    pub from: Option<Arc<str>>,
    /// Where they go to.
    pub to: Option<Arc<str>>,
    /// Account that is billed.
    pub account: Option<Arc<str>>,
    /// Service that is billed.
    pub service: Option<Arc<str>>,
    /// Bucket, gateway, endpoint or instance.
    pub resource: Option<Arc<str>>,
    /// What it is for, as far as fixes differ by it.
    pub purpose: Purpose,
}

impl NetworkRow {
    /// What a GB cost, US dollars: at the steps of the price that applied, and of both sides where both pay. `None` where
    /// nothing counts bytes, and where they have no known price.
    pub fn usd_per_gb(&self) -> Option<f64> {
        self.live.as_ref().is_none_or(|live| live.bytes_usd.is_some()).then_some(())?;
        let gb = self.bytes? / GB;
        (gb > 0.0).then(|| self.bytes_usd.to_f64() / gb)
    }

    /// What it costs, US dollars per month: of a bill exact, live an estimate at list price; `None` where a part of that is
    /// unknown.
    pub fn known_usd(&self) -> Option<Usd> {
        let is_known = self.live.as_ref().is_none_or(|live| live.usd.is_some());
        is_known.then_some(self.usd)
    }

    /// How much of the row the bill tells.
    pub fn confidence(&self) -> Confidence {
        if !self.is_told {
            return Confidence::Low;
        }
        self.fix.as_ref().map_or(Confidence::High, |fix| fix.confidence)
    }

    /// What could be avoided, US dollars per month after the price of the fix; `None` without a fix and where the bill does
    /// not tell how much.
    pub fn avoidable(&self) -> Option<Usd> {
        self.fix.as_ref().and_then(|fix| fix.avoidable)
    }
}

/// Paths of the bills of one period, with their trend since those of `before`, the month before it.
pub fn network<B: Borrow<Bill>>(
    bills: &[B],
    before: &[B],
    settings: &BillSettings,
) -> NetworkPaths {
    let Summed { rows, network, requests } = summed(bills, settings);
    let former = summed(before, settings);
    let former_usd = former.network + former.requests;
    let former: FastMap<RowKey, Usd> =
        former.rows.into_iter().map(|row| (row.key, row.usd)).collect();
    let facts = Facts::of(bills, &rows);
    let (days, days_before) = (days(bills), days(before));
    let done = |mut row: NetworkRow| {
        row.trend =
            former.get(&row.key).and_then(|former| trend(row.usd, days?, *former, days_before?));
        row.fix = fix::fix(&row, &facts);
        row
    };
    let mut rows: Vec<NetworkRow> = rows.into_iter().map(done).collect();
    rows.retain(|row| !row.usd.is_zero() || row.bytes.is_some_and(|bytes| bytes > 0.0));
    let bytes = |row: &NetworkRow| row.bytes.unwrap_or_default();
    rows.sort_by(|a, b| {
        b.usd
            .cmp(&a.usd)
            .then_with(|| bytes(b).total_cmp(&bytes(a)))
            .then_with(|| a.key.cmp(&b.key))
    });
    let change = |(days, days_before)| trend(network + requests, days, former_usd, days_before);
    let trend = days.zip(days_before).and_then(change);
    NetworkPaths { rows, network, requests, trend }
}

/// Days of the period that bills tell of; `None` without bills.
pub fn told_days<'a>(heads: impl Iterator<Item = &'a BillHead>) -> Option<u8> {
    heads.map(facts::days).max()
}

fn days<B: Borrow<Bill>>(bills: &[B]) -> Option<u8> {
    told_days(bills.iter().map(|bill| &bill.borrow().head))
}

fn trend(usd: Usd, days: u8, former: Usd, days_before: u8) -> Option<f64> {
    let a_day = |usd: Usd, days: u8| usd.to_f64() / f64::from(days);
    let before = a_day(former, days_before);
    (before > 0.0).then(|| a_day(usd, days) / before - 1.0)
}
