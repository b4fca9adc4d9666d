//! One instance.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::fit::{Ask, Candidate, Market};
use super::need::{Evidence, GpuMemory, SizingInput, evidence};
use super::rules::SizeRules;
use super::seen::hours;
use super::types::{Traits, family};
use crate::analyze::savings::SavingsInput;
use crate::analyze::shared_texts::Shared;
use crate::domain::{
    Accelerator, AcceleratorKind, Figure, GpuSignal, Lifecycle, Platform, Tenancy, TypeSpec,
    VerdictKind,
};
use crate::fleet::savings::{
    CannotTell, Effort, Gpus, Named, Need, PricedType, Proposal, Risk, SizeFail, SizeNote as Note,
    SizeVerdict,
};
use crate::fleet::{GpuRow, Row};

/// True where the size of an instance is judged: it runs on demand, works, and enough hours are known.
pub(super) fn is_judged(row: &Row, now: Timestamp, rules: &SizeRules) -> bool {
    // The type of a Spot instance is the choice of its request. What is paid in advance, and a dedicated host, cost
    // the same whatever runs.
    if !row.instance.state.is_billed()
        || row.instance.lifecycle != Lifecycle::OnDemand
        || row.instance.tenancy == Tenancy::Host
    {
        return false;
    }
    let Some(verdict) = &row.verdict else { return false };
    let quiet = |t: Timestamp| now.duration_since(t).as_hours() >= i64::from(rules.least_hours);
    let covered = f64::from(verdict.coverage) >= rules.least_coverage;
    let known = match verdict.kind {
        VerdictKind::Busy => true,
        VerdictKind::Underused => covered,
        VerdictKind::Partial => covered && verdict.idle_since.is_some_and(quiet),
        // An idle one is stopped instead.
        VerdictKind::Idle | VerdictKind::Unknown | VerdictKind::TooNew | VerdictKind::Exempt => {
            false
        }
    };
    known && hours(verdict) >= rules.least_hours
}

/// The proposal for one instance that is judged; `None` for a busy one that is used as it should.
pub(super) fn judge(
    input: &SavingsInput<'_>,
    row: &Arc<Row>,
    gpus: &[&Arc<GpuRow>],
    market: &Market,
    shared: &mut Shared<Note>,
) -> Option<Proposal> {
    let rules = &input.rules.size;
    let verdict = row.verdict.as_deref()?;
    let busy = verdict.kind == VerdictKind::Busy;
    let Some(spec) = row.spec.as_deref() else {
        return (!busy).then(|| blank(shared, row, CannotTell::NoPrice, Note::TypeUnknown));
    };
    let kind = spec.accelerator.as_ref().map(|a| a.kind);
    if busy && !uses_little(spec, gpus) {
        return None;
    }
    if kind.is_some_and(|k| k != AcceleratorKind::NvidiaGpu) {
        return Some(blank(shared, row, CannotTell::Accelerator, Note::OtherAccelerator));
    }
    let price = row.usd_per_hour().filter(|usd| *usd > 0.0);
    let Some(price) = price.filter(|_| row.instance.platform != Platform::Other) else {
        return (!busy).then(|| blank(shared, row, CannotTell::NoPrice, Note::PriceUnknown));
    };
    let traits = Traits::of(spec);
    let sizing = SizingInput { row, spec, traits: &traits, verdict, gpus, now: input.now, rules };
    let evidence = evidence(sizing);
    let offered = offered(input, row);
    let ask = Ask { spec, traits: &traits, evidence: &evidence, offered, rules };
    let limit = price * (1.0 - rules.least_saving);
    let mut says = evidence.says.clone();
    let mig = super::mig::share(sizing, &ask, &market.priced, limit);
    let mut proposal = |verdict: SizeVerdict, gross, effort, risk, says: Vec<Note>| Proposal {
        usd_per_hour: Some(price),
        need: evidence.need.clone(),
        verdict,
        mig: mig.clone(),
        gross_usd_per_hour: gross,
        effort,
        risk,
        says: shared.share_all(says),
        ..empty(row)
    };
    let priced = &market.priced[..];
    let Some(place) = ask.cheapest(priced, limit) else {
        if busy {
            return None;
        }
        let (why, note) = nothing(&ask, market, limit, row);
        // What decided comes first: a list shows one sentence.
        says.insert(0, note);
        apart(&ask, priced, price, &mut says);
        let verdict = SizeVerdict::Cannot(why);
        return Some(proposal(verdict, None, Effort::Medium, evidence.risk, says));
    };
    let chosen = &priced[place];
    kept(row, &ask, chosen, offered.is_some(), &mut says);
    if let Some(next) = next_smaller(&priced[..place], chosen)
        && let Some(fail) = ask.fails(next).into_iter().next()
    {
        says.push(Note::NextSmaller { to: priced_type(next), fail });
    }
    let (effort, risk) = effort(row, &ask, chosen, evidence.risk);
    let verdict = SizeVerdict::Smaller {
        to: chosen.spec.name.clone(),
        usd_per_hour: chosen.usd_per_hour,
        provenance: chosen.provenance.clone(),
    };
    Some(proposal(verdict, Some(price - chosen.usd_per_hour), effort, risk, says))
}

