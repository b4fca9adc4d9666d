//! Resources that are no instances: listed by kind, priced, and asked what they did.
//!
//! Each kind fails for itself and keeps its last good list. Of the hours only those are asked for
//! that no round has read yet; the cache keeps them with the resources. An hour counts as read when
//! CloudWatch answered in full.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::guarded;
use super::super::poll::{self, Poll};
use super::super::readings::Outcome;
use super::super::wake::Wake;
use super::keep::kind;
use super::{Context, Input};
use crate::cache::FactKind;
use crate::domain::daily::{DayMetric, DayStatistic, day_of};
use crate::domain::{
    ENDPOINT_BYTES, EndlessLogs, ErrorKind, GbPrice, Hour, HourRange, HourlySeries, METRIC_STREAMS,
    MetricStream, MetricStreams, NAT_BYTES, RESOURCE_HOURS, Resource, ResourceFacts, ResourceKind,
    ResourcePrice, Routing, Scope, ScopeResources, SourceError, SourceId, arcs, is_due,
    mean_of_days,
};
use crate::source::catalogue::resource_price;
use crate::source::ledger::BilledApi;
use crate::source::planner::{MAX_POINTS, MAX_QUERIES, missing};
use crate::source::provider::ResourceHours;

/// `Vec<ResourcePrice>` per region.
const PRICES: FactKind = FactKind::new("resource-prices", 2);

/// List prices change a few times a year; a week bounds how stale one can be.
const PRICED_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Log groups come and go by the day, and there may be thousands of them.
const LOGS_FOR: SignedDuration = SignedDuration::from_hours(6);

/// Metric streams of which it is read what they send: each is a metric that is billed. Accounts have a few.
const MOST_STREAMS: usize = 20;

/// Whole days that tell what a stream sends a day.
const STREAMED_DAYS: i64 = 7;

/// Hours that are kept of each series, 6 KB: verdicts look at fewer, but a stretch that fills those
/// began before them.
const KEPT_HOURS: u32 = 60 * 24;

/// Least time before a failed question is asked again.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// Steps of the price of a GB through an interface endpoint that are embedded for some regions.
const EMBEDDED_STEPS: [&str; 3] =
    ["VpcEndpoint-Bytes", "VpcEndpoint-Bytes/1048576", "VpcEndpoint-Bytes/5242880"];

/// Kinds that a provider is asked for.
const KINDS: [ResourceKind; 7] = [
    ResourceKind::Notebook,
    ResourceKind::Endpoint,
    ResourceKind::StudioApp,
    ResourceKind::ElasticIp,
    ResourceKind::NatGateway,
    ResourceKind::LoadBalancer,
    ResourceKind::VpcEndpoint,
];

/// Reads the resources of an account and region until stopped; with `only_once` one round.
pub(super) async fn run(ctx: Context) {
    let now = ctx.shared.now();
    // The board writes it: what is published is what is remembered.
    let stored = ctx.shared.cache.get::<ScopeResources>(kind::RESOURCES, &ctx.scope, now).await;
    let known = stored.map(|s| Arc::new(s.value)).unwrap_or_default();
    let every = poll::wait(ctx.settings().resources_every);
    let prices = Poll::new(Vec::new(), None, AGAIN);
    let mut round = Round { known, prices, told: Vec::new(), unanswered: None };
    let mut wake = Wake::new(&ctx.shared);
    loop {
        wake.begin();
        ctx.report(SourceId::Resources, ctx.scope.clone(), Outcome::Loading).await;
        round.run(&ctx).await;
        if ctx.only_once || !wake.wait(every).await {
            return;
        }
    }
}

/// State of the task that reads resources.
struct Round {
    known: Arc<ScopeResources>,
    /// Prices, and when they were asked for, with or without an answer.
    prices: Poll<Vec<ResourcePrice>>,
    /// Troubles that were reported: one line each until they are over.
    told: Vec<(String, ErrorKind)>,
    /// When hours were last asked for and not all answered: each question is billed.
    unanswered: Option<Timestamp>,
}

