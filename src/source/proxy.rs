//! The proxies that the environment names, for AWS and telemetry alike: `HTTPS_PROXY`, `HTTP_PROXY`,
//! `ALL_PROXY` and `NO_PROXY`, read as curl and the AWS CLI read them. A variable that cannot be
//! understood is an error that names it, never a connection past the proxy. User and password of a
//! proxy are shown nowhere.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use url::{Host, Url};

use crate::domain::Secret;
use crate::domain::address::is_loopback;

/// A setting that cannot be used. The texts hold no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting} {message}")]
pub struct SettingError {
    /// Name of the setting: `HTTPS_PROXY`, ``ca_bundle of profile `ops` ``.
    pub setting: String,
    /// What is wrong, a sentence that begins with the setting.
    pub message: String,
    /// Advice for the user, one sentence.
    pub fix: String,
}

impl SettingError {
    /// Builds an error about a setting.
    pub fn new(setting: &str, message: impl Into<String>, fix: &str) -> Self {
        Self { setting: setting.to_owned(), message: message.into(), fix: fix.to_owned() }
    }
}

/// A proxy for HTTP or HTTPS.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Variable that names it.
    pub variable: &'static str,
    /// `host:port`, for the screen.
    pub shown: String,
    /// True when its URL holds a user.
    pub has_user: bool,
    url: Secret,
}

impl Proxy {
    /// URL with user and password, for the client that connects.
    pub fn reveal(&self) -> &str {
        self.url.reveal()
    }

    fn parse(variable: &'static str, text: &str) -> Result<Self, SettingError> {
        let wrong = |message: &str| {
            let fix = "write it as http://host:port, with user:password@ before the host where the \
                       proxy wants it, percent-encoded";
            Err(SettingError::new(variable, message, fix))
        };
        // Without a scheme it is a proxy that speaks HTTP, as everywhere.
        let whole = match text.split_once("://") {
            Some(_) => text.to_owned(),
            None => format!("http://{text}"),
        };
        let Ok(url) = Url::parse(&whole) else { return wrong("is not the address of a proxy") };
        match url.scheme() {
            "http" | "https" => {}
            scheme if scheme.starts_with("socks") => {
                return wrong("names a SOCKS proxy, of which burntop speaks none");
            }
            _ => return wrong("is not the address of an HTTP proxy"),
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return wrong("names no host");
        };
        // The client has a parser of its own: what that does not take would go past the proxy.
        if url.as_str().parse::<Uri>().is_err() {
            return wrong("is not the address of a proxy");
        }
        Ok(Self {
            variable,
            shown: format!("{host}:{port}"),
            has_user: !url.username().is_empty() || url.password().is_some(),
            url: Secret::new(url.as_str()),
        })
    }
}

/// Proxy that the variables for one scheme name; `None` for none, Err for a value that is no proxy.
type Named = Result<Option<Proxy>, SettingError>;

/// Proxies of the environment, by scheme.
#[derive(Debug)]
pub struct Proxies {
    http: Named,
    https: Named,
    /// Takes what `NO_PROXY` does not name.
    rest: Matcher,
    /// Variable with the hosts that are reached without a proxy; `None` without one.
    pub exceptions: Option<&'static str>,
}

