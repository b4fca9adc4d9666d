//! The fields of a finding about storage.

use std::sync::Arc;

use super::spec::{by, choice, field_enum, fields, number, text, wide};
use super::words;
use crate::domain::storage::{Effort, FindingKind, Risk, StorageFinding, Subject};
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::query::Unit;
use crate::view::{FieldSpec, TableField, Value, ViewContext, reasons};

field_enum! {
    /// A field of a finding.
    FindingField { UsdPerMonth, Kind, Bytes, Effort, Risk, Subject, Account, Region, Says, Fix }
}

/// A finding with what it is known by.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// Kind and subject.
    pub id: Arc<str>,
    /// What it is about; clean text: `bucket/prefix/`, `vol-…`.
    pub subject: Arc<str>,
    /// The finding.
    pub finding: Arc<StorageFinding>,
}

/// The rows of all findings, most dollars first.
pub fn finding_rows(fleet: &StorageFleet) -> Vec<Arc<FindingRow>> {
    fleet.findings.iter().map(|f| Arc::new(FindingRow::of(f))).collect()
}

impl FindingRow {
    fn of(finding: &Arc<StorageFinding>) -> Self {
        let subject = match &finding.subject {
            Subject::Bucket(name) => clean(name).into_owned(),
            Subject::Prefix(bucket, prefix) => format!("{}/{}", clean(bucket), clean(prefix)),
            Subject::Volume(id) | Subject::Snapshot(id) => clean(id).into_owned(),
        };
        let id = format!("{} {subject}", finding.kind.word());
        Self { id: id.into(), subject: subject.into(), finding: finding.clone() }
    }
}

const KINDS: [&str; 15] = [
    FindingKind::NoLifecycle.word(),
    FindingKind::Noncurrent.word(),
    FindingKind::IncompleteUploads.word(),
    FindingKind::DarkBytes.word(),
    FindingKind::SmallObjects.word(),
    FindingKind::WrongTier.word(),
    FindingKind::Abandoned.word(),
    FindingKind::Duplicates.word(),
    FindingKind::PrunableCheckpoints.word(),
    FindingKind::UnattachedVolume.word(),
    FindingKind::StoppedInstanceVolume.word(),
    FindingKind::Gp2.word(),
    FindingKind::OrphanSnapshot.word(),
    FindingKind::OldSnapshot.word(),
    FindingKind::StaleNotebook.word(),
];
const LEVELS: [&str; 3] = ["low", "medium", "high"];

use FindingField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'm',
        number!(
            F::UsdPerMonth,
            "usd_per_month",
            &["$", "usd", "saves"],
            "$/MO",
            8,
            Unit::Usd,
            "What acting would save per month of 730 h at list price; what is not known is not 0.",
        ),
    ),
    by('k', choice!(F::Kind, "kind", &["finding"], "KIND", 23, &KINDS, "What is wrong.")),
    by('z', number!(F::Bytes, "bytes", &["size"], "SIZE", 8, Unit::Bytes, "Bytes concerned.")),
    by('e', choice!(F::Effort, "effort", &[], "EFFORT", 6, &LEVELS, "How much work acting is.")),
    by('r', choice!(F::Risk, "risk", &[], "RISK", 6, &LEVELS, "What acting may lose.")),
    wide(by(
        'a',
        text!(
            F::Subject,
            "about",
            &["subject", "name", "bucket"],
            "ABOUT",
            22,
            "Bucket, prefix, volume or snapshot.",
        ),
    )),
    text!(F::Account, "account", &[], "ACCOUNT", 12, "Account id."),
    text!(F::Region, "region", &[], "REGION", 14, "Region."),
    wide(text!(F::Says, "says", &["what"], "WHAT IS SO", 30, "What is so.")),
    wide(text!(F::Fix, "fix", &["do"], "WHAT TO DO", 30, "What to do.")),
];

impl TableField for FindingField {
    type Row = FindingRow;

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::UsdPerMonth, F::Kind, F::Effort, F::Risk, F::Subject, F::Says];
    const DROPPED_FIRST: &'static [Self] = &[F::Says, F::Effort, F::Risk];

    fields!(FindingField);

    fn value<'a>(self, row: &'a FindingRow, _: &ViewContext) -> Value<'a> {
        let f = &*row.finding;
        match self {
            F::UsdPerMonth => Value::number(f.usd_per_month),
            F::Kind => Value::text(f.kind.word()),
            F::Bytes => Value::number(f.bytes.map(|b| b as f64)),
            F::Effort => Value::text(words::effort(f.effort)),
            F::Risk => Value::text(words::risk(f.risk)),
            F::Subject => Value::text(&row.subject),
            F::Account => Value::maybe(Some(&*f.scope.account).filter(|a| *a != "-")),
            F::Region => Value::maybe(Some(&*f.scope.region).filter(|r| *r != "-")),
            F::Says => Value::made(reasons::storage(&f.reason)),
            F::Fix => Value::made(reasons::storage_fix(&f.reason)),
        }
    }

    fn cell(self, row: &FindingRow, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::UsdPerMonth, Value::Number(usd)) => words::usd(usd),
            (F::Bytes, Value::Number(bytes)) => words::size(bytes),
            (F::Kind, Value::Text(word)) => word.replace('_', " "),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &FindingRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &FindingRow) -> Option<f64> {
        row.finding.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn tag<'a>(_: &'a FindingRow, _: &str) -> Option<&'a str> {
        None
    }

    fn any_text(row: &FindingRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.subject)
            || holds(row.finding.kind.word())
            || holds(&reasons::storage(&row.finding.reason))
    }

    fn ranked<'a>(self, row: &'a FindingRow, ctx: &ViewContext) -> Value<'a> {
        let level = |n: u8| Value::Number(f64::from(n));
        match self {
            F::Effort => level(match row.finding.effort {
                Effort::Low => 0,
                Effort::Medium => 1,
                Effort::High => 2,
            }),
            F::Risk => level(match row.finding.risk {
                Risk::Low => 0,
                Risk::Medium => 1,
                Risk::High => 2,
            }),
            _ => self.value(row, ctx),
        }
    }
}
