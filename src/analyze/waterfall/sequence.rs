//! The order of work: what to do next, and where.

use crate::fleet::Savings;
use crate::fleet::savings::{Effort, Risk, StepKind};

/// Kind of a task in the order of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskKind {
    /// Make visible what runs and who owns it: tags and telemetry.
    See,
    /// Stop what idles.
    Stop,
    /// Clean up storage.
    Storage,
    /// Cut what data transfer costs.
    Network,
    /// Pack what is partly idle onto fewer nodes or smaller types.
    PartlyIdle,
    /// Make smaller what is too large.
    RightSize,
    /// Move to Spot what bears it.
    Spot,
    /// End what makes runs fail again and again.
    FailedRuns,
    /// Try what makes models at low use cheaper to run: potential, in no sum.
    Models,
    /// Use what is paid for anyway.
    UseCommitments,
    /// Commit to what is left.
    Commit,
}

impl TaskKind {
    /// The order of the articles and of FinOps' phases (inform, optimise, operate): see first; then
    /// what is quick and can be undone; then what changes how work runs; promises last, for a
    /// promise made before the rest is made for the waste as well.
    pub const ALL: [Self; 11] = [
        Self::See,
        Self::Stop,
        Self::Storage,
        Self::Network,
        Self::FailedRuns,
        Self::PartlyIdle,
        Self::RightSize,
        Self::Spot,
        Self::Models,
        Self::UseCommitments,
        Self::Commit,
    ];

    /// The name in JSON and CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Stop => "stop",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::PartlyIdle => "partly_idle",
            Self::RightSize => "right_size",
            Self::Spot => "spot",
            Self::FailedRuns => "failed_runs",
            Self::Models => "models",
            Self::UseCommitments => "use_commitments",
            Self::Commit => "commit",
        }
    }

    /// As a person reads it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::See => "see what runs and whose it is",
            Self::Stop => "stop what idles",
            Self::Storage => "clean up storage",
            Self::Network => "cut what data transfer costs",
            Self::PartlyIdle => "pack what is partly idle",
            Self::RightSize => "make smaller what is too large",
            Self::Spot => "move to Spot what bears it",
            Self::FailedRuns => "end runs that fail again",
            Self::Models => "try cheaper models: potential",
            Self::UseCommitments => "use what is paid for anyway",
            Self::Commit => "commit to what is left",
        }
    }

    /// Step of the waterfall that holds the task's saving; `None` for a task that saves nothing by itself.
    pub const fn step(self) -> Option<StepKind> {
        match self {
            Self::See | Self::Models | Self::UseCommitments => None,
            Self::Stop => Some(StepKind::Idle),
            Self::Storage => Some(StepKind::Storage),
            Self::Network => Some(StepKind::Network),
            Self::PartlyIdle => Some(StepKind::PartlyIdle),
            Self::RightSize => Some(StepKind::RightSize),
            Self::Spot => Some(StepKind::Spot),
            Self::FailedRuns => Some(StepKind::FailedRuns),
            Self::Commit => Some(StepKind::Commitments),
        }
    }

    /// Tab and command with which the task is done.
    pub const fn place(self) -> Where {
        match self {
            Self::See => Where { screen: "2 GPUs", command: "burntop doctor" },
            Self::Stop => Where { screen: "3 Idle :resources", command: "burntop idle" },
            Self::Storage => Where { screen: "4 Storage", command: "burntop storage buckets" },
            Self::Network => Where { screen: "5 Network", command: "burntop network" },
            Self::PartlyIdle => {
                Where { screen: "3 Idle", command: "burntop idle --filter verdict=partial" }
            }
            Self::RightSize => Where { screen: ":rightsize", command: "burntop rightsize" },
            Self::Spot => Where { screen: ":spot", command: "burntop spot" },
            Self::FailedRuns => Where { screen: ":jobs repeats", command: "burntop jobs repeats" },
            Self::Models => Where { screen: ":models", command: "burntop models" },
            Self::UseCommitments => {
                Where { screen: ":commitments", command: "burntop commitments" }
            }
            Self::Commit => Where { screen: "7 What-if", command: "burntop whatif reserve" },
        }
    }
}

/// Tab and command with which a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Where {
    /// Tab or command in the cockpit.
    pub screen: &'static str,
    /// Command without a screen.
    pub command: &'static str,
}

/// One task of the order of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Kind of the task.
    pub kind: TaskKind,
    /// What it saves in its turn, USD per month of 730 h; `None` where it saves nothing by itself.
    pub usd_per_month: Option<f64>,
    /// Work.
    pub effort: Effort,
    /// Risk of carrying it out.
    pub risk: Risk,
    /// Things that it touches.
    pub count: u32,
    /// Reason for the task; `None` where its label says everything.
    pub why: Option<TaskReason>,
}

/// Why a task that saves nothing by itself is to be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TaskReason {
    /// Something is not seen.
    Unseen {
        /// What telemetry and tags do not show of the fleet.
        gaps: DataGaps,
        /// Reads of commitments that are missing.
        unread: u32,
    },
    /// USD/h that are paid and used by nothing.
    Unused(f64),
    /// Upper bound, USD/h, of what may come of it.
    Potential(f64),
}

/// What the fleet lacks data on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataGaps {
    /// GPU instances without GPU telemetry.
    pub blind: u32,
    /// Running instances that lack one of the tags team, project, environment and cost center.
    pub untagged: u32,
}

/// What to do next, in order. What there is nothing to do for is left out; nothing is said while the waterfall is early.
pub fn sequence(savings: &Savings, gaps: DataGaps) -> Vec<Task> {
    if savings.waterfall.early {
        return Vec::new();
    }
    TaskKind::ALL.into_iter().filter_map(|kind| task(kind, savings, gaps)).collect()
}

