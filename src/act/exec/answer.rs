//! What EC2 answers to a call that is either meant or only asked about (`DryRun`).

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

use crate::domain::{ErrorKind, Scope, SourceError};
use crate::source::aws::AwsProvider;
use crate::source::aws::calls::Call;

/// Reads an answer; `None` for a dry run that says yes.
pub(super) fn read<T, E>(
    aws: &AwsProvider,
    dry: bool,
    call: &'static Call,
    scope: &Scope,
    answer: Result<T, SdkError<E, HttpResponse>>,
) -> Result<Option<T>, SourceError>
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match answer {
        Ok(answer) if !dry => Ok(Some(answer)),
        Err(e) if dry && e.code() == Some("DryRunOperation") => Ok(None),
        Ok(_) => Err(SourceError::new(
            ErrorKind::Malformed,
            call.action,
            "the endpoint took a dry run for the real thing",
            "look at what was named; check any AWS_ENDPOINT_URL",
        )),
        Err(e) => Err(aws.action_failed(call, &scope.region, &e)),
    }
}
