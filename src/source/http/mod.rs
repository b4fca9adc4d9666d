//! The HTTP client for telemetry (metric servers, exporters) and for what is delivered. Every call
//! ends in time, every answer is bounded, credentials go to the host that was asked and to no other,
//! and errors say what failed, where, and what to do.

mod answer;
mod auth;
mod client_tls;
mod delivery;
mod error;
#[cfg(test)]
mod tests;
pub mod tls;
#[cfg(test)]
mod tls_tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Method, Url, redirect};

pub use answer::{Answer, Expect};
pub use auth::Auth;
pub use client_tls::ClientTls;
pub use delivery::{Delivery, Forbidden};
pub use error::Place;

use crate::domain::address::{AddressError, is_loopback, may_carry_credentials};
use crate::domain::{Address, ErrorKind, Secret, SourceError};
use crate::files;
use crate::source::causes::root;
use crate::source::proxy::Proxies;

/// Settings of an HTTP client.
#[derive(Clone, Debug)]
pub struct HttpSettings {
    /// Time limit for TCP and TLS handshakes.
    pub connect: Duration,
    /// Idle connections kept per host.
    pub idle_per_host: usize,
    /// Time that idle connections are kept.
    pub idle_for: Duration,
    /// PEM file with the only certificate authorities to trust; `None` = the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM file with further certificate authorities to trust; `None` = no further ones.
    pub more_ca_file: Option<PathBuf>,
    /// What else TLS is to use.
    pub tls: ClientTls,
    /// Credentials sent with each request.
    pub auth: Auth,
    /// Headers sent with each request and never shown, such as `X-Scope-OrgID`.
    pub headers: Vec<(String, Secret)>,
    /// True to use the proxy of the environment (`HTTPS_PROXY`, `NO_PROXY`). Addresses on this host are never reached
    /// through one.
    pub proxy: bool,
    /// What holds of a client that delivers messages; `None` = it reads, from wherever it is told to.
    pub delivery: Option<Delivery>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(3),
            idle_per_host: 2,
            idle_for: Duration::from_secs(90),
            ca_file: None,
            more_ca_file: None,
            tls: ClientTls::default(),
            auth: Auth::None,
            headers: Vec::new(),
            proxy: true,
            delivery: None,
        }
    }
}

/// Limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Largest decompressed answer, bytes.
    pub bytes: usize,
    /// Time limit of the whole call.
    pub time: Duration,
}

/// A complete request, for callers that sign it.
#[derive(Clone, Debug)]
pub struct Request {
    /// URL of the request.
    pub url: Url,
    /// Body to post: a form, unless the client's fixed headers name another content type. `None` for GET.
    pub form: Option<String>,
    /// Further headers, never shown.
    pub headers: Vec<(String, Secret)>,
}

/// HTTP client for telemetry. Cloning is cheap and shares connections.
#[derive(Clone)]
pub struct Http {
    settings: std::sync::Arc<HttpSettings>,
    fixed: HeaderMap,
    /// One for each [`Way`], made when first needed.
    clients: std::sync::Arc<[OnceLock<Result<Client, String>>; 4]>,
}

/// How a call travels.
#[derive(Clone, Copy)]
struct Way {
    /// Plain HTTP needs no certificates; reading the system's takes tens of milliseconds.
    tls: bool,
    /// Through the proxy that the environment names.
    proxy: bool,
}

impl Way {
    fn of(url: &Url, settings: &HttpSettings) -> Self {
        Self { tls: url.scheme() == "https", proxy: settings.proxy && !is_loopback(url) }
    }

