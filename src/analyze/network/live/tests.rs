//! Paths without a bill, against figures worked out by hand and over any routes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;

use super::{command, live, paths};
use crate::analyze::network::{Confidence, NetworkPath, Remedy};
use crate::analyze::resources::rows;
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::bill::Usd;
use crate::domain::storage::{Bucket, BucketFacts};
use crate::domain::{
    BilledUnit, EndlessLogs, EndpointKind, ErrorKind, GbPrice, Holdings, HourRange, HourlySeries,
    Instance, InstanceState, LogGroup, MetricStream, MetricStreams, NAT_BYTES, RESOURCE_HOURS,
    Resource, ResourceFacts, ResourceKind, ResourceSignal, RouteTable, Routing, SavingsFacts,
    Scope, ScopeResources, SourceError, TagKeys, Tags, Verdict, VerdictKind, VpcEndpoint, sample,
};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::savings::{PathAdvice, PathRow};
use crate::fleet::storage::{BucketKind, BucketRow};
use crate::fleet::{Book, Fleet, Row, StorageFleet};
use crate::source::catalogue::{resource_price, type_spec};
use crate::view::reasons;

fn now() -> Timestamp {
    "2026-11-20T10:30:00Z".parse().unwrap()
}

/// A gateway that sends and gets so many bytes in each of the last `hours`; connections as long.
fn gateway(id: &str, out: f32, back: f32, hours: usize) -> ResourceFacts {
    let range = HourRange::last_closed(now(), RESOURCE_HOURS);
    let series = |value: f32| {
        let mut series = HourlySeries::empty(range);
        for hour in (range.to.0 - hours as i32..range.to.0).map(crate::domain::Hour) {
            series.set(hour, value);
        }
        series
    };
    let busy = f32::from(u8::from(out + back > 0.0));
    ResourceFacts {
        resource: Resource {
            created_at: Some("2025-01-01T00:00:00Z".parse().unwrap()),
            units: vec![BilledUnit {
                what: "NatGateway-Hours".into(),
                count: 1.0,
                usd_per_hour: Some(0.045),
            }],
            serves: Some(Vec::new()),
            ..sample::resource(ResourceKind::NatGateway, id)
        },
        hours: BTreeMap::from([
            (ResourceSignal::Connections, series(busy)),
            (ResourceSignal::Bytes, series(out)),
            (ResourceSignal::BytesBack, series(back)),
        ]),
        complete: true,
    }
}

fn ids(ids: &[&str]) -> Vec<Arc<str>> {
    ids.iter().map(|id| Arc::from(*id)).collect()
}

fn table(id: &str, vpc: &str, gateway: &str) -> RouteTable {
    RouteTable {
        id: id.into(),
        vpc: vpc.into(),
        subnets: ids(&["subnet-1"]),
        nat_gateways: ids(&[gateway]),
        ..RouteTable::default()
    }
}

fn endpoint(id: &str, vpc: &str, tables: &[&str]) -> VpcEndpoint {
    VpcEndpoint {
        id: id.into(),
        vpc: vpc.into(),
        service: "com.amazonaws.us-east-1.s3".into(),
        kind: EndpointKind::Gateway,
        state: "available".into(),
        route_tables: ids(tables),
        subnets: Vec::new(),
        has_private_dns: false,
    }
}

fn routed(tables: Vec<RouteTable>, endpoints: Vec<VpcEndpoint>) -> Routing {
    let gb = GbPrice { what: "VpcEndpoint-Bytes".into(), from_gb: 0.0, usd: 0.01 };
    Routing {
        tables: Some(tables),
        endpoints: Some(endpoints),
        nat_usd_per_gb: Some(0.045),
        endpoint_gb: vec![gb],
    }
}

fn seen(gateways: Vec<ResourceFacts>, routing: Routing) -> Vec<Arc<PathRow>> {
    of(gateways, routing, &Fleet::default(), None)
}

fn of(
    gateways: Vec<ResourceFacts>,
    routing: Routing,
    fleet: &Fleet,
    storage: Option<&StorageFleet>,
) -> Vec<Arc<PathRow>> {
    let items = gateways.into_iter().map(Arc::new).collect();
    let scope = Scope::new("123456789012", "us-east-1");
    let resources = BTreeMap::from([(
        scope,
        Arc::new(ScopeResources { items, routing, ..ScopeResources::default() }),
    )]);
    let facts = SavingsFacts { resources, ..SavingsFacts::default() };
    with_input(&facts, fleet, storage, |input| live(input, &rows(input)))
}

/// What is live by these facts alone, beside no row of another list.
fn live_alone(facts: &SavingsFacts) -> Vec<Arc<PathRow>> {
    with_input(facts, &Fleet::default(), None, |input| live(input, &[]))
}

