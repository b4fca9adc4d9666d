//! Decides which names of different sources mean the same GPU.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{FastMap, GpuIdentity, GpuKey};
use crate::fleet::Row;

/// Identity of a GPU in one source.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Identity as the source reports it.
    pub identity: &'a GpuIdentity,
    /// Name of the source: used as the host when the identity names none.
    pub origin: &'a str,
    /// Place in the rows of the instance it sits in (see [`super::Places`]); `None` without one.
    pub place: Option<usize>,
}

/// Keys of GPUs seen before, by instance id, index and GPU instance. With them a source without UUIDs continues the
/// same GPU when the source with UUIDs stops reporting.
pub type Known = HashMap<(Arc<str>, u16, Option<u32>), GpuKey>;

/// GPUs found behind a list of identities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unified {
    /// Keys of the GPUs: first those with a UUID, then the others.
    pub slots: Vec<GpuKey>,
    /// For each identity the place of its GPU in `slots`.
    pub of: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Host<'a> {
    At(usize),
    Called(&'a str),
}

/// Index on the host: as reported, or 0 on an instance with a single device; `None` otherwise.
pub fn index_of(identity: &GpuIdentity, row: Option<&Row>) -> Option<u16> {
    let single = || row.and_then(|r| r.spec.as_ref()).is_some_and(|s| s.devices() == 1);
    identity.index.or_else(|| single().then_some(0))
}

/// Finds the GPUs behind `names`. One UUID (with its GPU instance) is one GPU wherever it is reported. Without a UUID,
/// instance (or host name) and index decide, and join the GPU whose UUID is reported at that place. When two UUIDs are
/// reported at one place (an exchanged board), an identity without a UUID is a GPU of its own.
pub fn unify(names: &[Named<'_>], rows: &[Arc<Row>], known: &Known) -> Unified {
    let mut out =
        Unified { slots: Vec::with_capacity(names.len()), of: vec![u32::MAX; names.len()] };
    let mut by_uuid: FastMap<(&str, Option<u32>), u32> = FastMap::default();
    by_uuid.reserve(names.len());
    let host_of = |n: &Named<'_>| n.place.and_then(|p| rows.get(p));
    let mut nameless = false;
    for (i, name) in names.iter().enumerate() {
        let Some(uuid) = name.identity.uuid.as_deref() else {
            nameless = true;
            continue;
        };
        let gi = gpu_instance(name);
        let slot = *by_uuid.entry((uuid, gi)).or_insert_with(|| {
            out.slots.push(name.identity.key_on(""));
            (out.slots.len() - 1) as u32
        });
        out.of[i] = slot;
    }
    if !nameless {
        return out;
    }
    let mut at_place: FastMap<(Host<'_>, u16, Option<u32>), Option<u32>> = FastMap::default();
    at_place.reserve(names.len());
    for (i, name) in names.iter().enumerate().filter(|(_, n)| n.identity.uuid.is_some()) {
        let row = host_of(name).map(|r| &**r);
        if let Some(index) = index_of(name.identity, row) {
            let slot = out.of[i];
            at_place
                .entry((host(name), index, gpu_instance(name)))
                .and_modify(|s| *s = s.filter(|s| *s == slot))
                .or_insert(Some(slot));
        }
    }
    let mut by_key: FastMap<GpuKey, u32> = FastMap::default();
    for (i, name) in names.iter().enumerate().filter(|(_, n)| n.identity.uuid.is_none()) {
        let row = host_of(name).map(|r| &**r);
        let gi = gpu_instance(name);
        let index = index_of(name.identity, row);
        let told =
            index.and_then(|index| at_place.get(&(host(name), index, gi)).copied().flatten());
        out.of[i] = told.unwrap_or_else(|| {
            let before = row.zip(index).and_then(|(r, index)| {
                known
                    .get(&(r.instance.id.clone(), index, gi))
                    .filter(|key| !by_uuid.contains_key(&(&*key.device, key.gpu_instance)))
            });
            let key = before.cloned().unwrap_or_else(|| match index {
                Some(index) => place_key(host_name(name, row), index, gi),
                None => name.identity.key_on(host_name(name, row)),
            });
            *by_key.entry(key.clone()).or_insert_with(|| {
                out.slots.push(key);
                (out.slots.len() - 1) as u32
            })
        });
    }
    out
}

fn gpu_instance(name: &Named<'_>) -> Option<u32> {
    name.identity.mig.as_ref().map(|m| m.gpu_instance)
}

fn host<'a>(name: &Named<'a>) -> Host<'a> {
    name.place.map_or_else(
        || {
            let shown = name.identity.host.shown();
            Host::Called(if shown.is_empty() { name.origin } else { shown })
        },
        Host::At,
    )
}

fn host_name<'a>(name: &Named<'a>, row: Option<&'a Row>) -> &'a str {
    if let Some(row) = row {
        return &row.instance.id;
    }
    let shown = name.identity.host.shown();
    if shown.is_empty() { name.origin } else { shown }
}

/// Key of a GPU known only by its place, as [`GpuIdentity::key_on`] builds it.
pub fn place_key(host: &str, index: u16, gpu_instance: Option<u32>) -> GpuKey {
    GpuKey { device: format!("{host}/{index}").into(), gpu_instance }
}
