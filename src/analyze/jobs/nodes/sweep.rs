//! Cost of each node in runs, idle time, and what no run holds of a shared node: the three are the node, to the last digit.

use std::sync::Arc;

use jiff::Timestamp;

use super::known::{Book, NodeKey, TypeFrom, Window};
use super::span::{self, Step};
use crate::analyze::jobs::price::{NodeType, PriceFrom, share_of_node};
use crate::domain::bill::Usd;
use crate::domain::hash::FastMap;
use crate::domain::jobs::{AttemptView, JobSource};

/// Parts of a node in which shares are counted. Shares of usual nodes (eighths, 192nds, thirds, fifths, sevenths, mebibytes of
/// powers of two) are whole numbers of them.
pub(in crate::analyze::jobs) const WHOLE: u64 = 3 * (1 << 26) * 125 * 7;

/// An attempt that holds nodes.
#[derive(Clone, Copy)]
pub(in crate::analyze::jobs) struct Holder<'a> {
    /// The attempt.
    pub attempt: AttemptView<'a>,
    /// Its instance type with its price, for hours in which nobody knows the instance behind a node; `None` = unknown.
    pub node: Option<&'a NodeType>,
    /// What tells that type.
    pub type_from: TypeFrom,
}

/// Tells the holder at a place; `None` for an attempt that holds no nodes.
pub(in crate::analyze::jobs) type Holders<'a, 'b> = dyn Fn(usize) -> Option<Holder<'a>> + 'b;

/// A node with what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCost {
    /// Where its attempts were read.
    pub source: JobSource,
    /// Cluster; empty where none is named.
    pub cluster: Arc<str>,
    /// Name.
    pub name: Arc<str>,
    /// Instance type; of several behind the name the last. `None` = unknown.
    pub instance_type: Option<Arc<str>>,
    /// What tells the type; `None` where it is unknown.
    pub type_from: Option<TypeFrom>,
    /// Kind of price; `None` where it is unknown.
    pub price_from: Option<PriceFrom>,
    /// Number of attempts that held it.
    pub attempts: u32,
    /// First moment that is counted.
    pub from: Timestamp,
    /// Last moment that is counted.
    pub until: Timestamp,
    /// Milliseconds that are counted: those in which it is known to have been up, and those in which it was held.
    pub ms: u64,
    /// Milliseconds of them in which no attempt held it.
    pub idle_ms: u64,
    /// Milliseconds in which attempts together asked for more than the node has: each was scaled.
    pub scaled_ms: u64,
    /// Milliseconds without a known price: they are in no sum of dollars.
    pub unpriced_ms: u64,
    /// True where it is known when it was up; else its idle time is unknown, and none is counted.
    pub is_up_known: bool,
    /// What it cost: `runs_usd` + `idle_usd` + `unallocated_usd`.
    pub usd: Usd,
    /// What attempts held of it.
    pub runs_usd: Usd,
    /// What it cost while no attempt held any of it.
    pub idle_usd: Usd,
    /// What was left of it beside the attempts that held a part.
    pub unallocated_usd: Usd,
}

impl NodeCost {
    /// True where no hour of it has a known price.
    pub const fn is_unpriced(&self) -> bool {
        self.ms > 0 && self.unpriced_ms == self.ms
    }
}

/// What an attempt holds of all its nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::analyze::jobs) struct Held {
    /// Dollars.
    pub usd: Usd,
    /// True where some of it has no known price.
    pub is_unpriced: bool,
    /// True where it was scaled, for attempts together asked for more than the node has.
    pub is_scaled: bool,
    /// Kind of the price that held last; `None` = unknown.
    pub price_from: Option<PriceFrom>,
}

/// Costs of nodes, and of each holder by its place; `None` for one that holds no named node.
#[derive(Debug, Default)]
pub(in crate::analyze::jobs) struct Ledger {
    /// Nodes, by source, cluster and name.
    pub nodes: Vec<NodeCost>,
    /// By holder.
    pub held: Vec<Option<Held>>,
}

/// A stretch in which a holder holds a node.
#[derive(Clone, Copy)]
struct Hold {
    holder: u32,
    /// Place of one that holds as this one does: as much, of the same type.
    like: u32,
    from: i64,
    to: i64,
}

/// Holders that differ in what they hold. There are few: a million attempts are not looked up one by one.
#[derive(Default)]
struct Likes<'a> {
    all: Vec<Holder<'a>>,
    places: FastMap<(u32, usize, Option<*const NodeType>, TypeFrom), u32>,
}

