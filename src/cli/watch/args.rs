//! The command line of `burntop watch`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::list_options::ListOptions;

/// What `watch` does.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct WatchArgs {
    /// Instead of watching.
    #[command(subcommand)]
    pub what: Option<WatchCommand>,
    /// How to watch.
    #[command(flatten)]
    pub how: HowToWatch,
    /// How alerts are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// How to watch.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct HowToWatch {
    /// The rules; `rules.toml` beside the configuration where it is left out.
    #[arg(long, value_name = "FILE", global = true)]
    pub rules: Option<PathBuf>,
    /// Looks once, sends what is due, and prints the alerts: for cron.
    #[arg(long)]
    pub once: bool,
    /// Where the state of alerts is kept between runs; the state directory where it is left out. The demo keeps none
    /// without it.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Serves metrics for Prometheus at this address: `127.0.0.1:9842`. Whoever reaches it reads names of teams and
    /// dollars.
    #[arg(long, value_name = "ADDR", conflicts_with = "once")]
    pub listen: Option<SocketAddr>,
    /// Writes the same metrics to a file for the textfile collector of `node_exporter`; its name ends with `.prom`.
    #[arg(long, value_name = "FILE")]
    pub textfile: Option<PathBuf>,
}

impl HowToWatch {
    /// The first option that only watching takes; `None` where none is given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            ("--once", self.once),
            ("--state", self.state.is_some()),
            ("--listen", self.listen.is_some()),
            ("--textfile", self.textfile.is_some()),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}

/// Below `watch`.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum WatchCommand {
    /// Reads the rules and says what is wrong in them; asks nobody.
    ///
    /// Exit code 2 where they cannot be used, with the line of each mistake. Files and variables that hold secrets are
    /// looked for too.
    Check,
    /// Sends a test message to a sink.
    ///
    /// Exit code 5 where it did not arrive.
    Test {
        /// Name of the sink.
        sink: String,
    },
    /// Writes commented rules where there are none.
    Init {
        /// The file; `rules.toml` beside the configuration where it is left out.
        file: Option<PathBuf>,
    },
    /// Prints the JSON schema of rules files, for editors.
    Schema,
}