/// True when telemetry of every GPU shows that half of the memory was never used or nothing much
/// runs: what makes a busy box worth a look.
fn uses_little(spec: &TypeSpec, gpus: &[&Arc<GpuRow>]) -> bool {
    let Some(accelerator) = &spec.accelerator else { return false };
    if accelerator.devices == 0 || (gpus.len() as u32) < accelerator.devices {
        return false;
    }
    let active = |g: &GpuRow| {
        let now = g.verdict.activity.map(|a| a.effective);
        let before = g.trail.iter().filter(|a| !a.is_nan()).reduce(f32::max);
        now.into_iter().chain(before).reduce(f32::max)
    };
    if accelerator.kind != AcceleratorKind::NvidiaGpu {
        return gpus.iter().all(|g| active(g).is_some_and(|a| a < 0.3));
    }
    let half = accelerator.memory_mib as f32 / 2.0;
    gpus.iter().all(|g| g.sample.signals.get(GpuSignal::MemUsed).is_some_and(|used| used <= half))
}

/// Types offered in the zone of the instance.
fn offered<'a>(input: &SavingsInput<'a>, row: &Row) -> Option<&'a [Arc<str>]> {
    let zones = input.facts.offerings.get(&row.instance.scope)?;
    zones.iter().find(|z| z.az == row.instance.az).map(|z| z.types.as_slice())
}

/// Why nothing fits, with the type that comes nearest.
fn nothing(ask: &Ask<'_>, market: &Market, limit: f64, row: &Row) -> (CannotTell, Note) {
    let unpriced: Vec<Arc<str>> = ask.unpriced(market).cloned().collect();
    if !unpriced.is_empty() {
        let region = row.instance.scope.region.clone();
        return (CannotTell::NoPrice, Note::Unpriced { types: Named::of(&unpriced), region });
    }
    let market = &market.priced[..];
    // Would less memory open a way? Then it is memory that one has to ask for.
    let free = |evidence: &Evidence| Evidence {
        need: Need { gpu_memory_mib: Some(0), ..evidence.need.clone() },
        ..evidence.clone()
    };
    let by_memory = match ask.evidence.gpu_memory {
        GpuMemory::PreAllocated { .. } => Some(CannotTell::PreAllocated),
        GpuMemory::Unknown(_) => Some(CannotTell::NoGpuMemory),
        GpuMemory::None | GpuMemory::Used { .. } => None,
    };
    if let Some(why) = by_memory {
        let evidence = free(ask.evidence);
        let without = Ask { evidence: &evidence, ..*ask };
        if let Some(place) = without.cheapest(market, limit) {
            let c = &market[place];
            let memory_mib = c.spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
            return (why, Note::FitsIfMemory { memory_mib, to: priced_type(c) });
        }
    }
    let cheaper = market.iter().take_while(|c| c.usd_per_hour <= limit);
    let nearest = cheaper
        .map(|c| (ask.fails(c), c))
        .filter(|(fails, _)| !fails.contains(&SizeFail::Kind))
        .min_by_key(|(fails, _)| fails.len());
    let note = match nearest {
        Some((fails, c)) => Note::Nearest { to: priced_type(c), fails },
        None => Note::NothingCheaper,
    };
    // Copies that need less than they take could share fewer GPUs: that, too, the runtime knows.
    let why = match by_memory {
        Some(CannotTell::PreAllocated) => CannotTell::PreAllocated,
        _ => CannotTell::NothingSmaller,
    };
    (why, note)
}

