//! Words of settings of an autoscaler that were replayed: what each does, how it is counted, and the lines that set it.

use crate::analyze::jobs::{BootFrom, NodeGroup, ScalingRow};
use crate::domain::format::{counted, grouped, plural, span, usd};
use crate::domain::jobs::JobSource;

/// For how long an empty node stays up, for a cell: `10m`; `never` = it never goes.
pub fn scaling_after(delay_minutes: Option<u32>) -> String {
    delay_minutes.map_or_else(|| "never".to_owned(), |minutes| span(i64::from(minutes) * 60))
}

/// What a setting does.
pub fn scaling(of: &ScalingRow) -> String {
    let goes = match of.delay_minutes {
        None => "a node that is empty stays up".to_owned(),
        Some(_) => format!("a node goes {} after its last job", scaling_after(of.delay_minutes)),
    };
    match of.kept_nodes {
        0 => goes,
        kept => format!("{goes}, {} always up", plural(kept as usize, "node")),
    }
}

/// What a group did, a sentence or several.
pub fn scaling_group(of: &NodeGroup) -> Vec<String> {
    let hours = |ms: u64| grouped(ms as f64 / 3.6e6, 1);
    let dollars = of.is_priced().then(|| format!(" ({})", usd(of.empty_usd.to_f64())));
    let mut said = vec![format!(
        "In {} {} up for {} h, and empty for {} h of it{}, in {}.",
        span(of.span_ms / 1000),
        counted(of.nodes as usize, "node was", "nodes were"),
        hours(of.up_ms),
        hours(of.empty_ms()),
        dollars.unwrap_or_default(),
        counted(of.stretches as usize, "stretch", "stretches"),
    )];
    if let Some((median, p95)) = of.stretch_ms {
        said.push(format!(
            "Half of these stretches were at most {} long, 19 of 20 at most {}.",
            span(median / 1000),
            span(p95 / 1000)
        ));
    }
    match (of.scale_down_ms, of.static_nodes) {
        (Some(ms), _) => {
            said.push(format!("A node went away {} after its last job (median).", span(ms / 1000)));
        }
        (None, 0) => said.push("No node is known to have gone away after a job.".to_owned()),
        (None, nodes) => said.push(format!(
            "No node is known to have gone away after a job: {} up all the time.",
            counted(nodes as usize, "was", "were")
        )),
    }
    said
}

/// What would have been under a setting, a sentence.
pub fn scaling_would(of: &ScalingRow) -> String {
    let hours = |ms: i64| grouped(ms.unsigned_abs() as f64 / 3.6e6, 1);
    let nodes = match of.saved_ms {
        0.. => format!("{} node-hours less would have been up", hours(of.saved_ms)),
        _ => format!("{} node-hours more would have been up", hours(of.saved_ms)),
    };
    let starts = match of.more_starts {
        0 => "as many nodes would have come up".to_owned(),
        more => {
            let than = if more > 0 { "more" } else { "fewer" };
            format!("{} {than} would have come up", plural(more.unsigned_abs() as usize, "node"))
        }
    };
    format!(
        "{nodes}; {starts}; {} of {} would have waited for a node, {} h together (so far {}).",
        of.delayed,
        plural(of.group.jobs as usize, "job"),
        hours(of.wait_ms()),
        of.group.delayed
    )
}

/// How it is counted, with the time that a node boots.
pub fn scaling_counted(of: &NodeGroup) -> String {
    let why = match of.boot_from {
        BootFrom::Given => "as was said",
        BootFrom::Observed => "the median of nodes that came up for a job that waited",
        BootFrom::Assumed => "an assumption, for too few boots were seen",
    };
    format!(
        "Jobs begin when they began, and run as long. One takes the node that fell idle last; where none is up, one boots for {} ({why}), \
         which is paid, and for which the job waits. Dollars are by the mean price of the group. The setting that fits is the one that \
         saves most of those by which at most one job in twenty more than so far would have waited.",
        span(of.boot_ms / 1000)
    )
}

/// What sets it: where it belongs, and the line to be copied.
pub fn scaling_settings(of: &ScalingRow) -> Vec<(&'static str, String)> {
    match of.group.source {
        JobSource::Kubernetes => kubernetes(of),
        JobSource::Batch => batch(of),
        JobSource::Slurm
        | JobSource::File
        | JobSource::SageMaker
        | JobSource::MlFlow
        | JobSource::Ray
        | JobSource::Demo => slurm(of),
    }
}

