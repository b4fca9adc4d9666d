//! Why a month of the bill differs from live burn, all days together.

use std::sync::Arc;

use crate::analyze::bill::reconcile::Cause;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::bill::picture::{ReconcileRow, dollars_by_cause, in_words};
use crate::view::Symbols;

/// The causes with their dollars, the largest first; none where nobody looked.
pub(super) fn lines(days: &[Arc<ReconcileRow>], symbols: Symbols, width: usize) -> Vec<Line> {
    let all = dollars_by_cause(days.iter().map(|day| &**day));
    let role = |cause: &Cause| if *cause == Cause::Unexplained { Role::Warn } else { Role::Text };
    let parts: Vec<_> =
        all.iter().map(|(cause, usd)| (role(cause), in_words(cause, *usd))).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    super::month::wrapped(parts, symbols.separator(), width)
}
