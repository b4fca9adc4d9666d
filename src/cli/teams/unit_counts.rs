//! Counts of unit costs that divide a bill: of a CSV file, of a query of a server with the Prometheus HTTP API, of a metric of CloudWatch.

mod kept;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::analyze::teams::{Counts, CountsError, Samples, Unit, counts, samples};
use crate::cache::Cache;
use crate::cli::accounts::Reach;
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::session::with_cache;
use crate::cli::{named_file, telemetry};
use crate::config::{CountSource, PrometheusSection};
use crate::domain::bill::Month;
use crate::domain::daily::{DayMetric, day_of};
use crate::domain::{ErrorKind, SourceError, format};
use crate::source::Provider;
use crate::source::ledger::{BilledApi, Ledger};

/// Bytes of a file of counts at most: two years of days in a thousand series.
const BYTES_AT_MOST: u64 = 32 << 20;

/// Days without a count that a remark names.
const NAMED_AT_MOST: usize = 3;

/// What was counted for a unit cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Count of each day that is known.
    pub counts: Counts,
    /// What is to be said of it, one sentence; `None` where nothing is.
    pub remark: Option<String>,
}

/// Why a unit cost has no counts.
#[derive(Debug, thiserror::Error)]
pub enum CountsFailed {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] CliError),
    /// The file is too large.
    #[error("{name} is larger than {}, the most that is read", format::bytes_binary(BYTES_AT_MOST as f64))]
    Large {
        /// Path of the file.
        name: String,
    },
    /// The file holds no counts.
    #[error("{name}: {error}")]
    Text {
        /// Path of the file.
        name: String,
        /// What is wrong with it.
        error: CountsError,
    },
    /// The server or CloudWatch gave none.
    #[error("{}", .0.with_fix())]
    Source(#[from] SourceError),
    /// Nothing is asked in this run.
    #[error("its counts were not asked for: {0}")]
    NotAsked(&'static str),
    /// Nothing can be asked.
    #[error("its counts could not be asked for: {0}")]
    NoRun(String),
}

/// Counts of each unit cost, in the same order; blocks until all are read. Of a server and CloudWatch those of the days of
/// `month` and the one before that have ended; of a file all. Nothing is asked where all counts are of files.
pub fn unit_counts(
    units: &[(Arc<Unit>, CountSource)],
    month: Month,
    invocation: &Invocation,
) -> Vec<Result<Counted, CountsFailed>> {
    let is_file = |(_, source): &(Arc<Unit>, CountSource)| matches!(source, CountSource::Csv(_));
    let reader = CountReader::of(invocation, month);
    if units.iter().all(is_file) || reader.refusal.is_some() {
        return units.iter().map(|(_, source)| reader.unasked(source)).collect();
    }
    let read = with_cache(invocation, async |cache| {
        Ok(reader.read(units, &invocation.ledger(cache), cache).await)
    });
    read.unwrap_or_else(|error| {
        let why = error.to_string();
        units.iter().map(|_| Err(CountsFailed::NoRun(why.clone()))).collect()
    })
}

/// Reads counts: whom it may ask, and of which days.
pub struct CountReader {
    servers: Vec<PrometheusSection>,
    accounts: Vec<Arc<dyn Provider>>,
    /// Why nobody is asked; `None` where servers and accounts are.
    refusal: Option<&'static str>,
    days: Range<Date>,
    now: Timestamp,
}

impl CountReader {
    /// The servers and accounts of a run, and the days of `month` and the one before that have ended. Makes no call.
    pub fn of(invocation: &Invocation, month: Month) -> Self {
        let options = &invocation.options;
        let refusal = if options.demo.is_some() {
            Some("the demo asks nobody")
        } else if options.tape.is_some() {
            Some("a tape is played")
        } else if options.offline {
            Some("--offline makes no calls")
        } else {
            None
        };
        let reaches = if refusal.is_none() { invocation.reaches() } else { Arc::default() };
        Self {
            servers: invocation.config.gpus.prometheus.clone(),
            accounts: reaches.iter().map(Reach::provider).collect(),
            refusal,
            days: ended_days(month, options.now()),
            now: options.now(),
        }
    }

    /// Counts of each unit cost, in the same order. What `cache` has of the last hours is not asked again; what is billed is
    /// charged to `ledger` before it is asked.
    pub async fn read(
        &self,
        units: &[(Arc<Unit>, CountSource)],
        ledger: &Ledger,
        cache: &Cache,
    ) -> Vec<Result<Counted, CountsFailed>> {
        let mut all = Vec::new();
        for (_, source) in units {
            let kept = kept::find(cache, source, &self.days, self.now).await;
            all.push(match kept {
                Some(counted) => Ok(counted),
                None => {
                    let read = self.read_one(source, ledger).await;
                    if let Ok(told) = &read {
                        kept::keep(cache, source, &self.days, self.now, told).await;
                    }
                    read
                }
            });
        }
        all
    }

    /// Counts of a file; why there are none of what is asked for.
    fn unasked(&self, source: &CountSource) -> Result<Counted, CountsFailed> {
        match source {
            CountSource::Csv(path) => of_file(path),
            _ => Err(CountsFailed::NotAsked(self.refusal.unwrap_or("this run makes no calls"))),
        }
    }

    async fn read_one(
        &self,
        source: &CountSource,
        ledger: &Ledger,
    ) -> Result<Counted, CountsFailed> {
        if self.refusal.is_some() {
            return self.unasked(source);
        }
        match source {
            CountSource::Csv(path) => of_file(path),
            // Runs of jobs have days of their own.
            CountSource::Jobs(_) => Ok(Counted::default()),
            _ if self.days.is_empty() => Ok(Counted::default()),
            CountSource::Prometheus { query, server } => {
                let section = self.server(server.as_deref())?;
                let server = telemetry::prometheus(section, Some(ledger))?;
                let values = server.days(query, &self.days).await?;
                Ok(self.judged(values))
            }
            CountSource::CloudWatch { metric, region, account } => {
                self.of_metric(metric, region, account.as_deref(), ledger).await
            }
        }
    }

    /// The server of that name, or the one there is.
    fn server(&self, name: Option<&str>) -> Result<&PrometheusSection, SourceError> {
        let is_named = |server: &&PrometheusSection| name.is_none_or(|name| server.name == name);
        self.servers.iter().find(is_named).ok_or_else(|| {
            let fix = "configure it: `[[gpus.prometheus]]` has name and url";
            SourceError::new(ErrorKind::Unavailable, "prometheus:query_range", "no server", fix)
        })
    }

    async fn of_metric(
        &self,
        metric: &DayMetric,
        region: &Arc<str>,
        account: Option<&str>,
        ledger: &Ledger,
    ) -> Result<Counted, CountsFailed> {
        let provider = self.account(account).await?;
        let api = BilledApi::GetMetricData;
        let charged = ledger.charge(api, 1, Timestamp::now()).await;
        charged.map_err(|refused| refused.error(api.name()))?;
        let found = provider.metric_days(region, metric, &self.days).await?;
        let Some(found) = found.filter(|found| found.complete) else {
            let message = format!("no whole answer about {} in {region}", metric.metric);
            let fix = "run it again in a while";
            let error = SourceError::new(ErrorKind::Unavailable, api.name(), &message, fix);
            return Err(error.into());
        };
        let of_day = |(at, value): (Timestamp, f64)| (day_of(at), value);
        Ok(self.judged(found.points.into_iter().map(of_day)))
    }

    /// The account of that id or name, or the one there is. Fails where it is not known which is meant.
    async fn account(&self, name: Option<&str>) -> Result<&Arc<dyn Provider>, SourceError> {
        let call = BilledApi::GetMetricData.name();
        let unknown = |message: &str, fix: &str| {
            SourceError::new(ErrorKind::NoCredentials, call, message, fix)
        };
        let Some(name) = name else {
            return match &*self.accounts {
                [one] => Ok(one),
                [] => Err(unknown("no account is read", "name a profile with --profile")),
                _ => Err(unknown(
                    "several accounts are read",
                    "say which has the metric: `account` in its `cloudwatch`",
                )),
            };
        };
        if let Some(found) = self.accounts.iter().find(|one| one.label() == name) {
            return Ok(found);
        }
        let mut failed = None;
        for one in &self.accounts {
            match one.identity().await {
                Ok(who) if &*who.account == name => return Ok(one),
                Ok(_) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| {
            let fix = "correct `account` in its `cloudwatch`, or read that account as well";
            unknown(&format!("no account of this run is {name}"), fix)
        }))
    }

    fn judged(&self, values: impl IntoIterator<Item = (Date, f64)>) -> Counted {
        let Samples { counts, odd } = samples(values, &self.days);
        let remark = remark(&odd, counts.is_empty());
        Counted { counts, remark }
    }
}

/// Counts of a source in a month and the one before it that were asked for in the last hours; `None` where none are kept, and of a
/// file.
pub(super) async fn kept_counts(
    cache: &Cache,
    source: &CountSource,
    month: Month,
    now: Timestamp,
) -> Option<Counts> {
    Some(kept::find(cache, source, &ended_days(month, now), now).await?.counts)
}

/// Days of a month and the one before it that have ended.
fn ended_days(month: Month, now: Timestamp) -> Range<Date> {
    let first = month.plus(-1).first();
    first..month.plus(1).first().min(day_of(now)).max(first)
}

/// What is to be said of days whose value is no count, and of a source without any value.
fn remark(odd: &[Date], is_empty: bool) -> Option<String> {
    if odd.is_empty() {
        let text = "no day has a count: check what is asked for";
        return is_empty.then(|| text.to_owned());
    }
    let mut named: Vec<String> = odd.iter().take(NAMED_AT_MOST).map(Date::to_string).collect();
    let more = odd.len().saturating_sub(NAMED_AT_MOST);
    if more > 0 {
        named.push(format!("and {}", format::plural(more, "more day")));
    }
    let (days, named) = (format::plural(odd.len(), "day"), named.join(", "));
    Some(format!("{days} without a count, as the value is no number from 0 on: {named}"))
}

/// Counts of a file, all of them; nothing is asked.
pub(super) fn of_file(path: &Path) -> Result<Counted, CountsFailed> {
    let name = || path.display().to_string();
    let bytes = named_file::read(path, BYTES_AT_MOST)?;
    if bytes.len() as u64 > BYTES_AT_MOST {
        return Err(CountsFailed::Large { name: name() });
    }
    let counts = counts(&bytes).map_err(|error| CountsFailed::Text { name: name(), error })?;
    Ok(Counted { counts, remark: None })
}

#[cfg(test)]
mod tests;
