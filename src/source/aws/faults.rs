//! Good and bad days of the real client stack against a loopback server.

use std::sync::{Arc, Barrier};

use super::AssumeRole;
use super::testing::{Cbor, Reply, Server, now, provider, provider_with_role};
use crate::domain::{ErrorKind, Hour, HourRange, Lifecycle, Platform, Provenance, Signal, Tenancy};
use crate::source::planner::signal_query;
use crate::source::provider::{MetricQuery, PriceWanted, Provider};

fn account() -> Arc<str> {
    "123456789012".into()
}

fn region() -> Arc<str> {
    "us-east-1".into()
}

fn instance_xml(id: &str, more: &str) -> String {
    format!(
        "<item><reservationId>r-1</reservationId><instancesSet><item><instanceId>{id}</instanceId>\
         <instanceType>p4d.24xlarge</instanceType><launchTime>2026-01-01T00:00:00.000Z</launchTime>\
         {more}</item></instancesSet></item>"
    )
}

fn page_xml(instances: &[String], next: Option<&str>) -> String {
    let next = next.map_or_else(String::new, |t| format!("<nextToken>{t}</nextToken>"));
    format!(
        "<DescribeInstancesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
         <reservationSet>{}</reservationSet>{next}</DescribeInstancesResponse>",
        instances.concat()
    )
}

const WHO: &str = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
    <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn>\
    <UserId>X</UserId><Account>123456789012</Account></GetCallerIdentityResult>\
    </GetCallerIdentityResponse>";

const RUNNING: &str = "<instanceState><code>16</code><name>running</name></instanceState>";

#[tokio::test]
async fn instances_come_page_by_page_with_clean_text() {
    let server = Server::start(|_, request| {
        let form = request.text();
        assert!(form.contains("Action=DescribeInstances") && form.contains("MaxResults=1000"));
        let hostile = "<tagSet><item><key>Name</key><value>a\u{9b}31mb\u{202e}c</value></item>\
            <item><key>aws:autoscaling:groupName</key><value>workers</value></item></tagSet>\
            <instanceLifecycle>spot</instanceLifecycle>\
            <placement><availabilityZone>us-east-1b</availabilityZone></placement>\
            <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName>\
            <monitoring><state>enabled</state></monitoring>";
        if form.contains("NextToken=page-2") {
            let gone = "<instanceState><code>48</code><name>terminated</name></instanceState>";
            Reply::xml(page_xml(&[instance_xml("i-2", RUNNING), instance_xml("i-3", gone)], None))
        } else {
            let first = instance_xml("i-1", &format!("{RUNNING}{hostile}"));
            Reply::xml(page_xml(&[first], Some("page-2")))
        }
    });
    let aws = server.provider();
    let first = aws.instances(&account(), &region(), None).await.unwrap();
    let instance = &first.items[0];
    assert_eq!(&*instance.name, "a\u{fffd}31mb\u{fffd}c");
    assert_eq!(instance.lifecycle, Lifecycle::Spot);
    assert_eq!(&*instance.az, "us-east-1b");
    assert_eq!(&*instance.owners[0].name, "workers");
    assert!(instance.detailed_monitoring);
    assert_eq!(first.next(), Some("page-2"));
    let next = first.next().map(str::to_owned);
    let second = aws.instances(&account(), &region(), next).await.unwrap();
    assert_eq!(second.items.iter().map(|i| &*i.id).collect::<Vec<_>>(), ["i-2"]);
    assert_eq!(second.next(), None);
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn a_refusal_names_the_action_and_is_not_repeated() {
    let server = Server::start(|_, _| {
        Reply::ec2_error(403, "UnauthorizedOperation", "You are not authorized.")
    });
    let error = server.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, "ec2:DescribeInstances"));
    assert!(error.fix.contains("allow ec2:DescribeInstances"), "{}", error.fix);
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn expired_credentials_say_how_to_renew_them() {
    let server =
        Server::start(|_, _| Reply::ec2_error(400, "RequestExpired", "Request has expired."));
    let error = server.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Expired);
    assert!(error.fix.contains("aws sso login --profile research"), "{}", error.fix);
}

