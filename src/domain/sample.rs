//! One usual noun of each kind for tests, so that a test names what matters to it: `Instance { id: …, ..sample::instance() }`.

use std::sync::Arc;

use jiff::Timestamp;

use super::bill::{BillFormat, BillHead, PeriodState, Sums};
use super::storage::{Snapshot, SnapshotTier, Volume, VolumeKind};
use super::{
    Instance, InstanceState, Lifecycle, Platform, Resource, ResourceKind, Scope, Tags, Tenancy,
    Verdict, VerdictKind,
};

fn scope() -> Scope {
    Scope::new("123456789012", "us-east-1")
}

/// A running on-demand Linux box, launched in 1970, without volumes, owners, tags and addresses.
pub(crate) fn instance() -> Instance {
    Instance {
        id: "i-1".into(),
        scope: scope(),
        az: "us-east-1a".into(),
        name: "".into(),
        instance_type: "x.large".into(),
        state: InstanceState::Running,
        lifecycle: Lifecycle::OnDemand,
        tenancy: Tenancy::Shared,
        platform: Platform::Linux,
        launched_at: Timestamp::UNIX_EPOCH,
        block_devices: Vec::new(),
        ebs_root: true,
        owners: Vec::new(),
        tags: Tags::default(),
        private_dns: "".into(),
        private_ip: None,
        capacity_reservation: None,
        detailed_monitoring: false,
    }
}

/// A verdict with full coverage and nothing else.
pub(crate) fn verdict(kind: VerdictKind) -> Verdict {
    Verdict {
        kind,
        idle_since: None,
        idle_since_at_least: false,
        idle_gpus: None,
        devices: 0,
        coverage: 1.0,
        gpu_percent: None,
        cpu_percent: None,
        network_bytes_per_day: None,
        network_out_bytes_per_day: None,
        signals: Vec::new(),
        not_checked: Arc::default(),
        reason: "".into(),
        likely: None,
    }
}

/// A resource that is billed, without units, times and tags.
pub(crate) fn resource(kind: ResourceKind, id: &str) -> Resource {
    Resource {
        kind,
        id: id.into(),
        scope: scope(),
        name: id.into(),
        state: "available".into(),
        is_billed: true,
        created_at: None,
        changed_at: None,
        used_at: None,
        units: Vec::new(),
        serves: None,
        tags: Tags::default(),
    }
}

/// A gp3 volume of 100 GiB, attached to nothing.
pub(crate) fn volume() -> Volume {
    Volume {
        scope: scope(),
        id: "vol-1".into(),
        az: "us-east-1a".into(),
        kind: VolumeKind::Gp3,
        size_gib: 100,
        iops: None,
        throughput_mibps: None,
        state: "available".into(),
        attachments: Vec::new(),
        created_at: None,
        snapshot: "".into(),
        encrypted: false,
        tags: Tags::default(),
    }
}

/// A complete snapshot of a volume of 100 GiB that is gone.
pub(crate) fn snapshot() -> Snapshot {
    Snapshot {
        scope: scope(),
        id: "snap-1".into(),
        volume: "vol-9".into(),
        volume_gib: 100,
        full_bytes: None,
        started_at: None,
        state: "completed".into(),
        tier: SnapshotTier::Standard,
        images: Vec::new(),
        description: "".into(),
        tags: Tags::default(),
    }
}

/// The head of a closed bill of `period` (`YYYY-MM`) in CUR 2.0, read three days into November 2026, without lines, payer
/// and notes.
pub(crate) fn bill_head(period: &str) -> BillHead {
    BillHead {
        export: "test".into(),
        format: BillFormat::Cur2,
        provider: "AWS".into(),
        payer: "".into(),
        period: period.parse().unwrap(),
        state: PeriodState::Closed,
        lines: 0,
        total: Sums::default(),
        has_net: false,
        has_resources: false,
        has_days: false,
        resources_folded: 0,
        last_day: 0,
        written_at: None,
        read_at: "2026-11-03T00:00:00Z".parse().unwrap(),
        notes: vec![],
    }
}
