//! From the names of a file's columns to what each of them means.

use std::sync::Arc;

use super::fields::{Amount, CUR, FOCUS, Known, Need, Target, Text, snake, squash};
use super::tags::{self, MapKind};
use crate::domain::bill::BillFormat;
use crate::domain::text::clean;

/// What a column is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Its value.
    Value(Target),
    /// Some of its entries.
    Map(MapKind),
}

/// A column that is read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its place among the columns of the file.
    pub column: usize,
    /// What it is read for.
    pub r#use: Use,
    /// Its name in the file, clean.
    pub name: String,
}

/// What the columns of a file mean.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Format of the file.
    pub format: BillFormat,
    /// Columns that are read; of those with the same target the first that is not empty counts.
    pub sources: Vec<Source>,
    /// Names of missing columns, and what is unknown without them.
    pub missing: Vec<(String, &'static str)>,
    has: [bool; Amount::COUNT],
}

/// Why columns are no bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// They are of no format that is known.
    Unknown,
    /// These are missing.
    Missing(BillFormat, Vec<String>),
}

impl Layout {
    /// Meaning of columns with these names.
    pub fn of(names: &[String], tag_keys: &[Arc<str>]) -> Result<Self, Misfit> {
        let squashed: Vec<String> = names.iter().map(|name| squash(name)).collect();
        let format = format(names, &squashed).ok_or(Misfit::Unknown)?;
        let known = if is_focus(format) { FOCUS } else { CUR };
        let place = |name: &str| {
            let name = squash(name);
            squashed.iter().position(|found| *found == name)
        };
        let mut sources = vec![];
        for (name, target, _) in known {
            if let Some(column) = place(name) {
                let name = clean(&names[column]).into_owned();
                sources.push(Source { column, r#use: Use::Value(*target), name });
            }
        }
        let has = |target: &Target| sources.iter().any(|s| s.r#use == Use::Value(*target));
        // A description is looked at only where no usage type tells more.
        if has(&Target::Text(Text::UsageType)) {
            sources.retain(|s| s.r#use != Use::Value(Target::Text(Text::Description)));
        }
        sources.extend(tag_sources(names, &squashed, format, tag_keys));
        let layout = Self { format, sources, missing: vec![], has: [false; Amount::COUNT] };
        layout.checked(known)
    }

    /// Err for missing columns that are required; others are noted.
    fn checked(mut self, known: &[Known]) -> Result<Self, Misfit> {
        let mut required = vec![];
        for (at, (name, target, need)) in known.iter().enumerate() {
            if self.has_target(*target) {
                if let Target::Amount(amount) = target {
                    self.has[*amount as usize] = true;
                }
                continue;
            }
            if known[..at].iter().any(|(_, before, _)| before == target) {
                continue;
            }
            match need {
                Need::Required => required.push(self.written(name)),
                Need::Useful(unknown) => self.missing.push((self.written(name), *unknown)),
                Need::Spare => {}
            }
        }
        if required.is_empty() { Ok(self) } else { Err(Misfit::Missing(self.format, required)) }
    }

    fn has_target(&self, target: Target) -> bool {
        self.sources.iter().any(|s| s.r#use == Use::Value(target))
    }

    /// True where the file has a column of an amount.
    pub const fn has(&self, amount: Amount) -> bool {
        self.has[amount as usize]
    }

    /// True for FOCUS.
    pub const fn is_focus(&self) -> bool {
        is_focus(self.format)
    }

    /// True where the file has costs net of private discounts.
    pub const fn has_net(&self) -> bool {
        self.has(Amount::NetBilled) || self.has(Amount::NetPlanEffective)
    }

    /// Name of the column that fills `target`, as the file has it; as the format has it where the file has none.
    pub fn name(&self, target: Target) -> String {
        if let Some(source) = self.sources.iter().find(|s| s.r#use == Use::Value(target)) {
            return source.name.clone();
        }
        let known = if self.is_focus() { FOCUS } else { CUR };
        let row = known.iter().find(|(_, filled, _)| *filled == target);
        row.map_or_else(String::new, |(name, ..)| self.written(name))
    }

    /// Name of a column of `fields`, as this format writes it.
    fn written(&self, name: &str) -> String {
        if self.format == BillFormat::Cur2 { snake(name) } else { name.to_owned() }
    }
}

/// True for a format of FOCUS.
pub(super) const fn is_focus(format: BillFormat) -> bool {
    matches!(format, BillFormat::Focus10 | BillFormat::Focus12)
}

/// Format of a file by the names of its columns; `None` for no bill.
fn format(names: &[String], squashed: &[String]) -> Option<BillFormat> {
    let has = |name: &str| squashed.iter().any(|found| found == name);
    let count = |all: &[&str]| all.iter().filter(|name| has(name)).count();
    if count(&["billedcost", "effectivecost", "chargecategory", "chargeperiodstart"]) >= 2 {
        let later = ["invoiceid", "skumeter", "skupricedetails", "capacityreservationstatus"];
        let later = count(&later) > 0;
        return Some(if later { BillFormat::Focus12 } else { BillFormat::Focus10 });
    }
    if count(&["lineitemlineitemtype", "lineitemunblendedcost", "lineitemusagetype"]) == 0 {
        return None;
    }
    let is_table = !names.iter().any(|name| name.contains('/'));
    let second = count(&["billpayeraccountname", "resourcetags", "product", "costcategory"]) > 0;
    Some(if is_table && second { BillFormat::Cur2 } else { BillFormat::Cur1 })
}

/// Columns of tags, exact spellings first, and maps that hold some.
fn tag_sources(
    names: &[String],
    squashed: &[String],
    format: BillFormat,
    tag_keys: &[Arc<str>],
) -> Vec<Source> {
    let maps = [
        ("product", MapKind::Product),
        ("resourcetags", MapKind::Tags),
        ("tags", MapKind::Tags),
        ("costcategory", MapKind::Categories),
        ("xcostcategories", MapKind::Categories),
    ];
    let mut exact = vec![];
    let mut other = vec![];
    for (column, name) in names.iter().enumerate() {
        let source = |r#use| Source { column, r#use, name: clean(name).into_owned() };
        if let Some(found) = tags::of_column(name, tag_keys) {
            let list = if found.exact { &mut exact } else { &mut other };
            list.push(source(Use::Value(Target::Tag(found.tag))));
        } else if let Some((_, kind)) = maps.iter().find(|(map, _)| *map == squashed[column]) {
            let is_needed = *kind == MapKind::Product || !tag_keys.is_empty();
            if is_needed && format != BillFormat::Cur1 {
                other.push(source(Use::Map(*kind)));
            }
        }
    }
    exact.append(&mut other);
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn formats_are_told_apart_and_what_is_missing_is_named() {
        let misfit = |list: &[&str]| Layout::of(&names(list), &[]).unwrap_err();
        assert_eq!(misfit(&["a", "b"]), Misfit::Unknown);
        let Misfit::Missing(format, columns) =
            misfit(&["bill_payer_account_name", "line_item_unblended_cost"])
        else {
            panic!()
        };
        assert_eq!(format, BillFormat::Cur2);
        assert!(columns.contains(&"line_item_usage_start_date".to_owned()), "{columns:?}");
        assert!(!columns.contains(&"line_item_unblended_cost".to_owned()));
        let Misfit::Missing(format, columns) = misfit(&["lineItem/UsageType"]) else { panic!() };
        assert_eq!(format, BillFormat::Cur1);
        assert!(columns.contains(&"lineItem/UnblendedCost".to_owned()), "{columns:?}");
        let Misfit::Missing(format, columns) = misfit(&["billedcost", "effective_cost"]) else {
            panic!()
        };
        assert_eq!(format, BillFormat::Focus10);
        let wanted = ["ServiceName", "ChargeCategory", "BillingCurrency", "ChargePeriodStart"];
        assert_eq!(columns, wanted);
    }
}
