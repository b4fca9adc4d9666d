//! The fields of a measure that may make a model cheaper to run.

use std::sync::Arc;

use crate::domain::{SourceId, SourceSet};
use crate::fleet::savings::{Fits, MEASURES, ModelRow, ModelWork};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, reasons};

const FITS: [&str; 3] = [Fits::Yes.word(), Fits::Unknown.word(), Fits::No.word()];
const WORKS: [&str; 3] =
    [ModelWork::Serving.word(), ModelWork::Batch.word(), ModelWork::Script.word()];
const YES: [&str; 2] = ["no", "yes"];

/// The words of measures, in the order of their table.
static WORDS: [&str; 9] = {
    let mut words = [""; 9];
    let mut at = 0;
    while at < words.len() {
        words[at] = MEASURES[at].word;
        at += 1;
    }
    words
};

field_table! {
    /// A field of a measure on a model.
    pub enum ModelField => FIELDS {
        UpTo number(UsdPerHour) "up_to_usd_per_hour" ["up_to", "potential"] "UP TO/h" 8 apart by('u')
            "Upper bound of what the measure saves, in no sum: measures exclude each other. Unknown where no source bounds it, 0 where it does not fit.";
        Fits choice(FITS) "fits" ["fit"] "FITS" 7 by('f')
            "Whether what the fleet tells speaks for the measure.";
        Measure choice(WORDS) "measure" [] "MEASURE" 16 key by('m') "What would be done.";
        Work choice(WORKS) "work" ["workload"] "WORK" 7 by('w')
            "What the model is run for: serving, batch, or a script of a scheduler.";
        Name text "name" [] "NAME" 18 key wide by('n') "Name of the group or script, or of the instance.";
        Usage number(Percent) "usage" ["used"] "USED" 5 by('d')
            "Mean use of its GPUs: share of the judged hours in which a kernel was resident; of a script mean activity.";
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "burn"] "$/h" 8 apart by('h')
            "What the workload costs now.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from its tags.";
        Why text "why" ["reason"] "WHY" 30 wide "What the fleet tells of the condition.";
        Condition text "condition" [] "CONDITION" 30 wide "When the bound holds.";
        MeasureFirst text "measure_first" ["first"] "MEASURE FIRST" 30 wide
            "What must be measured before it is relied on.";
        Because text "because" [] "BECAUSE" 20 wide
            "What says what it is run for: a hint, where it is a name or a tag.";
        Holding text "holding" [] "HOLDING" 9 "GPUs on which somebody holds memory, of those that tell it.";
        Counts choice(YES) "counts" ["largest"] "COUNTS" 6 by('c')
            "Whether it is the largest of its workload: no other one counts.";
        InstanceType text "type" ["instance_type"] "TYPE" 14 by('y') "Instance type.";
        Instances number(Count) "instances" [] "INST" 4 apart by('i') "Instances of the workload.";
        Source text "source" [] "SOURCE" 30 wide "Where the bound or the condition comes from.";
        Url text "url" [] "URL" 30 wide "Address of the source.";
        Id text "id" [] "ID" 24 "Workload and measure.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
    }
}

use ModelField as F;

impl TableField for ModelField {
    type Row = ModelRow;

    const NOUNS: [&'static str; 2] = ["measure", "measures"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::UpTo,
        F::Fits,
        F::Measure,
        F::Work,
        F::Usage,
        F::UsdPerHour,
        F::InstanceType,
        F::Team,
        F::Name,
        F::Why,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::Why, F::Team, F::InstanceType, F::UsdPerHour, F::Work, F::Usage];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a ModelRow, _: &ViewContext) -> Value<'a> {
        let (of, spec) = (&*row.workload, row.measure.spec());
        match self {
            F::UpTo => Value::number(row.up_to_usd_per_hour),
            F::Fits => Value::text(row.fits.word()),
            F::Measure => Value::text(spec.word),
            F::Work => Value::text(of.work.word()),
            F::Name => Value::text(&of.name),
            F::Usage => Value::number(Some(of.usage * 100.0)),
            F::UsdPerHour => Value::number(Some(of.usd_per_hour)),
            F::Team => Value::maybe(of.team.as_deref()),
            F::Why => Value::made(reasons::model_fit(row)),
            F::Condition => Value::text(spec.condition),
            F::MeasureFirst => Value::text(spec.measure_first),
            F::Because => Value::made(reasons::model_because(&of.because)),
            F::Holding => {
                let told = of.holding.map(|(held, told)| format!("{held} of {told}"));
                Value::made(told.unwrap_or_default())
            }
            F::Counts => Value::text(YES[usize::from(row.is_largest)]),
            F::InstanceType => Value::maybe(of.instance_type.as_deref()),
            F::Instances => {
                let known = Some(of.instances.len() as f64);
                Value::number(known.filter(|_| of.work != ModelWork::Script))
            }
            F::Source => Value::text(spec.source),
            F::Url => Value::text(spec.url),
            F::Id => Value::text(&row.id),
            F::Account => Value::maybe(of.scope.as_ref().map(|scope| &*scope.account)),
            F::Region => Value::maybe(of.scope.as_ref().map(|scope| &*scope.region)),
        }
    }

    /// What fits first; measures in the order of their table.
    fn ranked<'a>(self, row: &'a ModelRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Fits => Value::Number(f64::from(row.fits as u8)),
            F::Measure => Value::Number(f64::from(row.measure as u8)),
            _ => self.value(row, ctx),
        }
    }

    fn role(self, row: &ModelRow) -> Role {
        match (self, row.fits) {
            (F::Fits, Fits::Yes) => Role::Ok,
            (F::Fits, Fits::Unknown) => Role::Warn,
            (F::UpTo, _) if row.is_largest => Role::Idle,
            (_, Fits::No) => Role::Dim,
            _ => Role::Text,
        }
    }

    fn origin(row: &ModelRow) -> Origin<'_> {
        row.workload.scope.as_ref().map_or_else(Origin::default, Origin::of)
    }

    fn rests_on(self, row: &ModelRow) -> SourceSet {
        let is_measured = matches!(self, F::UpTo | F::Usage) && row.workload.scope.is_some();
        SourceSet::of(if is_measured { &[SourceId::CloudWatch] } else { &[] })
    }

    fn id(row: &ModelRow) -> &Arc<str> {
        &row.id
    }

    /// Of several measures of a workload one costs what it costs.
    fn usd_per_hour(row: &ModelRow) -> Option<f64> {
        Some(if row.is_largest { row.workload.usd_per_hour } else { 0.0 })
    }

    fn any_text(row: &ModelRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let of = &*row.workload;
        holds(&of.name)
            || holds(row.measure.spec().word)
            || holds(row.measure.spec().label)
            || holds(of.work.word())
            || of.team.as_ref().is_some_and(|team| holds(team))
            || of.instance_type.as_ref().is_some_and(|name| holds(name))
            || holds(&row.id)
            || of.scope.as_ref().is_some_and(|scope| holds(&scope.region) || holds(&scope.account))
    }
}
