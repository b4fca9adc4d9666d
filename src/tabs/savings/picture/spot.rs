//! The fields of what Spot would make of an instance.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::{Interruption, SourceId, SourceSet};
use crate::fleet::savings::{SpotFit, SpotRow};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, reasons};

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

field_table! {
    /// A field of a Spot candidate.
    pub enum SpotField => FIELDS {
        Net number(UsdPerHour) "net_usd_per_hour" ["net", "saves"] "NET/h" 8 by('n')
            "What the bill falls by: re-work, on-demand fallback and commitments considered; may be 0 or negative.";
        Gross number(UsdPerHour) "gross_usd_per_hour" ["gross"] "GROSS/h" 8 by('g')
            "On demand less Spot now.";
        Fit choice(FITS) "fit" ["spot_fit"] "FIT" 7 by('f')
            "Whether the workload bears interruptions.";
        Workload choice(WORKLOADS) "workload" [] "WORKLOAD" 9 by('w')
            "What kind of work, where a tag or rule says it.";
        OnDemand number(UsdPerHour) "on_demand_usd_per_hour" ["on_demand", "$", "usd"] "$/h" 8 by('h')
            "On-demand price.";
        Spot number(UsdPerHour) "spot_usd_per_hour" ["spot"] "SPOT/h" 8 by('p')
            "Spot price now in the cheapest zone of the region.";
        Effective number(UsdPerHour) "effective_usd_per_hour" ["effective"] "EFF $/h" 8 by('e')
            "Per hour of useful work on Spot, re-work and on-demand fallback included.";
        BestZone text "best_zone" ["zone"] "BEST ZONE" 15 by('z') "The cheapest zone.";
        Interruption choice(BANDS) "interruption" ["band"] "INTR" 6 by('i')
            "How often it was taken back within a month.";
        Checkpoint number(Seconds) "checkpoint_every" ["checkpoint"] "CHECKPT" 7 by('c')
            "Between checkpoints that lose the least (Young/Daly).";
        Efficiency number(Percent) "efficiency" [] "EFFIC" 5
            "The part of the time that is work kept.";
        InstanceType text "type" ["instance_type"] "TYPE" 14 by('t') "Instance type.";
        Gpus number(Count) "gpus" [] "GPUS" 5 by('u') "GPU equivalents.";
        Name text "name" [] "NAME" 16 key wide by('a') "The instance's name, or its id.";
        Team text "team" [] "TEAM" 8 wide by('m') "Team, from its tags.";
        Effort choice(words::LEVELS) "effort" [] "EFFORT" 6 "Work that it takes.";
        Risk choice(words::LEVELS) "risk" [] "RISK" 6 by('k') "What may go wrong.";
        Because text "because" [] "BECAUSE" 20 wide "Which tag or rule says whether it fits.";
        Notes text "says" ["reason"] "SAYS" 30 wide "What must hold and what to watch.";
        Zones number(Count) "zones_count" ["zones"] "ZONES" 5 "Zones with a price.";
        AsOf text "interruption_date" [] "BAND OF" 10 "The date of the interruption figure.";
        Id text "id" ["instance_id"] "ID" 19 by('d') "Instance id.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
        Az text "az" [] "ZONE" 15 "Availability zone where it runs.";
    }
}

use SpotField as F;

impl TableField for SpotField {
    type Row = SpotRow;

    const NOUNS: [&'static str; 2] = ["instance", "instances"];

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

    fields!(FIELDS);

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
            F::Because => Value::made(reasons::spot_because(&row.because)),
            F::Notes => row.says.first().map_or(Value::Unknown, |s| Value::made(reasons::spot(s))),
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
            F::Effort => Value::Number(f64::from(row.effort as u8)),
            F::Risk => Value::Number(f64::from(row.risk as u8)),
            _ => self.value(row, ctx),
        }
    }

    fn several(self, row: &SpotRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Notes).then(|| row.says.iter().map(|s| Cow::Owned(reasons::spot(s))))
    }

    fn role(self, row: &SpotRow) -> Role {
        match (self, row.fit) {
            (F::Net, _) if row.net_usd_per_hour.is_some_and(|usd| usd > 0.0) => Role::Idle,
            (F::Fit, SpotFit::Yes) => Role::Ok,
            (F::Fit, SpotFit::Partial | SpotFit::Unknown) => Role::Warn,
            (_, SpotFit::No) => Role::Dim,
            _ => Role::Text,
        }
    }

    fn origin(row: &SpotRow) -> Origin<'_> {
        Origin::of(&row.scope)
    }

    fn rests_on(self, _: &SpotRow) -> SourceSet {
        SourceSet::of(match self {
            F::Net => &[SourceId::SpotHistory, SourceId::Commitments],
            F::Gross | F::Spot | F::Effective => &[SourceId::SpotHistory],
            _ => &[],
        })
    }

    fn id(row: &SpotRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &SpotRow) -> Option<f64> {
        row.on_demand
    }

    fn any_text(row: &SpotRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.name)
            || holds(&row.instance_type)
            || row.team.as_ref().is_some_and(|team| holds(team))
            || holds(&row.id)
            || holds(&reasons::spot_because(&row.because))
            || words::workload(row.workload).is_some_and(&mut holds)
            || holds(&row.scope.region)
            || holds(&row.scope.account)
    }
}
