//! Moves in a planning session: 10,000 futures × 8,736 h × 5 families.
//!
//! `cargo bench --bench whatif` for wall times; `cargo bench --bench whatif -- cpu` for the CPU time of
//! one thread, which a busy machine does not blur, and the mean cost. `-- draws DIR` writes the
//! futures for `benches/whatif_numpy.py`, which sums every hour of them.

#![allow(missing_docs, reason = "a bench has no readers of its items")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a bench")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use burntop::parts::whatif::{
    Buy, ComputePlan, Demand, DemandOrigin, Engine, Family, FamilyInputs, Future, Offer, OfferKind,
    OneByOne, Payment, PlanRate, Scenario, Workers,
};
use divan::{Bencher, black_box};
use jiff::Timestamp;

const PATHS: u32 = 10_000;
const FAMILIES: usize = 5;
const BASE_WEEKS: usize = 26;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "draws") {
        write_draws(Path::new(&args[at + 1]));
    } else if args.iter().any(|arg| arg == "cpu") {
        cpu_times();
    } else {
        divan::main();
    }
}

/// Nanoseconds that this thread has been on a CPU (Linux).
fn on_cpu() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// One thread's CPU time of each move: the mean, and the shortest wall time.
fn cpu_times() {
    type Move = fn(&mut Scenario);
    let moves: [(&str, u32, u32, Move); 8] = [
        ("nothing but the statistics", PATHS, 200, |_| ()),
        ("commitment of a small family", PATHS, 200, |s| s.families[3].buys[0].units += 10.0),
        ("commitment of one family", PATHS, 200, |s| s.families[2].buys[0].units += 10.0),
        ("growth of one family", PATHS, 100, |s| s.families[2].growth += 0.01),
        ("commitment of all families", PATHS, 100, |s| {
            s.families.iter_mut().for_each(|family| family.buys[0].units += 1.0);
        }),
        ("shock of one family", PATHS, 20, |s| s.families[2].shock += 0.001),
        ("another seed", PATHS, 10, |s| s.future.seed += 1),
        ("another seed, 1,000 paths", 1000, 50, |s| s.future.seed += 1),
    ];
    let (mut engine, _) = ready();
    for (name, paths, times, change) in moves {
        let mut scenario = scenario();
        engine.set(&scenario).unwrap();
        engine.figures(paths, &OneByOne).unwrap();
        let (before, mut least, mut mean) = (on_cpu(), f64::INFINITY, 0.0);
        for _ in 0..times {
            let start = Instant::now();
            change(&mut scenario);
            engine.set(&scenario).unwrap();
            mean = engine.figures(paths, &OneByOne).unwrap().mean_usd;
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let spent = (on_cpu() - before) as f64 / 1e6 / f64::from(times);
        println!("{name}: {spent:.2} ms CPU, {least:.2} ms wall at best (mean {mean:.2} USD)");
    }
    let mut scenario = scenario();
    let rates = (0..FAMILIES).map(|at| PlanRate { family: format!("family-{at}"), rate: 1.9 });
    scenario.compute_plans.push(ComputePlan {
        name: "plan".to_owned(),
        usd_per_hour: 500.0,
        weeks: 52,
        week: 0,
        payment: Payment::NoUpfront,
        rates: rates.collect(),
        held: false,
    });
    engine.set(&scenario).unwrap();
    let before = on_cpu();
    engine.figures(1000, &OneByOne).unwrap();
    let spent = (on_cpu() - before) as f64 / 1e6;
    println!("a Compute Savings Plan, 1,000 paths, every hour: {spent:.0} ms CPU");
    let before = on_cpu();
    let mut answer = engine.value(PATHS, &OneByOne).unwrap();
    let spent = (on_cpu() - before) as f64 / 1e6;
    println!("the same, 10,000 paths, with all pictures: {spent:.0} ms CPU");
    let before = on_cpu();
    engine.fill_regret(&mut answer, &OneByOne);
    let spent = (on_cpu() - before) as f64 / 1e6;
    println!("regret of all families: {spent:.0} ms CPU");
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("all of the above, at most: {peak}");
}

/// Writes the futures and what they cost, for `whatif_numpy.py`.
fn write_draws(folder: &Path) {
    let (mut engine, scenario) = ready();
    let value = engine.figures(PATHS, &OneByOne).unwrap();
    let demand = engine.demand().clone();
    let (mut bases, mut factors) = (Vec::new(), vec![Vec::new(); FAMILIES]);
    for path in 0..PATHS as usize {
        for week in 0..usize::from(scenario.future.weeks) {
            let drawn = engine.drawn_week(path, week).unwrap();
            bases.push((drawn.first_hour / 168) as u8);
            for (factors, (scale, _)) in factors.iter_mut().zip(drawn.families) {
                factors.extend((scale as f32).to_le_bytes());
            }
        }
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("bases.u8"), bases).unwrap();
    for (at, factors) in factors.iter().enumerate() {
        std::fs::write(folder.join(format!("factors-{at}.f32")), factors).unwrap();
        let hours = demand.families[at].hours.iter().flat_map(|x| (*x as f32).to_le_bytes());
        let hours: Vec<u8> = hours.collect();
        std::fs::write(folder.join(format!("hours-{at}.f32")), hours).unwrap();
    }
    let plan = serde_json::json!({
        "paths": PATHS, "weeks": scenario.future.weeks, "base_weeks": BASE_WEEKS,
        "families": FAMILIES, "units": 30.0, "on_demand": 2.745, "rate": 1.740,
        "ours": {
            "mean": value.mean_usd, "p5": value.p5_usd,
            "p50": value.p50_usd, "p95": value.p95_usd,
        },
    });
    std::fs::write(folder.join("plan.json"), plan.to_string()).unwrap();
}

/// The caller and one more thread, whoever is free takes the next piece.
struct Two;

impl Workers for Two {
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let take = || {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    break;
                }
                work(piece);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(take);
            take();
        });
    }
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Half a year of a family: days, weeks, noise, whole units.
fn hours(family: usize) -> Vec<f64> {
    let level = [700.0, 120.0, 2400.0, 45.0, 310.0][family];
    let hours = BASE_WEEKS * 168;
    let series = (0..hours).map(|hour| {
        let day = 1.0 + 0.3 * (hour as f64 / 24.0 * std::f64::consts::TAU).sin();
        let week = if hour / 24 % 7 < 5 { 1.0 } else { 0.7 };
        let noise = 0.6 + 0.8 * (mix((family * hours + hour) as u64) >> 11) as f64 / 2f64.powi(53);
        (level * day * week * noise).floor()
    });
    series.collect()
}

