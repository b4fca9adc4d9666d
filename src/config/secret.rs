//! Text that must not be shown: [`crate::domain::Secret`] under the name the settings use.

pub use crate::domain::secret::{REDACTED, Secret};
