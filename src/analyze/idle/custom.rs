//! Policies from the config: a built-in one with figures of one's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::policy::{Limits, Policy, Test};
use super::preset::Preset;

/// Longest window, hours: 63 days hold two month-ends. Longer ones would cost cache and prove
/// nothing more.
const MAX_WINDOW: u32 = 63 * 24;
/// Highest figure that may be called a GPU at rest, percent. Above it a working GPU would be
/// called idle, which no policy may.
const MAX_GPU_PERCENT: f64 = 20.0;

/// A policy as the config writes it: what is not given is taken from `base`.
///
/// ```toml
/// [presets.nights]
/// base = "cautious"
/// min_stretch_gpu_hours = 10
/// gpu_percent = 3.0
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CustomPolicy {
    /// The built-in policy to start from.
    pub base: Preset,
    /// Closed hours to look at, 24 to 1512.
    pub window_hours: Option<u32>,
    /// Least hours of idleness on a box with GPUs or accelerators, 1 to the window.
    pub min_stretch_gpu_hours: Option<u32>,
    /// Least hours of idleness on a CPU-only box, 1 to the window.
    pub min_stretch_cpu_hours: Option<u32>,
    /// Hourly maximum from which a GPU works, percent, above 0 to 20.
    pub gpu_percent: Option<f64>,
    /// CPU percent that speaks for use: the hourly peak (`cautious` on CPU-only boxes,
    /// `aws-compute-optimizer`), the daily mean (`aws-trusted-advisor`) or the mean of the window
    /// (`mean-cpu`). Above 0 to 100.
    pub cpu_percent: Option<f64>,
    /// Busy cores that speak for use on a box with GPUs, above 0.
    pub gpu_box_busy_cores: Option<f64>,
    /// Hourly mean CPU that, with the busy cores, speaks for use on a box with GPUs, percent;
    /// `cautious` alone. Above 0 to 100.
    pub gpu_box_cpu_percent: Option<f64>,
    /// Busy cores that speak for use on a CPU-only box, above 0.
    pub cpu_box_busy_cores: Option<f64>,
    /// Network bytes per day that speak for use on a box with GPUs, above 0. Not `mean-cpu`.
    pub gpu_box_network_bytes_per_day: Option<f64>,
    /// Network bytes per day that speak for use on a CPU-only box, above 0. Not `mean-cpu`.
    pub cpu_box_network_bytes_per_day: Option<f64>,
    /// EBS operations per second that speak for use on a CPU-only box, above 0; `cautious` alone.
    pub ebs_ops_per_second: Option<f64>,
    /// Low days that make an idle box, 1 to the days of the window; `aws-trusted-advisor` alone.
    pub low_days: Option<u32>,
    /// Mean of working GPUs below which a box is underused, percent; `cautious` alone.
    pub underused_gpu_percent: Option<f64>,
    /// Hourly mean CPU up to which a CPU-only box is underused, percent; `cautious` alone.
    pub underused_cpu_percent: Option<f64>,
}

/// Why a custom policy is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PolicyError {
    /// The name is taken by a built-in policy, or empty.
    #[error("preset `{name}`: choose another name: it is {why}")]
    Name {
        /// The name.
        name: String,
        /// `empty` or `built in`.
        why: &'static str,
    },
    /// A figure is out of its range.
    #[error("preset `{name}`: {field} = {value} is out of range: give {allowed}")]
    OutOfRange {
        /// The preset.
        name: String,
        /// The field.
        field: &'static str,
        /// Value that was given.
        value: String,
        /// Allowed values, in words.
        allowed: String,
    },
    /// A figure was given that the base does not test.
    #[error("preset `{name}`: {field} means nothing with base = \"{base}\": remove it")]
    NotInBase {
        /// The preset.
        name: String,
        /// The field.
        field: &'static str,
        /// The base.
        base: &'static str,
    },
}

