//! One instance.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::fit::{Ask, Candidate, Market};
use super::need::{Evidence, GpuMemory, SizingInput, evidence};
use super::rules::SizeRules;
use super::seen::hours;
use super::types::{Traits, family};
use super::words::{gb, gib, gigabits, per_hour};
use crate::analyze::savings::SavingsInput;
use crate::analyze::shared_texts::SharedTexts;
use crate::domain::{
    AcceleratorKind, GpuSignal, Lifecycle, Platform, Tenancy, TypeSpec, VerdictKind,
};
use crate::fleet::savings::{CannotTell, Effort, Need, Proposal, Risk, SizeVerdict};
use crate::fleet::{GpuRow, Row};

/// Why an instance is not looked at for its size, a sentence; `None` when it is.
pub fn not_judged(row: &Row, now: Timestamp, rules: &SizeRules) -> Option<&'static str> {
    if !row.instance.state.is_billed() {
        return Some("It does not run.");
    }
    match row.instance.lifecycle {
        Lifecycle::OnDemand => {}
        Lifecycle::Spot => {
            return Some(
                "Spot: which type runs is the choice of its request; give that more types instead.",
            );
        }
        Lifecycle::CapacityBlock | Lifecycle::Scheduled => {
            return Some("It is paid in advance: a smaller one would save nothing.");
        }
    }
    if row.instance.tenancy == Tenancy::Host {
        return Some("Its dedicated host is billed, whatever runs on it.");
    }
    let Some(verdict) = &row.verdict else { return Some("It has no verdict yet.") };
    match verdict.kind {
        VerdictKind::Underused | VerdictKind::Partial | VerdictKind::Busy => {}
        VerdictKind::Idle => return Some("It is idle: stop it instead of making it smaller."),
        VerdictKind::Unknown => return Some("Too little is known of what it does."),
        VerdictKind::TooNew => return Some("It is too new to judge."),
        VerdictKind::Exempt => return Some("It is exempt by tag."),
    }
    let quiet = |t: Timestamp| now.duration_since(t).as_hours() >= i64::from(rules.least_hours);
    if f64::from(verdict.coverage) < rules.least_coverage && verdict.kind != VerdictKind::Busy
        || hours(verdict) < rules.least_hours
        || verdict.kind == VerdictKind::Partial && !verdict.idle_since.is_some_and(quiet)
    {
        return Some("Too few hours of evidence to judge its size.");
    }
    None
}

