//! What all GPUs did in a closed hour.

use std::sync::Arc;

use jiff::Timestamp;

use super::Prometheus;
use super::plan::{ACTIVITY, Names, OTHER_ENGINES};
use super::promql::Keep;
use super::rules::{self, STATISTICS};
use super::sweep::{carrier, key};
use crate::domain::gpu::{HELD_MIB, IDLE_BELOW, IDLE_POWER_FACTOR, model};
use crate::domain::{GpuHour, GpuSignal, GpuSignals, Hour, Rung, SourceError};
use crate::source::vocabulary::Metric;

/// Where the counts of the activity signals travel: slots that take any size.
const COUNTS: [GpuSignal; 3] = [GpuSignal::Energy, GpuSignal::PcieTx, GpuSignal::PcieRx];

/// The rungs of the activity signals.
const RUNGS: [Rung; 3] = [Rung::A, Rung::B, Rung::C];

/// The end of an hour, minutes, by which the interval of the samples is measured.
const INTERVAL_BY_MIN: u32 = 10;

/// An hour counts when at least this share of its samples is there.
const ENOUGH: f32 = 0.9;

/// Unused signal in which the sample count of an activity signal is gathered; `None` for other signals.
pub(super) fn count_slot(signal: GpuSignal) -> Option<GpuSignal> {
    ACTIVITY.iter().position(|s| *s == signal).and_then(|i| COUNTS.get(i)).copied()
}

impl Prometheus {
    /// Activity of all GPUs in a closed hour. Err when a query fails.
    pub(super) async fn read_hour(&self, hour: Hour) -> Result<Vec<GpuHour>, SourceError> {
        let (names, wide) = {
            let mut state = self.state.lock().await;
            (self.names(&mut state, Timestamp::now()).await?, state.wide)
        };
        let end = Some(hour.end().as_second());
        let signals: Vec<GpuSignal> = names.activity().take(wide.max(1)).collect();
        let [mut mean, mut high, mut counts, mut last] = [const { Vec::new() }; 4];
        for signal in &signals {
            mean.extend(self.over(&names, *signal, 0, Keep::Full));
            high.extend(self.over(&names, *signal, 1, Keep::Apart));
            if let Some(slot) = count_slot(*signal) {
                let texts = self.over(&names, *signal, 2, Keep::Apart);
                counts.extend(texts.into_iter().map(|(text, _)| (text, carrier(slot))));
                last.extend(self.last_minutes(&names, *signal, slot));
            }
        }
        // Any engine that worked is use, whatever the best signal makes of it.
        let others = OTHER_ENGINES.into_iter().chain([GpuSignal::GrEngine]);
        for signal in others.filter(|s| !signals.contains(s)) {
            high.extend(self.over(&names, signal, 1, Keep::Apart));
        }
        if signals.contains(&GpuSignal::Util) {
            // Rung C: encoder and decoder are work as well; power and memory say what to believe.
            for signal in [GpuSignal::Enc, GpuSignal::Dec] {
                mean.extend(self.over(&names, signal, 0, Keep::Apart));
            }
            for signal in [GpuSignal::Power, GpuSignal::MemUsed] {
                high.extend(self.over(&names, signal, 1, Keep::Apart));
            }
        }
        let means = self.samples(&mean, end).await?;
        let high = self.numbers(&high, end).await?;
        let counts = self.numbers(&counts, end).await?;
        let last = self.numbers(&last, end).await?;
        let told = means.iter().filter_map(|sample| {
            let key = key(sample);
            let (high, counts) = (high.get(&key)?, counts.get(&key)?);
            let at = ACTIVITY.iter().position(|s| sample.signals.get(*s).is_some())?;
            let samples = counts.get(COUNTS[at])?;
            let others = OTHER_ENGINES.into_iter().filter_map(|s| high.get(s));
            let (mean, max) = if RUNGS[at] == Rung::C {
                utilisation(&sample.signals, high, &sample.identity.model)?
            } else {
                let engine = high.get(GpuSignal::GrEngine).unwrap_or(0.0);
                (sample.signals.get(ACTIVITY[at])?, high.get(ACTIVITY[at])?.max(engine))
            };
            let max = others.fold(max, f32::max);
            let last = last.get(&key).and_then(|s| s.get(COUNTS[at]));
            // What was seen in a part of an hour is use, or nothing.
            if max < IDLE_BELOW && !is_whole(samples, last) {
                return None;
            }
            let samples = samples as u32;
            let identity = Arc::clone(&sample.identity);
            Some(GpuHour { identity, mean, max, samples, rung: RUNGS[at] })
        });
        Ok(told.collect())
    }

    /// The queries for the number of samples at the end of the hour, in the slot of their count.
    fn last_minutes(
        &self,
        names: &Names,
        signal: GpuSignal,
        slot: GpuSignal,
    ) -> Vec<(String, Metric)> {
        let (by, matchers) = (Keep::Apart.list(), &self.settings.matchers);
        let count = |(name, _): (&str, Metric)| {
            let select = matchers.select(&[name], &[]);
            let text = format!("max by ({by}) (count_over_time({select}[{INTERVAL_BY_MIN}m]))");
            (text, carrier(slot))
        };
        names.of(signal).into_iter().map(count).collect()
    }

