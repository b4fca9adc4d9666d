//! A real AWS account. One file per service; [`calls`] lists every API operation they use.

mod account_jobs;
mod athena;
mod batch;
mod bucket_sizes;
mod buckets;
mod budgets;
pub mod calls;
mod capacity;
mod clients;
pub mod config;
mod cost_explorer;
mod elastic_ips;
mod error;
mod identity;
mod inspect;
mod inspect_storage;
mod inventory;
mod json_api;
mod launches;
mod lifecycle;
mod limit;
mod listing;
mod load_balancers;
mod log_groups;
mod login;
mod metric_days;
mod metric_streams;
mod metrics;
mod minutes;
mod nat_gateways;
mod network;
mod network_error;
mod network_facts;
mod offerings;
mod organization;
mod paging;
mod platform;
mod pricing;
mod product;
mod redaction;
pub mod regions;
mod renewal;
mod reserved;
mod resource_hours;
mod resource_prices;
mod resources;
mod sagemaker;
mod savings_plans;
mod signer;
mod spot;
mod spot_history;
mod spot_interruptions;
mod storage;
mod storage_pricing;
mod storage_product;
mod time;
mod trust;
mod types;
mod volumes;
mod vpcs;
mod writing;

#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod paging_tests;
#[cfg(test)]
mod resource_tests;
#[cfg(test)]
mod storage_tests;
#[cfg(test)]
pub(crate) mod testing;

use std::error::Error;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use jiff::Timestamp;
use jiff::civil::Date;
use tokio::sync::OnceCell;

pub use self::athena::AwsQueries;
use self::calls::Call;
use self::clients::Clients;
use self::error::Place;
use self::limit::{Api, Limiter, Permit};
use super::provider::{
    GpuDimensions, GpuMetric, Identity, MetricName, MetricQuery, MetricResult, Minutes, Network,
    Page, PriceWanted, Provider, ResourceHours, SeriesQuery,
};
use crate::domain::aws_budget::AwsBudgets;
use crate::domain::daily::DayMetric;
use crate::domain::{
    Commitment, HourRange, Instance, Launch, LogGroup, MetricStream, Offer, PlanRate, Regions,
    Resource, ResourceKind, ResourcePrice, RouteTable, Scope, SourceError, SpotHistory, TypeSpec,
    VpcEndpoint, ZoneOffering,
};

pub use batch::BatchJobs;
pub use config::{AccountSource, AssumeRole, Patience};
pub use sagemaker::jobs::{JobTagKeys, SageMakerJobs};
pub use signer::signer;
pub use spot_interruptions::SpotInterruptions;

/// An AWS account as a [`Provider`]. Nothing is read before the first call.
#[derive(Debug)]
pub struct AwsProvider {
    source: AccountSource,
    patience: Patience,
    clients: OnceCell<Clients>,
    /// Known after the first `GetCallerIdentity`; from then on profiles of the same account
    /// share one rate limit.
    account: OnceLock<Arc<str>>,
    limiter: &'static Limiter,
    /// Of SageMaker's jobs: sources of jobs are made anew for each reading.
    known_jobs: sagemaker::jobs::Known,
    now: fn() -> Timestamp,
}

/// Provider for an account. Returns at once; the first call resolves configuration, region and credentials.
pub fn connect(source: AccountSource) -> AwsProvider {
    AwsProvider {
        source,
        patience: Patience::DEFAULT,
        clients: OnceCell::new(),
        account: OnceLock::new(),
        limiter: Limiter::shared(),
        known_jobs: sagemaker::jobs::Known::default(),
        now: Timestamp::now,
    }
}

impl AwsProvider {
    async fn clients(&self) -> &Clients {
        self.clients
            .get_or_init(|| async {
                let sdk = config::load(&self.source, self.patience).await;
                Clients::new(sdk, Arc::clone(&self.source.label))
            })
            .await
    }

    /// Codes of these regions. Err when those that are enabled cannot be listed.
    async fn those(&self, regions: &Regions) -> Result<Vec<Arc<str>>, SourceError> {
        Ok(match regions {
            Regions::Home => vec![self.home_region().await],
            Regions::Named(regions) => regions.clone(),
            Regions::Enabled => self.regions().await?,
        })
    }

    /// Waits for the rate limiter.
    async fn enter(&self, api: Api, region: &Arc<str>, points: u64) -> Permit {
        let account = self.account.get().unwrap_or(&self.source.label);
        self.limiter.enter(account, region, api, points).await
    }