fn with_input(
    facts: &SavingsFacts,
    fleet: &Fleet,
    storage: Option<&StorageFleet>,
    found: impl FnOnce(&SavingsInput<'_>) -> Vec<Arc<PathRow>>,
) -> Vec<Arc<PathRow>> {
    found(&SavingsInput {
        version: 1,
        now: now(),
        fleet,
        gpus: &GpuFleet::default(),
        storage,
        facts,
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    })
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-6 * b.abs().max(1.0))
}

#[test]
fn a_gateway_costs_its_hours_and_each_byte_once_and_saves_up_to_its_bytes() {
    let routing = routed(vec![table("rtb-1", "vpc-1", "nat-1")], Vec::new());
    // 1 GiB out and 9 GiB back an hour.
    let gib = 1_073_741_824.0;
    let all = seen(vec![gateway("nat-1", gib, 9.0 * gib, 336)], routing);
    let [row] = &all[..] else { panic!("{all:?}") };
    // 10 GiB × 730 h × $0.045, and 730 h × $0.045.
    assert!(near(row.bytes, 7_300.0 * 1_073_741_824.0));
    assert!(near(row.bytes_usd, 328.5));
    assert!(near(row.usd, 361.35));
    assert!(near(row.avoidable_usd, 328.5));
    assert_eq!(
        command(row).unwrap(),
        "aws ec2 create-vpc-endpoint --region us-east-1 --vpc-id vpc-1 --vpc-endpoint-type Gateway \
         --service-name com.amazonaws.us-east-1.s3 --route-table-ids rtb-1"
    );
    let said = reasons::network_live(row);
    assert!(said.starts_with("1 route table (rtb-1) of vpc-1 "), "{said}");
    let listed = paths(&all);
    let of = &listed.rows[0];
    assert_eq!((of.key.path, of.confidence()), (NetworkPath::Nat, Confidence::UpTo));
    assert_eq!(of.fix.as_ref().unwrap().remedy, Remedy::GatewayEndpoint);
    assert_eq!((of.known_usd(), listed.network), (Some(of.usd), of.usd));
    assert!(near(Some(of.usd_per_gb().unwrap()), 0.045));
}

#[test]
fn an_endpoint_counts_by_the_tables_that_it_is_in_once_it_works() {
    let tables = || vec![table("rtb-1", "vpc-1", "nat-1"), table("rtb-2", "vpc-1", "nat-1")];
    let advice = |tables, endpoints| {
        let all = seen(vec![gateway("nat-1", 1e6, 1e6, 336)], routed(tables, endpoints));
        all[0].advice.clone()
    };
    let add =
        |tables: &[&str]| PathAdvice::AddEndpoint { vpc: "vpc-1".into(), tables: ids(tables) };
    assert_eq!(advice(tables(), vec![]), add(&["rtb-1", "rtb-2"]));
    let both = endpoint("vpce-1", "vpc-1", &["rtb-1", "rtb-2"]);
    assert_eq!(advice(tables(), vec![both.clone()]), PathAdvice::Covered);
    let one = endpoint("vpce-1", "vpc-1", &["rtb-2"]);
    let extend = PathAdvice::ExtendEndpoint { endpoint: "vpce-1".into(), tables: ids(&["rtb-1"]) };
    assert_eq!(advice(tables(), vec![one]), extend);
    // One that is being made, of another service, or of another VPC is none.
    for endpoint in [
        VpcEndpoint { state: "pending".into(), ..both.clone() },
        VpcEndpoint { service: "com.amazonaws.us-east-1.dynamodb".into(), ..both.clone() },
        VpcEndpoint { service: "com.amazonaws.us-east-1.s3express".into(), ..both.clone() },
        endpoint("vpce-2", "vpc-2", &["rtb-9"]),
    ] {
        assert_eq!(advice(tables(), vec![endpoint]), add(&["rtb-1", "rtb-2"]));
    }
    // Interfaces take what goes to the usual names, where these lead to them.
    let interface =
        VpcEndpoint { kind: EndpointKind::Interface, ..endpoint("vpce-3", "vpc-1", &[]) };
    let named = VpcEndpoint { has_private_dns: true, ..interface.clone() };
    assert_eq!(advice(tables(), vec![interface]), add(&["rtb-1", "rtb-2"]));
    assert_eq!(advice(tables(), vec![named]), PathAdvice::Covered);
    // A table that no subnet uses sends nothing; the main one may be used by any.
    let unused = RouteTable { subnets: Vec::new(), ..table("rtb-1", "vpc-1", "nat-1") };
    assert_eq!(advice(vec![unused.clone()], vec![]), PathAdvice::Covered);
    assert_eq!(advice(vec![RouteTable { is_main: true, ..unused }], vec![]), add(&["rtb-1"]));
}

