//! The fields of a finding about storage.

use std::sync::Arc;

use super::words;
use crate::domain::storage::{FindingKind, Risk, StorageFinding, Subject};
use crate::domain::text::clean;
use crate::domain::{SourceId, SourceSet};
use crate::fleet::StorageFleet;
use crate::query::{Op, comparison};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, reasons};

/// A finding with its id and its subject as text.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// Kind and subject.
    pub id: Arc<str>,
    /// Subject of the finding; clean text: `bucket/prefix/`, `vol-…`.
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

    /// Name of the bucket that it is of; `None` for a volume or snapshot.
    pub fn bucket(&self) -> Option<&str> {
        match &self.finding.subject {
            Subject::Bucket(name) | Subject::Prefix(name, _) => Some(name),
            Subject::Volume(_) | Subject::Snapshot(_) => None,
        }
    }
}

/// The filter of the findings of a bucket.
pub fn findings_of_bucket(bucket: &str) -> String {
    comparison(FindingField::Bucket.spec().name, Op::Eq, bucket)
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

field_table! {
    /// A field of a finding.
    pub enum FindingField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd", "saves"] "$/MO" 8 apart by('m')
            "What acting would save per month of 730 h at list price; what is not known is not 0.";
        Kind choice(KINDS) "kind" ["finding"] "KIND" 23 by('k') "What is wrong.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z') "Bytes concerned.";
        Effort choice(words::LEVELS) "effort" [] "EFFORT" 6 by('e') "How much work acting is.";
        Risk choice(words::LEVELS) "risk" [] "RISK" 6 by('r') "What acting may lose.";
        Subject text "about" ["subject", "name"] "ABOUT" 22 key wide by('a')
            "Bucket, prefix, volume or snapshot.";
        Bucket text "bucket" [] "BUCKET" 16 wide
            "The bucket that it is of; unknown for volumes and snapshots.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 "Region.";
        What text "says" ["what"] "WHAT IS SO" 30 wide "What is so.";
        Fix text "fix" ["do"] "WHAT TO DO" 30 wide "What to do.";
    }
}

use FindingField as F;

impl TableField for FindingField {
    type Row = FindingRow;

    const NOUNS: [&'static str; 2] = ["finding", "findings"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::UsdPerMonth, F::Kind, F::Effort, F::Risk, F::Subject, F::What];
    const DROPPED_FIRST: &'static [Self] = &[F::What, F::Effort, F::Risk];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a FindingRow, _: &ViewContext) -> Value<'a> {
        let f = &*row.finding;
        match self {
            F::UsdPerMonth => Value::number(f.usd_per_month),
            F::Kind => Value::text(f.kind.word()),
            F::Bytes => Value::number(f.bytes.map(|b| b as f64)),
            F::Effort => Value::text(words::effort(f.effort)),
            F::Risk => Value::maybe(words::risk_of(f)),
            F::Subject => Value::text(&row.subject),
            F::Bucket => Value::maybe(row.bucket()),
            F::Account => Value::maybe(Some(&*f.scope.account).filter(|a| *a != "-")),
            F::Region => Value::maybe(Some(&*f.scope.region).filter(|r| *r != "-")),
            F::What => Value::made(reasons::storage(&f.reason)),
            F::Fix => Value::made(reasons::storage_fix(&f.reason)),
        }
    }

    fn role(self, row: &FindingRow) -> Role {
        match self {
            F::UsdPerMonth => Role::Idle,
            F::Risk if row.finding.risk == Risk::High => Role::Warn,
            _ => Role::Text,
        }
    }

    fn origin(row: &FindingRow) -> Origin<'_> {
        Origin::of(&row.finding.scope)
    }

    fn rests_on(self, _: &FindingRow) -> SourceSet {
        SourceSet::of(if self == F::UsdPerMonth { &[SourceId::S3, SourceId::Ebs] } else { &[] })
    }

    fn cell(self, row: &FindingRow, ctx: &ViewContext) -> String {
        words::cell(self.value(row, ctx), self.spec().kind, ctx)
    }

    fn id(row: &FindingRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &FindingRow) -> Option<f64> {
        row.finding.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn any_text(row: &FindingRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.subject)
            || holds(row.finding.kind.word())
            || holds(&reasons::storage(&row.finding.reason))
    }

    fn ranked<'a>(self, row: &'a FindingRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Effort => Value::Number(f64::from(row.finding.effort as u8)),
            F::Risk if words::risk_of(&row.finding).is_none() => Value::Unknown,
            F::Risk => Value::Number(f64::from(row.finding.risk as u8)),
            _ => self.value(row, ctx),
        }
    }
}
