//! The fields of a training run.

use std::sync::Arc;

use super::priced::{dearest_first, priced};
use super::words;
use crate::analyze::storage::price::Rates;
use crate::domain::storage::{Family, Run};
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::query::{Op, comparison};
use crate::view::table_field::{field_table, fields};
use crate::view::{Role, TableField, Value, ViewContext};

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
            let prefix = clean(&run.prefix);
            out.push(RunRow {
                id: format!("{bucket}/{prefix} {}", run.family.word()).into(),
                bucket: bucket.clone(),
                prefix: prefix.into(),
                usd_per_month: priced(rates, run.steps.iter().flat_map(|s| &s.tiers)),
                run: run.clone(),
            });
        }
    }
    dearest_first(out, |r| (r.usd_per_month, r.run.bytes))
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

/// The filter of the runs of a bucket.
pub fn runs_of_bucket(bucket: &str) -> String {
    comparison(RunField::Bucket.spec().name, Op::Eq, bucket)
}

field_table! {
    /// A field of a run.
    pub enum RunField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd"] "$/MO" 8 by('m')
            "What its steps cost per month of 730 h, list price, at the blended rate.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z') "Bytes of all steps.";
        Steps number(Count) "steps" [] "STEPS" 5 by('s') "Steps that are stored.";
        Incomplete number(Count) "incomplete" ["torn"] "INCOMPL" 7 by('c')
            "Steps of which something is missing; nothing of them is ever proposed for deletion.";
        State choice(STATES) "state" [] "STATE" 8 by('t')
            "Active: it may still be written; finished otherwise.";
        Sure number(Percent) "confidence" ["sure"] "SURE" 4 by('u')
            "How sure it is that this is a run of this family.";
        Family choice(FAMILIES) "family" [] "FAMILY" 15 by('f') "Who wrote the checkpoints.";
        Age number(Seconds) "age" ["idle"] "AGE" 7 by('a') "Since its newest object was written.";
        Bucket text "bucket" [] "BUCKET" 16 wide by('b') "The bucket.";
        Prefix text "prefix" ["name", "run"] "PREFIX" 24 key wide by('p') "The directory of its steps.";
    }
}

use RunField as F;

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
        F::Bucket,
        F::Prefix,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Family, F::Incomplete, F::Age, F::State];

    fields!(FIELDS);

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
        words::cell(self.value(row, ctx), self.spec().kind, ctx)
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
