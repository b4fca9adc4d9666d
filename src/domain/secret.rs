//! Text that must not be shown.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// Text written in place of a secret wherever it would be printed.
pub const REDACTED: &str = "<redacted>";

/// A value that is used and never shown: `Debug` and `Serialize` write [`REDACTED`]. In a JSON schema
/// it is `writeOnly`, by which the checks of the settings know not to repeat it.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("writeOnly" = true))]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret value; nothing is checked.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// True for [`REDACTED`] itself: printed settings that were taken for a file of settings.
    pub fn is_placeholder(&self) -> bool {
        self.0 == REDACTED
    }

    /// The value, for the one call that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_written() {
        let secret = Secret::new("s3cr3t");
        assert_eq!(format!("{secret:?}"), REDACTED);
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"<redacted>\"");
        assert_eq!(secret.reveal(), "s3cr3t");
    }
}
