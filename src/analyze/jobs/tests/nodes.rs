//! Runs, idle time and the rest of a node are the node, to the last digit.

use proptest::prelude::*;

use super::*;
use crate::domain::jobs::JobNode;
use JobState as S;

fn moment(minutes: i64) -> jiff::Timestamp {
    at(minutes).unwrap()
}

pub(super) fn node(name: &str, instance_type: Option<&str>, (from, to): (i64, i64)) -> JobNode {
    JobNode {
        source: JobSource::File,
        cluster: text(""),
        name: text(name),
        instance_id: None,
        instance_type: instance_type.map(text),
        private_ip: None,
        region: None,
        gpus: None,
        seen_from: moment(from),
        seen_until: moment(to),
    }
}

pub(super) fn on(mut of: Attempt, nodes: &[&str]) -> Attempt {
    of.nodes = nodes.iter().map(|name| text(name)).collect();
    of
}

fn with(attempts: &[Attempt], known: KnownNodes<'_>) -> Costs {
    let input = CostInput { known, ..input() };
    costs(attempts.to_vec(), &input)
}

fn nodes_of(attempts: &[Attempt], nodes: &[JobNode]) -> Costs {
    with(attempts, KnownNodes { nodes, ..KnownNodes::default() })
}

/// Runs, idle, unallocated, all.
fn parts(node: &NodeCost) -> [Usd; 4] {
    [node.runs_usd, node.idle_usd, node.unallocated_usd, node.usd]
}

#[test]
fn nothing_is_idle_before_the_first_known_attempt_of_its_cluster() {
    let of = [
        node("n", Some("p5.48xlarge"), (-90_000, 1440)),
        node("m", Some("p5.48xlarge"), (-90_000, 60)),
    ];
    let runs = [on(attempt("a", S::Completed, 8, (0, 900)), &["n"])];
    let found = nodes_of(&runs, &of);
    let idle = |name: &str| found.nodes.iter().find(|node| &*node.name == name).unwrap().idle_ms;
    assert_eq!((idle("n"), idle("m")), (9 * 3_600_000, 3_600_000));
    // Of a cluster of which no attempt is known, everything may have run.
    assert!(nodes_of(&[], &of).nodes.is_empty());
}

#[test]
fn a_day_of_a_node_is_its_runs_its_idle_time_and_its_rest() {
    // 8 GPUs 15 h of 24: jobs × GPU price would leave $495.36 in nobody's row.
    let runs = [on(attempt("a", S::Completed, 8, (0, 900)), &["n"])];
    let found = nodes_of(&runs, &[node("n", Some("p5.48xlarge"), (0, 1440))]);
    assert_eq!(parts(&found.nodes[0]), [usd("825.6"), usd("495.36"), usd("0"), usd("1320.96")]);
    assert_eq!(found.rows[0].held.usd, Some(usd("825.6")));
    assert_eq!((found.nodes[0].idle_ms, found.nodes[0].is_up_known), (9 * 3_600_000, true));
    // Two of 8 GPUs: the rest is nobody's, and named.
    let runs = [on(attempt("a", S::Completed, 2, (0, 60)), &["n"])];
    let found = nodes_of(&runs, &[]);
    assert_eq!(parts(&found.nodes[0]), [usd("13.76"), usd("0"), usd("41.28"), usd("55.04")]);
    assert!(!found.nodes[0].is_up_known);
}

#[test]
fn who_together_ask_for_more_than_a_node_pay_for_one_node() {
    // All GPUs by one and all memory by another: two nodes for one.
    let mut fat = on(attempt("b", S::Completed, 0, (0, 60)), &["n"]);
    fat.memory_mib = Some(2 << 20);
    let runs = [on(attempt("a", S::Completed, 8, (0, 60)), &["n"]), fat];
    let found = nodes_of(&runs, &[]);
    assert_eq!(parts(&found.nodes[0]), [usd("55.04"), usd("0"), usd("0"), usd("55.04")]);
    assert_eq!(found.nodes[0].scaled_ms, 3_600_000);
    for row in &found.rows {
        assert_eq!((row.held.usd, row.is_scaled), (Some(usd("27.52")), true));
    }
}

#[test]
fn the_instance_behind_a_name_prices_it_at_its_time() {
    let mut of = on(attempt("a", S::Failed, 8, (0, 60)), &["queue1-dy-p5-1"]);
    of.instance_type = None;
    let nodes = [
        node("queue1-dy-p5-1", Some("p5.48xlarge"), (-60, 60)),
        // The name is used by another instance later, of a type without a price.
        node("queue1-dy-p5-1", Some("trn9.huge"), (60, 600)),
    ];
    let found = nodes_of(std::slice::from_ref(&of), &nodes);
    let row = &found.rows[0];
    assert_eq!((row.held.usd, row.type_from), (Some(usd("55.04")), Some(TypeFrom::Scheduler)));
    assert_eq!(row.attempt.gpu_model.as_deref(), Some("H100"));
    let mut later = of.clone();
    (later.started_at, later.ended_at) = (at(120), at(180));
    assert_eq!(nodes_of(&[later], &nodes).rows[0].held.usd, None);
    // Nobody knows the node: the queue's rule, as an estimate.
    of.queue = Some(text("p5"));
    let rule = |_: &str, queue: &str| (queue == "p5").then(|| text("p5.48xlarge"));
    let known = KnownNodes { queues: Some(&rule), ..KnownNodes::default() };
    let row = &with(std::slice::from_ref(&of), known).rows[0];
    assert_eq!((row.held.usd, row.type_from), (Some(usd("55.04")), Some(TypeFrom::Rule)));
    of.queue = None;
    assert_eq!(with(&[of], known).rows[0].held.usd, None);
}

