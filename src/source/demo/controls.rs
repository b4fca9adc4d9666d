//! What EC2 and Auto Scaling would do to the demo's fleet when told to: the same refusals, the
//! same half-done requests. Whoever may call this is decided in `act`.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::facts;
use super::inventory;
use super::places::Account;
use super::profile::{Fleet, Profile};
use super::world::{Changes, Move, World};
use super::{Clock, DENIED};
use crate::domain::{
    ErrorKind, Hour, Instance, InstanceState, Lifecycle, OwnerKind, Scope, SourceError,
};

/// Controls of one account of the demo: what EC2 and Auto Scaling can change.
pub struct Controls {
    account: &'static Account,
    fleet: Fleet,
    clock: Clock,
    world: Arc<World>,
}

/// Accepted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Request id, as AWS returns one.
    pub request_id: String,
    /// Instance ids and the states in the answer.
    pub states: Vec<(Arc<str>, InstanceState)>,
}

/// Kind of a request that changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lever<'a> {
    /// `ec2:StopInstances`: stops instances.
    Stop,
    /// `ec2:StartInstances`: starts instances.
    Start,
    /// `ec2:TerminateInstances`: terminates instances.
    Terminate,
    /// `autoscaling:TerminateInstanceInAutoScalingGroup`, once per instance.
    LeaveGroup {
        /// Name of the Auto Scaling group.
        group: &'a str,
        /// True to decrease the desired capacity of the group by one.
        decrement: bool,
    },
    /// `ec2:CreateTags` (with a value) or `ec2:DeleteTags` (without).
    Tag(&'a [(&'a str, Option<&'a str>)]),
}

impl Lever<'_> {
    /// The operation as IAM names it.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Stop => "ec2:StopInstances",
            Self::Start => "ec2:StartInstances",
            Self::Terminate => "ec2:TerminateInstances",
            Self::LeaveGroup { .. } => "autoscaling:TerminateInstanceInAutoScalingGroup",
            Self::Tag(tags) if tags.iter().all(|(_, value)| value.is_none()) => "ec2:DeleteTags",
            Self::Tag(_) => "ec2:CreateTags",
        }
    }

    /// A refusal that says what AWS would say.
    fn refused(&self, message: &str) -> SourceError {
        SourceError::new(ErrorKind::Other, self.operation(), message, "")
    }
}

impl Controls {
    /// Controls of `account` over `fleet`; changes are kept in `world`.
    pub(super) fn new(
        account: &'static Account,
        fleet: Fleet,
        clock: Clock,
        world: Arc<World>,
    ) -> Self {
        Self { account, fleet, clock, world }
    }

    /// Present time by the demo's clock.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Dry run: Ok when the caller may use `lever` in `scope`. Err when it is denied. Like EC2's, it does not check
    /// protection.
    pub fn permitted(&self, scope: &Scope, lever: &Lever<'_>) -> Result<(), SourceError> {
        let operation = lever.operation();
        let denied = |message: &str, fix: &str| {
            Err(SourceError::new(ErrorKind::Denied, operation, message, fix))
        };
        if *scope.account != *self.account.id {
            let message = format!("account {} is not {}", scope.account, self.account.id);
            return denied(&message, "");
        }
        let here = (self.account.id, &*scope.region);
        if here == DENIED && *lever == Lever::Stop {
            let message = "not authorized to perform: ec2:StopInstances with an explicit deny in a \
                           service control policy";
            return denied(message, "ask who administers the organization's policies");
        }
        Ok(())
    }

    /// Applies `lever` to the instances `ids`, all of `scope`. Err when it is denied or refused, with the messages of
    /// AWS.
    pub fn pull(
        &self,
        scope: &Scope,
        lever: &Lever<'_>,
        ids: &[Arc<str>],
    ) -> Result<Accepted, SourceError> {
        self.permitted(scope, lever)?;
        let now = self.now();
        self.world.with(|changes| {
            let boxes = self.find(changes, scope, lever, ids, now)?;
            match lever {
                Lever::Stop => stop(changes, lever, &boxes, now)?,
                Lever::Start => start(changes, lever, &boxes, now)?,
                Lever::Terminate => terminate(changes, lever, &boxes, now)?,
                Lever::LeaveGroup { group, decrement } => {
                    self.leave(changes, lever, &boxes, (group, *decrement), now)?;
                }
                Lever::Tag(tags) => {
                    for (id, (key, value)) in
                        ids.iter().flat_map(|i| tags.iter().map(move |t| (i, t)))
                    {
                        changes.tag(id, key, *value);
                    }
                }
            }
            let states = boxes
                .into_iter()
                .filter_map(|(_, was)| changes.peek(was, now))
                .map(|i| (i.id, i.state))
                .collect();
            Ok(Accepted { request_id: format!("demo-{:08}", changes.next_call()), states })
        })
    }

