//! The fields of what Spot would make of an instance.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::Interruption;
use crate::fleet::savings::{SpotFit, SpotRow};
use crate::query::Unit;
use crate::tabs::storage::picture::spec::{by, choice, field_enum, fields, number, text, wide};
use crate::view::{FieldSpec, TableField, Value, ViewContext};

field_enum! {
    /// A field of a Spot candidate.
    SpotField {
        Net, Gross, Fit, Workload, OnDemand, Spot, Effective, BestZone, Interruption, Checkpoint,
        Efficiency, InstanceType, Gpus, Name, Team, Effort, Risk, Because, Says, Zones, AsOf, Id,
        Account, Region, Az,
    }
}

const FITS: [&str; 4] =
    [SpotFit::Yes.word(), SpotFit::Partial.word(), SpotFit::No.word(), SpotFit::Unknown.word()];
const WORKLOADS: [&str; 2] = ["training", "inference"];
const BANDS: [&str; 5] = [
    Interruption::Below5.label(),
    Interruption::From5To10.label(),
    Interruption::From10To15.label(),
    Interruption::From15To20.label(),
    Interruption::Above20.label(),
];

use SpotField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'n',
        number!(
            F::Net,
            "net_usd_per_hour",
            &["net", "saves"],
            "NET/h",
            8,
            Unit::UsdPerHour,
            "What the bill falls by: re-work, on-demand fallback and commitments considered; may be 0 or negative.",
        ),
    ),
    by(
        'g',
        number!(
            F::Gross,
            "gross_usd_per_hour",
            &["gross"],
            "GROSS/h",
            8,
            Unit::UsdPerHour,
            "On demand less Spot now.",
        ),
    ),
    by(
        'f',
        choice!(
            F::Fit,
            "fit",
            &["spot_fit"],
            "FIT",
            7,
            &FITS,
            "Whether the workload bears interruptions.",
        ),
    ),
    by(
        'w',
        choice!(
            F::Workload,
            "workload",
            &[],
            "WORKLOAD",
            9,
            &WORKLOADS,
            "What kind of work, where a tag or rule says it.",
        ),
    ),
    by(
        'h',
        number!(
            F::OnDemand,
            "on_demand_usd_per_hour",
            &["on_demand", "$", "usd"],
            "$/h",
            8,
            Unit::UsdPerHour,
            "On-demand price.",
        ),
    ),
    by(
        'p',
        number!(
            F::Spot,
            "spot_usd_per_hour",
            &["spot"],
            "SPOT/h",
            8,
            Unit::UsdPerHour,
            "Spot price now in the cheapest zone of the region.",
        ),
    ),
    by(
        'e',
        number!(
            F::Effective,
            "effective_usd_per_hour",
            &["effective"],
            "EFF $/h",
            8,
            Unit::UsdPerHour,
            "Per hour of useful work on Spot, re-work and on-demand fallback included.",
        ),
    ),
    by('z', text!(F::BestZone, "best_zone", &["zone"], "BEST ZONE", 15, "The cheapest zone.")),
    by(
        'i',
        choice!(
            F::Interruption,
            "interruption",
            &["band"],
            "INTR",
            6,
            &BANDS,
            "How often it was taken back within a month.",
        ),
    ),
    by(
        'c',
        number!(
            F::Checkpoint,
            "checkpoint_every",
            &["checkpoint"],
            "CHECKPT",
            7,
            Unit::Seconds,
            "Between checkpoints that lose the least (Young/Daly).",
        ),
    ),
    number!(
        F::Efficiency,
        "efficiency",
        &[],
        "EFFIC",
        5,
        Unit::Percent,
        "The part of the time that is work kept.",
    ),
    by('t', text!(F::InstanceType, "type", &["instance_type"], "TYPE", 14, "Instance type.")),
    by('u', number!(F::Gpus, "gpus", &[], "GPUS", 5, Unit::Count, "GPU equivalents.")),
    wide(by('a', text!(F::Name, "name", &[], "NAME", 16, "The instance's name, or its id."))),
    wide(by('m', text!(F::Team, "team", &[], "TEAM", 8, "Team, from its tags."))),
    choice!(F::Effort, "effort", &[], "EFFORT", 6, &words::EFFORTS, "Work that it takes."),
    by('k', choice!(F::Risk, "risk", &[], "RISK", 6, &words::EFFORTS, "What may go wrong.")),
    wide(text!(
        F::Because,
        "because",
        &[],
        "BECAUSE",
        20,
        "Which tag or rule says whether it fits.",
    )),
    wide(text!(F::Says, "says", &["reason"], "SAYS", 30, "What must hold and what to watch.")),
    number!(F::Zones, "zones_count", &["zones"], "ZONES", 5, Unit::Count, "Zones with a price."),
    text!(F::AsOf, "interruption_date", &[], "BAND OF", 10, "The date of the interruption figure."),
    by('d', text!(F::Id, "id", &["instance_id"], "ID", 19, "Instance id.")),
    text!(F::Account, "account", &[], "ACCOUNT", 12, "Account id."),
    by('r', text!(F::Region, "region", &[], "REGION", 14, "Region.")),
    text!(F::Az, "az", &[], "ZONE", 15, "Availability zone where it runs."),
];