impl CustomPolicy {
    /// The policy called `name`, or what is wrong with it.
    pub fn policy(&self, name: &str) -> Result<Policy, PolicyError> {
        let taken = Preset::from_name(name).map(|_| "built in");
        if let Some(why) = if name.trim().is_empty() { Some("empty") } else { taken } {
            return Err(PolicyError::Name { name: name.into(), why });
        }
        let mut policy = self.base.policy();
        policy.name = name.into();
        policy.source =
            format!("custom policy `{name}` from the config, based on {}", self.base.name());

        // Each figure is taken out where the base has a use for it; what is left has none.
        let mut given = self.clone();
        let check = Check { name };
        check.hours("window_hours", &mut given.window_hours, 24, MAX_WINDOW, &mut policy.window)?;
        check.figure(
            "gpu_percent",
            &mut given.gpu_percent,
            MAX_GPU_PERCENT,
            [&mut policy.gpu_percent],
        )?;
        match &mut policy.test {
            Test::Hourly { gpu_box, cpu_box, underused, .. } => {
                given.take_boxes(&check, gpu_box, cpu_box)?;
                if let Some(u) = underused {
                    let (gpu, cpu) =
                        (&mut given.underused_gpu_percent, &mut given.underused_cpu_percent);
                    check.figure("underused_gpu_percent", gpu, 100.0, [&mut u.gpu_percent])?;
                    check.figure("underused_cpu_percent", cpu, 100.0, [&mut u.cpu_percent])?;
                }
                let window = policy.window;
                policy.stretch_gpu = policy.stretch_gpu.min(window);
                policy.stretch_cpu = policy.stretch_cpu.min(window);
                let (gpu, cpu) =
                    (&mut given.min_stretch_gpu_hours, &mut given.min_stretch_cpu_hours);
                check.hours("min_stretch_gpu_hours", gpu, 1, window, &mut policy.stretch_gpu)?;
                check.hours("min_stretch_cpu_hours", cpu, 1, window, &mut policy.stretch_cpu)?;
            }
            Test::LowDays { cpu_percent, network_bytes, cores, days } => {
                check.figure("cpu_percent", &mut given.cpu_percent, 100.0, [cpu_percent])?;
                given.take_cores(&check, &mut cores.0, &mut cores.1)?;
                given.take_network(&check, &mut network_bytes.0, &mut network_bytes.1)?;
                check.hours("low_days", &mut given.low_days, 1, policy.window / 24, days)?;
                // So many days must have been lived for so many of them to be low.
                *days = (*days).min(policy.window / 24);
                policy.stretch_gpu = *days * 24;
                policy.stretch_cpu = *days * 24;
            }
            Test::WindowMean { cpu_percent, cores } => {
                check.figure("cpu_percent", &mut given.cpu_percent, 100.0, [cpu_percent])?;
                given.take_cores(&check, &mut cores.0, &mut cores.1)?;
                policy.stretch_gpu = policy.window;
                policy.stretch_cpu = policy.window;
            }
        }
        match given.left() {
            None => Ok(policy),
            Some(field) => {
                Err(PolicyError::NotInBase { name: name.into(), field, base: self.base.name() })
            }
        }
    }

    fn take_boxes(
        &mut self,
        check: &Check<'_>,
        gpu_box: &mut Limits,
        cpu_box: &mut Limits,
    ) -> Result<(), PolicyError> {
        let peaks = [&mut gpu_box.cpu_max_percent, &mut cpu_box.cpu_max_percent];
        let peaks = peaks.into_iter().filter_map(Option::as_mut);
        check.figure("cpu_percent", &mut self.cpu_percent, 100.0, peaks)?;
        if gpu_box.cpu_work.percent > 0.0 {
            let slot = &mut gpu_box.cpu_work.percent;
            check.figure("gpu_box_cpu_percent", &mut self.gpu_box_cpu_percent, 100.0, [slot])?;
        }
        self.take_cores(check, &mut gpu_box.cpu_work.cores, &mut cpu_box.cpu_work.cores)?;
        if let (Some(gpu), Some(cpu)) = (&mut gpu_box.network_per_day, &mut cpu_box.network_per_day)
        {
            self.take_network(check, &mut gpu.value, &mut cpu.value)?;
        }
        if let Some(ebs) = &mut cpu_box.ebs_ops_per_second {
            let given = &mut self.ebs_ops_per_second;
            check.figure("ebs_ops_per_second", given, f64::MAX, [&mut ebs.value])?;
        }
        Ok(())
    }

