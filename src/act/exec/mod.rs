//! Executing plans: the only part of burntop with calls that change anything.

mod answer;
pub mod audit;
pub mod aws;
pub mod demo;
mod dry_run;
pub mod executor;
#[cfg(test)]
mod harness;
pub mod kms;
mod operator;
mod pace;
mod patience;
mod service;
pub mod storage;

#[cfg(test)]
mod fixture;

pub use dry_run::DryRun;
pub use executor::{Executor, Receipt, Refuse};
pub use operator::{AccountAccess, ActError, Operator};
#[cfg(test)]
pub use patience::Patience;
