//! 10,000 instances under 500 commitments for a week of hours, and what a fleet asks of one hour,
//! beside the same hour by the plain version of the What-if view.
//!
//! `cargo bench --bench commitments`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use burntop::parts::analyze::commitments::table;
use burntop::parts::analyze::savings::{SavingsInput, SavingsRules};
use burntop::parts::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, FleetHour, Holdings, Hour, Instance,
    InstanceState, Lifecycle, Offer, OfferingClass, PaymentOption, PlanRate, PlanType, Platform,
    PriceBasis, Provenance, Rate, ReservedInstances, ReservesCapacity, SavingsFacts, SavingsPlan,
    Scope, TagKeys, Tags, Tenancy,
};
use burntop::parts::fleet::commitments::{Applier, Running, covers};
use burntop::parts::fleet::gpu::GpuFleet;
use burntop::parts::fleet::{Book, Fleet, JoinInput, PriceBook, join};
use burntop::parts::whatif::supply::plans::{Plan, PlanKind, Reserved, Usage, bill};
use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};

const INSTANCES: usize = 10_000;
const COMMITMENTS: usize = 500;
const HOURS: i32 = 168;
const ACCOUNTS: usize = 10;
const REGION: &str = "us-east-1";
const FAMILIES: [&str; 8] = ["g5", "g6", "g6e", "p4d", "m5", "c5", "r5", "i3"];
const SIZES: [(&str, f64); 4] =
    [("xlarge", 1.0), ("2xlarge", 2.0), ("8xlarge", 8.0), ("24xlarge", 24.0)];

fn main() {
    divan::main();
}

fn name(of: usize) -> Arc<str> {
    format!("{}.{}", FAMILIES[of / SIZES.len()], SIZES[of % SIZES.len()].0).into()
}

fn price(of: usize) -> f64 {
    SIZES[of % SIZES.len()].1 * (0.2 + 0.1 * (of / SIZES.len()) as f64)
}

const TYPES: usize = FAMILIES.len() * SIZES.len();

/// A fleet, its commitments and a week of counts.
struct World {
    now: Timestamp,
    instances: Vec<Arc<Instance>>,
    holdings: Arc<Holdings>,
    prices: PriceBook,
    fleet: Fleet,
    facts: SavingsFacts,
}

impl World {
    fn new() -> Self {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000);
        let mut random = fastrand::Rng::with_seed(7);
        let mut prices = PriceBook::default();
        let offers: Vec<Offer> = (0..TYPES).map(offer).collect();
        prices.extend(&offers);
        let instances: Vec<Arc<Instance>> =
            (0..INSTANCES).map(|i| Arc::new(instance(i, now, &mut random))).collect();
        let items = (0..COMMITMENTS).map(|n| Arc::new(commitment(n, now, &mut random))).collect();
        let holdings = Arc::new(Holdings { items, sharing: true, ..Holdings::default() });
        let facts = SavingsFacts {
            holdings: Some(holdings.clone()),
            hours: Arc::new(counts(&instances, now, &mut random)),
            ..SavingsFacts::default()
        };
        let book = Book { prices: prices.clone(), holdings: None, ..Book::default() };
        let fleet = join(JoinInput {
            version: 1,
            now,
            instances: &instances,
            book: &Arc::new(book),
            verdicts: &HashMap::new(),
            tag_keys: &TagKeys::default(),
            readings: Vec::new(),
        });
        Self { now, instances, holdings, prices, fleet, facts }
    }

    fn running(&self) -> Running {
        Running::new(&self.instances, [], &self.holdings, &self.prices, self.now)
    }
}

fn offer(of: usize) -> Offer {
    Offer {
        region: REGION.into(),
        az: None,
        instance_type: name(of),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate {
            usd_per_hour: price(of),
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        },
    }
}

fn account(n: usize) -> Arc<str> {
    format!("{:012}", 1000 + n).into()
}

fn zone(n: usize) -> Arc<str> {
    ["us-east-1a", "us-east-1b", "us-east-1c"][n % 3].into()
}

fn instance(i: usize, now: Timestamp, random: &mut fastrand::Rng) -> Instance {
    let spot = random.u8(..) < 25;
    Instance {
        id: format!("i-{i:017x}").into(),
        scope: Scope::new(account(random.usize(..ACCOUNTS)), REGION),
        az: zone(random.usize(..3)),
        name: "node".into(),
        instance_type: name(random.usize(..TYPES)),
        state: InstanceState::Running,
        lifecycle: if spot { Lifecycle::Spot } else { Lifecycle::OnDemand },
        tenancy: Tenancy::Shared,
        platform: Platform::Linux,
        launched_at: now - SignedDuration::from_mins(random.i64(1..60 * 400)),
        block_devices: Vec::new(),
        ebs_root: false,
        owners: Vec::new(),
        tags: Tags::default(),
        private_dns: Arc::from(""),
        private_ip: None,
        capacity_reservation: None,
        detailed_monitoring: false,
    }
}

