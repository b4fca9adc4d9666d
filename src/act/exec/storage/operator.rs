//! The operator of storage: checks a plan, carries out a confirmed one, says what became of each
//! row.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};
use jiff::Timestamp;

use super::backup::Backups;
use super::executor::StorageExecutor;
use super::{reconcile, run};
use crate::act::exec::ActError;
use crate::act::exec::audit::{AuditCopy, Journal};
use crate::act::exec::pace::{Instant, timeout_at};
use crate::act::exec::patience::Patience;
use crate::act::plan::storage::guard::{StorageScene, check};
use crate::act::plan::storage::{
    CheckedStorage, Matter, Step, Storage, StorageItem, StoragePlan, StorageVerb,
};
use crate::act::plan::{Confirmed, Outcome, Preflighted, Progress, Rules, Verified};
use crate::domain::storage::StorageLook;
use crate::domain::{Caller, ErrorKind, Known, SourceError};
use crate::source::inspect_storage::StorageInspector;
use crate::source::ledger::{BilledApi, Ledger};

/// Number of rows that are looked at, or acted on, at the same time.
pub(super) const ROWS_AT_ONCE: usize = 4;

/// The inspector and the executor of one account.
#[derive(Clone)]
pub struct StorageAccess {
    /// Reads the account: who the caller is, its volumes and buckets.
    pub inspector: Arc<dyn StorageInspector>,
    /// Executes orders in the account; [`super::RefuseStorage`] where nothing may be done.
    pub executor: Arc<dyn StorageExecutor>,
}

/// Checks and carries out plans about storage, for all accounts; see
/// [`crate::act::exec::Operator`].
pub struct StorageOperator {
    pub(super) rules: Rules,
    pub(super) journal: Arc<Journal>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ledger: Option<Ledger>,
    pub(super) patience: Patience,
    pub(super) backups: Option<Backups>,
    pub(super) copies: Vec<Arc<dyn AuditCopy>>,
    pub(super) accounts: HashMap<Arc<str>, StorageAccess>,
}

/// A row with its fresh facts, checked by the guards.
pub(super) struct Looked {
    pub checked: CheckedStorage,
    pub look: StorageLook,
    pub caller: Option<Arc<str>>,
}

