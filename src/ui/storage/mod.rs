//! How the Storage tab looks: strip and tables.

#[cfg(test)]
mod golden;

use super::canvas::Canvas;
use super::table::{self, Drawn};
use super::text;
use crate::app::{App, Layout, Role, Staleness, StorageLook};
use crate::domain::storage::Risk;
use crate::domain::{Scope, SourceId};
use crate::fleet::storage::{BucketRow, VolumeUse};
use crate::view::storage::{
    BlockField, BlockRow, BucketField, CopyField, CopyRow, FindingField, FindingRow, PrefixField,
    PrefixRow, RunField, RunRow,
};

/// Draws the strip, then the table of the list on screen.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    for (line, y) in app.storage_strip().iter().zip(layout.body_top..) {
        text::put(canvas, line, y);
    }
    let (Some(inner), Some(fleet)) = (app.storage_layout(), app.storage()) else { return };
    let tab = app.storage_tab();
    match tab.look() {
        StorageLook::Buckets => {
            table::draw(canvas, app, tab.buckets(), Some(&fleet.buckets), &inner);
        }
        StorageLook::Explorer => {
            if let Some(explorer) = tab.explorer() {
                table::draw(canvas, app, tab.prefixes(), Some(&explorer.here().rows), &inner);
            }
        }
        StorageLook::Findings => {
            table::draw(canvas, app, tab.findings(), Some(&tab.rows().findings), &inner);
        }
        StorageLook::Blocks => {
            table::draw(canvas, app, tab.blocks(), Some(&tab.rows().blocks), &inner);
        }
        StorageLook::Runs => table::draw(canvas, app, tab.runs(), Some(&tab.rows().runs), &inner),
        StorageLook::Copies => {
            table::draw(canvas, app, tab.copies(), Some(&tab.rows().copies), &inner);
        }
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
            Self::Lifecycle if crate::view::storage::words::rules(row) == Some(0) => Role::Warn,
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
