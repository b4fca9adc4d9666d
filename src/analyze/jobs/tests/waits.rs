//! Queue waits beside idle GPUs, held against sums that are made in another way.

use proptest::prelude::*;

use super::nodes::node;
use super::*;
use crate::analyze::jobs::{KnownNodes, WaitInput, WaitKey, WaitKind, WaitRow, waits};
use crate::domain::jobs::JobNode;
use JobState as S;

/// An attempt of a queue that waits for GPUs on nodes; minutes from when and until.
fn waiting(job: &str, gpus: u32, nodes: u32, (from, to): (i64, i64)) -> Attempt {
    let mut of = attempt(job, S::Cancelled, gpus, (0, 0));
    (of.submitted_at, of.eligible_at) = (at(from), at(from));
    (of.started_at, of.ended_at) = (None, at(to));
    (of.nodes, of.node_count, of.queue) = (Arc::default(), Some(nodes), Some(text("q")));
    // What it would hold is not known, for it never did.
    (of.gpus, of.asked_gpus) = (None, Some(Gpus::whole(gpus)));
    of
}

/// An attempt that holds GPUs of a node.
fn holding(job: &str, gpus: u32, node: &str, span: (i64, i64)) -> Attempt {
    let mut of = attempt(job, S::Completed, gpus, span);
    (of.nodes, of.node_count, of.queue) = ([text(node)].into(), Some(1), Some(text("q")));
    of
}

/// Waits from 0:00 to 10:00 on two nodes with 8 GPUs each at $55.04, on which the queue has run the day before.
fn found(mut all: Vec<Attempt>, key: WaitKey) -> Vec<WaitRow> {
    let nodes = ["n1", "n2"].map(|name| node(name, Some("p5.48xlarge"), (-2000, 600)));
    all.extend(["n1", "n2"].map(|name| holding(&format!("old-{name}"), 8, name, (-1500, -1400))));
    of_nodes(all, &nodes, key)
}

fn of_nodes(all: Vec<Attempt>, nodes: &[JobNode], key: WaitKey) -> Vec<WaitRow> {
    of_kubernetes(all, nodes, key, None)
}

/// The same where the source was read first at a minute, and forgets.
fn of_kubernetes(
    all: Vec<Attempt>,
    nodes: &[JobNode],
    key: WaitKey,
    first: Option<i64>,
) -> Vec<WaitRow> {
    let known = KnownNodes { nodes, ..KnownNodes::default() };
    let first_read = |_: JobSource| first.and_then(at);
    let (since, now) = (at(0).unwrap(), at(600).unwrap());
    let (attempts, first_read) = (&all.into(), &first_read);
    waits(&WaitInput { attempts, known, types: &types, first_read, since, now }, key)
}

/// GPU-hours by kind of one row: limit, room, fragmented, shortage, unknown.
fn kinds(all: Vec<Attempt>) -> [f64; 5] {
    let rows = found(all, WaitKey::Cluster);
    assert_eq!(rows.len(), 1);
    WaitKind::ALL.map(|kind| rows[0].of_kind(kind))
}

#[test]
fn a_wait_is_for_a_limit_for_want_of_room_on_enough_nodes_or_a_true_shortage() {
    let wait = |gpus, nodes| waiting("w", gpus, nodes, (60, 180));
    // Both nodes are free.
    assert_eq!(kinds(vec![wait(16, 2)]), [0.0, 32.0, 0.0, 0.0, 0.0]);
    // Half of each is held: as many GPUs, on too many nodes.
    let halves = || ["n1", "n2"].map(|name| holding(name, 4, name, (0, 600)));
    let with = |of: Attempt| kinds(halves().into_iter().chain([of]).collect());
    assert_eq!(with(wait(8, 1)), [0.0, 0.0, 16.0, 0.0, 0.0]);
    assert_eq!(with(wait(8, 2)), [0.0, 16.0, 0.0, 0.0, 0.0]);
    assert_eq!(with(wait(9, 1)), [0.0, 0.0, 0.0, 18.0, 0.0]);
    // Whatever is idle, the scheduler names a limit; a word that is none is no reason.
    let reasons = [
        ("AssocGrpGRES", 0),
        ("QOSMaxGRESPerUser", 0),
        ("MaxGRESPerAccount", 0),
        ("WaitingForQuota", 0),
        ("Inadmissible", 0),
        ("ReqNodeNotAvail", 3),
        ("Priority", 1),
    ];
    for (reason, kind) in reasons {
        let of = Attempt { wait_reason: Some(text(reason)), ..wait(8, 2) };
        assert_eq!(with(of)[kind], 16.0, "{reason}");
    }
    // One that was sent to several queues may run on the nodes of each; one that wants another model may not.
    let several = Attempt { queue: Some(text("none,q")), ..wait(8, 2) };
    assert_eq!(with(several), [0.0, 16.0, 0.0, 0.0, 0.0]);
    let model = |name: &str| Attempt { gpu_model: Some(text(name)), ..wait(8, 2) };
    assert_eq!(with(model("h100"))[1], 16.0);
    assert_eq!(with(model("a100"))[4], 16.0);
    // A node that is busy for a minute of the hour is no room in it.
    let busy = ["n1", "n2"].map(|name| holding(name, 8, name, (90, 91)));
    let all = busy.into_iter().chain([wait(8, 1)]).collect();
    assert_eq!(kinds(all), [0.0, 8.0, 0.0, 8.0, 0.0]);
}