#[tokio::test]
async fn a_wrong_clock_is_called_by_its_name() {
    let server = Server::start(|_, _| {
        let Reply::Whole(status, kind, _, body) =
            Reply::ec2_error(401, "AuthFailure", "AWS was not able to validate the credentials")
        else {
            unreachable!()
        };
        Reply::Whole(status, kind, "date: Tue, 03 Feb 2026 05:05:06 GMT\r\n".into(), body)
    });
    let error = server.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::ClockSkew);
    assert!(error.fix.contains("NTP"));
}

#[tokio::test]
async fn a_throttling_storm_ends_after_four_attempts_and_a_gust_is_ridden_out() {
    let throttled = || Reply::ec2_error(503, "RequestLimitExceeded", "Request limit exceeded.");
    let storm = Server::start(move |_, _| throttled());
    let error = storm.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Throttled);
    assert_eq!(storm.requests(), 4);
    let gust = Server::start(
        move |n, _| {
            if n < 2 { throttled() } else { Reply::xml(page_xml(&[], None)) }
        },
    );
    assert_eq!(gust.provider().instances(&account(), &region(), None).await.unwrap().items, []);
}

#[tokio::test]
async fn an_endpoint_that_never_answers_is_a_timeout_and_holds_up_no_other_region() {
    let server = Server::start(|_, request| {
        if request.is_for("eu-west-1") { Reply::Silence } else { Reply::xml(page_xml(&[], None)) }
    });
    let (aws, account, dead) = (server.provider(), account(), Arc::from("eu-west-1"));
    let mut hung = Box::pin(aws.instances(&account, &dead, None));
    tokio::select! {
        biased;
        answer = &mut hung => panic!("answered first: {answer:?}"),
        alive = async { aws.instances(&account, &region(), None).await } => {
            assert!(alive.is_ok());
        }
    }
    let given_up = server.impatient().instances(&account, &dead, None).await;
    assert_eq!(given_up.unwrap_err().kind, ErrorKind::Timeout);
}

#[tokio::test]
async fn who_asks_who_we_are_waits_for_nobody_else_who_does() {
    // No one is answered before all have asked.
    let all_in = Barrier::new(4);
    let server = Server::start(move |_, request| {
        if !request.header("amz-sdk-request").is_some_and(|h| h.contains("attempt=1")) {
            return Reply::Silence;
        }
        all_in.wait();
        Reply::xml(WHO)
    });
    let aws = server.provider();
    let answers = futures_util::future::join_all((0..4).map(|_| aws.identity())).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
}

#[tokio::test]
async fn nobody_listening_is_a_network_error() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = provider(&format!("http://{closed}")).instances(&account(), &region(), None).await;
    assert_eq!(error.unwrap_err().kind, ErrorKind::Network);
}

#[tokio::test]
async fn a_body_that_makes_no_sense_is_malformed() {
    for garbage in ["", "not xml at all", "<html><body>Welcome to the hotel WLAN</body></html>"] {
        let server = Server::start(move |_, _| Reply::xml(garbage));
        let error = server.provider().instances(&account(), &region(), None).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{garbage:?}: {error:?}");
    }
}

#[tokio::test]
async fn an_instance_without_an_id_makes_the_page_unreadable_instead_of_vanishing() {
    let server = Server::start(|_, _| Reply::xml(page_xml(&[instance_xml("", RUNNING)], None)));
    let error = server.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
}

#[tokio::test]
async fn half_a_page_is_asked_again_and_never_taken_for_a_whole() {
    let whole = || page_xml(&[instance_xml("i-1", RUNNING), instance_xml("i-2", RUNNING)], None);
    let once =
        Server::start(
            move |n, _| {
                if n == 0 { Reply::Half(whole().into_bytes()) } else { Reply::xml(whole()) }
            },
        );
    let page = once.provider().instances(&account(), &region(), None).await.unwrap();
    assert_eq!(page.items.len(), 2);
    let always = Server::start(move |_, _| Reply::Half(whole().into_bytes()));
    let error = always.provider().instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network, "{error:?}");
    assert!(always.requests() > 1);
}

fn query(id: &str) -> MetricQuery {
    signal_query(&id.into(), Signal::CpuMean, None).unwrap()
}

