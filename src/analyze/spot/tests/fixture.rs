//! A fleet in a few words, in us-east-1.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::analyze::spot::{SpotRules, mixed_fleets, rows};
use crate::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, Holdings, Instance, Offer,
    OfferingClass, Owner, PaymentOption, Platform, PriceBasis, Provenance, Rate, ReservedInstances,
    ReservesCapacity, SavingsFacts, Scope, SpotHistory, TagKeys, Tags, Tenancy, Verdict,
    VerdictKind, ZoneOffering, sample,
};
use crate::fleet::savings::{MixedFleet, SpotRow};
use crate::fleet::{Book, Fleet, GpuFleet, JoinInput, PriceBook, Savings, join};
use crate::source::catalogue::type_specs;

pub const EAST: &str = "us-east-1";
pub const ACCOUNT: &str = "123456789012";

pub fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000)
}

pub fn ago(seconds: i64) -> Timestamp {
    now() - SignedDuration::from_secs(seconds)
}

/// A running on-demand instance in us-east-1a.
pub fn instance(id: &str, instance_type: &str, tags: &[(&str, &str)]) -> Instance {
    let tags = Tags::from_raw(tags.iter().copied());
    Instance {
        id: id.into(),
        scope: Scope::new(ACCOUNT, EAST),
        name: tags.get("Name").unwrap_or_default().into(),
        instance_type: instance_type.into(),
        launched_at: ago(3_600_000),
        ebs_root: false,
        owners: Owner::from_tags(&tags),
        tags,
        ..sample::instance()
    }
}

pub fn verdict(kind: VerdictKind) -> Verdict {
    sample::verdict(kind)
}

/// What is put together step by step.
pub struct World {
    pub instances: Vec<Arc<Instance>>,
    pub prices: PriceBook,
    pub holdings: Option<Holdings>,
    pub facts: SavingsFacts,
    pub rules: SpotRules,
    pub verdicts: HashMap<Arc<str>, Arc<Verdict>>,
    pub gpus: GpuFleet,
}

impl Default for World {
    /// Nothing runs; commitments were read and there are none.
    fn default() -> Self {
        Self {
            instances: Vec::new(),
            prices: PriceBook::default(),
            holdings: Some(Holdings { sharing: true, ..Holdings::default() }),
            facts: SavingsFacts::default(),
            rules: SpotRules::default(),
            verdicts: HashMap::new(),
            gpus: GpuFleet::default(),
        }
    }
}

fn offer(instance_type: &str, az: Option<&str>, usd: f64) -> Offer {
    Offer {
        region: EAST.into(),
        az: az.map(Arc::from),
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate {
            usd_per_hour: usd,
            basis: if az.is_some() { PriceBasis::Spot } else { PriceBasis::OnDemandList },
            provenance: Provenance::Demo,
        },
    }
}

impl World {
    pub fn with(mut self, instance: Instance) -> Self {
        self.instances.push(Arc::new(instance));
        self
    }

    /// `n` of them: `<id>0`, `<id>1`, …
    pub fn many(mut self, n: usize, id: &str, instance_type: &str, tags: &[(&str, &str)]) -> Self {
        for i in 0..n {
            self = self.with(instance(&format!("{id}{i}"), instance_type, tags));
        }
        self
    }

    pub fn on_demand(mut self, instance_type: &str, usd: f64) -> Self {
        self.prices.extend(&[offer(instance_type, None, usd)]);
        self
    }

    /// Spot by zone letters: `("a", 8.0)`.
    pub fn spot(mut self, instance_type: &str, zones: &[(&str, f64)]) -> Self {
        for (letter, usd) in zones {
            let az = format!("{EAST}{letter}");
            self.prices.extend(&[offer(instance_type, Some(&az), *usd)]);
        }
        self
    }

    pub fn past(mut self, instance_type: &str, letter: &str, points: &[(Timestamp, f64)]) -> Self {
        self.facts.spot.push(Arc::new(SpotHistory {
            region: EAST.into(),
            az: format!("{EAST}{letter}").into(),
            instance_type: instance_type.into(),
            platform: Platform::Linux,
            points: points.iter().copied().collect(),
        }));
        self
    }

