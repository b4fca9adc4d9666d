//! How far a scan is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters that all threads of a scan add to; may be read at any time.
#[derive(Debug, Default)]
pub struct Progress {
    rows: AtomicU64,
    bytes: AtomicU64,
    total: AtomicU64,
}

/// How far a scan was at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Far {
    /// Rows read.
    pub rows: u64,
    /// Bytes of the list read.
    pub bytes: u64,
    /// Bytes of the list; `None` when not known.
    pub total_bytes: Option<u64>,
    /// Rows per second since the start; `None` before the first moment.
    pub rows_per_s: Option<f64>,
    /// Seconds that are left at this pace; `None` when not known.
    pub eta_s: Option<f64>,
}

impl Progress {
    pub(super) fn add(&self, rows: u64, bytes: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// How much is to be read, where that is known.
    pub(super) fn of(&self, bytes: Option<u64>) {
        self.total.store(bytes.unwrap_or(0), Ordering::Relaxed);
    }

    /// How far it is, `elapsed` after the start.
    pub fn far(&self, elapsed: Duration) -> Far {
        let read = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let (rows, bytes, total) = (read(&self.rows), read(&self.bytes), read(&self.total));
        let s = elapsed.as_secs_f64();
        let left = total.saturating_sub(bytes) as f64;
        Far {
            rows,
            bytes,
            total_bytes: (total > 0).then_some(total),
            rows_per_s: (s > 0.0).then(|| rows as f64 / s),
            eta_s: (total > 0 && bytes > 0 && s > 0.0).then(|| left * s / bytes as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_the_bytes() {
        let progress = Progress::default();
        let far = progress.far(Duration::ZERO);
        assert_eq!((far.rows_per_s, far.eta_s, far.total_bytes), (None, None, None));
        progress.of(Some(400));
        progress.add(50, 100);
        let far = progress.far(Duration::from_secs(2));
        assert_eq!((far.rows, far.bytes, far.total_bytes), (50, 100, Some(400)));
        assert_eq!((far.rows_per_s, far.eta_s), (Some(25.0), Some(6.0)));
        // More than was said is no negative time.
        progress.add(0, 900);
        assert_eq!(progress.far(Duration::from_secs(2)).eta_s, Some(0.0));
    }
}
