//! Random fleets, and plans made from an old look at them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cloud::{Cloud, Group, KINDS, Machine, Telemetry, Use};
use super::world::{HOUR, MINUTE, Ms, stamp};
use crate::act::plan::{AccountRules, Caps, EXPIRES_TAG, PLAN_SCHEMA, Plan, PlanItem, Rules, Verb};
use crate::domain::{InstanceState, Scope, VerdictKind};

const ACCOUNTS: [&str; 2] = ["111111111111", "222222222222"];
const REGIONS: [&str; 2] = ["us-east-1", "eu-west-1"];
const DAY: Ms = 24 * HOUR;

pub fn accounts() -> impl Iterator<Item = Arc<str>> {
    ACCOUNTS.into_iter().map(Arc::from)
}

/// A fleet of 5 to 40 instances as it is at `now`. Most are idle: a harness in which everything is
/// refused proves nothing.
pub fn fleet(rng: &mut fastrand::Rng, now: Ms) -> Cloud {
    let size = rng.usize(5..=40);
    let narrow = rng.u8(0..3) > 0;
    let mut cloud = Cloud {
        whole_zone_fails: rng.u8(0..4) > 0,
        slowest: [10_000, 90_000, 20 * MINUTE][rng.usize(0..3)],
        lets_groups_shrink: rng.bool(),
        ..Cloud::default()
    };
    for g in 0..[0, 1, 1, 2][rng.usize(0..4)] {
        cloud.groups.push(Group {
            name: format!("workers-{g}").into(),
            min: rng.u32(0..3),
            desired: 0,
        });
    }
    for n in 0..size {
        let scope = if narrow {
            Scope::new(ACCOUNTS[0], REGIONS[0])
        } else {
            Scope::new(ACCOUNTS[rng.usize(0..2)], REGIONS[rng.usize(0..2)])
        };
        let b = one(rng, &mut cloud, n, scope, now);
        cloud.boxes.push(b);
    }
    for g in &mut cloud.groups {
        g.min = g.min.min(g.desired);
    }
    cloud
}

