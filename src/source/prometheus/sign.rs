//! Signature Version 4 for Amazon Managed Service for Prometheus.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;

use crate::domain::Secret;
use crate::source::http::{FORM, Request};

/// The service's name in signatures.
const SERVICE: &str = "aps";

/// Adds the headers of an AWS signature (version 4) to `request`.
///
/// # Errors
/// It cannot be signed; the message holds no secrets.
pub fn add(
    request: &mut Request,
    credentials: Credentials,
    region: &str,
    time: SystemTime,
) -> Result<(), String> {
    let identity = credentials.into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(time)
        .settings(SigningSettings::default())
        .build()
        .map_err(|e| e.to_string())?
        .into();
    let posted = request.form.is_some();
    let body = request.form.as_deref().unwrap_or_default();
    let signable = SignableRequest::new(
        if posted { "POST" } else { "GET" },
        request.url.as_str(),
        posted.then_some(("content-type", FORM)).into_iter(),
        SignableBody::Bytes(body.as_bytes()),
    )
    .map_err(|e| e.to_string())?;
    let (instructions, _) = sign(signable, &params).map_err(|e| e.to_string())?.into_parts();
    let added: Vec<_> =
        instructions.headers().map(|(n, v)| (n.to_owned(), Secret::new(v))).collect();
    request.headers.extend(added);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_signature_is_that_of_an_independent_calculation() {
        let url = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/api/v1/query";
        let mut request = Request {
            url: reqwest::Url::parse(url).unwrap(),
            form: Some("query=up".into()),
            headers: Vec::new(),
        };
        let key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        let credentials = Credentials::new("AKIDEXAMPLE", key, None, None, "test");
        // 2015-08-30T12:36:00Z, with the example key of AWS's documentation; the signature was
        // computed with Python's hmac.
        let time = SystemTime::UNIX_EPOCH + Duration::from_mins(24_015_636);
        add(&mut request, credentials, "eu-west-1", time).unwrap();
        let header = |name: &str| {
            let found = request.headers.iter().find(|(n, _)| n == name);
            found.map(|(_, v)| v.reveal().to_owned()).unwrap_or_default()
        };
        assert_eq!(header("x-amz-date"), "20150830T123600Z");
        assert_eq!(
            header("authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/aps/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=700c5385fd497c6be7c329fb12b06d6538e6558c08a5d4a23b650c384ca4ea99"
        );
        assert!(!format!("{request:?}").contains("Signature"), "nothing signed is shown");
    }
}
