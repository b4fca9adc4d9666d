//! Small fleets with known bills.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::bill::{NetworkSpend, ResourceCosts};
use crate::domain::jobs::AvoidableRuns;
use crate::domain::{
    BilledUnit, CapacityReservation, Commitment, CommitmentState, Commits, FleetHour, Holdings,
    Hour, Instance, Offer, OfferingClass, PaymentOption, PlanRate, PlanType, Platform, PriceBasis,
    Provenance, Rate, Reading, ReservedInstances, ReservesCapacity, Resource, ResourceAdvice,
    ResourceFix, ResourceKind, SavingsFacts, SavingsPlan, Scope, SourceId, SourceState, TagKeys,
    Tenancy, TypeSpec, Verdict, VerdictKind, sample,
};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::savings::{
    Effort, ModelRow, Need, PathRow, Proposal, ResourceRow, Risk, SizeVerdict, SpotBecause,
    SpotFit, SpotRow, Waterfall,
};
use crate::fleet::{Book, Fleet, JoinInput, PriceBook, StorageFleet, join};
use crate::tabs::network::state::fixture::month;

pub fn now() -> Timestamp {
    "2026-03-14T15:09:26Z".parse().unwrap()
}

pub fn in_days(days: i64) -> Timestamp {
    now() + jiff::SignedDuration::from_hours(24 * days)
}

/// Everything that a waterfall is made from.
pub struct World {
    pub prices: Vec<(String, f64)>,
    pub types: HashMap<Arc<str>, Arc<TypeSpec>>,
    pub instances: Vec<Instance>,
    pub verdicts: HashMap<Arc<str>, Arc<Verdict>>,
    pub holdings: Option<Holdings>,
    pub proposals: Vec<Arc<Proposal>>,
    pub spot: Vec<Arc<SpotRow>>,
    pub resources: Vec<Arc<ResourceRow>>,
    pub storage: Option<StorageFleet>,
    pub network: Option<NetworkSpend>,
    /// Live paths of the network.
    pub paths: Vec<Arc<PathRow>>,
    /// Measures on models.
    pub models: Vec<Arc<ModelRow>>,
    /// True where a bill is kept.
    pub has_bill: bool,
    pub failed_runs: Option<AvoidableRuns>,
    pub facts: SavingsFacts,
}

impl World {
    /// No instance; commitments were read, and there are none.
    pub fn new(prices: &[(&str, f64)]) -> Self {
        Self {
            prices: prices.iter().map(|(name, usd)| ((*name).to_owned(), *usd)).collect(),
            types: HashMap::new(),
            instances: Vec::new(),
            verdicts: HashMap::new(),
            holdings: Some(Holdings { sharing: true, ..Holdings::default() }),
            proposals: Vec::new(),
            spot: Vec::new(),
            resources: Vec::new(),
            storage: None,
            network: None,
            paths: Vec::new(),
            models: Vec::new(),
            has_bill: false,
            failed_runs: None,
            facts: SavingsFacts::default(),
        }
    }

    pub fn usd(&self, instance_type: &str) -> f64 {
        self.prices.iter().find(|(name, _)| name == instance_type).unwrap().1
    }

    /// Adds a running on-demand instance.
    pub fn run(&mut self, id: &str, account: &str, instance_type: &str, kind: VerdictKind) {
        self.instances.push(instance(id, account, instance_type));
        self.verdicts.insert(id.into(), Arc::new(verdict(kind)));
    }

    fn of(&self, id: &str) -> &Instance {
        self.instances.iter().find(|i| &*i.id == id).unwrap()
    }

    /// Proposes a smaller type for an instance.
    pub fn propose(&mut self, id: &str, to: &str) {
        let i = self.of(id);
        let (from, to_usd) = (self.usd(&i.instance_type), self.usd(to));
        self.proposals.push(Arc::new(Proposal {
            id: i.id.clone(),
            name: i.id.clone(),
            scope: i.scope.clone(),
            az: i.az.clone(),
            team: None,
            from: i.instance_type.clone(),
            usd_per_hour: Some(from),
            need: Need::default(),
            verdict: SizeVerdict::Smaller {
                to: to.into(),
                usd_per_hour: to_usd,
                provenance: Provenance::Demo,
            },
            mig: None,
            gross_usd_per_hour: Some(from - to_usd),
            net_usd_per_hour: None,
            worthless_until: None,
            effort: Effort::Medium,
            risk: Risk::Medium,
            says: Vec::new(),
        }));
    }

