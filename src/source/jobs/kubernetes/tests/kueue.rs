//! Workloads of Kueue in whole readings.

use super::*;

/// A server of a cluster with Kueue, which offers some versions of its API and answers a list of workloads.
fn with_kueue(
    versions: &'static [&'static str],
    pods: Vec<Value>,
    workloads: impl Fn(&str) -> (u16, String) + Send + Sync + 'static,
) -> Server {
    serve(move |request| {
        let path = request.path.split('?').next().unwrap();
        let Some(rest) = path.strip_prefix("/apis/kueue.x-k8s.io") else {
            return cluster(&request.path, &pods, &[]);
        };
        if !rest.is_empty() {
            return workloads(rest);
        }
        let offered: Vec<Value> = versions
            .iter()
            .map(|of| json!({"groupVersion": format!("kueue.x-k8s.io/{of}"), "version": of}))
            .collect();
        let group = json!({"kind": "APIGroup", "apiVersion": "v1", "name": "kueue.x-k8s.io",
            "versions": offered, "preferredVersion": offered.first()});
        (200, group.to_string())
    })
}

fn condition(kind: &str, is: bool, reason: &str, message: &str, time: &str) -> Value {
    json!({"type": kind, "status": if is { "True" } else { "False" }, "reason": reason, "message": message,
        "lastTransitionTime": format!("2026-11-20T{time}Z"), "observedGeneration": 1})
}

/// A Job of four pods of eight GPUs each and one without, made at 08:00.
fn workload(conditions: &[Value]) -> Value {
    let pods = |gpus: &str| {
        json!({"metadata": {"labels": {"example.com/user": "alice"}}, "spec": {"containers": [{
            "name": "c", "resources": {"limits": {"nvidia.com/gpu": gpus}, "requests": {"cpu": "4", "nvidia.com/gpu": gpus}}}]}})
    };
    json!({
        "apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
        "metadata": {"name": "job-train-7c1f", "namespace": "ml", "uid": "uid-w",
            "creationTimestamp": "2026-11-20T08:00:00Z",
            "labels": {"kueue.x-k8s.io/job-uid": "uid-job"},
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "uid-job",
                "controller": true, "blockOwnerDeletion": true}]},
        "spec": {"active": true, "queueName": "gpu", "priority": 100, "podSets": [
            {"name": "worker", "count": 4, "template": pods("8")},
            {"name": "launcher", "count": 1, "template": pods("0")}]},
        "status": {"conditions": conditions},
    })
}

const NO_QUOTA: &str = "couldn't assign flavors to pod set worker: insufficient unused quota for nvidia.com/gpu in flavor h100, 8 more needed";

fn no_quota() -> Value {
    condition("QuotaReserved", false, "Pending", NO_QUOTA, "08:00:05")
}

async fn told(pods: Vec<Value>, workloads: Vec<Value>) -> JobsRead {
    let server = with_kueue(&["v1beta1"], pods, move |_| (200, list("Workload", &workloads)));
    let home = Home::of(&server);
    let keys = Keys { user: Some("example.com/user".into()), ..Keys::default() };
    let source = Kubernetes::new(KubernetesSettings { keys, ..home.settings() });
    source.read(&window()).await.unwrap()
}

#[tokio::test]
async fn what_waits_for_quota_waits_without_pods_and_says_why() {
    let read = told(vec![], vec![workload(&[no_quota()])]).await;
    assert_eq!((read.notes, read.refusal), (vec![], None));
    let [of] = &read.attempts[..] else { panic!("{:?}", read.attempts) };
    assert_eq!((of.state, &*of.state_source), (JobState::Queued, "Pending"));
    assert_eq!((&*of.job, of.name.as_deref()), ("ml/job-train-7c1f", Some("train")));
    assert_eq!((of.queue.as_deref(), of.user.as_deref()), (Some("gpu"), Some("alice")));
    assert_eq!(of.owner.as_deref(), Some("job.batch/train"));
    // By hand: four pods of eight GPUs, and one of none.
    assert_eq!((of.gpus, of.node_count), (Some(Gpus::whole(32)), Some(4)));
    assert_eq!((of.eligible_at, of.started_at), (Some(at("08:00:00")), None));
    assert_eq!((of.seen_until, of.held_ms()), (Some(at("12:00:00")), Some(0)));
    assert_eq!(of.wait_reason.as_deref(), Some("WaitingForQuota"));
    assert_eq!(of.reason.as_deref(), Some(NO_QUOTA));
}

