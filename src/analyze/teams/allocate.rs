//! Sums by a dimension, shared costs divided.

use std::sync::Arc;

use super::dimension::Dimension;
use super::filter::MoneyFilter;
use super::line::{Lack, Line};
use super::owner::{Owned, Owners};
use super::rules::Rules;
use super::split::Split;
use crate::domain::bill::Usd;
use crate::domain::hash::FastMap;

/// Dollars by a dimension. The rows add up to `total` exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// The dimension.
    pub by: Dimension,
    /// One row per value, the most dollars first; then what has no value.
    pub rows: Vec<AllocationRow>,
    /// Sum of all lines.
    pub total: Usd,
    /// Shared costs that were divided, in the order of their rules.
    pub shared: Vec<SharedCost>,
    /// What is odd about the rules beside these lines.
    pub remarks: Vec<Remark>,
}

/// A shared cost that was divided.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedCost {
    /// Its name.
    pub name: Arc<str>,
    /// Dollars of its lines.
    pub usd: Usd,
    /// Rule by which they were divided.
    pub split: Split,
    /// Number of rows that have a part of them.
    pub among: usize,
}

/// Dollars of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct AllocationRow {
    /// The value; `None` for what has none.
    pub key: Option<Arc<str>>,
    /// Why there is no value; `None` where there is one.
    pub lack: Option<Lack>,
    /// Dollars of lines that have the value, without those that are shared.
    pub direct: Usd,
    /// Its part of shared costs.
    pub shared: Usd,
    /// GPU-hours of lines that have the value, shared ones as well.
    pub gpu_hours: f64,
}

impl AllocationRow {
    /// Direct and shared dollars.
    pub fn usd(&self) -> Usd {
        self.direct + self.shared
    }
}

/// What is odd about rules beside the lines they are applied to.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// The filter of a shared cost takes no line.
    PoolTakesNothing(Arc<str>),
    /// A mapping gives no line its team; its place among the mappings, from 1.
    MappingTakesNothing(usize, Arc<str>),
    /// Two mappings fit the same lines and name two teams; the first one counts. Their places, from 1, and the dollars.
    Contested(usize, usize, Usd),
    /// A shared cost with nobody to share it: it stays without a value.
    NobodyShares(Arc<str>, Usd),
    /// A shared cost is divided evenly, since those who share it have no dollars or GPU-hours to divide it by.
    EvenInstead(Arc<str>, Split),
    /// A value of the tag that is none of the teams that are named, with its dollars.
    UnknownTeam(Arc<str>, Usd),
}

