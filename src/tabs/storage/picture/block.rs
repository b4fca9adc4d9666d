//! The fields of a volume or snapshot.

use std::sync::Arc;

use super::words;
use crate::domain::storage::{FindingKind, GIB, SnapshotTier, StorageFinding};
use crate::domain::{Scope, SourceId, SourceSet};
use crate::fleet::StorageFleet;
use crate::fleet::storage::{SnapshotRow, VolumeRow, VolumeUse};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext};

/// A volume or a snapshot.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockRow {
    /// A volume.
    Volume(Arc<VolumeRow>),
    /// A snapshot.
    Snapshot(Arc<SnapshotRow>),
}

/// The rows of all volumes, then all snapshots, each most dollars first.
pub fn block_rows(fleet: &StorageFleet) -> Vec<Arc<BlockRow>> {
    let volumes = fleet.volumes.iter().map(|v| Arc::new(BlockRow::Volume(v.clone())));
    let snapshots = fleet.snapshots.iter().map(|s| Arc::new(BlockRow::Snapshot(s.clone())));
    volumes.chain(snapshots).collect()
}

impl BlockRow {
    /// Findings about the volume or snapshot, most dollars first.
    pub fn findings(&self) -> &[Arc<StorageFinding>] {
        match self {
            Self::Volume(v) => &v.findings,
            Self::Snapshot(s) => &s.findings,
        }
    }

    /// Account and region.
    pub fn scope(&self) -> &Scope {
        match self {
            Self::Volume(v) => &v.volume.scope,
            Self::Snapshot(s) => &s.snapshot.scope,
        }
    }

    /// `vol-…`, `snap-…`.
    pub fn id(&self) -> &Arc<str> {
        match self {
            Self::Volume(v) => &v.volume.id,
            Self::Snapshot(s) => &s.snapshot.id,
        }
    }

    /// The volume; `None` for a snapshot.
    pub fn volume(&self) -> Option<&VolumeRow> {
        match self {
            Self::Volume(v) => Some(v),
            Self::Snapshot(_) => None,
        }
    }

    /// The snapshot; `None` for a volume.
    pub fn snapshot(&self) -> Option<&SnapshotRow> {
        match self {
            Self::Volume(_) => None,
            Self::Snapshot(s) => Some(s),
        }
    }

    fn tags(&self) -> &crate::domain::Tags {
        match self {
            Self::Volume(v) => &v.volume.tags,
            Self::Snapshot(s) => &s.snapshot.tags,
        }
    }

    fn usd(&self) -> Option<f64> {
        match self {
            Self::Volume(v) => v.usd_per_month,
            Self::Snapshot(s) => s.usd_per_month_at_most,
        }
    }
}

const WHAT: [&str; 2] = ["volume", "snapshot"];
const KINDS: [&str; 10] =
    ["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard", "unknown", "snapshot", "archive"];
const USED: [&str; 4] = ["unattached", "stopped", "in_use", "unknown"];
const YES: [&str; 2] = ["no", "yes"];
const FINDINGS: [&str; 6] = [
    FindingKind::UnattachedVolume.word(),
    FindingKind::StoppedInstanceVolume.word(),
    FindingKind::Gp2.word(),
    FindingKind::OrphanSnapshot.word(),
    FindingKind::OldSnapshot.word(),
    FindingKind::StaleNotebook.word(),
];

