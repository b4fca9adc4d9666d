//! How the Idle tab looks: the table of instances.

use super::pages::verdict_role;
use super::screen::IdleScreen;
use crate::app::{Action, App, Layout, Role, Staleness, behind};
use crate::domain::VerdictKind;
use crate::fleet::Row;
use crate::tabs::idle::picture::Field;
use crate::tabs::savings::pages::elsewhere;
use crate::ui::canvas::Canvas;
use crate::ui::table::{self, Drawn};
use crate::ui::{Draw, table_state};

impl Draw for IdleScreen {
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        if app.is_empty() {
            table::draw_reading(canvas, app, app.table(), layout);
        } else {
            table::draw::<Field>(canvas, app, app.table(), layout);
        }
    }

    /// As for any table, with the preset, and with what idles and is no instance.
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let Some(fleet) = app.shown() else { return Vec::new() };
        let all = fleet.totals.instances as usize;
        let mut parts = table_state(app.table(), Field::NOUNS, all, "worst first");
        parts.push((app.preset().to_owned(), Role::Dim));
        let key = app.keymap().keys(Action::NextSavings).first();
        if let Some((text, key)) = app.savings().and_then(|s| elsewhere(s)).zip(key) {
            parts.push((format!("{text} ({key})"), Role::Idle));
        }
        parts
    }

    /// What marks burn is at list price, also where commitments pay for a part of it.
    fn marks_basis(&self, app: &App) -> &'static str {
        let held = app.shown().is_some_and(|fleet| fleet.book.holdings.is_some());
        if held { " gross" } else { "" }
    }
}

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
