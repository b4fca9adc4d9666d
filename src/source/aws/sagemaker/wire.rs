//! What SageMaker is asked and, of its answers, what is read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::calls::{
    DESCRIBE_APP, DESCRIBE_ENDPOINT, DESCRIBE_ENDPOINT_CONFIG, LIST_APPS, LIST_ENDPOINTS,
    LIST_NOTEBOOK_INSTANCES, LIST_TAGS,
};
use super::super::json_api::{At, Host, Naming, Page, Question, Read, Row, Service};
use super::super::limit::Api;
use super::super::time;

/// Amazon SageMaker AI, called without its SDK crate.
pub const SAGEMAKER: Service = Service {
    id: "SageMaker",
    naming: Naming::Header("SageMaker"),
    signing_name: "sagemaker",
    // No limits are published; `Describe*` of notebooks is known to be throttled at 10 a second.
    api: Api::Own { service: "sagemaker", per_second: 4, burst: 8, in_flight: 4 },
    host,
    is_billed: false,
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

/// Rows per page: the maximum of SageMaker.
pub const PAGE: u32 = 100;

/// Request for a page of all notebook instances.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListNotebookInstances {
    /// Largest number of rows in the page.
    pub max_results: u32,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListNotebookInstances {
    const READ: Read = Read::of(&LIST_NOTEBOOK_INSTANCES, &SAGEMAKER);
    type Answer = Page<Notebook>;
}

/// Notebook instance in the list; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Notebook {
    /// Name of the notebook instance.
    pub notebook_instance_name: Option<String>,
    /// ARN of the notebook instance.
    pub notebook_instance_arn: Option<String>,
    /// State, such as `InService` or `Stopped`.
    pub notebook_instance_status: Option<String>,
    /// Instance type, such as `ml.g5.xlarge`.
    pub instance_type: Option<String>,
    /// Time of creation.
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    /// Time of the last change.
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_modified_time: Option<Timestamp>,
}

impl Row for Notebook {
    const LIST: &'static str = "NotebookInstances";
}

/// Request for a page of all endpoints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListEndpoints {
    /// Largest number of rows in the page.
    pub max_results: u32,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListEndpoints {
    const READ: Read = Read::of(&LIST_ENDPOINTS, &SAGEMAKER);
    type Answer = Page<EndpointName>;
}

/// Endpoint in the list; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EndpointName {
    /// Name of the endpoint.
    pub endpoint_name: Option<String>,
}

impl Row for EndpointName {
    const LIST: &'static str = "Endpoints";
}

/// Request for one endpoint.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeEndpoint<'a> {
    /// Name of the endpoint.
    pub endpoint_name: &'a str,
}

impl Question for DescribeEndpoint<'_> {
    const READ: Read = Read::of(&DESCRIBE_ENDPOINT, &SAGEMAKER);
    type Answer = Endpoint;
}

/// One endpoint; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Endpoint {
    /// ARN of the endpoint.
    pub endpoint_arn: Option<String>,
    /// Name of its configuration.
    pub endpoint_config_name: Option<String>,
    /// State, such as `InService`.
    pub endpoint_status: Option<String>,
    /// Time of creation.
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    /// Time of the last change.
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_modified_time: Option<Timestamp>,
    /// Present for an asynchronous endpoint, whose answers are written to a bucket.
    pub async_inference_config: Option<Present>,
    /// Variants that serve requests.
    pub production_variants: Option<Vec<RunningVariant>>,
    /// Shadow variants, which get copies of requests and are billed as well.
    pub shadow_production_variants: Option<Vec<RunningVariant>>,
}

/// Variant of an endpoint as it runs; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RunningVariant {
    /// Name of the variant.
    pub variant_name: Option<String>,
    /// Number of instances of the variant now; `None` for a serverless one.
    pub current_instance_count: Option<i32>,
    /// Present for a serverless variant.
    pub current_serverless_config: Option<Present>,
}

/// Request for the configuration of an endpoint.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeEndpointConfig<'a> {
    /// Name of the configuration.
    pub endpoint_config_name: &'a str,
}

