//! Why the clocks of a GPU are as they are.

use serde::{Deserialize, Serialize};

/// Clock event reasons, as bits of `clocks_event_reasons.active` (NVML `nvmlClocksEventReason…`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Throttle(pub u64);

impl Throttle {
    /// The GPU is idle: evidence of idleness.
    pub const GPU_IDLE: u64 = 0x1;
    /// Clocks follow a setting of the user.
    pub const APPLICATIONS_CLOCKS: u64 = 0x2;
    /// The software power limit holds the clocks down.
    pub const SW_POWER_CAP: u64 = 0x4;
    /// Hardware slow-down: heat or power brake.
    pub const HW_SLOWDOWN: u64 = 0x8;
    /// Another GPU of the sync group holds the clocks down.
    pub const SYNC_BOOST: u64 = 0x10;
    /// Software thermal limit.
    pub const SW_THERMAL: u64 = 0x20;
    /// Hardware thermal limit.
    pub const HW_THERMAL: u64 = 0x40;
    /// External power brake.
    pub const HW_POWER_BRAKE: u64 = 0x80;
    /// Clocks follow the setting of the display.
    pub const DISPLAY_CLOCKS: u64 = 0x100;

    /// True when the driver reports an idle GPU.
    pub fn is_idle(self) -> bool {
        self.0 & Self::GPU_IDLE != 0
    }

    /// True when heat or a power brake holds the clocks down.
    pub fn is_slowed(self) -> bool {
        let slow = Self::HW_SLOWDOWN | Self::SW_THERMAL | Self::HW_THERMAL | Self::HW_POWER_BRAKE;
        self.0 & slow != 0
    }

    /// Labels of the reasons, most serious first; empty without any.
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
