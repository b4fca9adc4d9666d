//! The planted cases through the real guards, and orders carried out.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::act::plan::guard::{GuardInput, check};
use crate::act::plan::{
    AccountRules, Answer, Caps, CheckedRow, Guard, PLAN_SCHEMA, Plan, PlanItem, Preflighted, Rules,
    Severity, recheck,
};
use crate::domain::{Caller, Instance, InstanceState, Known, VerdictKind};
use crate::source::demo::{DEFAULT_SEED, DemoOptions, Trap, accounts, traps};

/// 2026-11-20T14:25:30Z, a Friday.
const NOW: i64 = 1_795_184_730;

struct Stage {
    now: Timestamp,
    accounts: Vec<DemoAccount>,
    instances: Vec<Instance>,
}

impl Stage {
    async fn at(second: i64) -> Self {
        let now = Timestamp::from_second(second).unwrap();
        let size = Some(traps().len());
        let accounts = accounts(&DemoOptions::new(DEFAULT_SEED, size, Arc::new(move || now)));
        let mut instances = Vec::new();
        for account in &accounts {
            for region in account.provider.regions().await.unwrap() {
                let page = account.provider.instances(&account.id, &region, None).await.unwrap();
                instances.extend(page.items);
            }
        }
        Self { now, accounts, instances }
    }

    fn named(&self, name: &str) -> &Instance {
        self.instances.iter().find(|i| &*i.name == name).unwrap()
    }

    fn account(&self, instance: &Instance) -> &DemoAccount {
        self.accounts.iter().find(|a| a.id == instance.scope.account).unwrap()
    }

    fn rules(&self) -> Rules {
        let armed = AccountRules { armed: true, ..AccountRules::default() };
        let accounts = self.accounts.iter().map(|a| (a.id.clone(), armed.clone())).collect();
        Rules { accounts, ..Rules::default() }
    }

    fn plan(&self, trap: &Trap, verb: Verb) -> Plan {
        let instance = self.named(trap.name);
        let days_ago = self.now - SignedDuration::from_hours(6 * 24);
        let idle = matches!(trap.verdict, Some(VerdictKind::Idle | VerdictKind::Partial));
        let item = PlanItem {
            id: instance.id.clone(),
            scope: instance.scope.clone(),
            az: instance.az.clone(),
            name: instance.name.clone(),
            instance_type: instance.instance_type.clone(),
            state: instance.state,
            launched_at: instance.launched_at,
            verdict: trap.verdict,
            idle_since: idle.then(|| instance.launched_at.max(days_ago)),
            judged_until: Some(self.now - SignedDuration::from_mins(5)),
            evidence_sha256: "0".repeat(64),
            usd_per_hour: Some(1.0),
            net_usd_per_hour: None,
            covered_by: String::new(),
            price_basis: "demo".into(),
            production: false,
            environment: None,
            held_by: String::new(),
        };
        Plan {
            schema: PLAN_SCHEMA.into(),
            created_at: self.now,
            expires_at: self.now + SignedDuration::from_hours(24),
            verb,
            preset: "cautious".into(),
            filter: String::new(),
            justification: "a test".into(),
            fleet_size: 34,
            net_usd_per_hour: None,
            items: vec![item],
        }
    }

    async fn check(&self, trap: &Trap, verb: Verb) -> (Plan, CheckedRow) {
        let plan = self.plan(trap, verb);
        let instance = self.named(trap.name);
        let account = self.account(instance);
        let item = Arc::new(plan.items[0].clone());
        let ids = [item.id.clone()];
        let inspection = account.inspector.inspect(&item.scope, &ids).await.remove(0);
        let (from, to) = recheck::window(&item, &self.rules(), self.now);
        let devices = inspection.spec.as_ref().unwrap().as_ref().unwrap().devices();
        let asked = [(Arc::new(instance.clone()), devices)];
        let recent = account.inspector.recent(&item.scope, &asked, from, to).await.remove(0);
        let caller: Known<Caller> = match account.inspector.caller().await {
            Ok(who) => Ok(Caller { account: who.account, arn: who.arn }),
            Err(error) => Err(Arc::new(error)),
        };
        let executor = executor(account);
        let permitted = executor.permitted(&item.scope, &plan.verb, &ids).await.map_err(Arc::new);
        let row = check(&GuardInput {
            plan: &plan,
            item: &item,
            caller: &caller,
            inspection: &inspection,
            recent: &recent,
            permitted: &permitted,
            executor: executor.name(),
            rules: &self.rules(),
            now: self.now,
        });
        (plan, row)
    }
}

