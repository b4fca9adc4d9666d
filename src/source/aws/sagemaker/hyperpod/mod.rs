//! Instances of the clusters of HyperPod: they are SageMaker's, and no list of EC2 has them.
//!
//! The list of nodes tells instance, type, DNS name and since when. Whether capacity is Spot is told of one node at a time, and is the
//! same for a whole instance group, of which it is a setting: one node of each is looked at, and each whose DNS name the list lacks.

mod wire;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use self::wire::{
    ClusterRow, DescribeClusterNode, Described, ListClusterNodes, ListClusters, NodeDetails,
    NodeRow,
};
use super::super::AwsProvider;
use super::super::account_jobs::{RegionRead, clean, cluster_of};
use super::super::json_api::{ask, every};
use super::super::resource_prices::JobPrices;
use super::unless_gone;
use crate::domain::SourceError;
use crate::domain::bill::Usd;
use crate::domain::format::plural;
use crate::domain::jobs::HyperPodNode;
use crate::domain::text::is_id;

/// How long one reading of a region looks at nodes one by one.
const BUDGET: Duration = Duration::from_secs(8);

/// A node of a list.
struct Listed {
    /// Instance group; `None` where the list does not tell.
    group: Option<Arc<str>>,
    node: HyperPodNode,
}

/// Instances of all clusters of a region, without prices. What is refused or fails is among the troubles and notes, and leaves the rest.
pub async fn nodes(
    aws: &AwsProvider,
    region: &Arc<str>,
    now: Timestamp,
) -> (Vec<HyperPodNode>, RegionRead) {
    let mut read = RegionRead::default();
    let clusters = match every(aws, region, ListClusters::page).await {
        Ok(clusters) => clusters,
        Err(failed) => {
            read.troubles.push(failed.error);
            return (Vec::new(), read);
        }
    };
    read.is_answered = true;
    let began = Instant::now();
    let mut all = Vec::new();
    for cluster in &clusters {
        match of_cluster(aws, region, cluster, now).await {
            Ok(mut listed) => {
                read.notes.extend(look(aws, region, cluster, &mut listed, began).await);
                all.extend(listed.into_iter().map(|one| one.node));
            }
            Err(error) => read.troubles.push(error),
        }
    }
    (all, read)
}

/// Name of a cluster; `None` for one that is unsafe: it would be sent back.
fn named(cluster: &ClusterRow) -> Option<&str> {
    cluster.cluster_name.as_deref().filter(|name| is_id(name))
}

/// Nodes of a cluster by the list; none of one that is gone.
async fn of_cluster(
    aws: &AwsProvider,
    region: &Arc<str>,
    cluster: &ClusterRow,
    now: Timestamp,
) -> Result<Vec<Listed>, SourceError> {
    let Some(name) = named(cluster) else { return Ok(Vec::new()) };
    let page = |token| ListClusterNodes::page(name, token);
    let rows = unless_gone(every(aws, region, page).await)?.unwrap_or_default();
    let place = cluster_of(cluster.cluster_arn.as_deref(), region);
    let place: Arc<str> = format!("{place}/{name}").into();
    Ok(rows.iter().filter_map(|row| listed(row, &place, region, now)).collect())
}

/// A node of the list; `None` for one without instance or type, and for one that is not there.
fn listed(row: &NodeRow, cluster: &Arc<str>, region: &Arc<str>, now: Timestamp) -> Option<Listed> {
    let status = row.instance_status.as_ref().and_then(|of| of.status.as_deref());
    if status == Some("NotFound") {
        return None;
    }
    let private_dns = row.private_dns_hostname.as_deref().and_then(clean);
    let node = HyperPodNode {
        cluster: cluster.clone(),
        instance_id: row.instance_id.as_deref().filter(|id| is_id(id))?.into(),
        instance_type: row.instance_type.as_deref().and_then(clean)?,
        region: region.clone(),
        private_ip: private_dns.as_deref().and_then(address),
        private_dns,
        is_spot: None,
        usd_per_hour: None,
        seen_from: row.launch_time.filter(|at| *at <= now).unwrap_or(now),
        seen_until: now,
    };
    Some(Listed { group: row.instance_group_name.as_deref().and_then(clean), node })
}

