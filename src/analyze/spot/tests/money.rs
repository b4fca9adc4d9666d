//! Figures by hand. The gaps: 5 min to write, 15 min to restart, Spot for 70 % of the time.

use super::fixture::{World, instance, near};
use crate::domain::Interruption;
use crate::fleet::savings::{SpotFit, SpotRow};

const TRAINS: &[(&str, &str)] = &[("workload", "training")];

fn says(row: &SpotRow, text: &str) -> bool {
    row.says.iter().any(|s| s.contains(text))
}

#[test]
fn a_training_box_by_hand() {
    let row = World::default()
        .with(instance("i-1", "p5.48xlarge", TRAINS))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 20.79)])
        .row("i-1");
    // >20 %: once a day. √(2 · (1/12) · 24) = 2 h between checkpoints; lost are
    // (1/12) ÷ 2 + (1 + 0.25) ÷ 24 = 0.041667 + 0.052083 = 0.09375.
    assert_eq!(row.interruption.as_ref().unwrap().0, Interruption::Above20);
    near(row.checkpoint_every_hours.unwrap(), 2.0);
    near(row.efficiency.unwrap(), 0.90625);
    // 20.79 ÷ 0.90625 = 22.940690; 0.7 · that + 0.3 · 55.04 = 32.570483.
    near(row.effective.unwrap(), 32.570_482_8);
    near(row.gross_usd_per_hour.unwrap(), 34.25);
    // 0.7 · (55.04 − 22.940690).
    near(row.net_usd_per_hour.unwrap(), 22.469_517_2);
    assert!(
        says(&row, "Lost time adds 10 % to its hours; the discount bears 165 %"),
        "{:?}",
        row.says
    );
    assert!(says(&row, "one in 24 h is assumed"), "{:?}", row.says);
    assert!(says(&row, "5 min to write a checkpoint; 15 min to restart"), "{:?}", row.says);
}

#[test]
fn a_quiet_band_by_hand() {
    let row = World::default()
        .with(instance("i-1", "p4de.24xlarge", TRAINS))
        .on_demand("p4de.24xlarge", 27.44705)
        .spot("p4de.24xlarge", &[("b", 9.0)])
        .row("i-1");
    assert_eq!(row.interruption.as_ref().unwrap().0, Interruption::Below5);
    // λ = 0.0512933 ÷ 730 = 7.02648e-5; √((1/6) ÷ λ) = 48.7030 h, of which 4 are advised.
    near(row.checkpoint_every_hours.unwrap(), 4.0);
    assert!(says(&row, "Must write checkpoints every 4 h"), "{:?}", row.says);
    assert!(says(&row, "Not every 2 d, as the band alone would have it"), "{:?}", row.says);
    // 1 − (1/12) ÷ 4 − λ · (2 + 1/4).
    near(row.efficiency.unwrap(), 1.0 - 0.020_833_333 - 0.000_158_096);
    assert!(says(&row, "Counted with us-east-1b; it runs in us-east-1a"), "{:?}", row.says);
    assert!(says(&row, "<5% a month taken back, counted as one in 593 d"), "{:?}", row.says);
}

#[test]
fn batch_and_serving_lose_other_time() {
    let world = |tags: &[(&str, &str)]| {
        World::default()
            .many(20, "i-", "g5.xlarge", tags)
            .on_demand("g5.xlarge", 1.006)
            .spot("g5.xlarge", &[("a", 0.4)])
            .row("i-0")
    };
    // Jobs of 1 h, once a day: (0.5 + 0.25) ÷ 24.
    let batch = world(&[("workload", "batch")]);
    assert_eq!(batch.checkpoint_every_hours, None);
    near(batch.efficiency.unwrap(), 1.0 - 0.75 / 24.0);
    // Serving does nothing again: 0.25 ÷ 24. Of 20, 2 + ⌈5.4⌉ stay: 12 of 20 move.
    let serving = world(&[("workload", "serve"), ("aws:autoscaling:groupName", "g")]);
    assert_eq!((serving.fit, serving.checkpoint_every_hours), (SpotFit::Partial, None));
    let efficiency = 1.0 - 0.25 / 24.0;
    near(serving.efficiency.unwrap(), efficiency);
    near(serving.gross_usd_per_hour.unwrap(), 0.6 * 0.606);
    near(serving.net_usd_per_hour.unwrap(), 0.6 * 0.7 * (1.006 - 0.4 / efficiency));
    near(serving.effective.unwrap(), 1.006 - 0.6 * 0.7 * (1.006 - 0.4 / efficiency));
}

