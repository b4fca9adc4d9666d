//! Where facts come from. A [`Provider`] answers questions about one account; the AWS provider
//! asks the real APIs, the demo provider an invented fleet. Everything above the trait (planning,
//! caching, judging, pricing) is the same for both.

pub mod aws;
pub mod catalogue;
pub mod demo;
pub mod inspect;
pub mod ledger;
pub mod planner;
pub mod provider;

pub use inspect::{Inspector, Seen};
pub use provider::{
    GpuDimensions, Identity, MetricKey, MetricQuery, MetricResult, Page, Provider, Statistic,
};
