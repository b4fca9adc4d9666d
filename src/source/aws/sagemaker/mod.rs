//! SageMaker: notebook instances, endpoints, apps of Studio, jobs, and instances of HyperPod.

mod hyperpod;
pub mod jobs;
pub(super) mod wire;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use self::wire::{
    AppRow, ConfiguredVariant, DescribeApp, DescribeEndpoint, DescribeEndpointConfig, ListApps,
    ListEndpoints, ListNotebookInstances, ListTags, Notebook, PAGE,
};
use super::AwsProvider;
use super::inventory::clean;
use super::json_api::{Failed, ask, every};
use crate::domain::{BilledUnit, Resource, ResourceKind, Scope, SourceError, Tags};

/// Suffix of the state of an asynchronous endpoint: CloudWatch counts its requests under another name, and its
/// instances are billed all the same.
pub(super) const ASYNC: &str = ", asynchronous";

/// How messages begin that say of something that it is not there any more.
const GONE: [&str; 2] = ["Could not find", "Requested resource not found"];

/// Things looked at at once; the rate limiter has the last word.
const AT_ONCE: usize = 4;

/// All notebook instances of a region. Err when a call fails.
pub async fn notebooks(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let page = |next_token| ListNotebookInstances { max_results: PAGE, next_token };
    let found = every(aws, &scope.region, page).await?;
    let looks: Vec<_> = found.iter().map(|raw| notebook(aws, scope, raw)).collect();
    found_by(looks).await
}

/// What the looks find, in their order; what is gone is left out.
async fn found_by(
    looks: Vec<impl Future<Output = Result<Option<Resource>, SourceError>>>,
) -> Result<Vec<Resource>, SourceError> {
    let all: Vec<_> = stream::iter(looks).buffered(AT_ONCE).try_collect().await?;
    Ok(all.into_iter().flatten().collect())
}

async fn notebook(
    aws: &AwsProvider,
    scope: &Scope,
    raw: &Notebook,
) -> Result<Option<Resource>, SourceError> {
    let Some(arn) = &raw.notebook_instance_arn else { return Ok(None) };
    let Some(tags) = tags(aws, &scope.region, arn).await? else { return Ok(None) };
    let status = raw.notebook_instance_status.as_deref();
    // "You are charged while the instance is InService"; stopped, its volume alone bills.
    let is_billed =
        matches!(status, Some("InService" | "InMaintenance" | "PendingMaintenance" | "Updating"));
    Ok(Some(Resource {
        kind: ResourceKind::Notebook,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(raw.notebook_instance_name.as_deref()),
        state: clean(status),
        is_billed,
        created_at: raw.creation_time,
        changed_at: raw.last_modified_time,
        used_at: None,
        units: raw.instance_type.iter().map(|t| unit(t, 1.0)).collect(),
        serves: None,
        tags,
    }))
}

/// All endpoints of a region that run on instances. Serverless ones are billed by request and left out. Err when a call
/// fails.
pub async fn endpoints(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let page = |next_token| ListEndpoints { max_results: PAGE, next_token };
    let found = every(aws, &scope.region, page).await?;
    let names: Vec<_> = found.into_iter().filter_map(|e| e.endpoint_name).collect();
    let looks: Vec<_> = names.iter().map(|name| endpoint(aws, scope, name)).collect();
    found_by(looks).await
}

async fn endpoint(
    aws: &AwsProvider,
    scope: &Scope,
    name: &str,
) -> Result<Option<Resource>, SourceError> {
    let region = &scope.region;
    let asked = ask(aws, region, &DescribeEndpoint { endpoint_name: name }).await;
    let Some(endpoint) = unless_gone(asked)? else { return Ok(None) };
    let Some(arn) = &endpoint.endpoint_arn else { return Ok(None) };
    // The endpoint tells how many instances there are now, its configuration of which type.
    let config = match &endpoint.endpoint_config_name {
        None => None,
        Some(endpoint_config_name) => {
            let asked = ask(aws, region, &DescribeEndpointConfig { endpoint_config_name }).await;
            // A configuration may be deleted while its endpoint serves: the type is unknown then.
            unless_gone(asked)?
        }
    };
    let Some(tags) = tags(aws, region, arn).await? else { return Ok(None) };
    let configured: HashMap<&str, &ConfiguredVariant> = config
        .iter()
        .flat_map(|c| c.production_variants.iter().chain(&c.shadow_production_variants))
        .flatten()
        .filter_map(|v| Some((v.variant_name.as_deref()?, v)))
        .collect();
    let running = endpoint.production_variants.iter().chain(&endpoint.shadow_production_variants);
    let (mut units, mut serves) = (Vec::new(), Vec::new());
    for variant in running.flatten() {
        let Some(variant_name) = &variant.variant_name else { continue };
        let config = configured.get(&**variant_name);
        let is_serverless = variant.current_serverless_config.is_some()
            || config.is_some_and(|c| c.serverless_config.is_some());
        if is_serverless {
            continue;
        }
        let count =
            variant.current_instance_count.or(config.and_then(|c| c.initial_instance_count));
        let what = config.and_then(|c| c.instance_type.as_deref()).unwrap_or("unknown");
        units.push(unit(what, f64::from(count.unwrap_or(0).max(0))));
        serves.push(clean(Some(variant_name)));
    }
    if units.is_empty() {
        return Ok(None);
    }
    let status = endpoint.endpoint_status.as_deref();
    let serves_now = matches!(
        status,
        Some("InService" | "RollingBack" | "SystemUpdating" | "Updating" | "UpdateRollbackFailed")
    );
    let tail = if endpoint.async_inference_config.is_some() { ASYNC } else { "" };
    let state = clean(status);
    Ok(Some(Resource {
        kind: ResourceKind::Endpoint,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(Some(name)),
        state: format!("{state}{tail}").into(),
        // Scaled to no instance at all, it bills nothing.
        is_billed: serves_now && units.iter().any(|u| u.count > 0.0),
        created_at: endpoint.creation_time,
        changed_at: endpoint.last_modified_time,
        used_at: None,
        units,
        serves: Some(serves),
        tags,
    }))
}

