//! States of attempts, and where they were read.

use serde::{Deserialize, Serialize};

use crate::domain::SourceId;
use crate::domain::bill::words;

words! {
    /// How an attempt stands or ended.
    JobState {
        /// Ended well.
        Completed = "completed",
        /// Ended well by its own account, but a step of it failed.
        CompletedStepFailed = "completed_step_failed",
        /// Ended with an error.
        Failed = "failed",
        /// Killed for want of memory.
        OutOfMemory = "out_of_memory",
        /// Ran into its time limit or deadline.
        TimedOut = "timed_out",
        /// Cancelled by somebody.
        Cancelled = "cancelled",
        /// Taken off its nodes for other work, or to be queued again.
        Preempted = "preempted",
        /// Lost its node.
        NodeFault = "node_fault",
        /// Holds nodes.
        Running = "running",
        /// Waits.
        Queued = "queued",
        /// Runs by the books alone: its time is not counted.
        Doubtful = "doubtful",
        /// The source's word is none that is known.
        Unknown = "unknown",
    }
}

impl JobState {
    /// True where what ran came to nothing: failed, out of memory, timed out, preempted, node fault. Cancelled is no such
    /// state; its share is chosen.
    pub const fn is_lost(self) -> bool {
        matches!(
            self,
            Self::Failed | Self::OutOfMemory | Self::TimedOut | Self::Preempted | Self::NodeFault
        )
    }

    /// True where the attempt is over.
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Running | Self::Queued | Self::Doubtful | Self::Unknown)
    }
}

impl JobSource {
    /// True for what tells of runs and does not decide of them: its states are claims, and where it names the job of a scheduler
    /// in which a run was, that job's time and state count.
    pub const fn is_tracker(self) -> bool {
        matches!(self, Self::MlFlow | Self::Ray)
    }

    /// Kind of source in readings; `None` for what is not asked again and again.
    pub const fn source(self) -> Option<SourceId> {
        Some(match self {
            Self::Slurm => SourceId::Slurm,
            Self::SageMaker => SourceId::SageMaker,
            Self::MlFlow => SourceId::MlFlow,
            Self::Ray => SourceId::Ray,
            Self::Kubernetes => SourceId::Kubernetes,
            Self::Batch => SourceId::Batch,
            Self::File | Self::Demo => return None,
        })
    }
}

words! {
    /// Where an attempt was read.
    JobSource {
        /// Accounting of Slurm.
        Slurm = "slurm",
        /// Training and processing jobs of SageMaker.
        SageMaker = "sagemaker",
        /// A file with burntop's own columns.
        File = "file",
        /// The demo.
        Demo = "demo",
        /// Runs of MLflow.
        MlFlow = "mlflow",
        /// Jobs of a Ray cluster.
        Ray = "ray",
        /// Pods of Kubernetes.
        Kubernetes = "kubernetes",
        /// Jobs of AWS Batch. The last one: what is kept has the places of those before it.
        Batch = "batch",
    }
}