fn one(rng: &mut fastrand::Rng, cloud: &mut Cloud, n: usize, scope: Scope, now: Ms) -> Machine {
    let rare = |rng: &mut fastrand::Rng, percent: u8| rng.u8(0..100) < percent;
    let kind = rng.usize(0..KINDS.len());
    let az = format!("{}{}", scope.region, ['a', 'b'][rng.usize(0..2)]).into();
    let state = match rng.u8(0..100) {
        0..=87 => InstanceState::Running,
        88..=95 => InstanceState::Stopped,
        96..=97 => InstanceState::Terminated,
        _ => InstanceState::Pending,
    };
    let age = if rare(rng, 6) { rng.i64(HOUR..DAY) } else { rng.i64(3 * DAY..60 * DAY) };
    let launched_at = (now - age) / 1000 * 1000;
    let mut tags = vec![("Name".to_owned(), format!("box-{n}"))];
    if rare(rng, 6) {
        tags.push(("burntop:exempt".into(), "true".into()));
    }
    if rare(rng, 10) {
        tags.push(("env".into(), "prod".into()));
    }
    let owner = rare(rng, 4).then_some("kubernetes.io/cluster/main");
    tags.extend(owner.map(|o| (o.to_owned(), "owned".to_owned())));
    let group =
        (!cloud.groups.is_empty() && scope == Scope::new(ACCOUNTS[0], REGIONS[0]) && rare(rng, 30))
            .then(|| rng.usize(0..cloud.groups.len()));
    if let Some(g) = group {
        tags.push(("aws:autoscaling:groupName".into(), cloud.groups[g].name.to_string()));
        if state == InstanceState::Running {
            cloud.groups[g].desired += 1;
        }
    }
    let telemetry = match rng.u8(0..100) {
        0..=1 => Telemetry::LostFrom(now - rng.i64(0..6 * HOUR)),
        2 => Telemetry::NoGpu,
        3 => Telemetry::MalformedFrom(now - rng.i64(0..2 * HOUR)),
        _ => Telemetry::Fine,
    };
    let devices = KINDS[kind].devices as u16;
    let with = match rng.u8(0..3) {
        0 => Use::Cpu,
        1 => Use::Network,
        _ if devices > 0 => Use::Gpu(rng.u16(0..devices)),
        _ => Use::Cpu,
    };
    let minutes = |rng: &mut fastrand::Rng, range: std::ops::Range<i64>| rng.i64(range) * MINUTE;
    let busy = match rng.u8(0..100) {
        // Always at work.
        0..=11 => vec![(now - 10 * DAY, now + 10 * DAY, with)],
        // Began some time ago, perhaps after the plan was made.
        12..=21 => vec![(now - minutes(rng, 0..600), now + DAY, with)],
        // Begins while somebody acts.
        22..=33 => vec![(now + minutes(rng, -2..14), now + DAY, with)],
        // A short piece of work not long ago.
        34..=37 => {
            let from = now - minutes(rng, 5..300);
            vec![(from, from + minutes(rng, 1..10), with)]
        }
        _ => Vec::new(),
    };
    Machine {
        id: format!("i-{n:017x}").into(),
        scope,
        az,
        kind,
        state,
        turns: if state == InstanceState::Pending {
            vec![(now + MINUTE, InstanceState::Running)]
        } else {
            Vec::new()
        },
        leaving: false,
        launched_at,
        tags,
        termination_protected: rare(rng, 6),
        stop_protected: rare(rng, 5),
        spot: rare(rng, 8).then(|| rng.bool()),
        ebs_root: !rare(rng, 3),
        group,
        scale_in_protected: group.is_some() && rare(rng, 10),
        other_targets: rare(rng, 5).then(|| rng.u32(0..3)),
        telemetry,
        busy,
        forgotten: state == InstanceState::Terminated && rng.bool(),
        history: vec![(launched_at, state)],
        decrements: 0,
    }
}

/// What a run does, more often the dangerous things.
pub fn verb(rng: &mut fastrand::Rng, now: Ms) -> Verb {
    match rng.u8(0..100) {
        0..=44 => Verb::Terminate { decrement: rng.u8(0..5) > 0 },
        45..=79 => Verb::Stop,
        80..=87 => Verb::Start,
        88..=95 => Verb::Mark { expires: stamp(now + 7 * DAY), reason: "idle".into() },
        _ => Verb::Unmark,
    }
}

/// Leaves each group one member to spare: plans for two of them are too many together.
pub fn leave_one_to_spare(cloud: &mut Cloud) {
    for g in &mut cloud.groups {
        g.min = g.desired.saturating_sub(1);
    }
}

/// A plan from a look at the fleet some time ago.
pub fn plan(rng: &mut fastrand::Rng, cloud: &Cloud, verb: Verb, now: Ms) -> Plan {
    plan_of(rng, cloud, verb, now, |_| true)
}