#[test]
fn what_was_not_read_is_no_claim() {
    let routing = || routed(vec![table("rtb-1", "vpc-1", "nat-1")], Vec::new());
    let of = |gateway, routing| seen(vec![gateway], routing)[0].clone();
    let busy = || gateway("nat-1", 1e9, 1e9, 336);
    for routing in [
        Routing { tables: None, ..routing() },
        Routing { endpoints: None, ..routing() },
        Routing::default(),
    ] {
        let row = of(busy(), routing);
        assert_eq!((row.advice.clone(), row.avoidable_usd), (PathAdvice::Unread, None));
        assert!(!row.is_finding() && command(&row).is_none());
    }
    // Dollars without a price, and bytes of less than a day, with gaps or without sense.
    let unpriced = of(busy(), Routing { nat_usd_per_gb: None, ..routing() });
    assert_eq!((unpriced.usd, unpriced.avoidable_usd), (None, None));
    assert!(unpriced.is_finding() && unpriced.bytes.is_some());
    assert_eq!(of(gateway("nat-1", 1e9, 1e9, 23), routing()).bytes, None);
    assert!(of(gateway("nat-1", 1e9, 1e9, 24), routing()).bytes.is_some());
    let mut odd = busy();
    odd.hours.get_mut(&ResourceSignal::BytesBack).unwrap().values[300] = f32::INFINITY;
    assert_eq!(of(odd, routing()).bytes, None);
    let mut gaps = busy();
    for hour in 0..40 {
        gaps.hours.get_mut(&ResourceSignal::Bytes).unwrap().values[10 + 8 * hour] = f32::NAN;
    }
    assert_eq!(of(gaps, routing()).bytes, None);
    let mut half = busy();
    half.hours.remove(&ResourceSignal::BytesBack);
    let half = of(half, routing());
    assert_eq!((half.bytes, half.usd), (None, None), "half of the bytes is no sum");
    let listed = paths(&[Arc::new((*half).clone())]);
    assert_eq!(listed.rows[0].known_usd(), None);
    assert_eq!(listed.network, Usd::ZERO);
}

#[test]
fn idle_and_exempt_gateways_are_left_to_the_list_of_resources() {
    let routing = || routed(vec![table("rtb-1", "vpc-1", "nat-1")], Vec::new());
    let idle = seen(vec![gateway("nat-1", 0.0, 0.0, 336)], routing());
    assert_eq!(idle[0].advice, PathAdvice::Idle);
    assert!(!idle[0].is_finding() && near(idle[0].avoidable_usd, 32.85));
    let mut exempt = gateway("nat-1", 1e9, 1e9, 336);
    exempt.resource.tags = Tags::from_raw([("burntop:exempt", "true")]);
    let exempt = seen(vec![exempt], routing());
    assert_eq!((&exempt[0].advice, exempt[0].avoidable_usd), (&PathAdvice::Exempt, None));
}

#[test]
fn one_command_has_the_tables_of_all_gateways_of_a_vpc_and_of_no_other() {
    let tables = vec![
        table("rtb-a", "vpc-1", "nat-1"),
        table("rtb-b", "vpc-1", "nat-2"),
        table("rtb-c", "vpc-2", "nat-3"),
        RouteTable { nat_gateways: Vec::new(), ..table("rtb-d", "vpc-1", "") },
    ];
    let gateways = ["nat-1", "nat-2", "nat-3"].map(|id| gateway(id, 1e6, 1e6, 336)).to_vec();
    let all = seen(gateways, routed(tables, Vec::new()));
    let tables = |id: &str| match &all.iter().find(|row| &*row.id == id).unwrap().advice {
        PathAdvice::AddEndpoint { tables, .. } => tables.join(" "),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [tables("nat-1"), tables("nat-2"), tables("nat-3")],
        ["rtb-a rtb-b", "rtb-a rtb-b", "rtb-c"]
    );
}

const S3: &str = "com.amazonaws.us-east-1.s3";

/// An endpoint of vpc-1 with two interfaces, through which so many bytes went in each of the last `hours`.
fn interfaces(service: &str, bytes: f32, hours: usize) -> ResourceFacts {
    let mut it = gateway("vpce-9", bytes, 0.0, hours);
    it.hours.retain(|signal, _| *signal == ResourceSignal::Bytes);
    it.resource.kind = ResourceKind::VpcEndpoint;
    it.resource.state = "available".into();
    it.resource.serves = Some(ids(&[service, "vpc-1", "subnet-1", "subnet-2"]));
    it.resource.units =
        vec![BilledUnit { what: "VpcEndpoint-Hours".into(), count: 2.0, usd_per_hour: Some(0.01) }];
    it
}

