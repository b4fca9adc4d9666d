//! Calls that change no instance: signatures of approvals and the copy of the audit log. What they
//! say when they fail.

use std::error::Error;

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

use crate::domain::{ErrorKind, SourceError};

/// Error for a failed call: the service's own code and text where it answered.
pub(super) fn failed<E, R>(operation: &str, error: &SdkError<E, R>, fix: &str) -> SourceError
where
    E: ProvideErrorMetadata + Error + 'static,
    R: std::fmt::Debug,
{
    let (kind, message) = match error {
        SdkError::TimeoutError(_) => (ErrorKind::Timeout, "no answer in time".to_owned()),
        SdkError::DispatchFailure(_) => (
            ErrorKind::Network,
            "the service could not be reached, or there are no credentials".to_owned(),
        ),
        SdkError::ServiceError(answer) => {
            let error = answer.err();
            let code = error.code().unwrap_or("an error without a code");
            let kind =
                if code.contains("AccessDenied") { ErrorKind::Denied } else { ErrorKind::Other };
            let text = error.message().map(|m| format!(": {m}")).unwrap_or_default();
            (kind, format!("{code}{text}"))
        }
        _ => (ErrorKind::Malformed, "the answer made no sense".to_owned()),
    };
    SourceError::new(kind, operation, &message, fix)
}