pub(super) fn instance(id: &str, names: &[&str]) -> KnownInstance {
    KnownInstance {
        id: text(id),
        names: names.iter().map(|name| text(name)).collect(),
        instance_type: text("p5.48xlarge"),
        region: text("us-east-1"),
        az: text("us-east-1a"),
        is_spot: false,
        rate: Some((usd("40"), PriceFrom::Bill)),
        launched_at: moment(-600),
        seen_until: moment(600),
    }
}

#[test]
fn an_instance_of_the_fleet_is_found_by_address_and_name() {
    let mut of = on(attempt("a", S::Failed, 8, (0, 60)), &["ip-10-1-2-3"]);
    of.instance_type = None;
    let of = [of];
    let one = [instance("i-1", &["10.1.2.3", "ip-10-1-2-3"])];
    let known = KnownNodes { instances: &one, ..KnownNodes::default() };
    let found = with(&of, known);
    let row = &found.rows[0];
    assert_eq!((row.held.usd, row.price_from), (Some(usd("40")), Some(PriceFrom::Bill)));
    assert_eq!(row.type_from, Some(TypeFrom::Fleet));
    // Two that have the name are none.
    let two = [instance("i-1", &["ip-10-1-2-3"]), instance("i-2", &["ip-10-1-2-3"])];
    let found = with(&of, KnownNodes { instances: &two, ..KnownNodes::default() });
    assert_eq!(found.rows[0].held.usd, None);
    // By the address that the scheduler knows.
    let mut by_ip = node("ip-10-1-2-3", None, (0, 60));
    by_ip.private_ip = Some(text("10.1.2.3"));
    let found = with(&of, KnownNodes { nodes: &[by_ip], instances: &one, ..known });
    assert_eq!(found.rows[0].held.usd, Some(usd("40")));
}

#[test]
fn spot_costs_what_it_cost_in_that_hour() {
    let mut of = instance("i-1", &["n"]);
    (of.is_spot, of.rate) = (true, Some((usd("30"), PriceFrom::Spot)));
    let points = [(moment(-900), 10.0), (moment(30), 20.0), (moment(90), 99.0)];
    let history = crate::domain::spot::SpotHistory {
        region: text("us-east-1"),
        az: text("us-east-1a"),
        instance_type: text("p5.48xlarge"),
        platform: crate::domain::Platform::Linux,
        points: points.into_iter().collect(),
    };
    let runs = [on(attempt("a", S::Failed, 8, (0, 60)), &["n"])];
    let (instances, spot) = ([of], [history]);
    let known = KnownNodes { instances: &instances, spot: &spot, ..KnownNodes::default() };
    let row = &with(&runs, known).rows[0];
    assert_eq!((row.held.usd, row.price_from), (Some(usd("15")), Some(PriceFrom::Spot)));
    // Without a history: what it costs now.
    let row = &with(&runs, KnownNodes { instances: &instances, ..KnownNodes::default() }).rows[0];
    assert_eq!(row.held.usd, Some(usd("30")));
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let what = (0_u32..60, -50_i64..3_000, 0_i64..2_000, prop::option::of(0_u32..=20));
    let more = (
        prop::option::of(0_u32..400),
        prop::option::of(0_u64..3 << 20),
        prop::collection::vec(0_usize..4, 1..4),
        0_usize..3,
    );
    (what, more).prop_map(|((job, from, long, gpus), (cpus, memory, nodes, kind))| {
        let state = [S::Completed, S::Failed, S::Cancelled][kind];
        let mut of = attempt(&job.to_string(), state, 0, (from, from + long));
        of.id.key = format!("{from} {long} {gpus:?} {cpus:?}").into();
        of.gpus = gpus.map(Gpus::whole);
        (of.cpus, of.memory_mib) = (cpus, memory);
        of.nodes = nodes.into_iter().map(|node| Arc::from(format!("n{node}"))).collect();
        if kind == 2 {
            of.instance_type = None;
        }
        of
    })
}

fn any_node() -> impl Strategy<Value = JobNode> {
    (0_usize..4, -100_i64..3_000, 0_i64..4_000, 0_usize..4).prop_map(|(name, from, long, kind)| {
        let instance_type = ["p5.48xlarge", "p5.48xlarge", "p5.48xlarge", "unknown.huge"][kind];
        node(&format!("n{name}"), Some(instance_type), (from, from + long))
    })
}

proptest! {
    #[test]
    fn runs_and_idle_and_unallocated_are_the_node(
        runs in prop::collection::vec(any_attempt(), 0..30),
        nodes in prop::collection::vec(any_node(), 0..8),
    ) {
        let found = nodes_of(&runs, &nodes);
        for node in &found.nodes {
            prop_assert_eq!(node.runs_usd + node.idle_usd + node.unallocated_usd, node.usd);
            for part in parts(node) {
                prop_assert!(!part.is_negative());
            }
            prop_assert!(node.idle_ms + node.scaled_ms <= node.ms && node.unpriced_ms <= node.ms);
            // One price alone: the node is price × hours, to the cent.
            let ms = node.ms - node.unpriced_ms;
            let whole = usd("55.04").prorated(ms, 3_600_000);
            prop_assert!((node.usd - whole).abs() < usd("0.0001"), "{} {whole}", node.usd);
        }
        // What attempts hold is what nodes say that runs held, where all of it has a price.
        if found.rows.iter().all(|row| row.held.usd.is_some()) {
            let rows: Usd = found.rows.iter().filter_map(|row| row.held.usd).sum();
            let runs: Usd = found.nodes.iter().map(|node| node.runs_usd).sum();
            prop_assert!((rows - runs).abs() < usd("0.0001"), "{rows} {runs}");
        }
    }
}
