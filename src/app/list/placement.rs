//! Which columns fit, and where they stand.

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
const GROWTH: u16 = 3;

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
        let mut fields: Vec<&FieldSpec> = columns[offset..].to_vec();
        let room = width.saturating_sub(GUTTER);
        let needed = |fields: &[&FieldSpec]| -> u32 {
            // One blank between columns.
            let gaps = fields.len().saturating_sub(1) as u32;
            fields.iter().map(|f| u32::from(f.width)).sum::<u32>() + gaps
        };
        while fields.len() > 1 && needed(&fields) > u32::from(room) {
            let mut first = (0..).map_while(|nth| table.dropped_first(nth));
            let victim = (offset == 0)
                .then(|| first.find_map(|d| fields.iter().position(|f| *f == d)))
                .flatten()
                .unwrap_or(fields.len() - 1);
            fields.remove(victim);
        }
        let hidden_right = columns.len() - offset - fields.len();
        let mut spare = u32::from(room).saturating_sub(needed(&fields)) as u16;
        let mut widths: Vec<u16> = fields.iter().map(|f| f.width.min(room)).collect();
        // Each growing column takes one in turn, so that none starves.
        let limit = |f: &FieldSpec| f.width * GROWTH;
        loop {
            let before = spare;
            for (field, width) in fields.iter().zip(&mut widths) {
                if spare > 0 && field.grows && *width < limit(field) {
                    *width += 1;
                    spare -= 1;
                }
            }
            if spare == before {
                break;
            }
        }
        let mut x = GUTTER;
        let placed = fields.into_iter().zip(widths).map(|(field, width)| {
            let placed = Placed { field, x, width };
            x = x.saturating_add(width + 1);
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