fn demand() -> Arc<Demand> {
    let family = |at: usize| Family { name: format!("family-{at}"), hours: hours(at) };
    Arc::new(Demand {
        origin: DemandOrigin::Demo,
        start: Timestamp::UNIX_EPOCH,
        families: (0..FAMILIES).map(family).collect(),
        notes: Vec::new(),
    })
}

fn scenario() -> Scenario {
    let family = |at: usize| FamilyInputs {
        name: format!("family-{at}"),
        on_demand: Some(2.745),
        growth: 0.2,
        drift: 0.004,
        shock: 0.05,
        offers: vec![Offer {
            name: "1y".to_owned(),
            kind: OfferKind::StandardRi,
            weeks: 52,
            payment: Payment::NoUpfront,
            rate: Some(1.740),
        }],
        buys: vec![Buy { offer: "1y".to_owned(), units: 30.0, week: 0 }],
        ..FamilyInputs::default()
    };
    Scenario {
        future: Future { paths: PATHS, ..Future::default() },
        families: (0..FAMILIES).map(family).collect(),
        ..Scenario::default()
    }
}

fn ready() -> (Engine, Scenario) {
    let scenario = scenario();
    let mut engine = Engine::new(demand(), &scenario).unwrap();
    engine.value(PATHS, &Two).unwrap();
    (engine, scenario)
}

const WORKERS: [&str; 2] = ["one", "two"];

fn workers(name: &str) -> &'static dyn Workers {
    if name == "one" { &OneByOne } else { &Two }
}

/// The commitment of one family.
#[divan::bench(args = WORKERS)]
fn commitment_of_one(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        let units = &mut scenario.families[2].buys[0].units;
        *units = (*units + 10.0) % 2000.0;
        engine.set(&scenario).unwrap();
        black_box(engine.figures(PATHS, workers(name)).unwrap().mean_usd)
    });
}

/// The growth of one family: its demand is another, and so is what it costs on demand.
#[divan::bench(args = WORKERS)]
fn growth_of_one(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        let growth = &mut scenario.families[2].growth;
        *growth = (*growth + 0.01) % 1.0;
        engine.set(&scenario).unwrap();
        black_box(engine.figures(PATHS, workers(name)).unwrap().mean_usd)
    });
}

/// The commitments of all families.
#[divan::bench(args = WORKERS)]
fn commitment_of_all(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        for family in &mut scenario.families {
            let units = &mut family.buys[0].units;
            *units = (*units + 10.0) % 2000.0;
        }
        engine.set(&scenario).unwrap();
        black_box(engine.figures(PATHS, workers(name)).unwrap().mean_usd)
    });
}

/// Another seed: all futures are drawn and valued anew.
#[divan::bench(args = WORKERS)]
fn new_draw(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        scenario.future.seed += 1;
        engine.set(&scenario).unwrap();
        black_box(engine.figures(PATHS, workers(name)).unwrap().mean_usd)
    });
}

/// The first thousand futures of another seed.
#[divan::bench(args = WORKERS)]
fn new_draw_first_thousand(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        scenario.future.seed += 1;
        engine.set(&scenario).unwrap();
        black_box(engine.figures(1000, workers(name)).unwrap().mean_usd)
    });
}

/// The shock of one family: its factors are drawn anew.
#[divan::bench(args = WORKERS)]
fn shock_of_one(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        let shock = &mut scenario.families[2].shock;
        *shock = (*shock + 0.01) % 0.3;
        engine.set(&scenario).unwrap();
        black_box(engine.figures(PATHS, workers(name)).unwrap().mean_usd)
    });
}

/// Everything that the screen draws, while a commitment is dragged: 2,000 futures.
#[divan::bench(args = WORKERS)]
fn pictures_while_dragging(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        let units = &mut scenario.families[2].buys[0].units;
        *units = (*units + 10.0) % 2000.0;
        engine.set(&scenario).unwrap();
        black_box(engine.value(2000, workers(name)).unwrap())
    });
}

/// Everything that the screen draws, settled.
#[divan::bench(args = WORKERS)]
fn pictures_settled(bencher: Bencher, name: &str) {
    let (mut engine, mut scenario) = ready();
    bencher.bench_local(|| {
        let growth = &mut scenario.families[2].growth;
        *growth = (*growth + 0.01) % 1.0;
        engine.set(&scenario).unwrap();
        black_box(engine.value(PATHS, workers(name)).unwrap())
    });
}
