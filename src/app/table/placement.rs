//! Which columns fit, and where they stand.

use crate::view::{Field, TableField};

/// Columns before the first one: the cursor's marker and the mark.
pub const GUTTER: u16 = 2;

/// A column on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<F = Field> {
    /// What it shows.
    pub field: F,
    /// First terminal column, from the left edge of the table.
    pub x: u16,
    /// Width; the column before `x` is always blank.
    pub width: u16,
}

/// The columns that fit, and whether there are more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement<F = Field> {
    /// From left to right.
    pub columns: Vec<Placed<F>>,
    /// Columns scrolled away to the left.
    pub hidden_left: usize,
    /// Columns that did not fit.
    pub hidden_right: usize,
}

/// Room that a growing column can make use of, in terms of its own width.
const GROWTH: u16 = 3;

impl<F> Default for Placement<F> {
    fn default() -> Self {
        Self { columns: Vec::new(), hidden_left: 0, hidden_right: 0 }
    }
}

impl<F: TableField> Placement<F> {
    /// Places `columns` from number `offset` on into `width` terminal columns. Not scrolled, the
    /// least important ones give way; scrolled, those on the right. At least one is placed.
    pub fn of(columns: &[F], offset: usize, width: u16) -> Self {
        let offset = offset.min(columns.len().saturating_sub(1));
        let mut fields: Vec<F> = columns[offset..].to_vec();
        let room = width.saturating_sub(GUTTER);
        let needed = |fields: &[F]| -> u32 {
            // One blank between columns.
            let gaps = fields.len().saturating_sub(1) as u32;
            fields.iter().map(|f| u32::from(f.spec().width)).sum::<u32>() + gaps
        };
        while fields.len() > 1 && needed(&fields) > u32::from(room) {
            let victim = (offset == 0)
                .then(|| F::DROPPED_FIRST.iter().find_map(|d| fields.iter().position(|f| f == d)))
                .flatten()
                .unwrap_or(fields.len() - 1);
            fields.remove(victim);
        }
        let hidden_right = columns.len() - offset - fields.len();
        let mut spare = u32::from(room).saturating_sub(needed(&fields)) as u16;
        let mut widths: Vec<u16> = fields.iter().map(|f| f.spec().width.min(room)).collect();
        // Each growing column takes one in turn, so that none starves.
        let limit = |f: &F| f.spec().width * GROWTH;
        loop {
            let before = spare;
            for (field, width) in fields.iter().zip(&mut widths) {
                if spare > 0 && field.spec().grows && *width < limit(field) {
                    *width += 1;
                    spare -= 1;
                }
            }
            if spare == before {
                break;
            }
        }
        let mut x = GUTTER;
        let placed = fields.iter().zip(widths).map(|(field, width)| {
            let placed = Placed { field: *field, x, width };
            x = x.saturating_add(width + 1);
            placed
        });
        Self { columns: placed.collect(), hidden_left: offset, hidden_right }
    }

    /// The column at terminal column `x`.
    pub fn at(&self, x: u16) -> Option<F> {
        self.columns.iter().find(|c| (c.x..=c.x + c.width).contains(&x)).map(|c| c.field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::idle::SCREEN_COLUMNS;

    fn fields(p: &Placement) -> Vec<Field> {
        p.columns.iter().map(|c| c.field).collect()
    }

    #[test]
    fn everything_fits_on_a_wide_screen_and_text_grows() {
        let p = Placement::of(SCREEN_COLUMNS, 0, 200);
        assert_eq!(fields(&p), SCREEN_COLUMNS);
        let name = p.columns.iter().find(|c| c.field == Field::Name).unwrap();
        assert!(name.width > Field::Name.spec().width);
    }

    #[test]
    fn at_80_columns_money_verdict_team_and_name_stay() {
        let p = Placement::of(SCREEN_COLUMNS, 0, 80);
        for field in [
            Field::UsdPerHour,
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
                let p = Placement::of(SCREEN_COLUMNS, offset, width);
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
        assert_eq!(Placement::<Field>::of(&[], 0, 80), Placement::default());
    }
}