field_table! {
    /// A field of a volume or snapshot.
    pub enum BlockField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd", "cost"] "$/MO" 8 by('m')
            "What it costs per month of 730 h, list price; of a snapshot at most, for what it shares with its neighbours is billed once.";
        Savings number(Usd) "savings" ["save", "waste"] "SAVES" 8 by('s')
            "What its findings would save, $ per month: the greatest of them.";
        What choice(WHAT) "what" [] "WHAT" 8 by('w') "Volume or snapshot.";
        Kind choice(KINDS) "kind" ["type"] "KIND" 8 by('k')
            "Kind of volume, or tier of a snapshot.";
        Used choice(USED) "used" ["use"] "USE" 10 by('u')
            "What a volume is used for: unattached, stopped (with its instances), in_use, unknown.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z')
            "Provisioned size; of a snapshot its full size where EC2 says it, else that of its volume.";
        Iops number(Count) "iops" [] "IOPS" 6 "Provisioned IOPS, where they are named.";
        Throughput number(Count) "throughput" [] "MiB/s" 5
            "Provisioned throughput, where it is named.";
        Finding choice(FINDINGS) "finding" ["findings"] "FINDING" 23 by('f')
            "Its costliest finding.";
        Age number(Seconds) "age" [] "AGE" 7 by('a') "Since it was made.";
        Created time "created" [] "CREATED" 16 "When it was made.";
        State text "state" [] "STATE" 9 "State as EC2 says it.";
        Holder text "instance" ["holder"] "INSTANCE" 19 wide "The instance that has it.";
        HolderState text "instance_state" [] "INST STATE" 10 "State of that instance.";
        Stopped number(Seconds) "stopped" [] "STOPPED" 7
            "How long that instance has been stopped, where EC2 says it.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from its tags.";
        Project text "project" [] "PROJECT" 9 wide "Project, from its tags.";
        Environment text "environment" ["env"] "ENV" 7 "Environment, from its tags.";
        Id text "id" [] "ID" 22 key by('i') "Volume or snapshot id.";
        Name text "name" [] "NAME" 14 wide by('n')
            "Its Name tag; of a snapshot also its description.";
        Volume text "volume" [] "VOLUME" 22 "The volume that a snapshot is of.";
        Images number(Count) "images" ["amis"] "AMIS" 4
            "Images of the account that use the snapshot.";
        Encrypted choice(YES) "encrypted" [] "ENC" 3 "Whether a volume is encrypted.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
        Az text "az" ["zone"] "ZONE" 15 "Zone of a volume.";
        Billed number(Usd) "billed_usd" ["billed"] "BILLED" 8 unit("$")
            "What the newest bill says it cost in its month so far, net of discounts.";
    }
}

use BlockField as F;

impl TableField for BlockField {
    type Row = BlockRow;

