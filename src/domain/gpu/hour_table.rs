//! What GPUs did in closed hours: four bytes per GPU and hour, by day.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::history::GpuHour;
use super::identity::{GpuIdentity, GpuKey};
use super::steps::{ratio, steps};
use crate::domain::{FastMap, Hour, HourRange, HourlySeries};

/// Mean and maximum of one GPU in one hour, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    mean: u16,
    max: u16,
}

/// A day of one GPU: whoever looks back over its hours finds them side by side.
type Row = [Cell; 24];

/// Days of all GPUs; a GPU has one index in all of them, and was silent on a day that ends before it.
type Days = BTreeMap<i32, Arc<Vec<Row>>>;

/// Cell without values: no real mean is above its maximum.
const NOTHING: Cell = Cell { mean: 1, max: 0 };

impl Cell {
    /// Cell of a reported hour; nonsense counts as use.
    fn of(gpu: &GpuHour) -> Self {
        let (mean, max) = (steps(gpu.mean), steps(gpu.max));
        Self { mean, max: max.max(mean) }
    }

    /// The busier of two.
    fn raise(&mut self, other: Self) {
        *self = match *self {
            NOTHING => other,
            Self { mean, max } => Self { mean: mean.max(other.mean), max: max.max(other.max) },
        };
    }
}

/// One GPU of the table.
#[derive(Clone, Debug)]
struct Track {
    /// Index in every day.
    place: u32,
    /// Identity, from the source that reported the newest hour.
    identity: Arc<GpuIdentity>,
    newest: Hour,
}

/// Mean and maximum activity of GPUs by closed hour. Where several sources report an hour the busier one counts;
/// malformed values ([`crate::domain::MALFORMED`]) count as use. Values are as exact as the cache keeps them, so that
/// they are the same after a restart.
///
/// Clones share what neither has changed since.
#[derive(Clone, Debug, Default)]
pub struct HourTable {
    gpus: Arc<FastMap<GpuKey, Track>>,
    /// Places of GPUs that were forgotten: nothing stands there on any day.
    free: Vec<u32>,
    days: Days,
}

impl HourTable {
    /// Adds what a source reports for an hour; the busier of the old and the new value stays.
    pub fn add(&mut self, hour: Hour, told: &[GpuHour]) {
        let cells: Vec<(usize, Cell)> =
            told.iter().map(|gpu| (self.place(hour, &gpu.identity), Cell::of(gpu))).collect();
        let Some(needed) = cells.iter().map(|(place, _)| place + 1).max() else { return };
        let (all, at) = (self.gpus.len() + self.free.len(), of_day(hour));
        let day = Arc::make_mut(self.days.entry(hour.day()).or_default());
        if day.len() < needed {
            // Many sources may bring a few GPUs each: room for some more, not for twice as many.
            day.reserve_exact((all - day.len()).max(day.len() / 8));
            day.resize(all, [NOTHING; 24]);
        }
        for (place, cell) in cells {
            day[place][at].raise(cell);
        }
    }

    /// Index of a GPU that was reported in `hour`.
    fn place(&mut self, hour: Hour, identity: &Arc<GpuIdentity>) -> usize {
        let key = identity.own_key();
        // What is known already is not written: a clone may share it.
        if let Some(known) = self.gpus.get(&key).filter(|known| known.newest >= hour) {
            return known.place as usize;
        }
        let gpus = Arc::make_mut(&mut self.gpus);
        let place = match gpus.get(&key) {
            Some(known) => known.place,
            // Without a free one all places below the number of GPUs are taken.
            None => self.free.pop().unwrap_or(gpus.len() as u32),
        };
        gpus.insert(key, Track { place, identity: identity.clone(), newest: hour });
        place as usize
    }

    /// True without any GPU.
    pub fn is_empty(&self) -> bool {
        self.gpus.is_empty()
    }

    /// All GPUs with at least one known hour.
    pub fn gpus(&self) -> impl Iterator<Item = (&GpuKey, &Arc<GpuIdentity>)> {
        self.gpus.iter().map(|(key, track)| (key, &track.identity))
    }

