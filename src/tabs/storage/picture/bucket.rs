//! The fields of a bucket.

use std::borrow::Cow;
use std::sync::Arc;

use super::{tier_bar, words};
use crate::domain::storage::BucketFacts;
use crate::domain::{SourceId, SourceSet};
use crate::fleet::storage::{BucketKind, BucketRow, SizedBy};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, format};

const KINDS: [&str; 3] = ["bucket", "directory_bucket", "directory"];
const LIFECYCLE: [&str; 2] = ["none", "rules"];
const VERSIONING: [&str; 3] = ["off", "on", "suspended"];
const LOCK: [&str; 2] = ["off", "on"];
const SIZED: [&str; 2] = ["cloudwatch", "list"];
const BASES: [&str; 2] = ["daily_sizes", "list"];

field_table! {
    /// A field of a bucket.
    pub enum BucketField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd", "cost", "price"] "$/MO" 8 by('m')
            "What storing it costs per month of 730 h, list price, at the blended rate of its account; requests and transfer are not in it.";
        Savings number(Usd) "savings" ["save", "waste"] "SAVES" 8 by('s')
            "What its findings would save at least, $ per month: the greatest kind, for they overlap; a most is an estimate from daily sizes.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z')
            "Bytes billed, all versions, parts of uploads and overheads included.";
        Growth number(Bytes) "growth" ["grows"] "GROWS/MO" 9 by('g')
            "Bytes it grows by per month, measured over about the last 30 days.";
        GrowthUsd number(Usd) "growth_usd" [] "GROWS $" 8
            "What each month of growth adds to the price, $ per month.";
        Billed number(Usd) "billed_usd" ["billed"] "BILLED" 8 unit("$")
            "What the newest bill says it cost in its month so far, net of discounts; requests and transfer are in it.";
        Objects number(Count) "objects" ["count"] "OBJECTS" 8 by('o')
            "Objects, versions and delete markers.";
        Tiers choice(tier_bar::WORDS) "tiers" ["tier", "class"] "TIERS" 15
            "Share of the dollars by tier: hot, warm, cold, frozen; the word is where most dollars are. A filter takes the word, or a class that holds some.";
        Hot number(Percent) "hot" [] "HOT" 4
            "Share of the dollars in Standard, Frequent Access and Express.";
        Lifecycle choice(LIFECYCLE) "lifecycle" [] "LIFECYCLE" 9
            "Whether a lifecycle rule is in force.";
        Rules number(Count) "rules" [] "RULES" 5 "Lifecycle rules in force.";
        Versioning choice(VERSIONING) "versioning" ["versions"] "VERSIONS" 9
            "Versioning: off, on, or suspended with old versions still billed.";
        Lock choice(LOCK) "lock" ["object_lock"] "LOCK" 4 "Object Lock.";
        Replicates choice(LOCK) "replicates" ["replication"] "REPL" 4
            "Whether it replicates to another bucket.";
        Findings number(Count) "findings" [] "FINDS" 5 by('f') "Findings about it.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from its tags.";
        Project text "project" [] "PROJECT" 9 wide "Project, from its tags.";
        Environment text "environment" ["env"] "ENV" 7 "Environment, from its tags.";
        CostCenter text "cost_center" [] "CENTER" 8 "Cost center, from its tags.";
        Name text "name" ["bucket", "id"] "NAME" 20 key wide by('n')
            "Name of the bucket or path of the directory.";
        Kind choice(KINDS) "kind" [] "KIND" 16
            "Bucket, directory bucket (Express), or a directory of this machine.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
        Reads number(Count) "reads_per_month" ["reads"] "READS/MO" 8
            "Requests that read, per month, where the bucket has request metrics.";
        Uploads number(Count) "uploads" [] "UPLOADS" 7
            "Uploads begun more than 7 days ago and never completed, where they were listed.";
        Inventories number(Count) "inventories" [] "INV" 4 "Inventories configured and enabled.";
        SizedBy choice(SIZED) "sized_by" [] "SIZED BY" 10 "Who told the size.";
        LastWrite time "last_write" ["written"] "LAST WRITE" 16 "Newest object of a complete list.";
        Created time "created" [] "CREATED" 16
            "When the bucket was made, or its policy last changed.";
        SavesLow number(Usd) "saves_low_usd" [] "SAVES LOW" 9
            "Least that tiering would save by daily sizes alone, $ per month: an estimate, in no sum.";
        SavesHigh number(Usd) "saves_high_usd" [] "SAVES HIGH" 10
            "Most that tiering would save by daily sizes alone, $ per month: an estimate, in no sum.";
        SavesBasis choice(BASES) "saves_basis" [] "BASIS" 11
            "What savings rest on: a list of the objects, or an estimate from daily sizes.";
        Unpriced number(Bytes) "unpriced_bytes" [] "UNPRICED" 8
            "Bytes that $/mo leaves out: nobody knows their price.";
    }
}

use BucketField as F;

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

    fields!(FIELDS);

    fn value<'a>(self, row: &'a BucketRow, _: &ViewContext) -> Value<'a> {
        let count = |n: Option<usize>| Value::number(n.map(|n| n as f64));
        let yes = |b: Option<bool>| b.map_or(Value::Unknown, |b| Value::text(LOCK[usize::from(b)]));
        match self {
            F::UsdPerMonth => Value::number(row.usd_per_month),
            F::Savings => Value::number(row.savings),
            F::Billed => Value::number(row.billed_usd),
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
            F::LastWrite => Value::time(row.last_write),
            F::Created => Value::time(facts(row).and_then(|f| f.bucket.created_at)),
            F::SavesLow => Value::number(row.estimate.map(|e| e.low_usd)),
            F::SavesHigh => Value::number(row.estimate.map(|e| e.high_usd)),
            F::SavesBasis => Value::maybe(match (row.estimate, row.last_write) {
                (Some(_), _) => Some(BASES[0]),
                (None, Some(_)) => Some(BASES[1]),
                (None, None) => None,
            }),
            F::Unpriced => Value::number(row.bytes.map(|_| row.unpriced_bytes as f64)),
        }
    }

    fn role(self, row: &BucketRow) -> Role {
        match self {
            F::Savings if row.savings.is_some() => Role::Idle,
            F::Savings if row.estimate.is_some() => Role::Dim,
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
            // An estimate of nothing is known to save nothing.
            (F::Savings, Value::Unknown) => {
                let most = row.estimate.map(|e| e.high_usd);
                symbols.or_unknown(most, |usd| words::at_most(usd, symbols))
            }
            (F::Objects | F::Reads, Value::Number(n)) => words::count(n),
            (F::Lifecycle, Value::Text(_)) => match words::rules(row) {
                Some(0) => "none".to_owned(),
                n => format::plural(n.unwrap_or(0), "rule"),
            },
            (_, value) => words::cell(value, self.spec().kind, ctx),
        }
    }

    fn several(self, row: &BucketRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let tiers = || row.tiers.iter().map(|held| held.tier);
        (self == F::Tiers && !row.tiers.is_empty())
            .then(|| tier_bar::compared(shares(row), tiers()))
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

    /// Tiers by how hot they are: a filter names them, an order puts the hottest last. Savings by their estimate where
    /// nothing else is known.
    fn ranked<'a>(self, row: &'a BucketRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Tiers => F::Hot.value(row, ctx),
            // After what is known, an estimate says where to look next.
            F::Savings => Value::number(row.savings.or(row.estimate.map(|e| e.high_usd))),
            _ => self.value(row, ctx),
        }
    }
}
