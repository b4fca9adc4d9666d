//! Looking at instances closely, before a confirmation and again right before a call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::act::exec::pace::Instant;
use futures_util::stream::{self, StreamExt as _};
use futures_util::{FutureExt as _, future};
use jiff::Timestamp;

use super::{AccountAccess, Operator, SCOPES_AT_ONCE};
use crate::act::plan::{CheckedRow, MAX_BATCH, Plan, PlanItem, Verb, guard, recheck};
use crate::domain::{
    AcceleratorKind, Caller, ErrorKind, Inspection, Instance, Known, Recent, Scope, SourceError,
    TypeSpec,
};
use crate::source::ledger::BilledApi;

/// Series of `AWS/EC2` that the re-measurement asks for, per instance: CPU mean and maximum,
/// network in and out. Each is billed.
const SERIES: u64 = 4;

/// Single questions about permission that wait at the same time.
const QUESTIONS_AT_ONCE: usize = 8;

/// Fresh facts about some rows, checked by the guards.
pub(super) struct Looked {
    /// One per row that was asked for, in that order.
    pub rows: Vec<LookedRow>,
    /// ARN of the caller by account; an account whose caller is not known is absent.
    pub callers: BTreeMap<Arc<str>, Arc<str>>,
}

/// One row with its fresh facts.
pub(super) struct LookedRow {
    /// The row with the findings of the guards.
    pub checked: CheckedRow,
    /// Facts that the guards judged.
    pub inspection: Inspection,
}

/// The facts about one row.
struct Facts {
    inspection: Inspection,
    recent: Known<Recent>,
    permitted: Known<()>,
}

impl Operator {
    /// Asks everything about `items` of `plan`, in parallel, and holds it against the guards.
    pub(super) async fn look(&self, plan: &Plan, items: &[Arc<PlanItem>]) -> Looked {
        let deadline = Instant::now() + self.patience.look;
        let accounts: BTreeSet<&Arc<str>> = items.iter().map(|i| &i.scope.account).collect();
        let callers = accounts.into_iter().map(|account| {
            async move { (account.clone(), self.caller(account, deadline).await) }.boxed()
        });
        let mut scopes: BTreeMap<&Scope, Vec<usize>> = BTreeMap::new();
        for (n, item) in items.iter().enumerate() {
            scopes.entry(&item.scope).or_default().push(n);
        }
        let chunks = scopes.iter().flat_map(|(scope, rows)| {
            rows.chunks(MAX_BATCH).map(move |rows| {
                let asked: Vec<&Arc<PlanItem>> = rows.iter().map(|n| &items[*n]).collect();
                let rows = rows.to_vec();
                async move { (rows, self.facts(plan, scope, &asked, deadline).await) }.boxed()
            })
        });
        let callers = stream::iter(callers.collect::<Vec<_>>()).buffer_unordered(SCOPES_AT_ONCE);
        let chunks = stream::iter(chunks.collect::<Vec<_>>()).buffer_unordered(SCOPES_AT_ONCE);
        let (callers, chunks) =
            future::join(callers.collect::<HashMap<_, _>>(), chunks.collect::<Vec<_>>()).await;
        let mut facts: HashMap<usize, Facts> = HashMap::new();
        for (rows, found) in chunks {
            facts.extend(rows.into_iter().zip(found));
        }
        let now = self.now();
        let rows = items.iter().enumerate().map(|(n, item)| {
            let facts = facts.remove(&n).unwrap_or_else(|| {
                Facts::unknown(&item.id, now, &error(ErrorKind::Other, "look", "nobody looked"))
            });
            let unasked = Err(no_access(&item.scope.account));
            let caller = callers.get(&item.scope.account).unwrap_or(&unasked);
            let checked = guard::check(&guard::GuardInput {
                plan,
                item,
                caller,
                inspection: &facts.inspection,
                recent: &facts.recent,
                permitted: &facts.permitted,
                executor: self
                    .accounts
                    .get(&item.scope.account)
                    .map_or("read-only", |p| p.executor.name()),
                rules: &self.rules,
                now,
            });
            LookedRow { checked, inspection: facts.inspection }
        });
        let rows = rows.collect();
        let arns = callers.into_iter().filter_map(|(account, c)| Some((account, c.ok()?.arn)));
        Looked { rows, callers: arns.collect() }
    }

    async fn caller(&self, account: &Arc<str>, deadline: Instant) -> Known<Caller> {
        let access = self.accounts.get(account).ok_or_else(|| no_access(account))?;
        let asked =
            Self::within(deadline, "sts:GetCallerIdentity", access.inspector.caller()).await?;
        let identity = asked.map_err(Arc::new)?;
        Ok(Caller { account: identity.account, arn: identity.arn })
    }

