//! Fleets and commitments in a few words.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, Holdings, Instance, Offer,
    OfferingClass, PaymentOption, PlanRate, PlanType, Platform, PriceBasis, Provenance, Rate,
    ReservedInstances, ReservesCapacity, SavingsPlan, Scope, Tenancy, sample,
};
use crate::fleet::PriceBook;
use crate::fleet::commitments::Meter;

pub const EAST: &str = "us-east-1";
pub const A: &str = "111111111111";
pub const B: &str = "222222222222";
pub const C: &str = "333333333333";

pub fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(490_000)
}

pub fn hours(n: i64) -> SignedDuration {
    SignedDuration::from_hours(n)
}

pub fn meter(account: &str, az: &str, instance_type: &str) -> Meter {
    let region = az.trim_end_matches(|c: char| c.is_ascii_lowercase());
    Meter {
        scope: Scope::new(account, region),
        az: az.into(),
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        reservation: None,
    }
}

pub fn instance(id: &str, meter: &Meter) -> Instance {
    Instance {
        id: id.into(),
        scope: meter.scope.clone(),
        az: meter.az.clone(),
        name: "node".into(),
        instance_type: meter.instance_type.clone(),
        tenancy: meter.tenancy,
        platform: meter.platform,
        launched_at: now() - hours(1000),
        ebs_root: false,
        capacity_reservation: meter.reservation.clone(),
        ..sample::instance()
    }
}

/// `n` instances of a meter, named after `id`.
pub fn instances(id: &str, n: usize, meter: &Meter) -> Vec<Arc<Instance>> {
    (0..n).map(|i| Arc::new(instance(&format!("{id}{i}"), meter))).collect()
}

fn commitment(id: &str, account: &str, commits: Commits) -> Commitment {
    Commitment {
        id: id.into(),
        account: account.into(),
        state: CommitmentState::Active,
        start: now() - hours(2000),
        end: Some(now() + hours(6000)),
        commits,
        provenance: Provenance::Demo,
    }
}

pub fn regional(id: &str, account: &str, count: u32, of: &str, usd: f64) -> Commitment {
    let reserved = ReservedInstances {
        region: EAST.into(),
        az: None,
        instance_type: of.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        count,
        class: OfferingClass::Standard,
        payment: PaymentOption::NoUpfront,
        usd_per_hour: Some(usd),
        upfront_usd: Some(0.0),
    };
    commitment(id, account, Commits::Reserved(reserved))
}

pub fn zonal(id: &str, account: &str, count: u32, of: &str, az: &str, usd: f64) -> Commitment {
    let mut made = regional(id, account, count, of, usd);
    if let Commits::Reserved(reserved) = &mut made.commits {
        reserved.az = Some(az.into());
    }
    made
}

fn plan(id: &str, account: &str, kind: PlanType, usd: f64, rates: &[(&str, f64)]) -> Commitment {
    let rates = rates.iter().map(|(of, usd)| PlanRate {
        region: EAST.into(),
        instance_type: (*of).into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        usd_per_hour: *usd,
    });
    let plan = SavingsPlan {
        plan_type: kind,
        usd_per_hour: usd,
        payment: PaymentOption::NoUpfront,
        upfront_usd: 0.0,
        region: None,
        family: None,
        rates: rates.collect(),
        rates_known: true,
    };
    commitment(id, account, Commits::Plan(plan))
}

pub fn compute(id: &str, account: &str, usd: f64, rates: &[(&str, f64)]) -> Commitment {
    plan(id, account, PlanType::Compute, usd, rates)
}

pub fn ec2_plan(
    id: &str,
    account: &str,
    family: &str,
    usd: f64,
    rates: &[(&str, f64)],
) -> Commitment {
    let mut made = plan(id, account, PlanType::Ec2Instance, usd, rates);
    if let Commits::Plan(plan) = &mut made.commits {
        plan.region = Some(EAST.into());
        plan.family = Some(family.into());
    }
    made
}

pub fn odcr(id: &str, account: &str, (total, available): (u32, u32), of: &str) -> Commitment {
    let capacity = CapacityReservation {
        region: EAST.into(),
        az: "us-east-1a".into(),
        instance_type: of.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        total,
        available,
        reserves: ReservesCapacity::OnDemand,
        targeted: false,
    };
    let mut made = commitment(id, account, Commits::Capacity(capacity));
    made.end = None;
    made
}

pub fn block(id: &str, account: &str, total: u32, of: &str, upfront: Option<f64>) -> Commitment {
    let mut made = odcr(id, account, (total, 0), of);
    if let Commits::Capacity(capacity) = &mut made.commits {
        capacity.reserves = ReservesCapacity::Block { upfront_usd: upfront };
    }
    made.start = now() - hours(24);
    made.end = Some(now() + hours(24));
    made
}

pub fn held(items: impl IntoIterator<Item = Commitment>) -> Holdings {
    let items = items.into_iter().map(Arc::new).collect();
    Holdings { items, sharing: true, ..Holdings::default() }
}

/// Linux on shared hardware in `us-east-1`.
pub fn prices(list: &[(&str, f64)]) -> PriceBook {
    priced(list, Platform::Linux, Tenancy::Shared)
}

pub fn priced(list: &[(&str, f64)], platform: Platform, tenancy: Tenancy) -> PriceBook {
    let mut book = PriceBook::default();
    let offers: Vec<Offer> = list
        .iter()
        .map(|(of, usd)| Offer {
            region: EAST.into(),
            az: None,
            instance_type: (*of).into(),
            platform,
            tenancy,
            rate: Rate {
                usd_per_hour: *usd,
                basis: PriceBasis::OnDemandList,
                provenance: Provenance::Demo,
            },
        })
        .collect();
    book.extend(&offers);
    book
}
