//! `burntop storage forecast`: where the size of each bucket is heading.

use std::io::Write;

use super::args::ForecastArgs;
use super::{CliError, Ctx, Exit, read};
use crate::analyze::storage::forecast::{Forecast, forecast, mix, totals};
use crate::cli::telemetry::StoragePart;
use crate::domain::storage::GIB;
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::report::{ForecastReport, ForecastRow};

/// Cost of a bucket now, USD per month, and of each further byte, USD per byte-month; `None` without prices.
type Costs = Option<(f64, f64, f64)>;

pub(super) fn run(
    args: &ForecastArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let options = &ctx.invocation.options;
    let fleet = read::once(ctx, StoragePart::Buckets)?;
    let today = jiff::civil::Date::from(options.now().to_zoned(jiff::tz::TimeZone::UTC));
    let wanted = |b: &&BucketRow| args.bucket.as_deref().is_none_or(|name| name == &*b.name);
    let rows: Vec<&BucketRow> = fleet.buckets.iter().map(|b| &**b).filter(wanted).collect();
    if let (Some(name), []) = (&args.bucket, rows.as_slice()) {
        return Err(CliError::Usage(format!("there is no bucket {}", clean(name))));
    }
    let judged: Vec<(Result<Forecast, String>, Costs)> = rows
        .iter()
        .map(|row| {
            let forecast = foresee(row, args.months, today);
            let now = forecast.as_ref().map_or(0.0, |f| f.now);
            (forecast, costs(row, &fleet, now))
        })
        .collect();
    let cost_of: Vec<_> = judged
        .iter()
        .map(|(_, costs)| {
            // What is there stays at its price; what comes, or goes, does so at the last step's.
            move |bytes: f64| costs.map(|(usd, now, more)| (usd + (bytes - now) * more).max(0.0))
        })
        .collect();
    let report_rows: Vec<ForecastRow<'_>> = rows
        .iter()
        .zip(&judged)
        .zip(&cost_of)
        .map(|((row, (forecast, _)), cost)| ForecastRow {
            scope: &row.scope,
            bucket: &row.name,
            forecast: forecast.as_ref().map_err(Clone::clone),
            cost,
        })
        .collect();
    let prices = "list price of each region, growth at the price of the account's last GiB";
    let report = ForecastReport { rows: &report_rows, prices, readings: &fleet.readings };
    ctx.print(&report, out)?;
    Ok(read::exit(&fleet))
}

fn foresee(row: &BucketRow, months: u16, today: jiff::civil::Date) -> Result<Forecast, String> {
    let facts = row.facts.as_ref().ok_or("only a list of its objects is known")?;
    let sizes = facts.sizes.as_ref().map_err(ToString::to_string)?;
    forecast(&totals(sizes), months, today).map_err(|why| why.to_string())
}

/// USD per month now, the bytes that is for, and USD per month for each further byte in today's mix
/// of tiers. `None` when a price of any of it is not known.
fn costs(row: &BucketRow, fleet: &StorageFleet, now: f64) -> Costs {
    let usd = row.usd_per_month.filter(|_| row.unpriced_bytes == 0)?;
    let rates = fleet.rates(&row.scope)?;
    let mix = mix(row.facts.as_ref()?.sizes.as_ref().ok()?);
    let all: f64 = mix.iter().map(|m| m.1).sum();
    let more: Option<f64> =
        mix.iter().map(|(tier, b)| Some(rates.marginal[tier.index()]? / GIB * b / all)).sum();
    Some((usd, now, more.filter(|_| all > 0.0)?))
}
