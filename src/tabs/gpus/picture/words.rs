//! The words, glyphs and letters of the states of a GPU.

use crate::domain::{GpuState, Workload};
use crate::fleet::GpuRow;
use crate::view::symbols::Symbols;
use crate::view::{Role, format, reasons};

/// Label beside a state's glyph; upper case where it costs money or needs attention.
pub fn word(state: GpuState) -> &'static str {
    match state {
        GpuState::Unhealthy => "UNHEALTHY",
        GpuState::Stalled => "STALLED",
        GpuState::HeldIdle => "HELD IDLE",
        GpuState::UnallocatedIdle => "UNALLOCATED",
        GpuState::Inefficient => "inefficient",
        GpuState::Unknown => "UNKNOWN",
        GpuState::Stale => "stale",
        GpuState::Busy => "busy",
    }
}

/// What the colour of a state means.
pub fn role(state: GpuState) -> Role {
    match state {
        GpuState::Unhealthy | GpuState::Stalled => Role::Crit,
        GpuState::HeldIdle | GpuState::UnallocatedIdle => Role::Idle,
        GpuState::Inefficient | GpuState::Unknown => Role::Warn,
        GpuState::Stale => Role::Dim,
        GpuState::Busy => Role::Ok,
    }
}

/// The glyph of a state, one column wide; always shown with its word.
pub fn glyph(state: GpuState, symbols: Symbols) -> &'static str {
    match (symbols, state) {
        (Symbols::Unicode, GpuState::Unhealthy) => "✗",
        (Symbols::Unicode, GpuState::Stalled) => "■",
        (Symbols::Unicode, GpuState::HeldIdle) => "○",
        (Symbols::Unicode, GpuState::UnallocatedIdle) => "◌",
        (Symbols::Unicode, GpuState::Inefficient) => "◔",
        (Symbols::Unicode, GpuState::Busy) => "●",
        (_, GpuState::Unknown) => "?",
        (_, GpuState::Stale) => "~",
        (Symbols::Ascii, GpuState::Unhealthy) => "x",
        (Symbols::Ascii, GpuState::Stalled) => "!",
        (Symbols::Ascii, GpuState::HeldIdle) => "o",
        (Symbols::Ascii, GpuState::UnallocatedIdle) => "_",
        (Symbols::Ascii, GpuState::Inefficient) => "-",
        (Symbols::Ascii, GpuState::Busy) => "*",
    }
}

/// Letter of a state in a heat map without colours.
pub fn letter(state: GpuState) -> char {
    match state {
        GpuState::Unhealthy => 'X',
        GpuState::Stalled => 'S',
        GpuState::HeldIdle => 'H',
        GpuState::UnallocatedIdle => 'U',
        GpuState::Inefficient => 'I',
        GpuState::Unknown => '?',
        GpuState::Stale => '~',
        GpuState::Busy => 'B',
    }
}

/// Label of an unallocated GPU that a job has by its scheduler: no other work can have it.
pub const IDLE_IN_JOB: &str = "IDLE IN JOB";

/// A state as its rows say it: of the unallocated GPUs those that a job has are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// State of the GPUs.
    pub state: GpuState,
    /// True for unallocated ones that a job has by its scheduler.
    pub in_job: bool,
}

impl Label {
    /// What the row of a GPU says.
    pub fn of(row: &GpuRow) -> Self {
        let state = row.verdict.state;
        let in_job = state == GpuState::UnallocatedIdle && reasons::gpu_is_scheduled(row);
        Self { state, in_job }
    }

    /// All labels, the worst state first.
    pub fn all() -> impl Iterator<Item = Self> {
        GpuState::ALL.into_iter().flat_map(|state| {
            let in_job = (state == GpuState::UnallocatedIdle).then_some(true);
            [Some(false), in_job].into_iter().flatten().map(move |in_job| Self { state, in_job })
        })
    }

    /// Beside the glyph of the state: `HELD IDLE`.
    pub fn word(self) -> &'static str {
        if self.in_job { IDLE_IN_JOB } else { word(self.state) }
    }

    /// In sentences and sums: `held idle`.
    pub fn plain(self) -> &'static str {
        if self.in_job { "idle in job" } else { plain(self.state) }
    }

    /// For narrow places: `held`.
    pub fn short(self) -> &'static str {
        match self.state {
            GpuState::UnallocatedIdle if self.in_job => "in job",
            GpuState::HeldIdle => "held",
            GpuState::UnallocatedIdle => "unalloc",
            GpuState::Inefficient => "ineff",
            other => plain(other),
        }
    }

    /// Number of GPU equivalents that say so: `12 held idle`, `0.125 busy`. Drawn for many labels in each frame, so a whole
    /// number is one text.
    pub fn counted(self, equivalents: f64) -> String {
        match equivalents {
            whole if whole.fract() == 0.0 && (0.0..1e9).contains(&whole) => {
                format!("{} {}", whole as u32, self.plain())
            }
            other => format!("{} {}", format::count(other), self.plain()),
        }
    }
}

/// Cell of the state of a GPU, glyph and label: `○ HELD IDLE`.
pub fn cell(row: &GpuRow, symbols: Symbols) -> String {
    format!("{} {}", glyph(row.verdict.state, symbols), Label::of(row).word())
}

/// Name of a kind of work in JSON and filters; `None` when not known.
pub fn workload(workload: Workload) -> Option<&'static str> {
    match workload {
        Workload::Unknown => None,
        Workload::Training => Some("training"),
        Workload::Inference => Some("inference"),
    }
}

/// Number of GPU equivalents with noun, of which `slices` MIG slices are `sliced`: `1 GPU`, `24 slices of 8 GPUs`,
/// `16 GPUs, 8 of them in 24 slices`.
pub fn gpus(equivalents: f64, slices: u32, sliced: f64) -> String {
    let number = format::count(equivalents);
    let noun = if number == "1" { "GPU" } else { "GPUs" };
    let parts = || format::plural(slices as usize, "slice");
    match slices {
        0 => format!("{number} {noun}"),
        _ if (equivalents - sliced).abs() < 1e-6 => format!("{} of {number} {noun}", parts()),
        _ => format!("{number} {noun}, {} of them in {}", format::count(sliced), parts()),
    }
}

/// Label of a state in sentences: `held idle`.
pub fn plain(state: GpuState) -> &'static str {
    match state {
        GpuState::Unhealthy => "unhealthy",
        GpuState::Stalled => "stalled",
        GpuState::HeldIdle => "held idle",
        GpuState::UnallocatedIdle => "unallocated",
        GpuState::Inefficient => "inefficient",
        GpuState::Unknown => "unknown",
        GpuState::Stale => "stale",
        GpuState::Busy => "busy",
    }
}
