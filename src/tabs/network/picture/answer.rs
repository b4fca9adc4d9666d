//! What the bills answer to a question of the tab.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{NetworkItem, NetworkSums, network_rows};
use crate::analyze::network::network;
use crate::domain::bill::{BillHead, Month};
use crate::tabs::bill::picture::{BillBooks, period_of};

/// A question about the network to the bills that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkQuestion {
    /// Month; `None` for the newest one.
    pub period: Option<Month>,
}

/// The answer to a [`NetworkQuestion`].
#[derive(Clone, Debug, Default)]
pub struct NetworkPicture {
    /// Months of which a bill is kept, first one first.
    pub periods: Vec<Month>,
    /// The month; `None` where no bill is kept.
    pub period: Option<Month>,
    /// What the bills of the month are; empty where none is kept.
    pub heads: Vec<BillHead>,
    /// What the bills of the month before are, which tell the trend; empty where none is kept.
    pub before: Vec<BillHead>,
    /// Why other bills cannot be read, one sentence each.
    pub unreadable: Vec<String>,
    /// The paths, the costliest first.
    pub rows: Arc<[Arc<NetworkItem>]>,
    /// Those of them that have a fix, the one that avoids the most first; what avoids an unknown amount comes last.
    pub fixes: Arc<[Arc<NetworkItem>]>,
    /// Sums over the paths, at effective cost.
    pub sums: NetworkSums,
    /// Change of the cost of a day against the month before, as a ratio; `None` where no bill tells.
    pub trend: Option<f64>,
}

impl NetworkPicture {
    /// Answers a question from bills.
    pub fn of(books: &BillBooks<'_>, question: NetworkQuestion) -> Self {
        let (periods, period) = (books.periods(), period_of(question.period, books.heads));
        let Some(month) = period else { return Self { periods, ..Self::default() } };
        let (bills, before) = (books.of(month), books.of(month.plus(-1)));
        let found = network(&bills, &before, books.settings);
        let trend = found.trend;
        let rows = network_rows(found);
        let mut fixes: Vec<_> = rows.iter().filter(|row| row.of.fix.is_some()).cloned().collect();
        fixes.sort_by_key(|row| Reverse(row.of.avoidable()));
        Self {
            periods,
            period,
            heads: bills.iter().map(|bill| bill.head.clone()).collect(),
            before: before.iter().map(|bill| bill.head.clone()).collect(),
            unreadable: Vec::new(),
            sums: NetworkSums::of(rows.iter().map(|row| &**row)),
            rows,
            fixes: fixes.into(),
            trend,
        }
    }
}