fn task(kind: TaskKind, savings: &Savings, gaps: DataGaps) -> Option<Task> {
    if let Some(step) = kind.step() {
        let step = savings.waterfall.steps.iter().find(|s| s.kind == step)?;
        return (step.items > 0).then(|| Task {
            kind,
            usd_per_month: Some(step.saves() * crate::domain::HOURS_PER_MONTH),
            effort: step.effort,
            risk: step.risk,
            count: step.items,
            why: None,
        });
    }
    let (count, why) = match kind {
        TaskKind::Models => {
            let found = savings.waterfall.potential?;
            (found.workloads, TaskReason::Potential(found.up_to_usd_per_hour))
        }
        TaskKind::See => {
            let unread = savings.unread.len() as u32;
            (gaps.blind + gaps.untagged + unread, TaskReason::Unseen { gaps, unread })
        }
        // What some of the commitments leave unused says nothing while others are not known.
        _ if savings.waterfall.net_unknown.is_some() => return None,
        _ => {
            let unused = savings.sums.unused_usd_per_hour.unwrap_or(0.0);
            let idle = savings
                .commitments
                .iter()
                .filter(|c| c.unused_usd_per_hour.is_some_and(|usd| usd > 0.0))
                .count() as u32;
            (if unused > 0.0 { idle } else { 0 }, TaskReason::Unused(unused))
        }
    };
    let (effort, risk) = match kind {
        // Quality and latency have to be measured anew.
        TaskKind::Models => (Effort::High, Risk::Medium),
        _ => (Effort::Medium, Risk::Low),
    };
    (count > 0).then_some(Task { kind, usd_per_month: None, effort, risk, count, why: Some(why) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::NetUnknown;
    use crate::fleet::savings::{Step, Waterfall};

    fn step(kind: StepKind, before: f64, after: f64, items: u32) -> Step {
        Step {
            kind,
            before,
            after,
            gross_alone: before - after,
            items,
            unknown: 0,
            effort: Effort::Low,
            risk: Risk::Medium,
            notes: Vec::new(),
        }
    }

    #[test]
    fn seeing_comes_first_and_promising_last() {
        let mut savings = Savings {
            waterfall: Waterfall {
                unread: Vec::new(),
                early: false,
                before: 10.0,
                bill: Vec::new(),
                steps: vec![
                    step(StepKind::Idle, 10.0, 8.0, 2),
                    step(StepKind::PartlyIdle, 8.0, 7.0, 1),
                    step(StepKind::RightSize, 7.0, 7.0, 0),
                    step(StepKind::Spot, 7.0, 5.0, 1),
                    step(StepKind::Storage, 5.0, 4.5, 3),
                    step(StepKind::Commitments, 4.5, 4.0, 1),
                ],
                naive: 6.0,
                nodes: Vec::new(),
                unpriced: 0,
                potential: None,
                net_unknown: None,
            },
            ..Savings::default()
        };
        let tasks = sequence(&savings, DataGaps { blind: 3, untagged: 0 });
        let kinds: Vec<TaskKind> = tasks.iter().map(|t| t.kind).collect();
        use TaskKind::{Commit, PartlyIdle, See, Spot, Stop, Storage};
        assert_eq!(kinds, [See, Stop, Storage, PartlyIdle, Spot, Commit], "nothing is too large");
        let usd: Vec<_> = tasks.iter().map(|t| t.usd_per_month).collect();
        let months = [1460.0, 365.0, 730.0, 1460.0, 365.0].map(Some);
        assert_eq!(usd, [None, months[0], months[1], months[2], months[3], months[4]]);
        let unseen = TaskReason::Unseen { gaps: DataGaps { blind: 3, untagged: 0 }, unread: 0 };
        assert_eq!((tasks[0].count, tasks[0].why), (3, Some(unseen)));
        savings.waterfall.early = true;
        assert!(sequence(&savings, DataGaps { blind: 3, untagged: 0 }).is_empty(), "of a part");
        savings.waterfall = Waterfall::default();
        assert!(sequence(&savings, DataGaps::default()).is_empty());
    }

    #[test]
    fn what_models_could_save_is_a_task_without_dollars_before_any_promise() {
        use crate::fleet::savings::Potential;
        let mut savings = crate::tabs::savings::picture::fixture::savings();
        let found = Potential { up_to_usd_per_hour: 12.5, workloads: 3, scripts: 1 };
        savings.waterfall.potential = Some(found);
        let tasks = sequence(&savings, DataGaps::default());
        let place = tasks.iter().position(|t| t.kind == TaskKind::Models).unwrap();
        let task = &tasks[place];
        assert_eq!((task.usd_per_month, task.count), (None, 3));
        assert_eq!(task.why, Some(TaskReason::Potential(12.5)));
        assert!(
            tasks[place + 1..]
                .iter()
                .all(|t| { matches!(t.kind, TaskKind::UseCommitments | TaskKind::Commit) })
        );
        savings.waterfall.potential = None;
        let tasks = sequence(&savings, DataGaps::default());
        assert!(tasks.iter().all(|t| t.kind != TaskKind::Models));
    }

    #[test]
    fn what_is_unused_waits_for_all_commitments() {
        let mut savings = crate::tabs::savings::picture::fixture::savings();
        let has = |savings: &Savings| {
            let tasks = sequence(savings, DataGaps::default());
            tasks.into_iter().find(|t| t.kind == TaskKind::UseCommitments)?.why
        };
        assert_eq!(has(&savings), Some(TaskReason::Unused(82.04)));
        savings.waterfall.net_unknown = Some(NetUnknown::NotRead);
        assert_eq!(has(&savings), None);
    }
}
