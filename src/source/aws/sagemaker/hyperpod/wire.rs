//! What SageMaker is asked of HyperPod and, of its answers, what is read. Fields missing in an answer are `None`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::super::calls::{DESCRIBE_CLUSTER_NODE, LIST_CLUSTER_NODES, LIST_CLUSTERS};
use super::super::super::json_api::{Page, Question, Read, Row};
use super::super::super::time;
use super::super::wire::{PAGE, SAGEMAKER};

/// Request for a page of all clusters.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListClusters {
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

impl ListClusters {
    /// The page of a token; `None` for the first.
    pub fn page(token: Option<String>) -> Self {
        Self { max_results: PAGE, next_token: token }
    }
}

impl Question for ListClusters {
    const READ: Read = Read::of(&LIST_CLUSTERS, &SAGEMAKER);
    type Answer = Page<ClusterRow>;
}

/// Cluster in the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ClusterRow {
    /// Name of the cluster.
    pub cluster_name: Option<String>,
    /// ARN of the cluster, which tells its account.
    pub cluster_arn: Option<String>,
}

impl Row for ClusterRow {
    const LIST: &'static str = "ClusterSummaries";
}

/// Request for a page of the nodes of a cluster.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListClusterNodes<'a> {
    cluster_name: &'a str,
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

impl<'a> ListClusterNodes<'a> {
    /// The page of a token; `None` for the first.
    pub fn page(cluster_name: &'a str, token: Option<String>) -> Self {
        Self { cluster_name, max_results: PAGE, next_token: token }
    }
}

impl Question for ListClusterNodes<'_> {
    const READ: Read = Read::of(&LIST_CLUSTER_NODES, &SAGEMAKER);
    type Answer = Page<NodeRow>;
}

/// Node in the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct NodeRow {
    /// Name of its instance group.
    pub instance_group_name: Option<String>,
    /// Id of its instance.
    pub instance_id: Option<String>,
    /// Type of its instance, such as `ml.p5.48xlarge`.
    pub instance_type: Option<String>,
    /// State.
    pub instance_status: Option<NodeStatus>,
    /// When it was launched.
    #[serde(default, deserialize_with = "time::from_json")]
    pub launch_time: Option<Timestamp>,
    /// Private DNS name.
    pub private_dns_hostname: Option<String>,
}

impl Row for NodeRow {
    const LIST: &'static str = "ClusterNodeSummaries";
}

/// State of a node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct NodeStatus {
    /// Word for it: `Running`, `Failure`, `Pending`, `ShuttingDown`, `SystemUpdating`, `DeepHealthCheckInProgress`, `NotFound`.
    pub status: Option<String>,
}

/// Request for one node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeClusterNode<'a> {
    /// Name of its cluster.
    pub cluster_name: &'a str,
    /// Id of its instance.
    pub node_id: &'a str,
}

impl Question for DescribeClusterNode<'_> {
    const READ: Read = Read::of(&DESCRIBE_CLUSTER_NODE, &SAGEMAKER);
    type Answer = Described;
}

/// One node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Described {
    /// What is told of it.
    pub node_details: Option<NodeDetails>,
}

/// What is told of one node.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct NodeDetails {
    /// `Spot` or `OnDemand`.
    pub capacity_type: Option<String>,
    /// Private IPv4 address.
    pub private_primary_ip: Option<String>,
    /// Private DNS name.
    pub private_dns_hostname: Option<String>,
}
