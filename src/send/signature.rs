//! The signature of what a webhook is sent, by which its server knows that burntop sent it, and when.
//!
//! `X-Burntop-Timestamp` holds the seconds since 1970, and `X-Burntop-Signature` `sha256=` and the HMAC-SHA256, in
//! hexadecimal digits, of the timestamp, a full stop and the bytes of the body. A server computes it from the bytes as
//! they came, compares both in constant time, and turns down a timestamp that is minutes old.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;

use crate::domain::Secret;

/// Header with the time.
pub const TIMESTAMP: &str = "X-Burntop-Timestamp";
/// Header with the signature.
pub const SIGNATURE: &str = "X-Burntop-Signature";

/// The two headers for this body.
pub fn headers(key: &Secret, at: Timestamp, body: &str) -> [(&'static str, String); 2] {
    let at = at.as_second().to_string();
    let signature = sign(key.reveal().as_bytes(), &format!("{at}.{body}"));
    [(TIMESTAMP, at), (SIGNATURE, format!("sha256={signature}"))]
}

fn sign(key: &[u8], text: &str) -> String {
    // HMAC takes keys of any length, so there is always one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_an_independent_calculation() {
        // python3 -c 'import hmac; print(hmac.new(b"key", b"text", "sha256").hexdigest())'
        for (key, text, want) in [
            // RFC 4231, test case 2.
            (
                "Jefe".to_owned(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            // A key longer than a block of the hash.
            (
                "k".repeat(131),
                "x",
                "5e7df641fef282dee7244c5dd15b5bd8cf84ca3483ca5685fc31cef5dd361622",
            ),
        ] {
            assert_eq!(sign(key.as_bytes(), text), want);
        }
    }

    #[test]
    fn time_and_body_are_signed_together() {
        let at = Timestamp::from_second(1_795_000_000).unwrap();
        let body = "{\"title\":\"é\"}";
        let [time, signature] = headers(&Secret::new("s3cr3t"), at, body);
        assert_eq!(time, ("X-Burntop-Timestamp", "1795000000".to_owned()));
        // hmac.new(b"s3cr3t", '1795000000.{"title":"é"}'.encode(), "sha256")
        let want = "sha256=f25b6747b61718c873303e7ebdb5b8ebc80995b9da84958dda3b9a14ffe2dafe";
        assert_eq!(signature, ("X-Burntop-Signature", want.to_owned()));
        let later = Timestamp::from_second(1_795_000_001).unwrap();
        assert_ne!(headers(&Secret::new("s3cr3t"), later, body)[1], signature);
    }
}
