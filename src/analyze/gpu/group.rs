//! GPUs by the host whose price they share, with what is left of sliced ones.

use std::collections::HashMap;
use std::sync::Arc;

use super::item::Item;
use crate::domain::{FastMap, FastSet, GpuIdentity, GpuKey, GpuSample, GpuSignal, GpuSignals};
use crate::fleet::gpu::{Part, Share, index_of, share};
use crate::fleet::{GpuNode, Row};

/// A GPU as a member of its group (node, team, owner, model).
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub item: usize,
    pub share: Share,
}

/// The GPUs of one host.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub place: Option<usize>,
    pub node: Arc<GpuNode>,
    pub members: Vec<Member>,
    /// Physical devices with fresh news.
    pub fresh_devices: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Host {
    At(usize),
    Called(Arc<str>),
}

/// Groups GPUs by host and shares its price among them. What is left of sliced GPUs is added to
/// `items`, and slices learn the power of their GPU where they have none of their own.
pub(super) fn group(items: &mut Vec<Item>, rows: &[Arc<Row>]) -> Vec<Group> {
    let mut of_host: FastMap<Host, Vec<usize>> = FastMap::default();
    for (i, item) in items.iter().enumerate() {
        let host = item.place.map_or_else(|| Host::Called(called(item)), Host::At);
        of_host.entry(host).or_default().push(i);
    }
    let sliced = items.iter().any(|i| i.key.gpu_instance.is_some());
    let mut wholes: FastSet<GpuKey> = (items.iter().filter(|_| sliced))
        .filter(|i| i.key.gpu_instance.is_none())
        .map(|i| i.key.clone())
        .collect();
    let mut hosts: Vec<(Host, Vec<usize>)> = of_host.into_iter().collect();
    for (_, members) in &mut hosts {
        // The order of the sweeps must not matter.
        members.sort_unstable_by(|a, b| items[*a].key.cmp(&items[*b].key));
    }
    hosts.sort_unstable_by(|a, b| items[a.1[0]].key.cmp(&items[b.1[0]].key));
    hosts
        .into_iter()
        .map(|(host, members)| {
            let (place, called) = match host {
                Host::At(place) => (Some(place), None),
                Host::Called(name) => (None, Some(name)),
            };
            let row = place.and_then(|p| rows.get(p));
            one(items, members, place, row, called, &mut wholes)
        })
        .collect()
}

fn called(item: &Item) -> Arc<str> {
    let host = &item.sample.identity.host;
    if let Some(node) = &host.node {
        return node.clone();
    }
    match host.shown() {
        "" => item.told.first().map(|t| t.origin.clone()).unwrap_or_default(),
        shown => shown.into(),
    }
}

fn one(
    items: &mut Vec<Item>,
    mut members: Vec<usize>,
    place: Option<usize>,
    row: Option<&Arc<Row>>,
    called: Option<Arc<str>>,
    wholes: &mut FastSet<GpuKey>,
) -> Group {
    let spec = row.and_then(|r| r.spec.as_deref());
    let mut devices = Devices::default();
    if members.iter().any(|m| items[*m].sample.identity.mig.is_some()) {
        devices = Devices::of(members.iter().map(|m| &items[*m]), row);
        add_rests(items, &mut members, row, &devices, wholes);
    }
    let parts: Vec<Part> = members.iter().map(|m| part(&items[*m], row, &devices)).collect();
    let shares = share(&parts, spec);
    let mut fresh: Vec<&str> = (members.iter().zip(&parts))
        .filter(|(m, _)| items[**m].fresh)
        .map(|(_, p)| &*p.device)
        .collect();
    fresh.sort_unstable();
    fresh.dedup();
    let fresh_devices = fresh.len() as u32;
    let named = members.iter().filter_map(|m| items[*m].sample.identity.host.node.as_ref()).min();
    let name = called.or_else(|| named.cloned()).unwrap_or_else(|| {
        let instance = row.map(|r| &r.instance);
        let name = instance.map(|i| if i.name.is_empty() { &i.id } else { &i.name });
        name.cloned().unwrap_or_default()
    });
    let node = Arc::new(GpuNode { name, instance: row.cloned() });
    let members =
        members.into_iter().zip(shares).map(|(item, share)| Member { item, share }).collect();
    Group { place, node, members, fresh_devices }
}

/// The indices of physical devices, by UUID: a GPU and its slices may be told by sources of which
/// only one names the index.
#[derive(Default)]
struct Devices(HashMap<Arc<str>, u16>);

