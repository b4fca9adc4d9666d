//! Jobs of AWS Batch, through the real clients: lists, descriptions and instances from moto, with times, attempts and GPUs planted.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::emulators::emulators;
use crate::fault::Fault;
use crate::world::World;

/// A home whose configuration names the region of the jobs, with these lines besides.
fn home(more: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join(".config/burntop");
    std::fs::create_dir_all(&dir).unwrap();
    let config = format!("[[jobs.batch]]\nname = 'batch'\nregions = ['eu-central-1']\n{more}");
    std::fs::write(dir.join("config.toml"), config).unwrap();
    home
}

/// What `burntop jobs` writes in this world, with this exit code; and what it says.
#[track_caller]
fn jobs(world: &World, home: &TempDir, code: i32) -> (Value, String) {
    let output = world.run(home.path(), &["jobs", "--format", "json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

/// Attempts of a planted case, in their order.
fn of_case<'a>(report: &'a Value, case: &str) -> Vec<&'a Value> {
    let id = &emulators().ids[case];
    let all = report["rows"].as_array().unwrap().iter();
    let mut found: Vec<&Value> =
        all.filter(|row| row["job_id"].as_str().unwrap().starts_with(id.as_str())).collect();
    found.sort_by_key(|row| (row["job_id"].to_string(), row["attempt"].as_u64()));
    found
}

/// Sums to six digits: GPU-hours or dollars.
#[track_caller]
fn assert_sum(found: &Value, wanted: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("unknown: {found}"));
    assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
}

#[test]
fn jobs_of_batch_cost_what_each_of_their_attempts_held() {
    let home = home("");
    let (report, _) = jobs(&World::fine(), &home, 0);
    // One that was tried twice (2 h, 3 h), one of 1 h, an array of two of 1 h each, a GPU each: 8. By the times of jobs alone it would be
    // 6, and with the children that moto lists beside their array once more 10.
    assert_eq!(report["total"]["attempts"], 5, "{report:#}");
    assert_sum(&report["total"]["gpu_hours"], 8.0);
    // g5.xlarge has one GPU and costs $1.258 an hour there.
    assert_sum(&report["total"]["usd"], 8.0 * 1.258);
    let retried = of_case(&report, "batch-retried");
    let told = |row: &Value| {
        ["attempt", "state", "cause", "user", "type_from", "instance_type"]
            .map(|key| row[key].clone())
    };
    let of = |attempt: u32, state: &str, cause: Value| {
        [json!(attempt), json!(state), cause, json!("ana"), json!("scheduler"), json!("g5.xlarge")]
    };
    assert_eq!(told(retried[0]), of(1, "preempted", json!("preempted")));
    assert_eq!(told(retried[1]), of(2, "completed", Value::Null));
    assert_sum(&retried[0]["usd"], 2.0 * 1.258);
    let oom = of_case(&report, "batch-oom");
    assert_eq!((oom.len(), &oom[0]["state"]), (1, &json!("out_of_memory")));
    let array = of_case(&report, "batch-array");
    let ids: Vec<String> =
        array.iter().map(|row| row["job_id"].as_str().unwrap()[36..].to_owned()).collect();
    assert_eq!(ids, [":0", ":1"], "and its parent is none");
    // Read again, each replaces itself.
    let (again, _) = jobs(&World::fine(), &home, 0);
    assert_eq!(again["total"]["attempts"], 5);
    assert_sum(&again["total"]["usd"], 8.0 * 1.258);
}

#[test]
fn without_ecs_the_hours_stay_and_dollars_are_by_the_rule_of_the_queue_or_unknown() {
    let denied =
        || World::with_ec2(|asked| if asked.service == "ecs" { Fault::Deny } else { Fault::Pass });
    let (report, said) = jobs(&denied(), &home(""), 0);
    assert!(said.contains("ecs:DescribeContainerInstances"), "{said}");
    assert_sum(&report["total"]["gpu_hours"], 8.0);
    assert_eq!(
        (&report["total"]["usd"], &report["total"]["unpriced_attempts"]),
        (&Value::Null, &json!(5))
    );
    let ruled = home("[jobs.instance_types]\ngpu = 'g5.xlarge'\n");
    let (report, _) = jobs(&denied(), &ruled, 0);
    assert_sum(&report["total"]["usd"], 8.0 * 1.258);
    assert_eq!(report["total"]["estimated_attempts"], 5);
}

#[test]
fn an_account_whose_jobs_may_not_be_read_is_said_and_the_code_is_4() {
    let denied =
        World::with_ec2(|asked| if asked.service == "batch" { Fault::Deny } else { Fault::Pass });
    let output = denied.run(home("").path(), &["jobs"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("batch:DescribeJobQueues"), "{said}");
}
