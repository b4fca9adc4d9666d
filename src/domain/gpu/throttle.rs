//! Why the clocks of a GPU are as they are.

use serde::{Deserialize, Serialize};

/// The bits of `clocks_event_reasons.active` (NVML `nvmlClocksEventReason…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Throttle(pub u64);

impl Throttle {
    /// Nothing runs: a witness of idleness.
    pub const GPU_IDLE: u64 = 0x1;
    /// The user's clock setting.
    pub const APPLICATIONS_CLOCKS: u64 = 0x2;
    /// The power limit in software.
    pub const SW_POWER_CAP: u64 = 0x4;
    /// Hardware slow-down: heat, power brake.
    pub const HW_SLOWDOWN: u64 = 0x8;
    /// Another GPU of a sync group is slow.
    pub const SYNC_BOOST: u64 = 0x10;
    /// Heat, in software.
    pub const SW_THERMAL: u64 = 0x20;
    /// Heat, in hardware.
    pub const HW_THERMAL: u64 = 0x40;
    /// The external power brake.
    pub const HW_POWER_BRAKE: u64 = 0x80;
    /// The display's clock setting.
    pub const DISPLAY_CLOCKS: u64 = 0x100;

    /// True when the driver says that nothing runs.
    pub fn is_idle(self) -> bool {
        self.0 & Self::GPU_IDLE != 0
    }

    /// True when heat or a power brake slows it down.
    pub fn is_slowed(self) -> bool {
        let slow = Self::HW_SLOWDOWN | Self::SW_THERMAL | Self::HW_THERMAL | Self::HW_POWER_BRAKE;
        self.0 & slow != 0
    }

    /// The reasons in words, most serious first.
    pub fn words(self) -> Vec<&'static str> {
        const WORDS: [(u64, &str); 9] = [
            (Throttle::HW_POWER_BRAKE, "power brake"),
            (Throttle::HW_THERMAL, "heat (hardware)"),
            (Throttle::SW_THERMAL, "heat (software)"),
            (Throttle::HW_SLOWDOWN, "hardware slow-down"),
            (Throttle::SW_POWER_CAP, "power cap"),
            (Throttle::SYNC_BOOST, "sync boost"),
            (Throttle::APPLICATIONS_CLOCKS, "clocks set by hand"),
            (Throttle::DISPLAY_CLOCKS, "display clocks"),
            (Throttle::GPU_IDLE, "idle"),
        ];
        WORDS.iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, word)| *word).collect()
    }
}
