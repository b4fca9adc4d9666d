//! Aligned text, within the terminal where there is one.

use std::borrow::Cow;

use super::sheet::{Column, Sheet};
use crate::domain::text::clean_to;
use crate::view::room::{Extent, columns, cut, fit, wrap};
use crate::view::{Align, Symbols};

/// Blanks between two columns.
pub(super) const GAP: usize = 2;

/// The sheet in columns as wide as their widest cell, two blanks apart, without trailing blanks.
///
/// Where that is wider than `width`, texts are wrapped within their columns, at blanks alone, and the columns stand one
/// blank apart; where that does not help, each row is written as a line per cell behind its heading. Nothing is left out.
pub(super) fn table(sheet: &Sheet, width: Option<u16>) -> String {
    let rows = shown(sheet);
    let natural = widths(&rows);
    let room = width.map_or(usize::MAX, usize::from);
    let extents: Vec<Extent> = sheet
        .columns
        .iter()
        .zip(&natural)
        .enumerate()
        .map(|(i, (column, most))| {
            let words = || rows.iter().flat_map(|row| row[i].split_whitespace()).map(columns);
            let least = match column.align {
                Align::Left if width.is_some() => words().max().unwrap_or(0),
                _ => *most,
            };
            Extent { least, most: *most }
        })
        .collect();
    // Closer together, before the table is given up.
    for gap in [GAP, 1] {
        let fitted = fit(&extents, [], gap, room);
        let is_whole = fitted.iter().all(|(i, width)| *width >= extents[*i].least);
        if is_whole && fitted.len() == extents.len() {
            let widths: Vec<usize> = fitted.into_iter().map(|(_, width)| width).collect();
            return aligned(&sheet.columns, &rows, &widths, gap);
        }
    }
    stacked(&sheet.columns, &rows, room)
}

/// The columns that are kept, each by its index and in its width; wider cells are cut.
pub(super) fn narrowed(sheet: &Sheet, kept: &[(usize, usize)], symbols: Symbols) -> String {
    let columns: Vec<Column> = kept.iter().map(|(i, _)| sheet.columns[*i].clone()).collect();
    let cells = |row: &Vec<Cow<'_, str>>| {
        kept.iter().map(|(i, width)| cut(&row[*i], *width, symbols).into()).collect()
    };
    let rows: Vec<Vec<Cow<'_, str>>> = shown(sheet).iter().map(cells).collect();
    aligned(&columns, &rows, &widths(&rows), GAP)
}

/// Widths of the columns, each as its widest cell or heading.
pub(super) fn natural_widths(sheet: &Sheet) -> Vec<usize> {
    widths(&shown(sheet))
}

/// The headings, then the rows. Cells are clean; this is the second line of defence.
fn shown(sheet: &Sheet) -> Vec<Vec<Cow<'_, str>>> {
    let headings = sheet.columns.iter().map(|c| Cow::Borrowed(c.header)).collect();
    let cells = |row: &'_ Vec<super::sheet::Cell>| {
        row.iter().map(|cell| clean_to(&cell.shown, usize::MAX).into_owned().into()).collect()
    };
    std::iter::once(headings).chain(sheet.rows.iter().map(cells)).collect()
}

fn widths(rows: &[Vec<Cow<'_, str>>]) -> Vec<usize> {
    let count = rows.first().map_or(0, Vec::len);
    (0..count).map(|i| rows.iter().map(|row| columns(&row[i])).max().unwrap_or(0)).collect()
}

/// The rows in columns of these widths; wider cells are wrapped.
fn aligned(of: &[Column], rows: &[Vec<Cow<'_, str>>], widths: &[usize], gap: usize) -> String {
    let mut out = String::new();
    for row in rows {
        if row.iter().zip(widths).all(|(cell, width)| columns(cell) <= *width) {
            line(&mut out, of, row.iter().map(|cell| &**cell), widths, gap);
            continue;
        }
        let cells: Vec<Vec<String>> =
            row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
        for nth in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let part = cells.iter().map(|lines| lines.get(nth).map_or("", String::as_str));
            line(&mut out, of, part, widths, gap);
        }
    }
    out
}

fn line<'a>(
    out: &mut String,
    of: &[Column],
    cells: impl Iterator<Item = &'a str>,
    widths: &[usize],
    gap: usize,
) {
    let mut line = String::new();
    for ((cell, column), width) in cells.zip(of).zip(widths) {
        if !line.is_empty() {
            line.push_str(&" ".repeat(gap));
        }
        let blanks = " ".repeat(width.saturating_sub(columns(cell)));
        match column.align {
            Align::Left => line.extend([cell, &*blanks]),
            Align::Right => line.extend([&*blanks, cell]),
        }
    }
    out.extend([line.trim_end(), "\n"]);
}

