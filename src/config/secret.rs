//! Text that must not be shown: [`crate::domain::Secret`] under the name the settings use.

pub use crate::domain::secret::Secret;

/// What is said of a key that holds what `config print` wrote in a secret's place.
pub(super) const PLACEHOLDER: &str =
    "this is what `config print` writes in the place of a secret; give the secret itself";
