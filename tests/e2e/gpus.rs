//! Every GPU of a fleet through the whole program: a real Prometheus over 200 nodes, of which some
//! are instances of the emulated account, and the same nodes read directly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::emulators::emulators;
use crate::prometheus::{GPUS, NODES, Prometheus, Renamed};
use crate::pty::LIMIT;
use crate::world::{SECRET, World, quit};

/// Where the instances are.
const REGION: [&str; 2] = ["--region", "ap-southeast-2"];
/// List price of a p5.48xlarge by GPU.
const P5_GPU: f64 = 55.5 / 8.0;
/// A token that must stay where it is.
const TOKEN: &str = "glsa_e2eTOKENe2eTOKEN";

/// Every field of a row.
const FIELDS: &[&str] = &[
    "account",
    "region",
    "instance_id",
    "node",
    "gpu_index",
    "uuid",
    "model",
    "mig",
    "state",
    "rung",
    "util",
    "sm_active",
    "tensor_active",
    "dram_active",
    "enc",
    "dec",
    "mem_used",
    "mem_total",
    "power_w",
    "power_limit_w",
    "temp_c",
    "xid",
    "owner",
    "team",
    "usd_per_hour",
    "idle_since",
    "wasted_usd",
    "age_s",
    "sources",
];

/// A Prometheus over the nodes, the world of the emulators, and a home with configurations.
struct Lab {
    prometheus: Prometheus,
    world: World,
    home: tempfile::TempDir,
}

impl Lab {
    fn start() -> Option<Self> {
        let hosts = &emulators().hosts;
        let address = format!("{}:9400", hosts["by-address"].ip);
        let prometheus = Prometheus::with_history_of(&[
            // In Kubernetes an exporter often has the name of its pod.
            Renamed { node: 3, host: "nvidia-dcgm-exporter-x7k2p", instance: &address },
            Renamed { node: 4, host: &hosts["by-name"].dns, instance: "gpu-node-0004:9400" },
        ])?;
        let home = tempfile::tempdir().unwrap();
        let server = format!(
            "[idle.presets.short]\nwindow_hours = 24\n[[gpus.prometheus]]\nname = \"lab\"\n\
             url = \"{}\"\nbearer_token = \"{TOKEN}\"\n",
            prometheus.url
        );
        std::fs::write(home.path().join("prometheus.toml"), server).unwrap();
        let page =
            |node| format!("\"http://127.0.0.1:{}/metrics?node={node}\"", prometheus.exporter);
        let pages: Vec<String> = (0..NODES).map(page).collect();
        let exporters = format!(
            "[gpus]\ncloudwatch = false\n[[gpus.exporters]]\nname = \"nodes\"\ntargets = [{}]\n",
            pages.join(", ")
        );
        std::fs::write(home.path().join("exporters.toml"), exporters).unwrap();
        std::fs::write(home.path().join("none.toml"), "[idle.presets.short]\nwindow_hours = 24\n")
            .unwrap();
        Some(Self { prometheus, world: World::fine(), home })
    }

    fn run(&self, config: &str, args: &[&str]) -> Output {
        let config = self.home.path().join(config);
        let all = [args, &REGION, &["--config", config.to_str().unwrap()]].concat();
        self.world.run(self.home.path(), &all)
    }

