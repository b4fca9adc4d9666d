//! Looking closely at the demo's instances.

use std::sync::Arc;

use jiff::Timestamp;

use super::provider::DemoProvider;
use super::{facts, inventory, recent};
use crate::domain::{
    ErrorKind, Hour, Inspection, Instance, Known, OwnerKind, Recent, Scope, SourceError, Tags,
};
use crate::source::{Identity, Inspector, Provider, Seen, catalogue};

#[async_trait::async_trait]
impl Inspector for DemoProvider {
    async fn caller(&self) -> Result<Identity, SourceError> {
        self.identity().await
    }

    async fn inspect(&self, scope: &Scope, ids: &[Arc<str>]) -> Vec<Inspection> {
        let now = self.now();
        ids.iter().map(|id| self.look(scope, id, now)).collect()
    }

    async fn recent(
        &self,
        scope: &Scope,
        instances: &[(Arc<Instance>, u32)],
        from: Timestamp,
        to: Timestamp,
    ) -> Vec<Known<Recent>> {
        let now = self.now();
        let of = |instance: &Instance| {
            self.own(scope)?;
            let (fleet, story) = (self.fleet, self.world.story(&instance.id));
            let hour = Hour::containing(now);
            let found = inventory::resolve(fleet, &instance.id, hour).filter(|(p, _)| {
                p.account.id == self.account.id && p.region.code == &*scope.region
            });
            let series = found.map(|(profile, generation)| {
                recent::series(&profile, generation, story.as_ref(), (from, to), now)
            });
            // Of an instance that does not exist, CloudWatch has nothing and says nothing.
            Ok(Recent { id: instance.id.clone(), from, to, series: series.unwrap_or_default() })
        };
        instances.iter().map(|(instance, _)| of(instance)).collect()
    }

    async fn states(&self, scope: &Scope, ids: &[Arc<str>]) -> Result<Vec<Seen>, SourceError> {
        self.own(scope).map_err(|error| (*error).clone())?;
        let now = self.now();
        let seen = ids.iter().map(|id| match self.at(scope, id, now) {
            Some(i) => Seen {
                id: i.id,
                state: Some(i.state),
                launched_at: Some(i.launched_at),
                tags: i.tags,
            },
            None => Seen { id: id.clone(), state: None, launched_at: None, tags: Tags::default() },
        });
        Ok(seen.collect())
    }
}

impl DemoProvider {
    /// Fails for an account that is not this one.
    fn own(&self, scope: &Scope) -> Known<()> {
        if *scope.account == *self.account.id {
            return Ok(());
        }
        let message = format!("account {} is not {}", scope.account, self.account.id);
        let operation = "ec2:DescribeInstances";
        Err(Arc::new(SourceError::new(ErrorKind::Denied, operation, &message, "")))
    }

    /// The instance as it is now; `None` when there is no such instance in `scope`.
    fn at(&self, scope: &Scope, id: &str, now: Timestamp) -> Option<Instance> {
        let (profile, _) = inventory::resolve(self.fleet, id, Hour::containing(now))?;
        let instance = inventory::instance(self.fleet, &profile, now);
        // A number that was launched anew has another id.
        let is_it = *instance.id == *id && instance.scope == *scope;
        is_it.then(|| self.world.show(instance, now)).flatten()
    }

    fn look(&self, scope: &Scope, id: &Arc<str>, now: Timestamp) -> Inspection {
        let instance = self.own(scope).map(|()| self.at(scope, id, now));
        let profile = inventory::resolve(self.fleet, id, Hour::containing(now)).map(|(p, _)| p);
        let (Ok(Some(instance)), Some(profile)) = (&instance, profile) else {
            let nothing = || missing(id);
            return Inspection {
                id: id.clone(),
                taken_at: now,
                instance: instance.map(|_| None),
                spec: Ok(None),
                launch: Err(nothing()),
                termination_protection: Err(nothing()),
                stop_protection: Err(nothing()),
                volumes: Err(nothing()),
                addresses: Err(nothing()),
                group: Err(nothing()),
                target_groups: Err(nothing()),
                spot: Err(nothing()),
            };
        };
        let fleet = self.fleet;
        let owner = instance.owners.iter().find(|o| o.kind == OwnerKind::Asg);
        let (group, target_groups) = self.world.with(|changes| {
            let group = owner.map(|o| facts::group(fleet, changes, scope, &o.name, instance, now));
            (group, facts::target_groups(fleet, changes, &profile, instance, now))
        });
        Inspection {
            id: id.clone(),
            taken_at: now,
            spec: Ok(catalogue::type_spec(&instance.instance_type).cloned().map(Arc::new)),
            launch: Ok(facts::launch(&profile, instance)),
            termination_protection: Ok(facts::termination_protection(&profile)),
            stop_protection: Ok(facts::stop_protection(&profile)),
            volumes: Ok(facts::volumes(&profile, instance)),
            addresses: Ok(facts::addresses(&profile, instance.state)),
            group: Ok(group),
            target_groups: Ok(target_groups),
            spot: Ok(facts::spot(&profile)),
            instance: Ok(Some(Arc::new(instance.clone()))),
        }
    }
}

fn missing(id: &str) -> Arc<SourceError> {
    let message = format!("The instance ID '{id}' does not exist");
    Arc::new(SourceError::new(ErrorKind::Other, "ec2:DescribeInstances", &message, ""))
}
