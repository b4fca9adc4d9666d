//! An inventory added up by Athena (ministack with `DuckDB`) is the one that this machine adds up.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::emulators::emulators;
use crate::world::World;

const MANIFEST: &str =
    "s3://acme-inventory/inventory/acme-ml-ckpt/ml/2026-11-20T01-00Z/manifest.json";

fn explore(home: &Path, args: &[&str]) -> Output {
    let world = World::fine();
    let ministack = &emulators().cloudwatch;
    let all = [&["storage", "explore", "--depth", "3", "--top", "10000"], args].concat();
    world
        .command(home, &all)
        .env("AWS_ENDPOINT_URL_S3", ministack)
        .env("AWS_ENDPOINT_URL_ATHENA", ministack)
        .output()
        .expect("burntop starts")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// Objects and bytes by prefix.
fn prefixes(output: &Output) -> BTreeMap<String, (u64, u64)> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document["rows"].as_array().unwrap();
    rows.iter()
        .filter(|r| r["prefix"].as_str().is_some_and(|p| p.ends_with('/')))
        .map(|r| {
            let number = |field: &str| r[field].as_u64().unwrap();
            (r["prefix"].as_str().unwrap().to_owned(), (number("objects"), number("bytes")))
        })
        .collect()
}

#[test]
fn athena_adds_up_what_this_machine_adds_up() {
    let home = tempfile::tempdir().unwrap();
    let local = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/storage/inventory/manifest-parquet.json");
    let format = ["--format", "json"];
    let here =
        explore(home.path(), &[&["--inventory", local.to_str().unwrap()], &format[..]].concat());
    let athena = [&["--inventory", MANIFEST, "--engine", "athena"], &format[..]].concat();

    // Nothing runs before its cost was said and agreed to.
    let refused = explore(home.path(), &athena);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    let said = text(&refused.stderr);
    assert!(said.contains("$0.0000") || said.contains("$0.0001"), "{said}");
    assert!(said.contains("--yes"), "{said}");

    let yes = ["--yes", "--athena-output", "s3://acme-results/burntop/"];
    let there = explore(home.path(), &[&athena[..], &yes].concat());
    let (here, there) = (prefixes(&here), prefixes(&there));
    assert!(here.len() > 20, "{here:?}");
    assert_eq!(here, there);

    // The SQL alone.
    let sql = explore(home.path(), &[&athena[..], &["--print-sql"]].concat());
    assert_eq!(sql.status.code(), Some(0), "{}", text(&sql.stderr));
    let sql = text(&sql.stdout);
    for part in ["hive/dt=2026-11-20-01-00/", "CREATE EXTERNAL TABLE", "DROP TABLE", "GROUP BY"] {
        assert!(sql.contains(part), "{part}: {sql}");
    }
}
