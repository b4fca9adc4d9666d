//! One instance with everything, through the real client stack, and each fact missing by itself.

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{
    Addresses, ErrorKind, GroupFact, Inspection, Instance, InstanceState, Known, Recent, Scope,
    Signal, SourceError, SpotFact, TargetGroupFact,
};
use crate::source::Inspector;
use crate::source::aws::testing::{Cbor, Reply, Request, Server};

fn scope() -> Scope {
    Scope::new("123456789012", "us-east-1")
}

fn ids(ids: &[&str]) -> Vec<Arc<str>> {
    ids.iter().map(|id| (*id).into()).collect()
}

/// A Spot member of a group with two volumes, an Elastic IP and a lent address.
const FULL: &str = "<item><instancesSet><item><instanceId>i-full</instanceId>\
    <imageId>ami-1</imageId><instanceType>g5.xlarge</instanceType><keyName>kim</keyName>\
    <launchTime>2026-01-01T00:00:00.000Z</launchTime>\
    <instanceState><code>16</code><name>running</name></instanceState>\
    <placement><availabilityZone>us-east-1b</availabilityZone><tenancy>dedicated</tenancy>\
    <groupName>ring</groupName></placement>\
    <subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><privateIpAddress>10.0.0.1</privateIpAddress>\
    <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName><ipAddress>198.51.100.7</ipAddress>\
    <ebsOptimized>true</ebsOptimized>\
    <groupSet><item><groupId>sg-1</groupId></item><item><groupId>sg-2</groupId></item></groupSet>\
    <iamInstanceProfile><arn>arn:aws:iam::1:instance-profile/p</arn></iamInstanceProfile>\
    <metadataOptions><httpTokens>required</httpTokens></metadataOptions>\
    <instanceLifecycle>spot</instanceLifecycle>\
    <spotInstanceRequestId>sir-1</spotInstanceRequestId>\
    <networkInterfaceSet><item><association><publicIp>203.0.113.9</publicIp></association>\
    </item></networkInterfaceSet>\
    <rootDeviceType>ebs</rootDeviceType><rootDeviceName>/dev/xvda</rootDeviceName>\
    <blockDeviceMapping>\
    <item><deviceName>/dev/sdf</deviceName><ebs><volumeId>vol-data</volumeId>\
    <deleteOnTermination>false</deleteOnTermination></ebs></item>\
    <item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-root</volumeId>\
    <deleteOnTermination>true</deleteOnTermination></ebs></item></blockDeviceMapping>\
    <tagSet><item><key>team</key><value>n\u{9b}lp</value></item>\
    <item><key>aws:autoscaling:groupName</key><value>workers</value></item></tagSet>\
    </item></instancesSet></item>";

const GONE: &str = "<item><instancesSet><item><instanceId>i-gone</instanceId>\
    <instanceType>m5.large</instanceType><instanceState><name>terminated</name></instanceState>\
    </item></instancesSet></item>";

fn ec2(action: &str, inner: &str) -> Reply {
    Reply::xml(format!(
        "<{action}Response xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">{inner}\
         </{action}Response>"
    ))
}

fn query(action: &str, inner: &str) -> Reply {
    Reply::xml(format!(
        "<{action}Response><{action}Result>{inner}</{action}Result></{action}Response>"
    ))
}

fn target(id: &str, port: u16, state: &str) -> String {
    format!(
        "<member><Target><Id>{id}</Id><Port>{port}</Port></Target>\
         <TargetHealth><State>{state}</State></TargetHealth></member>"
    )
}

/// The action of a form.
fn action(form: &str) -> &str {
    let rest = form.split("Action=").nth(1).unwrap_or_default();
    rest.split('&').next().unwrap_or_default()
}

