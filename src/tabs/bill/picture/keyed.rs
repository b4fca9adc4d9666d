//! The keys of a row, and the fields that show them.

use std::sync::Arc;

use crate::analyze::bill::BillKey;
use crate::domain::bill::{Sums, Usd};
use crate::view::Value;

/// The values of a row's keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyed {
    /// The values one after the other; unique among the rows of a list.
    pub id: Arc<str>,
    /// The keys.
    pub keys: Arc<[BillKey]>,
    /// One value per key; `None` where the bill does not say it.
    pub values: Vec<Option<Arc<str>>>,
}

impl Keyed {
    /// Values with their keys.
    pub(super) fn new(keys: &Arc<[BillKey]>, values: &[Option<Arc<str>>]) -> Self {
        // A blank before each value that is there: none is not the empty text.
        let parts = values.iter().map(|v| v.as_deref().map_or(String::new(), |v| format!(" {v}")));
        let id = parts.collect::<Vec<_>>().join("\u{a0}/").into();
        Self { id, keys: keys.clone(), values: values.to_vec() }
    }

    /// Value of the field with this name; unknown for keys that the row does not have.
    pub(super) fn value(&self, field: &str) -> Value<'_> {
        let place = place(&self.keys, field);
        Value::maybe(place.and_then(|place| self.values.get(place)?.as_deref()))
    }

    /// Value of the tag key, ignoring ASCII case; `None` where it is no key of the row, or has no value.
    pub(super) fn tag(&self, key: &str) -> Option<&str> {
        let is_key =
            |of: &BillKey| matches!(of, BillKey::Tag(tag) if tag.eq_ignore_ascii_case(key));
        let place = self.keys.iter().position(is_key)?;
        self.values.get(place)?.as_deref()
    }

    /// True when `holds` for any value.
    pub(super) fn any_text(&self, mut holds: impl FnMut(&str) -> bool) -> bool {
        self.values.iter().flatten().any(|value| holds(value))
    }
}

/// Place of the key that the field with this name shows; `None` where it shows none of them.
pub(super) fn place(keys: &[BillKey], field: &str) -> Option<usize> {
    let tags = |nth: usize| {
        let of_tag = |(_, key): &(usize, &BillKey)| matches!(key, BillKey::Tag(_));
        keys.iter().enumerate().filter(of_tag).nth(nth).map(|(place, _)| place)
    };
    match field {
        "tag" => tags(0),
        "tag_2" => tags(1),
        word => keys.iter().position(|key| key.word() == word),
    }
}

/// Sum at list prices; `None` where no line says one.
pub fn list_known(sums: &Sums) -> Option<Usd> {
    (!sums.list.is_zero() || sums.without_list == 0).then_some(sums.list)
}

/// An exact amount that may be missing.
pub(super) fn exact(amount: Option<Usd>) -> Value<'static> {
    amount.map_or(Value::Unknown, Value::Usd)
}

/// A table of the fields of all keys, then those of its own.
macro_rules! keyed_fields {
    ($(#[$doc:meta])* pub enum $field:ident => $table:ident { $($rest:tt)* }) => {
        $crate::view::table_field::field_table! {
            $(#[$doc])*
            pub enum $field => $table {
                Category choice($crate::analyze::bill::Category::WORDS) "category" [] "CATEGORY" 13 key
                    "Category: training and serving by tags and usage types, storage, network, operations, fees.";
                Service text "service" [] "SERVICE" 24 key wide by('s') "Name of the service.";
                Account text "account" [] "ACCOUNT" 12 key "Account that used it.";
                Region text "region" [] "REGION" 12 key "Region; none for global services.";
                UsageType text "usage_type" ["usage"] "USAGE TYPE" 24 key wide "Usage type; of FOCUS 1.2 the meter.";
                Resource text "resource" ["id"] "RESOURCE" 24 key wide "Id or ARN of the resource.";
                Day text "day" ["date"] "DAY" 10 key by('d')
                    "Day, UTC; none for what is charged for the whole period.";
                Charge choice($crate::domain::bill::Charge::WORDS) "charge" [] "CHARGE" 10 key
                    "What is charged for: use, purchase, tax, credit, refund, discount, support, fee, adjustment.";
                Pricing choice($crate::domain::bill::Pricing::WORDS) "pricing" [] "PRICING" 17 key
                    "How the price came about: on demand, Spot, by a commitment, or unused.";
                Commitment text "commitment" [] "COMMITMENT" 24 key wide "Savings Plan or reservation behind it.";
                Team text "team" [] "TEAM" 14 key by('t') "Team, by its tags.";
                Project text "project" [] "PROJECT" 14 key "Project, by its tags.";
                Environment text "env" ["environment"] "ENV" 10 key "Environment, by its tags.";
                CostCenter text "cost_center" [] "COST CENTER" 12 key "Cost center, by its tags.";
                Tag text "tag" [] "TAG" 16 key wide "Value of the tag that sums are made by.";
                Tag2 text "tag_2" [] "TAG 2" 16 key wide "Value of the second tag that sums are made by.";
                $($rest)*
            }
        }

        impl $field {
            /// Fields of all keys, in the order of the table; the others follow.
            const KEYS: usize = $crate::analyze::bill::BillKey::ALL.len() + 2;

            /// True for the field of a key.
            pub fn is_key(self) -> bool {
                (self as usize) < Self::KEYS
            }

            /// True where rows by these keys have the field.
            pub fn is_of(self, keys: &[$crate::analyze::bill::BillKey]) -> bool {
                use $crate::view::TableField;
                !self.is_key() || super::keyed::place(keys, self.spec().name).is_some()
            }

            /// Default columns of rows by these keys: the keys as asked for, then the amounts.
            pub fn columns(keys: &[$crate::analyze::bill::BillKey]) -> Vec<Self> {
                use $crate::view::TableField;
                let place = |field: &Self| super::keyed::place(keys, field.spec().name);
                let mut first: Vec<Self> =
                    Self::ALL.into_iter().filter(|field| place(field).is_some()).collect();
                first.sort_by_key(place);
                let amounts = Self::SCREEN_COLUMNS.iter().filter(|field| !field.is_key());
                first.extend(amounts.copied());
                first
            }
        }
    };
}
pub(super) use keyed_fields;
