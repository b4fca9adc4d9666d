//! An order that holds still while it is read.
//!
//! Dollars wasted grow all the time; a table that is sorted anew with each refresh would jump
//! under the reader's eyes for differences of cents. A row therefore keeps the figure it was
//! placed by until the present one differs from it by more than a tenth.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// Relative change of a figure, 0.1 = 10%, from which on its row moves.
pub const MATTERS: f64 = 0.10;

/// Shortest time between two orders of a list without user input, seconds.
pub const REORDER_EVERY_S: i64 = 15;

/// Rank of a row: lower class first, then the larger figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// Class, compared before the figure; 0 comes first. A change of class always moves the row.
    pub class: u32,
    /// Figure, largest first; NaN (not known) comes last.
    pub figure: f64,
}

impl Rank {
    /// A rank by a figure alone; `None` comes last.
    pub fn by(figure: Option<f64>) -> Self {
        Self { class: 0, figure: figure.unwrap_or(f64::NAN) }
    }

    fn cmp(self, other: Self) -> Ordering {
        let known = |rank: Self| if rank.figure.is_nan() { f64::NEG_INFINITY } else { rank.figure };
        self.class.cmp(&other.class).then(known(other).total_cmp(&known(self)))
    }

    /// True when `now` would not be put elsewhere for a difference that matters.
    fn holds(self, now: Self) -> bool {
        let (a, b) = (self.figure, now.figure);
        let near = (a - b).abs() <= MATTERS * a.abs().max(b.abs());
        self.class == now.class && (near || (a.is_nan() && b.is_nan()))
    }
}

/// Keeps the order of a list stable between refreshes.
#[derive(Clone, Debug, Default)]
pub struct Steady {
    placed: HashMap<Arc<str>, (Rank, u32)>,
}

impl Steady {
    /// Order of `rows` (id and rank), as indices. With `anew` strictly by rank: on request, or while the cursor
    /// is at the top. Otherwise rows keep their places unless their figure changed by more than [`MATTERS`],
    /// and new rows go where their rank belongs. Equal ranks keep the former order, then the given one.
    pub fn order(&mut self, rows: &[(Arc<str>, Rank)], anew: bool) -> Vec<u32> {
        let last = rows.len() as u32;
        let mut keyed: Vec<(Rank, u32, u32)> = rows
            .iter()
            .enumerate()
            .map(|(i, (id, now))| match self.placed.get(id).filter(|_| !anew) {
                Some((rank, place)) if rank.holds(*now) => (*rank, *place, i as u32),
                Some((_, place)) => (*now, *place, i as u32),
                None => (*now, last, i as u32),
            })
            .collect();
        keyed.sort_by(|a, b| a.0.cmp(b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        self.placed.clear();
        self.placed.extend(keyed.iter().enumerate().filter_map(|(place, (rank, _, i))| {
            let (id, _) = rows.get(*i as usize)?;
            Some((id.clone(), (*rank, place as u32)))
        }));
        keyed.into_iter().map(|(_, _, i)| i).collect()
    }

    /// Drops the former order; the next one is strictly by rank.
    pub fn forget(&mut self) {
        self.placed.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(figures: &[(&str, f64)]) -> Vec<(Arc<str>, Rank)> {
        figures.iter().map(|(id, f)| ((*id).into(), Rank { class: 0, figure: *f })).collect()
    }

    fn shown(steady: &mut Steady, figures: &[(&str, f64)], anew: bool) -> String {
        let rows = rows(figures);
        steady.order(&rows, anew).into_iter().map(|i| &*rows[i as usize].0).collect()
    }

    #[test]
    fn rows_move_for_differences_that_matter() {
        let mut steady = Steady::default();
        assert_eq!(shown(&mut steady, &[("a", 100.0), ("b", 95.0), ("c", 10.0)], false), "abc");
        // b passes a by a little: it stays. The input comes in the new exact order.
        assert_eq!(shown(&mut steady, &[("b", 101.0), ("a", 100.0), ("c", 10.0)], false), "abc");
        // On demand, or with the cursor at the top, it moves.
        assert_eq!(shown(&mut steady, &[("b", 101.0), ("a", 100.0), ("c", 10.0)], true), "bac");
        // c passes by far.
        assert_eq!(shown(&mut steady, &[("c", 300.0), ("b", 101.0), ("a", 100.0)], false), "cba");
        // A new row goes where it belongs, an old one leaves.
        assert_eq!(shown(&mut steady, &[("c", 300.0), ("n", 200.0), ("a", 100.0)], false), "cna");
        // What is not known comes last, and comes back.
        let unknown = [("c", f64::NAN), ("n", 200.0), ("a", 100.0)];
        assert_eq!(shown(&mut steady, &unknown, false), "nac");
        assert_eq!(shown(&mut steady, &unknown, false), "nac");
    }

    #[test]
    fn slow_growth_adds_up() {
        let mut steady = Steady::default();
        shown(&mut steady, &[("a", 100.0), ("b", 90.0)], false);
        let orders: Vec<String> = (91..=115)
            .map(|b| shown(&mut steady, &[("a", 100.0), ("b", f64::from(b))], false))
            .collect();
        assert_eq!(orders[0], "ab");
        assert_eq!(orders.last().unwrap(), "ba");
    }

    #[test]
    fn a_change_of_class_moves_at_once() {
        let mut steady = Steady::default();
        let rows = |class| {
            let rank = |class| Rank { class, figure: 0.0 };
            vec![("a".into(), rank(3)), ("b".into(), rank(class))]
        };
        assert_eq!(steady.order(&rows(5), false), [0, 1]);
        assert_eq!(steady.order(&rows(1), false), [1, 0]);
    }

    proptest! {
        #[test]
        fn each_row_stands_once_and_small_changes_move_nothing(
            figures in prop::collection::vec(1.0f64..1000.0, 1..40),
            shake in prop::collection::vec(0.96f64..1.04, 40),
        ) {
            let rows = |scale: &dyn Fn(usize) -> f64| -> Vec<(Arc<str>, Rank)> {
                let rank = |i, f| Rank { class: 0, figure: f * scale(i) };
                let row = |(i, f): (usize, &f64)| (i.to_string().into(), rank(i, *f));
                figures.iter().enumerate().map(row).collect()
            };
            let mut steady = Steady::default();
            let first = steady.order(&rows(&|_| 1.0), false);
            let mut sorted = first.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..figures.len() as u32).collect::<Vec<_>>());
            prop_assert!(first.windows(2).all(|w| figures[w[0] as usize] >= figures[w[1] as usize]));
            prop_assert_eq!(&steady.order(&rows(&|i| shake[i]), false), &first);
            let anew = steady.order(&rows(&|i| shake[i]), true);
            let value = |i: &u32| figures[*i as usize] * shake[*i as usize];
            prop_assert!(anew.windows(2).all(|w| value(&w[0]) >= value(&w[1])));
        }
    }
}
