//! Partly idle nodes: what is done with each by hand, and what holds for any of them.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::bill::Bill;
use super::fixture::{World, plan, reserved, verdict};
use super::reference::compute_usd;
use crate::domain::{Tags, VerdictKind};
use crate::fleet::savings::{
    CannotTell, CheaperType, MigShare, Need, NodeRemedy, PartlyIdleNode, Proposal, SizeVerdict,
    SpotFit, Step, StepKind, StepNote, Waterfall,
};
use crate::source::catalogue;

const P4D: &str = "p4d.24xlarge";
const PRICES: [(&str, f64); 3] = [(P4D, 22.0), ("g5.12xlarge", 6.0), ("g5.48xlarge", 16.0)];

/// A node with eight GPUs, and what its work needs.
#[derive(Clone, Debug)]
struct Node {
    account: &'static str,
    team: &'static str,
    gpus: u32,
    vcpus: f64,
    to: Option<&'static str>,
    mig: Option<MigShare>,
}

/// A node of which so many GPUs work, with a little CPU and memory.
fn uses(gpus: u32) -> Node {
    Node { account: "1", team: "vision", gpus, vcpus: 2.0 * f64::from(gpus), to: None, mig: None }
}

fn world(nodes: &[Node]) -> World {
    let mut w = World::new(&PRICES);
    let spec = catalogue::type_spec(P4D).unwrap();
    w.types.insert(P4D.into(), Arc::new(spec.clone()));
    for (i, node) in nodes.iter().enumerate() {
        let id = format!("i-{i:02}");
        w.run(&id, node.account, P4D, VerdictKind::Partial);
        w.instances[i].tags = Tags::from_raw([("team", node.team)]);
        let mut judged = verdict(VerdictKind::Partial);
        judged.idle_gpus = Some(8 - node.gpus);
        w.verdicts.insert((*id).into(), Arc::new(judged));
        w.propose(&id, "g5.12xlarge");
        let proposal = Arc::make_mut(w.proposals.last_mut().unwrap());
        proposal.need = Need {
            gpus: Some(node.gpus),
            vcpus: Some(node.vcpus),
            memory_mib: Some(65_536),
            ..Need::default()
        };
        proposal.mig = node.mig.clone();
        change_type(proposal, node.to);
    }
    w
}

fn change_type(proposal: &mut Proposal, to: Option<&str>) {
    match (to, &mut proposal.verdict) {
        (Some(to), SizeVerdict::Smaller { to: is, .. }) => *is = to.into(),
        _ => {
            proposal.verdict = SizeVerdict::Cannot(CannotTell::NothingSmaller);
            proposal.gross_usd_per_hour = None;
        }
    }
}

fn step(w: &Waterfall) -> &Step {
    w.steps.iter().find(|s| s.kind == StepKind::PartlyIdle).unwrap()
}

fn saves(w: &Waterfall, kind: StepKind) -> f64 {
    w.steps.iter().find(|s| s.kind == kind).unwrap().saves()
}

