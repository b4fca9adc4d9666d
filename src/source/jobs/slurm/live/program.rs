//! One call of a program of Slurm, here or over ssh.

use std::path::Path;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use super::trouble::{self, Called};
use crate::domain::SourceError;
use crate::source::ssh::call::Call;
use crate::source::ssh::{Login, Target};

/// Where the programs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On this host.
    Here,
    /// On another host.
    Over {
        /// How ssh is called.
        login: Login,
        /// The host.
        target: Target,
    },
}

/// Variables of each call: times as seconds since 1970, words in English.
const VARIABLES: [(&str, &str); 2] = [("SLURM_TIME_FORMAT", "%s"), ("LC_ALL", "C")];

/// How programs are called.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub place: Place,
    /// Their directory, a plain path; `None` = those of the PATH.
    pub bin: Option<String>,
    /// Time limit of a call.
    pub time: Duration,
}

impl Programs {
    /// What a program prints, as text; bytes that are none are replaced.
    pub(super) async fn text(
        &self,
        program: &'static str,
        arguments: &[&str],
        most: usize,
    ) -> Result<String, SourceError> {
        let bytes = self.bytes(program, arguments, most).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What a program prints. Err when it fails, takes too long, or prints more than `most` bytes.
    pub(super) async fn bytes(
        &self,
        program: &'static str,
        arguments: &[&str],
        most: usize,
    ) -> Result<Vec<u8>, SourceError> {
        let called = Called { program, host: self.host() };
        let work = async {
            let (call, out) = self.start(&called, arguments)?;
            let mut bytes = Vec::new();
            let _ = out.take(most as u64 + 1).read_to_end(&mut bytes).await;
            if bytes.len() > most {
                return Err(trouble::too_long(&called, most));
            }
            let ended = call.end("").await;
            if ended.code == Some(0) {
                return Ok(bytes);
            }
            Err(trouble::explain(&called, &ended))
        };
        let late = |_| Err(trouble::late(&called, self.time));
        tokio::time::timeout(self.time, work).await.unwrap_or_else(late)
    }

    fn host(&self) -> Option<&str> {
        match &self.place {
            Place::Here => None,
            Place::Over { target, .. } => Some(target.as_str()),
        }
    }

    fn start(
        &self,
        called: &Called<'_>,
        arguments: &[&str],
    ) -> Result<(Call, tokio::process::ChildStdout), SourceError> {
        let program = match &self.bin {
            None => called.program.to_owned(),
            Some(bin) => Path::new(bin).join(called.program).display().to_string(),
        };
        match &self.place {
            Place::Here => {
                let mut command = Command::new(program);
                command.args(arguments).envs(VARIABLES);
                Call::spawn(command).map_err(|error| trouble::not_started(called, &error))
            }
            Place::Over { login, target } => {
                let words = VARIABLES.iter().map(|(name, value)| format!("{name}={value}"));
                let quoted = std::iter::once(program.as_str()).chain(arguments.iter().copied());
                let all: Vec<String> = std::iter::once("env".to_owned())
                    .chain(words)
                    // None of them holds a quote: they are burntop's own words, numbers, and a plain path.
                    .chain(quoted.map(|word| format!("'{word}'")))
                    .collect();
                Call::start(login, target, &all.join(" "))
            }
        }
    }
}
