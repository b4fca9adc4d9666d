//! The token for slurmrestd: a JWT of `scontrol token`, in a file or in the environment.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::Deserialize;

use super::OPERATION;
use crate::domain::{ErrorKind, Secret, SourceError};
use crate::files;
use crate::source::http::Place;

/// No token is longer; a file that is was named by mistake.
const LONGEST: u64 = 64 << 10;

/// What to do about a token that has ended.
pub(super) const RENEW: &str =
    "`scontrol token username=NAME lifespan=SECONDS` makes a new one on the cluster";

/// Where the token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// In a file, which is read anew for each reading.
    File(PathBuf),
    /// In a variable of the environment.
    Variable {
        /// Name of the variable.
        name: String,
        /// Its value; `None` where it is not set.
        value: Option<Secret>,
    },
}

impl Token {
    /// The token. Err where there is none.
    pub(super) async fn read(&self) -> Result<Secret, SourceError> {
        let none = |message: &str| {
            let fix = format!("it must hold the token and nothing else; {RENEW}");
            SourceError::new(ErrorKind::NoCredentials, OPERATION, message, &fix)
        };
        let text = match self {
            Self::Variable { name, value } => match value {
                Some(value) => value.reveal().to_owned(),
                None => return Err(none(&format!("the variable {name} is not set"))),
            },
            Self::File(path) => {
                let file = path.clone();
                // Off the workers: the file may be on a network.
                let read = tokio::task::spawn_blocking(move || files::read_named(&file, LONGEST));
                let shown = path.display();
                match read.await {
                    Ok(Ok(bytes)) => String::from_utf8(bytes)
                        .map_err(|_| none(&format!("{shown} holds no text")))?,
                    Ok(Err(error)) => {
                        return Err(none(&format!("{shown}: {}", files::explain(&error))));
                    }
                    Err(_) => return Err(none(&format!("{shown}: reading was cut short"))),
                }
            }
        };
        // As `scontrol token` prints it, or the token alone.
        let token = text.trim();
        let token = token.strip_prefix("SLURM_JWT=").unwrap_or(token).trim();
        match token {
            "" => Err(none("there is no token")),
            token => Ok(Secret::new(token)),
        }
    }
}

/// What a token says of itself; nothing of it is proof.
#[derive(Default, Deserialize)]
struct Claims {
    /// When it ends, seconds since 1970.
    exp: Option<f64>,
    /// Slurm's name of the user.
    sun: Option<String>,
}

fn claims(token: &Secret) -> Claims {
    let read = || {
        let body = token.reveal().split('.').nth(1)?;
        let mut text: String = body
            .chars()
            .map(|c| match c {
                '-' => '+',
                '_' => '/',
                c => c,
            })
            .collect();
        while !text.len().is_multiple_of(4) {
            text.push('=');
        }
        let bytes = aws_smithy_types::base64::decode(text).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    read().unwrap_or_default()
}

/// When a token ends; `None` where it does not say.
pub(super) fn ends(token: &Secret) -> Option<Timestamp> {
    let seconds = claims(token).exp.filter(|exp| (0.0..1e11).contains(exp))?;
    Timestamp::from_second(seconds as i64).ok()
}

/// Name of the user of a token; `None` where it names none that can be sent.
pub(super) fn user(token: &Secret) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '$');
    claims(token).sun.filter(|name| !name.is_empty() && name.chars().all(plain))
}

/// Error for a token that has ended.
pub(super) fn expired(ends: Timestamp) -> SourceError {
    let message = format!("the token ended at {}", ends.strftime("%Y-%m-%d %H:%M:%SZ"));
    SourceError::new(ErrorKind::Expired, OPERATION, &message, RENEW)
}

/// Error for a token that is not accepted: ended meanwhile, or never good.
pub(super) fn refused(place: &Place, token: &Secret) -> SourceError {
    match ends(token).filter(|ends| *ends <= Timestamp::now()) {
        Some(ends) => expired(ends),
        None => {
            let fix = format!("check that it is of this cluster; {RENEW}");
            place.error(ErrorKind::Denied, "the token is not accepted", &fix)
        }
    }
}