#[test]
fn interfaces_cost_each_zone_and_each_byte_and_a_gateway_endpoint_nothing() {
    let own = VpcEndpoint { kind: EndpointKind::Interface, ..endpoint("vpce-9", "vpc-1", &[]) };
    let tables = || vec![table("rtb-1", "vpc-1", ""), table("rtb-2", "vpc-2", "")];
    let of = |it: ResourceFacts, routing| seen(vec![it], routing)[0].clone();
    let gib = 1_073_741_824.0;
    let row = of(interfaces(S3, gib, 336), routed(tables(), vec![own.clone()]));
    // 730 GiB × $0.01, and 2 zones × 730 h × $0.01.
    assert!(near(row.bytes, 730.0 * 1_073_741_824.0) && near(row.hours, 1_460.0));
    assert!(near(row.bytes_usd, 7.3) && near(row.usd, 21.9) && near(row.avoidable_usd, 21.9));
    assert!(row.is_finding());
    assert_eq!(
        command(&row).unwrap(),
        "aws ec2 create-vpc-endpoint --region us-east-1 --vpc-id vpc-1 --vpc-endpoint-type Gateway \
         --service-name com.amazonaws.us-east-1.s3 --route-table-ids rtb-1"
    );
    let said = reasons::network_live(&row);
    assert!(said.starts_with("interfaces of com.amazonaws.us-east-1.s3 in vpc-1, "), "{said}");
    let listed = paths(&[row]);
    let first = &listed.rows[0];
    assert_eq!((first.key.path, first.confidence()), (NetworkPath::Endpoint, Confidence::UpTo));
    assert_eq!(first.fix.as_ref().unwrap().remedy, Remedy::GatewayEndpoint);
    // Beside a gateway endpoint the interfaces serve what comes from elsewhere; that of another VPC is none.
    let plain = |service: &str| PathAdvice::Interface { service: Some(service.into()) };
    let advice = |service: &str, beside: &str| {
        let all = vec![own.clone(), endpoint("vpce-1", beside, &["rtb-1"])];
        let row = of(interfaces(service, gib, 336), routed(tables(), all));
        assert_eq!(row.avoidable_usd.is_some(), row.is_finding());
        row.advice.clone()
    };
    assert_eq!(advice(S3, "vpc-1"), plain(S3));
    assert!(matches!(advice(S3, "vpc-2"), PathAdvice::FreeGateway { .. }));
    let dynamo = "com.amazonaws.us-east-1.dynamodb";
    assert!(matches!(advice(dynamo, "vpc-1"), PathAdvice::FreeGateway { .. }));
    for service in ["com.amazonaws.us-east-1.ecr.api", "com.amazonaws.us-east-1.s3express", "x.s3"]
    {
        assert_eq!(advice(service, "vpc-2"), plain(service));
    }
    // Tables that were not read leave the command out, endpoints that were not read the claim.
    let untold = Routing { tables: None, ..routed(tables(), vec![own.clone()]) };
    let row = of(interfaces(S3, gib, 336), untold);
    assert_eq!((row.is_finding(), command(&row)), (true, None));
    let unread = Routing { endpoints: None, ..routed(tables(), Vec::new()) };
    let row = of(interfaces(S3, gib, 336), unread);
    assert_eq!((row.advice.clone(), row.avoidable_usd), (PathAdvice::Unread, None));
}

#[test]
fn interfaces_that_move_nothing_are_idle_and_what_nobody_counts_is_no_claim() {
    let routing = || routed(Vec::new(), Vec::new());
    let of = |it: ResourceFacts, routing| seen(vec![it], routing)[0].clone();
    let idle = of(interfaces(S3, 0.0, 336), routing());
    assert_eq!((&idle.advice, idle.bytes), (&PathAdvice::Idle, Some(0.0)));
    assert!(!idle.is_finding() && near(idle.avoidable_usd, 14.6));
    assert_eq!(
        command(&idle).unwrap(),
        "aws ec2 delete-vpc-endpoints --region us-east-1 --vpc-endpoint-ids vpce-9"
    );
    let mut exempt = interfaces(S3, 0.0, 336);
    exempt.resource.tags = Tags::from_raw([("burntop:exempt", "true")]);
    let exempt = of(exempt, routing());
    assert_eq!((&exempt.advice, exempt.avoidable_usd), (&PathAdvice::Exempt, None));
    // Without a price of the GB there are bytes and no dollars.
    let unpriced = Routing { endpoint_gb: Vec::new(), ..routing() };
    let row = of(interfaces(S3, 1e9, 336), unpriced);
    assert!(row.bytes.is_some() && row.is_finding());
    assert_eq!((row.usd, row.avoidable_usd), (None, None));
    // Of a service in another region CloudWatch counts nothing.
    let mut untold = interfaces(S3, 0.0, 0);
    untold.resource.serves = None;
    let row = of(untold, routing());
    assert_eq!((&row.advice, row.bytes), (&PathAdvice::Interface { service: None }, None));
    assert_eq!((row.usd, row.is_finding()), (None, false));
}

