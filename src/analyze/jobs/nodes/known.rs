//! What is known of nodes: which instance is behind a name, from when to when, and at what price.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::span::{self, Step};
use crate::analyze::jobs::price::{NodeType, NodeTypes, PriceFrom};
use crate::domain::bill::{Usd, words};
use crate::domain::gpu::dns_names;
use crate::domain::jobs::{AttemptView, HyperPodNode, JobNode, JobSource, NodeEvent};
use crate::domain::spot::SpotHistory;
use crate::domain::{Instance, Lifecycle, Platform, Rate};

words! {
    /// What tells the instance type of a node.
    TypeFrom {
        /// The source named it with the attempt.
        Attempt = "attempt",
        /// The scheduler knows the instance behind the node.
        Scheduler = "scheduler",
        /// SageMaker knows the instance of HyperPod that has the node's id, name or address.
        HyperPod = "hyperpod",
        /// An instance of the fleet has the node's name or address.
        Fleet = "fleet",
        /// A rule of the configuration by queue: an estimate.
        Rule = "rule",
    }
}

/// An instance of the fleet, as nodes may name it.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownInstance {
    /// Instance id.
    pub id: Arc<str>,
    /// Private address, private DNS names, `Name` tag.
    pub names: Vec<Arc<str>>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Region.
    pub region: Arc<str>,
    /// Availability zone.
    pub az: Arc<str>,
    /// True for Spot capacity.
    pub is_spot: bool,
    /// What it costs now, dollars per hour, with the kind of price; `None` = unknown.
    pub rate: Option<(Usd, PriceFrom)>,
    /// Time of the last launch.
    pub launched_at: Timestamp,
    /// When the fleet was read.
    pub seen_until: Timestamp,
}

impl KnownInstance {
    /// An instance that ran when it was read; `None` for one that did not. Without a rate it costs what its type costs.
    pub fn of(of: &Instance, rate: Option<&Rate>, seen_until: Timestamp) -> Option<Self> {
        if !of.state.is_billed() {
            return None;
        }
        let names = of.private_ip.iter().cloned().chain(dns_names(of).map(Arc::from));
        let names = names.chain((!of.name.is_empty()).then(|| of.name.clone()));
        let rate =
            rate.and_then(|rate| Some((Usd::from_f64(rate.usd_per_hour)?, PriceFrom::of(rate))));
        Some(Self {
            id: of.id.clone(),
            names: names.collect(),
            instance_type: of.instance_type.clone(),
            region: of.scope.region.clone(),
            az: of.az.clone(),
            is_spot: of.lifecycle == Lifecycle::Spot,
            rate,
            launched_at: of.launched_at,
            seen_until,
        })
    }
}

/// A node by source, cluster and name.
pub(in crate::analyze::jobs) type NodeKey = (JobSource, Arc<str>, Arc<str>);

/// A stretch of time in which one instance was behind the name of a node.
#[derive(Clone, Debug)]
pub(in crate::analyze::jobs) struct Window {
    /// From when, milliseconds since 1970.
    pub from: i64,
    /// Until when.
    pub to: i64,
    /// The type with its price; `None` where it is unknown.
    pub node: Option<Arc<NodeType>>,
    /// Name of the type.
    pub instance_type: Option<Arc<str>>,
    /// Region.
    pub region: Option<Arc<str>>,
    /// What tells the type.
    pub type_from: TypeFrom,
    /// Kind of price.
    pub price_from: PriceFrom,
    /// Prices, the oldest first; never empty.
    pub prices: Vec<Step>,
}

impl Window {
    /// Dollars of the time from one moment of it to another, and the milliseconds of that time whose price is known.
    pub fn usd(&self, from: i64, to: i64) -> (Usd, u64) {
        let (mut sum, mut priced_ms, mut at) = (Usd::ZERO, 0, from);
        for (place, step) in self.prices.iter().enumerate() {
            let until = self.prices.get(place + 1).map_or(to, |next| next.from.min(to));
            if until <= at {
                continue;
            }
            if let Some(usd) = span::usd(step, at, until) {
                sum += usd;
                priced_ms += at.abs_diff(until);
            }
            at = until;
        }
        (sum, priced_ms)
    }
}

/// Tells the instance type of a queue (cluster, queue) by the rules of the configuration.
pub type QueueTypes<'a> = dyn Fn(&str, &str) -> Option<Arc<str>> + 'a;

