//! The built-in policies and where each comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::{CpuWork, Limit, Limits, Policy, Test, Underused};

/// Hours of a day.
const DAY: u32 = 24;
/// 10⁶ bytes: AWS's network criteria are decimal.
const MB: f64 = 1e6;
/// Busy cores that speak for use where a policy of someone else states only percent. The first on
/// a GPU box (an idle one runs agents and drivers on many cores' worth of slack), the second on a
/// CPU-only box. Percent alone hides a busy core on 96 vCPUs, under any policy.
const HOUSE_CORES: (f64, f64) = (4.0, 0.5);

/// A built-in policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// burntop's own: hour by hour, GPU by GPU, with counter-signals. The default.
    #[default]
    Cautious,
    /// AWS Compute Optimizer's idle criterion for EC2.
    AwsComputeOptimizer,
    /// AWS Trusted Advisor's check "Low Utilization Amazon EC2 Instances".
    AwsTrustedAdvisor,
    /// The classic script: mean of the hourly CPU averages of a week.
    MeanCpu,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 4] =
        [Self::Cautious, Self::AwsComputeOptimizer, Self::AwsTrustedAdvisor, Self::MeanCpu];

    /// The name in config, on the command line and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cautious => "cautious",
            Self::AwsComputeOptimizer => "aws-compute-optimizer",
            Self::AwsTrustedAdvisor => "aws-trusted-advisor",
            Self::MeanCpu => "mean-cpu",
        }
    }

    /// The reverse of [`Preset::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Where the criterion comes from, one sentence.
    pub fn source(self) -> &'static str {
        match self {
            Self::Cautious => {
                "burntop's own: every GPU under 5% in every hour for 24 h (a CPU-only box under \
                 5% and half a core for 7 days), and nothing else moves"
            }
            Self::AwsComputeOptimizer => {
                "AWS Compute Optimizer, idle EC2 recommendations: peak CPU below 5% and network \
                 below 5 MB a day over 14 days; it does not look at GPUs. Added by burntop: a GPU \
                 at work, or 4 busy cores (half a core without GPUs), is use"
            }
            Self::AwsTrustedAdvisor => {
                "AWS Trusted Advisor, check Qch7DwouX1 (Low Utilization Amazon EC2 Instances): \
                 daily CPU at most 10% and network at most 5 MB on 4 or more of 14 days; it does \
                 not look at GPUs. Added by burntop: a GPU at work, or 4 busy cores (half a core \
                 without GPUs), is use"
            }
            Self::MeanCpu => {
                "the classic script: mean of the hourly CPU averages of 7 days below 5%; it does \
                 not look at GPUs, network or peaks. Added by burntop: a GPU at work, or 4 busy \
                 cores (half a core without GPUs), is use"
            }
        }
    }

    /// The policy itself.
    pub fn policy(self) -> Policy {
        let (window, gpu_box, cpu_box) = match self {
            Self::Cautious => (7 * DAY, DAY, 7 * DAY),
            Self::AwsComputeOptimizer => (14 * DAY, 14 * DAY, 14 * DAY),
            Self::AwsTrustedAdvisor => (14 * DAY, 4 * DAY, 4 * DAY),
            Self::MeanCpu => (7 * DAY, 7 * DAY, 7 * DAY),
        };
        Policy {
            name: self.name().into(),
            source: self.source().into(),
            window,
            stretch_gpu: gpu_box,
            stretch_cpu: cpu_box,
            gpu_percent: 5.0,
            test: self.test(),
        }
    }

    fn test(self) -> Test {
        match self {
            Self::Cautious => Test::Hourly {
                sees_gpus: true,
                gpu_box: Limits {
                    cpu_max_percent: None,
                    cpu_work: CpuWork { percent: 15.0, cores: 4.0 },
                    network_per_day: Some(Limit::above(1000.0 * MB)),
                    ebs_ops_per_second: None,
                },
                cpu_box: Limits {
                    cpu_max_percent: Some(5.0),
                    cpu_work: CpuWork { percent: 0.0, cores: 0.5 },
                    network_per_day: Some(Limit::above(100.0 * MB)),
                    ebs_ops_per_second: Some(Limit::above(1.0)),
                },
                underused: Some(Underused { gpu_percent: 30.0, cpu_percent: 20.0 }),
            },
            Self::AwsComputeOptimizer => {
                let limits = |cores| Limits {
                    cpu_max_percent: Some(5.0),
                    cpu_work: CpuWork { percent: 0.0, cores },
                    network_per_day: Some(Limit::from(5.0 * MB)),
                    ebs_ops_per_second: None,
                };
                Test::Hourly {
                    sees_gpus: false,
                    gpu_box: limits(HOUSE_CORES.0),
                    cpu_box: limits(HOUSE_CORES.1),
                    underused: None,
                }
            }
            Self::AwsTrustedAdvisor => Test::LowDays {
                cpu_percent: 10.0,
                network_bytes: (5.0 * MB, 5.0 * MB),
                cores: HOUSE_CORES,
                days: 4,
            },
            Self::MeanCpu => Test::WindowMean { cpu_percent: 5.0, cores: HOUSE_CORES },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_to_the_rules_of_others_is_said_where_they_are_chosen() {
        let (gpu_box, cpu_box) = HOUSE_CORES;
        assert!((cpu_box - 0.5).abs() < 1e-9, "half a core");
        let added = format!("or {gpu_box} busy cores (half a core without GPUs), is use");
        for preset in Preset::ALL.into_iter().filter(|p| *p != Preset::Cautious) {
            assert!(preset.source().contains(&added), "{}", preset.source());
        }
        let page = include_str!("../../../README.md").replace('\n', " ");
        assert!(page.contains(&added), "{added}");
    }
}