impl Round {
    async fn run(&mut self, ctx: &Context) {
        let now = ctx.shared.now();
        let mut troubles: Vec<Arc<SourceError>> = Vec::new();
        let mut listed = self.list(ctx, &mut troubles).await;
        let failed = troubles.len();
        let is_routed =
            failed < KINDS.len() && listed.iter().any(|r| is_gateway(r) || is_endpoint(r));
        let mut routing = Routing::default();
        if is_routed {
            routing = routes(ctx, &mut listed, &mut troubles).await;
        }
        let (logs, is_asked) = self.logs(ctx, now, failed, &mut troubles).await;
        let (streams, are_asked) = self.streams(ctx, now, failed, &mut troubles).await;
        let parts = Parts {
            failed: troubles.len(),
            all: KINDS.len()
                + 2 * usize::from(is_routed)
                + usize::from(is_asked)
                + usize::from(are_asked),
        };
        let of_gb = self.price(ctx, &mut listed, now, &mut troubles).await;
        (routing.nat_usd_per_gb, routing.endpoint_gb) = (of_gb.nat_usd, of_gb.endpoints);
        since_when(&mut listed, &self.known, now);
        let mut items = merged(listed, &self.known);
        if failed < KINDS.len() && (ctx.only_once || is_due(self.unanswered, AGAIN, now)) {
            let before = troubles.len();
            hours(ctx, &mut items, now, &mut troubles).await;
            let answered = troubles.len() == before && items.iter().all(|i| i.complete);
            self.unanswered = (!answered).then_some(now);
        }
        items.sort_by(|a, b| {
            (a.resource.kind, &a.resource.id).cmp(&(b.resource.kind, &b.resource.id))
        });
        let resources = Arc::new(ScopeResources { items: arcs(items), routing, logs, streams });
        if failed < KINDS.len() {
            self.known = resources.clone();
            let scope = ctx.scope.clone();
            let _ = ctx.inputs.send(Input::Resources { scope, resources }).await;
        }
        self.tell(ctx, parts, troubles).await;
    }

    /// All kinds; what failed keeps its last good list.
    async fn list(&self, ctx: &Context, troubles: &mut Vec<Arc<SourceError>>) -> Vec<Resource> {
        let Scope { account, region } = &ctx.scope;
        let asks = KINDS.map(|kind| {
            let ask = ctx.source.resources(account, region, kind);
            async move { (kind, guarded(operation(kind), ask).await) }
        });
        let mut out = Vec::new();
        for (kind, answer) in futures_util::future::join_all(asks).await {
            match answer {
                Ok(resources) => out.extend(resources),
                Err(error) => {
                    let old = self.known.items.iter().map(|f| &f.resource);
                    out.extend(old.filter(|r| r.kind == kind).cloned());
                    troubles.push(Arc::new(error));
                }
            }
        }
        out
    }

    /// Log groups that keep everything, and whether they were asked for now. A list that fails keeps the last good one.
    async fn logs(
        &self,
        ctx: &Context,
        now: Timestamp,
        failed: usize,
        troubles: &mut Vec<Arc<SourceError>>,
    ) -> (Option<EndlessLogs>, bool) {
        let known = self.known.logs.clone();
        let is_due = is_due(known.as_ref().map(|logs| logs.taken_at), LOGS_FOR, now);
        if failed >= KINDS.len() || !is_due {
            return (known, false);
        }
        let Scope { account, region } = &ctx.scope;
        match guarded("logs:DescribeLogGroups", ctx.source.log_groups(account, region)).await {
            Ok(all) => (Some(EndlessLogs::of(all, now)), true),
            Err(error) => {
                troubles.push(Arc::new(error));
                (known, true)
            }
        }
    }

    /// Metric streams with what they send, and whether they were asked for now. A list that fails keeps the last good one;
    /// what a stream sends that could not be read is not known.
    async fn streams(
        &self,
        ctx: &Context,
        now: Timestamp,
        failed: usize,
        troubles: &mut Vec<Arc<SourceError>>,
    ) -> (Option<MetricStreams>, bool) {
        let known = self.known.streams.clone();
        let is_due = is_due(known.as_ref().map(|known| known.taken_at), LOGS_FOR, now);
        if failed >= KINDS.len() || !is_due {
            return (known, false);
        }
        let Scope { account, region } = &ctx.scope;
        let ask = ctx.source.metric_streams(account, region);
        let mut streams = match guarded("cloudwatch:ListMetricStreams", ask).await {
            Ok(streams) => streams,
            Err(error) => {
                troubles.push(Arc::new(error));
                return (known, true);
            }
        };
        let running = streams.iter_mut().filter(|stream| stream.is_running);
        for stream in running.take(MOST_STREAMS) {
            match updates_per_day(ctx, stream, now).await {
                Ok(updates) => stream.updates_per_day = updates,
                Err(error) => {
                    // The next one would be refused the same way.
                    troubles.push(Arc::new(error));
                    break;
                }
            }
        }
        (Some(MetricStreams { taken_at: now, streams }), true)
    }