/// What the account answers on a good day.
fn fine(request: &Request) -> Reply {
    let form = request.text();
    let action = action(&form);
    match action {
        "DescribeInstances" => {
            assert!(form.contains("Filter.1.Name=instance-id"), "{form}");
            assert!(!form.contains("InstanceId.1"), "an unknown id would fail for all: {form}");
            ec2(action, &format!("<reservationSet>{FULL}{GONE}</reservationSet>"))
        }
        "DescribeInstanceAttribute" => {
            let (name, on) = if form.contains("disableApiStop") {
                ("disableApiStop", false)
            } else {
                ("disableApiTermination", form.contains("i-full"))
            };
            ec2(action, &format!("<{name}><value>{on}</value></{name}>"))
        }
        "DescribeVolumes" => ec2(
            action,
            "<volumeSet><item><volumeId>vol-data</volumeId><size>500</size>\
             <volumeType>gp3</volumeType><iops>4000</iops><throughput>250</throughput></item>\
             </volumeSet>",
        ),
        "DescribeAddresses" => ec2(
            action,
            "<addressesSet><item><instanceId>i-full</instanceId><publicIp>198.51.100.7</publicIp>\
             </item></addressesSet>",
        ),
        "DescribeSpotInstanceRequests" => ec2(
            action,
            "<spotInstanceRequestSet><item><spotInstanceRequestId>sir-1</spotInstanceRequestId>\
             <type>persistent</type></item></spotInstanceRequestSet>",
        ),
        "DescribeAutoScalingInstances" => query(
            action,
            "<AutoScalingInstances><member><InstanceId>i-full</InstanceId>\
             <AutoScalingGroupName>workers</AutoScalingGroupName>\
             <LifecycleState>InService</LifecycleState>\
             <ProtectedFromScaleIn>true</ProtectedFromScaleIn></member></AutoScalingInstances>",
        ),
        "DescribeAutoScalingGroups" => query(
            action,
            "<AutoScalingGroups><member><AutoScalingGroupName>workers</AutoScalingGroupName>\
             <MinSize>2</MinSize><DesiredCapacity>3</DesiredCapacity></member></AutoScalingGroups>",
        ),
        "DescribeTargetGroups" if form.contains("Marker=page-2") => query(
            action,
            "<TargetGroups><member><TargetGroupArn>arn:ips</TargetGroupArn>\
             <TargetGroupName>ips</TargetGroupName><TargetType>ip</TargetType>\
             <VpcId>vpc-2</VpcId></member></TargetGroups>",
        ),
        "DescribeTargetGroups" => {
            let group = |name: &str, kind: &str, vpc: &str| {
                format!(
                    "<member><TargetGroupArn>arn:{name}</TargetGroupArn>\
                     <TargetGroupName>{name}</TargetGroupName><TargetType>{kind}</TargetType>\
                     <VpcId>{vpc}</VpcId></member>"
                )
            };
            let groups = [
                group("web", "instance", "vpc-1"),
                group("elsewhere", "instance", "vpc-9"),
                group("function", "lambda", ""),
            ];
            let groups = groups.concat();
            query(
                action,
                &format!("<TargetGroups>{groups}</TargetGroups><NextMarker>page-2</NextMarker>"),
            )
        }
        "DescribeTargetHealth" => {
            let targets = match () {
                () if form.contains("arn%3Aweb") => [
                    target("i-full", 80, "unhealthy"),
                    target("i-full", 81, "healthy"),
                    target("i-other", 80, "healthy"),
                    target("i-other", 81, "healthy"),
                    target("i-third", 80, "unhealthy"),
                ]
                .concat(),
                () if form.contains("arn%3Aips") => target("10.0.0.1", 80, "unused"),
                () => panic!("asked in vain: {form}"),
            };
            query(
                action,
                &format!("<TargetHealthDescriptions>{targets}</TargetHealthDescriptions>"),
            )
        }
        other => panic!("not expected: {other} {}", request.path),
    }
}

