//! What stopping saves, gross and net, through the real program: they differ exactly where a
//! commitment was planted, and where commitments cannot be read the net is not known.

use std::collections::BTreeSet;
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::committed::Committed;
use crate::emulators::emulators;
use crate::fault::{Fault, proxy};
use crate::world::{DEAD, World};

const BOTH: &[&str] =
    &["idle", "--format", "json", "--region", "us-east-1", "--region", "eu-west-1"];

fn world(committed: Committed) -> World {
    World { ec2: committed.before(&emulators().moto), ..World::fine() }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Gross and net of a case, USD/h; `None` for null.
fn both(report: &Value, case: &str) -> (Option<f64>, Option<f64>) {
    let id = &emulators().ids[case];
    let rows = report["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["instance_id"] == **id).unwrap();
    assert!(row.get("net_usd_per_hour").is_some(), "the field is always there");
    (row["usd_per_hour"].as_f64(), row["net_usd_per_hour"].as_f64())
}

#[track_caller]
fn assert_net(report: &Value, case: &str, gross: f64, net: Option<f64>) {
    let got = both(report, case);
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-6,
        (a, b) => a == b,
    };
    assert!(near(got.0, Some(gross)) && near(got.1, net), "{case}: {got:?}, not {gross} {net:?}");
}

#[track_caller]
fn read(world: &World, code: i32) -> Value {
    let home = tempfile::tempdir().unwrap();
    let output = world.run(home.path(), BOTH);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    json(&output)
}

#[test]
fn gross_and_net_differ_exactly_where_a_commitment_was_planted() {
    // One p4d is reserved; the plan takes $30 for a p5 and promises twice that: both are paid on
    // whether the boxes run or not.
    let committed = Committed::default()
        .reserved("us-east-1", "p4d.24xlarge", 1, 13.0, 200)
        .plan("sp-p5", "p5", 60.0, &[("p5.48xlarge", 30.0)])
        .capacity("us-east-1", "g5.12xlarge", 2);
    let report = read(&world(committed), 0);
    assert_net(&report, "train-7b-old", 21.5, Some(0.0));
    assert_net(&report, "eval-sweep", 55.5, Some(0.0));
    for (case, usd) in [
        ("protected", 1.0),
        ("asg-member", 1.0),
        ("forgotten-box", 0.2),
        ("quiet-host-busy-gpu", 16.5),
        ("agent-died", 5.5),
        ("europe-idle", 0.4),
    ] {
        assert_net(&report, case, usd, Some(usd));
    }
}

#[test]
fn an_account_without_commitments_has_a_net_that_is_the_gross() {
    let report = read(&world(Committed::default()), 0);
    for (case, usd) in [("train-7b-old", 21.5), ("eval-sweep", 55.5), ("europe-idle", 0.4)] {
        assert_net(&report, case, usd, Some(usd));
    }
}

#[test]
fn commitments_that_are_over_or_of_another_region_pay_for_nothing() {
    let committed = Committed::default()
        .reserved("us-east-1", "p4d.24xlarge", 1, 13.0, -40)
        .reserved("eu-west-1", "c5.4xlarge", 2, 0.3, 200)
        .reserved("eu-west-1", "p5.48xlarge", 1, 33.0, 200);
    let report = read(&world(committed), 0);
    assert_net(&report, "train-7b-old", 21.5, Some(21.5));
    assert_net(&report, "eval-sweep", 55.5, Some(55.5));
    let (gross, net) = both(&report, "weekly-batch");
    assert_eq!(gross, net);
}

#[test]
fn of_overlapping_commitments_the_reservation_is_first_and_nothing_is_paid_twice() {
    // Three g5.xlarge run: one on the reservation, two on the plan, which is then used up. Who stops
    // one of them frees a place that another takes, and in the end money that is spent anyhow.
    let exact = Committed::default().reserved("us-east-1", "g5.xlarge", 1, 0.55, 200).plan(
        "sp-g5",
        "g5",
        1.2,
        &[("g5.xlarge", 0.6)],
    );
    let report = read(&world(exact), 0);
    for case in ["protected", "asg-member", "started-today"] {
        assert_net(&report, case, 1.0, Some(0.0));
    }
    // With room for one alone on the plan a third is on demand: that is what stopping one saves.
    let short = Committed::default().reserved("us-east-1", "g5.xlarge", 1, 0.55, 200).plan(
        "sp-g5",
        "g5",
        0.6,
        &[("g5.xlarge", 0.6)],
    );
    let report = read(&world(short), 0);
    for case in ["protected", "asg-member", "started-today"] {
        assert_net(&report, case, 1.0, Some(1.0));
    }
}

#[test]
fn without_the_permission_the_net_is_null_and_the_action_is_named() {
    for (action, iam) in [
        ("DescribeReservedInstances", "ec2:DescribeReservedInstances"),
        ("DescribeCapacityReservations", "ec2:DescribeCapacityReservations"),
        ("DescribeSavingsPlans", "savingsplans:DescribeSavingsPlans"),
    ] {
        let held = Committed::default().reserved("us-east-1", "p4d.24xlarge", 1, 13.0, 200);
        let before = held.before(&emulators().moto);
        let ec2 = proxy(
            &before,
            move |request| {
                if request.action == action { Fault::Deny } else { Fault::Pass }
            },
        )
        .forever();
        let report = read(&World { ec2, ..World::fine() }, 3);
        for (case, usd) in [("train-7b-old", 21.5), ("europe-idle", 0.4)] {
            assert_net(&report, case, usd, None);
        }
        let errors = report["errors"].to_string();
        assert!(errors.contains(iam), "{iam}: {errors}");
    }
}

#[test]
fn rates_that_are_denied_leave_what_the_plan_may_cover_unknown() {
    let held = Committed::default().plan("sp-p5", "p5", 60.0, &[("p5.48xlarge", 30.0)]);
    let before = held.before(&emulators().moto);
    let ec2 = proxy(&before, |request| {
        if request.action == "DescribeSavingsPlanRates" { Fault::Deny } else { Fault::Pass }
    })
    .forever();
    let report = read(&World { ec2, ..World::fine() }, 3);
    assert_net(&report, "eval-sweep", 55.5, None);
    assert!(report["errors"].to_string().contains("savingsplans:DescribeSavingsPlanRates"));
}

#[test]
fn throttling_is_ridden_out_and_a_dead_endpoint_costs_the_net_alone() {
    let held = || Committed::default().reserved("us-east-1", "p4d.24xlarge", 1, 13.0, 200);
    let seen = AtomicUsize::new(0);
    let ec2 = proxy(&held().before(&emulators().moto), move |request| {
        let reserved = request.action == "DescribeReservedInstances";
        let early = reserved && seen.fetch_add(1, Ordering::SeqCst) < 2;
        if early { Fault::Throttle } else { Fault::Pass }
    })
    .forever();
    let report = read(&World { ec2, ..World::fine() }, 0);
    assert_net(&report, "train-7b-old", 21.5, Some(0.0));

    let home = tempfile::tempdir().unwrap();
    let world = world(held());
    let mut command = world.command(home.path(), BOTH);
    let output = command.env("AWS_ENDPOINT_URL_SAVINGSPLANS", DEAD).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    assert_net(&report, "train-7b-old", 21.5, None);
    let id = &emulators().ids["train-7b-old"];
    let row = report["rows"].as_array().unwrap().iter().find(|r| r["instance_id"] == **id).unwrap();
    assert_eq!(row["verdict"], "idle", "gross and verdict are as ever");
}

#[test]
fn what_was_read_once_stays_when_it_is_denied_later_and_offline() {
    let home = tempfile::tempdir().unwrap();
    let held = Committed::default().reserved("us-east-1", "p4d.24xlarge", 1, 13.0, 200);
    let before = held.before(&emulators().moto);
    let fine = World { ec2: before.clone(), ..World::fine() };
    assert_net(&json(&fine.run(home.path(), BOTH)), "train-7b-old", 21.5, Some(0.0));
    let ec2 = proxy(&before, |request| match request.action.as_str() {
        "DescribeReservedInstances" | "DescribeSavingsPlans" => Fault::Deny,
        _ => Fault::Pass,
    })
    .forever();
    let denied = World { ec2, ..World::fine() };
    let output = denied.run(home.path(), BOTH);
    assert_eq!(output.status.code(), Some(3));
    assert_net(&json(&output), "train-7b-old", 21.5, Some(0.0));
    let offline = fine.run(home.path(), &[BOTH, &["--offline"]].concat());
    assert_net(&json(&offline), "train-7b-old", 21.5, Some(0.0));
}

#[test]
fn where_discounts_are_not_shared_the_configuration_says_so() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("burntop.toml");
    std::fs::write(&config, "[commitments]\nsharing = false\n").unwrap();
    let held = Committed::default().reserved("us-east-1", "p4d.24xlarge", 1, 13.0, 200);
    let args = [BOTH, &["--config", config.to_str().unwrap()]].concat();
    let output = world(held).run(home.path(), &args);
    assert_net(&json(&output), "train-7b-old", 21.5, Some(0.0));
}