    /// Fills in prices that the provider did not know itself. Returns those of a GB, which belong to no unit.
    async fn price(
        &mut self,
        ctx: &Context,
        resources: &mut [Resource],
        now: Timestamp,
        troubles: &mut Vec<Arc<SourceError>>,
    ) -> OfGb {
        let open = |r: &&mut Resource| r.units.iter().any(|u| u.usd_per_hour.is_none());
        let mut kinds: Vec<ResourceKind> =
            resources.iter_mut().filter(open).map(|r| r.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            return OfGb::default();
        }
        let region = &ctx.scope.region;
        // Prices belong to no account.
        let key = Scope::new("-", region.clone());
        let stored = ctx.shared.cache.get::<Vec<ResourcePrice>>(PRICES, &key, now).await;
        let fresh = stored.as_ref().is_some_and(|s| s.is_fresh(now, PRICED_FOR));
        let has =
            |kind: &ResourceKind, prices: &[ResourcePrice]| prices.iter().any(|p| p.kind == *kind);
        let mut prices = stored.map(|s| s.value).unwrap_or_default();
        let complete = fresh && kinds.iter().all(|k| has(k, &prices));
        if !complete && self.prices.is_due(now) {
            let ask = ctx.source.resource_prices(region, &kinds);
            match guarded("pricing:GetProducts", ask).await {
                Ok(new) => {
                    // What another account of the region has asked for stays.
                    prices.retain(|p| !kinds.contains(&p.kind));
                    prices.extend(new);
                    ctx.shared.cache.put(PRICES, &key, now, &prices).await;
                }
                Err(error) => troubles.push(Arc::new(error)),
            }
            self.prices.good(now, prices.clone());
        } else if prices.is_empty() {
            prices.clone_from(&self.prices.value);
        }
        for resource in resources {
            let kind = resource.kind;
            for unit in resource.units.iter_mut().filter(|u| u.usd_per_hour.is_none()) {
                let live = prices.iter().find(|p| p.kind == kind && p.what == unit.what);
                unit.usd_per_hour = live
                    .map(|p| p.usd_per_hour)
                    .or_else(|| resource_price(region, kind, &unit.what));
            }
        }
        OfGb::of(region, &prices)
    }

    /// How the source is doing, and a line for each new trouble.
    async fn tell(&mut self, ctx: &Context, parts: Parts, troubles: Vec<Arc<SourceError>>) {
        let Parts { failed, all } = parts;
        let outcome = match troubles.first() {
            Some(first) if failed >= all => Outcome::Bad(first.clone()),
            _ => Outcome::Good { coverage: 1.0 - failed as f32 / all as f32 },
        };
        let good = matches!(outcome, Outcome::Good { .. });
        ctx.report(SourceId::Resources, ctx.scope.clone(), outcome).await;
        let now: Vec<_> = troubles.iter().map(|e| (e.operation.clone(), e.kind)).collect();
        for error in troubles {
            let one = (error.operation.clone(), error.kind);
            // Endpoints are listed as resources and for the routes: two refusals of one call.
            if good && !self.told.contains(&one) {
                self.told.push(one);
                ctx.trouble(SourceId::Resources, &ctx.scope, error).await;
            }
        }
        self.told = now;
    }
}

/// List prices of a GB in a region.
#[derive(Default)]
struct OfGb {
    /// Through a NAT gateway, USD; `None` when unknown.
    nat_usd: Option<f64>,
    /// Through endpoints; empty when unknown.
    endpoints: Vec<GbPrice>,
}

impl OfGb {
    /// Those of the price list, else the embedded ones.
    fn of(region: &str, prices: &[ResourcePrice]) -> Self {
        let (gateway, endpoint) = (ResourceKind::NatGateway, ResourceKind::VpcEndpoint);
        let live = prices.iter().find(|p| p.kind == gateway && *p.what == *NAT_BYTES);
        let live = live.map(|p| p.usd_per_hour);
        let is_gb = |what: &str| ENDPOINT_BYTES.iter().any(|gb| what.starts_with(gb));
        let mut named: Vec<(&str, f64)> = prices
            .iter()
            .filter(|p| p.kind == endpoint && is_gb(&p.what))
            .map(|p| (&*p.what, p.usd_per_hour))
            .collect();
        if named.is_empty() {
            let embedded =
                |what: &&'static str| Some((*what, resource_price(region, endpoint, what)?));
            named = EMBEDDED_STEPS.iter().filter_map(embedded).collect();
        }
        Self {
            nat_usd: live.or_else(|| resource_price(region, gateway, NAT_BYTES)),
            endpoints: named
                .into_iter()
                .filter_map(|(what, usd)| GbPrice::named(what, usd))
                .collect(),
        }
    }
}

/// Lists of a round.
#[derive(Clone, Copy)]
struct Parts {
    failed: usize,
    /// Those that were asked for; > 0.
    all: usize,
}

