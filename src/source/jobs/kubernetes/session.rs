//! Requests to one API server: with the credentials of its kubeconfig, and anew with fresh ones where they have ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::Url;

use super::exec::{self, Credential};
use super::kubeconfig::Exec;
use super::target::{Sends, Target, token_of};
use super::wire::Status;
use super::{KubernetesSettings, OPERATION};
use crate::domain::text::clean_to;
use crate::domain::{ErrorKind, Secret, SourceError};
use crate::source::http::{Answer, ClientTls, Expect, Http, HttpSettings, Limit, Request, parse};

/// Most bytes of a page: 500 pods of 128 KiB each.
const PAGE_AT_MOST: usize = 64 << 20;

/// Longest message of the server that is repeated, characters.
const SAID_AT_MOST: usize = 300;

/// What is kept from one reading to the next: connections and credentials.
#[derive(Default)]
pub(super) struct Kept(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    http: Option<(ClientTls, Http)>,
    made: Option<(Exec, Credential)>,
}

impl Kept {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Requests of one reading.
pub(super) struct Session<'a> {
    kept: &'a Kept,
    target: Target,
    base: Url,
    /// The name in the address, where another stands for it in TLS.
    host: Option<String>,
    tls: ClientTls,
    http: Http,
    token: Option<Secret>,
    now: Timestamp,
    limit: Duration,
}

impl<'a> Session<'a> {
    /// Begins a reading. Err where the cluster is not known, or its credentials cannot be had.
    pub async fn open(
        kept: &'a Kept,
        settings: &KubernetesSettings,
        all: &Arc<[KubernetesSettings]>,
        now: Timestamp,
    ) -> Result<Self, SourceError> {
        let (of, all) = (settings.clone(), all.clone());
        let target = blocking(move || Target::load_beside(&of, &all)).await?;
        let mut base = parse(OPERATION, target.server.reveal())?;
        let mut tls = ClientTls {
            ca: target.ca.clone(),
            accepts_any_server: target.is_insecure,
            ..ClientTls::default()
        };
        let mut host = None;
        if let (Some(name), "https") = (&target.server_name, base.scheme()) {
            tls.resolved = Some((name.clone(), addresses(&base).await?));
            host = Some(authority(&base));
            if base.set_host(Some(name)).is_err() || base.domain().is_none() {
                let fix = "give `tls-server-name` the name that is in the server's certificate";
                let why = "the `tls-server-name` of the kubeconfig is no name of a host";
                return Err(SourceError::new(ErrorKind::Refused, OPERATION, why, fix));
            }
        }
        let limit = settings.timeout;
        let http = Http::new(HttpSettings::default())?;
        let mut session = Self { kept, target, base, host, tls, http, token: None, now, limit };
        session.authenticate(false).await?;
        Ok(session)
    }

    /// Name of the cluster.
    pub fn cluster(&self) -> Arc<str> {
        self.target.cluster.clone()
    }

    /// Gets credentials, `anew` in place of those that are kept. Over plain HTTP none is got, as none would be sent.
    async fn authenticate(&mut self, anew: bool) -> Result<(), SourceError> {
        let mut identity = self.target.identity.clone();
        self.token = None;
        if self.base.scheme() == "https" {
            match &self.target.sends {
                Sends::Nothing => {}
                Sends::Token(token) => self.token = Some(token.clone()),
                Sends::TokenFile(file) => {
                    let file = file.clone();
                    self.token = Some(blocking(move || token_of(&file)).await?);
                }
                Sends::Exec(exec) => {
                    let made = self.made(exec, anew).await?;
                    self.token = made.token;
                    identity = made.identity.or(identity);
                }
            }
        } else {
            identity = None;
        }
        self.tls.identity = identity;
        self.http = self.connected()?;
        Ok(())
    }

    /// What the program makes, or made before and still lasts.
    async fn made(&self, exec: &Exec, anew: bool) -> Result<Credential, SourceError> {
        let known = self.kept.inner().made.clone();
        let lasts = |made: &(Exec, Credential)| !anew && made.0 == *exec && made.1.lasts(self.now);
        if let Some((_, known)) = known.filter(lasts) {
            return Ok(known);
        }
        let dir = &self.target.dir;
        let made = exec::run(exec, &self.target.info(), dir, (self.now, self.limit)).await?;
        self.kept.inner().made = Some((exec.clone(), made.clone()));
        Ok(made)
    }

    /// The client with these settings of TLS: that of the last reading, where it had the same.
    fn connected(&self) -> Result<Http, SourceError> {
        let mut inner = self.kept.inner();
        if let Some((tls, http)) = &inner.http
            && *tls == self.tls
        {
            return Ok(http.clone());
        }
        let http = Http::new(HttpSettings {
            tls: self.tls.clone(),
            // A proxy would be asked for the name in the certificate, which is none that leads there.
            proxy: self.tls.resolved.is_none(),
            ..HttpSettings::default()
        })?;
        inner.http = Some((self.tls.clone(), http.clone()));
        Ok(http)
    }

