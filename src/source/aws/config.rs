//! From "which account" to an SDK configuration: credentials, home region, time-outs, retries.
//! No endpoint is ever set here, so `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_<SERVICE>` and the
//! `services` section of the AWS config file keep working.

use std::sync::Arc;
use std::time::Duration;

use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::environment::region::EnvironmentVariableRegionProvider;
use aws_config::identity::IdentityCache;
use aws_config::imds;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{
    self, ProfileFileCredentialsProvider, ProfileFileRegionProvider, ProfileSet,
};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::sts::AssumeRoleProvider;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::os_shim_internal::{Env, Fs};
use futures_util::FutureExt;

use super::network;
use super::renewal::Renewed;
use super::trust::{self, Named};
use crate::domain::Secret;

/// Source of an account's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSource {
    /// Configured name of the account, for messages.
    pub label: Arc<str>,
    /// AWS profile; `None` = the default chain (environment, `AWS_PROFILE`, SSO, web identity, container, instance
    /// role).
    pub profile: Option<String>,
    /// Role to assume with these credentials; `None` uses them directly.
    pub assume_role: Option<AssumeRole>,
    /// Home region; `None` = `AWS_REGION`, else the profile's, else the instance's, else [`FALLBACK_REGION`].
    pub region_hint: Option<Arc<str>>,
}

/// A role to assume, from the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumeRole {
    /// ARN of the role, `arn:aws:iam::…:role/…`.
    pub role_arn: String,
    /// External id that the role's trust policy requires; `None` without one.
    pub external_id: Option<Secret>,
    /// Session name, shown in `CloudTrail`; `None` = `burntop`.
    pub session_name: Option<String>,
}

/// Home region when nothing names one: every account has it enabled.
pub const FALLBACK_REGION: &str = "us-east-1";

/// Time limits of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Limit for the TCP and TLS handshakes.
    pub connect: Duration,
    /// Limit until the first byte of the answer.
    pub read: Duration,
    /// Limit of one attempt with its whole answer: a page of 1,000 instances is several megabytes.
    pub attempt: Duration,
    /// Limit of all attempts and the pauses between them.
    pub operation: Duration,
    /// Longest pause between attempts.
    pub back_off: Duration,
}

impl Patience {
    /// Limits of burntop: an endpoint that accepts and never answers is given up after 30 s.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(3),
        read: Duration::from_secs(10),
        attempt: Duration::from_secs(15),
        operation: Duration::from_secs(30),
        back_off: Duration::from_secs(5),
    };

    /// These limits as the SDK's time-outs.
    pub fn timeouts(self) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(self.connect)
            .read_timeout(self.read)
            .operation_attempt_timeout(self.attempt)
            .operation_timeout(self.operation)
            .build()
    }

    /// Time-outs of a call that is made once: the single attempt gets the time of all attempts, so that a slow answer
    /// still arrives. A call without an answer may have taken effect all the same.
    pub fn once(self) -> TimeoutConfig {
        TimeoutConfig::builder()
            .connect_timeout(self.connect)
            .read_timeout(self.operation)
            .operation_attempt_timeout(self.operation)
            .operation_timeout(self.operation)
            .build()
    }

    /// The SDK's standard retries with full jitter: four attempts in total.
    pub fn retries(self) -> RetryConfig {
        RetryConfig::standard().with_max_attempts(4).with_max_backoff(self.back_off)
    }
}

/// Credentials may come from a chain of SSO, roles and processes; longer means broken.
const CREDENTIALS_TIMEOUT: Duration = Duration::from_secs(20);

/// Not on EC2 the metadata address leads nowhere; without this bound every start on a laptop
/// would wait for it.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);

/// File of additional certificate authorities for a profile; `None` without one. `sections` = the AWS config files with
/// the profile selected.
pub(super) fn bundle(sections: Option<&ProfileSet>) -> Option<Named> {
    let profile = sections.and_then(|s| Some((s.selected_profile(), s.get("ca_bundle")?)));
    Named::find(Env::real().get(trust::VARIABLE).ok(), profile)
}

/// The AWS config and credentials files with a profile selected (`None` = the environment's or the
/// default one); `None` where they cannot be read.
#[expect(clippy::default_trait_access, reason = "the type has no name among our dependencies")]
pub(super) fn sections(profile: Option<&str>) -> Option<ProfileSet> {
    let (fs, env) = (Fs::real(), Env::real());
    let name = profile.map(|p| p.to_owned().into());
    // It reads two small files and waits for nobody.
    profile::load(&fs, &env, &Default::default(), name).now_or_never()?.ok()
}

/// Names of the profiles in the AWS config and credentials files; `None` where they cannot be read.
pub fn profiles() -> Option<Vec<String>> {
    let sections = sections(None)?;
    let mut names: Vec<String> = sections.profiles().map(str::to_owned).collect();
    names.sort();
    Some(names)
}