/// The proposal for one instance that is judged; `None` for a busy one that is used as it should.
pub(super) fn judge(
    input: &SavingsInput<'_>,
    row: &Arc<Row>,
    gpus: &[&Arc<GpuRow>],
    market: &Market,
    texts: &mut SharedTexts,
) -> Option<Proposal> {
    let rules = &input.rules.size;
    let verdict = row.verdict.as_deref()?;
    let busy = verdict.kind == VerdictKind::Busy;
    let Some(spec) = row.spec.as_deref() else {
        return (!busy)
            .then(|| blank(texts, row, CannotTell::NoPrice, "Nothing is known of its type."));
    };
    let kind = spec.accelerator.as_ref().map(|a| a.kind);
    if busy && !uses_little(spec, gpus) {
        return None;
    }
    if kind.is_some_and(|k| k != AcceleratorKind::NvidiaGpu) {
        return Some(blank(
            texts,
            row,
            CannotTell::Accelerator,
            "What its accelerators hold and need cannot be told from outside.",
        ));
    }
    let price = row.usd_per_hour().filter(|usd| *usd > 0.0);
    let Some(price) = price.filter(|_| row.instance.platform != Platform::Other) else {
        return (!busy).then(|| blank(texts, row, CannotTell::NoPrice, "Its price is not known."));
    };
    let traits = Traits::of(spec);
    let sizing = SizingInput { row, spec, traits: &traits, verdict, gpus, now: input.now, rules };
    let evidence = evidence(sizing);
    let offered = offered(input, row);
    let ask = Ask { spec, traits: &traits, evidence: &evidence, offered, rules };
    let limit = price * (1.0 - rules.least_saving);
    let mut says: Vec<String> = evidence.says.clone();
    let mig = super::mig::share(sizing, &ask, &market.priced, limit);
    let mut proposal = |verdict: SizeVerdict, gross, effort, risk, says: Vec<String>| Proposal {
        usd_per_hour: Some(price),
        need: evidence.need.clone(),
        verdict,
        mig: mig.clone(),
        gross_usd_per_hour: gross,
        effort,
        risk,
        says: texts.share_all(&says),
        ..empty(row)
    };
    let priced = &market.priced[..];
    let Some(place) = ask.cheapest(priced, limit) else {
        if busy {
            return None;
        }
        let (why, reason) = nothing(&ask, market, limit, row);
        // What decided comes first: a list shows one sentence.
        says.insert(0, reason);
        apart(&ask, priced, price, &mut says);
        let verdict = SizeVerdict::Cannot(why);
        return Some(proposal(verdict, None, Effort::Medium, evidence.risk, says));
    };
    let chosen = &priced[place];
    kept(row, &ask, chosen, offered.is_some(), &mut says);
    if let Some(next) = next_smaller(&priced[..place], chosen)
        && let Some(fail) = ask.fails(next).first()
    {
        says.push(format!(
            "The next smaller, {} at {}, would not do: {fail}.",
            next.spec.name,
            per_hour(next.usd_per_hour)
        ));
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

/// Why nothing fits, in a sentence with the type that comes nearest.
fn nothing(ask: &Ask<'_>, market: &Market, limit: f64, row: &Row) -> (CannotTell, String) {
    const SHOWN: usize = 3;
    let mut unpriced: Vec<String> = ask.unpriced(market).map(ToString::to_string).collect();
    if !unpriced.is_empty() {
        let count = unpriced.len();
        unpriced.truncate(SHOWN);
        let reason = format!(
            "{count} smaller type{} would do and {} no known price in {}: {}{}.",
            if count == 1 { "" } else { "s" },
            if count == 1 { "has" } else { "have" },
            row.instance.scope.region,
            unpriced.join(", "),
            if count > SHOWN { " and others" } else { "" },
        );
        return (CannotTell::NoPrice, reason);
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
            let memory = c.spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
            let reason = format!(
                "If {} per GPU were enough, {} at {} would do.",
                gib(memory),
                c.spec.name,
                per_hour(c.usd_per_hour)
            );
            return (why, reason);
        }
    }
    let cheaper = market.iter().take_while(|c| c.usd_per_hour <= limit);
    let nearest = cheaper
        .map(|c| (ask.fails(c), c))
        .filter(|(fails, _)| !fails.contains(&super::Fail::Kind))
        .min_by_key(|(fails, _)| fails.len());
    let reason = match nearest {
        Some((fails, c)) => {
            let fails: Vec<String> = fails.iter().map(ToString::to_string).collect();
            format!(
                "Nothing cheaper meets all of it. The nearest, {} at {}, would not do: {}.",
                c.spec.name,
                per_hour(c.usd_per_hour),
                fails.join("; ")
            )
        }
        None => "Nothing of its kind is cheaper in its region.".into(),
    };
    // Copies that need less than they take could share fewer GPUs: that, too, the runtime knows.
    let why = match by_memory {
        Some(CannotTell::PreAllocated) => CannotTell::PreAllocated,
        _ => CannotTell::NothingSmaller,
    };
    (why, reason)
}

/// The way out of a box too large for the GPUs that work in it: one small box for each, where the
/// work can be split. Said, not counted: nobody knows whether it can.
fn apart(ask: &Ask<'_>, market: &[Candidate], price: f64, says: &mut Vec<String>) {
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
        says.push(format!(
            "If the {gpus} GPUs work on separate things, {gpus} × {} would cost {} instead of {}.",
            c.spec.name,
            per_hour(c.usd_per_hour * f64::from(gpus)),
            per_hour(price)
        ));
    }
}

