//! Values of a key in one bill, as numbers that only that bill knows, and sums by them.

use std::sync::Arc;

use super::category::{Categories, Category};
use super::keys::{BillKey, Only};
use super::settings::BillSettings;
use crate::domain::bill::{Bill, Charge, Key, NameId, Pricing, Sums};
use crate::domain::hash::FastMap;

/// Numbers of the values of a group, one per column; 0 beyond the last.
pub(super) type Group = [u32; 6];

/// A line of a bill: a cell of a day, or of a resource.
#[derive(Clone, Copy)]
pub(in crate::analyze) struct Item<'a> {
    /// Day of the month, 0 for charges of the whole period and for cells of resources.
    pub(in crate::analyze) day: u8,
    /// Resource; empty for cells of days.
    pub(in crate::analyze) resource: NameId,
    /// What its lines have in common.
    pub(in crate::analyze) key: &'a Key,
    /// Their sums.
    pub(in crate::analyze) sums: &'a Sums,
}

/// All items of a bill: by resource where `by_resource` and the bill has them, else by day.
pub(in crate::analyze) fn items(bill: &Bill, by_resource: bool) -> impl Iterator<Item = Item<'_>> {
    let by_resource = by_resource && !bill.resources.is_empty();
    let resources = bill.resources.iter().map(|cell| Item {
        day: 0,
        resource: cell.resource,
        key: &cell.key,
        sums: &cell.sums,
    });
    let cells = bill.cells.iter().map(|cell| Item {
        day: cell.day,
        resource: NameId::NONE,
        key: &cell.key,
        sums: &cell.sums,
    });
    let (resources, cells) =
        if by_resource { (Some(resources), None) } else { (None, Some(cells)) };
    resources.into_iter().flatten().chain(cells.into_iter().flatten())
}

/// A key in one bill.
pub(super) enum Column {
    Category(Categories),
    Account,
    Region,
    Resource,
    Day,
    Charge,
    Pricing,
    Commitment,
    /// A text of the kind, by [`Bill::kind_index`].
    Kind(Vec<NameId>),
    /// Value of a tag, by [`Bill::owner_index`].
    Owner(Vec<NameId>),
    /// Number of the kind itself.
    KindId,
}

impl Column {
    pub(super) fn new(bill: &Bill, key: &BillKey, settings: &BillSettings) -> Self {
        match key {
            BillKey::Category => Self::Category(Categories::new(bill, settings)),
            BillKey::Service => Self::Kind(bill.kinds().iter().map(|k| k.service).collect()),
            BillKey::UsageType => Self::Kind(bill.kinds().iter().map(|k| k.usage_type).collect()),
            BillKey::Account => Self::Account,
            BillKey::Region => Self::Region,
            BillKey::Resource => Self::Resource,
            BillKey::Day => Self::Day,
            BillKey::Charge => Self::Charge,
            BillKey::Pricing => Self::Pricing,
            BillKey::Commitment => Self::Commitment,
            key => Self::owner(bill, tag_keys(key, settings)),
        }
    }

    /// Values of the first of these tags that a set has.
    fn owner(bill: &Bill, keys: &[Arc<str>]) -> Self {
        let places: Vec<usize> = keys.iter().filter_map(|key| bill.tag_key(key)).collect();
        let value = |owner| {
            let mut values = places.iter().map(|place| bill.tag(owner, *place));
            values.find(|value| !value.is_none()).unwrap_or_default()
        };
        Self::Owner(bill.owner_ids().map(value).collect())
    }

    /// Number of the value of an item.
    pub(super) fn number(&self, item: &Item<'_>) -> u32 {
        let name = |id: NameId| Bill::name_index(id) as u32;
        let at = |all: &[NameId], place: usize| all.get(place).copied().map_or(0, name);
        match self {
            Self::Category(categories) => categories.of(item.key) as u32,
            Self::Account => name(item.key.account),
            Self::Region => name(item.key.region),
            Self::Resource => name(item.resource),
            Self::Day => u32::from(item.day),
            Self::Charge => item.key.charge as u32,
            Self::Pricing => item.key.pricing as u32,
            Self::Commitment => name(item.key.commitment),
            Self::Kind(names) => at(names, Bill::kind_index(item.key.kind)),
            Self::Owner(names) => at(names, Bill::owner_index(item.key.owner)),
            Self::KindId => Bill::kind_index(item.key.kind) as u32,
        }
    }

    /// The value of a number; `None` where the bill does not say it.
    pub(super) fn value(&self, bill: &Bill, number: u32) -> Option<Arc<str>> {
        let place = number as usize;
        let word = |words: &[&str]| words.get(place).map(|word| Arc::from(*word));
        match self {
            Self::Category(_) => word(&Category::WORDS),
            Self::Charge => word(&Charge::WORDS),
            Self::Pricing => word(&Pricing::WORDS),
            Self::Day => {
                let day = u8::try_from(number).ok().filter(|day| *day > 0);
                day.map(|day| bill.head.period.day(day).to_string().into())
            }
            Self::KindId => None,
            Self::Account
            | Self::Region
            | Self::Resource
            | Self::Commitment
            | Self::Kind(_)
            | Self::Owner(_) => bill.name_at(place).cloned(),
        }
    }
}

/// Tag keys behind a key; empty for keys that are no tags.
pub(super) fn tag_keys<'a>(key: &'a BillKey, settings: &'a BillSettings) -> &'a [Arc<str>] {
    match key {
        BillKey::Team => &settings.team,
        BillKey::Project => &settings.project,
        BillKey::Environment => &settings.environment,
        BillKey::CostCenter => &settings.cost_center,
        BillKey::Tag(key) => std::slice::from_ref(key),
        _ => &[],
    }
}

/// A restriction in one bill.
struct Restriction<'a> {
    column: Column,
    value: &'a Option<Arc<str>>,
    /// Whether a number has the value, of those that were asked.
    known: FastMap<u32, bool>,
}

/// Sums of the items that `keep` and all of `only` let through, by the numbers of `columns`, at most as many as a [`Group`] has.
pub(super) fn grouped(
    bill: &Bill,
    columns: &[Column],
    only: &[Only],
    settings: &BillSettings,
    keep: impl Fn(&Item<'_>) -> bool,
) -> FastMap<Group, Sums> {
    let mut only: Vec<Restriction<'_>> = only
        .iter()
        .map(|only| Restriction {
            column: Column::new(bill, &only.key, settings),
            value: &only.value,
            known: FastMap::default(),
        })
        .collect();
    let by_resource = |column: &Column| matches!(column, Column::Resource);
    let by_resource =
        columns.iter().any(by_resource) || only.iter().any(|only| by_resource(&only.column));
    let mut groups: FastMap<Group, Sums> = FastMap::default();
    for item in items(bill, by_resource).filter(keep) {
        let passes = only.iter_mut().all(|Restriction { column, value, known }| {
            let number = column.number(&item);
            *known.entry(number).or_insert_with(|| column.value(bill, number) == **value)
        });
        if passes {
            let mut group = Group::default();
            for (number, column) in group.iter_mut().zip(columns) {
                *number = column.number(&item);
            }
            *groups.entry(group).or_default() += item.sums;
        }
    }
    groups
}

/// Values of the first columns of a group.
pub(super) fn values(bill: &Bill, columns: &[Column], group: &Group) -> Vec<Option<Arc<str>>> {
    columns.iter().zip(group).map(|(column, number)| column.value(bill, *number)).collect()
}
