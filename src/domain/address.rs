//! Addresses of servers, which may carry secrets.
//!
//! Whether an address is on this host is decided by the parser that the calls are made with: what
//! one reader takes for this host and another for `127.evil.example` would send credentials there.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use url::{Host, Url};

use super::secret::REDACTED;
use super::text;

/// An address as it was written in the settings: a URL, `host:port`, or a path. `Debug`, `Display`
/// and `Serialize` leave out user and password and put [`REDACTED`] in the place of what a query
/// holds, for tokens are written there too.
#[derive(Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Address(String);

/// Why an address cannot be used. The texts never quote the address, which may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The address names a user or a password.
    #[error("the address holds a user or a password")]
    User,
    /// The text is not an `http://` or `https://` address.
    #[error("this is no address of a server")]
    NoAddress,
}

impl Address {
    /// Wraps an address as it is written in the settings; nothing is checked.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The address in full, secrets included, for the call that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The address of a server, `http://` or `https://`.
    ///
    /// # Errors
    /// Another scheme, no host, white space or control characters, a backslash (which readers take
    /// in different ways); a user or a password.
    pub fn parse(&self) -> Result<Url, AddressError> {
        let odd = |c: char| c.is_whitespace() || c == '\\' || text::is_unsafe(c);
        let url = Url::parse(&self.0).map_err(|_| AddressError::NoAddress)?;
        let authority = self.0.split_once("://").map(|(_, rest)| rest);
        let authority = authority.and_then(|rest| rest.split(['/', '?', '#']).next());
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::User);
        }
        let host = url.host().is_some() && matches!(url.scheme(), "http" | "https");
        match authority {
            Some(written) if written.contains('@') => Err(AddressError::User),
            Some(written) if host && !written.is_empty() && !self.0.contains(odd) => Ok(url),
            _ => Err(AddressError::NoAddress),
        }
    }
}