fn bucket(name: &str, region: &str, gib: u64) -> Arc<BucketRow> {
    Arc::new(BucketRow {
        name: name.into(),
        kind: BucketKind::Bucket,
        scope: Scope::new("123456789012", region),
        facts: None,
        team: None,
        project: None,
        environment: None,
        cost_center: None,
        sized_by: None,
        bytes: Some(gib << 30),
        objects: None,
        tiers: Vec::new(),
        usd_per_month: None,
        billed_usd: None,
        unpriced_bytes: 0,
        growth: None,
        last_write: None,
        findings: Vec::new(),
        savings: None,
        estimate: None,
    })
}

fn instance(id: &str, region: &str, kind: &str) -> Arc<Row> {
    let instance = Instance {
        id: id.into(),
        scope: Scope::new("123456789012", region),
        instance_type: kind.into(),
        ..sample::instance()
    };
    Arc::new(Row { spec: type_spec(kind).cloned().map(Arc::new), ..Row::new(instance) })
}

#[test]
fn a_bucket_is_far_where_nothing_runs_and_gpus_run_elsewhere_and_has_no_dollars_a_month() {
    let buckets = vec![
        bucket("corpus", "us-east-1", 5_120),
        bucket("near", "us-west-2", 5_120),
        bucket("beside-a-box", "eu-west-1", 5_120),
        bucket("small", "us-east-1", 99),
        bucket("nowhere", "-", 5_120),
    ];
    let storage = StorageFleet { buckets, ..StorageFleet::default() };
    let fleet = Fleet {
        rows: vec![
            instance("i-1", "us-west-2", "p4d.24xlarge"),
            instance("i-2", "eu-west-1", "m5.large"),
        ],
        ..Fleet::default()
    };
    let all = of(Vec::new(), Routing::default(), &fleet, Some(&storage));
    let [row] = &all[..] else { panic!("{all:?}") };
    assert_eq!((&*row.id, row.to.as_deref()), ("corpus", Some("us-west-2")));
    assert_eq!(row.advice, PathAdvice::MoveTogether { devices: 8 });
    assert_eq!((row.usd, row.avoidable_usd), (None, None));
    // 5,120 GiB × $0.02.
    assert!(near(row.once_usd, 102.4));
    assert!(reasons::network_live(row).contains("8 GPUs run in us-west-2"));
    let listed = paths(&all);
    assert_eq!(listed.rows[0].confidence(), Confidence::Low);
    assert_eq!(listed.rows[0].known_usd(), None);
    // Without GPUs nobody is far away.
    let fleet = Fleet { rows: vec![fleet.rows[1].clone()], ..Fleet::default() };
    assert!(of(Vec::new(), Routing::default(), &fleet, Some(&storage)).is_empty());
}

/// The bucket with request metrics: so many bytes downloaded in a month.
fn downloaded(of: &BucketRow, bytes: f64) -> Arc<BucketRow> {
    let why = Arc::new(SourceError::new(ErrorKind::Unavailable, "s3:Get*", "not read", ""));
    let bucket = Bucket {
        scope: of.scope.clone(),
        name: of.name.clone(),
        created_at: None,
        is_directory: false,
    };
    let facts = BucketFacts {
        bucket,
        tags: Err(why.clone()),
        versioning: Err(why.clone()),
        lifecycle: Err(why.clone()),
        lock: Err(why.clone()),
        replicates: Err(why.clone()),
        inventories: Err(why.clone()),
        uploads: None,
        sizes: Err(why.clone()),
        objects: Err(why),
        reads_per_month: Some(1e6),
        downloaded_per_month: Some(bytes),
        taken_at: now(),
    };
    Arc::new(BucketRow { facts: Some(Arc::new(facts)), ..of.clone() })
}

