//! What AWS says, good and bad days alike, for the server of the tests to play, and a provider that
//! talks to it through the real client stack.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use jiff::Timestamp;
use tokio::sync::OnceCell;

use super::clients::Clients;
use super::limit::Limiter;
use super::{AccountSource, AssumeRole, AwsProvider, Patience, config, network};
pub use crate::source::server::{Reply, Request, Server};

impl Request {
    /// True when the signature is for this region.
    pub fn is_for(&self, region: &str) -> bool {
        self.head.contains(&format!("/{region}/"))
    }

    /// True when the signature was made with this access key.
    pub fn is_signed_by(&self, key: &str) -> bool {
        self.head.contains(&format!("Credential={key}/"))
    }
}

impl Reply {
    pub fn xml(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, "text/xml;charset=UTF-8", body)
    }

    /// An error as EC2 words it.
    pub fn ec2_error(status: u16, code: &str, message: &str) -> Self {
        let body = format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error>\
             </Errors><RequestID>r-1</RequestID></Response>"
        );
        Self::new(status, "text/xml", body)
    }

    /// JSON as the services of AWS call it.
    pub fn aws_json(status: u16, body: impl AsRef<[u8]>) -> Self {
        Self::new(status, "application/x-amz-json-1.1", body)
    }

    pub fn cbor(value: &Cbor) -> Self {
        let mut body = Vec::new();
        value.write(&mut body);
        Self::Whole(200, "application/cbor", "smithy-protocol: rpc-v2-cbor\r\n".into(), body)
    }
}

impl Server {
    /// A provider whose every service is this server.
    pub fn provider(&self) -> AwsProvider {
        provider(&self.url)
    }

    /// One that gives a silent server up soon.
    pub fn impatient(&self) -> AwsProvider {
        with_config(&self.url, sdk(&self.url, IMPATIENT), IMPATIENT)
    }
}

/// Waits that no busy machine outlasts; pauses that are none.
const PATIENT: Patience = Patience {
    connect: Duration::from_mins(1),
    read: Duration::from_mins(1),
    attempt: Duration::from_mins(1),
    operation: Duration::from_mins(2),
    back_off: Duration::from_millis(2),
};

/// For servers that hang, and nothing else: a machine that is busy for so long is one as well.
const IMPATIENT: Patience = Patience {
    connect: Duration::from_secs(2),
    read: Duration::from_secs(2),
    attempt: Duration::from_secs(2),
    operation: Duration::from_secs(3),
    back_off: Duration::from_millis(2),
};

/// The clock of the tests.
pub fn now() -> Timestamp {
    "2026-02-03T04:05:06Z".parse().unwrap()
}

/// Fixed credentials, every service at one endpoint.
fn sdk(endpoint: &str, patience: Patience) -> SdkConfig {
    let credentials = Credentials::builder()
        .access_key_id("AKIDEXAMPLE")
        .secret_access_key("wJalrXUtnFEMI")
        .provider_name("test")
        .build();
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .http_client(network::client(None))
        .timeout_config(patience.timeouts())
        .retry_config(patience.retries())
        .stalled_stream_protection(StalledStreamProtectionConfig::enabled().build())
        .endpoint_url(endpoint)
        .build()
}

/// A provider for an endpoint, with its own rate limiter.
pub fn provider(endpoint: &str) -> AwsProvider {
    with_config(endpoint, sdk(endpoint, PATIENT), PATIENT)
}

/// A provider for an endpoint, over a client of its own.
pub fn over(endpoint: &str, http: SharedHttpClient) -> AwsProvider {
    let sdk = sdk(endpoint, PATIENT).into_builder().http_client(http).build();
    with_config(endpoint, sdk, PATIENT)
}

/// Fixed credentials, over a client, with AWS's own endpoints; nothing is asked twice.
pub fn no_endpoint(http: SharedHttpClient) -> SdkConfig {
    let mut sdk = sdk("http://localhost", PATIENT).into_builder();
    sdk.set_endpoint_url(None);
    sdk.http_client(http).retry_config(RetryConfig::disabled()).build()
}

/// A provider over a client, with AWS's own endpoints.
pub fn of_aws(http: SharedHttpClient) -> AwsProvider {
    with_config("of-aws", no_endpoint(http), PATIENT)
}

/// As [`over`], giving a silent server up soon.
pub fn impatient_over(endpoint: &str, http: SharedHttpClient) -> AwsProvider {
    let sdk = sdk(endpoint, IMPATIENT).into_builder().http_client(http).build();
    with_config(endpoint, sdk, IMPATIENT)
}

/// A provider for an endpoint that assumes a role first.
pub async fn provider_with_role(endpoint: &str, role: &AssumeRole) -> AwsProvider {
    // The role provider wants a clock, which only the loader gives.
    let region = Region::new("us-east-1");
    let loader = aws_config::defaults(BehaviorVersion::latest()).region(region).no_credentials();
    let defaults = loader.http_client(network::client(None)).load().await;
    let mut builder = sdk(endpoint, PATIENT).into_builder();
    builder.set_time_source(defaults.time_source());
    with_config(endpoint, config::assume(builder.build(), role).await, PATIENT)
}

fn with_config(endpoint: &str, sdk: SdkConfig, patience: Patience) -> AwsProvider {
    // A label of its own keeps the SDK's retry quota from being shared between tests.
    let label: Arc<str> = endpoint.into();
    AwsProvider {
        source: AccountSource {
            label: Arc::clone(&label),
            profile: Some("research".into()),
            assume_role: None,
            region_hint: None,
        },
        patience,
        clients: OnceCell::new_with(Some(Clients::new(sdk, label))),
        account: OnceLock::new(),
        limiter: Box::leak(Box::<Limiter>::default()),
        known_jobs: super::sagemaker::jobs::Known::default(),
        now,
    }
}

/// Just enough CBOR (RFC 8949) to answer as CloudWatch does.
pub enum Cbor {
    Text(&'static str),
    Float(f64),
    /// Seconds since the epoch, tag 1.
    Time(i64),
    List(Vec<Cbor>),
    Map(Vec<(&'static str, Cbor)>),
}

impl Cbor {
    fn write(&self, out: &mut Vec<u8>) {
        fn head(major: u8, n: usize, out: &mut Vec<u8>) {
            out.push(major * 0x20 + 26);
            out.extend(u32::try_from(n).unwrap().to_be_bytes());
        }
        match self {
            Self::Text(text) => {
                head(3, text.len(), out);
                out.extend(text.as_bytes());
            }
            Self::Float(value) => {
                out.push(0xfb);
                out.extend(value.to_be_bytes());
            }
            Self::Time(seconds) => {
                out.push(0xc1);
                Self::Float(*seconds as f64).write(out);
            }
            Self::List(items) => {
                head(4, items.len(), out);
                for item in items {
                    item.write(out);
                }
            }
            Self::Map(pairs) => {
                head(5, pairs.len(), out);
                for (key, value) in pairs {
                    Self::Text(key).write(out);
                    value.write(out);
                }
            }
        }
    }
}
