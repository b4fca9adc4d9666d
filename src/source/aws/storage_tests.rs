//! Storage against a server that plays S3, CloudWatch and EC2: what emulators do not play.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::civil::date;
use tokio_util::sync::CancellationToken;

use super::testing::{Cbor, Reply, Request, Server, now};
use crate::cache::{Cache, OpenOptions};
use crate::domain::storage::lifecycle::{MinimumSize, NoncurrentExpiration, When};
use crate::domain::storage::{
    Bucket, ObjectBatch, ObjectFlags, SnapshotTier, Tier, Versioning, VolumeKind,
};
use crate::domain::{ErrorKind, Scope};
use crate::source::ledger::Ledger;
use crate::source::listing::{Lister, estimate};
use crate::source::pages::Pages;
use crate::source::storage::{
    ListPlace, ListToken, ListWhat, Name, SizeMetric, SizeSeries, StorageSource,
};

const ACCOUNT: &str = "123456789012";

fn region() -> Arc<str> {
    "us-east-1".into()
}

fn bucket(name: &str) -> Bucket {
    Bucket {
        scope: Scope::new(ACCOUNT, "us-east-1"),
        name: name.into(),
        created_at: None,
        is_directory: false,
    }
}

fn xml(body: &str) -> Reply {
    Reply::new(200, "application/xml", body)
}

/// An error as S3 words it.
fn refusal(status: u16, code: &str) -> Reply {
    let body = format!("<Error><Code>{code}</Code><Message>as the test says</Message></Error>");
    Reply::new(status, "application/xml", body)
}

/// What a bucket answers that is set up and has nothing set.
fn unset(request: &Request) -> Reply {
    let path = &request.path;
    let is = |what: &str| path.contains(&format!("?{what}")) || path.contains(&format!("&{what}"));
    if is("tagging") {
        refusal(404, "NoSuchTagSet")
    } else if is("lifecycle") {
        refusal(404, "NoSuchLifecycleConfiguration")
    } else if is("object-lock") {
        refusal(404, "ObjectLockConfigurationNotFoundError")
    } else if is("replication") {
        refusal(404, "ReplicationConfigurationNotFoundError")
    } else if is("versioning") {
        xml("<VersioningConfiguration/>")
    } else if is("inventory") {
        xml("<ListInventoryConfigurationsResult><IsTruncated>false</IsTruncated>\
             </ListInventoryConfigurationsResult>")
    } else if is("metrics") {
        xml("<ListMetricsConfigurationsResult><IsTruncated>false</IsTruncated>\
             </ListMetricsConfigurationsResult>")
    } else {
        refusal(500, "InternalError")
    }
}

const LIFECYCLE: &str = "<LifecycleConfiguration>\
    <Rule><ID>keep</ID><Filter><And><Prefix>ckpt/</Prefix><Tag><Key>a</Key><Value>b</Value></Tag>\
    <ObjectSizeGreaterThan>131072</ObjectSizeGreaterThan></And></Filter><Status>Enabled</Status>\
    <Transition><Days>30</Days><StorageClass>GLACIER_IR</StorageClass></Transition>\
    <NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays>\
    <NewerNoncurrentVersions>3</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule>\
    <Rule><ID>old</ID><Prefix>logs/</Prefix><Status>Disabled</Status>\
    <Expiration><Date>2027-01-01T00:00:00.000Z</Date></Expiration></Rule>\
    <Rule><Filter/><Status>Enabled</Status><AbortIncompleteMultipartUpload>\
    <DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>\
    </LifecycleConfiguration>";

fn lifecycle_with(header: &'static str) -> Server {
    Server::start(move |_, _| Reply::Whole(200, "application/xml", header.into(), LIFECYCLE.into()))
}

