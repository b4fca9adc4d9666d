//! Nodes of HyperPod through the real clients: a cluster and its nodes from moto, with names and capacity planted, and jobs of a file
//! that name them.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fault::Fault;
use crate::world::World;

/// A home with one job on two nodes of four and one on the Spot node, for two hours each.
fn home(world: &World) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join(".config/burntop");
    std::fs::create_dir_all(&dir).unwrap();
    let config = "[[jobs.sagemaker]]\nname = 'ml'\nregions = ['eu-west-3']\n";
    std::fs::write(dir.join("config.toml"), config).unwrap();
    let now = Timestamp::now();
    let hour = |ago: i64| (now - SignedDuration::from_hours(ago)).to_string();
    let job = |id: &str, gpus: u32, nodes: Value| {
        json!({"id": id, "start": hour(5), "end": hour(3), "status": "COMPLETED", "gpus": gpus,
            "nodes": nodes})
    };
    let jobs = [
        job("two", 16, json!(["ip-10-9-8-1", "ip-10-9-8-3"])),
        job("spot", 8, json!(["ip-10-9-8-4"])),
    ];
    let file = home.path().join("jobs.jsonl");
    std::fs::write(&file, jobs.map(|job| format!("{job}\n")).concat()).unwrap();
    let output = world.run(home.path(), &["jobs", "import", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
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

/// Fields of a job.
fn told(report: &Value, job: &str) -> [Value; 3] {
    let mut rows = report["rows"].as_array().unwrap().iter();
    let row = rows.find(|row| row["job_id"] == job).unwrap();
    ["instance_type", "type_from", "price_from"].map(|key| row[key].clone())
}

#[test]
fn jobs_on_nodes_of_hyperpod_cost_what_sagemaker_asks_for_them() {
    let world = World::fine();
    let home = home(&world);
    let (report, said) = jobs(&world, &home, 0);
    let of = |price: Value| [json!("ml.p5.48xlarge"), json!("hyperpod"), price];
    assert_eq!(told(&report, "two"), of(json!("list")));
    assert_eq!(told(&report, "spot"), of(Value::Null));
    // 2 h × 2 nodes × $98.25, and of the Spot node nobody knows.
    let usd = report["total"]["usd"].as_f64().unwrap();
    assert!((usd - 393.0).abs() < 1e-6, "{usd}");
    assert_eq!(report["total"]["unpriced_attempts"], 1);
    assert!(said.contains("Spot"), "{said}");
    // What was read stays known when SageMaker is not asked.
    let output = world.run(home.path(), &["jobs", "--offline", "--format", "json"]);
    let kept: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&kept, "two"), of(json!("list")));
}

#[test]
fn nodes_that_may_not_be_listed_are_said_and_leave_the_jobs() {
    let denied = World::with_ec2(|asked| match asked.action.as_str() {
        "SageMaker.ListClusters" => Fault::Deny,
        _ => Fault::Pass,
    });
    let home = home(&denied);
    let (report, said) = jobs(&denied, &home, 3);
    assert!(said.contains("sagemaker:ListClusters"), "{said}");
    assert_eq!(report["total"]["attempts"], 2);
    assert_eq!(
        (&report["total"]["usd"], told(&report, "two")),
        (&Value::Null, [const { Value::Null }; 3])
    );
}
