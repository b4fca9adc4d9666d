//! Why an attempt ended.

use serde::{Deserialize, Serialize};

/// Why an attempt ended, as far as its source tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// The program ended with this code, not 0.
    Exit(u16),
    /// A signal ended the program.
    Signal(u16),
    /// A step ended with this code, the script with 0.
    StepExit(u16),
    /// A signal ended a step, the script ended with 0.
    StepSignal(u16),
    /// Memory ran out.
    OutOfMemory,
    /// The time limit was reached.
    TimeLimit,
    /// The deadline could not be met.
    Deadline,
    /// The node failed.
    NodeFault,
    /// The node did not boot.
    BootFault,
    /// Other work took the nodes.
    Preempted,
    /// It was put back into the queue.
    Requeued,
    /// Somebody cancelled it.
    Cancelled,
}

impl Cause {
    /// Cause of an exit code and a signal; `None` where both are 0. Shells tell a signal as code 128 + signal.
    pub const fn of_exit(code: u16, signal: u16) -> Option<Self> {
        match (code, signal) {
            (0, 0) => None,
            (code @ 129..=192, 0) => Some(Self::Signal(code - 128)),
            (code, 0) => Some(Self::Exit(code)),
            (_, signal) => Some(Self::Signal(signal)),
        }
    }

    /// The same of a step.
    #[must_use]
    pub const fn of_step(self) -> Self {
        match self {
            Self::Exit(code) => Self::StepExit(code),
            Self::Signal(signal) => Self::StepSignal(signal),
            other => other,
        }
    }

    /// Word in JSON, CSV and filters, as in `exit_1`, `signal_9`, `out_of_memory`.
    pub fn word(self) -> String {
        let word = match self {
            Self::Exit(code) => return format!("exit_{code}"),
            Self::Signal(signal) => return format!("signal_{signal}"),
            Self::StepExit(code) => return format!("step_exit_{code}"),
            Self::StepSignal(signal) => return format!("step_signal_{signal}"),
            Self::OutOfMemory => "out_of_memory",
            Self::TimeLimit => "time_limit",
            Self::Deadline => "deadline",
            Self::NodeFault => "node_fault",
            Self::BootFault => "boot_fault",
            Self::Preempted => "preempted",
            Self::Requeued => "requeued",
            Self::Cancelled => "cancelled",
        };
        word.to_owned()
    }
}
