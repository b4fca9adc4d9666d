//! What is known of GPUs in closed hours: told by sources with a memory, or seen by burntop itself.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::sync_channel;

use super::super::Shared;
use super::super::metrics::on_worker;
use super::Teller;
use crate::cache::GpuHours;
use crate::domain::{Hour, HourRange, HourTable};

/// Hours kept: what the longest preset needs.
pub(super) const KEEP_HOURS: i32 = 15 * 24;
/// Hours on their way from the cache to the book: a quarter of a megabyte each in a large fleet.
const ON_THE_WAY: usize = 2;

/// All closed hours of all GPUs.
#[derive(Clone, Default)]
pub(super) struct HourBook {
    /// What the GPUs did.
    pub hours: HourTable,
    /// The hours that each source was asked about, or was seen through.
    known: HashMap<Teller, HashSet<Hour>>,
}

/// Reads what the cache holds into the book of `shared`.
pub(super) async fn load(shared: &Shared) {
    let range = HourRange::last_closed(shared.now(), KEEP_HOURS as u32);
    let (to, stored) = sync_channel(ON_THE_WAY);
    let tap = shared.tap.clone();
    let filled = on_worker(move || {
        let mut book = HourBook::default();
        for hours in stored {
            tap.hours(&hours);
            book.add(&hours);
        }
        book
    });
    if let (Some(book), ()) = tokio::join!(filled, shared.cache.read_gpu_hours(range, to)) {
        shared.live.write(|old| *old = book);
    }
}

impl HourBook {
    /// Takes the hours of a source over.
    pub fn add(&mut self, hours: &GpuHours) {
        let teller = (hours.source, hours.origin.clone());
        self.known.entry(teller).or_default().insert(hours.hour);
        self.hours.add(hours.hour, &hours.gpus);
    }

    /// True when a source need not be asked about an hour.
    pub fn knows(&self, teller: &Teller, hour: Hour) -> bool {
        self.known.get(teller).is_some_and(|hours| hours.contains(&hour))
    }

    /// Drops hours before `oldest`, which no preset uses.
    pub fn forget_before(&mut self, oldest: Hour) {
        for hours in self.known.values_mut() {
            hours.retain(|hour| *hour >= oldest);
        }
        self.hours.forget_before(oldest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cache::{Cache, OpenOptions};
    use crate::domain::{GpuHour, GpuIdentity, GpuKey, HostNames, HourlySeries, SourceId};

    fn hours(origin: &str, hour: i32, values: &[(&str, f32, f32)]) -> GpuHours {
        let gpu = |(uuid, mean, max): &(&str, f32, f32)| GpuHour::of(uuid, *mean, *max);
        let gpus = values.iter().map(gpu).collect();
        GpuHours { source: SourceId::Prometheus, origin: origin.into(), hour: Hour(hour), gpus }
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut book = HourBook::default();
        for hour in [10, 15] {
            book.add(&hours("a", hour, &[("x", 0.1, 0.1)]));
        }
        let a = (SourceId::Prometheus, Arc::from("a"));
        assert!(book.knows(&a, Hour(10)) && !book.knows(&a, Hour(12)));
        book.forget_before(Hour(15));
        assert!(book.knows(&a, Hour(15)) && !book.knows(&a, Hour(10)));
        let key = GpuKey { device: "x".into(), gpu_instance: None };
        let range = book.hours.of(&key).unwrap().range();
        assert_eq!(range, Some(HourRange { from: Hour(15), to: Hour(16) }));
    }

    /// All that a book says, bit by bit.
    fn said(book: &HourBook) -> Vec<(GpuKey, Vec<u32>)> {
        let range = HourRange { from: Hour(489_990), to: Hour(490_010) };
        let bits = |s: &HourlySeries| s.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let of = |key: &GpuKey| book.hours.of(key).unwrap().series(range).each_ref().map(bits);
        let mut all: Vec<_> =
            book.hours.gpus().map(|(key, _)| (key.clone(), of(key).concat())).collect();
        all.sort();
        all
    }

    #[tokio::test]
    async fn a_restart_gives_the_same_book() {
        let now = Hour(490_010).start();
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        let mut before = HourBook::default();
        let odd = [("x", 0.123_456, 0.654_321), ("y", f32::NAN, 0.3), ("z", 0.0, 1.0)];
        for told in [
            hours("a", 490_005, &odd),
            hours("a", 490_003, &odd[..2]),
            hours("b", 490_003, &[("x", 0.5, 0.500_01), ("w", -1.0, 7.0)]),
            hours("a", 490_004, &[]),
            hours("a", 490_007, &[("y", 1e-7, 0.05), ("z", 1.0, 0.0)]),
        ] {
            before.add(&told);
            cache.store_gpu_hours(Arc::new(told)).await;
        }
        let (to, stored) = sync_channel(10);
        let range = HourRange::last_closed(now, KEEP_HOURS as u32);
        cache.read_gpu_hours(range, to).await;
        let mut after = HourBook::default();
        stored.into_iter().for_each(|hours| after.add(&hours));
        assert_eq!(said(&after), said(&before));
        assert_eq!(after.known, before.known);
    }

    #[test]
    fn without_a_uuid_the_instance_tells_gpus_apart() {
        let host = HostNames { node: Some("n1".into()), ..HostNames::default() };
        let identity = GpuIdentity { index: Some(2), host, ..GpuIdentity::default() };
        assert_eq!(&*identity.own_key().device, "n1/2");
    }
}
