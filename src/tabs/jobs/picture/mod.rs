//! View models of jobs: the tables of attempts, of sums by key, of nodes, of what was lost again and again, of GPUs that do
//! nothing for a job, of queue waits, of what workloads asked for and did not use.

mod answer;
mod attempts;
mod calculator;
mod nodes;
mod repeats;
mod requests;
mod sums;
mod waits;
mod zombies;

pub use answer::{JobsPicture, JobsQuestion, JobsRead};
pub use attempts::{JobField, JobRow, job_rows};
pub use calculator::{RunsCalculator, failed_runs};
pub use nodes::{NodeField, NodeRow, node_rows};
pub use repeats::{RepeatField, repeat_rows};
pub use requests::{RequestField, RequestItem, request_rows};
pub use sums::{TaxField, TaxItem, sum_keys, tax_rows};
pub use waits::{WaitField, WaitItem, wait_rows};
pub use zombies::{ZombieField, zombie_rows};
