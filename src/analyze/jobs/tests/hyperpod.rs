//! Nodes whose instances are SageMaker's: at SageMaker's price, each while its instance had the name.

use super::nodes::{instance, node, on};
use super::*;
use crate::domain::jobs::{HyperPodNode, JobNode};
use JobState as S;

/// p5.48xlarge with and without SageMaker's prefix; with it at no price of EC2.
fn ml_types(region: Option<&str>, name: &str) -> Option<NodeType> {
    let of = types(region, name.strip_prefix("ml.").unwrap_or(name))?;
    Some(NodeType { usd_per_hour: of.usd_per_hour.filter(|_| !name.starts_with("ml.")), ..of })
}

/// An On-Demand instance with the address `10.1.2.LAST`, from and to in minutes of the day.
fn host(id: &str, last: u8, price: &str, (from, to): (i64, i64)) -> HyperPodNode {
    HyperPodNode {
        cluster: text("123456789012:us-east-1/pod"),
        instance_id: text(id),
        instance_type: text("ml.p5.48xlarge"),
        region: text("us-east-1"),
        private_dns: Some(format!("ip-10-1-2-{last}.ec2.internal").into()),
        private_ip: Some(format!("10.1.2.{last}").into()),
        is_spot: Some(false),
        usd_per_hour: Some(usd(price)),
        seen_from: at(from).unwrap(),
        seen_until: at(to).unwrap(),
    }
}

fn with(of: &Attempt, known: KnownNodes<'_>) -> Costed {
    let input = CostInput { known, types: &ml_types, ..input() };
    costs(vec![of.clone()], &input).rows.remove(0)
}

fn by_hosts(of: &Attempt, hyperpod: &[HyperPodNode]) -> Costed {
    with(of, KnownNodes { hyperpod, ..KnownNodes::default() })
}

/// A job on all GPUs of these nodes, of which the source names no type.
fn job(nodes: &[&str], span: (i64, i64)) -> Attempt {
    let mut of = on(attempt("a", S::Completed, 8 * nodes.len() as u32, span), nodes);
    of.instance_type = None;
    of
}

#[test]
fn a_job_on_two_nodes_of_four_costs_two_at_the_price_of_sagemaker() {
    let four = [1, 2, 3, 4].map(|n| host(&format!("i-0{n}"), n, "98.32", (-60, 600)));
    let of = job(&["ip-10-1-2-2", "ip-10-1-2-4"], (0, 180));
    let row = by_hosts(&of, &four);
    // 3 h × 2 nodes × $98.32. As EC2 sells them they would be 6 × $55.04 = $330.24.
    assert_eq!(row.held.usd, Some(usd("589.92")));
    assert_eq!((row.type_from, row.price_from), (Some(TypeFrom::HyperPod), Some(PriceFrom::List)));
    assert_eq!(row.attempt.instance_type.as_deref(), Some("ml.p5.48xlarge"));
    assert_eq!(row.attempt.region.as_deref(), Some("us-east-1"));
    // Two of eight GPUs of one node, by its address: 3 h × a quarter × $98.32.
    let mut part = job(&["10.1.2.3"], (0, 180));
    part.gpus = Some(Gpus::whole(2));
    assert_eq!(by_hosts(&part, &four).held.usd, Some(usd("73.74")));
    // A node that SageMaker does not tell.
    let other = by_hosts(&job(&["ip-10-1-2-9"], (0, 60)), &four);
    assert_eq!((other.held.usd, other.type_from), (None, None));
}

