//! What need not have been lost: failures again, by the node on which they were.

use super::*;
use crate::domain::jobs::JobNode;

fn failed(job: &str, nodes: &[&str], gpus: u32, span: (i64, i64)) -> Attempt {
    let mut of = attempt(job, JobState::Failed, gpus, span);
    of.nodes = nodes.iter().map(|node| text(node)).collect();
    of.node_count = Some(nodes.len() as u32);
    of
}

#[test]
fn what_failed_again_is_avoidable_and_the_first_failure_is_not() {
    let all = [
        failed("a", &["n1"], 8, (0, 60)),
        failed("a", &["n1"], 8, (70, 130)),
        failed("b", &["n2"], 8, (0, 60)),
    ];
    let rows = cost(&all);
    let found = avoidable(&rows, &[], at(24 * 60).unwrap());
    let [loss] = &found.losses[..] else { panic!("{found:?}") };
    assert_eq!((loss.host.as_deref(), loss.gpu_time.hours()), (Some("n1"), 8.0));
    assert_eq!((loss.ended_at, loss.is_upper_bound), (at(130).unwrap(), true));
    // Thirty days later it is of the past.
    assert!(avoidable(&rows, &[], at(31 * 24 * 60).unwrap()).losses.is_empty());
}

#[test]
fn a_node_is_the_instance_that_its_scheduler_knew_then() {
    let all = [failed("a", &["n1", "n2"], 16, (0, 60)), failed("a", &["n1", "n2"], 16, (70, 130))];
    let node = |name: &str, id: &str, (from, until): (i64, i64)| JobNode {
        source: JobSource::File,
        cluster: text(""),
        name: text(name),
        instance_id: Some(text(id)),
        instance_type: None,
        private_ip: None,
        region: None,
        gpus: None,
        seen_from: at(from).unwrap(),
        seen_until: at(until).unwrap(),
    };
    // Another instance has the name of n1 later.
    let nodes = [node("n1", "i-old", (-9000, 200)), node("n1", "i-new", (300, 900))];
    let found = avoidable(&cost(&all), &nodes, at(900).unwrap());
    let hosts: Vec<_> = found.losses.iter().map(|l| (l.host.as_deref(), l.attempt)).collect();
    assert_eq!(hosts, [(Some("i-old"), 0), (Some("n2"), 0)]);
    let hours: Vec<f64> = found.losses.iter().map(|loss| loss.gpu_time.hours()).collect();
    assert_eq!(hours, [8.0, 8.0]);
}
