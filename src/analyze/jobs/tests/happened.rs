//! What happened to nodes tells why what ran on them failed, where nothing surer does.

use super::*;
use crate::domain::jobs::{Cause, JobNode, NodeEvent, NodeEventKind as Kind};
use CauseClass as C;
use CauseFrom as F;

/// An event of a host, so many seconds after the beginning of the day.
fn event(host: &str, kind: Kind, seconds: i64) -> NodeEvent {
    NodeEvent {
        cluster: None,
        hosts: vec![text(host)],
        gpu: None,
        kind,
        at: jiff::Timestamp::from_second(DAY + seconds).unwrap(),
        words: None,
    }
}

/// A job that failed with exit 1 on a node, from and to in minutes.
fn failed(job: &str, node: &str, minutes: (i64, i64)) -> Attempt {
    let mut of = attempt(job, JobState::Failed, 8, minutes);
    of.cause = Some(Cause::Exit(1));
    of.nodes = [text(node)].into();
    of.node_count = Some(1);
    of
}

fn told(attempts: &[Attempt], events: &[NodeEvent]) -> Vec<(Option<C>, Option<F>)> {
    told_by(attempts, events, &[])
}

fn told_by(
    attempts: &[Attempt],
    events: &[NodeEvent],
    nodes: &[JobNode],
) -> Vec<(Option<C>, Option<F>)> {
    let known = KnownNodes { nodes, events, ..KnownNodes::default() };
    let rows = costs(attempts.to_vec(), &CostInput { known, ..input() }).rows;
    rows.iter().map(|row| (row.class, row.cause_from)).collect()
}

fn one(attempt: &Attempt, event: NodeEvent) -> (Option<C>, Option<F>) {
    told(std::slice::from_ref(attempt), &[event])[0]
}

/// The node of a cluster while an instance was behind its name, minutes.
fn node(name: &str, instance: &str, (from, until): (i64, i64)) -> JobNode {
    JobNode {
        source: JobSource::File,
        cluster: text(""),
        name: text(name),
        instance_id: Some(text(instance)),
        instance_type: None,
        private_ip: Some(text("10.0.0.7")),
        region: None,
        gpus: None,
        seen_from: at(from).unwrap(),
        seen_until: at(until).unwrap(),
    }
}

#[test]
fn an_xid_of_the_hardware_explains_an_exit_code_and_a_signal_that_follows_it() {
    let exit = failed("1", "n1", (0, 60));
    assert_eq!(told(std::slice::from_ref(&exit), &[])[0], (Some(C::Unknown), None));
    assert_eq!(one(&exit, event("n1", Kind::Xid(79), 3_560)), (Some(C::Hardware), Some(F::Xid)));
    // The watchdog of NCCL aborts the ranks that wait for the one that died.
    let aborted = Attempt { cause: Some(Cause::Signal(6)), ..exit.clone() };
    assert_eq!(told(std::slice::from_ref(&aborted), &[])[0], (Some(C::Code), Some(F::Exit)));
    assert_eq!(one(&aborted, event("n1", Kind::Xid(48), 2_900)), (Some(C::Hardware), Some(F::Xid)));
    // A row that was remapped as it should, and what is cleaned up after something else, end nothing.
    for harmless in [63, 45, 999] {
        assert_eq!(one(&exit, event("n1", Kind::Xid(harmless), 3_560)), (Some(C::Unknown), None));
    }
}

#[test]
fn an_xid_of_the_program_tells_where_nothing_else_does() {
    let exit = failed("1", "n1", (0, 60));
    assert_eq!(one(&exit, event("n1", Kind::Xid(31), 3_590)), (Some(C::Code), Some(F::Xid)));
    let said = Attempt { reason: Some(text("loss is nan")), ..exit };
    assert_eq!(
        one(&said, event("n1", Kind::Xid(31), 3_590)),
        (Some(C::Numerical), Some(F::Reason))
    );
}

