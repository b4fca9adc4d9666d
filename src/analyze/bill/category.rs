//! The category of what a bill charges for.

use super::category_table::{Class, class_of};
use super::settings::{BillSettings, TagIs};
use crate::domain::bill::{Bill, Charge, Key};

/// Category of the anatomy of a bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Compute that trains models.
    Training,
    /// Compute that serves models.
    Serving,
    /// Compute of which neither is known.
    OtherCompute,
    /// Data at rest: objects, disks, file systems, databases, backups.
    Storage,
    /// Data on its way.
    Network,
    /// Watching, securing, supporting, and services that no row of the table names.
    Operations,
    /// Tax, credits, refunds, fees, marketplace.
    Fees,
}

impl Category {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::Training,
        Self::Serving,
        Self::OtherCompute,
        Self::Storage,
        Self::Network,
        Self::Operations,
        Self::Fees,
    ];

    /// Their words, in the order of [`Self::ALL`].
    pub const WORDS: [&'static str; 7] =
        ["training", "serving", "other_compute", "storage", "network", "operations", "fees"];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Category of what is no use of a service, whatever the service; `None` where that decides.
    pub(super) const fn of_charge(charge: Charge) -> Option<Self> {
        match charge {
            Charge::Tax | Charge::Credit | Charge::Refund | Charge::Fee | Charge::Adjustment => {
                Some(Self::Fees)
            }
            Charge::Support => Some(Self::Operations),
            Charge::Usage | Charge::Purchase | Charge::Discount => None,
        }
    }

    /// Category of a class where no tag tells another.
    pub(super) const fn of_class(class: Class) -> Self {
        match class {
            Class::Compute => Self::OtherCompute,
            Class::Training => Self::Training,
            Class::Serving => Self::Serving,
            Class::Storage => Self::Storage,
            Class::Network => Self::Network,
            Class::Operations => Self::Operations,
            Class::Fees => Self::Fees,
        }
    }
}

/// Categories of the lines of one bill.
pub(in crate::analyze) struct Categories {
    /// By [`Bill::kind_index`].
    classes: Vec<Class>,
    /// By [`Bill::owner_index`]: what the tags say of compute.
    tagged: Vec<Option<Category>>,
}

impl Categories {
    pub(in crate::analyze) fn new(bill: &Bill, settings: &BillSettings) -> Self {
        let says = |tags: &[TagIs], owner| {
            tags.iter().any(|tag| {
                let key = bill.tag_key(&tag.key);
                key.is_some_and(|key| tag.matches(bill.name(bill.tag(owner, key))))
            })
        };
        let tagged = bill.owner_ids().map(|owner| {
            if says(&settings.training, owner) {
                Some(Category::Training)
            } else {
                says(&settings.serving, owner).then_some(Category::Serving)
            }
        });
        Self {
            classes: bill.kinds().iter().map(|kind| class_of(bill, kind)).collect(),
            tagged: tagged.collect(),
        }
    }

    /// Category of a line. Fees of commitments and discounts count where what they are for counts.
    pub(in crate::analyze) fn of(&self, key: &Key) -> Category {
        Category::of_charge(key.charge).unwrap_or_else(|| {
            let class = self.classes.get(Bill::kind_index(key.kind)).copied();
            let class = class.unwrap_or(Class::Operations);
            let tagged = || self.tagged.get(Bill::owner_index(key.owner)).copied().flatten();
            if class.asks_tags()
                && let Some(tagged) = tagged()
            {
                return tagged;
            }
            Category::of_class(class)
        })
    }
}
