//! All commitments that are known, and what could not be read.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Commitment;
use super::sharing::{Beneficiary, SharingGroups, beneficiary};
use crate::domain::scope::Scope;

/// The APIs that commitments are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitmentSource {
    /// `DescribeReservedInstances`, by account and region.
    ReservedInstances,
    /// `DescribeSavingsPlans` and their rates, by account (scope of the whole account).
    SavingsPlans,
    /// `DescribeCapacityReservations`, by account and region.
    CapacityReservations,
}

impl CommitmentSource {
    /// All three sources.
    pub const ALL: [Self; 3] =
        [Self::ReservedInstances, Self::SavingsPlans, Self::CapacityReservations];

    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ReservedInstances => "Reserved Instances",
            Self::SavingsPlans => "Savings Plans",
            Self::CapacityReservations => "capacity reservations",
        }
    }
}

/// Commitments that were never read, so that their cover is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Unread {
    /// Account and region, or the account as a whole for Savings Plans.
    pub scope: Scope,
    /// The API that was not read.
    pub source: CommitmentSource,
    /// Reason, a clause: `not read yet`, `denied: ec2:DescribeReservedInstances`.
    pub why: Arc<str>,
}

impl Unread {
    /// What was not read and why: `Savings Plans of 111122223333: not read yet`.
    pub fn sentence(&self) -> String {
        format!("{self}: {}", self.why)
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.source.label();
        match self.scope.is_account_wide() {
            true => write!(f, "{source} of {}", self.scope.account),
            false => write!(f, "{source} of {}", self.scope),
        }
    }
}

/// All commitments that are known. After a failed reading the last good answer stays here, and the reading has its age.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holdings {
    /// Commitments, each once, by account, kind and id.
    pub items: Vec<Arc<Commitment>>,
    /// What was never read. An instance in an account and region listed here has no known net cost.
    pub unread: Vec<Unread>,
    /// True when discounts are shared: commitments of an account also serve other accounts (the default of AWS
    /// Organizations).
    pub sharing: bool,
    /// Groups of accounts that share first, or only with each other, where discounts are shared.
    #[serde(default)]
    pub groups: SharingGroups,
}

impl Holdings {
    /// What account `user` is to a commitment of account `owner`; `None` = the commitment never serves it.
    pub fn beneficiary(&self, owner: &str, user: &str) -> Option<Beneficiary> {
        beneficiary(self.sharing, &self.groups, owner, user)
    }

    /// Id of the pool that shares discounts with `account`: one of the pool's accounts, empty when all accounts share,
    /// or `account` itself without sharing.
    pub fn pool(&self, account: &Arc<str>) -> Arc<str> {
        if self.sharing { self.groups.pool(account) } else { account.clone() }
    }

    /// Why the net cost of usage in `scope` is unknown; `None` when it is known. What is unread in one account counts
    /// for all accounts that share its discounts.
    pub fn unknown(&self, scope: &Scope) -> Option<&Unread> {
        self.unread.iter().find(|u| {
            let same_region = u.scope.is_account_wide() || u.scope.region == scope.region;
            same_region && self.beneficiary(&u.scope.account, &scope.account).is_some()
        })
    }
}
