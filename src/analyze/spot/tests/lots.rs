use super::fixture::{World, instance, near};
use crate::analyze::spot::lot::on_demand;
use crate::domain::{Lifecycle, VerdictKind};
use crate::fleet::savings::{SpotFit, SpotNote};

const SERVES: &[(&str, &str)] = &[("workload", "serve"), ("aws:autoscaling:groupName", "g")];

fn world() -> World {
    World::default().on_demand("g5.xlarge", 1.0).spot("g5.xlarge", &[("a", 0.4)])
}

#[test]
fn the_base_and_a_part_above_it_stay() {
    // Rounded up in favour of on demand: of 8 above a base of 2, 2.4 are 3.
    for (count, base, percent, stay) in [
        (10, 2, 30, 5),
        (10, 2, 0, 2),
        (10, 0, 50, 5),
        (1, 2, 30, 1),
        (0, 2, 30, 0),
        (3, 2, 100, 3),
    ] {
        assert_eq!(on_demand(count, base, percent), stay, "{count} {base} {percent}");
    }
}

/// Trap 14 for lots: what moves and what stays are the whole, in whole instances.
#[test]
fn moving_a_part_conserves_the_whole() {
    let world = world().many(10, "i-", "g5.xlarge", SERVES);
    let rows = world.rows();
    let gross: f64 = rows.iter().filter_map(|r| r.gross_usd_per_hour).sum();
    // 5 of 10 move.
    near(gross, 5.0 * 0.6);
    let fleet = &world.mixed()[0];
    assert_eq!(
        (fleet.count, fleet.on_demand, fleet.spot(), fleet.fit),
        (10, 5, 5, SpotFit::Partial)
    );
    near(fleet.gross_usd_per_hour.unwrap(), gross);
    let net: f64 = rows.iter().filter_map(|r| r.net_usd_per_hour).sum();
    near(fleet.net_usd_per_hour.unwrap(), net);
}

#[test]
fn those_on_spot_already_count() {
    let mut world = world().many(6, "i-", "g5.xlarge", SERVES);
    for n in 0..4 {
        let mut spot = instance(&format!("i-spot-{n}"), "g5.xlarge", SERVES);
        spot.lifecycle = Lifecycle::Spot;
        world = world.with(spot);
    }
    // Of 10, 5 stay on demand; 6 are, so 1 of 6 moves.
    let row = world.row("i-0");
    near(row.gross_usd_per_hour.unwrap(), 0.6 / 6.0);
    assert_eq!(world.mixed()[0].count, 10);
    assert_eq!(world.mixed()[0].instances.len(), 6);
}

#[test]
fn an_exempt_member_is_one_that_stays() {
    let world = world().many(10, "i-", "g5.xlarge", SERVES).judged("i-0", VerdictKind::Exempt);
    // Of 10, 5 stay: the exempt one and 4 of 9.
    near(world.row("i-1").gross_usd_per_hour.unwrap(), 0.6 * 5.0 / 9.0);
    // An idle one is stopped before: of 9, 2 + ⌈2.1⌉ stay and 4 move.
    let world = self::world().many(10, "i-", "g5.xlarge", SERVES).judged("i-0", VerdictKind::Idle);
    near(world.row("i-1").gross_usd_per_hour.unwrap(), 0.6 * 4.0 / 9.0);
}

#[test]
fn a_group_too_small_for_its_base_keeps_all() {
    let world = world().many(2, "i-", "g5.xlarge", SERVES);
    let row = world.row("i-0");
    assert_eq!((row.gross_usd_per_hour, row.net_usd_per_hour), (Some(0.0), Some(0.0)));
    assert_eq!(row.effective, Some(1.0));
    assert!(
        row.says.iter().any(|n| **n == SpotNote::NoneMoves { count: 2, on_demand: 2 }),
        "{:?}",
        row.says
    );
    assert!(world.mixed().is_empty());
}

#[test]
fn fleets_are_by_team_work_and_type_where_no_group_is() {
    let world = world()
        .on_demand("g6.xlarge", 0.8)
        .spot("g6.xlarge", &[("a", 0.3)])
        .many(3, "a-", "g5.xlarge", &[("workload", "training"), ("team", "nlp")])
        .many(2, "b-", "g5.xlarge", &[("workload", "batch"), ("team", "nlp")])
        .many(4, "c-", "g5.xlarge", &[("workload", "training"), ("team", "vision")])
        .many(1, "d-", "g6.xlarge", &[("workload", "training"), ("team", "nlp")])
        .many(5, "e-", "g5.xlarge", &[("workload", "notebook"), ("team", "nlp")]);
    let mut sizes: Vec<(u32, Option<String>)> =
        world.mixed().iter().map(|f| (f.count, f.team.as_ref().map(ToString::to_string))).collect();
    sizes.sort();
    let nlp = || Some("nlp".to_owned());
    assert_eq!(sizes, [(1, nlp()), (2, nlp()), (3, nlp()), (4, Some("vision".to_owned()))]);
}

#[test]
fn environments_and_clusters_are_lots_by_type() {
    let batch = |ce: &'static str| {
        vec![("AWSBatchServiceTag", "batch"), ("aws:batch:compute-environment", ce)]
    };
    let world = world()
        .on_demand("g6.xlarge", 0.8)
        .spot("g6.xlarge", &[("a", 0.3)])
        .many(3, "a-", "g5.xlarge", &batch("one"))
        .many(2, "b-", "g5.xlarge", &batch("two"))
        .many(1, "c-", "g6.xlarge", &batch("two"));
    let mut counts: Vec<u32> = world.mixed().iter().map(|f| f.count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3]);
    // An Auto Scaling group is one lot whatever its types: the base is that of all.
    let world = self::world()
        .on_demand("g6.xlarge", 0.8)
        .spot("g6.xlarge", &[("a", 0.3)])
        .many(6, "a-", "g5.xlarge", SERVES)
        .many(4, "b-", "g6.xlarge", SERVES);
    let mixed = world.mixed();
    assert_eq!((mixed.len(), mixed[0].count, mixed[0].on_demand), (1, 10, 5));
    assert_eq!(mixed[0].types[..2], ["g5.xlarge".into(), "g6.xlarge".into()]);
}
