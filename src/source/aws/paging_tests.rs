//! Every list of AWS against a server whose pages never end: it ends with an error that names the
//! call, and what was read until then does not pass for the whole.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use jiff::Timestamp;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::hostile_tests::{ACCOUNT, answer, scope, wanted};
use super::testing::{Cbor, Reply, Request, Server, now, of_aws};
use super::{
    AwsProvider, AwsQueries, BatchJobs, JobTagKeys, SageMakerJobs, SpotInterruptions, calls,
    metrics,
};
use crate::domain::bill::Bill;
use crate::domain::bill::cost_explorer::Pair;
use crate::domain::storage::Bucket;
use crate::domain::{Hour, HourRange, Regions, Resource, ResourceKind, Signal, SourceError};
use crate::source::athena::run::{Query, Waiting, run};
use crate::source::cost_explorer::{Choice, Plan, Wanted, fetch, plan};
use crate::source::inspect_storage::StorageInspector;
use crate::source::inventory::Fetch as _;
use crate::source::inventory_s3::StorageFetch;
use crate::source::jobs::live::{EventsRead, JobWindow, JobsRead, LiveJobs as _, NodeEvents as _};
use crate::source::listing::Lister;
use crate::source::pages::Pages;
use crate::source::planner::signal_query;
use crate::source::provider::MetricName;
use crate::source::storage::{ListPlace, ListWhat, StorageSource as _, Upload};
use crate::source::{Inspector as _, Provider as _};

/// Reads a list to its end and tells in debug words what came of it.
pub(super) type Call = for<'a> fn(&'a Arc<AwsProvider>) -> BoxFuture<'a, String>;

/// What is said of a list whose end was never seen.
const INCOMPLETE: &str = "not the whole list";

/// What a resource says that stands in a list of its own beside the one that failed.
const UNKNOWN: &str = "serves: None";

macro_rules! call {
    (|$aws:ident| $call:expr) => {
        (|$aws| async move { format!("{:?}", $call.await) }.boxed()) as Call
    };
}

pub(super) use call;

/// A list that is handed on page by page.
macro_rules! pages {
    (|$aws:ident, $token:ident| $call:expr) => {
        (|$aws| {
            async move {
                let pages = Pages::of("aws:List", "us-east-1");
                format!("{:?}", pages.all(|$token| async move { $call.await }).await)
            }
            .boxed()
        }) as Call
    };
}

async fn resources(aws: &AwsProvider, kind: ResourceKind) -> Result<Vec<Resource>, SourceError> {
    aws.resources(&ACCOUNT.into(), &scope().region, kind).await
}

/// Training and processing jobs, and instances of HyperPod: what one of the lists refuses does not hide the others.
async fn jobs(aws: &Arc<AwsProvider>) -> Result<JobsRead, SourceError> {
    let window = JobWindow { since: Timestamp::UNIX_EPOCH, until: now(), open_since: None };
    let regions = Regions::named([&*scope().region]);
    SageMakerJobs::new("ml", aws.clone(), regions).read(&window).await
}

/// Jobs of AWS Batch.
async fn batch_jobs(aws: &Arc<AwsProvider>) -> Result<JobsRead, SourceError> {
    let window = JobWindow { since: Timestamp::UNIX_EPOCH, until: now(), open_since: None };
    let regions = Regions::named([&*scope().region]);
    let keys = JobTagKeys { user: vec!["owner".into()], ..JobTagKeys::default() };
    BatchJobs::new("b", aws.clone(), regions, None, keys).read(&window).await
}

/// Spot instances that were taken back.
async fn interruptions(aws: &Arc<AwsProvider>) -> Result<EventsRead, SourceError> {
    let regions = Regions::named([&*scope().region]);
    let source = SpotInterruptions::new("spot", aws.clone(), regions);
    source.read(Timestamp::UNIX_EPOCH, now()).await
}

fn place() -> ListPlace<'static> {
    static REGION: LazyLock<Arc<str>> = LazyLock::new(|| "us-east-1".into());
    ListPlace { region: &REGION, bucket: "b", prefix: "" }
}

async fn listed(aws: &AwsProvider, what: ListWhat) -> impl Debug {
    let cancel = CancellationToken::new();
    let lister = Lister { source: aws, ledger: None, cancel: &cancel, now, page_limit: 0 };
    lister.run(place(), what, |_| true).await
}

