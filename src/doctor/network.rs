//! How the calls of an account travel: proxy, authorities, kind of endpoint. Facts in, a check out.

use super::Check;
use crate::domain::{ErrorKind, SourceError};
use crate::source::Network;

const NETWORK: &str = "network";

/// Whether proxy, certificate authorities and endpoints work. `error` = why STS gave no identity, if it did
/// not.
pub fn check(network: &Network, error: Option<&SourceError>) -> Check {
    if let Some((what, fix)) = network.wrong.first() {
        return Check::fail(NETWORK, what.clone(), fix.clone());
    }
    let way = way(network);
    match error {
        Some(error) if is_on_the_way(error.kind) => {
            let fix = match (&network.proxy, error.kind) {
                (Some(proxy), ErrorKind::Timeout) if network.spared_by.is_none() => {
                    format!("check {} and that the proxy reaches AWS", proxy.setting)
                }
                _ => error.advice().to_owned(),
            };
            Check::fail(NETWORK, format!("{} ({way})", error.message), fix)
        }
        _ => Check::ok(NETWORK, way),
    }
}

fn is_on_the_way(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Network | ErrorKind::Timeout | ErrorKind::Unavailable)
}

fn way(network: &Network) -> String {
    let proxy = match (&network.proxy, &network.spared_by) {
        (None, _) => "AWS without a proxy".to_owned(),
        (Some(p), None) => format!("AWS through the proxy {} ({})", p.value, p.setting),
        (Some(p), Some(by)) => {
            format!("AWS without the proxy {} ({}), as {by} says", p.value, p.setting)
        }
    };
    let authorities = network.bundle.as_ref().map(|bundle| {
        let (number, path, setting) = (network.authorities, &bundle.value, &bundle.setting);
        format!("trusting the system's authorities and {number} of {path} ({setting})")
    });
    let kind = match (network.fips, network.dual_stack) {
        (false, false) => None,
        (true, false) => Some("FIPS endpoints"),
        (false, true) => Some("dual-stack endpoints"),
        (true, true) => Some("FIPS dual-stack endpoints"),
    };
    let parts = [Some(proxy), authorities, kind.map(str::to_owned)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::source::Named;

    fn named(setting: &str, value: &str) -> Option<Named> {
        Some(Named { setting: setting.to_owned(), value: value.to_owned() })
    }

    fn error(kind: ErrorKind) -> SourceError {
        SourceError::new(kind, "sts:GetCallerIdentity", "it said no", "do that")
    }

    #[test]
    fn what_is_in_force_is_said() {
        let plain = Network::default();
        assert_eq!(check(&plain, None).message, "AWS without a proxy");
        let mut network = Network {
            proxy: named("HTTPS_PROXY", "proxy.corp:3128"),
            bundle: named("ca_bundle of profile `ops`", "/etc/corp.pem"),
            authorities: 2,
            fips: true,
            ..Network::default()
        };
        assert_eq!(
            check(&network, None).message,
            "AWS through the proxy proxy.corp:3128 (HTTPS_PROXY); trusting the system's authorities \
             and 2 of /etc/corp.pem (ca_bundle of profile `ops`); FIPS endpoints"
        );
        network = Network { bundle: None, dual_stack: true, ..network };
        network.spared_by = Some("NO_PROXY".to_owned());
        assert_eq!(
            check(&network, None).message,
            "AWS without the proxy proxy.corp:3128 (HTTPS_PROXY), as NO_PROXY says; FIPS dual-stack \
             endpoints"
        );
    }

    #[test]
    fn what_fails_on_the_way_fails_the_check_and_what_aws_says_does_not() {
        let network = Network { proxy: named("ALL_PROXY", "p:1"), ..Network::default() };
        let failed = check(&network, Some(&error(ErrorKind::Network)));
        assert_eq!((failed.status, failed.fix.as_deref()), (Status::Fail, Some("do that")));
        assert_eq!(failed.message, "it said no (AWS through the proxy p:1 (ALL_PROXY))");
        let late = check(&network, Some(&error(ErrorKind::Timeout)));
        assert_eq!(late.fix.as_deref(), Some("check ALL_PROXY and that the proxy reaches AWS"));
        for kind in [ErrorKind::Denied, ErrorKind::Expired, ErrorKind::NoCredentials] {
            assert_eq!(check(&network, Some(&error(kind))).status, Status::Ok, "{kind:?}");
        }
        let wrong = vec![("HTTPS_PROXY is not the address of a proxy".into(), "mend it".into())];
        let network = Network { wrong, ..network };
        assert_eq!(check(&network, None).status, Status::Fail);
    }
}
