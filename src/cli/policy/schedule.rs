//! `burntop policy schedule`: off-hours from what the cache holds.

use std::io::Write;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::super::exit::{CliError, Exit};
use super::super::invocation::Invocation;
use super::super::telemetry::Want;
use super::super::{reports, session, words};
use crate::analyze::idle::{Subject, hours_of_use};
use crate::analyze::schedule::{self, propose};
use crate::bus;
use crate::cache::Cache;
use crate::config::Env;
use crate::domain::{HourRange, SeriesSet, text};
use crate::fleet::Row;
use crate::report::acting::{ScheduleReport, Snippet, schedule as report_schedule};
use crate::tabs::idle::picture::Field;
use crate::view::{Sort, TableField, ViewContext, table};

/// Instances whose series are in memory at a time.
const CHUNK: usize = 200;

/// Reads the fleet and its hours of use, and prints proposed off-hours.
pub fn run(
    zone: &str,
    weeks: u16,
    snippet: Snippet,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let tz = TimeZone::get(zone).ok().filter(|tz| !tz.is_unknown()).ok_or_else(|| {
        CliError::Usage(format!(
            "--tz: this machine knows no time zone {}; accepted are names like Europe/Berlin",
            text::clean(zone)
        ))
    })?;
    // As the database writes it: for cron, date and EventBridge `europe/berlin` is no zone.
    let zone = tz.iana_name().unwrap_or(zone);
    let changes = schedule::changes(&tz, invocation.options.now());
    // Its lines are copied to where they stop instances.
    let filter = words::strict_filter(Field::table(), invocation.options.filter.as_deref())?;
    let policy = session::policy(&invocation.config, &invocation.config.preset)?;
    let keep_days = invocation.cache_options().map_or(0, |o| o.keep_days);
    let hours = policy.window_hours().max(keep_days.saturating_mul(24));
    let ctx =
        ViewContext { now: invocation.options.now(), symbols: session::symbols(invocation, env) };
    let (fleet, advised) = session::with_cache(invocation, async |cache| {
        let outcome = bus::once(session::parts(invocation, cache.clone(), Want::Free)?).await;
        reports::unreadable(invocation, &outcome)?;
        let fleet = outcome.fleet;
        let shown =
            table::select(&Field::rows(&fleet.rows), filter.as_ref(), Sort::default(), &ctx);
        let rows: Vec<Arc<Row>> =
            shown.iter().filter_map(|i| fleet.rows.get(*i as usize)).cloned().collect();
        let range = HourRange::last_closed(ctx.now, hours);
        let mut advised = Vec::with_capacity(rows.len());
        for chunk in rows.chunks(CHUNK) {
            let series = series(cache, chunk, range).await;
            for (row, series) in chunk.iter().zip(series) {
                let subject = Subject {
                    instance: &row.instance,
                    spec: row.spec.as_deref(),
                    series: &series,
                    now: ctx.now,
                    before: None,
                };
                let hours = hours_of_use(&subject, &policy, range);
                let advice = propose(row, hours.as_ref(), &tz, weeks, ctx.now);
                advised.push((row.clone(), advice));
            }
        }
        Ok((fleet, advised))
    })?;
    let report = ScheduleReport {
        rows: &advised,
        zone,
        changes: &changes,
        weeks,
        snippet,
        readings: &fleet.readings,
    };
    let format = invocation.options.format;
    out.write_all(report_schedule(&report, format, &ctx).as_bytes())?;
    let partial = fleet.readings.iter().any(reports::is_partial);
    Ok(if partial { Exit::Partial } else { Exit::Ok })
}

async fn series(cache: &Cache, rows: &[Arc<Row>], range: HourRange) -> Vec<SeriesSet> {
    let ids: Vec<Arc<str>> = rows.iter().map(|r| r.instance.id.clone()).collect();
    let mut found = cache.load_series(ids.clone(), range).await;
    ids.iter().map(|id| found.remove(id).unwrap_or_default()).collect()
}