async fn set_up(aws: &AwsProvider) -> impl Debug {
    let bucket = Bucket { scope: scope(), name: "b".into(), created_at: None, is_directory: false };
    aws.config(&bucket).await
}

/// The one look of an inspector that lists: series that CloudWatch publishes of instances.
async fn recent(aws: &AwsProvider) -> impl Debug {
    let page = aws.instances(&ACCOUNT.into(), &scope().region, None).await.unwrap();
    let instances: Vec<_> = page.items.into_iter().map(|i| (Arc::new(i), 1)).collect();
    let from = now() - jiff::SignedDuration::from_mins(30);
    aws.recent(&scope(), &instances, from, now()).await
}

/// Each list in pages: the file that asks, the operation, whether foreign text reaches a value that
/// is good, what must be said in debug words of one without an end, and what reads it to its end.
pub(super) fn lists() -> Vec<(&'static str, &'static str, bool, &'static str, Call)> {
    let end = INCOMPLETE;
    vec![
        (
            "inventory.rs",
            "DescribeInstances",
            true,
            end,
            pages!(|aws, t| aws.instances(&ACCOUNT.into(), &scope().region, t)),
        ),
        (
            "types.rs",
            "DescribeInstanceTypes",
            true,
            end,
            call!(|aws| aws.types(&scope().region, &["m5.large".into()])),
        ),
        (
            "metrics.rs",
            "ListMetrics",
            false,
            end,
            pages!(|aws, t| aws.gpu_metrics(&scope().region, t)),
        ),
        ("metrics.rs", "GetMetricData", false, end, call!(|aws| metric_data(aws))),
        (
            "minutes.rs",
            "ListMetrics",
            false,
            end,
            pages!(|aws, t| aws.recent_series(
                &scope().region,
                MetricName { namespace: "ContainerInsights", metric: "m" },
                t
            )),
        ),
        (
            "bucket_sizes.rs",
            "ListMetrics",
            false,
            end,
            pages!(|aws, t| aws.size_series(&scope().region, t)),
        ),
        ("resource_hours.rs", "ListMetrics", false, end, call!(|aws| hours(aws))),
        (
            "spot.rs",
            "DescribeSpotPriceHistory",
            true,
            end,
            call!(|aws| aws.spot_prices(&scope().region, &["m5.large".into()])),
        ),
        (
            "spot_history.rs",
            "DescribeSpotPriceHistory",
            true,
            end,
            call!(|aws| aws.spot_history(&scope().region, &["m5.large".into()], now())),
        ),
        (
            "offerings.rs",
            "DescribeInstanceTypeOfferings",
            true,
            end,
            call!(|aws| aws.zone_offerings(&scope().region)),
        ),
        (
            "capacity.rs",
            "DescribeCapacityReservations",
            true,
            end,
            call!(|aws| aws.capacity_reservations(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "savings_plans.rs",
            "DescribeSavingsPlans",
            true,
            end,
            call!(|aws| aws.savings_plans(&ACCOUNT.into())),
        ),
        (
            "savings_plans.rs",
            "DescribeSavingsPlanRates",
            true,
            end,
            call!(|aws| aws.savings_plan_rates(
                &"sp-1".into(),
                &["m5.large".into()],
                &["us-east-1".into()]
            )),
        ),
        ("pricing.rs", "GetProducts", false, end, call!(|aws| aws.list_prices(&[wanted()]))),
        (
            "sagemaker/wire.rs",
            "ListNotebookInstances",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::Notebook)),
        ),
        (
            "sagemaker/wire.rs",
            "ListEndpoints",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::Endpoint)),
        ),
        (
            "sagemaker/wire.rs",
            "ListApps",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::StudioApp)),
        ),
        (
            "sagemaker/wire.rs",
            "ListTags",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::Notebook)),
        ),
        ("sagemaker/jobs/wire.rs", "ListTrainingJobs", true, end, call!(|aws| jobs(aws))),
        ("sagemaker/jobs/wire.rs", "ListProcessingJobs", true, end, call!(|aws| jobs(aws))),
        ("sagemaker/hyperpod/wire.rs", "ListClusters", true, end, call!(|aws| jobs(aws))),
        ("sagemaker/hyperpod/wire.rs", "ListClusterNodes", true, end, call!(|aws| jobs(aws))),
        ("batch/wire.rs", "DescribeJobQueues", true, end, call!(|aws| batch_jobs(aws))),
        ("batch/wire.rs", "DescribeComputeEnvironments", true, end, call!(|aws| batch_jobs(aws))),
        ("batch/wire.rs", "ListJobs", true, end, call!(|aws| batch_jobs(aws))),
        ("budgets.rs", "DescribeBudgets", true, end, call!(|aws| aws.budgets(&ACCOUNT.into()))),
        (
            "launches.rs",
            "LookupEvents",
            true,
            end,
            call!(|aws| aws.launch(&scope().region, &"i-1".into(), now())),
        ),
        ("organization.rs", "ListAccounts", true, end, call!(|aws| aws.members())),
        (
            "elastic_ips.rs",
            "DescribeNetworkInterfaces",
            true,
            UNKNOWN,
            call!(|aws| resources(aws, ResourceKind::ElasticIp)),
        ),
        (
            "nat_gateways.rs",
            "DescribeNatGateways",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::NatGateway)),
        ),
        (
            "vpcs.rs",
            "DescribeRouteTables",
            false,
            end,
            call!(|aws| aws.route_tables(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "vpcs.rs",
            "DescribeVpcEndpoints",
            true,
            end,
            call!(|aws| aws.vpc_endpoints(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "log_groups.rs",
            "DescribeLogGroups",
            true,
            end,
            call!(|aws| aws.log_groups(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "metric_streams.rs",
            "ListMetricStreams",
            true,
            end,
            call!(|aws| aws.metric_streams(&ACCOUNT.into(), &scope().region)),
        ),
        (
            "load_balancers.rs",
            "DescribeLoadBalancers",
            true,
            end,
            call!(|aws| resources(aws, ResourceKind::LoadBalancer)),
        ),
        (
            "load_balancers.rs",
            "DescribeTargetGroups",
            true,
            UNKNOWN,
            call!(|aws| resources(aws, ResourceKind::LoadBalancer)),
        ),
        ("volumes.rs", "DescribeVolumes", true, end, pages!(|aws, t| aws.volumes(&scope(), t))),
        ("volumes.rs", "DescribeSnapshots", true, end, pages!(|aws, t| aws.snapshots(&scope(), t))),
        (
            "volumes.rs",
            "DescribeImages",
            true,
            end,
            pages!(|aws, t| aws.images(&scope().region, t)),
        ),
        (
            "volumes.rs",
            "DescribeInstances",
            true,
            end,
            pages!(|aws, t| aws.stopped(&scope().region, t)),
        ),
        ("spot_interruptions.rs", "DescribeInstances", false, end, call!(|aws| interruptions(aws))),
        ("buckets.rs", "ListBuckets", true, end, call!(|aws| aws.buckets(&ACCOUNT.into(), &[]))),
        ("buckets.rs", "ListDirectoryBuckets", false, end, call!(|_aws| directory_buckets())),
        ("buckets.rs", "ListBucketInventoryConfigurations", false, end, call!(|aws| set_up(aws))),
        ("buckets.rs", "ListBucketMetricsConfigurations", false, end, call!(|aws| set_up(aws))),
        ("listing.rs", "ListObjectsV2", false, end, call!(|aws| listed(aws, ListWhat::Objects))),
        (
            "listing.rs",
            "ListObjectVersions",
            false,
            end,
            call!(|aws| listed(aws, ListWhat::Versions)),
        ),
        ("listing.rs", "ListObjectsV2", false, end, call!(|aws| entries(aws))),
        ("listing.rs", "ListMultipartUploads", false, end, call!(|aws| uploads(aws))),
        ("listing.rs", "ListParts", false, end, call!(|aws| parts(aws))),
        ("cost_explorer.rs", "GetCostAndUsage", true, end, call!(|aws| costs(aws, false))),
        (
            "cost_explorer.rs",
            "GetCostAndUsageWithResources",
            true,
            end,
            call!(|aws| costs(aws, true)),
        ),
        ("athena.rs", "GetQueryResults", false, end, call!(|aws| queried(aws))),
        (
            "inspect/instances.rs",
            "DescribeInstances",
            true,
            end,
            call!(|aws| aws.states(&scope(), &["i-1".into()])),
        ),
        ("inspect/volumes.rs", "DescribeVolumes", true, end, call!(|aws| looked_at(aws))),
        ("inspect/spot.rs", "DescribeSpotInstanceRequests", true, end, call!(|aws| looked_at(aws))),
        (
            "inspect/groups.rs",
            "DescribeAutoScalingInstances",
            true,
            end,
            call!(|aws| looked_at(aws)),
        ),
        ("inspect/groups.rs", "DescribeAutoScalingGroups", true, end, call!(|aws| looked_at(aws))),
        (
            "inspect_storage.rs",
            "DescribeVolumesModifications",
            true,
            end,
            call!(|aws| volume_looked_at(aws)),
        ),
        ("inspect_storage.rs", "DescribeSnapshots", true, end, call!(|aws| volume_looked_at(aws))),
    ]
}

/// Lists that are asked for by a function above, and read to their end by another as well.
const READ_ELSEWHERE: &[(&str, &str, Call)] = &[
    ("inspect/gpus.rs", "ListMetrics", call!(|aws| recent(aws))),
    ("storage_pricing.rs", "GetProducts", call!(|aws| aws.s3_prices("us-east-1"))),
];

async fn volume_looked_at(aws: &AwsProvider) -> impl Debug {
    StorageInspector::volume(aws, &scope(), &"i-1".into(), false).await
}

async fn looked_at(aws: &AwsProvider) -> impl Debug {
    aws.inspect(&scope(), &["i-1".into()]).await
}

async fn metric_data(aws: &AwsProvider) -> impl Debug {
    let query = signal_query(&"i-1".into(), Signal::CpuMean, None).unwrap();
    let range = HourRange { from: Hour(490_000), to: Hour(490_001) };
    metrics::data(aws, &scope().region, &[query], range).await
}

async fn hours(aws: &AwsProvider) -> Result<impl Debug, SourceError> {
    let notebooks = resources(aws, ResourceKind::Notebook).await?;
    assert!(!notebooks.is_empty());
    let range = HourRange { from: Hour(490_000), to: Hour(490_001) };
    aws.resource_hours(&scope().region, &notebooks, range).await
}

async fn entries(aws: &Arc<AwsProvider>) -> impl Debug {
    let fetch = StorageFetch {
        source: aws.clone(),
        region: "us-east-1".into(),
        bucket: "b".into(),
        ledger: None,
        now,
    };
    fetch.entries("").await
}

/// Costs by region, or those of resources.
async fn costs(aws: &AwsProvider, resources: bool) -> Result<Vec<Bill>, SourceError> {
    let plan = plan(now(), &[], &Choice { resources, ..Choice::default() }, 0);
    let mut lists = plan.lists.clone();
    if !resources {
        lists.retain(|list| list.wanted == Wanted::Pair(Pair::Region));
    }
    // Of the newest month; resources stand between the other charges and the use that they are within.
    lists.truncate(if resources { 3 } else { 1 });
    let fetched =
        fetch(aws, None, &Plan { lists, ..plan }, now(), &mut |_| ControlFlow::Continue(())).await;
    fetched.error.map_or(Ok(fetched.bills), Err)
}

/// Directory buckets are at an endpoint of their own, which no other can stand in for.
async fn directory_buckets() -> impl Debug {
    #[derive(Debug)]
    struct Again;

    impl HttpConnector for Again {
        fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
            let body = match request.uri().contains("s3express-control") {
                true => {
                    "<ListAllMyDirectoryBucketsResult><ContinuationToken>a</ContinuationToken>\
                     </ListAllMyDirectoryBucketsResult>"
                }
                false => "<ListAllMyBucketsResult></ListAllMyBucketsResult>",
            };
            let status = 200.try_into().unwrap();
            HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body))))
        }
    }

    let client = http_client_fn(|_, _| SharedHttpConnector::new(Again));
    of_aws(client).buckets(&ACCOUNT.into(), &["us-east-1".into()]).await
}

