//! One account of the demo, answering as AWS would: same pages, same limits, same silences.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::civil::Date;

use super::hash::hash;
use super::places::{Account, REGIONS, Region, ZONES};
use super::profile::{Fleet, Profile};
use super::world::World;
use super::{
    Clock, DemoOptions, commitments, history, inventory, launches, log_groups, metric_streams,
    prices, resources, telemetry, vpcs,
};
use crate::domain::daily::DayMetric;
use crate::domain::{
    Commitment, ErrorKind, FleetHour, Hour, HourRange, Instance, Launch, LogGroup, MetricStream,
    Offer, PlanRate, Resource, ResourceKind, ResourcePrice, RouteTable, Scope, SourceError,
    SpotHistory, TypeSpec, VpcEndpoint, ZoneOffering,
};
use crate::source::catalogue;
use crate::source::provider::{GpuMetric, PriceWanted, ResourceHours};
use crate::source::{Identity, MetricQuery, MetricResult, Page, Provider};

/// `DescribeInstances` returns at most this many per page.
const INSTANCES_PER_PAGE: usize = 1_000;
/// `ListMetrics` returns at most this many per page.
const METRICS_PER_PAGE: usize = 500;
/// `GetMetricData` takes at most this many queries.
const MAX_QUERIES: usize = 500;
/// `GetMetricData` returns at most this many datapoints.
const MAX_POINTS: usize = 100_800;

/// Provider of one account of the demo.
pub(super) struct DemoProvider {
    /// Account that it provides.
    pub(super) account: &'static Account,
    /// Fleet of the demo.
    pub(super) fleet: Fleet,
    /// Changes made to the fleet.
    pub(super) world: Arc<World>,
    clock: Clock,
    person: Arc<str>,
    /// Numbers of this account's boxes, by region in the order of [`REGIONS`].
    numbers: OnceLock<[Vec<u32>; REGIONS.len()]>,
}

impl DemoProvider {
    /// Provider of `account` in `fleet`, for the person of `options`.
    pub fn new(account: &'static Account, fleet: Fleet, options: &DemoOptions) -> Self {
        Self {
            account,
            fleet,
            world: options.world.clone(),
            clock: options.clock.clone(),
            person: options.person.clone(),
            numbers: OnceLock::new(),
        }
    }

    /// Present time by the demo's clock.
    pub(super) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Boxes of a region with their present instances, without those that EC2 does not list any more. Does not count as
    /// a look.
    pub(super) fn here(&self, region: &str, now: Timestamp) -> Vec<(Profile, Instance)> {
        let shown = |profile: Profile| {
            let instance = inventory::instance(self.fleet, &profile, now);
            let instance = self.world.with(|changes| changes.peek(instance, now))?;
            Some((profile, instance))
        };
        self.boxes(region, 0).filter_map(shown).collect()
    }

    /// The boxes of a region from number `from` on.
    fn boxes(&self, region: &str, from: u32) -> impl Iterator<Item = Profile> {
        let numbers = self.numbers.get_or_init(|| self.count());
        let region = REGIONS.iter().position(|r| r.code == region);
        let here = region.and_then(|r| numbers.get(r)).map_or(&[][..], Vec::as_slice);
        let start = here.partition_point(|index| *index < from);
        here[start..].iter().filter_map(|index| self.fleet.profile(*index))
    }

    /// Where the boxes of this account are. They never move.
    fn count(&self) -> [Vec<u32>; REGIONS.len()] {
        let mut numbers = [const { Vec::new() }; REGIONS.len()];
        for profile in (0..self.fleet.size()).filter_map(|index| self.fleet.profile(index)) {
            let region = REGIONS.iter().position(|r| r.code == profile.region.code);
            if profile.account.id == self.account.id
                && let Some(here) = region.and_then(|r| numbers.get_mut(r))
            {
                here.push(profile.index);
            }
        }
        numbers
    }
}

/// The number at which a page starts.
fn start_of(token: Option<&str>, operation: &str) -> Result<u32, SourceError> {
    token.map_or(Ok(0), |t| {
        t.parse().map_err(|_| {
            SourceError::new(ErrorKind::Other, operation, "invalid pagination token", "")
        })
    })
}

