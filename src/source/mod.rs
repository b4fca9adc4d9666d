//! Where facts come from. A [`Provider`] answers questions about one account; the AWS provider
//! asks the real APIs, the demo provider an invented fleet. Everything above the trait (planning,
//! caching, judging, pricing) is the same for both.

pub mod access_logs;
pub mod athena;
pub mod aws;
pub mod bill;
pub mod bill_exports;
pub mod budget;
mod byte_lines;
pub mod catalogue;
mod causes;
pub mod cloudwatch_gpu;
pub mod cost_explorer;
pub mod demo;
pub mod exporter;
pub mod exposition;
pub mod gpu;
#[cfg(test)]
mod hostile_tests;
pub mod http;
pub mod inspect;
pub mod inspect_storage;
pub mod inventory;
pub mod inventory_s3;
mod jitter;
pub mod jobs;
pub mod ledger;
pub mod listing;
pub mod listing_pages;
pub mod localdir;
#[cfg(test)]
pub mod memory;
pub mod nvml;
pub mod objects;
pub mod pages;
mod parquet_pages;
pub mod planner;
#[cfg(test)]
pub(crate) mod program;
pub mod prometheus;
pub mod provider;
pub mod proxy;
#[cfg(test)]
#[path = "../../tests/support/server.rs"]
pub(crate) mod server;
pub mod ssh;
pub mod storage;
pub mod storage_prices;
pub mod vocabulary;

pub use gpu::{Ask, GpuHost, GpuSource};
pub use inspect::{Inspector, Seen};
pub use jitter::jittered;
pub use provider::{
    GpuDimensions, Identity, MetricKey, MetricQuery, MetricResult, Network, Page, Provider,
};
#[cfg(test)]
pub use provider::{Named, Statistic};
pub use storage::{
    BucketConfig, Image, ListWhat, SizeMetric, SizePoints, SizeSeries, StorageSource,
};
#[cfg(test)]
pub use storage::{BucketList, ListPlace, ListToken, Name, ObjectBytes, Upload};