#[tokio::test]
async fn a_lifecycle_comes_whole_with_its_minimum_size() {
    let header = "x-amz-transition-default-minimum-object-size: varies_by_storage_class\r\n";
    let server = lifecycle_with(header);
    let read = server.provider().lifecycle(&region(), "b").await.unwrap().unwrap();
    assert_eq!(read.minimum_size, Some(MinimumSize::Varies));
    let [keep, old, abort] = read.rules.as_slice() else { panic!("{read:?}") };
    assert_eq!((keep.id.as_str(), keep.enabled), ("keep", true));
    assert_eq!(keep.filter.prefix.as_deref(), Some("ckpt/"));
    assert_eq!(keep.filter.tags, [("a".to_owned(), "b".to_owned())]);
    assert_eq!((keep.filter.larger_than, keep.filter.legacy_prefix), (Some(131_072), false));
    assert_eq!(keep.transitions[0].when, When::Days(30));
    assert_eq!(keep.transitions[0].class, "GLACIER_IR");
    let noncurrent = NoncurrentExpiration { days: Some(7), newer_versions: Some(3) };
    assert_eq!(keep.noncurrent_expiration, Some(noncurrent));
    assert_eq!((old.enabled, old.filter.legacy_prefix), (false, true));
    let expiration = old.expiration.as_ref().unwrap();
    assert_eq!(expiration.when, Some(When::Date("2027-01-01T00:00:00Z".into())));
    assert_eq!((abort.filter.prefix.as_deref(), abort.abort_uploads_days), (None, Some(7)));
    // Not said is not said, and what nobody knows is not guessed.
    let none = lifecycle_with("").provider().lifecycle(&region(), "b").await.unwrap().unwrap();
    assert_eq!(none.minimum_size, None);
    let strange =
        lifecycle_with("x-amz-transition-default-minimum-object-size: all_storage_classes_1M\r\n");
    let error = strange.provider().lifecycle(&region(), "b").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.message.contains("all_storage_classes_1M"), "{error}");
}

#[tokio::test]
async fn a_bucket_without_settings_has_none_which_is_an_answer() {
    let server = Server::start(|_, request| unset(request));
    let config = server.provider().config(&bucket("bare")).await;
    assert_eq!(config.versioning, Ok(Versioning::Off));
    assert_eq!(config.lifecycle, Ok(None));
    assert!(config.tags.as_ref().unwrap().is_empty());
    assert!(!config.lock.as_ref().unwrap().enabled);
    assert_eq!((config.replicates, config.request_metrics), (Ok(false), Ok(None)));
    assert_eq!((config.inventories, config.gone), (Ok(vec![]), false));
}

#[tokio::test]
async fn one_denied_fact_names_its_action_and_its_bucket_and_hides_no_other() {
    let server = Server::start(|_, request| {
        if request.path.contains("lifecycle") {
            refusal(403, "AccessDenied")
        } else {
            unset(request)
        }
    });
    let config = server.provider().config(&bucket("shut")).await;
    let error = config.lifecycle.unwrap_err();
    assert_eq!(
        (error.kind, &*error.operation),
        (ErrorKind::Denied, "s3:GetLifecycleConfiguration")
    );
    assert!(error.message.starts_with("bucket shut: "), "{error}");
    assert!(error.fix.contains("allow s3:GetLifecycleConfiguration"), "{}", error.fix);
    assert_eq!((config.versioning, config.replicates), (Ok(Versioning::Off), Ok(false)));
}

#[tokio::test]
async fn a_bucket_that_went_away_is_said_to_be_gone() {
    let server = Server::start(|_, _| refusal(404, "NoSuchBucket"));
    let config = server.provider().config(&bucket("late")).await;
    assert!(config.gone);
    let error = config.tags.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("bucket late is gone"), "{error}");
}

#[tokio::test]
async fn throttling_that_ends_is_ridden_out_and_one_that_stays_is_told() {
    let server =
        Server::start(|n, request| if n < 2 { refusal(503, "SlowDown") } else { unset(request) });
    assert_eq!(server.provider().lifecycle(&region(), "b").await, Ok(None));
    assert_eq!(server.requests(), 3);
    let server = Server::start(|_, _| refusal(503, "SlowDown"));
    let error = server.provider().lifecycle(&region(), "b").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Throttled);
}

