//! Instance types: the embedded catalogue first, then the cache, then `DescribeInstanceTypes`.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use super::account::report_result;
use super::facts::kind;
use super::guarded;
use super::scope::Context;
use super::world::Update;
use crate::domain::{Instance, SourceId, TypeSpec};
use crate::source::catalogue;

static CATALOGUE: LazyLock<HashMap<Arc<str>, Arc<TypeSpec>>> = LazyLock::new(|| {
    catalogue::type_specs().iter().map(|spec| (spec.name.clone(), Arc::new(spec.clone()))).collect()
});

/// Makes sure that `ctx.types` knows every type in use, as far as it can be known.
pub(super) async fn ensure(ctx: &mut Context, instances: &[Arc<Instance>]) {
    let mut missing: BTreeSet<Arc<str>> = BTreeSet::new();
    for instance in instances {
        let name = &instance.instance_type;
        if ctx.types.contains_key(name) {
            continue;
        }
        match CATALOGUE.get(name) {
            Some(spec) => {
                ctx.types.insert(name.clone(), spec.clone());
            }
            None => {
                missing.insert(name.clone());
            }
        }
    }
    if missing.is_empty() {
        return;
    }
    // What a type is does not change; what the cache knows is good for as long as it is kept.
    let now = ctx.shared.now();
    let stored = ctx.shared.cache.get::<Vec<TypeSpec>>(kind::TYPES, &ctx.scope, now).await;
    let mut known = stored.map(|s| s.value).unwrap_or_default();
    missing.retain(|name| !known.iter().any(|spec| spec.name == *name));
    if !missing.is_empty() {
        let names: Vec<Arc<str>> = missing.into_iter().collect();
        let call = ctx.provider.types(&ctx.scope.region, &names);
        let answer = guarded("ec2:DescribeInstanceTypes", call).await;
        if let Some(found) = report_result(&ctx.updates, SourceId::Types, &ctx.scope, answer).await
        {
            known.extend(found);
            ctx.shared.cache.put(kind::TYPES, &ctx.scope, now, &known).await;
        }
    }
    let known: Vec<Arc<TypeSpec>> = known.into_iter().map(Arc::new).collect();
    ctx.types.extend(known.iter().map(|spec| (spec.name.clone(), spec.clone())));
    let _ = ctx.updates.send(Update::Types(known)).await;
}

/// Type by name, from `extra` or else from the catalogue; `None` where neither has it.
pub(super) fn known<'a>(
    extra: &'a HashMap<Arc<str>, Arc<TypeSpec>>,
    name: &Arc<str>,
) -> Option<&'a Arc<TypeSpec>> {
    extra.get(name).or_else(|| CATALOGUE.get(name))
}
