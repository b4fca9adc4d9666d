//! Commitments in words.

use crate::domain::format::usd_per_hour;
use crate::domain::{Commitment, Commits, PlanType, Platform, Tenancy};

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
            let rate = usd_per_hour(plan.usd_per_hour);
            match (plan.plan_type, &plan.family, &plan.region) {
                (PlanType::Compute, ..) => format!("{rate} of any EC2, Fargate and Lambda"),
                (PlanType::Ec2Instance, Some(family), Some(region)) => {
                    format!("{rate} of {family} in {region}")
                }
                (PlanType::Ec2Instance, ..) => format!("{rate} of one EC2 family"),
                (PlanType::SageMaker, ..) => format!("{rate} of SageMaker"),
                (PlanType::Other, ..) => format!("{rate} of something else"),
            }
        }
    }
}
