//! Words of rules that were replayed: what each does, how it is counted, and what sets it.

use crate::analyze::jobs::{Replay, ReplayRule, Replayed};
use crate::domain::bill::Usd;
use crate::domain::format::{counted, grouped, percent, plural, span, usd};
use crate::domain::jobs::GpuTime;

/// What a rule with a setting does.
pub fn replay(rule: ReplayRule, setting: u32) -> String {
    let failures = || plural(setting as usize, "failure");
    match rule {
        ReplayRule::RetryLimit => format!("a script held after {} in a row", failures()),
        ReplayRule::DrainAfter => format!("a node drained after {}", failures()),
        ReplayRule::CheckpointEvery => format!("a checkpoint each {}", every(setting)),
        ReplayRule::EarlyStopping => {
            format!("half of a sweep stopped at {} of its time", percent(setting, 0))
        }
    }
}

/// What would have been, a sentence: what a rule saves of all that was lost, and what it costs.
pub fn replay_would(of: &Replay, among: &Replayed) -> String {
    let sums = &of.sums;
    let saved = amount(sums.saved, sums.saved_usd_known());
    let cost = amount(sums.cost, of.cost_usd());
    let lost = || {
        let lost = amount(among.lost, among.lost_usd_known());
        format!("{saved} of {lost} would not have been lost")
    };
    let (saved, cost) = match of.rule {
        ReplayRule::RetryLimit => {
            let (one, many) = ("run that succeeded later", "runs that succeeded later");
            let runs = counted(sums.completed as usize, one, many);
            (
                lost(),
                format!(
                    "at most {cost} that were not lost would have been forbidden, {runs} among them"
                ),
            )
        }
        ReplayRule::DrainAfter => {
            (lost(), format!("others would have needed other nodes for at most {cost}"))
        }
        ReplayRule::CheckpointEvery => (lost(), format!("writing them would have taken {cost}")),
        ReplayRule::EarlyStopping => (
            format!("{saved} need not have been held"),
            "what it would have cost nobody knows".to_owned(),
        ),
    };
    format!("{}, {saved}; {cost}.", had(of.rule, of.setting))
}

/// Dollars with their GPU-hours; these alone where no price is known.
fn amount(time: GpuTime, dollars: Option<Usd>) -> String {
    let hours = format!("{} GPU-hours", grouped(time.hours(), 1));
    match dollars {
        Some(dollars) => format!("{} ({hours})", usd(dollars.to_f64())),
        None => hours,
    }
}

fn had(rule: ReplayRule, setting: u32) -> String {
    let failures = || plural(setting as usize, "failure");
    match rule {
        ReplayRule::RetryLimit => {
            format!("Had every script been held after {} in a row", failures())
        }
        ReplayRule::DrainAfter => format!("Had every node been drained after {}", failures()),
        ReplayRule::CheckpointEvery => {
            format!("Had every run written a checkpoint each {}", every(setting))
        }
        ReplayRule::EarlyStopping => format!(
            "Had half of the members of every sweep been stopped at {} of their time",
            percent(setting, 0)
        ),
    }
}

fn every(minutes: u32) -> String {
    span(i64::from(minutes) * 60)
}

/// How a rule is counted.
pub fn replay_counted(rule: ReplayRule) -> &'static str {
    match rule {
        ReplayRule::RetryLimit => {
            "A script is what a user runs by one name on a cluster; without a name each job by itself. What began after so many \
             failures in a row, and before a run of it had completed, would not have begun: what it lost is saved. What \
             was not lost of it, all of a run that completed, would have been forbidden too: that is the cost, at most, for who changes \
             the script may start it."
        }
        ReplayRule::DrainAfter => {
            "Failures count by the hardware or for a cause that nobody knows, on the node to which something happened, else on all \
             nodes of the attempt, and since the last run that completed there. What began on a drained node and failed like that \
             would have run elsewhere: what it lost is saved, at most, for of an unknown cause nobody knows that it was the node. What \
             else was held there would have needed another node: that is the cost, at most, for where a node stands idle it is none."
        }
        ReplayRule::CheckpointEvery => {
            "An attempt would have lost what it held since its last checkpoint and the restart, where that is less than what it \
             lost. Every attempt that held GPUs for as long would have written them, the completed ones too: that time is the cost."
        }
        ReplayRule::EarlyStopping => {
            "Of sweeps of which nobody stopped a member early: half of what they held after that (median stopping, Golovin et al. 2017). \
             What their metrics say is not read: whether the best member would have been stopped nobody knows, so the cost is unknown."
        }
    }
}

