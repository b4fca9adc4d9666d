//! Whose bytes the steps of a price count together.

use std::sync::Arc;

use crate::analyze::savings::SavingsInput;

/// The payer of an account: AWS counts the bytes of all accounts of one together. Accounts that share discounts are taken for
/// those of one, the default of AWS Organizations; where commitments were not read each pays for itself, at steps that are
/// dearer.
pub(super) fn payer(input: &SavingsInput<'_>, account: &Arc<str>) -> Arc<str> {
    let holdings = input.fleet.book.holdings.as_ref();
    holdings.map_or_else(|| account.clone(), |holdings| holdings.pool(account))
}
