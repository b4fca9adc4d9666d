//! The words, glyphs and letters of the states of a GPU.

use crate::domain::{GpuState, GpuVerdict, Workload};
use crate::view::Role;
use crate::view::format;
use crate::view::symbols::Symbols;

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

/// Cell of a state, glyph and label: `○ HELD IDLE`.
pub fn cell(verdict: &GpuVerdict, symbols: Symbols) -> String {
    format!("{} {}", glyph(verdict.state, symbols), word(verdict.state))
}

/// Name of a kind of work in JSON and filters; `None` when not known.
pub fn workload(workload: Workload) -> Option<&'static str> {
    match workload {
        Workload::Unknown => None,
        Workload::Training => Some("training"),
        Workload::Inference => Some("inference"),
    }
}

/// Number of GPU equivalents in a state: `12 held idle`, `0.125 busy`. Drawn for many states in each frame, so a whole number is
/// one text.
pub fn in_state(equivalents: f64, state: GpuState) -> String {
    match equivalents {
        whole if whole.fract() == 0.0 && (0.0..1e9).contains(&whole) => {
            format!("{} {}", whole as u32, plain(state))
        }
        other => format!("{} {}", format::count(other), plain(state)),
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

/// Short label of a state, for narrow places.
pub fn short(state: GpuState) -> &'static str {
    match state {
        GpuState::HeldIdle => "held",
        GpuState::UnallocatedIdle => "unalloc",
        GpuState::Inefficient => "ineff",
        other => plain(other),
    }
}
