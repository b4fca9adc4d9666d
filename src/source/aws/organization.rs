//! AWS Organizations: the list of accounts.

use serde::{Deserialize, Serialize};

use super::calls::LIST_ACCOUNTS;
use super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service, every};
use super::limit::Api;
use super::{AwsProvider, error};
use crate::domain::{Member, SourceError, is_account_id, is_partition, text};

/// AWS Organizations, called without its SDK crate.
pub const ORGANIZATIONS: Service = Service {
    id: "Organizations",
    naming: Naming::Header("AWSOrganizationsV20161128"),
    signing_name: "organizations",
    // No limits are published; one list an hour, of 20 accounts a page.
    api: Api::Own { service: "organizations", per_second: 4, burst: 8, in_flight: 1 },
    host,
    is_billed: false,
};

fn host(at: &At<'_>) -> Host {
    let fips = if at.fips { "-fips" } else { "" };
    let own = Host { name: format!("organizations{fips}.{}", at.region), signed_for: None };
    match home(at).filter(|_| !at.dual_stack) {
        Some((host, home)) => Host { name: format!("{host}.{home}"), signed_for: Some(home) },
        None => own,
    }
}

/// The one endpoint of Organizations in a partition and the region it lies in, where the rules name
/// one.
fn home(at: &At<'_>) -> Option<(&'static str, &'static str)> {
    let is_gov = at.region.starts_with("us-gov-");
    Some(match (at.suffix, at.fips) {
        // One host for both.
        ("amazonaws.com", _) if is_gov => ("organizations", "us-gov-west-1"),
        ("amazonaws.com", false) => ("organizations", "us-east-1"),
        ("amazonaws.com", true) => ("organizations-fips", "us-east-1"),
        ("amazonaws.com.cn", false) => ("organizations", "cn-northwest-1"),
        ("c2s.ic.gov", false) => ("organizations", "us-iso-east-1"),
        ("sc2s.sgov.gov", false) => ("organizations", "us-isob-east-1"),
        ("csp.hci.ic.gov", false) => ("organizations", "us-isof-south-1"),
        _ => return None,
    })
}

/// A page of all accounts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListAccounts {
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

/// Rows per page: what Organizations gives at most.
const PAGE: u32 = 20;

impl Question for ListAccounts {
    const READ: Read = Read::of(&LIST_ACCOUNTS, &ORGANIZATIONS);
    type Answer = Page<Account>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Account {
    id: Option<String>,
    arn: Option<String>,
    name: Option<String>,
    /// What replaces `Status`, and knows accounts that are closed or not open yet.
    state: Option<String>,
    status: Option<String>,
}

impl Row for Account {
    const LIST: &'static str = "Accounts";
}

impl AwsProvider {
    /// Accounts of the organization. The credentials must be those of its management account or of a delegated
    /// administrator.
    ///
    /// # Errors
    /// A refusal, a network failure, an account without an id.
    pub async fn members(&self) -> Result<Vec<Member>, SourceError> {
        let home = self.clients().await.home();
        let page = |next_token| ListAccounts { max_results: PAGE, next_token };
        let accounts = every(self, home, page).await?;
        // What is left out silently would be an account that nobody misses.
        accounts.into_iter().map(|account| member(&account)).collect::<Option<_>>().ok_or_else(
            || {
                let place = self.place(&LIST_ACCOUNTS, home);
                error::malformed("an account came without an id of 12 digits", place)
            },
        )
    }
}

fn member(raw: &Account) -> Option<Member> {
    let id = raw.id.as_deref()?;
    if !is_account_id(id) {
        return None;
    }
    // Of `arn:aws-cn:organizations::…:account/…`.
    let partition = raw.arn.as_deref().and_then(|arn| arn.split(':').nth(1));
    let clean = |text: Option<&str>| text::clean(text.unwrap_or_default()).trim().to_owned();
    Some(Member {
        id: id.to_owned(),
        name: clean(raw.name.as_deref()),
        partition: partition.filter(|p| is_partition(p)).unwrap_or("aws").to_owned(),
        state: clean(raw.state.as_deref().or(raw.status.as_deref())),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Reply, Server};
    use crate::domain::ErrorKind;

    fn account(id: &str, name: &str, more: &Value) -> Value {
        let mut account = json!({
            "Id": id, "Name": name, "Email": "root@example.com", "JoinedTimestamp": 1_700_000_000.5,
            "Arn": format!("arn:aws-us-gov:organizations::111111111111:account/o-1/{id}"),
        });
        for (key, value) in more.as_object().unwrap() {
            account[key] = value.clone();
        }
        account
    }

    #[tokio::test]
    async fn accounts_come_on_all_pages_with_clean_names_and_their_state() {
        let server = Server::start(|n, request| {
            let target = request.header("x-amz-target");
            assert_eq!(target, Some("AWSOrganizationsV20161128.ListAccounts"));
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            let answer = match body["NextToken"].as_str() {
                None => json!({"NextToken": "2", "Accounts": [
                    account("111111111111", "main", &json!({"Status": "ACTIVE"})),
                    account("222222222222", "a\u{1b}[2J\u{202e}b", &json!({"Status": "SUSPENDED"})),
                ]}),
                Some(_) => json!({"Accounts": [
                    account("333333333333", "", &json!({"Status": "ACTIVE", "State": "CLOSED"})),
                    account("444444444444", "x", &json!({"Arn": "arn:aws/../x:y", "Status": null})),
                ]}),
            };
            assert!(n < 2);
            Reply::aws_json(200, answer.to_string())
        });
        let found = server.provider().members().await.unwrap();
        let said: Vec<_> = found
            .iter()
            .map(|m| (&*m.id, &*m.name, &*m.partition, &*m.state, m.is_active()))
            .collect();
        assert_eq!(
            said,
            [
                ("111111111111", "main", "aws-us-gov", "ACTIVE", true),
                ("222222222222", "a\u{fffd}[2J\u{fffd}b", "aws-us-gov", "SUSPENDED", false),
                ("333333333333", "", "aws-us-gov", "CLOSED", false),
                ("444444444444", "x", "aws", "", false),
            ]
        );
    }

    #[tokio::test]
    async fn a_list_that_is_denied_or_makes_no_sense_is_no_list() {
        let server = Server::start(|_, _| {
            let message = "You don't have permissions to access this resource.";
            let error = json!({"__type": "AccessDeniedException", "Message": message});
            Reply::aws_json(400, error.to_string())
        });
        let error = server.provider().members().await.unwrap_err();
        let action = "organizations:ListAccounts";
        assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, action));
        assert!(error.fix.contains(action), "{}", error.fix);
        let server = Server::start(|_, _| {
            let accounts = [account("111111111111", "a", &json!({})), json!({"Id": "\u{1b}[2J"})];
            Reply::aws_json(200, json!({"Accounts": accounts}).to_string())
        });
        let error = server.provider().members().await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        let server = Server::start(|_, _| {
            let accounts = [account("111111111111", "a", &json!({}))];
            Reply::aws_json(200, json!({"Accounts": accounts, "NextToken": "again"}).to_string())
        });
        let error = server.provider().members().await.unwrap_err();
        assert!(error.message.contains("read before"), "{}", error.message);
        assert_eq!(server.requests(), 2);
    }
}
