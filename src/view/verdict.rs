//! The words of a verdict.

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

/// Cell of a verdict, glyph and label: `○ IDLE`, `◐ 5/8 idle`.
pub fn cell(verdict: &Verdict, symbols: Symbols) -> String {
    let glyph = symbols.verdict(verdict.kind);
    match (verdict.kind, verdict.idle_gpus) {
        (VerdictKind::Partial, Some(idle)) => format!("{glyph} {idle}/{} idle", verdict.devices),
        (kind, _) => format!("{glyph} {}", word(kind)),
    }
}