/// Trap 13: no discount is 70 % by nature; 26 % off bear an overhead of 0.35 and no more.
#[test]
fn spot_is_worth_it_only_below_what_the_discount_bears() {
    let at = |restart: &str, usd: f64| {
        let tags = [
            ("workload", "training"),
            ("burntop:checkpoint-minutes", "0"),
            ("burntop:restart-minutes", restart),
        ];
        let mut world = World::default()
            .with(instance("i-1", "p5.48xlarge", &tags))
            .on_demand("p5.48xlarge", 21.957_642)
            .spot("p5.48xlarge", &[("a", usd)]);
        world.rules.assume.availability = 1.0;
        world.row("i-1")
    };
    // p4d's own figures of 2026: 16.30 of 21.957_642 is 25.77 % off and bears 0.347. An interruption a
    // day that takes 6 h leaves e = 0.75, overhead 0.333: just so; 6.5 h: 0.371: no.
    let just = at("360", 16.30);
    near(just.efficiency.unwrap(), 0.75);
    near(just.net_usd_per_hour.unwrap(), 21.957_642 - 16.30 / 0.75);
    assert!(just.net_usd_per_hour.unwrap() > 0.0);
    assert!(
        says(&just, "Lost time adds 33 % to its hours; the discount bears 35 %"),
        "{:?}",
        just.says
    );
    let no = at("390", 16.30);
    assert!(no.net_usd_per_hour.unwrap() < 0.0 && no.gross_usd_per_hour.unwrap() > 5.0);
    assert_eq!(no.effective, Some(21.957_642), "it stays on demand");
    assert!(
        says(&no, "No: lost time adds 37 % to its hours, the discount bears 35 %"),
        "{:?}",
        no.says
    );
    // 70 % off bear 2.33: the same loss is little to them.
    assert!(at("390", 21.957_642 * 0.3).net_usd_per_hour.unwrap() > 10.0);
    // Nothing is ever finished.
    let never = at("1440", 2.0);
    assert_eq!((never.efficiency, never.net_usd_per_hour), (Some(0.0), Some(0.0)));
    assert_eq!(never.effective, Some(21.957_642));
}

/// Two of seven zones price p5 at on demand; where that is the best, the answer is no.
#[test]
fn zones_at_the_price_of_on_demand_are_named() {
    let seven = [
        ("a", 55.04),
        ("b", 19.2531),
        ("c", 21.1543),
        ("d", 55.04),
        ("e", 25.7522),
        ("f", 17.6289),
        ("-atl-2a", 10.2397),
    ];
    let world = World::default()
        .with(instance("i-1", "p5.48xlarge", TRAINS))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &seven);
    let row = world.row("i-1");
    assert_eq!(&*row.zones[0].az, "us-east-1f");
    assert!(
        says(&row, "2 of 6 zones cost what on demand does or more: us-east-1a, us-east-1d."),
        "{:?}",
        row.says
    );
    let dear = World::default()
        .with(instance("i-1", "p5.48xlarge", TRAINS))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 55.04), ("d", 60.0)]);
    let row = dear.row("i-1");
    assert_eq!((row.fit, row.gross_usd_per_hour), (SpotFit::Yes, Some(0.0)));
    assert!(row.net_usd_per_hour.unwrap() < 0.0);
    assert_eq!(row.effective, Some(55.04));
    assert!(row.says[0].starts_with("No: Spot costs $55.04/h"), "{:?}", row.says);
    assert!(dear.mixed().is_empty());
}

