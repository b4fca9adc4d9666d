//! How instances look in their table.

use super::table::Drawn;
use crate::app::content::why::verdict_role;
use crate::app::{App, Role, Staleness, behind};
use crate::domain::VerdictKind;
use crate::fleet::Row;
use crate::view::Field;

impl Drawn for Field {
    const NOUNS: [&'static str; 2] = ["instance", "instances"];

    fn role(self, row: &Row) -> Role {
        let kind = row.verdict.as_ref().map(|v| v.kind);
        match (self, kind) {
            (Self::Verdict, Some(kind)) => verdict_role(kind),
            (
                Self::WastedUsd | Self::WasteUsdPerHour,
                Some(VerdictKind::Idle | VerdictKind::Partial),
            ) => Role::Idle,
            _ if !row.instance.state.is_billed() => Role::Dim,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &Row) -> Staleness {
        app.sources().staleness(&row.instance.scope)
    }

    fn is_old(self, row: &Row, stale: Staleness) -> bool {
        behind(self, row.instance.lifecycle).iter().any(|s| stale.has(*s))
    }
}