async fn uploads(aws: &AwsProvider) -> impl Debug {
    let cancel = CancellationToken::new();
    let lister = Lister { source: aws, ledger: None, cancel: &cancel, now, page_limit: 0 };
    lister.uploads(place(), false).await
}

async fn parts(aws: &AwsProvider) -> impl Debug {
    let upload = Upload { key: b"k".to_vec(), id: "u".into(), begun: None };
    aws.upload_bytes(&scope().region, "b", &upload).await
}

async fn queried(aws: &Arc<AwsProvider>) -> impl Debug {
    let queries = AwsQueries {
        provider: aws.clone(),
        region: "us-east-1".into(),
        workgroup: "w".into(),
        database: "d".into(),
        output: None,
    };
    let query = Query { sql: "SELECT 1", has_header: false, narrower: "" };
    run(&queries, query, Waiting::default(), &CancellationToken::new()).await
}

/// True when `request` asks for a page of `operation`.
fn asks(request: &Request, operation: &str) -> bool {
    let query = request.path.split_once('?').map_or("", |(_, query)| query);
    let of_s3 = match operation {
        "ListObjectsV2" => "list-type=2",
        "ListObjectVersions" => "versions",
        "ListMultipartUploads" => "uploads",
        "ListBuckets" => "x-id=ListBuckets",
        _ => "",
    };
    let is = |part: &str| {
        part == of_s3 && !of_s3.is_empty() || part.strip_prefix("x-id=") == Some(operation)
    };
    request.header("x-amz-target").is_some_and(|t| t.ends_with(&format!(".{operation}")))
        || request.text().contains(&format!("Action={operation}&"))
        || request.path.ends_with(&format!("/{operation}"))
        || request.path.strip_prefix("/v1/") == Some(&*operation.to_ascii_lowercase())
        || query.split('&').any(is)
}

