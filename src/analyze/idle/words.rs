//! The words of a verdict. Those that repeat are shared, so that judging allocates few strings.

use std::sync::{Arc, LazyLock};

use crate::domain::Measure;

/// GPU labels made ahead; no type of today has more devices.
const GPUS: u16 = 16;

/// The shared words.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(Words::new);

/// Labels, statistics and units.
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
}

impl Words {
    fn new() -> Self {
        Self {
            gpus: (0..GPUS).map(|index| label(Measure::Gpu(index))).collect(),
            cpu_mean: label(Measure::CpuMean),
            cpu_max: label(Measure::CpuMax),
            busy_cores: label(Measure::BusyCores),
            network: label(Measure::Network),
            ebs: label(Measure::Ebs),
            ebs_of_volumes: "EBS operations of its volumes".into(),
            low_days: label(Measure::LowDays),

            hourly_max: "hourly maximum".into(),
            hourly_mean: "hourly mean".into(),
            window_mean: "mean of hourly averages".into(),
            highest_day: "highest 24 h, in plus out".into(),
            mean_day: "mean per day, in plus out".into(),
            per_second: "hourly mean, reads plus writes".into(),
            low_days_statistic: "days with low CPU and low network".into(),

            percent: Measure::CpuMean.unit().into(),
            cores: Measure::BusyCores.unit().into(),
            bytes_per_day: Measure::Network.unit().into(),
            ops: Measure::Ebs.unit().into(),
            days: Measure::LowDays.unit().into(),
        }
    }

    /// `GPU 3 max`.
    pub fn gpu(&self, index: u16) -> Arc<str> {
        self.gpus.get(usize::from(index)).cloned().unwrap_or_else(|| label(Measure::Gpu(index)))
    }
}

fn label(measure: Measure) -> Arc<str> {
    measure.label().into()
}