fn is_gateway(resource: &Resource) -> bool {
    resource.kind == ResourceKind::NatGateway
}

fn is_endpoint(resource: &Resource) -> bool {
    resource.kind == ResourceKind::VpcEndpoint
}

/// Metric updates that a stream sent on each of the last whole days, in the mean; `None` where CloudWatch does not tell. One
/// metric, charged before it is asked for.
async fn updates_per_day(
    ctx: &Context,
    stream: &MetricStream,
    now: Timestamp,
) -> Result<Option<f64>, SourceError> {
    // A name that had to be cleaned is not the one that CloudWatch knows.
    if !stream.name.chars().all(|c| c.is_ascii_graphic()) {
        return Ok(None);
    }
    ctx.shared.charge(BilledApi::GetMetricData, 1).await?;
    let metric = DayMetric {
        namespace: METRIC_STREAMS.into(),
        metric: "MetricUpdate".into(),
        dimensions: vec![("MetricStreamName".into(), stream.name.clone())],
        statistic: DayStatistic::Sum,
    };
    let today = day_of(now);
    let days = today.saturating_sub(jiff::Span::new().days(STREAMED_DAYS))..today;
    let call = ctx.source.metric_days(&ctx.scope.region, &metric, &days);
    let found = guarded("cloudwatch:GetMetricData", call).await?;
    Ok(found.filter(|found| found.complete).and_then(|found| mean_of_days(&found.points)))
}

/// Route tables and endpoints, and what the gateways serve by them. What could not be read is `None`: nothing is
/// claimed by routes that may be others by now.
async fn routes(
    ctx: &Context,
    listed: &mut [Resource],
    troubles: &mut Vec<Arc<SourceError>>,
) -> Routing {
    let Scope { account, region } = &ctx.scope;
    let (tables, endpoints) = futures_util::future::join(
        guarded("ec2:DescribeRouteTables", ctx.source.route_tables(account, region)),
        guarded("ec2:DescribeVpcEndpoints", ctx.source.vpc_endpoints(account, region)),
    )
    .await;
    let mut kept = |error| troubles.push(Arc::new(error));
    let tables = tables.map_err(&mut kept).ok();
    let endpoints = endpoints.map_err(&mut kept).ok();
    let routing = Routing { tables, endpoints, ..Routing::default() };
    for gateway in listed.iter_mut().filter(|r| is_gateway(r)) {
        let leading = routing.leading_to(&gateway.id);
        gateway.serves = leading.map(|all| all.iter().map(|table| table.id.clone()).collect());
    }
    routing
}

/// The first call of a kind, for messages.
fn operation(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Notebook => "sagemaker:ListNotebookInstances",
        ResourceKind::Endpoint => "sagemaker:ListEndpoints",
        ResourceKind::StudioApp => "sagemaker:ListApps",
        ResourceKind::ElasticIp => "ec2:DescribeAddresses",
        ResourceKind::NatGateway => "ec2:DescribeNatGateways",
        ResourceKind::LoadBalancer => "elasticloadbalancing:DescribeLoadBalancers",
        ResourceKind::VpcEndpoint => "ec2:DescribeVpcEndpoints",
        ResourceKind::StoppedInstance => "ec2:DescribeInstances",
    }
}

/// AWS does not say since when an address is associated as it is: since when burntop has seen it so
/// is what is known.
fn since_when(listed: &mut [Resource], known: &ScopeResources, now: Timestamp) {
    let old: HashMap<&Arc<str>, &Resource> =
        known.items.iter().map(|f| (&f.resource.id, &f.resource)).collect();
    for resource in listed.iter_mut().filter(|r| r.kind == ResourceKind::ElasticIp) {
        if resource.changed_at.is_none() {
            let same = old.get(&resource.id).filter(|o| o.serves == resource.serves);
            resource.changed_at = same.map_or(Some(now), |o| o.changed_at);
        }
    }
}

/// The resources with the hours that are known of them. An endpoint that runs on something else now,
/// or was made anew under its old name, begins anew.
fn merged(listed: Vec<Resource>, known: &ScopeResources) -> Vec<ResourceFacts> {
    let old: HashMap<&Arc<str>, &Arc<ResourceFacts>> =
        known.items.iter().map(|f| (&f.resource.id, f)).collect();
    let is_same = |a: &Resource, b: &Resource| {
        let whats = |r: &Resource| r.units.iter().map(|u| u.what.clone()).collect::<Vec<_>>();
        a.created_at == b.created_at
            && whats(a) == whats(b)
            && (a.kind != ResourceKind::Endpoint || a.serves == b.serves)
    };
    listed
        .into_iter()
        .map(|resource| {
            let old = old.get(&resource.id).filter(|o| is_same(&o.resource, &resource));
            ResourceFacts {
                hours: old.map(|o| o.hours.clone()).unwrap_or_default(),
                complete: old.is_some_and(|o| o.complete),
                resource,
            }
        })
        .collect()
}

