//! The commitments of one account: reservations and capacity by region, plans of the account.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::guarded;
use super::super::poll::Poll;
use super::super::readings::Outcome;
use super::super::wake::Wake;
use super::keep::{Asked, Plans, kind};
use super::{Context, Input, candidates};
use crate::domain::{
    Commitment, CommitmentSource, CommitmentState, Commits, PlanType, SavingsPlan, Scope,
    SourceError, SourceId, is_due,
};

/// Rates change when AWS lowers prices; a day bounds how stale one can be.
const RATES_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Runs until stopped; with `only_once` one round of everything.
pub(super) async fn run(ctx: Context, scopes: Vec<Scope>) {
    let mut regions = tokio::task::JoinSet::new();
    for scope in scopes {
        regions.spawn(region(Context { scope, ..ctx.clone() }));
    }
    let plans = Context { scope: Scope::account_wide(ctx.scope.account.clone()), ..ctx.clone() };
    if ctx.only_once {
        // Capacity that is kept is usage too: plans are asked for its types.
        while regions.join_next().await.is_some() {}
        of_account(plans).await;
    } else {
        regions.spawn(of_account(plans));
        while regions.join_next().await.is_some() {}
    }
}

/// Reserved Instances and capacity of one region.
async fn region(ctx: Context) {
    let mut poll = Poll::new((), oldest(&ctx).await, ctx.settings().commitments_every);
    let mut wake = Wake::new(&ctx.shared);
    loop {
        // What was started or stopped fills or empties reserved capacity: what is used of it by others
        // is the difference, and both have to be of one moment.
        let asked = wake.begin();
        let forced = asked.refresh || asked.look;
        if forced || ctx.only_once || poll.is_due(ctx.shared.now()) {
            ctx.report(SourceId::Commitments, ctx.scope.clone(), Outcome::Loading).await;
            let (scope, account, region) = (&ctx.scope, &ctx.scope.account, &ctx.scope.region);
            let (reserved, capacity) = tokio::join!(
                guarded(
                    "ec2:DescribeReservedInstances",
                    ctx.source.reserved_instances(account, region)
                ),
                guarded(
                    "ec2:DescribeCapacityReservations",
                    ctx.source.capacity_reservations(account, region)
                ),
            );
            if let Ok(capacity) = &capacity {
                ctx.shared.savings.keep(scope, capacity);
            }
            let first = keep(&ctx, CommitmentSource::ReservedInstances, reserved).await;
            let second = keep(&ctx, CommitmentSource::CapacityReservations, capacity).await;
            let failed: Vec<Arc<SourceError>> = first.into_iter().chain(second).collect();
            tell(&ctx, &failed).await;
            poll.read_at = failed.is_empty().then(|| ctx.shared.now());
            if failed.is_empty() {
                wake.worked();
            } else if !ctx.only_once && failed.iter().any(|e| e.kind.may_pass()) {
                if !wake.pause().await {
                    return;
                }
                continue;
            }
        }
        if ctx.only_once || !wake.wait_or_look(poll.wait()).await {
            return;
        }
    }
}

/// When both lists of a region were there last.
async fn oldest(ctx: &Context) -> Option<Timestamp> {
    let now = ctx.shared.now();
    let of = |source| ctx.shared.cache.taken_at(kind::of(source), &ctx.scope, now);
    let reserved = of(CommitmentSource::ReservedInstances).await?;
    Some(reserved.min(of(CommitmentSource::CapacityReservations).await?))
}

/// Keeps a list and tells the board; the failure where there is none.
async fn keep(
    ctx: &Context,
    source: CommitmentSource,
    answer: Result<Vec<Commitment>, SourceError>,
) -> Option<Arc<SourceError>> {
    let answer = answer.map_err(Arc::new);
    if let Ok(items) = &answer {
        ctx.shared.cache.put(kind::of(source), &ctx.scope, ctx.shared.now(), items).await;
    }
    let failed = answer.as_ref().err().cloned();
    let scope = ctx.scope.clone();
    let _ = ctx.inputs.send(Input::Commitments { scope, source, answer }).await;
    failed
}

