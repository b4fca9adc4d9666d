//! Addresses that messages are posted to.

use url::Url;

use super::error::SendError;
use super::secret;
use crate::domain::Address;
use crate::domain::address::{AddressError, is_loopback};
use crate::source::http::Delivery;
use crate::watch::sink::UrlFrom;

/// The address of a sink.
///
/// # Errors
/// Its secret cannot be read; those of [`checked`]. The address itself is never in the error.
pub async fn of(from: &UrlFrom, allow_loopback: bool) -> Result<Url, SendError> {
    match from {
        UrlFrom::Plain(text) => checked(text, "the address", allow_loopback),
        UrlFrom::Secret(from) => {
            let text = secret::read(from).await?;
            checked(text.reveal(), &secret::place(from), allow_loopback)
        }
    }
}

/// The address that a text is; `place` names it in errors.
///
/// # Errors
/// It is no address of a server, holds a user or a password, is not HTTPS, leads to an address that nothing is sent to,
/// or to this host where that is not allowed.
pub fn checked(text: &str, place: &str, allow_loopback: bool) -> Result<Url, SendError> {
    let url = Address::new(text).parse().map_err(|why| {
        let fix = match why {
            AddressError::User => "take them out; give a header with its secret instead",
            AddressError::NoAddress => "write it as https://host/path, in one line",
        };
        SendError::never(format!("{place}: {why}"), fix)
    })?;
    let host = url.host_str().unwrap_or_default();
    let delivery = Delivery { loopback: allow_loopback };
    if let Err(why) = delivery.check(&url) {
        let fix = if is_loopback(&url) {
            "where that is meant, set allow_loopback = true in this sink"
        } else {
            "give the address of the server that is meant"
        };
        return Err(SendError::never(format!("nothing is sent to {host}: {why}"), fix));
    }
    if url.scheme() != "https" && !is_loopback(&url) {
        return Err(SendError::never(
            format!("nothing is sent to {host} in clear text"),
            "write the address with https://",
        ));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sink::SecretFrom;

    #[test]
    fn messages_go_by_https_and_in_clear_to_this_host_alone_where_that_is_allowed() {
        for (url, away, here) in [
            ("https://hooks.example/a", true, true),
            ("http://hooks.example/a", false, false),
            ("http://127.0.0.1:80/a", false, true),
            ("http://localhost/a", false, true),
            ("https://[::1]/a", false, true),
            ("http://127.0.0.1.evil.example/a", false, false),
            ("http://localhost.evil.example/", false, false),
            ("http://10.0.0.1/", false, false),
            ("https://10.0.0.1/", true, true),
            ("https://169.254.169.254/", false, false),
            ("http://169.254.169.254/latest/meta-data", false, false),
            ("https://[::ffff:169.254.169.254]/", false, false),
            ("https://2852039166/", false, false),
            ("https://[fe80::1]/", false, false),
            ("https://100.100.100.200/", false, false),
            ("https://0.0.0.0/", false, false),
            ("https://user:pw@hooks.example/", false, false),
            ("ftp://hooks.example/", false, false),
            ("file:///etc/passwd", false, false),
            ("hooks.example", false, false),
            ("", false, false),
        ] {
            assert_eq!(checked(url, "x", false).is_ok(), away, "{url}");
            assert_eq!(checked(url, "x", true).is_ok(), here, "{url}");
        }
    }

    #[tokio::test]
    async fn no_error_holds_an_address() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("url");
        for text in [
            "https://me:s3cr3t@hooks.example/s3cr3t",
            "http://hooks.example/s3cr3t?s3cr3t",
            "http://127.0.0.1/s3cr3t",
            "https://169.254.169.254/s3cr3t",
            "s3cr3t",
            "https://hooks.example/s3cr3t\nhttps://hooks.example/s3cr3t",
        ] {
            std::fs::write(&path, text).unwrap();
            let from = UrlFrom::Secret(SecretFrom::File(path.clone()));
            let error = of(&from, false).await.unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cr3t"), "{error:?}");
        }
        std::fs::write(&path, " https://hooks.example/s3cr3t\n").unwrap();
        let from = UrlFrom::Secret(SecretFrom::File(path));
        assert_eq!(of(&from, false).await.unwrap().as_str(), "https://hooks.example/s3cr3t");
    }
}
