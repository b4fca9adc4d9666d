//! Figures in sentences about sizes.

use crate::domain::format::{self, grouped};

/// `22.4 GiB`, `1,152 GiB`.
pub(super) fn gib(mib: u64) -> String {
    let gib = mib as f64 / 1024.0;
    let decimals = usize::from(gib < 100.0 && gib.fract() > 0.05 && gib.fract() < 0.95);
    format!("{} GiB", grouped(gib, decimals))
}

/// `1,900 GB`.
pub(super) fn gb(gb: u64) -> String {
    format!("{} GB", grouped(gb as f64, 0))
}

/// `1.04%`, `37%`.
pub(super) fn percent(percent: f64) -> String {
    let decimals = if percent < 10.0 && percent.fract() > 0.005 { 2 } else { 0 };
    format::percent(percent, decimals)
}

/// `1.25 vCPUs`, `96 vCPUs`.
pub(super) fn vcpus(vcpus: f64) -> String {
    let decimals = if vcpus < 10.0 && vcpus.fract() > 0.005 { 2 } else { 0 };
    format!("{vcpus:.decimals$} vCPUs")
}

/// `12.5 Gbit/s`.
pub(super) fn gigabits(gbps: f64) -> String {
    let decimals = if gbps < 1.0 { 2 } else { usize::from(gbps.fract() > 0.05) };
    format!("{} Gbit/s", grouped(gbps, decimals))
}

/// Hours in words: `36 h`, `3 d`.
pub(super) fn span(hours: i64) -> String {
    if hours < 48 { format!("{hours} h") } else { format!("{} d", hours / 24) }
}
