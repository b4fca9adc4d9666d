//! Columns that tables of the formats have, for SQL that is printed without asking what a table has.

use std::sync::Arc;

use super::super::fields::{CUR, FOCUS, Target, Text, snake};
use super::super::layout::is_focus;
use super::super::tags::CATEGORY;
use super::TableColumn;
use crate::domain::bill::BillFormat;

/// Columns of a table of a format as AWS delivers it, and as its Athena integration partitions it. Of the legacy report,
/// whose tags are columns, with those of `tag_keys`. Empty for what is no table.
pub fn standard(format: BillFormat, tag_keys: &[Arc<str>]) -> Vec<TableColumn> {
    let known = if is_focus(format) { FOCUS } else { CUR };
    let written = |name: &str| if is_focus(format) { name.to_owned() } else { snake(name) };
    let known = known.iter().filter(|(name, target, _)| !is_left_out(format, name, *target));
    let mut columns: Vec<TableColumn> =
        known.map(|(name, ..)| TableColumn { name: written(name), is_text: true }).collect();
    columns.dedup();
    let mut put =
        |name: &str, is_text| columns.push(TableColumn { name: name.to_owned(), is_text });
    match format {
        BillFormat::Cur1 => {
            for key in tag_keys {
                let (prefix, name) = match key.strip_prefix(CATEGORY) {
                    Some(name) => ("cost_category_", name),
                    None if key.starts_with("aws:") => ("resource_tags_", &**key),
                    None => ("resource_tags_user_", &**key),
                };
                let name = snake(name).replace(|c: char| !c.is_ascii_alphanumeric(), "_");
                put(&format!("{prefix}{name}"), true);
            }
            put("year", true);
            put("month", true);
        }
        BillFormat::Cur2 => {
            put("bill_payer_account_name", true);
            for map in ["product", "resource_tags", "cost_category"] {
                put(map, false);
            }
        }
        BillFormat::Focus10 => {
            put("Tags", false);
            put("x_CostCategories", false);
        }
        BillFormat::Focus12 => put("Tags", false),
        BillFormat::CostExplorer => return vec![],
    }
    if format != BillFormat::Cur1 {
        put("billing_period", true);
    }
    columns
}

/// True for columns that a format has not, or only by choice.
fn is_left_out(format: BillFormat, name: &str, target: Target) -> bool {
    let is_split = matches!(target, Target::SplitParent) || name.starts_with("splitLineItem/");
    let net = name.contains("/Net");
    match format {
        BillFormat::Cur1 => {
            is_split
                || net
                || matches!(target, Target::Text(Text::AccountName | Text::CapacityStatus))
        }
        BillFormat::Cur2 => {
            is_split
                || ["product/region", "product/ProductName", "product/servicename"].contains(&name)
        }
        BillFormat::Focus10 => {
            ["Region", "SkuMeter", "CapacityReservationStatus", "InvoiceId", "ServiceProviderName"]
                .contains(&name)
        }
        _ => ["Region", "x_UsageType", "ServiceProviderName"].contains(&name),
    }
}