    fn place<'a>(&'a self, call: &'static Call, region: &'a str) -> Place<'a> {
        Place {
            call,
            label: &self.source.label,
            profile: self.source.profile.as_deref(),
            region,
            now: (self.now)(),
        }
    }

    /// Error for a failed call.
    fn failed<E>(
        &self,
        call: &'static Call,
        region: &str,
        error: &SdkError<E, HttpResponse>,
    ) -> SourceError
    where
        E: ProvideErrorMetadata + Error + 'static,
    {
        error::from_sdk(error, self.place(call, region))
    }
}

#[async_trait::async_trait]
impl Provider for AwsProvider {
    fn label(&self) -> &str {
        &self.source.label
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        identity::identity(self).await
    }

    async fn network(&self) -> Option<Network> {
        let sdk = self.clients().await.sdk();
        Some(network_facts::facts(self.source.profile.as_deref(), sdk))
    }

    async fn home_region(&self) -> Arc<str> {
        Arc::clone(self.clients().await.home())
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        identity::regions(self).await
    }

    async fn instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        inventory::page(self, account, region, token).await
    }

    async fn launch(
        &self,
        region: &Arc<str>,
        instance: &Arc<str>,
        at: Timestamp,
    ) -> Result<Option<Launch>, SourceError> {
        launches::read(self, region, instance, at).await
    }

    async fn types(
        &self,
        region: &Arc<str>,
        names: &[Arc<str>],
    ) -> Result<Vec<TypeSpec>, SourceError> {
        types::describe(self, region, names).await
    }

    async fn gpu_metrics(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        metrics::list(self, region, None, token).await
    }

    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        metrics::data(self, region, queries, range).await
    }

    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        pricing::list(self, wanted).await
    }

    async fn spot_prices(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError> {
        spot::newest(self, region, types).await
    }

    async fn recent_series(
        &self,
        region: &Arc<str>,
        name: MetricName,
        token: Option<String>,
    ) -> Result<Page<GpuDimensions>, SourceError> {
        minutes::series(self, region, name, token).await
    }

    async fn recent_data(
        &self,
        region: &Arc<str>,
        queries: &[SeriesQuery],
        minutes: Minutes,
    ) -> Result<Vec<MetricResult>, SourceError> {
        minutes::data(self, region, queries, minutes).await
    }

    async fn metric_days(
        &self,
        region: &Arc<str>,
        metric: &DayMetric,
        days: &Range<Date>,
    ) -> Result<Option<MetricResult>, SourceError> {
        metric_days::read(self, region, metric, days).await
    }

    async fn resources(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        kind: ResourceKind,
    ) -> Result<Vec<Resource>, SourceError> {
        let scope = Scope::new(account.clone(), region.clone());
        resources::of_kind(self, &scope, kind).await
    }

    async fn resource_hours(
        &self,
        region: &Arc<str>,
        resources: &[Resource],
        range: HourRange,
    ) -> Result<Vec<ResourceHours>, SourceError> {
        resource_hours::read(self, region, resources, range).await
    }

    async fn route_tables(
        &self,
        _: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<RouteTable>, SourceError> {
        vpcs::route_tables(self, region).await
    }

    async fn vpc_endpoints(
        &self,
        _: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<VpcEndpoint>, SourceError> {
        vpcs::endpoints(self, region).await
    }

    async fn log_groups(
        &self,
        _: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<LogGroup>, SourceError> {
        log_groups::read(self, region).await
    }

    async fn metric_streams(
        &self,
        _: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<MetricStream>, SourceError> {
        metric_streams::read(self, region).await
    }

    async fn budgets(&self, account: &Arc<str>) -> Result<Option<AwsBudgets>, SourceError> {
        budgets::read(self, account).await.map(Some)
    }

    async fn resource_prices(
        &self,
        region: &Arc<str>,
        kinds: &[ResourceKind],
    ) -> Result<Vec<ResourcePrice>, SourceError> {
        resource_prices::read(self, region, kinds).await
    }

    async fn reserved_instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        reserved::list(self, account, region).await
    }

    async fn capacity_reservations(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        capacity::list(self, account, region).await
    }

    async fn savings_plans(&self, account: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
        savings_plans::list(self, account).await
    }

    async fn savings_plan_rates(
        &self,
        plan: &Arc<str>,
        types: &[Arc<str>],
        regions: &[Arc<str>],
    ) -> Result<Vec<PlanRate>, SourceError> {
        savings_plans::rates(self, plan, types, regions).await
    }

    async fn spot_history(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
        from: Timestamp,
    ) -> Result<Vec<SpotHistory>, SourceError> {
        spot_history::list(self, region, types, from).await
    }

    async fn zone_offerings(&self, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
        offerings::list(self, region).await
    }
}