fn series(id: &'static str, status: &'static str, points: &[(i64, f64)]) -> Cbor {
    Cbor::Map(vec![
        ("Id", Cbor::Text(id)),
        ("Label", Cbor::Text("CPUUtilization")),
        ("Timestamps", Cbor::List(points.iter().map(|p| Cbor::Time(p.0 * 3600)).collect())),
        ("Values", Cbor::List(points.iter().map(|p| Cbor::Float(p.1)).collect())),
        ("StatusCode", Cbor::Text(status)),
    ])
}

fn data(results: Vec<Cbor>, next: Option<&'static str>) -> Reply {
    let mut pairs = vec![("MetricDataResults", Cbor::List(results))];
    pairs.extend(next.map(|token| ("NextToken", Cbor::Text(token))));
    Reply::cbor(&Cbor::Map(pairs))
}

#[tokio::test]
async fn metric_pages_merge_and_nonsense_values_come_through_raw() {
    let server = Server::start(|_, request| {
        assert!(request.path.ends_with("/operation/GetMetricData"), "{}", request.path);
        if request.mentions("token-2") {
            data(vec![series("m0", "Complete", &[(12, -1.0)])], None)
        } else {
            assert!(request.mentions("CPUUtilization") && request.mentions("TimestampAscending"));
            data(
                vec![
                    series("m0", "PartialData", &[(10, f64::NAN), (11, f64::INFINITY)]),
                    series("m1", "Complete", &[(10, 3.5)]),
                    series("m2", "InternalError", &[]),
                ],
                Some("token-2"),
            )
        }
    });
    let range = HourRange { from: Hour(10), to: Hour(13) };
    let queries = [query("i-1"), query("i-2"), query("i-3"), query("i-4")];
    let results = server.provider().metric_data(&region(), &queries, range).await.unwrap();
    assert_eq!(results.len(), 3, "what was not answered is not invented");
    assert!(results[0].complete && results[1].complete && !results[2].complete);
    let values: Vec<f64> = results[0].points.iter().map(|p| p.1).collect();
    assert!(values[0].is_nan() && values[1].is_infinite() && values[2] < 0.0, "{values:?}");
    assert_eq!(results[0].points[2].0, Hour(12).start());
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn metric_pages_in_a_circle_and_a_page_that_fails_give_no_half_answer() {
    let range = HourRange { from: Hour(10), to: Hour(13) };
    let circle =
        Server::start(|_, _| data(vec![series("m0", "PartialData", &[(10, 1.0)])], Some("same")));
    let error = circle.provider().metric_data(&region(), &[query("i-1")], range).await;
    assert_eq!(error.unwrap_err().kind, ErrorKind::Malformed);
    assert_eq!(circle.requests(), 2);
    let broken = Server::start(|_, request| {
        if request.mentions("token-2") {
            Reply::Half(vec![0xa0; 100])
        } else {
            data(vec![series("m0", "PartialData", &[(10, 1.0)])], Some("token-2"))
        }
    });
    let error = broken.provider().metric_data(&region(), &[query("i-1")], range).await;
    assert_eq!(error.unwrap_err().kind, ErrorKind::Network);
}

#[tokio::test]
async fn nothing_to_ask_costs_no_call() {
    let server = Server::start(|_, _| Reply::Silence);
    let empty = HourRange { from: Hour(10), to: Hour(10) };
    let got = server.provider().metric_data(&region(), &[query("i-1")], empty).await.unwrap();
    assert_eq!((got, server.requests()), (vec![], 0));
}

#[tokio::test]
async fn gpu_series_are_listed_once_each() {
    let series = |pairs: &[(&'static str, &'static str)]| {
        let dims = pairs.iter().map(|(name, value)| {
            Cbor::Map(vec![("Name", Cbor::Text(name)), ("Value", Cbor::Text(value))])
        });
        Cbor::Map(vec![
            ("Namespace", Cbor::Text("CWAgent")),
            ("MetricName", Cbor::Text("nvidia_smi_utilization_gpu")),
            ("Dimensions", Cbor::List(dims.collect())),
        ])
    };
    let server = Server::start(move |_, request| {
        assert!(request.path.ends_with("/operation/ListMetrics"), "{}", request.path);
        assert!(!request.mentions("RecentlyActive"));
        let gpu = [("InstanceId", "i-1"), ("index", "0"), ("name", "A100")];
        let list = vec![series(&gpu), series(&gpu), series(&[("InstanceId", "i-1")])];
        Reply::cbor(&Cbor::Map(vec![
            ("Metrics", Cbor::List(list)),
            ("NextToken", Cbor::Text("more")),
        ]))
    });
    let page = server.provider().gpu_metrics(&region(), None).await.unwrap();
    assert_eq!((page.items.len(), page.next()), (1, Some("more")));
    assert_eq!(page.items[0].instance.as_deref(), Some("i-1"));
}

fn types_xml(form: &str) -> Reply {
    let known = |name: &str| name != "bad.type";
    let names: Vec<&str> = form
        .split('&')
        .filter(|pair| pair.starts_with("InstanceType."))
        .filter_map(|pair| pair.split_once('=').map(|(_, value)| value))
        .collect();
    assert!(names.len() <= 100);
    if names.iter().all(|n| known(n)) {
        let item = |name: &&str| {
            format!(
                "<item><instanceType>{name}</instanceType><vCpuInfo><defaultVCpus>4</defaultVCpus>\
                 </vCpuInfo></item>"
            )
        };
        let items = names.iter().map(item).collect::<Vec<_>>().concat();
        Reply::xml(format!(
            "<DescribeInstanceTypesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
             <instanceTypeSet>{items}</instanceTypeSet></DescribeInstanceTypesResponse>"
        ))
    } else {
        Reply::ec2_error(400, "InvalidInstanceType", "")
    }
}

#[tokio::test]
async fn one_unknown_type_does_not_hide_the_others() {
    let names: Vec<Arc<str>> = (0..150)
        .map(|n| if n == 77 { "bad.type".into() } else { format!("t{n}.large").into() })
        .collect();
    // EC2 usually names the culprit; here it does not, and halving must find it.
    let silent = Server::start(|_, request| types_xml(&request.text()));
    assert_eq!(silent.provider().types(&region(), &names).await.unwrap().len(), 149);
    let wordy = Server::start(|_, request| match types_xml(&request.text()) {
        Reply::Whole(400, ..) => Reply::ec2_error(
            400,
            "InvalidInstanceType",
            "The following supplied instance types do not exist: [bad.type]",
        ),
        fine => fine,
    });
    assert_eq!(wordy.provider().types(&region(), &names).await.unwrap().len(), 149);
    assert_eq!(wordy.requests(), 3);
}

fn wanted(instance_type: &str) -> PriceWanted {
    PriceWanted {
        region: region(),
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
    }
}

#[tokio::test]
async fn list_prices_carry_their_date_and_unknown_types_have_none() {
    let server = Server::start(|_, request| {
        assert!(request.mentions("TERM_MATCH") && request.mentions("\"capacitystatus\""));
        let products: Vec<String> = if request.mentions("p4d.24xlarge") {
            vec![super::product::tests::product("21.9576420000", &[])]
        } else {
            vec![]
        };
        Reply::aws_json(
            200,
            serde_json::json!({"FormatVersion": "aws_v1", "PriceList": products}).to_string(),
        )
    });
    let offers =
        server.provider().list_prices(&[wanted("p4d.24xlarge"), wanted("x1.none")]).await.unwrap();
    assert_eq!(offers.len(), 1);
    assert!((offers[0].rate.usd_per_hour - 21.957_642).abs() < 1e-9);
    assert_eq!(offers[0].rate.provenance, Provenance::Live { at: now() });
}

#[tokio::test]
async fn a_price_that_could_not_be_asked_is_not_one_that_does_not_exist() {
    let server = Server::start(|_, request| {
        if request.mentions("p4d.24xlarge") {
            let product = super::product::tests::product("21.9576420000", &[]);
            let body = serde_json::json!({"FormatVersion": "aws_v1", "PriceList": [product]});
            return Reply::aws_json(200, body.to_string());
        }
        Reply::aws_json(
            400,
            r#"{"__type":"AccessDeniedException","Message":"User: arn:aws:iam::1:user/k is not authorized to perform: pricing:GetProducts"}"#,
        )
    });
    let aws = server.provider();
    let both = aws.list_prices(&[wanted("p4d.24xlarge"), wanted("p5.48xlarge")]).await;
    let error = both.unwrap_err();
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, "pricing:GetProducts"));
    assert_eq!(aws.list_prices(&[wanted("p4d.24xlarge")]).await.unwrap().len(), 1);
}