/// A line per cell that says something, behind its heading; an empty line between rows.
fn stacked(of: &[Column], rows: &[Vec<Cow<'_, str>>], room: usize) -> String {
    let widest = of.iter().map(|column| columns(column.header)).max().unwrap_or(0);
    let heading = widest.min(room / 2);
    let row = |row: &Vec<Cow<'_, str>>| {
        let mut out = String::new();
        for (column, cell) in of.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let names = wrap(column.header, heading);
            let lines = wrap(cell, room.saturating_sub(heading + GAP));
            for nth in 0..names.len().max(lines.len()) {
                let part = |of: &[String]| of.get(nth).cloned().unwrap_or_default();
                let (name, text) = (part(&names), part(&lines));
                let blanks = " ".repeat(heading + GAP - columns(&name));
                out.extend([format!("{name}{blanks}{text}").trim_end(), "\n"]);
            }
        }
        out
    };
    rows.iter().skip(1).map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sheet::Cell;

    fn sheet() -> Sheet {
        let column = |name, align| Column { name, header: name, align };
        let row = |name: &str, usd: &str, note: &str| [name, usd, note].map(Cell::text).to_vec();
        Sheet {
            columns: vec![
                column("NAME", Align::Left),
                column("$/h", Align::Right),
                column("NOTE", Align::Left),
            ],
            rows: vec![
                row("train-1", "12,345.67", "stop it, nobody has used it"),
                row("数数", "–", ""),
            ],
        }
    }

    #[test]
    fn a_table_that_fits_is_as_wide_as_its_cells() {
        let wide = "NAME           $/h  NOTE\n\
                    train-1  12,345.67  stop it, nobody has used it\n\
                    数数             –\n";
        assert_eq!(table(&sheet(), None), wide);
        assert_eq!(table(&sheet(), Some(47)), wide);
    }

    #[test]
    fn what_does_not_fit_is_wrapped_within_its_column_and_no_figure_is_cut() {
        let narrow = "NAME           $/h  NOTE\n\
                      train-1  12,345.67  stop it,\n\
                      \x20                   nobody has\n\
                      \x20                   used it\n\
                      数数             –\n";
        assert_eq!(table(&sheet(), Some(30)), narrow);
    }

    #[test]
    fn where_wrapping_does_not_help_each_cell_has_its_line() {
        let stacked = "NAME  train-1\n\
                       $/h   12,345.67\n\
                       NOTE  stop it, nobody\n\
                       \x20     has used it\n\
                       \n\
                       NAME  数数\n\
                       $/h   –\n";
        assert_eq!(table(&sheet(), Some(22)), stacked);
        // One blank between columns less leaves it a table: 7 + 9 + 6 and two of them.
        let close = "NAME          $/h NOTE\n";
        assert!(table(&sheet(), Some(24)).starts_with(close), "{}", table(&sheet(), Some(24)));
    }

    #[test]
    fn names_are_cut_in_a_list_that_is_narrowed() {
        let kept = [(0, 5), (1, 9)];
        assert_eq!(
            narrowed(&sheet(), &kept, Symbols::Unicode),
            "NAME         $/h\ntrai…  12,345.67\n数数           –\n"
        );
        assert_eq!(natural_widths(&sheet()), [7, 9, 27]);
    }
}
