//! `[[units]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problems::unusable;
use crate::analyze::teams::{MoneyFilter, RunCount, RunDollars, RunFilter, RunRule, Unit};
use crate::config::gpus::PrometheusSection;
use crate::config::validate;
use crate::domain::daily::{DayMetric, DayStatistic};
use crate::domain::text;

/// What one of something costs: dollars of some lines by a count. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitSection {
    /// Its name: prediction, thousand tokens, training run.
    pub name: String,
    /// Which lines of the bill; without it all. Not with `jobs`, which have dollars of their own.
    pub filter: Option<String>,
    /// A CSV file with a column date (or day, time) and a column count (or value): how many there were on each day, UTC. One of
    /// `csv`, `prometheus`, `cloudwatch` and `jobs` is needed.
    pub csv: Option<String>,
    /// A query whose value at a midnight, UTC, is the count of the day that ends then: `sum(increase(predictions_total[1d]))`.
    pub prometheus: Option<String>,
    /// Name of the server in `[[gpus.prometheus]]` that is asked; needed where there are several.
    pub prometheus_server: Option<String>,
    /// How many of what is counted one price is of; without it 1.
    #[schemars(range(min = 0.000_001, max = 1_000_000_000_000.0))]
    pub per: Option<f64>,
    /// What it shall cost at most, US dollars.
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub target_usd: Option<f64>,
    /// Which of the jobs that are kept are counted where they completed, `team=nlp and queue~train`; empty = all. Dollars are
    /// those of their attempts.
    pub jobs: Option<String>,
    /// Which dollars of these jobs: paid (all, those of failed and cancelled attempts as well; the default) or completed
    /// (those of attempts that completed).
    pub jobs_usd: Option<String>,
    /// What of these jobs the dollars are divided by: `completed_runs` (the default), `runs` (however they ended),
    /// `useful_gpu_hours` (that did not come to nothing), `used_gpu_hours` (in which GPUs worked) or `predictions`.
    pub jobs_count: Option<String>,
    /// A metric of CloudWatch with one value a day: billed, within `own_cost`.
    pub cloudwatch: Option<UnitMetricSection>,
}

/// A metric of CloudWatch that counts. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitMetricSection {
    /// Namespace, such as `Serving` or `AWS/SageMaker`.
    pub namespace: String,
    /// Name of the metric.
    pub metric: String,
    /// Region in which it is published.
    pub region: String,
    /// Statistic of a day that is the count: Sum (the default), `SampleCount`, Average, Minimum or Maximum.
    pub statistic: Option<String>,
    /// Account that has it, by its id or its name in `[[accounts]]`; needed where several are read.
    pub account: Option<String>,
    /// All dimensions of the metric, by name.
    #[serde(default)]
    pub dimensions: BTreeMap<String, String>,
}

/// Where the counts of a unit cost come from.
#[derive(Clone, Debug, PartialEq)]
pub enum CountSource {
    /// A CSV file.
    Csv(PathBuf),
    /// A server with the Prometheus HTTP API.
    Prometheus {
        /// The query.
        query: String,
        /// Name of the server; `None` where there is one alone.
        server: Option<String>,
    },
    /// A metric of CloudWatch.
    CloudWatch {
        /// The metric.
        metric: DayMetric,
        /// Its region.
        region: Arc<str>,
        /// Id or name of its account; `None` where there is one alone.
        account: Option<String>,
    },
    /// The jobs that are kept, with dollars of their own.
    Jobs(RunRule),
}

/// Dimensions that a metric of CloudWatch may have.
const DIMENSIONS_AT_MOST: usize = 30;

/// A unit cost; `None` for one with a problem.
pub(super) fn unit(section: &UnitSection) -> Option<Unit> {
    Some(Unit {
        name: text::clean(section.name.trim()).as_ref().into(),
        filter: MoneyFilter::parse(section.filter.as_deref().unwrap_or_default()).ok()?,
        per: section.per.unwrap_or(1.0),
        target: section.target_usd,
    })
}

