//! What was done to the demo's fleet in this process. The fleet itself stays a pure function; a
//! [`World`] holds the changes alone, by instance id, and is gone with the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::domain::{Instance, InstanceState, Scope, Tags};

/// How long `stopping` lasts. EC2 takes tens of seconds; this is long enough to be seen.
const STOPPING: SignedDuration = SignedDuration::from_secs(15);
/// How long `shutting-down` lasts.
const SHUTTING_DOWN: SignedDuration = SignedDuration::from_secs(20);
/// How long `pending` lasts.
const PENDING: SignedDuration = SignedDuration::from_secs(10);
/// EC2 lists a terminated instance for about an hour.
const LISTED: SignedDuration = SignedDuration::from_hours(1);
/// What a look is worth where the clock stands still (`--now`), so that whoever waits for a state
/// gets to see it.
const LOOK: SignedDuration = SignedDuration::from_secs(10);

/// Changes made to the fleet of a demo, shared by everything that must see them.
#[derive(Debug, Default)]
pub struct World(Mutex<Changes>);

/// The changes, by instance.
#[derive(Debug, Default)]
pub(super) struct Changes {
    stories: HashMap<Arc<str>, Story>,
    /// Members that Auto Scaling groups want less than at the start, by scope and group.
    fewer: HashMap<(Scope, Arc<str>), u32>,
    calls: u64,
}

/// Change of an instance's power state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Stopped by the user.
    Stop,
    /// Started by the user.
    Start,
    /// Terminated by the user.
    Terminate,
}

/// Changes of one instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    moves: Vec<(Timestamp, Move)>,
    tags: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// Looks since the last move.
    looks: i32,
}

impl World {
    /// Runs `f` on the changes, with exclusive access.
    pub(super) fn with<T>(&self, f: impl FnOnce(&mut Changes) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Present form of `instance`, given as the fleet has it; `None` once EC2 would not list it any more. Counts as a
    /// look, which lets states progress.
    pub(super) fn show(&self, instance: Instance, now: Timestamp) -> Option<Instance> {
        self.with(|changes| changes.show(instance, now))
    }

    /// Changes of instance `id`; `None` without any.
    pub(super) fn story(&self, id: &str) -> Option<Story> {
        self.with(|changes| changes.stories.get(id).cloned())
    }
}

impl Changes {
    /// Present form of `instance`, as [`World::show`]; `None` once EC2 would not list it.
    pub(super) fn show(&mut self, mut instance: Instance, now: Timestamp) -> Option<Instance> {
        let Some(story) = self.stories.get_mut(&instance.id) else { return Some(instance) };
        story.apply(&mut instance, now);
        story.looks = story.looks.saturating_add(1);
        story.is_listed(now).then_some(instance)
    }

    /// Like [`Changes::show`], without counting as a reading.
    pub(super) fn peek(&self, mut instance: Instance, now: Timestamp) -> Option<Instance> {
        let Some(story) = self.stories.get(&instance.id) else { return Some(instance) };
        story.apply(&mut instance, now);
        story.is_listed(now).then_some(instance)
    }

    /// Adds a change of the power state of `id`.
    pub(super) fn push(&mut self, id: &Arc<str>, what: Move, at: Timestamp) {
        let story = self.stories.entry(id.clone()).or_default();
        story.moves.push((at, what));
        story.looks = 0;
    }

    /// Sets a tag, or removes it with `None`.
    pub(super) fn tag(&mut self, id: &Arc<str>, key: &str, value: Option<&str>) {
        let story = self.stories.entry(id.clone()).or_default();
        story.tags.retain(|(k, _)| **k != *key);
        story.tags.push((key.into(), value.map(Into::into)));
    }

    /// Number of instances by which the group's desired capacity was decreased.
    pub(super) fn fewer(&self, scope: &Scope, group: &Arc<str>) -> u32 {
        self.fewer.get(&(scope.clone(), group.clone())).copied().unwrap_or(0)
    }

    /// Decreases the desired capacity of the group by one.
    pub(super) fn want_one_less(&mut self, scope: &Scope, group: &Arc<str>) {
        *self.fewer.entry((scope.clone(), group.clone())).or_default() += 1;
    }

    /// Number for the next request id.
    pub(super) fn next_call(&mut self) -> u64 {
        self.calls += 1;
        self.calls
    }
}

impl Story {
    /// True when the instance ran at `at`; `fleet` is the answer without changes.
    pub(super) fn ran(&self, fleet: bool, at: Timestamp) -> bool {
        let last = self.moves.iter().rev().find(|(when, _)| *when <= at);
        last.map_or(fleet, |(_, what)| *what == Move::Start)
    }

    /// Time of the first change of the power state; `None` without any.
    pub(super) fn began(&self) -> Option<Timestamp> {
        self.moves.first().map(|(at, _)| *at)
    }

    fn elapsed(&self, at: Timestamp, now: Timestamp) -> SignedDuration {
        let passed = now.duration_since(at);
        if passed > SignedDuration::ZERO { passed } else { LOOK * self.looks }
    }

    fn state(&self, now: Timestamp) -> Option<InstanceState> {
        let (at, what) = self.moves.last()?;
        let (during, lasts, after) = match what {
            Move::Stop => (InstanceState::Stopping, STOPPING, InstanceState::Stopped),
            Move::Start => (InstanceState::Pending, PENDING, InstanceState::Running),
            Move::Terminate => {
                (InstanceState::ShuttingDown, SHUTTING_DOWN, InstanceState::Terminated)
            }
        };
        Some(if self.elapsed(*at, now) < lasts { during } else { after })
    }

    /// False once a terminated instance has left the lists.
    fn is_listed(&self, now: Timestamp) -> bool {
        let last = self.moves.last();
        last.is_none_or(|(at, what)| *what != Move::Terminate || now.duration_since(*at) < LISTED)
    }

    fn apply(&self, instance: &mut Instance, now: Timestamp) {
        if let Some(state) = self.state(now) {
            instance.state = state;
        }
        let starts = self.moves.iter().rev().find(|(_, what)| *what == Move::Start);
        if let Some((at, _)) = starts {
            instance.launched_at = *at;
        }
        if !self.tags.is_empty() {
            instance.tags = self.retag(&instance.tags);
        }
    }

    fn retag(&self, tags: &Tags) -> Tags {
        let changed = |key: &str| self.tags.iter().any(|(k, _)| **k == *key);
        let kept = tags.iter().filter(|(key, _)| !changed(key));
        let set = self.tags.iter().filter_map(|(k, v)| Some((&**k, v.as_deref()?)));
        Tags::from_raw(kept.chain(set))
    }
}
