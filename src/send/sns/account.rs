//! With which credentials, and where, is published: what the AWS files and the environment say, as everywhere else.

use std::collections::HashMap;

use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials as _;
use aws_types::service_config::ServiceConfigKey;
use tokio::sync::Mutex;

use super::super::error::SendError;
use super::topic::Topic;
use crate::source::aws::config::load;
use crate::source::aws::{AccountSource, Patience};

/// What a topic is published with.
pub struct Account {
    /// Credentials as they are now.
    pub credentials: Credentials,
    /// Address of the service.
    pub endpoint: String,
    /// True where the user gave the address.
    pub is_own: bool,
}

/// The configurations that were read, by profile and region. Credentials are asked for each time: what has expired is
/// renewed there.
#[derive(Debug, Default)]
pub struct Accounts(Mutex<HashMap<(Option<String>, String), SdkConfig>>);

impl Accounts {
    /// What a topic is published with, by a profile; `None` = the default credentials.
    ///
    /// # Errors
    /// There are no credentials; it may pass, a login ends it.
    pub async fn of(&self, profile: Option<&str>, topic: &Topic<'_>) -> Result<Account, SendError> {
        let sdk = self.sdk(profile, topic.region).await;
        let (endpoint, is_own) = match own_endpoint(&sdk) {
            Some(own) => (own, true),
            None => {
                let fips = sdk.use_fips().unwrap_or_default();
                let dual_stack = sdk.use_dual_stack().unwrap_or_default();
                (format!("https://{}", topic.host(fips, dual_stack)), false)
            }
        };
        let found = match sdk.credentials_provider() {
            Some(provider) => provider.provide_credentials().await.ok(),
            None => None,
        };
        let credentials = found.ok_or_else(|| {
            let of = profile.map(|name| format!(" of the profile {name}")).unwrap_or_default();
            SendError::later(
                format!("no AWS credentials{of} to publish with"),
                "log in, or name a profile of this sink; burntop doctor says what is found",
            )
        })?;
        Ok(Account { credentials, endpoint, is_own })
    }

    async fn sdk(&self, profile: Option<&str>, region: &str) -> SdkConfig {
        let key = (profile.map(str::to_owned), region.to_owned());
        let mut kept = self.0.lock().await;
        if let Some(sdk) = kept.get(&key) {
            return sdk.clone();
        }
        let source = AccountSource {
            label: profile.unwrap_or("default").into(),
            profile: key.0.clone(),
            assume_role: None,
            region_hint: Some(region.into()),
        };
        let sdk = load(&source, Patience::DEFAULT).await;
        kept.insert(key, sdk.clone());
        sdk
    }
}

/// The address that the environment or the profile gives SNS: its own before that of all services.
fn own_endpoint(sdk: &SdkConfig) -> Option<String> {
    let of_all = sdk.endpoint_url().map(str::to_owned);
    let key = ServiceConfigKey::builder()
        .service_id("sns")
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok();
    let own = key.and_then(|key| sdk.service_config()?.load_config(key));
    own.or(of_all)
}
