//! A loopback HTTP server that plays AWS, good and bad days alike, and a provider that talks to
//! it through the real client stack.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// What the client asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub body: Vec<u8>,
    headers: String,
}

impl Request {
    /// The body (EC2 and STS: a form) as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// `GET`, `PUT`, `DELETE`, `POST`.
    pub fn method(&self) -> &str {
        self.headers.split(' ').next().unwrap_or_default()
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().skip(1);
        let mut pairs = lines.filter_map(|l| l.split_once(':'));
        pairs.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
    }

    /// True when the signature is for this region.
    pub fn is_for(&self, region: &str) -> bool {
        self.headers.contains(&format!("/{region}/"))
    }

    /// True when the signature was made with this access key.
    pub fn is_signed_by(&self, key: &str) -> bool {
        self.headers.contains(&format!("Credential={key}/"))
    }

    /// True when the body holds the bytes of `text` (CBOR keeps strings readable).
    pub fn mentions(&self, text: &str) -> bool {
        self.body.windows(text.len()).any(|w| w == text.as_bytes())
    }
}

/// What the server does with a request.
pub enum Reply {
    /// A whole answer: status, content type, further headers, body.
    Whole(u16, &'static str, &'static str, Vec<u8>),
    /// The first half of an answer, then the connection closes.
    Half(Vec<u8>),
    /// Nothing, for ever.
    Hang,
}

impl Reply {
    pub fn xml(body: impl Into<String>) -> Self {
        Self::Whole(200, "text/xml;charset=UTF-8", "", body.into().into_bytes())
    }

    /// An error as EC2 words it.
    pub fn ec2_error(status: u16, code: &str, message: &str) -> Self {
        let body = format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error>\
             </Errors><RequestID>r-1</RequestID></Response>"
        );
        Self::Whole(status, "text/xml", "", body.into_bytes())
    }

    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self::Whole(status, "application/x-amz-json-1.1", "", body.into().into_bytes())
    }

    pub fn cbor(value: &Cbor) -> Self {
        let mut body = Vec::new();
        value.write(&mut body);
        Self::Whole(200, "application/cbor", "smithy-protocol: rpc-v2-cbor\r\n", body)
    }
}

/// A running server; it ends with the process.
pub struct Server {
    pub url: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Answers every request with what `answer` says; the number counts requests from 0.
    pub fn start(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (answer, count) = (Arc::new(answer), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, count) = (Arc::clone(&answer), Arc::clone(&count));
                std::thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let reply = answer(count.fetch_add(1, Ordering::SeqCst), &request);
                    write(stream, reply);
                });
            }
        });
        Self { url, requests }
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// A provider whose every service is this server.
    pub fn provider(&self) -> AwsProvider {
        provider(&self.url)
    }

    /// One that gives a silent server up soon.
    pub fn impatient(&self) -> AwsProvider {
        with_config(&self.url, sdk(&self.url, IMPATIENT), IMPATIENT)
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut headers = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        headers.push_str(&line);
    }
    let length = headers
        .lines()
        .find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = headers.split(' ').nth(1)?.to_owned();
    Some(Request { path, body, headers })
}

fn write(mut stream: TcpStream, reply: Reply) {
    let head = |status: u16, kind: &str, more: &str, length: usize| {
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}content-length: {length}\r\n\
             connection: close\r\n\r\n"
        )
    };
    let bytes = match reply {
        Reply::Whole(status, kind, more, body) => {
            [head(status, kind, more, body.len()).into_bytes(), body].concat()
        }
        Reply::Half(body) => {
            let half = body[..body.len() / 2].to_vec();
            [head(200, "text/xml", "", body.len()).into_bytes(), half].concat()
        }
        Reply::Hang => loop {
            std::thread::park();
        },
    };
    // The client may be gone already; that is its right.
    let _gone = stream.write_all(&bytes);
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