#[test]
fn spot_capacity_that_was_taken_back_is_no_fault_of_the_hardware() {
    let mut lost = failed("1", "queue1-dy-p5-1", (0, 60));
    (lost.state, lost.cause) = (JobState::NodeFault, Some(Cause::NodeFault));
    let nodes = [node("queue1-dy-p5-1", "i-0a", (0, 55)), node("queue1-dy-p5-1", "i-0b", (70, 90))];
    let told = |instance: &str| {
        let events = [event(instance, Kind::SpotInterruption, 3_540)];
        told_by(std::slice::from_ref(&lost), &events, &nodes)[0]
    };
    assert_eq!(told("i-0a"), (Some(C::Preempted), Some(F::Spot)));
    // The instance that had the name later is another one.
    assert_eq!(told("i-0b"), (Some(C::Hardware), Some(F::State)));
}

#[test]
fn what_the_scheduler_decided_stays_whatever_happened() {
    for (state, class) in [
        (JobState::OutOfMemory, C::OutOfMemory),
        (JobState::TimedOut, C::Scheduler),
        (JobState::Preempted, C::Preempted),
    ] {
        let of = Attempt { state, cause: None, ..failed("1", "n1", (0, 60)) };
        let found = one(&of, event("n1", Kind::Xid(79), 3_560));
        assert_eq!(found, (Some(class), Some(F::State)), "{state:?}");
    }
    let well = Attempt { state: JobState::Completed, cause: None, ..failed("1", "n1", (0, 60)) };
    assert_eq!(one(&well, event("n1", Kind::Xid(79), 3_560)), (None, None));
}

#[test]
fn what_happened_long_before_or_after_or_before_it_began_has_nothing_to_do_with_it() {
    let of = failed("1", "n1", (58, 60));
    let long = failed("1", "n1", (0, 60));
    let hardware = (Some(C::Hardware), Some(F::Xid));
    let unknown = (Some(C::Unknown), None);
    for (attempt, seconds, expected) in [
        (&long, 2_700, hardware),
        (&long, 2_699, unknown),
        (&long, 3_720, hardware),
        (&long, 3_721, unknown),
        // Before its start: another job's.
        (&of, 3_479, unknown),
        (&of, 3_480, hardware),
    ] {
        assert_eq!(one(attempt, event("n1", Kind::Xid(79), seconds)), expected, "{seconds}");
    }
    // Health checks are slower.
    assert_eq!(one(&long, event("n1", Kind::Unhealthy, 3_900)), (Some(C::Hardware), Some(F::Node)));
    assert_eq!(one(&long, event("n1", Kind::Unhealthy, 3_901)), unknown);
}

#[test]
fn an_xid_on_a_node_that_two_jobs_left_at_once_is_of_neither() {
    let both = [failed("1", "n1", (0, 60)), failed("2", "n1", (0, 60))];
    let xid = [event("n1", Kind::Xid(79), 3_590)];
    let unknown = (Some(C::Unknown), None);
    assert_eq!(told(&both, &xid), [unknown, unknown]);
    // One that ended well beside it had another GPU.
    let mut other = both.clone();
    (other[1].state, other[1].cause) = (JobState::Completed, None);
    assert_eq!(told(&other, &xid), [(Some(C::Hardware), Some(F::Xid)), (None, None)]);
    // One that was cancelled for it, and one that still runs, may have had it.
    for state in [JobState::Cancelled, JobState::Running] {
        let mut other = both.clone();
        (other[1].state, other[1].cause) = (state, None);
        assert_eq!(told(&other, &xid)[0], unknown, "{state:?}");
    }
    // Without GPUs it is none of its.
    let mut without = both.clone();
    without[1].gpus = Some(Gpus::ZERO);
    assert_eq!(told(&without, &xid), [(Some(C::Hardware), Some(F::Xid)), unknown]);
    // A node that went is gone for both.
    let spot = [event("n1", Kind::SpotInterruption, 3_590)];
    let preempted = (Some(C::Preempted), Some(F::Spot));
    assert_eq!(told(&both, &spot), [preempted, preempted]);
}

