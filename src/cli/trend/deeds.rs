//! From the audit log and the inventory to what was done and what became of it.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::act::exec::audit::{Body, Line};
use crate::act::plan::storage::{Matter, Step, StorageVerb};
use crate::act::plan::{ActApi, OutcomeKind, Verb};
use crate::analyze::trend::{Deed, DeedKind, Inventory};
use crate::bus::Outcome;
use crate::domain::{HOURS_PER_MONTH, InstanceState, Reading, SourceId};

/// Executors that only pretend.
const PRETENDED: &str = "dry-run";

/// What the log says was seen done: instances stopped or terminated, volumes deleted. A member that its Auto Scaling
/// group replaces saves nothing and is left out.
pub(in crate::cli) fn deeds(lines: &[Line]) -> Vec<Deed> {
    // What each intent is of, by its number and the thing.
    let mut intents: HashMap<(u64, Arc<str>), Deed> = HashMap::new();
    let mut done = Vec::new();
    for line in lines {
        match &line.body {
            Body::Intent { verb, via, executor, rows, .. } if executor != PRETENDED => {
                let is_replaced = matches!(via, ActApi::AutoScaling { decrement: false, .. });
                let kind = match verb {
                    Verb::Stop => DeedKind::Stopped,
                    Verb::Terminate { .. } if !is_replaced => DeedKind::Terminated,
                    _ => continue,
                };
                for row in rows {
                    let item = &row.item;
                    // What was stopped already cost nothing by the hour, whatever its price.
                    let is_stopped =
                        matches!(item.state, InstanceState::Stopping | InstanceState::Stopped);
                    let of = |usd: Option<f64>| if is_stopped { Some(0.0) } else { usd };
                    let deed = Deed {
                        id: item.id.clone(),
                        name: item.name.clone(),
                        account: item.scope.account.clone(),
                        region: item.scope.region.clone(),
                        kind,
                        at: line.at,
                        launched_at: Some(item.launched_at),
                        usd_per_hour: of(item.usd_per_hour),
                        net_usd_per_hour: of(item.net_usd_per_hour),
                    };
                    intents.insert((line.seq, item.id.clone()), deed);
                }
            }
            Body::StorageIntent {
                verb: StorageVerb::DeleteVolume,
                step: Step::Delete,
                executor,
                row,
                ..
            } if executor != PRETENDED => {
                let item = &row.item;
                let Matter::Volume(volume) = &item.matter else { continue };
                let usd_per_hour = item.usd_per_month.map(|usd| usd / HOURS_PER_MONTH);
                let deed = Deed {
                    id: volume.id.clone(),
                    name: volume.name.clone(),
                    account: item.scope.account.clone(),
                    region: item.scope.region.clone(),
                    kind: DeedKind::Deleted,
                    at: line.at,
                    launched_at: None,
                    usd_per_hour,
                    // No commitment pays for a volume.
                    net_usd_per_hour: usd_per_hour,
                };
                intents.insert((line.seq, volume.id.clone()), deed);
            }
            Body::Outcome { intent, outcomes, .. } => {
                for outcome in outcomes.iter().filter(|o| o.kind == OutcomeKind::Done) {
                    let deed = intents.remove(&(*intent, outcome.id.clone()));
                    done.extend(deed.map(|deed| Deed { at: outcome.at, ..deed }));
                }
            }
            _ => {}
        }
    }
    done
}

