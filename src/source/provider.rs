//! The boundary between burntop and a cloud account.

use std::sync::Arc;

use jiff::Timestamp;

pub use super::pages::Page;
use crate::domain::{
    Commitment, FleetHour, HourRange, Instance, Offer, PlanRate, Platform, Resource, ResourceKind,
    ResourcePrice, ResourceSignal, Signal, SourceError, SpotHistory, Tenancy, TypeSpec,
    ZoneOffering,
};

/// Who we are in an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// 12-digit account id.
    pub account: Arc<str>,
    /// ARN of the caller; clean text.
    pub arn: Arc<str>,
    /// The name the user knows the account by (profile, alias); clean text.
    pub label: Arc<str>,
}

/// How the calls of an account travel. All text is clean and holds no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The proxy that the environment names for them.
    pub proxy: Option<Named>,
    /// The variable by which they are made without it: `NO_PROXY`.
    pub spared_by: Option<String>,
    /// The file of authorities that are trusted beside the system's.
    pub bundle: Option<Named>,
    /// How many the file holds.
    pub authorities: usize,
    /// Whether FIPS endpoints are asked.
    pub fips: bool,
    /// Whether dual-stack endpoints are asked.
    pub dual_stack: bool,
    /// Settings that cannot be used: what is wrong, and what to do.
    pub wrong: Vec<(String, String)>,
}

/// What a setting names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The setting as the user knows it: `HTTPS_PROXY`.
    pub setting: String,
    /// What it names: `host:port`, a file.
    pub value: String,
}

/// CloudWatch statistics that burntop asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statistic {
    /// `Average`.
    Average,
    /// `Maximum`.
    Maximum,
    /// `Sum`.
    Sum,
}

/// The exact dimensions under which CloudWatch knows a GPU series, as `ListMetrics` returned
/// them. Two shapes exist (with `host` or with `InstanceId`), so they are never guessed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GpuDimensions(pub Vec<(Arc<str>, Arc<str>)>);

/// A metric as CloudWatch names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MetricKey {
    /// `AWS/EC2`, dimension `InstanceId`.
    Ec2 {
        /// For example `CPUUtilization`.
        metric: &'static str,
    },
    /// `AWS/EBS`, dimension `VolumeId`: in the place of an instance's own metric.
    Volume {
        /// For example `VolumeReadOps`.
        metric: &'static str,
        /// The volume.
        volume: Arc<str>,
    },
    /// `CWAgent` `nvidia_smi_utilization_gpu` with discovered dimensions.
    AgentGpu {
        /// The discovered dimensions.
        dimensions: GpuDimensions,
    },
}

/// One series to fetch; one billed metric.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetricQuery {
    /// Whose metric.
    pub instance: Arc<str>,
    /// What it becomes here.
    pub signal: Signal,
    /// CloudWatch's name for it.
    pub key: MetricKey,
    /// The hourly statistic.
    pub statistic: Statistic,
}

/// The answer to one [`MetricQuery`].
#[derive(Clone, Debug, PartialEq)]
pub struct MetricResult {
    /// Index of the query in the request.
    pub query: usize,
    /// Start of the hour and value, in any order, possibly with duplicates. Raw: NaN, ∞ and
    /// negative values come through and are judged as malformed.
    pub points: Vec<(Timestamp, f64)>,
    /// False when the service said that data are missing for a reason of its own (`PartialData`,
    /// `InternalError`, `Forbidden`): absence then proves nothing, and nothing is cached.
    pub complete: bool,
}

/// A GPU series that exists in CloudWatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuMetric {
    /// The instance, when the dimensions name it.
    pub instance: Option<Arc<str>>,
    /// The host, when the dimensions name that instead (private DNS name).
    pub host: Option<Arc<str>>,
    /// GPU index.
    pub index: u16,
    /// The dimensions to ask with.
    pub dimensions: GpuDimensions,
}

/// A metric of any namespace: what `ListMetrics` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricName {
    /// Namespace: `CWAgent`, `ContainerInsights`.
    pub namespace: &'static str,
    /// Metric.
    pub metric: &'static str,
}

/// One series to fetch by the minute; one billed metric.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SeriesQuery {
    /// Which metric.
    pub name: MetricName,
    /// Its dimensions exactly as `ListMetrics` returned them.
    pub dimensions: GpuDimensions,
    /// The statistic of a period.
    pub statistic: Statistic,
}

/// A stretch of time in periods of some seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes {
    /// The start, on a whole period.
    pub from: Timestamp,
    /// The end, exclusive.
    pub to: Timestamp,
    /// Seconds per period: 60 or a multiple of it.
    pub period_s: u32,
}

impl Minutes {
    /// Datapoints of one series, at most.
    pub fn points(&self) -> usize {
        let seconds = self.to.as_second().saturating_sub(self.from.as_second());
        let seconds = usize::try_from(seconds).unwrap_or(0);
        seconds.div_ceil(self.period_s.max(1) as usize)
    }
}

/// What a resource did, by the hour.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceHours {
    /// The resource's id.
    pub id: Arc<str>,
    /// What was measured.
    pub signal: ResourceSignal,
    /// Start of the hour and value, in any order, raw as in [`MetricResult::points`].
    pub points: Vec<(Timestamp, f64)>,
    /// False when the service said that data are missing for a reason of its own.
    pub complete: bool,
}