#[test]
fn a_list_reads_what_its_rows_are_made_of_and_fails_for_nothing_else() {
    const MARKET: &str = "DescribeInstanceTypeOfferings";
    const RESOURCES: &str = "DescribeAddresses";
    const VOLUMES: &str = "DescribeVolumes";
    // Whatever it is asked.
    const BUCKETS: &str = "s3";
    for (command, asks, code) in [
        ("idle", &[][..], 0),
        ("commitments", &[], 0),
        ("rightsize", &[MARKET], 0),
        ("spot", &[MARKET], 0),
        ("resources", &[RESOURCES, VOLUMES], 3),
        ("overview", &[MARKET, RESOURCES, VOLUMES, BUCKETS], 3),
    ] {
        let asked: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let log = asked.clone();
        let ec2 = proxy(&World::fine().ec2, move |request| {
            let is_s3 = request.service == BUCKETS;
            let asked = if is_s3 { &request.service } else { &request.action };
            log.lock().unwrap().insert(asked.clone());
            if request.action == RESOURCES { Fault::Deny } else { Fault::Pass }
        })
        .forever();
        let home = tempfile::tempdir().unwrap();
        let args = [command, "--region", "us-east-1"];
        let output = World { ec2, ..World::fine() }.run(home.path(), &args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{command}: {said}");
        let asked = asked.lock().unwrap();
        assert!(asked.contains("DescribeReservedInstances"), "{command}: {asked:?}");
        let of_these = [MARKET, RESOURCES, VOLUMES, BUCKETS].into_iter();
        let of_these = of_these.filter(|a| asked.contains(*a));
        assert_eq!(of_these.collect::<Vec<_>>(), asks, "{command}");
    }
}
