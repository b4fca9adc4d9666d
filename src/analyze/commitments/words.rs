//! Commitments in words.

use crate::domain::{Commitment, Commits, PlanType, Platform, Tenancy};

fn usd(amount: f64) -> String {
    format!("${amount:.2}")
}

fn terms(platform: Platform, tenancy: Tenancy) -> String {
    let platform = match platform {
        Platform::Linux => "",
        Platform::Windows => " Windows",
        Platform::Rhel => " RHEL",
        Platform::Suse => " SUSE",
        Platform::UbuntuPro => " Ubuntu Pro",
        Platform::Other => " other software",
    };
    let tenancy = match tenancy {
        Tenancy::Shared => "",
        Tenancy::Dedicated => " dedicated",
        Tenancy::Host => " host",
    };
    format!("{platform}{tenancy}")
}

/// Usage that a commitment covers, in words.
pub(super) fn covers(item: &Commitment) -> String {
    match &item.commits {
        Commits::Reserved(it) => format!(
            "{} × {}{} in {}",
            it.count,
            it.instance_type,
            terms(it.platform, it.tenancy),
            it.az.as_ref().unwrap_or(&it.region)
        ),
        Commits::Capacity(it) => format!(
            "{} × {}{} in {}",
            it.total,
            it.instance_type,
            terms(it.platform, it.tenancy),
            it.az
        ),
        Commits::Plan(plan) => {
            let per_hour = usd(plan.usd_per_hour);
            match (plan.plan_type, &plan.family, &plan.region) {
                (PlanType::Compute, ..) => format!("{per_hour}/h of any EC2, Fargate and Lambda"),
                (PlanType::Ec2Instance, Some(family), Some(region)) => {
                    format!("{per_hour}/h of {family} in {region}")
                }
                (PlanType::Ec2Instance, ..) => format!("{per_hour}/h of one EC2 family"),
                (PlanType::SageMaker, ..) => format!("{per_hour}/h of SageMaker"),
                (PlanType::Other, ..) => format!("{per_hour}/h of something else"),
            }
        }
    }
}
