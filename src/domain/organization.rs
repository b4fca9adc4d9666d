//! Accounts of an organisation, as its management account lists them.

use serde::{Deserialize, Serialize};

/// True for an id of an account: 12 digits.
pub fn is_account_id(id: &str) -> bool {
    id.len() == 12 && id.bytes().all(|b| b.is_ascii_digit())
}

/// True for what may be the name of a partition; it becomes part of the ARN of a role.
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
    /// The partition it lies in: `aws`, `aws-cn`, `aws-us-gov`.
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