fn slurm(of: &ScalingRow) -> Vec<(&'static str, String)> {
    let group = &of.group;
    let queue = group.queue.as_deref().unwrap_or("PARTITION");
    let seconds = of.delay_minutes.map(|minutes| minutes * 60);
    let suspend = seconds.map_or_else(|| "INFINITE".to_owned(), |seconds| seconds.to_string());
    // A node that boots longer than this is DOWN, and its job queued again. What is seen of a boot begins with its system, and Slurm
    // counts from when the instance was asked for: a quarter of an hour at least.
    let resume = (3 * group.boot_ms / 1000).max(900);
    let mut lines = vec![(
        "Slurm, in the line of the partition",
        format!("PartitionName={queue} SuspendTime={suspend} ResumeTimeout={resume}"),
    )];
    if of.kept_nodes > 0 {
        let nodes: Vec<String> = (1..=of.kept_nodes).map(|node| format!("NODE{node}")).collect();
        lines.push(("Slurm, slurm.conf", format!("SuspendExcNodes={}", nodes.join(","))));
    }
    if let Some(minutes) = of.delay_minutes {
        lines.push(("ParallelCluster, SlurmSettings", format!("ScaledownIdletime: {minutes}")));
    }
    let static_nodes = if of.delay_minutes.is_some() { of.kept_nodes } else { group.up_at_once.1 };
    lines.push(("ParallelCluster, ComputeResources", format!("MinCount: {static_nodes}")));
    if let Some(seconds) = seconds {
        lines.push((
            "AWS PCS, slurmConfiguration",
            format!("scaleDownIdleTimeInSeconds: {seconds}"),
        ));
    }
    lines
}

fn kubernetes(of: &ScalingRow) -> Vec<(&'static str, String)> {
    let after = of.delay_minutes.map(|minutes| format!("{minutes}m"));
    let when = after.as_deref().unwrap_or("Never");
    let gpus = of.group.gpus.to_f64() * f64::from(of.group.up_at_once.1);
    let mut lines = vec![
        (
            "Karpenter, spec of the NodePool",
            format!("disruption: {{consolidationPolicy: WhenEmpty, consolidateAfter: {when}}}"),
        ),
        (
            "Karpenter, below disruption",
            "budgets: [{nodes: \"100%\", reasons: [Empty]}, {nodes: \"10%\", reasons: [Drifted, Underutilized]}]"
                .to_owned(),
        ),
        (
            "Karpenter, spec of the NodePool",
            format!("limits: {{nvidia.com/gpu: {}}}", gpus.ceil()),
        ),
    ];
    if of.kept_nodes > 0 {
        lines.push(("Karpenter, a NodePool of its own", format!("replicas: {}", of.kept_nodes)));
    }
    match after {
        Some(after) => {
            lines.push(("cluster autoscaler", format!("--scale-down-unneeded-time={after}")));
            lines.push(("cluster autoscaler", format!("--scale-down-delay-after-add={after}")));
            lines.push((
                "cluster autoscaler",
                "--scale-down-gpu-utilization-threshold=0.5".to_owned(),
            ));
            lines.push((
                "tag of the Auto Scaling group",
                format!(
                    "k8s.io/cluster-autoscaler/node-template/autoscaling-options/scaledownunneededtime={after}"
                ),
            ));
        }
        None => lines.push((
            "annotation of the nodes",
            "cluster-autoscaler.kubernetes.io/scale-down-disabled: \"true\"".to_owned(),
        )),
    }
    lines.push(("Auto Scaling group", format!("MinSize: {}", of.kept_nodes)));
    lines
}

fn batch(of: &ScalingRow) -> Vec<(&'static str, String)> {
    // Batch takes 20 minutes to a week, and 0 for none.
    let delay = of.delay_minutes.map(|minutes| if minutes < 20 { 0 } else { minutes });
    let mut lines = Vec::new();
    if let Some(delay) = delay {
        lines.push(("AWS Batch, scalingPolicy", format!("minScaleDownDelayMinutes: {delay}")));
    }
    if of.kept_nodes == 0 && delay.is_some() {
        lines.push(("AWS Batch, computeResources", "minvCpus: 0".to_owned()));
    } else {
        let nodes = if delay.is_some() { of.kept_nodes } else { of.group.up_at_once.1 };
        let vcpus = format!("minvCpus: VCPUS # those of {}", plural(nodes as usize, "node"));
        lines.push(("AWS Batch, computeResources", vcpus));
    }
    lines
}