    /// Hours of a GPU; `None` when no source reported it.
    pub fn of(&self, key: &GpuKey) -> Option<HoursOfGpu<'_>> {
        let place = self.gpus.get(key)?.place as usize;
        Some(HoursOfGpu { days: &self.days, place })
    }

    /// Drops all hours before `oldest`, and GPUs without later hours.
    pub fn forget_before(&mut self, oldest: Hour) {
        self.days = self.days.split_off(&oldest.day());
        if let Some(day) = self.days.get_mut(&oldest.day()).filter(|_| of_day(oldest) > 0) {
            Arc::make_mut(day).iter_mut().for_each(|row| row[..of_day(oldest)].fill(NOTHING));
        }
        if self.gpus.values().all(|track| track.newest >= oldest) {
            return;
        }
        let free = &mut self.free;
        Arc::make_mut(&mut self.gpus).retain(|_, track| {
            let stays = track.newest >= oldest;
            if !stays {
                free.push(track.place);
            }
            stays
        });
    }
}

/// Which hour of its day it is, 0–23.
fn of_day(hour: Hour) -> usize {
    hour.0.rem_euclid(24) as usize
}

/// Closed hours of one GPU; borrows the table.
#[derive(Clone, Copy, Debug)]
pub struct HoursOfGpu<'a> {
    days: &'a Days,
    place: usize,
}

