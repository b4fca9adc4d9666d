//! `CloudTrail`: who launched an instance.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::AwsProvider;
use super::calls::LOOKUP_EVENTS;
use super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service, every};
use super::limit::Api;
use crate::domain::{Launch, Launcher, SourceError, text};

/// `CloudTrail`, called without its SDK crate.
const CLOUDTRAIL: Service = Service {
    id: "CloudTrail",
    naming: Naming::Header("com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101"),
    signing_name: "cloudtrail",
    // LookupEvents: 2 a second per account and region (CloudTrail API reference); half of it.
    api: Api::Own { service: "cloudtrail", per_second: 1, burst: 1, in_flight: 1 },
    host,
    is_billed: false,
};

fn host(at: &At<'_>) -> Host {
    let fips = if at.fips { "-fips" } else { "" };
    Host { name: format!("cloudtrail{fips}.{}", at.region), signed_for: None }
}

/// Events per page: what `CloudTrail` gives at most.
const PAGE: u32 = 50;

/// Time before and after the launch in which its event is searched: EC2 and `CloudTrail` date it by different clocks.
const AROUND: SignedDuration = SignedDuration::from_mins(15);

/// Events that launch an instance.
const LAUNCHES: [&str; 2] = ["RunInstances", "StartInstances"];

/// A page of the events about a resource.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct LookupEvents {
    lookup_attributes: [Attribute; 1],
    start_time: i64,
    end_time: i64,
    max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Attribute {
    attribute_key: &'static str,
    attribute_value: Arc<str>,
}

impl Question for LookupEvents {
    const READ: Read = Read::of(&LOOKUP_EVENTS, &CLOUDTRAIL);
    type Answer = Page<Event>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    event_name: Option<String>,
    /// Seconds since 1970.
    event_time: Option<f64>,
    username: Option<String>,
    /// The whole event, JSON in a text.
    cloud_trail_event: Option<String>,
}

impl Row for Event {
    const LIST: &'static str = "Events";
}