    /// What a path answers, whatever its status; once more with fresh credentials where these are not accepted.
    pub async fn ask(&mut self, path: &str) -> Result<Answer, SourceError> {
        let answer = self.send(path).await?;
        if answer.status != 401 {
            return Ok(answer);
        }
        let before = (self.token.clone(), self.tls.identity.clone());
        if matches!(self.target.sends, Sends::Nothing | Sends::Token(_)) {
            return Ok(answer);
        }
        self.authenticate(true).await?;
        // The same token would be refused again; what a program makes may be the same and newly valid.
        let is_same = before == (self.token.clone(), self.tls.identity.clone());
        if is_same && !matches!(self.target.sends, Sends::Exec(_)) {
            return Ok(answer);
        }
        self.send(path).await
    }

    async fn send(&self, path: &str) -> Result<Answer, SourceError> {
        let base = self.base.as_str().trim_end_matches('/');
        let url = parse(OPERATION, &format!("{base}{path}"))?;
        let mut headers = Vec::new();
        if let Some(token) = &self.token {
            let value = format!("Bearer {}", token.reveal().trim());
            headers.push(("Authorization".to_owned(), Secret::new(value)));
        }
        if let Some(host) = &self.host {
            headers.push(("Host".to_owned(), Secret::new(host.as_str())));
        }
        let limit = Limit { bytes: PAGE_AT_MOST, time: self.limit };
        let sent = self.http.send(OPERATION, Request { url, form: None, headers }, limit).await;
        sent.map_err(|error| self.of_connection(error))
    }

    /// An error of the connection, with what helps where a kubeconfig has the certificates.
    fn of_connection(&self, error: SourceError) -> SourceError {
        let fix = if error.fix.contains("burntop sends none") {
            match self.tls.identity {
                Some(_) => "the server takes another certificate: renew that of the kubeconfig",
                None => "give the user of the kubeconfig a `client-certificate` and its key",
            }
        } else if error.fix.contains("ca_file") {
            "check `certificate-authority` of the cluster, and the certificate and key of the user, in \
             the kubeconfig"
        } else if error.fix.contains("name of the certificate in the address") {
            "write the name of the certificate into `tls-server-name` of the cluster in the kubeconfig"
        } else {
            return error;
        };
        SourceError::new(error.kind, &error.operation, &error.message, fix)
    }

    /// Error of an answer that is none.
    pub fn failure(&self, answer: Answer) -> SourceError {
        let (status, place) = (answer.status, answer.place.clone());
        let said: Option<Status> = serde_json::from_slice(&answer.body).ok();
        let said = said.filter(|said| said.kind.as_deref() == Some("Status"));
        let said = said.and_then(|said| said.message).unwrap_or_default();
        let said = match clean_to(said.trim(), SAID_AT_MOST) {
            said if said.is_empty() => String::new(),
            said => format!(": {said}"),
        };
        match status {
            401 => {
                let fix = match (&self.target.sends, self.base.scheme()) {
                    (_, "http") => {
                        "write the server's address with https://: over http:// nobody is logged in"
                    }
                    (Sends::Exec(_), _) => {
                        "see which user the credential program logs in, and log in anew"
                    }
                    (Sends::TokenFile(_), _) => "renew the token in its file",
                    _ => "renew the token or the certificate of the user in the kubeconfig",
                };
                let kind = if self.token.is_some() {
                    ErrorKind::Expired
                } else {
                    ErrorKind::NoCredentials
                };
                place.error(
                    kind,
                    &format!("does not accept these credentials (HTTP 401){said}"),
                    fix,
                )
            }
            403 => {
                let fix = "let its role list pods, jobs and nodes (docs/jobs.md has the role), or name the \
                           namespaces that it may read: `namespaces` of this source";
                place.error(ErrorKind::Denied, &format!("may not be read (HTTP 403){said}"), fix)
            }
            404 => {
                let fix = "check that the server of the kubeconfig is the API server of a cluster";
                place.error(
                    ErrorKind::Unavailable,
                    &format!("nothing of this kind here (HTTP 404){said}"),
                    fix,
                )
            }
            _ => match answer.checked(Expect::Json) {
                Err(error) if said.is_empty() => error,
                Err(error) => SourceError::new(
                    error.kind,
                    &error.operation,
                    &format!("{}{said}", error.message),
                    &error.fix,
                ),
                Ok(answer) => {
                    let fix =
                        "check that the server of the kubeconfig is the API server of a cluster";
                    answer.place.error(ErrorKind::Malformed, "answers with something else", fix)
                }
            },
        }
    }
}

/// Addresses of the host of a URL.
async fn addresses(url: &Url) -> Result<Vec<std::net::SocketAddr>, SourceError> {
    let port = url.port_or_known_default().unwrap_or(443);
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    match tokio::net::lookup_host((host.as_str(), port)).await {
        Ok(found) => Ok(found.collect()),
        Err(error) => {
            let why = format!("{host}: {}", crate::files::reason(&error));
            let fix = "check the address in the kubeconfig, and DNS";
            Err(SourceError::new(ErrorKind::Network, OPERATION, &why, fix))
        }
    }
}

/// `host:port` of a URL, the port where it is not that of its scheme.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Runs what reads files off the workers.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let why = "reading its files was cut short";
        Err(SourceError::new(ErrorKind::Other, OPERATION, why, "burntop tries again by itself"))
    })
}