/// The page of `operation` with the token of one more, by every name that a token has.
fn page(request: &Request, operation: &str, token: &'static str) -> Reply {
    if request.path.contains("/operation/") {
        return Reply::cbor(&Cbor::Map(vec![("NextToken", Cbor::Text(token))]));
    }
    let Reply::Whole(status, kind, more, body) = usual(request) else { unreachable!() };
    let body = String::from_utf8(body).unwrap();
    let body = if body.starts_with('{') {
        let mut json: Value = serde_json::from_str(&body).unwrap();
        json["NextToken"] = token.into();
        json["nextToken"] = token.into();
        json["NextPageToken"] = token.into();
        json.to_string()
    } else {
        let end = body.rfind(&format!("</{operation}Result>"));
        let end = end.or_else(|| body.rfind("</")).unwrap();
        let tokens: String = [
            "nextToken",
            "NextToken",
            "NextMarker",
            "ContinuationToken",
            "NextContinuationToken",
            "NextKeyMarker",
            "NextPartNumberMarker",
        ]
        .map(|name| format!("<{name}>{token}</{name}>"))
        .concat();
        format!("{}<IsTruncated>true</IsTruncated>{tokens}{}", &body[..end], &body[end..])
    };
    Reply::Whole(status, kind, more, body.into_bytes())
}

