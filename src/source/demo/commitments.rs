//! The demo's commitments, with planted truth: whom each serves, and what is left over.
//!
//! What has to cover all that may run of a type is sized by the boxes that there can be, not by those
//! that run at the moment: the fleet lives, a purchase does not.

use std::sync::Arc;

use jiff::Timestamp;

use super::hash::{hash, mix};
use super::inventory;
use super::places::{ACCOUNTS, Account, REGIONS};
use super::prices::list_price;
use super::profile::{Fleet, Profile};
use crate::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, Hour, Lifecycle, OfferingClass,
    PaymentOption, PlanRate, PlanType, Platform, Provenance, ReservedInstances, ReservesCapacity,
    SavingsPlan, Tenancy,
};

/// What Compute plans of the demo take off the list price.
const COMPUTE_DISCOUNT: f64 = 0.28;
/// What they take off in the one place where they are best: that is served first.
const BEST_DISCOUNT: f64 = 0.45;
/// Where that is.
const BEST: (&str, &str) = ("ap-northeast-1", "g5.48xlarge");
/// What EC2 Instance plans take off.
const FAMILY_DISCOUNT: f64 = 0.38;
/// What Reserved Instances take off.
const RESERVED_DISCOUNT: f64 = 0.40;

/// A planted commitment, or several of one kind.
#[derive(Debug)]
#[cfg(test)]
pub struct PlantedCommitment {
    /// What it is called in `docs/demo.md`.
    pub name: &'static str,
    /// What is planted.
    pub what: &'static str,
    /// What follows from it.
    pub says: &'static str,
}

/// The planted commitments, as the page lists them.
#[cfg(test)]
pub fn planted_commitments() -> &'static [PlantedCommitment] {
    const fn planted(
        name: &'static str,
        what: &'static str,
        says: &'static str,
    ) -> PlantedCommitment {
        PlantedCommitment { name, what, says }
    }
    const ALL: [PlantedCommitment; 14] = [
        planted(
            "RI p4de",
            "as many p4de.24xlarge in us-west-2 as may run there",
            "stopping one saves nothing: `baseline-protected` is net $0",
        ),
        planted(
            "RI c6i, expiring",
            "one c6i.24xlarge in us-west-2, ends in 12 days",
            "smaller sizes use it where no such box runs; it is time to decide",
        ),
        planted("RI m7i, zonal", "one m7i.4xlarge in us-east-1c", "serves that zone alone"),
        planted(
            "RI r5, unused",
            "three r5.12xlarge in ap-northeast-1, where none run",
            "unused but for what smaller r5 take of it",
        ),
        planted(
            "RI p3, expired",
            "a p3.16xlarge that ended 40 days ago",
            "ended: it counts nowhere",
        ),
        planted(
            "Compute SP",
            "the price of all g5.48xlarge of ml-prod in ap-northeast-1, where its discount is largest",
            "`sp-covered` saves 76.4% of its price: the plan goes on and pays for others at a smaller discount",
        ),
        planted("Compute SP, queued", "begins in 20 days", "pending: it serves nobody yet"),
        planted(
            "EC2 Instance SP g6e",
            "a quarter more than all g6e in ap-northeast-1 use",
            "never used up: `do-not-stop` is net $0",
        ),
        planted(
            "EC2 Instance SP c6i",
            "c6i in us-west-2, where Reserved Instances are too",
            "overlapping: the reservation is applied first",
        ),
        planted(
            "EC2 Instance SP p3",
            "p3 in eu-central-1, where nothing runs",
            "in another region than any usage: 0% used",
        ),
        planted("SageMaker SP", "$1.20/h for SageMaker", "applied to no instance"),
        planted(
            "ODCR g6e",
            "the room of `reserved-idle`",
            "stopping it saves nothing: the room bills all the same",
        ),
        planted(
            "ODCR g5, unused",
            "room for two g5.12xlarge in eu-west-1b that nobody uses",
            "a finding: both bill at the on-demand price",
        ),
        planted(
            "Capacity Blocks",
            "one for each box in a block, and one for a p5en.48xlarge that stands empty until its end",
            "prepaid; what a block cost is known of the empty one alone",
        ),
    ];
    &ALL
}

/// The id of a commitment: stable under the fleet's key.
fn id(fleet: Fleet, n: u64) -> Arc<str> {
    let (a, b) = (hash(fleet.key(), 0xc0, n), mix(hash(fleet.key(), 0xc1, n)));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
    .into()
}

/// Midnight (UTC), so many days from today.
fn day(now: Timestamp, days: i32) -> Timestamp {
    Hour((Hour::containing(now).day() + days) * 24).start()
}

/// Boxes that may run on demand.
fn may_run(fleet: Fleet) -> impl Iterator<Item = Profile> {
    (0..fleet.size())
        .filter_map(move |index| fleet.profile(index))
        .filter(|p| p.lifecycle == Lifecycle::OnDemand && !p.stopped)
}