/// Half of them reservations, two fifths plans with a rate for every type, the rest capacity. One in
/// ten began or ended within the week.
fn commitment(n: usize, now: Timestamp, random: &mut fastrand::Rng) -> Commitment {
    let of = random.usize(..TYPES);
    let discount = 0.4 + 0.02 * random.usize(..20) as f64;
    let commits = match n % 10 {
        0..5 => Commits::Reserved(ReservedInstances {
            region: REGION.into(),
            az: n.is_multiple_of(3).then(|| zone(n)),
            instance_type: name(of),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            count: random.u32(1..12),
            class: OfferingClass::Standard,
            payment: PaymentOption::NoUpfront,
            usd_per_hour: Some(price(of) * discount),
            upfront_usd: Some(0.0),
        }),
        5..9 => {
            let narrow = n % 10 < 7;
            let family = FAMILIES[of / SIZES.len()];
            let rates = (0..TYPES).filter(|of| !narrow || FAMILIES[of / SIZES.len()] == family);
            Commits::Plan(SavingsPlan {
                plan_type: if narrow { PlanType::Ec2Instance } else { PlanType::Compute },
                usd_per_hour: random.f64() * 40.0,
                payment: PaymentOption::NoUpfront,
                upfront_usd: 0.0,
                region: narrow.then(|| REGION.into()),
                family: narrow.then(|| family.into()),
                rates: rates
                    .map(|of| PlanRate {
                        region: REGION.into(),
                        instance_type: name(of),
                        platform: Platform::Linux,
                        tenancy: Tenancy::Shared,
                        usd_per_hour: price(of) * (discount + 0.005 * (of % 7) as f64),
                    })
                    .collect(),
                rates_known: true,
            })
        }
        _ => Commits::Capacity(CapacityReservation {
            region: REGION.into(),
            az: zone(n),
            instance_type: name(of),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            total: 4,
            available: 2,
            reserves: ReservesCapacity::OnDemand,
            targeted: n % 20 == 9,
        }),
    };
    let short = random.u8(..) < 25;
    Commitment {
        id: format!("c-{n:04}").into(),
        account: account(random.usize(..ACCOUNTS)),
        state: CommitmentState::Active,
        start: now - SignedDuration::from_hours(if short { random.i64(1..168) } else { 2000 }),
        end: Some(now + SignedDuration::from_hours(6000)),
        commits,
        provenance: Provenance::Demo,
    }
}

/// Two looks an hour that saw what runs and a tenth more, which is gone.
fn counts(
    instances: &[Arc<Instance>],
    now: Timestamp,
    random: &mut fastrand::Rng,
) -> Vec<FleetHour> {
    let mut seen: BTreeMap<Scope, BTreeMap<Arc<str>, u64>> = BTreeMap::new();
    for instance in instances {
        let here = seen.entry(instance.scope.clone()).or_default();
        *here.entry(instance.instance_type.clone()).or_default() += 2;
    }
    let hours = (1..=HOURS).rev().map(|ago| Hour::containing(now).plus(-ago));
    hours
        .flat_map(|hour| {
            seen.iter()
                .map(|(scope, seen)| {
                    let mut more = |n: &u64| n + random.u64(..=n / 5);
                    FleetHour {
                        hour,
                        scope: scope.clone(),
                        looks: 2,
                        seen: seen.iter().map(|(of, n)| (of.clone(), more(n))).collect(),
                    }
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The figure to reach: the whole table, a week of hours, at most 300 ms on one core.
#[divan::bench]
fn week_of_the_table(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let (rules, gpus, tag_keys) =
        (SavingsRules::default(), GpuFleet::default(), TagKeys::default());
    bencher.bench_local(|| {
        black_box(table(&SavingsInput {
            version: 1,
            now: world.now,
            fleet: &world.fleet,
            gpus: &gpus,
            storage: None,
            facts: &world.facts,
            rules: &rules,
            tag_keys: &tag_keys,
            before: None,
        }))
    });
}

/// The net of every instance, as each join asks for it.
#[divan::bench]
fn nets_of_the_fleet(bencher: Bencher<'_, '_>) {
    let world = World::new();
    bencher.bench_local(|| {
        black_box(covers(&world.instances, &world.holdings, &world.prices, world.now))
    });
}

/// Meters and pairs, made once.
#[divan::bench]
fn preparation(bencher: Bencher<'_, '_>) {
    let world = World::new();
    bencher.bench_local(|| black_box(world.running()));
}

/// One "what if": the bill with one instance less.
#[divan::bench]
fn one_question(bencher: Bencher<'_, '_>) {
    let running = World::new().running();
    bencher.bench_local(|| black_box(running.saves_usd(&[(black_box(3), -1.0)])));
}

/// The same for an hour in which commitments reach for more than runs.
#[divan::bench]
fn one_hour(bencher: Bencher<'_, '_>) {
    let running = World::new().running();
    bencher.bench_local(|| black_box(running.applier().apply(running.units())));
}

/// The baseline: one hour by the plain version, which finds the order anew in each hour. It knows
/// neither zones nor sizes nor room; reservations and plans alone.
#[divan::bench]
fn baseline_one_hour_unprepared(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let running = world.running();
    let applier: &Applier = running.applier();
    let usage: Vec<Usage> = applier
        .meters()
        .iter()
        .zip(running.units())
        .zip(applier.prices())
        .map(|((meter, units), price)| Usage {
            what: meter.instance_type.to_string(),
            account: meter.scope.account.to_string(),
            units: *units,
            on_demand: price.unwrap_or(0.0),
        })
        .collect();
    let (mut reserved, mut plans) = (Vec::new(), Vec::new());
    for item in &world.holdings.items {
        match &item.commits {
            Commits::Reserved(it) => reserved.push(Reserved {
                what: it.instance_type.to_string(),
                account: item.account.to_string(),
                units: f64::from(it.count),
                rate: it.usd_per_hour.unwrap_or(0.0),
            }),
            Commits::Plan(plan) => plans.push(Plan {
                kind: match plan.plan_type {
                    PlanType::Ec2Instance => PlanKind::Instance,
                    _ => PlanKind::Compute,
                },
                account: item.account.to_string(),
                usd_per_hour: plan.usd_per_hour,
                rates: (plan.rates.iter())
                    .map(|rate| (rate.instance_type.to_string(), rate.usd_per_hour))
                    .collect(),
            }),
            Commits::Capacity(_) => {}
        }
    }
    bencher.bench_local(|| black_box(bill(&usage, &reserved, &plans, true)));
}
