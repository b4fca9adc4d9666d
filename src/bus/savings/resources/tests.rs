//! Rounds over an account that answers what a test tells it to, and over the demo.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use super::super::{Context, Input};
use super::*;
use crate::analyze::resources::rows;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::bus::tests::scripted::{ACCOUNT, REGION, no_accounts};
use crate::bus::world::Update;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{
    BilledUnit, Instance, Offer, ResourceSignal, RouteTable, SavingsFacts, TagKeys, TypeSpec,
    VpcEndpoint, sample,
};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Row};
use crate::source::demo::{self, DemoOptions};
use crate::source::provider::{GpuMetric, PriceWanted};
use crate::source::{Identity, MetricQuery, MetricResult, Page, Provider};

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), at("2026-11-20T00:00:00Z")).0
}

/// Lists and hours as a test wants them.
#[derive(Default)]
struct Things {
    listed: Mutex<Vec<Resource>>,
    /// Kinds that fail, and how.
    failing: Mutex<Vec<(ResourceKind, ErrorKind)>>,
    /// Hours fail, or are answered in part.
    hours: Mutex<Option<ErrorKind>>,
    partial: Mutex<bool>,
    /// What was asked: ids and range.
    asked: Mutex<Vec<(Vec<String>, HourRange)>>,
    priced: Mutex<u32>,
    /// Endpoints of VPCs are denied.
    denied: Mutex<bool>,
    /// Metric streams; what they send is denied.
    streams: Mutex<Vec<MetricStream>>,
    silent: Mutex<bool>,
    /// Streams of which it was asked what they send, with the days.
    sent: Mutex<Vec<String>>,
}

fn failed(kind: ErrorKind, operation: &str) -> SourceError {
    SourceError::new(kind, operation, "the test says so", "")
}

