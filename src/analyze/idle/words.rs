//! The words of a verdict. Those that repeat are shared, so that judging allocates few strings.

use std::fmt;
use std::sync::{Arc, LazyLock};

/// GPU labels made ahead; no type of today has more devices.
const GPUS: u16 = 16;

/// The shared words.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(Words::new);

/// Labels, statistics, units and remarks.
pub(super) struct Words {
    gpus: Vec<Arc<str>>,
    pub cpu_mean: Arc<str>,
    pub cpu_max: Arc<str>,
    pub busy_cores: Arc<str>,
    pub network: Arc<str>,
    pub ebs: Arc<str>,
    pub ebs_of_volumes: Arc<str>,
    pub low_days: Arc<str>,

    pub hourly_max: Arc<str>,
    pub hourly_mean: Arc<str>,
    pub window_mean: Arc<str>,
    pub highest_day: Arc<str>,
    pub mean_day: Arc<str>,
    pub per_second: Arc<str>,
    pub low_days_statistic: Arc<str>,

    pub percent: Arc<str>,
    pub cores: Arc<str>,
    pub bytes_per_day: Arc<str>,
    pub ops: Arc<str>,
    pub days: Arc<str>,

    pub memory: Arc<str>,
    pub efa: Arc<str>,
    pub instance_store: Arc<str>,
    pub gpu_blind: Arc<str>,
    pub no_network: Arc<str>,
    pub no_ebs: Arc<str>,
    pub ebs_unreported: Arc<str>,
    pub ebs_stands_in: Arc<str>,
    pub no_telemetry: Arc<str>,
    pub not_fetched: Arc<str>,
}

impl Words {
    fn new() -> Self {
        Self {
            gpus: (0..GPUS).map(gpu_label).collect(),
            cpu_mean: "CPU mean".into(),
            cpu_max: "CPU max".into(),
            busy_cores: "busy cores".into(),
            network: "network per day".into(),
            ebs: "EBS operations".into(),
            ebs_of_volumes: "EBS operations of its volumes".into(),
            low_days: "low days".into(),

            hourly_max: "hourly maximum".into(),
            hourly_mean: "hourly mean".into(),
            window_mean: "mean of hourly averages".into(),
            highest_day: "highest 24 h, in plus out".into(),
            mean_day: "mean per day, in plus out".into(),
            per_second: "hourly mean, reads plus writes".into(),
            low_days_statistic: "days with low CPU and low network".into(),

            percent: "%".into(),
            cores: "cores".into(),
            bytes_per_day: "bytes/day".into(),
            ops: "ops/s".into(),
            days: "days".into(),

            memory: "memory".into(),
            efa: "EFA/RDMA traffic, which is not in NetworkIn/Out".into(),
            instance_store: "instance-store disks".into(),
            gpu_blind: "GPU activity: this policy does not look at it, burntop only lets a busy \
                        GPU veto"
                .into(),
            no_network: "network: this policy does not look at it".into(),
            no_ebs: "EBS: this policy does not look at it".into(),
            ebs_unreported:
                "EBS operations: AWS/EC2 has them of Nitro types alone, without bare metal".into(),
            ebs_stands_in:
                "EBS operations of the instance: AWS/EC2 has them of Nitro types alone, \
                            without bare metal; those of its volumes (AWS/EBS) stand in"
                    .into(),
            no_telemetry: "the accelerators: no telemetry source for them yet".into(),
            not_fetched: "signals that could not change the verdict were not fetched".into(),
        }
    }

    /// `GPU 3 max`.
    pub fn gpu(&self, index: u16) -> Arc<str> {
        self.gpus.get(usize::from(index)).cloned().unwrap_or_else(|| gpu_label(index))
    }
}

fn gpu_label(index: u16) -> Arc<str> {
    format!("GPU {index} max").into()
}

/// A figure with its unit: `0.52 %`, `38 %`, `4.2 GB`. Values below 10 keep two decimals, so that
/// what is near a limit of 5 does not read as 5. Written into the sentence it is for: a verdict
/// has several, and ten thousand are judged at once.
pub(in crate::analyze) fn figure(value: f64, unit: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let (value, unit) = match unit {
            "bytes/day" => scaled(value),
            "days" => return write!(f, "{value:.0} days"),
            unit => (value, unit),
        };
        if value.fract() == 0.0 && value < 1e15 {
            // The common case, and many times faster to write than a float.
            return write!(f, "{} {unit}", value as i64);
        }
        let digits = usize::from(value < 100.0) + usize::from(value < 10.0);
        let text = format!("{value:.digits$}");
        let text = match digits {
            0 => &text,
            _ => text.trim_end_matches('0').trim_end_matches('.'),
        };
        write!(f, "{text} {unit}")
    })
}

fn scaled(bytes: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    UNITS
        .into_iter()
        .find(|(size, _)| bytes >= *size)
        .map_or((bytes, "bytes"), |(size, unit)| (bytes / size, unit))
}

/// Hours in words: `36 h`, `3 d`, `3 d 12 h`. Two days and less stay in hours.
pub(in crate::analyze) fn span(hours: usize) -> impl fmt::Display {
    fmt::from_fn(move |f| match (hours / 24, hours % 24) {
        (0 | 1, _) => write!(f, "{hours} h"),
        (d, 0) => write!(f, "{d} d"),
        (d, h) => write!(f, "{d} d {h} h"),
    })
}

/// Device indices in words: `0, 3–5, 7`.
pub(super) fn indices(sorted: impl Iterator<Item = u16>) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for i in sorted {
        match runs.last_mut() {
            Some(run) if run.1.checked_add(1) == Some(i) => run.1 = i,
            _ => runs.push((i, i)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(a, b)| match b - a {
            0 => a.to_string(),
            1 => format!("{a}, {b}"),
            _ => format!("{a}–{b}"),
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_spans_and_indices() {
        assert_eq!(figure(4.96, "%").to_string(), "4.96 %");
        assert_eq!(figure(5.0, "%").to_string(), "5 %");
        assert_eq!(figure(38.25, "%").to_string(), "38.2 %");
        assert_eq!(figure(100.0, "%").to_string(), "100 %");
        assert_eq!(figure(0.0, "%").to_string(), "0 %");
        assert_eq!(figure(2.1e6, "bytes/day").to_string(), "2.1 MB");
        assert_eq!(figure(999.0, "bytes/day").to_string(), "999 bytes");
        assert_eq!(figure(4.0, "days").to_string(), "4 days");
        assert_eq!(span(5).to_string(), "5 h");
        assert_eq!(span(47).to_string(), "47 h");
        assert_eq!(span(84).to_string(), "3 d 12 h");
        assert_eq!(span(168).to_string(), "7 d");
        assert_eq!(indices([0, 3, 4, 5, 7, 8].into_iter()), "0, 3–5, 7, 8");
        assert_eq!(indices(std::iter::empty()), "");
    }
}
