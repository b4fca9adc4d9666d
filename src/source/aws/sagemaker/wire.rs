//! What SageMaker is asked and, of its answers, what is read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::calls::{
    DESCRIBE_APP, DESCRIBE_ENDPOINT, DESCRIBE_ENDPOINT_CONFIG, LIST_APPS, LIST_ENDPOINTS,
    LIST_NOTEBOOK_INSTANCES, LIST_TAGS,
};
use super::super::json_api::{At, Host, Page, Question, Read, Row, Service};
use super::super::limit::Api;
use super::super::time;

/// Amazon SageMaker AI.
pub const SAGEMAKER: Service = Service {
    id: "SageMaker",
    target: "SageMaker",
    signing_name: "sagemaker",
    // No limits are published; `Describe*` of notebooks is known to be throttled at 10 a second.
    api: Api::Own { service: "sagemaker", per_second: 4, burst: 8, in_flight: 4 },
    host,
};

fn host(at: &At<'_>) -> Host {
    let region = at.region;
    let name = match (at.fips, at.dual_stack) {
        (true, false) if at.suffix == "amazonaws.com" => format!("api-fips.sagemaker.{region}"),
        (true, _) => format!("api.sagemaker-fips.{region}"),
        (false, _) => format!("api.sagemaker.{region}"),
    };
    Host { name, signed_for: None }
}

/// Rows per page: what SageMaker gives at most.
pub const PAGE: u32 = 100;

/// A page of all notebook instances.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListNotebookInstances {
    pub max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListNotebookInstances {
    const READ: Read = Read::of(&LIST_NOTEBOOK_INSTANCES, &SAGEMAKER);
    type Answer = Page<Notebook>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Notebook {
    pub notebook_instance_name: Option<String>,
    pub notebook_instance_arn: Option<String>,
    pub notebook_instance_status: Option<String>,
    pub instance_type: Option<String>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_modified_time: Option<Timestamp>,
}

impl Row for Notebook {
    const LIST: &'static str = "NotebookInstances";
}

/// A page of all endpoints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListEndpoints {
    pub max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListEndpoints {
    const READ: Read = Read::of(&LIST_ENDPOINTS, &SAGEMAKER);
    type Answer = Page<EndpointName>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EndpointName {
    pub endpoint_name: Option<String>,
}

impl Row for EndpointName {
    const LIST: &'static str = "Endpoints";
}

/// An endpoint.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeEndpoint<'a> {
    pub endpoint_name: &'a str,
}

impl Question for DescribeEndpoint<'_> {
    const READ: Read = Read::of(&DESCRIBE_ENDPOINT, &SAGEMAKER);
    type Answer = Endpoint;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Endpoint {
    pub endpoint_arn: Option<String>,
    pub endpoint_config_name: Option<String>,
    pub endpoint_status: Option<String>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_modified_time: Option<Timestamp>,
    /// Present where answers are written to a bucket instead of being waited for.
    pub async_inference_config: Option<Present>,
    pub production_variants: Option<Vec<RunningVariant>>,
    pub shadow_production_variants: Option<Vec<RunningVariant>>,
}

/// A variant as it is now.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RunningVariant {
    pub variant_name: Option<String>,
    pub current_instance_count: Option<i32>,
    pub current_serverless_config: Option<Present>,
}

/// What an endpoint was made from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeEndpointConfig<'a> {
    pub endpoint_config_name: &'a str,
}

impl Question for DescribeEndpointConfig<'_> {
    const READ: Read = Read::of(&DESCRIBE_ENDPOINT_CONFIG, &SAGEMAKER);
    type Answer = EndpointConfig;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EndpointConfig {
    pub production_variants: Option<Vec<ConfiguredVariant>>,
    pub shadow_production_variants: Option<Vec<ConfiguredVariant>>,
}

/// A variant as it was configured.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ConfiguredVariant {
    pub variant_name: Option<String>,
    pub instance_type: Option<String>,
    pub initial_instance_count: Option<i32>,
    pub serverless_config: Option<Present>,
}

/// A page of all apps of Studio.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListApps {
    pub max_results: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListApps {
    const READ: Read = Read::of(&LIST_APPS, &SAGEMAKER);
    type Answer = Page<AppRow>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AppRow {
    pub domain_id: Option<String>,
    pub user_profile_name: Option<String>,
    pub space_name: Option<String>,
    pub app_type: Option<String>,
    pub app_name: Option<String>,
    pub status: Option<String>,
    pub resource_spec: Option<ResourceSpec>,
}

impl Row for AppRow {
    const LIST: &'static str = "Apps";
}

/// What an app runs on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ResourceSpec {
    pub instance_type: Option<String>,
}

/// An app, named by what its row of the list says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeApp<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_profile_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_name: Option<&'a str>,
}

impl Question for DescribeApp<'_> {
    const READ: Read = Read::of(&DESCRIBE_APP, &SAGEMAKER);
    type Answer = App;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct App {
    pub app_arn: Option<String>,
    pub status: Option<String>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_health_check_timestamp: Option<Timestamp>,
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_user_activity_timestamp: Option<Timestamp>,
    pub resource_spec: Option<ResourceSpec>,
}

/// A page of the tags of a thing.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListTags<'a> {
    pub resource_arn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListTags<'_> {
    const READ: Read = Read::of(&LIST_TAGS, &SAGEMAKER);
    type Answer = Page<Tag>;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Tag {
    pub key: Option<String>,
    pub value: Option<String>,
}

impl Row for Tag {
    const LIST: &'static str = "Tags";
}

/// Something of which only its presence matters.
#[derive(Debug, Deserialize)]
pub struct Present {}
