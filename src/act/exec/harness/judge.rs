//! The verdict over a trial: what must never happen, decided on the truth of the world alone.
//!
//! **The race that nobody can win.** Between the last answer to a look and the arrival of the
//! call the world goes on. A call is judged by what was true *and could be seen* at the moment at
//! which the process was last answered: use of which a datapoint had been delivered by then, a
//! protection, a tag, a launch that stood then. What came after is counted as a race. It cannot
//! excuse a process that did not look: a call without an inspection and a measurement of each of
//! its instances in the last [`LOOK_AGE`] is a fault by itself, however idle they were.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cloud::{Effect, Request};
use super::observations::Facts;
use super::world::{Ms, SECOND, World, stamp};
use crate::act::exec::audit::{Body, Line};
use crate::act::plan::{ActApi, EXPIRES_TAG, OutcomeKind, PlanItem, Verb, sha256_hex};
use crate::domain::{InstanceState, VerdictKind};

/// The oldest look on which a call may rest.
pub const LOOK_AGE: Ms = 60 * SECOND;

/// An intent as it stands on disk.
pub struct Intent {
    pub seq: u64,
    pub run: String,
    pub verb: Verb,
    pub items: Vec<Arc<PlanItem>>,
    /// When it became durable.
    pub at: Ms,
    pub finished: BTreeSet<Arc<str>>,
}

/// The log as the judge reads it.
#[derive(Default)]
pub struct Log {
    parsed: usize,
    pub intents: BTreeMap<u64, Intent>,
    /// Run, intent, instance: said to have failed or to have been left alone.
    untouched: Vec<(String, Option<u64>, Arc<str>, OutcomeKind)>,
}

/// Reads what has become durable since.
fn index(world: &mut World) {
    let mut log = std::mem::take(&mut world.log);
    let bytes = world.disk.durable()[log.parsed..].to_vec();
    let mut end = 0;
    for piece in bytes.split_inclusive(|b| *b == b'\n') {
        if piece.last() != Some(&b'\n') {
            break;
        }
        end += piece.len();
        let Ok(line) = serde_json::from_slice::<Line>(piece) else {
            world.counts.torn += 1;
            continue;
        };
        read(world, &mut log, line);
    }
    log.parsed += end;
    world.log = log;
}

fn read(world: &mut World, log: &mut Log, line: Line) {
    let now = world.now;
    match line.body {
        Body::Intent { run, verb, rows, .. } => {
            let items = rows.iter().map(|r| r.item.clone()).collect();
            world.note(|| format!("intent {} of {run}: {} rows", line.seq, rows.len()));
            let intent =
                Intent { seq: line.seq, run, verb, items, at: now, finished: BTreeSet::new() };
            log.intents.insert(line.seq, intent);
        }
        Body::Outcome { run, intent, outcomes, reconciled } => {
            for outcome in outcomes {
                let counts = &mut world.counts;
                let table = if reconciled { &mut counts.reconciled } else { &mut counts.outcomes };
                *table.entry(outcome.kind.word()).or_default() += 1;
                world.note(|| {
                    format!(
                        "outcome of {intent}: {} {} ({})",
                        outcome.id,
                        outcome.kind.word(),
                        outcome.text
                    )
                });
                let Some(of) = log.intents.get_mut(&intent) else {
                    world.violation(
                        "c",
                        format!("an outcome for intent {intent}, which is not there"),
                    );
                    continue;
                };
                if of.run != run {
                    world
                        .violation("c", format!("an outcome of {run} for an intent of {}", of.run));
                }
                of.finished.insert(outcome.id.clone());
                match outcome.kind {
                    OutcomeKind::Done => done(world, of, &outcome.id),
                    OutcomeKind::Failed | OutcomeKind::Refused => {
                        log.untouched.push((run.clone(), Some(intent), outcome.id, outcome.kind));
                    }
                    OutcomeKind::Unknown => {}
                }
            }
        }
        Body::Refused { run, outcomes, .. } => {
            for outcome in outcomes {
                *world.counts.outcomes.entry("refused").or_default() += 1;
                let text = reason(&outcome.text);
                *world.counts.refusals.entry(text).or_default() += 1;
                log.untouched.push((run.clone(), None, outcome.id, outcome.kind));
            }
        }
        Body::StorageIntent { .. } | Body::Approved { .. } | Body::Recovered { .. } => {}
    }
}