    fn take_cores(
        &mut self,
        check: &Check<'_>,
        gpu: &mut f64,
        cpu: &mut f64,
    ) -> Result<(), PolicyError> {
        check.figure("gpu_box_busy_cores", &mut self.gpu_box_busy_cores, f64::MAX, [gpu])?;
        check.figure("cpu_box_busy_cores", &mut self.cpu_box_busy_cores, f64::MAX, [cpu])
    }

    fn take_network(
        &mut self,
        check: &Check<'_>,
        gpu: &mut f64,
        cpu: &mut f64,
    ) -> Result<(), PolicyError> {
        let given = &mut self.gpu_box_network_bytes_per_day;
        check.figure("gpu_box_network_bytes_per_day", given, f64::MAX, [gpu])?;
        let given = &mut self.cpu_box_network_bytes_per_day;
        check.figure("cpu_box_network_bytes_per_day", given, f64::MAX, [cpu])
    }

    /// The first figure that is given.
    fn left(&self) -> Option<&'static str> {
        let figures = [
            ("cpu_percent", self.cpu_percent),
            ("gpu_box_cpu_percent", self.gpu_box_cpu_percent),
            ("gpu_box_network_bytes_per_day", self.gpu_box_network_bytes_per_day),
            ("cpu_box_network_bytes_per_day", self.cpu_box_network_bytes_per_day),
            ("ebs_ops_per_second", self.ebs_ops_per_second),
            ("underused_gpu_percent", self.underused_gpu_percent),
            ("underused_cpu_percent", self.underused_cpu_percent),
        ];
        let hours = [
            ("min_stretch_gpu_hours", self.min_stretch_gpu_hours),
            ("min_stretch_cpu_hours", self.min_stretch_cpu_hours),
            ("low_days", self.low_days),
        ];
        let figure = figures.into_iter().find(|f| f.1.is_some()).map(|f| f.0);
        figure.or_else(|| hours.into_iter().find(|f| f.1.is_some()).map(|f| f.0))
    }
}

/// Checks figures and says whose they are.
struct Check<'a> {
    name: &'a str,
}