/// What is known of nodes beyond what attempts tell. Empty by default: attempts alone.
#[derive(Clone, Copy, Default)]
pub struct KnownNodes<'a> {
    /// Nodes as their schedulers know them.
    pub nodes: &'a [JobNode],
    /// Instances of the fleet.
    pub instances: &'a [KnownInstance],
    /// Instances of HyperPod.
    pub hyperpod: &'a [HyperPodNode],
    /// Spot prices over time.
    pub spot: &'a [SpotHistory],
    /// What happened to nodes.
    pub events: &'a [NodeEvent],
    /// Instance types by queue; `None` without rules.
    pub queues: Option<&'a QueueTypes<'a>>,
}

/// Start of the names of nodes of HyperPod in EKS, before the id of the instance.
const IN_EKS: &str = "hyperpod-";

/// Instances of HyperPod by their names.
struct HyperPod<'a>(HashMap<&'a str, Vec<&'a HyperPodNode>>);

impl<'a> HyperPod<'a> {
    fn of(known: &'a [HyperPodNode]) -> Self {
        let mut by_name: HashMap<&str, Vec<&HyperPodNode>> = HashMap::new();
        for node in known {
            for name in node.names() {
                by_name.entry(name).or_default().push(node);
            }
        }
        by_name.values_mut().for_each(|all| all.sort_by_key(|node| node.seen_from));
        by_name.retain(|_, all| !are_of_two_networks(all));
        Self(by_name)
    }

    /// Those that had this name, one after the other; empty where two had it at once.
    fn named(&self, name: &str) -> &[&'a HyperPodNode] {
        let name = name.strip_prefix(IN_EKS).unwrap_or(name);
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// True where a name is one of two clusters at once, as addresses of two networks may be. `all` is in the order of their beginnings.
fn are_of_two_networks(all: &[&HyperPodNode]) -> bool {
    let mut last: Option<&HyperPodNode> = None;
    for &node in all {
        let is_within = |last: &&HyperPodNode| node.seen_from < last.seen_until;
        if last.filter(is_within).is_some_and(|last| last.cluster != node.cluster) {
            return true;
        }
        if last.is_none_or(|last| last.seen_until < node.seen_until) {
            last = Some(node);
        }
    }
    false
}

/// What is known of nodes, ready to be asked.
pub(in crate::analyze::jobs) struct Book<'a> {
    known: KnownNodes<'a>,
    types: &'a NodeTypes<'a>,
    nodes: HashMap<NodeKey, Vec<&'a JobNode>>,
    by_id: HashMap<&'a str, &'a KnownInstance>,
    /// `None` for a name that several instances have.
    by_name: HashMap<&'a str, Option<&'a KnownInstance>>,
    hyperpod: HyperPod<'a>,
    windows: RefCell<HashMap<NodeKey, Rc<[Window]>>>,
}

impl<'a> Book<'a> {
    /// Makes what is known ready.
    pub fn new(known: KnownNodes<'a>, types: &'a NodeTypes<'a>) -> Self {
        let mut nodes: HashMap<NodeKey, Vec<&JobNode>> = HashMap::new();
        for node in known.nodes {
            let key = (node.source, node.cluster.clone(), node.name.clone());
            nodes.entry(key).or_default().push(node);
        }
        nodes.values_mut().for_each(|all| all.sort_by_key(|node| node.seen_from));
        let mut by_name: HashMap<&str, Option<&KnownInstance>> = HashMap::new();
        for instance in known.instances {
            for name in &instance.names {
                let same = |old: &mut Option<&KnownInstance>| {
                    if old.is_some_and(|old| old.id != instance.id) {
                        *old = None;
                    }
                };
                by_name.entry(&**name).and_modify(same).or_insert(Some(instance));
            }
        }
        let by_id = known.instances.iter().map(|instance| (&*instance.id, instance)).collect();
        let hyperpod = HyperPod::of(known.hyperpod);
        Self { known, types, nodes, by_id, by_name, hyperpod, windows: RefCell::default() }
    }

    /// Type with its list price.
    pub fn node_type(&self, region: Option<&str>, name: &str) -> Option<NodeType> {
        (self.types)(region, name)
    }

    /// The instance of the fleet that has this name or address.
    fn named(&self, name: &str) -> Option<&'a KnownInstance> {
        let by_name = || self.by_name.get(name).copied().flatten();
        let by_name = || by_name().filter(|_| !self.is_shared(name));
        self.by_id.get(name).copied().or_else(by_name)
    }