/// Of the whole event, what is read.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    user_identity: Identity,
    error_code: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Identity {
    #[serde(rename = "type")]
    kind: Option<String>,
    arn: Option<String>,
    user_name: Option<String>,
    invoked_by: Option<String>,
    session_context: SessionContext,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SessionContext {
    session_issuer: Issuer,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Issuer {
    user_name: Option<String>,
}

/// The launch of an instance that EC2 dates `at`: of those around it the nearest. `None` where the trail has none. Err when
/// the trail cannot be read.
pub async fn read(
    aws: &AwsProvider,
    region: &Arc<str>,
    instance: &Arc<str>,
    at: Timestamp,
) -> Result<Option<Launch>, SourceError> {
    let second = at.as_second();
    let events = every(aws, region, |next_token| LookupEvents {
        lookup_attributes: [Attribute {
            attribute_key: "ResourceName",
            attribute_value: instance.clone(),
        }],
        start_time: second - AROUND.as_secs(),
        end_time: second + AROUND.as_secs(),
        max_results: PAGE,
        next_token,
    });
    let launches = events.await?.into_iter().filter_map(|event| launch(&event));
    Ok(launches.min_by_key(|launch| launch.at.duration_since(at).abs()))
}

/// The launch that an event tells of; `None` for other events, failed ones, and those without a time or a name.
fn launch(event: &Event) -> Option<Launch> {
    if !event.event_name.as_deref().is_some_and(|name| LAUNCHES.contains(&name)) {
        return None;
    }
    let at = Timestamp::from_second(event.event_time? as i64).ok()?;
    let detail: Option<Detail> =
        event.cloud_trail_event.as_deref().and_then(|json| serde_json::from_str(json).ok());
    let detail = detail.unwrap_or_default();
    if detail.error_code.is_some() {
        return None;
    }
    Some(Launch { at, by: launcher(&detail.user_identity, event.username.as_deref())? })
}

/// Services that launch instances of their own accord, by the host that invokes.
const SERVICES: [(&str, &str); 9] = [
    ("autoscaling", "EC2 Auto Scaling"),
    ("elasticmapreduce", "EMR"),
    ("eks-nodegroup", "an EKS node group"),
    ("eks", "EKS"),
    ("sagemaker", "SageMaker"),
    ("batch", "AWS Batch"),
    ("ec2fleet", "EC2 Fleet"),
    ("spotfleet", "Spot Fleet"),
    ("spot", "EC2 Spot"),
];

/// Services by a part of the name of the role that they act in.
const SERVICE_ROLES: [(&str, &str); 8] = [
    ("AWSServiceRoleForAutoScaling", "EC2 Auto Scaling"),
    ("AWSServiceRoleForAmazonEKSNodegroup", "an EKS node group"),
    ("AWSServiceRoleForAmazonEKS", "EKS"),
    ("AWSServiceRoleForBatch", "AWS Batch"),
    ("AWSServiceRoleForEC2Spot", "EC2 Spot"),
    ("AWSServiceRoleForEC2Fleet", "EC2 Fleet"),
    ("EMR_DefaultRole", "EMR"),
    ("AmazonSageMaker-ExecutionRole", "SageMaker"),
];

fn launcher(identity: &Identity, username: Option<&str>) -> Option<Launcher> {
    let role = identity.session_context.session_issuer.user_name.as_deref().unwrap_or_default();
    let invoked_by = identity.invoked_by.as_deref().unwrap_or_default();
    let host = invoked_by.strip_suffix(".amazonaws.com").unwrap_or_default();
    let by_host = SERVICES.iter().find(|(name, _)| *name == host);
    let by_role = SERVICE_ROLES.iter().find(|(name, _)| role.starts_with(name));
    if let Some((_, service)) = by_host.or(by_role) {
        return Some(Launcher::Service((*service).into()));
    }
    // A role that only a service can take.
    if let Some(service) = role.strip_prefix("AWSServiceRoleFor") {
        return clean(service).map(Launcher::Service);
    }
    if identity.kind.as_deref() == Some("AWSService") {
        return clean(invoked_by).map(Launcher::Service);
    }
    match identity.kind.as_deref() {
        Some("Root") => Some(Launcher::Person("the root user".into())),
        Some("AssumedRole") => {
            // `arn:aws:sts::…:assumed-role/role/session`
            let session = identity.arn.as_deref().and_then(|arn| arn.rsplit('/').next());
            let session = clean(session.or(username)?)?;
            Some(if is_program(&session) {
                Launcher::Program { session, role: text::clean(role).trim().into() }
            } else {
                Launcher::Person(session)
            })
        }
        _ => clean(identity.user_name.as_deref().or(username)?).map(Launcher::Person),
    }
}

/// Text as a value; `None` when nothing is left of it.
fn clean(raw: &str) -> Option<Arc<str>> {
    let clean = text::clean(raw);
    let trimmed = clean.trim();
    (!trimmed.is_empty()).then(|| trimmed.into())
}

/// How sessions begin that programs open, in lower case.
const PROGRAMS: [&str; 11] = [
    "botocore-session",
    "awscli-session",
    "aws-sdk",
    "aws-go-sdk",
    "session-",
    "terraform",
    "github",
    "gitlab",
    "jenkins",
    "karpenter",
    "codebuild",
];

/// True for the session of a program rather than a person: an instance's own role, an SDK that makes a name up, a pipeline.
fn is_program(session: &str) -> bool {
    let lower = session.to_ascii_lowercase();
    let is_number = !lower.is_empty() && lower.bytes().all(|b| b.is_ascii_digit());
    let is_instance = lower
        .strip_prefix("i-")
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_hexdigit()));
    is_number
        || is_instance
        || (!lower.contains('@') && PROGRAMS.iter().any(|name| lower.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{Reply, Server};
    use super::*;
    use crate::domain::ErrorKind;
    use crate::source::Provider as _;

    fn event(name: &str, time: i64, identity: &Value) -> Value {
        json!({
            "EventName": name, "EventTime": time, "Username": "by-name", "EventSource": "ec2.amazonaws.com",
            "CloudTrailEvent": json!({"eventVersion": "1.08", "userIdentity": identity}).to_string(),
        })
    }

    fn role(role: &str, session: &str) -> Value {
        json!({
            "type": "AssumedRole", "arn": format!("arn:aws:sts::1:assumed-role/{role}/{session}"),
            "sessionContext": {"sessionIssuer": {"type": "Role", "userName": role}},
        })
    }

    #[tokio::test]
    async fn the_launch_nearest_to_the_instances_own_time_is_found_on_any_page() {
        let server = Server::start(|_, request| {
            let target = "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents";
            assert_eq!(request.header("x-amz-target"), Some(target));
            let body: Value = serde_json::from_str(&request.text()).unwrap();
            assert_eq!(
                body["LookupAttributes"],
                json!([{"AttributeKey": "ResourceName", "AttributeValue": "i-1"}])
            );
            assert_eq!((&body["StartTime"], &body["EndTime"]), (&json!(9_100), &json!(10_900)));
            let user = json!({"type": "IAMUser", "userName": "ines"});
            let answer = match body["NextToken"].as_str() {
                None => json!({"NextToken": "2", "Events": [
                    event("CreateTags", 10_000, &user),
                    event("StartInstances", 10_400, &json!({"type": "IAMUser", "userName": "later"})),
                ]}),
                Some(_) => json!({"Events": [event("RunInstances", 10_002, &user), {}]}),
            };
            Reply::aws_json(200, answer.to_string())
        });
        let at = Timestamp::from_second(10_000).unwrap();
        let provider = server.provider();
        let found = provider.launch(&"us-east-1".into(), &"i-1".into(), at).await.unwrap();
        let by = Launcher::Person("ines".into());
        assert_eq!(found, Some(Launch { at: Timestamp::from_second(10_002).unwrap(), by }));
    }

    #[tokio::test]
    async fn a_denied_look_names_its_permission() {
        let server = Server::start(|_, _| {
            let body = json!({"__type": "AccessDeniedException", "message": "not authorized"});
            Reply::aws_json(400, body.to_string())
        });
        let at = Timestamp::from_second(10_000).unwrap();
        let provider = server.provider();
        let error = provider.launch(&"us-east-1".into(), &"i-1".into(), at).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied);
        assert!(error.to_string().contains("cloudtrail:LookupEvents"), "{error}");
    }

    fn who(identity: &Value) -> Option<Launcher> {
        let event = serde_json::from_value(event("RunInstances", 1, identity)).unwrap();
        launch(&event).map(|launch| launch.by)
    }

    #[test]
    fn people_programs_and_services_are_told_apart() {
        let person = |name: &str| Some(Launcher::Person(name.into()));
        let service = |name: &str| Some(Launcher::Service(name.into()));
        let program = |session: &str, role: &str| {
            Some(Launcher::Program { session: session.into(), role: role.into() })
        };
        for (identity, expected) in [
            (json!({"type": "IAMUser", "userName": "ines"}), person("ines")),
            (json!({"type": "Root"}), person("the root user")),
            (role("AWSReservedSSO_Dev_1", "omar@example.com"), person("omar@example.com")),
            (role("Dev", "terraform@example.com"), person("terraform@example.com")),
            (role("ci", "GitHubActions"), program("GitHubActions", "ci")),
            (role("node", "i-0abc"), program("i-0abc", "node")),
            (role("job", "1700000000000"), program("1700000000000", "job")),
            (role("AWSServiceRoleForAutoScaling", "AutoScaling"), service("EC2 Auto Scaling")),
            (role("AWSServiceRoleForAmazonEKSNodegroup", "EKS"), service("an EKS node group")),
            (role("AWSServiceRoleForSupport", "x"), service("Support")),
            (
                json!({"type": "AWSService", "invokedBy": "new.amazonaws.com"}),
                service("new.amazonaws.com"),
            ),
            (
                json!({"type": "AWSService", "invokedBy": "sagemaker.amazonaws.com"}),
                service("SageMaker"),
            ),
            // The event names its user, and nothing else does.
            (json!({}), person("by-name")),
        ] {
            assert_eq!(who(&identity), expected, "{identity}");
        }
        let mut of_emr = role("my-emr", "CCSSession");
        of_emr["invokedBy"] = json!("elasticmapreduce.amazonaws.com");
        assert_eq!(who(&of_emr), service("EMR"));
        // A stack is made by somebody.
        let mut of_stack = role("Dev", "ines");
        of_stack["invokedBy"] = json!("cloudformation.amazonaws.com");
        assert_eq!(who(&of_stack), person("ines"));
    }

    #[test]
    fn names_are_cleaned_and_failed_launches_are_none() {
        let hostile = role("Dev", "a\u{1b}[2J\u{202e}b");
        let Some(Launcher::Person(name)) = who(&hostile) else { panic!("no person") };
        assert!(!name.contains(['\u{1b}', '\u{202e}']), "{name:?}");
        let mut failed: Event =
            serde_json::from_value(event("RunInstances", 1, &json!({"type": "Root"}))).unwrap();
        let detail =
            json!({"userIdentity": {"type": "Root"}, "errorCode": "Client.InsufficientCapacity"});
        failed.cloud_trail_event = Some(detail.to_string());
        assert_eq!(launch(&failed), None);
        failed.cloud_trail_event = Some("{broken".to_owned());
        assert_eq!(launch(&failed).map(|l| l.by), Some(Launcher::Person("by-name".into())));
    }
}
