//! View models of jobs: the tables of attempts, of sums by key, of nodes, of what was lost again and again, of GPUs that do
//! nothing for a job, of rules replayed over what was lost, of queue waits, of what workloads asked for and did not use, of settings of an
//! autoscaler replayed over node groups.

mod answer;
mod attempts;
mod calculator;
mod nodes;
mod repeats;
mod replay;
mod requests;
mod scaling;
mod sums;
mod waits;
mod zombies;

pub use answer::{JobsPicture, JobsQuestion, JobsRead};
pub use attempts::{JobField, JobRow, job_rows};
pub use calculator::{RunsCalculator, failed_runs};
pub use nodes::{NodeField, NodeRow, node_rows};
pub use repeats::{RepeatField, repeat_rows};
pub use replay::{ReplayField, replay_rows};
pub use requests::{RequestField, RequestItem, request_rows};
pub use scaling::{ScalingField, scaling_rows};
pub use sums::{TaxField, TaxItem, sum_keys, tax_rows};
pub use waits::{WaitField, WaitItem, wait_rows};
pub use zombies::{ZombieField, zombie_rows};
