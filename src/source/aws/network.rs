//! The HTTP client of all SDK clients and of whatever finds credentials: TLS by rustls with ring,
//! through the proxy that the environment names, trusting the authorities that the settings name.
//! A setting that cannot be used fails each request that would need it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_http_client::{Builder, Connector};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use url::Url;

use super::network_error;
use super::trust::Named;
use crate::source::proxy::{Proxies, Proxy, SettingError};

/// HTTP client with additional certificate authorities. Accounts with the same `bundle` share it, so that certificates
/// are loaded once and connections shared.
pub fn client(bundle: Option<&Named>) -> SharedHttpClient {
    static CLIENTS: LazyLock<Mutex<HashMap<Option<Named>, SharedHttpClient>>> =
        LazyLock::new(Mutex::default);
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || make(Proxies::of_process().clone(), bundle);
    clients.entry(bundle.cloned()).or_insert_with(made).clone()
}

/// HTTP client with these proxies and certificate authorities.
pub fn make(proxies: Arc<Proxies>, bundle: Option<&Named>) -> SharedHttpClient {
    SharedHttpClient::new(Network(Arc::new(Ways::new(proxies, bundle))))
}

/// A request that could not be delivered: its endpoint and the way to it.
#[derive(Debug, thiserror::Error)]
#[error("{host}")]
pub struct Unreached {
    /// `host:port` of the endpoint.
    pub host: String,
    /// Proxy in use; `None` for a direct connection.
    pub proxy: Option<Proxy>,
    /// Setting with additional certificate authorities, and its file; `None` without one.
    pub bundle: Option<Named>,
    source: BoxError,
}

/// A proxy that passes plain HTTP on answered in the endpoint's place that it wants credentials.
#[derive(Debug, thiserror::Error)]
#[error("proxy authorization required")]
struct WantsCredentials;

/// The client: which way a request goes is decided for each.
#[derive(Debug)]
struct Network(Arc<Ways>);

#[derive(Debug)]
struct Ways {
    proxies: Arc<Proxies>,
    bundle: Option<Named>,
    /// `Err` when the bundle cannot be used: whoever is asked by TLS is not asked then.
    trusted: Result<(), SettingError>,
    direct: SharedHttpClient,
    /// By way of the proxy for `http` and for `https`.
    proxied: [Option<SharedHttpClient>; 2],
}

impl Ways {
    fn new(proxies: Arc<Proxies>, bundle: Option<&Named>) -> Self {
        let read = bundle.map_or_else(|| Ok(TrustStore::default()), |b| b.read().map(|(s, _)| s));
        let (store, trusted) = match read {
            Ok(store) => (store, Ok(())),
            Err(error) => (TrustStore::default(), Err(error)),
        };
        let context = TlsContext::builder().with_trust_store(store).build().unwrap_or_default();
        let proxied = ["http", "https"].map(|scheme| {
            let proxy = proxies.for_scheme(scheme).ok()??;
            // Never an error here: the address was checked when it was read.
            let config = ProxyConfig::all(proxy.reveal()).ok()?;
            Some(through(config, context.clone()))
        });
        let direct = Builder::new().tls_provider(provider()).tls_context(context).build_https();
        Self { proxies, bundle: bundle.cloned(), trusted, direct, proxied }
    }

    /// The client that a request takes, and the proxy on its way.
    fn of(&self, url: &Url) -> Result<(&SharedHttpClient, Option<Proxy>), SettingError> {
        let tls = url.scheme() == "https";
        if tls {
            self.trusted.clone()?;
        }
        let Some(proxy) = self.proxies.way(url).map_err(Clone::clone)? else {
            return Ok((&self.direct, None));
        };
        let client = self.proxied[usize::from(tls)].as_ref().ok_or_else(|| {
            SettingError::new(proxy.variable, "cannot be used", "write it as http://host:port")
        })?;
        Ok((client, Some(proxy.clone())))
    }
}

fn provider() -> Provider {
    Provider::Rustls(CryptoMode::Ring)
}

fn through(proxy: ProxyConfig, context: TlsContext) -> SharedHttpClient {
    Builder::new().build_with_connector_fn(move |settings, components| {
        let mut builder = Connector::builder()
            .tls_provider(provider())
            .tls_context(context.clone())
            .proxy_config(proxy.clone());
        builder.set_connector_settings(settings.cloned());
        builder.set_sleep_impl(components.and_then(RuntimeComponents::sleep_impl));
        builder.build()
    })
}

impl HttpClient for Network {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Chooser {
            ways: self.0.clone(),
            settings: settings.clone(),
            components: components.clone(),
        })
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.0.direct.connector_metadata()
    }
}

/// Sends each request its way. The connectors behind it, which hold the connections, are made when
/// they are first needed and kept by the clients.
#[derive(Debug)]
struct Chooser {
    ways: Arc<Ways>,
    settings: HttpConnectorSettings,
    components: RuntimeComponents,
}

impl HttpConnector for Chooser {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let user = |error: BoxError| HttpConnectorFuture::ready(Err(ConnectorError::user(error)));
        let url = match Url::parse(request.uri()) {
            Ok(url) => url,
            Err(error) => return user(error.into()),
        };
        let (way, proxy) = match self.ways.of(&url) {
            Ok(way) => way,
            Err(setting) => return user(setting.into()),
        };
        let connector = way.http_connector(&self.settings, &self.components);
        let ways = self.ways.clone();
        HttpConnectorFuture::new(async move {
            let failed = match connector.call(request).await {
                Ok(answer) if proxy.is_some() && answer.status().as_u16() == 407 => {
                    ConnectorError::other(WantsCredentials.into(), None)
                }
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let host = format!(
                "{}:{}",
                url.host_str().unwrap_or_default(),
                url.port_or_known_default().unwrap_or_default()
            );
            Err(named(failed, |source| Unreached {
                host,
                proxy,
                bundle: ways.bundle.clone(),
                source,
            }))
        })
    }
}

/// The same failure, of the same kind (by which the SDK decides on retries), that says where. What
/// will fail again is not tried again: nobody would hear of it in time.
fn named(error: ConnectorError, place: impl FnOnce(BoxError) -> Unreached) -> ConnectorError {
    let connection = error.connection_metadata().cloned();
    let (timeout, user, io) = (error.is_timeout(), error.is_user(), error.is_io());
    let kind = error.as_other();
    let place = place(error.into_source());
    let hopeless = network_error::is_hopeless(&place);
    let source: BoxError = place.into();
    let error = if hopeless {
        ConnectorError::other(source, None)
    } else if timeout {
        ConnectorError::timeout(source)
    } else if user {
        ConnectorError::user(source)
    } else if io {
        ConnectorError::io(source)
    } else {
        ConnectorError::other(source, kind)
    };
    match connection {
        Some(connection) => error.with_connection(connection),
        None => error,
    }
}

#[cfg(test)]
mod tests;
