//! What is known of GPUs in closed hours: told by sources with a memory, or seen by burntop itself.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::Shared;
use super::Teller;
use crate::cache::GpuHours;
use crate::domain::{GpuHour, GpuIdentity, GpuKey, Hour, HourRange, HourlySeries, MALFORMED};

/// Hours kept: what the longest preset needs.
pub(super) const KEEP_HOURS: i32 = 15 * 24;

/// The hours of one GPU besides its maxima.
#[derive(Clone)]
pub(super) struct Track {
    /// Who it is, as the source said that told of the newest hour.
    pub identity: Arc<GpuIdentity>,
    newest: Hour,
    /// Hourly means of activity, 0–1.
    means: HourlySeries,
}

/// All closed hours of all GPUs. Where several sources speak of an hour the busier one counts; what
/// made no sense ([`MALFORMED`]) counts as use.
#[derive(Clone, Default)]
pub(super) struct HourBook {
    /// Hourly maxima of activity, 0–1.
    maxima: Arc<HashMap<GpuKey, HourlySeries>>,
    tracks: HashMap<GpuKey, Track>,
    /// The hours that each source was asked about, or was seen through.
    known: HashMap<Teller, HashSet<Hour>>,
}

/// Reads what the cache holds into the book of `shared`.
pub(super) async fn load(shared: &Shared) {
    let range = HourRange::last_closed(shared.now(), KEEP_HOURS as u32);
    let stored = shared.cache.load_gpu_hours(range).await;
    for hours in &stored {
        shared.tap.hours(hours);
    }
    let filled = super::super::metrics::on_worker(move || {
        let mut book = HourBook::default();
        for hours in &stored {
            book.add(hours);
        }
        book
    });
    if let Some(book) = filled.await {
        shared.live.write(|old| *old = book);
    }
}

impl HourBook {
    /// Takes the hours of a source over.
    pub fn add(&mut self, hours: &GpuHours) {
        let teller = (hours.source, hours.origin.clone());
        self.known.entry(teller).or_default().insert(hours.hour);
        if hours.gpus.is_empty() {
            return;
        }
        let maxima = Arc::make_mut(&mut self.maxima);
        for gpu in &hours.gpus {
            let key = gpu.identity.own_key();
            let track = self.tracks.entry(key.clone()).or_insert_with(|| Track {
                identity: gpu.identity.clone(),
                newest: hours.hour,
                means: HourlySeries::default(),
            });
            if hours.hour > track.newest {
                (track.identity, track.newest) = (gpu.identity.clone(), hours.hour);
            }
            let (mean, max) = sound(gpu);
            raise(&mut track.means, hours.hour, mean);
            raise(maxima.entry(key).or_default(), hours.hour, max);
        }
    }

    /// Hourly maxima by GPU.
    pub fn maxima(&self) -> Arc<HashMap<GpuKey, HourlySeries>> {
        self.maxima.clone()
    }

    /// The maxima and means of every GPU.
    pub fn gpus(&self) -> impl Iterator<Item = (&GpuKey, &Track, &HourlySeries)> {
        self.tracks.iter().filter_map(|(key, track)| Some((key, track, self.maxima.get(key)?)))
    }

    /// Hourly means of a GPU, 0–1.
    pub fn means(&self, key: &GpuKey) -> Option<&HourlySeries> {
        self.tracks.get(key).map(|track| &track.means)
    }

    /// True when a source need not be asked about an hour.
    pub fn knows(&self, teller: &Teller, hour: Hour) -> bool {
        self.known.get(teller).is_some_and(|hours| hours.contains(&hour))
    }

    /// Forgets what no preset looks at.
    pub fn forget_before(&mut self, oldest: Hour) {
        for hours in self.known.values_mut() {
            hours.retain(|hour| *hour >= oldest);
        }
        let gone: Vec<GpuKey> =
            self.tracks.iter().filter(|(_, t)| t.newest < oldest).map(|(k, _)| k.clone()).collect();
        let maxima = Arc::make_mut(&mut self.maxima);
        for key in gone {
            self.tracks.remove(&key);
            maxima.remove(&key);
        }
        let means = self.tracks.values_mut().map(|track| &mut track.means);
        for series in means.chain(maxima.values_mut()) {
            let skip = usize::try_from(oldest.0 - series.start.0).unwrap_or(0);
            series.values.drain(..skip.min(series.values.len()));
            series.start = series.start.max(oldest);
        }
    }
}

