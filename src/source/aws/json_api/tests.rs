//! Questions to a server that plays a service, good and bad days alike.

use std::sync::{Arc, Mutex};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::error::display::DisplayErrorContext;
use aws_types::origin::Origin;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::batch::BATCH;
use super::super::calls::{LIST_ENDPOINTS, LIST_JOBS};
use super::super::organization::ORGANIZATIONS;
use super::super::sagemaker::wire::SAGEMAKER;
use super::super::testing::{Reply, Request, Server};
use super::{Client, Page, Question, Read, Row, Service, ask, every, up_to};
use crate::domain::ErrorKind;

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct ListEndpoints {
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    endpoint_name: String,
}

impl Row for Named {
    const LIST: &'static str = "Endpoints";
}

impl Question for ListEndpoints {
    const READ: Read = Read::of(&LIST_ENDPOINTS, &SAGEMAKER);
    type Answer = Page<Named>;
}

const FIRST: ListEndpoints = ListEndpoints { next_token: None };

fn region() -> Arc<str> {
    "eu-west-1".into()
}

fn page(name: &str, next: Option<&str>) -> Reply {
    let rows = json!([{"EndpointName": name, "EndpointStatus": "InService"}]);
    Reply::aws_json(200, json!({"Endpoints": rows, "NextToken": next}).to_string())
}

fn refused(code: &str, message: &str) -> Reply {
    Reply::aws_json(400, json!({"__type": code, "message": message}).to_string())
}

