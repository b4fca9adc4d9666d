//! The fields of a commitment.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::{CommitmentKind, CommitmentState, Commits};
use crate::fleet::savings::CommitmentRow;
use crate::query::Unit;
use crate::tabs::storage::picture::spec::{
    by, choice, field_enum, fields, number, text, time, wide,
};
use crate::view::{FieldSpec, TableField, Value, ViewContext, reasons};

field_enum! {
    /// A field of a commitment.
    CommitmentField {
        Unused, UsdPerHour, Kind, Covers, Utilisation, UtilisationNow, Saves, Effective, OnDemand,
        Left, Ends, Starts, State, Payment, Finding, Findings, Hours, Shape, Count, Available, Id,
        Account, Region, Az,
    }
}

const KINDS: [&str; 7] = [
    CommitmentKind::CapacityBlock.word(),
    CommitmentKind::CapacityReservation.word(),
    CommitmentKind::ReservedInstances.word(),
    CommitmentKind::Ec2InstancePlan.word(),
    CommitmentKind::ComputePlan.word(),
    CommitmentKind::SageMakerPlan.word(),
    CommitmentKind::OtherPlan.word(),
];
const STATES: [&str; 3] = [
    CommitmentState::Active.word(),
    CommitmentState::Pending.word(),
    CommitmentState::Ended.word(),
];

use CommitmentField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'u',
        number!(
            F::Unused,
            "unused_usd_per_hour",
            &["unused", "waste"],
            "UNUSED/h",
            8,
            Unit::UsdPerHour,
            "What is paid now and nothing uses, $/h.",
        ),
    ),
    by(
        'h',
        number!(
            F::UsdPerHour,
            "usd_per_hour",
            &["$", "usd", "cost", "paid"],
            "$/h",
            8,
            Unit::UsdPerHour,
            "What is paid for it, used or not, upfront spread over the term; capacity at its on-demand price.",
        ),
    ),
    by('k', choice!(F::Kind, "kind", &["type"], "KIND", 20, &KINDS, "What kind of commitment.")),
    wide(by('c', text!(F::Covers, "covers", &[], "COVERS", 28, "What it covers, in words."))),
    by(
        't',
        number!(
            F::Utilisation,
            "utilisation",
            &["utilization", "util", "used"],
            "UTIL",
            5,
            Unit::Percent,
            "The part of it that was used over the hours that were looked at.",
        ),
    ),
    by(
        'o',
        number!(
            F::UtilisationNow,
            "utilisation_now",
            &["utilization_now", "util_now", "now"],
            "NOW",
            5,
            Unit::Percent,
            "The part of it that is used in this hour.",
        ),
    ),
    by(
        's',
        number!(
            F::Saves,
            "saves_usd_per_hour",
            &["saves", "save"],
            "SAVES/h",
            8,
            Unit::UsdPerHour,
            "What the hours it covered would have cost on demand, less what was paid: negative where it costs more than it saves.",
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
            "What one instance-hour that it covered really cost: paid over used.",
        ),
    ),
    number!(
        F::OnDemand,
        "on_demand_usd_per_hour",
        &["on_demand", "list"],
        "LIST $/h",
        8,
        Unit::UsdPerHour,
        "On-demand price of one such instance-hour.",
    ),
    by('l', number!(F::Left, "left", &["expires_in"], "LEFT", 6, Unit::Seconds, "Until it ends.")),
    by('d', time!(F::Ends, "ends", &["end", "expires"], "ENDS", 16, "When it ends.")),
    time!(F::Starts, "starts", &["start"], "STARTS", 16, "When it began or begins."),
    by('a', choice!(F::State, "state", &[], "STATE", 7, &STATES, "Whether it is in force.")),
    choice!(
        F::Payment,
        "payment",
        &["paid_by"],
        "PAYMENT",
        15,
        &words::PAYMENTS,
        "How it is paid; capacity reservations bill as usage.",
    ),
    wide(by(
        'f',
        text!(F::Finding, "finding", &[], "FINDING", 24, "The first thing that is wrong with it."),
    )),
    number!(
        F::Findings,
        "findings_count",
        &["findings"],
        "FOUND",
        5,
        Unit::Count,
        "How many things are wrong with it.",
    ),
    number!(F::Hours, "hours", &[], "HOURS", 5, Unit::Count, "Hours that were looked at."),
    by(
        'p',
        text!(
            F::Shape,
            "shape",
            &["instance_type", "family"],
            "SHAPE",
            14,
            "The instance type, or the family of a plan.",
        ),
    ),
    number!(F::Count, "count", &[], "COUNT", 5, Unit::Count, "Instances that it is for."),
    number!(
        F::Available,
        "available",
        &["free"],
        "FREE",
        4,
        Unit::Count,
        "Instances of reserved capacity that were unused when it was read.",
    ),
    by('i', text!(F::Id, "id", &[], "ID", 36, "Its id.")),
    text!(F::Account, "account", &["owner"], "ACCOUNT", 12, "The account that owns it."),
    by('r', text!(F::Region, "region", &[], "REGION", 14, "Its region; none for what covers all.")),
    text!(F::Az, "az", &["zone"], "ZONE", 15, "The zone that it is for."),
];

