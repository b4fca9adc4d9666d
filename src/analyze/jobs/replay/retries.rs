//! A retry limit: a script that failed so often in a row starts no more until a run of it completes.

use super::history::{History, Outcome};
use super::sums::ByKey;

/// By attempt, how often its script had failed in a row when it began: since the last of its runs that completed, or of which
/// nobody knows how it ended. Preemptions and cancellations neither count nor end a row.
pub(super) fn in_a_row(history: &History) -> Vec<u32> {
    let mut rows = vec![0_u32; history.works];
    let mut when_it_began = vec![0; history.all.len()];
    for event in &history.events {
        let place = event.place as usize;
        let of = &history.all[place];
        let row = &mut rows[of.work as usize];
        if event.is_begin() {
            when_it_began[place] = *row;
            continue;
        }
        match of.outcome {
            Outcome::Failed => *row += 1,
            Outcome::Completed | Outcome::Unknown => *row = 0,
            Outcome::Neither => {}
        }
    }
    when_it_began
}

/// What a limit of so many failures in a row would have saved: what the attempts lost that began beyond it. What they held and
/// did not lose (all of one that completed, what a checkpoint saved of one that failed) would have been forbidden as well: that is its
/// cost, at most, for who changes the script first may start it.
pub(super) fn replay(history: &History, in_a_row: &[u32], limit: u32, sums: &mut ByKey) {
    for (of, _) in history.all.iter().zip(in_a_row).filter(|(_, failures)| **failures >= limit) {
        let lost = of.lost();
        sums.add(of, lost, of.held().less(lost));
    }
}