#[tokio::test]
async fn the_region_comes_from_the_refusal_where_the_location_may_not_be_asked() {
    let server = Server::start(|_, request| {
        if request.path.contains("location") {
            refusal(403, "AccessDenied")
        } else {
            Reply::Whole(
                403,
                "application/xml",
                "x-amz-bucket-region: ap-south-1\r\n".into(),
                vec![],
            )
        }
    });
    assert_eq!(&*server.provider().region_of("b").await.unwrap(), "ap-south-1");
    for (constraint, want) in [("", "us-east-1"), ("EU", "eu-west-1"), ("eu-north-1", "eu-north-1")]
    {
        let server = Server::start(move |_, _| {
            xml(&format!("<LocationConstraint>{constraint}</LocationConstraint>"))
        });
        assert_eq!(&*server.provider().region_of("b").await.unwrap(), want);
    }
    let server = Server::start(|_, _| refusal(403, "AccessDenied"));
    let error = server.provider().region_of("b").await.unwrap_err();
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, "s3:GetBucketLocation"));
}

#[tokio::test]
async fn all_pages_of_the_list_of_buckets_are_read() {
    let server = Server::start(|n, _| {
        let (name, region, token) = if n == 0 {
            (
                "one",
                "<BucketRegion>eu-west-1</BucketRegion>",
                "<ContinuationToken>t</ContinuationToken>",
            )
        } else {
            ("two", "", "")
        };
        xml(&format!(
            "<ListAllMyBucketsResult><Buckets><Bucket><Name>{name}</Name>{region}\
             <CreationDate>2024-01-01T00:00:00Z</CreationDate></Bucket></Buckets>{token}\
             </ListAllMyBucketsResult>"
        ))
    });
    let list = server.provider().buckets(&ACCOUNT.into(), &[]).await.unwrap();
    let got: Vec<(&str, &str)> =
        list.buckets.iter().map(|b| (&*b.name, &*b.scope.region)).collect();
    assert_eq!(got, [("one", "eu-west-1"), ("two", "-")]);
    assert!(list.troubles.is_empty() && list.buckets[0].created_at.is_some());
}

fn place<'a>(region: &'a Arc<str>, prefix: &'a str) -> ListPlace<'a> {
    ListPlace { region, bucket: "b", prefix }
}