#[tokio::test]
async fn everything_that_is_asked_of_an_instance_is_read() {
    let server = Server::start(|_, request| fine(request));
    let aws = server.provider();
    let seen = aws.inspect(&scope(), &ids(&["i-full", "i-gone", "i-never"])).await;
    let [full, gone, never] = seen.as_slice() else { panic!("{seen:?}") };

    let instance = full.instance.as_ref().unwrap().as_ref().unwrap();
    assert_eq!((instance.state, &*instance.az), (InstanceState::Running, "us-east-1b"));
    assert_eq!(full.spec.as_ref().unwrap().as_ref().unwrap().vcpus, 4);
    assert!(full.termination_protection.clone().unwrap());
    assert!(!full.stop_protection.clone().unwrap());

    let volumes = full.volumes.as_ref().unwrap();
    let [root, data] = volumes.as_slice() else { panic!("{volumes:?}") };
    assert!(root.root && root.delete_on_termination && &*root.id == "vol-root");
    // EC2 did not describe the root volume: nothing is invented about it.
    assert_eq!((root.size_gib, &*root.kind, root.iops), (None, "", None));
    assert!(!data.root && !data.delete_on_termination && &*data.device == "/dev/sdf");
    assert_eq!((data.size_gib, &*data.kind), (Some(500), "gp3"));
    assert_eq!((data.iops, data.throughput_mibps), (Some(4000), Some(250)));

    let addresses =
        Addresses { public_ipv4: Some("203.0.113.9".into()), elastic: ids(&["198.51.100.7"]) };
    assert_eq!(full.addresses.as_ref().unwrap(), &addresses);
    let group = GroupFact {
        name: "workers".into(),
        min: 2,
        desired: 3,
        protected_from_scale_in: true,
        lifecycle: "InService".into(),
    };
    assert_eq!(full.group.as_ref().unwrap(), &Some(group));
    let fact = |name: &str, health: &str, other_healthy| TargetGroupFact {
        name: name.into(),
        health: health.into(),
        other_healthy,
    };
    assert_eq!(
        full.target_groups.as_ref().unwrap(),
        &[fact("web", "healthy", 1), fact("ips", "unused", 0)]
    );
    let request = SpotFact { request: "sir-1".into(), persistent: true };
    assert_eq!(full.spot.as_ref().unwrap(), &Some(request));

    let launch = full.launch.as_ref().unwrap();
    assert_eq!(launch.image_id.as_deref(), Some("ami-1"));
    assert_eq!(
        (launch.instance_type.as_str(), launch.key_name.as_deref()),
        ("g5.xlarge", Some("kim"))
    );
    assert_eq!(launch.subnet_id.as_deref(), Some("subnet-1"));
    assert_eq!(launch.security_group_ids, ["sg-1", "sg-2"]);
    assert_eq!(launch.iam_instance_profile.as_deref(), Some("arn:aws:iam::1:instance-profile/p"));
    assert_eq!(launch.availability_zone.as_deref(), Some("us-east-1b"));
    assert_eq!(launch.placement_group.as_deref(), Some("ring"));
    assert_eq!(launch.tenancy.as_deref(), Some("dedicated"));
    assert!(launch.ebs_optimized);
    assert_eq!(launch.metadata_tokens.as_deref(), Some("required"));
    assert_eq!(launch.private_ip.as_deref(), Some("10.0.0.1"));
    assert_eq!(launch.tags, [("team".to_owned(), "n\u{fffd}lp".to_owned())]);

    let instance = gone.instance.as_ref().unwrap().as_ref().unwrap();
    assert_eq!(instance.state, InstanceState::Terminated);
    assert_eq!(gone.spot.as_ref().unwrap(), &None);
    assert_eq!(gone.group.as_ref().unwrap(), &None);

    // An id that nobody knows: that it is not there is known, everything about it is not.
    assert_eq!(never.instance.as_ref().unwrap(), &None);
    assert!(never.launch.is_err() && never.volumes.is_err() && never.spec.is_err());
    assert!(never.addresses.is_err() && never.target_groups.is_err() && never.spot.is_err());
}

/// What failed, by the name of the fact.
fn failures(of: &Inspection) -> Vec<(&'static str, String)> {
    fn error<T>(known: &Known<T>) -> Option<&Arc<SourceError>> {
        known.as_ref().err()
    }
    let facts = [
        ("instance", error(&of.instance)),
        ("spec", error(&of.spec)),
        ("launch", error(&of.launch)),
        ("termination_protection", error(&of.termination_protection)),
        ("stop_protection", error(&of.stop_protection)),
        ("volumes", error(&of.volumes)),
        ("addresses", error(&of.addresses)),
        ("group", error(&of.group)),
        ("target_groups", error(&of.target_groups)),
        ("spot", error(&of.spot)),
    ];
    facts.into_iter().filter_map(|(name, e)| Some((name, e?.operation.clone()))).collect()
}

