//! SageMaker: notebook instances, endpoints, and apps of Studio.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_sagemaker::types as sm;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::AwsProvider;
use super::calls::{
    DESCRIBE_APP, DESCRIBE_ENDPOINT, DESCRIBE_ENDPOINT_CONFIG, LIST_APPS, LIST_ENDPOINTS,
    LIST_NOTEBOOK_INSTANCES, LIST_TAGS,
};
use super::inventory::clean;
use super::limit::Api;
use super::time;
use crate::domain::{BilledUnit, Resource, ResourceKind, Scope, SourceError, Tags};

/// Ends the state of an endpoint that answers asynchronously: CloudWatch counts its requests by
/// another name, and its instances bill all the same.
pub(super) const ASYNC: &str = ", asynchronous";

/// Rows per page: what SageMaker gives at most.
const PAGE: i32 = 100;

/// Things looked at at once; the rate limiter has the last word.
const AT_ONCE: usize = 4;

/// All notebook instances of a region.
pub async fn notebooks(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.sagemaker(region);
    let mut found = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        let page = client
            .list_notebook_instances()
            .max_results(PAGE)
            .set_next_token(token.take())
            .send()
            .await
            .map_err(|e| aws.failed(&LIST_NOTEBOOK_INSTANCES, region, &e))?;
        found.extend(page.notebook_instances.unwrap_or_default());
        token = page.next_token.filter(|t| !t.is_empty());
        if token.is_none() {
            break;
        }
    }
    let looks: Vec<_> = found.iter().map(|raw| notebook(aws, scope, raw)).collect();
    let all: Vec<_> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
    Ok(all.into_iter().flatten().collect())
}

async fn notebook(
    aws: &AwsProvider,
    scope: &Scope,
    raw: &sm::NotebookInstanceSummary,
) -> Result<Option<Resource>, SourceError> {
    use sm::NotebookInstanceStatus::{InMaintenance, InService, PendingMaintenance, Updating};
    let Some(arn) = raw.notebook_instance_arn() else { return Ok(None) };
    let Some(tags) = tags(aws, &scope.region, arn).await? else { return Ok(None) };
    let status = raw.notebook_instance_status();
    // "You are charged while the instance is InService"; stopped, its volume alone bills.
    let is_billed =
        matches!(status, Some(InService | InMaintenance | PendingMaintenance | Updating));
    Ok(Some(Resource {
        kind: ResourceKind::Notebook,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(raw.notebook_instance_name()),
        state: clean(status.map(sm::NotebookInstanceStatus::as_str)),
        is_billed,
        created_at: raw.creation_time().and_then(time::from_sdk),
        changed_at: raw.last_modified_time().and_then(time::from_sdk),
        used_at: None,
        units: raw.instance_type().map(|t| unit(t.as_str(), 1.0)).into_iter().collect(),
        serves: None,
        tags,
    }))
}

/// All endpoints of a region that run on instances. Those that are serverless bill by request and
/// are left out.
pub async fn endpoints(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.sagemaker(region);
    let mut names = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        let page = client
            .list_endpoints()
            .max_results(PAGE)
            .set_next_token(token.take())
            .send()
            .await
            .map_err(|e| aws.failed(&LIST_ENDPOINTS, region, &e))?;
        let endpoints = page.endpoints.unwrap_or_default();
        names.extend(endpoints.into_iter().filter_map(|e| e.endpoint_name));
        token = page.next_token.filter(|t| !t.is_empty());
        if token.is_none() {
            break;
        }
    }
    let looks: Vec<_> = names.iter().map(|name| endpoint(aws, scope, name)).collect();
    let all: Vec<_> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
    Ok(all.into_iter().flatten().collect())
}

async fn endpoint(
    aws: &AwsProvider,
    scope: &Scope,
    name: &str,
) -> Result<Option<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.sagemaker(region);
    let endpoint = {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        match client.describe_endpoint().endpoint_name(name).send().await {
            Ok(endpoint) => endpoint,
            Err(e) if is_gone(&e) => return Ok(None),
            Err(e) => return Err(aws.failed(&DESCRIBE_ENDPOINT, region, &e)),
        }
    };
    let Some(arn) = endpoint.endpoint_arn() else { return Ok(None) };
    // The endpoint tells how many instances there are now, its configuration of which type.
    let config = match endpoint.endpoint_config_name() {
        None => None,
        Some(config) => {
            let _permit = aws.enter(Api::SageMaker, region, 0).await;
            let answer = client.describe_endpoint_config().endpoint_config_name(config).send();
            match answer.await {
                Ok(config) => Some(config),
                // A configuration may be deleted while its endpoint serves: the type is unknown then.
                Err(e) if is_gone(&e) => None,
                Err(e) => return Err(aws.failed(&DESCRIBE_ENDPOINT_CONFIG, region, &e)),
            }
        }
    };
    let Some(tags) = tags(aws, region, arn).await? else { return Ok(None) };
    let configured: HashMap<&str, &sm::ProductionVariant> = config
        .iter()
        .flat_map(|c| c.production_variants().iter().chain(c.shadow_production_variants()))
        .filter_map(|v| Some((v.variant_name()?, v)))
        .collect();
    let running =
        endpoint.production_variants().iter().chain(endpoint.shadow_production_variants());
    let (mut units, mut serves) = (Vec::new(), Vec::new());
    for variant in running {
        let Some(variant_name) = variant.variant_name() else { continue };
        let config = configured.get(variant_name);
        let is_serverless = variant.current_serverless_config().is_some()
            || config.is_some_and(|c| c.serverless_config().is_some());
        if is_serverless {
            continue;
        }
        let count =
            variant.current_instance_count().or(config.and_then(|c| c.initial_instance_count()));
        let what = config.and_then(|c| c.instance_type()).map_or("unknown", |t| t.as_str());
        units.push(unit(what, f64::from(count.unwrap_or(0).max(0))));
        serves.push(clean(Some(variant_name)));
    }
    if units.is_empty() {
        return Ok(None);
    }
    use sm::EndpointStatus::{
        InService, RollingBack, SystemUpdating, UpdateRollbackFailed, Updating,
    };
    let status = endpoint.endpoint_status();
    let serves_now = matches!(
        status,
        Some(InService | RollingBack | SystemUpdating | Updating | UpdateRollbackFailed)
    );
    let tail = if endpoint.async_inference_config().is_some() { ASYNC } else { "" };
    let state = clean(status.map(sm::EndpointStatus::as_str));
    Ok(Some(Resource {
        kind: ResourceKind::Endpoint,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(Some(name)),
        state: format!("{state}{tail}").into(),
        // Scaled to no instance at all, it bills nothing.
        is_billed: serves_now && units.iter().any(|u| u.count > 0.0),
        created_at: endpoint.creation_time().and_then(time::from_sdk),
        changed_at: endpoint.last_modified_time().and_then(time::from_sdk),
        used_at: None,
        units,
        serves: Some(serves),
        tags,
    }))
}

