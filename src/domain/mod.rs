//! The nouns of the house: instances, accelerators, series, prices, verdicts, readings.
//!
//! Nothing here does I/O, knows a clock or is async. Everything that the cache stores derives
//! `Serialize`/`Deserialize` and stays readable by a format that is not self-describing: no
//! `flatten`, no `untagged`, no `skip_serializing_if`.

pub mod accelerator;
pub mod address;
mod arcs;
pub mod aws_budget;
pub mod bill;
pub mod burn;
pub mod cleaned;
pub mod color;
pub mod commitment;
pub mod daily;
pub mod error;
pub mod evidence;
mod figure;
pub mod fleet_hour;
pub mod format;
pub mod gpu;
pub mod hash;
pub mod hour;
pub mod hypervisor;
pub mod inspection;
pub mod instance;
pub mod intern;
pub mod jobs;
pub mod json;
pub mod launch;
pub mod likely;
pub mod log_group;
pub mod metric_stream;
pub mod object_reads;
pub mod organization;
pub mod own_cost;
pub mod polling;
pub mod price;
pub mod private_prices;
pub mod reading;
pub mod reason;
pub mod records;
pub mod resource;
#[cfg(test)]
pub(crate) mod sample;
pub mod savings_facts;
pub mod scope;
pub mod secret;
pub mod share_past;
pub mod signal_evidence;
pub mod spot;
pub mod spot_advisor;
pub mod sql;
pub mod storage;
pub mod suggest;
pub mod tags;
pub mod text;
pub mod verdict;
pub mod vpc;

pub use accelerator::{Accelerator, AcceleratorKind, TypeSpec};
pub use address::Address;
pub use arcs::{Kept, arcs};
pub use burn::{
    BurnDay, BurnOfDay, BurnPast, BurnStep, Burnt, ByTeam, Moved, Since, SinceWhat, add_to_team,
};
pub use color::ColorDepth;
pub use commitment::{
    Beneficiary, CapacityReservation, Commitment, CommitmentKind, CommitmentSource,
    CommitmentState, Commits, Holdings, OfferingClass, PaymentOption, PlanRate, PlanType,
    ReservedInstances, ReservesCapacity, SavingsPlan, SharingGroups, Unread,
};
pub use error::{ErrorKind, SourceError};
pub use evidence::{HourlySeries, MALFORMED, SeriesSet, Signal};
pub use figure::Figure;
pub use fleet_hour::{FleetHour, TypeCounts};
pub use gpu::{
    Activity, GpuAdvice, GpuAdviceKind, GpuHistory, GpuHour, GpuIdentity, GpuKey, GpuModel,
    GpuOwner, GpuProcess, GpuReason, GpuSample, GpuSignal, GpuSignals, GpuState, GpuTrace,
    GpuVerdict, HostNames, HostTrouble, HourTable, HoursOfGpu, Mig, Observation, RecentWindow,
    Rung, Sweep, Throttle, Witness, Workload,
};
pub use hash::{FastMap, FastSet};
pub use hour::{Hour, HourRange};
pub use inspection::{
    Addresses, Caller, GroupFact, Inspection, Known, LaunchSpec, Recent, RecentSeries, SpotFact,
    TargetGroupFact, VolumeFact,
};
pub use instance::{
    BlockDevice, Instance, InstanceState, Lifecycle, Owner, OwnerKind, Platform, Tenancy,
};
pub use launch::{Launch, LaunchLook, LaunchOf, Launcher, TRAIL_KEEPS};
pub use likely::LikelyReason;
pub use log_group::{EndlessLogs, LogGroup};
pub use metric_stream::{METRIC_STREAMS, MetricStream, MetricStreams, mean_of_days};
pub use organization::{Member, is_account_id, is_partition};
pub use own_cost::OwnCost;
pub use polling::{Backoff, is_due};
pub use price::{Offer, PriceBasis, Provenance, Rate};
pub use private_prices::{Discount, PricedFor, PrivatePrices, PrivateRate};
pub use reading::{Reading, SourceId, SourceSet, SourceState};
pub use reason::{
    ExemptBy, InstanceReason, Lasted, Measure, MeasuredUse, NetNote, NetUnknown, Reason,
    ResourceAdvice, ResourceFix, ResourceReason, ResourceUse, Unchecked, Why,
};
pub use resource::{
    BilledUnit, ENDPOINT_BYTES, ENDPOINT_HOURS, NAT_BYTES, NOT_WORKING, PUBLIC_IPV4_USD_PER_HOUR,
    RESOURCE_HOURS, Resource, ResourceKind, ResourcePrice, ResourceSignal, STOPPED_HOURS,
};
pub use savings_facts::{ResourceFacts, SavingsFacts, ScopeResources};
pub use scope::{Regions, Scope};
pub use secret::Secret;
pub use share_past::{Direction, KeptShare, KeptShares, SharePast};
pub use signal_evidence::{Criterion, EvidenceRole, SignalEvidence};
pub use spot::{Interruption, SpotHistory, ZoneOffering};
pub use tags::{TagKeys, Tags};
pub use verdict::{IdleStart, IdleStarts, Verdict, VerdictKind};
pub use vpc::{EndpointKind, GbPrice, RouteTable, Routing, VpcEndpoint, has_gateway_endpoints};

/// Hours in a month, the convention of AWS's calculators (365 × 24 / 12). Every monthly figure in
/// burntop uses it and says so.
pub const HOURS_PER_MONTH: f64 = 730.0;
