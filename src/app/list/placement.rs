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
    /// Places `columns` of `table` from index `offset` on into `width` terminal columns. Where they do not fit,
    /// the least important ones are left out; after scrolling, those on the right. At least one is placed.
    pub fn of(
        table: &dyn FieldTable,
        columns: &[&'static FieldSpec],
        offset: usize,
        width: u16,
    ) -> Self {
        let offset = offset.min(columns.len().saturating_sub(1));
        let fields = &columns[offset..];
        let width_of = |f: &&'static FieldSpec| {
            let least = usize::from(f.width);
            Extent { least, most: if f.grows { least * GROWTH } else { least } }
        };
        let extents: Vec<Extent> = fields.iter().map(width_of).collect();
        let dropped_first = (0..)
            .map_while(|nth| table.dropped_first(nth))
            .filter_map(|dropped| fields.iter().position(|f| *f == dropped))
            .filter(|_| offset == 0);
        // One blank between columns.
        let fitted = fit(&extents, dropped_first, 1, usize::from(width.saturating_sub(GUTTER)));
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
        Placement::of(table, &table.screen_columns(), offset, width)
    }

    #[test]
    fn everything_fits_on_a_wide_screen_and_text_grows() {
        let p = placed(0, 200);
        assert_eq!(fields(&p), SCREEN_COLUMNS);
        let name = p.columns.iter().find(|c| c.field == Field::Name.spec()).unwrap();
        assert!(name.width > Field::Name.spec().width);
    }

    #[test]
    fn at_80_columns_money_verdict_team_and_name_stay() {
        let p = placed(0, 80);
        for field in [
            Field::UsdPerHour,
            Field::WasteUsdPerHour,
            Field::WastedUsd,
            Field::Verdict,
            Field::IdleSince,
            Field::Gpu,
            Field::Team,
            Field::Name,
        ] {
            assert!(fields(&p).contains(&field), "{field:?}");
        }
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
    fn no_columns_place_nothing() {
        assert_eq!(Placement::of(Field::table(), &[], 0, 80), Placement::default());
    }
}