/// Asks for the hours that are missing, all resources with the same hours together.
async fn hours(
    ctx: &Context,
    items: &mut [ResourceFacts],
    now: Timestamp,
    troubles: &mut Vec<Arc<SourceError>>,
) {
    let wanted = HourRange::last_closed(now, RESOURCE_HOURS);
    let mut by_range: BTreeMap<(Hour, Hour), Vec<usize>> = BTreeMap::new();
    for (i, item) in items.iter_mut().enumerate() {
        if item.resource.signals().is_empty() {
            item.hours.clear();
            item.complete = true;
            continue;
        }
        let made = item.resource.created_at.map_or(wanted.from, Hour::containing);
        // What was there before it was made was another of its name.
        let wanted = wanted.since(made);
        let fetched = item
            .hours
            .values()
            .map(HourlySeries::range)
            .reduce(|a, b| HourRange { from: a.from.max(b.from), to: a.to.min(b.to) });
        for range in missing(wanted, fetched) {
            by_range.entry((range.from, range.to)).or_default().push(i);
        }
    }
    for ((from, to), members) in by_range {
        let range = HourRange { from, to };
        for batch in batches(items, &members, range) {
            let resources: Vec<Resource> =
                batch.iter().map(|i| items[*i].resource.clone()).collect();
            let answers = ask(ctx, &resources, range).await;
            match answers {
                Ok(answers) => {
                    for i in batch {
                        take(&mut items[i], &answers, range, wanted);
                    }
                }
                Err(error) => {
                    for i in batch {
                        items[i].complete = false;
                    }
                    troubles.push(Arc::new(error));
                }
            }
        }
    }
}

/// Parts of at most what one request may ask.
fn batches(items: &[ResourceFacts], members: &[usize], range: HourRange) -> Vec<Vec<usize>> {
    let most = MAX_QUERIES.min(MAX_POINTS / range.len().max(1)).max(1);
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut used = most;
    for i in members {
        let series = items[*i].resource.series().max(1);
        if used + series > most || out.is_empty() {
            out.push(Vec::new());
            used = 0;
        }
        used += series;
        if let Some(last) = out.last_mut() {
            last.push(*i);
        }
    }
    out
}

/// One request, charged before it is made.
async fn ask(
    ctx: &Context,
    resources: &[Resource],
    range: HourRange,
) -> Result<Vec<ResourceHours>, SourceError> {
    let series = resources.iter().map(Resource::series).sum::<usize>() as u64;
    let lists = resources.iter().any(|r| r.kind == ResourceKind::Notebook);
    ctx.shared.charge(BilledApi::GetMetricData, series).await?;
    ctx.shared.charge(BilledApi::ListMetrics, u64::from(lists)).await?;
    let call = ctx.source.resource_hours(&ctx.scope.region, resources, range);
    guarded("cloudwatch:GetMetricData", call).await
}

/// Takes an answer into what is known of a resource. A signal that nothing came of was looked at all
/// the same: its series is empty. Half an answer is no claim to have asked: its hours are asked for
/// again.
fn take(item: &mut ResourceFacts, answers: &[ResourceHours], range: HourRange, window: HourRange) {
    let mine: Vec<&ResourceHours> = answers.iter().filter(|a| a.id == item.resource.id).collect();
    item.complete = mine.iter().all(|a| a.complete);
    if !item.complete {
        return;
    }
    for signal in item.resource.signals() {
        let old = item.hours.get(signal);
        let kept = HourRange::last_closed(window.to.start(), KEPT_HOURS);
        let from = old.map_or(range.from, |o| o.start.min(range.from)).max(kept.from);
        let to = old.map_or(range.to, |o| o.range().to.max(range.to));
        let mut series = HourlySeries::empty(HourRange { from, to });
        for hour in (from.0..to.0).map(Hour) {
            series.set(hour, old.map_or(f32::NAN, |o| o.at(hour)));
        }
        for (t, raw) in mine.iter().filter(|a| a.signal == *signal).flat_map(|a| &a.points) {
            let hour = Hour::containing(*t);
            if hour >= range.from && hour < range.to {
                series.set(hour, signal.observe(*raw));
            }
        }
        item.hours.insert(*signal, series);
    }
}

#[cfg(test)]
mod tests;
