//! Values of one device in one sweep.

use std::sync::Arc;

use super::labels::Facts;
use super::{Metric, Part};
use crate::domain::{GpuProcess, GpuSignal, GpuSignals, Throttle};

/// From here on a number is one of DCGM's words for "no value" (`0x7fff_ffff_ffff_fff0` and its
/// neighbours for integers, 2⁴⁷ for decimals), before any scale makes it look possible.
const BLANK: f64 = 140_737_488_355_328.0;

/// At most so many processes of one device are kept.
const MAX_PROCESSES: usize = 256;

const SIGNALS: usize = GpuSignal::ALL.len();

/// Values of one device in one sweep.
#[derive(Clone, Debug)]
pub struct Values {
    signals: GpuSignals,
    /// The rank of what each signal was told by.
    ranks: [u8; SIGNALS],
    mem_free: Option<f64>,
    mem_reserved: Option<f64>,
    mem_share: Option<f64>,
    nvlink_tx: Option<f64>,
    nvlink_rx: Option<f64>,
    throttle: Option<u64>,
    /// The last XID seen and when.
    xid: Option<(f64, u32)>,
    /// Id of the job that holds the device; `None` when not reported.
    pub job: Option<u64>,
    /// Id of the user that holds the device; `None` when not reported.
    pub user: Option<u64>,
    process_count: Option<f64>,
    processes: Vec<GpuProcess>,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            signals: GpuSignals::default(),
            ranks: [u8::MAX; SIGNALS],
            mem_free: None,
            mem_reserved: None,
            mem_share: None,
            nvlink_tx: None,
            nvlink_rx: None,
            throttle: None,
            xid: None,
            job: None,
            user: None,
            process_count: None,
            processes: Vec::new(),
        }
    }
}

impl Values {
    /// Removes all values.
    pub fn clear(&mut self) {
        let mut processes = std::mem::take(&mut self.processes);
        processes.clear();
        *self = Self { processes, ..Self::default() };
    }

    /// Adds a value. False for one that no device can have.
    pub fn take(&mut self, metric: &Metric, facts: &Facts, raw: f64) -> bool {
        if !raw.is_finite() || !(0.0..BLANK).contains(&raw) {
            return false;
        }
        let value = raw * metric.scale;
        match metric.part {
            Part::Signal(signal) => return self.signal(signal, value, metric.rank),
            Part::MemFree => return memory(&mut self.mem_free, value),
            Part::MemReserved => return memory(&mut self.mem_reserved, value),
            Part::MemShare if value <= 1.0 => raise(&mut self.mem_share, value),
            Part::NvlinkTx => return rate(&mut self.nvlink_tx, value),
            Part::NvlinkRx => return rate(&mut self.nvlink_rx, value),
            // 32 bits are known.
            Part::Throttle if value < 4_294_967_296.0 => self.reasons(value as u64),
            Part::MemShare | Part::Throttle => return false,
            Part::ThrottleBit(bit) => self.reasons(if value > 0.0 { bit } else { 0 }),
            Part::XidSeen => {
                let newer = self.xid.is_none_or(|(at, _)| value > at);
                if let Some(code) = facts.xid
                    && newer
                {
                    self.xid = Some((value, code));
                }
            }
            Part::Processes => raise(&mut self.process_count, value),
            Part::Process => self.process(facts, None),
            Part::ProcessMem => self.process(facts, Some(value as f32)),
            Part::JobId => self.job = Some(value as u64),
            Part::UserId => self.user = Some(value as u64),
            // Cores are put together before they come here.
            Part::Labels | Part::CoreMem(_) => {}
        }
        true
    }

    /// Adds the value of a signal, in its unit; a lower `rank` replaces a higher one. False for an impossible value.
    pub fn signal(&mut self, signal: GpuSignal, value: f64, rank: u8) -> bool {
        let told = &mut self.ranks[signal as usize];
        if rank > *told {
            return signal.observe(value).is_some();
        }
        let better = rank < *told;
        let fits = if better {
            self.signals.set(signal, value)
        } else {
            self.signals.raise(signal, value)
        };
        if fits && better {
            *told = rank;
        }
        fits
    }

    fn reasons(&mut self, bits: u64) {
        self.throttle = Some(self.throttle.unwrap_or_default() | bits);
    }

    fn process(&mut self, facts: &Facts, mem_mib: Option<f32>) {
        let Some((pid, command)) = &facts.process else { return };
        if let Some(known) = self.processes.iter_mut().find(|p| p.pid == *pid) {
            known.mem_mib = mem_mib.or(known.mem_mib);
        } else if self.processes.len() < MAX_PROCESSES {
            let command = Arc::clone(command);
            self.processes.push(GpuProcess { pid: *pid, user: None, command, mem_mib, sm: None });
        }
    }

    /// Signals, with those that follow from others.
    pub fn signals(&self) -> GpuSignals {
        let mut signals = self.signals;
        let used = signals.get(GpuSignal::MemUsed).map(f64::from);
        let reserved = self.mem_reserved.unwrap_or_default();
        if signals.get(GpuSignal::MemTotal).is_none()
            && let (Some(used), Some(free)) = (used, self.mem_free)
        {
            // Without the reserved part it is short by what the driver keeps, about 1%.
            signals.set(GpuSignal::MemTotal, used + free + reserved);
        }
        if used.is_none()
            && let (Some(total), Some(share)) = (signals.get(GpuSignal::MemTotal), self.mem_share)
        {
            signals.set(GpuSignal::MemUsed, share * (f64::from(total) - reserved));
        }
        if self.nvlink_tx.is_some() || self.nvlink_rx.is_some() {
            let both = self.nvlink_tx.unwrap_or_default() + self.nvlink_rx.unwrap_or_default();
            signals.set(GpuSignal::Nvlink, both);
        }
        if signals.get(GpuSignal::Xid).is_none()
            && let Some((_, code)) = self.xid
        {
            signals.set(GpuSignal::Xid, f64::from(code));
        }
        signals
    }

    /// Clock event reasons; `None` when not reported.
    pub fn throttle(&self) -> Option<Throttle> {
        self.throttle.map(Throttle)
    }

    /// Processes, by id; `None` when not reported.
    pub fn processes(&mut self) -> Option<&[GpuProcess]> {
        // A count says that there are none; where it says that there are, each must be there.
        let told = !self.processes.is_empty() || self.process_count == Some(0.0);
        self.processes.sort_unstable_by_key(|p| p.pid);
        told.then_some(&self.processes)
    }
}

fn raise(slot: &mut Option<f64>, value: f64) {
    *slot = Some(slot.unwrap_or_default().max(value));
}

fn memory(slot: &mut Option<f64>, value: f64) -> bool {
    let fits = GpuSignal::MemTotal.observe(value).is_some();
    if fits {
        raise(slot, value);
    }
    fits
}

fn rate(slot: &mut Option<f64>, value: f64) -> bool {
    let fits = GpuSignal::Nvlink.observe(value).is_some();
    if fits {
        raise(slot, value);
    }
    fits
}