    /// The queries for a statistic of a signal over an hour: a rule's results, or the raw series,
    /// one query per spelling.
    fn over(
        &self,
        names: &Names,
        signal: GpuSignal,
        statistic: usize,
        keep: Keep,
    ) -> Vec<(String, Metric)> {
        let (suffix, function) = STATISTICS[statistic];
        let (by, matchers) = (keep.list(), &self.settings.matchers);
        let recorded = rules::name(signal, suffix);
        if names.has_recorded(&recorded) {
            let text = format!("max by ({by}) ({})", matchers.select(&[&recorded], &[]));
            return vec![(text, carrier(signal))];
        }
        names
            .of(signal)
            .into_iter()
            .map(|(name, metric)| {
                let select = matchers.select(&[name], &[]);
                (format!("max by ({by}) ({function}({select}[1h]))"), metric)
            })
            .collect()
    }
}

/// True when an hour was watched: of the samples that are due by the interval within its last
/// minutes (`last` of them) enough are there. Samples at both ends of a window count, so one less
/// tells the interval.
fn is_whole(samples: f32, last: Option<f32>) -> bool {
    let Some(last) = last else { return false };
    let due = (last - 1.0).max(1.0) * 60.0 / INTERVAL_BY_MIN as f32;
    samples >= due * ENOUGH
}

/// Mean and maximum on rung C. Utilisation counts, unless nothing was there all hour that could
/// cause it: hardly any memory in use, and power never above idle, if the model's is known.
/// Encoder and decoder count in any case.
fn utilisation(mean: &GpuSignals, high: &GpuSignals, name: &str) -> Option<(f32, f32)> {
    let floor = model(name).and_then(|m| m.idle_w);
    let rested = high.get(GpuSignal::Power).zip(floor);
    let rested = rested.is_some_and(|(power, floor)| power <= floor * IDLE_POWER_FACTOR);
    let phantom = rested && high.get(GpuSignal::MemUsed).is_some_and(|m| m < HELD_MIB);
    let of = |signals: &GpuSignals| -> Option<f32> {
        let util = signals.get(GpuSignal::Util)?;
        let util = if phantom { 0.0 } else { util };
        let video = [GpuSignal::Enc, GpuSignal::Dec].into_iter().filter_map(|s| signals.get(s));
        Some(video.fold(util, f32::max))
    };
    Some((of(mean)?, of(high)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(of: &[(GpuSignal, f64)]) -> GpuSignals {
        let mut out = GpuSignals::default();
        for (signal, value) in of {
            assert!(out.set(*signal, *value));
        }
        out
    }

    #[test]
    fn full_use_at_idle_power_is_no_work_and_video_is() {
        use GpuSignal::{Enc, MemUsed, Power, Util};
        let mean = signals(&[(Util, 0.9), (Enc, 0.0)]);
        let at = |watts, enc| signals(&[(Util, 1.0), (Enc, enc), (Power, watts), (MemUsed, 0.0)]);
        let model = "NVIDIA L40S";
        assert_eq!(utilisation(&mean, &at(68.0, 0.0), model), Some((0.0, 0.0)));
        assert_eq!(utilisation(&mean, &at(300.0, 0.0), model), Some((0.9, 1.0)));
        assert_eq!(utilisation(&mean, &at(68.0, 0.7), model), Some((0.0, 0.7)));
        // Memory in use says that somebody may have caused it: a resident kernel draws little.
        let held = signals(&[(Util, 1.0), (Power, 68.0), (MemUsed, 9_000.0)]);
        assert_eq!(utilisation(&mean, &held, model), Some((0.9, 1.0)));
        // A T4 draws 9 W asleep and 27 W with a context.
        assert_eq!(utilisation(&mean, &at(27.0, 0.0), "Tesla T4"), Some((0.9, 1.0)));
        // Without the power, or for an unknown model, utilisation is all there is: in use.
        assert_eq!(utilisation(&mean, &signals(&[(Util, 1.0)]), model), Some((0.9, 1.0)));
        assert_eq!(utilisation(&mean, &at(68.0, 0.0), "Other"), Some((0.9, 1.0)));
    }

    #[test]
    fn an_hour_is_whole_with_nine_of_ten_samples() {
        // Each 15 s, each 60 s, each 5 min; with a sample at both ends of the window.
        for (last, full) in [(41.0, 240.0), (11.0, 60.0), (3.0, 12.0)] {
            assert!(is_whole(full, Some(last)) && is_whole(full, Some(last - 1.0)));
            assert!(!is_whole(full * 0.8, Some(last)), "{last}");
        }
        assert!(!is_whole(1.0, Some(1.0)), "a target that has just appeared");
        assert!(!is_whole(200.0, None), "nobody told of the end of it");
    }
}
