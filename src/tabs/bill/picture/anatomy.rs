//! The fields of the anatomy of a bill.

use std::sync::Arc;

use super::keyed::exact;
use crate::analyze::bill::{Anatomy, AnatomyRow, Category, PUBLISHED};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};

/// A category of the anatomy.
#[derive(Clone, Debug, PartialEq)]
pub struct AnatomyItem {
    /// Word of the category.
    pub id: Arc<str>,
    /// Its sums.
    pub row: AnatomyRow,
    /// True where it was measured what resources did.
    pub is_measured: bool,
    /// Shares that others published of it, such as `30–40%, 20%`; empty without any.
    pub published: String,
}

/// Rows of an anatomy, in the order of the categories.
pub fn anatomy_rows(of: &Anatomy) -> Arc<[Arc<AnatomyItem>]> {
    of.rows
        .iter()
        .map(|row| {
            Arc::new(AnatomyItem {
                id: row.category.word().into(),
                row: row.clone(),
                is_measured: of.is_measured,
                published: published_shares(row.category),
            })
        })
        .collect()
}

/// Shares that others published of a category, in the order of [`PUBLISHED`]; empty without any.
pub fn published_shares(category: Category) -> String {
    let of = PUBLISHED.iter().flat_map(|published| published.shares);
    let shares = of.filter(|share| share.category == Some(category)).map(|share| {
        let (least, most) = share.share;
        if least < most {
            let least = format::share(least, 0);
            format!("{}–{}", least.trim_end_matches('%'), format::share(most, 0))
        } else {
            format::share(most, 0)
        }
    });
    shares.collect::<Vec<_>>().join(", ")
}

field_table! {
    /// A field of the anatomy.
    pub enum AnatomyField => FIELDS {
        Category choice(Category::WORDS) "category" [] "CATEGORY" 13 key by('c')
            "Category: training and serving by tags and usage types, storage, network, operations, fees.";
        Effective number(Usd) "effective_usd" ["$", "usd", "effective"] "EFFECTIVE" 14 unit("$") by('e')
            "Effective cost: commitments spread over what they cover.";
        Share number(Percent) "share" [] "SHARE" 6 by('h') "Share of the bill.";
        Published text "published" [] "OTHERS" 12 "Shares that others published of their bills.";
        Productive number(Usd) "productive_usd" ["productive"] "PRODUCTIVE" 14 unit("$") by('p')
            "Cost of resources while they were measured at work; none where nothing was measured.";
        Wasted number(Usd) "wasted_usd" ["wasted"] "WASTED" 13 unit("$") by('w')
            "Cost of resources while they were measured idle, and of commitments and capacity that nothing used.";
        Unknown number(Usd) "unknown_usd" ["unknown"] "NOT JUDGED" 14 unit("$") by('u')
            "Cost of what has no verdict for its hours: neither productive nor waste.";
    }
}

use AnatomyField as F;

impl TableField for AnatomyField {
    type Row = AnatomyItem;

    const NOUNS: [&'static str; 2] = ["category", "categories"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Category, F::Effective, F::Share, F::Published, F::Productive, F::Wasted, F::Unknown];
    const DROPPED_FIRST: &'static [Self] = &[F::Published, F::Unknown, F::Productive];

    fields!(FIELDS);

    fn value<'a>(self, item: &'a AnatomyItem, _: &ViewContext) -> Value<'a> {
        let row = &item.row;
        match self {
            F::Category => Value::text(row.category.word()),
            F::Effective => Value::Usd(row.effective),
            F::Share => Value::number(Some(row.share * 100.0)),
            F::Published => Value::text(&item.published),
            F::Productive => exact(item.is_measured.then_some(row.productive)),
            F::Wasted => Value::Usd(row.wasted),
            F::Unknown => Value::Usd(row.unknown),
        }
    }

    fn id(item: &AnatomyItem) -> &Arc<str> {
        &item.id
    }

    fn usd_per_hour(_: &AnatomyItem) -> Option<f64> {
        None
    }

    fn any_text(item: &AnatomyItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&item.id)
    }
}
