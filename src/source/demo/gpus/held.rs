//! Who holds the GPUs of the demo's cluster, as its scheduler would tell: mostly whom telemetry names, and a few that it does
//! not know.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::node::Node;
use super::{DemoGpus, DemoOptions};
use crate::domain::Hour;
use crate::domain::intern::shared;
use crate::domain::jobs::{GpuHolder, Gpus, JobNode, JobSource};
use crate::source::demo::{calendar, inventory};

/// Name of the demo's cluster.
pub const CLUSTER: &str = "research";

/// Box with a model loaded weeks ago that no living job holds.
pub const FORGOTTEN: &str = "h200-waiting";

/// Box of whose GPUs a job holds all and uses three.
pub const PARTLY_USED: &str = "eval-sweep";

/// The job that holds it.
pub const PARTLY_USED_BY: (&str, &str) = ("9005", "wei");

/// For how long it has held it at least, hours.
pub const PARTLY_USED_HOURS: i32 = 24;

/// Time that a node takes until its job begins.
pub const NODE_START: SignedDuration = SignedDuration::from_mins(4);

/// Nodes of the demo's cluster, and who holds their GPUs: boxes whose telemetry names jobs of Slurm, and the planted ones.
pub fn held(options: &DemoOptions) -> (Vec<JobNode>, Vec<GpuHolder>) {
    let demo = DemoGpus::new(options);
    let now = (demo.clock)();
    let (mut nodes, mut holders) = (Vec::new(), Vec::new());
    for node in demo.nodes(now).iter().filter(|node| demo.ran(node, now)) {
        let planted = node.profile.trap.map(|trap| trap.name);
        let job = node.gpus.iter().find_map(|gpu| gpu.owner.job.clone());
        if job.is_none() && !planted.is_some_and(|name| [FORGOTTEN, PARTLY_USED].contains(&name)) {
            continue;
        }
        let generation = node.profile.life.generation(Hour::containing(now));
        let name = node_name(node);
        nodes.push(JobNode {
            source: JobSource::Demo,
            cluster: shared(CLUSTER),
            name: name.clone(),
            instance_id: Some(inventory::id(demo.fleet, &node.profile, generation)),
            instance_type: Some(node.profile.spec.name.clone()),
            private_ip: None,
            region: Some(shared(node.profile.region.code)),
            gpus: Gpus::from_f64(node.gpus.len() as f64),
            seen_from: up_since(node, planted, now),
            seen_until: now,
        });
        let holder = match planted {
            Some(FORGOTTEN) => None,
            Some(PARTLY_USED) => Some((shared(PARTLY_USED_BY.0), Some(shared(PARTLY_USED_BY.1)))),
            // Of some boxes the scheduler lost the job: what runs there is nobody's.
            _ if node.profile.hash.is_multiple_of(3) => None,
            _ => job.map(|job| (job, node.gpus.iter().find_map(|gpu| gpu.owner.user.clone()))),
        };
        if let Some((job, user)) = holder {
            let mut indexes: Vec<u16> = node.gpus.iter().map(|gpu| gpu.index).collect();
            indexes.dedup();
            holders.push(GpuHolder {
                source: JobSource::Demo,
                cluster: shared(CLUSTER),
                node: name,
                gpus: Gpus::from_f64(indexes.len() as f64),
                indexes: Some(indexes.into()),
                raw: Some(job.clone()),
                job: Some(job),
                user,
                at: now,
            });
        }
    }
    (nodes, holders)
}

/// Since when the scheduler has had a node: since shortly before its job, as of one that is started for it; the forgotten box
/// since it was launched.
fn up_since(node: &Node, planted: Option<&str>, now: Timestamp) -> Timestamp {
    let launched = inventory::launched_at(&node.profile, now);
    let hours = match planted {
        Some(FORGOTTEN) => return launched,
        Some(PARTLY_USED) => PARTLY_USED_HOURS,
        _ => 1 + (node.profile.hash % 24) as i32,
    };
    // A job keeps its start from look to look, until another one follows it.
    let began = calendar::dated(Hour::containing(now), hours);
    began.checked_sub(NODE_START).unwrap_or(began).max(launched)
}

/// Name of a node as a scheduler has it: that of its host, without the domain.
fn node_name(node: &Node) -> Arc<str> {
    let full = inventory::private_dns(&node.profile);
    full.split('.').next().unwrap_or(&full).into()
}

/// Planted boxes of the cluster that run, with the names of their nodes.
pub fn planted_nodes(options: &DemoOptions) -> Vec<(&'static str, Arc<str>)> {
    let demo = DemoGpus::new(options);
    let now = (demo.clock)();
    let nodes = demo.nodes(now);
    let planted = nodes.iter().filter(|node| demo.ran(node, now)).filter_map(|node| {
        let name = node.profile.trap?.name;
        [FORGOTTEN, PARTLY_USED].contains(&name).then(|| (name, node_name(node)))
    });
    planted.collect()
}