#[test]
fn what_nobody_knows_is_neither_room_nor_a_shortage() {
    let wait = |gpus| waiting("w", gpus, 1, (60, 180));
    // Another queue never ran on these nodes.
    let other = Attempt { queue: Some(text("other")), ..wait(8) };
    assert_eq!(kinds(vec![other]), [0.0, 0.0, 0.0, 0.0, 16.0]);
    // Somebody holds nodes that are not named.
    let hidden = Attempt { nodes: Arc::default(), ..holding("h", 8, "n1", (120, 130)) };
    assert_eq!(kinds(vec![hidden, wait(8)]), [0.0, 8.0, 0.0, 0.0, 8.0]);
    // Nobody says how many GPUs it waits for.
    let unknown = Attempt { asked_gpus: None, ..wait(8) };
    let rows = found(vec![unknown], WaitKey::Cluster);
    assert_eq!((rows[0].waited(), rows[0].unknown_gpu_attempts, rows[0].usd), (0.0, 1, None));
    // The scheduler was not read in the last hours, nor before its first known attempt.
    let nodes = [node("n1", Some("p5.48xlarge"), (-2000, 90))];
    let ran = || holding("first", 8, "n1", (-30, -20));
    let row = &of_nodes(vec![ran(), wait(8)], &nodes, WaitKey::Hour);
    let unknown: Vec<f64> = row.iter().map(|row| row.of_kind(WaitKind::Unknown)).collect();
    assert_eq!(unknown, [8.0, 4.0], "the newest hour first, and half of the one before");
    assert_eq!((row[0].idle_gpu_hours, row[0].usd), (None, None));
    // Whatever ended before the first end that is known is not.
    let late = holding("late", 8, "n1", (-300, 70));
    let nodes = [node("n1", Some("p5.48xlarge"), (-2000, 600))];
    let by_hour = |all: Vec<Attempt>, first| -> Vec<[f64; 5]> {
        let rows = of_kubernetes(all, &nodes, WaitKey::Hour, first);
        rows.iter().rev().map(|row| WaitKind::ALL.map(|kind| row.of_kind(kind))).collect()
    };
    let (unknown, room) = ([0.0, 0.0, 0.0, 0.0, 8.0], [0.0, 8.0, 0.0, 0.0, 0.0]);
    assert_eq!(by_hour(vec![late, wait(8)], None), [unknown, room]);
    assert_eq!(by_hour(vec![ran(), wait(8)], Some(61)), [unknown, room]);
    assert_eq!(by_hour(vec![ran(), wait(8)], Some(60)), [room, room]);
    // Nobody knows how many GPUs the other node has: it is no room, and no shortage.
    let mixed = [node("n1", Some("p5.48xlarge"), (-2000, 600)), node("n2", None, (-2000, 600))];
    let both = || [ran(), holding("other", 1, "n2", (-30, -20))];
    let kinds = |gpus| {
        let all = both().into_iter().chain([wait(gpus)]).collect();
        let rows = of_nodes(all, &mixed, WaitKey::Cluster);
        WaitKind::ALL.map(|kind| rows[0].of_kind(kind))
    };
    assert_eq!((kinds(8)[1], kinds(9)[4]), (16.0, 18.0));
    // Without a GPU, without an end, and before it could start, nothing waits.
    let held = Attempt { eligible_at: None, ..wait(8) };
    assert!(found(vec![wait(0), held], WaitKey::Cluster).is_empty());
    // The type has no price.
    let nodes = [node("n1", Some("trn9.huge"), (-2000, 600))];
    let mut known = nodes.clone();
    known[0].gpus = Some(Gpus::whole(8));
    let row = &of_nodes(vec![ran(), wait(8)], &known, WaitKey::Cluster);
    assert_eq!((row[0].of_kind(WaitKind::Room), row[0].beside_gpu_hours), (16.0, Some(16.0)));
    assert_eq!(row[0].usd, None);
}

