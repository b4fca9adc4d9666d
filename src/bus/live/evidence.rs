//! Hours of GPUs as evidence for the verdicts on instances.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::super::Shared;
use super::super::metrics::on_worker;
use super::super::types::known;
use super::book::HourBook;
use crate::domain::{GpuKey, Hour, HourRange, HourlySeries, Instance, SeriesSet, Signal, TypeSpec};
use crate::fleet::Row;
use crate::fleet::gpu::{Places, index_of};

/// Telemetry of the GPUs of instances, by instance, as evidence for their verdicts.
#[derive(Default)]
pub(in crate::bus) struct Evidence {
    book: Arc<HourBook>,
    /// GPUs and slices by instance and the index of the device.
    of: HashMap<Arc<str>, BTreeMap<u16, Vec<GpuKey>>>,
    /// Activity below which a GPU does nothing, 0–1.
    idle_below: f32,
}

impl Evidence {
    /// Joins the GPUs of the book with `instances` and with all others that the world knows: a name
    /// may be that of an instance elsewhere as well.
    pub async fn gather(
        shared: &Shared,
        instances: &[Arc<Instance>],
        types: &HashMap<Arc<str>, Arc<TypeSpec>>,
    ) -> Arc<Self> {
        let book = shared.live.book();
        if book.hours.is_empty() {
            return Arc::default();
        }
        let own: HashSet<&Arc<str>> = instances.iter().map(|i| &i.id).collect();
        let fleet = shared.live.fleet.borrow().clone();
        let others = fleet.rows.iter().filter(|row| !own.contains(&row.instance.id)).cloned();
        // The world may not have been told of them yet.
        let own = instances.iter().map(|i| row(i, known(types, &i.instance_type)));
        let rows: Vec<Arc<Row>> = own.chain(others).collect();
        let (asked, idle_below) = (instances.len(), shared.live.rules.idle_below);
        let joined = on_worker(move || Self::join(book, &rows, asked, idle_below));
        Arc::new(joined.await.unwrap_or_default())
    }

    /// The first `asked` of `rows` are those whose GPUs are kept: every scope holds evidence of its own while it is
    /// judged, and all of the fleet for each of them would be most of the memory of a round.
    fn join(book: Arc<HourBook>, rows: &[Arc<Row>], asked: usize, idle_below: f32) -> Self {
        let places = Places::of(rows);
        let mut of: HashMap<Arc<str>, BTreeMap<u16, Vec<GpuKey>>> = HashMap::new();
        for (key, identity) in book.hours.gpus() {
            let found = places.find(&identity.host).filter(|at| *at < asked);
            let Some(row) = found.and_then(|at| rows.get(at)) else { continue };
            if let Some(index) = index_of(identity, Some(row)) {
                let gpus = of.entry(row.instance.id.clone()).or_default();
                gpus.entry(index).or_default().push(key.clone());
            }
        }
        Self { book, of, idle_below }
    }

    /// True when anything is known of the GPUs of this instance.
    pub fn knows(&self, instance: &Arc<str>) -> bool {
        self.of.contains_key(instance)
    }

    /// True when telemetry covers every device of `instance` in every hour of `range`, so that CloudWatch need not be
    /// asked.
    pub fn covers(&self, instance: &Instance, devices: u32, range: HourRange) -> bool {
        let needed = needed(instance, range);
        if devices == 0 || !self.of.contains_key(&instance.id) {
            return false;
        }
        let series = self.series(instance, range);
        let all = |signal| series.get(signal).is_some_and(|s| is_whole(s, needed));
        (0..devices as u16).all(|i| all(Signal::GpuMax(i)) && all(Signal::GpuMean(i)))
    }

