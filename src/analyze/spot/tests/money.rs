//! Figures by hand. The gaps: 5 min to write, 15 min to restart, Spot for 70% of the time.

use super::fixture::{World, instance, near};
use crate::domain::{CommitmentKind, Figure, Interruption, NetNote};
use crate::fleet::savings::{SpotFit, SpotNote, SpotRow};

const TRAINS: &[(&str, &str)] = &[("workload", "training")];

/// What `of` takes from the note that it is of.
fn noted<T>(row: &SpotRow, of: impl Fn(&SpotNote) -> Option<T>) -> T {
    row.says.iter().find_map(|note| of(note)).unwrap_or_else(|| panic!("{:?}", row.says))
}

/// Time lost by interruptions and the discount that bears it, shares of 1; whether it pays.
fn balance(row: &SpotRow) -> (f64, f64, bool) {
    noted(row, |note| match note {
        SpotNote::Pays { lost, bears, .. } => Some((lost.0, bears.0, true)),
        SpotNote::LosesMore { lost, bears } => Some((lost.0, bears.0, false)),
        _ => None,
    })
}

#[test]
fn a_training_box_by_hand() {
    let row = World::default()
        .with(instance("i-1", "p5.48xlarge", TRAINS))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 20.79)])
        .row("i-1");
    // >20%: once a day. √(2 · (1/12) · 24) = 2 h between checkpoints; lost are
    // (1/12) ÷ 2 + (1 + 0.25) ÷ 24 = 0.041667 + 0.052083 = 0.09375.
    assert_eq!(row.interruption.as_ref().unwrap().0, Interruption::Above20);
    near(row.checkpoint_every_hours.unwrap(), 2.0);
    near(row.efficiency.unwrap(), 0.90625);
    // 20.79 ÷ 0.90625 = 22.940690; 0.7 · that + 0.3 · 55.04 = 32.570483.
    near(row.effective.unwrap(), 32.570_482_8);
    near(row.gross_usd_per_hour.unwrap(), 34.25);
    // 0.7 · (55.04 − 22.940690).
    near(row.net_usd_per_hour.unwrap(), 22.469_517_2);
    let (lost, bears, pays) = balance(&row);
    near(lost, 1.0 / 0.90625 - 1.0);
    near(bears, 55.04 / 20.79 - 1.0);
    assert!(pays);
    let each = noted(&row, |note| match note {
        SpotNote::InterruptedPerhaps { each, .. } => Some(each.0),
        _ => None,
    });
    near(each, 24.0);
    let assumed = noted(&row, |note| match note {
        SpotNote::Assumed { checkpoint, restart, .. } => Some((*checkpoint, *restart)),
        _ => None,
    });
    assert_eq!(assumed, (Some(Figure(5.0 / 60.0)), Some(Figure(0.25))));
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
    assert!(row.says.iter().any(|n| **n == SpotNote::MustCheckpoint(Some(Figure(4.0)))));
    let from = noted(&row, |note| match note {
        SpotNote::Shortened { from, to } => (to.0 == 4.0).then_some(from.0),
        _ => None,
    });
    assert!((from - 48.7030).abs() < 1e-3, "{from}");
    // 1 − (1/12) ÷ 4 − λ · (2 + 1/4).
    near(row.efficiency.unwrap(), 1.0 - 0.020_833_333 - 0.000_158_096);
    let zones = noted(&row, |note| match note {
        SpotNote::OtherZone { best, here, spot: None } => Some((best.clone(), here.clone())),
        _ => None,
    });
    assert_eq!((&*zones.0, &*zones.1), ("us-east-1b", "us-east-1a"));
    let each = noted(&row, |note| match note {
        SpotNote::Interrupted { band: Interruption::Below5, each, .. } => Some(each.0),
        _ => None,
    });
    assert!((each / 24.0 - 593.0).abs() < 0.5, "{each}");
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