/// The text of a refusal without what differs from one instance to the next.
fn reason(text: &str) -> String {
    let words = text.split_whitespace().take(7);
    words.filter(|w| !w.chars().any(|c| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
}

/// `done` in the log: it must have been so.
fn done(world: &mut World, intent: &Intent, id: &Arc<str>) {
    let Some(index) = world.cloud.find(id) else {
        world.violation("e", format!("{id} is said to be done and never was"));
        return;
    };
    let b = &world.cloud.boxes[index];
    let holds = match &intent.verb {
        Verb::Terminate { .. } => b.forgotten || b.was(InstanceState::Terminated, intent.at),
        Verb::Stop => b.was(InstanceState::Stopped, intent.at),
        Verb::Start => b.was(InstanceState::Running, intent.at),
        Verb::Mark { .. } => b.tag(EXPIRES_TAG).is_some(),
        Verb::Unmark => b.tag(EXPIRES_TAG).is_none(),
        Verb::Remind => true,
    };
    if !holds {
        let state = b.state.word();
        world.violation("e", format!("{id} is said to be done ({:?}) and is {state}", intent.verb));
    }
}

/// A line became durable.
pub fn written(world: &mut World) {
    index(world);
}

/// A call goes out.
pub fn sent(world: &mut World, request: &Request) {
    index(world);
    world.counts.write_calls += 1;
    world.counts.write_ids += request.ids.len() as u64;
    world.note(|| {
        format!(
            "process {} calls {:?} via {:?} for {:?} ({})",
            request.process,
            request.verb,
            request.via,
            request.ids,
            request.fault.name()
        )
    });
    if world.read_only {
        world.violation("f", "a write call in a read-only session");
    }
    if request.ids.len() > 50 {
        world.violation("g", "more than 50 instances in one call");
    }
    let zones: BTreeSet<_> = request
        .ids
        .iter()
        .filter_map(|id| world.cloud.find(id))
        .map(|i| (world.cloud.boxes[i].scope.clone(), world.cloud.boxes[i].az.clone()))
        .collect();
    if zones.len() > 1 {
        world.violation("g", format!("one call for {zones:?}"));
    }
    for id in &request.ids {
        let announced = world.log.intents.values().any(|i| {
            i.run == request.run
                && i.verb == request.verb
                && !i.finished.contains(id)
                && i.items.iter().any(|item| item.id == *id)
        });
        if !announced {
            world.violation("b", format!("no intent on disk names {id}"));
        }
        let observation =
            world.processes[request.process].observations.entry(id.clone()).or_default();
        let blind = observation.called_since;
        observation.called_since = true;
        observation.calls += 1;
        if blind {
            world.violation("d", format!("{id} is called for again, and nobody looked in between"));
        }
    }
}

/// Something is about to change. The instance is still as it was before.
pub fn effect(world: &mut World, request: &Request, index: usize, effect: &Effect) {
    let process = &world.processes[request.process];
    let b = &world.cloud.boxes[index];
    let id = b.id.clone();
    let mut faults: Vec<(&'static str, String)> = Vec::new();
    let mut races: Vec<&'static str> = Vec::new();
    let now_facts = b.facts();
    let destructive = request.verb.is_destructive();

    let item = process.plan.iter().flat_map(|p| p.items.iter()).find(|i| i.id == id);
    if !process.confirmed.contains(&id) {
        faults.push(("a", format!("{id} was not confirmed")));
    }
    let observation = process.observations.get(&id).cloned().unwrap_or_default();
    let seen: Option<&Facts> = observation.seen.as_ref().map(|s| &s.1);
    match &observation.inspected {
        None => faults.push(("a", format!("{id} was not inspected before the call"))),
        Some((at, facts, missing)) => {
            if world.now - at > LOOK_AGE {
                faults.push(("a", format!("the inspection of {id} was {} ms old", world.now - at)));
            }
            if destructive {
                if *missing {
                    faults.push(("a", format!("{id}: a fact that decides was not known")));
                }
                let last = seen.unwrap_or(facts);
                if last.exempt {
                    faults.push(("a", format!("{id} was exempt")));
                } else if now_facts.exempt {
                    races.push("exempted after the last look");
                }
                if last.state != InstanceState::Running || last.leaving {
                    let state = last.state.word();
                    faults.push(("a", format!("{id} was {state}, and it showed")));
                } else if now_facts.state != last.state || now_facts.leaving {
                    races.push("stopped or terminated by somebody after the last look");
                }
                let protected = |f: &Facts| {
                    let own = match request.verb {
                        Verb::Terminate { .. } => f.termination_protected,
                        _ => f.stop_protected,
                    };
                    own || f.scale_in_protected
                };
                if protected(facts) {
                    faults.push(("a", format!("{id} was protected")));
                } else if protected(&now_facts) {
                    races.push("protected after the last look");
                }
            }
        }
    }
    if let Some(item) = item {
        let planned = item.launched_at.as_millisecond();
        // Taking a mark away is right in any life.
        let of_a_life = !matches!(request.verb, Verb::Unmark | Verb::Remind);
        if of_a_life && now_facts.launched_at != planned {
            if seen.is_none_or(|s| s.launched_at != planned) {
                let what = format!("{id} lived anew since the plan ({})", stamp(b.launched_at));
                faults.push((if observation.calls > 1 { "d" } else { "a" }, what));
            } else {
                races.push("launched anew after the last look");
            }
        }
        if destructive && item.verdict != Some(VerdictKind::Idle) {
            faults.push(("a", format!("{id} was planned as {:?}", item.verdict)));
        }
    }
    if destructive {
        match observation.measured {
            None => faults.push(("a", format!("{id} was not measured before the call"))),
            Some((at, used, missing)) => {
                if world.now - at > LOOK_AGE {
                    faults.push((
                        "a",
                        format!("the measurement of {id} was {} ms old", world.now - at),
                    ));
                }
                if used {
                    faults.push(("a", format!("{id} was busy, and it showed")));
                } else if b.is_busy(world.now) {
                    races.push("busy, and no datapoint of it was delivered before the last look");
                }
                if missing {
                    faults.push(("a", format!("{id}: what it did was not known")));
                }
            }
        }
        let via_group = matches!(request.via, ActApi::AutoScaling { .. });
        if via_group != b.group.is_some() {
            faults.push((
                "g",
                format!("{id} is in group {:?} and was called via {:?}", b.group, request.via),
            ));
        }
        let asked = matches!(request.verb, Verb::Terminate { decrement: true });
        if effect.what == "decremented" && !asked {
            faults.push(("g", format!("{id}: a decrement that nobody asked for")));
        }
        // Nobody but operators lets members go, and they share a log.
        let group = b.group.map(|g| &world.cloud.groups[g]);
        if effect.what == "decremented" && group.is_some_and(|g| g.desired <= g.min) {
            faults.push(("g", format!("{id}: its group went below its minimum")));
        }
    }
    for before in world.cloud.effects.iter().filter(|e| e.id == id) {
        let again = before.what == effect.what || (destructive && before.life != effect.life);
        if !again {
            continue;
        }
        if before.run == effect.run
            && (destructive || before.life == effect.life)
            && !request.verb.is_tagging()
        {
            faults.push(("d", format!("{id} was {} a second time by the same run", effect.what)));
        } else if before.life == effect.life && before.process != effect.process && destructive {
            let shown = observation.inspected.as_ref().is_none_or(|i| i.1.leaving);
            let left = shown || seen.is_none_or(|s| s.state != InstanceState::Running);
            if left {
                faults.push(("d", format!("{id} was {} again, and it showed", effect.what)));
            } else {
                // They share a log, and in it stands whose call it was.
                faults.push(("d", format!("{id} was {} again, by another run", effect.what)));
            }
        }
    }
    if destructive {
        let mut touched: BTreeSet<&Arc<str>> =
            world.cloud.effects.iter().filter(|e| e.run == effect.run).map(|e| &e.id).collect();
        touched.insert(&id);
        if touched.len() > world.max_instances as usize {
            faults.push((
                "g",
                format!("{} instances, {} allowed", touched.len(), world.max_instances),
            ));
        }
    }
    for race in races {
        world.counts.race(race);
    }
    for (rule, text) in faults {
        world.violation(rule, text);
    }
}

/// The end of a trial, after the last reconciliation.
pub fn last(world: &mut World) {
    index(world);
    let log = std::mem::take(&mut world.log);
    for intent in log.intents.values() {
        for item in &intent.items {
            if !intent.finished.contains(&item.id) {
                world.violation(
                    "c",
                    format!("intent {} has no outcome for {}", intent.seq, item.id),
                );
            }
        }
    }
    for (run, intent, id, kind) in &log.untouched {
        let from = intent.map_or(Ms::MIN, |seq| log.intents[&seq].at);
        let next = log
            .intents
            .values()
            .filter(|i| i.run == *run && i.at > from && i.items.iter().any(|item| item.id == *id))
            .map(|i| i.at)
            .min()
            .unwrap_or(Ms::MAX);
        let until = if intent.is_some() { next } else { Ms::MAX };
        let changed = world
            .cloud
            .effects
            .iter()
            .find(|e| e.run == *run && e.id == *id && e.at >= from && e.at < until);
        if let Some(changed) = changed {
            let what = changed.what;
            world.violation("e", format!("{id} is said to be {} and was {what}", kind.word()));
        }
    }
    chain(world);
}

/// The chain, calculated without the journal's own code, from the bytes as they lie on disk.
fn chain(world: &mut World) {
    let bytes = world.disk.durable().to_vec();
    let mut prev = "0".repeat(64);
    let mut seq = 0;
    for piece in bytes.split(|b| *b == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line>(piece) else { continue };
        seq += 1;
        let text = std::str::from_utf8(piece).unwrap();
        let (unsealed, _) = text.rsplit_once(",\"hash\":").unwrap();
        let hash = sha256_hex(format!("{unsealed}}}").as_bytes());
        if line.seq != seq || line.prev != prev || line.hash != hash {
            world.violation("c", format!("the chain breaks at line {seq}"));
            return;
        }
        prev = hash;
    }
}
