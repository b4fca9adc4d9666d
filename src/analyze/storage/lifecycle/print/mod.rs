//! Rules printed: JSON as the API and the AWS CLI have it, XML as S3 stores it, Terraform,
//! CloudFormation, and one canonical form with its digest.

mod canonical;
mod cloudformation;
mod json;
mod terraform;
mod words;
mod xml;

pub use canonical::{canonical_rule, sha256, sha256_of};
pub(in crate::analyze::storage::lifecycle) use canonical::{canonical_rules, hex};
pub(in crate::analyze::storage::lifecycle) use cloudformation::cloudformation_property;
pub use cloudformation::cloudformation_yaml;
pub use json::{cli_input, json, rule_json};
pub use terraform::terraform;
pub use words::summary;
pub use xml::xml;