    /// The series of the GPUs of `instance`, percent; only those of which anything is known.
    pub fn series(&self, instance: &Instance, range: HourRange) -> SeriesSet {
        let Some(devices) = self.of.get(&instance.id) else { return SeriesSet::default() };
        let mut found = SeriesSet::default();
        for (&index, keys) in devices {
            let (mut max, mut mean) = (HourlySeries::empty(range), HourlySeries::empty(range));
            // Slices of one device stand together; another device in its place had its own time.
            let mut by_device: BTreeMap<&str, Vec<Slice>> = BTreeMap::new();
            for key in keys {
                if let Some(hours) = self.book.hours.of(key) {
                    let ([top, means], life) = (hours.series(range), hours.range());
                    by_device.entry(&key.device).or_default().push(Slice { top, means, life });
                }
            }
            for slices in by_device.values() {
                self.busiest(slices, range, &mut max, &mut mean);
            }
            if max.values.iter().any(|v| !v.is_nan()) {
                found.insert(Signal::GpuMax(index), max);
                found.insert(Signal::GpuMean(index), mean);
            }
        }
        found
    }

    /// The busiest slice of a device counts for it, hour by hour. A slice that is silent for an hour
    /// between two that it told of may have worked: such an hour is known only when another slice
    /// worked in it.
    fn busiest(
        &self,
        slices: &[Slice],
        range: HourRange,
        max: &mut HourlySeries,
        mean: &mut HourlySeries,
    ) {
        for (i, hour) in (range.from.0..range.to.0).map(Hour).enumerate() {
            let silent = slices.iter().any(|slice| {
                slice.top.values[i].is_nan()
                    && slice.life.is_some_and(|l| l.from <= hour && hour < l.to)
            });
            let busiest = |of: fn(&Slice) -> &HourlySeries| {
                slices.iter().map(|s| of(s).values[i]).fold(f32::NAN, f32::max)
            };
            let top = busiest(|slice| &slice.top);
            if silent && top < self.idle_below {
                continue;
            }
            max.values[i] = max.values[i].max(top * 100.0);
            mean.values[i] = mean.values[i].max(busiest(|slice| &slice.means) * 100.0);
        }
    }
}

/// A GPU, or a slice of one: its hourly maxima and means, 0–1, of the hours asked for.
struct Slice {
    top: HourlySeries,
    means: HourlySeries,
    /// From the first to the last hour that anything is known of, whenever that was.
    life: Option<HourRange>,
}

/// The hours of `range` that an instance is judged by.
pub(in crate::bus) fn needed(instance: &Instance, range: HourRange) -> HourRange {
    range.since(Hour::at_or_after(instance.launched_at))
}

/// True when every hour of `range` is known; false for no hours at all.
pub(in crate::bus) fn is_whole(series: &HourlySeries, range: HourRange) -> bool {
    !range.is_empty() && series.got(range) == range.len()
}

/// A row that has what a place needs.
fn row(instance: &Arc<Instance>, spec: Option<&Arc<TypeSpec>>) -> Arc<Row> {
    Arc::new(Row { spec: spec.cloned(), ..Row::new(instance.clone()) })
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::scripted::instance;
    use super::*;
    use crate::cache::GpuHours;
    use crate::domain::{GpuHour, GpuIdentity, HostNames, Rung, SourceId};

    #[test]
    fn a_scope_keeps_the_gpus_of_its_own_instances_alone() {
        let gpu = |host: &str| GpuHour {
            identity: Arc::new(GpuIdentity {
                uuid: Some(format!("GPU-of-{host}").into()),
                index: Some(0),
                host: HostNames { instance_id: Some(host.into()), ..HostNames::default() },
                ..GpuIdentity::default()
            }),
            mean: 0.0,
            max: 0.0,
            samples: 60,
            rung: Rung::A,
        };
        let mut book = HourBook::default();
        book.add(&GpuHours {
            source: SourceId::Prometheus,
            origin: "main".into(),
            hour: Hour(10),
            gpus: vec![gpu("i-own"), gpu("i-other")],
        });
        let rows = ["i-own", "i-other"].map(|id| row(&Arc::new(instance(id, "g5.xlarge")), None));
        let knows = |asked| {
            let evidence = Evidence::join(Arc::new(book.clone()), &rows, asked, 0.05);
            ["i-own", "i-other"].map(|id| evidence.knows(&id.into()))
        };
        assert_eq!(knows(1), [true, false]);
        assert_eq!(knows(2), [true, true]);
    }
}
