//! Bad days behind the cockpit: networks, credentials and caches that fail. What was read stays
//! on screen with its age, and the header and the log say what is wrong.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::fault::Fault;
use crate::world::{REGIONS, World, cache_dir, quit, refresh_until, warm_home};

/// A world whose EC2 fails as the switch says, STS left alone.
fn switchable() -> (World, Arc<Mutex<Fault>>) {
    let switch = Arc::new(Mutex::new(Fault::Pass));
    let now = Arc::clone(&switch);
    let world =
        World::with_ec2(
            move |request| {
                if request.service == "ec2" { *now.lock().unwrap() } else { Fault::Pass }
            },
        );
    (world, switch)
}

#[test]
fn whatever_fails_in_mid_run_the_last_good_rows_stay_and_the_header_says_why() {
    let home = warm_home();
    let (world, switch) = switchable();
    let mut cockpit = world.cockpit(home.path());
    cockpit.send("3");
    refresh_until(&mut cockpit, "ec2 <10s");
    for (fault, word, log) in [
        (Fault::Expired, "ec2 expired 2/2", "the credentials of default have expired"),
        (Fault::Deny, "ec2 denied 2/2", "allow ec2:DescribeInstances"),
        (Fault::Skewed, "ec2 clock skew 2/2", "set the clock (NTP), then refresh"),
        (Fault::Garbage, "ec2 malformed 2/2", "makes no sense"),
        (Fault::HalfThenReset, "ec2 unreachable 2/2", "the connection broke"),
        (Fault::Throttle, "ec2 throttled 2/2", "asks to slow down"),
    ] {
        *switch.lock().unwrap() = fault;
        refresh_until(&mut cockpit, word);
        cockpit.wait_for("16 instances");
        cockpit.wait_for_line(&["train-7b-old", "IDLE", "21.50"]);
        cockpit.wait_for_line(&["eval-sweep", "5/8 idle", "55.50"]);
        cockpit.send("!");
        cockpit.wait_for("Failing now");
        cockpit.wait_for("last good reading");
        cockpit.wait_for(log);
        cockpit.send("!");
        cockpit.wait_for("16 instances");
    }
    *switch.lock().unwrap() = Fault::Pass;
    refresh_until(&mut cockpit, "ec2 <10s");
    cockpit.send("!");
    cockpit.wait_for("Every source answers.");
    cockpit.wait_for("works again");
    cockpit.send("!");
    quit(cockpit);
}

#[test]
fn a_second_start_paints_the_fleet_while_every_endpoint_hangs() {
    let home = warm_home();
    let later = (Timestamp::now() + SignedDuration::from_mins(90)).to_string();
    let args = [&REGIONS[..], &["--now", &later]].concat();
    let mut cockpit = World::hanging().cockpit_with(home.path(), &args, &[]);
    cockpit.wait_for("15 of 16 running");
    cockpit.wait_for_line(&["burntop", "1234…9012", "ec2 ~1h", "cw 1h", "prices 1h"]);
    cockpit.wait_for("burn ~$");
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.wait_for_line(&["eval-sweep", "5/8 idle"]);
    cockpit.wait_for("16 instances");
    // When nobody answered in time, one account is still one account.
    cockpit.wait_for("sts timeout");
    assert!(!cockpit.screen().contains("2 accounts"), "{}", cockpit.screen());
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    quit(cockpit);
}

#[test]
fn an_endpoint_that_never_answers_is_given_up_and_keys_work_meanwhile() {
    let home = tempfile::tempdir().unwrap();
    let mut cockpit = World::hanging().cockpit(home.path());
    cockpit.wait_for("burntop");
    cockpit.send("?");
    cockpit.wait_for("On every page");
    cockpit.send("?");
    cockpit.wait_gone("On every page");
    cockpit.wait_for("timeout");
    cockpit.send("!");
    cockpit.wait_for("sts:GetCallerIdentity");
    cockpit.wait_for("check the network path to the endpoint");
    cockpit.send("!");
    quit(cockpit);
}

#[test]
fn throttling_at_the_start_is_ridden_out() {
    let home = tempfile::tempdir().unwrap();
    // Until it was seen: other calls of EC2 would use up a storm of so many requests.
    let storm = Arc::new(AtomicBool::new(true));
    let blows = Arc::clone(&storm);
    let world = World::with_ec2(move |request| {
        let throttled = request.action == "DescribeInstances" && blows.load(Ordering::SeqCst);
        if throttled { Fault::Throttle } else { Fault::Pass }
    });
    let mut cockpit = world.cockpit(home.path());
    cockpit.wait_for("ec2 throttled");
    storm.store(false, Ordering::SeqCst);
    cockpit.send("3");
    // burntop comes back by itself; nobody presses a key.
    cockpit.wait_for("16 instances");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    quit(cockpit);
}

