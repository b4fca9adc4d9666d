//! How the lists of what could be saved look: strip and tables.

#[cfg(test)]
mod golden;

use crate::app::{App, Layout, Role, SavingsLook, Staleness};
use crate::domain::{CommitmentState, Scope, SourceId};
use crate::fleet::savings::{CommitmentRow, Proposal, Risk, SizeVerdict, SpotFit, SpotRow};
use crate::tabs::idle::pages::verdict_role;
use crate::tabs::savings::picture::{
    CommitmentField, ProposalField, ResourceField, ResourceItem, SpotField,
};
use crate::tabs::savings::screen::SavingsScreen;
use crate::ui::canvas::Canvas;
use crate::ui::table::{Drawn, Looks};
use crate::ui::{Draw, table_state, text};

impl Draw for SavingsScreen {
    /// Draws the strip, then the table of the list on screen.
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        for (line, y) in app.strip().iter().zip(layout.body_top..) {
            text::put(canvas, line, y);
        }
        let shown = app.inner_layout().zip(looks(app)).filter(|_| app.savings().is_some());
        if let Some((inner, looks)) = shown {
            (looks.draw)(canvas, app, app.list(), &inner);
        }
    }

    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let all = app.savings_rows_on_screen();
        let nouns = looks(app).map_or(CommitmentField::NOUNS, |looks| looks.nouns);
        table_state(app.list(), nouns, all, "most dollars first")
    }
}

/// How the rows of the list on screen look; `None` for the overview.
fn looks(app: &App) -> Option<Looks> {
    Some(match app.savings_tab().look() {
        SavingsLook::Overview => return None,
        SavingsLook::Commitments => Looks::of::<CommitmentField>(),
        SavingsLook::Proposals => Looks::of::<ProposalField>(),
        SavingsLook::Spot => Looks::of::<SpotField>(),
        SavingsLook::Resources => Looks::of::<ResourceField>(),
    })
}

fn behind(app: &App, scope: &Scope) -> Staleness {
    app.sources().staleness(scope)
}

impl Drawn for CommitmentField {
    const NOUNS: [&'static str; 2] = ["commitment", "commitments"];

    fn role(self, row: &CommitmentRow) -> Role {
        match self {
            Self::Unused if row.unused_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            Self::Saves if row.saves_usd_per_hour.is_some_and(|usd| usd < 0.0) => Role::Warn,
            Self::Finding => Role::Warn,
            _ if row.commitment.state != CommitmentState::Active => Role::Dim,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &CommitmentRow) -> Staleness {
        let account = &row.commitment.account;
        match crate::tabs::savings::picture::words::region(&row.commitment) {
            Some(region) => behind(app, &Scope::new(account.clone(), region)),
            None => behind(app, &Scope::account_wide(account.clone())),
        }
    }

    fn is_old(self, _: &CommitmentRow, stale: Staleness) -> bool {
        stale.has(SourceId::Commitments) && self != Self::Covers
    }
}

impl Drawn for ProposalField {
    const NOUNS: [&'static str; 2] = ["proposal", "proposals"];

    fn role(self, row: &Proposal) -> Role {
        match self {
            Self::Net if row.net_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            Self::Risk if row.risk == Risk::High => Role::Warn,
            Self::WorthlessUntil => Role::Warn,
            _ if matches!(row.verdict, SizeVerdict::Cannot(_)) => Role::Dim,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &Proposal) -> Staleness {
        behind(app, &row.scope)
    }

    fn is_old(self, _: &Proposal, stale: Staleness) -> bool {
        let money = matches!(self, Self::Net | Self::Gross);
        money && (stale.has(SourceId::CloudWatch) || stale.has(SourceId::Commitments))
    }
}

impl Drawn for SpotField {
    const NOUNS: [&'static str; 2] = ["instance", "instances"];

    fn role(self, row: &SpotRow) -> Role {
        match self {
            Self::Net if row.net_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            Self::Fit => match row.fit {
                SpotFit::Yes => Role::Ok,
                SpotFit::Partial | SpotFit::Unknown => Role::Warn,
                SpotFit::No => Role::Dim,
            },
            _ if row.fit == SpotFit::No => Role::Dim,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &SpotRow) -> Staleness {
        behind(app, &row.scope)
    }

    fn is_old(self, _: &SpotRow, stale: Staleness) -> bool {
        match self {
            Self::Net => stale.has(SourceId::SpotHistory) || stale.has(SourceId::Commitments),
            Self::Gross | Self::Spot | Self::Effective => stale.has(SourceId::SpotHistory),
            _ => false,
        }
    }
}

impl Drawn for ResourceField {
    const NOUNS: [&'static str; 2] = ["resource", "resources"];

    fn role(self, item: &ResourceItem) -> Role {
        match (self, item.row.verdict.as_ref()) {
            (Self::Verdict, Some(verdict)) => verdict_role(verdict.kind),
            (Self::Waste, _) if item.is_idle() => Role::Idle,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, item: &ResourceItem) -> Staleness {
        behind(app, &item.row.resource.scope)
    }

    fn is_old(self, _: &ResourceItem, stale: Staleness) -> bool {
        stale.has(SourceId::Resources) && !matches!(self, Self::Name | Self::Id | Self::Kind)
    }
}