/// Trap 13: no discount is 70% by nature; 26% off bear an overhead of 0.35 and no more.
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
    // p4d's own figures of 2026: 16.30 of 21.957_642 is 25.77% off and bears 0.347. An interruption a
    // day that takes 6 h leaves e = 0.75, overhead 0.333: just so; 6.5 h: 0.371: no.
    let just = at("360", 16.30);
    near(just.efficiency.unwrap(), 0.75);
    near(just.net_usd_per_hour.unwrap(), 21.957_642 - 16.30 / 0.75);
    assert!(just.net_usd_per_hour.unwrap() > 0.0);
    let bears = 21.957_642 / 16.30 - 1.0;
    let (lost, limit, pays) = balance(&just);
    near(lost, 1.0 / 0.75 - 1.0);
    near(limit, bears);
    assert!(pays);
    let no = at("390", 16.30);
    assert!(no.net_usd_per_hour.unwrap() < 0.0 && no.gross_usd_per_hour.unwrap() > 5.0);
    assert_eq!(no.effective, Some(21.957_642), "it stays on demand");
    let (lost, limit, pays) = balance(&no);
    near(lost, 1.0 / (1.0 - 6.5 / 24.0) - 1.0);
    near(limit, bears);
    assert!(!pays);
    // 70% off bear 2.33: the same loss is little to them.
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
    let dear = noted(&row, |note| match note {
        SpotNote::DearZones { dear, of: 6 } => Some(dear.join(" ")),
        _ => None,
    });
    assert_eq!(dear, "us-east-1a us-east-1d");
    let dear = World::default()
        .with(instance("i-1", "p5.48xlarge", TRAINS))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 55.04), ("d", 60.0)]);
    let row = dear.row("i-1");
    assert_eq!((row.fit, row.gross_usd_per_hour), (SpotFit::Yes, Some(0.0)));
    assert!(row.net_usd_per_hour.unwrap() < 0.0);
    assert_eq!(row.effective, Some(55.04));
    let SpotNote::Dearer { spot, .. } = &*row.says[0] else { panic!("{:?}", row.says) };
    assert_eq!(*spot, Figure(55.04));
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
    assert_eq!(*no_spot.says[0], SpotNote::NoPrice { is_on_demand: false });
    let no_list = one().spot("p5.48xlarge", &[("a", 20.0)]).row("i-1");
    assert_eq!(known(&no_list), (false, false, false));
    assert_eq!(*no_list.says[0], SpotNote::NoPrice { is_on_demand: true });
    // Commitments were never read: the net is not the gross.
    let mut unread = one().on_demand("p5.48xlarge", 55.04).spot("p5.48xlarge", &[("a", 20.0)]);
    unread.holdings = None;
    assert_eq!(known(&unread.row("i-1")), (true, true, false));
    assert!(unread.row("i-1").says.iter().any(|n| **n == SpotNote::NetUnread));
    assert_eq!(unread.mixed()[0].net_usd_per_hour, None);
    // Unknown work has prices and no worth.
    let unknown = World::default()
        .with(instance("i-1", "p5.48xlarge", &[]))
        .on_demand("p5.48xlarge", 55.04)
        .spot("p5.48xlarge", &[("a", 20.0)])
        .row("i-1");
    assert_eq!(known(&unknown), (false, false, false));
    assert_eq!(unknown.zones.len(), 1);
    let (spot, on_demand) = (Figure(20.0), Figure(55.04));
    let would_cost = SpotNote::IfItBears { spot, az: "us-east-1a".into(), on_demand };
    assert_eq!(*unknown.says[1], would_cost, "{:?}", unknown.says);
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
    let (kind, id) = noted(&row, |note| match note {
        SpotNote::PaidBy { kind, id, until: Some(_), is_no: true } => Some((*kind, id.clone())),
        _ => None,
    });
    assert_eq!((kind, &*id), (CommitmentKind::ReservedInstances, "ri-1"));
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
    let note = noted(&row, |note| match note {
        SpotNote::Net(note) => Some(*note),
        _ => None,
    });
    assert_eq!(note, NetNote::CapacityStaysBilled);
}
