//! The boundary between burntop and a cloud account.

use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

pub use super::pages::Page;
use crate::domain::aws_budget::AwsBudgets;
use crate::domain::daily::DayMetric;
use crate::domain::{
    Commitment, FleetHour, HourRange, Instance, Launch, LogGroup, MetricStream, Offer, PlanRate,
    Platform, Resource, ResourceKind, ResourcePrice, ResourceSignal, RouteTable, Signal,
    SourceError, SpotHistory, Tenancy, TypeSpec, VpcEndpoint, ZoneOffering,
};

/// Caller's identity in an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// 12-digit account id.
    pub account: Arc<str>,
    /// ARN of the caller; clean text.
    pub arn: Arc<str>,
    /// Configured name of the account (profile, alias); clean text.
    pub label: Arc<str>,
}

/// Network settings of an account's calls. All text is clean and holds no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Proxy in use, with its variable; `None` for direct connections.
    pub proxy: Option<Named>,
    /// Variable that exempts the calls from the proxy, such as `NO_PROXY`; `None` without one.
    pub spared_by: Option<String>,
    /// File of further certificate authorities, with its setting; `None` without one.
    pub bundle: Option<Named>,
    /// Number of authorities in that file.
    pub authorities: usize,
    /// True when FIPS endpoints are used.
    pub fips: bool,
    /// True when dual-stack endpoints are used.
    pub dual_stack: bool,
    /// Unusable settings: what is wrong, and what to do.
    pub wrong: Vec<(String, String)>,
}

/// A setting and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Name of the setting, such as `HTTPS_PROXY`.
    pub setting: String,
    /// Value of the setting: `host:port`, or a path.
    pub value: String,
}

/// CloudWatch statistic of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statistic {
    /// Mean of the period.
    Average,
    /// Highest sample of the period.
    Maximum,
    /// Total of the period.
    Sum,
}

/// Dimensions of a GPU series exactly as `ListMetrics` returned them, name and value. Two forms exist (with `host` or
/// with `InstanceId`), so they are never guessed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GpuDimensions(pub Vec<(Arc<str>, Arc<str>)>);

/// A metric in CloudWatch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MetricKey {
    /// `AWS/EC2`, dimension `InstanceId`.
    Ec2 {
        /// Name of the metric, such as `CPUUtilization`.
        metric: &'static str,
    },
    /// `AWS/EBS`, dimension `VolumeId`: in place of an instance's own metric.
    Volume {
        /// Name of the metric, such as `VolumeReadOps`.
        metric: &'static str,
        /// EBS volume id, `vol-…`.
        volume: Arc<str>,
    },
    /// `CWAgent` `nvidia_smi_utilization_gpu` with discovered dimensions.
    AgentGpu {
        /// Dimensions of the series, from `ListMetrics`.
        dimensions: GpuDimensions,
    },
}

/// Query for one hourly series: one billed metric.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetricQuery {
    /// EC2 instance id, such as `i-0abc`.
    pub instance: Arc<str>,
    /// Signal that the values become.
    pub signal: Signal,
    /// Metric in CloudWatch.
    pub key: MetricKey,
    /// Statistic of each hour.
    pub statistic: Statistic,
}

/// Answer to one [`MetricQuery`].
#[derive(Clone, Debug, PartialEq)]
pub struct MetricResult {
    /// Index of the query in the request.
    pub query: usize,
    /// Start of the hour and value, unordered, possibly with duplicates. Raw: NaN, ∞ and negative values are passed on
    /// and judged as malformed.
    pub points: Vec<(Timestamp, f64)>,
    /// False when CloudWatch reported missing data (`PartialData`, `InternalError`, `Forbidden`): missing datapoints
    /// prove nothing then, and nothing is cached.
    pub complete: bool,
}

/// A GPU series that exists in CloudWatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuMetric {
    /// Instance id, when the dimensions name it; else `None`.
    pub instance: Option<Arc<str>>,
    /// Private DNS name of the host, when the dimensions name that instead; else `None`.
    pub host: Option<Arc<str>>,
    /// Index of the GPU, as the driver counts.
    pub index: u16,
    /// Dimensions for queries.
    pub dimensions: GpuDimensions,
}

/// Namespace and name of a metric, for `ListMetrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricName {
    /// Namespace, such as `CWAgent` or `ContainerInsights`.
    pub namespace: &'static str,
    /// Name of the metric, such as `nvidia_smi_power_draw`.
    pub metric: &'static str,
}

/// Query for one series in short periods: one billed metric.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SeriesQuery {
    /// Namespace and name of the metric.
    pub name: MetricName,
    /// Its dimensions exactly as `ListMetrics` returned them.
    pub dimensions: GpuDimensions,
    /// Statistic of each period.
    pub statistic: Statistic,
}

/// A time range in periods of some seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minutes {
    /// Start of the range, on a whole period.
    pub from: Timestamp,
    /// End of the range, exclusive.
    pub to: Timestamp,
    /// Seconds per period: 60 or a multiple of it.
    pub period_s: u32,
}

impl Minutes {
    /// Largest number of datapoints of one series.
    pub fn points(&self) -> usize {
        let seconds = self.to.as_second().saturating_sub(self.from.as_second());
        let seconds = usize::try_from(seconds).unwrap_or(0);
        seconds.div_ceil(self.period_s.max(1) as usize)
    }
}