impl From<&str> for Address {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, query) = match self.0.split_once(['?', '#']) {
            Some((place, query)) => (place, Some(query)),
            None => (&*self.0, None),
        };
        let is_url = place.contains("://");
        let plain = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']' | '/')
        };
        // What is no address may be a secret that was put into the wrong place.
        if (is_url && self.parse().is_err()) || (!is_url && !place.chars().all(plain)) {
            return f.write_str(REDACTED);
        }
        f.write_str(&text::clean(place))?;
        let Some(query) = query else { return Ok(()) };
        for (i, pair) in query.split('&').enumerate() {
            let name = pair.split_once('=').map_or("", |(name, _)| name);
            let name = if name.chars().all(plain) { name } else { "" };
            let (before, between) =
                (if i == 0 { "?" } else { "&" }, if name.is_empty() { "" } else { "=" });
            write!(f, "{before}{name}{between}{REDACTED}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `text` with users, passwords and queries removed from every URL in it (passwords of proxies, signatures, tokens).
/// For error messages, which quote URLs.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let (word, behind) = after.split_at(after.find(ends).unwrap_or(after.len()));
        let (place, query) = match word.split_once(['?', '#']) {
            Some((place, _)) => (place, format!("?{REDACTED}")),
            None => (word, String::new()),
        };
        // A password may hold a slash; no path of ours holds an `@`.
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        out.push_str(&format!("{before}://{place}{query}"));
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// True when the URL's host is this machine: a loopback IP address in any notation, or `localhost`, which [the
/// client](crate::source::http) never looks up. Names that only begin like these are other hosts.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback())
        }
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// True where credentials may be sent: encrypted, or not leaving this host.
pub fn may_carry_credentials(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_holds_neither_user_nor_query() {
        for (written, shown) in [
            ("https://prom.example.com:9090/p", "https://prom.example.com:9090/p"),
            ("https://p/?token=s3cr3t", "https://p/?token=<redacted>"),
            ("https://p?a=s3cr3t&s3cr3t&b=", "https://p?a=<redacted>&<redacted>&b=<redacted>"),
            ("https://p/#s3cr3t", "https://p/?<redacted>"),
            ("https://me:s3cr3t@p/", REDACTED),
            ("https://s3cr3t@p/", REDACTED),
            ("https://@p/", REDACTED),
            ("s3cr3t is here", REDACTED),
            ("Bearer=s3cr3t", REDACTED),
            ("10.0.0.7:9400/gpu", "10.0.0.7:9400/gpu"),
            ("10.0.0.7:9400/gpu?key=s3cr3t", "10.0.0.7:9400/gpu?key=<redacted>"),
            ("[fd00::7]:9400", "[fd00::7]:9400"),
            ("/metrics?auth=s3cr3t", "/metrics?auth=<redacted>"),
            ("", ""),
        ] {
            let address = Address::new(written);
            assert_eq!(address.to_string(), shown, "{written}");
            assert_eq!(format!("{address:?}"), shown, "{written}");
            assert_eq!(serde_json::to_value(&address).unwrap(), shown, "{written}");
            assert_eq!(address.reveal(), written);
        }
    }

    #[test]
    fn addresses_in_errors_lose_what_may_be_secret() {
        for (text, want) in [
            ("nothing here", "nothing here"),
            ("see http://h:1/p.", "see http://h:1/p."),
            ("proxy http://me:s3cr3t@proxy:3128 failed", "proxy http://proxy:3128 failed"),
            ("http://me:s3/cr@3t@proxy", "http://proxy"),
            (
                "(https://b.s3.amazonaws.com/k?X-Amz-Signature=s3cr3t&X-Amz-Security-Token=s3cr3t)",
                "(https://b.s3.amazonaws.com/k?<redacted>",
            ),
            (
                "a \"https://h/?s3cr3t\" b 'ftp://s3cr3t@h'",
                "a \"https://h/?<redacted>\" b 'ftp://h'",
            ),
            ("x://a?s3cr3t y://b#s3cr3t", "x://a?<redacted> y://b?<redacted>"),
            ("s3://bucket/prefix/", "s3://bucket/prefix/"),
        ] {
            assert_eq!(without_secrets(text), want);
        }
    }

    mod hostile {
        use super::*;

        /// Written forms of addresses on this host.
        fn here() -> Vec<String> {
            let mut hosts: Vec<String> = [
                "localhost",
                "LOCALHOST",
                "LocalHost",
                "2130706433",
                "0x7f000001",
                "0x7F.1",
                "0177.1",
                "017700000001",
                "127.1",
                "127.0.1",
                "127.255.255.254",
                "127.0.0.1.",
                "127.1.",
                "0x7f.0x0.0x0.0x1",
                "[::1]",
                "[0:0:0:0:0:0:0:1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::FFFF:127.9.9.9]",
                "%31%32%37.0.0.1",
                "１２７.0.0.1",
                "127。0。0。1",
                "loc%61lhost",
                "ｌocalhost",
            ]
            .map(str::to_owned)
            .into();
            for n in [0_u32, 1, 2, 255, 256, 65_535, 65_536, 0x00ff_fffe] {
                let ip = 0x7f00_0000 | n;
                let [a, b, c, d] = ip.to_be_bytes();
                hosts.extend([
                    format!("{a}.{b}.{c}.{d}"),
                    format!("{ip}"),
                    format!("{ip:#x}"),
                    format!("0{ip:o}"),
                    format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
                    format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
                    format!("[::ffff:{a}.{b}.{c}.{d}]"),
                    format!("[::ffff:{:x}:{:x}]", ip >> 16, ip & 0xffff),
                ]);
            }
            hosts
        }

        /// Names and addresses that look like this host and are another.
        fn elsewhere() -> Vec<String> {
            let mut hosts: Vec<String> = [
                "127.evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "localhost.",
                "evil.localhost",
                "localhosts",
                "local-host",
                "127-0-0-1.evil.example",
                "128.0.0.1",
                "126.255.255.255",
                "0.0.0.0",
                "0",
                "[::]",
                "[::2]",
                "[::ffff:128.0.0.1]",
                "[::127.0.0.1]",
                "[fe80::1]",
                "[64:ff9b::7f00:1]",
                "[2002:7f00:1::]",
                "10.0.0.1",
                "2130706432.evil.example",
                "0x7f.evil.example",
                "a--localhost-1.example",
                "localhost-",
                "1127.evil.example",
                "0x80000001",
                "2147483649",
                "0200.1",
                "192.168.127.1",
                "ip6-localhost",
                "localhost.localdomain",
                "localhoſt.example",
            ]
            .map(str::to_owned)
            .into();
            for n in 0..40 {
                hosts.push(format!("127.{n}.{n}.x{n}.example"));
            }
            hosts
        }

        /// What is no address at all, or one that two readers take in two ways.
        const REFUSED: &[&str] = &[
            "http://127.0.0.1@evil.example/",
            "http://127.0.0.1:x@evil.example/",
            "http://@127.0.0.1/",
            "http://evil.example\\@127.0.0.1/",
            "http://127.0.0.1\\.evil.example/",
            "http://[::1%25lo]/",
            "http://[::1%lo]/",
            "http://[fe80::1%25eth0]/",
            "http://",
            "http:///127.0.0.1/",
            "http:127.0.0.1",
            "//127.0.0.1",
            "127.0.0.1:9090",
            "localhost:9090",
            "http://127.0.0.1:99999/",
            "http://127.0.0.256/",
            "http://0x7f.0.0.0.1/",
            "ftp://127.0.0.1/",
            "file:///etc/passwd",
            "http://127.0.0.1/ x",
            " http://127.0.0.1/",
            "http://127.0.0.1/\n",
            "ht\ttp://127.0.0.1/",
            "http://127.0.\n0.1/",
            "http://127.0.0.1\u{0}/",
            "http://loc\u{202e}alhost/",
            "http://exa mple/",
            "http://%00/",
            "http://a%2fb@c/",
            "javascript:alert(1)",
            "",
            "s3cr3t",
            "http://[127.0.0.1]/",
            "http://::1/",
            "http:\\\\127.0.0.1/",
            "http://127.0.0.1%2f@evil.example/",
        ];

        #[test]
        fn this_host_is_an_address_that_parses_as_one() {
            let mut n = 0;
            for (hosts, want) in [(here(), true), (elsewhere(), false)] {
                for host in &hosts {
                    for form in ["http://*", "HTTP://*:9090/", "hTTp://*/a/b?c=d"] {
                        let written = form.replace('*', host);
                        let url = Address::new(&*written).parse();
                        let url = url.unwrap_or_else(|e| panic!("{written}: {e}"));
                        assert_eq!(is_loopback(&url), want, "{written} is {url}");
                        assert_eq!(may_carry_credentials(&url), want, "{written}");
                        let tls = Address::new(written.to_lowercase().replace("http:", "https:"));
                        assert!(
                            tls.parse().is_ok_and(|url| may_carry_credentials(&url)),
                            "{written}"
                        );
                        n += 1;
                    }
                }
            }
            for written in REFUSED {
                let address = Address::new(*written);
                assert!(address.parse().is_err(), "{written:?} is {:?}", address.parse());
                assert!(!address.to_string().contains('@'), "{address}");
                assert!(!address.to_string().chars().any(text::is_unsafe), "{address}");
                n += 1;
            }
            assert!(n >= 400, "{n}");
            println!("hostile: addresses: {n} inputs");
        }
    }
}