/// As [`plan`], for `some` alone where there are any.
pub fn plan_of(
    rng: &mut fastrand::Rng,
    cloud: &Cloud,
    verb: Verb,
    now: Ms,
    some: impl Fn(&Machine) -> bool,
) -> Plan {
    let age = match rng.u8(0..20) {
        0..=13 => rng.i64(0..90) * MINUTE,
        14..=17 => rng.i64(1..5) * HOUR,
        18 => rng.i64(5..24) * HOUR,
        _ => rng.i64(24..40) * HOUR,
    };
    let looked = now - age;
    let wanted = rng.usize(1..=10);
    let some_of = |index: &usize| some(&cloud.boxes[*index]);
    let mut order: Vec<usize> = (0..cloud.boxes.len()).filter(some_of).collect();
    if order.is_empty() {
        order = (0..cloud.boxes.len()).collect();
    }
    rng.shuffle(&mut order);
    // What the plan wants is mostly what can be had: the rest is there to be refused.
    let suits = |b: &Machine| match verb {
        Verb::Start => b.state == InstanceState::Stopped,
        _ => b.state == InstanceState::Running && verdict(b, looked) == Some(VerdictKind::Idle),
    };
    let mut items: Vec<PlanItem> = Vec::new();
    for index in order {
        let b = &cloud.boxes[index];
        if items.len() < wanted && (suits(b) || rng.u8(0..5) == 0) {
            items.push(item(b, looked));
        }
    }
    if items.is_empty() {
        items.push(item(&cloud.boxes[0], looked));
    }
    match rng.u8(0..50) {
        0 => items[0].id = "i-0deadbeefdeadbeef".into(),
        1 => {
            let again = items[0].clone();
            items.push(again);
        }
        2 => items[0].az = "us-east-1z".into(),
        _ => {}
    }
    let created = if rng.bool() { looked } else { now - rng.i64(0..MINUTE) };
    Plan {
        schema: PLAN_SCHEMA.to_owned(),
        created_at: stamp(created),
        expires_at: stamp(created + DAY),
        verb,
        preset: "cautious".into(),
        filter: String::new(),
        justification: if rng.u8(0..4) > 0 { "clean up".into() } else { String::new() },
        fleet_size: cloud.boxes.len() as u32,
        net_usd_per_hour: None,
        items,
    }
}

/// What an honest engine would have said then.
fn verdict(b: &Machine, looked: Ms) -> Option<VerdictKind> {
    if b.state != InstanceState::Running {
        return None;
    }
    let dark = match b.telemetry {
        Telemetry::Fine => false,
        Telemetry::LostFrom(t) | Telemetry::MalformedFrom(t) => t < looked - HOUR,
        Telemetry::NoGpu => KINDS[b.kind].devices > 0,
    };
    Some(if b.is_exempt() {
        VerdictKind::Exempt
    } else if b.shows_use(looked - 2 * DAY, looked) {
        VerdictKind::Busy
    } else if dark {
        VerdictKind::Unknown
    } else {
        VerdictKind::Idle
    })
}

fn item(b: &Machine, looked: Ms) -> PlanItem {
    PlanItem {
        id: b.id.clone(),
        scope: b.scope.clone(),
        az: b.az.clone(),
        name: "box".into(),
        instance_type: KINDS[b.kind].name.into(),
        state: b.state,
        launched_at: stamp(b.launched_at),
        verdict: verdict(b, looked),
        idle_since: Some(stamp(looked - 2 * DAY)),
        judged_until: Some(stamp(looked)),
        evidence_sha256: "e".repeat(64),
        usd_per_hour: Some(1.0),
        net_usd_per_hour: None,
        covered_by: String::new(),
        price_basis: "on-demand list price".into(),
        production: b.tag("env").is_some(),
        environment: None,
        held_by: String::new(),
    }
}

pub fn rules(rng: &mut fastrand::Rng, armed: bool) -> Rules {
    let caps = match rng.u8(0..4) {
        0 => Caps::default(),
        1 => Caps { max_instances: rng.u32(1..5), max_fleet_percent: 100.0, ..Caps::default() },
        _ => Caps { max_instances: 10, max_fleet_percent: 100.0, ..Caps::default() },
    };
    let rules = AccountRules { armed, ..AccountRules::default() };
    let accounts: BTreeMap<Arc<str>, AccountRules> =
        accounts().map(|a| (a, rules.clone())).collect();
    Rules { accounts, caps, ..Rules::default() }
}

/// Instances that are already marked, so that there is something to take back.
pub fn mark_some(rng: &mut fastrand::Rng, cloud: &mut Cloud, now: Ms) {
    for b in &mut cloud.boxes {
        if rng.u8(0..6) == 0 {
            b.tags.push((EXPIRES_TAG.to_owned(), stamp(now + DAY).to_string()));
        }
    }
}
