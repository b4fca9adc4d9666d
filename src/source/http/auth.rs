//! Credentials of a server: given, or in a file that is read anew with each call, because tokens of
//! service accounts change while a program runs.

use std::path::{Path, PathBuf};

use reqwest::header::HeaderValue;

use super::error::Place;
use crate::domain::{ErrorKind, Secret, SourceError};
use crate::files;

/// Credentials of an HTTP client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// No credentials.
    #[default]
    None,
    /// A bearer token.
    Bearer(Secret),
    /// A bearer token in a file.
    BearerFile(PathBuf),
    /// Basic authentication.
    Basic {
        /// User name.
        user: String,
        /// Password of the user.
        password: Secret,
    },
    /// Basic authentication with the password in a file.
    BasicFile {
        /// User name.
        user: String,
        /// Path of the file with the password.
        file: PathBuf,
    },
}

/// No token is longer; a file that is was named by mistake.
const LONGEST: u64 = 64 << 10;

impl Auth {
    /// Value of the `Authorization` header; `None` without credentials. Err when the file cannot be read or the value
    /// cannot be sent.
    pub(super) async fn header(&self, place: &Place) -> Result<Option<HeaderValue>, SourceError> {
        let text = match self {
            Self::None => return Ok(None),
            Self::Bearer(token) => format!("Bearer {}", token.reveal().trim()),
            Self::BearerFile(file) => format!("Bearer {}", read(file, place).await?.reveal()),
            Self::Basic { user, password } => basic(user, password),
            Self::BasicFile { user, file } => basic(user, &read(file, place).await?),
        };
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            place.error(
                ErrorKind::NoCredentials,
                "the token holds characters that cannot be sent",
                "a token is one line of text; check the file or the setting it comes from",
            )
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

fn basic(user: &str, password: &Secret) -> String {
    let pair = format!("{user}:{}", password.reveal());
    format!("Basic {}", aws_smithy_types::base64::encode(pair))
}

/// The content of a file without white space around it. A blocking read, off the workers: the file
/// may be on a network.
async fn read(file: &Path, place: &Place) -> Result<Secret, SourceError> {
    let path = file.to_owned();
    let text = tokio::task::spawn_blocking(move || {
        let text = files::read_named(&path, LONGEST)?;
        String::from_utf8(text).map_err(|_| std::io::Error::from(files::Refused::NoText))
    });
    let wrong = |message: &str| {
        place.error(
            ErrorKind::NoCredentials,
            &format!("{}: {message}", file.display()),
            "the file must hold the token or password, and be readable by this user",
        )
    };
    match text.await {
        Ok(Ok(text)) if !text.trim().is_empty() => Ok(Secret::new(text.trim())),
        Ok(Ok(_)) => Err(wrong("empty")),
        Ok(Err(error)) => Err(wrong(&files::explain(&error))),
        Err(_) => Err(wrong("reading was cut short")),
    }
}