#[test]
fn a_name_that_two_clusters_have_is_told_by_the_instance_alone() {
    let of = failed("1", "n1", (0, 60));
    let other = JobNode { cluster: text("lab"), ..node("n1", "i-0c", (0, 60)) };
    let nameless = JobNode { instance_id: None, private_ip: None, ..node("n1", "", (0, 60)) };
    let xid = |host: &str| [event(host, Kind::Xid(79), 3_590)];
    let hardware = (Some(C::Hardware), Some(F::Xid));
    let by = |nodes: &[JobNode], host| told_by(std::slice::from_ref(&of), &xid(host), nodes)[0];
    assert_eq!(by(std::slice::from_ref(&nameless), "n1"), hardware);
    assert_eq!(by(&[nameless, other.clone()], "n1"), (Some(C::Unknown), None));
    let known = [node("n1", "i-0a", (0, 60)), other];
    assert_eq!(by(&known, "i-0a"), hardware);
    assert_eq!(by(&known, "10.0.0.7"), (Some(C::Unknown), None), "both clusters have it");
    assert_eq!(by(&known[..1], "10.0.0.7"), hardware);
    assert_eq!(by(&known, "i-0c"), (Some(C::Unknown), None));
    // An exporter that knows the name of its node alone, as that of the GPU operator.
    assert_eq!(by(&known[..1], "n1"), hardware);
    let elsewhere =
        NodeEvent { hosts: vec![text("i-0f"), text("n1")], ..event("n1", Kind::Xid(79), 3_590) };
    let found = told_by(std::slice::from_ref(&of), &[elsewhere], &known[..1])[0];
    assert_eq!(found, (Some(C::Unknown), None), "another instance of this name");
}

#[test]
fn an_event_of_a_cluster_is_of_its_nodes_alone() {
    let of = failed("1", "n1", (0, 60));
    let drained = |cluster: &str, words: &str| NodeEvent {
        cluster: Some((JobSource::File, text(cluster))),
        words: Some(text(words)),
        ..event("n1", Kind::Drained, 3_590)
    };
    let unknown = (Some(C::Unknown), None);
    assert_eq!(one(&of, drained("", "GPU xid 79")), (Some(C::Hardware), Some(F::Node)));
    assert_eq!(one(&of, drained("lab", "GPU xid 79")), unknown);
    // A drain ends nothing by itself.
    assert_eq!(one(&of, drained("", "kernel update on Sunday")), unknown);
}

#[test]
fn of_several_the_one_that_explains_most_is_shown() {
    let of = failed("1", "n1", (0, 60));
    let events = [
        event("n1", Kind::Drained, 3_600),
        event("n1", Kind::Xid(31), 3_599),
        event("n1", Kind::Xid(79), 3_200),
        event("n1", Kind::Xid(48), 3_300),
        event("n1", Kind::Down, 3_600),
    ];
    let known = KnownNodes { events: &events, ..KnownNodes::default() };
    let rows = costs(vec![of], &CostInput { known, ..input() }).rows;
    let evidence = rows[0].evidence.as_ref().unwrap();
    assert_eq!((evidence.event.kind, evidence.before_ms), (Kind::Xid(48), 300_000));
}

#[test]
fn of_parts_side_by_side_the_one_that_lost_its_gpu_tells_for_all() {
    let part = |job: &str, node: &str, cause| Attempt {
        parts_of: Some(text("train")),
        cause: Some(cause),
        ..failed(job, node, (0, 60))
    };
    let parts = [part("w0", "n0", Cause::Signal(6)), part("w3", "n3", Cause::Exit(1))];
    assert_eq!(told(&parts, &[]), [(Some(C::Code), Some(F::Exit))]);
    let xid = [event("n3", Kind::Xid(79), 3_000)];
    assert_eq!(told(&parts, &xid), [(Some(C::Hardware), Some(F::Xid))]);
}

#[test]
fn a_child_and_its_parent_are_one_job() {
    let child = Attempt { parent: Some(text("1")), ..failed("1.a", "n1", (0, 60)) };
    let both = [failed("1", "n1", (0, 60)), child];
    let found = told(&both, &[event("n1", Kind::Xid(79), 3_590)]);
    assert!(found.contains(&(Some(C::Hardware), Some(F::Xid))), "{found:?}");
}