/// Loads the SDK configuration of an account. Reads the AWS config files and may query the instance metadata for a
/// region (at most a second); credentials are resolved by the first call.
pub async fn load(source: &AccountSource, patience: Patience) -> SdkConfig {
    // The SDK's futures are large, and would be in whatever waits for this one.
    Box::pin(loaded(source, patience)).await
}

async fn loaded(source: &AccountSource, patience: Patience) -> SdkConfig {
    let http = network::client(bundle(sections(source.profile.as_deref()).as_ref()).as_ref());
    let base = provider_config(&http, patience);
    let metadata = imds::Client::builder()
        .configure(&base)
        .max_attempts(1)
        .connect_timeout(METADATA_TIMEOUT)
        .read_timeout(METADATA_TIMEOUT)
        .build();
    let region = home_region(source, &base, &metadata).await;

    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http.clone())
        .region(region.clone())
        .timeout_config(patience.timeouts())
        .retry_config(patience.retries())
        .stalled_stream_protection(StalledStreamProtectionConfig::enabled().build())
        .identity_cache(IdentityCache::lazy().load_timeout(CREDENTIALS_TIMEOUT).build())
        .no_credentials();
    if let Some(profile) = &source.profile {
        loader = loader.profile_name(profile);
    }
    let sdk = loader.load().await;

    // STS and SSO are asked at the same kind of endpoint as everything else.
    let (fips, dual_stack) = (sdk.use_fips(), sdk.use_dual_stack());
    let profile = source.profile.clone();
    let chain = Renewed::new(move || {
        // Made anew each time: what was read of the AWS config files stays in it.
        let base = provider_config(&http, patience)
            .with_region(Some(region.clone()))
            .with_use_fips(fips)
            .with_use_dual_stack(dual_stack);
        credentials(profile.clone(), base, region.clone(), metadata.clone()).boxed()
    });
    let provider = SharedCredentialsProvider::new(chain);
    let sdk = sdk.into_builder().credentials_provider(provider).build();

    match &source.assume_role {
        Some(role) => assume(sdk, role).await,
        None => sdk,
    }
}

/// Settings that providers of credentials and regions share.
fn provider_config(http: &SharedHttpClient, patience: Patience) -> ProviderConfig {
    ProviderConfig::without_region()
        .with_http_client(http.clone())
        .with_timeout_config(patience.timeouts())
        .with_retry_config(patience.retries())
}

/// `sdk` with the credentials of a role, which the SDK renews before they expire. STS is called on first use.
pub async fn assume(sdk: SdkConfig, role: &AssumeRole) -> SdkConfig {
    let mut assume = AssumeRoleProvider::builder(&role.role_arn)
        .session_name(role.session_name.as_deref().unwrap_or("burntop"))
        .configure(&sdk);
    if let Some(id) = &role.external_id {
        assume = assume.external_id(id.reveal());
    }
    let provider = SharedCredentialsProvider::new(assume.build().await);
    sdk.into_builder().credentials_provider(provider).build()
}

async fn home_region(
    source: &AccountSource,
    base: &ProviderConfig,
    metadata: &imds::Client,
) -> Region {
    if let Some(hint) = &source.region_hint {
        return Region::new(hint.to_string());
    }
    let mut profile = ProfileFileRegionProvider::builder().configure(base);
    if let Some(name) = &source.profile {
        profile = profile.profile_name(name);
    }
    let mut chain = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
        .or_else(profile.build());
    if source.profile.is_none() {
        let instance = imds::region::ImdsRegionProvider::builder()
            .configure(base)
            .imds_client(metadata.clone());
        chain = chain.or_else(instance.build());
    }
    chain.region().await.unwrap_or(Region::from_static(FALLBACK_REGION))
}

/// A profile that was asked for by name is used and nothing else: in the SDK's default chain keys
/// in the environment would win over it, and two profiles would show one account twice.
async fn credentials(
    profile: Option<String>,
    base: ProviderConfig,
    region: Region,
    metadata: imds::Client,
) -> SharedCredentialsProvider {
    const INSTANCE_ROLE: &str = "Ec2InstanceMetadata";
    let instance_role = imds::credentials::ImdsCredentialsProvider::builder()
        .configure(&base)
        .imds_client(metadata.clone())
        .build();
    match profile {
        Some(profile) => SharedCredentialsProvider::new(
            ProfileFileCredentialsProvider::builder()
                .configure(&base)
                .profile_name(profile)
                .with_custom_provider(INSTANCE_ROLE, instance_role)
                .build(),
        ),
        None => SharedCredentialsProvider::new(
            DefaultCredentialsChain::builder()
                .configure(base)
                .region(region)
                .imds_client(metadata)
                .with_custom_credential_source(INSTANCE_ROLE, instance_role)
                .build()
                .await,
        ),
    }
}
