//! Accounts of an organisation, as its management account lists them.

use serde::{Deserialize, Serialize};

/// True for an account id: 12 digits.
pub fn is_account_id(id: &str) -> bool {
    id.len() == 12 && id.bytes().all(|b| b.is_ascii_digit())
}

/// True for a possible name of an AWS partition; it becomes part of a role's ARN.
pub fn is_partition(name: &str) -> bool {
    name.starts_with("aws") && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// An account of an organisation. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Account id, 12 digits.
    pub id: String,
    /// Account name, not unique; may be empty.
    pub name: String,
    /// AWS partition: `aws`, `aws-cn`, `aws-us-gov`.
    pub partition: String,
    /// State as Organizations names it: `ACTIVE`, `SUSPENDED`, `PENDING_CLOSURE`.
    pub state: String,
}

impl Member {
    /// True when roles of the account can be assumed.
    pub fn is_active(&self) -> bool {
        self.state == "ACTIVE"
    }
}