#[async_trait::async_trait]
impl Provider for Things {
    fn label(&self) -> &'static str {
        "default"
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        Err(failed(ErrorKind::Other, "sts:GetCallerIdentity"))
    }

    async fn home_region(&self) -> Arc<str> {
        REGION.into()
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        Ok(vec![REGION.into()])
    }

    async fn instances(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn types(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<TypeSpec>, SourceError> {
        Ok(Vec::new())
    }

    async fn gpu_metrics(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        Ok(Page::last(Vec::new()))
    }

    async fn metric_data(
        &self,
        _: &Arc<str>,
        _: &[MetricQuery],
        _: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        Ok(Vec::new())
    }

    async fn list_prices(&self, _: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        Ok(Vec::new())
    }

    async fn spot_prices(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<Offer>, SourceError> {
        Ok(Vec::new())
    }

    async fn resources(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
        kind: ResourceKind,
    ) -> Result<Vec<Resource>, SourceError> {
        let failing = self.failing.lock().unwrap().iter().find(|(k, _)| *k == kind).copied();
        if let Some((_, error)) = failing {
            return Err(failed(error, operation(kind)));
        }
        Ok(self.listed.lock().unwrap().iter().filter(|r| r.kind == kind).cloned().collect())
    }

    async fn route_tables(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
    ) -> Result<Vec<RouteTable>, SourceError> {
        let leads = RouteTable {
            id: "rtb-1".into(),
            nat_gateways: vec!["nat-1".into()],
            ..RouteTable::default()
        };
        Ok(vec![leads])
    }

    async fn vpc_endpoints(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
    ) -> Result<Vec<VpcEndpoint>, SourceError> {
        match *self.denied.lock().unwrap() {
            true => Err(failed(ErrorKind::Denied, "ec2:DescribeVpcEndpoints")),
            false => Ok(Vec::new()),
        }
    }

    async fn resource_hours(
        &self,
        _: &Arc<str>,
        resources: &[Resource],
        range: HourRange,
    ) -> Result<Vec<ResourceHours>, SourceError> {
        let ids = resources.iter().map(|r| r.id.to_string()).collect();
        self.asked.lock().unwrap().push((ids, range));
        if let Some(kind) = *self.hours.lock().unwrap() {
            return Err(failed(kind, "cloudwatch:GetMetricData"));
        }
        let complete = !*self.partial.lock().unwrap();
        let points: Vec<(Timestamp, f64)> =
            (range.from.0..range.to.0).map(|h| (Hour(h).start(), f64::from(h))).collect();
        let of = |r: &Resource| {
            let (id, points) = (r.id.clone(), points.clone());
            r.signals().iter().map(move |signal| ResourceHours {
                id: id.clone(),
                signal: *signal,
                points: points.clone(),
                complete,
            })
        };
        Ok(resources.iter().flat_map(of).collect())
    }

    async fn metric_streams(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
    ) -> Result<Vec<MetricStream>, SourceError> {
        Ok(self.streams.lock().unwrap().clone())
    }

    async fn metric_days(
        &self,
        _: &Arc<str>,
        metric: &DayMetric,
        days: &Range<Date>,
    ) -> Result<Option<MetricResult>, SourceError> {
        assert_eq!((&*metric.namespace, &*metric.metric), (METRIC_STREAMS, "MetricUpdate"));
        let (name, stream) = &metric.dimensions[0];
        assert_eq!((&**name, metric.statistic), ("MetricStreamName", DayStatistic::Sum));
        let asked = format!("{stream} {} {}", days.start, days.end);
        self.sent.lock().unwrap().push(asked);
        if *self.silent.lock().unwrap() {
            return Err(failed(ErrorKind::Denied, "cloudwatch:GetMetricData"));
        }
        let points = (0..7).map(|n| (Timestamp::UNIX_EPOCH, f64::from(n) * 1e6)).collect();
        Ok(Some(MetricResult { query: 0, points, complete: true }))
    }

    async fn resource_prices(
        &self,
        _: &Arc<str>,
        kinds: &[ResourceKind],
    ) -> Result<Vec<ResourcePrice>, SourceError> {
        *self.priced.lock().unwrap() += 1;
        let of = |kind: &ResourceKind| ResourcePrice {
            kind: *kind,
            what: "NatGateway-Hours".into(),
            usd_per_hour: 0.05,
        };
        Ok(kinds.iter().map(of).collect())
    }
}

fn gateway(id: &str) -> Resource {
    Resource {
        scope: Scope::new(ACCOUNT, REGION),
        created_at: Some("2026-01-01T00:00:00Z".parse().unwrap()),
        units: vec![BilledUnit { what: "NatGateway-Hours".into(), count: 1.0, usd_per_hour: None }],
        serves: Some(Vec::new()),
        ..sample::resource(ResourceKind::NatGateway, id)
    }
}

fn address(serves: &[&str]) -> Resource {
    let unit = BilledUnit { what: "PublicIPv4".into(), count: 1.0, usd_per_hour: Some(0.005) };
    Resource {
        kind: ResourceKind::ElasticIp,
        created_at: None,
        units: vec![unit],
        serves: Some(serves.iter().map(|s| Arc::from(*s)).collect()),
        ..gateway("eipalloc-1")
    }
}

/// What one round told.
struct Told {
    resources: Option<Arc<ScopeResources>>,
    outcome: Option<(f32, bool)>,
    troubles: Vec<String>,
}

/// One round at a moment, on a cache that stays.
async fn round(provider: &Arc<dyn Provider>, scope: Scope, cache: &Cache, now: Timestamp) -> Told {
    round_of(provider, scope, cache, now, 1_000_000).await
}

async fn round_of(
    provider: &Arc<dyn Provider>,
    scope: Scope,
    cache: &Cache,
    now: Timestamp,
    cap: u64,
) -> Told {
    let mut parts = no_accounts(cache, Arc::new(move || now));
    parts.ledger = crate::source::ledger::Ledger::new(cache.clone(), cap);
    parts.settings.billed = true;
    let (handle, _) = crate::bus::share(parts);
    let (updates, mut told) = mpsc::channel(64);
    let (inputs, mut inbox) = mpsc::channel(64);
    let provider = provider.clone();
    let shared = handle.shared;
    let context = Context {
        shared,
        source: provider,
        scope: scope.clone(),
        updates,
        inputs,
        only_once: true,
    };
    run(context).await;
    let mut out = Told { resources: None, outcome: None, troubles: Vec::new() };
    while let Ok(input) = inbox.try_recv() {
        if let Input::Resources { resources, .. } = input {
            // As the board does.
            cache.put(kind::RESOURCES, &scope, now, &*resources).await;
            out.resources = Some(resources);
        }
    }
    while let Ok(update) = told.try_recv() {
        match update {
            Update::Source { outcome: Outcome::Good { coverage }, .. } => {
                out.outcome = Some((coverage, true));
            }
            Update::Source { outcome: Outcome::Bad(_), .. } => out.outcome = Some((0.0, false)),
            Update::Trouble { error: Some(error), .. } => {
                out.troubles.push(error.operation.clone());
            }
            _ => {}
        }
    }
    out
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn here() -> Scope {
    Scope::new(ACCOUNT, REGION)
}

#[tokio::test]
async fn closed_hours_are_asked_for_once() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    things.listed.lock().unwrap().extend([gateway("nat-1"), gateway("nat-2")]);
    let provider: Arc<dyn Provider> = things.clone();
    let first = at("2026-11-20T10:05:00Z");
    let told = round(&provider, here(), &cache, first).await;
    let asked = || std::mem::take(&mut *things.asked.lock().unwrap());
    let window = HourRange::last_closed(first, 336);
    assert_eq!(asked(), [(vec!["nat-1".into(), "nat-2".into()], window)]);
    assert_eq!(told.outcome, Some((1.0, true)));
    let one = &told.resources.unwrap().items[0];
    assert_eq!(one.hours[&ResourceSignal::Bytes].range(), window);
    assert!(one.complete && one.resource.units[0].usd_per_hour == Some(0.05));

    // A quarter of an hour later no hour has closed, and a week's prices are a week's.
    round(&provider, here(), &cache, first + SignedDuration::from_mins(15)).await;
    assert_eq!((asked().len(), *things.priced.lock().unwrap()), (0, 1));

    // Two hours later: these two, and the two before them that may have come late. A new gateway is
    // asked for from its beginning, by a request of its own.
    let new = Resource { created_at: Some(at("2026-11-19T00:30:00Z")), ..gateway("nat-3") };
    things.listed.lock().unwrap().push(new);
    let later = first + SignedDuration::from_hours(2);
    let told = round(&provider, here(), &cache, later).await;
    let to = Hour::containing(later);
    let mut asked = asked();
    asked.sort_by_key(|(_, range)| range.from);
    let since = Hour::containing(at("2026-11-19T00:30:00Z"));
    assert_eq!(
        asked,
        [
            (vec!["nat-3".into()], HourRange { from: since, to }),
            (vec!["nat-1".into(), "nat-2".into()], HourRange { from: to.plus(-4), to }),
        ]
    );
    // The window moves on, without a gap and without anything twice; what it has left is kept, for since
    // when a stretch lasts.
    let series = told.resources.unwrap().items[0].hours[&ResourceSignal::Connections].clone();
    assert_eq!(series.range(), HourRange::last_closed(later, 338));
    let expected: Vec<f32> = (to.0 - 338..to.0).map(|h| h as f32).collect();
    assert_eq!(series.values, expected);
    // For sixty days.
    let later = first + SignedDuration::from_hours(70 * 24);
    for days in (0..=70).step_by(10) {
        round(&provider, here(), &cache, first + SignedDuration::from_hours(days * 24)).await;
    }
    let told = round(&provider, here(), &cache, later).await;
    let series = told.resources.unwrap().items[0].hours[&ResourceSignal::Connections].clone();
    assert_eq!(series.range(), HourRange::last_closed(later, KEPT_HOURS));
}

#[tokio::test]
async fn a_kind_that_fails_keeps_its_last_list_and_leaves_the_others_alone() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    things.listed.lock().unwrap().extend([gateway("nat-1"), address(&[])]);
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    round(&provider, here(), &cache, now).await;
    let denied = [
        (ResourceKind::NatGateway, ErrorKind::Denied),
        (ResourceKind::StudioApp, ErrorKind::Unavailable),
    ];
    things.failing.lock().unwrap().extend(denied);
    things.listed.lock().unwrap()[1].name = "renamed".into();
    let told = round(&provider, here(), &cache, now + SignedDuration::from_hours(1)).await;
    let (coverage, good) = told.outcome.unwrap();
    assert!(good && (coverage - 7.0 / 9.0).abs() < 1e-6);
    assert_eq!(told.troubles, ["sagemaker:ListApps", "ec2:DescribeNatGateways"]);
    let items = told.resources.unwrap().items.clone();
    let names: Vec<&str> = items.iter().map(|i| &*i.resource.name).collect();
    assert_eq!(names, ["renamed", "nat-1"]);

    // Nothing answers at all: nothing is told, and what was known stays.
    let all = KINDS.map(|kind| (kind, ErrorKind::Expired));
    *things.failing.lock().unwrap() = all.to_vec();
    let told = round(&provider, here(), &cache, now + SignedDuration::from_hours(2)).await;
    assert_eq!((told.outcome, told.resources.is_none()), (Some((0.0, false)), true));
    let known = cache.get::<ScopeResources>(kind::RESOURCES, &here(), now).await.unwrap().value;
    assert_eq!(known.items.len(), 2);
}

#[tokio::test]
async fn routes_that_are_denied_are_said_and_claim_nothing_and_the_rest_is_shown() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    things.listed.lock().unwrap().extend([gateway("nat-1"), address(&[])]);
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    let told = round(&provider, here(), &cache, now).await;
    let read = told.resources.unwrap();
    let serves = |read: &ScopeResources| {
        let gateway = read.items.iter().find(|i| &*i.resource.id == "nat-1").unwrap();
        gateway.resource.serves.clone()
    };
    assert_eq!(serves(&read), Some(vec!["rtb-1".into()]));
    assert_eq!(read.routing.endpoints, Some(Vec::new()));
    *things.denied.lock().unwrap() = true;
    let told = round(&provider, here(), &cache, now + SignedDuration::from_hours(1)).await;
    assert_eq!(told.troubles, ["ec2:DescribeVpcEndpoints"]);
    assert!((told.outcome.unwrap().0 - 8.0 / 9.0).abs() < 1e-6);
    let read = told.resources.unwrap();
    assert_eq!((read.items.len(), read.routing.endpoints.as_ref()), (2, None));
    assert_eq!(serves(&read), Some(vec!["rtb-1".into()]), "the tables were read");
    // Where there is no gateway, nobody asks.
    *things.listed.lock().unwrap() = vec![address(&[])];
    let told = round(&provider, here(), &cache, now + SignedDuration::from_hours(2)).await;
    assert_eq!((told.troubles.len(), told.outcome.unwrap().0), (0, 1.0));
    assert_eq!(told.resources.unwrap().routing, Routing::default());
}