#[tokio::test]
async fn what_waits_for_nodes_does_not_wait_for_quota() {
    let topology = "couldn't assign flavors to pod set worker: topology \"block\" doesn't allow to fit any of 4 pod(s)";
    let cases = [
        (condition("QuotaReserved", false, "Pending", topology, "08:00:05"), None),
        (condition("QuotaReserved", true, "QuotaReserved", "Quota reserved", "08:00:05"), None),
        (
            condition("QuotaReserved", false, "WaitingForQuota", "", "08:00:05"),
            Some("WaitingForQuota"),
        ),
        (
            condition(
                "QuotaReserved",
                false,
                "Inadmissible",
                "ClusterQueue x is inactive",
                "08:00:05",
            ),
            Some("Inadmissible"),
        ),
        (
            condition("QuotaReserved", false, "Suspended", "LocalQueue gpu is stopped", "08:00:05"),
            Some("Inadmissible"),
        ),
    ];
    for (reserved, why) in cases {
        let read = told(vec![], vec![workload(std::slice::from_ref(&reserved))]).await;
        assert_eq!(read.attempts[0].wait_reason.as_deref(), why, "{reserved}");
    }
    assert_eq!(told(vec![], vec![workload(&[])]).await.attempts[0].wait_reason, None);
}

#[tokio::test]
async fn what_is_admitted_is_its_pods_and_its_wait_is_over() {
    let seen = told(vec![], vec![workload(&[no_quota()])]).await.attempts.remove(0);
    let seen = Attempt { seen_until: Some(at("08:55:00")), ..seen };
    for (kind, time) in [("Admitted", "08:59:00"), ("Finished", "11:00:00")] {
        let over = condition(kind, true, kind, "", time);
        let read = told(vec![running("a")], vec![workload(&[over])]).await;
        let ids: Vec<&str> = read.attempts.iter().map(|of| &*of.id.raw).collect();
        assert_eq!(ids, ["uid-a"]);
        let closed = read.forgotten.unwrap().close(seen.clone()).unwrap();
        assert_eq!((closed.state, &*closed.state_source), (JobState::Unknown, kind));
        assert_eq!((closed.ended_at, closed.held_ms()), (Some(at(time)), Some(0)));
    }
    // One that began and was over between two readings waited until it was admitted.
    let over = [
        condition("Finished", true, "JobFinished", "", "11:00:00"),
        condition("Admitted", true, "Admitted", "", "08:59:00"),
    ];
    let read = told(vec![], vec![workload(&over)]).await;
    let closed = read.forgotten.unwrap().close(seen).unwrap();
    assert_eq!((&*closed.state_source, closed.ended_at), ("Admitted", Some(at("08:59:00"))));
}

#[tokio::test]
async fn what_was_evicted_waits_anew_from_then_on() {
    let evicted =
        condition("Evicted", true, "Preempted", "Preempted to accommodate a workload", "10:00:00");
    let read = told(vec![], vec![workload(&[no_quota(), evicted])]).await;
    let of = &read.attempts[0];
    assert_eq!((&*of.state_source, &*of.id.key), ("Preempted", "2026-11-20T10:00:00Z"));
    assert_eq!((of.submitted_at, of.eligible_at), (Some(at("08:00:00")), Some(at("10:00:00"))));
    let mut held_back = workload(&[no_quota()]);
    held_back["spec"]["active"] = false.into();
    assert_eq!(told(vec![], vec![held_back]).await.attempts, [], "nobody wants it to run");
}