impl TableField for SpotField {
    type Row = SpotRow;

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Net,
        F::Gross,
        F::Fit,
        F::OnDemand,
        F::Spot,
        F::Effective,
        F::Interruption,
        F::Checkpoint,
        F::InstanceType,
        F::Team,
        F::Name,
        F::BestZone,
        F::Because,
    ];
    const DROPPED_FIRST: &'static [Self] = &[
        F::Because,
        F::BestZone,
        F::Team,
        F::Effective,
        F::Checkpoint,
        F::Interruption,
        F::OnDemand,
        F::InstanceType,
    ];

    fields!(SpotField);

    fn value<'a>(self, row: &'a SpotRow, _: &ViewContext) -> Value<'a> {
        let best = row.zones.first();
        match self {
            F::Net => Value::number(row.net_usd_per_hour),
            F::Gross => Value::number(row.gross_usd_per_hour),
            F::Fit => Value::text(row.fit.word()),
            F::Workload => Value::maybe(words::workload(row.workload)),
            F::OnDemand => Value::number(row.on_demand),
            F::Spot => Value::number(best.map(|z| z.usd_per_hour)),
            F::Effective => Value::number(row.effective),
            F::BestZone => Value::maybe(best.map(|z| &*z.az)),
            F::Interruption => {
                Value::maybe(row.interruption.as_ref().map(|(band, _)| band.label()))
            }
            F::Checkpoint => Value::number(row.checkpoint_every_hours.map(|h| h * 3600.0)),
            F::Efficiency => Value::number(row.efficiency.map(|e| e * 100.0)),
            F::InstanceType => Value::text(&row.instance_type),
            F::Gpus => Value::number(Some(row.gpus)),
            F::Name => Value::text(&row.name),
            F::Team => Value::maybe(row.team.as_deref()),
            F::Effort => Value::text(words::effort(row.effort)),
            F::Risk => Value::text(words::risk(row.risk)),
            F::Because => Value::text(&row.because),
            F::Says => Value::maybe(row.says.first().map(|s| &**s)),
            F::Zones => Value::number(Some(row.zones.len() as f64)),
            F::AsOf => Value::maybe(row.interruption.as_ref().map(|(_, date)| &**date)),
            F::Id => Value::text(&row.id),
            F::Account => Value::text(&row.scope.account),
            F::Region => Value::text(&row.scope.region),
            F::Az => Value::text(&row.az),
        }
    }

    /// Bands are no snake case: they stay as the Advisor writes them.
    fn exported<'a>(self, row: &'a SpotRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Interruption => self.value(row, ctx),
            _ => self.value(row, ctx).exported(self.spec().kind),
        }
    }

    /// Fits, bands, efforts and risks in their orders.
    fn ranked<'a>(self, row: &'a SpotRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Fit => Value::Number(f64::from(row.fit as u8)),
            F::Interruption => {
                Value::number(row.interruption.as_ref().map(|(b, _)| f64::from(*b as u8)))
            }
            F::Effort => Value::Number(words::effort_rank(row.effort)),
            F::Risk => Value::Number(words::risk_rank(row.risk)),
            _ => self.value(row, ctx),
        }
    }

    fn several(self, row: &SpotRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Says).then(|| row.says.iter().map(|s| Cow::Borrowed(&**s)))
    }

    fn id(row: &SpotRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &SpotRow) -> Option<f64> {
        row.on_demand
    }

    fn tag<'a>(_: &'a SpotRow, _: &str) -> Option<&'a str> {
        None
    }

    fn any_text(row: &SpotRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.name)
            || holds(&row.instance_type)
            || row.team.as_ref().is_some_and(|team| holds(team))
            || holds(&row.id)
            || holds(&row.because)
            || words::workload(row.workload).is_some_and(&mut holds)
            || holds(&row.scope.region)
            || holds(&row.scope.account)
    }
}
