//! Resources that are no instances, through the real clients: lists from moto, hours from ministack.
//!
//! The clients find their endpoints in the environment, which a test may not change: the reading is
//! done by this same program in a process of its own.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use burntop::parts::analyze::network::live::{command, live};
use burntop::parts::analyze::resources::rows;
use burntop::parts::analyze::savings::{SavingsInput, SavingsRules};
use burntop::parts::domain::{
    Hour, HourRange, HourlySeries, RESOURCE_HOURS, ResourceFacts, ResourceKind, Routing,
    SavingsFacts, Scope, ScopeResources, TagKeys,
};
use burntop::parts::fleet::gpu::GpuFleet;
use burntop::parts::fleet::savings::PathRow;
use burntop::parts::fleet::{Fleet, Row};
use burntop::parts::source::Provider as _;
use burntop::parts::source::aws::{AccountSource, connect};
use burntop::parts::view::reason_words;
use serde_json::{Value, json};

use crate::emulators::emulators;
use crate::world::{SECRET, World};

/// Where they are.
const REGION: &str = "us-west-1";

/// Tells the child that it is one.
const CHILD: &str = "BURNTOP_TEST_READS_RESOURCES";

/// Not a test by itself: reads where [`CHILD`] is set, and prints what it read.
#[test]
fn the_child_reads() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("READ {}", runtime.block_on(read()));
}

async fn read() -> Value {
    let provider = connect(AccountSource {
        label: "test".into(),
        profile: None,
        assume_role: None,
        region_hint: Some(REGION.into()),
    });
    let identity = provider.identity().await.unwrap();
    let region: Arc<str> = REGION.into();
    let now = jiff::Timestamp::now();
    let range = HourRange::last_closed(now, RESOURCE_HOURS);
    let (mut items, mut failed) = (Vec::new(), serde_json::Map::new());
    for kind in ResourceKind::ALL {
        match provider.resources(&identity.account, &region, kind).await {
            Ok(resources) => items.extend(resources),
            Err(error) => {
                failed.insert(error.operation, json!(error.kind.word()));
            }
        }
    }
    let routing = Routing {
        tables: provider.route_tables(&identity.account, &region).await.ok(),
        endpoints: provider.vpc_endpoints(&identity.account, &region).await.ok(),
        nat_usd_per_gb: Some(0.045),
        ..Routing::default()
    };
    for gateway in items.iter_mut().filter(|r| r.kind == ResourceKind::NatGateway) {
        let tables = routing.leading_to(&gateway.id);
        gateway.serves = tables.map(|all| all.iter().map(|table| table.id.clone()).collect());
    }
    let hours = provider.resource_hours(&region, &items, range).await.unwrap();
    let items = items.into_iter().map(|resource| {
        let own = hours.iter().filter(|h| h.id == resource.id);
        let series = |points: &[(jiff::Timestamp, f64)],
                      of: burntop::parts::domain::ResourceSignal| {
            let mut out = HourlySeries::empty(range);
            for (t, value) in points {
                out.set(Hour::containing(*t), of.observe(*value));
            }
            out
        };
        let complete = own.clone().all(|h| h.complete);
        let hours = own.map(|h| (h.signal, series(&h.points, h.signal))).collect();
        Arc::new(ResourceFacts { resource, hours, complete })
    });
    let resources =
        Arc::new(ScopeResources { items: items.collect(), routing, logs: None, streams: None });
    let scope = Scope::new(identity.account.clone(), region.clone());
    let facts =
        SavingsFacts { resources: BTreeMap::from([(scope, resources)]), ..SavingsFacts::default() };
    let page = provider.instances(&identity.account, &region, None).await.unwrap();
    let fleet = page.items.into_iter().map(|instance| Arc::new(Row::new(instance)));
    let fleet = Fleet { rows: fleet.collect(), ..Fleet::default() };
    let input = SavingsInput {
        version: 1,
        now,
        fleet: &fleet,
        gpus: &GpuFleet::default(),
        storage: None,
        facts: &facts,
        rules: &SavingsRules::default(),
        tag_keys: &TagKeys::default(),
        before: None,
    };
    let rows = rows(&input);
    let path = |path: &Arc<PathRow>| {
        json!({
            "id": path.id, "bytes": path.bytes, "avoidable": path.avoidable_usd,
            "is_finding": path.is_finding(), "command": command(path),
        })
    };
    let paths: Vec<Value> = live(&input, &rows).iter().map(path).collect();
    let row = |r: &burntop::parts::fleet::savings::ResourceRow| {
        json!({
            "id": r.resource.id, "kind": r.resource.kind.word(), "name": r.resource.name,
            "team": r.team, "usd": r.resource.usd_per_hour(),
            "verdict": r.verdict.as_ref().map(|v| v.kind.name()),
            "reason": r.verdict.as_ref().map(|v| reason_words(&v.reason)),
            "units": r.resource.units.iter().map(|u| json!([u.what, u.count])).collect::<Vec<_>>(),
        })
    };
    json!({ "rows": rows.iter().map(|r| row(r)).collect::<Vec<_>>(), "failed": failed, "paths": paths })
}