    fn index(self) -> usize {
        usize::from(self.tls) << 1 | usize::from(self.proxy)
    }
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Http {
    /// A client without connections; files with passwords and tokens are read for each call.
    ///
    /// # Errors
    /// A header cannot be sent.
    pub fn new(settings: HttpSettings) -> Result<Self, SourceError> {
        let fixed = headers(&settings.headers)?;
        Ok(Self { settings: settings.into(), fixed, clients: std::sync::Arc::default() })
    }

    /// Gets `url`. Any HTTP status is an answer: [`Answer::checked`] turns unsuccessful ones into errors. `operation`
    /// is for messages: `exporter:metrics`.
    ///
    /// # Errors
    /// No answer: an invalid URL, a time-out, a failed connection, an answer beyond `limit`.
    pub async fn get(
        &self,
        operation: &'static str,
        url: &str,
        limit: Limit,
    ) -> Result<Answer, SourceError> {
        let url = parse(operation, url)?;
        self.send(operation, Request { url, form: None, headers: Vec::new() }, limit).await
    }

    /// Sends a request with the client's credentials and fixed headers.
    ///
    /// # Errors
    /// Those of [`Http::get`].
    pub async fn send(
        &self,
        operation: &'static str,
        request: Request,
        limit: Limit,
    ) -> Result<Answer, SourceError> {
        let place = Place::new(operation, &request.url);
        if let Some(Err(forbidden)) = self.settings.delivery.map(|d| d.check(&request.url)) {
            return Err(error::forbidden(forbidden, &place));
        }
        let mut all = self.fixed.clone();
        for (name, value) in headers(&request.headers)? {
            if let Some(name) = name {
                all.insert(name, value);
            }
        }
        if let Some(value) = self.settings.auth.header(&place).await? {
            all.insert(reqwest::header::AUTHORIZATION, value);
        }
        // The settings are checked as well; this holds for whatever leads here.
        let carries =
            all.contains_key(reqwest::header::AUTHORIZATION) || !request.headers.is_empty();
        if carries && !may_carry_credentials(&request.url) {
            return Err(place.error(
                ErrorKind::Refused,
                "credentials would travel in clear text, and were not sent",
                "use https://; plain http:// is for addresses on this host",
            ));
        }
        let mut way = Way::of(&request.url, &self.settings);
        if way.proxy {
            match Proxies::of_process().way(&request.url) {
                Err(setting) => {
                    return Err(place.error(ErrorKind::Other, &setting.to_string(), &setting.fix));
                }
                // What is delivered without a proxy has its addresses checked, a proxy's own are not.
                Ok(None)
                    if self.settings.delivery.is_some() && !Proxies::of_process().is_empty() =>
                {
                    way.proxy = false;
                }
                Ok(_) => {}
            }
        }
        let method = if request.form.is_some() { Method::POST } else { Method::GET };
        let client = self.client(way, &place)?;
        let is_typed = all.contains_key(reqwest::header::CONTENT_TYPE);
        let mut call = client.request(method, request.url).headers(all).timeout(limit.time);
        if let Some(form) = request.form {
            if !is_typed {
                let kind = HeaderValue::from_static(FORM);
                call = call.header(reqwest::header::CONTENT_TYPE, kind);
            }
            call = call.body(form);
        }
        let from = std::time::Instant::now();
        let read = async {
            let response = call.send().await.map_err(|e| error::from_http(e, &place, limit))?;
            answer::read(response, place.clone(), limit, self.settings.delivery.is_some()).await
        };
        let answer = read.await;
        tracing::debug!(
            operation,
            place = %place,
            ms = from.elapsed().as_millis() as u64,
            status = answer.as_ref().map_or(0, |a| a.status),
            "http"
        );
        answer
    }

    fn client(&self, way: Way, place: &Place) -> Result<&Client, SourceError> {
        self.clients[way.index()].get_or_init(|| build(&self.settings, way)).as_ref().map_err(
            |message| {
                place.error(
                    ErrorKind::Other,
                    message,
                    "check ca_file; without one the system's certificates must be installed",
                )
            },
        )
    }
}

/// Content type of a posted form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// Body of a form with these names and values, in this order.
pub(crate) fn encode_form(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://form.invalid/").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    url.as_ref().and_then(Url::query).unwrap_or_default().to_owned()
}

/// Parses a URL. Err for an invalid one, and for one with user or password, which would end up in logs.
pub(crate) fn parse(operation: &str, url: &str) -> Result<Url, SourceError> {
    let refuse =
        |message: &str, fix: &str| Err(SourceError::new(ErrorKind::Other, operation, message, fix));
    Address::new(url).parse().or_else(|why| match why {
        AddressError::User => refuse(
            &why.to_string(),
            "take them out of the address; put the password into a file and name it",
        ),
        AddressError::NoAddress => refuse(&why.to_string(), "write it as http://host:port"),
    })
}

fn headers(pairs: &[(String, Secret)]) -> Result<HeaderMap, SourceError> {
    let mut out = HeaderMap::new();
    for (name, value) in pairs {
        let (Ok(name), Ok(mut value)) =
            (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.reveal()))
        else {
            return Err(SourceError::new(
                ErrorKind::Other,
                "http:header",
                &format!("the header {name} cannot be sent"),
                "a header's name is letters, digits and dashes, its value one line of text",
            ));
        };
        value.set_sensitive(true);
        out.insert(name, value);
    }
    Ok(out)
}

