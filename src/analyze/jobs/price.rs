//! Dollars of an attempt: hours × share of the node × price of the node.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::nodes::WHOLE;
use crate::domain::bill::{Usd, words};
use crate::domain::jobs::{Attempt, AttemptView, Gpus, narrowed};
use crate::domain::price::{PriceBasis, Provenance, Rate};

/// Milliseconds in an hour.
const HOUR: u128 = 3_600_000;

words! {
    /// Kind of price that dollars rest on.
    PriceFrom {
        /// On-demand list price.
        List = "list",
        /// Spot price of the zone at that time.
        Spot = "spot",
        /// What the newest bill charged for the type.
        Bill = "bill",
        /// Private price of the configuration.
        Private = "private",
    }
}

impl PriceFrom {
    /// Kind of a rate.
    pub const fn of(rate: &Rate) -> Self {
        match (rate.basis, &rate.provenance) {
            (_, Provenance::Bill { .. }) => Self::Bill,
            (PriceBasis::Spot, _) => Self::Spot,
            (PriceBasis::Private, _) => Self::Private,
            (PriceBasis::OnDemandList, _) => Self::List,
        }
    }
}

/// An instance type.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeType {
    /// Price; `None` where none is known.
    pub usd_per_hour: Option<Usd>,
    /// Kind of price.
    pub from: PriceFrom,
    /// GPUs.
    pub gpus: Gpus,
    /// CPUs as the scheduler counts them.
    pub vcpus: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// Model of the GPUs; `None` without any.
    pub model: Option<Arc<str>>,
}

/// Tells an instance type by region (`None` = not known) and name; `None` for one that is not known.
pub type NodeTypes<'a> = dyn Fn(Option<&str>, &str) -> Option<NodeType> + 'a;

/// What an attempt asked for, over all its nodes; each is `None` where it is unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// GPUs.
    pub gpus: Option<Gpus>,
    /// CPUs.
    pub cpus: Option<u32>,
    /// Memory, MiB.
    pub memory_mib: Option<u64>,
    /// Number of nodes.
    pub node_count: Option<u32>,
}

impl From<&Attempt> for Asked {
    fn from(of: &Attempt) -> Self {
        let Attempt { gpus, cpus, memory_mib, node_count, .. } = *of;
        Self { gpus, cpus, memory_mib, node_count }
    }
}

impl From<&AttemptView<'_>> for Asked {
    fn from(of: &AttemptView<'_>) -> Self {
        let AttemptView { gpus, cpus, memory_mib, node_count, .. } = *of;
        Self { gpus, cpus, memory_mib, node_count }
    }
}

/// GPUs of an attempt: those told, else all of its nodes; `None` = unknown.
pub(super) fn gpus(of: &Attempt, node: Option<&NodeType>) -> Option<Gpus> {
    of.gpus.or_else(|| Some(node?.gpus.times(of.node_count?)))
}

/// Nodes that an attempt holds, as a fraction: the largest of its shares in GPUs, CPUs and memory, for who holds all GPUs
/// of a node leaves nobody else the rest, and never more than its nodes. Whole nodes where no GPUs are told. `None` where
/// nothing tells.
fn nodes_held(of: Asked, node: &NodeType) -> Option<(u128, u128)> {
    let whole = of.node_count.map(|nodes| (u128::from(nodes), 1));
    let Some(gpus) = of.gpus else { return whole };
    let shares = [
        Some((u128::from(gpus.millionths()), u128::from(node.gpus.millionths()))),
        of.cpus.map(|cpus| (u128::from(cpus), u128::from(node.vcpus))),
        of.memory_mib.map(|mib| (u128::from(mib), u128::from(node.memory_mib))),
    ];
    // Numbers of at most 2⁶⁰: the products stay in range.
    let is_larger = |a: (u128, u128), b: (u128, u128)| a.0 * b.1 > b.0 * a.1;
    let known = shares.into_iter().flatten().filter(|(_, of)| *of > 0);
    let largest = known.reduce(|a, b| if is_larger(b, a) { b } else { a })?;
    Some(whole.filter(|whole| is_larger(largest, *whole)).unwrap_or(largest))
}

/// Share of each of its named nodes that an attempt holds, in parts of [`WHOLE`], which is the most: what it holds of all of
/// them, in equal parts. `None` where nothing tells, or no node is named.
pub(super) fn share_of_node(of: &AttemptView<'_>, node: &NodeType) -> Option<u64> {
    let names = of.nodes.len() as u128;
    let (by, all) =
        nodes_held(of.into(), node).or_else(|| of.gpus.is_none().then_some((names, 1)))?;
    let parts = (by * u128::from(WHOLE)).checked_div(all * names)?;
    Some(u64::try_from(parts).map_or(WHOLE, |parts| parts.min(WHOLE)))
}

/// Dollars of `ms` milliseconds of an attempt, to ten places; `None` without a price. At the price that its source tells
/// it holds whole nodes.
pub(super) fn usd(of: &Attempt, node: Option<&NodeType>, ms: i64) -> Option<Usd> {
    let Ok(ms) = u128::try_from(ms) else { return Some(Usd::ZERO) };
    if ms == 0 {
        return Some(Usd::ZERO);
    }
    let (price, (by, of)) = match (of.node_usd_per_hour, of.node_count) {
        (Some(price), Some(nodes)) => (price, (u128::from(nodes), 1)),
        _ => (node?.usd_per_hour?, nodes_held(of.into(), node?)?),
    };
    let (by, of) = narrowed(by.saturating_mul(ms), of.saturating_mul(HOUR));
    Some(price.prorated(by, of))
}
