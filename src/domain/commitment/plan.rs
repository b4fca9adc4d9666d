//! Savings Plans.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reservation::PaymentOption;
use crate::domain::instance::{Platform, Tenancy};

/// Savings Plans' types, as `DescribeSavingsPlans` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanType {
    /// Any EC2 instance in any region, Fargate and Lambda.
    Compute,
    /// Instances of one EC2 family in one region.
    Ec2Instance,
    /// SageMaker instances.
    SageMaker,
    /// A kind that this version does not know.
    Other,
}

/// Discounted rate of a plan for one instance type, from `DescribeSavingsPlanRates`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRate {
    /// AWS region code, such as `us-east-1`.
    pub region: Arc<str>,
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Operating system and licence: a part of the price key.
    pub platform: Platform,
    /// EC2 tenancy (shared, dedicated, host): a part of the price key.
    pub tenancy: Tenancy,
    /// USD per instance-hour; finite and ≥ 0.
    pub usd_per_hour: f64,
}

/// Commitment to spend an amount per hour at the plan's rates. The unused part of an hour is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavingsPlan {
    /// Type of the plan, which decides what it covers.
    pub plan_type: PlanType,
    /// Committed spend, USD/h; finite and ≥ 0.
    pub usd_per_hour: f64,
    /// How the commitment is paid.
    pub payment: PaymentOption,
    /// Amount paid at the start, USD; finite and ≥ 0; 0 when the API names none.
    pub upfront_usd: f64,
    /// Region of an EC2 Instance Savings Plan; `None` for other types.
    pub region: Option<Arc<str>>,
    /// Instance family of an EC2 Instance Savings Plan, such as `p4d`; `None` for other types.
    pub family: Option<Arc<str>>,
    /// Rates of the instance types that were queried. Whether the plan covers a type without a rate is unknown.
    pub rates: Vec<PlanRate>,
    /// False when the rates could not be read: the plan's cover is unknown then.
    pub rates_known: bool,
}
