//! The pictures of the GPUs that the next start finds: one that paints first and is read before
//! anything else is done, and one with more of them for a run that asks nobody.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::super::{Event, Shared};
use crate::cache::decode;
use crate::fleet::gpu::{GpuFleet, GpuNode, GpuRow};

/// Rows kept, some megabytes of them. The totals are of all: who shows fewer says so.
const ROWS: usize = 2_000;
/// Rows that paint first: more than any screen shows at once. Each costs time before the first
/// picture.
const FIRST_ROWS: usize = 250;
/// Grows when what is stored changes its layout.
const LAYOUT: u32 = 7;

/// The larger summary of the GPUs, beside the one of the fleet under `fleet_key`.
fn gpus_key(fleet_key: &str) -> String {
    format!("gpus/{LAYOUT}/{fleet_key}")
}

/// The summary of the GPUs that paints first, beside the one of the fleet under `fleet_key`.
pub fn first_gpus_key(fleet_key: &str) -> String {
    format!("first gpus/{LAYOUT}/{fleet_key}")
}

/// Both pictures as stored.
pub(super) struct Stored {
    first: Vec<u8>,
    most: Vec<u8>,
}

impl Stored {
    /// The bytes of the worst rows of `fleet`, with the totals of all; `None` when there is nothing.
    pub(super) fn of(fleet: &GpuFleet) -> Option<Self> {
        Some(Self { first: encode(fleet, FIRST_ROWS)?, most: encode(fleet, ROWS)? })
    }

    /// Keeps them for the next start.
    pub(super) async fn keep(self, shared: &Shared) {
        let key = &shared.settings.summary_key;
        shared.cache.put_summary(&first_gpus_key(key), self.first).await;
        shared.cache.put_summary(&gpus_key(key), self.most).await;
    }
}

/// The picture as stored: a node stands once, however many GPUs it has.
#[derive(Serialize, Deserialize)]
struct Kept {
    fleet: GpuFleet,
    nodes: Vec<GpuNode>,
    /// The node of each row.
    of: Vec<u32>,
}

fn encode(fleet: &GpuFleet, most: usize) -> Option<Vec<u8>> {
    if fleet.rows.is_empty() && fleet.blind.is_empty() {
        return None;
    }
    let nobody = Arc::new(GpuNode { name: "".into(), instance: None });
    let mut places: HashMap<*const GpuNode, u32> = HashMap::new();
    let (mut nodes, mut of) = (Vec::new(), Vec::new());
    let kept: Vec<Arc<GpuRow>> = fleet
        .rows
        .iter()
        .take(most)
        .map(|row| {
            of.push(*places.entry(Arc::as_ptr(&row.node)).or_insert_with(|| {
                nodes.push((*row.node).clone());
                nodes.len() as u32 - 1
            }));
            Arc::new(GpuRow { node: nobody.clone(), ..(**row).clone() })
        })
        .collect();
    let fleet = GpuFleet {
        // The next process counts from 1.
        version: 0,
        as_of: fleet.as_of,
        rows: kept,
        blind: fleet.blind.iter().take(most).cloned().collect(),
        totals: fleet.totals.clone(),
    };
    postcard::to_allocvec(&Kept { fleet, nodes, of }).ok()
}

/// The picture that the last run stored; `None` for bytes that are none.
pub fn read_gpus(bytes: &[u8]) -> Option<GpuFleet> {
    let Kept { mut fleet, nodes, of } = decode(bytes)?;
    if of.len() != fleet.rows.len() {
        return None;
    }
    let nodes: Vec<Arc<GpuNode>> = nodes.into_iter().map(Arc::new).collect();
    for (row, node) in fleet.rows.iter_mut().zip(of) {
        Arc::make_mut(row).node = nodes.get(node as usize)?.clone();
    }
    Some(fleet)
}

/// True when the last run left something of the GPUs; whether it can be read is not looked at.
pub(super) async fn is_remembered(shared: &Shared) -> bool {
    shared.cache.has_summary(&gpus_key(&shared.settings.summary_key)).await
}

/// Picture of the GPUs that the last run left; `None` without one.
async fn remembered(shared: &Shared) -> Option<GpuFleet> {
    let key = gpus_key(&shared.settings.summary_key);
    read_gpus(&shared.cache.summary(&key).await?)
}

/// Shows what the last run left; for a run that asks nobody.
pub(super) async fn show_remembered(shared: &Shared, events: &mpsc::Sender<Event>) {
    if let Some(fleet) = remembered(shared).await {
        let _ = events.send(Event::Gpus(Arc::new(fleet))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::gpu::GpuTotals;

    #[test]
    fn other_bytes_are_no_picture() {
        let totals = GpuTotals { nodes: 3, ..GpuTotals::default() };
        let fleet = GpuFleet { version: 7, totals, ..GpuFleet::default() };
        assert!(Stored::of(&fleet).is_none(), "nothing to paint");
        let bytes = postcard::to_allocvec(&Kept { fleet, nodes: vec![], of: vec![] }).unwrap();
        assert_eq!(read_gpus(&bytes).unwrap().totals.nodes, 3);
        assert!(read_gpus(&bytes[1..]).is_none() && read_gpus(&[]).is_none());
        assert!(read_gpus(&[bytes, vec![0]].concat()).is_none(), "bytes left over");
    }

    #[test]
    fn what_paints_first_has_fewer_rows_and_the_same_totals() {
        let fleet = crate::tabs::gpus::picture::fixture::many(400, 8, 20);
        let stored = Stored::of(&fleet).unwrap();
        let [first, most] = [&stored.first, &stored.most].map(|bytes| read_gpus(bytes).unwrap());
        assert_eq!((first.rows.len(), most.rows.len()), (FIRST_ROWS, ROWS));
        assert_eq!((&first.totals, &most.totals), (&fleet.totals, &fleet.totals));
        assert_eq!(first.rows[..], most.rows[..FIRST_ROWS]);
        // Time before the first picture goes by bytes.
        assert!(stored.first.len() < 400_000, "{} bytes", stored.first.len());
    }
}
