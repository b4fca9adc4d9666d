//! The bill of a period, folded: sums by day, and sums by resource.

use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::head::BillHead;
use super::kind::{KindId, UsageKind};
use super::names::NameId;
use super::usd::Usd;
use super::words::{Charge, Pricing};

/// Sums over the lines of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Billed: what the invoice charges for it (CUR's unblended cost, FOCUS's `BilledCost`).
    pub billed: Usd,
    /// Effective: commitments spread over what they cover (CUR's amortised cost, FOCUS's `EffectiveCost`).
    pub effective: Usd,
    /// At public on-demand prices, of lines that say it.
    pub list: Usd,
    /// Effective cost net of private discounts, of lines that say it; equals `effective` where the bill has no such
    /// columns.
    pub net: Usd,
    /// Quantity in the unit of its [`UsageKind`].
    pub quantity: f64,
    /// Number of lines.
    pub lines: u64,
    /// Number of lines of use whose list price is not said; `list` leaves them out.
    pub without_list: u64,
}

impl AddAssign<&Sums> for Sums {
    fn add_assign(&mut self, other: &Sums) {
        self.billed += other.billed;
        self.effective += other.effective;
        self.list += other.list;
        self.net += other.net;
        self.quantity += other.quantity;
        self.lines += other.lines;
        self.without_list += other.without_list;
    }
}

impl<'a> std::iter::Sum<&'a Sums> for Sums {
    fn sum<I: Iterator<Item = &'a Sums>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

/// Number of a set of tag values of a bill, see [`Bill::tag`]. 0 is the set without any.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct OwnerId(pub(super) u32);

/// What the lines of a cell have in common, but for day and resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Account that used it; empty where not said.
    pub account: NameId,
    /// Region, such as `us-east-1`; empty for global services and where not said.
    pub region: NameId,
    /// Service, usage type, operation.
    pub kind: KindId,
    /// What it charges for.
    pub charge: Charge,
    /// How its price came about.
    pub pricing: Pricing,
    /// Id of the commitment that covers it, or that it pays for; empty without one.
    pub commitment: NameId,
    /// Values of the chosen tags.
    pub owner: OwnerId,
}

/// Sums of a day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Day of the month, from 1; 0 for what is charged for the whole period (tax, support, monthly fees) or lies
    /// outside it.
    pub day: u8,
    /// What its lines have in common.
    pub key: Key,
    /// Sums of its lines.
    pub sums: Sums,
}

/// Sums of the period by resource.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceCell {
    /// Id or ARN of the resource as the bill has it; empty for lines without one, and for the resources that were too
    /// many ([`BillHead::resources_folded`]).
    pub resource: NameId,
    /// What its lines have in common.
    pub key: Key,
    /// First and last day of the month with a line, from 1; 0 where only charges of the whole period have one.
    pub days: (u8, u8),
    /// Sums of its lines.
    pub sums: Sums,
}

/// The bill of one period of one export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bill {
    /// Period, format, totals, remarks.
    pub head: BillHead,
    /// Tag keys that were kept, as the configuration writes them, ordered; each set of values has one per key.
    pub tag_keys: Vec<Arc<str>>,
    /// Sums by day, ordered by day.
    pub cells: Vec<Cell>,
    /// Sums by resource, largest effective cost first. They add up to the same totals as `cells`. Empty where the
    /// source has no resources.
    pub resources: Vec<ResourceCell>,
    pub(super) names: Vec<Arc<str>>,
    pub(super) kinds: Vec<UsageKind>,
    pub(super) owners: Vec<Box<[NameId]>>,
    /// Names of accounts by their ids.
    pub(super) account_names: Vec<(NameId, NameId)>,
}

impl Bill {
    /// A text by its number; empty for a number of another bill.
    pub fn name(&self, id: NameId) -> &str {
        self.shared_name(id).map_or("", |name| name)
    }

