//! The arguments of the commands about savings.

use clap::{Args, ValueEnum};

/// Which sizes are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct RightsizeArgs {
    /// Prints, instead of the list, which instance a model needs. Inputs as `name=value`: `task`
    /// (`pretrain`, `fine_tune`, `lora`, `inference`, `batch`), `precision` (`fp32`, `bf16`, `fp8`,
    /// `int4`), `region`, `parameters` (`7B`), `active_parameters`, `context` (`128k`), `sequences`,
    /// `kv_per_token`, `lora_share`, `train_tokens`, `data` (`2TB`), `latency` (`50ms`),
    /// `throughput`, `budget` (`$10/h`), `efficiency`.
    #[arg(long, value_name = "NAME=VALUE", num_args = 0.., conflicts_with = "ListOptions")]
    pub guide: Option<Vec<String>>,
}

/// What of Spot is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct SpotArgs {
    /// Prints, instead of the list, mixed fleets as policies of Auto Scaling groups, to copy: a base
    /// on demand, Spot above it.
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        num_args = 0..=1,
        default_missing_value = "cli",
        conflicts_with = "ListOptions"
    )]
    pub asg: Option<AsgForm>,
}

/// In which form policies of Auto Scaling groups are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AsgForm {
    /// Input of `aws autoscaling update-auto-scaling-group --cli-input-json` (the default).
    Cli,
    /// The `MixedInstancesPolicy` alone, JSON.
    Policy,
    /// Properties for CloudFormation, JSON.
    Cloudformation,
    /// Blocks for Terraform.
    Terraform,
}
