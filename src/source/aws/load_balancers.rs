//! Load balancers (version 2), their targets and their tags. Classic Load Balancers are of another
//! API and are not read.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_elasticloadbalancingv2::types as elb;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::AwsProvider;
use super::calls::{
    DESCRIBE_LOAD_BALANCERS, DESCRIBE_TAGS, DESCRIBE_TARGET_GROUPS, DESCRIBE_TARGET_HEALTH,
};
use super::inventory::clean;
use super::limit::Api;
use super::time;
use crate::domain::text::is_id;
use crate::domain::{BilledUnit, NOT_WORKING, Resource, ResourceKind, Scope, SourceError, Tags};

/// `DescribeTags` takes so many.
const TAGGED_PER_CALL: usize = 20;

/// Groups asked for at once; the rate limiter has the last word.
const AT_ONCE: usize = 4;

/// All load balancers of a region. Err when the load balancers or their targets cannot be read.
pub async fn read(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let balancers = list(aws, region).await?;
    if balancers.is_empty() {
        return Ok(Vec::new());
    }
    let arns: Vec<&str> =
        balancers.iter().filter_map(elb::LoadBalancer::load_balancer_arn).collect();
    // Without its tags nobody knows what is exempt.
    let tags = tags(aws, region, &arns).await?;
    let targets = match targets(aws, region).await {
        Ok(targets) => Some(targets),
        Err(error) => {
            tracing::warn!(%region, %error.message, "targets cannot be read");
            None
        }
    };
    Ok(balancers.iter().filter_map(|b| balancer(b, scope, &tags, targets.as_ref())).collect())
}

async fn list(aws: &AwsProvider, region: &Arc<str>) -> Result<Vec<elb::LoadBalancer>, SourceError> {
    let client = aws.clients().await.load_balancing(region);
    let ask = |token| client.describe_load_balancers().set_marker(token).send();
    let of = (Api::LoadBalancing, &DESCRIBE_LOAD_BALANCERS);
    aws.all_pages(of, region, ask, |page| (page.load_balancers, page.next_marker)).await
}

async fn tags(
    aws: &AwsProvider,
    region: &Arc<str>,
    arns: &[&str],
) -> Result<HashMap<String, Tags>, SourceError> {
    let client = aws.clients().await.load_balancing(region);
    let mut out = HashMap::new();
    for arns in arns.chunks(TAGGED_PER_CALL) {
        let _permit = aws.enter(Api::LoadBalancing, region, 0).await;
        let answer = client
            .describe_tags()
            .set_resource_arns(Some(arns.iter().map(|a| (*a).to_owned()).collect()))
            .send()
            .await
            .map_err(|e| aws.failed(&DESCRIBE_TAGS, region, &e))?;
        for one in answer.tag_descriptions() {
            let pairs = one.tags().iter().filter_map(|t| Some((t.key()?, t.value().unwrap_or(""))));
            if let Some(arn) = one.resource_arn() {
                out.insert(arn.to_owned(), Tags::from_raw(pairs));
            }
        }
    }
    Ok(out)
}

/// Targets by the balancer that sends to them.
type Targets = HashMap<String, Vec<Arc<str>>>;

async fn targets(aws: &AwsProvider, region: &Arc<str>) -> Result<Targets, SourceError> {
    let mut groups = groups(aws, region).await?;
    groups.retain(|g| !g.load_balancer_arns().is_empty());
    let asked: Vec<_> = groups.iter().map(|group| health(aws, region, group)).collect();
    let answers: Vec<_> = stream::iter(asked).buffered(AT_ONCE).try_collect().await?;
    let mut out = Targets::new();
    for (group, targets) in groups.iter().zip(answers) {
        for arn in group.load_balancer_arns() {
            let targets = targets.iter().flatten().filter_map(target);
            out.entry(arn.clone()).or_default().extend(targets);
        }
    }
    Ok(out)
}

/// The target groups of a region.
pub(super) async fn groups(
    aws: &AwsProvider,
    region: &Arc<str>,
) -> Result<Vec<elb::TargetGroup>, SourceError> {
    let client = aws.clients().await.load_balancing(region);
    let ask = |token| client.describe_target_groups().set_marker(token).send();
    let of = (Api::LoadBalancing, &DESCRIBE_TARGET_GROUPS);
    aws.all_pages(of, region, ask, |page| (page.target_groups, page.next_marker)).await
}

/// The targets of a group with their health; `None` for a group that was deleted since it was listed.
pub(super) async fn health(
    aws: &AwsProvider,
    region: &Arc<str>,
    group: &elb::TargetGroup,
) -> Result<Option<Vec<elb::TargetHealthDescription>>, SourceError> {
    let _permit = aws.enter(Api::LoadBalancing, region, 0).await;
    let client = aws.clients().await.load_balancing(region);
    let answer = client
        .describe_target_health()
        .set_target_group_arn(group.target_group_arn().map(str::to_owned))
        .send()
        .await;
    match answer {
        Ok(answer) => Ok(Some(answer.target_health_descriptions.unwrap_or_default())),
        Err(e) if e.code() == Some("TargetGroupNotFound") => Ok(None),
        Err(e) => Err(aws.failed(&DESCRIBE_TARGET_HEALTH, region, &e)),
    }
}

/// What of a target shows, marked where it gets nothing. Where health is not checked (`unavailable`,
/// as for functions) it may get something.
fn target(raw: &elb::TargetHealthDescription) -> Option<Arc<str>> {
    use elb::TargetHealthStateEnum::{Draining, Unhealthy, UnhealthyDraining, Unused};
    let state = raw.target_health().and_then(|h| h.state());
    let out = matches!(state, Some(Draining | Unhealthy | UnhealthyDraining | Unused));
    let tail = if out { NOT_WORKING } else { "" };
    Some(format!("{}{tail}", clean(raw.target()?.id())).into())
}

/// `None` for a balancer without an ARN.
fn balancer(
    raw: &elb::LoadBalancer,
    scope: &Scope,
    tags: &HashMap<String, Tags>,
    targets: Option<&Targets>,
) -> Option<Resource> {
    let arn = raw.load_balancer_arn().filter(|arn| is_id(arn))?;
    let state = raw.state().and_then(|s| s.code());
    let what = raw.r#type().map_or("unknown", elb::LoadBalancerTypeEnum::as_str);
    // One that could not be set up serves nobody and is not billed.
    let is_billed = state.is_none_or(|s| *s != elb::LoadBalancerStateEnum::Failed);
    Some(Resource {
        kind: ResourceKind::LoadBalancer,
        id: clean(Some(arn)),
        scope: scope.clone(),
        name: clean(raw.load_balancer_name().or(Some(arn))),
        state: clean(state.map(elb::LoadBalancerStateEnum::as_str)),
        is_billed,
        created_at: raw.created_time().and_then(time::from_sdk),
        changed_at: None,
        used_at: None,
        units: vec![BilledUnit {
            what: format!("LoadBalancerUsage/{}", clean(Some(what))).into(),
            count: 1.0,
            usd_per_hour: None,
        }],
        serves: targets.map(|all| all.get(arn).cloned().unwrap_or_default()),
        tags: tags.get(arn).cloned().unwrap_or_default(),
    })
}
