//! Limits of what counts as idleness, for all who judge: one table.

/// Activity below which a GPU is idle, 0–1; also the limit of the idle verdicts (hourly maximum below 5%).
pub const IDLE_BELOW: f32 = 0.05;
/// Factor over the idle power of a model up to which a GPU counts as drawing idle power.
pub const IDLE_POWER_FACTOR: f32 = 1.25;
/// Device memory from which a process holds the GPU, MiB. Driver and display take less.
pub const HELD_MIB: f32 = 500.0;
/// Device memory below which no kernel can have its context, MiB.
pub const EMPTY_MIB: f32 = 50.0;