fn found(row: &CheckedRow, severity: Severity) -> BTreeSet<Guard> {
    row.findings.iter().filter(|f| f.severity == severity).map(|f| f.guard).collect()
}

/// What blocks a stop, and a termination with decrement. A guard that is about the verdict alone
/// stands for all that is not idle.
fn expected(trap: &Trap) -> (Vec<Guard>, Vec<Guard>) {
    match trap.name {
        "baseline-protected" => (vec![], vec![Guard::TerminationProtection]),
        "serve-spare" => (vec![Guard::Group], vec![]),
        "spot-leftover" => (vec![Guard::Spot], vec![]),
        "slice-dev" => (vec![Guard::Permission], vec![]),
        "resumed-run" | "agent-hung" => (vec![Guard::Recheck], vec![Guard::Recheck]),
        "last-target" => (vec![Guard::TargetGroups], vec![Guard::TargetGroups]),
        "do-not-stop" => (vec![Guard::StopProtection], vec![Guard::StopProtection]),
        _ if trap.verdict == Some(VerdictKind::Idle) => (vec![], vec![]),
        _ => (vec![Guard::Verdict], vec![Guard::Verdict]),
    }
}

#[tokio::test]
async fn the_preflight_says_of_each_trap_what_the_page_says() {
    // 37 h apart: all hours of the day, several minutes of the hour.
    for step in 0..8 {
        let stage = Stage::at(NOW + step * (37 * 3_600 + 11 * 60)).await;
        for trap in traps() {
            let (name, now) = (trap.name, stage.now);
            let (stop, terminate) = expected(trap);
            for (verb, wanted) in
                [(Verb::Stop, stop), (Verb::Terminate { decrement: true }, terminate)]
            {
                let word = verb.word();
                let (_, row) = stage.check(trap, verb).await;
                let blocks = found(&row, Severity::Block);
                let what = format!("{word} {name} at {now}: {:?}", row.findings);
                if wanted == [Guard::Verdict] {
                    assert!(blocks.contains(&Guard::Verdict), "{what}");
                } else {
                    assert_eq!(blocks, wanted.into_iter().collect(), "{what}");
                }
                let loses = row.stakes.instance_store_gb;
                let says = format!("{},{:03} GB of instance store", loses / 1_000, loses % 1_000);
                if trap.acting.contains("GB of instance store") {
                    let short = format!("{loses} GB of instance store");
                    assert!(trap.acting.contains(&says) || trap.acting.contains(&short), "{what}");
                }
                match (name, word) {
                    ("scratch-cpu", "stop") => {
                        assert!(found(&row, Severity::Warn).is_empty(), "{what}");
                    }
                    ("scratch-cpu", _) => {
                        assert_eq!(found(&row, Severity::Warn), [Guard::Volumes].into(), "{what}");
                    }
                    ("reserved-idle", _) => {
                        assert_eq!(row.stakes.saves_usd_per_hour, Some(0.0), "{what}");
                    }
                    ("train-7b-old", "terminate") => {
                        assert_eq!((row.stakes.dies.len(), row.stakes.stays.len()), (1, 1));
                        assert!(found(&row, Severity::Warn).contains(&Guard::Capacity), "{what}");
                    }
                    ("serve-spare" | "sp-covered", _) => assert!(row.production, "{what}"),
                    ("resumed-run", _) => assert!(what.contains("in use"), "{what}"),
                    ("agent-hung", _) => assert!(what.contains("not known to be idle"), "{what}"),
                    _ => {}
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_partly_used_can_be_marked_and_what_stands_can_be_started() {
    let stage = Stage::at(NOW).await;
    let expires = stage.now + SignedDuration::from_hours(96);
    let mark = Verb::Mark { expires, reason: "quiet".into() };
    for trap in traps() {
        use VerdictKind::{Idle, Partial, Underused};
        let (_, row) = stage.check(trap, mark.clone()).await;
        let can = matches!(trap.verdict, Some(Idle | Partial | Underused));
        assert_eq!(!row.is_blocked(), can, "{}: {:?}", trap.name, row.findings);
        assert_eq!(trap.acting == "can be marked, no more", can && trap.verdict != Some(Idle));
        let (_, row) = stage.check(trap, Verb::Start).await;
        assert_eq!(!row.is_blocked(), trap.name == "parked-v100", "{}", trap.name);
    }
}

/// Confirms a plan of one trap and carries it out.
async fn act(stage: &Stage, name: &str, verb: Verb) -> Result<Receipt, SourceError> {
    let trap = traps().iter().find(|t| t.name == name).unwrap();
    let (plan, row) = stage.check(trap, verb).await;
    let account = stage.account(stage.named(name));
    let arn = account.inspector.caller().await.unwrap().arn;
    let callers = BTreeMap::from([(account.id.clone(), arn)]);
    let ids = [row.item.id.clone()];
    let checked = Preflighted::new(Arc::new(plan), vec![row], stage.now, callers, &Caps::default());
    let typed = checked.challenge().typed.first().cloned().unwrap_or_default();
    let answer = Answer { typed, justification: String::new() };
    let confirmed = checked.confirm(&answer, stage.now).unwrap();
    let ticket = confirmed.redeem(stage.now).unwrap();
    executor(account).act(&ticket.order(&ids).unwrap()).await
}

#[tokio::test]
async fn an_order_moves_the_world_that_the_inspector_shows() {
    let stage = Stage::at(NOW).await;
    let seen = async |name: &str| {
        let instance = stage.named(name);
        let inspector = &stage.account(instance).inspector;
        let ids = [instance.id.clone()];
        inspector.states(&instance.scope, &ids).await.unwrap().remove(0)
    };
    let receipt = act(&stage, "train-7b-old", Verb::Stop).await.unwrap();
    assert_eq!(receipt.states[0].1, InstanceState::Stopping);
    assert!(!receipt.pretended && receipt.request_ids.len() == 1);
    for _ in 0..3 {
        seen("train-7b-old").await;
    }
    assert_eq!(seen("train-7b-old").await.state, Some(InstanceState::Stopped));

    let receipt = act(&stage, "serve-spare", Verb::Terminate { decrement: true }).await.unwrap();
    assert_eq!(receipt.states[0].1, InstanceState::ShuttingDown);

    let expires = stage.now + SignedDuration::from_hours(96);
    let mark = Verb::Mark { expires, reason: "asked in #gpu".into() };
    act(&stage, "standby-expired", mark).await.unwrap();
    let tags = seen("standby-expired").await.tags;
    assert_eq!(tags.get(EXPIRES_TAG), Some(&*expires.to_string()));
    assert_eq!(tags.get(REASON_TAG), Some("asked in #gpu"));
    assert!(tags.get(BY_TAG).unwrap().ends_with(":assumed-role/burntop-demo/on-call"));
    act(&stage, "standby-expired", Verb::Remind).await.unwrap();
    assert_eq!(seen("standby-expired").await.tags.get(REMINDED_TAG), Some(&*stage.now.to_string()));
    act(&stage, "standby-expired", Verb::Unmark).await.unwrap();
    assert_eq!(seen("standby-expired").await.tags, stage.named("standby-expired").tags);
}
