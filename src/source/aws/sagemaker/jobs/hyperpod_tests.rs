//! Instances of HyperPod as AWS tells them, by a server that plays good and bad days.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::super::testing::{Reply, Request, Server};
use super::tests::{
    answered, at, body, broken, now, operation, prices, refused, source, usd, window,
};
use crate::domain::ErrorKind;
use crate::source::jobs::live::LiveJobs as _;

/// A node of the list in an instance group.
fn row(id: &str, group: &str, dns: Option<&str>) -> Value {
    json!({"InstanceId": id, "InstanceType": "ml.p5.48xlarge", "InstanceGroupName": group,
        "InstanceStatus": {"Status": "Running"}, "LaunchTime": at(-120), "PrivateDnsHostname": dns})
}

/// Two pages of nodes: two on demand, two Spot, one that is none any more.
fn nodes(request: &Request) -> Reply {
    let asked = body(request);
    assert_eq!(asked["ClusterName"], "pod");
    answered(&match asked["NextToken"].as_str() {
        None => json!({"NextToken": "more", "ClusterNodeSummaries": [
            row("i-0a", "train", Some("ip-10-1-2-3.ec2.internal")),
            row("i-0b", "train", Some("ip-10-1-2-4.ec2.internal")),
        ]}),
        Some(_) => json!({"ClusterNodeSummaries": [
            row("i-0c", "spot", Some("i-0c.ec2.internal")),
            row("i-0d", "spot", None),
            {"InstanceId": "i-0e", "InstanceType": "ml.p5.48xlarge", "InstanceStatus": {"Status": "NotFound"}},
            {"InstanceType": "ml.p5.48xlarge"}, {"InstanceId": "i-0\u{202e}f", "InstanceType": "x"},
        ]}),
    })
}

fn described(request: &Request) -> Reply {
    let asked = body(request);
    answered(&json!({"NodeDetails": match asked["NodeId"].as_str().unwrap() {
        "i-0a" => json!({"CapacityType": "OnDemand", "PrivatePrimaryIp": "10.1.2.3"}),
        "i-0c" => json!({"CapacityType": "Spot", "PrivatePrimaryIp": "10.1.2.5"}),
        "i-0d" => json!({"CapacityType": "Spot", "PrivatePrimaryIp": "10.1.2.6",
            "PrivateDnsHostname": "ip-10-1-2-6.ec2.internal"}),
        other => panic!("{other} is not asked for: its group is known"),
    }}))
}

/// What is answered beside HyperPod: no job.
fn otherwise(request: &Request) -> Reply {
    match operation(request) {
        "ListClusters" => answered(&json!({"ClusterSummaries": [{"ClusterName": "pod",
            "ClusterArn": "arn:aws:sagemaker:us-east-1:123456789012:cluster/abcdefghijkl"}]})),
        "ListTrainingJobs" | "ListProcessingJobs" => answered(&json!({})),
        "GetProducts" => prices(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn nodes_of_a_cluster_have_names_a_capacity_and_the_price_of_a_cluster() {
    let looks = Arc::new(AtomicUsize::new(0));
    let count = looks.clone();
    let server = Server::start(move |_, request| match operation(request) {
        "ListClusterNodes" => nodes(request),
        "DescribeClusterNode" => {
            count.fetch_add(1, Ordering::SeqCst);
            described(request)
        }
        _ => otherwise(request),
    });
    let read = source(&server).read(&window()).await.unwrap();
    assert_eq!((read.attempts.len(), &read.refusal, read.complete_until), (0, &None, None));
    let told: Vec<_> = read
        .hyperpod
        .iter()
        .map(|of| (&*of.instance_id, of.private_ip.as_deref().unwrap(), of.is_spot))
        .collect();
    let wanted = [
        ("i-0a", "10.1.2.3", Some(false)),
        // By its name, and by what is told of another one of its group.
        ("i-0b", "10.1.2.4", Some(false)),
        ("i-0c", "10.1.2.5", Some(true)),
        ("i-0d", "10.1.2.6", Some(true)),
    ];
    assert_eq!(told, wanted);
    assert_eq!(looks.load(Ordering::SeqCst), 3);
    let first = &read.hyperpod[0];
    // Neither what a training plan reserves nor what training jobs cost.
    assert_eq!(first.usd_per_hour, usd("98.32"));
    assert_eq!(&*first.cluster, "123456789012:us-east-1/pod");
    assert_eq!(first.seen_from, Timestamp::from_second(at(-120)).unwrap());
    assert_eq!(first.seen_until, now());
    let names: Vec<&str> = first.names().collect();
    assert_eq!(names, ["i-0a", "10.1.2.3", "ip-10-1-2-3.ec2.internal", "ip-10-1-2-3"]);
    assert!(
        read.notes.len() == 1 && read.notes[0].contains("2 nodes of HyperPod"),
        "{:?}",
        read.notes
    );
}

#[tokio::test]
async fn without_a_description_nodes_stay_and_their_capacity_is_unknown() {
    let server = Server::start(move |_, request| match operation(request) {
        "ListClusterNodes" => nodes(request),
        "DescribeClusterNode" => refused("AccessDeniedException"),
        _ => otherwise(request),
    });
    let read = source(&server).read(&window()).await.unwrap();
    assert_eq!((read.hyperpod.len(), read.refusal), (4, None));
    assert!(read.hyperpod.iter().all(|of| of.is_spot.is_none()));
    assert!(
        read.notes.len() == 1 && read.notes[0].contains("DescribeClusterNode"),
        "{:?}",
        read.notes
    );
}

#[tokio::test]
async fn a_list_that_is_refused_or_fails_is_said_and_keeps_no_job_from_being_read() {
    for (refusal, kind) in
        [(refused("AccessDeniedException"), Some(ErrorKind::Denied)), (broken(), None)]
    {
        for list in ["ListClusters", "ListClusterNodes"] {
            let refusal = refusal.clone();
            let server = Server::start(move |_, request| match operation(request) {
                asked if asked == list => refusal.clone(),
                _ => otherwise(request),
            });
            let read = source(&server).read(&window()).await.unwrap();
            // Jobs are read to the end all the same.
            assert_eq!((read.hyperpod.len(), read.complete_until), (0, None), "{list}");
            let said = read.refusal.unwrap();
            assert_eq!(&*said.operation, format!("sagemaker:{list}"));
            assert!(kind.is_none_or(|kind| said.kind == kind), "{said:?}");
        }
    }
}

#[tokio::test]
async fn a_cluster_that_is_gone_has_no_nodes() {
    let server = Server::start(move |_, request| match operation(request) {
        "ListClusterNodes" => {
            let gone = json!({"__type": "ValidationException", "message": "Could not find cluster 'pod'."});
            Reply::aws_json(400, gone.to_string())
        }
        _ => otherwise(request),
    });
    let read = source(&server).read(&window()).await.unwrap();
    assert_eq!((read.hyperpod, read.refusal, read.notes), (Vec::new(), None, Vec::new()));
}
