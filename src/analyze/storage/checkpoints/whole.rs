//! What a plan has to know of the list as a whole: how much the bucket holds, and whether it keeps
//! versions.

use crate::analyze::storage::{Fold, ListInfo};
use crate::domain::storage::{ObjectBatch, ObjectColumns, Sums, Tier, Versioning};

/// Fold that sums the whole list and detects versioning.
#[derive(Clone, Debug)]
pub struct WholeFold {
    sums: Sums,
    listed_ms: i64,
    columns: ObjectColumns,
    has_ids: bool,
}

impl WholeFold {
    /// A fold for a list.
    pub fn new(info: &ListInfo) -> Self {
        Self {
            sums: Sums::default(),
            listed_ms: info.listed_ms,
            columns: info.columns,
            has_ids: false,
        }
    }

    /// Sums of all objects of the list.
    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Versioning of the bucket, as far as the list shows it: version ids, noncurrent versions and delete
    /// markers exist only where it was switched on; a list with a column for them but none of them is of a
    /// bucket that never had any. `None` without such a column.
    pub fn versioning(&self) -> Option<Versioning> {
        let has_traces = self.sums.noncurrent_objects > 0 || self.sums.delete_markers > 0;
        if self.has_ids || has_traces {
            return Some(Versioning::Enabled);
        }
        (self.columns.versions && self.sums.all_objects() > 0).then_some(Versioning::Off)
    }
}

impl Fold for WholeFold {
    fn take(&mut self, batch: &ObjectBatch) {
        for (i, flags) in batch.flags.iter().enumerate() {
            let size = batch.sizes.get(i).copied().unwrap_or(0);
            let modified_ms = batch.modified_ms.get(i).copied().unwrap_or(i64::MIN);
            let tier = batch.tiers.get(i).copied().unwrap_or(Tier::Unknown);
            self.sums.count(size, modified_ms, tier, *flags, self.listed_ms);
            // `null` is the id of what was there before, and all there is without versions.
            let id = batch.versions.get(i);
            self.has_ids |= !id.is_empty() && id != b"null";
        }
    }

    fn merge(&mut self, other: Self) {
        self.sums.add(&other.sums);
        self.has_ids |= other.has_ids;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::checkpoints::tests::sample::{Object, batch, info};
    use crate::domain::storage::ObjectFlags;

    #[test]
    fn versions_leave_traces() {
        let with = |versions, id: &[u8], flags| {
            let mut info = info();
            info.columns.versions = versions;
            let mut object = Object::new("k", 1, 1.0);
            object.flags = flags;
            let mut rows = batch(&[object]);
            rows.versions.clear();
            rows.versions.push(id);
            let mut fold = WholeFold::new(&info);
            fold.take(&rows);
            fold.versioning()
        };
        assert_eq!(with(true, b"", 0), Some(Versioning::Off));
        assert_eq!(with(true, b"null", 0), Some(Versioning::Off));
        assert_eq!(with(true, b"3sL4kqtJlcpXroDTDmJ", 0), Some(Versioning::Enabled));
        assert_eq!(with(true, b"", ObjectFlags::DELETE_MARKER), Some(Versioning::Enabled));
        assert_eq!(with(true, b"", ObjectFlags::NONCURRENT), Some(Versioning::Enabled));
        assert_eq!(with(false, b"", 0), None);
        assert_eq!(WholeFold::new(&info()).versioning(), None);
    }
}