impl StorageOperator {
    /// An operator without accounts: see [`StorageOperator::add`]. `clock` returns the present
    /// moment.
    pub fn new(
        rules: Rules,
        journal: Arc<Journal>,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Self {
        let patience = Patience::storage();
        let accounts = HashMap::new();
        let copies = Vec::new();
        Self { rules, journal, clock, ledger: None, patience, backups: None, copies, accounts }
    }

    /// Charges billed requests to `ledger` before they are made. Without a ledger nothing is
    /// charged.
    #[must_use]
    pub fn with_ledger(mut self, ledger: Ledger) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// Waits longer, or less long.
    #[must_use]
    #[cfg(test)]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Keeps former configurations and undo files in `backups`. Without it no configuration is put.
    #[must_use]
    pub fn with_backups(mut self, backups: Backups) -> Self {
        self.backups = Some(backups);
        self
    }

    /// Copies the audit log to `copy` too, after each run.
    #[must_use]
    pub fn with_copy(mut self, copy: Arc<dyn AuditCopy>) -> Self {
        self.copies.push(copy);
        self
    }

    /// Adds an account by its id. Rows of accounts that were not added are blocked.
    pub fn add(&mut self, account: Arc<str>, access: StorageAccess) {
        self.accounts.insert(account, access);
    }

    /// Rules that its plans are checked against.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Audit log that it writes to.
    pub fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Asks everything about every row of a plan and holds it against the guards. Changes nothing.
    pub async fn preflight(&self, plan: Arc<StoragePlan>) -> Preflighted<Storage> {
        let items: Vec<Arc<StorageItem>> = plan.items.iter().cloned().map(Arc::new).collect();
        let looks = items.iter().map(|item| self.look(&plan, item, None, true).boxed());
        let looks: Vec<_> = looks.collect();
        let looked: Vec<Looked> = stream::iter(looks).buffered(ROWS_AT_ONCE).collect().await;
        let mut callers = BTreeMap::new();
        let mut rows = Vec::new();
        for looked in looked {
            let account = looked.checked.item.scope.account.clone();
            callers.extend(looked.caller.map(|arn| (account, arn)));
            rows.push(looked.checked);
        }
        Preflighted::of_storage(plan, rows, self.now(), callers, &self.rules.caps)
    }

    /// Carries out a confirmed plan: once, and within sixty seconds of the confirmation. `say` is
    /// told what happens; it must not block.
    pub async fn execute(
        &self,
        confirmed: &Confirmed<Storage>,
        say: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Verified<StorageItem>, ActError> {
        run::execute(self, confirmed, say).await
    }

    /// Reconciles the intents about storage of runs that died: looks at each volume or bucket and
    /// writes its outcome. What cannot be read is left for the next time, and is unknown in the
    /// answer.
    pub async fn reconcile(&self) -> Result<Vec<Outcome>, ActError> {
        reconcile::reconcile(self).await
    }

    /// Reads one row and asks the guards about it. With `whole` the billed question about its use
    /// and the dry run of the call are asked too; without it, only what shows the effect of a call.
    pub(super) async fn look(
        &self,
        plan: &StoragePlan,
        item: &Arc<StorageItem>,
        step: Option<Step>,
        whole: bool,
    ) -> Looked {
        let account = &item.scope.account;
        let access = self.accounts.get(account);
        let (caller, look, permitted) = match access {
            None => {
                let why = no_access(account);
                (Err(why.clone()), self.unseen(item, &why), Err(why))
            }
            Some(access) => {
                let permitted = async {
                    if whole { self.permitted(access, plan.verb, item).await } else { Ok(()) }
                };
                tokio::join!(
                    self.caller(access),
                    self.see(access, plan.verb, item, whole),
                    permitted
                )
            }
        };
        let executor = access.map_or("read-only", |p| p.executor.name());
        let checked = check(&StorageScene {
            plan,
            item,
            step,
            caller: &caller,
            look: &look,
            permitted: &permitted,
            executor,
            rules: &self.rules,
            now: self.now(),
        });
        Looked { checked, look, caller: caller.ok().map(|c| c.arn) }
    }

    async fn caller(&self, access: &StorageAccess) -> Known<Caller> {
        let asked = self.within("sts:GetCallerIdentity", access.inspector.caller()).await?;
        let identity = asked.map_err(Arc::new)?;
        Ok(Caller { account: identity.account, arn: identity.arn })
    }

    async fn permitted(
        &self,
        access: &StorageAccess,
        verb: StorageVerb,
        item: &StorageItem,
    ) -> Known<()> {
        let asked = self.within("dry run", access.executor.permitted(verb, item)).await?;
        asked.map_err(Arc::new)
    }

    /// Reads the volume or bucket of a row; each fact that could not be read is an error.
    pub(super) async fn see(
        &self,
        access: &StorageAccess,
        verb: StorageVerb,
        item: &StorageItem,
        whole: bool,
    ) -> StorageLook {
        let seen = match &item.matter {
            Matter::Volume(volume) => {
                let mut use_too = whole && verb == StorageVerb::DeleteVolume;
                let mut refused = None;
                if use_too && let Some(ledger) = &self.ledger {
                    let charged = ledger.charge(BilledApi::ListMetrics, 1, self.now()).await;
                    refused = charged.err().map(|e| e.to_string());
                    use_too = refused.is_none();
                }
                let asked = access.inspector.volume(&item.scope, &volume.id, use_too);
                let looked = self.within("ec2:DescribeVolumes", asked).await;
                looked.map(|mut look| {
                    if let Some(why) = refused {
                        look.recently_attached =
                            Err(failed(ErrorKind::OwnCostCap, "cloudwatch:ListMetrics", &why));
                    }
                    StorageLook::Volume(look)
                })
            }
            Matter::Bucket(bucket) => {
                let asked = access.inspector.bucket(&item.scope, &bucket.name);
                self.within("s3:GetLifecycleConfiguration", asked).await.map(StorageLook::Bucket)
            }
        };
        seen.unwrap_or_else(|why| self.unseen(item, &why))
    }

    /// Facts about a row in which everything is the error `why`.
    pub(super) fn unseen(&self, item: &StorageItem, why: &Arc<SourceError>) -> StorageLook {
        use crate::domain::storage::{BucketLook, VolumeLook};
        let why = || why.clone();
        match &item.matter {
            Matter::Volume(volume) => StorageLook::Volume(VolumeLook {
                id: volume.id.clone(),
                taken_at: self.now(),
                volume: Err(why()),
                modification: Err(why()),
                snapshots: Err(why()),
                recently_attached: Err(why()),
            }),
            Matter::Bucket(bucket) => StorageLook::Bucket(BucketLook {
                name: bucket.name.clone(),
                taken_at: self.now(),
                lifecycle: Err(why()),
                versioning: Err(why()),
                locked: Err(why()),
                replicates: Err(why()),
                tags: Err(why()),
            }),
        }
    }

    /// Waits for an answer, for the time of one call. A panic of what answers counts as an error.
    pub(super) async fn within<T>(
        &self,
        operation: &str,
        answer: impl Future<Output = T>,
    ) -> Known<T> {
        let deadline = Instant::now() + self.patience.call;
        match timeout_at(deadline, AssertUnwindSafe(answer).catch_unwind()).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(failed(ErrorKind::Other, operation, "burntop failed inside")),
            Err(_) => Err(failed(ErrorKind::Timeout, operation, "no answer in time")),
        }
    }
}

fn failed(kind: ErrorKind, operation: &str, message: &str) -> Arc<SourceError> {
    Arc::new(SourceError::new(kind, operation, message, "look again"))
}

fn no_access(account: &str) -> Arc<SourceError> {
    let message = format!("account {account} is not among those of this session");
    let fix = "add a profile for it to the configuration";
    Arc::new(SourceError::new(ErrorKind::NoCredentials, "account", &message, fix))
}