#[test]
fn request_metrics_of_a_far_bucket_tell_up_to_how_much_a_month_it_costs() {
    let fleet = |region: &str| Fleet {
        rows: vec![instance("i-1", region, "p4d.24xlarge")],
        ..Fleet::default()
    };
    let row = |from: &str, to: &str| {
        // 20,480 GiB a month of a bucket of 5,120.
        let buckets = vec![downloaded(&bucket("corpus", from, 5_120), 21_990_232_555_520.0)];
        let storage = StorageFleet { buckets, ..StorageFleet::default() };
        of(Vec::new(), Routing::default(), &fleet(to), Some(&storage))[0].clone()
    };
    let far = row("us-east-1", "us-west-2");
    // 20,480 × $0.02 a month, and 5,120 × $0.02 once: paid back in a quarter of a month.
    assert!(near(far.usd, 409.6) && near(far.avoidable_usd, 409.6) && near(far.once_usd, 102.4));
    assert!(reasons::network_live(&far).contains("access logs tell where those go"));
    let listed = paths(&[far]);
    let fix = listed.rows[0].fix.as_ref().unwrap();
    assert_eq!((&fix.remedy, fix.confidence), (&Remedy::CoLocation, Confidence::UpTo));
    assert!(near(fix.pay_back_months(), 0.25));
    // Between the two regions of the east of the US half as much, either way.
    for (from, to) in [("us-east-1", "us-east-2"), ("us-east-2", "us-east-1")] {
        assert!(near(row(from, to).usd, 204.8), "{from} to {to}");
    }
    // A price that is not embedded is none.
    let unpriced = row("us-east-2", "eu-west-1");
    assert!(unpriced.bytes.is_some() && unpriced.usd.is_none() && unpriced.once_usd.is_none());
}

#[test]
fn logs_without_retention_cost_what_is_stored_and_have_their_command() {
    let group = |name: &str, gib: u64, retention_days| LogGroup {
        name: name.into(),
        created_at: Some("2024-05-06T00:00:00Z".parse().unwrap()),
        retention_days,
        bytes: Some(gib << 30),
    };
    let all = vec![
        group("/aws/eks/small", 2, None),
        group("/aws/eks/train", 2_048, None),
        group("/aws/eks/kept", 4_096, Some(14)),
        group("odd name; rm", 8, None),
        LogGroup { bytes: Some((1 << 30) - 1), ..group("/tiny", 0, None) },
        LogGroup { bytes: None, ..group("/untold", 0, None) },
    ];
    let logs = Some(EndlessLogs::of(all, now()));
    let known = |region: &str| {
        let known = ScopeResources { logs: logs.clone(), ..ScopeResources::default() };
        (Scope::new("123456789012", region), Arc::new(known))
    };
    let resources = BTreeMap::from(["us-east-1", "eu-west-1", "cn-north-1"].map(known));
    let facts = SavingsFacts { resources, ..SavingsFacts::default() };
    let all = live_alone(&facts);
    let here: Vec<_> = all.iter().filter(|row| &*row.scope.region == "us-east-1").collect();
    let names: Vec<&str> = here.iter().map(|row| &*row.id).collect();
    assert_eq!(names, ["/aws/eks/train", "odd name; rm", "/aws/eks/small"]);
    // 2,048 GiB × $0.03.
    assert!(near(here[0].usd, 61.44) && near(here[0].avoidable_usd, 61.44));
    assert_eq!(
        command(here[0]).unwrap(),
        "aws logs put-retention-policy --region us-east-1 --log-group-name /aws/eks/train \
         --retention-in-days 30"
    );
    assert_eq!(command(here[1]), None, "what is no word of a shell is in no command");
    assert!(reasons::network_live(here[0]).contains("kept since 2024-05-06"));
    assert_eq!(here[0].price_of, None);
    // Elsewhere the price of us-east-1 stands in, and the row says so; what is in another currency has none.
    let elsewhere = all.iter().find(|row| &*row.scope.region == "eu-west-1").unwrap();
    assert!(near(elsewhere.usd, 61.44) && near(elsewhere.avoidable_usd, 61.44));
    assert_eq!(elsewhere.price_of.as_deref(), Some("us-east-1"));
    assert!(reasons::network_live(elsewhere).ends_with(
        "; an estimate at the price of us-east-1, for that of eu-west-1 is not embedded"
    ));
    let yuan = all.iter().find(|row| &*row.scope.region == "cn-north-1").unwrap();
    assert_eq!((yuan.usd, yuan.avoidable_usd, &yuan.price_of), (None, None, &None));
    let listed = paths(&all);
    assert_eq!(listed.rows[0].fix.as_ref().unwrap().remedy, Remedy::LogRetention);
}

/// A running instance that sends so many GiB a month of 730 h; `None` where nobody read it.
fn sender(account: &str, region: &str, gib: Option<f64>) -> Arc<Row> {
    let of = instance("i-1", region, "p4d.24xlarge");
    let verdict = Verdict {
        network_out_bytes_per_day: gib.map(|gib| gib * 1_073_741_824.0 * 24.0 / 730.0),
        ..sample::verdict(VerdictKind::Idle)
    };
    let instance = Instance { scope: Scope::new(account, region), ..(*of.instance).clone() };
    Arc::new(Row {
        instance: Arc::new(instance),
        verdict: Some(Arc::new(verdict)),
        ..(*of).clone()
    })
}

/// A fleet of accounts that share discounts, or of which nobody knows it.
fn fleet_of(rows: Vec<Arc<Row>>, is_shared: bool) -> Fleet {
    let holdings = is_shared.then(|| Holdings { sharing: true, ..Holdings::default() });
    Fleet { rows, book: Arc::new(Book { holdings, ..Book::default() }), ..Fleet::default() }
}