#[tokio::test]
async fn an_endpoint_has_its_routes_and_prices_read_and_a_refusal_is_told_once() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    let unit = BilledUnit { what: "VpcEndpoint-Hours".into(), count: 2.0, usd_per_hour: None };
    let endpoint =
        Resource { kind: ResourceKind::VpcEndpoint, units: vec![unit], ..gateway("vpce-1") };
    things.listed.lock().unwrap().push(endpoint);
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    let told = round(&provider, here(), &cache, now).await;
    assert_eq!(told.outcome, Some((1.0, true)));
    let read = told.resources.unwrap();
    assert_eq!(read.routing.endpoints, Some(Vec::new()));
    // The price list has neither: embedded are $0.01 an hour, and $10 for 1,000 GB.
    assert_eq!(read.items[0].resource.usd_per_hour(), Some(0.02));
    assert_eq!(read.routing.endpoint_usd("VpcEndpoint-Bytes", 1_000.0), Some(10.0));
    assert_eq!(read.items[0].hours.keys().collect::<Vec<_>>(), [&ResourceSignal::Bytes]);
    // One permission is missing, and two lists fail by it.
    things.failing.lock().unwrap().push((ResourceKind::VpcEndpoint, ErrorKind::Denied));
    *things.denied.lock().unwrap() = true;
    let told = round(&provider, here(), &cache, now + SignedDuration::from_hours(1)).await;
    assert_eq!(told.troubles, ["ec2:DescribeVpcEndpoints"]);
    assert!((told.outcome.unwrap().0 - 7.0 / 9.0).abs() < 1e-6);
    let read = told.resources.unwrap();
    assert_eq!((read.items.len(), &read.routing.endpoints), (1, &None), "the last list stays");
}

