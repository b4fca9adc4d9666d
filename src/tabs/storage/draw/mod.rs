//! How the Storage tab looks: strip and tables.

#[cfg(test)]
mod golden;

use crate::app::{App, Layout, Role, Staleness, StorageLook};
use crate::domain::storage::Risk;
use crate::domain::{Scope, SourceId};
use crate::fleet::storage::{BucketRow, VolumeUse};
use crate::tabs::storage::picture::{
    BlockField, BlockRow, BucketField, CopyField, CopyRow, FindingField, FindingRow, PrefixField,
    PrefixRow, RunField, RunRow,
};
use crate::tabs::storage::screen::StorageScreen;
use crate::ui::canvas::Canvas;
use crate::ui::table::{Drawn, Looks};
use crate::ui::{Draw, table_state, text};

impl Draw for StorageScreen {
    /// Draws the strip, then the table of the list on screen.
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        for (line, y) in app.strip().iter().zip(layout.body_top..) {
            text::put(canvas, line, y);
        }
        if let (Some(inner), Some(_)) = (app.inner_layout(), app.storage()) {
            (looks(app).draw)(canvas, app, app.list(), &inner);
        }
    }

    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let all = app.storage_rows_on_screen();
        table_state(app.list(), looks(app).nouns, all, "costliest first")
    }
}

/// How the rows of the list on screen look.
fn looks(app: &App) -> Looks {
    match app.storage_tab().look() {
        StorageLook::Buckets => Looks::of::<BucketField>(),
        StorageLook::Explorer => Looks::of::<PrefixField>(),
        StorageLook::Findings => Looks::of::<FindingField>(),
        StorageLook::Blocks => Looks::of::<BlockField>(),
        StorageLook::Runs => Looks::of::<RunField>(),
        StorageLook::Copies => Looks::of::<CopyField>(),
    }
}

/// Which sources of storage are behind in a scope.
fn behind(app: &App, scope: &Scope) -> Staleness {
    app.sources().staleness(scope)
}

impl Drawn for BucketField {
    const NOUNS: [&'static str; 2] = ["bucket", "buckets"];

    fn role(self, row: &BucketRow) -> Role {
        match self {
            Self::Savings if row.savings.is_some() => Role::Idle,
            Self::Lifecycle if crate::tabs::storage::picture::words::rules(row) == Some(0) => {
                Role::Warn
            }
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &BucketRow) -> Staleness {
        behind(app, &row.scope)
    }

    fn is_old(self, row: &BucketRow, stale: Staleness) -> bool {
        row.facts.is_some() && stale.has(SourceId::S3) && self != Self::Name
    }
}

impl Drawn for PrefixField {
    const NOUNS: [&'static str; 2] = ["entry", "entries"];

    fn role(self, row: &PrefixRow) -> Role {
        match self {
            Self::Name if row.opens => Role::Accent,
            _ => Role::Text,
        }
    }

    fn staleness(_: &App, _: &PrefixRow) -> Staleness {
        Staleness::default()
    }

    /// A list is of one moment, which the strip says.
    fn is_old(self, _: &PrefixRow, _: Staleness) -> bool {
        false
    }
}

impl Drawn for FindingField {
    const NOUNS: [&'static str; 2] = ["finding", "findings"];

    fn role(self, row: &FindingRow) -> Role {
        match self {
            Self::UsdPerMonth => Role::Idle,
            Self::Risk if row.finding.risk == Risk::High => Role::Warn,
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &FindingRow) -> Staleness {
        behind(app, &row.finding.scope)
    }

    fn is_old(self, _: &FindingRow, stale: Staleness) -> bool {
        self == Self::UsdPerMonth && (stale.has(SourceId::S3) || stale.has(SourceId::Ebs))
    }
}

impl Drawn for BlockField {
    const NOUNS: [&'static str; 2] = ["volume or snapshot", "volumes and snapshots"];

    fn role(self, row: &BlockRow) -> Role {
        match (self, row) {
            (Self::Savings, _) => Role::Idle,
            (Self::Used, BlockRow::Volume(v)) => match v.used {
                VolumeUse::Unattached | VolumeUse::Stopped => Role::Idle,
                VolumeUse::InUse => Role::Ok,
                VolumeUse::Unknown => Role::Text,
            },
            _ => Role::Text,
        }
    }

    fn staleness(app: &App, row: &BlockRow) -> Staleness {
        behind(app, row.scope())
    }

    fn is_old(self, _: &BlockRow, stale: Staleness) -> bool {
        stale.has(SourceId::Ebs) && self != Self::Id
    }
}

impl Drawn for RunField {
    const NOUNS: [&'static str; 2] = ["run", "runs"];

    fn role(self, row: &RunRow) -> Role {
        match self {
            Self::State if row.run.active => Role::Ok,
            Self::Incomplete if row.run.steps.iter().any(|s| !s.complete) => Role::Warn,
            _ => Role::Text,
        }
    }

    fn staleness(_: &App, _: &RunRow) -> Staleness {
        Staleness::default()
    }

    fn is_old(self, _: &RunRow, _: Staleness) -> bool {
        false
    }
}

impl Drawn for CopyField {
    const NOUNS: [&'static str; 2] = ["pair", "pairs"];

    fn role(self, row: &CopyRow) -> Role {
        match self {
            Self::UsdPerMonth if row.usd_per_month.is_some() => Role::Idle,
            _ => Role::Text,
        }
    }

    fn staleness(_: &App, _: &CopyRow) -> Staleness {
        Staleness::default()
    }

    fn is_old(self, _: &CopyRow, _: Staleness) -> bool {
        false
    }
}