#[test]
fn what_the_fleet_sends_is_a_range_and_in_no_sum() {
    let mut stopped = (*sender("1", "us-east-1", Some(9e6))).clone();
    stopped.instance =
        Arc::new(Instance { state: InstanceState::Stopped, ..(*stopped.instance).clone() });
    let rows = vec![
        sender("1", "us-east-1", Some(300.0)),
        sender("1", "us-east-1", Some(700.0)),
        sender("1", "us-east-1", None),
        Arc::new(stopped),
        sender("1", "us-west-2", Some(2_000.0)),
        sender("1", "cn-north-1", Some(10.0)),
        sender("1", "eu-west-1", None),
    ];
    let all = of(Vec::new(), Routing::default(), &fleet_of(rows, true), None);
    let row = |region: &str| all.iter().find(|row| &*row.scope.region == region);
    let here = row("us-east-1").unwrap();
    assert!(near(here.bytes, 1_000.0 * 1_073_741_824.0));
    // All 3,010 GB are in the first step: 1,000 × $0.09, and 2,000 × $0.09.
    assert!(near(here.at_most_usd, 90.0) && near(row("us-west-2").unwrap().at_most_usd, 180.0));
    assert_eq!(here.advice, PathAdvice::Anywhere { told: 2, running: 3 });
    assert_eq!((here.usd, here.bytes_usd, here.avoidable_usd), (None, None, None));
    assert!(!here.is_finding() && here.price_of.is_none());
    assert_eq!(row("us-west-2").unwrap().price_of.as_deref(), Some("us-east-1"));
    assert_eq!(row("cn-north-1").unwrap().at_most_usd, None, "another currency");
    assert_eq!(row("eu-west-1"), None, "not read is not nothing");
    let said = reasons::network_live(here);
    assert!(said.contains("from $0.00 ") && said.contains(" to $90.00 to the internet"), "{said}");
    assert!(said.contains("read of 2 of 3 instances that run: of the others"), "{said}");
    let listed = paths(&all);
    assert_eq!((listed.network, listed.rows.len()), (Usd::ZERO, 3));
    for row in &listed.rows {
        assert_eq!((row.key.path, row.known_usd()), (NetworkPath::Other, None));
        assert_eq!((row.usd_per_gb(), row.avoidable()), (None, None));
    }
}

#[test]
fn the_internet_costs_less_from_ten_tebibytes_on_of_all_accounts_of_a_payer() {
    let rows = || ["1", "2"].map(|of| sender(of, "us-east-1", Some(10_240.0))).to_vec();
    let most = |is_shared| {
        let all = of(Vec::new(), Routing::default(), &fleet_of(rows(), is_shared), None);
        all.iter().map(|row| row.at_most_usd.unwrap()).collect::<Vec<_>>()
    };
    // 10,240 × $0.09 each; together the second half is at $0.085, and each has half of the sum of 1,792.
    assert!(most(false).iter().all(|usd| near(Some(*usd), 921.6)));
    assert!(most(true).iter().all(|usd| near(Some(*usd), 896.0)));
}

#[test]
fn bytes_of_all_endpoints_of_a_payer_in_a_region_count_for_the_steps() {
    let routing = || {
        let steps = [("VpcEndpoint-Bytes", 0.01), ("VpcEndpoint-Bytes/1048576", 0.006)];
        let endpoint_gb = steps.iter().filter_map(|(name, usd)| GbPrice::named(name, *usd));
        Routing { endpoint_gb: endpoint_gb.collect(), ..routed(Vec::new(), Vec::new()) }
    };
    // A pebibyte a month through each of two endpoints, of two accounts.
    let endpoint = |id: &str, account: &str| {
        let mut it = interfaces(
            "com.amazonaws.us-east-1.ecr.dkr",
            (1.125_899_906_842_624e15 / 730.0) as f32,
            336,
        );
        (it.resource.id, it.resource.scope) = (id.into(), Scope::new(account, "us-east-1"));
        it
    };
    let usd = |is_shared| {
        let both = vec![endpoint("vpce-1", "1"), endpoint("vpce-2", "2")];
        let all = of(both, routing(), &fleet_of(Vec::new(), is_shared), None);
        assert_eq!(all.len(), 2);
        all.iter().map(|row| row.bytes_usd.unwrap()).collect::<Vec<_>>()
    };
    // 1,048,576 × $0.01; together 1,048,576 more at $0.006, and each has half of the sum of 16,777.216.
    assert!(usd(false).iter().all(|usd| near(Some(*usd), 10_485.76)));
    assert!(usd(true).iter().all(|usd| near(Some(*usd), 8_388.608)));
}