#[tokio::test]
async fn each_fact_fails_by_itself_and_names_its_action() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("DescribeInstanceAttribute", "ec2", &["termination_protection", "stop_protection"]),
        ("DescribeVolumes", "ec2", &["volumes"]),
        ("DescribeAddresses", "ec2", &["addresses"]),
        ("DescribeSpotInstanceRequests", "ec2", &["spot"]),
        ("DescribeAutoScalingInstances", "autoscaling", &["group"]),
        ("DescribeAutoScalingGroups", "autoscaling", &["group"]),
        ("DescribeTargetGroups", "elasticloadbalancing", &["target_groups"]),
        ("DescribeTargetHealth", "elasticloadbalancing", &["target_groups"]),
        (
            "DescribeInstances",
            "ec2",
            &["instance", "spec", "launch", "volumes", "addresses", "target_groups", "spot"],
        ),
    ];
    for (denied, service, lost) in cases {
        let server = Server::start(move |_, request| {
            if action(&request.text()) != *denied {
                return fine(request);
            }
            if *service == "ec2" {
                return Reply::ec2_error(403, "UnauthorizedOperation", "You are not authorized.");
            }
            let body = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
                <Message>no</Message></Error></ErrorResponse>";
            Reply::new(403, "text/xml", body)
        });
        let seen = server.provider().inspect(&scope(), &ids(&["i-full"])).await;
        let call = format!("{service}:{denied}");
        let expected: Vec<_> = lost.iter().map(|fact| (*fact, call.clone())).collect();
        assert_eq!(failures(&seen[0]), expected, "{denied}");
    }
    let server = Server::start(|_, request| fine(request));
    let seen = server.provider().inspect(&scope(), &ids(&["i-full"])).await;
    assert_eq!(failures(&seen[0]), []);
}

#[tokio::test]
async fn what_is_not_said_is_not_taken_for_harmless() {
    let server = Server::start(|_, request| match action(&request.text()) {
        a @ "DescribeInstanceAttribute" => ec2(a, "<instanceId>i-full</instanceId>"),
        a @ "DescribeSpotInstanceRequests" => ec2(a, "<spotInstanceRequestSet/>"),
        a @ "DescribeAutoScalingGroups" => query(a, "<AutoScalingGroups/>"),
        _ => fine(request),
    });
    let seen = server.provider().inspect(&scope(), &ids(&["i-full"])).await;
    let lost: Vec<&str> = failures(&seen[0]).into_iter().map(|f| f.0).collect();
    assert_eq!(lost, ["termination_protection", "stop_protection", "group", "spot"]);
    assert_eq!(seen[0].spot.as_ref().unwrap_err().kind, ErrorKind::Malformed);
}

#[tokio::test]
async fn a_target_group_that_was_deleted_meanwhile_serves_nobody() {
    let server = Server::start(|_, request| {
        let form = request.text();
        if action(&form) == "DescribeTargetHealth" && form.contains("arn%3Aweb") {
            let body = "<ErrorResponse><Error><Type>Sender</Type>\
                <Code>TargetGroupNotFound</Code><Message>gone</Message></Error></ErrorResponse>";
            return Reply::new(400, "text/xml", body);
        }
        fine(request)
    });
    let seen = server.provider().inspect(&scope(), &ids(&["i-full"])).await;
    let groups = seen[0].target_groups.as_ref().unwrap();
    assert_eq!(groups.iter().map(|g| &*g.name).collect::<Vec<_>>(), ["ips"]);
}

#[tokio::test]
async fn states_come_in_order_and_an_unknown_id_has_none() {
    let server = Server::start(|_, request| fine(request));
    let aws = server.provider();
    let seen = aws.states(&scope(), &ids(&["i-never", "i-gone", "i-full"])).await.unwrap();
    let states: Vec<_> = seen.iter().map(|s| s.state).collect();
    assert_eq!(states, [None, Some(InstanceState::Terminated), Some(InstanceState::Running)]);
    assert_eq!(seen[2].tags.get("team"), Some("n\u{fffd}lp"));
    assert_eq!(seen[2].launched_at, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    assert_eq!((server.requests(), seen[0].launched_at), (1, None));
    let denied = Server::start(|_, _| Reply::ec2_error(403, "UnauthorizedOperation", "no"));
    let error = denied.provider().states(&scope(), &ids(&["i-1"])).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
}

#[tokio::test]
async fn nothing_asked_is_nothing_read() {
    let server = Server::start(|_, _| Reply::Silence);
    assert!(server.provider().inspect(&scope(), &[]).await.is_empty());
    assert_eq!(server.requests(), 0);
}

// The last minutes.

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn instance(aws: &dyn Inspector, more: &[(&str, &str)]) -> Arc<Instance> {
    let seen = aws.inspect(&scope(), &ids(&["i-full"])).await;
    let mut instance = (**seen[0].instance.as_ref().unwrap().as_ref().unwrap()).clone();
    for (key, value) in more {
        match *key {
            "id" => instance.id = (*value).into(),
            "detailed" => instance.detailed_monitoring = true,
            _ => instance.private_dns = (*value).into(),
        }
    }
    Arc::new(instance)
}

fn listed(series: &[&[(&'static str, &'static str)]]) -> Reply {
    let metric = |pairs: &&[(&'static str, &'static str)]| {
        let dims = pairs.iter().map(|(name, value)| {
            Cbor::Map(vec![("Name", Cbor::Text(name)), ("Value", Cbor::Text(value))])
        });
        Cbor::Map(vec![
            ("Namespace", Cbor::Text("CWAgent")),
            ("MetricName", Cbor::Text("nvidia_smi_utilization_gpu")),
            ("Dimensions", Cbor::List(dims.collect())),
        ])
    };
    Reply::cbor(&Cbor::Map(vec![("Metrics", Cbor::List(series.iter().map(metric).collect()))]))
}

/// Id, status, points.
type Answered<'a> = (&'static str, &'static str, &'a [(&'a str, f64)]);

fn answer(results: &[Answered<'_>]) -> Reply {
    let result = |(id, status, points): &Answered<'_>| {
        let times = points.iter().map(|p| Cbor::Time(at(p.0).as_second())).collect();
        Cbor::Map(vec![
            ("Id", Cbor::Text(id)),
            ("Timestamps", Cbor::List(times)),
            ("Values", Cbor::List(points.iter().map(|p| Cbor::Float(p.1)).collect())),
            ("StatusCode", Cbor::Text(status)),
        ])
    };
    let results = results.iter().map(result).collect();
    Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(results))]))
}

