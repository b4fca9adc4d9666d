//! What is gone, what is told no more, and windows that are read in part.

use super::*;

#[tokio::test]
async fn what_vanished_held_its_node_until_it_was_last_told_of() {
    let mut lab = Lab::default();
    lab.node().pod("gone").phase("Running").until("10:30");
    lab.pod("there").phase("Running").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let [gone, there] = &read.attempts[..] else { panic!("{:?}", read.attempts) };
    assert_eq!((gone.state, &*gone.state_source), (JobState::Unknown, "Gone"));
    assert_eq!((gone.ended_at, gone.seen_until, hours(gone)), (Some(at("10:30")), None, 12.0));
    assert_eq!((there.state, hours(there)), (JobState::Running, 24.0));
    let holders = read.holders.unwrap();
    assert_eq!(
        holders.iter().filter_map(|of| of.raw.as_deref()).collect::<Vec<_>>(),
        ["uid-there"]
    );
    assert_eq!(read.notes, Vec::<String>::new());
}

#[tokio::test]
async fn while_nothing_is_scraped_nobody_knows_what_runs() {
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("11:30");
    lab.silent_from("11:30");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.state, of.seen_until, hours(of)), (JobState::Running, Some(at("11:30")), 20.0));
    assert_eq!((read.holders, read.forgotten), (None, None));
    assert!(
        read.notes[0].starts_with("kube-state-metrics tells nothing since"),
        "{:?}",
        read.notes
    );
}

#[tokio::test]
async fn how_a_pod_that_vanished_ended_is_told_by_its_reason_and_by_its_job() {
    let mut lab = Lab::default();
    lab.node().pod("evicted").phase("Running").word("kube_pod_status_reason", "Evicted");
    lab.pod("moved").phase("Running");
    lab.word("kube_pod_status_disruption_reason", "PreemptionByScheduler");
    lab.pod("late").phase("Running").owner("Job", "late");
    let job = [("namespace", "ml"), ("job_name", "late")];
    lab.tell("kube_job_spec_parallelism", &job, 1.0);
    lab.tell("kube_job_status_start_time", &job, at("09:00").as_second() as f64);
    lab.tell("kube_job_spec_active_deadline_seconds", &job, 5_400.0);
    let labels = [job[0], job[1], ("label_kueue_x_k8s_io_queue_name", "night")];
    lab.tell("kube_job_labels", &labels, 1.0);
    lab.until("10:31");
    let failed = [job[0], job[1], ("reason", "DeadlineExceeded")];
    lab.tell("kube_job_status_failed", &failed, 1.0).until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let all: Vec<_> = read
        .attempts
        .iter()
        .map(|of| (&*of.job, of.state, &*of.state_source, of.cause, of.ended_at))
        .collect();
    let end = Some(at("10:31"));
    assert_eq!(read.attempts[1].queue.as_deref(), Some("night"), "by the label of its job");
    let preempted = (JobState::Preempted, Some(Cause::Preempted));
    assert_eq!(
        all,
        [
            ("ml/evicted", preempted.0, "Evicted", preempted.1, end),
            ("ml/late", JobState::TimedOut, "DeadlineExceeded", Some(Cause::TimeLimit), end),
            ("ml/moved", preempted.0, "PreemptionByScheduler", preempted.1, end),
        ]
    );
}

#[tokio::test]
async fn a_pod_that_tells_no_end_held_its_node_until_it_was_seen_to_run() {
    // Of an evicted pod no container tells when it ended, and it is kept.
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("10:00");
    lab.pod("a").phase("Failed").word("kube_pod_status_reason", "Evicted").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.state, of.ended_at, hours(of)), (JobState::Preempted, Some(at("10:00")), 8.0));
    // A window in which it was over all the time knows nothing better than what is kept.
    let later = JobWindow { since: at("11:00"), ..window() };
    assert_eq!(lab.read(&later).await.unwrap().attempts, []);
}

#[tokio::test]
async fn a_stretch_that_fails_ends_the_reading_there_and_the_next_one_goes_on() {
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("12:00");
    lab.fails_from = Some(at("11:30"));
    let read = lab.read(&window()).await.unwrap();
    assert_eq!(read.complete_until, Some(at("11:00")));
    assert_eq!(read.refusal.map(|error| error.kind), Some(ErrorKind::Timeout));
    let of = &read.attempts[0];
    assert_eq!((of.seen_until, hours(of)), (Some(at("11:00")), 16.0));
    assert_eq!((read.holders, read.forgotten), (None, None), "what is now was not read");
    lab.fails_from = Some(at("00:00"));
    assert_eq!(lab.read(&window()).await.unwrap_err().kind, ErrorKind::Timeout);
}

#[tokio::test]
async fn after_a_stretch_that_was_too_long_shorter_ones_are_asked() {
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("12:00");
    lab.fails_from = Some(at("00:00"));
    let server = lab.serve();
    let source = lab.source(&server);
    assert_eq!(source.span(0, 100_000), Span { from: 0, until: 21_600 });
    source.read(&window()).await.unwrap_err();
    assert_eq!(source.span(0, 100_000), Span { from: 0, until: 10_800 });
    assert_eq!(source.span(95_000, 100_000), Span { from: 95_000, until: 96_400 });
    assert_eq!(source.span(96_400, 100_000), Span { from: 96_400, until: 100_000 });
}

#[tokio::test]
async fn without_kube_state_metrics_what_to_do_is_said() {
    let error = Lab::default().read(&window()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("no kube-state-metrics in this Prometheus"), "{error:?}");
    assert!(error.fix.contains("scrape kube-state-metrics"), "{error:?}");
    let mut lab = Lab::default();
    lab.tell("kube_pod_info", &[("uid", "a")], 1.0).until("12:00");
    let error = lab.read(&window()).await.unwrap_err();
    assert!(error.message.contains("tells no kube_pod_container_resource_requests"), "{error:?}");
}

#[tokio::test]
async fn namespaces_and_matchers_are_in_what_is_asked() {
    let mut lab = Lab::default();
    lab.namespaces = vec!["ml".into(), "team-1".into()];
    lab.node().pod("a").phase("Running").until("12:00");
    let server = lab.serve();
    lab.source(&server).read(&window()).await.unwrap();
    let seen = server.seen();
    let queries: Vec<String> = seen.iter().filter_map(|of| of.field("query")).collect();
    assert!(queries.len() > 10, "{queries:#?}");
    for query in queries {
        let is_node = query.contains("kube_node_");
        assert!(is_node || query.contains(r#"namespace=~"ml|team-1""#), "{query}");
    }
}
