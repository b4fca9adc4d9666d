//! Answers of a service: JSON within a limit, or a refusal.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextMut, InterceptorContext,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::Headers;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use aws_smithy_types::error::ErrorMetadata;
use aws_types::request_id::apply_request_id;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::source::causes::find;

/// Longest answer that is read, bytes. A page of 100 rows is some ten kilobytes.
pub const LONGEST: usize = 8 * 1024 * 1024;

/// Parses a whole answer.
///
/// # Errors
/// The service's refusal; an answer that is not the expected JSON.
pub fn read<A: DeserializeOwned>(
    response: &HttpResponse,
) -> Result<A, OrchestratorError<ErrorMetadata>> {
    let body = response.body().bytes().unwrap_or_default();
    if response.status().is_success() {
        return serde_json::from_slice(body).map_err(OrchestratorError::other);
    }
    Err(OrchestratorError::operation(refusal(body, response.headers())))
}

/// A refusal in the words of the service. What is no JSON, such as the page of a proxy, has none.
fn refusal(body: &[u8], headers: &Headers) -> ErrorMetadata {
    let body: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let text = |keys: &[&str]| keys.iter().find_map(|key| body.get(*key)?.as_str());
    let mut refusal = ErrorMetadata::builder();
    // The SDK's order: the header, `code`, `__type`.
    if let Some(code) = headers.get("x-amzn-errortype").or_else(|| text(&["code", "__type"])) {
        refusal = refusal.code(name_of(code));
    }
    if let Some(message) = text(&["message", "Message", "errorMessage"]) {
        refusal = refusal.message(message);
    }
    apply_request_id(refusal, headers).build()
}

/// `AccessDeniedException` of `com.amazon.coral#AccessDeniedException:http://internal/`.
fn name_of(code: &str) -> &str {
    let code = code.split_once(':').map_or(code, |(name, _)| name);
    code.split_once('#').map_or(code, |(_, name)| name)
}

/// Interceptor that fails an answer longer than [`LONGEST`].
#[derive(Debug)]
pub struct WithinLimit;

#[derive(Debug, thiserror::Error)]
#[error("the answer is longer than {} MiB", LONGEST / 1024 / 1024)]
struct TooLong;

impl Intercept for WithinLimit {
    fn name(&self) -> &'static str {
        "WithinLimit"
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let body = std::mem::replace(context.response_mut().body_mut(), SdkBody::taken());
        let limited = Limited::new(body, LONGEST).map_err(|error| -> BoxError {
            if error.is::<LengthLimitError>() { Box::new(TooLong) } else { error }
        });
        *context.response_mut().body_mut() = SdkBody::from_body_1_x(limited);
        Ok(())
    }
}

/// Retry classifier that does not repeat a call whose answer was too long: the next one would be as long.
#[derive(Debug)]
pub struct TooLongIsFinal;

impl ClassifyRetry for TooLongIsFinal {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(Err(error)) = context.output_or_error() else {
            return RetryAction::NoActionIndicated;
        };
        match find::<TooLong>(error) {
            Some(_) => RetryAction::RetryForbidden,
            None => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "TooLongIsFinal"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_named_as_the_sdk_names_them() {
        let none = Headers::new();
        let mut named = Headers::new();
        named.insert("x-amzn-errortype", "ns#FromHeader:http://internal.example/coral/");
        named.insert("x-amzn-requestid", "r-1");
        for (body, headers, code, message) in [
            (r#"{"__type":"FooError","message":"go"}"#, &none, Some("FooError"), Some("go")),
            (r#"{"__type":"a.b#FooError","Message":"go"}"#, &none, Some("FooError"), Some("go")),
            (
                r#"{"code":"Bar","__type":"Foo","errorMessage":"go"}"#,
                &none,
                Some("Bar"),
                Some("go"),
            ),
            (r#"{"__type":"Foo:http://x/","message":7}"#, &none, Some("Foo"), None),
            (r#"{"__type":"Foo","message":"go"}"#, &named, Some("FromHeader"), Some("go")),
            ("<h1>Bad gateway</h1>", &none, None, None),
            ("", &none, None, None),
            ("[]", &none, None, None),
        ] {
            let refusal = refusal(body.as_bytes(), headers);
            assert_eq!((refusal.code(), refusal.message()), (code, message), "{body}");
            let id = std::ptr::eq(headers, &raw const named).then_some("r-1");
            assert_eq!(refusal.extra("aws_request_id"), id);
        }
    }
}