impl TableField for CommitmentField {
    type Row = CommitmentRow;

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Unused,
        F::UsdPerHour,
        F::Utilisation,
        F::UtilisationNow,
        F::Saves,
        F::Left,
        F::Kind,
        F::Covers,
        F::Effective,
        F::OnDemand,
        F::Finding,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::OnDemand, F::Effective, F::Finding, F::UtilisationNow, F::Saves, F::Kind];

    fields!(CommitmentField);

    fn value<'a>(self, row: &'a CommitmentRow, ctx: &ViewContext) -> Value<'a> {
        let held = &*row.commitment;
        let percent = |share: Option<f64>| Value::number(share.map(|s| s * 100.0));
        let of = |n: Option<u32>| Value::number(n.map(f64::from));
        match self {
            F::Unused => Value::number(row.unused_usd_per_hour),
            F::UsdPerHour => Value::number(row.usd_per_hour),
            F::Kind => Value::text(held.kind().word()),
            F::Covers => Value::text(&row.covers),
            F::Utilisation => percent(row.utilisation),
            F::UtilisationNow => percent(row.utilisation_now),
            F::Saves => Value::number(row.saves_usd_per_hour),
            F::Effective => Value::number(row.effective_usd_per_hour),
            F::OnDemand => Value::number(row.on_demand_usd_per_hour),
            F::Left => Value::number(
                held.end.map(|end| end.duration_since(ctx.now).as_secs_f64().max(0.0)),
            ),
            F::Ends => held.end.map_or(Value::Unknown, Value::Time),
            F::Starts => Value::Time(held.start),
            F::State => Value::text(held.state.word()),
            F::Payment => Value::maybe(words::payment(held)),
            F::Finding => {
                row.findings.first().map_or(Value::Unknown, |f| Value::made(reasons::commitment(f)))
            }
            F::Findings => Value::number(Some(row.findings.len() as f64)),
            F::Hours => of(Some(row.hours)),
            F::Shape => Value::maybe(words::shape(held)),
            F::Count => of(words::count(held)),
            F::Available => of(match &held.commits {
                Commits::Capacity(capacity) => Some(capacity.available),
                _ => None,
            }),
            F::Id => Value::text(&held.id),
            F::Account => Value::text(&held.account),
            F::Region => Value::maybe(words::region(held)),
            F::Az => Value::maybe(words::zone(held)),
        }
    }

    /// Every finding answers, not the first alone.
    fn several(self, row: &CommitmentRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Finding)
            .then(|| row.findings.iter().map(|f| Cow::Owned(reasons::commitment(f))))
    }

    fn id(row: &CommitmentRow) -> &Arc<str> {
        &row.commitment.id
    }

    fn usd_per_hour(row: &CommitmentRow) -> Option<f64> {
        row.usd_per_hour
    }

    fn tag<'a>(_: &'a CommitmentRow, _: &str) -> Option<&'a str> {
        None
    }

    fn any_text(row: &CommitmentRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let held = &*row.commitment;
        holds(&row.covers)
            || holds(&held.id)
            || holds(held.kind().word())
            || holds(held.kind().label())
            || holds(&held.account)
            || words::region(held).is_some_and(&mut holds)
            || words::shape(held).is_some_and(&mut holds)
            || row.findings.iter().any(|f| holds(&reasons::commitment(f)))
    }
}