const FROM: &str = "2026-02-03T03:02:06Z";
const NOW: &str = "2026-02-03T04:05:06Z";

async fn recent(server: &Server, instances: &[(Arc<Instance>, u32)]) -> Vec<Known<Recent>> {
    server.provider().recent(&scope(), instances, at(FROM), at(NOW)).await
}

#[tokio::test]
async fn the_last_minutes_are_asked_of_host_and_gpu() {
    let server = Server::start(|_, request| {
        if request.path.ends_with("/operation/ListMetrics") {
            assert!(request.mentions("InstanceId") && request.mentions("i-full"));
            return listed(&[
                &[("InstanceId", "i-full"), ("index", "0"), ("name", "A10G")],
                // The same GPU before the agent was given other dimensions.
                &[("InstanceId", "i-full"), ("index", "0"), ("name", "A10G old")],
            ]);
        }
        if !request.path.ends_with("/operation/GetMetricData") {
            return fine(request);
        }
        for word in ["CPUUtilization", "Average", "Maximum", "NetworkIn", "NetworkOut", "Sum"] {
            assert!(request.mentions(word), "{word}");
        }
        answer(&[
            ("m0", "Complete", &[("2026-02-03T03:05:00Z", 1.5), ("2026-02-03T03:00:00Z", 1.0)]),
            ("m1", "Complete", &[("2026-02-03T03:00:00Z", 2.0)]),
            ("m2", "PartialData", &[("2026-02-03T03:00:00Z", 900.0)]),
            (
                "m4",
                "Complete",
                &[("2026-02-03T03:00:00Z", 7.0), ("2026-02-03T03:05:00Z", f64::NAN)],
            ),
            ("m5", "Complete", &[("2026-02-03T03:00:00Z", 40.0), ("2026-02-03T03:05:00Z", 3.0)]),
        ])
    });
    let of = instance(&server.provider(), &[]).await;
    let before = server.requests();
    let got = recent(&server, &[(of, 1)]).await;
    let got = got[0].as_ref().unwrap();
    assert_eq!((got.from, got.to), (at("2026-02-03T03:00:00Z"), at(NOW)));
    let signals: Vec<_> = got.series.iter().map(|s| (s.signal, &*s.source, s.period_s)).collect();
    assert_eq!(
        signals,
        [
            (Signal::CpuMean, "AWS/EC2", 300),
            (Signal::CpuMax, "AWS/EC2", 300),
            (Signal::NetworkIn, "AWS/EC2", 300),
            (Signal::NetworkOut, "AWS/EC2", 300),
            (Signal::GpuMax(0), "CWAgent", 300),
        ]
    );
    let complete: Vec<bool> = got.series.iter().map(|s| s.complete).collect();
    // What was not answered (m3) is there, empty and incomplete.
    assert_eq!(complete, [true, true, false, false, true]);
    assert!(got.series[3].points.is_empty());
    let mean = [(at("2026-02-03T03:00:00Z"), 1.0), (at("2026-02-03T03:05:00Z"), 1.5)];
    assert_eq!(got.series[0].points, mean);
    // Both series of the GPU in one: the higher value, and the senseless one is not hidden.
    let gpu = &got.series[4].points;
    assert_eq!((gpu.len(), gpu[0].1), (2, 40.0));
    assert!(gpu[1].1.is_nan());
    assert_eq!(server.requests() - before, 2);
}

