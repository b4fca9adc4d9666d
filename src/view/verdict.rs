//! The words of a verdict.

use super::role::Role;
use super::symbols::Symbols;
use crate::domain::{Verdict, VerdictKind};

/// Label beside a verdict's glyph; upper case where it costs money or needs attention.
pub fn word(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Idle => "IDLE",
        VerdictKind::Partial => "partly idle",
        VerdictKind::Underused => "underused",
        VerdictKind::Unknown => "UNKNOWN",
        VerdictKind::TooNew => "too new",
        VerdictKind::Busy => "busy",
        VerdictKind::Exempt => "exempt",
    }
}

/// What the colour of a verdict means.
pub fn role(kind: VerdictKind) -> Role {
    match kind {
        VerdictKind::Idle | VerdictKind::Partial => Role::Idle,
        VerdictKind::Underused | VerdictKind::Unknown => Role::Warn,
        VerdictKind::Busy => Role::Ok,
        VerdictKind::TooNew | VerdictKind::Exempt => Role::Dim,
    }
}

/// Glyph and word: `○ IDLE`, `◐ 5/8 idle`.
pub fn cell(verdict: &Verdict, symbols: Symbols) -> String {
    let glyph = symbols.verdict(verdict.kind);
    match (verdict.kind, verdict.idle_gpus) {
        (VerdictKind::Partial, Some(idle)) => format!("{glyph} {idle}/{} idle", verdict.devices),
        (kind, _) => format!("{glyph} {}", word(kind)),
    }
}