impl<'a> Likes<'a> {
    fn place(&mut self, of: &Holder<'a>) -> u32 {
        let attempt = &of.attempt;
        let node = of.node.map(std::ptr::from_ref);
        let key = (attempt.holding, attempt.nodes.len(), node, of.type_from);
        *self.places.entry(key).or_insert_with(|| {
            self.all.push(*of);
            self.all.len() as u32 - 1
        })
    }

    fn get(&self, hold: &Hold) -> &Holder<'a> {
        &self.all[hold.like as usize]
    }
}

/// The attempts of named nodes, of which there are `len`, against what is known of the nodes.
pub(in crate::analyze::jobs) fn sweep<'a>(
    book: &Book<'_>,
    len: usize,
    holders: &Holders<'a, '_>,
) -> Ledger {
    let mut ledger = Ledger { nodes: Vec::new(), held: vec![None; len] };
    let mut likes = Likes::default();
    let mut nodes: Vec<(NodeKey, Vec<Hold>)> = Vec::new();
    let mut places: FastMap<(JobSource, &'a str, &'a str), usize> = FastMap::default();
    // Of what ran on a cluster before its first known attempt nothing is known, least of all that its nodes idled.
    let mut known_from: FastMap<(JobSource, &'a str), i64> = FastMap::default();
    for place in 0..len {
        let Some(holder) = holders(place) else { continue };
        let of = &holder.attempt;
        let Some(from) = of.started_at.map(Timestamp::as_millisecond) else { continue };
        let first = known_from.entry((of.source, &**of.cluster)).or_insert(from);
        *first = from.min(*first);
        let names = of.nodes.len();
        let are_all_named = of.node_count.is_none_or(|count| count as usize == names);
        let Some(ms) = of.held_ms() else { continue };
        if names == 0 || !are_all_named || ms == 0 {
            continue;
        }
        let like = likes.place(&holder);
        let hold = Hold { holder: place as u32, like, from, to: from.saturating_add(ms) };
        ledger.held[place] = Some(Held::default());
        for name in of.nodes {
            let at = *places.entry((of.source, &**of.cluster, &**name)).or_insert_with(|| {
                nodes.push(((of.source, of.cluster.clone(), name.clone()), Vec::new()));
                nodes.len() - 1
            });
            nodes[at].1.push(hold);
        }
    }
    for key in book.node_keys() {
        if !places.contains_key(&(key.0, &*key.1, &*key.2)) {
            nodes.push((key.clone(), Vec::new()));
        }
    }
    drop(places);
    nodes.sort_by(|a, b| a.0.cmp(&b.0));
    for (key, holds) in nodes {
        let Some(known_from) = known_from.get(&(key.0, &*key.1)) else { continue };
        if let Some(node) = of_node(&key, holds, *known_from, book, &likes, &mut ledger.held) {
            ledger.nodes.push(node);
        }
    }
    ledger
}

/// One node from its first to its last moment, not before `known_from`. `None` where nothing of it counts.
fn of_node(
    key: &NodeKey,
    mut holds: Vec<Hold>,
    known_from: i64,
    book: &Book<'_>,
    likes: &Likes<'_>,
    held: &mut [Option<Held>],
) -> Option<NodeCost> {
    let windows = book.windows(key);
    // A node held twice by one attempt is held once.
    holds.sort_by_key(|hold| (hold.from, hold.holder));
    holds.dedup_by_key(|hold| hold.holder);
    let ends = holds.iter().flat_map(|hold| [hold.from, hold.to]);
    let windowed = windows.iter().flat_map(|window| {
        [window.from, window.to].into_iter().chain(window.prices.iter().map(|step| step.from))
    });
    let mut moments: Vec<i64> = ends.chain(windowed).map(|at| at.max(known_from)).collect();
    moments.sort_unstable();
    moments.dedup();
    let (from, until) = (*moments.first()?, *moments.last()?);
    let mut sums = NodeCost {
        source: key.0,
        cluster: key.1.clone(),
        name: key.2.clone(),
        instance_type: None,
        type_from: None,
        price_from: None,
        attempts: u32::try_from(holds.len()).unwrap_or(u32::MAX),
        from: Timestamp::from_millisecond(from).ok()?,
        until: Timestamp::from_millisecond(until).ok()?,
        ms: 0,
        idle_ms: 0,
        scaled_ms: 0,
        unpriced_ms: 0,
        is_up_known: !windows.is_empty(),
        usd: Usd::ZERO,
        runs_usd: Usd::ZERO,
        idle_usd: Usd::ZERO,
        unallocated_usd: Usd::ZERO,
    };
    let (mut next, mut window) = (0, 0);
    let mut active: Vec<Hold> = Vec::new();
    let mut shares: Vec<u64> = Vec::new();
    for pair in moments.windows(2) {
        let (at, end) = (pair[0], pair[1]);
        active.retain(|hold| hold.to > at);
        while let Some(hold) = holds.get(next).filter(|hold| hold.from <= at) {
            if hold.to > at {
                active.push(*hold);
            }
            next += 1;
        }
        while windows.get(window).is_some_and(|of| of.to <= at) {
            window += 1;
        }
        let inside = windows.get(window).filter(|of| of.from <= at);
        if let Some(stretch) = Stretch::of(inside, &active, likes, (at, end)) {
            stretch.count(&active, likes, held, &mut shares, &mut sums);
        }
    }
    (sums.ms > 0).then_some(sums)
}

/// Time in which nothing changes at a node.
struct Stretch<'a> {
    span: (i64, i64),
    node: Option<&'a NodeType>,
    instance_type: Option<&'a Arc<str>>,
    type_from: Option<TypeFrom>,
    step: Step,
    price_from: PriceFrom,
}