#[test]
fn without_credentials_the_first_screen_says_so_and_d_opens_the_demo() {
    let home = tempfile::tempdir().unwrap();
    let world = World { credentials: false, ..World::fine() };
    let mut cockpit = world.cockpit(home.path());
    cockpit.wait_for("burntop found no AWS credentials, so there is no fleet to show.");
    cockpit.wait_for("Press d for the demo");
    cockpit.send("d");
    cockpit.wait_for("DEMO");
    cockpit.wait_for("3 accounts");
    cockpit.send("3");
    cockpit.wait_for_line(&["eval-sweep", "5/8 idle"]);
    cockpit.wait_gone("no AWS credentials");
    quit(cockpit);
}

#[test]
fn a_region_without_instances_says_so() {
    let home = tempfile::tempdir().unwrap();
    let mut cockpit = World::fine().cockpit_with(home.path(), &["--region", "eu-west-3"], &[]);
    cockpit.wait_for_line(&["burntop", "ec2 <10s"]);
    cockpit.send("3");
    cockpit.wait_for("No instance in any account and region that is read.");
    quit(cockpit);
}

#[test]
fn a_tag_of_ten_kilobytes_of_emoji_breaks_no_line() {
    let home = tempfile::tempdir().unwrap();
    let world = World::with_ec2(|request| {
        if request.action == "DescribeInstances" { Fault::Emoji } else { Fault::Pass }
    });
    let mut cockpit = world.cockpit(home.path());
    cockpit.send("3");
    cockpit.wait_for("16 instances");
    cockpit.wait_for_line(&["🔥🔥", "m5.xlarge"]);
    cockpit.wait_for_line(&["train-7b-old", "p4d.24xlarge", "IDLE"]);
    quit(cockpit);
}

#[test]
fn two_cockpits_share_one_cache() {
    let home = tempfile::tempdir().unwrap();
    let world = World::fine();
    let mut both = [world.cockpit(home.path()), world.cockpit(home.path())];
    for cockpit in &mut both {
        cockpit.send("3");
        cockpit.wait_for("16 instances");
        cockpit.wait_for_line(&["eval-sweep", "5/8 idle"]);
    }
    let [first, second] = both;
    quit(first);
    // The other one goes on, with the cache still in use.
    let mut second = second;
    second.send(":preset mean-cpu\r");
    second.wait_for_line(&["weekly-batch", "IDLE"]);
    quit(second);
    let stats = world.run(home.path(), &["cache", "stats"]);
    assert_eq!(stats.status.code(), Some(0));
    assert!(asides(&cache_dir(home.path())).is_empty());
}

/// Files that were set aside as unusable.
fn asides(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name());
    names.filter_map(|n| n.into_string().ok()).filter(|n| n.contains(".broken-")).collect()
}

#[test]
fn a_corrupt_cache_is_set_aside_and_the_work_goes_on() {
    let home = warm_home();
    let file = cache_dir(home.path()).join("burntop.db");
    assert!(file.exists());
    std::fs::write(&file, "this is no database\n".repeat(1_000)).unwrap();
    for rest in ["burntop.db-wal", "burntop.db-shm"] {
        let _ = std::fs::remove_file(file.with_file_name(rest));
    }
    let mut cockpit = World::fine().cockpit(home.path());
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("!");
    cockpit.wait_for("is not an SQLite database");
    cockpit.wait_for("it was set aside as");
    cockpit.send("!");
    quit(cockpit);
    let kept = asides(&cache_dir(home.path()));
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = std::fs::read_to_string(cache_dir(home.path()).join(&kept[0])).unwrap();
    assert!(kept.starts_with("this is no database"));
}

#[test]
fn a_cache_that_cannot_be_written_lives_in_memory_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    // A file where the directory should be stops root as well, which no permission does.
    std::fs::write(home.path().join(".cache"), "").unwrap();
    let mut cockpit = World::fine().cockpit(home.path());
    cockpit.send("3");
    cockpit.wait_for_line(&["train-7b-old", "IDLE"]);
    cockpit.send("!");
    cockpit.wait_for("burntop goes on in memory");
    cockpit.send("!");
    cockpit.wait_until_quiet(Duration::from_millis(200));
    quit(cockpit);
}