impl Question for DescribeEndpointConfig<'_> {
    const READ: Read = Read::of(&DESCRIBE_ENDPOINT_CONFIG, &SAGEMAKER);
    type Answer = EndpointConfig;
}

/// Configuration of an endpoint; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EndpointConfig {
    /// Variants that serve requests.
    pub production_variants: Option<Vec<ConfiguredVariant>>,
    /// Shadow variants.
    pub shadow_production_variants: Option<Vec<ConfiguredVariant>>,
}

/// Variant in the configuration; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ConfiguredVariant {
    /// Name of the variant.
    pub variant_name: Option<String>,
    /// Instance type, such as `ml.g5.xlarge`.
    pub instance_type: Option<String>,
    /// Number of instances at creation.
    pub initial_instance_count: Option<i32>,
    /// Present for a serverless variant.
    pub serverless_config: Option<Present>,
}

/// Request for a page of all Studio apps.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListApps {
    /// Largest number of rows in the page.
    pub max_results: u32,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListApps {
    const READ: Read = Read::of(&LIST_APPS, &SAGEMAKER);
    type Answer = Page<AppRow>;
}

/// Studio app in the list; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AppRow {
    /// Id of the Studio domain.
    pub domain_id: Option<String>,
    /// Name of the user profile; `None` for an app of a space.
    pub user_profile_name: Option<String>,
    /// Name of the space; `None` for an app of a user.
    pub space_name: Option<String>,
    /// Type of the app, such as `JupyterLab`.
    pub app_type: Option<String>,
    /// Name of the app.
    pub app_name: Option<String>,
    /// State, such as `InService`.
    pub status: Option<String>,
    /// Instance that it runs on.
    pub resource_spec: Option<ResourceSpec>,
}

impl Row for AppRow {
    const LIST: &'static str = "Apps";
}

/// Instance of a Studio app; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ResourceSpec {
    /// Instance type, such as `ml.g5.xlarge`.
    pub instance_type: Option<String>,
}

/// Request for one Studio app, with the names of its row in the list; `None` where the row has none.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct DescribeApp<'a> {
    /// Id of the Studio domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_id: Option<&'a str>,
    /// Name of the user profile; `None` for an app of a space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_profile_name: Option<&'a str>,
    /// Name of the space; `None` for an app of a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space_name: Option<&'a str>,
    /// Type of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_type: Option<&'a str>,
    /// Name of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_name: Option<&'a str>,
}

impl Question for DescribeApp<'_> {
    const READ: Read = Read::of(&DESCRIBE_APP, &SAGEMAKER);
    type Answer = App;
}

/// One Studio app; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct App {
    /// ARN of the app.
    pub app_arn: Option<String>,
    /// State, such as `InService`.
    pub status: Option<String>,
    /// Time of creation.
    #[serde(default, deserialize_with = "time::from_json")]
    pub creation_time: Option<Timestamp>,
    /// Time of the last health check.
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_health_check_timestamp: Option<Timestamp>,
    /// Time of the last use.
    #[serde(default, deserialize_with = "time::from_json")]
    pub last_user_activity_timestamp: Option<Timestamp>,
    /// Instance that it runs on.
    pub resource_spec: Option<ResourceSpec>,
}

/// Request for a page of a resource's tags.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ListTags<'a> {
    /// ARN of the resource.
    pub resource_arn: &'a str,
    /// Token of the page; `None` for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_token: Option<String>,
}

impl Question for ListTags<'_> {
    const READ: Read = Read::of(&LIST_TAGS, &SAGEMAKER);
    type Answer = Page<Tag>;
}

/// Tag in the list; fields missing in the answer are `None`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Tag {
    /// Key of the tag.
    pub key: Option<String>,
    /// Value of the tag.
    pub value: Option<String>,
}

impl Row for Tag {
    const LIST: &'static str = "Tags";
}

/// Object of which only the presence matters.
#[derive(Debug, Deserialize)]
pub struct Present {}