/// The address in a name such as `ip-10-1-2-3.ec2.internal`; `None` for another one.
fn address(dns: &str) -> Option<Arc<str>> {
    let digits = dns.split('.').next()?.strip_prefix("ip-")?;
    let ip: Ipv4Addr = digits.replace('-', ".").parse().ok()?;
    Some(ip.to_string().into())
}

/// Looks at nodes for what the list does not tell; a sentence where that fails, which leaves the nodes.
async fn look(
    aws: &AwsProvider,
    region: &Arc<str>,
    cluster: &ClusterRow,
    all: &mut [Listed],
    began: Instant,
) -> Option<String> {
    let cluster_name = named(cluster)?;
    let mut groups: HashSet<Option<Arc<str>>> = HashSet::new();
    let mut trouble = None;
    for one in all.iter_mut() {
        let is_first = groups.insert(one.group.clone()) || one.group.is_none();
        let is_wanted = is_first || one.node.private_dns.is_none();
        if !is_wanted || trouble.is_some() {
            continue;
        }
        if began.elapsed() >= BUDGET {
            trouble = Some("there was no time to look at all of them".to_owned());
            continue;
        }
        let question = DescribeClusterNode { cluster_name, node_id: &one.node.instance_id };
        let answer = unless_gone(ask(aws, region, &question).await);
        match answer {
            Ok(Some(Described { node_details: Some(details) })) => one.take(&details),
            Ok(_) => {}
            Err(error) => trouble = Some(error.with_fix()),
        }
    }
    let told = all.iter().filter_map(|one| Some((one.group.clone()?, one.node.is_spot?)));
    let told: HashMap<Arc<str>, bool> = told.collect();
    for one in all.iter_mut() {
        let of_group = one.group.as_ref().and_then(|group| told.get(group).copied());
        one.node.is_spot = one.node.is_spot.or(of_group);
    }
    let why = match all.iter().all(|one| one.node.is_spot.is_some()) {
        true => "private addresses of nodes of HyperPod are unknown",
        false => "whether nodes of HyperPod are Spot is unknown, and so are their dollars",
    };
    Some(format!("{region}: {why}: {}", trouble?))
}

impl Listed {
    /// Takes what is told of it alone.
    fn take(&mut self, details: &NodeDetails) {
        let node = &mut self.node;
        node.is_spot = match details.capacity_type.as_deref() {
            Some("Spot") => Some(true),
            // Before there was Spot capacity nothing was told.
            Some("OnDemand") | None => Some(false),
            Some(_) => None,
        };
        if let Some(name) = details.private_dns_hostname.as_deref().and_then(clean) {
            node.private_ip = address(&name).or_else(|| node.private_ip.clone());
            node.private_dns = Some(name);
        }
        let told = details.private_primary_ip.as_deref();
        if let Some(ip) = told.and_then(|text| text.trim().parse::<IpAddr>().ok()) {
            node.private_ip = Some(ip.to_string().into());
        }
    }
}

/// Gives nodes the list price of their type in a cluster; returns a sentence for each type without one, and for Spot capacity.
pub fn priced(nodes: &mut [HyperPodNode], prices: &JobPrices, region: &str) -> Vec<String> {
    let (mut unpriced, mut spot) = (BTreeSet::new(), 0);
    for node in nodes {
        // Its usage type is `Cluster:ml.p5.48xlarge`; what a training plan reserves is `ReservedCluster:`.
        let key = ("Cluster".to_owned(), node.instance_type.to_string());
        node.usd_per_hour = prices.get(&key).copied().flatten().and_then(Usd::from_f64);
        spot += usize::from(node.is_spot == Some(true));
        if node.usd_per_hour.is_none() && node.is_spot != Some(true) {
            unpriced.insert(node.instance_type.clone());
        }
    }
    let sentence = |name: Arc<str>| {
        format!(
            "no list price of {name} for HyperPod in {region}: dollars of its nodes are unknown"
        )
    };
    let mut notes: Vec<String> = unpriced.into_iter().map(sentence).collect();
    if spot > 0 {
        let nodes = plural(spot, "node");
        notes.push(format!(
            "{region}: dollars of {nodes} of HyperPod are unknown: nobody tells the price of its Spot capacity"
        ));
    }
    notes
}
