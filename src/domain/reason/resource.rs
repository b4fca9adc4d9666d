//! What decides the verdict on a billed resource that is no instance, and what to do about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Lasted;
use crate::domain::{InstanceState, ResourceSignal};

/// What decided the verdict on a resource. Percents are 0–100, `needed` are the hours of its rule's minimum stretch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ResourceReason {
    /// Made or changed too recently.
    TooNew {
        /// True where it is older than its last change or start.
        is_changed: bool,
        /// Whole hours since; negative where that lies in the future.
        hours: i64,
        /// Hours needed.
        needed: u32,
    },
    /// An endpoint without an invocation.
    NoInvocation {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Highest GPU use, percent; `None` where not known.
        gpu: Option<f64>,
        /// Highest CPU, percent; `None` where not known.
        cpu: Option<f64>,
    },
    /// A notebook whose CPU did nothing.
    NothingRan {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Highest CPU, percent; `None` where not known.
        top: Option<f64>,
        /// Limit, percent.
        limit: f64,
    },
    /// A Studio app that nobody used.
    Unused {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Hours needed.
        needed: u32,
    },
    /// An address that is associated with nothing.
    Free {
        /// Seen so for how long; `None` where not known.
        lasted: Option<Lasted>,
    },
    /// An address of an instance that does not run.
    OfInstance {
        /// Id of the instance.
        id: Arc<str>,
        /// Its state.
        state: InstanceState,
        /// Whole hours since when it is stopped; `None` where it is not, and where not known.
        stopped_hours: Option<u32>,
    },
    /// An address of something that nothing uses.
    OfUnused {
        /// Its id.
        id: Arc<str>,
        /// Seen so for how long; `None` where not known.
        lasted: Option<Lasted>,
    },
    /// A NAT gateway without a connection.
    NoConnection {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Route tables that lead to it; `None` where they could not be read.
        routes: Option<u32>,
    },
    /// An endpoint of a VPC through which nothing went.
    NothingMoved {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
    },
    /// A load balancer without a target that works.
    NoTarget {
        /// Targets registered, none of them in health.
        targets: u32,
        /// No request came for so long; `None` where that was not witnessed.
        lasted: Option<Lasted>,
        /// Hours looked at.
        hours: u32,
    },
    /// A load balancer that nobody asked.
    NotAsked {
        /// How long; `None` where not known.
        lasted: Option<Lasted>,
        /// Targets in health; `None` where they could not be read.
        healthy: Option<u32>,
        /// True where requests are counted, false where connections are.
        is_application: bool,
    },
    /// A stopped instance with volumes.
    Stopped {
        /// Whole hours.
        hours: u32,
        /// Its volumes.
        volumes: u32,
    },
    /// A stopped instance with volumes; since when is not known.
    StoppedSometime {
        /// Its volumes.
        volumes: u32,
    },
    /// A stopped instance, too recently.
    StoppedLately {
        /// Whole hours.
        hours: u32,
        /// Hours needed.
        needed: u32,
    },
    /// A load balancer with few requests.
    FewRequests {
        /// Most of a day.
        most: f64,
        /// AWS Trusted Advisor calls it idle below so many a day.
        limit: f64,
        /// Most bytes of a day; `None` where they are not counted.
        bytes: Option<f64>,
        /// True where requests are counted, false where connections are.
        is_application: bool,
    },
    /// In use, far below its capacity.
    LowPeaks {
        /// Highest GPU use, percent; `None` where not known.
        gpu: Option<f64>,
        /// Highest CPU, percent; `None` where not known.
        cpu: Option<f64>,
    },
    /// In use by what a signal did.
    Used {
        /// What.
        by: ResourceUse,
        /// Hours since.
        quiet_hours: u32,
    },
    /// Somebody used it so many whole hours ago.
    UsedAgo(u32),
    /// An address in use: with what it is associated.
    Associated(Arc<str>),
    /// In use.
    InUse,
    /// Nobody used it for so many whole hours; what its accelerators do is not told.
    UserAway(u32),
    /// When it was last used is not told.
    LastUseUntold,
    /// With what an address is associated could not be read.
    AssociationUnread,
    /// What the GPUs of a notebook do is not told.
    GpusUntold,
    /// A notebook that publishes no metrics.
    NoMetrics,
    /// CloudWatch did not answer for all signals.
    NotAnswered,
    /// This was not fetched.
    NotFetched(ResourceSignal),
    /// This reported in too few hours.
    TooLittle {
        /// What reported least.
        signal: ResourceSignal,
        /// Hours in which it did.
        got: u32,
        /// Hours judged.
        hours: u32,
        /// Hours needed.
        needed: u32,
    },
    /// The evidence does not suffice.
    Insufficient,
}

/// A signal of a resource that indicates use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceUse {
    /// Which.
    pub signal: ResourceSignal,
    /// Value that decided, in the unit of the signal; `None` without one.
    pub value: Option<f64>,
    /// True where a malformed datapoint decided.
    pub is_malformed: bool,
}

/// What to do about a resource. Nothing of it is done by burntop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceFix {
    /// Advice.
    pub advice: ResourceAdvice,
    /// What keeping it costs, USD a month at list price; `None` without a price.
    pub usd_per_month: Option<f64>,
}

/// What can be advised about a resource.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ResourceAdvice {
    /// It does not bill by the hour.
    Unbilled,
    /// Nothing is known of its use.
    Unjudged,
    /// It is exempt.
    Exempt,
    /// It is too new.
    TooNew,
    /// It is in use.
    InUse,
    /// A schedule that stops it outside the hours of its use.
    Schedule {
        /// True where these are office hours; false for nights and weekends.
        is_office: bool,
        /// What it would save, USD a month.
        saves_usd: f64,
    },
    /// Give an idle address back.
    Release {
        /// True where it belongs to an instance of the fleet, which may need it again.
        is_of_instance: bool,
    },
    /// Delete an idle NAT gateway.
    DeleteGateway {
        /// Route tables that lead to it; `None` where they could not be read.
        routes: Option<u32>,
    },
    /// Mend the targets of an idle load balancer, or delete it.
    MendTargets,
    /// Delete an idle load balancer.
    DeleteBalancer,
    /// Delete an idle endpoint.
    DeleteEndpoint,
    /// Delete an idle endpoint of a VPC.
    DeleteVpcEndpoint,
    /// Stop an idle notebook.
    StopNotebook,
    /// Delete an idle Studio app.
    DeleteApp,
    /// Terminate a stopped instance.
    Terminate,
    /// Ask the owner of a notebook that publishes no metrics.
    AskForMetrics,
    /// Ask the owner of a Studio app, or let SageMaker shut it down.
    IdleShutdown,
    /// Look at what cannot be judged.
    Inspect,
    /// Let services share a load balancer with few requests.
    ShareBalancer,
    /// Take a smaller type.
    Smaller,
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}