/// Mean and maximum; nonsense as [`MALFORMED`]. No mean is above its maximum.
fn sound(gpu: &GpuHour) -> (f32, f32) {
    let fit = |v: f32| if (0.0..=1.0).contains(&v) { v } else { MALFORMED };
    let (mean, max) = (fit(gpu.mean), fit(gpu.max));
    (mean, max.max(mean))
}

/// Sets an hour to the busier of what is known and `value`; the series grows to hold it.
fn raise(series: &mut HourlySeries, hour: Hour, value: f32) {
    if series.values.is_empty() {
        series.start = hour;
    }
    let lead = usize::try_from(series.start.0 - hour.0).unwrap_or(0);
    if lead > KEEP_HOURS as usize {
        return;
    }
    if lead > 0 {
        series.values.splice(..0, std::iter::repeat_n(f32::NAN, lead));
        series.start = hour;
    }
    let at = usize::try_from(hour.0 - series.start.0).unwrap_or(0);
    if at > 2 * KEEP_HOURS as usize {
        // A gap longer than anything looked at: the old end of it is over.
        *series = HourlySeries { start: hour, values: vec![value] };
        return;
    }
    if at >= series.values.len() {
        series.values.resize(at + 1, f32::NAN);
    }
    // `max` ignores the NaN of an hour that nothing is known of.
    series.values[at] = series.values[at].max(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{HostNames, Rung, SourceId};

    fn hours(origin: &str, hour: i32, values: &[(&str, f32, f32)]) -> GpuHours {
        let gpu = |(uuid, mean, max): &(&str, f32, f32)| GpuHour {
            identity: Arc::new(GpuIdentity {
                uuid: Some((*uuid).into()),
                ..GpuIdentity::default()
            }),
            mean: *mean,
            max: *max,
            samples: 60,
            rung: Rung::A,
        };
        let gpus = values.iter().map(gpu).collect();
        GpuHours { source: SourceId::Prometheus, origin: origin.into(), hour: Hour(hour), gpus }
    }

    fn at(book: &HourBook, uuid: &str, hour: i32) -> (f32, f32) {
        let key = GpuKey { device: uuid.into(), gpu_instance: None };
        (book.tracks[&key].means.at(Hour(hour)), book.maxima[&key].at(Hour(hour)))
    }

    #[test]
    fn hours_come_in_any_order_and_the_busier_source_counts() {
        let mut book = HourBook::default();
        book.add(&hours("a", 10, &[("x", 0.1, 0.2)]));
        book.add(&hours("a", 7, &[("x", 0.3, 0.4)]));
        book.add(&hours("b", 10, &[("x", 0.0, 0.9)]));
        book.add(&hours("b", 12, &[("x", f32::NAN, 0.0), ("y", 0.0, 0.0)]));
        assert_eq!(at(&book, "x", 7), (0.3, 0.4));
        assert_eq!(at(&book, "x", 10), (0.1, 0.9));
        assert!(at(&book, "x", 8).1.is_nan(), "nobody told of it");
        assert_eq!(at(&book, "x", 12), (MALFORMED, MALFORMED), "nonsense is use");
        assert!(at(&book, "y", 10).1.is_nan());
        let a = (SourceId::Prometheus, Arc::from("a"));
        assert!(book.knows(&a, Hour(7)) && !book.knows(&a, Hour(12)));
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut book = HourBook::default();
        for hour in 0..20 {
            book.add(&hours("a", hour, &[("x", 0.1, 0.1)]));
        }
        book.add(&hours("a", 3, &[("old", 0.1, 0.1)]));
        book.forget_before(Hour(15));
        assert_eq!(book.gpus().count(), 1);
        assert!(at(&book, "x", 14).1.is_nan());
        assert_eq!(at(&book, "x", 15), (0.1, 0.1));
        assert!(!book.knows(&(SourceId::Prometheus, "a".into()), Hour(14)));
    }

    #[test]
    fn without_a_uuid_the_instance_tells_gpus_apart() {
        let host = HostNames { node: Some("n1".into()), ..HostNames::default() };
        let identity = GpuIdentity { index: Some(2), host, ..GpuIdentity::default() };
        assert_eq!(&*identity.own_key().device, "n1/2");
    }
}
