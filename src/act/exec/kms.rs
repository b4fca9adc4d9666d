//! Signatures under approvals, by a key that nobody can copy.
//!
//! Without a key an approval is a record: whoever can write the plan file can write the approval
//! too. With one, KMS and its key policy say who can approve.

use aws_config::{Region, SdkConfig};
use aws_sdk_kms::Client;
use aws_sdk_kms::config::Builder;
use aws_sdk_kms::operation::sign::SignError;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use sha2::{Digest, Sha256};

use super::service::failed;
use crate::act::plan::{Approval, ApprovalError, Signature};
use crate::domain::SourceError;

/// What a key may sign with, the first that it can: one for keys on curve P-256, one for RSA.
const ALGORITHMS: [SigningAlgorithmSpec; 2] =
    [SigningAlgorithmSpec::EcdsaSha256, SigningAlgorithmSpec::RsassaPssSha256];

/// The KMS key that signs and verifies approvals.
#[derive(Clone, Debug)]
pub struct ApprovalKey {
    client: Client,
    arn: String,
}

impl ApprovalKey {
    /// The key `arn`, used with the credentials of `sdk` in the key's own region.
    pub fn new(sdk: &SdkConfig, arn: &str) -> Self {
        let mut builder = Builder::from(sdk);
        if let Some(region) = region(arn) {
            builder = builder.region(Region::new(region.to_owned()));
        }
        Self { client: Client::from_conf(builder.build()), arn: arn.to_owned() }
    }

    /// Signs `approval` with the key and stores the signature in it, in the place of a former one.
    /// Fails when KMS cannot be asked or refuses.
    pub async fn sign(&self, approval: &mut Approval) -> Result<(), SourceError> {
        let digest = Blob::new(Sha256::digest(approval.message()).to_vec());
        let fix = "allow `kms:Sign` on the key; it must be of the usage SIGN_VERIFY, with \
                   ECC_NIST_P256 or RSA";
        let mut last = None;
        for algorithm in ALGORITHMS {
            let request = self
                .client
                .sign()
                .key_id(&self.arn)
                .message(digest.clone())
                .message_type(MessageType::Digest)
                .signing_algorithm(algorithm.clone());
            match request.send().await {
                Ok(answer) => {
                    let signature = answer.signature.map(Blob::into_inner).unwrap_or_default();
                    approval.signature = Some(Signature {
                        key_id: answer.key_id.unwrap_or_else(|| self.arn.clone()),
                        algorithm: algorithm.as_str().to_owned(),
                        signature: to_hex(&signature),
                    });
                    return Ok(());
                }
                Err(error) => {
                    let other_kind = matches!(
                        error.as_service_error(),
                        Some(SignError::InvalidKeyUsageException(_))
                    );
                    last = Some(failed("kms:Sign", &error, fix));
                    if !other_kind {
                        break;
                    }
                }
            }
        }
        Err(last.unwrap_or_else(|| {
            SourceError::new(crate::domain::ErrorKind::Other, "kms:Sign", "nothing was asked", fix)
        }))
    }

    /// Checks the signature under `approval` with this key, whatever key the approval names.
    pub async fn verify(&self, approval: &Approval) -> Result<(), ApprovalError> {
        let bad = |why: &str| ApprovalError::Signature(why.to_owned());
        let signature = approval
            .signature
            .as_ref()
            .ok_or_else(|| bad("there is none, and actions.approval_kms_key wants one"))?;
        let algorithm = ALGORITHMS
            .into_iter()
            .find(|a| a.as_str() == signature.algorithm)
            .ok_or_else(|| bad("it names an algorithm that burntop does not use"))?;
        let bytes = from_hex(&signature.signature).ok_or_else(|| bad("it is not hexadecimal"))?;
        let request = self
            .client
            .verify()
            .key_id(&self.arn)
            .message(Blob::new(Sha256::digest(approval.message()).to_vec()))
            .message_type(MessageType::Digest)
            .signing_algorithm(algorithm)
            .signature(Blob::new(bytes));
        match request.send().await {
            Ok(answer) if answer.signature_valid => Ok(()),
            Ok(_) => Err(bad("KMS calls it invalid")),
            // An invalid signature is an error of its own; any other failure proves nothing, and
            // what is not proved does not hold.
            Err(error) => {
                let text = failed("kms:Verify", &error, "").to_string();
                Err(ApprovalError::Signature(text))
            }
        }
    }
}

/// The region in an ARN.
fn region(arn: &str) -> Option<&str> {
    arn.split(':').nth(3).filter(|r| !r.is_empty())
}

fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|p| u8::from_str_radix(std::str::from_utf8(p).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_way_through_hexadecimal() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&bytes)), Some(bytes));
        for text in ["0", "0g", "é0"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn the_region_is_the_keys() {
        assert_eq!(region("arn:aws:kms:eu-west-1:123456789012:key/k"), Some("eu-west-1"));
        assert_eq!(region("arn:aws:kms::1:key/k"), None);
    }

    #[tokio::test]
    async fn an_approval_without_a_usable_signature_is_not_even_asked_about() {
        let sdk = SdkConfig::builder()
            .behavior_version(aws_config::BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .build();
        let key = ApprovalKey::new(&sdk, "arn:aws:kms:eu-west-1:123456789012:key/k");
        let now: jiff::Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let mut approval = Approval {
            sha256: String::new(),
            approver: std::collections::BTreeMap::default(),
            approved_at: now,
            expires_at: now,
            signature: None,
        };
        let says = |e: ApprovalError| e.to_string();
        assert!(says(key.verify(&approval).await.unwrap_err()).contains("there is none"));
        let with = |algorithm: &str, signature: &str| Signature {
            key_id: String::new(),
            algorithm: algorithm.into(),
            signature: signature.into(),
        };
        approval.signature = Some(with("ED25519_SHA_512", "00"));
        assert!(says(key.verify(&approval).await.unwrap_err()).contains("algorithm"));
        approval.signature = Some(with("ECDSA_SHA_256", "zz"));
        assert!(says(key.verify(&approval).await.unwrap_err()).contains("hexadecimal"));
    }
}