fn reader() -> AssumeRole {
    AssumeRole {
        role_arn: "arn:aws:iam::222222222222:role/reader".into(),
        external_id: Some(crate::domain::Secret::new("shared-7")),
        session_name: None,
    }
}

#[tokio::test]
async fn a_role_is_assumed_once_and_its_keys_sign_the_calls() {
    let server = Server::start(|_, request| {
        let form = request.text();
        if form.contains("Action=AssumeRole") {
            assert!(form.contains("ExternalId=shared-7"), "{form}");
            assert!(form.contains("RoleSessionName=burntop"), "{form}");
            assert!(request.is_signed_by("AKIDEXAMPLE"));
            return Reply::xml(
                "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
                 <AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId>\
                 <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
                 <Expiration>2126-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>\
                 </AssumeRoleResponse>",
            );
        }
        assert!(request.is_signed_by("ASIAROLE"));
        Reply::xml(page_xml(&[], None))
    });
    let aws = provider_with_role(&server.url, &reader()).await;
    for _ in 0..2 {
        aws.instances(&account(), &region(), None).await.unwrap();
    }
    // One AssumeRole and two pages: the keys are kept.
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn a_role_that_may_not_be_assumed_is_named_as_such() {
    let server = Server::start(|_, _| {
        let message = "User: arn:aws:iam::1:user/k is not authorized to perform: sts:AssumeRole \
            on resource: arn:aws:iam::222222222222:role/reader";
        let body = format!(
            "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
             <Message>{message}</Message></Error></ErrorResponse>"
        );
        Reply::new(403, "text/xml", body)
    });
    let aws = provider_with_role(&server.url, &reader()).await;
    let error = aws.instances(&account(), &region(), None).await.unwrap_err();
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, "sts:AssumeRole"));
    assert!(error.message.contains("role/reader"), "{}", error.message);
}

