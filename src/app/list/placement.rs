//! Which columns fit, and where they stand.

use crate::view::room::{Extent, fit};
use crate::view::{FieldSpec, FieldTable};

/// Columns before the first one, for the cursor's marker and the mark.
pub const GUTTER: u16 = 2;

/// A column on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Field of the column.
    pub field: &'static FieldSpec,
    /// First terminal column, from the left edge of the table.
    pub x: u16,
    /// Width; the terminal column before `x` is always blank.
    pub width: u16,
}

/// Columns that fit, and how many do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Placed columns, from left to right.
    pub columns: Vec<Placed>,
    /// Number of columns scrolled off to the left.
    pub hidden_left: usize,
    /// Number of columns that do not fit.
    pub hidden_right: usize,
}

/// Room that a growing column can make use of, in terms of its own width.
const GROWTH: usize = 3;

impl Placement {
    /// Places `columns` of `table` into `width` terminal columns, without the first `offset` of those that scroll: what tells
    /// rows apart ([`FieldSpec::is_key`]) stays. Where they do not fit, the least important ones are left out, after scrolling
    /// those on the right; `kept` and what tells rows apart after all others. At least one is placed.
    pub fn of(
        table: &'static dyn FieldTable,
        columns: &[&'static FieldSpec],
        kept: &[&'static FieldSpec],
        offset: usize,
        width: u16,
    ) -> Self {
        let room = usize::from(width.saturating_sub(GUTTER));
        let keys = columns.iter().filter(|field| field.is_key);
        let width_of_keys: usize = keys.map(|field| usize::from(field.width) + 1).sum();
        // Where they would leave little room for others they scroll as well.
        let stays = |field: &FieldSpec| field.is_key && 2 * width_of_keys <= room;
        let scrolling = columns.iter().filter(|field| !stays(field)).count();
        let offset = offset.min(scrolling.saturating_sub(1));
        let mut passed = 0..offset;
        let in_sight = columns.iter().filter(|field| stays(field) || passed.next().is_none());
        let fields: Vec<&'static FieldSpec> = in_sight.copied().collect();
        let width_of = |f: &&'static FieldSpec| {
            let least = usize::from(f.width);
            Extent { least, most: if f.grows { least * GROWTH } else { least } }
        };
        let extents: Vec<Extent> = fields.iter().map(width_of).collect();
        let mut left_out: Vec<usize> = table.left_out(&fields).collect();
        if offset > 0 {
            left_out.sort_unstable();
            left_out.reverse();
        }
        // What was scrolled to is not left out for what tells rows apart.
        let first = fields.iter().position(|field| !stays(field)).filter(|_| offset > 0);
        left_out.retain(|at| Some(*at) != first && !kept.contains(&fields[*at]));
        // One blank between columns.
        let fitted = fit(&extents, left_out, 1, room);
        let hidden_right = fields.len() - fitted.len();
        let mut x = GUTTER;
        let placed = fitted.into_iter().map(|(i, width)| {
            // Within the room, which is no wider than a terminal.
            let placed = Placed { field: fields[i], x, width: width as u16 };
            x = x.saturating_add(placed.width + 1);
            placed
        });
        Self { columns: placed.collect(), hidden_left: offset, hidden_right }
    }

    /// Field of the column at terminal column `x`; `None` between columns.
    pub fn at(&self, x: u16) -> Option<&'static FieldSpec> {
        self.columns.iter().find(|c| (c.x..=c.x + c.width).contains(&x)).map(|c| c.field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::idle::picture::{Field, SCREEN_COLUMNS};
    use crate::view::TableField;

    fn fields(p: &Placement) -> Vec<Field> {
        p.columns.iter().map(|c| Field::of(c.field).unwrap()).collect()
    }

    fn placed(offset: usize, width: u16) -> Placement {
        let table = Field::table();
        Placement::of(table, &table.screen_columns(), &[], offset, width)
    }

    #[test]
    fn everything_fits_on_a_wide_screen_and_text_grows() {
        let p = placed(0, 200);
        assert_eq!(fields(&p), SCREEN_COLUMNS);
        let name = p.columns.iter().find(|c| c.field == Field::Name.spec()).unwrap();
        assert!(name.width > Field::Name.spec().width);
    }

    #[test]
    fn at_80_columns_what_is_wasted_what_speaks_against_a_stop_team_and_name_stay() {
        let wasted = [Field::WasteUsdPerHour, Field::WastedUsd, Field::Verdict];
        // 8 + 8 + 12 + 7 + 12 + 8 + 16 with six blanks between are 77 of 78; one is left to what grows.
        let p = placed(0, 80);
        let beside = [Field::IdleSince, Field::AgainstStop, Field::Team, Field::Name];
        assert_eq!(fields(&p), [&wasted[..], &beside[..]].concat());
        assert_eq!(p.columns[4].width, 13);
        // The column of a filter stands first, and takes the place of the team: 6 more than 69 are 75.
        let own = Field::Environment.spec();
        let table = Field::table();
        let columns: Vec<_> = std::iter::once(own).chain(table.screen_columns()).collect();
        let p = Placement::of(table, &columns, &[own], 0, 80);
        let beside = [Field::IdleSince, Field::AgainstStop, Field::Name];
        assert_eq!(fields(&p), [&[Field::Environment][..], &wasted, &beside].concat());
    }

    #[test]
    fn what_is_placed_fits_and_does_not_overlap() {
        for width in 0..=220 {
            for offset in 0..SCREEN_COLUMNS.len() + 2 {
                let p = placed(offset, width);
                assert!(!p.columns.is_empty());
                for pair in p.columns.windows(2) {
                    assert!(pair[0].x + pair[0].width < pair[1].x);
                }
                let end = p.columns.last().map_or(0, |c| c.x + c.width);
                assert!(end <= width.max(GUTTER), "{width} {offset}");
                assert_eq!(p.hidden_left + p.columns.len() + p.hidden_right, SCREEN_COLUMNS.len());
            }
        }
    }

    #[test]
    fn what_tells_rows_apart_stays_beside_what_is_scrolled_to() {
        let scrolling: Vec<Field> =
            SCREEN_COLUMNS.iter().copied().filter(|field| !field.spec().is_key).collect();
        assert_eq!(SCREEN_COLUMNS.len() - scrolling.len(), 1, "the name");
        for width in 50..=220 {
            for (offset, field) in scrolling.iter().enumerate() {
                let placed = fields(&placed(offset, width));
                assert!(placed.contains(&Field::Name), "{width} {offset}");
                assert!(offset == 0 || placed.contains(field), "{width} {field:?}");
            }
        }
    }

    #[test]
    fn in_every_list_what_tells_rows_apart_is_there_at_80_columns() {
        for list in crate::app::lists() {
            let table = (list.fields)();
            let columns = table.screen_columns();
            let placed = Placement::of(table, &columns, &[], 0, 80).columns;
            let keys: Vec<_> = columns.iter().filter(|field| field.is_key).collect();
            assert!(!keys.is_empty(), "{}", list.name);
            for key in keys {
                assert!(placed.iter().any(|at| at.field == *key), "{}: {key:?}", list.name);
            }
        }
    }

    #[test]
    fn no_columns_place_nothing() {
        assert_eq!(Placement::of(Field::table(), &[], &[], 0, 80), Placement::default());
    }
}