/// A server that keeps what it was asked.
fn recorded(answer: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (Server, Log) {
    let log = Log::default();
    let kept = Arc::clone(&log);
    let server = Server::start(move |n, request| {
        kept.lock().unwrap().push(request.clone());
        answer(n)
    });
    (server, log)
}

type Log = Arc<Mutex<Vec<Request>>>;

#[tokio::test]
async fn a_question_is_a_signed_post_with_its_name_in_a_header() {
    let (server, log) = recorded(|_| page("a", None));
    let answer = ask(&server.provider(), &region(), &FIRST).await.unwrap();
    assert_eq!(answer.rows.unwrap()[0].endpoint_name, "a");
    let log = log.lock().unwrap();
    let [request] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!((request.method(), &*request.path, &*request.text()), ("POST", "/", "{}"));
    assert_eq!(request.header("x-amz-target"), Some("SageMaker.ListEndpoints"));
    assert_eq!(request.header("content-type"), Some("application/x-amz-json-1.1"));
    assert!(request.header("user-agent").unwrap().starts_with("aws-sdk-rust/"));
    assert!(request.is_signed_by("AKIDEXAMPLE"));
    let authorization = request.header("authorization").unwrap();
    assert!(authorization.contains("/eu-west-1/sagemaker/aws4_request"), "{authorization}");
    let signed = authorization.split("SignedHeaders=").nth(1).unwrap();
    let signed: Vec<&str> = signed.split(',').next().unwrap().split(';').collect();
    for name in ["content-type", "host", "x-amz-date", "x-amz-target"] {
        assert!(signed.contains(&name), "{name} can be changed on the way: {authorization}");
    }
}

#[derive(Debug, Serialize)]
struct ListJobs {}

#[derive(Debug, Deserialize)]
struct Job {
    id: u32,
}

impl Row for Job {
    const LIST: &'static str = "jobSummaryList";
}

impl Question for ListJobs {
    const READ: Read = Read::of(&LIST_JOBS, &BATCH);
    type Answer = Page<Job>;
}

#[tokio::test]
async fn a_service_of_rest_is_asked_by_its_path() {
    let (server, log) =
        recorded(|_| Reply::new(200, "application/json", r#"{"jobSummaryList": [{"id": 1}]}"#));
    let answer = ask(&server.provider(), &region(), &ListJobs {}).await.unwrap();
    assert_eq!(answer.rows.unwrap()[0].id, 1);
    let log = log.lock().unwrap();
    let [request] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!(
        (request.method(), &*request.path, &*request.text()),
        ("POST", "/v1/listjobs", "{}")
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-amz-target"), None);
    let authorization = request.header("authorization").unwrap();
    assert!(authorization.contains("/eu-west-1/batch/aws4_request"), "{authorization}");
}

#[tokio::test]
async fn the_path_of_an_operation_comes_after_that_of_a_custom_address() {
    let config = SdkConfig::builder().endpoint_url("https://example/api");
    let (uri, _) = sent_to(&BATCH, config, &ListJobs {}).await.unwrap();
    assert_eq!(uri, "https://example/api/v1/listjobs");
}

#[tokio::test]
async fn a_list_is_read_until_there_are_enough_rows() {
    let (server, log) = recorded(|n| page("a", Some(["t1", "t2", "t3"][n])));
    let page_of = |next_token| ListEndpoints { next_token };
    let (rows, is_cut) = up_to(2, &server.provider(), &region(), page_of).await.unwrap();
    assert_eq!((rows.len(), is_cut, log.lock().unwrap().len()), (2, true, 2));
    let (server, _) = recorded(|_| page("a", None));
    let (rows, is_cut) = up_to(1, &server.provider(), &region(), page_of).await.unwrap();
    assert_eq!((rows.len(), is_cut), (1, false), "that is all of it");
}

#[tokio::test]
async fn lists_are_read_to_their_last_page() {
    let (server, log) = recorded(|n| match n {
        0 => page("a", Some("t\u{e9}\"/1")),
        1 => page("b", Some("")),
        _ => panic!("asked after the last page"),
    });
    let page_of = |next_token| ListEndpoints { next_token };
    let rows = every(&server.provider(), &region(), page_of).await.unwrap();
    let names: Vec<String> = rows.into_iter().map(|r| r.endpoint_name).collect();
    assert_eq!(names, ["a", "b"]);
    let second: serde_json::Value = serde_json::from_str(&log.lock().unwrap()[1].text()).unwrap();
    assert_eq!(second, json!({"NextToken": "t\u{e9}\"/1"}));
}

#[tokio::test]
async fn a_list_that_leads_back_ends_with_an_error() {
    let (server, log) = recorded(|n| page("a", Some(["t1", "t2"][n % 2])));
    let page_of = |next_token| ListEndpoints { next_token };
    let error = every(&server.provider(), &region(), page_of).await.unwrap_err().error;
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Malformed, "sagemaker:ListEndpoints"));
    assert!(error.message.contains("read before"), "{}", error.message);
    assert_eq!(log.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn throttling_is_ridden_out_and_given_up_after_four_attempts() {
    let storm = |_| refused("com.amazon.coral#ThrottlingException:http://internal/", "Rate");
    let (server, log) = recorded(move |n| if n < 2 { storm(n) } else { page("a", None) });
    assert!(ask(&server.provider(), &region(), &FIRST).await.is_ok());
    assert_eq!(log.lock().unwrap().len(), 3);
    let (server, log) = recorded(storm);
    let failed = ask(&server.provider(), &region(), &FIRST).await.unwrap_err();
    assert_eq!(failed.error.kind, ErrorKind::Throttled);
    assert_eq!(log.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn refusals_are_those_of_the_service_and_are_not_repeated() {
    for (code, kind) in [
        ("AccessDeniedException", ErrorKind::Denied),
        ("UnrecognizedClientException", ErrorKind::Denied),
        ("ExpiredTokenException", ErrorKind::Expired),
        ("UnknownOperationException", ErrorKind::Unavailable),
        ("ValidationException", ErrorKind::Refused),
    ] {
        let (server, log) = recorded(move |_| refused(code, "no"));
        let failed = ask(&server.provider(), &region(), &FIRST).await.unwrap_err();
        assert_eq!(failed.refusal.unwrap().code(), Some(code));
        let error = failed.error;
        assert_eq!((error.kind, &*error.operation), (kind, "sagemaker:ListEndpoints"), "{code}");
        assert_eq!(log.lock().unwrap().len(), 1, "{code}");
    }
    let (server, log) = recorded(|_| Reply::new(502, "text/html", b"<h1>no</h1>"));
    let failed = ask(&server.provider(), &region(), &FIRST).await.unwrap_err();
    assert!(failed.error.message.contains("HTTP 502"), "{}", failed.error.message);
    assert_eq!(log.lock().unwrap().len(), 4, "a gateway has good moments");
}

#[tokio::test]
async fn what_is_no_answer_is_malformed_and_what_is_too_long_is_not_read() {
    let long = [vec![b' '; super::answer::LONGEST], b"{}".to_vec()].concat();
    for (body, words) in [
        (b"<h1>Log in to the wireless network</h1>".to_vec(), "unreadable answer"),
        (br#"{"Endpoints": [{"EndpointName": 7}]}"#.to_vec(), "unreadable answer"),
        (Vec::new(), "unreadable answer"),
        (long, "longer than 8 MiB"),
    ] {
        let (server, log) = recorded(move |_| Reply::new(200, "text/html", body.clone()));
        let error = ask(&server.provider(), &region(), &FIRST).await.unwrap_err().error;
        assert_eq!(error.kind, ErrorKind::Malformed, "{error:?}");
        assert!(error.message.contains(words), "{error:?}");
        assert_eq!(log.lock().unwrap().len(), 1, "it would be no better the next time");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    let (server, log) = recorded(|n| match n {
        0 => Reply::Half(br#"{"Endpoints": []}"#.to_vec()),
        _ => page("a", None),
    });
    assert!(ask(&server.provider(), &region(), &FIRST).await.is_ok());
    assert_eq!(log.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_silent_service_is_given_up() {
    let server = Server::start(|_, _| Reply::Silence);
    let failed = ask(&server.impatient(), &region(), &FIRST).await.unwrap_err();
    assert_eq!(failed.error.kind, ErrorKind::Timeout);
}

/// Answers every request without a network, and keeps it.
#[derive(Clone, Debug, Default)]
struct Captured(Arc<Mutex<Vec<HttpRequest>>>);

impl HttpConnector for Captured {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.0.lock().unwrap().push(request);
        let status = 200.try_into().unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from("{}"))))
    }
}

/// The profile of a user who gives one service an address of its own.
#[derive(Debug)]
struct Profile;

impl LoadServiceConfig for Profile {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let asked = (key.service_id(), key.env(), key.profile());
        let known = ("SageMaker", "AWS_ENDPOINT_URL", "endpoint_url");
        (asked == known).then(|| "https://sagemaker.example:8443/api".to_owned())
    }
}

/// Host and signature of the one request that is made with this configuration.
async fn sent(config: aws_types::sdk_config::Builder) -> Result<(String, String), String> {
    sent_to(&SAGEMAKER, config, &FIRST).await
}

async fn sent_to<Q: Question>(
    service: &'static Service,
    config: aws_types::sdk_config::Builder,
    question: &Q,
) -> Result<(String, String), String> {
    let captured = Captured::default();
    let connector = SharedHttpConnector::new(captured.clone());
    let credentials =
        Credentials::new("AKIDEXAMPLE", "secret", Some("session".into()), None, "test");
    let sdk: SdkConfig = config
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .http_client(http_client_fn(move |_, _| connector.clone()))
        .build();
    let asked = Client::new(&sdk, service, "us-west-2", "test".into());
    if let Err(error) = asked.ask(question).await {
        assert!(captured.0.lock().unwrap().is_empty(), "nothing is sent");
        return Err(DisplayErrorContext(&error).to_string());
    }
    let requests = captured.0.lock().unwrap();
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!(request.headers().get("x-amz-security-token"), Some("session"));
    let authorization = request.headers().get("authorization").unwrap().to_owned();
    Ok((request.uri().to_owned(), authorization))
}

#[tokio::test]
async fn where_it_is_asked_follows_the_configuration() {
    let new = SdkConfig::builder;
    for (config, uri) in [
        (new(), "https://api.sagemaker.us-west-2.amazonaws.com/"),
        (new().use_fips(true), "https://api-fips.sagemaker.us-west-2.amazonaws.com/"),
        (new().use_dual_stack(true), "https://api.sagemaker.us-west-2.api.aws/"),
        (new().endpoint_url("http://127.0.0.1:5000"), "http://127.0.0.1:5000/"),
        (new().service_config(Profile), "https://sagemaker.example:8443/api/"),
    ] {
        let (asked, authorization) = sent(config).await.unwrap();
        assert_eq!(asked, uri);
        assert!(authorization.contains("/us-west-2/sagemaker/"), "{authorization}");
    }
    // An address in the code of the program is before that of the profile, as with the SDK.
    let mut config = new().endpoint_url("http://127.0.0.1:5000").service_config(Profile);
    config.insert_origin("endpoint_url", Origin::shared_config());
    assert!(sent(config).await.unwrap().0.starts_with("http://127.0.0.1:5000/"));
    let both = new().use_fips(true).service_config(Profile);
    let words = sent(both).await.unwrap_err();
    assert!(words.contains("FIPS and custom endpoint"), "{words}");
}

#[tokio::test]
async fn what_lies_in_one_region_is_signed_for_it() {
    let (uri, authorization) = sent_to(&ORGANIZATIONS, SdkConfig::builder(), &FIRST).await.unwrap();
    assert_eq!(uri, "https://organizations.us-east-1.amazonaws.com/");
    assert!(authorization.contains("/us-east-1/organizations/aws4_request"), "{authorization}");
}