impl Check<'_> {
    /// Takes a figure that must be above 0 and at most `max` into every one of `slots`.
    fn figure<'s>(
        &self,
        field: &'static str,
        given: &mut Option<f64>,
        max: f64,
        slots: impl IntoIterator<Item = &'s mut f64>,
    ) -> Result<(), PolicyError> {
        let mut slots = slots.into_iter().peekable();
        if slots.peek().is_none() {
            return Ok(());
        }
        let Some(value) = given.take() else { return Ok(()) };
        if !(value > 0.0 && value <= max && value.is_finite()) {
            let allowed = if max >= f64::MAX {
                "a number above 0".to_owned()
            } else {
                format!("a number above 0, at most {max}")
            };
            return Err(self.out_of_range(field, value.to_string(), allowed));
        }
        slots.for_each(|slot| *slot = value);
        Ok(())
    }

    /// Takes a whole number from `min` to `max` into `slot`.
    fn hours(
        &self,
        field: &'static str,
        given: &mut Option<u32>,
        min: u32,
        max: u32,
        slot: &mut u32,
    ) -> Result<(), PolicyError> {
        let Some(value) = given.take() else { return Ok(()) };
        if !(min..=max).contains(&value) {
            let allowed = format!("a whole number from {min} to {max}");
            return Err(self.out_of_range(field, value.to_string(), allowed));
        }
        *slot = value;
        Ok(())
    }

    fn out_of_range(&self, field: &'static str, value: String, allowed: String) -> PolicyError {
        PolicyError::OutOfRange { name: self.name.into(), field, value, allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CustomPolicy {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn what_is_not_given_comes_from_the_base() {
        let policy = read("").policy("mine").unwrap();
        let base = Preset::Cautious.policy();
        assert_eq!((policy.window, policy.test), (base.window, base.test));
        assert_eq!((policy.stretch_gpu, policy.stretch_cpu), (24, 168));
        assert!(policy.source.contains("based on cautious"));

        let text = "base = \"cautious\"\nmin_stretch_gpu_hours = 10\ngpu_percent = 3.0";
        let policy = read(text).policy("nights").unwrap();
        assert_eq!(policy.min_stretch_hours(true), 10);
        assert_eq!(policy.min_stretch_hours(false), 168);
        assert!((policy.gpu_percent - 3.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_shorter_window_shortens_the_stretch() {
        let policy = read("window_hours = 48").policy("short").unwrap();
        assert_eq!((policy.stretch_gpu, policy.stretch_cpu), (24, 48));
        let policy = read("base = \"mean-cpu\"\nwindow_hours = 336").policy("long").unwrap();
        assert_eq!(policy.min_stretch_hours(true), 336);
        let policy = read("base = \"aws-trusted-advisor\"\nlow_days = 6").policy("six").unwrap();
        assert_eq!(policy.min_stretch_hours(false), 144);
    }

    #[test]
    fn typos_are_refused() {
        assert!(toml::from_str::<CustomPolicy>("gpu_percnt = 3.0").is_err());
        let error = toml::from_str::<CustomPolicy>("base = \"careful\"").unwrap_err().to_string();
        assert!(error.contains("aws-compute-optimizer"), "{error}");
    }

    #[test]
    fn nonsense_is_refused_with_the_field_and_the_range() {
        let error = |text: &str| read(text).policy("mine").unwrap_err().to_string();
        for (text, says) in [
            (
                "gpu_percent = 50.0",
                "gpu_percent = 50 is out of range: give a number above 0, at most 20",
            ),
            ("gpu_percent = nan", "gpu_percent = NaN is out of range"),
            ("cpu_percent = 0.0", "cpu_percent = 0 is out of range"),
            ("cpu_box_busy_cores = inf", "cpu_box_busy_cores = inf is out of range"),
            ("ebs_ops_per_second = -1.0", "ebs_ops_per_second = -1 is out of range"),
            (
                "window_hours = 5",
                "window_hours = 5 is out of range: give a whole number from 24 to 1512",
            ),
            (
                "min_stretch_gpu_hours = 200",
                "min_stretch_gpu_hours = 200 is out of range: give a whole number from 1 to 168",
            ),
            ("low_days = 3", "low_days means nothing with base = \"cautious\""),
            (
                "base = \"mean-cpu\"\nebs_ops_per_second = 2.0",
                "ebs_ops_per_second means nothing with base = \"mean-cpu\"",
            ),
            (
                "base = \"mean-cpu\"\nmin_stretch_gpu_hours = 5",
                "min_stretch_gpu_hours means nothing",
            ),
            (
                "base = \"aws-compute-optimizer\"\nunderused_gpu_percent = 5.0",
                "underused_gpu_percent means nothing",
            ),
            (
                "base = \"aws-trusted-advisor\"\nlow_days = 15",
                "low_days = 15 is out of range: give a whole number from 1 to 14",
            ),
        ] {
            let got = error(text);
            assert!(got.contains(says), "{text}: {got}");
        }
        for name in ["", " ", "mean-cpu"] {
            assert!(matches!(read("").policy(name), Err(PolicyError::Name { .. })), "{name:?}");
        }
    }

    #[test]
    fn every_figure_reaches_its_limit() {
        let text = "cpu_percent = 4.0\ngpu_box_cpu_percent = 25.0\ngpu_box_busy_cores = 8.0\n\
                    cpu_box_busy_cores = 0.25\ngpu_box_network_bytes_per_day = 2e9\n\
                    cpu_box_network_bytes_per_day = 3e7\nebs_ops_per_second = 2.5\n\
                    underused_gpu_percent = 40.0\nunderused_cpu_percent = 10.0";
        let policy = read(text).policy("all").unwrap();
        let (gpu, cpu) = (*policy.limits(true).unwrap(), *policy.limits(false).unwrap());
        assert_eq!((gpu.cpu_max_percent, cpu.cpu_max_percent), (None, Some(4.0)));
        let figures = [
            (gpu.cpu_work.percent, 25.0),
            (gpu.cpu_work.cores, 8.0),
            (cpu.cpu_work.cores, 0.25),
            (gpu.network_per_day.unwrap().value, 2e9),
            (cpu.network_per_day.unwrap().value, 3e7),
            (cpu.ebs_ops_per_second.unwrap().value, 2.5),
            (policy.underused().unwrap().gpu_percent, 40.0),
            (policy.underused().unwrap().cpu_percent, 10.0),
        ];
        for (got, want) in figures {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
    }
}
