//! Sums by path, ends, account, service, resource.

use std::borrow::Borrow;

use super::meaning::{Meaning, Meter, Purpose};
use super::path::NetworkPath;
use super::sides::Sides;
use super::{NetworkRow, RowKey};
use crate::analyze::bill::{BillSettings, Categories, Category, Item, items};
use crate::domain::bill::{Bill, Charge, Usd, resource_id};
use crate::domain::hash::FastMap;

/// Rows without trend and fixes, in no order, and what they add up to.
pub(super) struct Summed {
    pub rows: Vec<NetworkRow>,
    pub network: Usd,
    pub requests: Usd,
}

/// Which lines of a bill are of the network, and what they mean.
struct Lines<'a> {
    bill: &'a Bill,
    categories: Categories,
    /// By [`Bill::kind_index`].
    network: Vec<Meaning>,
    /// Of requests to buckets.
    requests: Vec<Option<Meaning>>,
}

impl<'a> Lines<'a> {
    fn of(bill: &'a Bill, settings: &BillSettings) -> Self {
        let kinds = bill.kinds();
        Self {
            bill,
            categories: Categories::new(bill, settings),
            network: kinds.iter().map(|kind| Meaning::of_network(bill, kind)).collect(),
            requests: kinds.iter().map(|kind| Meaning::of_requests(bill, kind)).collect(),
        }
    }

    /// The lines with their meanings.
    fn each(&self) -> impl Iterator<Item = (Item<'a>, &Meaning)> {
        items(self.bill, true).filter_map(|item| {
            let kind = Bill::kind_index(item.key.kind);
            let meaning = match self.categories.of(item.key) {
                Category::Network => self.network.get(kind),
                Category::Storage => self.requests.get(kind).and_then(Option::as_ref),
                _ => None,
            };
            meaning.map(|meaning| (item, meaning))
        })
    }

    fn key(&self, item: &Item<'_>, meaning: &Meaning) -> RowKey {
        let bill = self.bill;
        let (from, to) = meaning.ends(bill.shared_name(item.key.region));
        let service = bill.kind(item.key.kind).and_then(|kind| bill.shared_name(kind.service));
        let resource = bill.shared_name(item.resource).map(|name| {
            let id = resource_id(name);
            if id.len() == name.len() { name.clone() } else { id.into() }
        });
        RowKey {
            path: meaning.path,
            from,
            to,
            account: bill.shared_name(item.key.account).cloned(),
            service: service.cloned(),
            resource,
            // One row per bucket.
            purpose: match meaning.path {
                NetworkPath::Requests => Purpose::Other,
                _ => meaning.purpose,
            },
        }
    }
}

/// Quantity of a line of use; `None` for what no row sums.
fn metered(item: &Item<'_>, meaning: &Meaning) -> Option<(Meter, f64)> {
    let is_use = item.key.charge == Charge::Usage;
    // Of a line that costs nothing and does not say its side, the sender's may be there as well.
    let is_doubtful = !meaning.is_told
        && meaning.path == NetworkPath::InterRegion
        && item.sums.effective.is_zero();
    let meter = meaning.meter.filter(|_| is_use && !is_doubtful)?;
    Some((meter, item.sums.quantity.max(0.0)))
}

/// Sums of bills.
pub(super) fn summed<B: Borrow<Bill>>(bills: &[B], settings: &BillSettings) -> Summed {
    let lines: Vec<Lines<'_>> =
        bills.iter().map(|bill| Lines::of(bill.borrow(), settings)).collect();
    let mut sides = Sides::default();
    for lines in &lines {
        for (item, meaning) in lines.each() {
            if let Some((Meter::Bytes(of), quantity)) = metered(&item, meaning) {
                let ends = meaning.ends(lines.bill.shared_name(item.key.region));
                sides.add(meaning, &ends, quantity * of);
            }
        }
    }
    let mut rows: FastMap<RowKey, NetworkRow> = FastMap::default();
    let (mut network, mut requests) = (Usd::ZERO, Usd::ZERO);
    for lines in &lines {
        for (item, meaning) in lines.each() {
            let key = lines.key(&item, meaning);
            let ends = (key.from.clone(), key.to.clone());
            let row = rows.entry(key).or_insert_with_key(NetworkRow::empty);
            let usd = item.sums.effective;
            row.usd += usd;
            row.is_told &= meaning.is_told;
            match meaning.path {
                NetworkPath::Requests => requests += usd,
                _ => network += usd,
            }
            if matches!(meaning.meter, Some(Meter::Bytes(_))) {
                row.bytes_usd += usd;
            }
            if meaning.path == NetworkPath::Requests && meaning.purpose == Purpose::Read {
                row.reads_usd += usd;
            }
            match metered(&item, meaning) {
                Some((Meter::Bytes(of), quantity)) => {
                    let share = sides.share(meaning, &ends);
                    *row.bytes.get_or_insert_default() += quantity * of * share;
                }
                Some((Meter::Hours, quantity)) => {
                    *row.hours.get_or_insert_default() += quantity;
                }
                Some((Meter::Requests, quantity)) => {
                    *row.requests.get_or_insert_default() += quantity;
                    if meaning.purpose == Purpose::Read {
                        *row.reads.get_or_insert_default() += quantity;
                    }
                }
                None => {}
            }
        }
    }
    Summed { rows: rows.into_values().collect(), network, requests }
}

impl NetworkRow {
    fn empty(key: &RowKey) -> Self {
        Self {
            key: key.clone(),
            bytes: None,
            hours: None,
            requests: None,
            reads: None,
            usd: Usd::ZERO,
            bytes_usd: Usd::ZERO,
            reads_usd: Usd::ZERO,
            trend: None,
            is_told: true,
            fix: None,
            live: None,
        }
    }
}