#[test]
fn tasks_of_an_array_that_wait_as_one_wait_each() {
    let array = |job: &str| kinds(vec![waiting(job, 4, 1, (60, 120))]);
    // Four of six would have got GPUs; where two may run at once, the others wait for that.
    assert_eq!(array("33_[0-4,9]"), [0.0, 16.0, 0.0, 8.0, 0.0]);
    assert_eq!(array("33_[0-4,9%2]"), [16.0, 8.0, 0.0, 0.0, 0.0]);
    assert_eq!(array("33_[1-7:3]"), [0.0, 12.0, 0.0, 0.0, 0.0]);
    for one in ["33_3", "33", "33_[x-9]", "33_[9-1]", "33_[1-9:0]"] {
        assert_eq!(array(one), [0.0, 4.0, 0.0, 0.0, 0.0], "{one}");
    }
    // What a tracker calls waiting is no queue.
    let mut run = waiting("run", 4, 1, (60, 120));
    run.id.source = JobSource::MlFlow;
    assert!(found(vec![run], WaitKey::Hour).is_empty());
}

#[test]
fn idle_gpus_beside_those_that_wait_are_counted_once() {
    // Two wait for the one node that is free: it is one of them that would have got it.
    let busy = || holding("b", 8, "n2", (0, 600));
    let all = || vec![busy(), waiting("w1", 8, 1, (60, 120)), waiting("w2", 8, 1, (61, 120))];
    let row = &found(all(), WaitKey::Hour)[0];
    assert_eq!((row.of_kind(WaitKind::Room), row.idle_gpu_hours), (8.0, Some(8.0)));
    assert!((row.of_kind(WaitKind::Shortage) - 8.0 * 59.0 / 60.0).abs() < 1e-9);
    assert_eq!((row.beside_gpu_hours, row.usd), (Some(8.0), Some(55.04)));
    assert_eq!((row.attempts, row.users, row.user_hours), (2, 1, 1.0));
    // What waits still was seen as long as its cluster was.
    let mut open = waiting("open", 8, 1, (60, 120));
    (open.state, open.ended_at) = (S::Queued, None);
    let until = |to| {
        let nodes = [node("n1", Some("p5.48xlarge"), (-2000, to))];
        let ran = holding("first", 8, "n1", (-30, -20));
        of_nodes(vec![ran, open.clone()], &nodes, WaitKey::Cluster)[0].waited()
    };
    assert_eq!((until(150), until(600)), (12.0, 72.0));
    // By user, each by what it waited; together as much.
    let by = |mut all: Vec<Attempt>| {
        all[1].user = Some(text("ana"));
        all[2].user = Some(text("wei"));
        found(all, WaitKey::User)
    };
    let rows = by(all());
    let keys: Vec<_> = rows.iter().map(|row| row.key.as_deref().unwrap()).collect();
    assert_eq!(keys, ["ana", "wei"]);
    assert_eq!((rows[0].usd, rows[1].usd), (Some(55.04), Some(0.0)));
    assert_eq!(rows[1].idle_gpu_hours, None, "what is idle is no user's");
}

/// A hold: node, GPUs, minutes from and to.
fn holds() -> impl Strategy<Value = Vec<(usize, u32, i64, i64)>> {
    prop::collection::vec((0..2_usize, 1..9_u32, 0..600_i64, 1..300_i64), 0..8)
}

/// A wait: GPUs, nodes, minutes from and length, user, whether a limit is named.
fn waits_of() -> impl Strategy<Value = Vec<(u32, u32, i64, i64, u8, bool)>> {
    let one = (1..17_u32, 1..3_u32, 0..600_i64, 1..200_i64, 0..3_u8, any::<bool>());
    prop::collection::vec(one, 1..8)
}

