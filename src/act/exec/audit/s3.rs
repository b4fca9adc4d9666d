//! The one thing that burntop writes into a bucket: copies of its audit log.

use aws_config::SdkConfig;
use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::copy::AuditCopy;
use crate::act::exec::service::failed;
use crate::domain::SourceError;

/// A copy below a prefix of a bucket, one object per run: `<prefix>/<YYYY>/<MM>/<DD>/<run>.jsonl`,
/// by the UTC day of the run's first line. It can put objects there and nothing else.
#[derive(Clone, Debug)]
pub struct BucketCopy {
    client: Client,
    bucket: String,
    prefix: String,
}

impl BucketCopy {
    /// `s3://bucket/prefix`, with the credentials of `sdk` and in its region.
    pub fn new(sdk: &SdkConfig, bucket: &str, prefix: &str) -> Self {
        // Endpoints of their own (emulators, gateways) rarely resolve a bucket's name as a host.
        let by_path = sdk.endpoint_url().is_some();
        let config = aws_sdk_s3::config::Builder::from(sdk).force_path_style(by_path);
        let (bucket, prefix) = (bucket.to_owned(), prefix.to_owned());
        Self { client: Client::from_conf(config.build()), bucket, prefix }
    }

    fn key(&self, run: &str, lines: &[u8]) -> String {
        // A run's name is our own; whatever it holds, it stays one part of the key.
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let run: String = run.chars().map(plain).collect();
        let prefix = if self.prefix.is_empty() { "" } else { "/" };
        format!("{}{prefix}{}/{run}.jsonl", self.prefix, day(lines))
    }
}

/// The UTC day of the first line, as `2026/03/01`.
fn day(lines: &[u8]) -> String {
    let first = lines.split(|b| *b == b'\n').find(|l| !l.is_empty()).unwrap_or_default();
    let at = serde_json::from_slice::<serde_json::Value>(first)
        .ok()
        .and_then(|line| line["at"].as_str()?.parse::<Timestamp>().ok());
    at.map_or_else(
        || "undated".to_owned(),
        |at| at.to_zoned(TimeZone::UTC).strftime("%Y/%m/%d").to_string(),
    )
}

#[async_trait::async_trait]
impl AuditCopy for BucketCopy {
    fn place(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.prefix)
    }

    async fn copy(&self, run: &str, log: &[u8], since: usize) -> Result<(), SourceError> {
        let lines = log.get(since..).unwrap_or(log);
        let request = self
            .client
            .put_object()
            .bucket(&self.bucket)
            .key(self.key(run, lines))
            .content_type("application/x-ndjson")
            .body(ByteStream::from(lines.to_vec()));
        let fix = "allow `s3:PutObject` below the prefix of actions.audit_copy, in the account and \
                   region of the first account; the log itself is complete";
        request.send().await.map(drop).map_err(|e| failed("s3:PutObject", &e, fix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_by_prefix_day_and_run() {
        let sdk = SdkConfig::builder()
            .behavior_version(aws_config::BehaviorVersion::latest())
            .region(aws_config::Region::from_static("eu-west-1"))
            .build();
        let key = |prefix, run, lines: &str| {
            BucketCopy::new(&sdk, "logs", prefix).key(run, lines.as_bytes())
        };
        let line = "{\"seq\":7,\"at\":\"2026-03-01T23:59:59Z\"}\n{\"seq\":8}\n";
        assert_eq!(key("", "a1-2", line), "2026/03/01/a1-2.jsonl");
        assert_eq!(key("x/y", "a", line), "x/y/2026/03/01/a.jsonl");
        assert_eq!(key("x", "../../b", line), "x/2026/03/01/______b.jsonl");
        assert_eq!(key("x", "a", "torn"), "x/undated/a.jsonl");
    }
}