#[tokio::test]
async fn what_a_metric_stream_sends_is_read_each_six_hours_of_those_that_run() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    let stream = |name: &str, is_running| MetricStream {
        name: name.into(),
        created_at: None,
        is_running,
        updates_per_day: None,
    };
    let all = [stream("out", true), stream("old", false), stream("a\u{fffd}b", true)];
    things.streams.lock().unwrap().extend(all);
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    let after = |hours| now + SignedDuration::from_hours(hours);
    let updates = |told: &Told| -> Vec<Option<f64>> {
        let known = told.resources.as_ref().unwrap().streams.as_ref().unwrap();
        known.streams.iter().map(|stream| stream.updates_per_day).collect()
    };
    let told = round(&provider, here(), &cache, now).await;
    // Of 0 to 6 million a day the mean is 3; one is stopped, and of one the name is not that of CloudWatch.
    assert_eq!(updates(&told), [Some(3e6), None, None]);
    let asked = || things.sent.lock().unwrap().clone();
    assert_eq!(asked(), ["out 2026-11-13 2026-11-20"]);
    let told = round(&provider, here(), &cache, after(5)).await;
    assert_eq!((updates(&told), asked().len()), (vec![Some(3e6), None, None], 1));
    // What is refused is not known, and said.
    *things.silent.lock().unwrap() = true;
    let told = round(&provider, here(), &cache, after(6)).await;
    assert_eq!((updates(&told), asked().len()), (vec![None; 3], 2));
    assert_eq!(told.troubles, ["cloudwatch:GetMetricData"]);
}

