//! Training across instances, by hand: 5 min to write, 15 min to restart, once a day for each.

use super::fixture::{World, near};
use crate::domain::Figure;
use crate::fleet::savings::{SpotNote, SpotRow};

fn world(tags: &[(&str, &str)], count: usize, instance_type: &str) -> World {
    World::default()
        .many(count, "i-", instance_type, tags)
        .on_demand(instance_type, 55.04)
        .spot(instance_type, &[("a", 20.79)])
}

fn stops_with_others(row: &SpotRow) -> bool {
    let gang = |n: &SpotNote| matches!(n, SpotNote::OneJob { .. } | SpotNote::PerhapsTogether(_));
    row.says.iter().any(|note| gang(note))
}

/// The same fleet, whatever its members belong to.
const ONE_JOB: [&[(&str, &str)]; 3] = [
    &[("workload", "training")],
    &[("workload", "training"), ("aws:autoscaling:groupName", "g")],
    &[("workload", "training"), ("parallelcluster:cluster-name", "c")],
];

#[test]
fn one_that_stops_stops_all() {
    for tags in ONE_JOB {
        let row = world(tags, 16, "p5.48xlarge").row("i-3");
        // λ = 16 ÷ 24 = 2/3 an hour: τ = √(2 · (1/12) ÷ (2/3)) = √(1/4) = 1/2 h;
        // e = 1 − (1/12) ÷ (1/2) − (2/3) (1/4 + 1/4) = 1 − 1/6 − 1/3 = 1/2.
        near(row.checkpoint_every_hours.unwrap(), 0.5);
        near(row.efficiency.unwrap(), 0.5);
        // 0.7 · (55.04 − 20.79 ÷ 0.5).
        near(row.net_usd_per_hour.unwrap(), 9.422);
        let each = row.says.iter().find_map(|note| match &**note {
            SpotNote::OneJob { size: 16, each } => Some(each.0),
            _ => None,
        });
        near(each.unwrap(), 1.5);
        // The band is of one.
        let of_one = |n: &SpotNote| matches!(n, SpotNote::InterruptedPerhaps { each, .. } if *each == Figure(24.0));
        assert!(row.says.iter().any(|note| of_one(note)), "{:?}", row.says);
    }
}

#[test]
fn one_box_is_no_gang() {
    let row = world(ONE_JOB[0], 1, "p5.48xlarge").row("i-0");
    near(row.net_usd_per_hour.unwrap(), 0.7 * (55.04 - 20.79 / 0.90625));
    assert!(!stops_with_others(&row), "{:?}", row.says);
}

#[test]
fn without_efa_it_is_said_and_not_counted() {
    // No EFA below g5.8xlarge.
    let row = world(ONE_JOB[0], 5, "g5.xlarge").row("i-0");
    let alone = world(ONE_JOB[0], 1, "g5.xlarge").row("i-0");
    assert_eq!(row.efficiency, alone.efficiency);
    assert!(row.says.iter().any(|n| **n == SpotNote::PerhapsTogether(5)), "{:?}", row.says);
    // Nodes of a ParallelCluster are one job all the same.
    let node = world(ONE_JOB[2], 5, "g5.xlarge").row("i-0");
    near(node.efficiency.unwrap(), by_hand(5.0 / 24.0));
}

/// At the best interval: 1 − √(2 w λ) − λ R.
fn by_hand(per_hour: f64) -> f64 {
    1.0 - (2.0 / 12.0 * per_hour).sqrt() - per_hour / 4.0
}

#[test]
fn trials_and_jobs_do_not_stop_each_other() {
    for work in ["sweep", "batch"] {
        let tags = [("workload", work)];
        let (many, one) = (world(&tags, 16, "p5.48xlarge"), world(&tags, 1, "p5.48xlarge"));
        assert_eq!(many.row("i-0").efficiency, one.row("i-0").efficiency, "{work}");
        assert!(!stops_with_others(&many.row("i-0")));
    }
}

#[test]
fn queues_of_a_cluster_are_jobs_of_their_own() {
    let tags = |queue: &'static str| {
        [
            ("workload", "training"),
            ("parallelcluster:cluster-name", "c"),
            ("parallelcluster:queue-name", queue),
        ]
    };
    let world = world(&tags("big"), 6, "p5.48xlarge").many(2, "j-", "p5.48xlarge", &tags("small"));
    near(world.row("i-0").efficiency.unwrap(), by_hand(6.0 / 24.0));
    near(world.row("j-0").efficiency.unwrap(), by_hand(2.0 / 24.0));
}

#[test]
fn those_that_stay_on_demand_interrupt_nobody() {
    let asg = ("aws:autoscaling:groupName", "g");
    let world = world(&[("workload", "training"), asg], 6, "p5.48xlarge").many(
        2,
        "x-",
        "p5.48xlarge",
        &[asg],
    );
    near(world.row("i-0").efficiency.unwrap(), by_hand(6.0 / 24.0));
}
