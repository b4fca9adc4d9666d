//! What holds of clients that deliver messages to addresses that somebody wrote down: they reach no address that is of
//! this machine or its cloud alone, and follow no redirect.

use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Name, Resolve, Resolving};
use url::Host;

use crate::domain::address::is_loopback;

/// Settings of a client that delivers messages. Of an answer it takes what comes within the limits: once a status is
/// there, a body that is too long or never ends does not undo it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// True where addresses on this host may be reached.
    pub loopback: bool,
}

/// An address to which nothing is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is {what}")]
pub struct Forbidden {
    /// What the address is, with its article: `a link-local address`.
    pub what: &'static str,
}

impl Forbidden {
    /// The one that an error is or wraps; an I/O error does not name what it wraps as its cause.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map_or_else(|| error.downcast_ref().copied(), |inner| Self::of(inner))
    }
}

impl Delivery {
    /// Checks the host of an address, as far as it can be known without asking a resolver.
    ///
    /// # Errors
    /// It is an IP address to which nothing is delivered.
    pub fn check(self, url: &Url) -> Result<(), Forbidden> {
        match url.host() {
            Some(Host::Ipv4(ip)) => self.check_ip(ip.into()),
            Some(Host::Ipv6(ip)) => self.check_ip(ip.into()),
            _ if is_loopback(url) => self.check_ip(Ipv4Addr::LOCALHOST.into()),
            _ => Ok(()),
        }
    }

    /// Checks an IP address.
    ///
    /// # Errors
    /// Nothing is delivered to it.
    pub fn check_ip(self, ip: IpAddr) -> Result<(), Forbidden> {
        let what = match ip {
            IpAddr::V4(ip) => of_v4(ip),
            IpAddr::V6(ip) => of_v6(ip),
        };
        match what {
            Some(what) if what != LOOPBACK || !self.loopback => Err(Forbidden { what }),
            _ => Ok(()),
        }
    }

    /// Addresses of a host to which something may be delivered; `localhost` is not looked up.
    ///
    /// # Errors
    /// None is known, or to none may be delivered: then the error holds a [`Forbidden`].
    pub async fn addresses(self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let found: Vec<SocketAddr> = match host {
            "localhost" => super::LOCALHOST.map(|here| SocketAddr::new(here.ip(), port)).into(),
            _ => lookup(host, port).await?,
        };
        self.filter(found)
    }

    fn filter(self, found: Vec<SocketAddr>) -> io::Result<Vec<SocketAddr>> {
        let first = found.iter().find_map(|address| self.check_ip(address.ip()).err());
        let kept: Vec<SocketAddr> =
            found.into_iter().filter(|address| self.check_ip(address.ip()).is_ok()).collect();
        match first {
            Some(forbidden) if kept.is_empty() => Err(io::Error::other(forbidden)),
            _ => Ok(kept),
        }
    }
}

async fn lookup(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    // Names that lead where a test wants them to: `169-254-169-254.resolved.invalid`.
    #[cfg(test)]
    if let Some(ip) = host.strip_suffix(".resolved.invalid") {
        let ip = ip.replace('-', ".").parse().map_err(io::Error::other)?;
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    Ok(tokio::net::lookup_host((host, port)).await?.collect())
}

impl Resolve for Delivery {
    fn resolve(&self, name: Name) -> Resolving {
        let this = *self;
        Box::pin(async move {
            let found = this.addresses(name.as_str(), 0).await?;
            Ok(Box::new(found.into_iter()) as reqwest::dns::Addrs)
        })
    }
}

const LOOPBACK: &str = "an address on this host";
const METADATA: &str = "an address of a cloud's metadata";

/// What an address is that is of this machine, its link or its cloud alone; `None` for all others.
fn of_v4(ip: Ipv4Addr) -> Option<&'static str> {
    match ip.octets() {
        [127, ..] => Some(LOOPBACK),
        [0, ..] => Some("no address of a host"),
        // Link-local, where most clouds have their metadata.
        [169, 254, ..] => Some("a link-local address"),
        // Alibaba, Oracle.
        [100, 100, 100, 200] | [192, 0, 0, 192] => Some(METADATA),
        [224..=239, ..] => Some("a multicast address"),
        [240..=255, ..] => Some("no address of a host"),
        _ => None,
    }
}

