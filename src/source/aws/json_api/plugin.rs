//! What the SDK's crates of services set up for their clients, from the same configuration: who
//! signs, where to, how often and how long.

use aws_config::SdkConfig;
use aws_config::identity::IdentityCache;
use aws_config::retry::RetryConfig;
use aws_runtime::auth::SigV4OperationSigningConfig;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::invocation_id::InvocationIdInterceptor;
use aws_runtime::recursion_detection::RecursionDetectionInterceptor;
use aws_runtime::request_info::RequestInfoInterceptor;
use aws_runtime::retries::classifiers::AwsErrorCodeClassifier;
use aws_runtime::service_clock_skew::{
    DisableClockSkewCorrection, ServiceClockSkewClassifier, ServiceClockSkewInterceptor,
};
use aws_runtime::user_agent::{ApiMetadata, UserAgentInterceptor};
use aws_smithy_runtime::client::http::connection_poisoning::ConnectionPoisoningInterceptor;
use aws_smithy_runtime::client::retries::RetryPartition;
use aws_smithy_runtime::client::retries::classifiers::{
    HttpStatusCodeClassifier, TransientErrorClassifier,
};
use aws_smithy_runtime::client::stalled_stream_protection::StalledStreamProtectionInterceptor;
use aws_smithy_runtime_api::client::auth::AuthSchemeOptionResolverParams;
use aws_smithy_runtime_api::client::auth::static_resolver::{
    StaticAuthSchemeOptionResolver, StaticAuthSchemeOptionResolverParams,
};
use aws_smithy_runtime_api::client::endpoint::EndpointResolverParams;
use aws_smithy_runtime_api::client::identity::SharedIdentityCache;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::{SharedRuntimePlugin, StaticRuntimePlugin};
use aws_smithy_types::config_bag::{FrozenLayer, Layer};
use aws_smithy_types::error::ErrorMetadata;
use aws_types::SigningName;
use aws_types::region::{Region, SigningRegion};

use super::Service;
use super::answer::{TooLongIsFinal, WithinLimit};
use super::endpoint::Rules;

/// Runtime plugin that configures a client of the service: credentials, signing, endpoint, retries, time-outs.
pub fn plugin(
    sdk: &SdkConfig,
    service: &'static Service,
    region: &str,
    quota: String,
) -> SharedRuntimePlugin {
    SharedRuntimePlugin::new(
        StaticRuntimePlugin::new()
            .with_config(config(sdk, service, region, quota))
            .with_runtime_components(components(sdk, service, region)),
    )
}

fn config(sdk: &SdkConfig, service: &Service, region: &str, quota: String) -> FrozenLayer {
    let mut layer = Layer::new("json_api");
    let region = Region::new(region.to_owned());
    layer.store_put(SigningRegion::from(region.clone()));
    layer.store_put(region);
    layer.store_put(SigningName::from_static(service.signing_name));
    layer.store_put(SigV4OperationSigningConfig::default());
    let no_parameters = StaticAuthSchemeOptionResolverParams::new();
    layer.store_put(AuthSchemeOptionResolverParams::from(no_parameters));
    layer.store_put(EndpointResolverParams::new(()));
    layer.store_put(ApiMetadata::new(service.signing_name, env!("CARGO_PKG_VERSION")));
    layer.store_put(RetryPartition::new(quota));
    // What the configuration leaves open stays the runtime's.
    if service.is_billed {
        layer.store_put(RetryConfig::disabled());
    } else if let Some(retries) = sdk.retry_config() {
        layer.store_put(retries.clone());
    }
    if let Some(timeouts) = sdk.timeout_config() {
        layer.store_put(timeouts.clone());
    }
    if let Some(protection) = sdk.stalled_stream_protection() {
        layer.store_put(protection);
    }
    if let Some(name) = sdk.app_name() {
        layer.store_put(name.clone());
    }
    if let Some(uncorrected) = sdk.disable_clock_skew_correction() {
        layer.store_put(DisableClockSkewCorrection::from(uncorrected));
    }
    layer.freeze()
}

fn components(
    sdk: &SdkConfig,
    service: &'static Service,
    region: &str,
) -> RuntimeComponentsBuilder {
    // Without one of the configuration's, each operation would resolve credentials anew.
    let identities: SharedIdentityCache =
        sdk.identity_cache().unwrap_or_else(|| IdentityCache::lazy().build());
    let mut components = RuntimeComponentsBuilder::new("json_api")
        .with_http_client(sdk.http_client())
        .with_endpoint_resolver(Some(Rules::new(sdk, service, region)))
        .with_auth_scheme(SigV4AuthScheme::new())
        .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![
            SCHEME_ID,
        ])))
        .with_identity_cache(Some(identities))
        .with_interceptor(ConnectionPoisoningInterceptor::new())
        .with_interceptor(ServiceClockSkewInterceptor::new())
        .with_interceptor(RequestInfoInterceptor::new())
        .with_interceptor(UserAgentInterceptor::new())
        .with_interceptor(InvocationIdInterceptor::new())
        .with_interceptor(RecursionDetectionInterceptor::new())
        .with_interceptor(StalledStreamProtectionInterceptor::default())
        .with_interceptor(WithinLimit)
        .with_retry_classifier(TooLongIsFinal)
        .with_retry_classifier(HttpStatusCodeClassifier::default())
        .with_retry_classifier(TransientErrorClassifier::<ErrorMetadata>::new())
        .with_retry_classifier(AwsErrorCodeClassifier::<ErrorMetadata>::new())
        .with_retry_classifier(ServiceClockSkewClassifier::<ErrorMetadata>::new());
    if let Some(credentials) = sdk.credentials_provider() {
        components.set_identity_resolver(SCHEME_ID, credentials);
    }
    if let Some(clock) = sdk.time_source() {
        components.set_time_source(Some(clock));
    }
    if let Some(sleep) = sdk.sleep_impl() {
        components.set_sleep_impl(Some(sleep));
    }
    components
}
