//! Storage in memory: what the demo acts on. It keeps what is put into it, refuses what AWS would
//! refuse, and changes nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::executor::{StorageExecutor, StorageReceipt};
use crate::act::plan::storage::{Deed, StorageItem, StorageOrder, StorageVerb, lifecycle_hash};
use crate::domain::storage::{
    Bucket, BucketLook, Lifecycle, LifecycleSeen, ModificationState, Snapshot, SnapshotTier,
    Versioning, Volume, VolumeKind, VolumeLook, VolumeModification,
};
use crate::domain::{ErrorKind, Scope, SourceError, Tags};
use crate::source::inspect_storage::StorageInspector;
use crate::source::pages::Pages;
use crate::source::{Identity, Inspector, StorageSource};

/// A bucket in memory.
#[derive(Clone, Debug, PartialEq)]
struct BucketState {
    lifecycle: Option<Lifecycle>,
    versioning: Versioning,
    tags: Tags,
}

#[derive(Debug, Default)]
struct State {
    volumes: BTreeMap<Arc<str>, Volume>,
    modifications: BTreeMap<Arc<str>, VolumeModification>,
    snapshots: Vec<Snapshot>,
    buckets: BTreeMap<Arc<str>, BucketState>,
    /// Volumes that were deleted here.
    deleted: BTreeSet<Arc<str>>,
    calls: u64,
}

/// The storage of one account, inspector and executor in one. Clones see the same storage.
#[derive(Clone)]
pub struct MemoryStorage {
    who: Arc<dyn Inspector>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    snapshot_takes: SignedDuration,
    origin: Option<Arc<dyn StorageSource>>,
    state: Arc<Mutex<State>>,
}

impl MemoryStorage {
    /// An account without storage, whose caller is `who`. A snapshot completes after
    /// `snapshot_takes`.
    pub fn new(
        who: Arc<dyn Inspector>,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
        snapshot_takes: SignedDuration,
    ) -> Self {
        Self { who, clock, snapshot_takes, origin: None, state: Arc::default() }
    }

    /// Adds the storage of `origin`; what was changed here is no longer taken from it.
    #[must_use]
    pub fn over(self, origin: Arc<dyn StorageSource>) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Volumes of `scope` at this moment, those of the origin included.
    pub async fn volumes_of(&self, scope: &Scope) -> Result<Vec<Volume>, SourceError> {
        self.take_volumes(scope).await?;
        Ok(self.volumes().into_iter().filter(|v| v.scope == *scope).collect())
    }

    /// Takes the volumes of a scope from the origin, but those that were changed or deleted here.
    async fn take_volumes(&self, scope: &Scope) -> Result<(), SourceError> {
        let Some(origin) = &self.origin else { return Ok(()) };
        let pages = Pages::of("ec2:DescribeVolumes", &scope.region);
        let all = pages.all(|token| origin.volumes(scope, token)).await?;
        let mut state = self.state();
        for volume in all {
            if !state.deleted.contains(&volume.id) {
                state.volumes.entry(volume.id.clone()).or_insert(volume);
            }
        }
        Ok(())
    }

    /// Takes a bucket from the origin, unless it is here already.
    async fn take_bucket(&self, scope: &Scope, name: &Arc<str>) {
        let Some(origin) = &self.origin else { return };
        if self.state().buckets.contains_key(name) {
            return;
        }
        let bucket = Bucket {
            scope: scope.clone(),
            name: name.clone(),
            created_at: None,
            is_directory: false,
        };
        let config = origin.config(&bucket).await;
        if let (Ok(lifecycle), Ok(versioning), Ok(tags)) =
            (config.lifecycle, config.versioning, config.tags)
        {
            self.add_bucket(name.clone(), lifecycle.map(|l| (*l).clone()), versioning, tags);
        }
    }

    /// Adds a volume.
    #[cfg(test)]
    pub fn add_volume(&self, volume: Volume) {
        self.state().volumes.insert(volume.id.clone(), volume);
    }

    /// Adds a bucket.
    pub fn add_bucket(
        &self,
        name: Arc<str>,
        lifecycle: Option<Lifecycle>,
        versioning: Versioning,
        tags: Tags,
    ) {
        self.state().buckets.insert(name, BucketState { lifecycle, versioning, tags });
    }

    /// All volumes now.
    pub fn volumes(&self) -> Vec<Volume> {
        self.state().volumes.values().cloned().collect()
    }

    /// All snapshots now.
    #[cfg(test)]
    pub fn snapshots(&self) -> Vec<Snapshot> {
        let now = (self.clock)();
        self.state().snapshots.iter().map(|s| self.at(s, now)).collect()
    }

    /// The configuration of a bucket; `None` without one, or without such a bucket.
    #[cfg(test)]
    pub fn lifecycle(&self, bucket: &str) -> Option<Lifecycle> {
        self.state().buckets.get(bucket)?.lifecycle.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A snapshot as it is at a moment.
    fn at(&self, snapshot: &Snapshot, now: Timestamp) -> Snapshot {
        let begun = snapshot.started_at.unwrap_or(now);
        let done = now.duration_since(begun) >= self.snapshot_takes;
        let state = if done { "completed" } else { "pending" };
        Snapshot { state: state.into(), ..snapshot.clone() }
    }
}

fn refused(operation: &str, message: &str) -> SourceError {
    SourceError::new(ErrorKind::Refused, operation, message, "")
}

#[async_trait::async_trait]
impl StorageInspector for MemoryStorage {
    async fn caller(&self) -> Result<Identity, SourceError> {
        self.who.caller().await
    }