/// The type below the chosen one: of its family where there is one, else the costliest of its kind.
fn next_smaller<'a>(cheaper: &'a [Candidate], chosen: &Candidate) -> Option<&'a Candidate> {
    let kind = |c: &Candidate| c.spec.accelerator.as_ref().map(|a| a.kind);
    let below = || cheaper.iter().rev().filter(|c| kind(c) == kind(chosen));
    below().find(|c| family(&c.spec.name) == family(&chosen.spec.name)).or_else(|| below().next())
}

/// What changes with the type, and what to look at before.
fn kept(row: &Row, ask: &Ask<'_>, chosen: &Candidate, offered: bool, says: &mut Vec<String>) {
    let (old, new) = (ask.spec, &*chosen.spec);
    if let (Some(a), Some(b)) = (&old.accelerator, &new.accelerator) {
        if a.model != b.model || chosen.traits.fractional != ask.traits.fractional {
            says.push(format!(
                "GPU: {} × {} ({}) instead of {} × {} ({}).",
                b.devices,
                b.model,
                gib(b.memory_mib),
                a.devices,
                a.model,
                gib(a.memory_mib)
            ));
            if let (Some(a), Some(b)) = (ask.traits.gpu, chosen.traits.gpu)
                && a.capability != b.capability
            {
                says.push(format!(
                    "Its code must hold kernels or PTX for compute capability {}.{}.",
                    b.capability.0, b.capability.1
                ));
            }
        }
        if chosen.traits.fractional && !ask.traits.fractional {
            says.push("It is a part of a GPU and needs the GRID (vGPU) driver.".into());
        }
    }
    if old.instance_store_gb > 0 {
        says.push(if new.instance_store_gb >= old.instance_store_gb {
            "Stopping erases the instance store.".to_owned()
        } else {
            format!(
                "Instance store: {} instead of {}; look at what is used (`df`). Stopping erases it.",
                gb(new.instance_store_gb),
                gb(old.instance_store_gb)
            )
        });
    }
    if ask.evidence.need.network_gbps.is_none()
        && let (Some(a), Some(b)) = (ask.traits.peak_gbps, chosen.traits.peak_gbps)
        && b < a
    {
        says.push(format!(
            "Network was not read: up to {} instead of {}.",
            gigabits(b),
            gigabits(a)
        ));
    }
    if ask.traits.xen != chosen.traits.xen {
        says.push(
            "It moves between Xen and Nitro: the image needs the ENA and NVMe drivers.".into(),
        );
    }
    if !offered {
        says.push("Whether its zone offers the type was not checked.".into());
    }
    if row.instance.capacity_reservation.is_some() {
        says.push("It leaves its capacity reservation, which goes on billing.".into());
    }
    if old.devices() > 0 {
        says.push(
            "Start the new one before letting go of the old: capacity may not come back.".into(),
        );
    }
    if let Some(owner) = row.instance.owners.first() {
        says.push(format!(
            "Change the launch template of {} {}, which would bring the old type back.",
            owner.kind.word(),
            owner.name
        ));
    }
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
        let boxes = pack(members.iter().map(|m| m.1).collect(), devices);
        let freed = members.len() - boxes;
        if freed == 0 {
            continue;
        }
        let gpus: u32 = members.iter().map(|m| m.1).sum();
        let text: Arc<str> = format!(
            "{} boxes of {team} like it ({from}, same zone) have {gpus} GPUs at work together: {boxes} \
             would hold them, {freed} could go.",
            members.len()
        )
        .into();
        for (place, _) in members {
            proposals[place].says.push(text.clone());
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
fn blank(texts: &mut SharedTexts, row: &Row, why: CannotTell, says: &str) -> Proposal {
    Proposal {
        verdict: SizeVerdict::Cannot(why),
        usd_per_hour: row.usd_per_hour(),
        says: vec![texts.share(says)],
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