    /// The facts about at most [`MAX_BATCH`] instances of one scope, in order.
    async fn facts(
        &self,
        plan: &Plan,
        scope: &Scope,
        items: &[&Arc<PlanItem>],
        deadline: Instant,
    ) -> Vec<Facts> {
        let Some(access) = self.accounts.get(&scope.account) else {
            let why = no_access(&scope.account);
            return items.iter().map(|i| Facts::unknown(&i.id, self.now(), &why)).collect();
        };
        let ids: Vec<Arc<str>> = items.iter().map(|i| i.id.clone()).collect();
        let asked = access.inspector.inspect(scope, &ids);
        let inspections = match Self::within(deadline, "ec2:DescribeInstances", asked).await {
            Ok(found) if found.len() == ids.len() => found,
            Ok(_) => {
                let why = error(ErrorKind::Malformed, "inspect", "an instance was left out");
                return ids.iter().map(|id| Facts::unknown(id, self.now(), &why)).collect();
            }
            Err(why) => return ids.iter().map(|id| Facts::unknown(id, self.now(), &why)).collect(),
        };
        let named = |(i, id): (Inspection, &Arc<str>)| {
            if i.id == *id {
                return i;
            }
            let why = error(ErrorKind::Malformed, "inspect", "another instance was answered");
            unknown(id, self.now(), &why)
        };
        let inspections: Vec<Inspection> = inspections.into_iter().zip(&ids).map(named).collect();
        let (recent, permitted) = future::join(
            self.recent(access, plan, scope, items, &inspections, deadline),
            Self::permitted(access, &plan.verb, scope, &inspections, deadline),
        )
        .await;
        let facts = inspections.into_iter().zip(recent).zip(permitted);
        facts
            .map(|((inspection, recent), permitted)| Facts { inspection, recent, permitted })
            .collect()
    }

    /// What the instances did in the last minutes. Only what ends work needs to know: for anything
    /// else it is not measured, and says so.
    async fn recent(
        &self,
        access: &AccountAccess,
        plan: &Plan,
        scope: &Scope,
        items: &[&Arc<PlanItem>],
        inspections: &[Inspection],
        deadline: Instant,
    ) -> Vec<Known<Recent>> {
        const OPERATION: &str = "cloudwatch:GetMetricData";
        if !plan.verb.is_destructive() {
            let why = error(ErrorKind::Unavailable, OPERATION, "not measured: no work is ended");
            return inspections.iter().map(|_| Err(why.clone())).collect();
        }
        let mut answers: Vec<Known<Recent>> = Vec::with_capacity(items.len());
        let mut asked: Vec<(usize, (Arc<Instance>, u32))> = Vec::new();
        for (n, inspection) in inspections.iter().enumerate() {
            let why = match measurable(inspection) {
                Ok(what) => {
                    asked.push((n, what));
                    error(ErrorKind::Malformed, OPERATION, "left out of the answer")
                }
                Err(why) => why,
            };
            answers.push(Err(why));
        }
        if asked.is_empty() {
            return answers;
        }
        let now = self.now();
        let starts = asked.iter().map(|(n, _)| recheck::window(items[*n], &self.rules, now).0);
        let from = starts.min().unwrap_or(now);
        let (rows, instances): (Vec<usize>, Vec<(Arc<Instance>, u32)>) = asked.into_iter().unzip();
        let found = match self.charge(&instances, now).await {
            Ok(()) => {
                let asked = access.inspector.recent(scope, &instances, from, now);
                Self::within(deadline, OPERATION, asked).await
            }
            Err(why) => Err(why),
        };
        match found {
            Ok(found) if found.len() == rows.len() => {
                for ((n, (instance, _)), recent) in rows.into_iter().zip(&instances).zip(found) {
                    let is_its = recent.as_ref().map_or(true, |r| r.id == instance.id);
                    if is_its {
                        answers[n] = recent;
                    }
                }
            }
            Ok(_) => {}
            Err(why) => rows.into_iter().for_each(|n| answers[n] = Err(why.clone())),
        }
        answers
    }

