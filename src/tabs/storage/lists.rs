//! The lists of the Storage tab: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::pages::{bucket, things};
use super::picture::{BlockField, BucketField, CopyField, FindingField, PrefixField, RunField};
use super::state::StoragePage;
use crate::app::keymap::Action;
use crate::app::screen::{Hints, PAGE_HINTS};
use crate::app::{
    App, List, ListSource, ListSpec, Page, Picture, RowPage, RowsStamp, alone, list_source, shown,
};
use crate::domain::storage::Subject;
use crate::fleet::StorageFleet;
use crate::report::{Explored, ListField, Volume};
use crate::view::TableField;
use crate::view::table_field::field_enum;

field_enum! {
    /// A list of storage, in the order in which a key goes through them.
    StorageList { Buckets, Explorer, Findings, Blocks, Runs, Copies }
}

/// Static description of a list of storage.
pub(crate) struct StorageListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(super) list: ListSpec,
    /// Takes the rows from the state of the tab.
    pub(super) source: ListSource,
    /// Makes the text for an empty list: what there is none of, and why.
    pub(super) empty: fn(&App) -> [&'static str; 2],
    /// The page of a row; `None` where rows have none.
    pub(super) page: Option<RowPage>,
    /// Behaviour in which lists differ.
    pub(super) ways: Ways,
}

/// Behaviour in which lists differ.
pub(crate) struct Ways {
    /// Version of its rows, see [`RowsStamp`]; `None` before there are any.
    pub(super) stamp: fn(&App) -> Option<RowsStamp>,
    /// The name of the bucket that a row means, by the row's id; `None` for none.
    pub(super) bucket: for<'a> fn(&'a App, Option<&'a str>) -> Option<&'a str>,
    /// Handles `enter` on a row, by its id.
    pub(super) enter: fn(&mut App, Arc<str>),
    /// The keys that the footer names.
    pub(super) hints: Hints,
}

/// Behaviour of most lists.
const USUAL: Ways = Ways {
    stamp: |app| app.tabs.storage.rows.of,
    bucket: |_, _| None,
    enter: |app, id| {
        let list = app.tabs.storage.look;
        if list.spec().page.is_some() {
            app.open(Page::Storage(StoragePage::Row(list, id)));
        }
    },
    hints: &[
        (Action::Enter, ""),
        (Action::NextList, ""),
        (Action::Filter, ""),
        (Action::Sort, ""),
        (Action::Mark, ""),
        (Action::Export, ""),
        (Action::Columns, ""),
    ],
};

macro_rules! list {
    ($list:ident, $field:ty, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: <$field>::table,
            list: |app| app.tabs.storage.list(StorageList::$list),
            list_mut: |app| app.tabs.storage.list_mut(StorageList::$list),
            show: |app: &mut App| app.go_to_storage(StorageList::$list),
            grouping: None,
        }
    };
}

