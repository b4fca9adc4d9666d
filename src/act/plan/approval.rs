//! Approvals of a plan by a second person.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Approval of a plan or a policy file by a second person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// SHA-256 of what was approved: [`super::Plan::hash`], or the bytes of a policy file.
    pub sha256: String,
    /// ARN of the approver by account, read from STS at that moment.
    pub approver: BTreeMap<Arc<str>, Arc<str>>,
    /// When it was given.
    pub approved_at: Timestamp,
    /// When it stops holding.
    pub expires_at: Timestamp,
    /// KMS signature over [`Approval::message`]; `None` where no key is configured.
    pub signature: Option<Signature>,
}

/// A KMS signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// ARN of the key.
    pub key_id: String,
    /// Signing algorithm as KMS names it.
    pub algorithm: String,
    /// Signature in hexadecimal digits.
    pub signature: String,
}

/// Why an approval does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// There is no approval.
    #[error("nobody has approved it; a second person runs `burntop approve`")]
    Missing,
    /// The approval is for another plan or policy file.
    #[error("it was changed after it was approved; it needs a new approval")]
    Changed,
    /// The approval has expired, or its date is in the future.
    #[error("the approval is not valid at this time (from {from} to {to}); it needs a new one")]
    Expired {
        /// When the approval was given.
        from: Timestamp,
        /// When the approval stops holding.
        to: Timestamp,
    },
    /// The approval does not name who the approver is in this account of the plan.
    #[error("the approval does not cover account {0}; approve with credentials for it")]
    Uncovered(Arc<str>),
    /// The approver is the one who applies; this is their ARN.
    #[error("{0} approved it and may not apply it: somebody else has to")]
    SamePerson(Arc<str>),
    /// The signature is missing or not that of the configured key.
    #[error("the signature of the approval does not hold: {0}")]
    Signature(String),
}

impl Approval {
    /// Bytes that are signed: the approval without its signature, as compact JSON.
    pub fn message(&self) -> Vec<u8> {
        let unsigned = Self { signature: None, ..self.clone() };
        serde_json::to_vec(&unsigned).unwrap_or_default()
    }

    /// Checks everything but the signature: that it is for `sha256`, valid now, covers every
    /// account of `callers` and comes from somebody else in each.
    pub fn check(
        &self,
        sha256: &str,
        callers: &BTreeMap<Arc<str>, Arc<str>>,
        now: Timestamp,
    ) -> Result<(), ApprovalError> {
        if sha256.is_empty() || self.sha256 != sha256 {
            return Err(ApprovalError::Changed);
        }
        if now < self.approved_at || now >= self.expires_at {
            return Err(ApprovalError::Expired { from: self.approved_at, to: self.expires_at });
        }
        for (account, caller) in callers {
            let approver = self
                .approver
                .get(account)
                .ok_or_else(|| ApprovalError::Uncovered(account.clone()))?;
            if approver.eq_ignore_ascii_case(caller) {
                return Err(ApprovalError::SamePerson(caller.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::plan::fixture::{ago, now};

    const BEN: &str = "arn:aws:iam::1:user/ben";

    fn by(account: &str, arn: &str) -> BTreeMap<Arc<str>, Arc<str>> {
        [(account.into(), arn.into())].into()
    }

    fn approval() -> Approval {
        Approval {
            sha256: "ab12".into(),
            approver: by("1", "arn:aws:iam::1:user/ann"),
            approved_at: ago(60),
            expires_at: ago(-60),
            signature: None,
        }
    }

    #[test]
    fn it_is_for_what_was_approved() {
        assert_eq!(approval().check("ab12", &by("1", BEN), now()), Ok(()));
        assert_eq!(approval().check("ab13", &by("1", BEN), now()), Err(ApprovalError::Changed));
        // What could not be hashed matches nothing, not even an approval of nothing.
        let empty = Approval { sha256: String::new(), ..approval() };
        assert_eq!(empty.check("", &by("1", BEN), now()), Err(ApprovalError::Changed));
    }

    #[test]
    fn it_holds_for_its_time() {
        let at = |now| approval().check("ab12", &by("1", BEN), now);
        let (from, to) = (ago(60), ago(-60));
        let expired = Err(ApprovalError::Expired { from, to });
        assert_eq!(at(from), Ok(()));
        assert_eq!(at(ago(61)), expired, "approved in the future");
        assert_eq!(at(ago(-59)), Ok(()));
        assert_eq!(at(to), expired);
    }

    #[test]
    fn somebody_else_has_to_have_looked_at_every_account() {
        let check = |callers| approval().check("ab12", &callers, now());
        let ann: Arc<str> = "ARN:aws:iam::1:user/ann".into();
        assert_eq!(check(by("1", &ann)), Err(ApprovalError::SamePerson(ann)));
        assert_eq!(check(by("2", BEN)), Err(ApprovalError::Uncovered("2".into())));
        let mut two = by("1", BEN);
        two.insert("2".into(), BEN.into());
        assert_eq!(check(two), Err(ApprovalError::Uncovered("2".into())));
    }

    #[test]
    fn the_signature_is_over_everything_else() {
        let plain = approval();
        let signature = Signature {
            key_id: "k".into(),
            algorithm: "ECDSA_SHA_256".into(),
            signature: "00".into(),
        };
        let signed = Approval { signature: Some(signature), ..plain.clone() };
        assert!(!plain.message().is_empty());
        assert_eq!(plain.message(), signed.message());
        let later = Approval { expires_at: ago(-61), ..plain.clone() };
        assert_ne!(plain.message(), later.message());
        let other = Approval { approver: by("1", BEN), ..plain.clone() };
        assert_ne!(plain.message(), other.message());
    }
}