    /// Says what Spot would be for an instance: its price, and what a useful hour costs.
    pub fn may_spot(&mut self, id: &str, fit: SpotFit, price: f64, effective: f64) {
        let i = self.of(id);
        let on_demand = self.usd(&i.instance_type);
        self.spot.push(Arc::new(SpotRow {
            id: i.id.clone(),
            name: i.id.clone(),
            scope: i.scope.clone(),
            az: i.az.clone(),
            team: None,
            instance_type: i.instance_type.clone(),
            gpus: 1.0,
            workload: None,
            fit,
            because: Arc::new(SpotBecause::Nothing),
            on_demand: Some(on_demand),
            zones: [crate::fleet::savings::ZonePrice {
                az: i.az.clone(),
                usd_per_hour: price,
                mean: None,
                highest: None,
                hours: 0,
            }]
            .into(),
            interruption: None,
            checkpoint_every_hours: None,
            efficiency: None,
            effective: Some(effective),
            gross_usd_per_hour: Some(on_demand - price),
            net_usd_per_hour: None,
            effort: Effort::Medium,
            risk: Risk::Medium,
            says: Vec::new(),
        }));
    }

    /// Adds a resource of this price that is idle or not.
    pub fn resource(&mut self, id: &str, kind: ResourceKind, usd: f64, idle: bool) {
        self.resources.push(Arc::new(ResourceRow {
            resource: Arc::new(Resource {
                scope: Scope::new("1", "us-east-1"),
                units: vec![BilledUnit {
                    what: "hours".into(),
                    count: 1.0,
                    usd_per_hour: Some(usd),
                }],
                ..sample::resource(kind, id)
            }),
            verdict: Some(Arc::new(verdict(if idle {
                VerdictKind::Idle
            } else {
                VerdictKind::Busy
            }))),
            pattern: None,
            team: None,
            waste_usd_per_hour: Some(if idle { usd } else { 0.0 }),
            wasted_usd: None,
            fix: ResourceFix { advice: ResourceAdvice::InUse, usd_per_month: None },
        }));
    }

    pub fn hold(&mut self, commitment: Commitment) {
        self.holdings.as_mut().unwrap().items.push(Arc::new(commitment));
    }

    /// Every closed hour of the last week ran what runs now.
    pub fn ran_all_week(&mut self) {
        let to = Hour::containing(now());
        let mut hours = Vec::new();
        let mut scopes: Vec<Scope> = self.instances.iter().map(|i| i.scope.clone()).collect();
        scopes.sort_unstable();
        scopes.dedup();
        for back in 1..=168 {
            for scope in &scopes {
                let mut hour = FleetHour {
                    hour: to.plus(-back),
                    scope: scope.clone(),
                    looks: 1,
                    seen: crate::domain::TypeCounts::default(),
                };
                for i in self.instances.iter().filter(|i| i.scope == *scope) {
                    hour.seen.add(&i.instance_type, 1);
                }
                hours.push(hour);
            }
        }
        self.facts.hours = Arc::new(hours);
    }

    pub fn fleet(&self) -> Fleet {
        let mut prices = PriceBook::default();
        let offers: Vec<Offer> = self.prices.iter().map(|(name, usd)| offer(name, *usd)).collect();
        prices.extend(&offers);
        let instances: Vec<Arc<Instance>> = self.instances.iter().cloned().map(Arc::new).collect();
        join(JoinInput {
            version: 1,
            now: now(),
            instances: &instances,
            book: &Arc::new(Book {
                prices,
                types: self.types.clone(),
                holdings: self.holdings.clone(),
                billed: self.has_bill.then(|| Arc::new(ResourceCosts::of(&month("2026-10", 1.0)))),
                network: self.network.clone().map(Arc::new),
                failed_runs: self.failed_runs.clone().map(Arc::new),
                units: Arc::default(),
                launches: Arc::default(),
            }),
            verdicts: &self.verdicts,
            tag_keys: &TagKeys::default(),
            readings: Vec::new(),
        })
    }