/// Hourly values of one signal of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceHours {
    /// Id or ARN of the resource.
    pub id: Arc<str>,
    /// Signal of the values.
    pub signal: ResourceSignal,
    /// Start of the hour and value, unordered and raw like [`MetricResult::points`].
    pub points: Vec<(Timestamp, f64)>,
    /// False when CloudWatch reported missing data: missing datapoints prove nothing then.
    pub complete: bool,
}

/// A list price to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PriceWanted {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
}

/// An AWS account, or the demo, as a source of inventory, metrics and prices. Implementations time out, retry with
/// jitter and map errors; they neither cache nor charge the ledger (the collector does both). Each method is an Err
/// when a call fails.
#[async_trait::async_trait]
pub trait Provider: Send + Sync {
    /// Name for messages before the identity is known: the profile or role.
    fn label(&self) -> &str;

    /// Caller's identity, STS `GetCallerIdentity`.
    async fn identity(&self) -> Result<Identity, SourceError>;

    /// Network settings, for `doctor`; `None` from a provider without network calls.
    async fn network(&self) -> Option<Network> {
        None
    }

    /// Home region of the profile, environment or instance: the default region of burntop.
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

    /// Specifications of the named instance types; unknown names are left out.
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

    /// Hourly values in `range`, in one `GetMetricData` request with all its pages: at most 500 queries and 100,800
    /// datapoints. One result per answered query.
    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError>;

    /// On-demand list prices; those without a price are left out.
    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError>;

    /// Newest Spot prices per zone of the named instance types.
    async fn spot_prices(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError>;

    /// One page of the series of a metric with data in the last three hours. Empty for a namespace that the provider
    /// does not know.
    async fn recent_series(
        &self,
        region: &Arc<str>,
        name: MetricName,
        token: Option<String>,
    ) -> Result<Page<GpuDimensions>, SourceError> {
        let _ = (region, name, token);
        Ok(Page::last(Vec::new()))
    }

    /// Values of the last minutes, in one `GetMetricData` request with all its pages: at most 500 queries and 100,800
    /// datapoints. One result per answered query; empty from a provider without such series.
    async fn recent_data(
        &self,
        region: &Arc<str>,
        queries: &[SeriesQuery],
        minutes: Minutes,
    ) -> Result<Vec<MetricResult>, SourceError> {
        let _ = (region, queries, minutes);
        Ok(Vec::new())
    }

    /// Value of each UTC day of `days` of one metric, at the begin of the day, in one `GetMetricData` request with all
    /// its pages. `None` where nothing was said of the metric, and from a provider that cannot be asked.
    async fn metric_days(
        &self,
        region: &Arc<str>,
        metric: &DayMetric,
        days: &Range<Date>,
    ) -> Result<Option<MetricResult>, SourceError> {
        let _ = (region, metric, days);
        Ok(None)
    }

    /// Reserved Instances of a region, in force or recently ended.
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

    /// Savings Plans of the account, in force or queued, without their rates.
    async fn savings_plans(&self, account: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
        let _ = account;
        Ok(Vec::new())
    }

    /// Rates of a plan for instance types in regions. Types that the plan does not cover are left out.
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

    /// Instance types offered in each zone of the region.
    async fn zone_offerings(&self, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
        let _ = region;
        Ok(Vec::new())
    }

    /// Billed resources of one kind in a region, other than instances. Empty for kinds that the provider does not know;
    /// never called for [`ResourceKind::StoppedInstance`].
    async fn resources(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        kind: ResourceKind,
    ) -> Result<Vec<Resource>, SourceError> {
        let _ = (account, region, kind);
        Ok(Vec::new())
    }

    /// Hourly values in `range` of each signal of the resources, in one `GetMetricData` request with all its pages: at
    /// most 500 series in total.
    async fn resource_hours(
        &self,
        region: &Arc<str>,
        resources: &[Resource],
        range: HourRange,
    ) -> Result<Vec<ResourceHours>, SourceError> {
        let _ = (region, resources, range);
        Ok(Vec::new())
    }

    /// All route tables of a region, by id. Asked for where there are NAT gateways alone.
    async fn route_tables(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<RouteTable>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// All endpoints of a region that are there or being made, by id. Asked for where there are NAT gateways alone.
    async fn vpc_endpoints(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<VpcEndpoint>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// All log groups of a region.
    async fn log_groups(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<LogGroup>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// All metric streams of a region, without what they send, which is a metric of its own.
    async fn metric_streams(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<MetricStream>, SourceError> {
        let _ = (account, region);
        Ok(Vec::new())
    }

    /// What AWS Budgets has in the account; `None` from a provider that cannot be asked.
    async fn budgets(&self, account: &Arc<str>) -> Result<Option<AwsBudgets>, SourceError> {
        let _ = account;
        Ok(None)
    }

    /// List prices of the billed units of `kinds` in a region; those without a unique price are left out.
    async fn resource_prices(
        &self,
        region: &Arc<str>,
        kinds: &[ResourceKind],
    ) -> Result<Vec<ResourcePrice>, SourceError> {
        let _ = (region, kinds);
        Ok(Vec::new())
    }

    /// Launch of an instance that EC2 dates `at`, by the audit trail of the account; `None` where the trail has none, and from
    /// a provider without one.
    async fn launch(
        &self,
        region: &Arc<str>,
        instance: &Arc<str>,
        at: Timestamp,
    ) -> Result<Option<Launch>, SourceError> {
        let _ = (region, instance, at);
        Ok(None)
    }

    /// Running instances in the hours of `range`, in all regions, from a provider that has this history (the demo);
    /// `None` from others.
    async fn fleet_hours(&self, range: HourRange) -> Option<Vec<FleetHour>> {
        let _ = range;
        None
    }
}
