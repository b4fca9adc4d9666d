//! Filter and sort of 10,000 rows, beside the naive way (format every cell, compare strings) in
//! the same run: `cargo bench --bench table`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use burntop::parts::domain::{
    Accelerator, AcceleratorKind, Instance, InstanceState, Lifecycle, Offer, Platform, PriceBasis,
    Provenance, Rate, Scope, TagKeys, Tags, Tenancy, TypeSpec, Verdict, VerdictKind,
};
use burntop::parts::fleet::{Book, Fleet, JoinInput, PriceBook, join};
use burntop::parts::tabs::idle::picture::{DEFAULT_COLUMNS, Field};
use burntop::parts::view::{Filter, Sort, Symbols, TableField, ViewContext, table};
use jiff::{SignedDuration, Timestamp};

const ROWS: usize = 10_000;
const TYPES: [(&str, u32, f64); 4] = [
    ("p4d.24xlarge", 8, 21.957_642),
    ("p5.48xlarge", 8, 55.04),
    ("g5.48xlarge", 8, 16.288),
    ("c7i.24xlarge", 0, 4.284),
];
const TEAMS: [&str; 6] = ["nlp", "vision", "speech", "ranking", "platform", "research"];

fn main() {
    divan::main();
}

fn ctx() -> ViewContext {
    ViewContext {
        now: Timestamp::constant(1_773_500_966, 0),
        symbols: Symbols::Unicode,
        width: None,
    }
}

/// A fleet in which every column varies; a fixed generator, so that runs compare.
fn fleet() -> Fleet {
    let mut random = fastrand::Rng::with_seed(7);
    let now = ctx().now;
    let mut prices = PriceBook::default();
    let mut types = HashMap::new();
    let mut offers = Vec::new();
    for (name, devices, usd_per_hour) in TYPES {
        let accelerator = (devices > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "A100".into(),
            devices,
            equivalents: f64::from(devices),
            memory_mib: 40_960,
        });
        let spec = TypeSpec {
            name: name.into(),
            vcpus: 96,
            memory_mib: 1_179_648,
            accelerator,
            instance_store_gb: 0,
            network: "400 Gigabit".into(),
            provenance: Provenance::Demo,
        };
        types.insert(spec.name.clone(), Arc::new(spec));
        offers.push(Offer {
            region: "us-east-1".into(),
            az: None,
            instance_type: name.into(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            rate: Rate {
                usd_per_hour,
                basis: PriceBasis::OnDemandList,
                provenance: Provenance::Demo,
            },
        });
    }
    prices.extend(&offers);
    let mut instances = Vec::new();
    let mut verdicts: HashMap<Arc<str>, Arc<Verdict>> = HashMap::new();
    for i in 0..ROWS {
        let (instance_type, devices, _) = TYPES[random.usize(..TYPES.len())];
        let team = TEAMS[random.usize(..TEAMS.len())];
        let name = format!("{team}-train-{:05}", random.u32(..100_000));
        let tags = Tags::from_raw([
            ("Name", &*name),
            ("team", team),
            ("project", "llm"),
            ("env", if i % 3 == 0 { "prod" } else { "dev" }),
        ]);
        let instance = Instance {
            id: format!("i-{i:017x}").into(),
            scope: Scope::new("111122223333", "us-east-1"),
            az: "us-east-1a".into(),
            name: name.into(),
            instance_type: instance_type.into(),
            state: InstanceState::Running,
            lifecycle: Lifecycle::OnDemand,
            tenancy: Tenancy::Shared,
            platform: Platform::Linux,
            launched_at: now - SignedDuration::from_hours(random.i64(1..2_000)),
            block_devices: Vec::new(),
            ebs_root: true,
            owners: Vec::new(),
            tags,
            private_dns: "".into(),
            private_ip: None,
            capacity_reservation: None,
            detailed_monitoring: false,
        };
        let kind = VerdictKind::ALL[random.usize(..VerdictKind::ALL.len())];
        let idle = matches!(kind, VerdictKind::Idle | VerdictKind::Partial);
        let verdict = Verdict {
            kind,
            idle_since: idle.then(|| now - SignedDuration::from_hours(random.i64(24..168))),
            idle_since_at_least: false,
            idle_gpus: idle.then(|| random.u32(..=devices)),
            devices,
            coverage: random.f32(),
            gpu_percent: (kind != VerdictKind::Unknown).then(|| random.f32() * 100.0),
            cpu_percent: Some(random.f32() * 100.0),
            network_bytes_per_day: Some(random.f64() * 1e10),
            network_out_bytes_per_day: None,
            signals: Vec::new(),
            not_checked: Arc::default(),
            likely: None,
            reason: "".into(),
        };
        verdicts.insert(instance.id.clone(), Arc::new(verdict));
        instances.push(Arc::new(instance));
    }
    join(JoinInput {
        version: 1,
        now,
        instances: &instances,
        book: &Arc::new(Book { prices, types, ..Book::default() }),
        verdicts: &verdicts,
        tag_keys: &TagKeys::default(),
        readings: Vec::new(),
    })
}

/// What is measured: a filter and a field to sort by.
struct Case(&'static str, Field);

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} by {}", self.0, self.1.spec().name)
    }
}

const CASES: [Case; 5] = [
    Case("", Field::WastedUsd),
    Case("", Field::Name),
    Case("gpu<50 and $>10/h and not env=prod", Field::WastedUsd),
    Case("nlp", Field::Name),
    Case("zzzz", Field::Name),
];

#[divan::bench(args = CASES)]
fn select(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let (fleet, ctx) = (fleet(), ctx());
    let filter = Filter::parse(Field::table(), case.0).ok();
    let sort = Sort::by(case.1.spec());
    let rows = Field::rows(&fleet.rows);
    bencher.bench(|| table::select(&rows, filter.as_ref(), sort, &ctx).len());
}

/// Every visible cell of every row is formatted, searched for the words and compared as text.
#[divan::bench(args = CASES)]
fn naive(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let (fleet, ctx) = (fleet(), ctx());
    let words: Vec<String> = case.0.split(' ').map(str::to_lowercase).collect();
    bencher.bench(|| {
        let mut shown: Vec<(String, usize)> = Vec::new();
        for (i, row) in fleet.rows.iter().enumerate() {
            let cells: Vec<String> =
                DEFAULT_COLUMNS.iter().map(|f| f.cell(row, &ctx).to_lowercase()).collect();
            if words.iter().any(|w| cells.iter().any(|c| c.contains(w))) {
                shown.push((case.1.cell(row, &ctx), i));
            }
        }
        shown.sort();
        shown.len()
    });
}
