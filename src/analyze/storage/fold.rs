//! What all passes over lists of objects have in common.

use std::sync::Arc;

use crate::domain::storage::{ObjectBatch, ObjectColumns};

/// Facts about a list before its first row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListInfo {
    /// Bucket, or the path of a directory.
    pub bucket: Arc<str>,
    /// When the list was made, ms since 1970: ages are measured to it.
    pub listed_ms: i64,
    /// Columns of the list.
    pub columns: ObjectColumns,
}

/// Something that is made from all objects of a list, seen in any order, in batches.
///
/// The result must not depend on the order of the rows, on how they are cut into batches, nor on
/// which of several folds took which batch before they were merged.
pub trait Fold: Send {
    /// Takes in a batch.
    fn take(&mut self, batch: &ObjectBatch);

    /// Adds another fold of the same list.
    fn merge(&mut self, other: Self)
    where
        Self: Sized;
}

/// A fold that is not always wanted: nothing is made of `None`.
impl<F: Fold> Fold for Option<F> {
    fn take(&mut self, batch: &ObjectBatch) {
        if let Some(fold) = self {
            fold.take(batch);
        }
    }

    fn merge(&mut self, other: Self) {
        match (self, other) {
            (Some(fold), Some(other)) => fold.merge(other),
            (fold @ None, other) => *fold = other,
            (Some(_), None) => {}
        }
    }
}

/// Several folds in one pass.
macro_rules! together {
    ($($fold:ident $i:tt),+) => {
        impl<$($fold: Fold),+> Fold for ($($fold,)+) {
            fn take(&mut self, batch: &ObjectBatch) {
                $(self.$i.take(batch);)+
            }

            fn merge(&mut self, other: Self) {
                $(self.$i.merge(other.$i);)+
            }
        }
    };
}

together!(A 0);
together!(A 0, B 1);
together!(A 0, B 1, C 2);
together!(A 0, B 1, C 2, D 3);

/// What needs no row: a pass for what the reader itself counts.
impl Fold for () {
    fn take(&mut self, _batch: &ObjectBatch) {}

    fn merge(&mut self, (): Self) {}
}
