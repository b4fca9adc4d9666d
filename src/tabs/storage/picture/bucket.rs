//! The fields of a bucket.

use std::sync::Arc;

use super::spec::{by, choice, field_enum, fields, number, text, time, wide};
use super::{tier_bar, words};
use crate::domain::storage::BucketFacts;
use crate::domain::{SourceId, SourceSet};
use crate::fleet::storage::{BucketKind, BucketRow, SizedBy};
use crate::query::Unit;
use crate::view::{FieldSpec, Origin, Role, TableField, Value, ViewContext};

field_enum! {
    /// A field of a bucket.
    BucketField {
        UsdPerMonth, Savings, Bytes, Growth, GrowthUsd, Objects, Tiers, Hot, Lifecycle, Rules,
        Versioning, Lock, Replicates, Findings, Team, Project, Environment, CostCenter, Name, Kind,
        Account, Region, Reads, Uploads, Inventories, SizedBy, LastWrite, Created, Unpriced,
    }
}

const KINDS: [&str; 3] = ["bucket", "directory_bucket", "directory"];
const LIFECYCLE: [&str; 2] = ["none", "rules"];
const VERSIONING: [&str; 3] = ["off", "on", "suspended"];
const LOCK: [&str; 2] = ["off", "on"];
const SIZED: [&str; 2] = ["cloudwatch", "list"];

use BucketField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'm',
        number!(
            F::UsdPerMonth,
            "usd_per_month",
            &["$", "usd", "cost", "price"],
            "$/MO",
            8,
            Unit::Usd,
            "What storing it costs per month of 730 h, list price, at the blended rate of its account; requests and transfer are not in it.",
        ),
    ),
    by(
        's',
        number!(
            F::Savings,
            "savings",
            &["save", "waste"],
            "SAVES",
            8,
            Unit::Usd,
            "What its findings would save at least, $ per month: the greatest kind, for they overlap.",
        ),
    ),
    by(
        'z',
        number!(
            F::Bytes,
            "bytes",
            &["size"],
            "SIZE",
            8,
            Unit::Bytes,
            "Bytes billed, all versions, parts of uploads and overheads included.",
        ),
    ),
    by(
        'g',
        number!(
            F::Growth,
            "growth",
            &["grows"],
            "GROWS/MO",
            9,
            Unit::Bytes,
            "Bytes it grows by per month, measured over about the last 30 days.",
        ),
    ),
    number!(
        F::GrowthUsd,
        "growth_usd",
        &[],
        "GROWS $",
        8,
        Unit::Usd,
        "What each month of growth adds to the price, $ per month.",
    ),
    by(
        'o',
        number!(
            F::Objects,
            "objects",
            &["count"],
            "OBJECTS",
            8,
            Unit::Count,
            "Objects, versions and delete markers.",
        ),
    ),
    text!(
        F::Tiers,
        "tiers",
        &["tier", "class"],
        "TIERS",
        15,
        "Share of the dollars by tier: hot, warm, cold, frozen; the word is where most dollars are.",
    ),
    number!(
        F::Hot,
        "hot",
        &[],
        "HOT",
        4,
        Unit::Percent,
        "Share of the dollars in Standard, Frequent Access and Express.",
    ),
    choice!(
        F::Lifecycle,
        "lifecycle",
        &[],
        "LIFECYCLE",
        9,
        &LIFECYCLE,
        "Whether a lifecycle rule is in force.",
    ),
    number!(F::Rules, "rules", &[], "RULES", 5, Unit::Count, "Lifecycle rules in force."),
    choice!(
        F::Versioning,
        "versioning",
        &["versions"],
        "VERSIONS",
        9,
        &VERSIONING,
        "Versioning: off, on, or suspended with old versions still billed.",
    ),
    choice!(F::Lock, "lock", &["object_lock"], "LOCK", 4, &LOCK, "Object Lock."),
    choice!(
        F::Replicates,
        "replicates",
        &["replication"],
        "REPL",
        4,
        &LOCK,
        "Whether it replicates to another bucket.",
    ),
    by('f', number!(F::Findings, "findings", &[], "FINDS", 5, Unit::Count, "Findings about it.")),
    wide(by('t', text!(F::Team, "team", &[], "TEAM", 8, "Team, from its tags."))),
    wide(text!(F::Project, "project", &[], "PROJECT", 9, "Project, from its tags.")),
    text!(F::Environment, "environment", &["env"], "ENV", 7, "Environment, from its tags."),
    text!(F::CostCenter, "cost_center", &[], "CENTER", 8, "Cost center, from its tags."),
    wide(by(
        'n',
        text!(
            F::Name,
            "name",
            &["bucket", "id"],
            "NAME",
            20,
            "Name of the bucket or path of the directory.",
        ),
    )),
    choice!(
        F::Kind,
        "kind",
        &[],
        "KIND",
        16,
        &KINDS,
        "Bucket, directory bucket (Express), or a directory of this machine.",
    ),
    text!(F::Account, "account", &[], "ACCOUNT", 12, "Account id."),
    by('r', text!(F::Region, "region", &[], "REGION", 14, "Region.")),
    number!(
        F::Reads,
        "reads_per_month",
        &["reads"],
        "READS/MO",
        8,
        Unit::Count,
        "Requests that read, per month, where the bucket has request metrics.",
    ),
    number!(
        F::Uploads,
        "uploads",
        &[],
        "UPLOADS",
        7,
        Unit::Count,
        "Uploads begun more than 7 days ago and never completed, where they were listed.",
    ),
    number!(
        F::Inventories,
        "inventories",
        &[],
        "INV",
        4,
        Unit::Count,
        "Inventories configured and enabled.",
    ),
    choice!(F::SizedBy, "sized_by", &[], "SIZED BY", 10, &SIZED, "Who told the size."),
    time!(
        F::LastWrite,
        "last_write",
        &["written"],
        "LAST WRITE",
        16,
        "Newest object of a complete list.",
    ),
    time!(
        F::Created,
        "created",
        &[],
        "CREATED",
        16,
        "When the bucket was made, or its policy last changed.",
    ),
    number!(
        F::Unpriced,
        "unpriced_bytes",
        &[],
        "UNPRICED",
        8,
        Unit::Bytes,
        "Bytes that $/mo leaves out: nobody knows their price.",
    ),
];

