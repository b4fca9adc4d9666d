//! CloudWatch Logs: the list of log groups.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::AwsProvider;
use super::calls::DESCRIBE_LOG_GROUPS;
use super::inventory::clean;
use super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service, every};
use super::limit::Api;
use crate::domain::{LogGroup, SourceError};

/// CloudWatch Logs, called without its SDK crate.
const LOGS: Service = Service {
    id: "CloudWatch Logs",
    naming: Naming::Header("Logs_20140328"),
    signing_name: "logs",
    // DescribeLogGroups: 10 a second per account and region (CloudWatch Logs quotas); half of it.
    api: Api::Own { service: "logs", per_second: 5, burst: 5, in_flight: 1 },
    host,
    is_billed: false,
};

fn host(at: &At<'_>) -> Host {
    let fips = if at.fips { "-fips" } else { "" };
    Host { name: format!("logs{fips}.{}", at.region), signed_for: None }
}

/// Rows per page: what CloudWatch Logs gives at most.
const PAGE: u32 = 50;

/// A page of all log groups.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DescribeLogGroups {
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

impl Question for DescribeLogGroups {
    const READ: Read = Read::of(&DESCRIBE_LOG_GROUPS, &LOGS);
    type Answer = Page<Raw>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    log_group_name: Option<String>,
    /// Milliseconds since 1970.
    creation_time: Option<i64>,
    retention_in_days: Option<u32>,
    stored_bytes: Option<u64>,
}

impl Row for Raw {
    const LIST: &'static str = "logGroups";
}

/// All log groups of a region. Err when a page cannot be read.
pub async fn read(aws: &AwsProvider, region: &Arc<str>) -> Result<Vec<LogGroup>, SourceError> {
    let groups = every(aws, region, |next_token| DescribeLogGroups { limit: PAGE, next_token });
    Ok(groups.await?.iter().filter_map(group).collect())
}

/// `None` for a group without a name.
fn group(raw: &Raw) -> Option<LogGroup> {
    Some(LogGroup {
        name: clean(Some(raw.log_group_name.as_deref()?)),
        created_at: raw.creation_time.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
        retention_days: raw.retention_in_days,
        bytes: raw.stored_bytes,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Reply, Server};
    use crate::source::Provider as _;

    #[tokio::test]
    async fn log_groups_come_on_all_pages_with_their_retention() {
        let server = Server::start(|_, request| {
            assert_eq!(request.header("x-amz-target"), Some("Logs_20140328.DescribeLogGroups"));
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            let answer = match body["nextToken"].as_str() {
                None => json!({"nextToken": "2", "logGroups": [
                    {"logGroupName": "/aws/eks/train", "storedBytes": 5_000_000_000_u64,
                     "creationTime": 1_700_000_000_000_i64},
                    {"logGroupName": "a\u{1b}[2J\u{202e}b", "retentionInDays": 30},
                ]}),
                Some(_) => json!({"logGroups": [{"storedBytes": 1}, {"logGroupName": "z"}]}),
            };
            Reply::aws_json(200, answer.to_string())
        });
        let found = server.provider().log_groups(&"1".into(), &"us-east-1".into()).await.unwrap();
        let names: Vec<&str> = found.iter().map(|g| &*g.name).collect();
        assert_eq!(names.len(), 3);
        assert!(!names[1].contains('\u{1b}') && !names[1].contains('\u{202e}'), "{names:?}");
        assert_eq!((found[0].bytes, found[0].retention_days), (Some(5_000_000_000), None));
        assert_eq!(found[0].created_at, Some("2023-11-14T22:13:20Z".parse().unwrap()));
        assert_eq!((found[1].retention_days, found[2].bytes), (Some(30), None));
    }
}