#[async_trait::async_trait]
impl Provider for DemoProvider {
    fn label(&self) -> &str {
        self.account.label
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        let id = self.account.id;
        Ok(Identity {
            account: id.into(),
            arn: format!("arn:aws:sts::{id}:assumed-role/burntop-demo/{}", self.person).into(),
            label: self.account.label.into(),
        })
    }

    async fn home_region(&self) -> Arc<str> {
        REGIONS[0].code.into()
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        Ok(REGIONS.iter().map(|r| r.code.into()).collect())
    }

    async fn instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        const OPERATION: &str = "ec2:DescribeInstances";
        if **account != *self.account.id {
            let message = format!("account {account} is not {}", self.account.id);
            return Err(SourceError::new(ErrorKind::Denied, OPERATION, &message, ""));
        }
        let now = self.now();
        let from = start_of(token.as_deref(), OPERATION)?;
        let mut items = Vec::new();
        for profile in self.boxes(region, from) {
            if items.len() == INSTANCES_PER_PAGE {
                return Ok(Page::new(items, Some(profile.index.to_string())));
            }
            items.extend(self.world.show(inventory::instance(self.fleet, &profile, now), now));
        }
        Ok(Page::last(items))
    }

    async fn launch(
        &self,
        _region: &Arc<str>,
        instance: &Arc<str>,
        at: Timestamp,
    ) -> Result<Option<Launch>, SourceError> {
        let now = self.now();
        let found = inventory::resolve(self.fleet, instance, Hour::containing(now));
        let own = found.filter(|(profile, _)| profile.account.id == self.account.id);
        Ok(own.and_then(|(profile, _)| {
            launches::launch(&profile, &inventory::instance(self.fleet, &profile, now), at)
        }))
    }

    async fn types(
        &self,
        _region: &Arc<str>,
        names: &[Arc<str>],
    ) -> Result<Vec<TypeSpec>, SourceError> {
        Ok(names.iter().filter_map(|name| catalogue::type_spec(name)).cloned().collect())
    }

    async fn gpu_metrics(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        let now = self.now();
        let from = start_of(token.as_deref(), "cloudwatch:ListMetrics")?;
        let mut items: Vec<GpuMetric> = Vec::new();
        for profile in self.boxes(region, from) {
            let series = telemetry::gpu_series(self.fleet, &self.world, &profile, now);
            // A page ends between boxes, so that a token is the number of a box.
            if items.len() + series.len() > METRICS_PER_PAGE {
                return Ok(Page::new(items, Some(profile.index.to_string())));
            }
            items.extend(series);
        }
        Ok(Page::last(items))
    }

    async fn metric_data(
        &self,
        region: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        if queries.len() > MAX_QUERIES || queries.len() * range.len() > MAX_POINTS {
            let message = format!(
                "{} queries of {} hours exceed {MAX_QUERIES} queries or {MAX_POINTS} datapoints",
                queries.len(),
                range.len(),
            );
            let operation = "cloudwatch:GetMetricData";
            return Err(SourceError::new(ErrorKind::Other, operation, &message, ""));
        }
        let now = self.now();
        let here = |p: &Profile| p.account.id == self.account.id && p.region.code == &**region;
        Ok(queries
            .iter()
            .enumerate()
            .map(|(query, asked)| MetricResult {
                query,
                points: telemetry::points(self.fleet, &self.world, asked, range, now, here),
                complete: true,
            })
            .collect())
    }

    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        Ok(prices::list_offers(wanted))
    }

    async fn spot_prices(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
    ) -> Result<Vec<Offer>, SourceError> {
        let now = Hour::containing(self.now());
        let key = self.fleet.key();
        Ok(types.iter().flat_map(|t| prices::spot_offers(key, region, t, now)).collect())
    }

    async fn resources(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        kind: ResourceKind,
    ) -> Result<Vec<Resource>, SourceError> {
        let now = self.now();
        // An address may belong to an instance that is stopped.
        let instances = match kind {
            ResourceKind::ElasticIp => self.here(region, now),
            _ => Vec::new(),
        };
        let instances: Vec<_> =
            instances.into_iter().map(|(_, i)| (i.id, i.name, i.state)).collect();
        Ok(resources::of_kind(account, region, kind, &instances, now))
    }

    async fn resource_hours(
        &self,
        _region: &Arc<str>,
        resources: &[Resource],
        range: HourRange,
    ) -> Result<Vec<ResourceHours>, SourceError> {
        Ok(resources::hours(resources, range, self.now()))
    }

    async fn route_tables(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<RouteTable>, SourceError> {
        let gateways =
            resources::of_kind(account, region, ResourceKind::NatGateway, &[], self.now());
        Ok(vpcs::route_tables(account, region, &gateways))
    }

    async fn vpc_endpoints(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<VpcEndpoint>, SourceError> {
        let billed =
            resources::of_kind(account, region, ResourceKind::VpcEndpoint, &[], self.now());
        Ok(vpcs::endpoints(account, region, &billed))
    }

    async fn log_groups(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<LogGroup>, SourceError> {
        Ok(log_groups::of(account, region, self.now()))
    }

    async fn metric_streams(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<MetricStream>, SourceError> {
        Ok(metric_streams::of(account, region, self.now()))
    }

    async fn metric_days(
        &self,
        _region: &Arc<str>,
        metric: &DayMetric,
        days: &Range<Date>,
    ) -> Result<Option<MetricResult>, SourceError> {
        Ok(metric_streams::updates(metric, days))
    }

    async fn resource_prices(
        &self,
        region: &Arc<str>,
        kinds: &[ResourceKind],
    ) -> Result<Vec<ResourcePrice>, SourceError> {
        Ok(resources::price_list(region, kinds))
    }

    async fn reserved_instances(
        &self,
        _account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        Ok(commitments::reserved(self.fleet, self.account, region, self.now()))
    }

    async fn capacity_reservations(
        &self,
        _account: &Arc<str>,
        region: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        let now = self.now();
        let here: Vec<_> =
            self.here(region, now).into_iter().map(|(p, i)| (p, i.state.is_billed())).collect();
        Ok(commitments::capacity(self.fleet, self.account, region, &here, now))
    }

    async fn savings_plans(&self, _account: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
        Ok(commitments::plans(self.fleet, self.account, self.now()))
    }

    async fn savings_plan_rates(
        &self,
        plan: &Arc<str>,
        types: &[Arc<str>],
        regions: &[Arc<str>],
    ) -> Result<Vec<PlanRate>, SourceError> {
        let plans = commitments::plans(self.fleet, self.account, self.now());
        Ok(commitments::rates(&plans, plan, types, regions))
    }

    async fn spot_history(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
        from: Timestamp,
    ) -> Result<Vec<SpotHistory>, SourceError> {
        let (from, now) = (Hour::containing(from), Hour::containing(self.now()));
        let key = self.fleet.key();
        Ok(types.iter().flat_map(|t| prices::spot_history(key, region, t, from, now)).collect())
    }

    async fn zone_offerings(&self, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
        let key = self.fleet.key();
        let zone = |(n, letter): (usize, &char)| {
            let az: Arc<str> = format!("{region}{letter}").into();
            // A zone lacks one type in six, but none that a box runs on there.
            let here = |name: &str| {
                self.boxes(region, 0).any(|p| &*p.spec.name == name && *inventory::zone(&p) == *az)
            };
            let offered = |name: &Arc<str>| {
                let seed = name.bytes().fold(key, |h, byte| hash(h, 13, u64::from(byte)));
                !hash(seed, 14, n as u64).is_multiple_of(6) || here(name)
            };
            let all = catalogue::type_specs().iter().map(|spec| &spec.name);
            let mut types: Vec<Arc<str>> = all.filter(|name| offered(name)).cloned().collect();
            types.sort();
            ZoneOffering { az: az.clone(), types }
        };
        Ok(ZONES.iter().enumerate().map(zone).collect())
    }

    async fn fleet_hours(&self, range: HourRange) -> Option<Vec<FleetHour>> {
        let now = Hour::containing(self.now());
        let of_region = |region: &Region| {
            let scope = Scope::new(self.account.id, region.code);
            history::hours(&scope, self.boxes(region.code, 0), range, now)
        };
        Some(REGIONS.iter().flat_map(of_region).collect())
    }
}