/// All Studio apps of a region that run on an instance of their own. Err when a call fails.
pub async fn apps(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let page = |next_token| ListApps { max_results: PAGE, next_token };
    let mut found = every(aws, &scope.region, page).await?;
    // What is deleted is listed for a day.
    found.retain(|app| app.status.as_deref() == Some("InService"));
    let looks: Vec<_> = found.iter().map(|raw| app(aws, scope, raw)).collect();
    found_by(looks).await
}

async fn app(
    aws: &AwsProvider,
    scope: &Scope,
    raw: &AppRow,
) -> Result<Option<Resource>, SourceError> {
    let region = &scope.region;
    let question = DescribeApp {
        domain_id: raw.domain_id.as_deref(),
        user_profile_name: raw.user_profile_name.as_deref(),
        space_name: raw.space_name.as_deref(),
        app_type: raw.app_type.as_deref(),
        app_name: raw.app_name.as_deref(),
    };
    let Some(app) = unless_gone(ask(aws, region, &question).await)? else { return Ok(None) };
    let Some(arn) = &app.app_arn else { return Ok(None) };
    let spec = app.resource_spec.as_ref().or(raw.resource_spec.as_ref());
    // `system` is the shared machine of the domain, which bills nothing.
    let Some(instance) = spec.and_then(|s| s.instance_type.as_deref()).filter(|t| *t != "system")
    else {
        return Ok(None);
    };
    let Some(tags) = tags(aws, region, arn).await? else { return Ok(None) };
    let whose = raw.space_name.as_deref().or(raw.user_profile_name.as_deref()).unwrap_or("-");
    let kind = raw.app_type.as_deref().unwrap_or("app");
    let checked = app.last_health_check_timestamp;
    // A health check sets the user's last activity to its own time ("this value is set to the same
    // value as LastHealthCheckTimestamp", API reference): it tells nothing of the user then.
    let used = app.last_user_activity_timestamp.filter(|t| Some(*t) != checked);
    let name = raw.app_name.as_deref().unwrap_or("default");
    Ok(Some(Resource {
        kind: ResourceKind::StudioApp,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(Some(&format!("{whose}/{kind}/{name}"))),
        state: clean(app.status.as_deref()),
        is_billed: true,
        created_at: app.creation_time,
        changed_at: None,
        used_at: used,
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
    let page = |next_token| ListTags { resource_arn: arn, next_token };
    let Some(tags) = unless_gone(every(aws, region, page).await)? else { return Ok(None) };
    Ok(Some(Tags::from_raw(tags.into_iter().filter_map(|tag| Some((tag.key?, tag.value?))))))
}

/// `None` when what was asked for is not there any more. SageMaker says so in words alone.
fn unless_gone<A>(asked: Result<A, Failed>) -> Result<Option<A>, SourceError> {
    match asked {
        Ok(answer) => Ok(Some(answer)),
        Err(failed) => {
            let refusal = failed.refusal.as_deref();
            let is_gone = match refusal.and_then(|r| r.code()) {
                Some("ResourceNotFound" | "ResourceNotFoundException") => true,
                Some("ValidationException") => refusal
                    .and_then(|r| r.message())
                    .is_some_and(|m| GONE.iter().any(|words| m.starts_with(words))),
                _ => false,
            };
            if is_gone { Ok(None) } else { Err(failed.error) }
        }
    }
}