/// What these settings do besides.
pub fn scaling_limits(source: JobSource) -> &'static str {
    match source {
        JobSource::Kubernetes => {
            "For Karpenter a node is empty that runs pods of daemons alone; without budgets it takes 10% of a NodePool at once, and it keeps \
             a number of nodes only by the replicas of a static NodePool (alpha, feature gate StaticCapacity). The cluster autoscaler looks at \
             requests: what is empty is below any threshold. The tag is for one group, the flags are for all."
        }
        JobSource::Batch => {
            "Batch keeps instances for 20 minutes at least where it keeps them at all; those that never ran a job go at once."
        }
        _ => {
            "SuspendTime needs SuspendProgram and ResumeProgram; of a node in several partitions the longest one counts. ResumeTimeout is three \
             boots, a quarter of an hour at least: a node that needs longer is DOWN, and its job is queued again. ScaledownIdletime is for all queues of a cluster; nodes \
             below MinCount never go."
        }
    }
}

/// What sets it, in words.
pub fn scaling_fix(source: JobSource) -> &'static str {
    match source {
        JobSource::Kubernetes => "consolidateAfter, --scale-down-unneeded-time",
        JobSource::Batch => "minScaleDownDelayMinutes, minvCpus",
        _ => "SuspendTime, ScaledownIdletime, MinCount",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::bill::Usd;
    use crate::domain::jobs::Gpus;

    fn lines(source: JobSource, delay_minutes: Option<u32>, kept_nodes: u32) -> Vec<String> {
        let group = NodeGroup {
            source,
            cluster: "prod".into(),
            queue: Some("gpu".into()),
            instance_type: None,
            gpus: Gpus::whole(8),
            span_ms: 86_400_000,
            nodes: 3,
            static_nodes: 0,
            up_at_once: (0, 3),
            starts: 3,
            jobs: 3,
            delayed: 0,
            up_ms: 3_600_000,
            held_ms: 0,
            priced_ms: 0,
            usd: Usd::ZERO,
            empty_usd: Usd::ZERO,
            stretches: 1,
            stretch_ms: Some((3_600_000, 3_600_000)),
            scale_down_ms: None,
            boot_ms: 300_000,
            boot_from: BootFrom::Assumed,
        };
        let row = ScalingRow {
            id: "row".into(),
            group: Arc::new(group),
            delay_minutes,
            kept_nodes,
            saved_ms: 0,
            more_starts: 0,
            delayed: 0,
            fits: false,
        };
        scaling_settings(&row).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn each_scheduler_has_the_lines_that_set_it() {
        let slurm = [
            "PartitionName=gpu SuspendTime=600 ResumeTimeout=900",
            "SuspendExcNodes=NODE1,NODE2",
            "ScaledownIdletime: 10",
            "MinCount: 2",
            "scaleDownIdleTimeInSeconds: 600",
        ];
        assert_eq!(lines(JobSource::Slurm, Some(10), 2), slurm);
        let for_ever = ["PartitionName=gpu SuspendTime=INFINITE ResumeTimeout=900", "MinCount: 3"];
        assert_eq!(lines(JobSource::Slurm, None, 0), for_ever);
        let kubernetes = lines(JobSource::Kubernetes, Some(10), 0);
        let karpenter = "disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 10m}";
        assert_eq!(kubernetes[0], karpenter);
        assert_eq!(kubernetes[2], "limits: {nvidia.com/gpu: 24}");
        assert_eq!(kubernetes[3], "--scale-down-unneeded-time=10m");
        assert_eq!(kubernetes.last().unwrap(), "MinSize: 0");
        let never = lines(JobSource::Kubernetes, None, 1);
        assert!(never[0].ends_with("consolidateAfter: Never}"), "{never:?}");
        let batch = ["minScaleDownDelayMinutes: 0", "minvCpus: 0"];
        assert_eq!(lines(JobSource::Batch, Some(10), 0), batch);
        assert_eq!(lines(JobSource::Batch, Some(30), 0)[0], "minScaleDownDelayMinutes: 30");
    }
}