    /// A text by its number, shared; `None` for the empty text and for a number of another bill.
    pub fn shared_name(&self, id: NameId) -> Option<&Arc<str>> {
        self.names.get(id.0 as usize).filter(|_| !id.is_none())
    }

    /// A text by its place, see [`Self::name_index`]; `None` for the empty text and beyond the last.
    pub fn name_at(&self, place: usize) -> Option<&Arc<str>> {
        self.names.get(place).filter(|name| !name.is_empty())
    }

    /// Numbers of all sets of tag values, in the order of [`Self::owner_index`].
    pub fn owner_ids(&self) -> impl Iterator<Item = OwnerId> {
        (0..self.owners.len() as u32).map(OwnerId)
    }

    /// Number of a text that the bill has; `None` where it has no such text.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.names.iter().position(|name| &**name == text).map(|at| NameId(at as u32))
    }

    /// What was used, by its number; `None` for a number of another bill.
    pub fn kind(&self, id: KindId) -> Option<&UsageKind> {
        self.kinds.get(id.0 as usize)
    }

    /// All kinds of use; [`Self::kind_index`] is the place of one.
    pub fn kinds(&self) -> &[UsageKind] {
        &self.kinds
    }

    /// Place of a kind in [`Self::kinds`].
    pub const fn kind_index(id: KindId) -> usize {
        id.0 as usize
    }

    /// Number of texts, and of sets of tag values: the size of tables indexed by [`Self::name_index`] and
    /// [`Self::owner_index`].
    pub const fn sizes(&self) -> (usize, usize) {
        (self.names.len(), self.owners.len())
    }

    /// Place of a text, below the first of [`Self::sizes`].
    pub const fn name_index(id: NameId) -> usize {
        id.0 as usize
    }

    /// Place of a set of tag values, below the second of [`Self::sizes`].
    pub const fn owner_index(id: OwnerId) -> usize {
        id.0 as usize
    }

    /// Value of tag key number `key` of [`Self::tag_keys`] in a set; empty where it has none.
    pub fn tag(&self, owner: OwnerId, key: usize) -> NameId {
        let values = self.owners.get(owner.0 as usize);
        values.and_then(|values| values.get(key)).copied().unwrap_or_default()
    }

    /// Place of a tag key in [`Self::tag_keys`], ignoring ASCII case; `None` where the key was not kept.
    pub fn tag_key(&self, key: &str) -> Option<usize> {
        self.tag_keys.iter().position(|kept| kept.eq_ignore_ascii_case(key))
    }

    /// Name of an account, as the bill has it; `None` where it has none.
    pub fn account_name(&self, account: NameId) -> Option<&str> {
        let found = self.account_names.iter().find(|(id, _)| *id == account);
        found.map(|(_, name)| self.name(*name)).filter(|name| !name.is_empty())
    }

    /// Sums of all cells: the bill's total.
    pub fn total(&self) -> Sums {
        self.cells.iter().map(|cell| &cell.sums).sum()
    }

    /// True when all numbers in it are of texts, kinds and sets that it has: what was stored and read back is not
    /// trusted before.
    pub fn is_whole(&self) -> bool {
        let name = |id: NameId| (id.0 as usize) < self.names.len();
        let key = |key: &Key| {
            name(key.account)
                && name(key.region)
                && name(key.commitment)
                && self.kind(key.kind).is_some()
                && (key.owner.0 as usize) < self.owners.len()
        };
        self.names.first().is_some_and(|first| first.is_empty())
            && self.cells.iter().all(|cell| cell.day <= 31 && key(&cell.key))
            && self.resources.iter().all(|cell| name(cell.resource) && key(&cell.key))
            && self.account_names.iter().all(|(id, text)| name(*id) && name(*text))
            && self.owners.iter().flatten().all(|id| name(*id))
            && self.kinds.iter().all(|kind| {
                [
                    kind.service,
                    kind.service_code,
                    kind.usage_type,
                    kind.operation,
                    kind.family,
                    kind.unit,
                ]
                .into_iter()
                .all(name)
            })
    }
}