    pub fn with<T>(&self, use_it: impl FnOnce(&SavingsInput<'_>) -> T) -> T {
        let fleet = self.fleet();
        use_it(&SavingsInput {
            version: 1,
            now: now(),
            fleet: &fleet,
            gpus: &GpuFleet::default(),
            storage: self.storage.as_ref(),
            facts: &self.facts,
            rules: &SavingsRules::default(),
            tag_keys: &TagKeys::default(),
            before: None,
        })
    }

    pub fn waterfall(&self) -> Waterfall {
        self.with(|input| {
            super::super::waterfall(
                input,
                &self.proposals,
                &self.spot,
                &self.resources,
                &self.paths,
                &self.models,
            )
        })
    }
}

/// What a source said of itself.
pub fn reading(source: SourceId, taken_at: Option<Timestamp>, state: SourceState) -> Reading {
    Reading { source, scope: Scope::new("1", "us-east-1"), taken_at, coverage: 1.0, state }
}

/// Storage of which buckets and volumes were read.
pub fn read_storage() -> StorageFleet {
    let read = |source| reading(source, Some(now()), SourceState::Live);
    StorageFleet {
        readings: [SourceId::S3, SourceId::Ebs].map(read).to_vec(),
        ..StorageFleet::default()
    }
}

pub fn instance(id: &str, account: &str, instance_type: &str) -> Instance {
    Instance {
        id: id.into(),
        scope: Scope::new(account, "us-east-1"),
        name: id.into(),
        instance_type: instance_type.into(),
        launched_at: in_days(-30),
        ..sample::instance()
    }
}

pub fn verdict(kind: VerdictKind) -> Verdict {
    Verdict { devices: 8, ..sample::verdict(kind) }
}

fn offer(instance_type: &str, usd_per_hour: f64) -> Offer {
    Offer {
        region: "us-east-1".into(),
        az: None,
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate { usd_per_hour, basis: PriceBasis::OnDemandList, provenance: Provenance::Demo },
    }
}

fn commitment(id: &str, account: &str, commits: Commits) -> Commitment {
    Commitment {
        id: id.into(),
        account: account.into(),
        state: CommitmentState::Active,
        start: in_days(-100),
        end: Some(in_days(265)),
        commits,
        provenance: Provenance::Demo,
    }
}

/// Room for so many instances in us-east-1a, of which so many are unused.
pub fn capacity(
    id: &str,
    account: &str,
    instance_type: &str,
    (total, available): (u32, u32),
    reserves: ReservesCapacity,
) -> Commitment {
    commitment(
        id,
        account,
        Commits::Capacity(CapacityReservation {
            region: "us-east-1".into(),
            az: "us-east-1a".into(),
            instance_type: instance_type.into(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            total,
            available,
            reserves,
            targeted: false,
        }),
    )
}

/// Regional Reserved Instances at so many dollars each.
pub fn reserved(id: &str, account: &str, instance_type: &str, count: u32, usd: f64) -> Commitment {
    commitment(
        id,
        account,
        Commits::Reserved(ReservedInstances {
            region: "us-east-1".into(),
            az: None,
            instance_type: instance_type.into(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            count,
            class: OfferingClass::Standard,
            payment: PaymentOption::NoUpfront,
            usd_per_hour: Some(usd),
            upfront_usd: Some(0.0),
        }),
    )
}

/// A Compute Savings Plan with these rates.
pub fn plan(id: &str, account: &str, usd: f64, rates: &[(&str, f64)]) -> Commitment {
    let rate = |(name, usd): &(&str, f64)| PlanRate {
        region: "us-east-1".into(),
        instance_type: (*name).into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        usd_per_hour: *usd,
    };
    commitment(
        id,
        account,
        Commits::Plan(SavingsPlan {
            plan_type: PlanType::Compute,
            usd_per_hour: usd,
            payment: PaymentOption::NoUpfront,
            upfront_usd: 0.0,
            region: None,
            family: None,
            rates: rates.iter().map(rate).collect(),
            rates_known: true,
        }),
    )
}