/// All apps of Studio in a region that run on an instance of their own.
pub async fn apps(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.sagemaker(region);
    let mut found = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        let page = client
            .list_apps()
            .max_results(PAGE)
            .set_next_token(token.take())
            .send()
            .await
            .map_err(|e| aws.failed(&LIST_APPS, region, &e))?;
        found.extend(page.apps.unwrap_or_default());
        token = page.next_token.filter(|t| !t.is_empty());
        if token.is_none() {
            break;
        }
    }
    // What is deleted is listed for a day.
    found.retain(|app| app.status() == Some(&sm::AppStatus::InService));
    let looks: Vec<_> = found.iter().map(|raw| app(aws, scope, raw)).collect();
    let all: Vec<_> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
    Ok(all.into_iter().flatten().collect())
}

async fn app(
    aws: &AwsProvider,
    scope: &Scope,
    raw: &sm::AppDetails,
) -> Result<Option<Resource>, SourceError> {
    let region = &scope.region;
    let client = aws.clients().await.sagemaker(region);
    let answer = {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        client
            .describe_app()
            .set_domain_id(raw.domain_id.clone())
            .set_user_profile_name(raw.user_profile_name.clone())
            .set_space_name(raw.space_name.clone())
            .set_app_type(raw.app_type.clone())
            .set_app_name(raw.app_name.clone())
            .send()
            .await
    };
    let app = match answer {
        Ok(app) => app,
        Err(e) if is_gone(&e) => return Ok(None),
        Err(e) => return Err(aws.failed(&DESCRIBE_APP, region, &e)),
    };
    let Some(arn) = app.app_arn() else { return Ok(None) };
    let instance = app.resource_spec().or(raw.resource_spec()).and_then(|s| s.instance_type());
    // `system` is the shared machine of the domain, which bills nothing.
    let Some(instance) = instance.map(sm::AppInstanceType::as_str).filter(|t| *t != "system")
    else {
        return Ok(None);
    };
    let Some(tags) = tags(aws, region, arn).await? else { return Ok(None) };
    let whose = raw.space_name().or(raw.user_profile_name()).unwrap_or("-");
    let kind = raw.app_type().map_or("app", sm::AppType::as_str);
    let checked = app.last_health_check_timestamp();
    // A health check sets the user's last activity to its own time ("this value is set to the same
    // value as LastHealthCheckTimestamp", API reference): it tells nothing of the user then.
    let used = app.last_user_activity_timestamp().filter(|t| Some(*t) != checked);
    Ok(Some(Resource {
        kind: ResourceKind::StudioApp,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(Some(&format!("{whose}/{kind}/{}", raw.app_name().unwrap_or("default")))),
        state: clean(app.status().map(sm::AppStatus::as_str)),
        is_billed: true,
        created_at: app.creation_time().and_then(time::from_sdk),
        changed_at: None,
        used_at: used.and_then(time::from_sdk),
        units: vec![unit(instance, 1.0)],
        serves: None,
        tags,
    }))
}

fn unit(what: &str, count: f64) -> BilledUnit {
    BilledUnit { what: clean(Some(what)), count, usd_per_hour: None }
}

/// The tags of a thing; `None` for one that is gone. Without its tags nobody knows what is exempt.
async fn tags(
    aws: &AwsProvider,
    region: &Arc<str>,
    arn: &str,
) -> Result<Option<Tags>, SourceError> {
    let client = aws.clients().await.sagemaker(region);
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let _permit = aws.enter(Api::SageMaker, region, 0).await;
        let page = client.list_tags().resource_arn(arn).set_next_token(token.take()).send().await;
        let page = match page {
            Ok(page) => page,
            Err(e) if is_gone(&e) => return Ok(None),
            Err(e) => return Err(aws.failed(&LIST_TAGS, region, &e)),
        };
        for tag in page.tags() {
            if let (Some(key), Some(value)) = (tag.key(), tag.value()) {
                pairs.push((key.to_owned(), value.to_owned()));
            }
        }
        token = page.next_token.filter(|t| !t.is_empty());
        if token.is_none() {
            return Ok(Some(Tags::from_raw(pairs)));
        }
    }
}

/// True when what was asked for is not there any more. SageMaker says so in words alone.
fn is_gone(error: &impl ProvideErrorMetadata) -> bool {
    match error.code() {
        Some("ResourceNotFound" | "ResourceNotFoundException") => true,
        Some("ValidationException") => {
            error.message().is_some_and(|m| m.starts_with("Could not find"))
        }
        _ => false,
    }
}