#[tokio::test]
async fn keys_come_back_as_they_are_and_nonsense_is_marked() {
    let server = Server::start(|_, request| {
        assert!(request.path.contains("encoding-type=url") && request.path.contains("prefix=x"));
        xml("<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
             <NextContinuationToken>next</NextContinuationToken>\
             <Contents><Key>x%2Fa+b%01%F0%9F%94%A5%2Bc</Key><Size>7</Size>\
             <LastModified>2026-01-01T00:00:00Z</LastModified>\
             <ETag>&quot;d41d8cd98f00b204e9800998ecf8427e-12&quot;</ETag>\
             <StorageClass>DEEP_ARCHIVE</StorageClass></Contents>\
             <Contents><Key>x%2Fold</Key><Size>-1</Size>\
             <LastModified>1999-01-01T00:00:00Z</LastModified></Contents>\
             <Contents><Key>x%2Fnew</Key><Size>99999999999999999</Size>\
             <LastModified>2036-01-01T00:00:00Z</LastModified>\
             <StorageClass>HOLOGRAPHIC</StorageClass></Contents>\
             </ListBucketResult>")
    });
    let (region, mut batch) = (region(), ObjectBatch::default());
    let provider = server.provider();
    let next = provider.objects(place(&region, "x"), ListWhat::Objects, None, &mut batch).await;
    assert_eq!(next, Ok(Some(ListToken { at: "next".into(), id: None })));
    assert_eq!(batch.keys.get(0), "x/a b\u{1}\u{1f525}+c".as_bytes());
    assert_eq!((batch.sizes[0], batch.tiers[0]), (7, Tier::DeepArchive));
    assert_eq!((batch.flags[0].0, batch.etags[0].parts), (ObjectFlags::MULTIPART, 12));
    let bad = ObjectFlags::BAD_SIZE | ObjectFlags::BAD_DATE;
    assert_eq!((batch.flags[1].0, batch.sizes[1], batch.modified_ms[1]), (bad, 0, i64::MIN));
    assert_eq!((batch.flags[2].0, batch.sizes[2], batch.tiers[2]), (bad, 0, Tier::Unknown));
    assert_eq!((batch.len(), batch.versions.len()), (3, 0));
}

#[tokio::test]
async fn a_list_that_is_cut_short_does_not_pass_for_whole() {
    let server = Server::start(|_, _| {
        xml("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
    });
    let (region, mut batch) = (region(), ObjectBatch::default());
    let provider = server.provider();
    let got = provider.objects(place(&region, ""), ListWhat::Objects, None, &mut batch).await;
    assert_eq!(got.unwrap_err().kind, ErrorKind::Malformed);
}

#[tokio::test]
async fn versions_and_delete_markers_are_told_apart_and_markers_lead_on() {
    let server = Server::start(|n, request| {
        if n == 0 {
            return xml("<ListVersionsResult><EncodingType>url</EncodingType>\
                <IsTruncated>true</IsTruncated><NextKeyMarker>a%2Fb</NextKeyMarker>\
                <NextVersionIdMarker>v9</NextVersionIdMarker>\
                <Version><Key>k</Key><VersionId>v2</VersionId><IsLatest>true</IsLatest>\
                <Size>5</Size><LastModified>2026-01-02T00:00:00Z</LastModified></Version>\
                <Version><Key>k</Key><VersionId>v1</VersionId><IsLatest>false</IsLatest>\
                <Size>6</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Version>\
                <DeleteMarker><Key>d</Key><VersionId>v3</VersionId><IsLatest>true</IsLatest>\
                <LastModified>2026-01-03T00:00:00Z</LastModified></DeleteMarker>\
                </ListVersionsResult>");
        }
        assert!(request.path.contains("key-marker=a%2Fb"), "{}", request.path);
        assert!(request.path.contains("version-id-marker=v9"), "{}", request.path);
        xml("<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>")
    });
    let (region, mut batch) = (region(), ObjectBatch::default());
    let provider = server.provider();
    let at = place(&region, "");
    let next = provider.objects(at, ListWhat::Versions, None, &mut batch).await.unwrap();
    let flags: Vec<u16> = batch.flags.iter().map(|f| f.0).collect();
    assert_eq!(flags, [0, ObjectFlags::NONCURRENT, ObjectFlags::DELETE_MARKER]);
    assert_eq!((batch.sizes.as_slice(), batch.versions.get(2)), (&[5, 6, 0][..], &b"v3"[..]));
    let end = provider.objects(at, ListWhat::Versions, next, &mut batch).await.unwrap();
    assert_eq!((end, batch.len()), (None, 3));
}

#[tokio::test]
async fn names_are_prefixes_and_objects_of_one_level() {
    let server = Server::start(|_, request| {
        assert!(request.path.contains("delimiter=%2F"), "{}", request.path);
        xml("<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>\
             <CommonPrefixes><Prefix>d+1%2F</Prefix></CommonPrefixes>\
             <Contents><Key>manifest.json</Key><Size>3</Size></Contents></ListBucketResult>")
    });
    let region = region();
    let (names, next) = server.provider().names(place(&region, ""), None).await.unwrap();
    let manifest = Name::Object { key: b"manifest.json".to_vec(), bytes: 3, modified: None };
    assert_eq!((names, next), (vec![Name::Prefix(b"d 1/".to_vec()), manifest], None));
}

#[tokio::test]
async fn a_piece_of_an_object_says_how_large_the_whole_is() {
    let server = Server::start(|_, _| {
        let headers = "content-range: bytes 2-4/10\r\netag: \"abc\"\r\n";
        Reply::Whole(206, "binary/octet-stream", headers.into(), b"cde".to_vec())
    });
    let piece = server.provider().object(&region(), "b", "k", Some(2..5)).await.unwrap();
    assert_eq!((piece.bytes.as_slice(), piece.total, &*piece.etag), (&b"cde"[..], Some(10), "abc"));
}

/// A bucket of `pages` pages with 2 objects each.
fn paged(pages: usize) -> Server {
    Server::start(move |n, _| {
        let more = n + 1 < pages;
        let token = if more {
            format!("<NextContinuationToken>t{n}</NextContinuationToken>")
        } else {
            String::new()
        };
        xml(&format!(
            "<ListBucketResult><IsTruncated>{more}</IsTruncated>{token}\
             <Contents><Key>a{n}</Key><Size>1</Size></Contents>\
             <Contents><Key>b{n}</Key><Size>1</Size></Contents></ListBucketResult>"
        ))
    })
}

fn ledger(micro_usd: u64) -> Ledger {
    Ledger::new(Cache::open(OpenOptions::in_memory(), now()).0, micro_usd)
}

#[tokio::test]
async fn a_list_is_charged_page_by_page_and_stops_at_the_cap() {
    let (server, ledger, cancel) = (paged(5), ledger(12), CancellationToken::new());
    let provider = server.provider();
    let lister =
        Lister { source: &provider, ledger: Some(&ledger), cancel: &cancel, now, page_limit: 0 };
    let region = region();
    let mut rows = 0;
    let listed = lister
        .run(place(&region, ""), ListWhat::Objects, |batch| {
            rows += batch.len();
            true
        })
        .await;
    // Two pages of $0.000005 each are within 12 millionths; the third is not made.
    assert_eq!((listed.rows, listed.pages, rows, server.requests()), (4, 2, 4, 2));
    assert_eq!(listed.error.unwrap().kind, ErrorKind::OwnCostCap);
    assert!(listed.partial.unwrap().starts_with("broken off: "));
    assert_eq!(ledger.today(now()).await.unwrap().micro_usd, 10);
}

#[tokio::test]
async fn a_list_ends_when_cancelled_when_full_and_when_all_is_read() {
    let region = region();
    let at = place(&region, "");
    for (limit, stop_after, want) in [
        (0, usize::MAX, (6, None)),
        (2, usize::MAX, (4, Some("stopped after 2 pages, the limit of the configuration"))),
        (0, 1, (2, Some("cancelled"))),
    ] {
        let server = paged(3);
        let (provider, cancel) = (server.provider(), CancellationToken::new());
        let lister =
            Lister { source: &provider, ledger: None, cancel: &cancel, now, page_limit: limit };
        let seen = AtomicUsize::new(0);
        let listed = lister
            .run(at, ListWhat::Objects, |_| {
                if seen.fetch_add(1, Ordering::SeqCst) + 1 == stop_after {
                    cancel.cancel();
                }
                true
            })
            .await;
        assert_eq!((listed.rows, listed.partial.as_deref()), want);
        assert_eq!(listed.error, None);
    }
}

#[test]
fn the_estimate_is_that_of_the_price_list() {
    // 100 million objects: 100,000 pages, $0.50, three to six hours (100–200 ms a page).
    let e = estimate(100_000_000);
    assert_eq!((e.pages, e.micro_usd, e.seconds), (100_000, 500_000, (10_000, 20_000)));
    assert_eq!((estimate(0).pages, estimate(1_001).pages), (1, 2));
}

#[tokio::test]
async fn uploads_never_completed_are_counted_with_the_bytes_of_their_parts() {
    let server = Server::start(|_, request| {
        if request.path.contains("uploadId") {
            if request.path.contains("uploadId=gone") {
                return refusal(404, "NoSuchUpload");
            }
            return xml("<ListPartsResult><IsTruncated>false</IsTruncated>\
                <Part><PartNumber>1</PartNumber><Size>100</Size></Part>\
                <Part><PartNumber>2</PartNumber><Size>23</Size></Part></ListPartsResult>");
        }
        xml("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>\
             <Upload><Key>k</Key><UploadId>u1</UploadId>\
             <Initiated>2026-01-01T00:00:00Z</Initiated></Upload>\
             <Upload><Key>k</Key><UploadId>gone</UploadId>\
             <Initiated>2026-02-03T00:00:00Z</Initiated></Upload></ListMultipartUploadsResult>")
    });
    let (provider, cancel) = (server.provider(), CancellationToken::new());
    let lister = Lister { source: &provider, ledger: None, cancel: &cancel, now, page_limit: 0 };
    let region = region();
    let sum = lister.uploads(place(&region, ""), true).await.unwrap();
    assert_eq!((sum.uploads, sum.older_than_7_days, sum.bytes), (2, 1, Some(123)));
    assert!(!sum.partial);
}

fn metric(name: &'static str, storage_type: &'static str) -> Cbor {
    let pair = |n, v| Cbor::Map(vec![("Name", Cbor::Text(n)), ("Value", Cbor::Text(v))]);
    Cbor::Map(vec![
        ("Namespace", Cbor::Text("AWS/S3")),
        ("MetricName", Cbor::Text(name)),
        (
            "Dimensions",
            Cbor::List(vec![pair("BucketName", "b"), pair("StorageType", storage_type)]),
        ),
    ])
}

#[tokio::test]
async fn series_are_listed_by_metric_and_unknown_storage_types_are_kept() {
    let server = Server::start(|_, request| {
        let list = if request.mentions("BucketSizeBytes") {
            vec![
                metric("BucketSizeBytes", "StandardStorage"),
                metric("BucketSizeBytes", "HolographicStorage"),
            ]
        } else if request.mentions("NumberOfObjects") {
            vec![metric("NumberOfObjects", "AllStorageTypes")]
        } else {
            vec![]
        };
        Reply::cbor(&Cbor::Map(vec![("Metrics", Cbor::List(list))]))
    });
    let provider = server.provider();
    let region = region();
    let pages = Pages::of("cloudwatch:ListMetrics", "us-east-1");
    let all = pages.all(|token| provider.size_series(&region, token)).await.unwrap();
    let all: Vec<_> = all.into_iter().map(|s| (s.metric, s.dimension.to_string())).collect();
    let want = [
        (SizeMetric::Bytes, "StandardStorage"),
        (SizeMetric::Bytes, "HolographicStorage"),
        (SizeMetric::Objects, "AllStorageTypes"),
    ];
    assert_eq!(all, want.map(|(m, d)| (m, d.to_owned())));
    assert_eq!(server.requests(), 3, "bytes, objects, reads");
}

#[tokio::test]
async fn daily_figures_are_by_day_and_what_is_no_number_is_left_out() {
    let server = Server::start(|_, request| {
        assert!(request.mentions("BucketSizeBytes") && request.mentions("Average"));
        let day = |d: i64| Cbor::Time(20_483 * 86_400 + d * 86_400);
        let values = [3.0, f64::NAN, -1.0, 4.0].map(Cbor::Float).into();
        let result = Cbor::Map(vec![
            ("Id", Cbor::Text("m0")),
            ("Timestamps", Cbor::List(vec![day(0), day(1), day(2), day(3)])),
            ("Values", Cbor::List(values)),
            ("StatusCode", Cbor::Text("Complete")),
        ]);
        Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(vec![result]))]))
    });
    let series = SizeSeries {
        bucket: "b".into(),
        metric: SizeMetric::Bytes,
        dimension: "StandardStorage".into(),
    };
    let days = date(2026, 1, 30)..date(2026, 2, 3);
    let got = server.provider().size_data(&region(), &[series], days).await.unwrap();
    assert_eq!(got[0].points, [(date(2026, 1, 30), 3.0), (date(2026, 2, 2), 4.0)]);
    assert!(got[0].complete);
}