#[test]
fn one_of_each_kind_is_idle_and_one_is_not() {
    let e = emulators();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "resources::the_child_reads", "--nocapture"]).env(CHILD, "1");
    for service in ["EC2", "STS", "SAGEMAKER", "ELASTIC_LOAD_BALANCING_V2"] {
        command.env(format!("AWS_ENDPOINT_URL_{service}"), &e.moto);
    }
    command
        .env("AWS_ENDPOINT_URL_CLOUDWATCH", &e.cloudwatch)
        .env("AWS_ACCESS_KEY_ID", "testing")
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("AWS_EC2_METADATA_DISABLED", "true");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|l| l.split_once("READ ")).map(|(_, json)| json);
    let error = String::from_utf8_lossy(&output.stderr);
    let read: Value =
        serde_json::from_str(line.unwrap_or_else(|| panic!("{text}{error}"))).unwrap();

    // The emulator has no apps of Studio: that kind is unknown, the others are not.
    let failed = read["failed"].as_object().unwrap();
    assert_eq!(failed.keys().collect::<Vec<_>>(), ["sagemaker:ListApps"], "{failed:?}");
    let rows = read["rows"].as_array().unwrap();
    let find = |key: &str, value: &str| {
        rows.iter().find(|r| r[key] == value).unwrap_or_else(|| panic!("{value}: {read:#}"))
    };
    let by_id = |case: &str| find("id", &e.ids[case]);
    for (case, verdict, says) in [
        ("nat-idle", "idle", "no route table leads to it"),
        ("nat-routed", "idle", "though a route table leads to it"),
        ("nat-busy", "busy", "In use"),
        ("nat-silent", "unknown", "reported in 0 of 336 h"),
        ("address-free", "idle", "Associated with nothing"),
        ("address-running", "busy", "In use"),
        ("address-stopped", "idle", "which is stopped"),
    ] {
        let row = by_id(case);
        assert_eq!(row["verdict"], verdict, "{case}: {row:#}");
        assert!(row["reason"].as_str().unwrap().contains(says), "{case}: {row:#}");
    }
    // Two gateways that work, in one VPC: the table of one has an endpoint of S3, that of the other has not.
    let path = |case: &str| {
        let id = e.ids[case].as_str();
        let found = read["paths"].as_array().unwrap().iter().find(|p| p["id"] == id);
        found.unwrap_or_else(|| panic!("{case}: {read:#}"))
    };
    let leaks = path("nat-busy");
    assert_eq!(leaks["is_finding"], true, "{leaks:#}");
    // 1 MB out and 9 MB back an hour, for 730 h, at $0.045 a GiB.
    let usd = 10e6 * 730.0 / 1_073_741_824.0 * 0.045;
    assert!((leaks["avoidable"].as_f64().unwrap() - usd).abs() < 1e-6, "{leaks:#}");
    let tables = format!("--add-route-table-ids {}", e.ids["table-open"]);
    assert!(leaks["command"].as_str().unwrap().ends_with(&tables), "{leaks:#}");
    let covered = path("nat-covered");
    assert_eq!((&covered["is_finding"], &covered["command"]), (&json!(false), &Value::Null));
    assert_eq!(path("nat-idle")["is_finding"], false, "the list of resources has it");
    assert_eq!(by_id("address-free")["usd"], 0.005);
    for (name, verdict, says) in [
        ("notebook-quiet", "idle", "CPU peaked at 3%"),
        ("notebook-mute", "unknown", "no metrics of notebook instances"),
        // The emulator may have forgotten the first hour of the two weeks.
        ("endpoint-idle", "idle", "; CPU max 2%."),
        // One invocation in two weeks: asked, and therefore not idle.
        ("endpoint-asked", "underused", "In use"),
        ("balancer-empty", "idle", "No target is registered"),
    ] {
        let row = find("name", name);
        assert_eq!(row["verdict"], verdict, "{name}: {row:#}");
        assert!(row["reason"].as_str().unwrap().contains(says), "{name}: {row:#}");
    }
    let endpoint = find("name", "endpoint-idle");
    assert_eq!(endpoint["units"], json!([["ml.m5.xlarge", 2.0]]), "type and number");
    assert_eq!(endpoint["team"], "nlp");
    // No price list was asked, and none is embedded: unknown, not 0.
    assert_eq!(endpoint["usd"], Value::Null);
}

