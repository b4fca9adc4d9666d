//! Savings Plans.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reservation::PaymentOption;
use crate::domain::instance::{Platform, Tenancy};

/// The kinds of Savings Plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanType {
    /// Any EC2 instance in any region, Fargate and Lambda.
    Compute,
    /// One EC2 instance family in one region.
    Ec2Instance,
    /// SageMaker.
    SageMaker,
    /// A kind that this version does not know.
    Other,
}

/// What a plan takes for an instance-hour, as `DescribeSavingsPlanRates` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRate {
    /// Region code.
    pub region: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// Operating system.
    pub platform: Platform,
    /// Tenancy.
    pub tenancy: Tenancy,
    /// USD per instance-hour; finite and ≥ 0.
    pub usd_per_hour: f64,
}

/// A promise to spend so much in each hour at the plan's rates. What an hour does not use is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavingsPlan {
    /// Which kind.
    pub plan_type: PlanType,
    /// The commitment, USD/h; finite and ≥ 0.
    pub usd_per_hour: f64,
    /// How it is paid.
    pub payment: PaymentOption,
    /// Paid at the beginning, USD.
    pub upfront_usd: f64,
    /// The region that an EC2 Instance Savings Plan is for.
    pub region: Option<Arc<str>>,
    /// The family that an EC2 Instance Savings Plan is for: `p4d`.
    pub family: Option<Arc<str>>,
    /// Rates of the instance types that were asked for. A type that is missing is not known to be
    /// covered.
    pub rates: Vec<PlanRate>,
    /// False when the rates could not be read: what the plan covers is not known then.
    pub rates_known: bool,
}