proptest! {
    #[test]
    fn sums_are_those_of_going_through_every_minute(holds in holds(), waits in waits_of()) {
        let mut all = Vec::new();
        for (at, (node, gpus, from, length)) in holds.iter().enumerate() {
            let to = (from + length).min(600);
            let name = ["n1", "n2"][*node];
            all.push(holding(&format!("h{at}"), *gpus, name, (*from, to)));
        }
        for (at, (gpus, nodes, from, length, user, is_limit)) in waits.iter().enumerate() {
            let to = (from + length).min(600);
            let mut of = waiting(&format!("w{at:02}"), *gpus, *nodes, (*from, to));
            of.user = Some(text(&format!("u{user}")));
            of.wait_reason = is_limit.then(|| text("AssocGrpGRES"));
            all.push(of);
        }
        let rows = found(all.clone(), WaitKey::Hour);
        let free = |node: usize, minute: i64| {
            let held: u32 = holds
                .iter()
                .filter(|(on, _, from, length)| *on == node && (*from..(from + length).min(600)).contains(&minute))
                .map(|(_, gpus, ..)| *gpus)
                .sum();
            8_u32.saturating_sub(held)
        };
        let mut seen = 0;
        for hour in 0..10_i64 {
            let minutes = || hour * 60..hour * 60 + 60;
            let mut left = [0, 1].map(|node| minutes().map(|minute| free(node, minute)).min().unwrap());
            let mut order: Vec<usize> = (0..waits.len()).collect();
            order.sort_by_key(|at| (waits[*at].5, waits[*at].2));
            let (mut by_kind, mut beside, mut waited) = ([0.0; 5], 0.0, false);
            for at in order {
                let (gpus, nodes, from, length, _, is_limit) = waits[at];
                let within = |minute: &i64| (from..(from + length).min(600)).contains(minute);
                let share = minutes().filter(within).count() as f64 / 60.0;
                if share == 0.0 {
                    continue;
                }
                waited = true;
                let each = gpus.div_ceil(nodes);
                // Shares of GPUs are counted to the millionth.
                let exact = f64::from(gpus) / f64::from(nodes);
                let fits: Vec<usize> = (0..2).filter(|node| f64::from(left[*node]) >= exact).collect();
                let kind = if fits.len() >= nodes as usize {
                    prop_assume!(gpus % nodes == 0);
                    fits[..nodes as usize].iter().for_each(|node| left[*node] -= each);
                    beside += f64::from(gpus) * share;
                    WaitKind::Room
                } else if left[0] + left[1] >= gpus {
                    let mut wanted = gpus;
                    for node in &mut left {
                        let taken = wanted.min(*node);
                        (*node, wanted) = (*node - taken, wanted - taken);
                    }
                    beside += f64::from(gpus) * share;
                    WaitKind::Fragmented
                } else {
                    WaitKind::Shortage
                };
                let kind = if is_limit { WaitKind::Limit } else { kind };
                by_kind[kind as usize] += f64::from(gpus) * share;
            }
            let row = rows.iter().find(|row| row.hour == at(hour * 60));
            prop_assert_eq!(row.is_some(), waited);
            let Some(row) = row else { continue };
            seen += 1;
            for (kind, sum) in WaitKind::ALL.into_iter().zip(by_kind) {
                prop_assert!((row.of_kind(kind) - sum).abs() < 1e-9, "{hour} {kind:?}");
            }
            let idle: u32 = minutes().map(|minute| free(0, minute) + free(1, minute)).sum();
            let idle = f64::from(idle) / 60.0;
            prop_assert!((row.idle_gpu_hours.unwrap() - idle).abs() < 1e-9);
            prop_assert!((row.beside_gpu_hours.unwrap() - beside).abs() < 1e-9);
            prop_assert!(beside <= idle + 1e-9, "what is idle is counted once");
            prop_assert!((row.usd.unwrap() - beside * 6.88).abs() < 1e-6);
            let users = (0..3_u8).map(|user| {
                let waits_then = |minute: &i64| waits.iter().any(|(_, _, from, length, of, _)| {
                    *of == user && (*from..(from + length).min(600)).contains(minute)
                });
                minutes().filter(waits_then).count() as f64 / 60.0
            });
            prop_assert!((row.user_hours - users.sum::<f64>()).abs() < 1e-9);
        }
        prop_assert_eq!(rows.len(), seen);
        // The same by whatever key.
        let total = |rows: &[WaitRow]| -> (f64, f64) {
            (rows.iter().map(WaitRow::waited).sum(), rows.iter().filter_map(|row| row.usd).sum())
        };
        let by_hour = total(&rows);
        for key in [WaitKey::Cluster, WaitKey::Queue, WaitKey::User, WaitKey::Team] {
            let other = total(&found(all.clone(), key));
            prop_assert!((other.0 - by_hour.0).abs() < 1e-6 && (other.1 - by_hour.1).abs() < 1e-6);
        }
    }
}
