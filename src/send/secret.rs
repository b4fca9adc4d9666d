//! Secrets of sinks, read where they are used: so one that is changed holds from then on.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::error::SendError;
use crate::domain::Secret;
use crate::files;
use crate::watch::sink::SecretFrom;

/// Longest secret, bytes; a longer file was named by mistake.
const LONGEST: u64 = 64 << 10;

/// The secret, without white space around it. Of a file off the workers: it may be on a network.
///
/// # Errors
/// The file cannot be read, the variable is not set, or what is there is empty, too long or no text. The error names the
/// place, never what is there, and may pass: secrets are put in place while programs run.
pub async fn read(from: &SecretFrom) -> Result<Secret, SendError> {
    let SecretFrom::File(_) = from else { return read_here(from) };
    let own = from.clone();
    let read = tokio::task::spawn_blocking(move || read_here(&own)).await;
    read.unwrap_or_else(|_| {
        Err(SendError::later(format!("{}: reading was cut short", place(from)), ""))
    })
}

/// The same on this thread.
///
/// # Errors
/// Those of [`read`].
pub fn read_here(from: &SecretFrom) -> Result<Secret, SendError> {
    let found = match from {
        SecretFrom::File(path) => of_file(path),
        SecretFrom::Env(name) => of_variable(std::env::var_os(name)),
    };
    found.map_err(|what| {
        let fix = "put the secret there, one text in UTF-8, readable by this user";
        SendError::later(format!("{}: {what}", place(from)), fix)
    })
}

/// The place of a secret in words: `/run/secrets/slack`, `the variable SLACK_URL`.
pub fn place(from: &SecretFrom) -> String {
    match from {
        SecretFrom::File(path) => path.display().to_string(),
        SecretFrom::Env(name) => format!("the variable {name}"),
    }
}

fn of_file(path: &Path) -> Result<Secret, String> {
    let no_text = |_| io::Error::from(files::Refused::NoText);
    let read = files::read_named(path, LONGEST).and_then(|b| String::from_utf8(b).map_err(no_text));
    checked(read.map_err(|error| files::explain(&error))?)
}

fn of_variable(value: Option<OsString>) -> Result<Secret, String> {
    let value = value.ok_or("it is not set")?;
    checked(value.into_string().map_err(|_| "it is no text (UTF-8)")?)
}

fn checked(text: String) -> Result<Secret, String> {
    match text.trim() {
        "" => Err("it is empty".to_owned()),
        long if long.len() as u64 > LONGEST => {
            Err(format!("it has more than {} KiB", LONGEST >> 10))
        }
        text => Ok(Secret::new(text)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::super::error::Retry;
    use super::*;

    #[tokio::test]
    async fn a_secret_is_the_text_of_a_file_as_it_is_at_that_time() {
        let dir = tempfile::tempdir().unwrap();
        let from = SecretFrom::File(dir.path().join("token"));
        for text in ["  first\n", "second"] {
            std::fs::write(dir.path().join("token"), text).unwrap();
            assert_eq!(read(&from).await.unwrap().reveal(), text.trim());
        }
    }

    #[tokio::test]
    async fn a_secret_is_the_text_of_a_variable() {
        let from = SecretFrom::Env("PATH".into());
        let path = std::env::var("PATH").unwrap();
        assert_eq!(read(&from).await.unwrap().reveal(), path.trim());
        let error = read(&SecretFrom::Env("BURNTOP_NO_SUCH_VARIABLE".into())).await.unwrap_err();
        assert_eq!(error.message, "the variable BURNTOP_NO_SUCH_VARIABLE: it is not set");
    }

    #[tokio::test]
    async fn what_is_no_secret_is_told_by_its_place_and_without_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let long = vec![b'x'; LONGEST as usize + 1];
        for (bytes, words) in [
            (&b" \n"[..], "it is empty"),
            (&long[..], "larger than"),
            (&b"hunter2\xff"[..], "no text"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = read(&SecretFrom::File(path.clone())).await.unwrap_err();
            assert!(error.message.contains("token: ") && error.message.contains(words), "{error}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
            assert_eq!(error.retry, Retry::After(None), "it may be put there yet");
        }
        let error = read(&SecretFrom::File(dir.path().join("none"))).await.unwrap_err();
        assert!(error.message.contains("none"), "{error}");
        let error = read(&SecretFrom::File(dir.path().into())).await.unwrap_err();
        assert!(error.message.contains("regular file"), "{error}");
        let odd = of_variable(Some(OsString::from_vec(b"hunter2\xff".to_vec()))).unwrap_err();
        assert_eq!(odd, "it is no text (UTF-8)");
        assert!(of_variable(Some("x".repeat(LONGEST as usize + 1).into())).is_err());
    }
}
