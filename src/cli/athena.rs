//! What all commands with `--engine athena` share: options, the account that is asked, the price that is said first, and
//! the ledger that it is charged to.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::accounts::Reach;
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use crate::cache::Cache;
use crate::domain::{ErrorKind, SourceError};
use crate::source::StorageSource;
use crate::source::athena::cost;
use crate::source::ledger::{BilledApi, Ledger};
use crate::view::format;

/// Who adds up, and how Athena is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct AthenaArgs {
    /// Who adds up: this machine, or Athena where the data outgrow it.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub engine: Engine,
    /// Athena: where results go, `s3://bucket/prefix/`.
    #[arg(long, value_name = "S3-URI")]
    pub athena_output: Option<String>,
    /// Athena: the workgroup, which may say where results go.
    #[arg(long, value_name = "NAME", default_value = "primary")]
    pub athena_workgroup: String,
    /// Athena: prints the SQL instead of running it.
    #[arg(long)]
    pub print_sql: bool,
}

/// Who adds up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// This machine.
    #[default]
    Local,
    /// Athena.
    Athena,
}

/// What a query over at most `bytes` of `what` costs at most, one sentence; and the units that it is charged as.
pub fn price(bytes: u64, what: &str) -> (String, u64) {
    let units = cost::units(bytes, 1);
    let words = format!(
        "Athena scans at most {} of {what}, {} at {} per TB",
        format::bytes(bytes as f64),
        format::usd_fine(cost::usd(units), 4),
        format::usd_total(cost::USD_PER_TB),
    );
    (words, units)
}

/// Fails with the price where it was not agreed to.
pub fn agreed(price: &str, yes: bool) -> Result<(), CliError> {
    if yes { Ok(()) } else { Err(CliError::Usage(format!("{price}; add --yes to run it"))) }
}

/// Charges what is billed to the run's ledger, before it is asked for.
pub struct Charges(Ledger);

impl Charges {
    /// Of a run.
    pub fn of(invocation: &Invocation, cache: &Cache) -> Self {
        Self(invocation.ledger(cache))
    }

    /// Charges so many units. Fails where the daily cap is reached.
    pub async fn charge(&self, api: BilledApi, units: u64) -> Result<(), CliError> {
        self.0.charge(api, units, Timestamp::now()).await.map_err(|refused| {
            let message = format!("{refused}; {}", refused.fix());
            CliError::Failed { exit: Exit::Unreadable, message }
        })
    }
}

/// The account that may ask about a bucket, its storage, and the bucket's region. Fails where none may.
pub async fn owner(
    invocation: &Invocation,
    bucket: &str,
) -> Result<(Reach, Arc<dyn StorageSource>, Arc<str>), CliError> {
    let mut refused = None;
    for reach in invocation.reaches().iter() {
        let Some(source) = reach.storage() else { continue };
        match source.region_of(bucket).await {
            Ok(region) => return Ok((reach.clone(), source, region)),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(CliError::of_source(refused.unwrap_or_else(|| {
        let fix = "name a profile with --profile";
        SourceError::new(ErrorKind::NoCredentials, "asking Athena", "no account", fix)
    })))
}

/// There is no Athena behind invented fleets.
pub fn not_in_demo() -> CliError {
    CliError::Usage("there is no Athena in the demo".into())
}