impl<'a> Stretch<'a> {
    /// `None` where the node is not known to be up and nobody holds it.
    fn of(
        inside: Option<&'a Window>,
        active: &[Hold],
        likes: &Likes<'a>,
        span: (i64, i64),
    ) -> Option<Self> {
        if let Some(window) = inside.filter(|window| window.node.is_some()) {
            let step = window.prices.iter().rev().find(|step| step.from <= span.0);
            let step = *step.or_else(|| window.prices.first())?;
            return Some(Self {
                span,
                node: window.node.as_deref(),
                instance_type: window.instance_type.as_ref(),
                type_from: Some(window.type_from),
                step,
                price_from: window.price_from,
            });
        }
        if inside.is_none() && active.is_empty() {
            return None;
        }
        // Nobody knows the instance: by what the first that holds it tells.
        let first = active.iter().map(|hold| likes.get(hold)).find(|like| like.node.is_some());
        let node = first.and_then(|holder| holder.node);
        let begin = active.iter().map(|hold| hold.from).max().unwrap_or(span.0);
        let usd_per_hour = node.and_then(|node| node.usd_per_hour);
        let step = Step { from: begin.min(span.0), usd_per_hour };
        let price_from = node.map_or(PriceFrom::List, |node| node.from);
        Some(Self {
            span,
            node,
            instance_type: first.and_then(|holder| holder.attempt.instance_type),
            type_from: first.map(|holder| holder.type_from),
            step,
            price_from,
        })
    }

    fn count(
        &self,
        active: &[Hold],
        likes: &Likes<'_>,
        held: &mut [Option<Held>],
        shares: &mut Vec<u64>,
        sums: &mut NodeCost,
    ) {
        let (from, to) = self.span;
        let ms = u64::try_from(to - from).unwrap_or_default();
        sums.ms += ms;
        if self.instance_type.is_some() {
            (sums.instance_type, sums.type_from) = (self.instance_type.cloned(), self.type_from);
        }
        shares.clear();
        for hold in active {
            let of = &likes.get(hold).attempt;
            let share = self.node.and_then(|node| share_of_node(of, node));
            // A share that nobody tells is in no run.
            if let (None, Some(held)) = (share, &mut held[hold.holder as usize]) {
                held.is_unpriced = true;
            }
            shares.push(share.unwrap_or(0));
        }
        let asked = shares.iter().sum::<u64>();
        let is_scaled = asked > WHOLE;
        if is_scaled {
            sums.scaled_ms += ms;
        }
        if active.is_empty() {
            sums.idle_ms += ms;
        }
        let Some(usd) = span::usd(&self.step, from, to) else {
            sums.unpriced_ms += ms;
            for hold in active {
                if let Some(held) = &mut held[hold.holder as usize] {
                    held.is_unpriced = true;
                }
            }
            return;
        };
        sums.usd += usd;
        sums.price_from = Some(self.price_from);
        if active.is_empty() {
            sums.idle_usd += usd;
            return;
        }
        shares.push(WHOLE.saturating_sub(asked));
        let parts = usd.split(shares);
        for (hold, part) in active.iter().zip(&parts) {
            sums.runs_usd += *part;
            if let Some(held) = &mut held[hold.holder as usize] {
                held.usd += *part;
                held.is_scaled |= is_scaled;
                held.price_from = Some(self.price_from);
            }
        }
        sums.unallocated_usd += parts.last().copied().unwrap_or_default();
    }
}
