//! What TLS uses beside the system's settings: authorities and a certificate of its own, another name of the server.

use std::net::SocketAddr;

use reqwest::{Certificate, ClientBuilder, Identity};

use crate::domain::Secret;

/// What TLS uses beside the system's settings. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientTls {
    /// Certificates of the only authorities to trust, PEM, in place of those of a file; `None` = those of the file, else the
    /// system's.
    pub ca: Option<Vec<u8>>,
    /// Certificate of the client and its key, PEM; `None` = none is shown.
    pub identity: Option<Secret>,
    /// A name that stands for these addresses, whatever the resolver says of it; their ports do not count.
    pub resolved: Option<(String, Vec<SocketAddr>)>,
    /// True = any certificate of the server is accepted, so that anybody in between can read along.
    pub accepts_any_server: bool,
}

impl ClientTls {
    /// A builder of clients with these settings. Err where a certificate or key cannot be used.
    pub(super) fn applied(&self, mut builder: ClientBuilder) -> Result<ClientBuilder, String> {
        if let Some(pem) = &self.ca {
            let certs = Certificate::from_pem_bundle(pem).ok().filter(|certs| !certs.is_empty());
            let certs = certs.ok_or("what should be certificates of authorities is none (PEM)")?;
            builder = builder.tls_certs_only(certs);
        }
        if let Some(pem) = &self.identity {
            let identity = Identity::from_pem(pem.reveal().as_bytes());
            // What is wrong is told without what is there: it holds a key.
            let identity = identity.map_err(|_| {
                "the client's certificate or its key cannot be used (PEM)".to_owned()
            })?;
            builder = builder.identity(identity);
        }
        if let Some((name, addresses)) = &self.resolved {
            let addresses: Vec<SocketAddr> =
                addresses.iter().map(|address| SocketAddr::new(address.ip(), 0)).collect();
            builder = builder.resolve_to_addrs(name, &addresses);
        }
        if self.accepts_any_server {
            builder = builder.tls_danger_accept_invalid_certs(true);
        }
        Ok(builder)
    }
}
