//! Credentials for requests that no SDK client makes: Amazon's Prometheus is signed by ourselves.

use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use tokio::sync::OnceCell;

use super::config::{AccountSource, Patience, load};

/// Credentials of a profile, `None` = the default chain. No file is read and no service called until they are needed.
pub fn signer(profile: Option<&str>) -> SharedCredentialsProvider {
    let source = AccountSource {
        label: profile.unwrap_or("default").into(),
        profile: profile.map(str::to_owned),
        assume_role: None,
        region_hint: None,
    };
    SharedCredentialsProvider::new(Lazy { source, sdk: OnceCell::new() })
}

#[derive(Debug)]
struct Lazy {
    source: AccountSource,
    sdk: OnceCell<SdkConfig>,
}

impl ProvideCredentials for Lazy {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(async {
            let sdk = self.sdk.get_or_init(|| load(&self.source, Patience::DEFAULT)).await;
            let provider = sdk
                .credentials_provider()
                .ok_or_else(|| CredentialsError::not_loaded("the chain has no provider"))?;
            let found: Credentials = provider.provide_credentials().await?;
            Ok(found)
        })
    }
}