/// Sums by a dimension of these lines.
pub fn allocate(lines: &[Line], rules: &Rules, by: Dimension) -> Allocation {
    let mut owners = Owners::new(rules);
    let mut table = Table::default();
    let mut pools: Vec<(Usd, usize)> = vec![(Usd::ZERO, 0); rules.pools.len()];
    for line in lines {
        let key = match by {
            Dimension::Team => owners.counted(line),
            _ => owners.of(line, by),
        };
        let mut owned = Owned::default();
        owned.0[by as usize] = Some(key.clone());
        let mut takes = |filter: &MoneyFilter| owners.passes_as(filter, line, &mut owned);
        let pool = rules.pools.iter().position(|pool| takes(&pool.filter));
        // GPU-hours stay with whoever used them.
        let lack = key.is_none().then_some(line.lack);
        let row = table.row(key, lack);
        row.gpu_hours += line.gpu_hours;
        match pool.and_then(|at| pools.get_mut(at)) {
            Some((usd, count)) => {
                *usd += line.usd;
                *count += 1;
            }
            None => row.direct += line.usd,
        }
    }
    let (mut shared, mut remarks) = (Vec::new(), Vec::new());
    let direct: Vec<AllocationRow> = table.rows.clone();
    for (pool, (usd, count)) in rules.pools.iter().zip(pools) {
        if count == 0 {
            remarks.push(Remark::PoolTakesNothing(pool.name.clone()));
            continue;
        }
        let among: &[Arc<str>] = if by == Dimension::Team { &pool.among } else { &[] };
        let sharers = sharers(&direct, among, &mut owners);
        if sharers.is_empty() {
            remarks.push(Remark::NobodyShares(pool.name.clone(), usd));
            table.row(None, Some(Lack::Untagged)).shared += usd;
            continue;
        }
        let mut weights: Vec<u64> = sharers.iter().map(|row| pool.split.weight(row)).collect();
        let mut split = pool.split;
        if weights.iter().all(|weight| *weight == 0) {
            remarks.push(Remark::EvenInstead(pool.name.clone(), pool.split));
            weights.fill(1);
            split = Split::Even;
        }
        let mut among = 0;
        for (row, part) in sharers.into_iter().zip(usd.split(&weights)) {
            among += usize::from(!part.is_zero());
            table.row(row.key, row.lack).shared += part;
        }
        shared.push(SharedCost { name: pool.name.clone(), usd, split, among });
    }
    if by == Dimension::Team {
        let unused = owners.used.iter().zip(&rules.mappings).enumerate();
        let unused = unused.filter(|(_, (used, _))| **used == 0);
        remarks
            .extend(unused.map(|(at, (_, m))| Remark::MappingTakesNothing(at + 1, m.team.clone())));
        let mut contested: Vec<_> = owners.contested.iter().collect();
        contested.sort_unstable();
        let contested = contested.into_iter();
        remarks.extend(contested.map(|((a, b), usd)| Remark::Contested(a + 1, b + 1, *usd)));
        let named = |key: &Arc<str>| rules.names.is_empty() || rules.names.contains(key);
        let unknown = table.rows.iter().filter_map(|row| {
            let key = row.key.as_ref().filter(|key| !named(key))?;
            Some(Remark::UnknownTeam(key.clone(), row.direct))
        });
        remarks.extend(unknown);
    }
    let mut rows = table.rows;
    // Values whose lines are all shared by others have no dollars, but perhaps GPU-hours.
    rows.retain(|row| !row.usd().is_zero() || !row.direct.is_zero() || row.gpu_hours != 0.0);
    rows.sort_by(|a, b| (a.lack, b.usd(), &a.key).cmp(&(b.lack, a.usd(), &b.key)));
    Allocation { by, rows, total: lines.iter().map(|line| line.usd).sum(), shared, remarks }
}

/// Rows that are made as they are asked for.
#[derive(Default)]
struct Table {
    rows: Vec<AllocationRow>,
    at: FastMap<(Option<Arc<str>>, Option<Lack>), usize>,
}

impl Table {
    fn row(&mut self, key: Option<Arc<str>>, lack: Option<Lack>) -> &mut AllocationRow {
        let rows = &mut self.rows;
        let at = *self.at.entry((key.clone(), lack)).or_insert_with(|| {
            let (direct, shared) = (Usd::ZERO, Usd::ZERO);
            rows.push(AllocationRow { key, lack, direct, shared, gpu_hours: 0.0 });
            rows.len() - 1
        });
        &mut rows[at]
    }
}

/// The rows among which a shared cost is divided, in the order of their keys: those named, or all with dollars of their
/// own.
fn sharers(
    rows: &[AllocationRow],
    among: &[Arc<str>],
    owners: &mut Owners<'_>,
) -> Vec<AllocationRow> {
    let mut sharers: Vec<AllocationRow> = if among.is_empty() {
        let has_own = |row: &&AllocationRow| row.key.is_some() && row.direct > Usd::ZERO;
        rows.iter().filter(has_own).cloned().collect()
    } else {
        let row = |team: &Arc<str>| {
            let key = owners.spelling(team, Dimension::Team);
            let found = rows.iter().find(|row| row.key.as_ref() == Some(&key)).cloned();
            let (direct, shared) = (Usd::ZERO, Usd::ZERO);
            found.unwrap_or(AllocationRow {
                key: Some(key),
                lack: None,
                direct,
                shared,
                gpu_hours: 0.0,
            })
        };
        among.iter().map(row).collect()
    };
    sharers.sort_by(|a, b| a.key.cmp(&b.key));
    sharers.dedup_by(|a, b| a.key == b.key);
    sharers
}