/// Redirects within the same scheme, host and port are followed, three at most: credentials and
/// what is signed belong to the host that was asked.
fn redirects() -> redirect::Policy {
    redirect::Policy::custom(|attempt| {
        let same = attempt.previous().first().is_some_and(|from| {
            let to = attempt.url();
            (from.scheme(), from.host_str(), from.port_or_known_default())
                == (to.scheme(), to.host_str(), to.port_or_known_default())
        });
        if same && attempt.previous().len() <= 3 { attempt.follow() } else { attempt.stop() }
    })
}

/// The largest `ca_file`, bytes: that of a whole system has 250 KB.
const CA_AT_MOST: u64 = 4 << 20;

/// What `localhost` is, whatever the resolver says: a token for this host must not leave it. The
/// port is that of the address.
const LOCALHOST: [SocketAddr; 2] = [
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
    SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0),
];

fn build(settings: &HttpSettings, way: Way) -> Result<Client, String> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that somebody was first, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = Client::builder()
        .user_agent(concat!("burntop/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(settings.connect)
        .pool_max_idle_per_host(settings.idle_per_host)
        .pool_idle_timeout(settings.idle_for)
        .redirect(match settings.delivery {
            // A POST may come out of a redirect as a GET, whose answer says nothing of the message.
            Some(_) => redirect::Policy::none(),
            None => redirects(),
        })
        .referer(false)
        .resolve_to_addrs("localhost", &LOCALHOST)
        .gzip(true);
    let proxies = Proxies::of_process();
    if let Some(delivery) = settings.delivery.filter(|_| !way.proxy || proxies.is_empty()) {
        builder = builder.dns_resolver(delivery);
    }
    if !way.proxy {
        builder = builder.no_proxy();
    } else if !proxies.is_empty() {
        // Where the variables name none, the system's settings may (macOS).
        builder = builder.proxy(reqwest::Proxy::custom(|url| {
            proxies.way(url).ok().flatten().map(|proxy| proxy.reveal().to_owned())
        }));
    }
    if way.tls {
        builder = settings.tls.applied(builder)?;
    }
    if let (true, Some(file), None) = (way.tls, &settings.ca_file, &settings.tls.ca) {
        builder = builder.tls_certs_only(authorities(file)?);
    } else if !way.tls && !way.proxy {
        builder = builder.tls_certs_only([]);
    }
    if let (true, Some(file)) = (way.tls, &settings.more_ca_file) {
        builder = builder.tls_certs_merge(authorities(file)?);
    }
    builder.build().map_err(|e| format!("cannot set up TLS: {}", root(&e)))
}

/// Certificates of a file, one at least.
fn authorities(file: &Path) -> Result<Vec<Certificate>, String> {
    let text = files::read_named(file, CA_AT_MOST)
        .map_err(|e| format!("{}: {}", file.display(), files::explain(&e)))?;
    let certs = Certificate::from_pem_bundle(&text).ok().filter(|certs| !certs.is_empty());
    certs.ok_or_else(|| format!("{} holds no certificates (PEM)", file.display()))
}
