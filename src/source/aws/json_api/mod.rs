//! Reads of services that speak AWS JSON 1.1, or REST JSON by `POST`, without the SDK's crate of the service.
//!
//! SageMaker's crate takes minutes and gigabytes to compile for seven reads. What such a crate adds
//! to the SDK's runtime is little: an endpoint, a header, and JSON. Credentials, signing, retries,
//! time-outs and the HTTP client stay the SDK's own, and so do the errors.
//!
//! Nothing but a [`Read`] can be asked: what changes something has no place here.

mod answer;
mod endpoint;
mod pages;
mod plugin;
mod read;

#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::sync::Arc;

use aws_config::SdkConfig;
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_runtime_api::client::runtime_plugin::SharedRuntimePlugin;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::error::ErrorMetadata;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::pages::{Page, Row, every, up_to};
pub use self::read::{At, Host, Naming, Read, Service};
use super::AwsProvider;
use crate::domain::SourceError;

/// Parameters of a read, serialised with the names of the service's API.
pub trait Question: Serialize {
    /// What is asked with them.
    const READ: Read;
    /// Of the answer, what is read.
    type Answer: DeserializeOwned + Debug + Send + Sync + 'static;
}

/// A failed call.
#[derive(Debug)]
pub struct Failed {
    /// Error code and message of the service; `None` when the failure was not its refusal.
    pub refusal: Option<Box<ErrorMetadata>>,
    /// Error as burntop shows it.
    pub error: SourceError,
}

impl Failed {
    /// Error code of the service; `None` when the failure was not its refusal.
    pub fn code(&self) -> Option<&str> {
        self.refusal.as_deref()?.code()
    }
}

impl From<Failed> for SourceError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

/// Calls a service in a region, at the pace of the rate limiter. Err when the call fails.
pub async fn ask<Q: Question>(
    aws: &AwsProvider,
    region: &Arc<str>,
    question: &Q,
) -> Result<Q::Answer, Failed> {
    let service = Q::READ.service();
    let asked = aws.clients().await.json_api(service, region);
    let _permit = aws.enter(service.api, region, 0).await;
    asked.ask(question).await.map_err(|failure| Failed {
        error: aws.failed(Q::READ.call(), region, &failure),
        refusal: match failure {
            SdkError::ServiceError(refused) => Some(Box::new(refused.into_err())),
            _ => None,
        },
    })
}

/// Client of a service in one region, with the configuration of one account.
#[derive(Clone, Debug)]
pub struct Client {
    service: &'static Service,
    plugin: SharedRuntimePlugin,
}

impl Client {
    /// A client without connections. `quota` names the retry quota that its calls share.
    pub fn new(sdk: &SdkConfig, service: &'static Service, region: &str, quota: String) -> Self {
        Self { service, plugin: plugin::plugin(sdk, service, region, quota) }
    }

    /// Calls the service, with as many attempts as configured.
    ///
    /// # Errors
    /// Those of the SDK: a refusal, a time-out, a broken connection, an unreadable answer, missing credentials.
    pub async fn ask<Q: Question>(
        &self,
        question: &Q,
    ) -> Result<Q::Answer, SdkError<ErrorMetadata, HttpResponse>> {
        let name = Q::READ.operation();
        let service = self.service;
        let body = serde_json::to_string(question).map_err(SdkError::construction_failure)?;
        Operation::builder()
            .service_name(service.id)
            .operation_name(name)
            .runtime_plugin(self.plugin.clone())
            .serializer(move |body: String| request(service.naming, name, body))
            .deserializer(answer::read::<Q::Answer>)
            .build()
            .invoke(body)
            .await
    }
}

/// The request without endpoint and signature, which the SDK's runtime adds.
fn request(naming: Naming, operation: &str, body: String) -> Result<HttpRequest, BoxError> {
    let length = body.len();
    let mut request = HttpRequest::new(SdkBody::from(body));
    request.set_method("POST")?;
    request.headers_mut().try_insert("content-length", length.to_string())?;
    match naming {
        Naming::Header(target) => {
            request.set_uri("/")?;
            let headers = request.headers_mut();
            headers.try_insert("content-type", "application/x-amz-json-1.1")?;
            headers.try_insert("x-amz-target", format!("{target}.{operation}"))?;
        }
        Naming::Path(before) => {
            request.set_uri(format!("{before}{}", operation.to_ascii_lowercase()).as_str())?;
            request.headers_mut().try_insert("content-type", "application/json")?;
        }
    }
    Ok(request)
}