#[tokio::test]
async fn where_pods_are_there_they_are_the_attempts_and_wait_for_the_reason_of_the_workload() {
    let mut gated = running("g");
    gated["metadata"]["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "uid-job", "controller": true}]);
    gated["spec"].as_object_mut().unwrap().remove("nodeName");
    gated["status"] = json!({"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]});
    // One that was made for the pod itself is told by the id of the pod.
    let mut of_pod = workload(&[no_quota()]);
    of_pod["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "g", "uid": "uid-g"}]);
    for workload in [workload(&[no_quota()]), of_pod] {
        let read = told(vec![gated.clone()], vec![workload]).await;
        let [of] = &read.attempts[..] else { panic!("{:?}", read.attempts) };
        assert_eq!((&*of.id.raw, of.wait_reason.as_deref()), ("uid-g", Some("WaitingForQuota")));
    }
    // Those of another namespace are none of them.
    gated["metadata"]["namespace"] = "web".into();
    assert_eq!(told(vec![gated], vec![workload(&[no_quota()])]).await.attempts.len(), 2);
}

#[tokio::test]
async fn the_newest_version_that_is_known_is_asked_and_a_cluster_without_kueue_says_nothing() {
    let list_of = |_: &str| (200, list("Workload", &[workload(&[no_quota()])]));
    let cases: [(&'static [&'static str], Option<&str>); 3] = [
        (&["v1beta1", "v1beta2"], Some("/apis/kueue.x-k8s.io/v1beta2/workloads")),
        (&["v1beta1"], Some("/apis/kueue.x-k8s.io/v1beta1/workloads")),
        (&["v1alpha1"], None),
    ];
    for (versions, asked) in cases {
        let server = with_kueue(versions, vec![], list_of);
        let read = Home::of(&server).read().await.unwrap();
        let seen = server.seen();
        let found = seen
            .iter()
            .find_map(|of| of.path.split('?').next().filter(|of| of.ends_with("workloads")));
        assert_eq!((found, read.attempts.len()), (asked, usize::from(asked.is_some())));
        assert_eq!(read.notes.len(), usize::from(asked.is_none()), "{:?}", read.notes);
    }
    let read = read(vec![], vec![]).await;
    assert_eq!((read.attempts, read.notes), (vec![], vec![]));
}

#[tokio::test]
async fn workloads_that_may_not_be_read_are_said_and_leave_the_rest() {
    let (denied, broken) = (status(403, "Forbidden"), status(500, "InternalError"));
    for (answer, says, tells_of_gone) in
        [(denied, "`workloads` of `kueue.x-k8s.io`", true), (broken, "not known", false)]
    {
        let server = with_kueue(&["v1beta1"], vec![running("a")], move |_| answer.clone());
        let read = Home::of(&server).read().await.unwrap();
        assert_eq!((read.attempts.len(), &read.refusal), (1, &None));
        assert!(read.notes.iter().any(|note| note.contains(says)), "{:?}", read.notes);
        // Whether what waited waits still is not known where nobody answered.
        assert_eq!(read.forgotten.is_some(), tells_of_gone);
        assert_eq!(read.holders.map(|all| all.len()), Some(1));
    }
}

#[tokio::test]
async fn workloads_that_make_no_sense_are_counted_and_the_others_are_read() {
    let mut late = workload(&[no_quota()]);
    late["metadata"]["creationTimestamp"] = "soon".into();
    let mut nameless = workload(&[]);
    nameless["metadata"].as_object_mut().unwrap().remove("uid");
    let mut odd = workload(&[]);
    odd["spec"]["podSets"] = "many".into();
    let mut negative = workload(&[no_quota()]);
    negative["spec"]["podSets"][0]["count"] = (-1).into();
    for text in TEXTS {
        negative["status"]["conditions"][0]["message"] = (*text).into();
        let all = vec![late.clone(), nameless.clone(), odd.clone(), negative.clone()];
        let read = told(vec![], all).await;
        assert!(
            read.notes[0].starts_with("3 workloads of Kueue could not be read"),
            "{:?}",
            read.notes
        );
        let [of] = &read.attempts[..] else { panic!("{:?}", read.attempts) };
        assert_eq!((of.gpus, of.node_count), (None, None), "unknown, not 0");
        assert!(
            !of.reason.as_deref().is_some_and(|said| said.chars().any(is_unsafe)),
            "{:?}",
            of.reason
        );
    }
}