/// What sets a rule: where it belongs, and the line to be copied.
pub fn replay_settings(rule: ReplayRule, setting: u32) -> Vec<(&'static str, String)> {
    match rule {
        ReplayRule::RetryLimit => retries(setting),
        ReplayRule::DrainAfter => vec![
            (
                "Slurm",
                format!(
                    "scontrol update NodeName=NODE State=DRAIN Reason=\"{}\"",
                    plural(setting as usize, "failure")
                ),
            ),
            ("Slurm, once it is tested", "scontrol update NodeName=NODE State=RESUME".to_owned()),
            ("Kubernetes", "kubectl cordon NODE".to_owned()),
            ("Kubernetes, once it is tested", "kubectl uncordon NODE".to_owned()),
        ],
        ReplayRule::CheckpointEvery => vec![
            (
                "PyTorch Lightning",
                format!("ModelCheckpoint(train_time_interval=timedelta(minutes={setting}))"),
            ),
            ("SageMaker, where they go", "CheckpointConfig.S3Uri: s3://BUCKET/PREFIX".to_owned()),
        ],
        ReplayRule::EarlyStopping => vec![
            (
                "Optuna",
                format!("MedianPruner(n_warmup_steps=STEPS) # {} of them", percent(setting, 0)),
            ),
            (
                "Ray Tune",
                format!(
                    "MedianStoppingRule(grace_period=SECONDS) # {} of their time",
                    percent(setting, 0)
                ),
            ),
        ],
    }
}

/// What lets a scheduler try so often. Most count the times after the first one.
fn retries(times: u32) -> Vec<(&'static str, String)> {
    let again = times.saturating_sub(1);
    let slurm = match again {
        0 => ("Slurm, in the script", "#SBATCH --no-requeue".to_owned()),
        _ => ("Slurm, slurm.conf", format!("MaxBatchRequeue={again}")),
    };
    // It takes 1 to 30: none is the default.
    let sagemaker = match again {
        0 => ("SageMaker", "no RetryStrategy".to_owned()),
        _ => ("SageMaker", format!("RetryStrategy.MaximumRetryAttempts: {again}")),
    };
    vec![
        slurm,
        ("Kubernetes, spec of the Job", format!("backoffLimit: {again}")),
        sagemaker,
        ("AWS Batch", format!("retryStrategy.attempts: {times}")),
        ("Ray, tasks", format!("@ray.remote(max_retries={again})")),
        ("Ray Train", format!("FailureConfig(max_failures={again})")),
    ]
}

/// What these settings do not do; `None` where there is nothing to say.
pub fn replay_limits(rule: ReplayRule) -> Option<&'static str> {
    match rule {
        ReplayRule::RetryLimit => Some(
            "Schedulers count their own retries alone: Slurm those after a node failed, with JobRequeue=1 or --requeue; SageMaker \
             those after an InternalServerError; Ray those after a worker died. What somebody submits anew a wrapper has to refuse.",
        ),
        ReplayRule::DrainAfter => Some("What runs on the node goes on, and nothing begins there."),
        ReplayRule::CheckpointEvery | ReplayRule::EarlyStopping => None,
    }
}

/// What sets a rule, in words.
pub fn replay_fix(rule: ReplayRule) -> &'static str {
    match rule {
        ReplayRule::RetryLimit => "MaxBatchRequeue, backoffLimit, max_retries",
        ReplayRule::DrainAfter => "scontrol update State=DRAIN, kubectl cordon",
        ReplayRule::CheckpointEvery => "the program writes them by time",
        ReplayRule::EarlyStopping => "MedianPruner, MedianStoppingRule",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_failures_are_one_retry_less() {
        let lines = |setting| {
            let all = replay_settings(ReplayRule::RetryLimit, setting).into_iter();
            all.map(|(_, line)| line).collect::<Vec<_>>()
        };
        let three = [
            "MaxBatchRequeue=2",
            "backoffLimit: 2",
            "RetryStrategy.MaximumRetryAttempts: 2",
            "retryStrategy.attempts: 3",
            "@ray.remote(max_retries=2)",
            "FailureConfig(max_failures=2)",
        ];
        assert_eq!(lines(3), three);
        let one = [
            "#SBATCH --no-requeue",
            "backoffLimit: 0",
            "no RetryStrategy",
            "retryStrategy.attempts: 1",
            "@ray.remote(max_retries=0)",
            "FailureConfig(max_failures=0)",
        ];
        assert_eq!(lines(1), one);
    }

    #[test]
    fn every_rule_says_what_it_does_at_each_of_its_settings() {
        let all = ReplayRule::ALL
            .into_iter()
            .flat_map(|rule| rule.settings().iter().map(move |setting| replay(rule, *setting)));
        let words = [
            "a script held after 1 failure in a row",
            "a script held after 2 failures in a row",
            "a script held after 3 failures in a row",
            "a script held after 5 failures in a row",
            "a node drained after 1 failure",
            "a node drained after 2 failures",
            "a node drained after 3 failures",
            "a checkpoint each 10m",
            "a checkpoint each 20m",
            "a checkpoint each 30m",
            "a checkpoint each 1h",
            "a checkpoint each 2h",
            "a checkpoint each 4h",
            "half of a sweep stopped at 25% of its time",
            "half of a sweep stopped at 50% of its time",
        ];
        assert_eq!(all.collect::<Vec<_>>(), words);
    }
}
