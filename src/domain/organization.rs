//! Accounts of an organisation, as its management account lists them.

use serde::{Deserialize, Serialize};

/// An account of an organisation. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its id, 12 digits.
    pub id: String,
    /// Its name, which another account may have as well; may be empty.
    pub name: String,
    /// The partition it lies in: `aws`, `aws-cn`, `aws-us-gov`.
    pub partition: String,
    /// Its state in the words of AWS: `ACTIVE`, `SUSPENDED`, `PENDING_CLOSURE`.
    pub state: String,
}

impl Member {
    /// True when roles of the account can be assumed.
    pub fn is_active(&self) -> bool {
        self.state == "ACTIVE"
    }
}
