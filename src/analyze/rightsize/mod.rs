//! Which instances could be smaller, within what their work needs.
//!
//! Right-sizing speaks of boxes that work: underused ones, ones of whose GPUs some are idle, and busy
//! ones whose telemetry shows that they use little. An idle box is stopped, not made smaller. Only
//! whole instances that EC2 has are proposed: 5 working GPUs of 8 become what exists, or stay.
//!
//! What is known of the need is a constraint; what is not known keeps the present size, but for the
//! network, of which it is said. The proposal is the cheapest type of the region that meets every
//! constraint, at the list price; what the bill then falls by is another question (the file `money`).

mod fit;
pub mod guide;
mod judge;
mod mig;
mod money;
mod need;
mod rules;
mod seen;
mod types;

#[cfg(test)]
mod tests;

pub use rules::SizeRules;
pub use types::{GpuSpeed, Traits, family};

pub(in crate::analyze) use need::{cluster, runtime};

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use fit::Market;

use crate::analyze::savings::SavingsInput;
use crate::analyze::shared_texts::Shared;
use crate::domain::{AcceleratorKind, Platform, Scope, Tenancy, TypeSpec, arcs};
use crate::fleet::GpuRow;
use crate::fleet::savings::{Proposal, SizeVerdict};

/// A proposal, or why there is none, for every instance that works and is not used up. The most net
/// dollars first (where they are not known, gross), then those of which it cannot be told.
pub fn proposals(input: &SavingsInput<'_>) -> Vec<Arc<Proposal>> {
    let book = &*input.fleet.book;
    let traits: HashMap<Arc<str>, Traits> =
        book.types.iter().map(|(name, spec)| (name.clone(), Traits::of(spec))).collect();
    let mut gpus: HashMap<&str, Vec<&Arc<GpuRow>>> = HashMap::new();
    for gpu in &input.gpus.rows {
        if let Some(row) = &gpu.node.instance {
            gpus.entry(&row.instance.id).or_default().push(gpu);
        }
    }
    let mut markets: HashMap<(Scope, Platform, Tenancy), Market> = HashMap::new();
    let mut shared = Shared::default();
    let mut out: Vec<Proposal> = Vec::new();
    for row in &input.fleet.rows {
        if !judge::is_judged(row, input.now, &input.rules.size) {
            continue;
        }
        let instance = &row.instance;
        let key = (instance.scope.clone(), instance.platform, instance.tenancy);
        let market = markets.entry(key).or_insert_with_key(|(scope, platform, tenancy)| {
            Market::of(book, scope, *platform, *tenancy, &traits)
        });
        let told = gpus.get(&*instance.id).map_or(&[][..], Vec::as_slice);
        out.extend(judge::judge(input, row, told, market, &mut shared));
    }
    judge::consolidation(input, &mut out);
    money::nets(input, &mut out, &mut shared);
    out.sort_by(order);
    out.iter_mut().for_each(|proposal| proposal.says.shrink_to_fit());
    arcs(out)
}

/// The types that something of `fleet` may become, and those of the fleet: what plans have to be asked
/// rates for, so that the net of a proposal is known. Without prices, so more than are proposed.
pub fn candidate_types<'a, S: BuildHasher>(
    fleet: impl IntoIterator<Item = &'a Arc<str>>,
    types: &HashMap<Arc<str>, Arc<TypeSpec>, S>,
) -> BTreeSet<Arc<str>> {
    let mut out = BTreeSet::new();
    for name in fleet {
        out.insert(name.clone());
        let Some(now) = types.get(name) else { continue };
        let was = Traits::of(now);
        let kind = |s: &TypeSpec| s.accelerator.as_ref().map(|a| a.kind);
        if kind(now).is_some_and(|k| k != AcceleratorKind::NvidiaGpu) {
            continue;
        }
        let fits = |then: &TypeSpec| {
            // Of a CPU-only box all memory is kept, and what has four times of it is not cheaper.
            let memory = now.devices() > 0
                || (now.memory_mib..=4 * now.memory_mib).contains(&then.memory_mib);
            let is = Traits::of(then);
            kind(now) == kind(then)
                && memory
                && was.arm == is.arm
                && (was.metal || !is.metal)
                && (was.burstable || !is.burstable)
                && was.generation.zip(is.generation).is_none_or(|(was, is)| is >= was)
        };
        out.extend(types.iter().filter(|(_, then)| fits(then)).map(|(name, _)| name.clone()));
    }
    out
}

/// Proposals first; the most dollars first.
fn order(a: &Proposal, b: &Proposal) -> Ordering {
    let usd = |p: &Proposal| match p.verdict {
        SizeVerdict::Smaller { .. } => p.net_usd_per_hour.or(p.gross_usd_per_hour),
        SizeVerdict::Cannot(_) => None,
    };
    let cannot = |p: &Proposal| matches!(p.verdict, SizeVerdict::Cannot(_));
    let now = |p: &Proposal| p.usd_per_hour.unwrap_or(0.0);
    cannot(a)
        .cmp(&cannot(b))
        .then_with(|| usd(b).unwrap_or(f64::MIN).total_cmp(&usd(a).unwrap_or(f64::MIN)))
        .then_with(|| now(b).total_cmp(&now(a)))
        .then_with(|| a.id.cmp(&b.id))
}
