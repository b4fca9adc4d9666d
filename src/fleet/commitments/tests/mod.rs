//! AWS's own examples, each kind of commitment that does not apply, and independent appliers.

mod aws;
pub(crate) mod make;
mod naive;
mod oracle;
mod properties;
mod rules;
