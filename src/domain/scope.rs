//! Where something lives: an account and a region.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::intern;

/// An account and region: the unit of isolation. A failure in one scope never blanks another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// The 12-digit account id.
    #[serde(deserialize_with = "intern::text")]
    pub account: Arc<str>,
    /// The region code, for example `us-east-1`; `-` for what is global to the account.
    #[serde(deserialize_with = "intern::text")]
    pub region: Arc<str>,
}

impl Scope {
    /// Scope of `region` in `account`.
    pub fn new(account: impl Into<Arc<str>>, region: impl Into<Arc<str>>) -> Self {
        Self { account: account.into(), region: region.into() }
    }

    /// Scope of data of a whole account (identity, regions, prices).
    pub fn account_wide(account: impl Into<Arc<str>>) -> Self {
        Self::new(account, "-")
    }

    /// True for the scope of an account as a whole.
    pub fn is_account_wide(&self) -> bool {
        &*self.region == "-"
    }
}

/// Which regions of an account to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Regions {
    /// The home region of the credentials: of the profile or of `AWS_REGION`.
    #[default]
    Home,
    /// These codes.
    Named(Vec<Arc<str>>),
    /// All that the account has enabled.
    Enabled,
}

impl Regions {
    /// The regions of these codes.
    pub fn named<'a>(codes: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Named(codes.into_iter().map(Arc::from).collect())
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.account, self.region)
    }
}