#[test]
fn a_metric_stream_costs_by_its_updates_and_one_that_is_stopped_nothing() {
    let stream = |name: &str, is_running, updates_per_day| MetricStream {
        name: name.into(),
        created_at: Some("2026-01-02T00:00:00Z".parse().unwrap()),
        is_running,
        updates_per_day,
    };
    let streams = vec![
        stream("to-dashboards", true, Some(1_440_000.0)),
        stream("old", false, Some(1_440_000.0)),
        stream("untold", true, None),
    ];
    let known = |region: &str| {
        let streams = Some(MetricStreams { taken_at: now(), streams: streams.clone() });
        let known = ScopeResources { streams, ..ScopeResources::default() };
        (Scope::new("123456789012", region), Arc::new(known))
    };
    let resources = BTreeMap::from(["us-east-1", "eu-west-1"].map(known));
    let facts = SavingsFacts { resources, ..SavingsFacts::default() };
    let all = live_alone(&facts);
    let row = |name: &str, region: &str| {
        let is_it = |row: &&Arc<PathRow>| &*row.id == name && &*row.scope.region == region;
        all.iter().find(is_it).cloned()
    };
    let first = row("to-dashboards", "us-east-1").unwrap();
    // 1,440,000 × 730 ÷ 24 are 43.8 million a month, at $0.003 per 1,000.
    assert!(near(first.usd, 131.4));
    assert_eq!((first.bytes, first.avoidable_usd, first.is_finding()), (None, None, false));
    let said = reasons::network_live(&first);
    assert!(said.contains("since 2026-01-02: 43,800,000 metric updates a month"), "{said}");
    assert_eq!(row("old", "us-east-1"), None);
    assert_eq!(row("untold", "us-east-1").unwrap().usd, None);
    let elsewhere = row("to-dashboards", "eu-west-1").unwrap();
    assert_eq!(elsewhere.price_of.as_deref(), Some("us-east-1"));
    let listed = paths(&[first]);
    let of = &listed.rows[0];
    assert_eq!(of.key.service.as_deref(), Some("AmazonCloudWatch"));
    assert_eq!((of.requests, of.usd_per_gb()), (Some(43_800_000.0), None));
    assert!(near(Some(listed.network.to_f64()), 131.4));
}

#[test]
fn a_gb_through_a_gateway_is_priced_where_the_price_is_known() {
    let price = |region| resource_price(region, ResourceKind::NatGateway, NAT_BYTES);
    assert_eq!((price("us-east-1"), price("mars-1")), (Some(0.045), None));
}

proptest! {
    /// Whatever the routes: nothing is avoided twice, none of it costs less than it avoids, and a table with an
    /// endpoint is in no command.
    #[test]
    fn nothing_is_avoided_that_the_path_does_not_cost(
        gateways in prop::collection::vec((0u32..1_000, 0u32..1_000, 0usize..=336), 1..6),
        leads in prop::collection::vec((0usize..6, 0usize..3, any::<bool>()), 0..12),
    ) {
        let facts: Vec<ResourceFacts> = gateways
            .iter()
            .enumerate()
            .map(|(i, (out, back, hours))| {
                gateway(&format!("nat-{i}"), *out as f32 * 1e6, *back as f32 * 1e6, *hours)
            })
            .collect();
        let tables: Vec<RouteTable> = leads
            .iter()
            .enumerate()
            .map(|(i, (to, vpc, _))| {
                table(&format!("rtb-{i}"), &format!("vpc-{vpc}"), &format!("nat-{to}"))
            })
            .collect();
        let covered: BTreeSet<String> = leads
            .iter()
            .enumerate()
            .filter(|(_, (.., is_covered))| *is_covered)
            .map(|(i, _)| format!("rtb-{i}"))
            .collect();
        let endpoints = covered
            .iter()
            .enumerate()
            .map(|(i, table)| endpoint(&format!("vpce-{i}"), "vpc-0", &[table.as_str()]))
            .collect();
        let all = seen(facts, routed(tables, endpoints));
        prop_assert_eq!(all.len(), gateways.len());
        for row in &all {
            if let (Some(avoidable), Some(usd)) = (row.avoidable_usd, row.usd) {
                prop_assert!(avoidable <= usd + 1e-9);
            }
            if let PathAdvice::AddEndpoint { tables, .. } | PathAdvice::ExtendEndpoint { tables, .. } = &row.advice {
                prop_assert!(!tables.is_empty());
                prop_assert!(tables.iter().all(|table| !covered.contains(&**table)));
            }
        }
        let listed = paths(&all);
        let usd = listed.rows.iter().fold(Usd::ZERO, |sum, row| sum + row.usd);
        prop_assert_eq!(usd, listed.network);
    }
}
