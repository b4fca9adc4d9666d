//! What the tests of sinks share.

use std::time::Duration;

use jiff::Timestamp;

use crate::source::http::{Delivery, Http, HttpSettings};
use crate::source::server::Server;
use crate::watch::message::{AlertFacts, Message, MessageKind, Severity};
use crate::watch::sink::{Destination, Sink, UrlFrom};

/// Time limit of a try that is to be answered.
pub const HERE: Duration = Duration::from_secs(20);
/// When messages of the tests are sent.
pub const SENT: Timestamp = Timestamp::constant(1_795_000_000, 0);

/// A message about one alert.
pub fn message() -> Message {
    Message {
        key: "0123456789abcdef0123456789abcdef".into(),
        thread: "fedcba9876543210fedcba9876543210".into(),
        kind: MessageKind::Firing,
        severity: Severity::Critical,
        at: Timestamp::constant(1_794_999_990, 0),
        title: "firing: idle-gpus: p4d.24xlarge i-0abc".into(),
        lines: vec!["8 GPUs are held".into(), "and idle".into()],
        alerts: vec![AlertFacts {
            rule: "idle-gpus".into(),
            key: "i-0abc".into(),
            what: "p4d.24xlarge i-0abc".into(),
            team: Some("vision".into()),
            usd_per_day: Some(393.25),
            ..AlertFacts::default()
        }],
        more: 0,
        html: None,
    }
}

/// A client that reaches this host.
pub fn http() -> Http {
    let delivery = Some(Delivery { loopback: true });
    let settings =
        HttpSettings { delivery, proxy: false, idle_per_host: 0, ..HttpSettings::default() };
    Http::new(settings).unwrap()
}

/// The address of a server with this path.
pub fn url(server: &Server, path: &str) -> UrlFrom {
    UrlFrom::Plain(format!("{}{path}", server.url))
}

/// A sink that may reach this host.
pub fn sink(to: Destination) -> Sink {
    Sink { name: "test".into(), to, least: Severity::Info, timeout: HERE, allow_loopback: true }
}