impl HoursOfGpu<'_> {
    /// Highest activity in an hour, 0–1; `NaN` without a value, [`crate::domain::MALFORMED`] for a malformed one.
    pub fn max(self, hour: Hour) -> f32 {
        let row = self.days.get(&hour.day()).and_then(|day| day.get(self.place));
        row.map(|row| row[of_day(hour)])
            .filter(|c| *c != NOTHING)
            .map_or(f32::NAN, |c| ratio(c.max))
    }

    /// All hours that anything is known of, in their order.
    fn told(self) -> impl DoubleEndedIterator<Item = (Hour, Cell)> {
        self.days.iter().flat_map(move |(day, rows)| {
            let row = rows.get(self.place).map_or(&[][..], |row| &row[..]);
            let hours = row.iter().enumerate().map(move |(at, c)| (Hour(day * 24 + at as i32), *c));
            hours.filter(|(_, cell)| *cell != NOTHING)
        })
    }

    /// Range from the first to the last known hour; `None` without any.
    pub fn range(self) -> Option<HourRange> {
        let (from, last) = (self.told().next()?.0, self.told().next_back()?.0);
        Some(HourRange { from, to: last.plus(1) })
    }

    /// Highest and mean activity, 0–1, in the hours of `range`, in this order; `NaN` where nothing is known.
    pub fn series(self, range: HourRange) -> [HourlySeries; 2] {
        let (mut max, mut mean) = (HourlySeries::empty(range), HourlySeries::empty(range));
        for (hour, cell) in self.told() {
            max.set(hour, ratio(cell.max));
            mean.set(hour, ratio(cell.mean));
        }
        [max, mean]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MALFORMED, Rung};

    fn tell(table: &mut HourTable, hour: i32, gpus: &[(&str, f32, f32)]) {
        let gpu = |(uuid, mean, max): &(&str, f32, f32)| GpuHour::of(uuid, *mean, *max);
        table.add(Hour(hour), &gpus.iter().map(gpu).collect::<Vec<_>>());
    }

    fn key(uuid: &str) -> GpuKey {
        GpuKey { device: uuid.into(), gpu_instance: None }
    }

    /// Mean and maximum in an hour.
    fn at(table: &HourTable, uuid: &str, hour: i32) -> (f32, f32) {
        let range = HourRange { from: Hour(hour), to: Hour(hour + 1) };
        let hours = table.of(&key(uuid)).unwrap();
        let [max, mean] = hours.series(range);
        assert_eq!(max.values[0].to_bits(), hours.max(Hour(hour)).to_bits());
        (mean.values[0], max.values[0])
    }

    /// As the cache keeps it.
    fn kept(mean: f32, max: f32) -> (f32, f32) {
        (ratio(steps(mean)), ratio(steps(max)))
    }

    #[test]
    fn hours_come_in_any_order_and_the_busier_source_counts() {
        let mut table = HourTable::default();
        tell(&mut table, 10, &[("x", 0.1, 0.2)]);
        tell(&mut table, 7, &[("x", 0.3, 0.4)]);
        tell(&mut table, 10, &[("x", 0.0, 0.9)]);
        tell(&mut table, 12, &[("x", f32::NAN, 0.0), ("y", 0.0, 0.0)]);
        assert_eq!(at(&table, "x", 7), kept(0.3, 0.4));
        assert_eq!(at(&table, "x", 10), kept(0.1, 0.9));
        assert!(at(&table, "x", 8).1.is_nan(), "nobody told of it");
        assert_eq!(at(&table, "x", 12), (MALFORMED, MALFORMED), "nonsense is use");
        assert!(at(&table, "y", 10).1.is_nan());
        assert_eq!(at(&table, "y", 12), (0.0, 0.0), "nothing done is not nothing known");
        let range = table.of(&key("x")).unwrap().range();
        assert_eq!(range, Some(HourRange { from: Hour(7), to: Hour(13) }));
        let range = table.of(&key("y")).unwrap().range();
        assert_eq!(range, Some(HourRange { from: Hour(12), to: Hour(13) }));
        assert!(table.of(&key("z")).is_none());
    }

    #[test]
    fn values_at_the_edges_stay_what_they_are() {
        let mut table = HourTable::default();
        let odd = [f32::INFINITY, -1.0, 1.5];
        let edges = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 1e-9), (1.0, 0.0)];
        for (hour, (mean, max)) in edges.into_iter().enumerate() {
            tell(&mut table, hour as i32, &[("x", mean, max)]);
        }
        assert_eq!(
            [0, 1, 2, 3].map(|h| at(&table, "x", h)),
            [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
        );
        assert_eq!(at(&table, "x", 4), (1.0, 1.0), "no mean is above its maximum");
        for odd in odd {
            tell(&mut table, 9, &[("x", 0.5, odd)]);
            assert_eq!(at(&table, "x", 9), (kept(0.5, 0.5).0, MALFORMED), "{odd}");
        }
        // A quieter source takes nothing back.
        tell(&mut table, 9, &[("x", 0.0, 0.0)]);
        assert_eq!(at(&table, "x", 9).1, MALFORMED);
    }

    #[test]
    fn a_forgotten_gpu_leaves_its_place_to_another_and_nothing_else() {
        let mut table = HourTable::default();
        tell(&mut table, 3, &[("old", 0.9, 0.9)]);
        for hour in 3..20 {
            tell(&mut table, hour, &[("x", 0.1, 0.1)]);
        }
        table.forget_before(Hour(15));
        assert_eq!(table.gpus().count(), 1);
        assert!(at(&table, "x", 14).1.is_nan());
        assert_eq!(at(&table, "x", 15), kept(0.1, 0.1));
        tell(&mut table, 20, &[("y", 0.2, 0.2), ("z", 0.3, 0.3)]);
        let places: Vec<u32> = ["x", "y", "z"].map(|uuid| table.gpus[&key(uuid)].place).into();
        assert_eq!(places, [1, 0, 2]);
        assert_eq!(at(&table, "y", 20), kept(0.2, 0.2));
        assert!((15..20).all(|hour| at(&table, "y", hour).1.is_nan()));
        table.forget_before(Hour(24));
        assert!(table.is_empty() && table.days.is_empty());
    }

    #[test]
    fn who_it_is_says_the_newest_hour() {
        let mut table = HourTable::default();
        let told = |index| GpuHour {
            identity: Arc::new(GpuIdentity {
                uuid: Some("x".into()),
                index: Some(index),
                ..GpuIdentity::default()
            }),
            mean: 0.0,
            max: 0.0,
            samples: 1,
            rung: Rung::A,
        };
        for (hour, index) in [(5, 1), (9, 2), (7, 3), (9, 4)] {
            table.add(Hour(hour), &[told(index)]);
        }
        assert_eq!(table.gpus().next().unwrap().1.index, Some(2));
    }

    #[test]
    fn a_day_is_as_long_as_needed_and_a_clone_shares_what_nobody_changed() {
        let mut table = HourTable::default();
        let names: Vec<String> = (0..1000).map(|n| format!("GPU-{n}")).collect();
        let all: Vec<(&str, f32, f32)> = names.iter().map(|name| (&**name, 0.0, 0.5)).collect();
        for hour in [59, 40, 7] {
            tell(&mut table, hour, &all);
        }
        assert!(table.days.values().all(|day| day.capacity() == 1000));
        assert_eq!(size_of::<Row>(), 24 * 4, "four bytes per GPU and hour");
        let before = table.clone();
        tell(&mut table, 41, &all[..1]);
        tell(&mut table, -6, &all);
        assert!(Arc::ptr_eq(&before.gpus, &table.gpus));
        for (day, shared) in [(2, true), (1, false), (0, true)] {
            let [a, b] = [&before, &table].map(|t| &t.days[&day]);
            assert_eq!(Arc::ptr_eq(a, b), shared, "{day}");
        }
        assert_eq!(at(&table, "GPU-5", -6), kept(0.0, 0.5));
        assert!(before.of(&key("GPU-5")).unwrap().max(Hour(-6)).is_nan());
    }
}