#[tokio::test]
async fn half_an_answer_is_no_evidence_and_is_asked_for_again() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    things.listed.lock().unwrap().push(gateway("nat-1"));
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    *things.partial.lock().unwrap() = true;
    let told = round(&provider, here(), &cache, now).await;
    let one = told.resources.unwrap().items[0].clone();
    assert!(!one.complete && one.hours.is_empty());
    *things.partial.lock().unwrap() = false;
    *things.hours.lock().unwrap() = Some(ErrorKind::Throttled);
    let told = round(&provider, here(), &cache, now).await;
    assert_eq!(told.troubles, ["cloudwatch:GetMetricData"]);
    assert!(!told.resources.unwrap().items[0].complete);
    *things.hours.lock().unwrap() = None;
    let told = round(&provider, here(), &cache, now).await;
    assert!(told.resources.unwrap().items[0].complete);
    let window = HourRange::last_closed(now, 336);
    assert!(things.asked.lock().unwrap().iter().all(|(_, range)| *range == window));
    assert_eq!(things.asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn each_series_is_charged_and_the_cap_holds() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    things.listed.lock().unwrap().extend([gateway("nat-1"), gateway("nat-2")]);
    let provider: Arc<dyn Provider> = things.clone();
    let now = at("2026-11-20T10:05:00Z");
    // Two gateways of three series each, 10 micro-dollars a series: 60, and 59 are not enough.
    let told = round_of(&provider, here(), &cache, now, 59).await;
    assert_eq!(told.troubles, ["cloudwatch:GetMetricData"]);
    assert!(things.asked.lock().unwrap().is_empty(), "what cannot be paid is not asked");
    assert_eq!(told.resources.unwrap().items.len(), 2, "they are listed all the same");
    let told = round_of(&provider, here(), &cache, now, 60).await;
    assert!(told.troubles.is_empty());
    let ledger = crate::source::ledger::Ledger::new(cache.clone(), 60);
    assert_eq!(ledger.today(now).await.unwrap().micro_usd, 60);
}

#[tokio::test]
async fn since_when_an_address_idles_is_since_when_it_was_seen_so() {
    let (cache, things) = (cache(), Arc::new(Things::default()));
    let provider: Arc<dyn Provider> = things.clone();
    let first = at("2026-11-20T10:05:00Z");
    let mut since = Vec::new();
    for (hours, serves) in [(0, vec![]), (5, vec![]), (7, vec!["i-1"]), (9, vec![]), (11, vec![])] {
        *things.listed.lock().unwrap() = vec![address(&serves)];
        let now = first + SignedDuration::from_hours(hours);
        let told = round(&provider, here(), &cache, now).await;
        let seen = told.resources.unwrap().items[0].resource.changed_at.unwrap();
        since.push(seen.duration_since(first).as_hours());
    }
    assert_eq!(since, [0, 0, 7, 9, 9]);
}

