//! The lists of what could be saved: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::pages::{commitment, model, proposal, resource, spot, strip};
use super::picture::{CommitmentField, ModelField, ProposalField, ResourceField, SpotField};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{
    App, List, ListSource, ListSpec, Picture, Role, RowPage, alone, list_source, shown,
};
use crate::domain::SourceId;
use crate::fleet::Savings;
use crate::report::ListField;
use crate::view::table_field::field_enum;
use crate::view::{Symbols, TableField};

field_enum! {
    /// A list of what could be saved, in the order in which a key goes through them.
    SavingsList { Commitments, Proposals, Spot, Resources, Models }
}

/// Static description of a list of savings.
pub(crate) struct SavingsListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(crate) list: ListSpec,
    /// Takes the rows from the picture of savings.
    pub(super) source: ListSource,
    /// Makes the sums of the strip, most important first.
    pub(super) sums: fn(&App, &Savings, Symbols) -> Vec<(Role, String)>,
    /// Makes the text for an empty list: what there is none of, and why.
    pub(super) empty: fn(&Savings) -> [&'static str; 2],
    /// Sources whose failures the text for an empty list names.
    pub(super) sources: &'static [SourceId],
    /// The page of a row.
    pub(super) page: RowPage,
    /// True where its rows are instances, known by their ids: they can be acted on.
    pub(super) of_instances: bool,
}

/// The keys on a page of what is no instance.
const PLAIN: Hints = &[
    (Action::Back, ""),
    (Action::Right, "next"),
    (Action::Left, "previous"),
    (Action::CopyId, ""),
    (Action::CopyRow, ""),
    (Action::Down, ""),
];

macro_rules! list {
    ($list:ident, $field:ty, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: <$field>::table,
            list: |app| app.tabs.savings.list(SavingsList::$list),
            list_mut: |app| app.tabs.savings.list_mut(SavingsList::$list),
            show: |app: &mut App| app.go_to_savings(SavingsList::$list),
            grouping: None,
        }
    };
}

/// All lists, each at the place of its [`SavingsList`].
pub(super) static LISTS: [SavingsListSpec; SavingsList::ALL.len()] = [
    SavingsListSpec {
        title: "Commitments",
        list: list!(Commitments, CommitmentField, "commitments", "commitments"),
        source: list_source!(
            CommitmentField,
            |app| app.savings().map_or(&[], |s| &s.commitments),
            App::saved_of,
        ),
        sums: strip::commitments,
        empty: |savings| {
            if savings.unread.is_empty() {
                let why = "No account that is read holds Reserved Instances, Savings Plans or \
                           reserved capacity: gross and net are the same.";
                return ["none held", why];
            }
            let why = "Commitments could not be read: nets are not known, and gross is not net.";
            ["not known", why]
        },
        sources: &[SourceId::Commitments],
        page: RowPage { title: "Commitment", lines: commitment::lines, hints: PLAIN },
        of_instances: false,
    },
    SavingsListSpec {
        title: "Right-size",
        list: list!(Proposals, ProposalField, "rightsize", "proposals for smaller sizes"),
        source: list_source!(
            ProposalField,
            |app| app.savings().map_or(&[], |s| &s.proposals),
            App::saved_of,
        ),
        sums: strip::proposals,
        empty: |_| {
            let why = "No running instance is underused as far as its evidence tells.";
            ["no instance could be smaller", why]
        },
        sources: &[SourceId::Commitments],
        page: RowPage {
            title: "Right-size",
            lines: proposal::lines,
            hints: &[
                (Action::Back, ""),
                (Action::Enter, "evidence"),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::Act, ""),
                (Action::CopyId, ""),
                (Action::CopyRow, ""),
            ],
        },
        of_instances: true,
    },
    SavingsListSpec {
        title: "Spot",
        list: list!(Spot, SpotField, "spot", "what could run on Spot"),
        source: list_source!(
            SpotField,
            |app| app.savings().map_or(&[], |s| &s.spot),
            App::saved_of,
        ),
        sums: strip::spot,
        empty: |_| {
            ["nothing runs on demand", "There is no instance that Spot could be proposed for."]
        },
        sources: &[SourceId::SpotHistory, SourceId::Offerings],
        page: RowPage {
            title: "Spot",
            lines: spot::lines,
            hints: &[
                (Action::Back, ""),
                (Action::Enter, "evidence"),
                (Action::CopyId, "copy policy"),
                (Action::Right, "next"),
                (Action::Left, "previous"),
                (Action::Act, ""),
                (Action::CopyRow, ""),
            ],
        },
        of_instances: true,
    },
    SavingsListSpec {
        title: "Idle resources",
        list: list!(Resources, ResourceField, "resources", "idle resources"),
        source: list_source!(ResourceField, |app| &app.tabs.savings.items, App::saved_of),
        sums: strip::resources,
        empty: |_| {
            let why = "No notebook, endpoint, app, address, NAT gateway or load balancer was seen.";
            ["nothing else bills", why]
        },
        sources: &[SourceId::Resources],
        page: RowPage { title: "Why", lines: resource::lines, hints: PLAIN },
        of_instances: false,
    },
    SavingsListSpec {
        title: "Models",
        list: list!(Models, ModelField, "models", "measures on models"),
        source: list_source!(
            ModelField,
            |app| app.savings().map_or(&[], |s| &s.models),
            App::saved_of,
        ),
        sums: strip::models,
        empty: |_| {
            let why = "Nothing that serves models or runs batches has GPUs of which it is known that \
                       they are used little.";
            ["no model at low use", why]
        },
        sources: &[SourceId::CloudWatch],
        page: RowPage { title: "Model", lines: model::lines, hints: PLAIN },
        of_instances: false,
    },
];

impl SavingsList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static SavingsListSpec {
        &LISTS[self as usize]
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| List::new((list.spec().list.fields)()))
    }
}
