//! What is wrong with a TLS connection, in words, and what to do about it.

use std::error::Error;
use std::io;

use rustls::CertificateError as Wrong;

use crate::source::causes::chain;

/// TLS failure among the causes of an error; `None` without one.
pub fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    chain(error).find_map(of)
}

/// The failure of TLS that an error is or wraps: an I/O error does not name what it wraps, which may
/// be another one, as its cause.
fn of<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let wrapped = || error.downcast_ref::<io::Error>()?.get_ref();
    error.downcast_ref().or_else(|| of(wrapped()?))
}

/// What is wrong and what to do, two sentences without full stops.
pub fn words(error: &rustls::Error) -> (String, &'static str) {
    let (what, fix) = match error {
        rustls::Error::InvalidCertificate(wrong) => certificate(wrong),
        rustls::Error::InvalidMessage(_) => (
            "the server does not speak TLS here",
            "write the address with http:// if the server has no TLS, or give the port that has",
        ),
        rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired) => (
            "the server wants a certificate of the client",
            "burntop sends none: put a proxy with the certificate before the server",
        ),
        rustls::Error::AlertReceived(_)
        | rustls::Error::PeerIncompatible(_)
        | rustls::Error::PeerMisbehaved(_) => (
            "the server and burntop agree on no TLS",
            "let the server offer TLS 1.2 or 1.3 with its usual ciphers, and check its log",
        ),
        _ => ("TLS failed", "check the address, and the certificates of ca_file and of the server"),
    };
    (format!("{what} ({error})"), fix)
}

fn certificate(wrong: &Wrong) -> (&'static str, &'static str) {
    match wrong {
        Wrong::Expired | Wrong::ExpiredContext { .. } => (
            "the server's certificate has expired",
            "renew the certificate on the server; if it is new, check this machine's clock",
        ),
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => (
            "the server's certificate is not valid yet",
            "check this machine's clock, and from when the certificate on the server is valid",
        ),
        Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => (
            "the server's certificate is for another name",
            "write the name of the certificate in the address; a certificate has to hold it among \
             its alternative names, a common name alone does not count",
        ),
        Wrong::UnknownIssuer => (
            "nobody who is trusted has signed the server's certificate",
            "name the certificate of its authority (PEM) in ca_file",
        ),
        Wrong::Revoked => {
            ("the server's certificate was revoked", "give the server a new certificate")
        }
        Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. } => (
            "the server's certificate is none of a server",
            "give the server a certificate for serverAuth",
        ),
        _ => (
            "the server's certificate is not accepted",
            "give the server a certificate with a key of today's length, signed with SHA-256 or \
             better; a certificate that signs itself goes into ca_file only if it is an authority's",
        ),
    }
}
