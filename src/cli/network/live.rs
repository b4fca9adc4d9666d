//! Paths without a bill: everything they rest on, read once.

use super::Read;
use crate::analyze::network::live::paths;
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::savings::network_picture;
use crate::report::{BillsOf, SavedOf};
use crate::tabs::network::picture::network_rows;

/// Reads the account once. Fails where no gateway, balancer or other resource of any region could be listed.
pub(super) fn read(invocation: &Invocation) -> Result<Read, CliError> {
    let SavedOf { savings, readings } = network_picture(invocation)?;
    let exit = reports::ended(&readings);
    let of = BillsOf { live: Some(readings), ..BillsOf::default() };
    Ok(Read { rows: network_rows(paths(&savings.paths)), of, exit })
}