/// The inventory as it was read, to ask it what became of actions.
pub(in crate::cli) fn inventory(outcome: &Outcome, now: Timestamp) -> Inventory {
    let whole = |readings: &[Reading], source: SourceId| {
        let is_whole =
            |r: &&Reading| r.source == source && r.failed().is_none() && r.coverage >= 1.0;
        let place = |r: &Reading| {
            let scope = (r.scope.account.clone(), r.scope.region.clone());
            r.taken_at.map(|at| (scope, at))
        };
        readings.iter().filter(is_whole).filter_map(place).collect()
    };
    let instance = |row: &Arc<crate::fleet::Row>| {
        let instance = &row.instance;
        (instance.id.clone(), (instance.state, instance.launched_at))
    };
    let storage = outcome.storage_picture(now);
    Inventory {
        instances: outcome.fleet.rows.iter().map(instance).collect(),
        read: whole(&outcome.fleet.readings, SourceId::Ec2),
        volumes: storage.volumes.iter().map(|row| row.volume.id.clone()).collect(),
        volumes_read: whole(&storage.readings, SourceId::Ebs),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::act::exec::audit::IntentRow;
    use crate::act::plan::{Authority, Outcome};
    use crate::domain::Scope;

    fn scope() -> Scope {
        Scope::new("123456789012", "eu-west-1")
    }

    fn line(seq: u64, body: Body) -> Line {
        let at = "2026-03-01T12:00:00Z".parse().unwrap();
        Line { seq, at, prev: String::new(), body, hash: String::new() }
    }

    fn intent(verb: Verb, via: ActApi, executor: &str, ids: &[&str]) -> Body {
        let row = |id: &&str| {
            let item = serde_json::from_value(json!({
                "id": id, "scope": scope(), "az": "eu-west-1a", "name": "n", "instance_type": "g5.xlarge",
                "state": "running", "launched_at": "2026-01-01T00:00:00Z", "verdict": "idle",
                "idle_since": null, "judged_until": null, "evidence_sha256": "", "usd_per_hour": 1.25,
                "net_usd_per_hour": null, "covered_by": "", "price_basis": "", "production": false,
            }));
            IntentRow { item: item.unwrap(), findings: vec![], undo: None }
        };
        Body::Intent {
            run: "a".into(),
            plan: "p".into(),
            verb,
            scope: scope(),
            az: "eu-west-1a".into(),
            via,
            by: "arn:aws:iam::123456789012:user/x".into(),
            from: "x@y".into(),
            executor: executor.into(),
            authority: Authority::Person,
            justification: String::new(),
            rows: ids.iter().map(row).collect(),
        }
    }

    fn ended(intent: u64, ids: &[(&str, OutcomeKind)]) -> Body {
        let outcome = |(id, kind): &(&str, OutcomeKind)| Outcome {
            id: (*id).into(),
            scope: scope(),
            kind: *kind,
            text: String::new(),
            state: Some(InstanceState::Stopped),
            request_ids: vec![],
            at: "2026-03-01T12:05:00Z".parse().unwrap(),
        };
        Body::Outcome {
            run: "a".into(),
            intent,
            outcomes: ids.iter().map(outcome).collect(),
            reconciled: false,
        }
    }

    #[test]
    fn only_what_was_seen_done_and_ends_a_cost_is_a_saving() {
        let group = |decrement| ActApi::AutoScaling { group: "g".into(), decrement };
        let terminate = |decrement| Verb::Terminate { decrement };
        let mut of_stopped = intent(terminate(false), ActApi::Ec2, "live", &["i-8"]);
        if let Body::Intent { rows, .. } = &mut of_stopped {
            Arc::make_mut(&mut rows[0].item).state = InstanceState::Stopped;
        }
        let done = OutcomeKind::Done;
        let lines = [
            line(1, intent(Verb::Stop, ActApi::Ec2, "live", &["i-1", "i-2", "i-3"])),
            line(2, ended(1, &[("i-1", done), ("i-2", OutcomeKind::Failed)])),
            line(3, intent(Verb::Stop, ActApi::Ec2, "dry-run", &["i-4"])),
            line(4, ended(3, &[("i-4", done)])),
            line(5, intent(terminate(false), group(false), "live", &["i-5"])),
            line(6, ended(5, &[("i-5", done)])),
            line(7, intent(terminate(true), group(true), "live", &["i-6"])),
            line(8, ended(7, &[("i-6", done)])),
            line(9, intent(Verb::Start, ActApi::Ec2, "live", &["i-7"])),
            line(10, ended(9, &[("i-7", done)])),
            line(11, of_stopped),
            line(12, ended(11, &[("i-8", done)])),
        ];
        let found = deeds(&lines);
        let shown: Vec<_> = found.iter().map(|deed| (&*deed.id, deed.kind)).collect();
        let terminated = DeedKind::Terminated;
        assert_eq!(shown, [("i-1", DeedKind::Stopped), ("i-6", terminated), ("i-8", terminated)]);
        let at: Timestamp = "2026-03-01T12:05:00Z".parse().unwrap();
        assert_eq!((found[0].at, found[0].usd_per_hour), (at, Some(1.25)));
        // It was stopped before: nothing ran that could be saved.
        assert_eq!((found[2].usd_per_hour, found[2].net_usd_per_hour), (Some(0.0), Some(0.0)));
    }
}