#[tokio::test]
async fn spot_prices_are_asked_as_of_now_and_read_per_zone() {
    let server = Server::start(|_, request| {
        let form = request.text();
        assert!(form.contains("StartTime=2026-02-03T04%3A05%3A06Z"), "{form}");
        Reply::xml(
            "<DescribeSpotPriceHistoryResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
             <spotPriceHistorySet><item><instanceType>p4d.24xlarge</instanceType>\
             <productDescription>Linux/UNIX</productDescription><spotPrice>16.300000</spotPrice>\
             <timestamp>2026-02-01T00:00:00.000Z</timestamp>\
             <availabilityZone>us-east-1a</availabilityZone></item></spotPriceHistorySet>\
             <nextToken></nextToken></DescribeSpotPriceHistoryResponse>",
        )
    });
    let offers = server.provider().spot_prices(&region(), &["p4d.24xlarge".into()]).await.unwrap();
    assert_eq!(offers.len(), 1);
    assert_eq!((offers[0].az.as_deref(), offers[0].rate.usd_per_hour), (Some("us-east-1a"), 16.3));
}

#[tokio::test]
async fn identity_and_regions_are_read() {
    let server = Server::start(|_, request| {
        if request.text().contains("GetCallerIdentity") {
            Reply::xml(WHO)
        } else {
            Reply::xml(
                "<DescribeRegionsResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
                 <regionInfo><item><regionName>us-west-2</regionName></item>\
                 <item><regionName>eu-north-1</regionName></item></regionInfo>\
                 </DescribeRegionsResponse>",
            )
        }
    });
    let aws = server.provider();
    let who = aws.identity().await.unwrap();
    assert_eq!((&*who.account, &*who.arn), ("123456789012", "arn:aws:iam::123456789012:user/kim"));
    let regions = aws.regions().await.unwrap();
    assert_eq!(regions.iter().map(|r| &**r).collect::<Vec<_>>(), ["eu-north-1", "us-west-2"]);
    assert_eq!(&*aws.home_region().await, "us-east-1");
}

#[tokio::test]
async fn a_profile_that_does_not_exist_is_no_credentials_and_says_what_to_run() {
    let aws = super::connect(super::AccountSource {
        label: "ghost".into(),
        profile: Some("burntop-test-profile-that-does-not-exist".into()),
        assume_role: None,
        region_hint: Some("us-east-1".into()),
    });
    let error = aws.identity().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoCredentials, "{error:?}");
    assert!(error.fix.contains("burntop-test-profile-that-does-not-exist"), "{}", error.fix);
}
