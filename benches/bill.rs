//! A bill to cubes: rows per second and memory, beside `DuckDB` on the same file.
//!
//! `cargo bench --bench bill -- generate FILE ROWS` writes a month of FOCUS 1.0 as AWS has it; `… -- read FILE` folds it
//! and prints one line. Without arguments a small one is made, folded and checked. `benches/bill_duckdb.py` asks `DuckDB`
//! five groupings of the same file.

#![allow(missing_docs, clippy::expect_used, reason = "a bench has no readers of its items")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray};
use burntop::parts::source::bill::{ReadOptions, read};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Begin of the month, ms since 1970: 2026-10-01.
const BEGIN: i64 = 1_790_812_800_000;
/// Hours of the month.
const HOURS: i64 = 31 * 24;
/// Resources.
const RESOURCES: u64 = 60_000;
/// Accounts.
const ACCOUNTS: u64 = 40;
/// Rows that are written at a time.
const ROWS: u64 = 50_000;

fn main() {
    // `cargo bench` adds flags of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", file, rows] => generate(Path::new(file), number(rows)),
        ["read", file] => fold(Path::new(file)),
        _ => {
            let file = std::env::temp_dir().join(format!("burntop-bill-{}", std::process::id()));
            generate(&file, 200_000);
            fold(&file);
            let _ = fs::remove_file(&file);
        }
    }
}

fn number(text: &str) -> u64 {
    text.replace('_', "").parse().expect("a number")
}

/// A line of use: of a resource everything but hour and cost is the same each time.
struct Row {
    hour: i64,
    cost: f64,
    list: f64,
    quantity: f64,
    account: u64,
    region: &'static str,
    service: &'static str,
    code: &'static str,
    usage_type: String,
    operation: &'static str,
    resource: String,
    pricing: &'static str,
    plan: bool,
    team: String,
    project: String,
}

fn row(random: &mut fastrand::Rng) -> Row {
    let resource = random.u64(..RESOURCES);
    let mut own = fastrand::Rng::with_seed(resource);
    let account = own.u64(..ACCOUNTS);
    let region = ["us-east-1", "us-west-2", "eu-central-1"][(account % 3) as usize];
    let (service, code, operation, units) = [
        ("Amazon Elastic Compute Cloud", "AmazonEC2", "RunInstances", 30),
        ("Amazon Simple Storage Service", "AmazonS3", "StandardStorage", 8),
        ("Amazon Elastic Block Store", "AmazonEBS", "CreateVolume", 4),
        ("AmazonCloudWatch", "AmazonCloudWatch", "MetricStorage", 5),
    ][own.usize(..4)];
    let unit = own.u64(..units);
    let plan = code == "AmazonEC2" && own.bool();
    let price = (unit + 1) as f64 * 0.0713;
    let quantity = (random.f64() * 1e6).round() / 1e6;
    let list = (price * quantity * 1e10).round() / 1e10;
    let cost = if plan { (list * 0.6 * 1e10).round() / 1e10 } else { list };
    Row {
        hour: random.i64(0..HOURS),
        cost,
        list,
        quantity,
        account,
        region,
        service,
        code,
        usage_type: format!("{code}-Usage:{unit}"),
        operation,
        resource: format!("arn:aws:ec2:{region}:{account:012}:instance/i-{resource:017x}"),
        pricing: if plan { "Committed" } else { "Standard" },
        plan,
        team: format!("team-{}", account % 12),
        project: format!("project-{}", own.u64(..5)),
    }
}

/// Writes a bill; the random numbers are the same each time.
fn generate(to: &Path, rows: u64) {
    let file = fs::File::create(to).expect("a file");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(500_000))
        .build();
    let mut random = fastrand::Rng::with_seed(7);
    let mut writer = None;
    let mut at = 0;
    while at < rows {
        let n = ROWS.min(rows - at);
        let batch = batch((0..n).map(|_| row(&mut random)).collect());
        let writer = writer.get_or_insert_with(|| {
            let file = file.try_clone().expect("the file");
            ArrowWriter::try_new(file, batch.schema(), Some(properties.clone())).expect("a writer")
        });
        writer.write(&batch).expect("rows");
        at += n;
    }
    writer.expect("rows").close().expect("a footer");
}

