//! Mean GPU utilisation over the hours that a verdict speaks of.

use std::collections::BTreeSet;

use super::stretch::Slice;
use crate::domain::{HourRange, SeriesSet, Signal};

/// Mean utilisation of all GPUs that were seen in `hours`, percent. `None` when that is not known
/// of one of them: a GPU whose maxima are above 0 needs its means.
pub(super) fn gpu_mean(set: &SeriesSet, hours: HourRange) -> Option<f64> {
    let gpus: BTreeSet<u16> = set.iter().filter_map(|(signal, _)| signal.gpu()).collect();
    let stats = |signal| set.get(signal).map(|series| Slice::of(series, hours).stats());
    let (mut sum, mut valid) = (0.0, 0_usize);
    for gpu in gpus {
        let max = stats(Signal::GpuMax(gpu));
        let mean = stats(Signal::GpuMean(gpu)).filter(|s| s.valid > 0);
        // Maxima that are all 0 have a mean of 0.
        let zero = max.filter(|s| s.valid > 0 && s.max <= 0.0);
        match mean.or(zero) {
            Some(stats) => {
                sum += stats.sum;
                valid += stats.valid;
            }
            None if max.is_some_and(|s| s.got > 0) => return None,
            None => {}
        }
    }
    (valid > 0).then(|| sum / valid as f64)
}