#[tokio::test]
async fn volumes_snapshots_and_images_are_read_with_what_they_hang_together_by() {
    let server = Server::start(|_, request| {
        let form = request.text();
        if form.contains("Action=DescribeVolumes") {
            Reply::xml(
                "<DescribeVolumesResponse><volumeSet><item><volumeId>vol-1</volumeId>\
                 <size>500</size><volumeType>gp2</volumeType><iops>1500</iops>\
                 <status>in-use</status><availabilityZone>us-east-1a</availabilityZone>\
                 <attachmentSet><item><instanceId>i-1</instanceId><device>/dev/sdf</device>\
                 <deleteOnTermination>false</deleteOnTermination></item></attachmentSet></item>\
                 <item><volumeId>vol-2</volumeId><volumeType>gp9</volumeType></item>\
                 </volumeSet><nextToken>more</nextToken></DescribeVolumesResponse>",
            )
        } else if form.contains("Action=DescribeSnapshots") {
            assert!(form.contains("Owner.1=self"), "{form}");
            Reply::xml(
                "<DescribeSnapshotsResponse><snapshotSet><item><snapshotId>snap-1</snapshotId>\
                 <volumeId>vol-ffffffff</volumeId><volumeSize>100</volumeSize>\
                 <status>completed</status><storageTier>archive</storageTier>\
                 <fullSnapshotSizeInBytes>1073741824</fullSnapshotSizeInBytes>\
                 <startTime>2025-01-01T00:00:00Z</startTime><description>a\u{202e}b</description>\
                 </item></snapshotSet></DescribeSnapshotsResponse>",
            )
        } else if form.contains("Action=DescribeImages") {
            assert!(form.contains("Owner.1=self") && form.contains("IncludeDisabled=true"));
            Reply::xml(
                "<DescribeImagesResponse><imagesSet><item><imageId>ami-1</imageId>\
                 <blockDeviceMapping><item><ebs><snapshotId>snap-1</snapshotId></ebs></item>\
                 <item><virtualName>ephemeral0</virtualName></item></blockDeviceMapping></item>\
                 </imagesSet></DescribeImagesResponse>",
            )
        } else {
            assert!(form.contains("Filter.1.Value.1=stopped"), "{form}");
            Reply::xml(
                "<DescribeInstancesResponse><reservationSet><item><instancesSet>\
                 <item><instanceId>i-1</instanceId>\
                 <reason>User initiated (2026-01-02 03:04:05 GMT)</reason></item>\
                 <item><instanceId>i-2</instanceId><reason>whatever</reason></item>\
                 </instancesSet></item></reservationSet></DescribeInstancesResponse>",
            )
        }
    });
    let (provider, scope) = (server.provider(), Scope::new(ACCOUNT, "us-east-1"));
    let volumes = provider.volumes(&scope, None).await.unwrap();
    let [one, two] = volumes.items.as_slice() else { panic!("{volumes:?}") };
    assert_eq!((one.kind, one.size_gib, one.iops), (VolumeKind::Gp2, 500, Some(1500)));
    assert_eq!((&*one.attachments[0].instance, &*one.state), ("i-1", "in-use"));
    assert_eq!((two.kind, two.size_gib, two.attachments.len()), (VolumeKind::Unknown, 0, 0));
    assert_eq!(volumes.next(), Some("more"));
    let snapshots = provider.snapshots(&scope, None).await.unwrap().items;
    assert_eq!(
        (snapshots[0].tier, snapshots[0].full_bytes),
        (SnapshotTier::Archive, Some(1 << 30))
    );
    assert_eq!(&*snapshots[0].description, "a\u{FFFD}b");
    let images = provider.images(&scope.region, None).await.unwrap().items;
    assert_eq!((&*images[0].id, images[0].snapshots.len()), ("ami-1", 1));
    let stopped = provider.stopped(&scope.region, None).await.unwrap().items;
    let since = stopped[0].since.map(|t| t.to_string());
    assert_eq!((since.as_deref(), stopped[1].since), (Some("2026-01-02T03:04:05Z"), None));
}