/// What the server answers otherwise.
fn usual(request: &Request) -> Reply {
    if asks(request, "GetQueryExecution") {
        let done = serde_json::json!({"QueryExecution": {"Status": {"State": "SUCCEEDED"}}});
        return Reply::aws_json(200, done.to_string());
    }
    if asks(request, "GetQueryResults") {
        return Reply::aws_json(200, r#"{"ResultSet": {"Rows": []}}"#);
    }
    let of_buckets = [
        ("ListObjectsV2", "ListBucketResult"),
        ("ListObjectVersions", "ListVersionsResult"),
        ("ListMultipartUploads", "ListMultipartUploadsResult"),
        ("ListParts", "ListPartsResult"),
        ("ListBucketInventoryConfigurations", "ListInventoryConfigurationsResult"),
        ("ListBucketMetricsConfigurations", "ListMetricsConfigurationsResult"),
    ];
    if let Some((_, name)) = of_buckets.iter().find(|(operation, _)| asks(request, operation)) {
        return Reply::xml(format!("<{name}></{name}>"));
    }
    answer(request, "fine", "i-1")
}

/// What comes of a list whose pages bring `tokens` in turns, and how many pages were asked for.
async fn endless(
    operation: &'static str,
    tokens: &'static [&'static str],
    call: Call,
) -> (String, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let server = Server::start(move |_, request| {
        if !asks(request, operation) {
            return usual(request);
        }
        let n = count.fetch_add(1, Ordering::SeqCst);
        page(request, operation, tokens[n % tokens.len()])
    });
    let aws = Arc::new(server.provider());
    let said = tokio::time::timeout(Duration::from_secs(20), call(&aws)).await;
    let said = said.unwrap_or_else(|_| "it does not end".to_owned());
    (said, asked.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_list_that_leads_back_to_a_page_is_an_error_and_not_a_list() {
    let read = lists().into_iter();
    let read =
        read.chain(READ_ELSEWHERE.iter().map(|(f, o, call)| (*f, *o, true, INCOMPLETE, *call)));
    let asked = read.map(|(file, operation, _, want, call)| async move {
        let mut wrong = Vec::new();
        let call_of = calls::tests::all().find(|c| camel(c.method) == operation).unwrap();
        // By the name of the call, or by that of the list of which this page was one.
        let names = [call_of.action, "aws:List", "s3:ListBucket", "s3://b/"];
        for tokens in [&["a"][..], &["a", "b"], &["a", "b", "b"]] {
            let (said, pages) = endless(operation, tokens, call).await;
            let named = names.iter().any(|name| said.contains(name)) || want == UNKNOWN;
            if !said.contains(want) || !named || pages > tokens.len() + 1 {
                wrong.push(format!("{file} {operation} {tokens:?}: {pages} pages: {said:.300}"));
            }
        }
        wrong
    });
    let wrong: Vec<String> = join_all(asked).await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_list_in_pages_is_in_the_table() {
    /// What asks for one more page.
    const SETTERS: [&str; 5] = [
        ".set_next_token(",
        ".set_marker(",
        ".set_continuation_token(",
        ".set_key_marker(",
        ".set_part_number_marker(",
    ];
    /// What an answer or a question calls the token of a page.
    const WORDS: [&str; 4] = ["next_token", "next_marker", "continuation_token", "NextToken"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source/aws");
    let (mut found, mut speaking) = (Vec::new(), Vec::new());
    for file in walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap) {
        let path = file.path().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let is_test = ["tests.rs", "testing.rs", "faults.rs"].iter().any(|t| path.ends_with(t));
        if file.path().extension() != Some("rs".as_ref()) || is_test || path.starts_with("json_api")
        {
            continue;
        }
        let text = std::fs::read_to_string(file.path()).unwrap();
        let code: String = text.split("#[cfg(test)]").next().unwrap().to_owned();
        // The call of a client is the first method after it.
        for part in code.split("client").skip(1) {
            let part = part.split(';').next().unwrap();
            if SETTERS.iter().any(|s| part.contains(s)) {
                let method = part.trim_start().trim_start_matches('.').split('(').next().unwrap();
                found.push((path.clone(), camel(method)));
            }
        }
        // Of a type of their own, pages of costs.
        let code = code.replace("type Answer = CostPage;", "type Answer = Page<");
        let mut questions: Vec<&str> = code.split("type Answer = Page<").collect();
        questions.pop();
        for part in questions {
            let read = part.rsplit("Read::of(&").next().unwrap().split(',').next().unwrap();
            found.push((path.clone(), camel(&read.to_lowercase())));
        }
        if WORDS.iter().any(|word| code.contains(word)) {
            speaking.push(path);
        }
    }
    found.sort();
    let mut table: Vec<_> = lists().iter().map(|l| (l.0.to_owned(), l.1.to_owned())).collect();
    table.sort();
    assert_eq!(found, table);
    for path in speaking {
        // What SageMaker is asked stands in a file of its own.
        let path = path.replace("sagemaker/mod.rs", "sagemaker/wire.rs");
        let listed = table.iter().any(|(file, _)| *file == path);
        assert!(listed, "{path} speaks of pages and has no row");
    }
}

/// `DescribeVolumes` of `describe_volumes`.
fn camel(method: &str) -> String {
    let word = |w: &str| {
        let (first, rest) = w.split_at(1);
        first.to_uppercase() + rest
    };
    method.split('_').map(word).collect()
}