    /// Stretches in which an instance was behind a name, in their order, none of them overlapping.
    pub fn windows(&self, key: &NodeKey) -> Rc<[Window]> {
        if let Some(known) = self.windows.borrow().get(key) {
            return known.clone();
        }
        let found = self.find_windows(key);
        self.windows.borrow_mut().insert(key.clone(), found.clone());
        found
    }

    /// Nodes that schedulers know, held or not.
    pub fn node_keys(&self) -> impl Iterator<Item = &NodeKey> {
        self.nodes.keys()
    }

    fn find_windows(&self, key: &NodeKey) -> Rc<[Window]> {
        let mut all: Vec<Window> = match self.nodes.get(key) {
            Some(nodes) => nodes.iter().flat_map(|node| self.of_node(node)).collect(),
            None => {
                let of_hyperpod = self.hyperpod_named(&key.2).iter().map(|of| self.of_hyperpod(of));
                of_hyperpod.chain(self.named(&key.2).map(|of| self.of_instance(of))).collect()
            }
        };
        all.sort_by_key(|window| window.from);
        // Clocks that disagree: the later instance has the name from its beginning on.
        for at in 1..all.len() {
            let next = all[at].from;
            let before = &mut all[at - 1];
            before.to = before.to.min(next);
        }
        all.retain(|window| window.to > window.from);
        all.into()
    }

    /// What was behind the name while the scheduler had the node: an instance of HyperPod until the next one has the name, else what the
    /// scheduler and the fleet tell.
    fn of_node(&self, node: &JobNode) -> Vec<Window> {
        let (from, to) = (node.seen_from.as_millisecond(), node.seen_until.as_millisecond());
        let is_then = |of: &&&HyperPodNode| {
            of.seen_from <= node.seen_until && node.seen_from <= of.seen_until
        };
        let mut all: Vec<Window> = self
            .hyperpod_behind(node)
            .iter()
            .filter(is_then)
            .map(|of| {
                let window = self.of_hyperpod(of);
                Window { from: window.from.max(from), to, ..window }
            })
            .collect();
        if all.first().is_none_or(|first| first.from > from) {
            all.insert(0, self.as_scheduled(node));
        }
        all
    }

    /// Instances of HyperPod that had the id of a node, else its address or name, in their order.
    fn hyperpod_behind(&self, node: &JobNode) -> &[&'a HyperPodNode] {
        if let Some(id) = &node.instance_id {
            return self.hyperpod.named(id);
        }
        let names = [node.private_ip.as_deref(), Some(&*node.name)].into_iter().flatten();
        let mut found = names.map(|name| self.hyperpod_named(name));
        found.find(|all| !all.is_empty()).unwrap_or_default()
    }

    /// Instances of HyperPod that had a name, in their order.
    fn hyperpod_named(&self, name: &str) -> &[&'a HyperPodNode] {
        if self.is_shared(name) { &[] } else { self.hyperpod.named(name) }
    }

    /// True for a name that instances of the fleet and of HyperPod had at once, in two networks: nobody knows which is meant.
    fn is_shared(&self, name: &str) -> bool {
        let Some(of_fleet) = self.by_name.get(name) else { return false };
        self.hyperpod.named(name).iter().any(|of| {
            of_fleet.is_none_or(|it| of.seen_from < it.seen_until && it.launched_at < of.seen_until)
        })
    }

    fn of_hyperpod(&self, of: &HyperPodNode) -> Window {
        let (from, to) = (of.seen_from.as_millisecond(), of.seen_until.as_millisecond());
        // Of Spot nobody tells the price, and the list price is another one.
        let usd_per_hour = of.usd_per_hour.filter(|_| of.is_spot == Some(false));
        Window {
            from,
            to,
            node: self.node_type(Some(&of.region), &of.instance_type).map(Arc::new),
            instance_type: Some(of.instance_type.clone()),
            region: Some(of.region.clone()),
            type_from: TypeFrom::HyperPod,
            price_from: PriceFrom::List,
            prices: vec![Step { from, usd_per_hour }],
        }
    }