/// The price of one type that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PriceWanted {
    /// Region code.
    pub region: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Tenancy.
    pub tenancy: Tenancy,
}

/// An account that can be asked. Implementations time out, retry with jitter and map errors;
/// they cache nothing and bill nothing to the ledger (the collector does both).
#[async_trait::async_trait]
pub trait Provider: Send + Sync {
    /// A label for messages before the identity is known: the profile or role.
    fn label(&self) -> &str;

    /// STS `GetCallerIdentity`.
    async fn identity(&self) -> Result<Identity, SourceError>;

    /// How calls travel, for `doctor`; `None` from a provider that calls nobody.
    async fn network(&self) -> Option<Network> {
        None
    }

    /// The region that the profile, the environment or the instance names; where burntop looks
    /// when nobody says otherwise.
    async fn home_region(&self) -> Arc<str>;

    /// Codes of the regions enabled in the account.
    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError>;

    /// One page of instances of a region, up to 1,000.
    async fn instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Instance>, SourceError>;

    /// Specifications of the named types; unknown names are left out of the answer.
    async fn types(
        &self,
        region: &Arc<str>,
        names: &[Arc<str>],
    ) -> Result<Vec<TypeSpec>, SourceError>;

    /// One page of the GPU series of the CloudWatch agent in a region.
    async fn gpu_metrics(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError>;

    /// One `GetMetricData` request (all its pages): at most 500 queries and 100,800 datapoints.
    /// Hourly periods, `range` on whole hours. One result per query that was answered at all.
    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError>;

    /// On-demand list prices; what has no price is left out of the answer.
    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError>;

    /// Newest spot prices per zone of the named types.
    async fn spot_prices(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError>;

    /// One page of the series of a metric that had data in the last three hours. A provider that
    /// does not know the namespace has none.
    async fn recent_series(
        &self,
        region: &Arc<str>,
        name: MetricName,
        token: Option<String>,
    ) -> Result<Page<GpuDimensions>, SourceError> {
        let _ = (region, name, token);
        Ok(Page::last(Vec::new()))
    }

    /// One `GetMetricData` request (all its pages) for the last minutes: at most 500 queries and
    /// 100,800 datapoints. One result per query that was answered at all; none from a provider that
    /// lists no series either.
    async fn recent_data(
        &self,
        region: &Arc<str>,
        queries: &[SeriesQuery],
        minutes: Minutes,
    ) -> Result<Vec<MetricResult>, SourceError> {
        let _ = (region, queries, minutes);
        Ok(Vec::new())
    }

    /// Reserved Instances of a region, those in force and those that ended lately.
    async fn reserved_instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// Capacity reservations and Capacity Blocks of a region.
    async fn capacity_reservations(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// Savings Plans of the account, in force and queued, without their rates.
    async fn savings_plans(&self, account: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
        let _ = account;
        Ok(Vec::new())
    }

    /// What a plan takes for the named instance types in the named regions. What the plan does not
    /// cover is left out.
    async fn savings_plan_rates(
        &self,
        plan: &Arc<str>,
        types: &[Arc<str>],
        regions: &[Arc<str>],
    ) -> Result<Vec<PlanRate>, SourceError> {
        let _ = (plan, types, regions);
        Ok(Vec::new())
    }

    /// Spot prices of the named types from `from` on, by zone.
    async fn spot_history(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
        from: Timestamp,
    ) -> Result<Vec<SpotHistory>, SourceError> {
        let _ = (region, types, from);
        Ok(Vec::new())
    }

    /// Which instance types the zones of a region offer.
    async fn zone_offerings(&self, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
        let _ = region;
        Ok(Vec::new())
    }

    /// What bills in a region and is no instance, of one kind. Kinds that the provider does not know
    /// are empty; [`ResourceKind::StoppedInstance`] is never asked for here.
    async fn resources(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        kind: ResourceKind,
    ) -> Result<Vec<Resource>, SourceError> {
        let _ = (account, region, kind);
        Ok(Vec::new())
    }

    /// What resources did in each hour of `range`: by resource, one series per signal that its kind
    /// has. One `GetMetricData` request (all its pages): at most 500 series in all.
    async fn resource_hours(
        &self,
        region: &Arc<str>,
        resources: &[Resource],
        range: HourRange,
    ) -> Result<Vec<ResourceHours>, SourceError> {
        let _ = (region, resources, range);
        Ok(Vec::new())
    }

    /// List prices of what resources of `kinds` bill for in a region; what has no single price is
    /// left out.
    async fn resource_prices(
        &self,
        region: &Arc<str>,
        kinds: &[ResourceKind],
    ) -> Result<Vec<ResourcePrice>, SourceError> {
        let _ = (region, kinds);
        Ok(Vec::new())
    }

    /// How many instances ran in the hours of `range`, in all regions, where the provider remembers
    /// it itself; `None`: only who looked at the time knows.
    async fn fleet_hours(&self, range: HourRange) -> Option<Vec<FleetHour>> {
        let _ = range;
        None
    }
}
