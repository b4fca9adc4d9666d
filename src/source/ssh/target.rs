//! Which host, and how `ssh` is called for it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::{ErrorKind, HostNames, SourceError, text};

/// Name of the operation in errors.
pub(super) const OPERATION: &str = "ssh";

/// Seconds for a connection to come about.
const CONNECT_S: u32 = 8;

/// Options of every call. Nothing is asked, nothing is forwarded, no terminal is opened; a
/// connection that broke is noticed. An existing shared connection is used, none is left behind.
const OPTIONS: [&str; 10] = [
    "BatchMode=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "ControlMaster=no",
    "RequestTTY=no",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "LogLevel=ERROR",
];

/// Host keys that are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostKeys {
    /// Only known keys (`StrictHostKeyChecking=yes`).
    #[default]
    Known,
    /// Known and new keys: a new one is remembered, a changed one refused (`accept-new`).
    AcceptNew,
}

/// Options of an ssh connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// Path of the program, usually `ssh` from the `PATH`.
    pub program: PathBuf,
    /// Port; `None` for that of the ssh configuration.
    pub port: Option<u16>,
    /// Path of a private key; `None` for those of the ssh configuration and agent.
    pub identity: Option<PathBuf>,
    /// Path of an ssh configuration in place of the user's own; `None` for the user's.
    pub config: Option<PathBuf>,
    /// Host keys that are accepted.
    pub host_keys: HostKeys,
}

impl Default for Login {
    fn default() -> Self {
        Self {
            program: "ssh".into(),
            port: None,
            identity: None,
            config: None,
            host_keys: HostKeys::default(),
        }
    }
}

/// Name of a host that `ssh` cannot mistake for an option.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target(Arc<str>);

impl Target {
    /// Validates a host name, an address or an alias of the ssh configuration, each with or without `user@`. Err for
    /// any other text.
    pub fn new(raw: &str) -> Result<Self, SourceError> {
        let fits = |part: &str| {
            !part.is_empty()
                && !part.starts_with('-')
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-:%+".contains(&b))
        };
        let good = raw.len() <= 255
            && match raw.rsplit_once('@') {
                Some((user, host)) => fits(user) && fits(host),
                None => fits(raw),
            };
        if good {
            return Ok(Self(raw.into()));
        }
        Err(SourceError::new(
            ErrorKind::Refused,
            OPERATION,
            &format!("{} is no name of a host", text::clean(raw)),
            "Give a host name, an address or an alias of ~/.ssh/config; letters, digits and . _ - : \
             % +, the first one no dash.",
        ))
    }

    /// Name as given, with the user.
    pub fn as_str(&self) -> &Arc<str> {
        &self.0
    }

    /// Name of the host without the user.
    pub fn host(&self) -> &str {
        self.0.rsplit_once('@').map_or(&*self.0, |(_, host)| host)
    }
}

/// A host to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Name for `ssh`.
    pub target: Target,
    /// Known names of the host.
    pub names: HostNames,
}

impl Login {
    /// Arguments of `ssh` that run `command` on a host. `command` must hold no text from outside.
    pub(super) fn arguments(&self, target: &Target, command: &str) -> Vec<String> {
        let mut args: Vec<String> = vec!["-T".into(), "-x".into(), "-a".into()];
        let mut option = |text: String| args.extend(["-o".to_owned(), text]);
        for fixed in OPTIONS {
            option(fixed.to_owned());
        }
        option(format!("ConnectTimeout={CONNECT_S}"));
        option(match self.host_keys {
            HostKeys::Known => "StrictHostKeyChecking=yes".to_owned(),
            HostKeys::AcceptNew => "StrictHostKeyChecking=accept-new".to_owned(),
        });
        if let Some(port) = self.port {
            option(format!("Port={port}"));
        }
        let path = |p: &PathBuf| p.to_string_lossy().into_owned();
        if let Some(identity) = &self.identity {
            args.extend(["-i".to_owned(), path(identity)]);
        }
        if let Some(config) = &self.config {
            args.extend(["-F".to_owned(), path(config)]);
        }
        args.extend(["--".to_owned(), target.0.to_string(), command.to_owned()]);
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_ssh_would_misunderstand_are_refused() {
        for good in ["gpu-1", "10.0.0.7", "fd00::7", "ubuntu@gpu-1.internal", "fe80::1%eth0", "a_b"]
        {
            assert!(Target::new(good).is_ok(), "{good}");
        }
        let long = "x".repeat(256);
        for bad in [
            "",
            "-oProxyCommand=x",
            "a b",
            "a\nb",
            "a;b",
            "$(x)",
            "`x`",
            "a\u{1b}[2J",
            "user@-oProxyCommand=x",
            "-l@host",
            "@host",
            "user@",
            "a'b",
            "ssh://host",
            &long,
        ] {
            let error = Target::new(bad).unwrap_err();
            assert!(!error.message.chars().any(text::is_unsafe), "{bad:?}");
        }
        assert_eq!(Target::new("ubuntu@gpu-1").unwrap().host(), "gpu-1");
    }

    #[test]
    fn nothing_is_forwarded_asked_or_accepted_unseen() {
        let login = Login { port: Some(2222), ..Login::default() };
        let target = Target::new("gpu-1").unwrap();
        let args = login.arguments(&target, "nvidia-smi");
        for want in [
            "BatchMode=yes",
            "StrictHostKeyChecking=yes",
            "ForwardAgent=no",
            "ClearAllForwardings=yes",
            "ConnectTimeout=8",
            "ServerAliveInterval=5",
            "Port=2222",
        ] {
            assert!(args.iter().any(|a| a == want), "{want}: {args:?}");
        }
        assert_eq!(args[args.len() - 3..], ["--", "gpu-1", "nvidia-smi"]);
        let new = Login { host_keys: HostKeys::AcceptNew, ..Login::default() };
        let args = new.arguments(&target, "x");
        assert!(args.iter().any(|a| a == "StrictHostKeyChecking=accept-new"));
        assert!(!args.iter().any(|a| a.ends_with("Checking=no") || a == "-A" || a == "-t"));
    }
}
