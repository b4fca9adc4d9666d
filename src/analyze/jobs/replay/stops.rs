//! Early stopping of sweeps, as far as lengths tell: what metrics would have said is not read.

use super::history::History;
use super::sums::ByKey;
use crate::analyze::jobs::lost::Amount;
use crate::analyze::jobs::repeats::nobody_stopped;

/// Places of the members of sweeps of which nobody stopped any.
pub(super) fn unstopped(history: &History) -> Vec<usize> {
    let mut sweeps = vec![Vec::new(); history.sweeps];
    for (place, of) in history.all.iter().enumerate() {
        if let Some(sweep) = of.sweep {
            sweeps[sweep.get() as usize - 1].push(place);
        }
    }
    sweeps.retain(|members| {
        let members = members.iter().map(|place| &history.all[*place]);
        nobody_stopped(members.map(|of| (of.state, of.held_ms())))
    });
    sweeps.concat()
}

/// What stopping half of these members at so many percent of their time would have saved (median stopping, Golovin et al. 2017):
/// of each, half of what it held after that.
pub(super) fn replay(history: &History, unstopped: &[usize], percent: u32, sums: &mut ByKey) {
    for place in unstopped {
        let of = &history.all[*place];
        sums.add(of, of.held().part(u64::from(100 - percent.min(100)), 200), Amount::ZERO);
    }
}