    /// Charges a re-measurement before it is made.
    async fn charge(&self, instances: &[(Arc<Instance>, u32)], now: Timestamp) -> Known<()> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let metrics = instances.iter().map(|(_, gpus)| SERIES + u64::from(*gpus)).sum();
        let mut charged = ledger.charge(BilledApi::GetMetricData, metrics, now).await;
        // The dimensions of the agent's GPU series are looked up first.
        if charged.is_ok() && instances.iter().any(|(_, gpus)| *gpus > 0) {
            charged = ledger.charge(BilledApi::ListMetrics, 1, now).await;
        }
        charged.map_err(|refused| Arc::new(refused.error("re-measurement")))
    }

    /// Whether the caller may do it, for each instance that exists. Asked for all at once; when
    /// that is refused, one by one, so that a denial of one resource blocks one row.
    async fn permitted(
        access: &AccountAccess,
        verb: &Verb,
        scope: &Scope,
        inspections: &[Inspection],
        deadline: Instant,
    ) -> Vec<Known<()>> {
        const OPERATION: &str = "dry run";
        let exists = |i: &&Inspection| matches!(i.instance, Ok(Some(_)));
        let ids: Vec<Arc<str>> = inspections.iter().filter(exists).map(|i| i.id.clone()).collect();
        let ask = |ids: Vec<Arc<str>>| async move {
            let asked =
                Self::within(deadline, OPERATION, access.executor.permitted(scope, verb, &ids))
                    .await;
            asked.and_then(|answer| answer.map_err(Arc::new))
        };
        let mut answers: HashMap<Arc<str>, Known<()>> = HashMap::new();
        if !ids.is_empty() {
            match ask(ids.clone()).await {
                Err(why) if ids.len() > 1 && may_differ(why.kind) => {
                    let single = ids
                        .into_iter()
                        .map(|id| async { (id.clone(), ask(vec![id]).await) }.boxed());
                    let single = stream::iter(single.collect::<Vec<_>>());
                    answers = single.buffer_unordered(QUESTIONS_AT_ONCE).collect().await;
                }
                all => answers.extend(ids.into_iter().map(|id| (id, all.clone()))),
            }
        }
        let unasked = || Err(error(ErrorKind::Unavailable, OPERATION, "there is no such instance"));
        inspections.iter().map(|i| answers.remove(&i.id).unwrap_or_else(unasked)).collect()
    }
}

impl Facts {
    fn unknown(id: &Arc<str>, at: Timestamp, why: &Arc<SourceError>) -> Self {
        let inspection = unknown(id, at, why);
        Self { inspection, recent: Err(why.clone()), permitted: Err(why.clone()) }
    }
}

/// True when single instances may be answered otherwise than all of them: a refusal or an unknown
/// id is about one of them, a time-out or missing credentials are about none.
fn may_differ(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::Throttled
            | ErrorKind::Timeout
            | ErrorKind::Network
            | ErrorKind::NoCredentials
            | ErrorKind::Expired
            | ErrorKind::ClockSkew
    )
}

/// The instance and its number of NVIDIA GPUs, when enough is known to measure it whole: with an
/// unknown number of GPUs, silence of one of them could not be told from idleness.
fn measurable(inspection: &Inspection) -> Known<(Arc<Instance>, u32)> {
    let gone = || error(ErrorKind::Unavailable, "re-measurement", "there is no such instance");
    let strange = || error(ErrorKind::Unavailable, "re-measurement", "its type is not known");
    let instance = inspection.instance.clone()?.ok_or_else(gone)?;
    let spec = inspection.spec.clone()?.ok_or_else(strange)?;
    Ok((instance, nvidia_gpus(&spec)))
}

fn nvidia_gpus(spec: &TypeSpec) -> u32 {
    let nvidia = spec.accelerator.as_ref().filter(|a| a.kind == AcceleratorKind::NvidiaGpu);
    nvidia.map_or(0, |a| a.devices)
}

fn error(kind: ErrorKind, operation: &str, message: &str) -> Arc<SourceError> {
    Arc::new(SourceError::new(kind, operation, message, ""))
}

fn no_access(account: &str) -> Arc<SourceError> {
    let message = format!("account {account} is not among the accounts of this session");
    let fix = "start with a profile or role for it";
    Arc::new(SourceError::new(ErrorKind::NoCredentials, "look", &message, fix))
}

/// An inspection that answers nothing.
fn unknown(id: &Arc<str>, taken_at: Timestamp, why: &Arc<SourceError>) -> Inspection {
    Inspection {
        id: id.clone(),
        taken_at,
        instance: Err(why.clone()),
        spec: Err(why.clone()),
        launch: Err(why.clone()),
        termination_protection: Err(why.clone()),
        stop_protection: Err(why.clone()),
        volumes: Err(why.clone()),
        addresses: Err(why.clone()),
        group: Err(why.clone()),
        target_groups: Err(why.clone()),
        spot: Err(why.clone()),
    }
}