/// One that is missing makes the net unknown: the source has failed, whatever the other gave.
async fn tell(ctx: &Context, failed: &[Arc<SourceError>]) {
    let outcome = match failed {
        [] => Outcome::Good { coverage: 1.0 },
        [first, rest @ ..] => {
            for error in rest {
                ctx.trouble(SourceId::Commitments, &ctx.scope, error.clone()).await;
            }
            Outcome::Bad(first.clone())
        }
    };
    ctx.report(SourceId::Commitments, ctx.scope.clone(), outcome).await;
}

/// The plans of the account and their rates.
async fn of_account(ctx: Context) {
    let now = ctx.shared.now();
    let stored = ctx.shared.cache.get::<Plans>(kind::PLANS, &ctx.scope, now).await;
    let read_at = stored.as_ref().and_then(|s| s.taken_at);
    let kept = stored.map(|s| s.value);
    let mut poll = Poll::new(kept, read_at, ctx.settings().commitments_every);
    let mut types = ctx.shared.savings.types();
    let mut wake = Wake::new(&ctx.shared);
    ctx.shared.savings.known(ctx.only_once).await;
    loop {
        let forced = wake.begin().refresh;
        let running = types.borrow_and_update().by_region();
        let fleet = Wanted { all: candidates::by_region(&ctx, &running), running };
        let due = forced || ctx.only_once || poll.is_due(ctx.shared.now());
        let open = poll.value.as_ref().is_some_and(|k| is_open(k, &fleet.all, ctx.shared.now()));
        if due || open {
            ctx.report(SourceId::Commitments, ctx.scope.clone(), Outcome::Loading).await;
            match look(&ctx, &mut poll.value, due, &fleet).await {
                Ok(()) => {
                    tell(&ctx, &[]).await;
                    poll.read_at = Some(ctx.shared.now());
                    wake.worked();
                }
                Err(error) => {
                    poll.read_at = poll.read_at.filter(|_| !due);
                    let transient = error.kind.may_pass();
                    tell(&ctx, &[error]).await;
                    if !ctx.only_once && transient {
                        if !wake.pause().await {
                            return;
                        }
                        continue;
                    }
                }
            }
        }
        if ctx.only_once {
            return;
        }
        tokio::select! {
            going = wake.wait(poll.wait()) => if !going { return },
            seen = types.changed() => if seen.is_err() { return },
        }
    }
}

/// Reads the list where it is due, and the rates that are missing. What fails keeps its last good
/// value.
async fn look(
    ctx: &Context,
    kept: &mut Option<Plans>,
    due: bool,
    fleet: &Wanted,
) -> Result<(), Arc<SourceError>> {
    let source = CommitmentSource::SavingsPlans;
    if due || kept.is_none() {
        let call = ctx.source.savings_plans(&ctx.scope.account);
        match guarded("savingsplans:DescribeSavingsPlans", call).await {
            Ok(plans) => *kept = Some(merged(plans, kept.take())),
            Err(error) => {
                let error = Arc::new(error);
                let (scope, answer) = (ctx.scope.clone(), Err(error.clone()));
                let _ = ctx.inputs.send(Input::Commitments { scope, source, answer }).await;
                return Err(error);
            }
        }
    }
    let Some(known) = kept else { return Ok(()) };
    let mut failed = None;
    for plan in &mut known.plans {
        let asked = known.asked.entry(plan.id.clone()).or_default();
        if let Err(error) = rates(ctx, plan, asked, fleet).await {
            failed = Some(error);
        }
    }
    ctx.shared.cache.put(kind::PLANS, &ctx.scope, ctx.shared.now(), &*known).await;
    let (scope, answer) = (ctx.scope.clone(), Ok(known.plans.clone()));
    let _ = ctx.inputs.send(Input::Commitments { scope, source, answer }).await;
    failed.map_or(Ok(()), Err)
}

/// The new list with the rates that are known.
fn merged(plans: Vec<Commitment>, old: Option<Plans>) -> Plans {
    let mut old = old.unwrap_or_default();
    let mut out = Plans::default();
    for mut plan in plans {
        let known = old.plans.iter().find(|p| p.id == plan.id);
        if let (Commits::Plan(new), Some(Commits::Plan(known))) =
            (&mut plan.commits, known.map(|k| &k.commits))
        {
            new.rates.clone_from(&known.rates);
            new.rates_known = known.rates_known;
            out.asked.extend(old.asked.remove_entry(&plan.id));
        }
        out.plans.push(plan);
    }
    out
}