    const NOUNS: [&'static str; 2] = ["volume or snapshot", "volumes and snapshots"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::UsdPerMonth,
        F::Savings,
        F::Kind,
        F::Used,
        F::Bytes,
        F::Age,
        F::Finding,
        F::Team,
        F::Id,
        F::Name,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Name, F::Team, F::Age, F::Used, F::Savings];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a BlockRow, ctx: &ViewContext) -> Value<'a> {
        let (volume, snapshot) = (row.volume(), row.snapshot());
        let of = |v: Option<u32>| Value::number(v.map(f64::from));
        let made = match row {
            BlockRow::Volume(v) => v.volume.created_at,
            BlockRow::Snapshot(s) => s.snapshot.started_at,
        };
        let since = |at: Option<jiff::Timestamp>| {
            Value::number(at.map(|at| ctx.now.duration_since(at).as_secs().max(0) as f64))
        };
        let holder = volume.and_then(|v| v.holders.first());
        let tagged = |of: fn(&VolumeRow) -> &Option<Arc<str>>,
                      or: fn(&SnapshotRow) -> &Option<Arc<str>>| {
            Value::maybe(match row {
                BlockRow::Volume(v) => of(v).as_deref(),
                BlockRow::Snapshot(s) => or(s).as_deref(),
            })
        };
        match self {
            F::UsdPerMonth => Value::number(row.usd()),
            F::Billed => Value::number(match row {
                BlockRow::Volume(v) => v.billed_usd,
                BlockRow::Snapshot(s) => s.billed_usd,
            }),
            F::Savings => Value::number(match row {
                BlockRow::Volume(v) => v.savings,
                BlockRow::Snapshot(s) => s.savings,
            }),
            F::What => Value::text(WHAT[usize::from(snapshot.is_some())]),
            F::Kind => Value::text(match row {
                BlockRow::Volume(v) => v.volume.kind.api(),
                BlockRow::Snapshot(s) if s.snapshot.tier == SnapshotTier::Archive => "archive",
                BlockRow::Snapshot(_) => "snapshot",
            }),
            F::Used => Value::maybe(volume.map(|v| v.used.word())),
            F::Bytes => Value::number(Some(match row {
                BlockRow::Volume(v) => f64::from(v.volume.size_gib) * GIB,
                BlockRow::Snapshot(s) => s
                    .snapshot
                    .full_bytes
                    .map_or(f64::from(s.snapshot.volume_gib) * GIB, |b| b as f64),
            })),
            F::Iops => of(volume.and_then(|v| v.volume.iops)),
            F::Throughput => of(volume.and_then(|v| v.volume.throughput_mibps)),
            F::Finding => Value::maybe(row.findings().first().map(|f| f.kind.word())),
            F::Age => since(made),
            F::Created => Value::time(made),
            F::State => Value::text(match row {
                BlockRow::Volume(v) => &v.volume.state,
                BlockRow::Snapshot(s) => &s.snapshot.state,
            }),
            F::Holder => Value::maybe(holder.map(|h| &*h.id)),
            F::HolderState => Value::maybe(
                holder.and_then(|h| h.state).map(crate::domain::instance::InstanceState::word),
            ),
            F::Stopped => since(holder.and_then(|h| h.stopped_at)),
            F::Team => tagged(|v| &v.team, |s| &s.team),
            F::Project => tagged(|v| &v.project, |s| &s.project),
            F::Environment => tagged(|v| &v.environment, |s| &s.environment),
            F::Id => Value::text(row.id()),
            F::Name => {
                let name = row.tags().get("Name").unwrap_or_default();
                match snapshot {
                    Some(s) if name.is_empty() => Value::text(&s.snapshot.description),
                    _ => Value::text(name),
                }
            }
            F::Volume => Value::maybe(snapshot.map(|s| &*s.snapshot.volume)),
            F::Images => Value::number(snapshot.map(|s| s.snapshot.images.len() as f64)),
            F::Encrypted => Value::maybe(volume.map(|v| YES[usize::from(v.volume.encrypted)])),
            F::Account => Value::text(&row.scope().account),
            F::Region => Value::text(&row.scope().region),
            F::Az => Value::maybe(volume.map(|v| &*v.volume.az)),
        }
    }

    fn role(self, row: &BlockRow) -> Role {
        match (self, row) {
            (F::Savings, _) => Role::Idle,
            (F::Used, BlockRow::Volume(v)) => match v.used {
                VolumeUse::Unattached | VolumeUse::Stopped => Role::Idle,
                VolumeUse::InUse => Role::Ok,
                VolumeUse::Unknown => Role::Text,
            },
            _ => Role::Text,
        }
    }

    fn origin(row: &BlockRow) -> Origin<'_> {
        Origin::of(row.scope())
    }

    fn rests_on(self, _: &BlockRow) -> SourceSet {
        SourceSet::of(if self == F::Id { &[] } else { &[SourceId::Ebs] })
    }

    fn cell(self, row: &BlockRow, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            // Of a snapshot only the most it can cost is known.
            (F::UsdPerMonth, Value::Number(usd)) if row.snapshot().is_some() => {
                words::at_most(usd, ctx.symbols)
            }
            (_, value) => words::cell(value, self.spec().kind, ctx),
        }
    }

    fn id(row: &BlockRow) -> &Arc<str> {
        row.id()
    }

    fn usd_per_hour(row: &BlockRow) -> Option<f64> {
        row.usd().map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn tag<'a>(row: &'a BlockRow, key: &str) -> Option<&'a str> {
        row.tags().get(key)
    }

    fn any_text(row: &BlockRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let holders = row.volume().map_or(&[][..], |v| &v.holders);
        holds(row.id())
            || row.tags().get("Name").is_some_and(&mut holds)
            || row.snapshot().is_some_and(|s| holds(&s.snapshot.description))
            || holders.iter().any(|h| holds(&h.id) || holds(&h.name))
            || holds(&row.scope().region)
    }
}
