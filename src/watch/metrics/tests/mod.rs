mod assets;
mod figures;
mod properties;
mod round;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::families::named;
use super::{Build, MOST_VALUES, Metrics, MetricsInput, WatchCounts};
use crate::domain::{
    Accelerator, AcceleratorKind, Instance, InstanceState, PriceBasis, Provenance, Rate, Reading,
    Scope, SourceId, SourceState, TypeSpec, Verdict, VerdictKind, sample,
};
use crate::fleet::{Fleet, GpuFleet, Row, Totals};
use crate::source::exposition::Reader;

/// The present of all tests.
fn now() -> Timestamp {
    "2026-11-29T12:00:00Z".parse().unwrap()
}

/// A running instance of a fleet.
#[derive(Clone, Debug)]
struct Machine {
    account: &'static str,
    region: &'static str,
    team: Option<String>,
    instance_type: String,
    usd: Option<f64>,
    verdict: Option<VerdictKind>,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            account: "111111111111",
            region: "us-east-1",
            team: None,
            instance_type: "g6.xlarge".to_owned(),
            usd: Some(1.0),
            verdict: Some(VerdictKind::Busy),
        }
    }
}

impl Machine {
    /// Its row: 8 GPUs, of which 3 idle where it is partly idle.
    fn row(&self, at: usize) -> Row {
        let instance = Instance {
            id: format!("i-{at}").into(),
            scope: Scope::new(self.account, self.region),
            instance_type: self.instance_type.as_str().into(),
            state: InstanceState::Running,
            ..sample::instance()
        };
        let rate = self.usd.map(|usd_per_hour| Rate {
            usd_per_hour,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        });
        let verdict = |kind| Verdict { idle_gpus: Some(3), devices: 8, ..sample::verdict(kind) };
        Row {
            rate,
            spec: Some(Arc::new(spec())),
            verdict: self.verdict.map(|kind| Arc::new(verdict(kind))),
            team: self.team.as_deref().map(Arc::from),
            ..Row::new(instance)
        }
    }
}

fn spec() -> TypeSpec {
    TypeSpec {
        name: "g6.xlarge".into(),
        vcpus: 4,
        memory_mib: 1024,
        accelerator: Some(Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "L4".into(),
            devices: 8,
            equivalents: 8.0,
            memory_mib: 0,
        }),
        instance_store_gb: 0,
        network: "".into(),
        provenance: Provenance::Demo,
    }
}

fn fleet(machines: &[Machine]) -> Fleet {
    of_rows(machines.iter().enumerate().map(|(at, of)| Arc::new(of.row(at))).collect())
}

fn of_rows(rows: Vec<Arc<Row>>) -> Fleet {
    let totals = Totals::of(rows.iter().map(|row| &**row));
    Fleet { version: 1, as_of: Some(now()), rows, totals, ..Fleet::default() }
}

/// A reading so many seconds ago.
fn reading(source: SourceId, account: &str, state: SourceState, age_s: Option<i64>) -> Reading {
    Reading {
        source,
        scope: Scope::new(account, "us-east-1"),
        taken_at: age_s.map(|s| now() - jiff::SignedDuration::from_secs(s)),
        coverage: 1.0,
        state,
    }
}

/// An input of which nothing is known but the fleet and the GPUs.
fn input<'a>(fleet: &'a Fleet, gpus: &'a GpuFleet) -> MetricsInput<'a> {
    MetricsInput {
        now: now(),
        build: Build { version: "0.1.0", commit: "abc 2026-11-29" },
        fleet,
        gpus,
        savings: None,
        budgets: &[],
        readings: &[],
        own_cost: None,
        most_values: MOST_VALUES,
    }
}

/// A page read back: by family the series with their labels.
#[derive(Debug, Default)]
struct Read {
    series: BTreeMap<String, Vec<Series>>,
}

/// Labels of a series, and its value.
type Series = (BTreeMap<String, String>, f64);

impl Read {
    /// Fails where the page has a line that is no sample, a sample without a family, a family that comes twice, a label
    /// that the table does not have, or a series that is there twice.
    fn of(text: &str) -> Self {
        let mut read = Self::default();
        let tally = Reader::default().read_all(text.as_bytes(), |series| {
            let labels: BTreeMap<String, String> = series
                .labels
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let family = named(series.name).unwrap_or_else(|| panic!("{}", series.name));
            let names: Vec<&str> = series.labels.iter().map(|(name, _)| name).collect();
            assert_eq!(names, family.labels, "{}", series.name);
            let all = read.series.entry(series.name.to_owned()).or_default();
            assert!(
                all.iter().all(|(there, _)| *there != labels),
                "twice: {} {labels:?}",
                series.name
            );
            all.push((labels, series.value));
        });
        assert_eq!(tally.errors, 0, "line {}:\n{text}", tally.first_error);
        let types: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
        assert_eq!(types.len(), read.series.len(), "{types:?}");
        read
    }

    fn page(input: &MetricsInput<'_>, counts: &WatchCounts) -> Self {
        Self::of(&Metrics::of(input, counts).text())
    }

    /// Sum of the rows of a family; 0 without any.
    fn sum(&self, family: &str) -> f64 {
        assert!(named(family).is_some(), "{family}");
        self.series.get(family).into_iter().flatten().map(|(_, value)| value).sum()
    }

    /// The value of the one series with these values of labels, in the order of the table; `None` where there is none.
    fn value(&self, family: &str, labels: &[&str]) -> Option<f64> {
        let names = named(family).unwrap_or_else(|| panic!("{family}")).labels;
        assert_eq!(names.len(), labels.len(), "{family}");
        let is = |there: &BTreeMap<String, String>| {
            names.iter().zip(labels).all(|(name, value)| there[*name] == *value)
        };
        self.series.get(family)?.iter().find(|(there, _)| is(there)).map(|(_, value)| *value)
    }

    /// Values of a label in a family, in order.
    fn values(&self, family: &str, label: &str) -> Vec<&str> {
        let all = self.series.get(family).into_iter().flatten();
        all.map(|(labels, _)| &*labels[label]).collect()
    }

    fn has(&self, family: &str) -> bool {
        assert!(named(family).is_some(), "{family}");
        self.series.contains_key(family)
    }
}