fn facts(row: &BucketRow) -> Option<&BucketFacts> {
    row.facts.as_deref()
}

/// Shares of the tiers in dollars, and in bytes where nothing has a price.
fn shares(row: &BucketRow) -> [f64; 5] {
    let by_usd = tier_bar::by_heat(row.dollar_shares());
    if by_usd.iter().sum::<f64>() > 0.0 {
        return by_usd;
    }
    let all: u64 = row.tiers.iter().map(|t| t.bytes).sum();
    tier_bar::by_heat(row.tiers.iter().map(|t| (t.tier, t.bytes as f64 / all.max(1) as f64)))
}

impl TableField for BucketField {
    type Row = BucketRow;

    const NOUNS: [&'static str; 2] = ["bucket", "buckets"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::UsdPerMonth,
        F::Savings,
        F::Bytes,
        F::Growth,
        F::Tiers,
        F::Lifecycle,
        F::Versioning,
        F::Objects,
        F::Findings,
        F::Team,
        F::Name,
    ];
    const DROPPED_FIRST: &'static [Self] = &[
        F::Findings,
        F::Objects,
        F::Versioning,
        F::Team,
        F::Growth,
        F::Lifecycle,
        F::Tiers,
        F::Savings,
    ];

    fields!(BucketField);

    fn value<'a>(self, row: &'a BucketRow, _: &ViewContext) -> Value<'a> {
        let count = |n: Option<usize>| Value::number(n.map(|n| n as f64));
        let yes = |b: Option<bool>| b.map_or(Value::Unknown, |b| Value::text(LOCK[usize::from(b)]));
        match self {
            F::UsdPerMonth => Value::number(row.usd_per_month),
            F::Savings => Value::number(row.savings),
            F::Bytes => Value::number(row.bytes.map(|b| b as f64)),
            F::Growth => Value::number(row.growth.map(|g| g.bytes_per_month)),
            F::GrowthUsd => Value::number(row.growth.and_then(|g| g.usd_per_month)),
            F::Objects => Value::number(row.objects.map(|n| n as f64)),
            F::Tiers => {
                let names: Vec<&str> = row.tiers.iter().map(|t| t.tier.word()).collect();
                if names.is_empty() { Value::Unknown } else { Value::Text(names.join(" ").into()) }
            }
            F::Hot => {
                let shares = tier_bar::by_heat(row.dollar_shares());
                let any = shares.iter().sum::<f64>() > 0.0;
                Value::number(any.then(|| shares[tier_bar::Heat::Hot as usize] * 100.0))
            }
            F::Lifecycle => Value::maybe(words::rules(row).map(|n| LIFECYCLE[usize::from(n > 0)])),
            F::Rules => count(words::rules(row)),
            F::Versioning => Value::maybe(words::versioning(row)),
            F::Lock => Value::maybe(words::lock(row)),
            F::Replicates => yes(facts(row).and_then(|f| f.replicates.as_ref().ok().copied())),
            F::Findings => count(Some(row.findings.len())),
            F::Team => Value::maybe(row.team.as_deref()),
            F::Project => Value::maybe(row.project.as_deref()),
            F::Environment => Value::maybe(row.environment.as_deref()),
            F::CostCenter => Value::maybe(row.cost_center.as_deref()),
            F::Name => Value::text(&row.name),
            F::Kind => Value::text(row.kind.word()),
            F::Account => Value::maybe(Some(&*row.scope.account).filter(|a| *a != "-")),
            F::Region => Value::maybe(Some(&*row.scope.region).filter(|r| *r != "-")),
            F::Reads => Value::number(facts(row).and_then(|f| f.reads_per_month)),
            F::Uploads => {
                let uploads = facts(row).and_then(|f| f.uploads.as_ref()?.as_ref().ok());
                Value::number(uploads.map(|u| u.older_than_7_days as f64))
            }
            F::Inventories => {
                let all = facts(row).and_then(|f| f.inventories.as_ref().ok());
                count(all.map(|all| all.iter().filter(|i| i.enabled).count()))
            }
            F::SizedBy => Value::maybe(row.sized_by.map(|by| match by {
                SizedBy::CloudWatch(_) => SIZED[0],
                SizedBy::List(_) => SIZED[1],
            })),
            F::LastWrite => row.last_write.map_or(Value::Unknown, Value::Time),
            F::Created => {
                facts(row).and_then(|f| f.bucket.created_at).map_or(Value::Unknown, Value::Time)
            }
            F::Unpriced => Value::number(row.bytes.map(|_| row.unpriced_bytes as f64)),
        }
    }

    fn role(self, row: &BucketRow) -> Role {
        match self {
            F::Savings if row.savings.is_some() => Role::Idle,
            F::Lifecycle if words::rules(row) == Some(0) => Role::Warn,
            _ => Role::Text,
        }
    }

    fn origin(row: &BucketRow) -> Origin<'_> {
        Origin::of(&row.scope)
    }

    fn rests_on(self, row: &BucketRow) -> SourceSet {
        let told = row.facts.is_some() && self != F::Name;
        SourceSet::of(if told { &[SourceId::S3] } else { &[] })
    }

    fn cell(self, row: &BucketRow, ctx: &ViewContext) -> String {
        let symbols = ctx.symbols;
        match (self, self.value(row, ctx)) {
            (F::Tiers, Value::Text(_)) => tier_bar::cell(&shares(row), 8, symbols),
            (F::UsdPerMonth, Value::Number(usd)) if row.unpriced_bytes > 0 => {
                format!("{}+", words::usd(usd))
            }
            (F::UsdPerMonth | F::Savings | F::GrowthUsd, Value::Number(usd)) => words::usd(usd),
            (F::Bytes | F::Growth | F::Unpriced, Value::Number(bytes)) => words::size(bytes),
            (F::Objects | F::Reads, Value::Number(n)) => words::count(n),
            (F::Lifecycle, Value::Text(_)) => match words::rules(row) {
                Some(0) => "none".to_owned(),
                Some(1) => "1 rule".to_owned(),
                n => format!("{} rules", n.unwrap_or(0)),
            },
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &BucketRow) -> &Arc<str> {
        &row.name
    }

    fn usd_per_hour(row: &BucketRow) -> Option<f64> {
        row.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn tag<'a>(row: &'a BucketRow, key: &str) -> Option<&'a str> {
        row.facts.as_ref()?.tags.as_ref().ok()?.get(key)
    }

    fn any_text(row: &BucketRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let tagged = [&row.team, &row.project, &row.environment];
        holds(&row.name)
            || tagged.into_iter().flatten().any(|t| holds(t))
            || (row.kind == BucketKind::Bucket && holds(&row.scope.region))
    }

    /// Tiers by how hot they are: a filter names them, an order puts the hottest last.
    fn ranked<'a>(self, row: &'a BucketRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Tiers => F::Hot.value(row, ctx),
            _ => self.value(row, ctx),
        }
    }
}