fn remedies(w: &Waterfall) -> HashMap<&str, &NodeRemedy> {
    w.nodes.iter().map(|node| (&*node.id, &node.remedy)).collect()
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn work_of_several_nodes_fits_on_fewer() {
    let w = world(&[uses(3), uses(4), uses(2)]);
    let found = w.waterfall();
    // 4 + 3 of 8, and 2 are one too many: one node goes.
    close(step(&found).saves(), 22.0);
    close(step(&found).gross_alone, 22.0);
    assert_eq!(step(&found).items, 1);
    let all = remedies(&found);
    assert_eq!(all["i-00"], &NodeRemedy::Drain { to: "i-01".into() });
    assert_eq!((all["i-01"], all["i-02"]), (&NodeRemedy::TakesIn(1), &NodeRemedy::Nothing));
    let notes = &step(&found).notes;
    assert_eq!(notes[0], StepNote::NodeRemedies { drained: 1, smaller: 0, by_mig: 0 });
    assert_eq!(notes[1], StepNote::NodesStay(1));
    let drained = found.nodes.iter().find(|n| &*n.id == "i-00").unwrap();
    assert_eq!((drained.idle_gpus, drained.gpus, drained.needs_gpus), (5, 8, Some(3)));
    assert_eq!(drained.gross_usd_per_hour, Some(22.0));
}

#[test]
fn work_moves_only_where_it_may_and_fits() {
    let nothing = |name: &str, w: &World| {
        let found = w.waterfall();
        close(step(&found).saves(), 0.0);
        assert!(found.nodes.iter().all(|n| n.remedy == NodeRemedy::Nothing), "{name}: {found:?}");
    };
    nothing("too many GPUs", &world(&[uses(5), uses(4)]));
    nothing(
        "too many vCPUs",
        &world(&[Node { vcpus: 60.0, ..uses(3) }, Node { vcpus: 40.0, ..uses(2) }]),
    );
    nothing("another team", &world(&[uses(3), Node { team: "nlp", ..uses(2) }]));
    nothing("no team", &world(&[Node { team: "", ..uses(3) }, Node { team: "", ..uses(2) }]));
    nothing("another account", &world(&[uses(3), Node { account: "2", ..uses(2) }]));
    let mut zones = world(&[uses(3), uses(2)]);
    zones.instances[0].az = "us-east-1b".into();
    nothing("another zone", &zones);
    // What is not known stays, and is counted.
    let mut dark = world(&[uses(3), uses(2)]);
    Arc::make_mut(&mut dark.proposals[0]).need = Need::default();
    let found = dark.waterfall();
    assert_eq!((step(&found).unknown, step(&found).items), (1, 0));
    assert!(step(&found).notes.contains(&StepNote::NodesUnknown(1)));
    assert_eq!(remedies(&found)["i-00"], &NodeRemedy::Unknown);
    assert_eq!(step(&found).known(), None, "not a saving of 0");
}

#[test]
fn commitments_that_go_on_paying_are_no_saving() {
    let mut w = world(&[uses(3), uses(4)]);
    w.hold(reserved("ri", "1", P4D, 1, 14.0));
    // 14 + 22 before; the one that is left is the reserved one.
    close(step(&w.waterfall()).saves(), 22.0);
    w.hold(reserved("ri-2", "1", P4D, 1, 14.0));
    let found = w.waterfall();
    close(step(&found).saves(), 0.0);
    close(step(&found).gross_alone, 22.0);
    assert!(step(&found).notes.contains(&StepNote::NodesPaid(1)), "{:?}", step(&found).notes);
    assert!(remedies(&found).values().any(|r| **r == NodeRemedy::Paid));
}

#[test]
fn the_remedy_that_saves_most_is_taken_and_none_twice() {
    let to = |to| [Node { to: Some(to), ..uses(3) }, Node { to: Some(to), ..uses(4) }];
    // Two at 6 save 32; one drained 22.
    let found = world(&to("g5.12xlarge")).waterfall();
    close(step(&found).saves(), 32.0);
    assert!(found.nodes.iter().all(|n| n.remedy == NodeRemedy::Smaller("g5.12xlarge".into())));
    close(saves(&found, StepKind::RightSize), 0.0);
    // Two at 16 save 12; the proposals are not taken on top of the drained one.
    let found = world(&to("g5.48xlarge")).waterfall();
    close(step(&found).saves(), 22.0);
    close(saves(&found, StepKind::RightSize), 0.0);
    assert_eq!(remedies(&found)["i-00"], &NodeRemedy::Drain { to: "i-01".into() });
    // What is drained moves to nothing cheaper later.
    let mut w = world(&to("g5.48xlarge"));
    w.may_spot("i-00", SpotFit::Yes, 8.0, 10.0);
    close(saves(&w.waterfall(), StepKind::Spot), 0.0);
    // An instance that idles is stopped before, and takes no work in.
    let mut w = world(&[uses(3), uses(4)]);
    w.verdicts.insert("i-01".into(), Arc::new(verdict(VerdictKind::Idle)));
    let found = w.waterfall();
    close(saves(&found, StepKind::Idle), 22.0);
    close(step(&found).saves(), 0.0);
}

#[test]
fn small_jobs_share_gpus_by_mig_where_that_saves_more() {
    let fits = |gpus, to: Option<&str>| {
        Some(MigShare::Fits {
            gpus,
            to: to.map(|to| CheaperType { instance_type: to.into(), usd_per_hour: 6.0 }),
        })
    };
    // Six GPUs each: only in slices do two nodes' jobs fit on one.
    let mig = |mig| [Node { mig, ..uses(6) }, uses(6)];
    close(step(&world(&mig(None)).waterfall()).saves(), 0.0);
    let found = world(&mig(fits(2, None))).waterfall();
    close(step(&found).saves(), 22.0);
    assert!(step(&found).notes.contains(&StepNote::NodeRemedies {
        drained: 1,
        smaller: 0,
        by_mig: 1
    }));
    // With slices a smaller type holds it, which saves 16 where nothing else is beside it.
    let found = world(&[Node { mig: fits(2, Some("g5.12xlarge")), ..uses(6) }]).waterfall();
    close(step(&found).saves(), 16.0);
    let node = &found.nodes[0];
    assert_eq!(node.remedy, NodeRemedy::Smaller("g5.12xlarge".into()));
    assert!(node.by_mig && node.needs_gpus == Some(2));
    // Without need of it MIG is not asked for.
    let found = world(&[Node { mig: fits(1, None), ..uses(3) }, uses(4)]).waterfall();
    assert!(found.nodes.iter().all(|n| !n.by_mig));
    // What cannot be told says so.
    let found = world(&mig(Some(MigShare::CannotTell))).waterfall();
    assert!(step(&found).notes.contains(&StepNote::MigUnknown(1)));
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let mig = prop_oneof![
        4 => Just(None),
        1 => Just(Some(MigShare::CannotTell)),
        2 => (1u32..3, any::<bool>()).prop_map(|(gpus, to)| Some(MigShare::Fits {
            gpus,
            to: to.then(|| CheaperType { instance_type: "g5.12xlarge".into(), usd_per_hour: 6.0 }),
        })),
    ];
    let one = (
        prop::sample::select(vec!["1", "2"]),
        prop::sample::select(vec!["vision", "nlp", ""]),
        1u32..8,
        1.0f64..40.0,
        prop::option::of(prop::sample::select(vec!["g5.12xlarge", "g5.48xlarge"])),
        mig,
    );
    let node = one.prop_map(|(account, team, gpus, vcpus, to, mig)| {
        let mig = mig.filter(|m| !matches!(m, MigShare::Fits { gpus: n, .. } if *n >= gpus));
        Node { account, team, gpus, vcpus, to, mig }
    });
    prop::collection::vec(node, 0..12)
}

/// GPUs that the work on a node needs where it is.
fn needs(node: &PartlyIdleNode, nodes: &[Node]) -> u32 {
    let of = &nodes[node.id[2..].parse::<usize>().unwrap()];
    match &of.mig {
        Some(MigShare::Fits { gpus, .. }) if node.by_mig => *gpus,
        _ => of.gpus,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The step saves no more than its nodes cost net, all steps add up to the fall of the bill of another
    /// reckoning, work that moved has room where it is, and no node is in two remedies.
    #[test]
    fn what_is_packed_is_saved_once_and_has_room(
        nodes in nodes(),
        held in prop::collection::vec((prop::sample::select(vec!["1", "2"]), 1u32..4), 0..3),
        plan_usd in prop::option::of(1.0f64..60.0),
        spot in any::<bool>(),
        sharing in any::<bool>(),
    ) {
        let mut w = world(&nodes);
        for (i, (account, count)) in held.iter().enumerate() {
            w.hold(reserved(&format!("ri-{i}"), account, P4D, *count, 13.0));
        }
        if let Some(usd) = plan_usd {
            w.hold(plan("sp", "1", usd, &[(P4D, 15.0), ("g5.12xlarge", 4.0), ("g5.48xlarge", 11.0)]));
        }
        // Where discounts are shared, AWS serves the plan's own account first: what that stops may save more elsewhere.
        w.holdings.as_mut().unwrap().sharing = sharing && plan_usd.is_none();
        for i in (0..nodes.len()).filter(|_| spot) {
            w.may_spot(&format!("i-{i:02}"), SpotFit::Yes, 9.0, 10.0);
        }
        let found = w.waterfall();
        let sum: f64 = found.steps.iter().map(Step::saves).sum();
        prop_assert!((sum - (found.before - found.after())).abs() < 1e-6);
        w.with(|input| {
            let mut bill = Bill::of(input, &w.proposals, &w.resources, None);
            let before = compute_usd(&w, &bill);
            prop_assert!((found.before - before).abs() < 1e-6);
            let mut without = Bill::of(input, &w.proposals, &w.resources, None);
            without.machines.iter_mut().for_each(|m| m.gone = true);
            let cost = before - compute_usd(&w, &without);
            prop_assert!(step(&found).saves() <= cost + 1e-6, "{} of {cost}", step(&found).saves());
            super::super::pack::take(&mut bill, &w.proposals);
            prop_assert!((step(&found).after - compute_usd(&w, &bill)).abs() < 1e-6);
            super::super::size::take(&mut bill, &w.proposals);
            prop_assert!((step(&found).after - compute_usd(&w, &bill)).abs() < 1e-6, "not twice");
            Ok(())
        })?;
        prop_assert_eq!(found.nodes.len(), nodes.len());
        let by_id: HashMap<&str, &PartlyIdleNode> = found.nodes.iter().map(|n| (&*n.id, n)).collect();
        let mut on: HashMap<&str, u32> = HashMap::new();
        for node in &found.nodes {
            let place = match &node.remedy {
                NodeRemedy::Drain { to } => {
                    prop_assert!(matches!(by_id[&**to].remedy, NodeRemedy::TakesIn(_)), "{:?}", found.nodes);
                    prop_assert_eq!(&by_id[&**to].team, &node.team);
                    to
                }
                _ => &node.id,
            };
            *on.entry(place).or_default() += needs(node, &nodes);
        }
        for (id, gpus) in on {
            prop_assert!(gpus <= 8, "{id} has {gpus}: {:?}", found.nodes);
        }
        // A bill that falls by less than a claim says so; the claim is of list prices alone.
        if held.is_empty() && plan_usd.is_none() {
            prop_assert!(step(&found).saves() <= step(&found).gross_alone + 1e-6);
        }
        // The order of rows does not matter.
        w.instances.reverse();
        w.proposals.reverse();
        prop_assert!((w.waterfall().steps[1].after - found.steps[1].after).abs() < 1e-6);
    }
}
