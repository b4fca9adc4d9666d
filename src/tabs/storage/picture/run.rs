//! The fields of a training run.

use std::sync::Arc;

use super::spec::{by, choice, field_enum, fields, number, text, wide};
use super::words;
use crate::analyze::storage::price::Rates;
use crate::domain::storage::{Family, GIB, Run};
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::query::Unit;
use crate::view::{FieldSpec, Role, TableField, Value, ViewContext};

field_enum! {
    /// A field of a run.
    RunField { UsdPerMonth, Bytes, Steps, Incomplete, State, Sure, Family, Age, Bucket, Prefix }
}

/// A run with its dollars.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Bucket and prefix.
    pub id: Arc<str>,
    /// The bucket.
    pub bucket: Arc<str>,
    /// The directory of its steps; clean text.
    pub prefix: Arc<str>,
    /// What its steps cost, USD per month; `None` without a price.
    pub usd_per_month: Option<f64>,
    /// The run.
    pub run: Run,
}

/// The rows of all runs of a fleet's lists, most dollars first; `rates` gives the blended rates of a
/// bucket.
pub fn run_rows<'a>(
    fleet: &StorageFleet,
    rates: impl Fn(&str) -> Option<&'a Rates>,
) -> Vec<Arc<RunRow>> {
    let mut out = Vec::new();
    for (bucket, scan) in &fleet.scans {
        let rates = rates(bucket);
        for run in scan.runs.iter().flat_map(|r| r.iter()) {
            let of =
                |(tier, bytes): &(_, u64)| Some(rates?.usd_per_gib(*tier)? * *bytes as f64 / GIB);
            let usd = run.steps.iter().flat_map(|s| &s.tiers).map(of).sum::<Option<f64>>();
            let prefix = clean(&run.prefix);
            out.push(RunRow {
                id: format!("{bucket}/{prefix} {}", run.family.word()).into(),
                bucket: bucket.clone(),
                prefix: prefix.into(),
                usd_per_month: usd,
                run: run.clone(),
            });
        }
    }
    out.sort_by(|a, b| {
        let usd = |r: &RunRow| r.usd_per_month.unwrap_or(-1.0);
        usd(b).total_cmp(&usd(a)).then_with(|| b.run.bytes.cmp(&a.run.bytes))
    });
    out.into_iter().map(Arc::new).collect()
}

const STATES: [&str; 2] = ["active", "finished"];
const FAMILIES: [&str; 12] = [
    Family::HfTrainer.word(),
    Family::HfDeepspeed.word(),
    Family::Deepspeed.word(),
    Family::MegatronLegacy.word(),
    Family::MegatronDist.word(),
    Family::TorchDcp.word(),
    Family::Orbax.word(),
    Family::Lightning.word(),
    Family::Nemo.word(),
    Family::Tensorflow.word(),
    Family::Olmo.word(),
    Family::Generic.word(),
];

use RunField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'm',
        number!(
            F::UsdPerMonth,
            "usd_per_month",
            &["$", "usd"],
            "$/MO",
            8,
            Unit::Usd,
            "What its steps cost per month of 730 h, list price, at the blended rate.",
        ),
    ),
    by('z', number!(F::Bytes, "bytes", &["size"], "SIZE", 8, Unit::Bytes, "Bytes of all steps.")),
    by('s', number!(F::Steps, "steps", &[], "STEPS", 5, Unit::Count, "Steps that are stored.")),
    by(
        'c',
        number!(
            F::Incomplete,
            "incomplete",
            &["torn"],
            "INCOMPL",
            7,
            Unit::Count,
            "Steps of which something is missing; nothing of them is ever proposed for deletion.",
        ),
    ),
    by(
        't',
        choice!(
            F::State,
            "state",
            &[],
            "STATE",
            8,
            &STATES,
            "Active: it may still be written; finished otherwise.",
        ),
    ),
    by(
        'u',
        number!(
            F::Sure,
            "confidence",
            &["sure"],
            "SURE",
            4,
            Unit::Percent,
            "How sure it is that this is a run of this family.",
        ),
    ),
    by(
        'f',
        choice!(F::Family, "family", &[], "FAMILY", 15, &FAMILIES, "Who wrote the checkpoints."),
    ),
    by(
        'a',
        number!(
            F::Age,
            "age",
            &["idle"],
            "AGE",
            7,
            Unit::Seconds,
            "Since its newest object was written.",
        ),
    ),
    text!(F::Bucket, "bucket", &[], "BUCKET", 16, "The bucket."),
    wide(by(
        'p',
        text!(F::Prefix, "prefix", &["name", "run"], "PREFIX", 24, "The directory of its steps."),
    )),
];

impl TableField for RunField {
    type Row = RunRow;

    const NOUNS: [&'static str; 2] = ["run", "runs"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::UsdPerMonth,
        F::Bytes,
        F::Steps,
        F::Incomplete,
        F::State,
        F::Family,
        F::Age,
        F::Prefix,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Family, F::Incomplete, F::Age, F::State];

    fields!(RunField);

    fn value<'a>(self, row: &'a RunRow, ctx: &ViewContext) -> Value<'a> {
        let run = &row.run;
        match self {
            F::UsdPerMonth => Value::number(row.usd_per_month),
            F::Bytes => Value::Number(run.bytes as f64),
            F::Steps => Value::Number(run.steps.len() as f64),
            F::Incomplete => Value::Number(run.steps.iter().filter(|s| !s.complete).count() as f64),
            F::State => Value::text(STATES[usize::from(!run.active)]),
            F::Sure => Value::number(Some(run.confidence * 100.0)),
            F::Family => Value::text(run.family.word()),
            F::Age => {
                let newest = run.steps.iter().map(|s| s.newest_ms).max().unwrap_or(i64::MIN);
                Value::number(words::age_s(newest, ctx.now))
            }
            F::Bucket => Value::text(&row.bucket),
            F::Prefix => Value::text(&row.prefix),
        }
    }

    fn role(self, row: &RunRow) -> Role {
        match self {
            F::State if row.run.active => Role::Ok,
            F::Incomplete if row.run.steps.iter().any(|s| !s.complete) => Role::Warn,
            _ => Role::Text,
        }
    }

    fn cell(self, row: &RunRow, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::UsdPerMonth, Value::Number(usd)) => words::usd(usd),
            (F::Bytes, Value::Number(bytes)) => words::size(bytes),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &RunRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &RunRow) -> Option<f64> {
        row.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn any_text(row: &RunRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.prefix) || holds(row.run.family.word()) || holds(&row.bucket)
    }
}