/// Where its counts come from; `None` for one with a problem.
pub(super) fn count_source(section: &UnitSection) -> Option<CountSource> {
    let UnitSection { csv, prometheus, prometheus_server, cloudwatch, jobs, .. } = section;
    if let Some(jobs) = jobs {
        let filter = RunFilter::parse(jobs).ok()?;
        let dollars = dollars(section.jobs_usd.as_deref())?;
        let count = run_count(section.jobs_count.as_deref())?;
        return Some(CountSource::Jobs(RunRule { filter, dollars, count }));
    }
    if let Some(path) = csv {
        return Some(CountSource::Csv(path.into()));
    }
    if let Some(query) = prometheus {
        let server = prometheus_server.clone();
        return Some(CountSource::Prometheus { query: query.clone(), server });
    }
    let of = cloudwatch.as_ref()?;
    let dimensions = of.dimensions.iter();
    Some(CountSource::CloudWatch {
        metric: DayMetric {
            namespace: of.namespace.as_str().into(),
            metric: of.metric.as_str().into(),
            dimensions: dimensions.map(|(n, v)| (n.as_str().into(), v.as_str().into())).collect(),
            statistic: statistic(of.statistic.as_deref())?,
        },
        region: of.region.as_str().into(),
        account: of.account.clone(),
    })
}

fn dollars(text: Option<&str>) -> Option<RunDollars> {
    let Some(text) = text else { return Some(RunDollars::Paid) };
    RunDollars::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
}

fn run_count(text: Option<&str>) -> Option<RunCount> {
    let Some(text) = text else { return Some(RunCount::Completed) };
    RunCount::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
}

fn statistic(text: Option<&str>) -> Option<DayStatistic> {
    let Some(text) = text else { return Some(DayStatistic::Sum) };
    DayStatistic::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
}

/// What is wrong with unit costs, beside the servers that may be asked: the place in the list with the key, and the reason.
pub(in crate::config) fn unit_problems(
    units: &[UnitSection],
    servers: &[PrometheusSection],
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut names = BTreeSet::new();
    for (i, unit) in units.iter().enumerate() {
        let key = |part: &str| format!("[{i}].{part}");
        if let Some(why) = unusable(&unit.name) {
            bad(key("name"), why);
        } else if !names.insert(unit.name.trim().to_lowercase()) {
            bad(key("name"), format!("two unit costs are named `{}`", text::clean(&unit.name)));
        }
        if let Err(error) = MoneyFilter::parse(unit.filter.as_deref().unwrap_or_default()) {
            bad(key("filter"), error.to_string());
        }
        if let Some(csv) = &unit.csv {
            if unusable(csv).is_some() {
                bad(key("csv"), "the path of a CSV file is needed".into());
            } else if csv.starts_with('~') {
                bad(key("csv"), "a `~` is none of the shell here; write the whole path".into());
            }
        }
        let sources = [
            unit.csv.is_some(),
            unit.prometheus.is_some(),
            unit.cloudwatch.is_some(),
            unit.jobs.is_some(),
        ];
        let count = sources.iter().filter(|is_set| **is_set).count();
        if count != 1 {
            let why =
                "it has one source of counts: say one of csv, prometheus, cloudwatch and jobs";
            bad(format!("[{i}]"), why.into());
        }
        if let Some(query) = &unit.prometheus {
            // A query may stand in several lines.
            let is_unsafe = |c: char| c != '\n' && c != '\t' && text::is_unsafe(c);
            if query.trim().is_empty() || query.chars().any(is_unsafe) {
                bad(key("prometheus"), "a query is needed".into());
            }
        }
        if let Some((part, why)) = server_problem(unit, servers) {
            bad(key(part), why);
        }
        for (part, why) in unit.cloudwatch.iter().flat_map(metric_problems) {
            bad(key(&format!("cloudwatch.{part}")), why);
        }
        for (part, why) in jobs_problems(unit) {
            bad(key(part), why);
        }
    }
    out
}