fn priced_type(candidate: &Candidate) -> PricedType {
    PricedType { name: candidate.spec.name.clone(), usd_per_hour: Figure(candidate.usd_per_hour) }
}

/// The way out of a box too large for the GPUs that work in it: one small box for each, where the
/// work can be split. Said, not counted: nobody knows whether it can.
fn apart(ask: &Ask<'_>, market: &[Candidate], price: f64, says: &mut Vec<Note>) {
    let Some(gpus) = ask.evidence.need.gpus.filter(|n| *n > 1 && *n < ask.spec.devices()) else {
        return;
    };
    let share = |n: u64| n.div_ceil(u64::from(gpus));
    let need = &ask.evidence.need;
    let one = Evidence {
        need: Need {
            gpus: Some(1),
            vcpus: need.vcpus.map(|v| v / f64::from(gpus)),
            memory_mib: Some(share(need.memory_mib.unwrap_or(ask.spec.memory_mib))),
            efa: false,
            ..need.clone()
        },
        nvlink: false,
        ..ask.evidence.clone()
    };
    let ask = Ask { evidence: &one, ..*ask };
    let limit = price / f64::from(gpus);
    if let Some(place) = ask.cheapest(market, limit) {
        let c = &market[place];
        says.push(Note::Apart {
            gpus,
            to: c.spec.name.clone(),
            usd_per_hour: Figure(c.usd_per_hour * f64::from(gpus)),
            instead_of: Figure(price),
        });
    }
}

/// The type below the chosen one: of its family where there is one, else the costliest of its kind.
fn next_smaller<'a>(cheaper: &'a [Candidate], chosen: &Candidate) -> Option<&'a Candidate> {
    let kind = |c: &Candidate| c.spec.accelerator.as_ref().map(|a| a.kind);
    let below = || cheaper.iter().rev().filter(|c| kind(c) == kind(chosen));
    below().find(|c| family(&c.spec.name) == family(&chosen.spec.name)).or_else(|| below().next())
}

/// What changes with the type, and what to look at before.
fn kept(row: &Row, ask: &Ask<'_>, chosen: &Candidate, offered: bool, says: &mut Vec<Note>) {
    let (old, new) = (ask.spec, &*chosen.spec);
    if let (Some(a), Some(b)) = (&old.accelerator, &new.accelerator) {
        if a.model != b.model || chosen.traits.fractional != ask.traits.fractional {
            let gpus = |a: &Accelerator| Gpus {
                devices: a.devices,
                model: a.model.clone(),
                memory_mib: a.memory_mib,
            };
            says.push(Note::OtherGpu { from: gpus(a), to: gpus(b) });
            if let (Some(a), Some(b)) = (ask.traits.gpu, chosen.traits.gpu)
                && a.capability != b.capability
            {
                says.push(Note::ComputeCapability(b.capability.0, b.capability.1));
            }
        }
        if chosen.traits.fractional && !ask.traits.fractional {
            says.push(Note::FractionalGpu);
        }
    }
    let (from_gb, to_gb) = (old.instance_store_gb, new.instance_store_gb);
    if from_gb > 0 {
        let smaller = Note::SmallerStore { from_gb, to_gb };
        says.push(if to_gb >= from_gb { Note::ErasesStore } else { smaller });
    }
    if ask.evidence.need.network_gbps.is_none()
        && let (Some(from), Some(to)) = (ask.traits.peak_gbps, chosen.traits.peak_gbps)
        && to < from
    {
        says.push(Note::LessNetwork { from: Figure(from), to: Figure(to) });
    }
    let instance = &row.instance;
    let owner = instance.owners.first();
    let others = [
        (ask.traits.xen != chosen.traits.xen).then_some(Note::XenAndNitro),
        (!offered).then_some(Note::OfferUnchecked),
        instance.capacity_reservation.is_some().then_some(Note::LeavesReservation),
        (old.devices() > 0).then_some(Note::StartNewFirst),
        owner.map(|o| Note::LaunchTemplate { kind: o.kind, name: o.name.clone() }),
    ];
    says.extend(others.into_iter().flatten());
}