    /// The instances as they are now. One that does not exist fails the request, as in EC2.
    fn find(
        &self,
        changes: &Changes,
        scope: &Scope,
        lever: &Lever<'_>,
        ids: &[Arc<str>],
        now: Timestamp,
    ) -> Result<Vec<(Profile, Instance)>, SourceError> {
        ids.iter()
            .map(|id| {
                let found = inventory::resolve(self.fleet, id, Hour::containing(now))
                    .map(|(profile, _)| (profile, inventory::instance(self.fleet, &profile, now)))
                    .filter(|(_, instance)| instance.id == *id && instance.scope == *scope)
                    .and_then(|(profile, i)| Some((profile, changes.peek(i, now)?)));
                found
                    .ok_or_else(|| lever.refused(&format!("The instance ID '{id}' does not exist")))
            })
            .collect()
    }

    fn leave(
        &self,
        changes: &mut Changes,
        lever: &Lever<'_>,
        boxes: &[(Profile, Instance)],
        (group, decrement): (&str, bool),
        now: Timestamp,
    ) -> Result<(), SourceError> {
        for (_, instance) in boxes {
            let owner = instance.owners.iter().find(|o| o.kind == OwnerKind::Asg);
            let Some(owner) = owner.filter(|o| &*o.name == group) else {
                let message = format!("Instance {} is not part of Auto Scaling group", instance.id);
                return Err(lever.refused(&message));
            };
            if is_gone(instance.state) {
                continue;
            }
            if decrement {
                let (scope, name) = (&instance.scope, &owner.name);
                let fact = facts::group(self.fleet, changes, scope, name, instance, now);
                if fact.desired <= fact.min {
                    let message = format!(
                        "Currently, desiredSize equals minSize ({}). Terminating instance without \
                         replacement will violate group's min size constraint.",
                        fact.min
                    );
                    return Err(lever.refused(&message));
                }
                changes.want_one_less(scope, name);
            }
            changes.push(&instance.id, Move::Terminate, now);
        }
        Ok(())
    }
}

fn is_gone(state: InstanceState) -> bool {
    matches!(state, InstanceState::ShuttingDown | InstanceState::Terminated)
}

fn incorrect(lever: &Lever<'_>, instance: &Instance, word: &str) -> SourceError {
    let state = instance.state.word();
    let id = &instance.id;
    lever.refused(&format!(
        "The instance '{id}' is not in a state from which it can be {word} ({state})"
    ))
}

/// All or nothing.
fn stop(
    changes: &mut Changes,
    lever: &Lever<'_>,
    boxes: &[(Profile, Instance)],
    now: Timestamp,
) -> Result<(), SourceError> {
    for (profile, instance) in boxes {
        let id = &instance.id;
        if is_gone(instance.state) {
            return Err(incorrect(lever, instance, "stopped"));
        }
        if facts::stop_protection(profile) {
            return Err(lever.refused(&format!(
                "The instance '{id}' may not be stopped. Modify its 'disableApiStop' instance \
                 attribute and try again."
            )));
        }
        if instance.lifecycle == Lifecycle::Spot && !facts::is_persistent(profile) {
            return Err(lever.refused(&format!(
                "You can't stop the Spot Instance '{id}' because it is associated with a one-time \
                 Spot Instance request. You can only stop Spot Instances associated with \
                 persistent Spot Instance requests."
            )));
        }
    }
    let runs = |i: &&(Profile, Instance)| {
        matches!(i.1.state, InstanceState::Running | InstanceState::Pending)
    };
    for (_, instance) in boxes.iter().filter(runs) {
        changes.push(&instance.id, Move::Stop, now);
    }
    Ok(())
}

/// All or nothing.
fn start(
    changes: &mut Changes,
    lever: &Lever<'_>,
    boxes: &[(Profile, Instance)],
    now: Timestamp,
) -> Result<(), SourceError> {
    let wrong = boxes.iter().find(|(_, i)| is_gone(i.state) || i.state == InstanceState::Stopping);
    if let Some((_, instance)) = wrong {
        return Err(incorrect(lever, instance, "started"));
    }
    for (_, instance) in boxes.iter().filter(|(_, i)| i.state == InstanceState::Stopped) {
        changes.push(&instance.id, Move::Start, now);
    }
    Ok(())
}

/// A protected instance saves the instances of its zone, while those of other zones go: the
/// request fails, and something was terminated.
fn terminate(
    changes: &mut Changes,
    lever: &Lever<'_>,
    boxes: &[(Profile, Instance)],
    now: Timestamp,
) -> Result<(), SourceError> {
    let protected = || boxes.iter().filter(|(profile, _)| facts::termination_protection(profile));
    let safe: BTreeSet<&Arc<str>> = protected().map(|(_, i)| &i.az).collect();
    for (_, instance) in boxes {
        if !safe.contains(&instance.az) && !is_gone(instance.state) {
            changes.push(&instance.id, Move::Terminate, now);
        }
    }
    protected().next().map_or(Ok(()), |(_, instance)| {
        Err(lever.refused(&format!(
            "The instance '{}' may not be terminated. Modify its 'disableApiTermination' instance \
             attribute and try again.",
            instance.id
        )))
    })
}