/// Types by region.
type ByRegion = BTreeMap<Arc<str>, BTreeSet<Arc<str>>>;

/// Instance types and regions whose rates are asked for.
struct Wanted {
    /// Types that run, and those that capacity is kept for: without their rates a plan's cover is not known.
    running: ByRegion,
    /// Those and the types that they may become, where sizes are judged.
    all: ByRegion,
}

/// Region and type of all usage that a plan may be applied to; `None` for plans that no instance
/// uses.
fn covered(plan: &Commitment, fleet: &ByRegion) -> Option<BTreeSet<(Arc<str>, Arc<str>)>> {
    let Commits::Plan(SavingsPlan { plan_type, region, family, .. }) = &plan.commits else {
        return None;
    };
    if plan.state == CommitmentState::Ended {
        return None;
    }
    let all = fleet.iter().flat_map(|(r, types)| types.iter().map(move |t| (r.clone(), t.clone())));
    let of_family = |t: &str| {
        let mut parts = t.split('.');
        parts.next() == family.as_deref()
    };
    match plan_type {
        PlanType::Compute => Some(all.collect()),
        PlanType::Ec2Instance => {
            Some(all.filter(|(r, t)| Some(r) == region.as_ref() && of_family(t)).collect())
        }
        PlanType::SageMaker | PlanType::Other => None,
    }
}

/// True when the rates of some plan do not reach for the fleet, or are old.
fn is_open(kept: &Plans, fleet: &ByRegion, now: Timestamp) -> bool {
    kept.plans.iter().any(|plan| {
        covered(plan, fleet).is_some_and(|wanted| {
            let asked = kept.asked.get(&plan.id);
            !wanted.is_empty()
                && asked.is_none_or(|a| {
                    is_due(Some(a.at), RATES_FOR, now) || !wanted.is_subset(&a.pairs)
                })
        })
    })
}

/// Asks for the rates that a plan lacks; all of them when they are old.
async fn rates(
    ctx: &Context,
    plan: &mut Commitment,
    asked: &mut Asked,
    fleet: &Wanted,
) -> Result<(), Arc<SourceError>> {
    let now = ctx.shared.now();
    let Some(wanted) = covered(plan, &fleet.all) else { return Ok(()) };
    let needed = covered(plan, &fleet.running).unwrap_or_default();
    let id = plan.id.clone();
    let Commits::Plan(terms) = &mut plan.commits else { return Ok(()) };
    let old = is_due(Some(asked.at), RATES_FOR, now);
    let missing: BTreeSet<_> =
        wanted.iter().filter(|pair| old || !asked.pairs.contains(*pair)).cloned().collect();
    if missing.is_empty() {
        terms.rates_known = true;
        return Ok(());
    }
    let types: BTreeSet<Arc<str>> = missing.iter().map(|(_, t)| t.clone()).collect();
    let regions: BTreeSet<Arc<str>> = missing.iter().map(|(r, _)| r.clone()).collect();
    let types: Vec<_> = types.into_iter().collect();
    let regions: Vec<_> = regions.into_iter().collect();
    let call = ctx.source.savings_plan_rates(&id, &types, &regions);
    match guarded("savingsplans:DescribeSavingsPlanRates", call).await {
        Ok(found) => {
            let new = |r: &Arc<str>, t: &Arc<str>| regions.contains(r) && types.contains(t);
            terms.rates.retain(|r| !new(&r.region, &r.instance_type));
            terms.rates.extend(found);
            terms.rates_known = true;
            if old {
                *asked = Asked { pairs: BTreeSet::new(), at: now };
            }
            asked.pairs.extend(wanted);
            Ok(())
        }
        Err(error) => {
            // Old rates of all that runs are better than none; a type without any is not known.
            terms.rates_known &= needed.is_subset(&asked.pairs);
            Err(Arc::new(error))
        }
    }
}