/// Family of an instance type: `p4d` of `p4d.24xlarge`.
pub(super) fn family(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// List price of all boxes that may run and that `wanted` takes, USD/h.
fn usd_of(fleet: Fleet, wanted: impl Fn(&Profile) -> bool) -> f64 {
    let price = |p: &Profile| list_price(p.region.code, &p.spec.name);
    may_run(fleet).filter(|p| wanted(p)).filter_map(|p| price(&p)).sum()
}

/// What is common to all of them.
struct Deal<'a> {
    fleet: Fleet,
    account: &'a Account,
    now: Timestamp,
}

impl Deal<'_> {
    fn is(&self, account: usize) -> bool {
        ACCOUNTS.get(account).is_some_and(|a| a.id == self.account.id)
    }

    /// A commitment over days from today.
    fn made(&self, n: u64, days: (i32, Option<i32>), commits: Commits) -> Commitment {
        let (start, end) = (day(self.now, days.0), days.1.map(|d| day(self.now, d)));
        let state = match end {
            Some(end) if end <= self.now => CommitmentState::Ended,
            _ if start > self.now => CommitmentState::Pending,
            _ => CommitmentState::Active,
        };
        Commitment {
            id: id(self.fleet, n),
            account: self.account.id.into(),
            state,
            start,
            end,
            commits,
            provenance: Provenance::Demo,
        }
    }

    /// A year of Reserved Instances that has so many days left; `None` without a price or a count.
    fn reserved(
        &self,
        n: u64,
        place: (&str, Option<char>),
        what: (&str, u32),
        left: i32,
    ) -> Option<Commitment> {
        let (region, zone) = place;
        let (name, count) = what;
        let usd = list_price(region, name)? * (1.0 - RESERVED_DISCOUNT);
        let commits = Commits::Reserved(ReservedInstances {
            region: region.into(),
            az: zone.map(|z| format!("{region}{z}").into()),
            instance_type: name.into(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            count,
            class: OfferingClass::Standard,
            payment: PaymentOption::AllUpfront,
            usd_per_hour: Some(usd),
            upfront_usd: Some(usd * 365.0 * 24.0),
        });
        (count > 0).then(|| self.made(n, (left - 365, Some(left)), commits))
    }

    fn plan(&self, n: u64, days: (i32, Option<i32>), terms: Terms<'_>) -> Commitment {
        let Terms { usd, plan, of } = terms;
        let commits = Commits::Plan(SavingsPlan {
            plan_type: plan,
            usd_per_hour: usd,
            payment: PaymentOption::NoUpfront,
            upfront_usd: 0.0,
            region: of.map(|(region, _)| region.into()),
            family: of.map(|(_, family)| family.into()),
            rates: Vec::new(),
            rates_known: false,
        });
        self.made(n, days, commits)
    }
}

/// Terms of a plan: USD/h, kind, region and family.
struct Terms<'a> {
    usd: f64,
    plan: PlanType,
    of: Option<(&'a str, &'a str)>,
}

/// Reserved Instances of an account and region.
pub(super) fn reserved(
    fleet: Fleet,
    account: &Account,
    region: &str,
    now: Timestamp,
) -> Vec<Commitment> {
    let deal = Deal { fleet, account, now };
    let [east, west, _, tokyo] = REGIONS.map(|r| r.code);
    let mut out = Vec::new();
    if deal.is(0) && region == west {
        let count = may_run(fleet)
            .filter(|p| p.region.code == west && &*p.spec.name == "p4de.24xlarge")
            .count();
        let what = ("p4de.24xlarge", u32::try_from(count).unwrap_or(0));
        out.extend(deal.reserved(1, (west, None), what, 203));
    }
    if deal.is(2) && region == west {
        out.extend(deal.reserved(2, (west, None), ("c6i.24xlarge", 1), 12));
    }
    if deal.is(2) && region == east {
        out.extend(deal.reserved(3, (east, Some('c')), ("m7i.4xlarge", 1), 90));
        out.extend(deal.reserved(5, (east, None), ("p3.16xlarge", 1), -40));
    }
    if deal.is(1) && region == tokyo {
        out.extend(deal.reserved(4, (tokyo, None), ("r5.12xlarge", 3), 310));
    }
    out
}