#[test]
fn what_is_not_known_stays_so() {
    let known = |row: &SpotRow| {
        (row.effective.is_some(), row.gross_usd_per_hour.is_some(), row.net_usd_per_hour.is_some())
    };
    let one = || World::default().with(instance("i-1", "p5.48xlarge", TRAINS));
    let no_spot = one().on_demand("p5.48xlarge", 55.04).row("i-1");
    assert_eq!(known(&no_spot), (false, false, false));
    assert!(says(&no_spot, "No price on Spot is known"));
    let no_list = one().spot("p5.48xlarge", &[("a", 20.0)]).row("i-1");
    assert_eq!(known(&no_list), (false, false, false));
    assert!(says(&no_list, "No price on demand is known"));
    // Commitments were never read: the net is not the gross.
    let mut unread = one().on_demand("p5.48xlarge", 55.04).spot("p5.48xlarge", &[("a", 20.0)]);
    unread.holdings = None;
    assert_eq!(known(&unread.row("i-1")), (true, true, false));
    assert!(says(&unread.row("i-1"), "Net unknown"));
    assert_eq!(unread.mixed()[0].net_usd_per_hour, None);
    // Unknown work has prices and no worth.
    let unknown = World::default()
        .with(instance("i-1", "p5.48xlarge", &[]))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 20.0)])
        .row("i-1");
    assert_eq!(known(&unknown), (false, false, false));
    assert_eq!(unknown.zones.len(), 1);
    assert!(
        says(&unknown, "$20.00/h on Spot in us-east-1a, $55.04/h on demand"),
        "{:?}",
        unknown.says
    );
}

/// Trap 9 for Spot: what a reservation pays for frees nothing when it moves.
#[test]
fn what_a_commitment_pays_for_is_not_saved_again() {
    let world = World::default()
        .many(2, "i-", "g5.xlarge", &[("workload", "batch")])
        .on_demand("g5.xlarge", 1.006)
        .spot("g5.xlarge", &[("a", 0.4)])
        .reserved(2, "g5.xlarge", 0.6);
    let row = world.row("i-0");
    near(row.gross_usd_per_hour.unwrap(), 0.606);
    let on_spot = 0.4 / (1.0 - 0.75 / 24.0);
    near(row.net_usd_per_hour.unwrap(), -0.7 * on_spot);
    assert!(says(&row, "No: Reserved Instances ri-1 pays for it until"), "{:?}", row.says);
    // One reservation for two: each alone could go, since the other takes it; not both.
    let world = World::default()
        .many(2, "i-", "g5.xlarge", &[("workload", "batch")])
        .on_demand("g5.xlarge", 1.006)
        .spot("g5.xlarge", &[("a", 0.4)])
        .reserved(1, "g5.xlarge", 0.6);
    let alone = world.row("i-0").net_usd_per_hour.unwrap();
    near(alone, 0.7 * (1.006 - on_spot));
    let together = world.mixed()[0].net_usd_per_hour.unwrap();
    near(together, 0.7 * (1.006 - 2.0 * on_spot));
    assert!(together < 2.0 * alone);
}

#[test]
fn room_that_is_kept_goes_on_billing() {
    let mut inside = instance("i-1", "p4d.24xlarge", TRAINS);
    inside.capacity_reservation = Some("cr-1".into());
    let row = World::default()
        .with(inside)
        .on_demand("p4d.24xlarge", 21.957_642)
        .spot("p4d.24xlarge", &[("a", 8.0)])
        .room("cr-1", 1, "p4d.24xlarge")
        .row("i-1");
    // The room costs what the instance did: Spot comes on top of it.
    near(row.net_usd_per_hour.unwrap(), -0.7 * 8.0 / row.efficiency.unwrap());
    assert!(row.gross_usd_per_hour.unwrap() > 13.0);
    assert!(says(&row, "its capacity reservation goes on billing the room"), "{:?}", row.says);
}