    pub fn offers(mut self, letter: &str, types: &[&str]) -> Self {
        let mut types: Vec<Arc<str>> = types.iter().map(|t| Arc::from(*t)).collect();
        types.sort();
        let zone = ZoneOffering { az: format!("{EAST}{letter}").into(), types };
        let scope = Scope::new(ACCOUNT, EAST);
        self.facts.offerings.insert(scope, Arc::new(vec![zone]));
        self
    }

    /// Regional Reserved Instances.
    pub fn reserved(mut self, count: u32, instance_type: &str, usd: f64) -> Self {
        let item = Commitment {
            id: "ri-1".into(),
            account: ACCOUNT.into(),
            state: CommitmentState::Active,
            start: ago(1_000_000),
            end: Some(now() + SignedDuration::from_hours(1_000)),
            commits: Commits::Reserved(ReservedInstances {
                region: EAST.into(),
                az: None,
                instance_type: instance_type.into(),
                platform: Platform::Linux,
                tenancy: Tenancy::Shared,
                count,
                class: OfferingClass::Standard,
                payment: PaymentOption::NoUpfront,
                upfront_usd: Some(0.0),
                usd_per_hour: Some(usd),
            }),
            provenance: Provenance::Demo,
        };
        if let Some(holdings) = &mut self.holdings {
            holdings.items.push(Arc::new(item));
        }
        self
    }

    /// An open capacity reservation in us-east-1a, full.
    pub fn room(mut self, id: &str, total: u32, instance_type: &str) -> Self {
        let item = Commitment {
            id: id.into(),
            account: ACCOUNT.into(),
            state: CommitmentState::Active,
            start: ago(1_000_000),
            end: None,
            commits: Commits::Capacity(CapacityReservation {
                region: EAST.into(),
                az: "us-east-1a".into(),
                instance_type: instance_type.into(),
                platform: Platform::Linux,
                tenancy: Tenancy::Shared,
                total,
                available: 0,
                reserves: ReservesCapacity::OnDemand,
                targeted: false,
            }),
            provenance: Provenance::Demo,
        };
        if let Some(holdings) = &mut self.holdings {
            holdings.items.push(Arc::new(item));
        }
        self
    }

    pub fn judged(mut self, id: &str, kind: VerdictKind) -> Self {
        self.verdicts.insert(id.into(), Arc::new(verdict(kind)));
        self
    }

    pub fn fleet(&self) -> Fleet {
        let types = type_specs().iter().map(|t| (t.name.clone(), Arc::new(t.clone())));
        let book = Arc::new(Book {
            prices: self.prices.clone(),
            types: types.collect(),
            holdings: self.holdings.clone(),
            billed: None,
            network: None,
            failed_runs: None,
            units: Arc::default(),
            launches: Arc::default(),
        });
        join(JoinInput {
            version: 1,
            now: now(),
            instances: &self.instances,
            book: &book,
            verdicts: &self.verdicts,
            tag_keys: &TagKeys::default(),
            readings: Vec::new(),
        })
    }

    fn look<T>(&self, ask: impl FnOnce(&SavingsInput<'_>) -> T) -> T {
        let fleet = self.fleet();
        let rules = SavingsRules { spot: self.rules.clone(), ..SavingsRules::default() };
        ask(&SavingsInput {
            version: 1,
            now: now(),
            fleet: &fleet,
            gpus: &self.gpus,
            storage: None,
            facts: &self.facts,
            rules: &rules,
            tag_keys: &TagKeys::default(),
            before: None,
        })
    }

    pub fn rows(&self) -> Vec<Arc<SpotRow>> {
        self.look(rows)
    }

    /// The rows of a picture that follows one with these.
    pub fn rows_after(&self, spot: &[Arc<SpotRow>]) -> Vec<Arc<SpotRow>> {
        let before = Savings { spot: spot.to_vec(), ..Savings::default() };
        self.look(|input| rows(&SavingsInput { before: Some(&before), ..*input }))
    }

    pub fn row(&self, id: &str) -> Arc<SpotRow> {
        self.rows().into_iter().find(|row| &*row.id == id).unwrap()
    }

    pub fn mixed(&self) -> Vec<Arc<MixedFleet>> {
        self.look(|input| mixed_fleets(input, &rows(input)))
    }
}

#[track_caller]
pub fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{a} for {b}");
}