#[test]
fn a_request_holds_what_cloudwatch_takes() {
    let items: Vec<ResourceFacts> = (0..700)
        .map(|n| ResourceFacts {
            resource: gateway(&format!("nat-{n}")),
            hours: BTreeMap::new(),
            complete: false,
        })
        .collect();
    let members: Vec<usize> = (0..items.len()).collect();
    let range = HourRange { from: Hour(0), to: Hour(336) };
    let batches = batches(&items, &members, range);
    let series =
        |batch: &Vec<usize>| batch.iter().map(|i| items[*i].resource.series()).sum::<usize>();
    assert!(batches.iter().all(|b| series(b) <= 500 && series(b) * 336 <= 100_800));
    assert_eq!(batches.concat(), members);
    // 300 series of 336 hours are 100,800 datapoints: 100 gateways a request.
    assert_eq!(batches.len(), 7);
}

/// Everything that the demo has, judged.
async fn demo_rows(now: Timestamp) -> HashMap<String, Arc<crate::fleet::savings::ResourceRow>> {
    let clock: demo::Clock = Arc::new(move || now);
    let cache = cache();
    let (mut resources, mut fleet) = (BTreeMap::new(), Fleet::default());
    for account in demo::accounts(&DemoOptions::new(demo::DEFAULT_SEED, None, clock)) {
        let provider: Arc<dyn Provider> = account.provider;
        for region in provider.regions().await.unwrap() {
            let page = provider.instances(&account.id, &region, None).await.unwrap();
            fleet.rows.extend(page.items.into_iter().map(|instance| Arc::new(Row::new(instance))));
            let scope = Scope::new(account.id.clone(), region);
            let told = round(&provider, scope.clone(), &cache, now).await;
            assert_eq!(told.troubles, Vec::<String>::new());
            resources.insert(scope, told.resources.unwrap());
        }
    }
    let facts = SavingsFacts { resources, ..SavingsFacts::default() };
    let rows = rows(&SavingsInput {
        version: 1,
        now,
        fleet: &fleet,
        gpus: &GpuFleet::default(),
        storage: None,
        facts: &facts,
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    });
    let named = rows.into_iter().filter(|r| r.resource.kind != ResourceKind::StoppedInstance);
    named.map(|r| (r.resource.name.to_string(), r)).collect()
}

#[tokio::test]
async fn the_demo_shows_what_is_planted_at_any_hour() {
    for hours in [0, 7, 31, 100] {
        let now = at("2026-11-20T10:05:00Z") + SignedDuration::from_hours(hours);
        let rows = demo_rows(now).await;
        assert_eq!(rows.len(), demo::planted_resources().len());
        for planted in demo::planted_resources() {
            let row = &rows[planted.name];
            let kind = row.verdict.as_ref().map(|v| v.kind);
            let reason = row.verdict.as_ref().map(|v| &v.reason);
            assert_eq!(kind, planted.verdict, "{} after {hours} h: {reason:?}", planted.name);
            let pattern = row.pattern.map(crate::fleet::savings::Pattern::word);
            assert_eq!(pattern, planted.pattern, "{} after {hours} h", planted.name);
            assert!(row.resource.usd_per_hour().is_some(), "{} has a price", planted.name);
        }
    }
}

#[tokio::test]
async fn what_idles_in_the_demo_idles_since_the_same_moment_an_hour_later() {
    let first = at("2026-12-03T10:05:00Z");
    let (before, after) =
        (demo_rows(first).await, demo_rows(first + SignedDuration::from_hours(1)).await);
    let mut ends = 0;
    for (name, row) in &before {
        assert_eq!(row.resource.created_at, after[name].resource.created_at, "{name}");
        let since = |row: &crate::fleet::savings::ResourceRow| {
            let verdict = row.verdict.as_ref().filter(|v| !v.idle_since_at_least);
            verdict.and_then(|v| v.idle_since)
        };
        ends += usize::from(since(row).is_some());
        assert_eq!(since(row), since(&after[name]), "{name}");
    }
    assert!(ends > 0, "an exact start is among them");
}

#[test]
fn the_page_of_the_demo_lists_what_is_planted() {
    let page = include_str!("../../../../docs/demo.md");
    for planted in demo::planted_resources() {
        let verdict = planted.verdict.map_or("–", crate::domain::VerdictKind::name);
        let pattern = planted.pattern.unwrap_or("–");
        let (name, kind, what) = (planted.name, planted.kind.label(), planted.what);
        let line = format!("| `{name}` | {kind} | {what} | {verdict} | {pattern} |");
        assert!(page.contains(&line), "{line}");
    }
}
