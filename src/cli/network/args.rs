//! The command line of `burntop network`.

use clap::Args;

use crate::cli::bill::args::OfArgs;
use crate::cli::list_options::ListOptions;

/// Paths of which bill, and how they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct NetworkArgs {
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}