impl Proxies {
    /// Proxies in the environment of this process.
    pub fn of_process() -> &'static Arc<Self> {
        static READ: LazyLock<Arc<Proxies>> = LazyLock::new(|| {
            let get = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
            Arc::new(Proxies::read(&get))
        });
        &READ
    }

    /// True when no variable names a proxy.
    pub fn is_empty(&self) -> bool {
        matches!((&self.http, &self.https), (Ok(None), Ok(None)))
    }

    /// Reads the variables with `get`. Of each pair the lower-case name wins, and a variable set to an empty text means
    /// no proxy.
    pub fn read(get: &dyn Fn(&str) -> Option<String>) -> Self {
        let named = |variables: &[&'static str]| -> Named {
            let set = variables.iter().find_map(|name| Some((*name, get(name)?)));
            let Some((name, value)) = set else { return Ok(None) };
            let value = value.trim();
            if value.is_empty() { Ok(None) } else { Proxy::parse(name, value).map(Some) }
        };
        // In a CGI program HTTP_PROXY is what the client sent in a header of that name.
        let http: &[_] = if get("REQUEST_METHOD").is_some() {
            &["http_proxy", "all_proxy", "ALL_PROXY"]
        } else {
            &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
        };
        let list = ["no_proxy", "NO_PROXY"].iter().find_map(|name| Some((*name, get(name)?)));
        let exceptions =
            list.as_ref().and_then(|(name, v)| (!v.trim().is_empty()).then_some(*name));
        let list = list.map(|(_, value)| value).unwrap_or_default();
        // Hosts may be apart by spaces as well; a star before a suffix says what the suffix says.
        let rules: Vec<&str> = list
            .split(|c: char| c == ',' || c.is_whitespace())
            .map(|rule| if rule.starts_with("*.") { &rule[1..] } else { rule })
            .filter(|rule| !rule.is_empty())
            .collect();
        Self {
            http: named(http),
            https: named(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
            rest: Matcher::builder().all("http://proxy.invalid").no(rules.join(",")).build(),
            exceptions,
        }
    }

    /// Proxy for a request to `url`; `None` for a direct connection.
    ///
    /// # Errors
    /// The variable for the proxy is malformed.
    pub fn way(&self, url: &Url) -> Result<Option<&Proxy>, &SettingError> {
        let named = if url.scheme() == "https" { &self.https } else { &self.http };
        if matches!(named, Ok(None)) || is_of_this_machine(url) || !self.is_rest(url) {
            return Ok(None);
        }
        named.as_ref().map(Option::as_ref)
    }

    /// Proxy for a scheme (`https` or `http`), for any host.
    ///
    /// # Errors
    /// Those of [`Proxies::way`].
    pub fn for_scheme(&self, scheme: &str) -> Result<Option<&Proxy>, &SettingError> {
        let named = if scheme == "https" { &self.https } else { &self.http };
        named.as_ref().map(Option::as_ref)
    }

    /// True where `NO_PROXY` does not name the host.
    fn is_rest(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let uri = format!("https://{host}/").parse::<Uri>();
        uri.is_ok_and(|uri| self.rest.intercept(&uri).is_some())
    }
}

