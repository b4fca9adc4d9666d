//! Whole programs in real pseudo-terminals: keys in, screen text out.
//!
//! Where each bad day has its test (a module alone: several of its tests):
//!
//! | what goes wrong | on the screen | in the reports and below |
//! |---|---|---|
//! | no credentials | `outages::without_credentials_…` | `aws::without_credentials_…`, `tests/cli.rs` (doctor) |
//! | expired credentials in mid-run | `outages::whatever_fails_in_mid_run_…` | `aws::broken_answers_…` |
//! | access denied on one call | `cockpit::a_denied_region_…`, `outages::whatever_fails_in_mid_run_…` | `aws::a_denied_region_…` |
//! | throttling storms | `outages::throttling_at_the_start_…`, `outages::whatever_fails_in_mid_run_…` | `aws::throttling_that_ends_…` |
//! | an endpoint that accepts and never answers | `outages::an_endpoint_that_never_answers_…`, `outages::a_second_start_paints_…` | `aws::a_region_that_hangs_…` |
//! | half a page, then a reset; an answer that is none | `outages::whatever_fails_in_mid_run_…` | `aws::broken_answers_…` |
//! | wrong clock | `outages::whatever_fails_in_mid_run_…` | `reports::a_wrong_clock_…` |
//! | a tag with control characters | `cockpit::a_first_start_…` | `aws::every_planted_case_…`; `domain::text` |
//! | a tag of 10 kB of emoji | `outages::a_tag_of_ten_kilobytes_…` | `domain::text`, `ui::golden` (`huge`) |
//! | metrics that are NaN, infinite, negative | | `reports::metrics_that_are_no_numbers_…`; `analyze::idle` |
//! | 0 instances | `outages::a_region_without_instances_…` | `aws::an_empty_region_…` |
//! | 10,000 instances | `screens::ten_thousand_instances_…` | `reports::a_reader_that_goes_away_…` (2,000) |
//! | a cache from the future | | `reports::a_cache_from_the_future_…`; `cache::tests` |
//! | a corrupt or foreign cache | `outages::a_corrupt_cache_…` | `cache::tests::broken` |
//! | a cache that cannot be written | `outages::a_cache_that_cannot_be_written_…` | `cache::tests::broken` |
//! | two cockpits, one cache | `outages::two_cockpits_…` | `cache::tests::sharing` |
//! | configuration with a typo | `screens::a_typo_…` | `reports::a_typo_…`, `tests/cli.rs` |
//! | a terminal of 1×1, storms of sizes | `screens::tiny_terminals_…` | `ui::golden` (`20x3`) |
//! | terminal gone | `screens::a_terminal_that_goes_away_…`, `remote::over_ssh` | `terminal` |
//! | Ctrl-Z | `screens::ctrl_z_…` | `terminal` |
//! | SIGTERM, SIGHUP, SIGINT | `screens::signals_…` | `terminal` |
//! | panic in a draw | | `terminal::a_panic_in_a_draw_…` (no key of burntop's makes one) |
//! | no terminal at all | `screens::without_a_keyboard_…` | `screens::without_a_terminal_…` |
//! | no colour, dumb terminal | `screens::no_color_…`, `screens::a_dumb_terminal_…` | `terminal` |
//! | a GPU host whose key changed, is unknown, lets nobody in, goes away | | `hosts`; `source::ssh` |
//! | no NVML, no driver, no permission, a GPU lost | | `telemetry::the_gpus_of_this_host_…`, `telemetry::a_host_without_a_driver_…`; `source::nvml` |
//! | a Prometheus that is dead, silent, overloaded, a web page, lies about its length | | `telemetry::a_prometheus_that_…`; `source::prometheus`, `source::http` |
//! | exporters that are down | | `gpus::sixteen_hundred_…`; `source::exporter` |
//! | telemetry of hosts that no inventory knows, instances that no telemetry knows | | `gpus::sixteen_hundred_…`; `analyze::gpu` |
//! | GPUs that look busy and are not, or the other way round | | `tapes::every_planted_gpu_…`; `analyze::gpu` |
//! | a tape that is torn, or none | | `tapes`; `bus::tape` |
//! | two processes over one plan, group or volume | | `races`; `act::exec::harness` |
//! | a call that hangs, arrives twice, loses its answer or never arrives | | `lossy`; `act::exec::harness` |
//! | kill -9 while instances are stopped | | `kills::killed_at_any_moment_…`; `act::exec::harness` |
//! | a lifecycle changed by another, throttled, denied, a bucket that is gone, a PUT without an answer | | `storage_acting`; `act::exec::storage` |
//! | commitments denied, throttled, of an endpoint that is dead | | `savings`; `bus::savings` |
//! | a company's proxy that looks into TLS, fails, or wants a password; an unknown authority | `company::the_cockpit_…` | `company`; `source::aws::network` |
//! | an SSO session that ends, a program for credentials that fails, a role that wants MFA | | `logins`; `source::aws::login` |
//! | a list of accounts that is denied, an account whose role cannot be assumed | | `organization`; `source::aws::organization` |
//! | a scheduler that is away, a token that ends, two clusters with one name, clocks that differ | | `slurm`; `source::jobs::slurm`, `bus::jobs` |
//! | a cluster whose token is made by a program, pods that are deleted between two readings | | `kubernetes`; `source::jobs::kubernetes`, `bus::jobs` |
//! | kube-state-metrics that tells everything twice, and pods until long after their end, or nothing any more | | `kube_state`; `source::jobs::kubernetes::state_metrics` |
//! | a tracker that claims what is not so, a cluster of Ray that is stopped | | `trackers`; `source::jobs::mlflow`, `source::jobs::ray` |
//! | an array of jobs of AWS Batch that is listed beside its children, instances that ECS does not tell | | `batch`; `source::aws::batch` |
//! | nodes of HyperPod, which no list of EC2 has, a list of them that is denied | | `hyperpod`; `source::aws::sagemaker` |
//! | AWS Budgets in an account that cannot be reached | | `budgets`; `source::aws::budgets` |
//! | a watch that is killed, whose state is lost, whose rules are wrong | | `watch`; `watch::state`, `cli::watch::store` |
//! | the own-cost cap | | `aws::the_cap_…`; `bus`, `ui::golden` (`capped`) |

// Helpers of tests may fail a test the way tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acting;
mod approving;
mod athena;
mod aws;
mod batch;
mod bill;
mod bill_athena;
mod bill_costs;
mod budgets;
mod cockpit;
mod committed;
mod company;
mod demo;
mod emulators;
mod fault;
mod gpus;
mod hosts;
mod house;
mod hyperpod;
mod kills;
mod kube_state;
mod kubernetes;
mod logins;
mod lossy;
mod organization;
mod outages;
mod policies;
mod ports;
mod pricing;
mod prometheus;
mod pty;
mod races;
mod read_only;
mod remote;
mod reports;
mod resources;
mod savings;
mod screens;
#[path = "../support/server.rs"]
mod server;
mod slurm;
mod storage;
mod storage_acting;
mod tapes;
mod telemetry;
mod terminal;
mod trackers;
mod watch;
mod watch_metrics;
mod watch_sinks;
mod whatif;
mod world;