    /// What was behind it by scheduler and fleet.
    fn as_scheduled(&self, node: &JobNode) -> Window {
        let of_fleet = node.instance_id.as_deref().and_then(|id| self.by_id.get(id).copied());
        let by_address = || node.private_ip.as_deref().and_then(|ip| self.named(ip));
        // An address is given to others later: one of an instance that began after it was seen is none.
        let began = |of: &&KnownInstance| of.launched_at <= node.seen_until;
        let instance = match &node.instance_id {
            Some(_) => of_fleet,
            None => by_address().or_else(|| self.named(&node.name)).filter(began),
        };
        let told = node.instance_type.clone();
        let type_from = if told.is_some() { TypeFrom::Scheduler } else { TypeFrom::Fleet };
        let name = told.or_else(|| instance.map(|of| of.instance_type.clone()));
        let region = node.region.clone().or_else(|| instance.map(|of| of.region.clone()));
        let (from, to) = (node.seen_from.as_millisecond(), node.seen_until.as_millisecond());
        self.window((from, to), name, region, type_from, instance)
    }

    fn of_instance(&self, of: &KnownInstance) -> Window {
        let span = (of.launched_at.as_millisecond(), of.seen_until.as_millisecond());
        let (name, region) = (Some(of.instance_type.clone()), Some(of.region.clone()));
        self.window(span, name, region, TypeFrom::Fleet, Some(of))
    }

    fn window(
        &self,
        (from, to): (i64, i64),
        instance_type: Option<Arc<str>>,
        region: Option<Arc<str>>,
        type_from: TypeFrom,
        instance: Option<&KnownInstance>,
    ) -> Window {
        let node =
            instance_type.as_deref().and_then(|name| self.node_type(region.as_deref(), name));
        let node = node.map(Arc::new);
        let list = node.as_ref().map(|node| (node.usd_per_hour, node.from));
        let (mut usd_per_hour, mut price_from) = list.unwrap_or((None, PriceFrom::List));
        if let Some((usd, from)) = instance.and_then(|of| of.rate) {
            (usd_per_hour, price_from) = (Some(usd), from);
        }
        let mut prices = vec![Step { from, usd_per_hour }];
        if let Some(of) = instance.filter(|of| of.is_spot) {
            let history = self.spot_steps(of, from, to);
            if !history.is_empty() {
                (prices, price_from) = (history, PriceFrom::Spot);
            }
        }
        Window { from, to, node, instance_type, region, type_from, price_from, prices }
    }

    /// Spot prices of an instance's zone from a moment to another; empty where none is kept. Before the oldest one the price is
    /// unknown.
    fn spot_steps(&self, of: &KnownInstance, from: i64, to: i64) -> Vec<Step> {
        let is_of = |history: &&SpotHistory| {
            history.az == of.az
                && history.instance_type == of.instance_type
                && history.platform == Platform::Linux
        };
        let Some(history) = self.known.spot.iter().find(is_of) else { return Vec::new() };
        let mut steps = vec![Step { from, usd_per_hour: None }];
        for (at, usd) in history.points.iter() {
            let (at, usd_per_hour) = (at.as_millisecond(), Usd::from_f64(usd));
            if at >= to {
                break;
            }
            if at <= from {
                steps[0].usd_per_hour = usd_per_hour;
            } else {
                steps.push(Step { from: at, usd_per_hour });
            }
        }
        // A history that begins later tells nothing of before: what it costs now stands in.
        if steps.len() == 1 && steps[0].usd_per_hour.is_none() {
            steps.clear();
        }
        steps
    }

    /// Instance type and region of an attempt, by whatever tells: the attempt, its first node, the rules.
    pub fn place(&self, of: &AttemptView<'_>) -> Option<(Arc<str>, Option<Arc<str>>, TypeFrom)> {
        if let Some(name) = of.instance_type {
            return Some((name.clone(), of.region.cloned(), TypeFrom::Attempt));
        }
        let start = of.started_at.or(of.submitted_at)?.as_millisecond();
        let end = of.ended_at.or(of.seen_until).map_or(start, Timestamp::as_millisecond);
        let is_known =
            !self.nodes.is_empty() || !self.by_name.is_empty() || !self.known.hyperpod.is_empty();
        let by_node = of.nodes.first().filter(|_| is_known);
        let window = by_node.and_then(|node| {
            let windows = self.windows(&(of.source, of.cluster.clone(), node.clone()));
            let is_then = |window: &&Window| window.from < end.max(start + 1) && start < window.to;
            let found = windows.iter().find(is_then)?;
            let region = found.region.clone().or_else(|| of.region.cloned());
            Some((found.instance_type.clone()?, region, found.type_from))
        });
        if window.is_some() {
            return window;
        }
        let name = self.known.queues?(of.cluster, of.queue?)?;
        Some((name, of.region.cloned(), TypeFrom::Rule))
    }
}
