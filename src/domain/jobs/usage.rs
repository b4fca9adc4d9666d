//! What the site of an attempt measured of it by itself.

use serde::{Deserialize, Serialize};

/// What a site measured of an attempt over its whole run, on all of its nodes. What a site measured of some of them is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobUsage {
    /// GPUs that were measured; fewer than it held where some were not.
    pub gpus: u32,
    /// Those of them with a mean activity above 0%.
    pub gpus_working: u32,
    /// Mean activity of those that were measured, per mille, 0–1000; 0 without any.
    pub gpu_activity_per_mille: u16,
    /// Peak memory of the node that used most × nodes, MiB: what all of them have to have where each is given alike. `None` where one
    /// was not measured.
    pub memory_peak_mib: Option<u64>,
}

impl JobUsage {
    /// That of two parts of a job that ran side by side.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let gpus = self.gpus.saturating_add(other.gpus);
        let activity =
            |of: Self| u64::from(of.gpu_activity_per_mille).saturating_mul(of.gpus.into());
        let mean = (activity(self) + activity(other)).checked_div(gpus.into()).unwrap_or(0);
        Self {
            gpus,
            gpus_working: self.gpus_working.saturating_add(other.gpus_working),
            gpu_activity_per_mille: u16::try_from(mean).unwrap_or(u16::MAX),
            memory_peak_mib: self
                .memory_peak_mib
                .zip(other.memory_peak_mib)
                .map(|(a, b)| a.saturating_add(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_side_by_side_are_one_with_the_mean_of_their_gpus() {
        let one = JobUsage {
            gpus: 6,
            gpus_working: 6,
            gpu_activity_per_mille: 800,
            memory_peak_mib: Some(10),
        };
        let other = JobUsage {
            gpus: 2,
            gpus_working: 0,
            gpu_activity_per_mille: 0,
            memory_peak_mib: Some(5),
        };
        let both = JobUsage {
            gpus: 8,
            gpus_working: 6,
            gpu_activity_per_mille: 600,
            memory_peak_mib: Some(15),
        };
        assert_eq!(one.plus(other), both);
        let unknown = JobUsage { memory_peak_mib: None, ..other };
        assert_eq!(one.plus(unknown).memory_peak_mib, None);
        let none = JobUsage { gpus: 0, gpus_working: 0, ..other };
        assert_eq!(none.plus(none).gpu_activity_per_mille, 0);
    }
}