/// Work and risk of a change.
fn effort(row: &Row, ask: &Ask<'_>, chosen: &Candidate, risk: Risk) -> (Effort, Risk) {
    let model = |s: &TypeSpec| s.accelerator.as_ref().map(|a| a.model.clone());
    let same_family = family(&chosen.spec.name) == family(&ask.spec.name);
    if !row.instance.ebs_root {
        // Its root is erased when it stops: it has to be built anew.
        return (Effort::High, Risk::High);
    }
    let rebuild = model(ask.spec) != model(&chosen.spec)
        || chosen.traits.fractional != ask.traits.fractional
        || ask.traits.xen != chosen.traits.xen;
    let effort = if rebuild || !row.instance.owners.is_empty() || !same_family {
        Effort::Medium
    } else {
        Effort::Low
    };
    (effort, if rebuild { risk.max(Risk::Medium) } else { risk })
}

/// Partial boxes of one team, type and zone whose working GPUs fit into fewer boxes, block by block:
/// the work of a box stays together. Said, not counted: only their owner can move the work.
pub(super) fn consolidation(input: &SavingsInput<'_>, proposals: &mut [Proposal]) {
    let rows: HashMap<&str, &Arc<Row>> =
        input.fleet.rows.iter().map(|r| (&*r.instance.id, r)).collect();
    let mut groups: HashMap<_, Vec<(usize, u32)>> = HashMap::new();
    for (place, proposal) in proposals.iter().enumerate() {
        let Some(row) = rows.get(&*proposal.id) else { continue };
        let Some(devices) = row.spec.as_ref().map(|s| s.devices()).filter(|n| *n > 1) else {
            continue;
        };
        let works = proposal.need.gpus.filter(|n| *n > 0 && *n < devices);
        if let (Some(works), Some(team)) = (works, &proposal.team) {
            let key = (
                proposal.scope.clone(),
                proposal.az.clone(),
                proposal.from.clone(),
                team.clone(),
                row.instance.platform,
                devices,
            );
            groups.entry(key).or_default().push((place, works));
        }
    }
    for ((.., from, team, _, devices), members) in groups {
        let enough = pack(members.iter().map(|m| m.1).collect(), devices);
        if enough == members.len() {
            continue;
        }
        let gpus: u32 = members.iter().map(|m| m.1).sum();
        let note = Arc::new(Note::Consolidate {
            boxes: members.len(),
            team,
            instance_type: from,
            gpus,
            enough,
        });
        for (place, _) in members {
            proposals[place].says.push(note.clone());
        }
    }
}

/// Boxes that hold blocks of GPUs: first fit, largest first.
pub(super) fn pack(mut blocks: Vec<u32>, devices: u32) -> usize {
    blocks.sort_unstable_by(|a, b| b.cmp(a));
    let mut room: Vec<u32> = Vec::new();
    for block in blocks {
        match room.iter_mut().find(|free| **free >= block) {
            Some(free) => *free -= block,
            None => room.push(devices.saturating_sub(block)),
        }
    }
    room.len()
}

/// A proposal without a conclusion.
fn blank(shared: &mut Shared<Note>, row: &Row, why: CannotTell, note: Note) -> Proposal {
    Proposal {
        verdict: SizeVerdict::Cannot(why),
        usd_per_hour: row.usd_per_hour(),
        says: vec![shared.share(note)],
        ..empty(row)
    }
}

fn empty(row: &Row) -> Proposal {
    let instance = &row.instance;
    let name = if instance.name.is_empty() { &instance.id } else { &instance.name };
    Proposal {
        id: instance.id.clone(),
        name: name.clone(),
        scope: instance.scope.clone(),
        az: instance.az.clone(),
        team: row.team.clone(),
        from: instance.instance_type.clone(),
        usd_per_hour: None,
        need: Need::default(),
        verdict: SizeVerdict::Cannot(CannotTell::NothingSmaller),
        mig: None,
        gross_usd_per_hour: None,
        net_usd_per_hour: None,
        worthless_until: None,
        effort: Effort::Medium,
        risk: Risk::Medium,
        says: Vec::new(),
    }
}
