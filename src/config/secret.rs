//! Text that must not be shown: [`crate::domain::Secret`] under the name the settings use.

pub use crate::domain::secret::Secret;

/// Error for a key with the placeholder that `config print` writes for a secret.
pub(super) const PLACEHOLDER: &str =
    "this is what `config print` writes in the place of a secret; give the secret itself";