/// All lists, each at the place of its [`StorageList`].
pub(super) static LISTS: [StorageListSpec; StorageList::ALL.len()] = [
    StorageListSpec {
        title: "Buckets",
        list: list!(Buckets, BucketField, "buckets", "buckets"),
        source: list_source!(BucketField, |app| app.storage().map_or(&[], |f| &f.buckets), all),
        empty: |_| ["No bucket", "No account that is read has a bucket, or none could be listed."],
        page: Some(RowPage {
            title: "Bucket",
            lines: bucket::lines,
            hints: &[
                (Action::Back, ""),
                (Action::BucketFindings, ""),
                (Action::LifecycleRules, ""),
                (Action::BucketRuns, ""),
                (Action::Tiers, ""),
                (Action::ListObjects, ""),
                (Action::Down, ""),
            ],
        }),
        ways: Ways {
            bucket: |_, id| id,
            enter: App::enter_bucket,
            hints: &[
                (Action::Enter, "explore"),
                (Action::LifecycleRules, ""),
                (Action::BucketFindings, ""),
                (Action::BucketRuns, ""),
                (Action::NextList, ""),
                (Action::Filter, ""),
                (Action::Sort, ""),
                (Action::Details, ""),
                (Action::Tiers, ""),
                (Action::ListObjects, ""),
                (Action::Export, ""),
            ],
            ..USUAL
        },
    },
    StorageListSpec {
        title: "Explorer",
        list: list!(Explorer, PrefixField, "explore", "prefixes and objects"),
        source: list_source!(
            PrefixField,
            |app| app.tabs.storage.explorer.as_ref().map_or(&[], |e| &e.here().rows),
            |app| {
                let explorer = app.tabs.storage.explorer.as_ref()?;
                let (scan, rates) = (explorer.scan().clone(), explorer.rates().cloned());
                let from = explorer.here().node;
                Some(Explored { scan, rates, volume: Volume::Account, from })
            },
        ),
        empty: |_| {
            [
                NOT_LISTED,
                "Go to a bucket and press i: burntop says what a list costs before it reads one. An \
                 S3 Inventory is read by `burntop storage explore --inventory`.",
            ]
        },
        page: None,
        ways: Ways {
            stamp: |app| Some((app.tabs.storage.explorer.as_ref()?.version(), None)),
            bucket: |app, _| app.tabs.storage.explorer.as_ref()?.way().next(),
            enter: |app, _| app.go_into(),
            hints: &[
                (Action::Enter, "in"),
                (Action::Back, "out"),
                (Action::BucketFindings, ""),
                (Action::BucketRuns, ""),
                (Action::Filter, "find"),
                (Action::Sort, ""),
                (Action::Tiers, ""),
                (Action::Mark, ""),
                (Action::NextList, ""),
                (Action::Export, ""),
            ],
        },
    },
    StorageListSpec {
        title: "Findings",
        list: list!(Findings, FindingField, "findings", "findings about storage"),
        source: list_source!(FindingField, |app| &app.tabs.storage.rows.findings, all),
        empty: |_| ["No finding", "Nothing was found wrong with what is known of storage."],
        page: Some(RowPage {
            title: "Finding",
            lines: things::finding,
            hints: &[
                (Action::Back, ""),
                (Action::Enter, "go there"),
                (Action::CopyId, "copy"),
                (Action::BucketRuns, ""),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::Down, ""),
            ],
        }),
        ways: Ways {
            bucket: |app, id| match &app.finding(id?)?.subject {
                Subject::Bucket(name) | Subject::Prefix(name, _) => Some(name),
                _ => None,
            },
            ..USUAL
        },
    },
    StorageListSpec {
        title: "EBS",
        list: list!(Blocks, BlockField, "ebs", "volumes and snapshots"),
        source: list_source!(BlockField, |app| &app.tabs.storage.rows.blocks, all),
        empty: |_| ["No volume and no snapshot", "No account and region that is read has one."],
        page: Some(RowPage { title: "EBS", lines: things::block, hints: PAGE_HINTS }),
        ways: USUAL,
    },
    StorageListSpec {
        title: "Runs",
        list: list!(Runs, RunField, "runs", "training runs"),
        source: list_source!(RunField, |app| &app.tabs.storage.rows.runs, all),
        empty: |app| {
            let why = "No list of objects has checkpoints in a form that is recognised.";
            of_lists(app, ["No training run", why])
        },
        page: Some(RowPage { title: "Run", lines: things::run, hints: PAGE_HINTS }),
        ways: Ways {
            bucket: |app, id| {
                let run = app.tabs.storage.rows.runs.iter().find(|r| Some(&*r.id) == id)?;
                Some(&run.bucket)
            },
            ..USUAL
        },
    },
    StorageListSpec {
        title: "Copies",
        list: list!(Copies, CopyField, "copies", "copies"),
        source: list_source!(CopyField, |app| &app.tabs.storage.rows.copies, all),
        empty: |app| {
            let why = "No list of objects has the same content twice, as far as it tells.";
            of_lists(app, ["No copies", why])
        },
        page: Some(RowPage { title: "Copies", lines: things::copy, hints: PAGE_HINTS }),
        ways: Ways {
            bucket: |app, id| {
                let pair = app.tabs.storage.rows.copies.iter().find(|r| Some(&*r.id) == id)?;
                Some(&pair.bucket)
            },
            ..USUAL
        },
    },
];

/// Text where there is no list of objects.
const NOT_LISTED: &str = "No list of objects yet";

/// What is said where nothing was found in lists of objects.
fn of_lists(app: &App, nothing: [&'static str; 2]) -> [&'static str; 2] {
    if app.storage().is_some_and(|s| !s.scans.is_empty()) {
        return nothing;
    }
    [NOT_LISTED, "Runs and copies are found in lists of objects: go to a bucket and press i."]
}

/// What most reports are of.
fn all(app: &App) -> Option<Arc<StorageFleet>> {
    app.storage().cloned()
}

impl StorageList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static StorageListSpec {
        &LISTS[self as usize]
    }

    /// Name of the list in commands and saved views.
    pub(crate) fn name(self) -> &'static str {
        self.spec().list.name
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| List::new((list.spec().list.fields)()))
    }
}
