//! Paths of the network as they are without a bill: what was read, at list prices.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::Scope;

/// What a path leads through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// A NAT gateway.
    Nat,
    /// An interface or Gateway Load Balancer endpoint.
    Endpoint,
    /// From a bucket to a fleet in another region.
    FarBucket,
    /// Into a log group of CloudWatch Logs, which keeps the bytes.
    Logs,
    /// Out of CloudWatch by a metric stream.
    Stream,
    /// Out of the instances of an account and region, wherever it goes.
    Sent,
}

/// What is known of a path's avoidable part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathAdvice {
    /// A gateway endpoint of S3 in the VPC, for route tables that lead to a NAT gateway and have none.
    AddEndpoint {
        /// Id of the VPC.
        vpc: Arc<str>,
        /// Ids of the route tables, of all NAT gateways of the VPC; never empty.
        tables: Vec<Arc<str>>,
    },
    /// The gateway endpoint of S3 that the VPC has, for route tables which it leaves out.
    ExtendEndpoint {
        /// Id of the endpoint.
        endpoint: Arc<str>,
        /// Ids of the route tables; never empty.
        tables: Vec<Arc<str>>,
    },
    /// A gateway endpoint in place of an interface one, whose service has both.
    FreeGateway {
        /// Name of the service.
        service: Arc<str>,
        /// Id of the VPC.
        vpc: Arc<str>,
        /// Ids of the route tables in use of the VPC; empty where they could not be read.
        tables: Vec<Arc<str>>,
    },
    /// An endpoint with interfaces, and nothing known that would cost less.
    Interface {
        /// Name of the service; `None` where it lies in another region, and CloudWatch counts nothing.
        service: Option<Arc<str>>,
    },
    /// Nothing goes through it; the list of resources has it too.
    Idle,
    /// What goes to S3 does not come this way.
    Covered,
    /// Exempt by a tag.
    Exempt,
    /// Route tables or endpoints could not be read: nothing is claimed.
    Unread,
    /// The bucket lies in a region without instances, and the GPUs run in another.
    MoveTogether {
        /// GPUs and other accelerators that run there.
        devices: u32,
    },
    /// The log group keeps everything: a retention.
    KeepFor {
        /// Time of its creation; `None` when unknown.
        created_at: Option<Timestamp>,
    },
    /// Metrics are sent out, and nothing tells whether somebody looks at them.
    Exported {
        /// Metric updates that are sent in a month of 730 h; `None` when unknown.
        updates: Option<u64>,
        /// Time of the stream's creation; `None` when unknown.
        created_at: Option<Timestamp>,
    },
    /// Nothing tells where the bytes go.
    Anywhere {
        /// Instances of which they are known.
        told: u32,
        /// Instances that run; ≥ `told`.
        running: u32,
    },
}

/// A path of the network, read live.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathRow {
    /// Id of the gateway or the endpoint, name of the bucket or log group, `fleet`; clean text.
    pub id: Arc<str>,
    /// Its name; the id where it has none.
    pub name: Arc<str>,
    /// Kind of the path.
    pub kind: PathKind,
    /// Account and region of what it leads through.
    pub scope: Scope,
    /// Region that the bytes go to, where it is another.
    pub to: Option<Arc<str>>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Hours that are billed in a month of 730; `None` for what has none.
    pub hours: Option<f64>,
    /// Bytes in a month of 730 h at the pace of the hours that were read; `None` when unknown.
    pub bytes: Option<f64>,
    /// What the bytes cost, USD per month; `None` when unknown.
    pub bytes_usd: Option<f64>,
    /// What the path costs, USD per month; `None` when a part of it is unknown.
    pub usd: Option<f64>,
    /// What the bytes cost at most where nothing tells their way, USD per month: the range begins at 0, and no sum has it.
    /// `None` where the way is told, and without a price.
    #[serde(default)]
    pub at_most_usd: Option<f64>,
    /// Region whose price stands in, because that of the path's own is not embedded; `None` where it is.
    #[serde(default)]
    pub price_of: Option<Arc<str>>,
    /// What could be avoided, USD per month: never more than `usd`. `None` when unknown, and without advice.
    pub avoidable_usd: Option<f64>,
    /// What the advice costs once, USD; `None` when unknown.
    pub once_usd: Option<f64>,
    /// What is known of the avoidable part.
    pub advice: PathAdvice,
}

impl PathRow {
    /// True where something need not be, and no other list says it.
    pub fn is_finding(&self) -> bool {
        matches!(
            self.advice,
            PathAdvice::AddEndpoint { .. }
                | PathAdvice::ExtendEndpoint { .. }
                | PathAdvice::FreeGateway { .. }
                | PathAdvice::MoveTogether { .. }
                | PathAdvice::KeepFor { .. }
        )
    }
}