impl Devices {
    fn of<'a>(items: impl Iterator<Item = &'a Item>, row: Option<&Arc<Row>>) -> Self {
        let row = row.map(|r| &**r);
        let told = |i: &Item| Some((i.key.device.clone(), index_of(&i.sample.identity, row)?));
        Self(items.filter_map(told).collect())
    }

    fn index(&self, item: &Item, row: Option<&Arc<Row>>) -> Option<u16> {
        let own = index_of(&item.sample.identity, row.map(|r| &**r));
        own.or_else(|| self.0.get(&item.key.device).copied())
    }
}

fn part(item: &Item, row: Option<&Arc<Row>>, devices: &Devices) -> Part {
    let identity = &item.sample.identity;
    let slices = identity.mig.as_ref().map(|m| m.slices().unwrap_or(0));
    let device = match devices.index(item, row) {
        Some(index) => index_text(index),
        None if !identity.pci_bus_id.is_empty() => identity.pci_bus_id.clone(),
        // Slices that name neither their GPU nor its index.
        None if item.key.device.starts_with("MIG-") => "MIG".into(),
        None => item.key.device.clone(),
    };
    Part { device, slices }
}

/// Small numbers as text, shared.
fn index_text(index: u16) -> Arc<str> {
    static TEXTS: std::sync::LazyLock<Vec<Arc<str>>> =
        std::sync::LazyLock::new(|| (0..64).map(|i: u16| i.to_string().into()).collect());
    TEXTS.get(usize::from(index)).cloned().unwrap_or_else(|| index.to_string().into())
}

/// Adds what is left of sliced GPUs that are not told as a whole, and gives slices the power,
/// the idle bit and the errors of their GPU: at rest as a whole, all of its slices are.
fn add_rests(
    items: &mut Vec<Item>,
    members: &mut Vec<usize>,
    row: Option<&Arc<Row>>,
    told: &Devices,
    wholes: &mut FastSet<GpuKey>,
) {
    struct Device {
        whole: Option<usize>,
        slice: Option<usize>,
        slices: u32,
        profiles: bool,
    }
    let mut devices: HashMap<Arc<str>, Device> = HashMap::new();
    for &m in &*members {
        let part = part(&items[m], row, told);
        let new = || Device { whole: None, slice: None, slices: 0, profiles: true };
        let device = devices.entry(part.device).or_insert_with(new);
        match part.slices {
            None => device.whole = device.whole.or(Some(m)),
            Some(n) => {
                device.slice = device.slice.or(Some(m));
                device.slices += n;
                device.profiles &= n > 0;
            }
        }
    }
    for &m in &*members {
        let device = devices.get(&part(&items[m], row, told).device);
        let whole = device.and_then(|d| d.whole).filter(|w| *w != m && items[*w].fresh);
        if let Some(whole) = whole {
            let (signals, throttle) = {
                let sample = &items[whole].sample;
                (of_board(&sample.signals), sample.throttle)
            };
            let slice = &mut items[m].sample;
            slice.signals.fill_from(&signals);
            slice.throttle = slice.throttle.or(throttle);
        }
    }
    let mut left: Vec<(Arc<str>, Device)> = devices.into_iter().collect();
    left.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (_, device) in left {
        let (None, Some(slice)) = (device.whole, device.slice) else { continue };
        if !device.profiles || device.slices >= 7 {
            continue;
        }
        let rest = rest_of(&items[slice]);
        // Else it is told as a whole on another host, where it was before or after.
        if wholes.insert(rest.key.clone()) {
            members.push(items.len());
            items.push(rest);
        }
    }
}

/// Signals that are measured of the board as a whole and hold for each of its slices.
fn of_board(signals: &GpuSignals) -> GpuSignals {
    use GpuSignal::{Power, PowerLimit, RecoveryAction, RemapFailure, Xid};
    let mut out = GpuSignals::default();
    for signal in [Power, PowerLimit, Xid, RemapFailure, RecoveryAction] {
        if let Some(value) = signals.get(signal) {
            out.set(signal, f64::from(value));
        }
    }
    out
}

/// Item for the part of a GPU that was not made into slices.
fn rest_of(slice: &Item) -> Item {
    let sample = &slice.sample;
    let identity = GpuIdentity { mig: None, ..(*sample.identity).clone() };
    Item {
        key: GpuKey { device: slice.key.device.clone(), gpu_instance: None },
        sample: GpuSample {
            names_owners: sample.names_owners,
            ..GpuSample::new(Arc::new(identity), sample.taken_at, GpuSignals::default())
        },
        elsewhere: None,
        is_rest: true,
        slot: None,
        ..slice.clone()
    }
}