/// What is wrong with jobs that are counted: the key and the reason.
fn jobs_problems(unit: &UnitSection) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let Some(jobs) = &unit.jobs else {
        let alone = [("jobs_usd", &unit.jobs_usd), ("jobs_count", &unit.jobs_count)];
        for (part, _) in alone.into_iter().filter(|(_, text)| text.is_some()) {
            out.push((part, "it belongs to jobs: say jobs as well".into()));
        }
        return out;
    };
    if let Err(error) = RunFilter::parse(jobs) {
        out.push(("jobs", error.to_string()));
    }
    if unit.filter.is_some() {
        let why = "jobs have dollars of their own, and no lines of the bill: leave it out";
        out.push(("filter", why.into()));
    }
    if dollars(unit.jobs_usd.as_deref()).is_none() {
        let text = text::clean(unit.jobs_usd.as_deref().unwrap_or_default()).into_owned();
        let known = RunDollars::WORDS.join(", ");
        out.push(("jobs_usd", format!("`{text}` is none of the dollars; accepted: {known}")));
    }
    if run_count(unit.jobs_count.as_deref()).is_none() {
        let text = text::clean(unit.jobs_count.as_deref().unwrap_or_default()).into_owned();
        let known = RunCount::WORDS.join(", ");
        out.push(("jobs_count", format!("`{text}` is nothing that is counted; accepted: {known}")));
    }
    out
}

/// Why it is not known which server a unit cost asks: the key and the reason.
fn server_problem(
    unit: &UnitSection,
    servers: &[PrometheusSection],
) -> Option<(&'static str, String)> {
    let names = || servers.iter().map(|server| server.name.clone()).collect::<Vec<_>>();
    match (&unit.prometheus, &unit.prometheus_server) {
        (None, None) => None,
        (None, Some(_)) => {
            Some(("prometheus_server", "it belongs to a query: say prometheus as well".into()))
        }
        (Some(_), _) if servers.is_empty() => Some((
            "prometheus",
            "no server is configured: `[[gpus.prometheus]]` has name and url".into(),
        )),
        (Some(_), Some(name)) if servers.iter().all(|server| server.name != *name) => {
            let why = validate::unknown_name("server", name, &names());
            Some(("prometheus_server", why))
        }
        (Some(_), None) if servers.len() > 1 => {
            let names = names().join(", ");
            let names = text::clean(&names);
            let why =
                format!("several servers are configured: say prometheus_server, one of {names}");
            Some(("prometheus", why))
        }
        (Some(_), _) => None,
    }
}

/// What is wrong with a metric of CloudWatch: the key and the reason.
fn metric_problems(of: &UnitMetricSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: &str, why: String| out.push((key.to_owned(), why));
    let is_ascii = |text: &str| text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    for (key, text) in [("namespace", &of.namespace), ("metric", &of.metric)] {
        if text.trim().is_empty() || !is_ascii(text) || text.len() > 255 {
            bad(key, "CloudWatch's names have 1 to 255 letters, digits and signs".into());
        }
    }
    let is_of_region = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if of.region.is_empty() || !of.region.chars().all(is_of_region) {
        bad("region", "the code of a region is needed, such as us-east-1".into());
    }
    if statistic(of.statistic.as_deref()).is_none() {
        let text = text::clean(of.statistic.as_deref().unwrap_or_default()).into_owned();
        let known = DayStatistic::WORDS.join(", ");
        bad("statistic", format!("`{text}` is no statistic; accepted: {known}"));
    }
    if let Some(why) = of.account.as_deref().and_then(unusable) {
        bad("account", why);
    }
    if of.dimensions.len() > DIMENSIONS_AT_MOST {
        bad("dimensions", format!("a metric has at most {DIMENSIONS_AT_MOST} dimensions"));
    }
    for (name, value) in &of.dimensions {
        let is_bad = |text: &str| text.trim().is_empty() || !is_ascii(text);
        if is_bad(name) || is_bad(value) {
            let why = "a dimension has a name and a value of letters, digits and signs";
            bad(&format!("dimensions.{name}"), why.into());
        }
    }
    out
}