/// True for addresses that a proxy cannot reach for us, whatever the variables say: this host, and the link-local
/// addresses where instances and containers find their credentials.
pub fn is_of_this_machine(url: &Url) -> bool {
    const V6: [&str; 2] = ["fd00:ec2::254", "fd00:ec2::23"];
    let link_local = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_link_local(),
        Some(Host::Ipv6(ip)) => {
            ip.is_unicast_link_local()
                || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_link_local())
                || V6.iter().any(|known| known.parse() == Ok(IpAddr::V6(ip)))
        }
        _ => false,
    };
    link_local || is_loopback(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(vars: &[(&str, &str)]) -> Proxies {
        let get = |name: &str| {
            vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        Proxies::read(&get)
    }

    fn way(vars: &[(&str, &str)], url: &str) -> Option<String> {
        let found = proxies(vars);
        let proxy = found.way(&Url::parse(url).unwrap()).unwrap();
        proxy.map(|p| format!("{} {}", p.variable, p.shown))
    }

    const AWS: &str = "https://ec2.us-east-1.amazonaws.com/";

    #[test]
    fn the_variables_are_read_as_curl_reads_them() {
        let named = |vars: &[(&str, &str)]| way(vars, AWS).unwrap_or_default();
        assert_eq!(named(&[]), "");
        assert_eq!(named(&[("HTTPS_PROXY", "http://p:3128")]), "HTTPS_PROXY p:3128");
        assert_eq!(named(&[("HTTPS_PROXY", "p:3128/")]), "HTTPS_PROXY p:3128", "no scheme is HTTP");
        assert_eq!(named(&[("HTTPS_PROXY", "https://p")]), "HTTPS_PROXY p:443");
        let both = [("HTTPS_PROXY", "http://upper:1"), ("https_proxy", "http://lower:2")];
        assert_eq!(named(&both), "https_proxy lower:2");
        let all = [("ALL_PROXY", "http://all:1"), ("HTTP_PROXY", "http://plain:2")];
        assert_eq!(named(&all), "ALL_PROXY all:1");
        assert_eq!(way(&all, "http://emulator.corp/").unwrap(), "HTTP_PROXY plain:2");
        let off = [("https_proxy", ""), ("ALL_PROXY", "http://all:1")];
        assert_eq!(named(&off), "", "set and empty is no proxy");
        let cgi = [("HTTP_PROXY", "http://evil:1"), ("REQUEST_METHOD", "GET")];
        assert_eq!(way(&cgi, "http://emulator.corp/"), None);
    }

    #[test]
    fn no_proxy_takes_hosts_suffixes_and_networks() {
        let is_direct = |rules: &str, url: &str| {
            way(&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", rules)], url).is_none()
        };
        for (rules, url, direct) in [
            ("ec2.us-east-1.amazonaws.com", AWS, true),
            ("amazonaws.com", AWS, true),
            (".amazonaws.com", AWS, true),
            ("*.amazonaws.com", AWS, true),
            ("a.example *.amazonaws.com", AWS, true),
            ("*", AWS, true),
            ("10.0.0.0/8, 192.168.7.7", "http://10.9.8.7:9090/", true),
            ("10.0.0.0/8, 192.168.7.7", "http://192.168.7.7/", true),
            ("10.0.0.0/8, 192.168.7.7", "http://192.168.7.8/", false),
            ("fd12::/16", "http://[fd12::1]/", true),
            ("zonaws.com", AWS, false),
            ("", AWS, false),
        ] {
            assert_eq!(is_direct(rules, url), direct, "{rules} {url}");
        }
    }

    #[test]
    fn what_is_of_this_machine_is_never_asked_through_a_proxy() {
        for url in [
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00:ec2::254]/latest/",
            "http://169.254.170.2/v2/credentials",
            "http://169.254.170.23/v1/credentials",
            "http://[fd00:ec2::23]/v1/credentials",
            "http://[::ffff:169.254.169.254]/",
            "http://2852039166/latest/",
            "http://127.0.0.1:4566/",
            "https://localhost:8443/",
            "http://[::1]:9090/",
        ] {
            for no in ["", "example.com"] {
                let vars = [("ALL_PROXY", "http://p:1"), ("HTTP_PROXY", ":::"), ("NO_PROXY", no)];
                assert_eq!(way(&vars, url), None, "{url}");
            }
        }
        for url in ["http://169.255.0.1/", "http://127.0.0.1.example.com/", "http://[fd00:ec2::1]/"]
        {
            assert!(way(&[("ALL_PROXY", "http://p:1")], url).is_some(), "{url}");
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_understood_is_an_error_with_its_name_and_without_its_text() {
        let url = Url::parse(AWS).unwrap();
        for (value, words) in [
            ("socks5://u:hunter2@p:1080", "SOCKS"),
            ("ftp://u:hunter2@p", "HTTP proxy"),
            ("http://", "not the address"),
            ("http://p:99999", "not the address"),
            ("http://u:hunter2@:3128", "not the address"),
            ("http://p p:3128", "not the address"),
            ("://hunter2", "not the address"),
        ] {
            for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
                let found = proxies(&[(variable, value)]);
                let error = found.way(&url).unwrap_err();
                assert_eq!(error.setting, variable, "{value}");
                assert!(error.message.contains(words), "{value}: {error:?}");
                let all = format!("{error:?} {error} {found:?}");
                assert!(!all.contains("hunter2"), "{all}");
            }
        }
        // What NO_PROXY names needs no proxy, and so no valid one.
        let spared = proxies(&[("HTTPS_PROXY", "://"), ("NO_PROXY", ".amazonaws.com")]);
        assert!(spared.way(&url).unwrap().is_none());
    }

    #[test]
    fn user_and_password_are_for_the_client_alone() {
        let found = proxies(&[("HTTPS_PROXY", "http://kim:p@ss%2Fword@proxy.corp:3128")]);
        let proxy = found.way(&Url::parse(AWS).unwrap()).unwrap().unwrap();
        assert_eq!((proxy.shown.as_str(), proxy.has_user), ("proxy.corp:3128", true));
        assert_eq!(proxy.reveal(), "http://kim:p%40ss%2Fword@proxy.corp:3128/");
        let debug = format!("{found:?} {proxy:?}");
        assert!(!debug.contains("ss%2Fword") && !debug.contains("kim"), "{debug}");
    }
}
