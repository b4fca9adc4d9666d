//! Which guard is asked for which verb.

use super::scene::Scene;
use super::shared::{executor, permission};
use super::{activity, life, load, loss, managed, money, protection, trust, way_back};
use crate::act::plan::finding::{FindingSink, Guard};

/// One guard, with the verbs that it checks.
pub(super) struct Row {
    /// Guard that the findings name.
    pub guard: Guard,
    /// Verbs that it checks, see [`crate::act::plan::Verb::word`].
    pub verbs: &'static [&'static str],
    /// Function that asks it.
    pub ask: fn(&Scene<'_>, &mut FindingSink<'_>),
}

const ALL: &[&str] = &["stop", "terminate", "start", "mark", "remind", "unmark"];
/// Verbs that end work.
const ENDS: &[&str] = &["stop", "terminate"];
/// Verbs that rest on a verdict: a mark announces a stop.
const JUDGED: &[&str] = &["stop", "terminate", "mark"];
/// Verbs about one life of an instance. A mark is removed whatever became of it.
const ALIVE: &[&str] = &["stop", "terminate", "start", "mark"];
/// Verbs that an exempt instance is spared. The way out of an action stays open to it.
const SPARED: &[&str] = &["stop", "terminate", "mark", "remind"];

/// The guards, in the order of [`Guard::ALL`].
pub(super) const TABLE: &[Row] = &[
    Row { guard: Guard::Armed, verbs: ALL, ask: trust::armed },
    Row { guard: Guard::Identity, verbs: ALL, ask: trust::identity },
    Row { guard: Guard::PlanAge, verbs: ALL, ask: trust::plan_age },
    Row { guard: Guard::Verdict, verbs: JUDGED, ask: trust::verdict },
    Row { guard: Guard::Evidence, verbs: JUDGED, ask: trust::evidence },
    Row { guard: Guard::State, verbs: ALL, ask: life::state },
    Row { guard: Guard::Life, verbs: ALIVE, ask: life::life },
    Row { guard: Guard::Exempt, verbs: SPARED, ask: life::exempt },
    Row { guard: Guard::Age, verbs: ENDS, ask: life::age },
    Row { guard: Guard::Owner, verbs: ENDS, ask: managed::owner },
    Row { guard: Guard::Jobs, verbs: ENDS, ask: managed::jobs },
    Row { guard: Guard::Group, verbs: ENDS, ask: managed::group },
    Row { guard: Guard::Spot, verbs: ENDS, ask: managed::spot },
    Row { guard: Guard::TerminationProtection, verbs: ENDS, ask: protection::termination },
    Row { guard: Guard::StopProtection, verbs: ENDS, ask: protection::stop },
    Row { guard: Guard::Stoppable, verbs: &["stop"], ask: protection::stoppable },
    Row { guard: Guard::InstanceStore, verbs: ENDS, ask: loss::instance_store },
    Row { guard: Guard::Volumes, verbs: ENDS, ask: loss::volumes },
    Row { guard: Guard::Addresses, verbs: ENDS, ask: loss::addresses },
    Row { guard: Guard::TargetGroups, verbs: ENDS, ask: load::target_groups },
    Row { guard: Guard::Capacity, verbs: &["stop", "terminate", "start"], ask: money::capacity },
    Row { guard: Guard::Saving, verbs: ENDS, ask: money::saving },
    Row { guard: Guard::Undo, verbs: &["terminate"], ask: way_back::undo },
    Row { guard: Guard::Production, verbs: ALIVE, ask: trust::production },
    Row { guard: Guard::Permission, verbs: ALL, ask: |s, out| permission(s.input.permitted, out) },
    Row { guard: Guard::Recheck, verbs: ENDS, ask: activity::recheck },
    Row { guard: Guard::Executor, verbs: ALL, ask: |s, out| executor(s.input.executor, out) },
];