    async fn volume(&self, scope: &Scope, id: &Arc<str>, _: bool) -> VolumeLook {
        let taken = if self.state().volumes.contains_key(id) {
            Ok(())
        } else {
            self.take_volumes(scope).await
        };
        let now = (self.clock)();
        let state = self.state();
        let snapshots = state.snapshots.iter().filter(|s| s.volume == *id);
        VolumeLook {
            id: id.clone(),
            taken_at: now,
            volume: taken.map(|()| state.volumes.get(id).cloned().map(Arc::new)).map_err(Arc::new),
            modification: Ok(state.modifications.get(id).cloned()),
            snapshots: Ok(snapshots.map(|s| self.at(s, now)).collect()),
            recently_attached: Ok(false),
        }
    }

    async fn bucket(&self, scope: &Scope, name: &Arc<str>) -> BucketLook {
        self.take_bucket(scope, name).await;
        let state = self.state();
        let gone = || Arc::new(refused("s3:GetLifecycleConfiguration", "there is no such bucket"));
        let bucket = state.buckets.get(name);
        let known = bucket.ok_or_else(gone);
        let seen = |b: &BucketState| LifecycleSeen {
            lifecycle: b.lifecycle.clone(),
            document: b
                .lifecycle
                .as_ref()
                .map(crate::act::plan::storage::backup_text)
                .unwrap_or_default(),
            unknown_parts: Vec::new(),
        };
        BucketLook {
            name: name.clone(),
            taken_at: (self.clock)(),
            lifecycle: known.clone().map(seen),
            versioning: known.clone().map(|b| b.versioning),
            locked: known.clone().map(|_| false),
            replicates: known.clone().map(|_| false),
            tags: known.map(|b| b.tags.clone()),
        }
    }
}

#[async_trait::async_trait]
impl StorageExecutor for MemoryStorage {
    fn name(&self) -> &'static str {
        "demo"
    }

    async fn permitted(&self, _: StorageVerb, _: &StorageItem) -> Result<(), SourceError> {
        Ok(())
    }

    async fn act(&self, order: &StorageOrder) -> Result<StorageReceipt, SourceError> {
        let now = (self.clock)();
        let mut state = self.state();
        state.calls += 1;
        let number = state.calls;
        match order.deed() {
            Deed::Snapshot { volume } => {
                let Some(found) = state.volumes.get(volume).cloned() else {
                    return Err(refused("ec2:CreateSnapshot", "there is no such volume"));
                };
                state.snapshots.push(Snapshot {
                    scope: order.scope().clone(),
                    id: format!("snap-{number:017x}").into(),
                    volume: volume.clone(),
                    volume_gib: found.size_gib,
                    full_bytes: None,
                    started_at: Some(now),
                    state: "pending".into(),
                    tier: SnapshotTier::Standard,
                    images: Vec::new(),
                    description: format!("burntop: before {volume} is deleted").into(),
                    tags: Tags::default(),
                });
            }
            Deed::Delete { volume, .. } => {
                let attached = state.volumes.get(volume).map(|v| !v.attachments.is_empty());
                match attached {
                    None => return Err(refused("ec2:DeleteVolume", "there is no such volume")),
                    Some(true) => return Err(refused("ec2:DeleteVolume", "it is in use")),
                    Some(false) => {
                        state.volumes.remove(volume);
                        state.deleted.insert(volume.clone());
                    }
                }
            }
            Deed::Modify { volume, target } => {
                let Some(found) = state.volumes.get_mut(volume) else {
                    return Err(refused("ec2:ModifyVolume", "there is no such volume"));
                };
                found.kind = VolumeKind::Gp3;
                found.iops = Some(target.iops);
                found.throughput_mibps = Some(target.throughput_mibps);
                let modification = VolumeModification {
                    state: ModificationState::Optimizing,
                    kind: VolumeKind::Gp3,
                    iops: Some(target.iops),
                    throughput_mibps: Some(target.throughput_mibps),
                    started_at: Some(now),
                };
                state.modifications.insert(volume.clone(), modification);
            }
            Deed::Put { bucket, before_sha256, .. } | Deed::Clear { bucket, before_sha256 } => {
                const OPERATION: &str = "s3:PutLifecycleConfiguration";
                let Some(there) = state.buckets.get_mut(bucket) else {
                    return Err(refused(OPERATION, "there is no such bucket"));
                };
                if lifecycle_hash(there.lifecycle.as_ref()) != *before_sha256 {
                    let why = "somebody changed the configuration at this moment; nothing was put";
                    return Err(refused(OPERATION, why));
                }
                there.lifecycle = match order.deed() {
                    Deed::Put { fit, .. } => Some(fit.lifecycle().clone()),
                    _ => None,
                };
            }
        }
        let request_ids = vec![format!("demo-{number}")];
        Ok(StorageReceipt { request_ids, pretended: false })
    }
}
