//! A checkpoint each so many minutes, of every attempt that holds GPUs for as long.

use super::MINUTE_MS;
use super::history::History;
use super::sums::ByKey;
use crate::analyze::jobs::lost::Amount;
use crate::domain::jobs::GpuTime;

/// What checkpoints each so many minutes would have saved. An attempt would have lost held mod interval + restart, where that is
/// less than what it lost; each that held GPUs for as long, the completed ones too, would have written held ÷ interval of them.
pub(super) fn replay(history: &History, minutes: u32, write_ms: i64, sums: &mut ByKey) {
    let interval = (i64::from(minutes) * MINUTE_MS).unsigned_abs().max(1);
    let restart = history.of.restart_ms.unsigned_abs();
    for of in history.all.iter().filter(|of| of.counts) {
        let held = of.held_ms().unwrap_or_default().unsigned_abs();
        let all = of.held();
        if held < interval || all.gpu_time.is_none_or(GpuTime::is_zero) {
            continue;
        }
        let after = all.part((held % interval + restart).min(held), held);
        let writing = (held / interval).saturating_mul(write_ms.unsigned_abs());
        let lost = of.lost();
        let saved = if lost == Amount::ZERO { lost } else { lost.less(after) };
        sums.add(of, saved, all.part(writing, held));
    }
}
