//! The line above a filtered list: what of the list the filter leaves.

use super::{Line, columns};
use crate::app::list::{Dollars, Filtered, List};
use crate::app::{App, Role};
use crate::query::{Kind, Unit};
use crate::view::format;

/// How many rows pass the filter of `list` and what they cost, of all; `below` where sums of all rows follow. `None` without
/// a filter. At most `width` columns.
pub fn line(app: &App, list: &List, below: bool, width: usize) -> Option<Line> {
    let sums = list.filtered()?;
    let separator = format!(" {} ", app.appearance().symbols.separator());
    let counted = app.screen().counted(app);
    let noun = counted.as_deref().unwrap_or(list.table().nouns()[usize::from(sums.all != 1)]);
    let mut line = Line::new();
    let mut used = 0;
    // While one types it stands below the list.
    let remark = list.remark().filter(|_| app.prompt().is_none());
    let remark = remark.map(|text| (Role::Warn, text));
    let further = list.worth_knowing().map(|text| (Role::Accent, text.to_owned()));
    for (role, text) in parts(sums, noun, below).into_iter().chain(remark).chain(further) {
        let gap = if used > 0 { columns(&separator) } else { 0 };
        // What has no room is left out: a number that is cut is a wrong number.
        if used > 0 && used + gap + columns(&text) > width {
            break;
        }
        if used > 0 {
            line = line.with(Role::Dim, separator.clone());
        }
        used += gap + columns(&text);
        line = line.with(role, text);
    }
    Some(line)
}

fn parts(sums: &Filtered, noun: &str, below: bool) -> Vec<(Role, String)> {
    let count = |n: usize| format::grouped(n as f64, 0);
    let rows = format!("filter: {} of {} {noun}", count(sums.count), count(sums.all));
    let mut parts = vec![(Role::Warn, rows)];
    if let Some(dollars) = &sums.dollars {
        parts.push((Role::Heading, in_words(dollars)));
        if dollars.unknown > 0 {
            let text = format!("without {} of unknown price", count(dollars.unknown));
            parts.push((Role::Warn, text));
        }
    }
    if below {
        parts.push((Role::Dim, format!("below: of all {}", count(sums.all))));
    }
    parts
}

/// The dollars with what they are per; where they are not per anything, with the name of their column.
fn in_words(dollars: &Dollars) -> String {
    let field = dollars.field;
    let (usd, all) = (dollars.usd, dollars.all_usd);
    if field.kind == Kind::Number(Unit::UsdPerHour) {
        return format!("{} of {}", format::usd_per_hour(usd), format::usd_per_hour(all));
    }
    let both = format!("{} of {}", format::usd(usd), format::usd(all));
    if field.name.ends_with("_per_month") {
        return format!("{both} a month");
    }
    format!("{} {both}", field.header.to_lowercase())
}