fn batch(rows: Vec<Row>) -> RecordBatch {
    let texts = |of: &dyn Fn(&Row) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringArray>())
    };
    let numbers = |of: &dyn Fn(&Row) -> f64| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(of(row))).collect::<Float64Array>())
    };
    let moments = |of: &dyn Fn(&Row) -> i64| -> ArrayRef {
        let all: TimestampMillisecondArray = rows.iter().map(|row| Some(of(row))).collect();
        Arc::new(all.with_timezone("UTC"))
    };
    let mut tags = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for row in &rows {
        for (key, value) in [("user:team", &row.team), ("user:project", &row.project)] {
            tags.keys().append_value(key);
            tags.values().append_value(value);
        }
        tags.keys().append_value("user:Name");
        tags.values().append_value(format!("host-{}", row.account));
        tags.append(true).expect("an entry");
    }
    let all = |text: &str| Some(text.to_owned());
    let plan = "arn:aws:savingsplans::999900000001:savingsplan/11111111-2222-3333-4444-55555555";
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("BilledCost", numbers(&|row| if row.plan { 0.0 } else { row.cost })),
        ("BillingAccountId", texts(&|_| all("999900000001"))),
        ("BillingCurrency", texts(&|_| all("USD"))),
        ("BillingPeriodStart", moments(&|_| BEGIN)),
        ("ChargeCategory", texts(&|_| all("Usage"))),
        ("ChargePeriodEnd", moments(&|row| BEGIN + (row.hour + 1) * 3_600_000)),
        ("ChargePeriodStart", moments(&|row| BEGIN + row.hour * 3_600_000)),
        ("CommitmentDiscountId", texts(&|row| row.plan.then(|| plan.to_owned()))),
        ("CommitmentDiscountStatus", texts(&|row| row.plan.then(|| "Used".to_owned()))),
        ("CommitmentDiscountType", texts(&|row| row.plan.then(|| "Savings Plan".to_owned()))),
        ("ConsumedQuantity", numbers(&|row| row.quantity)),
        ("ConsumedUnit", texts(&|_| all("Hours"))),
        ("EffectiveCost", numbers(&|row| row.cost)),
        ("ListCost", numbers(&|row| row.list)),
        ("PricingCategory", texts(&|row| all(row.pricing))),
        ("ProviderName", texts(&|_| all("AWS"))),
        ("RegionId", texts(&|row| all(row.region))),
        ("ResourceId", texts(&|row| Some(row.resource.clone()))),
        ("ServiceCategory", texts(&|_| all("Compute"))),
        ("ServiceName", texts(&|row| all(row.service))),
        ("SubAccountId", texts(&|row| Some(format!("{:012}", row.account)))),
        ("SubAccountName", texts(&|row| Some(format!("account {}", row.account)))),
        ("Tags", Arc::new(tags.finish())),
        ("x_Operation", texts(&|row| all(row.operation))),
        ("x_ServiceCode", texts(&|row| all(row.code))),
        ("x_UsageType", texts(&|row| Some(row.usage_type.clone()))),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

/// Folds a bill and prints what it took.
fn fold(file: &Path) {
    let options = ReadOptions {
        export: "bench".into(),
        tag_keys: ["team", "project"].map(Arc::from).to_vec(),
        written_at: None,
        now: jiff::Timestamp::from_millisecond(BEGIN).expect("a moment"),
        fixed_period: None,
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let bills = read(&[file.to_path_buf()], &options, &mut |_| ControlFlow::Continue(()))
        .expect("a bill that can be read");
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    for bill in &bills {
        let head = &bill.head;
        println!(
            "{} rows, {} cells, {} resources, effective {}: wall {wall:.2} s, cpu {cpu:.2} s, {:.2} µs a row, peak {} MiB",
            head.lines,
            bill.cells.len(),
            bill.resources.len(),
            head.total.effective,
            cpu * 1e6 / head.lines as f64,
            peak_mib(),
        );
        assert_eq!(bill.total().effective, head.total.effective);
    }
}

/// Processor time of this process, seconds.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("the state of the process");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// Most memory that the process had, MiB.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the state of the process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) / 1_024
}