/// Savings Plans of an account.
pub(super) fn plans(fleet: Fleet, account: &Account, now: Timestamp) -> Vec<Commitment> {
    let deal = Deal { fleet, account, now };
    let [_, west, _, tokyo] = REGIONS.map(|r| r.code);
    let mut out = Vec::new();
    let mut buy = |n, days, usd: f64, plan, of| {
        if usd > 0.0 {
            out.push(deal.plan(n, days, Terms { usd, plan, of }));
        }
    };
    if deal.is(0) {
        let best =
            |p: &Profile| p.account.id == account.id && (p.region.code, &*p.spec.name) == BEST;
        let usd = usd_of(fleet, best) * (1.0 - BEST_DISCOUNT);
        buy(10, (-120, Some(245)), usd, PlanType::Compute, None);
        buy(11, (20, Some(385)), 10.0, PlanType::Compute, None);
        let nowhere = Some(("eu-central-1", "p3"));
        buy(12, (-700, Some(395)), 2.5, PlanType::Ec2Instance, nowhere);
    }
    if deal.is(1) {
        let here = |p: &Profile| p.region.code == tokyo && family(&p.spec.name) == "g6e";
        let usd = 1.25 * usd_of(fleet, here) * (1.0 - FAMILY_DISCOUNT);
        buy(13, (-30, Some(1_065)), usd, PlanType::Ec2Instance, Some((tokyo, "g6e")));
        buy(14, (-200, Some(165)), 1.2, PlanType::SageMaker, None);
    }
    if deal.is(2) {
        buy(15, (-90, Some(275)), 1.0, PlanType::Ec2Instance, Some((west, "c6i")));
    }
    out
}

/// What a plan takes off the list price of a type in a region, 0–1; `None` where it does not serve it, and for what is
/// no plan for instances.
pub(super) fn discount(plan: &Commitment, region: &str, name: &str) -> Option<f64> {
    let Commits::Plan(terms) = &plan.commits else { return None };
    match terms.plan_type {
        PlanType::Compute if (region, name) == BEST => Some(BEST_DISCOUNT),
        PlanType::Compute => Some(COMPUTE_DISCOUNT),
        PlanType::Ec2Instance => {
            let fits = terms.region.as_deref() == Some(region)
                && terms.family.as_deref() == Some(family(name));
            fits.then_some(FAMILY_DISCOUNT)
        }
        PlanType::SageMaker | PlanType::Other => None,
    }
}

/// Rates of the plan with id `plan` for instance types in regions; empty for an unknown plan.
pub(super) fn rates(
    plans: &[Commitment],
    plan: &str,
    types: &[Arc<str>],
    regions: &[Arc<str>],
) -> Vec<PlanRate> {
    let Some(plan) = plans.iter().find(|p| &*p.id == plan) else { return Vec::new() };
    let rate = |region: &Arc<str>, name: &Arc<str>| {
        Some(PlanRate {
            region: region.clone(),
            instance_type: name.clone(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            usd_per_hour: list_price(region, name)? * (1.0 - discount(plan, region, name)?),
        })
    };
    let of_region = |region| types.iter().filter_map(move |name| rate(region, name));
    regions.iter().flat_map(of_region).collect()
}

/// Capacity reservations and Capacity Blocks of an account and region; `here` has each of its boxes, with whether it
/// runs.
pub(super) fn capacity(
    fleet: Fleet,
    account: &Account,
    region: &str,
    here: &[(Profile, bool)],
    now: Timestamp,
) -> Vec<Commitment> {
    let deal = Deal { fleet, account, now };
    let [_, west, ireland, _] = REGIONS.map(|r| r.code);
    let kept = |name: &Arc<str>, az: Arc<str>, room: (u32, u32), reserves| {
        Commits::Capacity(CapacityReservation {
            region: region.into(),
            az,
            instance_type: name.clone(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            total: room.0,
            available: room.1,
            reserves,
            targeted: true,
        })
    };
    let mut out = Vec::new();
    for (profile, runs) in here {
        let Some(reservation) = inventory::reservation(profile) else { continue };
        let block = profile.lifecycle == Lifecycle::CapacityBlock;
        let (reserves, days) = match block {
            true => (ReservesCapacity::Block { upfront_usd: None }, (-60, Some(120))),
            false => (ReservesCapacity::OnDemand, (-75, None)),
        };
        let room = (1, u32::from(!runs));
        let commits = kept(&profile.spec.name, inventory::zone(profile), room, reserves);
        out.push(Commitment { id: reservation, ..deal.made(0, days, commits) });
    }
    let named = |n: u64| Arc::from(format!("cr-0{:016x}", hash(fleet.key(), 0xc2, n)));
    if deal.is(0) && region == ireland {
        let az = format!("{region}b").into();
        let commits = kept(&"g5.12xlarge".into(), az, (2, 2), ReservesCapacity::OnDemand);
        out.push(Commitment { id: named(1), ..deal.made(0, (-48, None), commits) });
    }
    if deal.is(1) && region == west {
        let az = format!("{region}c").into();
        // 14 days of $41.61/h.
        let reserves = ReservesCapacity::Block { upfront_usd: Some(41.61 * 24.0 * 14.0) };
        let commits = kept(&"p5en.48xlarge".into(), az, (1, 1), reserves);
        out.push(Commitment { id: named(2), ..deal.made(0, (-5, Some(9)), commits) });
    }
    out
}