fn of_v6(ip: Ipv6Addr) -> Option<&'static str> {
    if ip.is_loopback() {
        return Some(LOOPBACK);
    }
    let segments = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        of_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Mapped, translated (RFC 2765, RFC 6052) or compatible; `::` is among these.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4.
        | [0x2002, high, low, ..] => v4(high, low),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        // EC2 (metadata, credentials, time, names), Google.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254] => Some(METADATA),
        // Translation within a network (RFC 8215): whatever it leads to.
        [0x64, 0xff9b, 1, ..] => Some("an address of a translator"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Http, HttpSettings, Limit};
    use super::*;
    use crate::domain::ErrorKind;
    use crate::source::server::{Reply, Server};

    const AWAY: Delivery = Delivery { loopback: false };
    const HERE: Delivery = Delivery { loopback: true };

    #[test]
    fn addresses_of_this_machine_its_link_and_its_cloud_are_forbidden_however_they_are_written() {
        for host in [
            "169.254.169.254",
            "169.254.170.2",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[::a9fe:a9fe]",
            "[::ffff:0:a9fe:a9fe]",
            "[64:ff9b::a9fe:a9fe]",
            "[64:ff9b:1::a9fe:a9fe]",
            "[2002:a9fe:a9fe::1]",
            "[fe80::1]",
            "[febf::1]",
            "[fd00:ec2::254]",
            "[fd00:ec2::23]",
            "[fd20:ce::254]",
            "100.100.100.200",
            "[::ffff:100.100.100.200]",
            "192.0.0.192",
            "0.0.0.0",
            "0",
            "0.1.2.3",
            "[::]",
            "[::ffff:0.0.0.0]",
            "224.0.0.1",
            "239.255.255.255",
            "255.255.255.255",
            "[ff02::1]",
        ] {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            assert!(HERE.check(&url).is_err() && AWAY.check(&url).is_err(), "{host}");
        }
    }

    #[test]
    fn this_host_is_reached_where_that_is_allowed_and_nowhere_else() {
        for host in
            ["127.0.0.1", "127.9.9.9", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"]
        {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            assert_eq!(AWAY.check(&url), Err(Forbidden { what: LOOPBACK }), "{host}");
            assert_eq!(HERE.check(&url), Ok(()), "{host}");
        }
    }

    #[test]
    fn others_are_reached_private_networks_among_them() {
        for host in [
            "hooks.example.com",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "100.100.100.201",
            "169.253.0.1",
            "169.255.0.1",
            "223.255.255.255",
            "[fd12::1]",
            "[2606:4700::1]",
            "[::ffff:10.0.0.1]",
            "[fec0::1]",
        ] {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            assert_eq!(AWAY.check(&url), Ok(()), "{host}");
        }
    }

    #[test]
    fn of_what_a_name_leads_to_only_allowed_addresses_remain() {
        let at = |ip: &str| SocketAddr::new(ip.parse().unwrap(), 443);
        let mixed = vec![at("169.254.169.254"), at("10.0.0.1"), at("127.0.0.1")];
        assert_eq!(AWAY.filter(mixed.clone()).unwrap(), [at("10.0.0.1")]);
        assert_eq!(HERE.filter(mixed).unwrap(), [at("10.0.0.1"), at("127.0.0.1")]);
        let error = AWAY.filter(vec![at("fe80::1")]).unwrap_err();
        assert_eq!(Forbidden::of(&error), Some(Forbidden { what: "a link-local address" }));
        assert!(AWAY.filter(Vec::new()).unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_name_that_leads_to_a_forbidden_address_is_not_connected_to() {
        let server = Server::start(|_, _| Reply::json("{}"));
        let asked = async |name: &str, delivery| {
            let settings = HttpSettings { delivery, proxy: false, ..HttpSettings::default() };
            let url = format!("http://{name}.resolved.invalid:{}/", server.port());
            let limit = Limit { bytes: 100, time: Duration::from_secs(20) };
            Http::new(settings).unwrap().get("test:get", &url, limit).await
        };
        let error = asked("127-0-0-1", Some(AWAY)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused, "{error}");
        assert!(error.message.contains("it is an address on this host"), "{error}");
        assert_eq!(server.connections(), 0);
        let error = asked("169-254-169-254", Some(HERE)).await.unwrap_err();
        assert!(error.message.contains("it is a link-local address"), "{error}");
        assert_eq!(asked("127-0-0-1", Some(HERE)).await.unwrap().status, 200);
    }

    #[tokio::test]
    async fn what_reads_follows_a_redirect_and_takes_no_part_of_an_answer_as_before() {
        let server = Server::start(|_, request| match &*request.path {
            "/" => Reply::Whole(302, "text/plain", "location: /next\r\n".into(), Vec::new()),
            _ => Reply::Half(b"half of it".to_vec()),
        });
        let limit = Limit { bytes: 100, time: Duration::from_secs(20) };
        let asked = async |delivery, path| {
            let settings = HttpSettings { delivery, proxy: false, ..HttpSettings::default() };
            let url = format!("{}{path}", server.url);
            Http::new(settings).unwrap().get("test:get", &url, limit).await
        };
        assert_eq!(asked(None, "/").await.unwrap_err().kind, ErrorKind::Network);
        assert_eq!(server.requests(), 2);
        let answer = asked(Some(HERE), "/").await.unwrap();
        assert_eq!((answer.status, answer.is_whole), (302, true));
        let answer = asked(Some(HERE), "/next").await.unwrap();
        assert_eq!((answer.status, answer.is_whole), (200, false));
        assert_eq!(server.requests(), 4);
    }

    #[tokio::test]
    async fn this_host_has_one_name_that_no_resolver_is_asked_for() {
        let here = HERE.addresses("localhost", 25).await.unwrap();
        assert_eq!(here, ["127.0.0.1:25".parse().unwrap(), "[::1]:25".parse().unwrap()]);
        assert!(AWAY.addresses("localhost", 25).await.is_err());
        // A literal needs none either.
        assert!(HERE.addresses("169.254.169.254", 25).await.is_err());
    }
}
