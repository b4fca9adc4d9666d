//! A bill added up by SQL is the one that this machine adds up: the printed SQL in `DuckDB` beside the cubes, and a run by
//! Athena (ministack with `DuckDB`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::acting::python;
use crate::emulators::emulators;
use crate::world::World;

const CONFIG: &str = "
[tags]
team = ['team', 'squad']
cost_center = ['CostCenter']
[bill]
training = ['team=pretrain', 'team=train-*']
serving = ['team=serve*']
tags = ['costCategory:Unit']
";

const KEYS: &[&str] = &[
    "service",
    "account",
    "region",
    "usage_type",
    "resource",
    "day",
    "charge",
    "commitment",
    "category",
    "team",
    "cost_center",
    "tag:team",
    "tag:costCategory:Unit",
    "service,day",
    "category,team",
    "account,charge",
    "usage_type,region",
    "resource,charge",
];

fn path(below: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(below);
    path.to_str().unwrap().to_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Output of the script that knows `DuckDB`.
fn script(args: &[&str]) -> String {
    let output = Command::new(crate::emulators::python())
        .arg(path("tests/emulators/bill_sql.py"))
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// A world without credentials: printing SQL needs none.
fn nowhere() -> World {
    let dead = crate::world::DEAD.to_owned();
    World { ec2: dead.clone(), cloudwatch: dead.clone(), pricing: dead, credentials: false }
}

fn config(home: &Path) -> PathBuf {
    let path = home.join("burntop.toml");
    std::fs::write(&path, CONFIG).unwrap();
    path
}

fn bill(world: &World, home: &Path, more: &[&str]) -> Output {
    let config = config(home);
    let args = ["bill", "--config", config.to_str().unwrap()];
    world.run(home, &[&args[..], more].concat())
}

#[test]
fn the_printed_sql_adds_up_what_the_cubes_add_up() {
    let (home, world) = (tempfile::tempdir().unwrap(), nowhere());
    let out = home.path().join("bills");
    std::fs::create_dir(&out).unwrap();
    let made = script(&["make", &path("tests/data/bill"), out.to_str().unwrap()]);
    let bills: Vec<Value> = serde_json::from_str(&made).unwrap();
    assert_eq!(bills.len(), 10, "{made}");
    let mut jobs = vec![];
    for (number, of) in bills.iter().enumerate() {
        let [file, period] = ["file", "period"].map(|name| of[name].as_str().unwrap());
        let export = format!("bill-{number}");
        let config = config(home.path());
        let config = config.to_str().unwrap();
        let import = ["bill", "import", file, "--export", &export, "--config", config];
        let imported = world.run(home.path(), &import);
        assert_eq!(imported.status.code(), Some(0), "{file}: {}", said(&imported));
        let columns: Vec<&str> =
            of["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        let columns = columns.join(",");
        for keys in KEYS {
            let of = ["--by", keys, "--period", period];
            let athena =
                ["--print-sql", "--athena-table", "cur.bill", "--athena-columns", &columns];
            let sql = bill(&world, home.path(), &[&of[..], &athena].concat());
            if sql.status.code() == Some(2) {
                // The real bill has no tags, FOCUS 1.2 no cost categories.
                assert!(said(&sql).contains("no column with the tag"), "{}", said(&sql));
                continue;
            }
            assert_eq!(sql.status.code(), Some(0), "{file} {keys}: {}", said(&sql));
            let kept = ["--export", &export, "--format", "json"];
            let kept = bill(&world, home.path(), &[&of[..], &kept].concat());
            assert_eq!(kept.status.code(), Some(0), "{file} {keys}: {}", said(&kept));
            let [sql, report] = [sql, kept].map(|o| String::from_utf8(o.stdout).unwrap());
            jobs.push(json!({ "file": file, "keys": keys, "sql": sql, "report": report }));
        }
    }
    assert!(jobs.len() > 160, "{}", jobs.len());
    let path = home.path().join("jobs.json");
    std::fs::write(&path, Value::from(jobs).to_string()).unwrap();
    let rows: usize = script(&["compare", path.to_str().unwrap()]).trim().parse().unwrap();
    assert!(rows > 2_000, "{rows}");
}

#[test]
fn sql_is_printed_for_the_columns_of_each_format_and_nothing_else() {
    let (home, world) = (tempfile::tempdir().unwrap(), nowhere());
    let by = ["--by", "service,team", "--period", "2026-10", "--print-sql"];
    let table = ["--athena-table", "cur.bill"];
    for (format, columns) in [
        ("cur1", ["line_item_unblended_cost", "resource_tags_user_team", "month"]),
        ("cur2", ["savings_plan_total_commitment_to_date", "resource_tags", "billing_period"]),
        ("focus1.0", ["BilledCost", "Tags", "billing_period"]),
        ("focus1.2", ["EffectiveCost", "Tags", "billing_period"]),
    ] {
        let of = [&by[..], &table, &["--athena-format", format]].concat();
        let sql = bill(&world, home.path(), &of);
        assert_eq!(sql.status.code(), Some(0), "{}", said(&sql));
        assert!(sql.stderr.is_empty(), "{}", said(&sql));
        let sql = String::from_utf8(sql.stdout).unwrap();
        assert!(sql.starts_with(&format!("-- the bill of 2026-10 in cur.bill ({format})\nWITH ")));
        assert!(sql.contains("GROUP BY 1, 2, 3\n") && sql.ends_with(";\n"), "{sql}");
        for column in columns {
            assert!(sql.contains(column), "{format} {column}: {sql}");
        }
        // Read once: what Athena scans is what it costs.
        assert_eq!(sql.matches("FROM cur.bill").count(), 1);
    }
    for (more, why) in [
        (&["--athena-table", "cur.bill"][..], "--athena-format"),
        (&["--athena-table", "bill", "--athena-format", "cur2"], "DATABASE.TABLE"),
        (&["--athena-format", "cur2"], "--athena-table"),
        (&["--athena-table", "a.b; DROP TABLE c", "--athena-format", "cur2"], "DATABASE.TABLE"),
        (&["--athena-table", "a.b", "--athena-columns", "x,y"], "no bill in a known format"),
        (&["--athena-table", "a.b", "--athena-columns", "BilledCost,EffectiveCost"], "ServiceName"),
        (
            &["--athena-table", "a.b", "--athena-format", "cur2", "--by", "pricing"],
            "pricing is no key",
        ),
    ] {
        let by: &[&str] = if more.contains(&"--by") { &by[2..] } else { &by };
        let refused = bill(&world, home.path(), &[by, more].concat());
        assert!(matches!(refused.status.code(), Some(2 | 4)), "{more:?}");
        assert!(said(&refused).contains(why), "{}", said(&refused));
        assert!(refused.stdout.is_empty());
    }
}

/// Two months of a bill as a table, whose files lie in folders by month.
const TABLE: &str = r"
import boto3, sys
s3 = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1')
s3.create_bucket(Bucket='acme-cur')
body = open(sys.argv[2], 'rb').read()
for month in ('2026-09', '2026-10'):
    s3.put_object(Bucket='acme-cur', Key=f'focus/data/billing_period={month}/f.parquet', Body=body)
glue = boto3.client('glue', endpoint_url=sys.argv[1], region_name='us-east-1')
types = {'Cost': 'double', 'Quantity': 'double', 'Start': 'timestamp', 'End': 'timestamp', 'Tags': 'map<string,string>',
         'x_CostCategories': 'map<string,string>'}
kind = lambda name: next((kind for end, kind in types.items() if name.endswith(end)), 'string')
columns = [{'Name': name.replace(' map', ''), 'Type': kind(name.replace(' map', ''))} for name in sys.argv[3].split(',')]
columns = [column for column in columns if column['Name'] != 'billing_period']
parquet = 'org.apache.hadoop.hive.ql.io.parquet'
glue.create_table(DatabaseName='default', TableInput={
    'Name': 'focus', 'TableType': 'EXTERNAL_TABLE',
    'Parameters': {'EXTERNAL': 'TRUE', 'location': 's3://acme-cur/focus/data', 'classification': 'parquet'},
    'PartitionKeys': [{'Name': 'billing_period', 'Type': 'string'}],
    'StorageDescriptor': {
        'Columns': columns, 'Location': 's3://acme-cur/focus/data',
        'InputFormat': parquet + '.MapredParquetInputFormat', 'OutputFormat': parquet + '.MapredParquetOutputFormat',
        'SerdeInfo': {'SerializationLibrary': parquet + '.serde.ParquetHiveSerDe'}}})
";

#[test]
fn athena_answers_with_the_report_of_the_cubes_for_the_price_that_was_said() {
    let (home, world) = (tempfile::tempdir().unwrap(), World::fine());
    let out = home.path().join("bills");
    std::fs::create_dir(&out).unwrap();
    let made = script(&["make", &path("tests/data/bill"), out.to_str().unwrap()]);
    let bills: Vec<Value> = serde_json::from_str(&made).unwrap();
    let of =
        bills.iter().find(|of| of["file"].as_str().unwrap().ends_with("every-focus1.0.parquet"));
    let of = of.unwrap();
    let file = of["file"].as_str().unwrap();
    let columns: Vec<&str> =
        of["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let ministack = &emulators().cloudwatch;
    python(TABLE, &[ministack, file, &columns.join(",")]);
    let config = config(home.path());
    let config = ["--config", config.to_str().unwrap()];
    let by = ["bill", "--by", "service,charge", "--period", "2026-10", "--format", "json"];
    let asked = |more: &[&str]| {
        let athena = ["--engine", "athena", "--athena-table", "default.focus"];
        let all = [&by[..], &config, &athena, more].concat();
        let mut command = world.command(home.path(), &all);
        command.env("AWS_ENDPOINT_URL_S3", ministack).env("AWS_ENDPOINT_URL_ATHENA", ministack);
        command.output().unwrap()
    };
    let nowhere = asked(&["--yes"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(said(&nowhere).contains("--athena-output"), "{}", said(&nowhere));

    let output = ["--athena-output", "s3://acme-results/bills/"];
    let unasked = asked(&output);
    assert_eq!(unasked.status.code(), Some(2), "{}", said(&unasked));
    let bytes = std::fs::metadata(file).unwrap().len();
    let price = said(&unasked);
    assert!(price.contains("of default.focus for 2026-10, $0.0") && price.contains("--yes"));
    // Of two months one is in the price.
    let said_kb = price.split("at most ").nth(1).and_then(|rest| rest.split(" kB").next());
    let said_kb: f64 = said_kb.unwrap().parse().unwrap();
    assert!((said_kb / (bytes as f64 / 1e3) - 1.0).abs() < 0.1, "{bytes} {price}");

    let found = asked(&[&output[..], &["--yes"]].concat());
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let imported = world.run(home.path(), &[&["bill", "import", file][..], &config].concat());
    assert_eq!(imported.status.code(), Some(0), "{}", said(&imported));
    let kept = world.run(home.path(), &[&by[..], &config].concat());
    let kept: Value = serde_json::from_slice(&kept.stdout).unwrap();
    for part in ["schema", "by", "rows", "total"] {
        assert_eq!(found[part], kept[part], "{part}");
    }
    assert_eq!(found["schema"], "burntop/bill/1");
    assert_eq!(found["bills"][0]["export"], "default.focus");
    assert_eq!(found["bills"][0]["format"], "focus1.0");

    // The cap of what burntop itself may cost holds here too.
    let capped = home.path().join("capped.toml");
    std::fs::write(&capped, "[own_cost]\ncap_usd_per_day = 0.00002\n").unwrap();
    let config = ["--config", capped.to_str().unwrap()];
    let athena = ["--engine", "athena", "--athena-table", "default.focus", "--yes"];
    let all = [&by[..], &config, &athena, &output].concat();
    let mut command = world.command(home.path(), &all);
    command.env("AWS_ENDPOINT_URL_S3", ministack).env("AWS_ENDPOINT_URL_ATHENA", ministack);
    let refused = command.output().unwrap();
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    assert!(said(&refused).contains("own_cost.cap_usd_per_day"), "{}", said(&refused));
}