#[tokio::test]
async fn detailed_monitoring_is_read_by_the_minute_and_cpu_boxes_have_no_gpus() {
    let server = Server::start(|_, request| {
        assert!(!request.path.ends_with("/operation/ListMetrics"), "there is nothing to list");
        if request.path.ends_with("/operation/GetMetricData") { answer(&[]) } else { fine(request) }
    });
    let of = instance(&server.provider(), &[("detailed", "")]).await;
    let got = recent(&server, &[(of, 0)]).await;
    let series = &got[0].as_ref().unwrap().series;
    assert!(series.iter().all(|s| s.period_s == 60 && !s.complete), "{series:?}");
    assert_eq!(series.len(), 4);
}

#[tokio::test]
async fn host_names_are_tried_where_the_id_leads_to_too_few_and_a_shared_one_speaks_for_nobody() {
    for shared in [false, true] {
        let server = Server::start(move |_, request| {
            if request.path.ends_with("/operation/GetMetricData") {
                return answer(&[]);
            }
            if request.path.ends_with("/operation/ListMetrics") {
                return match () {
                    () if request.mentions("ip-10-0-0-1.ec2.internal") => listed(&[]),
                    () if request.mentions("ip-10-0-0-1") => {
                        listed(&[&[("host", "ip-10-0-0-1"), ("index", "3"), ("name", "T4")]])
                    }
                    () => listed(&[]),
                };
            }
            let form = request.text();
            if form.contains("private-dns-name") {
                let twin = FULL.replace("i-full", "i-twin");
                let both = if shared { format!("{FULL}{twin}") } else { FULL.to_owned() };
                return ec2(
                    "DescribeInstances",
                    &format!("<reservationSet>{both}</reservationSet>"),
                );
            }
            fine(request)
        });
        let of = instance(&server.provider(), &[]).await;
        let got = recent(&server, &[(of, 1)]).await;
        let series = &got[0].as_ref().unwrap().series;
        let gpus: Vec<_> = series.iter().filter_map(|s| s.signal.gpu()).collect();
        assert_eq!(gpus, if shared { vec![] } else { vec![3] });
    }
}

#[tokio::test]
async fn a_series_that_could_not_be_asked_fails_for_its_instance_alone() {
    let server = Server::start(|_, request| {
        if request.path.ends_with("/operation/ListMetrics") && request.mentions("i-bad") {
            return Reply::Whole(
                403,
                "application/cbor",
                "smithy-protocol: rpc-v2-cbor\r\nx-amzn-errortype: AccessDenied\r\n".into(),
                vec![0xa0],
            );
        }
        if request.path.ends_with("/operation/ListMetrics") {
            return listed(&[&[("InstanceId", "i-full"), ("index", "0"), ("name", "T4")]]);
        }
        if request.path.ends_with("/operation/GetMetricData") { answer(&[]) } else { fine(request) }
    });
    let good = instance(&server.provider(), &[]).await;
    let bad = instance(&server.provider(), &[("id", "i-bad")]).await;
    let got = recent(&server, &[(good, 1), (bad, 1)]).await;
    assert_eq!(got[0].as_ref().unwrap().series.len(), 5);
    let error = got[1].as_ref().unwrap_err();
    assert_eq!(error.operation, "cloudwatch:ListMetrics");
}

#[tokio::test]
async fn many_series_go_out_in_calls_that_cloudwatch_takes() {
    let server = Server::start(|_, request| {
        if request.path.ends_with("/operation/GetMetricData") {
            let asked = request.body.windows(14).filter(|w| w == b"CPUUtilization").count();
            // At most 100,800 datapoints: 4 series of 1,440 minutes for each instance.
            assert!(asked * 2 * 1_440 <= 100_800, "{asked}");
            return answer(&[]);
        }
        fine(request)
    });
    let one = instance(&server.provider(), &[("detailed", "")]).await;
    let before = server.requests();
    let many: Vec<_> = (0..50).map(|_| (Arc::clone(&one), 0)).collect();
    let to = at(NOW);
    let from = to - jiff::SignedDuration::from_hours(24);
    let got = server.provider().recent(&scope(), &many, from, to).await;
    assert!(got.iter().all(|r| r.as_ref().is_ok_and(|r| r.series.len() == 4)));
    // 50 × 4 series of 1,442 or so datapoints, 69 per call.
    assert_eq!(server.requests() - before, 3);
}
