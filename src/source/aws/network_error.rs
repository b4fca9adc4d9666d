//! What is wrong between this machine and AWS, in words that name the setting to look at: proxy,
//! certificates, endpoints that are not there.

use std::error::Error;

use super::network::Unreached;
use super::trust;
use crate::domain::ErrorKind;
use crate::source::causes::{chain, find};
use crate::source::http::tls;
use crate::source::proxy::{Proxy, SettingError};

/// Kind, message and advice for a failure on the network path; `None` when it is only known that the endpoint was not
/// reached.
pub fn words(error: &(dyn Error + 'static)) -> Option<(ErrorKind, String, String)> {
    if let Some(setting) = find::<SettingError>(error) {
        return Some((ErrorKind::Other, setting.to_string(), setting.fix.clone()));
    }
    let place = find::<Unreached>(error)?;
    if let Some(wrong) = tls::find(place) {
        let (message, fix) = certificate(place, wrong);
        return Some((ErrorKind::Network, message, fix));
    }
    let said = chain(place).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    let has = |words: &str| said.contains(words);
    let unknown = has("failed to lookup address") || has("dns error");
    let tunnel = has("tunnel error: unsuccessful");
    if let Some(kind) = special(&place.host).filter(|_| unknown || tunnel) {
        let by = place.proxy.as_ref().map(|p| format!(" through {}", name(p))).unwrap_or_default();
        return Some((
            ErrorKind::Unavailable,
            format!("{} is not there{by}: not every service has {}", place.host, kind.what),
            format!("where it has none, set {} to false", kind.settings),
        ));
    }
    let proxy = place.proxy.as_ref()?;
    let (variable, by) = (proxy.variable, name(proxy));
    let (message, fix) = if has("proxy authorization required") {
        wants_credentials(proxy)
    } else if tunnel {
        (
            format!("{by} opens no tunnel to {}", place.host),
            "let it be allowed on the proxy; what is reached without one goes into NO_PROXY"
                .to_owned(),
        )
    } else if has("timed out") || has("timeout") {
        (
            format!("no answer through {by} in time"),
            format!("check {variable} and that the proxy reaches {}", place.host),
        )
    } else {
        let cause = chain(place).last().map(ToString::to_string).unwrap_or_default();
        let cause = if unknown { "its name is not known".to_owned() } else { cause };
        (
            format!("cannot reach {} through {by}: {cause}", place.host),
            format!("check {variable} and that the proxy runs; unset it to go without"),
        )
    };
    let late = has("timed out") || has("timeout");
    let kind = if late { ErrorKind::Timeout } else { ErrorKind::Network };
    Some((kind, message, fix))
}

/// True when an immediate retry cannot help: a rejected certificate; a proxy that cannot be reached, wants credentials
/// or refuses the tunnel; an endpoint of a kind that does not exist.
pub fn is_hopeless(place: &Unreached) -> bool {
    let is_special = special(&place.host).is_some();
    matches!(tls::find(place), Some(rustls::Error::InvalidCertificate(_)))
        || chain(place).any(|cause| {
            let text = cause.to_string();
            text.contains("tunnel error")
                || text.contains("proxy authorization required")
                || is_special && text.contains("failed to lookup address")
        })
}

/// A proxy as messages name it.
fn name(proxy: &Proxy) -> String {
    format!("the proxy {} ({})", proxy.shown, proxy.variable)
}

fn wants_credentials(proxy: &Proxy) -> (String, String) {
    let variable = proxy.variable;
    let what = if proxy.has_user {
        format!("{} does not accept its user and password (407)", name(proxy))
    } else {
        format!("{} wants a user and a password (407)", name(proxy))
    };
    let fix = format!(
        "put user:password@ before the host in {variable}, percent-encoded; for NTLM or Kerberos \
         put a local helper such as px or cntlm before the proxy"
    );
    (what, fix)
}

fn certificate(place: &Unreached, wrong: &rustls::Error) -> (String, String) {
    let (what, fix) = tls::words(wrong);
    let by = place.proxy.as_ref().map(|p| format!(" (through {})", name(p))).unwrap_or_default();
    let message = format!("TLS with {}{by}: {what}", place.host);
    let unknown =
        matches!(wrong, rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer));
    let fix = match &place.bundle {
        _ if !unknown => fix.to_owned(),
        Some(named) => format!(
            "add the certificate of the authority to {}, which {} names",
            named.path.display(),
            named.setting
        ),
        None => format!(
            "set {} to a file (PEM) with the certificate of your company's authority, or \
             ca_bundle in the profile",
            trust::VARIABLE
        ),
    };
    (message, fix)
}

/// Endpoints of a kind that not every service has.
struct Special {
    what: &'static str,
    settings: &'static str,
}

fn special(host: &str) -> Option<Special> {
    let host = host.split(':').next().unwrap_or_default();
    if host
        .split('.')
        .any(|label| label.ends_with("-fips") || label.starts_with("fips-") || label == "fips")
    {
        return Some(Special {
            what: "a FIPS endpoint in every region",
            settings: "AWS_USE_FIPS_ENDPOINT (or use_fips_endpoint of the profile)",
        });
    }
    if host.ends_with(".api.aws") || host.split('.').any(|label| label == "dualstack") {
        return Some(Special {
            what: "a dual-stack endpoint in every region",
            settings: "AWS_USE_DUALSTACK_ENDPOINT (or use_dualstack_endpoint of the profile)",
        });
    }
    None
}