#[test]
fn without_a_bill_paths_are_read_live_and_name_the_table_without_an_endpoint() {
    let (e, home) = (emulators(), tempfile::tempdir().unwrap());
    let args = ["network", "--region", REGION, "--format", "json"];
    let output = World::fine().run(home.path(), &args);
    let error = String::from_utf8_lossy(&output.stderr);
    // The emulator has no apps of Studio.
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("no bill is imported: paths are read live"), "{error}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["schema"], &report["source"]),
        (&json!("burntop/network/1"), &json!("live"))
    );
    let rows = report["rows"].as_array().unwrap();
    let row = |case: &str| {
        let id = e.ids[case].as_str();
        rows.iter().find(|r| r["resource"] == id).unwrap_or_else(|| panic!("{case}: {report:#}"))
    };
    let leaks = row("nat-busy");
    assert_eq!(
        (&leaks["path"], &leaks["source"], &leaks["fix"], &leaks["confidence"]),
        (&json!("nat"), &json!("live"), &json!("gateway_endpoint"), &json!("up_to"))
    );
    // No price list of the region is served: bytes, and no dollars.
    assert!((leaks["bytes"].as_f64().unwrap() - 7.3e9).abs() < 1.0, "{leaks:#}");
    assert_eq!(leaks["usd_per_month"], Value::Null);
    assert!(leaks["command"].as_str().unwrap().ends_with(e.ids["table-open"].as_str()));
    let read = report["readings"].as_array().unwrap();
    assert!(read.iter().any(|r| r["source"] == "resources"), "{report:#}");
    assert_eq!(row("nat-covered")["fix"], Value::Null);
    assert_eq!(row("nat-idle")["fix"], "delete_idle");
}

#[test]
fn the_doctor_says_which_kinds_can_be_read() {
    let home = tempfile::tempdir().unwrap();
    let output = World::fine().run(home.path(), &["doctor", "--json", "--region", REGION]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let status = |action: &str| {
        let id = format!("permission/{action}");
        let check = checks.iter().find(|c| c["id"] == id.as_str());
        check.unwrap_or_else(|| panic!("{action}: {report:#}"))["status"].clone()
    };
    assert_eq!(status("sagemaker:ListApps"), "warn");
    for action in [
        "sagemaker:ListEndpoints",
        "sagemaker:DescribeEndpointConfig",
        "ec2:DescribeNatGateways",
        "ec2:DescribeRouteTables",
        "ec2:DescribeVpcEndpoints",
        "logs:DescribeLogGroups",
        "elasticloadbalancing:DescribeTags",
    ] {
        assert_eq!(status(action), "ok", "{action}: {report:#}");
    }
}
