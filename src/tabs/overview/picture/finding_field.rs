//! The fields of a finding of the Overview.

use std::sync::Arc;

use super::findings::{Finding, FindingOf};
use crate::domain::storage::Subject;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};

const KINDS: [&str; 6] = ["instance", "gpus", "resource", "commitment", "network", "storage"];

field_table! {
    /// A field of a finding.
    pub enum FindingField => FIELDS {
        Name text "name" [] "NAME" 16 key wide by('n') "What it is about, by its name, or its id.";
        Id text "id" [] "ID" 19 by('d') "Id of what it is about.";
        Kind choice(KINDS) "kind" [] "KIND" 10 by('k')
            "What it is about: an instance, GPUs of one, a resource, a commitment, a path of the network, storage.";
        WasteUsdPerHour number(UsdPerHour) "waste_usd_per_hour" ["waste", "$"] "WASTE/h" 8 by('h')
            "What it wastes at list or Spot price; of commitments what is paid for the unused part.";
        WastedUsd number(Usd) "wasted_usd" ["wasted"] "WASTED" 9 by('w') unit("$")
            "Dollars since then, ≥ where it is a lower bound.";
        IdleSince number(Seconds) "idle_since" ["idle", "since"] "SINCE" 7 by('s')
            "How long it lasts, ≥ where it may be longer; in exports, when it began.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from the tags.";
        What text "note" ["what"] "WHAT" 24 wide "What is so: the verdict and the type, the kind.";
    }
}

use FindingField as F;

impl TableField for FindingField {
    type Row = Finding;

    const NOUNS: [&'static str; 2] = ["finding", "findings"];

    const SCREEN_COLUMNS: &'static [Self] = &F::ALL;
    const DROPPED_FIRST: &'static [Self] = &[F::Id, F::What, F::Kind, F::Team];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a Finding, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Name => Value::text(&row.name),
            F::Id => Value::made(row.of.id()),
            F::Kind => Value::text(row.of.word()),
            F::WasteUsdPerHour => Value::number(Some(row.usd_per_hour)),
            F::WastedUsd => Value::number(row.wasted_usd),
            F::IdleSince => {
                Value::number(row.since.map(|(at, _)| ctx.now.duration_since(at).as_secs_f64()))
            }
            F::Team => Value::maybe(row.team.as_deref()),
            F::What => Value::text(&row.what),
        }
    }

    fn exported<'a>(self, row: &'a Finding, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::IdleSince => Value::time(row.since.map(|(at, _)| at)),
            _ => self.value(row, ctx).exported(self.spec().kind),
        }
    }

    fn cell(self, row: &Finding, ctx: &ViewContext) -> String {
        let at_least = match self {
            F::WastedUsd => row.wasted_at_least,
            F::IdleSince => row.since.is_some_and(|(_, at_least)| at_least),
            _ => false,
        };
        match self.value(row, ctx) {
            value @ Value::Number(_) => {
                format::bound(value.shown(self.spec().kind, ctx), at_least, ctx.symbols)
            }
            value => value.shown(self.spec().kind, ctx),
        }
    }

    /// The id of what it is about, of a prefix its name.
    fn id(row: &Finding) -> &Arc<str> {
        match &row.of {
            FindingOf::Instance(id)
            | FindingOf::Gpus(id)
            | FindingOf::HostGpus(id)
            | FindingOf::Resource(id)
            | FindingOf::Commitment(id)
            | FindingOf::Network(id, _)
            | FindingOf::Storage(
                Subject::Bucket(id) | Subject::Volume(id) | Subject::Snapshot(id),
            ) => id,
            FindingOf::Storage(Subject::Prefix(..)) => &row.name,
        }
    }

    fn usd_per_hour(row: &Finding) -> Option<f64> {
        Some(row.usd_per_hour)
    }

    fn any_text(row: &Finding, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.name) || holds(&row.what) || row.team.as_ref().is_some_and(|team| holds(team))
    }
}
