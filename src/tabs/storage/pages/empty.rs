//! The lists without a row.

use super::parts::paragraph;
use crate::app::Role;
use crate::app::content::Line;
use crate::app::content::reading::failed_sources;
use crate::app::{App, StorageLook};

/// What the tab says where its list has nothing to show.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let look = app.storage_tab().look();
    let has_lists = app.storage().is_some_and(|s| !s.scans.is_empty());
    let (what, why) = match look {
        StorageLook::Buckets => {
            ("No bucket", "No account that is read has a bucket, or none could be listed.")
        }
        StorageLook::Explorer => (
            "No list of objects yet",
            "Go to a bucket and press i: burntop says what a list costs before it reads one. An S3 \
             Inventory is read by `burntop storage explore --inventory`.",
        ),
        StorageLook::Findings => {
            ("No finding", "Nothing was found wrong with what is known of storage.")
        }
        StorageLook::Blocks => {
            ("No volume and no snapshot", "No account and region that is read has one.")
        }
        StorageLook::Runs if has_lists => {
            ("No training run", "No list of objects has checkpoints in a form that is recognised.")
        }
        StorageLook::Copies if has_lists => {
            ("No copies", "No list of objects has the same content twice, as far as it tells.")
        }
        StorageLook::Runs | StorageLook::Copies => (
            "No list of objects yet",
            "Runs and copies are found in lists of objects: go to a bucket and press i.",
        ),
    };
    lines.push(Line::of(Role::Heading, format!("{}: {what}", look.title())));
    paragraph(Role::Text, why, width, &mut lines);
    paragraph(
        Role::Dim,
        "o shows the next list, 4 or esc goes back to the buckets.",
        width,
        &mut lines,
    );
    for text in failed_sources(app.storage().iter().flat_map(|s| &s.readings)) {
        paragraph(Role::Warn, &text, width, &mut lines);
    }
    lines
}
