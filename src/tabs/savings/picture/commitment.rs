//! The fields of a commitment.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::{CommitmentKind, CommitmentState, Commits, Scope, SourceId, SourceSet};
use crate::fleet::savings::CommitmentRow;
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, reasons};

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

field_table! {
    /// A field of a commitment.
    pub enum CommitmentField => FIELDS {
        Unused number(UsdPerHour) "unused_usd_per_hour" ["unused", "waste"] "UNUSED/h" 8 by('u')
            "What is paid now and nothing uses, $/h.";
        BilledUnused number(Usd) "billed_unused_usd" ["billed_unused", "billed"] "BILLED" 10 unit("$") by('b')
            "What of it nothing used in the month of the newest bill, by that bill, net of discounts.";
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "cost", "paid"] "$/h" 8 by('h')
            "What is paid for it, used or not, upfront spread over the term; capacity at its on-demand price.";
        Kind choice(KINDS) "kind" ["type"] "KIND" 20 by('k') "What kind of commitment.";
        Covers text "covers" [] "COVERS" 28 key wide by('c') "What it covers, in words.";
        Utilisation number(Percent) "utilisation" ["utilization", "util", "used"] "UTIL" 5 by('t')
            "The part of it that was used over the hours that were looked at.";
        UtilisationNow number(Percent) "utilisation_now" ["utilization_now", "util_now", "now"] "NOW" 5 by('o')
            "The part of it that is used in this hour.";
        Saves number(UsdPerHour) "saves_usd_per_hour" ["saves", "save"] "SAVES/h" 8 by('s')
            "What the hours it covered would have cost on demand, less what was paid: negative where it costs more than it saves.";
        Effective number(UsdPerHour) "effective_usd_per_hour" ["effective"] "EFF $/h" 8 by('e')
            "What one instance-hour that it covered really cost: paid over used.";
        OnDemand number(UsdPerHour) "on_demand_usd_per_hour" ["on_demand", "list"] "LIST $/h" 8
            "On-demand price of one such instance-hour.";
        Left number(Seconds) "left" ["expires_in"] "LEFT" 6 by('l') "Until it ends.";
        Ends time "ends" ["end", "expires"] "ENDS" 16 by('d') "When it ends.";
        Starts time "starts" ["start"] "STARTS" 16 "When it began or begins.";
        State choice(STATES) "state" [] "STATE" 7 by('a') "Whether it is in force.";
        Payment choice(words::PAYMENTS) "payment" ["paid_by"] "PAYMENT" 15
            "How it is paid; capacity reservations bill as usage.";
        Finding text "finding" [] "FINDING" 24 wide by('f')
            "The first thing that is wrong with it.";
        Findings number(Count) "findings_count" ["findings"] "FOUND" 5
            "How many things are wrong with it.";
        Hours number(Count) "hours" [] "HOURS" 5 "Hours that were looked at.";
        Shape text "shape" ["instance_type", "family"] "SHAPE" 14 by('p')
            "The instance type, or the family of a plan.";
        Count number(Count) "count" [] "COUNT" 5 "Instances that it is for.";
        Available number(Count) "available" ["free"] "FREE" 4
            "Instances of reserved capacity that were unused when it was read.";
        Id text "id" [] "ID" 36 by('i') "Its id.";
        Account text "account" ["owner"] "ACCOUNT" 12 "The account that owns it.";
        Region text "region" [] "REGION" 14 by('r') "Its region; none for what covers all.";
        Az text "az" ["zone"] "ZONE" 15 "The zone that it is for.";
    }
}

use CommitmentField as F;

impl TableField for CommitmentField {
    type Row = CommitmentRow;

    const NOUNS: [&'static str; 2] = ["commitment", "commitments"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Unused,
        F::BilledUnused,
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
    const DROPPED_FIRST: &'static [Self] = &[
        F::BilledUnused,
        F::OnDemand,
        F::Effective,
        F::Finding,
        F::UtilisationNow,
        F::Saves,
        F::Kind,
    ];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a CommitmentRow, ctx: &ViewContext) -> Value<'a> {
        let held = &*row.commitment;
        let percent = |share: Option<f64>| Value::number(share.map(|s| s * 100.0));
        let of = |n: Option<u32>| Value::number(n.map(f64::from));
        match self {
            F::Unused => Value::number(row.unused_usd_per_hour),
            F::BilledUnused => Value::number(row.billed_unused_usd),
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
            F::Ends => Value::time(held.end),
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

    fn cell(self, row: &CommitmentRow, ctx: &ViewContext) -> String {
        match self {
            F::Kind => row.commitment.kind().label().to_owned(),
            _ => self.value(row, ctx).shown(self.spec().kind, ctx),
        }
    }

    fn labels() -> Vec<[&'static str; 2]> {
        let of =
            |kind: CommitmentKind| [kind.label(), kind.short()].map(|label| [label, kind.word()]);
        CommitmentKind::ALL.into_iter().flat_map(of).collect()
    }

    /// Every finding answers, not the first alone.
    fn several(self, row: &CommitmentRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Finding)
            .then(|| row.findings.iter().map(|f| Cow::Owned(reasons::commitment(f))))
    }

    fn role(self, row: &CommitmentRow) -> Role {
        match self {
            F::Unused if row.unused_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            F::BilledUnused if row.billed_unused_usd.is_some_and(|usd| usd > 0.0) => Role::Idle,
            F::Saves if row.saves_usd_per_hour.is_some_and(|usd| usd < 0.0) => Role::Warn,
            F::Finding => Role::Warn,
            _ if row.commitment.state != CommitmentState::Active => Role::Dim,
            _ => Role::Text,
        }
    }

    fn origin(row: &CommitmentRow) -> Origin<'_> {
        let account = row.commitment.account.clone();
        let scope = match words::region(&row.commitment) {
            Some(region) => Scope::new(account, region),
            None => Scope::account_wide(account),
        };
        Origin { scope: Some(Cow::Owned(scope)), told: &[] }
    }

    fn rests_on(self, _: &CommitmentRow) -> SourceSet {
        SourceSet::of(if self == F::Covers { &[] } else { &[SourceId::Commitments] })
    }

    fn id(row: &CommitmentRow) -> &Arc<str> {
        &row.commitment.id
    }

    fn usd_per_hour(row: &CommitmentRow) -> Option<f64> {
        row.usd_per_hour
    }

    fn any_text(row: &CommitmentRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let held = &*row.commitment;
        holds(&row.covers)
            || holds(&held.id)
            || holds(held.kind().word())
            || holds(held.kind().label())
            || holds(held.kind().short())
            || holds(&held.account)
            || words::region(held).is_some_and(&mut holds)
            || words::shape(held).is_some_and(&mut holds)
            || row.findings.iter().any(|f| holds(&reasons::commitment(f)))
    }
}