    fn json(&self, config: &str, args: &[&str]) -> Value {
        let output = self.run(config, &[args, &["--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn text(&self, args: &[&str]) -> String {
        let output = self.run("prometheus.toml", args);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

fn of_instance<'a>(report: &'a Value, case: &str) -> Vec<&'a Value> {
    let id = &emulators().ids[case];
    let mut own: Vec<_> = rows(report).iter().filter(|r| r["instance_id"] == **id).collect();
    own.sort_by_key(|r| r["gpu_index"].as_u64());
    own
}

fn by_uuid(report: &Value) -> BTreeMap<&str, &Value> {
    rows(report).iter().map(|r| (r["uuid"].as_str().unwrap(), r)).collect()
}

fn states(report: &Value) -> BTreeMap<&str, usize> {
    let mut all = BTreeMap::new();
    for row in rows(report) {
        *all.entry(row["state"].as_str().unwrap()).or_default() += 1;
    }
    all
}

#[test]
fn sixteen_hundred_gpus_through_a_real_prometheus_and_directly() {
    let Some(lab) = Lab::start() else { return };
    let until = Instant::now() + LIMIT;
    let report = loop {
        let report = lab.json("prometheus.toml", &["gpus"]);
        // The queries of the first seconds are answered before and after the first scrapes.
        let whole = |r: &&Value| !r["sm_active"].is_null() && !r["power_w"].is_null();
        let settled = rows(&report).iter().filter(whole).count();
        if settled == NODES * GPUS {
            break report;
        }
        assert!(Instant::now() < until, "{settled} of {} rows", rows(&report).len());
        std::thread::sleep(Duration::from_millis(500));
    };
    priced_owned_and_judged(&report);
    on_the_screen(&lab);
    other_forms(&lab);
    hours_judge_instances(&lab);
    directly(&lab);
    examined(&lab);
    recorded(&lab);
    one_is_down(&lab);
}

/// The rows of instances have their price, team, owner and state; the rest is listed without.
fn priced_owned_and_judged(report: &Value) {
    assert_eq!(report["schema"], "burntop/gpus/1");
    assert_eq!(report["errors"], Value::Array(vec![]), "{report:#}");
    let fields: BTreeSet<&str> =
        rows(report)[0].as_object().unwrap().keys().map(String::as_str).collect();
    let missing: Vec<_> = FIELDS.iter().filter(|f| !fields.contains(**f)).collect();
    assert!(missing.is_empty(), "{missing:?}");

    let idle = of_instance(report, "by-name");
    assert_eq!(idle.len(), GPUS);
    for (index, row) in idle.iter().enumerate() {
        assert_eq!(row["state"], "unallocated_idle", "{row:#}");
        assert_eq!(row["gpu_index"], index);
        assert_eq!(row["usd_per_hour"], P5_GPU);
        assert_eq!(row["waste_usd_per_hour"], P5_GPU);
        assert_eq!((&row["team"], &row["region"]), (&"nlp".into(), &"ap-southeast-2".into()));
        assert_eq!((&row["rung"], &row["power_w"]), (&"a".into(), &71.5.into()));
        assert_eq!(row["sources"], serde_json::json!(["prom"]), "CloudWatch knows none of it");
        assert!(row["owner"]["pod"].is_null(), "the exporter's pod holds nothing: {row:#}");
        // From the hours that Prometheus remembers, the oldest that were asked for.
        let since: Timestamp = row["idle_since"].as_str().unwrap().parse().unwrap();
        let hours = Timestamp::now().duration_since(since).as_secs_f64() / 3600.0;
        assert!((1.0..27.0).contains(&hours), "{row:#}");
        let wasted = row["wasted_usd"].as_f64().unwrap();
        assert!((wasted - hours * P5_GPU).abs() < 0.1 * P5_GPU, "{hours} h: {row:#}");
    }
    let busy = of_instance(report, "by-address");
    assert_eq!(busy.len(), GPUS);
    for (index, row) in busy.iter().enumerate() {
        assert_eq!(row["state"], "busy", "{row:#}");
        assert_eq!((&row["team"], &row["usd_per_hour"]), (&"vision".into(), &P5_GPU.into()));
        // The labels of the target displaced those of the series.
        assert_eq!(row["owner"]["namespace"], "team-3");
        assert_eq!(row["owner"]["pod"], "llm-0-3");
        let sm_active = 0.5 + index as f64 / 20.0;
        assert!((row["sm_active"].as_f64().unwrap() - sm_active).abs() < 1e-6, "{row:#}");
        assert_eq!(row["power_w"], 500 + 10 * index);
        assert_eq!(row["mem_used"], 60_000_u64 << 20, "bytes");
        assert_eq!((&row["wasted_usd"], &row["idle_since"]), (&Value::Null, &Value::Null));
    }
    let blind = report["blind"].as_array().unwrap();
    assert_eq!(blind.len(), 1, "{blind:#?}");
    assert_eq!(blind[0]["instance_id"], *emulators().ids["unseen"]);
    assert!(blind[0]["fix"].as_str().unwrap().contains("dcgm-exporter"));

    // Every fifth node does nothing; of those without a history that is not known at once.
    let states = states(report);
    let of = |state| states.get(state).copied().unwrap_or(0);
    assert_eq!(of("busy"), NODES / 5 * 4 * GPUS, "{states:?}");
    assert_eq!(of("unknown") + of("unallocated_idle"), NODES / 5 * GPUS, "{states:?}");
    for row in rows(report).iter().filter(|r| r["state"] == "unknown") {
        assert!(row["reason"].as_str().unwrap().starts_with("quiet"), "{row:#}");
    }
    let others = rows(report).iter().filter(|r| r["instance_id"].is_null());
    assert!(others.clone().all(|r| r["usd_per_hour"].is_null() && r["wasted_usd"].is_null()));
    assert_eq!(others.count(), (NODES - 2) * GPUS);
}

/// Groups, filters, tables and exit codes.
fn other_forms(lab: &Lab) {
    let groups = lab.json("prometheus.toml", &["gpus", "--group", "team"]);
    assert_eq!(groups["schema"], "burntop/gpu_groups/1");
    let team = |name: Value| {
        let found = rows(&groups).iter().find(|r| r["group"] == name);
        found.unwrap_or_else(|| panic!("{groups:#}"))
    };
    let nlp = team("nlp".into());
    assert_eq!((&nlp["count"], &nlp["states"]["unallocated_idle"]), (&8.into(), &8.into()));
    assert_eq!((&nlp["usd_per_hour"], &nlp["waste_usd_per_hour"]), (&55.5.into(), &55.5.into()));
    assert_eq!(team("vision".into())["waste_usd_per_hour"], 0.0);
    let nobody = team(Value::Null);
    assert_eq!(nobody["unpriced"], (NODES - 2) * GPUS);

    let nlp = lab.json("prometheus.toml", &["gpus", "--filter", "team=nlp"]);
    assert_eq!(rows(&nlp).len(), GPUS);
    let pods = lab.json("prometheus.toml", &["gpus", "--filter", "owner~llm-0-3 state=busy"]);
    assert_eq!(rows(&pods).len(), GPUS);
    let wrong = lab.run("prometheus.toml", &["gpus", "--filter", "verdict=underused"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", said(&wrong));
    assert!(said(&wrong).contains("--filter"), "{}", said(&wrong));

    let csv = lab.text(&["gpus", "--format", "csv"]);
    assert_eq!(csv.lines().count(), NODES * GPUS + 1);
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for field in FIELDS.iter().filter(|f| **f != "owner") {
        assert!(head.contains(field), "no {field} in {head:?}");
    }
    let md = lab.text(&["gpus", "--format", "md", "--filter", "team=nlp"]);
    assert_eq!(md.lines().filter(|l| l.starts_with('|')).count(), GPUS + 2, "{md}");
    let table = lab.text(&["gpus", "--filter", "team=nlp"]);
    for words in ["$55.50/h", "8 unallocated", "8 of 1,600 GPUs", "GPU telemetry missing on 1"] {
        assert!(table.contains(words), "no {words}\n{table}");
    }
    let found = lab.run("prometheus.toml", &["gpus", "--fail-on", "waste>50"]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(said(&found).contains("--fail-on"), "{}", said(&found));
}

/// What Prometheus remembers decides where CloudWatch knows nothing of the GPUs.
fn hours_judge_instances(lab: &Lab) {
    let verdicts = |report: &Value| -> BTreeMap<String, String> {
        let of = |r: &Value| {
            let text = |field: &str| r[field].as_str().unwrap().to_owned();
            (text("name"), text("verdict"))
        };
        rows(report).iter().map(of).collect()
    };
    let expected = |idle: &str, busy: &str| -> BTreeMap<String, String> {
        let all = [("by-name", idle), ("by-address", busy), ("unseen", "unknown")];
        all.map(|(name, verdict)| (name.to_owned(), verdict.to_owned())).into()
    };
    let short = ["idle", "--preset", "short"];
    let blind = lab.json("none.toml", &[&short[..], &["--no-cache"]].concat());
    assert_eq!(verdicts(&blind), expected("unknown", "unknown"), "{blind:#}");
    // A run asks for a day's hours in a few seconds; on a slow machine the next one goes on.
    let until = Instant::now() + LIMIT;
    loop {
        let seen = lab.json("prometheus.toml", &short);
        if verdicts(&seen) == expected("idle", "busy") {
            let idle = rows(&seen).iter().find(|r| r["name"] == "by-name").unwrap();
            assert_eq!((&idle["waste_usd_per_hour"], &idle["gpus"]), (&55.5.into(), &8.into()));
            return;
        }
        assert!(Instant::now() < until, "{seen:#}");
    }
}

/// The exporters behind that Prometheus, read one by one, tell the same. Idleness takes two minutes:
/// four looks are recorded by a clock of ours and played again.
fn directly(lab: &Lab) {
    let tape = lab.home.path().join("exporters.tape");
    let tape = tape.to_str().unwrap();
    let start = Timestamp::now();
    for seconds in [0, 60, 120, 180] {
        let now = (start + SignedDuration::from_secs(seconds)).to_string();
        let look = lab.json("exporters.toml", &["gpus", "--record", tape, "--now", &now]);
        assert_eq!(rows(&look).len(), NODES * GPUS);
    }
    let played = lab.run("exporters.toml", &["gpus", "--replay", tape, "--format", "json"]);
    assert_eq!(played.status.code(), Some(0), "{}", said(&played));
    let direct: Value = serde_json::from_slice(&played.stdout).unwrap();
    let through = lab.json("prometheus.toml", &["gpus"]);
    let (direct, through) = (by_uuid(&direct), by_uuid(&through));
    assert_eq!(direct.len(), NODES * GPUS);
    let mut same = 0;
    for (uuid, by_prometheus) in &through {
        let row = direct[uuid];
        // A node that its Prometheus has watched for seconds is not called idle yet.
        if by_prometheus["state"] == "unknown" {
            assert_eq!(row["state"], "unallocated_idle", "{row:#}");
        } else {
            assert_eq!(row["state"], by_prometheus["state"], "{row:#}\n{by_prometheus:#}");
            same += 1;
        }
        for field in [
            "gpu_index",
            "model",
            "rung",
            "util",
            "sm_active",
            "tensor_active",
            "dram_active",
            "enc",
            "dec",
            "mem_used",
            "mem_total",
            "power_w",
            "temp_c",
            "xid",
            "owner",
            "workload",
        ] {
            assert_eq!(row[field], by_prometheus[field], "{field}: {row:#}\n{by_prometheus:#}");
        }
        // The address of the target is known to Prometheus alone.
        if by_prometheus["instance_id"] != *emulators().ids["by-address"] {
            for field in ["node", "instance_id", "team", "usd_per_hour"] {
                assert_eq!(row[field], by_prometheus[field], "{field}: {row:#}");
            }
        }
        assert_eq!(row["sources"], serde_json::json!(["dcgm"]));
    }
    assert!(same >= (NODES / 5 * 4 + 1) * GPUS, "{same}");
}

/// The same on the screen: all of them, those of an instance with their price, the map, a page.
fn on_the_screen(lab: &Lab) {
    let config = lab.home.path().join("prometheus.toml");
    let args = [&REGION[..], &["--config", config.to_str().unwrap()]].concat();
    let mut cockpit = lab.world.cockpit_with(lab.home.path(), &args, &[]);
    cockpit.wait_for_line(&["burntop", "prom"]);
    cockpit.send("2");
    cockpit.wait_for("1,600 GPUs");
    cockpit.send(":group flat\r");
    cockpit.send(&format!("/instance_id={}\r", emulators().ids["by-name"]));
    cockpit.wait_for_line(&["6.94", "H100"]);
    cockpit.send("\r");
    cockpit.wait_for("Evidence");
    cockpit.send("\u{1b}");
    cockpit.wait_gone("Evidence");
    cockpit.send("\u{1b}");
    cockpit.wait_for("1,600 GPUs");
    cockpit.send("m");
    cockpit.wait_for("heat map");
    quit(cockpit);
}

/// A host that is down is named, the others are there.
fn one_is_down(lab: &Lab) {
    lab.prometheus.tell("/fail?node=7");
    let output = lab.run("exporters.toml", &["gpus", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows(&report).len(), (NODES - 1) * GPUS);
    let errors = report["errors"].to_string();
    assert!(errors.contains("nodes/127.0.0.1:") && errors.contains("500"), "{errors}");
}

/// The doctor reads it once, and offers one that nobody named.
fn examined(lab: &Lab) {
    let doctor = |config: &str, url: Option<&str>| -> Vec<Value> {
        let config = lab.home.path().join(config);
        let args = ["doctor", "--json", "--config", config.to_str().unwrap()];
        let mut command = lab.world.command(lab.home.path(), &[&args, &REGION[..]].concat());
        command.envs(url.map(|url| ("PROMETHEUS_URL", url)));
        let output = command.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["checks"].as_array().unwrap().clone()
    };
    let named = doctor("prometheus.toml", None);
    let check = named.iter().find(|c| c["id"] == "gpus/lab").unwrap();
    assert_eq!(check["status"], "ok", "{check:#}");
    let message = check["message"].as_str().unwrap();
    for words in ["1600 GPUs on 200 hosts", "SM active", "owners named"] {
        assert!(message.contains(words), "{message}");
    }
    let found = doctor("none.toml", Some(&lab.prometheus.url));
    let check = found.iter().find(|c| c["id"] == "gpus/found").unwrap();
    let fix = check["fix"].as_str().unwrap();
    assert!(fix.contains("[[gpus.prometheus]]") && fix.contains(&lab.prometheus.url), "{fix}");
    // The lines can be taken as they are.
    let lines = fix.split_once('\n').unwrap().1;
    std::fs::write(lab.home.path().join("found.toml"), lines).unwrap();
    assert_eq!(rows(&lab.json("found.toml", &["gpus"])).len(), NODES * GPUS);
}

/// What was read is on the tape, and no secret is.
fn recorded(lab: &Lab) {
    let tape: PathBuf = lab.home.path().join("prometheus.tape");
    let tape_text = tape.to_str().unwrap();
    let live = lab.json("prometheus.toml", &["gpus", "--record", tape_text]);
    let fresh = tempfile::tempdir().unwrap();
    let output = lab.world.run(fresh.path(), &["gpus", "--replay", tape_text, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let played: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (live, played) = (by_uuid(&live), by_uuid(&played));
    assert_eq!(live.len(), played.len());
    for (uuid, row) in &live {
        for field in ["state", "sm_active", "usd_per_hour", "owner", "team", "idle_since"] {
            assert_eq!(row[field], played[uuid][field], "{field}: {row:#}");
        }
    }
    let text = unzipped(&tape);
    assert!(text.contains("team-3"), "it is all there");
    assert!(!text.contains(TOKEN) && !text.contains(SECRET), "a secret is on the tape");
    assert!(!fresh.path().join(".cache/burntop").exists(), "a tape leaves nothing");
}

/// What `zcat` makes of a tape.
pub fn unzipped(tape: &Path) -> String {
    let output = std::process::Command::new("zcat").arg(tape).output().expect("zcat starts");
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}