#[test]
fn a_name_is_that_of_the_instance_that_had_it_then() {
    // The first one was last seen at 00:50 and is replaced at 01:00 by one that costs another price.
    let hosts = [host("i-0a", 3, "98.32", (-60, 50)), host("i-0b", 3, "40", (60, 600))];
    let of = job(&["ip-10-1-2-3"], (0, 120));
    // Slurm has the node all the time, and does not know which instance it is.
    let slurm =
        JobNode { private_ip: Some(text("10.1.2.3")), ..node("ip-10-1-2-3", None, (-60, 600)) };
    let known = KnownNodes {
        nodes: std::slice::from_ref(&slurm),
        hyperpod: &hosts,
        ..KnownNodes::default()
    };
    // 1 h × $98.32 + 1 h × $40.
    assert_eq!(with(&of, known).held.usd, Some(usd("138.32")));
    // Where no scheduler says that it was up in between, nobody knows what that was.
    assert_eq!(by_hosts(&of, &hosts).held.usd, None);
    assert_eq!(by_hosts(&job(&["ip-10-1-2-3"], (60, 120)), &hosts).held.usd, Some(usd("40")));
    // Before it was launched the name was of another one.
    let early = by_hosts(&job(&["ip-10-1-2-3"], (-180, -120)), &hosts);
    assert_eq!((early.held.usd, early.type_from), (None, None));
    // A node that came up after the instance was last seen is not that one.
    let later = JobNode { seen_from: at(700).unwrap(), seen_until: at(900).unwrap(), ..slurm };
    let known = KnownNodes { nodes: &[later], hyperpod: &hosts, ..KnownNodes::default() };
    assert_eq!(with(&job(&["ip-10-1-2-3"], (720, 780)), known).type_from, None);
}

#[test]
fn a_node_of_eks_is_found_by_the_id_of_its_instance() {
    let hosts = [host("i-0123abcd", 3, "98.32", (-60, 600))];
    let of = job(&["hyperpod-i-0123abcd"], (0, 60));
    let mut of_eks = node("hyperpod-i-0123abcd", Some("ml.p5.48xlarge"), (-30, 600));
    of_eks.instance_id = Some(text("i-0123abcd"));
    let nodes = [of_eks];
    let alone = with(&of, KnownNodes { nodes: &nodes, ..KnownNodes::default() });
    assert_eq!((alone.held.usd, alone.type_from), (None, Some(TypeFrom::Scheduler)));
    let known = KnownNodes { nodes: &nodes, hyperpod: &hosts, ..KnownNodes::default() };
    for row in [with(&of, known), by_hosts(&of, &hosts)] {
        assert_eq!((row.held.usd, row.type_from), (Some(usd("98.32")), Some(TypeFrom::HyperPod)));
    }
}

#[test]
fn spot_capacity_has_no_price_and_its_hours_count() {
    for is_spot in [Some(true), None] {
        let hosts = [HyperPodNode { is_spot, ..host("i-0a", 3, "98.32", (-60, 600)) }];
        let row = by_hosts(&job(&["ip-10-1-2-3"], (0, 60)), &hosts);
        assert_eq!((row.held.usd, row.type_from), (None, Some(TypeFrom::HyperPod)));
        assert_eq!(row.held.gpu_time, Some(Gpus::whole(8).held_for(3_600_000)));
    }
}

#[test]
fn an_address_that_two_networks_had_at_once_is_nobodys() {
    let one = host("i-0a", 3, "98.32", (-60, 600));
    let of = job(&["ip-10-1-2-3"], (0, 60));
    let other = HyperPodNode {
        cluster: text("123456789012:us-east-1/b"),
        ..host("i-0b", 3, "1", (30, 90))
    };
    assert_eq!(by_hosts(&of, &[one.clone(), other]).held.usd, None);
    // An instance of EC2 that runs all day, at $40.
    let fleet = [instance("i-1", &["10.1.2.3", "ip-10-1-2-3"])];
    let both = |hyperpod: &[HyperPodNode]| {
        with(&of, KnownNodes { hyperpod, instances: &fleet, ..KnownNodes::default() })
    };
    assert_eq!((both(std::slice::from_ref(&one)).held.usd, both(&[one]).type_from), (None, None));
    // One that was gone before that one was launched had the name earlier.
    let earlier = host("i-0a", 3, "98.32", (-1_200, -900));
    assert_eq!(both(&[earlier]).type_from, Some(TypeFrom::Fleet));
}

#[test]
fn what_a_later_reading_does_not_tell_stays() {
    let told = host("i-0a", 3, "98.32", (0, 60));
    let less = HyperPodNode {
        private_dns: None,
        private_ip: None,
        is_spot: None,
        usd_per_hour: None,
        ..host("i-0a", 3, "1", (0, 120))
    };
    let wanted = HyperPodNode { seen_until: less.seen_until, ..told.clone() };
    assert_eq!(less.beside(&told), wanted);
    // What it does tell counts.
    let dearer = host("i-0a", 3, "99", (0, 180));
    assert_eq!(dearer.clone().beside(&told), dearer);
}
